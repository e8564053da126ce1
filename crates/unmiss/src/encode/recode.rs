//! Rows of one translation as another translation of the same columns would have made them: models that were learned
//! apart, each with scales and levels of its own, answer for rows that were read once.

use super::column::{CategoryFeature, NumberFeature};
use super::features::{Encoded, Encoder};

impl Encoder {
    /// Rows that `from` has made, in this encoder's units and codes. A level that this encoder never saw is what it is
    /// in [`Encoder::encode`]: `other` if there is one, else a hole.
    ///
    /// Both are of the same columns in the same order, as encoders of some rows of one table are.
    pub fn recode(&self, from: &Self, rows: &Encoded) -> Encoded {
        let mut recoded = rows.clone();
        let scale = self.encoding.scale;
        let same = |own: &NumberFeature, theirs: &NumberFeature| {
            from.encoding.scale == scale && (own.center, own.width) == (theirs.center, theirs.width)
        };
        for (place, (own, theirs)) in self.numbers.iter().zip(&from.numbers).enumerate() {
            let cells = (0..rows.rows).map(|row| row * self.numbers.len() + place);
            for cell in cells.filter(|&cell| rows.numbers_observed[cell] && !same(own, theirs)) {
                let value = theirs.unscaled(from.encoding.scale, rows.numbers[cell]);
                recoded.numbers[cell] = own.scaled(scale, value);
            }
        }
        for (place, (own, theirs)) in self.categories.iter().zip(&from.categories).enumerate() {
            let codes = translated(own, theirs);
            let cells = (0..rows.rows).map(|row| row * self.categories.len() + place);
            for cell in cells.filter(|&cell| rows.codes_observed[cell]) {
                let code = codes.get(rows.codes[cell] as usize).copied().flatten();
                recoded.codes[cell] = code.unwrap_or(0);
                recoded.codes_observed[cell] = code.is_some();
            }
        }
        recoded
    }
}

/// Each code of `theirs` as a code of `own`: the levels, then `other`.
fn translated(own: &CategoryFeature, theirs: &CategoryFeature) -> Vec<Option<u32>> {
    let mut codes = own.translation(&theirs.levels);
    codes.push(own.has_other().then_some(own.levels.len() as u32));
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind, Table};
    use crate::encode::{Encoding, Scale};

    /// Numbers with an outlier and a hole, words with a level that only the last rows have.
    fn table() -> Table {
        let numbers: Vec<f64> = (0..40)
            .map(|row| match row {
                7 => f64::NAN,
                11 => 1e6,
                row => f64::from(row).sqrt(),
            })
            .collect();
        let words: Vec<Option<&str>> = (0..40)
            .map(|row| match row {
                3 => None,
                35.. => Some("late"),
                row => ["x", "y", "z"].get(row % 3).copied(),
            })
            .collect();
        Table::new(vec![
            Column::from_numbers("a", Kind::Real, &numbers),
            Column::from_words("c", Kind::Category, &words),
        ])
        .unwrap()
    }

    #[test]
    fn recoded_rows_are_those_that_the_encoder_makes_itself() {
        let (table, names) = (table(), ["a".to_owned(), "c".to_owned()]);
        let part = table.select(&(0..30).collect::<Vec<_>>());
        for scale in [Scale::Standard, Scale::MinMax, Scale::Robust] {
            for most_levels in [2, 255] {
                let encoding = Encoding { scale, most_levels };
                let all = Encoder::fit(&table, &names, Encoding { most_levels: 255, ..encoding }).unwrap();
                let own = Encoder::fit(&part, &names, encoding).unwrap();
                let direct = own.encode(&table, |_, _| {}).unwrap();
                let recoded = own.recode(&all, &all.encode(&table, |_, _| {}).unwrap());
                assert_eq!(recoded.codes, direct.codes, "{scale:?}");
                assert_eq!(recoded.codes_observed, direct.codes_observed);
                assert_eq!(recoded.numbers_observed, direct.numbers_observed);
                for (ours, theirs) in recoded.numbers.iter().zip(&direct.numbers) {
                    assert!(
                        (ours - theirs).abs() <= 2e-5 * (1.0 + theirs.abs()),
                        "{scale:?} {ours} {theirs}"
                    );
                }
            }
        }
    }
}
