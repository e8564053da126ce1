//! The most alike images: their pixels fill holes, their classes answer for an image.

use serde_json::{Value, json};

use super::search::Donors;
use super::{BLOCK, Settings};
use crate::data::images::{Bits, Images, Observed, Pixels};
use crate::encode::wide::WideRows;
use crate::encode::{ImageCoder, ImageRows, Rows, Targets, Task};
use crate::error::{Error, Result};
use crate::methods::mean::PixelMeans;
use crate::methods::{Draw, Imputer, Layout, Learned, Predictor};
use crate::rng::Stream;
use crate::store::Arrays;

/// Numbers of all images that are asked, at most: of larger images fewer are kept.
const MOST_CELLS: usize = 16 << 20;

/// Training images to be asked.
pub struct AlikeImages {
    kept: ImageRows,
    donors: Donors,
    k: usize,
    /// What fills a pixel that no image knows that can be compared.
    usual: PixelMeans,
    /// What is predicted, if anything is.
    told: Option<Told>,
}

/// What is known about each of the images that are asked.
struct Told {
    task: Task,
    /// `[images, outputs]`: the number, or 1 for the class and 0 for the others.
    answers: Vec<f64>,
    /// `[outputs]`: their mean, for an image that can't be compared with any.
    usual: Vec<f64>,
}

impl AlikeImages {
    /// Keeps images, of many a random choice.
    pub fn fit(
        (coder, rows, targets): (&ImageCoder, &ImageRows, Option<&Targets>),
        settings: Settings,
        seed: u64,
    ) -> Self {
        let most = settings.donors.min((MOST_CELLS / coder.size.cells()).max(1));
        let mut picked: Vec<usize> = (0..rows.len()).collect();
        if picked.len() > most {
            picked = Stream::new(seed, "donors", 0, 0).permutation(rows.len());
            picked.truncate(most);
            picked.sort_unstable();
        }
        let told = targets.map(|targets| Told::new(&targets.select(&picked)));
        Self::new(rows.select(&picked).clean(), settings.k, PixelMeans::fit(coder, rows), told)
    }

    fn new(kept: ImageRows, k: usize, usual: PixelMeans, told: Option<Told>) -> Self {
        let all: Vec<usize> = (0..kept.len()).collect();
        let donors = Donors::new(&wide(&kept, &all));
        Self { kept, donors, k, usual, told }
    }

    /// Puts them together again from a file's arrays.
    ///
    /// # Errors
    /// When arrays are missing, of another size, or hold what can't be.
    pub fn load(settings: Settings, layout: Layout<'_>, arrays: &Arrays) -> Result<Self> {
        let coder = layout.images()?;
        let values = match coder.bytes {
            true => Pixels::Bytes(arrays.bytes("pixels")?.to_vec()),
            false => {
                let count = arrays.shape("pixels").and_then(|shape| shape.first().copied()).unwrap_or(0);
                Pixels::Numbers(arrays.singles("pixels", &[count])?.to_vec())
            }
        };
        let marks = arrays.bytes("observed")?;
        let bits = (0..marks.len() * 8).map(|cell| marks[cell / 8] >> (cell % 8) & 1 == 1);
        let observed = Observed::Cells(Bits::from_marks(bits.take(values.len())));
        let images =
            Images::new(coder.size, values, observed).map_err(|error| Error::damaged(error.to_string()))?;
        if images.is_empty() {
            return Err(Error::damaged("there is no image to be asked"));
        }
        let told = layout.task.map(|task| Told::load(task, images.len(), arrays)).transpose()?;
        let kept = coder.encode(&images.into())?;
        Ok(Self::new(kept, settings.k, PixelMeans::load(layout, &arrays.with_prefix("usual/"))?, told))
    }

    /// For each image of a block, the nearest ones: (squared distance, place), nearest first.
    fn nearest(&self, rows: &ImageRows, block: &[usize]) -> Vec<Vec<(f32, u32)>> {
        self.donors.nearest(&wide(rows, block), self.k, BLOCK / 16)
    }

    /// Values for an image from its neighbours. A draw takes one of them for the whole image, and where that one knows
    /// nothing, the next that does.
    fn filled(&self, rows: &ImageRows, row: usize, nearest: &[(f32, u32)], draw: Option<Stream>) -> Vec<f32> {
        let (own, kept) = (rows.images(), self.kept.images());
        let mut values = self.usual.means().to_vec();
        let chosen = draw.map(|mut stream| stream.below(self.k));
        for cell in (0..values.len()).filter(|&cell| !own.is_known(row, cell)) {
            let knows = |(_, donor): &&(f32, u32)| kept.is_known(*donor as usize, cell);
            let near: Vec<(f64, f32)> = nearest
                .iter()
                .filter(knows)
                .take(self.k)
                .map(|(distance, donor)| (weight(*distance), self.kept.value(*donor as usize, cell)))
                .collect();
            values[cell] = match chosen {
                _ if near.is_empty() => continue,
                Some(chosen) => near[chosen % near.len()].1,
                None => {
                    let sum: f64 = near.iter().map(|(weight, value)| weight * f64::from(*value)).sum();
                    (sum / near.iter().map(|(weight, _)| weight).sum::<f64>()) as f32
                }
            };
        }
        values
    }
}

/// Nearer images count more.
fn weight(distance: f32) -> f64 {
    1.0 / f64::from(distance.max(1e-6)).sqrt()
}

fn wide(rows: &ImageRows, some: &[usize]) -> WideRows {
    let batch = rows.batch(some);
    let observed = batch.observed.iter().map(|mark| *mark > 0.0).collect();
    WideRows { values: batch.values, observed, columns: batch.size.cells() }
}

impl Told {
    fn new(targets: &Targets) -> Self {
        let answers = match targets.task {
            Task::Regression => targets.numbers.iter().map(|number| f64::from(*number)).collect(),
            Task::Classification { classes } => {
                let one =
                    |class: u32| (0..classes).map(move |own| f64::from(u8::from(own == class as usize)));
                targets.classes.iter().copied().flat_map(one).collect()
            }
        };
        Self::of(targets.task, answers)
    }

    fn of(task: Task, answers: Vec<f64>) -> Self {
        let (outputs, mut usual) = (task.outputs(), vec![0.0; task.outputs()]);
        for row in answers.chunks_exact(outputs) {
            usual.iter_mut().zip(row).for_each(|(sum, own)| *sum += own);
        }
        let count = answers.len() as f64 / outputs as f64;
        usual.iter_mut().for_each(|sum| *sum /= count.max(1.0));
        Self { task, answers, usual }
    }

    fn load(task: Task, images: usize, arrays: &Arrays) -> Result<Self> {
        let answers = arrays.doubles("answers", &[images, task.outputs()])?.to_vec();
        match answers.iter().all(|answer| answer.is_finite()) {
            true => Ok(Self::of(task, answers)),
            false => Err(Error::damaged("what is known about its images can't be")),
        }
    }

    /// The weighted mean over the k nearest images, and the mean of all counting as one more of them: no class is
    /// impossible because it is not near.
    fn answer(&self, k: usize, nearest: &[(f32, u32)]) -> Vec<f64> {
        let (outputs, near) = (self.task.outputs(), &nearest[..k.min(nearest.len())]);
        let total: f64 = near.iter().map(|(distance, _)| weight(*distance)).sum();
        let one = 1.0 / (near.len() + 1) as f64;
        let mut mean: Vec<f64> = self.usual.iter().map(|usual| one * usual).collect();
        for (distance, donor) in near {
            let share = (1.0 - one) * weight(*distance) / total;
            let own = &self.answers[*donor as usize * outputs..(*donor as usize + 1) * outputs];
            mean.iter_mut().zip(own).for_each(|(mean, own)| *mean += share * own);
        }
        mean
    }
}

impl Learned for AlikeImages {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let images = self.kept.images();
        match images.values() {
            Pixels::Bytes(values) => arrays.put_bytes("pixels", values.clone()),
            Pixels::Numbers(values) => arrays.put_singles("pixels", &[values.len()], values.clone()),
        }
        let cells = images.size().cells();
        let known = |mark: usize| images.is_known(mark / cells, mark % cells);
        let byte = |byte: usize| {
            (0..8)
                .map(|bit| u8::from(8 * byte + bit < images.len() * cells && known(8 * byte + bit)) << bit)
                .sum()
        };
        arrays.put_bytes("observed", (0..(images.len() * cells).div_ceil(8)).map(byte).collect());
        arrays.put_all("usual/", self.usual.save());
        if let Some(told) = &self.told {
            arrays.put_doubles("answers", &[images.len(), told.task.outputs()], told.answers.clone());
        }
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "donors": self.kept.len() })
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        self.told.is_none().then_some(self)
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        self.told.is_some().then_some(self)
    }
}

impl Imputer for AlikeImages {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.images_mut()?;
        let given = rows.clone();
        let all: Vec<usize> = (0..rows.len()).collect();
        for block in all.chunks(BLOCK) {
            for (row, nearest) in block.iter().zip(self.nearest(&given, block)) {
                let stream = draw.map(|draw| draw.stream("neighbours", *row));
                rows.fill(*row, &self.filled(&given, *row, &nearest, stream));
            }
        }
        Ok(())
    }
}

impl Predictor for AlikeImages {
    fn why_no_formula(&self) -> &'static str {
        "it asks the training images that are most alike, another set for every image"
    }

    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let rows = rows.images()?;
        let told = self.told.as_ref().ok_or_else(|| Error::data("it does not say what is predicted"))?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let block = |block: &[usize]| {
            let nearest = self.nearest(rows, block);
            nearest.iter().flat_map(|nearest| told.answer(self.k, nearest)).collect::<Vec<f64>>()
        };
        Ok(all.chunks(BLOCK).flat_map(block).collect())
    }
}
