//! What a trained network says of rows: several latents for each, with their weights.
//!
//! A latent that was drawn from the encoder's distribution q is weighed by how likely the row is under it,
//!
//! ```text
//! w_k ∝ p(x_o | z_k) p(z_k) / q(z_k | x_o)
//! ```
//!
//! so that averages over latents are averages over p(z | x_o) itself, however rough q is, if only there are enough of
//! them; and a latent that is picked with chance w_k is (nearly) drawn from it (sampling, importance, resampling).

use rayon::prelude::*;

use super::layout::{Layout, Visit};
use crate::methods::generative::Cells;
use crate::methods::generative::density::log_sum_exp;
use crate::nn::{Engine, Parameters, Plain, infer_latents};

const LOG_TWO_PI: f64 = 1.837_877_066_409_345_3;

/// What is said of some rows.
pub struct Posterior {
    /// `[B K, outputs]`
    pub outputs: Vec<f32>,
    /// `[B K, numbers]`: numbers known or drawn, where numbers hide themselves; else nothing.
    pub numbers: Vec<f32>,
    /// `[B K]`: log p(x_o, z_k) - β-weighted log q: the logarithms of the weights.
    pub logs: Vec<f64>,
    /// `[B K]`: log p(x_o | z_k), with that of the marks.
    pub likelihoods: Vec<f64>,
    /// `[B, 2L]`
    pub encoded: Vec<f32>,
}

impl Posterior {
    /// Of rows with noise.
    pub fn new(layout: &Layout, parameters: &Parameters, visit: Visit<'_>) -> Self {
        let encoded = encode(layout, parameters, visit.cells, visit.seen);
        Self::of_encoded(layout, parameters, visit, encoded, true)
    }

    /// Of rows with noise that the encoder has seen already. Where they are not weighed, no likelihood is computed.
    pub fn of_encoded(
        layout: &Layout,
        parameters: &Parameters,
        visit: Visit<'_>,
        encoded: Vec<f32>,
        weighs: bool,
    ) -> Self {
        let Visit { cells, per_row, noise, cell_noise, .. } = visit;
        let mut engine = Plain::new(parameters);
        let latents = infer_latents(&encoded, &noise, layout.latent, per_row);
        let z = engine.input(latents.clone(), cells.rows * per_row);
        let outputs = layout.network.decode(&mut engine, z).into_values();
        if !weighs {
            let (numbers, logs, likelihoods) = Default::default();
            return Self { outputs, numbers, logs, likelihoods, encoded };
        }
        let (features, latent) = (&layout.features, layout.latent);
        let (width, out, n) = (features.cells(), features.outputs(), features.numbers());
        let one = |place: usize| {
            let row = place / per_row;
            let own = row * width..(row + 1) * width;
            let (values, observed) = (&cells.values[own.clone()], &cells.observed[own]);
            let said = &outputs[place * out..(place + 1) * out];
            let mut likelihood =
                f64::from(features.log_likelihood(said, values, observed, &mut vec![0.0; out]));
            let numbers = layout.curves.as_ref().map_or_else(Vec::new, |curves| {
                let numbers =
                    curves.complete(said, values, observed, &cell_noise[place * n..(place + 1) * n]);
                likelihood += curves.log_chance_of(parameters, &numbers, observed);
                numbers
            });
            let drawn = place * latent..(place + 1) * latent;
            let prior = layout.prior.log_density_of(parameters, &latents[drawn.clone()]);
            let spreads = &encoded[(2 * row + 1) * latent..(2 * row + 2) * latent];
            let terms = noise[drawn].iter().zip(spreads);
            let own: f64 = terms.map(|(e, s)| f64::from(e * e) + f64::from(*s) + LOG_TWO_PI).sum();
            (numbers, likelihood, likelihood + layout.beta() * (prior + 0.5 * own))
        };
        let all: Vec<_> = (0..cells.rows * per_row).into_par_iter().with_min_len(8).map(one).collect();
        let (mut numbers, mut logs, mut likelihoods) = (Vec::new(), Vec::new(), Vec::new());
        for (own, likelihood, log) in all {
            numbers.extend(own);
            likelihoods.push(likelihood);
            logs.push(log);
        }
        Self { outputs, numbers, logs, likelihoods, encoded }
    }
}

/// The distributions of latents of some rows, `[B, 2L]`.
pub fn encode(layout: &Layout, parameters: &Parameters, cells: &Cells, seen: &[bool]) -> Vec<f32> {
    layout.encode(&mut Plain::new(parameters), cells, seen).into_values()
}

/// The weights of latents from their logarithms: they add up to 1.
pub fn weights(logs: &[f64]) -> Vec<f64> {
    let total = log_sum_exp(logs);
    logs.iter().map(|log| (log - total).exp()).collect()
}

/// The bound of each row, as it is trained on. `elbo`: each latent by itself, and the divergence in closed form where
/// it has one; else the logarithm of the mean of the weights.
pub fn bounds(layout: &Layout, parameters: &Parameters, visit: Visit<'_>, elbo: bool) -> Vec<f64> {
    let (rows, per_row) = (visit.cells.rows, visit.per_row);
    let found = Posterior::new(layout, parameters, visit);
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / per_row as f64;
    let one = |row: usize| {
        let own = row * per_row..(row + 1) * per_row;
        match (elbo, layout.prior.is_normal()) {
            (true, true) => {
                let (mean_of, s) =
                    found.encoded[2 * row * layout.latent..][..2 * layout.latent].split_at(layout.latent);
                let cell = |(m, s): (&f32, &f32)| {
                    let (m, s) = (f64::from(*m), f64::from(*s));
                    0.5 * (m * m + s.exp() - s - 1.0)
                };
                mean(&found.likelihoods[own]) - layout.beta() * mean_of.iter().zip(s).map(cell).sum::<f64>()
            }
            (true, false) => mean(&found.logs[own]),
            (false, _) => log_sum_exp(&found.logs[own]) - (per_row as f64).ln(),
        }
    };
    (0..rows).map(one).collect()
}
