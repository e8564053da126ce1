//! Times put into bins of one width, series cut off at a time, and series made longer.

use super::set::{Parts, Series};
use crate::error::{Error, Result};

/// Steps of all series that bins may have together: more would hardly fit into memory.
const MOST_STEPS: f64 = 5e7;
/// How far beyond the edge of a bin, in bins, a time that was rounded still belongs to it.
const ROUNDING: f64 = 1e-9;

impl Series {
    /// The same series in bins of one width, from where times are counted (0, or the first time where they are dates)
    /// to the last that has anything: a value is the mean of those in its bin, a bin without any is a hole, and the
    /// time of a bin is its start.
    ///
    /// # Errors
    /// When the width is not positive, a series has times before 0, or there would be too many bins.
    pub fn binned(&self, width: f64) -> Result<Self> {
        if !(width > 0.0 && width.is_finite()) {
            return Err(Error::setting("step", format!("{width} is not a width of bins")));
        }
        let bin = |series: usize, time: f64| ((time - self.origin(series)) / width + ROUNDING).floor();
        let last = |series: usize| self.times(series).last().map_or(0.0, |time| bin(series, *time) + 1.0);
        if (0..self.len()).map(last).sum::<f64>() > MOST_STEPS {
            return Err(Error::setting("step", "the series would have more than 50 million steps")
                .with_hint("take longer steps; times count from 0, and dates from each series' first"));
        }
        let early = |one: &usize| self.times(*one).first().is_some_and(|time| bin(*one, *time) < 0.0);
        if let Some(one) = (0..self.len()).find(early) {
            let what = format!("series `{}` has times before 0, which can't be put in bins", self.ids()[one]);
            return Err(Error::data(what).with_hint("steps are counted from 0: shift the times"));
        }
        let variables = self.variables().len();
        let mut parts = Parts {
            clock: self.clock,
            step: Some(width),
            after: self.after,
            form: self.form.clone(),
            ids: self.ids().to_vec(),
            variables: self.variables().to_vec(),
            statics: self.statics().columns().to_vec(),
            ..Parts::default()
        };
        for series in 0..self.len() {
            let (length, first) = (last(series) as usize, parts.values.len());
            let (mut counts, origin) = (vec![0_u32; length * variables], self.origin(series));
            parts.lengths.push(length);
            parts.times.extend((0..length).map(|place| origin + place as f64 * width));
            parts.values.resize(first + length * variables, 0.0);
            for (step, time) in self.times(series).iter().enumerate() {
                let place = bin(series, *time) as usize * variables;
                let cells = step * variables..(step + 1) * variables;
                let (values, observed) = (&self.values(series)[cells.clone()], &self.observed(series)[cells]);
                for variable in (0..variables).filter(|&variable| observed[variable]) {
                    parts.values[first + place + variable] += values[variable];
                    counts[place + variable] += 1;
                }
            }
            // A value that is alone in its bin stays as it is, bit for bit.
            for (value, count) in
                parts.values[first..].iter_mut().zip(&counts).filter(|(_, count)| **count > 1)
            {
                *value /= f64::from(*count);
            }
            parts.observed.extend(counts.iter().map(|count| *count > 0));
        }
        Self::new(parts)
    }

    /// What would have been known so long after where times are counted from. A series may be left without a step.
    #[must_use]
    pub fn until(&self, span: f64) -> Self {
        let all: Vec<usize> = (0..self.len()).collect();
        let mut early = self.pruned(&all, |series, step| {
            self.times(series)[step] - self.origin(series) <= span + ROUNDING * span.abs()
        });
        early.after = Some(span);
        early
    }

    /// The same series with empty steps behind their last, up to so long after where times are counted from, to be
    /// filled: a forecast. Steps are as far apart as the bins are, or as the last ones of a series usually were.
    ///
    /// # Errors
    /// When there would be too many steps.
    pub fn extended(&self, span: f64) -> Result<Self> {
        let mut parts = Parts {
            clock: self.clock,
            step: self.step,
            after: self.after,
            form: self.form.clone(),
            ids: self.ids().to_vec(),
            variables: self.variables().to_vec(),
            statics: self.statics().columns().to_vec(),
            ..Parts::default()
        };
        let usual = self.usual_gap();
        for series in 0..self.len() {
            let times = self.times(series);
            let gap = self.step.or_else(|| median_gap(times)).unwrap_or(usual);
            let end = self.origin(series) + span;
            let last = times.last().copied().unwrap_or(self.origin(series) - gap);
            let more = ((end - last) / gap + ROUNDING).floor().max(0.0);
            if more > MOST_STEPS / self.len().max(1) as f64 {
                return Err(Error::data("the series would have more than 50 million steps"));
            }
            parts.lengths.push(times.len() + more as usize);
            parts.times.extend(times);
            parts.times.extend((1..=more as usize).map(|place| last + place as f64 * gap));
            parts.values.extend(self.values(series));
            parts.observed.extend(self.observed(series));
            let cells = parts.times.len() * self.variables().len();
            parts.values.resize(cells, 0.0);
            parts.observed.resize(cells, false);
        }
        Self::new(parts)
    }

    /// The first and the last time of all, where times can't count from 0: every series starts farther from it than the
    /// longest lasts, or one starts before it.
    pub(super) fn far_from_zero(&self) -> Option<(f64, f64)> {
        let ends = |series| Some((*self.times(series).first()?, *self.times(series).last()?));
        let ends: Vec<(f64, f64)> = (0..self.len()).filter_map(ends).collect();
        let longest = ends.iter().map(|(first, last)| last - first).fold(0.0, f64::max);
        let first = ends.iter().map(|(first, _)| *first).fold(f64::INFINITY, f64::min);
        let last = ends.iter().map(|(_, last)| *last).fold(f64::NEG_INFINITY, f64::max);
        (first < 0.0 || (longest > 0.0 && first > longest))
            .then_some((first, last))
            .filter(|_| !ends.is_empty())
    }

    /// The median distance between steps, over all series; 1 where no series has two.
    pub fn usual_gap(&self) -> f64 {
        let gaps =
            (0..self.len()).flat_map(|series| self.times(series).windows(2).map(|pair| pair[1] - pair[0]));
        median(gaps.collect()).unwrap_or(1.0)
    }
}

fn median_gap(times: &[f64]) -> Option<f64> {
    median(times.windows(2).map(|pair| pair[1] - pair[0]).collect())
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::super::clock::Clock;
    use super::*;

    fn one(times: &[f64], values: &[f64], clock: Clock) -> Series {
        let parts = Parts {
            clock,
            ids: vec!["a".into()],
            variables: vec!["x".into()],
            lengths: vec![times.len()],
            times: times.to_vec(),
            values: values.to_vec(),
            observed: values.iter().map(|value| !value.is_nan()).collect(),
            ..Parts::default()
        };
        Series::new(parts).unwrap()
    }

    #[test]
    fn bins_hold_means_and_holes() {
        let series = one(&[0.5, 1.0, 1.2, 4.0], &[0.1, 2.0, 4.0, 7.0], Clock::Numbers);
        let binned = series.binned(1.0).unwrap();
        assert_eq!(binned.times(0), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(binned.values(0), [0.1, 3.0, 0.0, 0.0, 7.0]);
        assert_eq!(binned.observed(0), [true, true, false, false, true]);
        assert_eq!(binned.binned(1.0).unwrap(), binned, "binning twice changes nothing");
        // Ten minutes are not a whole number of hours in binary; the edge of a bin still belongs to it.
        let hours = one(&[0.5, 1.0 + 1.0 / 6.0], &[1.0, 2.0], Clock::Hours).binned(1.0 / 6.0).unwrap();
        assert_eq!((hours.times(0).len(), hours.observed(0)[3], hours.observed(0)[7]), (8, true, true));
        // Dates count from the first.
        let dates = one(&[1000.5, 1002.0], &[1.0, 2.0], Clock::Dates).binned(1.0).unwrap();
        assert_eq!(dates.times(0), [1000.5, 1001.5]);
        assert!(series.binned(0.0).is_err() && series.binned(1e-9).is_err());
        assert!(one(&[-1.0], &[1.0], Clock::Numbers).binned(1.0).is_err());
    }

    #[test]
    fn numbers_that_start_far_from_zero_are_seen() {
        let far = |times: &[f64]| one(times, &vec![1.0; times.len()], Clock::Numbers).far_from_zero();
        assert_eq!(far(&[1990.0, 2012.0]), Some((1990.0, 2012.0)));
        assert_eq!(far(&[-5.0, 1.0]), Some((-5.0, 1.0)));
        assert_eq!((far(&[3.0, 8.0]), far(&[7.0]), far(&[])), (None, None, None));
        let years = one(&[1990.0, 1991.0, 1994.0], &[1.0, 2.0, 3.0], Clock::Points);
        assert_eq!(years.binned(2.0).unwrap().times(0), [1990.0, 1992.0, 1994.0]);
        assert_eq!(years.until(1.0).times(0), [1990.0, 1991.0]);
    }

    #[test]
    fn series_are_cut_off_and_made_longer() {
        let series = one(&[0.0, 2.0, 4.0], &[1.0, 2.0, 3.0], Clock::Numbers);
        assert_eq!(series.until(2.0).times(0), [0.0, 2.0]);
        assert!(series.until(-1.0).times(0).is_empty());
        let longer = series.extended(9.0).unwrap();
        assert_eq!(longer.times(0), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(longer.observed(0), [true, true, true, false, false]);
        assert_eq!(series.extended(3.0).unwrap(), series);
        assert_eq!(one(&[5.0], &[1.0], Clock::Numbers).extended(7.0).unwrap().times(0), [5.0, 6.0, 7.0]);
        assert!(series.extended(1e12).is_err());
    }
}
