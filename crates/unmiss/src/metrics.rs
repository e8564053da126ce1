//! Scores of predictions on held-out rows. Every score takes row weights; lower [`Score::loss`] is better.

mod calibration;
mod filled;
mod ranking;
mod judge;
mod pixels;
mod similarity;
mod values;

use serde::{Deserialize, Serialize};

use crate::encode::{Targets, Task};

pub use calibration::{CalibrationLine, CalibrationPoint, ClassCalibration, share_of};
pub use filled::{ColumnError, fill_errors};
pub use judge::{Figures, Judge, Metric, class_said, figure};
pub use pixels::PixelError;
pub use ranking::Ranked;
pub use similarity::structural_similarity;
pub use values::ValueError;

/// Probabilities are kept this far from 0 and 1 before a logarithm is taken.
const SMALLEST_PROBABILITY: f64 = 1e-12;

/// How well predictions fit held-out targets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "task")]
pub enum Score {
    /// Of numbers, in units of the training target's standard deviation.
    Regression {
        /// Root of the mean squared error.
        rmse: f64,
        /// Mean absolute error.
        mae: f64,
        /// Share of the held-out variance that is explained.
        r2: f64,
    },
    /// Of class probabilities.
    Classification {
        /// Mean negative logarithm of the true class's probability.
        log_loss: f64,
        /// Share of rows whose most probable class is the true one.
        accuracy: f64,
        /// Area under the ROC curve for two classes; the mean of one-against-rest areas for more.
        auroc: f64,
    },
}

/// A loss for putting methods in order: what is no number is the worst, whatever its sign.
pub fn ranked(loss: f64) -> f64 {
    if loss.is_nan() { f64::INFINITY } else { loss }
}

impl Score {
    /// Scores predictions `[rows, outputs]` in model units.
    pub fn of(predictions: &[f64], targets: &Targets) -> Self {
        match targets.task {
            Task::Regression => regression(predictions, targets),
            Task::Classification { classes } => classification(predictions, targets, classes),
        }
    }

    /// The figure methods are chosen by: root mean squared error or log-loss.
    pub fn loss(&self) -> f64 {
        match self {
            Self::Regression { rmse, .. } => *rmse,
            Self::Classification { log_loss, .. } => *log_loss,
        }
    }

    /// The same for putting methods in order: what is no number is the worst.
    pub fn ranked_loss(&self) -> f64 {
        ranked(self.loss())
    }

    /// The figure people ask for: R2 or area under the ROC curve. Higher is better.
    pub fn headline(&self) -> f64 {
        match self {
            Self::Regression { r2, .. } => *r2,
            Self::Classification { auroc, .. } => *auroc,
        }
    }
}

fn regression(predictions: &[f64], targets: &Targets) -> Score {
    let (mut total, mut squares, mut absolute, mut sum, mut sum_squares) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for ((predicted, truth), weight) in predictions.iter().zip(&targets.numbers).zip(&targets.weights) {
        let (truth, weight) = (f64::from(*truth), f64::from(*weight));
        let error = predicted - truth;
        total += weight;
        squares += weight * error * error;
        absolute += weight * error.abs();
        sum += weight * truth;
        sum_squares += weight * truth * truth;
    }
    let variance = sum_squares / total - (sum / total).powi(2);
    let mean_square = squares / total;
    let r2 = if variance > 0.0 { 1.0 - mean_square / variance } else { f64::NAN };
    Score::Regression { rmse: mean_square.sqrt(), mae: absolute / total, r2 }
}

fn classification(predictions: &[f64], targets: &Targets, classes: usize) -> Score {
    let (mut total, mut loss, mut right) = (0.0, 0.0, 0.0);
    for ((row, truth), weight) in
        predictions.chunks_exact(classes).zip(&targets.classes).zip(&targets.weights)
    {
        let (truth, weight) = (*truth as usize, f64::from(*weight));
        total += weight;
        loss -= weight * row[truth].max(SMALLEST_PROBABILITY).ln();
        right += if most_probable(row) == truth { weight } else { 0.0 };
    }
    let area = |class: usize| {
        let scores: Vec<f64> = predictions.iter().skip(class).step_by(classes).copied().collect();
        let positive: Vec<bool> = targets.classes.iter().map(|truth| *truth as usize == class).collect();
        auroc(&scores, &positive, &targets.weights)
    };
    let areas: Vec<f64> = if classes == 2 {
        vec![area(1)]
    } else {
        (0..classes).map(area).filter(|area| area.is_finite()).collect()
    };
    let auroc = areas.iter().sum::<f64>() / areas.len() as f64;
    Score::Classification { log_loss: loss / total, accuracy: right / total, auroc }
}

/// Position of the largest probability; the first of equals.
pub fn most_probable(probabilities: &[f64]) -> usize {
    let mut best = 0;
    for (class, probability) in probabilities.iter().enumerate() {
        if *probability > probabilities[best] {
            best = class;
        }
    }
    best
}

/// The area under the curve of precision by recall: the mean of the precision at each positive row, those with the same
/// score taken together.
pub fn auprc(scores: &[f64], positive: &[bool]) -> f64 {
    Ranked::new(scores).pr_auc(|row| positive[row], |_| 1.0)
}

/// Probability that a positive row scores above a negative one, ties counted half; NaN if a side is empty.
pub fn auroc(scores: &[f64], positive: &[bool], weights: &[f32]) -> f64 {
    Ranked::new(scores).auroc(|row| positive[row], |row| f64::from(weights[row]))
}

/// Mean and half width of its 95 % interval over folds that share training rows: the corrected resampled t
/// of Nadeau and Bengio, whose variance is (1/k + test/train) times that of the folds.
pub fn mean_over_folds(values: &[f64], test_share: f64) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 {
        return (mean, f64::NAN);
    }
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let corrected = variance * (1.0 / count + test_share / (1.0 - test_share));
    (mean, student_t_95(values.len() - 1) * corrected.sqrt())
}

/// The 97.5 % point of Student's t.
fn student_t_95(degrees: usize) -> f64 {
    use statrs::distribution::{ContinuousCDF, StudentsT};
    StudentsT::new(0.0, 1.0, degrees as f64).map_or(1.96, |student| student.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(truth: &[u32]) -> Targets {
        let weights = vec![1.0; truth.len()];
        Targets {
            task: Task::Classification { classes: 2 },
            numbers: vec![],
            classes: truth.to_vec(),
            weights,
        }
    }

    #[test]
    fn a_perfect_prediction_scores_perfectly() {
        let Score::Classification { log_loss, accuracy, auroc } =
            Score::of(&[1.0, 0.0, 0.0, 1.0], &classes(&[0, 1]))
        else {
            panic!("classes give a classification score")
        };
        assert_eq!((log_loss.abs(), accuracy, auroc), (0.0, 1.0, 1.0));
    }

    #[test]
    fn areas_count_ties_half_and_weights() {
        let positive = [true, false, true, false];
        assert_eq!(auroc(&[0.5; 4], &positive, &[1.0; 4]), 0.5);
        assert_eq!(auroc(&[0.9, 0.8, 0.3, 0.1], &positive, &[1.0; 4]), 0.75);
        // The pair (row 2, row 1) is the one in the wrong order: without row 1's weight it does not count.
        assert_eq!(auroc(&[0.9, 0.8, 0.3, 0.1], &positive, &[1.0, 0.0, 1.0, 1.0]), 1.0);
    }

    #[test]
    fn the_mean_explains_nothing() {
        let targets = Targets {
            task: Task::Regression,
            numbers: vec![1.0, 2.0, 3.0],
            classes: vec![],
            weights: vec![1.0; 3],
        };
        let Score::Regression { rmse, r2, .. } = Score::of(&[2.0; 3], &targets) else { panic!("a number") };
        assert!(r2.abs() < 1e-12 && (rmse - (2.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn folds_widen_the_interval() {
        // scipy.stats.t.ppf(0.975, 4) = 2.7764451052; five folds of a fifth: variance x (1/5 + 1/4).
        let (mean, half) = mean_over_folds(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.2);
        assert!((mean - 3.0).abs() < 1e-12);
        assert!((half - 2.776_445_105 * (2.5_f64 * 0.45).sqrt()).abs() < 1e-6, "{half}");
    }
}
