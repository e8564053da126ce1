//! Images as rows of numbers for a perceptron: a black pixel counts as missing, as in the paper on Sparsity
//! Normalization.
//!
//! The network has two hidden layers of ReLU and learns with Adam at a rate of 0.01, K is 1, and biases are 0 at first.
//! Batches of 128, 20 epochs and the best of them on validation images are ours: the paper does not tell.

use std::path::Path;

use crate::bench::network::{Rows, Split, Start, Tested, plain_settings, train_and_test_from};
use crate::bench::pictures::Pictures;
use crate::data::Data;
use crate::data::images::{Images, LABEL};
use crate::encode::{ClassWeights, TargetEncoder, Targets};
use crate::error::Result;
use crate::methods::mlp::{self, Layers};
use crate::nn::sparsity::input_factor;
use crate::rng::Stream;
use crate::run::Run;

/// Units of each of the two hidden layers.
pub const WIDTHS: [usize; 6] = [16, 32, 64, 128, 256, 512];
/// What a byte of 255 is divided by.
const BRIGHTEST: f32 = 255.0;
const BATCH: usize = 128;
/// Passes over the images.
pub const EPOCHS: usize = 20;

/// The name of a width among a bench's parts.
pub fn width_name(width: usize) -> String {
    format!("units={width}")
}

/// What a network is.
pub struct Wanted {
    /// Units of each hidden layer.
    pub width: usize,
    /// Hidden layers that are divided by their active units.
    pub hidden: Layers,
    /// Passes over the images.
    pub epochs: usize,
}

/// Training and test images, one after the other.
pub struct Numbers {
    images: [Images; 2],
    /// The training images' classes, then the test images'.
    pub targets: Targets,
    /// One in so many training images is for validation.
    parts: usize,
}

impl Numbers {
    /// Reads images; with a count, the first ones.
    ///
    /// # Errors
    /// When a file is missing or can't be used.
    pub fn read(pictures: Pictures, folder: &Path, count: Option<usize>) -> Result<Self> {
        let images = pictures.read(folder, count)?;
        let [train, test] = images.clone().map(Data::from);
        let encoder = TargetEncoder::fit(&train, LABEL, None)?;
        let mut targets = encoder.encode(&train, None, ClassWeights::Equal)?;
        let others = encoder.encode(&test, None, ClassWeights::Equal)?;
        targets.classes.extend(others.classes);
        targets.weights.extend(others.weights);
        // Of five training images to one for validation and one for the test, or of four.
        let parts = if pictures == Pictures::Cifar10 { 5 } else { 6 };
        Ok(Self { images, targets, parts })
    }

    /// How many images there are for training (and validation) and for the test.
    pub fn counts(&self) -> [usize; 2] {
        [self.images[0].len(), self.images[1].len()]
    }

    /// Learning, validation and test.
    pub fn split(&self, seed: u64) -> Split {
        let [train, test] = self.counts();
        let mut learning = Stream::new(seed, "vision split", 0, 0).permutation(train);
        let validation = learning.split_off(train - train / self.parts);
        Split { learning, validation, test: (train..train + test).collect() }
    }

    /// The numbers of all images, from 0 to 1; normalised, divided by how many of them are not 0.
    pub fn rows(&self, normalised: bool) -> Rows<'_> {
        let width = self.images[0].size().cells();
        let mut inputs = Vec::with_capacity(self.targets.classes.len() * width);
        for images in &self.images {
            for image in 0..images.len() {
                let own = inputs.len();
                inputs.extend((0..width).map(|cell| images.value(image, cell) / BRIGHTEST));
                if normalised {
                    let known = inputs[own..].iter().filter(|value| **value != 0.0).count();
                    let factor = input_factor(1.0, known);
                    inputs[own..].iter_mut().for_each(|value| *value *= factor);
                }
            }
        }
        Rows { width, inputs, targets: &self.targets }
    }
}

/// Trains a network and predicts the test images.
///
/// # Errors
/// When nothing can be learned.
pub fn trained(rows: &Rows<'_>, split: &Split, wanted: &Wanted, run: &Run) -> Result<Option<Tested>> {
    let settings = mlp::Settings {
        hidden: vec![wanted.width; 2],
        normalize_hidden: wanted.hidden.clone(),
        epochs: wanted.epochs,
        batch: BATCH,
        rate: 1e-2,
        ..plain_settings()
    };
    train_and_test_from(Start::He, rows, split, &settings, run)
}

/// What the settings are, in plain words.
pub fn words(sets: &[(Pictures, [usize; 2])]) -> Vec<String> {
    let set = |(pictures, [train, test]): &(Pictures, [usize; 2])| {
        format!("{}: {train} images for training and validation, {test} for the test.", pictures.name())
    };
    let mut words: Vec<String> = sets.iter().map(set).collect();
    words.push(format!(
        "A black number of a pixel counts as missing; two hidden layers of ReLU, Adam 0.01, K = 1, batch {BATCH}, \
         {EPOCHS} epochs, the best of them on a sixth (CIFAR-10: a fifth) of the training images. The paper's figures \
         have no numbers."
    ));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::pictures::tests::write_files;

    #[test]
    fn normalised_images_have_a_mean_of_what_is_not_black() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [24, 12]);
        let numbers = Numbers::read(Pictures::Mnist, folder.path(), None).unwrap();
        let (plain, normalised) = (numbers.rows(false), numbers.rows(true));
        for (plain, normalised) in plain.inputs.chunks(64).zip(normalised.inputs.chunks(64)) {
            let bright: Vec<f32> = plain.iter().copied().filter(|value| *value > 0.0).collect();
            let mean = bright.iter().sum::<f32>() / bright.len() as f32;
            assert!((normalised.iter().sum::<f32>() - mean).abs() < 1e-6);
        }
        let split = numbers.split(1);
        assert_eq!((split.learning.len(), split.validation.len(), split.test.len()), (20, 4, 12));
        assert_eq!(numbers.targets.classes[split.test[3]], 1);
    }
}
