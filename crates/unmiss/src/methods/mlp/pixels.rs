//! From images to the row of inputs that the first layer multiplies. The inputs stand in this order:
//!
//! ```text
//! [ the numbers of all pixels, channel by channel, from 0 to 1 | for each of them an indicator, where holes are told ]
//! ```

use super::layers::Perceptron;
use crate::encode::{ImageBatch, ImageCoder, ImageRows, Missing, WrittenImages};
use crate::error::{Error, Result};
use crate::methods::mean::PixelMeans;
use crate::methods::supervised::Scorer;
use crate::nn::Engine;
use crate::nn::sparsity::input_factor;
use crate::onnx::{Graph, Kind, Symbol};
use crate::store::Arrays;

/// Images predicted at a time while training.
const AT_ONCE: usize = 4096;

/// How the inputs of an image are built.
pub struct PixelDesign {
    missing: Missing,
    /// K of Sparsity Normalization.
    k: f32,
    /// `[numbers of an image]`: what stands for one that is missing.
    means: Vec<f32>,
}

impl PixelDesign {
    /// Learns the means of pixels.
    pub fn fit(missing: Missing, k: f32, coder: &ImageCoder, rows: &ImageRows) -> Self {
        Self { missing, k, means: PixelMeans::fit(coder, rows).means().to_vec() }
    }

    /// Puts it together again from a file's arrays.
    ///
    /// # Errors
    /// When the means are not there or can't be.
    pub fn load(missing: Missing, k: f32, coder: &ImageCoder, arrays: &Arrays) -> Result<Self> {
        let means = arrays.singles("means", &[coder.size.cells()])?.to_vec();
        match means.iter().all(|mean| (0.0..=1.0).contains(mean)) {
            true => Ok(Self { missing, k, means }),
            false => Err(Error::damaged("its means can't be those of pixels")),
        }
    }

    /// Adds its arrays to those of a file.
    pub fn save(&self, arrays: &mut Arrays) {
        arrays.put_singles("means", &[self.means.len()], self.means.clone());
    }

    /// How many inputs an image has.
    pub fn inputs(&self) -> usize {
        self.means.len() * if self.missing.indicated().is_some() { 2 } else { 1 }
    }

    /// K, where images are normalised.
    pub fn normalization(&self) -> Option<f32> {
        self.missing.normalizes().then_some(self.k)
    }

    /// `[images, inputs]`
    pub fn dense(&self, batch: &ImageBatch) -> Vec<f32> {
        let cells = self.means.len();
        let mut inputs = Vec::with_capacity(batch.rows * self.inputs());
        for (values, observed) in batch.values.chunks_exact(cells).zip(batch.observed.chunks_exact(cells)) {
            let known = observed.iter().filter(|mark| **mark > 0.0).count();
            let factor = self.normalization().map_or(1.0, |k| input_factor(k, known));
            let cell = |((value, mark), mean): ((&f32, &f32), &f32)| match *mark > 0.0 {
                true => factor * value,
                false if self.missing.fills_with_mean() => *mean,
                false => 0.0,
            };
            inputs.extend(values.iter().zip(observed).zip(&self.means).map(cell));
            if let Some(state) = self.missing.indicated() {
                inputs.extend(observed.iter().map(|mark| f32::from(u8::from((*mark > 0.0) == state))));
            }
        }
        inputs
    }
}

impl PixelDesign {
    /// `[images, inputs]`: what [`PixelDesign::dense`] gives.
    pub fn write(&self, graph: &mut Graph, images: &WrittenImages) -> Symbol {
        let WrittenImages { values, observed, .. } = images;
        let marks = graph.cast(observed, Kind::Single);
        let known = match self.normalization() {
            Some(k) => {
                let (count, one, k) = (graph.sum(&marks, 1), graph.single(1.0), graph.single(k));
                let count = graph.op("Max", &[&count, &one]);
                let factor = graph.divide(&k, &count);
                graph.times(values, &factor)
            }
            None => values.clone(),
        };
        let filled = self.missing.fills_with_mean();
        let fill: Vec<f32> = self.means.iter().map(|mean| if filled { *mean } else { 0.0 }).collect();
        let fill = graph.singles(&[1, fill.len()], &fill);
        let inputs = graph.choose(observed, &known, &fill);
        let told = match self.missing.indicated() {
            None => return inputs,
            Some(true) => marks,
            Some(false) => {
                let one = graph.single(1.0);
                graph.subtract(&one, &marks)
            }
        };
        graph.beside(&[&inputs, &told])
    }
}

/// How many numbers of an image are known on average.
pub fn mean_known(rows: &ImageRows) -> f64 {
    let (images, cells) = (rows.images(), rows.size().cells());
    let known = |image: usize| (0..cells).filter(|cell| images.is_known(image, *cell)).count();
    (0..rows.len()).map(known).sum::<usize>() as f64 / rows.len().max(1) as f64
}

/// The perceptron and the training images.
pub struct HeldImages<'a> {
    /// The layout.
    pub perceptron: &'a Perceptron,
    /// How the inputs of an image are built.
    pub design: &'a PixelDesign,
    /// The images.
    pub rows: &'a ImageRows,
}

impl Scorer for HeldImages<'_> {
    fn forward<E: Engine>(&self, engine: &mut E, rows: &[usize]) -> E::Value {
        let inputs = engine.input(self.design.dense(&self.rows.batch(rows)), rows.len());
        self.perceptron.forward(engine, inputs)
    }

    fn fingerprint(&self) -> u64 {
        self.rows.fingerprint()
    }

    fn rows_at_once(&self) -> usize {
        AT_ONCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::Size;

    #[test]
    fn every_treatment_of_a_hole_gives_its_inputs() {
        // Two pixels of which the second is missing; a mean of 0.2 for it.
        let batch = ImageBatch {
            size: Size { channels: 1, height: 1, width: 2 },
            rows: 1,
            values: vec![0.6, 0.0],
            observed: vec![1.0, 0.0],
        };
        let inputs = |missing| PixelDesign { missing, k: 3.0, means: vec![0.1, 0.2] }.dense(&batch);
        assert_eq!(inputs(Missing::Zero), [0.6, 0.0]);
        assert_eq!(inputs(Missing::Mean), [0.6, 0.2]);
        assert_eq!(inputs(Missing::SparsityNormalization), [0.6 * 3.0, 0.0]);
        assert_eq!(inputs(Missing::ObservedIndicator), [0.6, 0.0, 1.0, 0.0]);
        assert_eq!(inputs(Missing::MissingIndicator), [0.6, 0.0, 0.0, 1.0]);
        assert_eq!(inputs(Missing::MeanAndIndicator), [0.6, 0.2, 0.0, 1.0]);
    }
}
