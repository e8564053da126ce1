//! The mean of each pixel over the images that know it.

use serde_json::{Value, json};

use crate::encode::{ImageCoder, ImageRows, Rows, Written, WrittenImages};
use crate::error::{Error, Result};
use crate::methods::{Draw, Imputer, Layout, Learned};
use crate::onnx::Graph;
use crate::store::Arrays;

/// Mean and standard deviation of each number of an image, `[channels, height, width]`, from 0 to 1.
pub struct PixelMeans {
    means: Vec<f32>,
    deviations: Vec<f32>,
}

impl PixelMeans {
    /// Learns from what is known. A pixel that no image knows gets the mean of its channel.
    pub fn fit(coder: &ImageCoder, rows: &ImageRows) -> Self {
        let (cells, pixels) = (coder.size.cells(), coder.size.pixels());
        let (mut counts, mut sums, mut squares) =
            (vec![0_u32; cells], vec![0.0_f64; cells], vec![0.0_f64; cells]);
        for row in 0..rows.len() {
            let batch = rows.batch(&[row]);
            for cell in (0..cells).filter(|&cell| batch.observed[cell] > 0.0) {
                let value = f64::from(batch.values[cell]);
                counts[cell] += 1;
                sums[cell] += value;
                squares[cell] += value * value;
            }
        }
        let mean = |cell: usize| match counts[cell] {
            0 => f64::from(coder.means[cell / pixels]),
            count => sums[cell] / f64::from(count),
        };
        let deviation = |cell: usize| match counts[cell] {
            0 => coder.deviations[cell / pixels],
            count => (squares[cell] / f64::from(count) - mean(cell).powi(2)).max(0.0).sqrt() as f32,
        };
        Self {
            means: (0..cells).map(|cell| mean(cell) as f32).collect(),
            deviations: (0..cells).map(deviation).collect(),
        }
    }

    /// Puts them together again from a file's arrays.
    ///
    /// # Errors
    /// When arrays are missing or of another size.
    pub fn load(layout: Layout<'_>, arrays: &Arrays) -> Result<Self> {
        let cells = layout.images()?.size.cells();
        let of = |name: &str| arrays.singles(name, &[cells]).map(<[f32]>::to_vec);
        let (means, deviations) = (of("means")?, of("deviations")?);
        match means.iter().chain(&deviations).all(|value| (0.0..=1.0).contains(value)) {
            true => Ok(Self { means, deviations }),
            false => Err(Error::damaged("its means can't be those of pixels")),
        }
    }

    /// The mean of each number of an image.
    pub fn means(&self) -> &[f32] {
        &self.means
    }

    /// The standard deviation of each number of an image.
    pub fn deviations(&self) -> &[f32] {
        &self.deviations
    }
}

impl Learned for PixelMeans {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        arrays.put_singles("means", &[self.means.len()], self.means.clone());
        arrays.put_singles("deviations", &[self.deviations.len()], self.deviations.clone());
        arrays
    }

    fn summary(&self) -> Value {
        json!({})
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for PixelMeans {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Written> {
        let images = rows.images()?;
        let means = graph.singles(&[1, self.means.len()], &self.means);
        let values = graph.choose(&images.observed, &images.values, &means);
        Ok(Written::Images(WrittenImages { values, ..images.clone() }))
    }

    /// A draw is normal around the mean, each pixel for itself.
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.images_mut()?;
        for row in 0..rows.len() {
            match draw.map(|draw| draw.stream("mean", row)) {
                None => rows.fill(row, &self.means),
                Some(mut stream) => {
                    let cells = self.means.iter().zip(&self.deviations);
                    let drawn: Vec<f32> =
                        cells.map(|(mean, deviation)| mean + deviation * stream.normal() as f32).collect();
                    rows.fill(row, &drawn);
                }
            }
        }
        Ok(())
    }
}
