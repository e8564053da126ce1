//! What a choice found, as data: every figure of every method, part by part, for programs to read.

use serde::Serialize;
use serde_json::Value;

use super::choose::Choice;
use super::choosing::Division;
use super::evaluation::Evaluation;
use super::one_split::SplitChoice;
use super::ratings::RatingChoice;
use crate::encode::{Targets, Task};
use crate::metrics::{Figures, Judge, Metric, figure, mean_over_folds};

/// How methods did and what was made of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found<'a> {
    /// How it was measured: `cross-validation`, or `held-out`.
    pub measured: &'static str,
    /// Folds of a cross-validation.
    pub folds: Option<usize>,
    /// Rows, images, series or ratings that were measured on.
    pub rows: usize,
    /// Which rows were never parted.
    pub division: Division,
    /// What methods were ordered by, where it was told.
    pub metric: Option<Metric>,
    /// What the model is first, then the others, the best first.
    pub methods: Vec<MethodFound>,
    /// What each method counts in a mean of several.
    pub weights: Vec<Weight>,
    /// Methods that could not be fitted or were given up, and why.
    pub failures: &'a [String],
    /// The choice in words.
    pub words: Vec<String>,
    /// Every figure of the model on rows that it did not see.
    pub evaluation: Option<&'a Evaluation>,
}

/// How one method did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodFound {
    /// Its name.
    pub method: &'static str,
    /// All its settings.
    pub settings: Value,
    /// Seconds of fitting and predicting.
    pub seconds: f64,
    /// Every figure, in the user's units.
    pub figures: Vec<FoldFigure>,
}

/// A figure of a method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoldFigure {
    /// Which.
    pub metric: Metric,
    /// Its mean over folds.
    pub mean: Option<f64>,
    /// Half the 95 % interval of the mean, where there are several folds.
    pub half: Option<f64>,
    /// The figure of each fold.
    pub folds: Vec<Option<f64>>,
}

/// What a method counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Weight {
    /// The method.
    pub method: &'static str,
    /// Its share of the mean.
    pub weight: f64,
}

impl Choice {
    /// Everything that was found, as data.
    pub fn found(&self) -> Found<'_> {
        let unit = self.evaluation.deviation.unwrap_or(1.0);
        let mut ends = Vec::new();
        for size in &self.fold_sizes {
            ends.push((
                ends.last().map_or(0, |(_, end)| *end),
                ends.last().map_or(0, |(_, end)| *end) + size,
            ));
        }
        let outputs = self.truth.task.outputs();
        let methods = self.entries.iter().map(|entry| {
            let of_fold = |&(from, to): &(usize, usize)| {
                let rows: Vec<usize> = (from..to).collect();
                figures(&entry.predictions[from * outputs..to * outputs], &self.truth.select(&rows), unit)
            };
            MethodFound {
                method: entry.recipe.method.name(),
                settings: entry.recipe.settings.clone(),
                seconds: entry.seconds,
                figures: over_folds(&ends.iter().map(of_fold).collect::<Vec<_>>(), self.test_share()),
            }
        });
        Found {
            measured: "cross-validation",
            folds: Some(self.folds),
            rows: self.rows.len(),
            division: self.division.clone(),
            metric: self.metric,
            methods: methods.collect(),
            weights: self.weights.iter().map(|&(method, weight)| Weight { method, weight }).collect(),
            failures: &self.failures,
            words: self.words(),
            evaluation: Some(&self.evaluation),
        }
    }
}

impl SplitChoice {
    /// Everything that was found, as data.
    pub fn found(&self) -> Found<'_> {
        let unit = self.evaluation.as_ref().and_then(|own| own.deviation).unwrap_or(1.0);
        let methods = self.entries.iter().map(|entry| MethodFound {
            method: entry.recipe.method.name(),
            settings: entry.recipe.settings.clone(),
            seconds: entry.seconds,
            figures: over_folds(&[figures(&entry.predictions, &self.truth, unit)], 0.0),
        });
        Found {
            measured: "held-out",
            folds: None,
            rows: self.held_out.len(),
            division: Division::Free,
            metric: None,
            methods: methods.collect(),
            weights: Vec::new(),
            failures: &self.failures,
            words: self.words().into_iter().collect(),
            evaluation: self.evaluation.as_ref(),
        }
    }
}

impl RatingChoice {
    /// Everything that was found, as data.
    pub fn found(&self) -> Found<'_> {
        let methods = self.entries.iter().map(|entry| MethodFound {
            method: entry.recipe.method.name(),
            settings: entry.recipe.settings.clone(),
            seconds: entry.seconds,
            figures: over_folds(
                &[vec![(Metric::Rmse, entry.score.rmse), (Metric::Mae, entry.score.mae)]],
                0.0,
            ),
        });
        Found {
            measured: "held-out",
            folds: None,
            rows: self.entries.first().map_or(0, |entry| entry.score.count),
            division: Division::Free,
            metric: None,
            methods: methods.collect(),
            weights: Vec::new(),
            failures: &[],
            words: self.words().into_iter().collect(),
            evaluation: None,
        }
    }
}

/// All figures of answers `[rows, outputs]` in model units, in the user's units.
fn figures(answers: &[f64], truth: &Targets, unit: f64) -> Figures {
    match truth.task {
        Task::Regression => {
            let scaled = |y: f64| unit * y;
            let truths: Vec<f64> = truth.numbers.iter().map(|y| scaled(f64::from(*y))).collect();
            let answers: Vec<f64> = answers.iter().copied().map(scaled).collect();
            Judge::of_numbers(&answers, &truths, &truth.weights).figures()
        }
        Task::Classification { .. } => Judge::of_classes(answers, truth, None).figures(),
    }
}

fn over_folds(folds: &[Figures], test_share: f64) -> Vec<FoldFigure> {
    let known = |value: f64| value.is_finite().then_some(value);
    let of = |metric: Metric| {
        let values: Vec<f64> = folds.iter().map(|own| figure(own, metric)).collect();
        let (mean, half) = mean_over_folds(&values, test_share);
        let folds = values.into_iter().map(known).collect();
        FoldFigure { metric, mean: known(mean), half: known(half), folds }
    };
    folds.first().into_iter().flatten().map(|(metric, _)| of(*metric)).collect()
}
