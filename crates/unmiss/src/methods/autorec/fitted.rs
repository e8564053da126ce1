//! A fitted AutoRec: hidden units of the known rows, weights of the outputs.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Settings;
use super::learner::{Picked, ROWS_AT_ONCE};
use crate::data::ratings::{Compressed, Ratings};
use crate::error::{Error, Result};
use crate::linalg::{Mat, solve};
use crate::methods::vectors::{Vectors, dot};
use crate::methods::{ByRow, Learned, Recommender};
use crate::nn::product::{Matrix, product};
use crate::nn::sparse::{Batch, Halves, Pattern, Squash, one_ahead};
use crate::store::Arrays;

/// How much the average user's bias counts in that of a new user, in ratings.
const BIAS_DAMPING: f64 = 5.0;

/// What there is to say about a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    pub k: f32,
    pub best_epoch: usize,
    pub epochs: usize,
    pub validation: Option<f64>,
}

impl Fit {
    /// The mean of several fits, with the K that they share.
    pub fn mean_of(fits: &[Self]) -> Self {
        let mean = |part: &dyn Fn(&Self) -> f64| fits.iter().map(part).sum::<f64>() / fits.len() as f64;
        let scores: Option<Vec<f64>> = fits.iter().map(|fit| fit.validation).collect();
        Self {
            k: fits[0].k,
            best_epoch: mean(&|fit| fit.best_epoch as f64).round() as usize,
            epochs: mean(&|fit| fit.epochs as f64).round() as usize,
            validation: scores.map(|scores| scores.iter().sum::<f64>() / scores.len() as f64),
        }
    }
}

pub(super) struct Fitted {
    settings: Settings,
    fit: Fit,
    network: Halves,
    /// `[rows, hidden]`, from the known ratings.
    codes: Vec<f32>,
    /// The column of nobody in particular: mean weights, and last the mean bias.
    average: Vec<f32>,
}

impl Fitted {
    pub fn new(settings: Settings, fit: Fit, network: Halves, ratings: &Ratings) -> Result<Self> {
        let (rows, hidden) = (settings.vectors.of(ratings), network.hidden());
        let all: Vec<u32> = (0..rows.rows() as u32).collect();
        let mut codes: Vec<f32> = Vec::new();
        // Rows without ratings cost nothing in a file but as much as any other here.
        codes.try_reserve_exact(all.len().saturating_mul(hidden)).map_err(|_| {
            let what = format!("{} rows with {hidden} hidden units each are too many", all.len());
            Error::data(what).with_hint("fit with fewer hidden units or members, or use more memory")
        })?;
        let make = |some: &[u32]| {
            let Picked { starts, columns, values } =
                Picked::new(some, |row| rows.entries(row), |known| settings.factor(fit.k, known));
            let inputs = Pattern::new(rows.columns, starts, columns);
            let nothing = Pattern::new(rows.columns, vec![0; some.len() + 1], Vec::new());
            Batch::new(Arc::new(inputs), &values, Arc::new(nothing), Vec::new())
        };
        one_ahead(all.chunks(ROWS_AT_ONCE), make, |batch| codes.extend(network.encoder.codes(&batch)));
        let average = average(&network, &rows.transposed());
        Ok(Self { settings, fit, network, codes, average })
    }

    pub fn load(settings: Settings, ratings: &Ratings, arrays: &Arrays) -> Result<Self> {
        let columns = settings.vectors.of(ratings).columns;
        // Of a training that was stopped, fewer members than asked for may have come.
        let hidden = arrays.shape("hidden bias").map_or(0, |shape| shape.iter().product::<usize>());
        let members = (hidden / settings.hidden).clamp(1, settings.members);
        let hidden = settings.hidden * members;
        let network = Halves::load([columns, hidden, columns], Squash::Sigmoid, arrays)?;
        let fit = arrays.doubles("fit", &[3])?;
        let fit = Fit {
            k: arrays.finite_single("k")?,
            best_epoch: fit[0] as usize,
            epochs: fit[1] as usize,
            validation: Some(fit[2]).filter(|score| score.is_finite()),
        };
        Self::new(settings, fit, network, ratings)
    }

    /// How many networks there are: those asked for, or fewer if training was stopped.
    fn members(&self) -> usize {
        self.network.hidden() / self.settings.hidden
    }

    fn code(&self, row: usize) -> &[f32] {
        &self.codes[row * self.network.hidden()..][..self.network.hidden()]
    }

    fn score(&self, user: u32, item: u32) -> f32 {
        let (row, column) = self.settings.vectors.cell(user, item);
        self.output(self.code(row as usize), column)
    }

    /// The hidden units of a row with these ratings.
    fn hide(&self, given: &[(u32, f32)]) -> Vec<f32> {
        let factor = self.settings.factor(self.fit.k, given.len());
        let mut sums = self.network.encoder.hidden_bias();
        for (column, value) in given {
            let weights = self.network.encoder.input(*column as usize);
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += factor * value * weight);
        }
        sums.into_iter().map(|sum| 1.0 / (1.0 + (-sum).exp())).collect()
    }

    /// What the network says of a column for a row with these hidden units.
    fn output(&self, code: &[f32], column: u32) -> f32 {
        self.network.bias[column as usize] + dot(self.network.weight(column as usize), code)
    }

    /// Weights and, last, bias of a column with these ratings of rows, the rows' hidden units H fixed:
    ///
    /// ```text
    /// min over w, b of Σ (r - b - w·h)² + M decay/2 |w - w̄|² + damping (b - b̄)²
    /// ```
    ///
    /// M networks side by side vote for the same, so each unit counts 1/M. In terms of one α for each rating:
    /// `(2/(M decay) H H' + 1/damping + I) α = r - b̄ - H w̄`, `w = w̄ + 2/(M decay) H'α`, `b = b̄ + Σ α / damping`.
    fn ridge(&self, given: &[(u32, f32)]) -> Vec<f32> {
        let hidden = self.network.hidden();
        let (mean_weights, mean_bias) = (&self.average[..hidden], self.average[hidden]);
        let codes: Vec<&[f32]> = given.iter().map(|(row, _)| self.code(*row as usize)).collect();
        let width = 2.0 / (self.settings.decay.max(1e-6) * self.members() as f64);
        let lower = Mat::from_fn(given.len(), given.len(), |i, j| {
            let alike =
                if j <= i { width * f64::from(dot(codes[i], codes[j])) + 1.0 / BIAS_DAMPING } else { 0.0 };
            alike + if i == j { 1.0 } else { 0.0 }
        });
        let rest: Vec<f64> = given
            .iter()
            .zip(&codes)
            .map(|((_, value), code)| f64::from(value - mean_bias - dot(mean_weights, code)))
            .collect();
        let alphas = if given.is_empty() { Some(Vec::new()) } else { solve(lower, &rest) };
        let alphas = alphas.unwrap_or_else(|| vec![0.0; given.len()]);
        let mut solution = self.average.clone();
        for (alpha, code) in alphas.iter().zip(&codes) {
            let step = (width * alpha) as f32;
            solution[..hidden].iter_mut().zip(*code).for_each(|(weight, h)| *weight += step * h);
        }
        solution[hidden] += (alphas.iter().sum::<f64>() / BIAS_DAMPING) as f32;
        solution
    }
}

/// Mean weights and bias of the outputs, each counting by its number of ratings.
fn average(network: &Halves, columns: &Compressed) -> Vec<f32> {
    let mut sums = vec![0.0_f64; network.hidden() + 1];
    for (column, bias) in network.bias.iter().enumerate() {
        let count = columns.count(column as u32) as f64;
        let all = network.weight(column).iter().chain(std::iter::once(bias));
        sums.iter_mut().zip(all).for_each(|(sum, weight)| *sum += count * f64::from(*weight));
    }
    let total = columns.values.len().max(1) as f64;
    sums.into_iter().map(|sum| (sum / total) as f32).collect()
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.network.save();
        arrays.put_singles("k", &[1], vec![self.fit.k]);
        let Fit { best_epoch, epochs, validation, .. } = self.fit;
        let fit = vec![best_epoch as f64, epochs as f64, validation.unwrap_or(f64::INFINITY)];
        arrays.put_doubles("fit", &[3], fit);
        arrays
    }

    fn summary(&self) -> Value {
        let Fit { k, best_epoch, epochs, validation } = self.fit;
        let mut summary =
            json!({ "k": k, "best_epoch": best_epoch, "epochs": epochs, "validation_rmse": validation });
        // The figures above are then means over the networks, each on the ratings that it set aside.
        if self.settings.members > 1 {
            summary["networks"] = json!(self.members());
        }
        summary
    }

    fn recommender(&self) -> Option<&dyn Recommender> {
        Some(self)
    }
}

impl Recommender for Fitted {
    fn rate(&self, pairs: &[(u32, u32)]) -> Vec<f32> {
        pairs.iter().map(|(user, item)| self.score(*user, *item)).collect()
    }

    fn rate_all(&self, users: &[u32]) -> Vec<f32> {
        let hidden = self.network.hidden();
        let bias = &self.network.bias;
        let gather = |rows: &dyn Fn(usize) -> Vec<f32>| -> Vec<f32> {
            users.iter().flat_map(|user| rows(*user as usize)).collect()
        };
        let (left, right) = match self.settings.vectors {
            Vectors::User => (gather(&|user| self.code(user).to_vec()), &self.network.weights),
            Vectors::Item => (gather(&|user| self.network.weight(user).to_vec()), &self.codes),
        };
        let items = right.len() / hidden;
        let right = Matrix::new(right, items, hidden).transposed();
        let mut scores = product(Matrix::new(&left, users.len(), hidden), right);
        for (row, user) in scores.chunks_exact_mut(items.max(1)).zip(users) {
            match self.settings.vectors {
                Vectors::User => row.iter_mut().zip(bias).for_each(|(score, bias)| *score += bias),
                Vectors::Item => row.iter_mut().for_each(|score| *score += bias[*user as usize]),
            }
        }
        scores
    }

    fn fold_in(&self, given: &[(u32, f32)], items: &[u32]) -> Vec<f32> {
        match self.settings.vectors {
            Vectors::User => {
                let code = self.hide(given);
                items.iter().map(|item| self.output(&code, *item)).collect()
            }
            Vectors::Item => {
                let column = self.ridge(given);
                let (weights, bias) = (&column[..self.network.hidden()], column[self.network.hidden()]);
                items.iter().map(|item| bias + dot(weights, self.code(*item as usize))).collect()
            }
        }
    }

    fn by_row(&self) -> Option<&dyn ByRow> {
        Some(self)
    }
}

impl ByRow for Fitted {
    fn vectors(&self) -> Vectors {
        self.settings.vectors
    }

    fn rate_cell(&self, _: u32, given: &[(u32, f32)], column: u32) -> f32 {
        self.output(&self.hide(given), column)
    }
}
