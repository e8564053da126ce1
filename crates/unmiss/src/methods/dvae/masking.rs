//! Numbers that hide themselves (not-MIWAE: Ipsen, Mattei and Frellsen 2021): the chance that a number x_j is missing
//! follows a curve of its own value,
//!
//! ```text
//! P(missing_j | x) = sigmoid(w_j x_j + c_j),     w = u (learned), softplus(u) (high) or -softplus(u) (low)
//! ```
//!
//! x_j is the known value, or the one drawn with a latent where it is missing, so that learning weighs which values a
//! hole may have had. Columns without a hole in training have no curve. It is an assumption: the data can't tell it
//! from another one.

use burn::Tensor;
use burn::tensor::TensorData;
use burn::tensor::activation::softplus;

use super::settings::Direction;
use crate::methods::generative::density::deviation;
use crate::nn::{Lent, Parameters, training_device};

/// The smallest deviation of a drawn number; that of the likelihood.
const LEAST_DEVIATION: f32 = 0.03;

/// The curves; their arrays u and c begin at `first`.
#[derive(Debug, Clone)]
pub struct Curves {
    /// The share of rows in which each number is missing.
    rates: Vec<f64>,
    direction: Direction,
    first: usize,
}

/// A batch for the curves. Letters: N latents of all rows, n numbers.
pub struct Masked {
    /// `[N, n]`: the values, 0 where missing.
    pub values: Vec<f32>,
    /// `[N, n]`: 1 where known.
    pub known: Vec<f32>,
    /// `[N, n]`: standard normal.
    pub noise: Vec<f32>,
}

impl Curves {
    /// For columns that are missing at these rates.
    pub fn new(rates: Vec<f64>, direction: Direction, first: usize) -> Self {
        Self { rates, direction, first }
    }

    /// Adds the first values: flat, or nearly, at the column's share of holes.
    pub fn add_parameters(&self, parameters: &mut Parameters) {
        let width = self.rates.len();
        // softplus(-2) is 0.13.
        let start = if self.direction == Direction::Learned { 0.0 } else { -2.0 };
        parameters.add("masking/slope", [1, width], || start);
        let mut rates = self.rates.iter().map(|rate| rate.clamp(1e-3, 1.0 - 1e-3));
        parameters.add("masking/level", [1, width], || {
            rates.next().map_or(0.0, |rate| (rate / (1.0 - rate)).ln() as f32)
        });
    }

    /// The shares of rows in which numbers are missing.
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }

    /// How steep each column's curve is: above 0 where large values tend to be missing.
    pub fn slopes(&self, parameters: &Parameters) -> Vec<f64> {
        let slope = |u: &f32| {
            let size = f64::from(*u).exp().ln_1p();
            match self.direction {
                Direction::Learned => f64::from(*u),
                Direction::High => size,
                Direction::Low => -size,
            }
        };
        parameters[self.first].values.iter().map(slope).collect()
    }

    /// `log P(marks | x)` of N latents, `[N, 1]`: x is known or drawn from the decoder's outputs.
    pub fn log_chance(&self, parameters: &Lent, outputs: &Tensor<2>, batch: Masked) -> Tensor<2> {
        let n = self.rates.len();
        let rows = outputs.dims()[0];
        let tensor = |numbers: Vec<f32>, rows: usize| {
            Tensor::<2>::from_data(TensorData::new(numbers, [rows, n]), &training_device())
        };
        let holed = self.rates.iter().map(|rate| f32::from(u8::from(*rate > 0.0))).collect();
        // +1 where missing, -1 where known.
        let sign = batch.known.iter().map(|known| 1.0 - 2.0 * known).collect();
        let (known, sign) = (tensor(batch.known, rows), tensor(sign, rows));
        let mean = outputs.clone().slice([0..rows, 0..n]);
        let spread = softplus(outputs.clone().slice([0..rows, n..2 * n]), 1.0) + LEAST_DEVIATION;
        let drawn = mean + spread * tensor(batch.noise, rows);
        let x = tensor(batch.values, rows) + drawn * (known * -1.0 + 1.0);
        let u = parameters.tensor::<2>(self.first);
        let slope = match self.direction {
            Direction::Learned => u,
            Direction::High => softplus(u, 1.0),
            Direction::Low => -softplus(u, 1.0),
        };
        let score = (x * slope + parameters.tensor::<2>(self.first + 1)) * sign;
        -(softplus(-score, 1.0) * tensor(holed, 1)).sum_dim(1)
    }

    /// The numbers of a row, known or drawn with given noise from a decoder's outputs.
    pub fn complete(&self, outputs: &[f32], values: &[f32], observed: &[bool], noise: &[f32]) -> Vec<f32> {
        let n = self.rates.len();
        let cell = |place: usize| match observed[place] {
            true => values[place],
            false => outputs[place] + deviation(outputs[n + place]).0 as f32 * noise[place],
        };
        (0..n).map(cell).collect()
    }

    /// `log P(marks | x)` of one row.
    pub fn log_chance_of(&self, parameters: &Parameters, numbers: &[f32], observed: &[bool]) -> f64 {
        let levels = &parameters[self.first + 1].values;
        let column = |(place, slope): (usize, f64)| {
            let score = slope * f64::from(numbers[place]) + f64::from(levels[place]);
            let score = if observed[place] { -score } else { score };
            // log sigmoid, without an exponential that overflows.
            score.min(0.0) - (-score.abs()).exp().ln_1p()
        };
        let holed = self.slopes(parameters).into_iter().enumerate().filter(|own| self.rates[own.0] > 0.0);
        holed.map(column).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::product::tests::random;

    #[test]
    fn training_and_filling_have_the_same_chances() {
        for direction in [Direction::Learned, Direction::High, Direction::Low] {
            let curves = Curves::new(vec![0.4, 0.0, 0.2], direction, 0);
            let mut parameters = Parameters::new();
            curves.add_parameters(&mut parameters);
            parameters[0].values = random(3, "slopes");
            let (outputs, noise) = (random(12, "outputs"), random(6, "noise"));
            let (values, observed) =
                ([0.7, 0.0, 0.0, 0.0, 0.3, -1.0], [true, false, false, false, true, true]);
            let tensor = Tensor::from_data(TensorData::new(outputs.clone(), [2, 6]), &training_device());
            let known = observed.iter().map(|known| f32::from(u8::from(*known))).collect();
            let batch = Masked { values: values.to_vec(), known, noise: noise.clone() };
            let taped = curves.log_chance(&parameters.tensors(), &tensor, batch);
            let taped: Vec<f32> = taped.into_data().try_into_vec().unwrap();
            for row in 0..2 {
                let own = 3 * row..3 * row + 3;
                let (outputs, observed) = (&outputs[6 * row..6 * row + 6], &observed[own.clone()]);
                let x = curves.complete(outputs, &values[own.clone()], observed, &noise[own]);
                let plain = curves.log_chance_of(&parameters, &x, observed);
                assert!(
                    (f64::from(taped[row]) - plain).abs() < 1e-5,
                    "{direction:?}: {} {plain}",
                    taped[row]
                );
            }
        }
    }
}
