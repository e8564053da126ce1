//! Filling a variable of a series from its own known values before and after: what the rules for that share.
//!
//! A rule guesses the value at a time from the known ones. How far it errs is measured on the training series, every
//! known value being guessed from the others of its series, and a draw is the guess with one of these errors.

use serde_json::{Value, json};

use crate::encode::{Rows, SeriesCoder, SeriesRows};
use crate::error::{Error, Result};
use crate::methods::{Draw, Imputer, Layout, Learned};
use crate::rng::Stream;
use crate::store::Arrays;

/// Errors kept of a variable, from which draws are taken.
const KEPT: usize = 1000;

/// How a value is guessed from known (time, standardised value) of the same variable and series, in the order of time;
/// there is at least one.
pub(super) type Rule = fn(&[(f64, f64)], f64) -> f64;

/// A rule and how far it errs.
pub(super) struct OverTime {
    rule: Rule,
    /// By variable: errors of guesses from the other values of the series.
    errors: Vec<Vec<f32>>,
    /// By variable: known values, for series that have none of it; the guess is their mean, 0.
    values: Vec<Vec<f32>>,
}

impl OverTime {
    /// Measures a rule on series.
    pub fn fit(rule: Rule, coder: &SeriesCoder, rows: &SeriesRows, seed: u64) -> Self {
        let mut fitted = Self { rule, errors: Vec::new(), values: Vec::new() };
        for variable in 0..coder.variables.len() {
            let (mut errors, mut values) = (Vec::new(), Vec::new());
            for row in 0..rows.len() {
                let mut known = known_of(rows, row, variable);
                values.extend(known.iter().map(|(_, value)| *value as f32));
                let others = if known.len() > 1 { known.len() } else { 0 };
                for place in 0..others {
                    let (time, truth) = known.remove(place);
                    errors.push((truth - rule(&known, time)) as f32);
                    known.insert(place, (time, truth));
                }
            }
            let kept = |mut all: Vec<f32>, purpose: &str| {
                Stream::new(seed, purpose, variable as u64, 0).shuffle(&mut all);
                all.truncate(KEPT);
                all
            };
            fitted.errors.push(kept(errors, "kept errors"));
            fitted.values.push(kept(values, "kept values"));
        }
        fitted
    }

    /// Puts it together again from a file's arrays.
    ///
    /// # Errors
    /// When arrays are missing or hold no numbers.
    pub fn load(rule: Rule, layout: Layout<'_>, arrays: &Arrays) -> Result<Self> {
        let of = |what: &str, variable: usize| {
            let name = format!("{what} {variable}");
            let length = arrays.shape(&name).and_then(|shape| shape.first().copied()).unwrap_or(0);
            let kept = arrays.singles(&name, &[length])?.to_vec();
            let sound = kept.iter().all(|number| number.is_finite());
            if sound { Ok(kept) } else { Err(Error::damaged(format!("array `{name}` has no numbers"))) }
        };
        let variables = layout.series()?.variables.len();
        // A file without any array would otherwise do for series without variables.
        arrays.singles("variables", &[1])?;
        let all = |what: &str| (0..variables).map(|variable| of(what, variable)).collect::<Result<Vec<_>>>();
        Ok(Self { rule, errors: all("errors")?, values: all("values")? })
    }

    /// Every cell of a series.
    fn guesses(&self, rows: &SeriesRows, row: usize, draw: Option<Draw>) -> Vec<f64> {
        let (times, width) = (rows.series().times(row), self.errors.len());
        let mut filled = vec![0.0; times.len() * width];
        let mut stream = draw.map(|draw| draw.stream("over time", row));
        for variable in 0..width {
            let known = known_of(rows, row, variable);
            let mut places = known.iter().peekable();
            for (step, time) in times.iter().enumerate() {
                let cell = &mut filled[step * width + variable];
                if places.next_if(|(own, _)| own == time).is_some() {
                    continue; // A known one stays, and its place takes nothing from the stream.
                }
                let errors = if known.is_empty() { &self.values[variable] } else { &self.errors[variable] };
                *cell = if known.is_empty() { 0.0 } else { (self.rule)(&known, *time) };
                if let Some(stream) = stream.as_mut().filter(|_| !errors.is_empty()) {
                    *cell += f64::from(errors[stream.below(errors.len())]);
                }
            }
        }
        filled
    }
}

/// The known (time, standardised value) of a variable of a series.
pub(super) fn known_of(rows: &SeriesRows, row: usize, variable: usize) -> Vec<(f64, f64)> {
    let scale = &rows.coder().variables[variable];
    rows.series().known(row, variable).map(|(_, time, value)| (time, scale.scaled(value))).collect()
}

impl Learned for OverTime {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        arrays.put_singles("variables", &[1], vec![self.errors.len() as f32]);
        for (variable, (errors, values)) in self.errors.iter().zip(&self.values).enumerate() {
            arrays.put_singles(format!("errors {variable}"), &[errors.len()], errors.clone());
            arrays.put_singles(format!("values {variable}"), &[values.len()], values.clone());
        }
        arrays
    }

    fn summary(&self) -> Value {
        json!({})
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for OverTime {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        rows.series_mut()?.fill_each(|row, rows| self.guesses(rows, row, draw));
        Ok(())
    }
}
