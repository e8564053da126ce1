#![doc = include_str!("README.md")]

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::linear::{Inputs, Strength, WeightedSum};
use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Design, Encoder, Missing};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::store::Arrays;

/// Bends of a number, at most.
const MOST_BENDS: usize = 50;

/// The entry of the list.
pub struct Additive;

/// The settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Places in which the effect of each number may bend.
    pub bends: usize,
    /// How strongly coefficients are pulled to 0.
    pub strength: Strength,
}

impl Default for Settings {
    fn default() -> Self {
        Self { bends: 4, strength: Strength::Auto }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        settings.strength.check()?;
        match settings.bends {
            0 => Err(Error::setting("bends", "without a bend effects are straight")
                .with_hint("use `linear`, or 1 or more")),
            1..=MOST_BENDS => Ok(settings),
            more => Err(Error::setting("bends", format!("{more} bends are more than {MOST_BENDS}"))),
        }
    }
}

static CARD: Card = Card {
    name: "additive",
    does: &[(Shape::Table, Job::Predict)],
    short_lists: &[(Shape::Table, Job::Predict)],
    cost: Cost::Medium,
    about: About {
        title: "Additive model: each column has a curve of its own",
        idea: "A sum of curves, one for each number, each a line that may bend at some quantiles of the column, and \
               of an effect for each level of a category. A missing cell adds nothing but the effect of being \
               missing. How strongly all of it is pulled to 0 is chosen by cross-validation.",
        paper: "Hastie and Tibshirani 1986 (additive models); Friedman and Silverman 1989 (hinges)",
        when: "A few hundred rows on which effects bend but do not depend on each other; curves can be read.",
        when_not: "Effects that depend on other columns (`trees`, `network`), or straight ones (`linear`).",
    },
    settings: &[
        Setting { name: "bends", help: "places in which the effect of each number may bend, at most" },
        Setting {
            name: "strength",
            help: "how strongly weights are pulled to 0: auto (by cross-validation) or a number above 0",
        },
    ],
    space: &[Axis::new("bends", Choices::Integers(2, 12))],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

/// Holes count as the mean, and one more input for each column with holes says "missing here".
fn design(encoder: &Encoder) -> Design {
    Design::new(encoder, Missing::MeanAndIndicator, 1.0)
}

impl Method for Additive {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let training = examples.training()?;
        let inputs = Inputs::bent(design(training.encoder), training.inputs, settings.bends);
        WeightedSum::learn(self.name(), inputs, training, settings.strength, run)
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        Settings::checked(settings)?;
        let (encoder, task) = layout.predicting()?;
        WeightedSum::load(Inputs::load(design(encoder), encoder, arrays)?, encoder, task, arrays)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::{Column, Kind, Table};
    use crate::encode::{Encoding, Targets, Task};
    use crate::metrics::Score;
    use crate::rng::Stream;

    /// A target that falls and rises again with one column, and what `linear` and this method make of it.
    #[test]
    fn effects_that_bend_are_followed() {
        let mut stream = Stream::new(2, "additive", 0, 0);
        let x: Vec<f64> = (0..400).map(|_| stream.normal()).collect();
        let y: Vec<f32> = x.iter().map(|x| (x.abs() + 0.1 * stream.normal()) as f32).collect();
        let cells: Vec<f64> =
            x.iter().enumerate().map(|(row, x)| if row % 9 == 0 { f64::NAN } else { *x }).collect();
        let table = Table::new(vec![Column::from_numbers("x", Kind::Real, &cells)]).unwrap();
        let encoder = Encoder::fit(&table, &["x".into()], Encoding::default()).unwrap();
        let rows = encoder.encode(&table, |_, _| {}).unwrap();
        let targets =
            Targets { task: Task::Regression, numbers: y, classes: vec![], weights: vec![1.0; 400] };
        let examples = Examples::Table { encoder: &encoder, rows: &rows, targets: Some(&targets) };
        let run = Run::new(1, 1).unwrap();
        let loss = |method: &dyn Method| {
            let fitted = method.fit(&method.defaults(), examples, &run).unwrap();
            let names =
                fitted.summary()["coefficients"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            let answers = fitted.predictor().unwrap().predict(&rows.clone().into()).unwrap();
            (Score::of(&answers, &targets).loss(), names)
        };
        let ((bent, names), (straight, _)) = (loss(&Additive), loss(&crate::methods::linear::Linear));
        assert!(bent < 0.3 && straight > 0.5, "{bent} {straight}");
        assert!(names.iter().filter(|name| name.starts_with("x beyond ")).count() == 4, "{names:?}");
    }

    #[test]
    fn no_bend_is_another_method() {
        let error = Additive.check(&json!({ "bends": 0 })).unwrap_err();
        assert!(error.to_string().contains("straight"), "{error}");
        assert!(Additive.check(&json!({ "bends": 51 })).is_err());
    }
}
