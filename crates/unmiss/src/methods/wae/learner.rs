//! Two players in one step. Letters: B images, z their codes `[B, L]`, D the discriminator's score, x̂ the decoder's
//! image.
//!
//! ```text
//! encoder, decoder   1/B Σ_known (x̂ - x)² + adversary · mean softplus(-D(z))          no gradient to D
//! discriminator      mean softplus(-D(draws)) + mean softplus(D(z))                     no gradient to z
//! ```
//!
//! softplus(-D) is -log sigmoid(D). Each player's arrays get the gradient of its own loss only, so one sum of both
//! losses serves both, each with a learning rate of its own.

use burn::Tensor;
use burn::tensor::activation::softplus;

use super::Autoencoder;
use crate::methods::generative::{Hiding, ImageCells, Parts, Source};
use crate::nn::train::{Learner, Moment};
use crate::nn::{Activation, Engine, Lent, Parameters, Taped, dense, row_terms};
use crate::rng::{Stream, mix};

/// Images judged at a time.
const AT_ONCE: usize = 256;

/// Dense layers with ReLU, then one score.
pub struct Discriminator {
    /// From the code's numbers to 1.
    pub widths: Vec<usize>,
    /// The index of its first array.
    pub first: usize,
    /// Its learning rate as a factor on that of the others.
    pub rate: f32,
}

impl Discriminator {
    /// Adds its first values (He).
    pub fn add_parameters(&self, parameters: &mut Parameters, seed: u64) {
        let mut stream = Stream::new(seed, "wae discriminator", 0, 0);
        for (layer, pair) in self.widths.windows(2).enumerate() {
            let bound = (6.0 / pair[0] as f64).sqrt();
            let draw = || ((2.0 * stream.uniform() - 1.0) * bound) as f32;
            let weight = parameters.add_dense(&format!("discriminator {layer}"), pair[0], pair[1], draw);
            (parameters[weight].rate, parameters[weight + 1].rate) = (self.rate, self.rate);
        }
    }

    /// Scores `[B, 1]` of codes; `fixed`: its weights get no gradient.
    fn scores(&self, parameters: &Lent, codes: Tensor<2>, fixed: bool) -> Tensor<2> {
        let array = |index: usize| {
            let array = parameters.tensor::<2>(index);
            if fixed { array.detach() } else { array }
        };
        let layers = self.widths.len() - 1;
        (0..layers).fold(codes, |hidden, layer| {
            let activation = if layer + 1 == layers { Activation::Identity } else { Activation::Relu };
            let first = self.first + 2 * layer;
            dense(hidden, array(first), array(first + 1), activation)
        })
    }
}

/// The network and its images.
pub struct Adversarial<'a> {
    /// The network.
    pub(super) parts: &'a Autoencoder,
    /// All images.
    pub source: &'a ImageCells<'a>,
    /// Which are learned from.
    pub images: &'a Parts,
    /// What is hidden.
    pub hiding: Hiding,
    /// Factor on the encoder's reward.
    pub adversary: f32,
    /// The run's seed, for the images set aside.
    pub seed: u64,
}

/// (sigmoid(score) - x)² and its slope.
fn squared(x: f32, score: f32) -> (f32, f32) {
    let image = 1.0 / (1.0 + (-score).exp());
    let difference = image - x;
    (difference * difference, 2.0 * difference * image * (1.0 - image))
}

impl Learner for Adversarial<'_> {
    fn rows(&self) -> usize {
        self.images.learning.len()
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let rows: Vec<usize> = rows.iter().map(|&row| self.images.learning[row]).collect();
        let cells = self.source.cells(&rows);
        let address = (moment.seed, moment.step);
        let seen = self.hiding.seen_of((&cells, &rows), self.source, self.images, address);
        let engine = &mut Taped::new(parameters, moment);
        let inputs = engine.input(self.parts.features.inputs_of(&cells, &seen), rows.len());
        let codes = self.parts.network.encode(engine, inputs);
        let scores = self.parts.network.decode(engine, codes.clone());
        let width = self.parts.features.cells();
        let error = row_terms(scores, |row, scores, gradient| {
            let own = row * width..(row + 1) * width;
            let known = cells.values[own.clone()].iter().zip(&cells.observed[own]).enumerate();
            let mut sum = 0.0;
            for (place, (x, _)) in known.filter(|(_, (_, known))| **known) {
                let (square, slope) = squared(*x, scores[place]);
                sum += square;
                gradient[place] = slope;
            }
            sum
        });
        let mut stream = Stream::new(moment.seed, "wae draws", moment.step, 0);
        let draws = (0..rows.len() * self.parts.latent).map(|_| stream.normal() as f32).collect();
        let draws = engine.input(draws, rows.len());
        let judge = &self.parts.discriminator;
        let reward = softplus(-judge.scores(parameters, codes.clone(), true), 1.0).mean();
        let told = softplus(-judge.scores(parameters, draws, false), 1.0).mean()
            + softplus(judge.scores(parameters, codes.detach(), false), 1.0).mean();
        error.mean() + reward * self.adversary + told
    }

    /// The root of the mean squared error of hidden pixels of images set aside; of all known ones where none is hidden.
    fn validate(&self, parameters: &Parameters) -> Option<f64> {
        let (mut hidden, mut known) = ([0.0, 0.0], [0.0, 0.0]);
        for rows in self.images.aside.chunks(AT_ONCE) {
            let cells = self.source.cells(rows);
            let address = (self.seed, u64::MAX);
            let seen = self.hiding.seen_of((&cells, rows), self.source, self.images, address);
            let scores = self.parts.decode(parameters, self.parts.codes(parameters, &cells, &seen));
            for place in (0..scores.len()).filter(|&place| cells.observed[place]) {
                let square = f64::from(squared(cells.values[place], scores[place]).0);
                let into = if seen[place] { &mut known } else { &mut hidden };
                (into[0], into[1]) = (into[0] + square, into[1] + 1.0);
            }
        }
        let [sum, count] = if hidden[1] > 0.0 { hidden } else { known };
        (count > 0.0).then(|| (sum / count).sqrt())
    }

    fn fingerprint(&self) -> u64 {
        mix([self.source.fingerprint(), u64::from(self.adversary.to_bits())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::product::tests::random;
    use crate::nn::training_device;
    use burn::tensor::TensorData;

    #[test]
    fn slopes_of_the_error_are_those_of_its_values() {
        for (x, score) in [(0.2, 0.7), (1.0, -3.0), (0.0, 0.0)] {
            let slope = (squared(x, score + 1e-2).0 - squared(x, score - 1e-2).0) / 2e-2;
            assert!((squared(x, score).1 - slope).abs() < 1e-4, "{x} {score}");
        }
    }

    #[test]
    fn each_player_gets_the_gradient_of_its_own_loss() {
        let judge = Discriminator { widths: vec![2, 3, 1], first: 0, rate: 0.5 };
        let mut parameters = Parameters::new();
        judge.add_parameters(&mut parameters, 1);
        assert_eq!(parameters[0].rate, 0.5);
        let codes = || {
            let data = TensorData::new(random(8, "codes"), [4, 2]);
            Tensor::<2>::from_data(data, &training_device()).require_grad()
        };
        let (lent, own) = (parameters.tensors(), codes());
        let mut gradients = judge.scores(&lent, own.clone(), true).sum().backward();
        assert!(own.grad_remove(&mut gradients).is_some());
        assert!(lent.tensor::<2>(0).grad_remove(&mut gradients).is_none());
        let own = codes();
        let mut gradients = judge.scores(&lent, own.clone().detach(), false).sum().backward();
        assert!(own.grad_remove(&mut gradients).is_none());
        assert!(lent.tensor::<2>(0).grad_remove(&mut gradients).is_some());
    }
}
