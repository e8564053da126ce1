#![doc = include_str!("README.md")]

mod choose;
mod clouds;
mod likeness;
mod solved;
mod written;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Setting, defaults_of, gaussian,
    parse,
};
use crate::data::Shape;
use crate::encode::{Encoder, Encoding, Scale, Wide};
use crate::error::{Error, Result};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use clouds::Places;
use solved::Solved;

/// Encoded columns, at most: every pattern of holes costs their cube.
pub const MOST_COLUMNS: usize = 150;

/// The entry of the list.
pub struct Kernel;

/// The settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Rows that are learned from, at most.
    pub rows: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { rows: 3_000 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        match settings.rows {
            1..=20_000 => Ok(settings),
            rows => Err(Error::setting("rows", format!("{rows} is not between 1 and 20000"))),
        }
    }
}

static CARD: Card = Card {
    name: "kernel",
    does: &[(Shape::Table, Job::Predict)],
    short_lists: &[(Shape::Table, Job::Predict)],
    cost: Cost::High,
    about: About {
        title: "Gaussian process: alike rows have alike answers",
        idea: "The answer is a weighted sum over the training rows, each counting by how alike it is. A row with \
               holes is a cloud of places where it could be, given what is known of it, and what counts is the \
               expected likeness: the less is known, the nearer the answer stays to the mean. Reach, noise and \
               whether holes speak for themselves are chosen by leaving one row out at a time.",
        paper: "Rasmussen and Williams 2006; Girard et al. 2003 (uncertain inputs)",
        when: "Up to some thousand rows of numbers with smooth effects that depend on each other.",
        when_not: "Many columns that tell nothing; very many rows (3,000 are drawn); where a file must not hold rows.",
    },
    settings: &[Setting {
        name: "rows",
        help: "rows that are learned from, at most; the work grows with their cube",
    }],
    space: &[Axis::new("rows", Choices::Integers(1_000, 5_000))],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Kernel {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// Outliers are not alone in the world.
    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        Settings::checked(settings)?;
        Ok(Encoding { scale: Scale::Robust, ..Encoding::default() })
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let training = examples.training()?;
        let wide = fitting(training.encoder)?;
        let mut rows: Vec<usize> =
            (0..training.inputs.rows).filter(|row| training.targets.weights[*row] > 0.0).collect();
        if rows.is_empty() {
            return Err(Error::method("kernel", "there is no row with a weight above 0 to learn from"));
        }
        // Drawn, so that the first of them are a sample, too.
        Stream::new(run.seed(), "kernel rows", 0, 0).shuffle(&mut rows);
        rows.truncate(settings.rows);
        let (inputs, targets) = (training.inputs.select(&rows), training.targets.select(&rows));
        let places =
            run.compute(|| Places::new(training.encoder, gaussian::learn_default(&wide.widen(&inputs), run)));
        let solved = run.compute(|| Solved::learn(places, &inputs, &targets, run))?;
        run.finished();
        Ok(Box::new(solved))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        Settings::checked(settings)?;
        let (encoder, task) = layout.predicting()?;
        fitting(encoder)?;
        Ok(Box::new(Solved::load(encoder, task, arrays)?))
    }
}

/// The plain layout of columns, if it is not too wide.
fn fitting(encoder: &Encoder) -> Result<Wide> {
    let wide = Wide::new(encoder);
    match wide.columns() {
        0 => Err(Error::method("kernel", "no column has a value to learn from")),
        1..=MOST_COLUMNS => Ok(wide),
        columns => {
            let what = format!(
                "{columns} columns after categories became indicators are more than {MOST_COLUMNS}, which it can solve"
            );
            Err(Error::method("kernel", what).with_hint("use `linear` or `trees`, or leave columns out"))
        }
    }
}

#[cfg(test)]
mod tests;
