//! Images of the folder of data, the first of them, and how often what is learned from them is right.

use std::path::Path;

use crate::data::Data;
use crate::data::images::{ImageOptions, Images, LABEL, read};
use crate::encode::ClassWeights;
use crate::error::{Error, Result};
use crate::methods::Recipe;
use crate::metrics::Score;
use crate::model::{Aim, Model, Predictions, Roles};
use crate::run::Run;

use super::folder::find_file;
use super::request::Request;

/// A set of training and test images with classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pictures {
    /// Handwritten digits, 28 x 28.
    Mnist,
    /// Clothes, 28 x 28.
    FashionMnist,
    /// Things and animals in colour, 32 x 32: a fifth of the published images.
    Cifar10,
}

/// Training images, their classes, test images, their classes; classes may be in the file of the images.
type Files = [&'static str; 4];

pub const MNIST: Files = [
    "images/mnist/train-images-idx3-ubyte",
    "images/mnist/train-labels-idx1-ubyte",
    "images/mnist/t10k-images-idx3-ubyte",
    "images/mnist/t10k-labels-idx1-ubyte",
];
pub const FASHION_MNIST: Files = [
    "images/fashion-mnist/train-images-idx3-ubyte",
    "images/fashion-mnist/train-labels-idx1-ubyte",
    "images/fashion-mnist/t10k-images-idx3-ubyte",
    "images/fashion-mnist/t10k-labels-idx1-ubyte",
];
pub const CIFAR_10: [&str; 2] =
    ["images/cifar10/cifar10_train_10000.bin", "images/cifar10/cifar10_test_2000.bin"];

/// Numbers of training images that can be asked for; otherwise all are taken.
const COUNTS: [usize; 6] = [100, 200, 500, 2_000, 5_000, 10_000];

/// The names of these numbers among a bench's parts.
pub fn count_names() -> Vec<String> {
    COUNTS.iter().map(|count| format!("n={count}")).collect()
}

/// The number of training images that is asked for, if any is.
pub fn asked_count(request: &Request) -> Option<usize> {
    COUNTS
        .into_iter()
        .zip(count_names())
        .filter(|(_, name)| request.only.contains(name))
        .map(|(n, _)| n)
        .min()
}

impl Pictures {
    /// The name among a bench's parts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mnist => "mnist",
            Self::FashionMnist => "fashion-mnist",
            Self::Cifar10 => "cifar-10",
        }
    }

    /// Training and test images with their classes; of the former the first ones, of the latter no more than of them.
    ///
    /// # Errors
    /// When a file is missing or can't be used.
    pub fn read(self, folder: &Path, count: Option<usize>) -> Result<[Images; 2]> {
        let labelled = |files: Files, place: usize| {
            let what = format!("expected are the images and labels of {} in IDX form", self.name());
            let labels = find_file(folder, files[place + 1], &what)?;
            let options = ImageOptions { labels: Some(labels), ..ImageOptions::default() };
            read(&find_file(folder, files[place], &what)?, &options)
        };
        let one = |place: usize| match self {
            Self::Mnist => labelled(MNIST, 2 * place),
            Self::FashionMnist => labelled(FASHION_MNIST, 2 * place),
            Self::Cifar10 => {
                let what = "expected are images of CIFAR-10 in its binary form";
                read(&find_file(folder, CIFAR_10[place], what)?, &ImageOptions::default())
            }
        };
        let first = |images: Images, count: usize| -> Images {
            images.select(&(0..images.len().min(count)).collect::<Vec<_>>())
        };
        let train = first(one(0)?, count.unwrap_or(usize::MAX));
        let test = first(one(1)?, train.len());
        Ok([train, test])
    }
}

/// Accuracy and log-loss on test images of what is learned from training images; nothing if the run was stopped.
///
/// # Errors
/// When nothing can be learned.
pub fn accuracy(recipe: &Recipe, train: &Data, test: &Data, run: &Run) -> Result<Option<(f64, f64)>> {
    let model = match Model::fit(train, &Aim::Predict(Roles::target(LABEL)), recipe, run) {
        Err(Error::Stopped) => return Ok(None),
        model => model?,
    };
    let predicting = model.predicting()?;
    let truth = predicting.target.encode(test, None, ClassWeights::Equal)?;
    let (Predictions::Probabilities(answers) | Predictions::Numbers(answers)) =
        run.compute(|| predicting.predict(test, |_, _| {}))?;
    match Score::of(&answers, &truth) {
        score @ Score::Classification { accuracy, .. } if !run.stopped() => {
            Ok(Some((accuracy, score.loss())))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
pub mod tests {
    use std::io::Write;

    use super::*;

    /// Whether a pixel of a square (or a cross, in turn) of so many pixels a side is lit.
    fn lit(image: usize, pixel: usize, side: usize) -> bool {
        let (row, column) = (pixel / side, pixel % side);
        match image % 2 {
            0 => [1, side - 2].contains(&row) || [1, side - 2].contains(&column),
            _ => row == column || row + column == side - 1,
        }
    }

    /// Squares and crosses of 8 x 8 in the form of MNIST's files, and of 32 x 32 in that of CIFAR-10.
    pub fn write_files(folder: &Path, [train, test]: [u32; 2]) {
        let write = |file: &str, bytes: &[u8]| {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(path).unwrap().write_all(bytes).unwrap();
        };
        for (place, count) in [(0, train), (1, test)] {
            let mut images = vec![0, 0, 8, 3];
            for length in [count, 8, 8] {
                images.extend(length.to_be_bytes());
            }
            let mut labels = vec![0, 0, 8, 1];
            labels.extend(count.to_be_bytes());
            let mut colours = Vec::new();
            for image in 0..count as usize {
                let shade = (image % 20) as u8;
                images.extend((0..64).map(|pixel| u8::from(lit(image, pixel, 8)) * (200 + shade)));
                labels.push((image % 2) as u8);
                colours.push((image % 2) as u8);
                colours
                    .extend((0..3 * 1024).map(|cell| u8::from(lit(image, cell % 1024, 32)) * (200 + shade)));
            }
            for files in [MNIST, FASHION_MNIST] {
                write(files[2 * place], &images);
                write(files[2 * place + 1], &labels);
            }
            write(CIFAR_10[place], &colours);
        }
    }

    #[test]
    fn the_first_images_are_read_and_no_more_tests_than_them() {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), [120, 110]);
        for pictures in [Pictures::Mnist, Pictures::FashionMnist, Pictures::Cifar10] {
            let request = Request { only: vec!["n=100".into(), "n=500".into()], ..Request::default() };
            let [train, test] = pictures.read(folder.path(), asked_count(&request)).unwrap();
            assert_eq!((train.len(), test.len()), (100, 100));
            let side = train.size().width;
            assert!((0..side * side).all(|pixel| (test.value(3, pixel) > 0.0) == lit(3, pixel, side)));
            let [train, test] = pictures.read(folder.path(), None).unwrap();
            assert_eq!((train.len(), test.len()), (120, 110));
        }
        let error = Pictures::Cifar10.read(&folder.path().join("nowhere"), None).unwrap_err();
        assert!(error.to_string().contains("cifar10_train_10000.bin"), "{error}");
    }
}
