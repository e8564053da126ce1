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
pub struct LastValue;

/// What stands before the first known value.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Before {
    #[default]
    First,
    Mean,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    before: Before,
}

impl Settings {
    fn rule(self) -> Rule {
        match self.before {
            Before::First => |known, time| last(known, time).unwrap_or(known[0].1),
            Before::Mean => |known, time| last(known, time).unwrap_or(0.0),
        }
    }
}

/// The last known value before a time.
fn last(known: &[(f64, f64)], time: f64) -> Option<f64> {
    let before = known.partition_point(|(own, _)| *own < time);
    before.checked_sub(1).map(|place| known[place].1)
}

static CARD: Card = Card {
    name: "last-value",
    does: &[(Shape::Series, Job::Fill)],
    short_lists: &[(Shape::Series, Job::Fill)],
    cost: Cost::Low,
    about: About {
        title: "The last known value of the variable",
        idea: "A hole gets the last value of the variable that was known before it, before the first known one that. A \
               draw adds one of the errors that this makes on known values.",
        paper: "",
        when: "As the yardstick for series, and where a value holds until another one is written down.",
        when_not: "Values that drift between two examinations: `interpolation` knows the next one too.",
    },
    settings: &[Setting {
        name: "before",
        help: "what stands before the first known value: first (that value) or mean (of the variable)",
    }],
    space: &[],
    defaults: defaults_of::<Settings>,
    check: |settings| parse::<Settings>(settings).map(drop),
};

impl Method for LastValue {
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
    fn a_value_holds_until_the_next() {
        let known = [(1.0, 5.0), (3.0, 7.0)];
        let (first, mean) = (Settings::default().rule(), Settings { before: Before::Mean }.rule());
        assert_eq!([0.0, 1.5, 2.9, 3.1, 9.0].map(|time| first(&known, time)), [5.0, 5.0, 5.0, 7.0, 7.0]);
        assert_eq!(mean(&known, 0.0), 0.0);
    }
}
