#![doc = include_str!("README.md")]

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::over_time::{OverTime, Rule};
use super::{About, Card, Cost, Examples, Job, Layout, Learned, Method, Setting, defaults_of, parse};
use crate::data::Shape;
use crate::error::Result;
use crate::run::Run;
use crate::store::Arrays;

/// The entry of the list.
pub struct Interpolation;

/// What stands before the first and after the last known value.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Ends {
    #[default]
    Nearest,
    Mean,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    ends: Ends,
}

impl Settings {
    fn rule(self) -> Rule {
        match self.ends {
            Ends::Nearest => |known, time| between(known, time).unwrap_or_else(|end| end),
            Ends::Mean => |known, time| between(known, time).unwrap_or(0.0),
        }
    }
}

/// On the line between the values before and after a time; outside of them, the nearest.
fn between(known: &[(f64, f64)], time: f64) -> std::result::Result<f64, f64> {
    let after = known.partition_point(|(own, _)| *own < time);
    if after == 0 || after == known.len() {
        return Err(known[after.min(known.len() - 1)].1);
    }
    let ((from, left), (to, right)) = (known[after - 1], known[after]);
    Ok(left + (right - left) * (time - from) / (to - from))
}

static CARD: Card = Card {
    name: "interpolation",
    does: &[(Shape::Series, Job::Fill)],
    short_lists: &[(Shape::Series, Job::Fill)],
    cost: Cost::Low,
    about: About {
        title: "A straight line between the known values",
        idea: "A hole between two known values of a variable lies on the line between them, in time; outside of them it \
               is the nearest. A draw adds one of the errors that this makes on known values.",
        paper: "Du et al. 2024, TSI-Bench (few networks beat it)",
        when: "Always first: it needs nothing and is hard to beat where little is missing.",
        when_not: "Forecasts, long gaps, and variables that others tell.",
    },
    settings: &[Setting {
        name: "ends",
        help: "what stands before the first and after the last known value: nearest (of them) or mean (of the variable)",
    }],
    space: &[],
    defaults: defaults_of::<Settings>,
    check: |settings| parse::<Settings>(settings).map(drop),
};

impl Method for Interpolation {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (coder, rows) = examples.series()?;
        let rule = parse::<Settings>(settings)?.rule();
        Ok(Box::new(OverTime::fit(rule, coder, rows, run.seed())))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        Ok(Box::new(OverTime::load(parse::<Settings>(settings)?.rule(), layout, arrays)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lead_from_one_value_to_the_next() {
        let known = [(1.0, 5.0), (3.0, 9.0)];
        let (nearest, mean) = (Settings::default().rule(), Settings { ends: Ends::Mean }.rule());
        assert_eq!([0.0, 1.5, 2.0, 4.0].map(|time| nearest(&known, time)), [5.0, 6.0, 7.0, 9.0]);
        assert_eq!([0.0, 2.0, 4.0].map(|time| mean(&known, time)), [0.0, 7.0, 0.0]);
    }
}
