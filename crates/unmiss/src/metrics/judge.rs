//! Every figure by which predictions are judged, in one list, for any weights of the rows.

use serde::{Deserialize, Serialize};

use super::ranking::Ranked;
use super::{SMALLEST_PROBABILITY, most_probable};
use crate::encode::{Targets, Task};
use crate::error::{Error, Result, nearest};

/// A figure by which predictions are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Mean negative logarithm of the true class's probability.
    LogLoss,
    /// Mean squared distance of the probabilities from what came true, summed over classes (of two: of the second).
    Brier,
    /// Area under the ROC curve; for more than two classes the mean of one against the rest.
    Auroc,
    /// Area under the curve of precision by recall; for more than two classes the mean of one against the rest.
    PrAuc,
    /// Share of rows whose class is told.
    Accuracy,
    /// The mean over classes of the share of their rows that is told.
    BalancedAccuracy,
    /// Harmonic mean of precision and recall of the second class; for more than two the mean over classes.
    F1,
    /// Share of the rows of the second of two classes that is told.
    Sensitivity,
    /// Share of the rows of the first of two classes that is told.
    Specificity,
    /// Share of the rows said to be of the second of two classes that are.
    Precision,
    /// Root of the mean squared error.
    Rmse,
    /// Mean absolute error.
    Mae,
    /// Share of the variance that is explained.
    R2,
}

/// All of them, with the words that users say and read.
const LIST: [(Metric, &str, &str); 13] = [
    (Metric::LogLoss, "log-loss", "log-loss"),
    (Metric::Auroc, "auroc", "AUROC"),
    (Metric::PrAuc, "pr-auc", "PR-AUC"),
    (Metric::Brier, "brier", "Brier score"),
    (Metric::Accuracy, "accuracy", "accuracy"),
    (Metric::BalancedAccuracy, "balanced-accuracy", "balanced accuracy"),
    (Metric::F1, "f1", "F1"),
    (Metric::Sensitivity, "sensitivity", "sensitivity"),
    (Metric::Specificity, "specificity", "specificity"),
    (Metric::Precision, "precision", "precision"),
    (Metric::Rmse, "rmse", "RMSE"),
    (Metric::Mae, "mae", "MAE"),
    (Metric::R2, "r2", "R2"),
];

impl Metric {
    /// The word for it in options and files.
    pub fn name(self) -> &'static str {
        LIST.iter().find(|(own, ..)| *own == self).map_or("", |(_, name, _)| name)
    }

    /// What it is called in texts.
    pub fn title(self) -> &'static str {
        LIST.iter().find(|(own, ..)| *own == self).map_or("", |(.., title)| title)
    }

    /// The figure of a name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self> {
        let found = LIST.iter().find(|(_, own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(metric, ..)| *metric).ok_or_else(|| {
            let names: Vec<&str> = LIST.iter().map(|(_, name, _)| *name).collect();
            let hint = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", names.join(", ")),
            };
            Error::setting("metric", format!("there is no figure `{name}`")).with_hint(hint)
        })
    }

    /// Those of a task, in the order in which they are told.
    pub fn of_task(task: Task) -> impl Iterator<Item = Self> {
        LIST.iter().map(|(metric, ..)| *metric).filter(move |metric| metric.is_of(task))
    }

    /// Whether it judges such predictions.
    pub fn is_of(self, task: Task) -> bool {
        let numbers = matches!(self, Self::Rmse | Self::Mae | Self::R2);
        match task {
            Task::Regression => numbers,
            Task::Classification { classes: 2 } => !numbers,
            Task::Classification { .. } => {
                !numbers && !matches!(self, Self::Sensitivity | Self::Specificity | Self::Precision)
            }
        }
    }

    /// Refuses a figure that does not judge such predictions.
    ///
    /// # Errors
    /// When it is of another task.
    pub fn check(self, task: Task) -> Result<()> {
        if self.is_of(task) {
            return Ok(());
        }
        let names: Vec<&str> = Self::of_task(task).map(Self::name).collect();
        let what = match task {
            Task::Regression => "numbers are predicted",
            Task::Classification { .. } => "classes are predicted, or more than two",
        };
        Err(Error::setting("metric", format!("`{}` can't judge this: {what}", self.name()))
            .with_hint(format!("for this target there are {}", names.join(", "))))
    }

    /// Whether more of it is worse.
    pub fn is_loss(self) -> bool {
        matches!(self, Self::LogLoss | Self::Brier | Self::Rmse | Self::Mae)
    }

    /// The same figure turned so that lower is better; what does not exist is worst.
    pub fn cost(self, value: f64) -> f64 {
        match (value.is_nan(), self.is_loss()) {
            (true, _) => f64::INFINITY,
            (false, true) => value,
            (false, false) => -value,
        }
    }

    /// Whether it depends on the probability from which on a row is said to be of the second class, so that this can
    /// be chosen by it.
    pub fn has_threshold(self) -> bool {
        matches!(self, Self::Accuracy | Self::BalancedAccuracy | Self::F1)
    }
}

/// Figures with their values.
pub type Figures = Vec<(Metric, f64)>;

/// The value of one of them; NaN if it is not there.
pub fn figure(figures: &[(Metric, f64)], metric: Metric) -> f64 {
    figures.iter().find(|(own, _)| *own == metric).map_or(f64::NAN, |(_, value)| *value)
}

/// Predictions of rows whose targets are known, taken apart so that figures follow quickly for any weights.
pub struct Judge<'a> {
    /// The rows' own weights.
    weights: Vec<f64>,
    rows: Rows<'a>,
}

enum Rows<'a> {
    /// Errors and truths.
    Numbers { errors: Vec<f64>, truths: &'a [f64] },
    /// Chances, what is true and what is said of each row, and the order of the rows by the chance of each class that
    /// is ranked.
    Classes {
        classes: usize,
        chances: &'a [f64],
        truth: &'a [u32],
        said: Vec<usize>,
        ranked: Vec<(usize, Ranked)>,
        /// Logarithmic and squared loss of each row.
        losses: Vec<(f64, f64)>,
    },
}

impl<'a> Judge<'a> {
    /// Takes predicted numbers apart.
    pub fn of_numbers(predictions: &[f64], truths: &'a [f64], weights: &[f32]) -> Self {
        let errors = predictions.iter().zip(truths).map(|(own, truth)| own - truth).collect();
        Self { weights: doubles(weights), rows: Rows::Numbers { errors, truths } }
    }

    /// Takes chances of classes `[rows, classes]` apart. Of two classes the second is said from the chance `threshold`
    /// on; without one, the most probable class is.
    pub fn of_classes(chances: &'a [f64], targets: &'a Targets, threshold: Option<f64>) -> Self {
        let classes = targets.task.outputs();
        let column =
            |class: usize| -> Vec<f64> { chances.iter().skip(class).step_by(classes).copied().collect() };
        let all = if classes == 2 { 1..2 } else { 0..classes };
        let rows = Rows::Classes {
            classes,
            chances,
            truth: &targets.classes,
            said: chances.chunks_exact(classes).map(|row| class_said(row, threshold)).collect(),
            losses: chances.chunks_exact(classes).zip(&targets.classes).map(losses).collect(),
            ranked: all.map(|class| (class, Ranked::new(&column(class)))).collect(),
        };
        Self { weights: doubles(&targets.weights), rows }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.weights.len()
    }

    /// The rows' own weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// All figures there are for the task, with the rows' own weights.
    pub fn figures(&self) -> Figures {
        self.weighted(&self.weights)
    }

    /// All figures there are for the task, with other weights.
    pub fn weighted(&self, weights: &[f64]) -> Figures {
        match &self.rows {
            Rows::Numbers { errors, truths } => of_numbers(errors, truths, weights),
            Rows::Classes { .. } => self.of_chances(weights),
        }
    }

    /// `[true class][class that is said]`: how many rows; empty for numbers.
    pub fn confusion(&self) -> Vec<Vec<usize>> {
        let table = self.weighted_confusion(&vec![1.0; self.rows()]);
        table.into_iter().map(|row| row.into_iter().map(|count| count as usize).collect()).collect()
    }

    fn weighted_confusion(&self, weights: &[f64]) -> Vec<Vec<f64>> {
        let Rows::Classes { classes, said, truth, .. } = &self.rows else { return Vec::new() };
        let mut table = vec![vec![0.0; *classes]; *classes];
        for ((truth, said), weight) in truth.iter().zip(said).zip(weights) {
            table[*truth as usize][*said] += weight;
        }
        table
    }

    fn of_chances(&self, weights: &[f64]) -> Figures {
        let Rows::Classes { truth, ranked, losses, .. } = &self.rows else { return Vec::new() };
        let (mut total, mut loss, mut brier) = (0.0, 0.0, 0.0);
        for ((logarithmic, squared), weight) in losses.iter().zip(weights) {
            total += weight;
            loss += weight * logarithmic;
            brier += weight * squared;
        }
        let table = Table(self.weighted_confusion(weights));
        let area = |of: &dyn Fn(usize, &Ranked) -> f64| {
            mean(ranked.iter().map(|(class, ranked)| of(*class, ranked)).filter(|area| area.is_finite()))
        };
        let positive = |class: usize| move |row: usize| truth[row] as usize == class;
        let mut figures = vec![
            (Metric::LogLoss, loss / total),
            (Metric::Auroc, area(&|class, ranked| ranked.auroc(positive(class), |row| weights[row]))),
            (Metric::PrAuc, area(&|class, ranked| ranked.pr_auc(positive(class), |row| weights[row]))),
            (Metric::Brier, brier / total),
        ];
        figures.extend(table.figures());
        figures
    }

    /// The chance of the second of two classes from which on to say it, so that a figure is best, and the figure then;
    /// `None` where there is nothing to choose. Of several that are as good the one nearest to a half.
    pub fn best_threshold(&self, metric: Metric) -> Option<(f64, f64)> {
        let Rows::Classes { classes: 2, chances, truth, ranked, .. } = &self.rows else { return None };
        if !metric.has_threshold() {
            return None;
        }
        let ranked = &ranked.first()?.1;
        let steps = || ranked.steps(|row| truth[row] == 1, |row| self.weights[row]);
        let (all_up, all_down) = steps().fold((0.0, 0.0), |(up, down), step| (up + step.0, down + step.1));
        let values: Vec<f64> = ranked.rows_of_steps().map(|row| chances[2 * row + 1]).collect();
        let (mut up, mut down, mut best) = (0.0, 0.0, None::<(f64, f64)>);
        for (place, step) in steps().enumerate() {
            (up, down) = (up + step.0, down + step.1);
            // Halfway to the next lower chance, so that a rounded chance stays on its side.
            let threshold = (values[place] + values.get(place + 1).copied().unwrap_or(0.0)) / 2.0;
            let table = Table(vec![vec![all_down - down, down], vec![all_up - up, up]]);
            let value = figure(&table.figures(), metric);
            let better = best.is_none_or(|(least, found)| {
                value > found + 1e-12
                    || (value > found - 1e-12 && (threshold - 0.5).abs() < (least - 0.5).abs())
            });
            if better && value.is_finite() {
                best = Some((threshold, value));
            }
        }
        best
    }
}

/// Logarithmic and squared loss of a row of chances, of which a class is true.
fn losses((chances, truth): (&[f64], &u32)) -> (f64, f64) {
    let truth = *truth as usize;
    let distance = |class: usize| (chances[class] - f64::from(u8::from(class == truth))).powi(2);
    let from = usize::from(chances.len() == 2);
    (-chances[truth].max(SMALLEST_PROBABILITY).ln(), (from..chances.len()).map(distance).sum())
}

/// The class that is said of a row of chances.
pub fn class_said(chances: &[f64], threshold: Option<f64>) -> usize {
    match (threshold, chances) {
        (Some(threshold), [_, second]) => usize::from(*second >= threshold),
        _ => most_probable(chances),
    }
}

/// `[true class][class that is said]`: the weight of the rows.
struct Table(Vec<Vec<f64>>);

impl Table {
    fn figures(&self) -> Figures {
        let classes = 0..self.0.len();
        let true_rows = |class: usize| self.0[class].iter().sum::<f64>();
        let said_rows = |class: usize| self.0.iter().map(|row| row[class]).sum::<f64>();
        let right = |class: usize| self.0[class][class];
        let recall = |class: usize| right(class) / true_rows(class);
        let f1 = |class: usize| 2.0 * right(class) / (true_rows(class) + said_rows(class));
        let total: f64 = classes.clone().map(true_rows).sum();
        let there = |of: &dyn Fn(usize) -> f64| mean(classes.clone().map(of).filter(|own| own.is_finite()));
        let mut figures = vec![
            (Metric::Accuracy, classes.clone().map(right).sum::<f64>() / total),
            (Metric::BalancedAccuracy, there(&recall)),
            (Metric::F1, if self.0.len() == 2 { f1(1) } else { there(&f1) }),
        ];
        if self.0.len() == 2 {
            figures.push((Metric::Sensitivity, recall(1)));
            figures.push((Metric::Specificity, recall(0)));
            figures.push((Metric::Precision, right(1) / said_rows(1)));
        }
        figures
    }
}

fn doubles(weights: &[f32]) -> Vec<f64> {
    weights.iter().map(|weight| f64::from(*weight)).collect()
}

fn of_numbers(errors: &[f64], truths: &[f64], weights: &[f64]) -> Figures {
    let (mut total, mut squares, mut absolute, mut sum) = (0.0, 0.0, 0.0, 0.0);
    for ((error, truth), weight) in errors.iter().zip(truths).zip(weights) {
        total += weight;
        squares += weight * error * error;
        absolute += weight * error.abs();
        sum += weight * truth;
    }
    let center = sum / total;
    let spread = truths.iter().zip(weights).map(|(truth, weight)| weight * (truth - center).powi(2));
    let variance = spread.sum::<f64>() / total;
    let mean_square = squares / total;
    let r2 = if variance > 0.0 { 1.0 - mean_square / variance } else { f64::NAN };
    vec![(Metric::Rmse, mean_square.sqrt()), (Metric::Mae, absolute / total), (Metric::R2, r2)]
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(truth: &[u32]) -> Targets {
        let weights = vec![1.0; truth.len()];
        Targets {
            task: Task::Classification { classes: 2 },
            numbers: vec![],
            classes: truth.to_vec(),
            weights,
        }
    }

    fn chances(second: &[f64]) -> Vec<f64> {
        second.iter().flat_map(|p| [1.0 - p, *p]).collect()
    }

    /// Counted by hand: 3 of 8 rows are positive.
    #[test]
    fn figures_are_those_of_the_textbook() {
        let truth = two(&[1, 0, 1, 0, 0, 1, 0, 0]);
        let chances = chances(&[0.9, 0.8, 0.6, 0.4, 0.3, 0.4, 0.2, 0.1]);
        let judge = Judge::of_classes(&chances, &truth, None);
        let figures = judge.figures();
        let value = |metric| figure(&figures, metric);
        assert_eq!(judge.confusion(), [[4, 1], [1, 2]]);
        for (metric, expected) in [
            (Metric::Precision, 2.0 / 3.0),
            (Metric::Sensitivity, 2.0 / 3.0),
            (Metric::Specificity, 0.8),
            (Metric::F1, 2.0 / 3.0),
            (Metric::BalancedAccuracy, (2.0 / 3.0 + 0.8) / 2.0),
            (Metric::Accuracy, 0.75),
            (Metric::Auroc, 12.5 / 15.0),
            (Metric::PrAuc, (1.0 + 2.0 / 3.0 + 3.0 / 5.0) / 3.0),
        ] {
            assert!((value(metric) - expected).abs() < 1e-12, "{metric:?}: {} {expected}", value(metric));
        }
        assert!(Metric::of_task(truth.task).all(|metric| value(metric).is_finite()));
    }

    #[test]
    fn a_threshold_is_chosen_by_what_counts() {
        // Rare events, never more probable than not: accuracy says nobody, F1 and balanced accuracy say the upper ones.
        let truth = two(&[0, 0, 0, 0, 0, 0, 1, 0, 1]);
        let chances = chances(&[0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.2, 0.07, 0.3]);
        let judge = Judge::of_classes(&chances, &truth, None);
        assert_eq!(figure(&judge.figures(), Metric::Sensitivity), 0.0);
        let (threshold, value) = judge.best_threshold(Metric::F1).unwrap();
        assert!((threshold - 0.135).abs() < 1e-12 && (value - 1.0).abs() < 1e-12, "{threshold} {value}");
        let told = Judge::of_classes(&chances, &truth, Some(threshold));
        assert_eq!(figure(&told.figures(), Metric::F1), 1.0);
        assert_eq!(judge.best_threshold(Metric::Auroc), None);
    }

    #[test]
    fn weights_count_as_so_many_rows() {
        let once = Judge::of_numbers(&[1.5, 2.0, 3.0], &[1.0, 2.0, 4.0], &[1.0, 2.0, 1.0]).figures();
        let twice = Judge::of_numbers(&[1.5, 2.0, 2.0, 3.0], &[1.0, 2.0, 2.0, 4.0], &[1.0; 4]).figures();
        assert!(once.iter().zip(&twice).all(|(a, b)| (a.1 - b.1).abs() < 1e-12), "{once:?} {twice:?}");
        assert!((figure(&once, Metric::Mae) - 1.5 / 4.0).abs() < 1e-12);
    }

    #[test]
    fn names_are_found_and_figures_of_another_task_refused() {
        assert_eq!(Metric::named("F1").unwrap(), Metric::F1);
        assert!(Metric::named("auc-pr").unwrap_err().hint().is_some());
        assert!(Metric::Rmse.check(Task::Classification { classes: 2 }).is_err());
        assert!(Metric::Sensitivity.check(Task::Classification { classes: 3 }).is_err());
        assert!(Metric::F1.check(Task::Classification { classes: 3 }).is_ok());
    }
}
