//! Series in a model's units: standardised values made batch by batch, times in units of the usual distance of steps.

mod written;

use std::borrow::Cow;
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::column::{decimals, places};
use super::features::{Encoded, Encoder, Encoding};
use crate::data::series::{Clock, Form, Parts, Series};
use crate::data::{Column, Kind, LARGEST, Table};
use crate::error::{Error, Result};
use crate::rng::mix;

pub use written::KnownValues;

/// Series of a probe.
const PROBED: usize = 6;
/// Series that are filled before they are written back.
const FILLED_AT_ONCE: usize = 512;
/// A standardised value is no farther out than this.
const FARTHEST: f64 = 30.0;

/// What is learned of one variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The mean of its known values.
    pub mean: f64,
    /// Their standard deviation; 1 where they are all the same.
    pub deviation: f64,
    /// The smallest known value.
    pub low: f64,
    /// The largest known value.
    pub high: f64,
    /// How many values are known; of a variable of which none is, nothing can be said.
    pub known: usize,
    /// Series that do not have any.
    pub missing: usize,
    /// Between which values filled ones lie, where not between the known ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<(f64, f64)>,
    /// Places behind the point that filled values are given with; none of what was learned before they were rounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<u8>,
}

/// The fitted translation of series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesCoder {
    /// How times are written.
    pub clock: Clock,
    /// The columns that training series were read from.
    pub form: Form,
    /// The width of the bins that times are put in, if they are.
    pub step: Option<f64>,
    /// How long after its start each series was cut off, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<f64>,
    /// The usual distance between two steps: the unit of time of a model.
    pub gap: f64,
    /// Steps of the longest series.
    pub longest: usize,
    /// What is measured.
    pub variables: Vec<Variable>,
    /// What does not change over time, if any of it is an input.
    pub statics: Option<Encoder>,
}

/// Series as a method sees them. Clones share the values until one is changed.
#[derive(Debug, Clone)]
pub struct SeriesRows {
    series: Arc<Series>,
    coder: Arc<SeriesCoder>,
}

/// Some series in a model's units, all as long as the longest of them: behind its end nothing of a series is known.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesBatch {
    /// Steps of each series.
    pub lengths: Vec<usize>,
    /// Steps of the longest, `T`.
    pub steps: usize,
    /// Variables, `D`.
    pub variables: usize,
    /// `[rows, T, D]`: standardised; 0 where not known.
    pub values: Vec<f32>,
    /// `[rows, T, D]`: 1 where known, else 0.
    pub observed: Vec<f32>,
    /// `[rows, T]`: time since the start of the series (0, or its first step where times are dates), in usual gaps.
    pub times: Vec<f32>,
    /// `[rows, T, D]`: time since the variable was last seen before this step, or since the series' first step.
    pub since: Vec<f32>,
    /// What does not change over time, as rows of a table; without columns where there is none.
    pub statics: Encoded,
}

impl SeriesCoder {
    /// Learns scales from what is known, and the translation of the named columns that do not change over time.
    ///
    /// # Errors
    /// When there is nothing known to learn from.
    pub fn fit(series: &Series, statics: &[String], encoding: Encoding) -> Result<Self> {
        let variable = |place: usize| learned(series, place);
        let variables: Vec<Variable> = (0..series.variables().len()).map(variable).collect();
        if variables.iter().all(|variable| variable.known == 0) && statics.is_empty() {
            return Err(Error::data("there is no series with a known value to learn from"));
        }
        let statics =
            if statics.is_empty() { None } else { Some(Encoder::fit(series.statics(), statics, encoding)?) };
        Ok(Self {
            clock: series.clock,
            form: series.form.clone(),
            step: series.step,
            after: series.after,
            gap: series.usual_gap(),
            longest: (0..series.len()).map(|one| series.times(one).len()).max().unwrap_or(0),
            variables,
            statics,
        })
    }

    /// Series in these units. Variables may stand in any order; one that is absent is empty, as is a column of what
    /// does not change, and `unseen` is told of those that training never saw, which are left out.
    ///
    /// # Errors
    /// When times are written in another way or in other bins.
    pub fn encode(&self, series: &Arc<Series>, mut unseen: impl FnMut(&str, &str)) -> Result<SeriesRows> {
        let series = match self.regular(series)? {
            Cow::Borrowed(_) => Arc::clone(series),
            Cow::Owned(binned) => Arc::new(binned),
        };
        let names: Vec<String> = self.variables.iter().map(|variable| variable.name.clone()).collect();
        for other in series.variables().iter().filter(|name| !names.contains(name)) {
            unseen("variable", other);
        }
        let series = self.with_statics(series)?;
        if let Some(encoder) = &self.statics {
            encoder.encode(series.statics(), &mut unseen)?;
        }
        let series =
            if series.variables() == names { series } else { Arc::new(series.with_variables(&names)) };
        Ok(SeriesRows { series, coder: Arc::new(self.clone()) })
    }

    /// The series with the columns that do not change as the translation wants them: an absent one is empty, and of a
    /// few series numbers may have been taken for classes, or the other way round.
    fn with_statics(&self, series: Arc<Series>) -> Result<Arc<Series>> {
        let Some(encoder) = &self.statics else { return Ok(series) };
        let found = |name: &str| series.statics().columns().iter().find(|column| column.name == name);
        let words = |name: &str| match found(name) {
            Some(column) => (0..series.len()).map(|row| column.cell(row)).collect(),
            None => vec![None; series.len()],
        };
        let mut columns = Vec::new();
        for feature in &encoder.numbers {
            if found(&feature.name).is_some_and(|column| column.numbers().is_some()) {
                continue;
            }
            let number =
                |word: &Option<String>| word.as_ref().map_or(Some(f64::NAN), |word| word.parse().ok());
            if let Some(numbers) = words(&feature.name).iter().map(number).collect::<Option<Vec<f64>>>() {
                columns.push(Column::from_numbers(&feature.name, Kind::Real, &numbers));
            }
        }
        for feature in &encoder.categories {
            if found(&feature.name).is_none_or(|column| column.codes().is_none()) {
                columns.push(Column::from_words(&feature.name, feature.kind, &words(&feature.name)));
            }
        }
        if columns.is_empty() { Ok(series) } else { Ok(Arc::new(series.with_other_statics(columns)?)) }
    }

    /// The series in the bins that the model learned with, if it did.
    fn regular<'a>(&self, series: &'a Series) -> Result<Cow<'a, Series>> {
        let (then, now) = (self.clock.name(), series.clock.name());
        if then != now {
            return Err(Error::data(format!(
                "times were {then} when the model was learned and are {now} now"
            )));
        }
        if series.clock != self.clock {
            // Numbers, which the model counts from elsewhere.
            let binned = "their bins count from elsewhere than those that the model learned from";
            if series.step.is_some() {
                return Err(Error::data(binned).with_hint("give it the series as they are"));
            }
            let mut series = series.clone();
            series.clock = self.clock;
            return self.regular(&series).map(|own| Cow::Owned(own.into_owned()));
        }
        match (self.step, series.step) {
            (Some(own), None) => Ok(Cow::Owned(series.binned(own)?)),
            (own, other) if own == other => Ok(Cow::Borrowed(series)),
            (own, Some(other)) => {
                let words = |step: f64| self.clock.words(step);
                let own =
                    own.map_or("no steps of one width".into(), |own| format!("steps of {}", words(own)));
                let what =
                    format!("the model learned from {own}, and these series have steps of {}", words(other));
                Err(Error::data(what).with_hint("give it the series as they are"))
            }
            (None, None) => Ok(Cow::Borrowed(series)),
        }
    }

    /// Series with their holes filled from rows of the same series that an imputer has filled. What the model never
    /// saw stays a hole.
    ///
    /// # Errors
    /// When the rows are of other series.
    pub fn decode(&self, series: &Series, rows: &SeriesRows) -> Result<Series> {
        let mut full = self.regular(series)?.into_owned();
        if full.all_steps() != rows.series.all_steps() || full.len() != rows.len() {
            return Err(Error::data("the filled rows are of other series"));
        }
        let place = |name: &String| self.variables.iter().position(|variable| variable.name == *name);
        let places: Vec<Option<usize>> = full.variables().iter().map(place).collect();
        let filled = |place: usize| self.variables[place].known > 0;
        for one in 0..full.len() {
            let values = rows.series.values(one);
            for step in 0..rows.series.times(one).len() {
                for (variable, place) in places.iter().enumerate() {
                    if let Some(place) = place.filter(|place| filled(*place)) {
                        let value = values[step * self.variables.len() + place];
                        full.fill(one, step, variable, self.variables[place].rounded(value));
                    }
                }
            }
        }
        Ok(full.whole(|variable| places[variable].is_some_and(filled)))
    }

    /// The names of the inputs: variables, then columns that do not change.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let statics = self.statics.iter().flat_map(|encoder| encoder.names());
        self.variables.iter().map(|variable| variable.name.as_str()).chain(statics)
    }

    /// In how many training series nothing was known of each input.
    pub fn missing(&self) -> Vec<usize> {
        let statics = self.statics.iter().flat_map(|encoder| {
            let numbers = encoder.numbers.iter().map(|feature| feature.missing);
            numbers.chain(encoder.categories.iter().map(|feature| feature.missing))
        });
        self.variables.iter().map(|variable| variable.missing).chain(statics).collect()
    }

    /// A few series over the range of values: one of which nothing is known, one of a single step, others with holes.
    pub fn probe(&self) -> Result<SeriesRows> {
        let mut parts = Parts {
            clock: self.clock,
            step: self.step,
            variables: self.variables.iter().map(|variable| variable.name.clone()).collect(),
            ..Parts::default()
        };
        for one in 0..PROBED {
            let length = [1, 0, 2, 3, 5, 8][one].min(self.longest.max(1));
            parts.ids.push(one.to_string());
            parts.lengths.push(length);
            for step in 0..length {
                parts.times.push(step as f64 * self.gap);
                for (place, variable) in self.variables.iter().enumerate() {
                    let share = ((3 * one + 5 * step + place) % 7) as f64 / 6.0;
                    parts.values.push(variable.low + share * (variable.high - variable.low));
                    parts.observed.push(variable.known > 0 && !(one + step + 2 * place).is_multiple_of(3));
                }
            }
        }
        if let Some(encoder) = &self.statics {
            parts.statics = encoder.probe_table(PROBED);
        }
        self.encode(&Arc::new(Series::new(parts)?), |_, _| {})
    }

    /// Sets between which values filled ones may lie.
    pub(super) fn set_limits(&mut self, of: impl Fn(&str) -> Option<(f64, f64)>) {
        self.variables.iter_mut().for_each(|variable| variable.limits = of(&variable.name));
    }

    /// Refuses a translation from a file that can't be what was written.
    pub(super) fn checked(self) -> Result<Self> {
        let variable = |own: &Variable| {
            let numbers = [own.mean, own.deviation, own.low, own.high];
            numbers.iter().all(|number| number.is_finite()) && own.deviation > 0.0 && own.low <= own.high
        };
        let positive = |number: f64| number > 0.0 && number.is_finite();
        if !self.variables.iter().all(variable) || !positive(self.gap) || !self.step.is_none_or(positive) {
            return Err(Error::damaged("its header contradicts itself: the scale of a variable or of time"));
        }
        self.statics.as_ref().map_or(Ok(()), Encoder::check)?;
        Ok(self)
    }
}

impl Variable {
    /// A value in a model's units.
    pub fn scaled(&self, value: f64) -> f64 {
        ((value - self.mean) / self.deviation).clamp(-FARTHEST, FARTHEST)
    }

    /// A model's value in the user's units, between the values that are allowed. A forecast may leave the range of the
    /// known ones, as what grows goes on growing; limits that were told hold for it as well.
    pub fn unscaled(&self, scaled: f64, forecast: bool) -> f64 {
        let range = if forecast { (-LARGEST, LARGEST) } else { (self.low, self.high) };
        let (low, high) = self.limits.unwrap_or(range);
        (self.mean + self.deviation * scaled).clamp(low, high)
    }

    /// A filled value with the places that known ones have, as in a table, and where it was allowed to be.
    fn rounded(&self, value: f64) -> f64 {
        let Some(places) = self.places else { return value };
        let unit = 10_f64.powi(i32::from(places));
        let (low, high) = self.limits.unwrap_or((self.low.min(value), self.high.max(value)));
        let rounded = (value * unit).round() / unit;
        if rounded.is_finite() { rounded.clamp(low, high) } else { value }
    }
}

/// Mean and deviation in two passes, so that large values with small differences keep these.
fn learned(series: &Series, place: usize) -> Variable {
    let known = || (0..series.len()).flat_map(|one| series.known(one, place).map(|(.., value)| value));
    let count = known().count();
    let mean = known().sum::<f64>() / count.max(1) as f64;
    let variance = known().map(|value| (value - mean).powi(2)).sum::<f64>() / count.max(1) as f64;
    let deviation = variance.sqrt();
    let deviation = if deviation > 0.0 && deviation.is_finite() { deviation } else { 1.0 };
    let decimals = decimals(&known().collect::<Vec<_>>());
    let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    Variable {
        name: series.variables()[place].clone(),
        mean,
        deviation,
        low: if count > 0 { low } else { 0.0 },
        high: if count > 0 { high } else { 0.0 },
        known: count,
        missing: (0..series.len()).filter(|&one| series.known(one, place).next().is_none()).count(),
        limits: None,
        places: Some(places(deviation, decimals) as u8),
    }
}

/// From which step on each variable of a series is forecast: behind its last known value, where steps follow behind all
/// that is known of the series. What ends earlier than the other variables is a hole like those in between.
fn forecasts(series: &Series, one: usize) -> Vec<usize> {
    let steps = series.times(one).len();
    let last = |variable| series.known(one, variable).last().map(|(step, ..)| step);
    let last: Vec<Option<usize>> = (0..series.variables().len()).map(last).collect();
    let ends = last.iter().flatten().max().is_some_and(|end| end + 1 < steps);
    last.iter().map(|last| last.filter(|_| ends).map_or(steps, |last| last + 1)).collect()
}

impl SeriesRows {
    /// How many series there are.
    pub fn len(&self) -> usize {
        self.series.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// The series themselves, in the user's units; variables in the order of the translation.
    pub fn series(&self) -> &Arc<Series> {
        &self.series
    }

    /// The translation that made them.
    pub fn coder(&self) -> &SeriesCoder {
        &self.coder
    }

    /// Some series in a model's units.
    pub fn batch(&self, rows: &[usize]) -> SeriesBatch {
        let width = self.coder.variables.len();
        let lengths: Vec<usize> = rows.iter().map(|&row| self.series.times(row).len()).collect();
        let steps = lengths.iter().copied().max().unwrap_or(0);
        let cells = rows.len() * steps * width;
        let mut batch = SeriesBatch {
            statics: self.statics(rows),
            lengths,
            steps,
            variables: width,
            values: vec![0.0; cells],
            observed: vec![0.0; cells],
            times: vec![0.0; rows.len() * steps],
            since: vec![0.0; cells],
        };
        for (place, &row) in rows.iter().enumerate() {
            let first = place * steps;
            let (times, origin) = (self.series.times(row), self.series.origin(row));
            let (values, observed) = (self.series.values(row), self.series.observed(row));
            let mut seen = vec![times.first().copied().unwrap_or(0.0); width];
            for (step, time) in times.iter().enumerate() {
                batch.times[first + step] = ((time - origin) / self.coder.gap) as f32;
                for (variable, seen) in seen.iter_mut().enumerate() {
                    let (cell, own) = ((first + step) * width + variable, step * width + variable);
                    batch.since[cell] = ((time - *seen) / self.coder.gap) as f32;
                    if observed[own] {
                        batch.values[cell] = self.coder.variables[variable].scaled(values[own]) as f32;
                        batch.observed[cell] = 1.0;
                        *seen = *time;
                    }
                }
            }
        }
        batch
    }

    /// What does not change over time, as rows of a table.
    pub fn statics(&self, rows: &[usize]) -> Encoded {
        let none = || Encoded { rows: rows.len(), ..Encoded::default() };
        let Some(encoder) = &self.coder.statics else { return none() };
        let table: Table = self.series.statics().part(rows, |_| true);
        // All columns were there when the series were encoded.
        encoder.encode(&table, |_, _| {}).unwrap_or_else(|_| none())
    }

    /// Puts standardised values `[steps, variables]` that `guess` has for a series where nothing is known, within what
    /// is allowed, on all threads; known ones stay.
    pub fn fill_each(&mut self, guess: impl Fn(usize, &Self) -> Vec<f64> + Sync) {
        let width = self.coder.variables.len().max(1);
        let rows: Vec<usize> = (0..self.len()).collect();
        for some in rows.chunks(FILLED_AT_ONCE) {
            let guesses: Vec<Vec<f64>> = some.par_iter().map(|&row| guess(row, self)).collect();
            let series = Arc::make_mut(&mut self.series);
            for (&row, guess) in some.iter().zip(guesses) {
                let ahead = forecasts(series, row);
                for (cell, scaled) in guess.into_iter().enumerate() {
                    let (step, variable) = (cell / width, cell % width);
                    let value = self.coder.variables[variable].unscaled(scaled, step >= ahead[variable]);
                    series.fill(row, step, variable, value);
                }
            }
        }
    }

    /// The given series, in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Self { series: Arc::new(self.series.part(rows, |_| true)), coder: Arc::clone(&self.coder) }
    }

    /// Makes one value a hole.
    pub fn hide_value(&mut self, row: usize, step: usize, variable: usize) {
        Arc::make_mut(&mut self.series).hide(row, step, variable);
    }

    /// Makes all values of a variable, or what is known under a column that does not change, a hole.
    pub(super) fn hide(&mut self, row: usize, input: usize) {
        let variables = self.coder.variables.len();
        let series = Arc::make_mut(&mut self.series);
        if input < variables {
            (0..series.times(row).len()).for_each(|step| series.hide(row, step, input));
        } else if let Some(name) = self.coder.names().nth(input) {
            series.hide_static(row, name);
        }
    }

    /// Whether anything is known of each input of a series.
    pub(super) fn known(&self, row: usize) -> Vec<bool> {
        let variables =
            (0..self.coder.variables.len()).map(|place| self.series.known(row, place).next().is_some());
        let statics = self.statics(&[row]);
        variables.chain(statics.numbers_observed).chain(statics.codes_observed).collect()
    }

    /// A number that changes with any known value or mark.
    pub fn fingerprint(&self) -> u64 {
        let all: Vec<usize> = (0..self.len()).collect();
        mix([self.series.fingerprint(), self.statics(&all).fingerprint()])
    }

    /// Holes between the first and the last step of series, by variable.
    pub fn holes_by_variable(&self) -> Vec<usize> {
        let steps = self.series.all_steps();
        self.series.known_by_variable().into_iter().map(|known| steps - known).collect()
    }

    /// The same series with nonsense under every mark that says "missing", for tests.
    #[cfg(test)]
    pub(crate) fn with_garbage(&self) -> Self {
        let series = Arc::new(self.series.as_ref().clone().with_garbage());
        Self { series, coder: Arc::clone(&self.coder) }
    }
}

impl PartialEq for SeriesRows {
    fn eq(&self, other: &Self) -> bool {
        self.series == other.series && self.coder == other.coder
    }
}

impl Encoder {
    /// Columns of what the translation knows, for series of a probe.
    fn probe_table(&self, rows: usize) -> Vec<crate::data::Column> {
        let numbers = self.numbers.iter().map(|feature| {
            let value = |row: usize| match row % 4 {
                0 => f64::NAN,
                part => feature.low + (part - 1) as f64 / 2.0 * (feature.high - feature.low),
            };
            Column::from_numbers(&feature.name, Kind::Real, &(0..rows).map(value).collect::<Vec<_>>())
        });
        let categories = self.categories.iter().map(|feature| {
            let levels = &feature.levels;
            let word = |row: usize| {
                (!row.is_multiple_of(3) && !levels.is_empty()).then(|| levels[row % levels.len()].clone())
            };
            Column::from_words(&feature.name, feature.kind, &(0..rows).map(word).collect::<Vec<_>>())
        });
        numbers.chain(categories).collect()
    }
}
