//! The distribution that latents z are held to: standard normal, or a learned mixture of normals with diagonal
//! covariances (Jiang et al. 2017; Dilokthanakul et al. 2016),
//!
//! ```text
//! log p(z) = log Σ_c π_c N(z; m_c, diag v_c),     π = softmax(scores),   log v = 4 tanh(t / 4)
//! ```
//!
//! Letters: N latents, L numbers of each, C components.

use burn::Tensor;

use super::settings::{Prior, Settings};
use crate::methods::generative::density::log_sum_exp;
use crate::nn::{Lent, Parameters};
use crate::rng::Stream;

const LOG_TWO_PI: f64 = 1.837_877_066_409_345_3;
/// Log-variances of components lie between minus and plus this.
const WIDEST: f32 = 4.0;

/// The prior; a mixture's arrays begin at `first`: means, t, scores.
#[derive(Debug, Clone, Copy)]
pub struct PriorLayout {
    kind: Prior,
    components: usize,
    latent: usize,
    first: usize,
}

impl PriorLayout {
    /// For latents of so many numbers.
    pub fn new(settings: &Settings, latent: usize, first: usize) -> Self {
        Self { kind: settings.prior, components: settings.components, latent, first }
    }

    /// Whether it is the standard normal one, from which the divergence is known in closed form.
    pub fn is_normal(&self) -> bool {
        self.kind == Prior::Normal
    }

    /// How many arrays it has.
    pub fn arrays(&self) -> usize {
        if self.is_normal() { 0 } else { 3 }
    }

    /// Adds its first values: components somewhere in the standard normal distribution, of variance 1 and all alike.
    pub fn add_parameters(&self, parameters: &mut Parameters, seed: u64) {
        if self.is_normal() {
            return;
        }
        let mut stream = Stream::new(seed, "dvae prior", 0, 0);
        parameters.add("prior/means", [self.components, self.latent], || stream.normal() as f32);
        parameters.add("prior/spreads", [self.components, self.latent], || 0.0);
        parameters.add("prior/scores", [1, self.components], || 0.0);
        for index in self.first..self.first + 2 {
            parameters[index].decay = false;
        }
    }

    /// `log p(z)` of latents `[N, L]`: `[N, 1]`, on the tape.
    pub fn log_density(&self, parameters: &Lent, latents: Tensor<2>) -> Tensor<2> {
        let constant = (0.5 * LOG_TWO_PI * self.latent as f64) as f32;
        if self.is_normal() {
            return (latents.clone() * latents).sum_dim(1) * -0.5 - constant;
        }
        let tensor = |place: usize| parameters.tensor::<2>(self.first + place);
        let (means, scores) = (tensor(0), tensor(2));
        let log_variance = (tensor(1) / WIDEST).tanh() * WIDEST; // [C, L]
        let precision = (-log_variance.clone()).exp();
        // Σ (z - m)² / v, as z² (1/v)ᵀ - 2 z (m/v)ᵀ + Σ m²/v: products of matrices.
        let weighted = means.clone() * precision.clone();
        let squares = (latents.clone() * latents.clone()).matmul(precision.transpose())
            - latents.matmul(weighted.clone().transpose()) * 2.0
            + (means * weighted).sum_dim(1).transpose(); // [N, C]
        let logs = (squares + log_variance.sum_dim(1).transpose()) * -0.5 - constant;
        let weights = scores.clone() - log_sum(scores);
        log_sum(logs + weights)
    }

    /// `log p(z)` of one latent.
    pub fn log_density_of(&self, parameters: &Parameters, latent: &[f32]) -> f64 {
        let normal = |mean: &dyn Fn(usize) -> f64, log_variance: &dyn Fn(usize) -> f64| -> f64 {
            let one = |(place, z): (usize, &f32)| {
                let s = log_variance(place);
                (f64::from(*z) - mean(place)).powi(2) * (-s).exp() + s + LOG_TWO_PI
            };
            -0.5 * latent.iter().enumerate().map(one).sum::<f64>()
        };
        if self.is_normal() {
            return normal(&|_| 0.0, &|_| 0.0);
        }
        let array = |place: usize| &parameters[self.first + place].values;
        let scores: Vec<f64> = array(2).iter().map(|score| f64::from(*score)).collect();
        let total = log_sum_exp(&scores);
        let component = |component: usize| {
            let at = |place: usize, latent: usize| f64::from(array(place)[component * self.latent + latent]);
            let widest = f64::from(WIDEST);
            let own = normal(&|place| at(0, place), &|place| (at(1, place) / widest).tanh() * widest);
            scores[component] - total + own
        };
        log_sum_exp(&(0..self.components).map(component).collect::<Vec<_>>())
    }
}

/// The logarithm of the sum of exponentials of each row, `[N, C]` to `[N, 1]`.
pub fn log_sum(logs: Tensor<2>) -> Tensor<2> {
    let highest = logs.clone().detach().max_dim(1);
    (logs - highest.clone()).exp().sum_dim(1).log() + highest
}

#[cfg(test)]
mod tests {
    use burn::tensor::TensorData;

    use super::*;
    use crate::nn::product::tests::random;
    use crate::nn::training_device;

    #[test]
    fn training_and_filling_have_the_same_density() {
        for kind in [Prior::Normal, Prior::Mixture] {
            let settings = Settings { prior: kind, components: 4, ..Settings::default() };
            let prior = PriorLayout::new(&settings, 3, 0);
            let mut parameters = Parameters::new();
            prior.add_parameters(&mut parameters, 1);
            for (index, parameter) in parameters.iter_mut().enumerate().skip(1) {
                parameter.values = random(parameter.values.len(), &index.to_string());
            }
            assert_eq!(parameters.len(), prior.arrays());
            let latents = random(6, "latents");
            let tensor = Tensor::from_data(TensorData::new(latents.clone(), [2, 3]), &training_device());
            let taped: Vec<f32> =
                prior.log_density(&parameters.tensors(), tensor).into_data().try_into_vec().unwrap();
            for (row, latent) in latents.chunks(3).enumerate() {
                let plain = prior.log_density_of(&parameters, latent);
                assert!((f64::from(taped[row]) - plain).abs() < 1e-5, "{kind:?}: {} {plain}", taped[row]);
            }
        }
    }

    #[test]
    fn a_mixture_of_one_standard_component_is_the_normal_one() {
        let settings = Settings { prior: Prior::Mixture, components: 1, ..Settings::default() };
        let prior = PriorLayout::new(&settings, 2, 0);
        let mut parameters = Parameters::new();
        prior.add_parameters(&mut parameters, 1);
        parameters[0].values.fill(0.0);
        let wanted = -0.5 * (0.25 + 1.0) - LOG_TWO_PI;
        assert!((prior.log_density_of(&parameters, &[0.5, -1.0]) - wanted).abs() < 1e-9);
    }
}
