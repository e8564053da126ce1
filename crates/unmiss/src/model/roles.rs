//! Which column plays which part, and which columns can be inputs at all.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::{Column, Data, DateOrder, Shape};
use crate::encode::{ClassWeights, Encoding, Made, TargetEncoder, target::TaskKind};
use crate::error::{Act, Error, Result};

/// What the user says about the columns of a training table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Roles {
    /// The column to predict.
    pub target: String,
    /// Columns carried over to the predictions, never used as inputs.
    pub id: Vec<String>,
    /// Columns left out.
    pub ignore: Vec<String>,
    /// A column of row weights.
    pub weight: Option<String>,
    /// How classes weigh.
    pub class_weights: ClassWeights,
    /// Regression or classification, where the guess is not wanted.
    pub task: Option<TaskKind>,
    /// Of two classes the one whose chance is told; none: what [`TargetEncoder::fit_about`] makes of the words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// What comes first in dates that end with the year, where their column does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dates: Option<DateOrder>,
    /// Categories that have an order, with their levels from the least to the most.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ordered: BTreeMap<String, Vec<String>>,
}

/// The input columns of a table, and in words which were left out and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs {
    /// Names of the input columns, in the table's order.
    pub names: Vec<String>,
    /// Columns of which inputs are made.
    pub made: Vec<Made>,
    /// One sentence for each column that can't be used.
    pub notes: Vec<String>,
}

impl Roles {
    /// Roles with only a target.
    pub fn target(name: impl Into<String>) -> Self {
        Self { target: name.into(), ..Self::default() }
    }

    /// The rows whose target is known, with the columns that have a part in learning and no others.
    ///
    /// # Errors
    /// When a named column is absent, one column has two parts, or the target is missing in every row.
    pub fn labelled(&self, data: &Data) -> Result<Data> {
        let taken = self.taken();
        // What changes over time can be left out, and have no other part.
        let varies =
            |name: &str| data.series().is_ok_and(|series| series.variables().iter().any(|own| own == name));
        let left_out = |name: &str| self.ignore.iter().any(|own| own == name) && varies(name);
        for (index, name) in taken.iter().enumerate() {
            if !left_out(name) {
                data.column(name)?;
            }
            if taken[..index].contains(name) {
                return Err(
                    Error::data(format!("column `{name}` is given two roles")).with_hint(Act::OneRole)
                );
            }
        }
        let observed = &data.column(&self.target)?.observed;
        let rows: Vec<usize> = (0..data.rows()).filter(|&row| observed[row]).collect();
        if rows.is_empty() {
            return Err(Error::data(format!("the target `{}` is missing in every row", self.target))
                .with_hint("learning needs rows whose target is known"));
        }
        let out = |name: &str| self.id.iter().chain(&self.ignore).any(|other| other == name);
        let part = data.part(&rows, |column| !out(&column.name))?;
        match part.series() {
            Ok(series) if series.variables().iter().any(|name| out(name)) => {
                let names: Vec<String> =
                    series.variables().iter().filter(|name| !out(name)).cloned().collect();
                Ok(series.with_variables(&names).into())
            }
            _ => Ok(part),
        }
    }

    /// The columns to predict from: all that have no other part and can tell the given rows apart. Data that are no
    /// table are predicted from as a whole.
    ///
    /// # Errors
    /// When nothing is left.
    pub fn inputs(&self, labelled: &Data) -> Result<Inputs> {
        let taken = self.taken();
        let mut inputs = Inputs { names: Vec::new(), made: Vec::new(), notes: Vec::new() };
        for name in self.ordered.keys() {
            labelled.column(name)?;
        }
        for column in labelled.columns().iter().filter(|column| !taken.contains(&column.name.as_str())) {
            let order = self.ordered.get(&column.name);
            let made = match order.map(|order| Made::rank(column, order)) {
                Some(made) => Some(made?),
                None if labelled.shape() == Shape::Table => Made::with(column, self.dates),
                None => None,
            };
            if let Some(made) = made {
                inputs.notes.push(made.words());
                inputs.made.push(made);
                continue;
            }
            match reason_to_leave_out(column) {
                Some(reason) => inputs.notes.push(format!("column `{}` is left out: {reason}", column.name)),
                None => {
                    inputs.notes.extend(many_levels(column));
                    inputs.names.push(column.name.clone());
                }
            }
        }
        if inputs.names.is_empty() && inputs.made.is_empty() && labelled.shape() == Shape::Table {
            return Err(Error::data("there is no column left to predict from")
                .with_hint("inputs need numbers or categories with at least two different values"));
        }
        Ok(inputs)
    }

    /// Learns the target's task, classes and scale from rows in which it is known.
    ///
    /// # Errors
    /// When it can't be predicted, or the event is none of two classes.
    pub fn target_of(&self, labelled: &Data) -> Result<TargetEncoder> {
        TargetEncoder::fit_about(labelled, &self.target, self.task, self.event.as_deref())
    }

    /// Columns that have a part of their own.
    fn taken(&self) -> Vec<&str> {
        let others = self.id.iter().chain(&self.ignore).chain(&self.weight);
        std::iter::once(&self.target).chain(others).map(String::as_str).collect()
    }
}

fn reason_to_leave_out(column: &Column) -> Option<&'static str> {
    if !column.is_usable() {
        return Some(match column.kind {
            crate::data::Kind::Date => "it holds dates that are all the same, or can't be read",
            _ => "it holds a key of each row (read as a category, its values can be used)",
        });
    }
    if column.missing() == column.rows() {
        return Some("it is empty");
    }
    // A column of one value still tells rows apart by where it is missing.
    (column.missing() == 0 && has_one_value(column)).then_some("it has the same value in every row")
}

/// What becomes of a category with more levels than are kept apart.
fn many_levels(column: &Column) -> Option<String> {
    let (levels, most) = (column.codes()?.1.len(), Encoding::default().most_levels);
    (levels > most).then(|| {
        let name = &column.name;
        format!("column `{name}` has {levels} different words: the {most} most frequent are kept apart, the rest is one")
    })
}

fn has_one_value(column: &Column) -> bool {
    let first = column.observed.iter().position(|observed| *observed);
    let same = |row: usize, first: usize| match &column.values {
        crate::data::Values::Numbers(values) => values[row] == values[first],
        crate::data::Values::Codes { codes, .. } => codes[row] == codes[first],
        crate::data::Values::Texts(values) => values[row] == values[first],
    };
    first.is_none_or(|first| (first..column.rows()).all(|row| !column.observed[row] || same(row, first)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Kind, Table, Values};

    fn table() -> Data {
        let text = Values::Texts(vec!["a b".into(), "c d".into()]);
        Table::new(vec![
            Column::from_numbers("age", Kind::Integer, &[1.0, 2.0]),
            Column::from_numbers("same", Kind::Real, &[1.5, 1.5]),
            Column::from_numbers("same, with a hole", Kind::Real, &[1.5, f64::NAN]),
            Column::from_numbers("empty", Kind::Real, &[f64::NAN, f64::NAN]),
            Column { name: "name".into(), kind: Kind::Text, values: text, observed: vec![true; 2] },
            Column::from_numbers("died", Kind::Integer, &[0.0, 1.0]),
        ])
        .unwrap()
        .into()
    }

    #[test]
    fn columns_that_tell_nothing_are_left_out_in_words() {
        let inputs = Roles::target("died").inputs(&table()).unwrap();
        assert_eq!(inputs.names, ["age", "same, with a hole"]);
        assert_eq!(inputs.notes.len(), 3);
        assert!(inputs.notes[1].contains("`empty` is left out: it is empty"), "{:?}", inputs.notes);
    }

    #[test]
    fn levels_that_are_not_kept_apart_are_told() {
        let words: Vec<String> = (0..600).map(|row| format!("w{}", row % 300)).collect();
        let words: Vec<Option<&str>> = words.iter().map(|word| Some(word.as_str())).collect();
        let died: Vec<f64> = (0..600).map(|row| f64::from(row % 2)).collect();
        let columns = vec![
            Column::from_words("ward", Kind::Category, &words),
            Column::from_numbers("died", Kind::Integer, &died),
        ];
        let data = Data::from(Table::new(columns).unwrap());
        let inputs = Roles::target("died").inputs(&data).unwrap();
        assert!(inputs.notes[0].contains("300 different words: the 255 most frequent"), "{:?}", inputs.notes);
    }

    #[test]
    fn only_rows_with_a_target_count() {
        let words = |words: [&'static str; 3]| words.map(|word| Some(word).filter(|word| !word.is_empty()));
        let data = Data::from(
            Table::new(vec![
                Column::from_numbers("age", Kind::Integer, &[1.0, 2.0, 3.0]),
                Column::from_words("unheard", Kind::Category, &words(["", "", "x"])),
                Column::from_words("same", Kind::Category, &words(["x", "x", "y"])),
                Column::from_words("same, with a hole", Kind::Category, &words(["x", "", "y"])),
                Column::from_numbers("died", Kind::Integer, &[0.0, 1.0, f64::NAN]),
            ])
            .unwrap(),
        );
        let roles = Roles::target("died");
        let inputs = roles.inputs(&roles.labelled(&data).unwrap()).unwrap();
        assert_eq!(inputs.names, ["age", "same, with a hole"]);
        assert!(inputs.notes[0].contains("`unheard` is left out: it is empty"), "{:?}", inputs.notes);
    }

    #[test]
    fn a_column_has_one_role() {
        let roles = Roles { id: vec!["died".into()], ..Roles::target("died") };
        assert!(roles.labelled(&table()).unwrap_err().to_string().contains("two roles"));
    }
}
