//! Learning the density from images that have holes themselves.
//!
//! With the known pixels K of an image and a region R that is drawn anew at every visit, the network sees K \ R and is
//! judged on K ∩ R:
//!
//! ```text
//! loss = ( NLL of K ∩ R under the network's density + [first half of the epochs] Σ (x - μ)² ) / |K ∩ R|
//! ```

use burn::Tensor;
use burn::tensor::TensorData;

use super::layers::Network;
use super::{Hidden, Settings};
use crate::encode::ImageRows;
use crate::error::Result;
use crate::missing::Region;
use crate::nn::likelihood::{negative_log_likelihood, row_likelihoods};
use crate::nn::schedule::Schedule;
use crate::nn::train::{Learner, Moment, TrainSettings, Trained, train};
use crate::nn::{Lent, Mixture, Parameters, Plain, Taped, training_device};
use crate::rng::{Stream, mix};
use crate::run::Run;

/// A hidden square has half the sides of the image.
const SQUARE: f64 = 0.25;
/// The share of single pixels that is hidden.
const NOISE: f64 = 0.4;
/// Images below which none is set aside.
const FEWEST: usize = 20;
/// Images set aside, at most.
const MOST_ASIDE: usize = 1_000;
/// Visits of images in all that the usual number of epochs aims at.
const VISITS: usize = 100_000;
/// Images validated at a time.
const AT_ONCE: usize = 64;

/// Trains the network on what is known of images.
pub fn fit(settings: &Settings, network: &Network, rows: &ImageRows, run: &Run) -> Result<Trained> {
    let mut learning = Stream::new(run.seed(), "dmfa images", 0, 0).permutation(rows.len());
    let aside = if rows.len() < FEWEST { 0 } else { (rows.len() / 10).min(MOST_ASIDE) };
    let validation = learning.split_off(learning.len() - aside);
    let plan = settings.plan(learning.len());
    let (seed, warm) = (run.seed(), plan.epochs.div_ceil(2));
    let learner = Restoring { network, rows, learning, validation, hidden: settings.hidden, warm, seed };
    train(&learner, network.parameters(seed), &plan, run)
}

impl Settings {
    /// The course of training on so many images.
    pub(super) fn plan(&self, images: usize) -> TrainSettings {
        let usual = (VISITS / images.max(1)).clamp(3, 60);
        TrainSettings {
            epochs: self.epochs.unwrap_or(usual),
            batch: self.batch,
            rate: self.rate,
            schedule: Schedule::Warmup { share: 0.05 },
            clip: Some(1.0),
            patience: (self.patience > 0).then_some(self.patience),
            ..TrainSettings::default()
        }
    }
}

/// The network and its images.
struct Restoring<'a> {
    network: &'a Network,
    rows: &'a ImageRows,
    learning: Vec<usize>,
    validation: Vec<usize>,
    hidden: Hidden,
    /// Epochs in which the squared error of the mean counts as well.
    warm: usize,
    seed: u64,
}

/// Some images on the canvas, a region of each hidden: `[B, n]` each.
struct Visit {
    /// All that is known.
    numbers: Vec<f32>,
    /// What the network sees, 0 elsewhere.
    values: Vec<f32>,
    /// 1 where it sees something.
    given: Vec<f32>,
    /// What it is judged on.
    chosen: Vec<bool>,
}

impl Visit {
    fn chosen(&self) -> usize {
        self.chosen.iter().filter(|chosen| **chosen).count()
    }
}

impl Restoring<'_> {
    /// Images with regions that follow from an address alone.
    fn visit(&self, rows: &[usize], address: u64) -> Visit {
        let size = self.rows.size();
        let mut batch = self.rows.batch(rows);
        let numbers = self.network.canvas.spread(&batch.values);
        let mut chosen = Vec::with_capacity(batch.values.len());
        let images = rows.iter().zip(batch.values.chunks_exact_mut(size.cells()));
        for ((row, values), given) in images.zip(batch.observed.chunks_exact_mut(size.cells())) {
            let hidden = self.hidden.region(address, *row as u64).hidden(size, address, *row as u64);
            for (cell, (value, given)) in values.iter_mut().zip(given).enumerate() {
                let judged = *given > 0.0 && hidden[cell % size.pixels()];
                chosen.push(f32::from(u8::from(judged)));
                if judged {
                    (*value, *given) = (0.0, 0.0);
                }
            }
        }
        let (values, given) = self.network.on_canvas(&batch);
        let chosen = self.network.canvas.spread(&chosen).iter().map(|mark| *mark > 0.0).collect();
        Visit { numbers, values, given, chosen }
    }
}

impl Hidden {
    /// What is hidden of an image at a visit: where there are both kinds, either with the same chance.
    fn region(self, address: u64, row: u64) -> Region {
        let square = match self {
            Self::Square => true,
            Self::Noise => false,
            Self::Both => Stream::new(address, "dmfa region", row, 0).uniform() < 0.5,
            Self::Any => {
                return Region::Noise(Stream::new(address, "dmfa share", row, 0).uniform().max(0.05));
            }
        };
        if square { Region::Square(SQUARE) } else { Region::Noise(NOISE) }
    }
}

impl Learner for Restoring<'_> {
    fn rows(&self) -> usize {
        self.learning.len()
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let rows: Vec<usize> = rows.iter().map(|&row| self.learning[row]).collect();
        let visit = self.visit(&rows, mix([moment.seed, moment.step]));
        let engine = &mut Taped::new(parameters, moment);
        let mixture = self.network.forward(engine, &visit.values, &visit.given);
        let (mean, judged) = (mixture.mean.clone(), visit.chosen().max(1) as f32);
        let size = self.network.mixture_size();
        let share = rows.len() as f32 / judged;
        let likelihood = negative_log_likelihood(&visit.numbers, &visit.chosen, mixture, size) * share;
        if moment.epoch >= self.warm {
            return likelihood;
        }
        let tensor = |numbers: Vec<f32>| {
            Tensor::<2>::from_data(TensorData::new(numbers, [rows.len(), size.numbers]), &training_device())
        };
        let marks = visit.chosen.iter().map(|mark| f32::from(u8::from(*mark))).collect();
        let error = (mean - tensor(visit.numbers)) * tensor(marks);
        likelihood + (error.clone() * error).sum() / judged
    }

    fn validate(&self, parameters: &Parameters) -> Option<f64> {
        let (mut total, mut count) = (0.0, 0);
        for rows in self.validation.chunks(AT_ONCE) {
            let visit = self.visit(rows, mix([self.seed, u64::MAX]));
            let found = self.network.forward(&mut Plain::new(parameters), &visit.values, &visit.given);
            let mixture = Mixture {
                scores: found.scores.values(),
                mean: found.mean.values(),
                factors: found.factors.values(),
                diagonal: found.diagonal.values(),
            };
            let size = self.network.mixture_size();
            total += row_likelihoods(&visit.numbers, &visit.chosen, &mixture, size).iter().sum::<f64>();
            count += visit.chosen();
        }
        (count > 0).then(|| total / count as f64)
    }

    fn fingerprint(&self) -> u64 {
        let kind = self.hidden as u64;
        mix([self.rows.fingerprint(), kind, self.warm as u64])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::sample;
    use crate::encode::ImageCoder;
    use crate::missing::hide_region;

    #[test]
    fn the_network_sees_what_is_known_and_not_hidden_and_is_judged_on_the_rest_of_it() {
        let digits = hide_region(sample().unwrap().select(&[3, 9, 27]), &Region::Lines(0.3), 1);
        let digits = std::sync::Arc::new(digits);
        let rows = ImageCoder::fit(&digits).unwrap().encode(&digits).unwrap();
        let settings = Settings { filters: vec![4, 4], ..Settings::default() };
        let network = Network::new(&settings, rows.size()).unwrap();
        let learner = Restoring {
            network: &network,
            rows: &rows,
            learning: vec![0, 1, 2],
            validation: vec![],
            hidden: Hidden::Both,
            warm: 1,
            seed: 0,
        };
        let batch = rows.batch(&[2, 0]);
        let visit = learner.visit(&[2, 0], 5);
        for cell in 0..batch.values.len() {
            let known = batch.observed[cell] > 0.0;
            assert_eq!(known, (visit.given[cell] > 0.0) ^ visit.chosen[cell]);
            assert_eq!(visit.values[cell], visit.given[cell] * batch.values[cell]);
            assert_eq!(visit.numbers[cell], batch.values[cell]);
        }
        assert!(visit.chosen() > 10);
        assert_ne!(learner.visit(&[2, 0], 6).chosen, visit.chosen, "another region at another visit");
        assert_eq!(learner.visit(&[0], 5).chosen, visit.chosen[64..], "other images change nothing");
    }
}
