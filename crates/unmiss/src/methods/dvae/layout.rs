//! The variational autoencoder: everything but its weights, and the bound that it is trained on.
//!
//! Letters: B rows of a batch, K latents of each, L numbers of a latent, x_o the known cells of a row, x_s those of
//! them that the encoder sees, μ and s = log σ² what it says, ε noise.
//!
//! ```text
//! z_k = μ(x_s) + σ(x_s) ⊙ ε_k
//!
//! K = 1, normal prior   bound = log p(x_o | z) - β Σ_l max(KL_l, λ)      KL_l = -½ (1 + s_l - μ_l² - σ_l²)
//! else                  bound = log 1/K Σ_k exp( log p(x_o | z_k) + β (log p(z_k) - log q(z_k | x_s)) )
//! ```
//!
//! Whatever part of a row the encoder sees, the bound lies below log p(x_o) (β = 1, λ = 0), and the second one comes
//! nearer to it as K grows (Burda et al. 2016; for data with holes Mattei and Frellsen 2019). λ is compared with the
//! mean of KL_l over the batch. With numbers that hide themselves, log P(marks | x) is added to log p(x_o | z_k).

use burn::Tensor;

use super::masking::{Curves, Masked};
use super::prior::{PriorLayout, log_sum};
use super::settings::Settings;
use crate::data::Shape;
use crate::error::Result;
use crate::methods::generative::{Cells, Ends, Features, Network};
use crate::nn::{Activation, Engine, Lent, Parameters, Shape as ImageShape, Taped, latents, row_terms};
use crate::store::Arrays;

/// Log-variances lie between minus and plus this.
const WIDEST: f32 = 10.0;

/// The layout.
pub struct Layout {
    /// The cells of a row.
    pub features: Features,
    /// Encoder and decoder.
    pub network: Network,
    /// The distribution of latents.
    pub prior: PriorLayout,
    /// Curves of numbers that hide themselves.
    pub curves: Option<Curves>,
    /// L.
    pub latent: usize,
    beta: f32,
    free_bits: f32,
}

/// Some rows, what the encoder sees of them, and noise.
pub struct Visit<'a> {
    /// The rows.
    pub cells: &'a Cells,
    /// `[B, cells]`
    pub seen: &'a [bool],
    /// K.
    pub per_row: usize,
    /// `[B K, L]`
    pub noise: Vec<f32>,
    /// `[B K, numbers]`, where numbers hide themselves.
    pub cell_noise: Vec<f32>,
}

impl Layout {
    /// For settings and cells; `rates` are the shares of rows in which numbers are missing.
    ///
    /// # Errors
    /// When images are too large.
    pub fn new(
        settings: &Settings,
        shape: Shape,
        features: Features,
        canvas: Option<ImageShape>,
        rates: Vec<f64>,
    ) -> Result<Self> {
        let latent = settings.latents(shape, features.cells());
        let ends = Ends { inputs: features.inputs(), code: 2 * latent, latent, outputs: features.outputs() };
        let network = Network::new(&settings.form(shape), ends, canvas)?;
        let prior = PriorLayout::new(settings, latent, network.arrays());
        let first = network.arrays() + prior.arrays();
        let curves = settings.depends_on_itself().then(|| Curves::new(rates, settings.direction, first));
        let (beta, free_bits) = (settings.beta as f32, settings.free_bits as f32);
        Ok(Self { features, network, prior, curves, latent, beta, free_bits })
    }

    /// Weights with their first values.
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut parameters = self.network.parameters(seed);
        self.prior.add_parameters(&mut parameters, seed);
        if let Some(curves) = &self.curves {
            curves.add_parameters(&mut parameters);
        }
        parameters
    }

    /// Weights from a file.
    ///
    /// # Errors
    /// When arrays are missing or have another shape.
    pub fn load(&self, arrays: &Arrays) -> Result<Parameters> {
        self.network.check(arrays)?;
        let mut parameters = self.parameters(0);
        parameters.load(arrays)?;
        Ok(parameters)
    }

    /// μ and s of rows, `[B, 2L]`, from what is seen of them.
    pub fn encode<E: Engine>(&self, engine: &mut E, cells: &Cells, seen: &[bool]) -> E::Value {
        let input = engine.input(self.features.inputs_of(cells, seen), cells.rows);
        let code = self.network.encode(engine, input);
        let mean = engine.columns(code.clone(), 0..self.latent);
        let s = engine.columns(code, self.latent..2 * self.latent);
        let s = engine.scale_shift(s, 1.0 / WIDEST, 0.0);
        let s = engine.activate(s, Activation::Tanh);
        let s = engine.scale_shift(s, WIDEST, 0.0);
        engine.beside(mean, s)
    }

    /// The mean over rows of minus the bound, on the tape.
    pub fn loss(&self, engine: &mut Taped<'_>, parameters: &Lent, visit: Visit<'_>) -> Tensor<1> {
        let Visit { cells, seen, per_row, noise, cell_noise } = visit;
        let (rows, width) = (cells.rows, self.features.cells());
        let encoded = self.encode(engine, cells, seen);
        let z = latents(encoded.clone(), noise.clone(), per_row);
        let outputs = self.network.decode(engine, z.clone());
        let mut likelihood = row_terms(outputs.clone(), |row, line, gradient| {
            let own = row / per_row * width..(row / per_row + 1) * width;
            let (values, observed) = (&cells.values[own.clone()], &cells.observed[own]);
            self.features.log_likelihood(line, values, observed, gradient)
        });
        if let Some(curves) = &self.curves {
            let batch = masked(cells, self.features.numbers(), width, per_row, cell_noise);
            likelihood = likelihood + curves.log_chance(parameters, &outputs, batch);
        }
        if per_row == 1 && self.prior.is_normal() {
            return divergence(encoded, self.free_bits) * self.beta - likelihood.mean();
        }
        // log q(z_k) = -½ Σ_l (ε² + s + log 2π): it depends on the encoder through s alone.
        let squares: Vec<f32> =
            noise.chunks(self.latent.max(1)).map(|own| own.iter().map(|e| e * e).sum()).collect();
        let squares = engine.input(squares, rows);
        let spread = encoded.slice([0..rows, self.latent..2 * self.latent]).sum_dim(1);
        let constant = (2.0 * std::f64::consts::PI).ln() as f32 * self.latent as f32;
        let posterior = (squares + spread + constant) * -0.5; // [B, K]
        let prior = self.prior.log_density(parameters, z).reshape([rows, per_row]);
        let weights = likelihood.reshape([rows, per_row]) + (prior - posterior) * self.beta;
        -(log_sum(weights).mean() - (per_row as f32).ln())
    }

    /// The factor on what latents cost.
    pub fn beta(&self) -> f64 {
        f64::from(self.beta)
    }
}

/// The mean over rows of `Σ_l KL(N(μ, σ²) ‖ N(0, 1))`, each l at least `free_bits`, from `[B, 2L]`.
fn divergence(encoded: Tensor<2>, free_bits: f32) -> Tensor<1> {
    let [rows, width] = encoded.dims();
    let mean = encoded.clone().slice([0..rows, 0..width / 2]);
    let s = encoded.slice([0..rows, width / 2..width]);
    let each = (mean.clone() * mean + s.clone().exp() - s - 1.0) * 0.5; // [B, L]
    let each = each.mean_dim(0);
    let each = if free_bits > 0.0 { each.clamp_min(free_bits) } else { each };
    each.sum()
}

/// The numbers of rows, each as often as it has latents.
fn masked(cells: &Cells, numbers: usize, width: usize, per_row: usize, noise: Vec<f32>) -> Masked {
    let (mut values, mut known) = (Vec::with_capacity(noise.len()), Vec::with_capacity(noise.len()));
    for (line, marks) in cells.values.chunks(width).zip(cells.observed.chunks(width)) {
        for _ in 0..per_row {
            values.extend_from_slice(&line[..numbers]);
            known.extend(marks[..numbers].iter().map(|known| f32::from(u8::from(*known))));
        }
    }
    Masked { values, known, noise }
}

#[cfg(test)]
mod tests {
    use burn::tensor::TensorData;

    use super::*;
    use crate::nn::training_device;

    /// `torch.distributions.kl_divergence(Normal(μ, σ), Normal(0, 1))`, summed over l and averaged over rows:
    /// μ = (0.5, -1), (0, 2), s = (0.2, -0.6), (0, 1).
    #[test]
    fn the_divergence_is_that_of_a_reference() {
        let encoded = vec![0.5, -1.0, 0.2, -0.6, 0.0, 2.0, 0.0, 1.0];
        let of = |free_bits: f32| {
            let tensor = Tensor::from_data(TensorData::new(encoded.clone(), [2, 4]), &training_device());
            divergence(tensor, free_bits).into_scalar::<f32>()
        };
        assert!((of(0.0) - 1.534_624).abs() < 1e-5, "{}", of(0.0));
        // The first number's mean divergence, 0.068, is raised; the second's, 1.467, is not.
        assert!((of(0.25) - 1.716_773).abs() < 1e-5, "{}", of(0.25));
    }
}
