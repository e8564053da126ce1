//! Values of series: hidden at random, and what is known of them described.

use serde::Serialize;

use crate::data::series::Series;
use crate::error::{Error, Result};
use crate::rng::Stream;

/// Parts of the time that shares are told for.
const PARTS: usize = 12;

/// A value of a series: (series, step, variable).
pub type ValuePlace = (usize, usize, usize);

/// Known values that are to be hidden, each with the same chance.
///
/// # Errors
/// When the share is not between 0 and 1, or nothing would be hidden.
pub fn values_to_hide(series: &Series, share: f64, seed: u64) -> Result<Vec<ValuePlace>> {
    if !(share > 0.0 && share < 1.0) {
        return Err(Error::setting("how", format!("{share} is not a share of the known values"))
            .with_hint("say 0.1 to hide a tenth of them"));
    }
    let (width, mut hidden) = (series.variables().len().max(1), Vec::new());
    for one in 0..series.len() {
        let mut stream = Stream::new(seed, "hidden values", one as u64, 0);
        for (cell, known) in series.observed(one).iter().enumerate() {
            if *known && stream.uniform() < share {
                hidden.push((one, cell / width, cell % width));
            }
        }
    }
    match hidden.is_empty() {
        true => Err(Error::data("the series have too few values to hide some of them")),
        false => Ok(hidden),
    }
}

/// The known values at the ends of series, as a forecast would have to find them: of each series the last share of the
/// steps at which anything is known, at least one. Two such steps are left.
pub fn ends_to_hide(series: &Series, share: f64) -> Vec<ValuePlace> {
    let (width, mut hidden) = (series.variables().len().max(1), Vec::new());
    for one in 0..series.len() {
        let observed = series.observed(one);
        let known: Vec<usize> = (0..series.times(one).len())
            .filter(|step| observed[step * width..][..width].contains(&true))
            .collect();
        let ends = ((known.len() as f64 * share).round() as usize).max(1).min(known.len().saturating_sub(2));
        for step in &known[known.len() - ends..] {
            let places = (0..width).filter(|variable| observed[step * width + variable]);
            hidden.extend(places.map(|variable| (one, *step, variable)));
        }
    }
    hidden
}

/// The same series without these values.
pub fn hide_values(series: &Series, hidden: &[ValuePlace]) -> Series {
    let mut holed = series.clone();
    hidden.iter().for_each(|&(one, step, variable)| holed.hide(one, step, variable));
    holed
}

/// The least, the quarters and the most of some numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// A quarter lies below.
    pub lower: f64,
    /// Half lie below.
    pub median: f64,
    /// Three quarters lie below.
    pub upper: f64,
    /// The most.
    pub most: f64,
}

impl Spread {
    fn of(mut numbers: Vec<f64>) -> Option<Self> {
        numbers.sort_unstable_by(f64::total_cmp);
        let last = numbers.len().checked_sub(1)?;
        let at = |share: f64| numbers[(share * last as f64).round() as usize];
        Some(Self { least: at(0.0), lower: at(0.25), median: at(0.5), upper: at(0.75), most: at(1.0) })
    }
}

/// What is known of a variable.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariableDescription {
    /// Its name.
    pub name: String,
    /// Known values.
    pub known: usize,
    /// Their share of all steps.
    pub share: f64,
    /// Series without any.
    pub series_without: usize,
    /// Time between two known values that follow each other.
    pub gaps: Option<Spread>,
    /// The values themselves.
    pub values: Option<Spread>,
    /// The share of steps at which it is known, by part of the time from the start to the longest series' end.
    pub by_time: Vec<Option<f64>>,
}

/// What is known about each series as a whole under a name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StaticDescription {
    /// The column.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Series of which it is not known.
    pub missing: usize,
}

/// What is known of series.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeriesDescription {
    /// How many there are.
    pub series: usize,
    /// Steps of all.
    pub steps: usize,
    /// Known values of all.
    pub known: usize,
    /// The share of values at steps that is missing.
    pub missing: f64,
    /// Series without any value.
    pub empty: usize,
    /// Steps of a series.
    pub lengths: Option<Spread>,
    /// Time from a series' start to its last step.
    pub spans: Option<Spread>,
    /// Time between two steps.
    pub gaps: Option<Spread>,
    /// Known values of a series.
    pub values_per_series: Option<Spread>,
    /// Where the parts of the time end.
    pub parts: Vec<f64>,
    /// Known values in each part of the time.
    pub known_by_time: Vec<usize>,
    /// The variables.
    pub variables: Vec<VariableDescription>,
    /// What does not change over time.
    pub statics: Vec<StaticDescription>,
}

/// Describes what is known of series, by variable and by time.
pub fn describe_series(series: &Series) -> SeriesDescription {
    let all = || 0..series.len();
    let span = |one: usize| series.times(one).last().map_or(0.0, |last| last - series.origin(one));
    let longest = all().map(span).fold(0.0, f64::max);
    let part = |one: usize, time: f64| {
        let share = (time - series.origin(one)) / if longest > 0.0 { longest } else { 1.0 };
        ((share * PARTS as f64) as usize).min(PARTS - 1)
    };
    let width = series.variables().len();
    let (mut steps, mut known) = (vec![0_usize; PARTS], vec![vec![0_usize; PARTS]; width]);
    for one in all() {
        for (step, time) in series.times(one).iter().enumerate() {
            let place = part(one, *time);
            steps[place] += 1;
            let marks = &series.observed(one)[step * width..(step + 1) * width];
            known.iter_mut().zip(marks).for_each(|(own, mark)| own[place] += usize::from(*mark));
        }
    }
    let counts = series.known_by_variable();
    let variable = |place: usize| {
        let of_each = || all().map(|one| series.known(one, place).collect::<Vec<_>>());
        let gaps =
            of_each().flat_map(|own| own.windows(2).map(|pair| pair[1].1 - pair[0].1).collect::<Vec<_>>());
        let share = |(steps, known): (&usize, &usize)| (*steps > 0).then(|| *known as f64 / *steps as f64);
        VariableDescription {
            name: series.variables()[place].clone(),
            known: counts[place],
            share: counts[place] as f64 / series.all_steps().max(1) as f64,
            series_without: of_each().filter(Vec::is_empty).count(),
            gaps: Spread::of(gaps.collect()),
            values: Spread::of(of_each().flatten().map(|(.., value)| value).collect()),
            by_time: steps.iter().zip(&known[place]).map(share).collect(),
        }
    };
    let total: usize = counts.iter().sum();
    let gaps = all().flat_map(|one| series.times(one).windows(2).map(|pair| pair[1] - pair[0]));
    SeriesDescription {
        series: series.len(),
        steps: series.all_steps(),
        known: total,
        missing: 1.0 - total as f64 / (series.all_steps() * width).max(1) as f64,
        empty: all().filter(|&one| series.known_values(one) == 0).count(),
        lengths: Spread::of(all().map(|one| series.times(one).len() as f64).collect()),
        spans: Spread::of(all().map(span).collect()),
        gaps: Spread::of(gaps.collect()),
        values_per_series: Spread::of(all().map(|one| series.known_values(one) as f64).collect()),
        parts: (1..=PARTS).map(|place| longest * place as f64 / PARTS as f64).collect(),
        known_by_time: (0..PARTS).map(|place| known.iter().map(|own| own[place]).sum()).collect(),
        variables: (0..width).map(variable).collect(),
        statics: series
            .statics()
            .columns()
            .iter()
            .map(|column| StaticDescription {
                name: column.name.clone(),
                kind: column.kind.to_string(),
                missing: column.missing(),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::series::sample;

    #[test]
    fn values_are_hidden_at_random_and_nothing_else_is_touched() {
        let ward = sample().unwrap();
        let hidden = values_to_hide(&ward, 0.1, 3).unwrap();
        let known: usize = ward.known_by_variable().iter().sum();
        let share = hidden.len() as f64 / known as f64;
        assert!((share - 0.1).abs() < 0.01, "{share}");
        let holed = hide_values(&ward, &hidden);
        assert_eq!(holed.known_by_variable().iter().sum::<usize>(), known - hidden.len());
        assert_eq!(hidden, values_to_hide(&ward, 0.1, 3).unwrap());
        assert!(values_to_hide(&ward, 0.0, 3).is_err());
        let ends = ends_to_hide(&ward, 0.25);
        let holed = hide_values(&ward, &ends);
        for one in 0..ward.len() {
            let last = |series: &Series| {
                let of = |variable| series.known(one, variable).map(|(step, ..)| step).last();
                (0..series.variables().len()).filter_map(of).max().unwrap_or(0)
            };
            assert!(last(&holed) < last(&ward), "series {one} ends earlier");
            assert!(ends.iter().all(|(own, step, _)| *own != one || *step > last(&holed)), "series {one}");
        }
    }

    #[test]
    fn the_description_counts_what_is_there() {
        let ward = sample().unwrap();
        let found = describe_series(&ward);
        assert_eq!((found.series, found.steps, found.variables.len()), (300, ward.all_steps(), 4));
        assert_eq!(found.known_by_time.iter().sum::<usize>(), found.known);
        let lactate = &found.variables[3];
        assert!(lactate.share < 0.2 && lactate.series_without > 0);
        assert!(found.variables[0].gaps.unwrap().median < lactate.gaps.unwrap().median);
        assert_eq!(found.statics[2].name, "died");
    }
}
