//! `Series`: measurements of several variables over time, ragged and irregular, with values and `observed` kept apart.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::clock::Clock;
use crate::data::table::{Column, Table};
use crate::error::{Error, Result, nearest};
use crate::rng::{hash, mix};

/// Which columns of a table hold series.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Form {
    /// The column that tells the series apart.
    pub series: String,
    /// The column of times.
    pub time: String,
    /// In a long table, the columns with the name of what was measured and with its value.
    pub long: Option<(String, String)>,
}

impl Form {
    /// Whether a column is none of those that have a part.
    pub(super) fn is_variable(&self, column: &str) -> bool {
        let long = self.long.iter().any(|(variable, value)| column == variable || column == value);
        column != self.series && column != self.time && !long
    }
}

/// Series of the same variables, each with times of its own, and what is known about each as a whole.
///
/// A step is a time of a series at which something may be known; the steps of all series stand one behind the other.
#[derive(Debug, Clone)]
pub struct Series {
    /// How times are written.
    pub clock: Clock,
    /// The width of the bins that times were put in, if they were.
    pub step: Option<f64>,
    /// How long after its start each was cut off, if they were.
    pub after: Option<f64>,
    /// The columns that they were read from.
    pub form: Form,
    ids: Vec<String>,
    variables: Vec<String>,
    /// `[series + 1]`: the first step of each series, and behind the last one the number of all.
    starts: Vec<usize>,
    /// `[steps]`: ascending within a series.
    times: Vec<f64>,
    /// `[steps, variables]`: 0 where not known.
    values: Vec<f64>,
    /// `[steps, variables]`
    observed: Vec<bool>,
    /// A row for each series: what does not change over time, the target too.
    statics: Table,
}

/// What series are made of.
#[derive(Debug, Clone, Default)]
pub struct Parts {
    /// How times are written.
    pub clock: Clock,
    /// The width of the bins that times were put in, if they were.
    pub step: Option<f64>,
    /// How long after its start each was cut off, if they were.
    pub after: Option<f64>,
    /// The columns that they were read from.
    pub form: Form,
    /// The name of each series.
    pub ids: Vec<String>,
    /// The names of what is measured.
    pub variables: Vec<String>,
    /// How many steps each series has.
    pub lengths: Vec<usize>,
    /// `[steps]`: the time of each, series by series.
    pub times: Vec<f64>,
    /// `[steps, variables]`
    pub values: Vec<f64>,
    /// `[steps, variables]`: whether it is known.
    pub observed: Vec<bool>,
    /// What is known about each series as a whole.
    pub statics: Vec<Column>,
}

impl Series {
    /// Series from their parts; what stands where nothing is known is made 0.
    ///
    /// # Errors
    /// When parts have other lengths, times do not ascend, a known value is not a finite number, or a name is twice.
    pub fn new(parts: Parts) -> Result<Self> {
        let Parts { clock, step, after, form, ids, variables, lengths, times, mut values, observed, statics } =
            parts;
        let (steps, cells) = (times.len(), times.len() * variables.len());
        if ids.len() != lengths.len() || lengths.iter().sum::<usize>() != steps {
            return Err(Error::data("the lengths of the series are not those of their times"));
        }
        if values.len() != cells || observed.len() != cells {
            return Err(Error::data(format!(
                "there are {} values for {cells} cells of series",
                values.len()
            )));
        }
        let names: Vec<&String> = variables.iter().chain(statics.iter().map(|column| &column.name)).collect();
        if let Some(twice) = names.iter().enumerate().find(|(place, name)| names[..*place].contains(name)) {
            return Err(Error::data(format!("`{}` is the name of two variables or columns", twice.1)));
        }
        let statics = Table::new(statics)?;
        if !statics.columns().is_empty() && statics.rows() != ids.len() {
            let what = format!("{} rows are known about {} series", statics.rows(), ids.len());
            return Err(Error::data(what));
        }
        let statics = statics.with_rows(ids.len());
        for (value, _) in values.iter_mut().zip(&observed).filter(|(_, observed)| !**observed) {
            *value = 0.0;
        }
        if !values.iter().chain(&times).all(|value| value.is_finite()) {
            return Err(Error::data("a known value or a time is not a finite number"));
        }
        let mut starts = vec![0];
        lengths.iter().for_each(|length| starts.push(starts[starts.len() - 1] + length));
        let series =
            Self { clock, step, after, form, ids, variables, starts, times, values, observed, statics };
        match (0..series.len()).find(|&one| !series.times(one).is_sorted_by(|a, b| a < b)) {
            Some(one) => Err(Error::data(format!("the times of series `{}` do not ascend", series.ids[one]))),
            None => Ok(series),
        }
    }

    /// How many series there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The name of each.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// What is measured.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The steps of a series among those of all.
    pub fn steps(&self, series: usize) -> Range<usize> {
        self.starts[series]..self.starts[series + 1]
    }

    /// Steps of all series.
    pub fn all_steps(&self) -> usize {
        self.times.len()
    }

    /// The times of a series, ascending.
    pub fn times(&self, series: usize) -> &[f64] {
        &self.times[self.steps(series)]
    }

    /// What times of a series are counted from: 0, or the first of them where times are dates and their like.
    pub fn origin(&self, series: usize) -> f64 {
        match self.clock.counts_from_first() {
            true => self.times(series).first().copied().unwrap_or(0.0),
            false => 0.0,
        }
    }

    /// `[steps, variables]` of a series; nothing may be read where `observed` is false.
    pub fn values(&self, series: usize) -> &[f64] {
        &self.values[self.cells(series)]
    }

    /// `[steps, variables]` of a series: whether a value is known.
    pub fn observed(&self, series: usize) -> &[bool] {
        &self.observed[self.cells(series)]
    }

    fn cells(&self, series: usize) -> Range<usize> {
        let (steps, width) = (self.steps(series), self.variables.len());
        steps.start * width..steps.end * width
    }

    /// A known value (step of the series, time, value) of a variable of a series, one after the other.
    pub fn known(&self, series: usize, variable: usize) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        let (times, values, observed) = (self.times(series), self.values(series), self.observed(series));
        let (width, cells) = (self.variables.len(), times.iter().enumerate());
        let cells = cells.map(move |(step, time)| (step, *time, step * width + variable));
        cells.filter(|(.., cell)| observed[*cell]).map(|(step, time, cell)| (step, time, values[cell]))
    }

    /// How many values of a series are known.
    pub fn known_values(&self, series: usize) -> usize {
        self.observed(series).iter().filter(|observed| **observed).count()
    }

    /// How many values of all series are known, of each variable.
    pub fn known_by_variable(&self) -> Vec<usize> {
        let mut counts = vec![0; self.variables.len()];
        for marks in self.observed.chunks_exact(self.variables.len().max(1)) {
            counts.iter_mut().zip(marks).for_each(|(count, known)| *count += usize::from(*known));
        }
        counts
    }

    /// What is known about each series as a whole: a row for each.
    pub fn statics(&self) -> &Table {
        &self.statics
    }

    /// What is known about each series as a whole under a name.
    ///
    /// # Errors
    /// When there is no such column.
    pub fn column(&self, name: &str) -> Result<&Column> {
        let columns = || self.statics.columns().iter().map(|column| column.name.as_str());
        self.statics.column(name).map_err(|_| {
            let error =
                Error::data(format!("nothing is known about the series as a whole under the name `{name}`"));
            match (self.variables.iter().any(|variable| variable == name), nearest(name, columns())) {
                (true, _) => {
                    error.with_hint("it changes over time; what is predicted is known once for each series")
                }
                (_, Some(near)) => error.with_hint(format!("did you mean `{near}`?")),
                _ => error.with_hint(
                    "it may be the same in all rows of a series, or come from a file with a row for each",
                ),
            }
        })
    }

    /// The same series with more known about each.
    ///
    /// # Errors
    /// When there are more or fewer rows than series, or a name is taken.
    pub fn with_statics(self, more: Vec<Column>) -> Result<Self> {
        let (clock, step, after, statics) = (self.clock, self.step, self.after, self.statics.columns());
        let statics = statics.iter().cloned().chain(more).collect();
        let lengths = self.starts.windows(2).map(|ends| ends[1] - ends[0]).collect();
        let Self { form, ids, variables, times, values, observed, .. } = self;
        Self::new(Parts {
            clock,
            step,
            after,
            form,
            ids,
            variables,
            lengths,
            times,
            values,
            observed,
            statics,
        })
    }

    /// A copy with these columns about each series, instead of those of the same names.
    ///
    /// # Errors
    /// When there are more or fewer rows than series.
    pub fn with_other_statics(&self, columns: Vec<Column>) -> Result<Self> {
        let all: Vec<usize> = (0..self.len()).collect();
        let taken = |column: &Column| columns.iter().any(|own| own.name == column.name);
        self.part(&all, |column| !taken(column)).with_statics(columns)
    }

    /// Puts a value where nothing is known; a known one stays.
    pub fn fill(&mut self, series: usize, step: usize, variable: usize, value: f64) {
        let cell = (self.starts[series] + step) * self.variables.len() + variable;
        if !self.observed[cell] {
            self.values[cell] = value;
        }
    }

    /// Makes a value of a series a hole and forgets it.
    pub fn hide(&mut self, series: usize, step: usize, variable: usize) {
        let cell = (self.starts[series] + step) * self.variables.len() + variable;
        (self.values[cell], self.observed[cell]) = (0.0, false);
    }

    /// Makes what is known about a series as a whole under a name a hole.
    pub fn hide_static(&mut self, series: usize, name: &str) {
        let columns = self.statics.columns_mut().iter_mut();
        columns.filter(|column| column.name == name).for_each(|column| column.observed[series] = false);
    }

    /// The same series with everything known of the variables that are told so, once holes have been filled.
    #[must_use]
    pub fn whole(mut self, filled: impl Fn(usize) -> bool) -> Self {
        let width = self.variables.len().max(1);
        for marks in self.observed.chunks_exact_mut(width) {
            let variables = marks.iter_mut().enumerate().filter(|(variable, _)| filled(*variable));
            variables.for_each(|(_, known)| *known = true);
        }
        self
    }

    /// The given series, in the given order, with what is wanted of what is known about each.
    #[must_use]
    pub fn part(&self, series: &[usize], wanted: impl Fn(&Column) -> bool) -> Self {
        let mut some = self.pruned(series, |_, _| true);
        some.statics = self.statics.part(series, wanted);
        some
    }

    /// The given series with those steps alone (series, step within it) that are wanted.
    #[must_use]
    pub fn pruned(&self, series: &[usize], wanted: impl Fn(usize, usize) -> bool) -> Self {
        let width = self.variables.len();
        let mut some = Self {
            clock: self.clock,
            step: self.step,
            after: self.after,
            form: self.form.clone(),
            ids: series.iter().map(|&one| self.ids[one].clone()).collect(),
            variables: self.variables.clone(),
            starts: vec![0],
            times: Vec::new(),
            values: Vec::new(),
            observed: Vec::new(),
            statics: self.statics.part(series, |_| true),
        };
        for &one in series {
            let first = self.starts[one];
            for step in self.steps(one).filter(|step| wanted(one, step - first)) {
                some.times.push(self.times[step]);
                some.values.extend_from_slice(&self.values[step * width..(step + 1) * width]);
                some.observed.extend_from_slice(&self.observed[step * width..(step + 1) * width]);
            }
            some.starts.push(some.times.len());
        }
        some
    }

    /// The same series with these variables, in this order; of one that there is not, nothing is known.
    #[must_use]
    pub fn with_variables(&self, names: &[String]) -> Self {
        let places: Vec<Option<usize>> =
            names.iter().map(|name| self.variables.iter().position(|own| own == name)).collect();
        let cells = (0..self.all_steps()).flat_map(|step| {
            places.iter().map(move |place| place.map(|place| step * self.variables.len() + place))
        });
        let (mut values, mut observed) = (Vec::new(), Vec::new());
        for cell in cells {
            values.push(cell.map_or(0.0, |cell| self.values[cell]));
            observed.push(cell.is_some_and(|cell| self.observed[cell]));
        }
        let (variables, ids, starts) = (names.to_vec(), self.ids.clone(), self.starts.clone());
        let (times, statics) = (self.times.clone(), self.statics.clone());
        let (clock, step, after, form) = (self.clock, self.step, self.after, self.form.clone());
        Self { clock, step, after, form, ids, variables, starts, times, values, observed, statics }
    }

    /// A number that changes with any known value, mark or time of a series.
    pub fn fingerprint_of(&self, series: usize) -> u64 {
        let cells = self.values(series).iter().zip(self.observed(series));
        let cells = cells.map(|(value, known)| if *known { (value + 0.0).to_bits() } else { u64::MAX });
        mix(self.times(series).iter().map(|time| (time + 0.0).to_bits()).chain(cells))
    }

    /// A number that changes with any of it but what is known about series as a whole.
    pub fn fingerprint(&self) -> u64 {
        let names = self.ids.iter().chain(&self.variables).map(|name| hash(name));
        mix(names.chain((0..self.len()).map(|series| self.fingerprint_of(series))))
    }

    /// What stands in every cell, filled or known, as bits.
    pub fn bits(&self) -> impl Iterator<Item = u64> + '_ {
        self.values.iter().map(|value| value.to_bits())
    }

    /// The same series with nonsense wherever nothing is known, for tests.
    #[cfg(test)]
    pub(crate) fn with_garbage(mut self) -> Self {
        let hidden = self.values.iter_mut().zip(&self.observed).filter(|(_, observed)| !**observed);
        hidden.for_each(|(value, _)| *value = f64::NAN);
        self
    }
}

impl PartialEq for Series {
    /// Alike in all that is known; what stands in a hole counts as well, as it may have been filled.
    fn eq(&self, other: &Self) -> bool {
        let own = |one: &Self| (one.clock, one.step, one.fingerprint(), mix(one.bits()));
        own(self) == own(other) && self.statics.columns() == other.statics.columns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    fn two() -> Series {
        let parts = Parts {
            ids: vec!["a".into(), "b".into()],
            variables: vec!["x".into(), "y".into()],
            lengths: vec![2, 1],
            times: vec![0.0, 1.5, 4.0],
            values: vec![1.0, 9.0, 2.0, 3.0, 4.0, f64::NAN],
            observed: vec![true, false, true, true, true, false],
            statics: vec![Column::from_numbers("age", Kind::Integer, &[30.0, f64::NAN])],
            ..Parts::default()
        };
        Series::new(parts).unwrap()
    }

    #[test]
    fn what_is_known_is_told_by_marks_alone() {
        let series = two();
        assert_eq!((series.len(), series.all_steps(), series.known_by_variable()), (2, 3, vec![3, 1]));
        assert_eq!(series.values(0), [1.0, 0.0, 2.0, 3.0]);
        assert_eq!(series.known(0, 0).collect::<Vec<_>>(), [(0, 0.0, 1.0), (1, 1.5, 2.0)]);
        assert_eq!(series.known(1, 1).count(), 0);
        let one = series.part(&[1, 0], |column| column.name != "age");
        assert_eq!(
            (one.ids(), one.times(0), one.statics().rows()),
            (&["b".into(), "a".into()][..], &[4.0][..], 2)
        );
        assert!(one.statics().columns().is_empty());
        let turned = series.with_variables(&["z".into(), "x".into()]);
        assert_eq!((turned.values(1), turned.observed(1)), (&[0.0, 4.0][..], &[false, true][..]));
    }

    #[test]
    fn filling_keeps_what_is_known() {
        let mut series = two();
        series.fill(0, 0, 0, 77.0);
        series.fill(0, 0, 1, 8.0);
        assert_eq!(series.values(0), [1.0, 8.0, 2.0, 3.0]);
        assert_ne!(series, two());
        assert_eq!(series.fingerprint(), two().fingerprint(), "a hole stays one");
        series.hide(0, 1, 1);
        assert_ne!(series.fingerprint(), two().fingerprint());
        let whole = series.whole(|variable| variable == 1);
        assert_eq!(whole.known_by_variable(), [3, 3]);
    }

    #[test]
    fn parts_that_contradict_each_other_are_refused() {
        let parts = |change: fn(&mut Parts)| {
            let mut parts = Parts {
                ids: vec!["a".into()],
                variables: vec!["x".into()],
                lengths: vec![2],
                times: vec![0.0, 1.0],
                values: vec![1.0, 2.0],
                observed: vec![true; 2],
                ..Parts::default()
            };
            change(&mut parts);
            Series::new(parts).map(drop)
        };
        assert!(parts(|_| {}).is_ok());
        let changes: [fn(&mut Parts); 6] = [
            |parts| parts.times = vec![1.0, 1.0],
            |parts| parts.values[0] = f64::INFINITY,
            |parts| parts.lengths = vec![1],
            |parts| parts.observed.truncate(1),
            |parts| parts.statics = vec![Column::from_numbers("x", Kind::Real, &[1.0])],
            |parts| parts.statics = vec![Column::from_numbers("age", Kind::Real, &[1.0, 2.0])],
        ];
        changes.iter().for_each(|change| assert!(parts(*change).is_err()));
    }
}
