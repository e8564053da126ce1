//! Holes that stand for nothing: `pregnancies where sex = male`. There is no unknown value behind them, so that nothing
//! is filled in.

use crate::data::{Column, Table, Values};
use crate::error::{Error, Result};

/// A rule that says which holes of a column stay.
pub struct Left {
    column: String,
    /// The column that decides, how, and against what.
    decides: String,
    sign: Sign,
    value: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Sign {
    Equal,
    Unequal,
    Below,
    Above,
    AtMost,
    AtLeast,
}

/// Longer signs first, so that `<=` is not read as `<`.
const SIGNS: [(&str, Sign); 6] = [
    ("!=", Sign::Unequal),
    ("<=", Sign::AtMost),
    (">=", Sign::AtLeast),
    ("=", Sign::Equal),
    ("<", Sign::Below),
    (">", Sign::Above),
];

impl Left {
    /// Reads a rule over the columns of a table.
    ///
    /// # Errors
    /// When it can't be read, names a column that is not there, or compares words by size.
    pub fn parse(text: &str, table: &Table) -> Result<Self> {
        let refuse = || {
            Error::setting("leave", format!("`{text}` is not of the form COLUMN where COLUMN = VALUE"))
                .with_hint("say for example --leave 'pregnancies where sex = male', or with != < > <= >=")
        };
        let (column, condition) = text.split_once(" where ").ok_or_else(refuse)?;
        let found = SIGNS.iter().filter_map(|(sign, own)| Some((condition.find(sign)?, sign.len(), *own)));
        let (at, length, sign) =
            found.min_by_key(|(at, length, _)| (*at, usize::MAX - length)).ok_or_else(refuse)?;
        let clean = |name: &str| name.trim().trim_matches('`').to_owned();
        let rule = Self {
            column: clean(column),
            decides: clean(&condition[..at]),
            sign,
            value: condition[at + length..].trim().to_owned(),
        };
        table.column(&rule.column)?;
        let decides = table.column(&rule.decides)?;
        let by_size = !matches!(sign, Sign::Equal | Sign::Unequal);
        if by_size && (decides.numbers().is_none() || rule.value.parse::<f64>().is_err()) {
            let what = format!("`{text}`: only numbers can be compared by size");
            return Err(Error::setting("leave", what).with_hint("use = or != for words"));
        }
        Ok(rule)
    }

    /// Opens the holes again in which the rule holds; returns the column and how many there are.
    ///
    /// # Errors
    /// When a column is not there.
    pub fn apply(&self, before: &Table, table: &mut Table) -> Result<(String, usize)> {
        let decides = table.position(&self.decides)?;
        let own = table.position(&self.column)?;
        let rows: Vec<usize> = (0..table.rows())
            .filter(|&row| !before.columns()[own].observed[row] && self.holds(&table.columns()[decides], row))
            .collect();
        let column = &mut table.columns_mut()[own];
        rows.iter().for_each(|&row| column.observed[row] = false);
        Ok((self.column.clone(), rows.len()))
    }

    fn holds(&self, column: &Column, row: usize) -> bool {
        if !column.observed[row] {
            return false;
        }
        if let (Values::Numbers(values), Ok(limit)) = (&column.values, self.value.parse::<f64>()) {
            let value = values[row];
            return match self.sign {
                Sign::Equal => value == limit,
                Sign::Unequal => value != limit,
                Sign::Below => value < limit,
                Sign::Above => value > limit,
                Sign::AtMost => value <= limit,
                Sign::AtLeast => value >= limit,
            };
        }
        let is = column.cell(row).is_some_and(|cell| cell == self.value);
        is == (self.sign == Sign::Equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    #[test]
    fn holes_that_stand_for_nothing_stay() {
        let hole = f64::NAN;
        let column = |name: &str, cells: &[f64]| Column::from_numbers(name, Kind::Real, cells);
        let sex = Column::from_words("sex", Kind::Binary, &[Some("m"), Some("f"), Some("f"), Some("m")]);
        let before = Table::new(vec![
            column("births", &[hole, hole, 2.0, 1.0]),
            sex.clone(),
            column("age", &[9.0, 12.0, 40.0, 50.0]),
        ])
        .unwrap();
        let full = Table::new(vec![
            column("births", &[1.5, 1.0, 2.0, 1.0]),
            sex,
            column("age", &[9.0, 12.0, 40.0, 50.0]),
        ])
        .unwrap();
        for (rule, left) in [
            ("births where sex = m", vec![0]),
            ("births where sex != m", vec![1]),
            ("births where age < 12", vec![0]),
            ("births where age <= 12", vec![0, 1]),
            ("births where age = 12", vec![1]),
            ("births where age >= 40", vec![]),
        ] {
            let mut table = full.clone();
            let (_, count) = Left::parse(rule, &before).unwrap().apply(&before, &mut table).unwrap();
            let open: Vec<usize> = (0..4).filter(|&row| !table.columns()[0].observed[row]).collect();
            assert_eq!((open, count), (left.clone(), left.len()), "{rule}");
        }
        for wrong in ["births", "births where sex", "births where sex < m", "brths where sex = m"] {
            assert!(Left::parse(wrong, &before).is_err(), "{wrong}");
        }
    }
}
