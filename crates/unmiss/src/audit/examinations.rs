//! Series under audit: what is hidden is single values, so that what is asked is whether the answer drifts with the
//! number of examinations.

use super::subject::{Cases, Subject};
use crate::data::Data;
use crate::encode::{Rows, SeriesRows};
use crate::error::Result;
use crate::model::Predicting;
use crate::run::Run;

/// A model of series, asked about series of which some values were hidden. The inputs of a series are its known values,
/// counted from 0.
pub(super) struct Examinations<'a> {
    model: Predicting<'a>,
    rows: SeriesRows,
    /// Known values of the series that has most.
    pub most: usize,
    run: &'a Run,
}

impl<'a> Examinations<'a> {
    pub fn new(model: Predicting<'a>, data: &Data, run: &'a Run) -> Result<Self> {
        let rows = model.coder.encode(data, |_, _| {})?.series()?.clone();
        let most = (0..rows.len()).map(|row| rows.series().known_values(row)).max().unwrap_or(0);
        Ok(Self { model, rows, most, run })
    }
}

impl Subject for Examinations<'_> {
    fn most_cases(&self) -> usize {
        1024
    }

    fn known(&self, row: usize) -> Vec<usize> {
        (0..self.rows.series().known_values(row)).collect()
    }

    fn answer(&self, cases: &Cases) -> Result<Vec<f64>> {
        let width = self.rows.coder().variables.len();
        let mut rows = self.rows.select(&cases.rows);
        for case in 0..cases.rows.len() {
            let known = rows.series().observed(case).iter().enumerate().filter(|(_, known)| **known);
            let places: Vec<usize> = known.map(|(cell, _)| cell).collect();
            for (value, cell) in places.into_iter().enumerate() {
                if !cases.observed[case * self.most + value] {
                    rows.hide_value(case, cell / width, cell % width);
                }
            }
        }
        self.run.compute(|| self.model.predict_rows(&Rows::Series(rows)))
    }
}
