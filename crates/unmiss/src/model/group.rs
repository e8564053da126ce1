//! Rows that belong together: patients of a clinic, pupils of a school. What is known of a row's group tells about the
//! row.
//!
//! For every column of numbers the mean of the row's group becomes a further input of the imputer, so that columns
//! relate within groups (the row's own value) and between them (the mean) as they do in the data. A group with few
//! known cells is drawn to the mean of all,
//!
//! ```text
//! m_j = m + λ_j (x̄_j - m),   λ_j = τ² / (τ² + σ² / n_j)
//! ```
//!
//! with σ² the variance within and τ² that between groups, by their mean squares. Means are taken as known: with a
//! handful of rows in each group, draws are a little too sure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::{Column, Kind, Table};
use crate::error::{Error, Result};

/// The means of groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Groups {
    /// The column that tells the group.
    pub column: String,
    /// The columns whose means are kept.
    names: Vec<String>,
    /// The means of all rows, for rows of a group that was never seen.
    overall: Vec<f64>,
    /// The means of each group.
    means: BTreeMap<String, Vec<f64>>,
}

impl Groups {
    /// Learns the means of all columns of numbers but those left out.
    ///
    /// # Errors
    /// When the column is not there, has holes, or tells no two rows together.
    pub fn learn(table: &Table, column: &str, left_out: &[String]) -> Result<Self> {
        let own = table.column(column)?;
        if own.missing() > 0 {
            let what =
                format!("`{column}` has {} holes: a row without a group can't be placed", own.missing());
            return Err(Error::setting("group", what).with_hint("fill or drop these rows first"));
        }
        let keys: Vec<String> = (0..table.rows()).map(|row| own.cell(row).unwrap_or_default()).collect();
        let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        keys.iter().enumerate().for_each(|(row, key)| groups.entry(key.clone()).or_default().push(row));
        if groups.len() < 2 || groups.len() == table.rows() {
            let what = format!("`{column}` tells {} groups in {} rows", groups.len(), table.rows());
            return Err(
                Error::setting("group", what).with_hint("name a column that several rows share, as a clinic")
            );
        }
        let is_number = |column: &&Column| matches!(column.kind, Kind::Real | Kind::Integer);
        let mut learned = Self {
            column: column.to_owned(),
            names: Vec::new(),
            overall: Vec::new(),
            means: BTreeMap::new(),
        };
        learned.means = groups.keys().map(|key| (key.clone(), Vec::new())).collect();
        for number in table.columns().iter().filter(is_number) {
            let wanted = number.name != column && !left_out.contains(&number.name);
            if let Some((overall, means)) = wanted.then(|| shrunken(number, groups.values())).flatten() {
                learned.names.push(number.name.clone());
                learned.overall.push(overall);
                learned.means.values_mut().zip(means).for_each(|(all, mean)| all.push(mean));
            }
        }
        Ok(learned)
    }

    /// The columns that are added.
    pub fn inputs(&self) -> Vec<String> {
        self.names.iter().map(|name| format!("{name} by {}", self.column)).collect()
    }

    /// The table with the means of each row's group.
    ///
    /// # Errors
    /// When the column that tells the group is not there.
    pub fn extended(&self, table: &Table) -> Result<Table> {
        let own = table.column(&self.column)?;
        let of = |row: usize| {
            let key = own.observed[row].then(|| own.cell(row)).flatten();
            key.and_then(|key| self.means.get(&key)).unwrap_or(&self.overall)
        };
        let mut columns = table.columns().to_vec();
        for (place, name) in self.inputs().into_iter().enumerate() {
            let cells: Vec<f64> = (0..table.rows()).map(|row| of(row)[place]).collect();
            columns.push(Column::from_numbers(name, Kind::Real, &cells));
        }
        Table::new(columns)
    }

    /// The table without the columns that were added.
    ///
    /// # Errors
    /// Never: what is left has the length it had.
    pub fn taken_off(&self, table: &Table) -> Result<Table> {
        let added = self.inputs();
        Table::new(table.columns().iter().filter(|column| !added.contains(&column.name)).cloned().collect())
    }
}

/// The mean of a column and that of each group, drawn to it; none where groups do not differ or nothing is known.
fn shrunken<'a>(column: &Column, groups: impl Iterator<Item = &'a Vec<usize>>) -> Option<(f64, Vec<f64>)> {
    let values = column.numbers()?;
    let known = |rows: &Vec<usize>| -> Vec<f64> {
        rows.iter().filter(|row| column.observed[**row]).map(|&row| values[row]).collect()
    };
    let cells: Vec<Vec<f64>> = groups.map(known).collect();
    let mean = |own: &[f64]| own.iter().sum::<f64>() / own.len().max(1) as f64;
    let all: Vec<f64> = cells.iter().flatten().copied().collect();
    let (total, filled) = (all.len() as f64, cells.iter().filter(|own| !own.is_empty()).count() as f64);
    if total <= filled || filled < 2.0 {
        return None;
    }
    let overall = mean(&all);
    let squares = |own: &Vec<f64>| {
        let middle = mean(own);
        own.iter().map(|value| (value - middle).powi(2)).sum::<f64>()
    };
    let within = cells.iter().map(squares).sum::<f64>() / (total - filled);
    let between = cells.iter().map(|own| own.len() as f64 * (mean(own) - overall).powi(2));
    let between = cells.iter().zip(between).filter(|(own, _)| !own.is_empty()).map(|(_, b)| b).sum::<f64>()
        / (filled - 1.0);
    // The mean size of groups that differ in size (Snedecor and Cochran).
    let size =
        (total - cells.iter().map(|own| (own.len() as f64).powi(2)).sum::<f64>() / total) / (filled - 1.0);
    let variance = ((between - within) / size.max(1.0)).max(0.0);
    if variance <= 0.0 {
        return None;
    }
    let shrunk = |own: &Vec<f64>| match own.len() {
        0 => overall,
        n => overall + variance / (variance + within / n as f64) * (mean(own) - overall),
    };
    Some((overall, cells.iter().map(shrunk).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn means_of_groups_are_drawn_to_the_mean_of_all() {
        let mut stream = Stream::new(1, "groups", 0, 0);
        let (mut clinics, mut values) = (Vec::new(), Vec::new());
        for row in 0..400 {
            let clinic = row % 20;
            clinics.push(format!("c{clinic:02}"));
            values.push(10.0 + f64::from(clinic) + stream.normal() * 3.0);
        }
        let words: Vec<Option<&str>> = clinics.iter().map(|clinic| Some(clinic.as_str())).collect();
        let flat: Vec<f64> = (0..400).map(|row| f64::from(row % 7)).collect();
        let table = Table::new(vec![
            Column::from_words("clinic", Kind::Category, &words),
            Column::from_numbers("x", Kind::Real, &values),
            Column::from_numbers("flat", Kind::Integer, &flat),
        ])
        .unwrap();
        let groups = Groups::learn(&table, "clinic", &[]).unwrap();
        assert_eq!(groups.inputs(), ["x by clinic"], "a column whose groups do not differ needs no mean");
        let extended = groups.extended(&table).unwrap();
        let means = extended.column("x by clinic").unwrap().numbers().unwrap().to_vec();
        // σ² / n = .45 against τ² = 35: hardly drawn at all.
        assert!(
            (means[0] - 10.0).abs() < 2.0 && (means[19] - 29.0).abs() < 2.0,
            "{} {}",
            means[0],
            means[19]
        );
        assert_eq!(groups.taken_off(&extended).unwrap().columns().len(), 3);
        assert!(Groups::learn(&table, "x", &[]).is_err() && Groups::learn(&table, "clnic", &[]).is_err());
    }
}
