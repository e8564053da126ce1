//! From which shift of the filled values on does a conclusion change?
//!
//! Whether cells are missing at random can't be seen in data. A tipping-point analysis shifts what was filled in, step
//! by step, and does the analysis again: if the conclusion changes only for shifts that nobody believes in, it stands.

use serde::Serialize;

use super::drawn::drawn;
use super::pooled::{Coefficient, Options, analyse};
use crate::data::Data;
use crate::error::{Error, Result};
use crate::model::{Delta, Model, Shift};
use crate::run::Run;

/// Steps of a range when their number is not told.
const STEPS: usize = 9;
/// Steps of a range at most.
const MOST_STEPS: usize = 101;

/// Shifts of a column between two ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// The column.
    pub column: String,
    from: Shift,
    to: f64,
    steps: usize,
}

impl Range {
    /// Reads `COLUMN=FROM..TO` or `COLUMN=FROM..TO:STEPS`; `None` if it is no range.
    ///
    /// # Errors
    /// When it is a range and can't be read.
    pub fn parse(text: &str) -> Result<Option<Self>> {
        let Some((column, (from, to))) =
            text.split_once('=').and_then(|(column, range)| Some((column, range.split_once("..")?)))
        else {
            return Ok(None);
        };
        let wrong = || {
            Error::setting("delta", format!("`{text}` is not of the form COLUMN=FROM..TO:STEPS")).with_hint(
                "say income=-1sd..1sd:9, income=-1200..1200, income=*0.8..*1.2 or died=yes:-1..1:5",
            )
        };
        let (to, steps) = match to.split_once(':') {
            Some((to, steps)) => (to, steps.trim().parse::<usize>().map_err(|_| wrong())?),
            None => (to, STEPS),
        };
        let from = Shift::parse(from).ok_or_else(wrong)?;
        let to = match &from {
            Shift::LogOdds(level, _) => Shift::parse(&format!("{level}:{to}")),
            _ => Shift::parse(to),
        }
        .filter(|to| std::mem::discriminant(to) == std::mem::discriminant(&from))
        .ok_or_else(wrong)?;
        if !(2..=MOST_STEPS).contains(&steps) || from.size() >= to.size() {
            return Err(wrong());
        }
        Ok(Some(Self { column: column.trim().to_owned(), from, to: to.size(), steps }))
    }

    /// The shifts, from the smallest.
    pub fn shifts(&self) -> Vec<Delta> {
        let (from, steps) = (self.from.size(), self.steps as f64 - 1.0);
        let size = |step: usize| from + (self.to - from) * step as f64 / steps;
        let delta = |step| Delta { column: self.column.clone(), shift: self.from.sized(size(step)) };
        (0..self.steps).map(delta).collect()
    }

    /// The size of no shift at all.
    fn nothing(&self) -> f64 {
        if matches!(self.from, Shift::Times(_)) { 1.0 } else { 0.0 }
    }
}

/// What an interval says about a coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// It lies below 0.
    Below,
    /// It holds 0.
    Open,
    /// It lies above 0.
    Above,
}

impl Conclusion {
    fn of(one: &Coefficient) -> Self {
        match (one.pooled.low, one.pooled.high) {
            (low, _) if low > 0.0 => Self::Above,
            (_, high) if high < 0.0 => Self::Below,
            _ => Self::Open,
        }
    }

    /// As the end of a sentence about the coefficient.
    pub fn words(self) -> &'static str {
        match self {
            Self::Below => "lies below 0",
            Self::Open => "can't be told from 0",
            Self::Above => "lies above 0",
        }
    }
}

/// The analysis at one shift.
#[derive(Debug, Clone, Serialize)]
pub struct Step {
    /// The shift as it is written.
    pub shift: String,
    /// The number in it.
    pub size: f64,
    /// The pooled coefficients.
    pub coefficients: Vec<Coefficient>,
}

/// Where the conclusion on a coefficient changes.
#[derive(Debug, Clone, Serialize)]
pub struct Turn {
    /// The last shift, away from none, at which it holds, and the first at which it does not.
    pub between: (String, String),
    /// The shift in between at which an end of the interval reaches 0, if it moves evenly.
    pub about: String,
    /// What holds beyond.
    pub becomes: Conclusion,
}

/// How the analysis changes with a shift of one column's filled values.
#[derive(Debug, Clone, Serialize)]
pub struct Tipping {
    /// The column.
    pub column: String,
    /// Without a shift.
    pub unshifted: Step,
    /// With each shift, from the smallest.
    pub steps: Vec<Step>,
    /// For each coefficient what holds without a shift, and where that changes, downwards and upwards.
    pub conclusions: Vec<(String, Conclusion, Vec<Turn>)>,
}

impl Tipping {
    /// A sentence for every coefficient but the intercept.
    pub fn words(&self) -> Vec<String> {
        let places = 0..self.unshifted.coefficients.len();
        let explaining = places.filter(|place| !self.unshifted.coefficients[*place].is_intercept());
        explaining.map(|place| self.word(place)).collect()
    }

    /// What holds of a coefficient, and from which shift on it does not.
    pub fn word(&self, place: usize) -> String {
        let (term, holds, turns) = &self.conclusions[place];
        let ends = match (self.steps.first(), self.steps.last()) {
            (Some(first), Some(last)) => format!("from {} to {}", first.shift, last.shift),
            _ => String::new(),
        };
        if turns.is_empty() {
            return format!("`{term}` {} at every shift of `{}` {ends}.", holds.words(), self.column);
        }
        let turn = |turn: &Turn| {
            let Turn { between: (holds, not), about, becomes } = turn;
            format!("beyond about {about} (between {holds} and {not}) it {}", becomes.words())
        };
        let turns: Vec<String> = turns.iter().map(turn).collect();
        format!("`{term}` {} without a shift; {}.", holds.words(), turns.join(", "))
    }
}

/// Does the analysis again for every shift of a range, beside other shifts that stay.
///
/// # Errors
/// When a shift does not suit its column, an analysis has no answer, or the run was stopped.
pub fn tipping(
    formula: &str,
    (model, data): (&Model, &Data),
    range: &Range,
    others: &[Delta],
    draws: usize,
    options: &Options,
    run: &Run,
) -> Result<Tipping> {
    let options = Options { tests: Vec::new(), likelihood_ratio: false, ..options.clone() };
    let at = |delta: Delta| {
        let deltas: Vec<Delta> = others.iter().cloned().chain([delta.clone()]).collect();
        let completed = drawn(model, data, &deltas, draws, run)?;
        let analysis = analyse(formula, &completed, &options, run).map_err(|error| told(error, &delta))?;
        let (shift, size) = (delta.shift.to_string(), delta.shift.size());
        Ok(Step { shift, size, coefficients: analysis.coefficients })
    };
    let unshifted = at(Delta { column: range.column.clone(), shift: range.from.sized(range.nothing()) })?;
    let (shifts, part) = (range.shifts(), run.part("tipping point"));
    let mut steps = Vec::with_capacity(shifts.len());
    for (done, delta) in shifts.into_iter().enumerate() {
        part.progress(done as u64, range.steps as u64, delta.to_string());
        steps.push(at(delta)?);
    }
    part.finished();
    let conclusions =
        (0..unshifted.coefficients.len()).map(|place| conclusion(range, &unshifted, &steps, place));
    Ok(Tipping { column: range.column.clone(), conclusions: conclusions.collect(), unshifted, steps })
}

/// The error of an analysis with the shift that led to it.
fn told(error: Error, delta: &Delta) -> Error {
    match error {
        Error::Data { what, hint } => Error::Data { what: format!("with {delta}: {what}"), hint },
        other => other,
    }
}

/// What holds of a coefficient without a shift, and where that changes to either side.
fn conclusion(
    range: &Range,
    unshifted: &Step,
    steps: &[Step],
    place: usize,
) -> (String, Conclusion, Vec<Turn>) {
    let one = &unshifted.coefficients[place];
    let holds = Conclusion::of(one);
    let turn = |side: Vec<&Step>| {
        let mut last = unshifted;
        for step in side {
            let becomes = Conclusion::of(&step.coefficients[place]);
            if becomes != holds {
                let size = crossing(last, step, place, holds, becomes);
                let about = range.from.sized((size * 1e3).round() / 1e3).to_string();
                return Some(Turn { between: (last.shift.clone(), step.shift.clone()), about, becomes });
            }
            last = step;
        }
        None
    };
    let below = steps.iter().rev().filter(|step| step.size < unshifted.size).collect();
    let above = steps.iter().filter(|step| step.size > unshifted.size).collect();
    (one.term.clone(), holds, [turn(below), turn(above)].into_iter().flatten().collect())
}

/// Where the end of the interval that matters reaches 0 between two steps, on a straight line.
fn crossing(last: &Step, next: &Step, place: usize, holds: Conclusion, becomes: Conclusion) -> f64 {
    let end = |step: &Step| {
        let pooled = &step.coefficients[place].pooled;
        let above = if holds == Conclusion::Open { becomes } else { holds } == Conclusion::Above;
        if above { pooled.low } else { pooled.high }
    };
    let (before, after) = (end(last), end(next));
    last.size + (next.size - last.size) * before / (before - after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read() {
        let shifts = |text: &str| {
            let range = Range::parse(text).unwrap().unwrap();
            range.shifts().iter().map(Delta::to_string).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shifts("a=-1sd..1sd:3"), "a=-1sd a=+0sd a=+1sd");
        assert_eq!(shifts("a=*0.8..*1.2:3"), "a=*0.8 a=*1 a=*1.2");
        assert_eq!(
            shifts("died=yes:-1..1:5"),
            "died=yes:-1 died=yes:-0.5 died=yes:+0 died=yes:+0.5 died=yes:+1"
        );
        assert_eq!(shifts("a=0..900").split(' ').count(), STEPS);
        assert_eq!(Range::parse("a=+1sd").unwrap(), None);
        for text in ["a=1sd..-1sd", "a=0..1sd", "a=0..1:1", "a=0..1:x", "a=..", "a=0..1:5000"] {
            assert!(Range::parse(text).is_err(), "{text}");
        }
    }
}
