//! Columns that follow from others by a formula, which stays true in every filled table, as
//! `bmi = weight / (height / 100)^2`.
//!
//! Such a column is no input of the imputer: it is computed from the filled ones. Where it is known and one of its
//! parts is not, the part is solved for, so that what is known stays and the formula holds all the same.

use crate::data::formula::{Arithmetic, Words};
use crate::data::{Kind, Table, Values};
use crate::error::{Error, Result};

/// How a formula is written.
const EXAMPLE: &str = "say for example --derive 'bmi = weight / (height / 100)^2'";
/// Steps towards a part that is solved for.
const STEPS: usize = 80;
/// A formula holds where both sides differ by less than this share.
const NEAR: f64 = 1e-6;

/// One formula.
pub struct Derived {
    /// The column that follows.
    pub column: String,
    text: String,
    formula: Arithmetic,
    /// The columns it is made of, each once.
    pub parts: Vec<String>,
}

/// In how many rows a formula does not hold after all.
#[derive(Debug, Clone, PartialEq)]
pub struct Broken {
    /// The formula.
    pub formula: String,
    /// Rows in which all was known and it did not hold.
    pub known: usize,
    /// Rows in which no value of the missing part makes it hold.
    pub unsolved: usize,
}

impl Broken {
    /// What is to be said, if anything.
    pub fn words(&self) -> Option<String> {
        let rows = |count: usize| if count == 1 { "1 row".to_owned() } else { format!("{count} rows") };
        match (self.known, self.unsolved) {
            (0, 0) => None,
            (known, 0) => Some(format!(
                "`{}` does not hold in {} of known values, which stay as they are",
                self.formula,
                rows(known)
            )),
            (known, unsolved) => Some(format!(
                "`{}` does not hold in {}: known values stay, and no filled one makes it true",
                self.formula,
                rows(known + unsolved)
            )),
        }
    }
}

impl Derived {
    /// Reads a formula over the columns of a table.
    ///
    /// # Errors
    /// When it can't be read, or names what is not a column of numbers.
    pub fn parse(text: &str, table: &Table) -> Result<Self> {
        let (column, right) = text.split_once('=').ok_or_else(|| {
            Error::setting("derive", format!("`{text}` is not of the form COLUMN = FORMULA"))
                .with_hint(EXAMPLE)
        })?;
        let column = column.trim().trim_matches('`').to_owned();
        let formula = Arithmetic::whole(&mut Words::new(right, table)?.like(EXAMPLE))?;
        let (mut named, mut parts) = (Vec::new(), Vec::<String>::new());
        formula.columns(&mut named);
        named.into_iter().for_each(|name| match parts.iter().any(|own| own == name) {
            true => {}
            false => parts.push(name.to_owned()),
        });
        if parts.contains(&column) {
            let what = format!("`{text}`: a column can't follow from itself");
            return Err(Error::setting("derive", what).with_hint(EXAMPLE));
        }
        for name in parts.iter().chain([&column]) {
            if !matches!(table.column(name)?.values, Values::Numbers(_)) {
                let what = format!("`{text}` computes with `{name}`, which does not hold numbers");
                return Err(Error::setting("derive", what).with_hint(format!(
                    "if it does, say --numeric '{name}'; two values alone are read as levels"
                )));
            }
        }
        Ok(Self { column, text: text.trim().to_owned(), formula, parts })
    }

    /// Makes the formula true in a filled table; `before` has the holes.
    ///
    /// # Errors
    /// When a column is not there.
    pub fn apply(&self, before: &Table, table: &mut Table) -> Result<Broken> {
        let positions: Vec<usize> =
            self.parts.iter().map(|name| table.position(name)).collect::<Result<_>>()?;
        let own = table.position(&self.column)?;
        let mut broken = Broken { formula: self.text.clone(), known: 0, unsolved: 0 };
        for row in 0..table.rows() {
            let cell = |position: usize| match &table.columns()[position].values {
                Values::Numbers(values) => values[row],
                _ => f64::NAN,
            };
            let mut values: Vec<f64> = positions.iter().map(|&position| cell(position)).collect();
            let open: Vec<usize> = (0..self.parts.len())
                .filter(|&part| !before.columns()[positions[part]].observed[row])
                .collect();
            let is_left = positions.iter().any(|&position| !table.columns()[position].observed[row]);
            match (before.columns()[own].observed[row], open.last()) {
                // A part stays a hole: nothing can be computed.
                _ if is_left => {}
                (false, _) => {
                    let value = self.value(&values);
                    if value.is_finite() {
                        put(table, own, row, value);
                    }
                }
                (true, None) => broken.known += usize::from(!near(self.value(&values), cell(own))),
                (true, Some(&part)) => match self.solve(&mut values, part, cell(own)) {
                    Some(value) => put(table, positions[part], row, value),
                    None => broken.unsolved += 1,
                },
            }
        }
        Ok(broken)
    }

    fn value(&self, values: &[f64]) -> f64 {
        let of = |name: &str| {
            let place = self.parts.iter().position(|own| own == name);
            place.map_or(f64::NAN, |place| values[place])
        };
        self.formula.value(&of)
    }

    /// The value of a part with which the formula comes to `goal`, by Newton's steps from the filled one.
    fn solve(&self, values: &mut [f64], part: usize, goal: f64) -> Option<f64> {
        for _ in 0..STEPS {
            let (at, distance) = (values[part], self.value(values) - goal);
            if distance.abs() <= 1e-12 * goal.abs().max(1e-300) {
                return Some(at);
            }
            let reach = 1e-6 * at.abs().max(1e-6);
            values[part] = at + reach;
            let slope = (self.value(values) - goal - distance) / reach;
            // Never further than half of itself at once: roots and logarithms end at 0.
            let step = (distance / slope).clamp(-0.5 * at.abs().max(1e-3), 0.5 * at.abs().max(1e-3));
            values[part] = at - step;
            if !values[part].is_finite() {
                return None;
            }
        }
        near(self.value(values), goal).then_some(values[part])
    }
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= NEAR * one.abs().max(other.abs()).max(1e-300)
}

fn put(table: &mut Table, position: usize, row: usize, value: f64) {
    let column = &mut table.columns_mut()[position];
    let value =
        if column.kind == Kind::Integer && column.numbers().is_some() { value.round() } else { value };
    if let Values::Numbers(values) = &mut column.values {
        values[row] = value;
        column.observed[row] = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;

    fn table(weight: &[f64], height: &[f64], bmi: &[f64]) -> Table {
        let columns = [("weight", weight), ("height", height), ("bmi", bmi)];
        Table::new(columns.map(|(name, cells)| Column::from_numbers(name, Kind::Real, cells)).to_vec())
            .unwrap()
    }

    #[test]
    fn a_formula_holds_in_every_row() {
        let hole = f64::NAN;
        let before = table(
            &[80.0, 60.0, hole, hole, 70.0],
            &[180.0, hole, 170.0, hole, 200.0],
            &[hole, 22.0, 25.0, 24.0, 99.0],
        );
        // What an imputer put into the holes of weight and height.
        let mut full = table(
            &[80.0, 60.0, 71.0, 66.0, 70.0],
            &[180.0, 168.0, 170.0, 171.0, 200.0],
            &[hole, 22.0, 25.0, 24.0, 99.0],
        );
        let derived = Derived::parse("bmi = weight / (height / 100)^2", &before).unwrap();
        let broken = derived.apply(&before, &mut full).unwrap();
        assert_eq!((broken.known, broken.unsolved), (1, 0), "the last row was wrong from the start");
        let cells = |name: &str| full.column(name).unwrap().numbers().unwrap().to_vec();
        let (weight, height, bmi) = (cells("weight"), cells("height"), cells("bmi"));
        for row in 0..4 {
            assert!(near(bmi[row], weight[row] / (height[row] / 100.0).powi(2)), "row {row}");
        }
        assert_eq!(
            (weight[0], weight[1], height[2], bmi[1], bmi[2]),
            (80.0, 60.0, 170.0, 22.0, 25.0),
            "known cells stay"
        );
        assert!((height[1] - 165.14).abs() < 0.01 && (weight[2] - 72.25).abs() < 1e-6);
        assert_eq!(weight[3], 66.0, "of two missing parts the last is solved for");
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        let table = table(&[1.0], &[1.0], &[1.0]);
        for (text, words) in [
            ("bmi", "is not of the form COLUMN = FORMULA"),
            ("bmi = bmi + 1", "can't follow from itself"),
            ("bmi = wieght", "no such column"),
            ("bmi = weight +", "the formula"),
        ] {
            let error = Derived::parse(text, &table).err().unwrap().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
