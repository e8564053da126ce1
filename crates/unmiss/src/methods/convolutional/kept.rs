//! The density of what is missing of the training images, made once and kept, since it is asked for at every visit of
//! an image. Of each image there are the numbers of its missing cells alone: nobody reads what stands where it is
//! known.

use super::holes::Holes;
use crate::encode::{ImageBatch, ImageRows};
use crate::nn::{Mixture, MixtureSize};
use crate::run::Run;

/// Bytes that may be kept: above them, densities are made at every visit.
const MOST: usize = 1 << 30;
/// Images whose density is made at a time.
const AT_ONCE: usize = 64;

/// Densities of images.
pub struct Kept {
    size: MixtureSize,
    /// `[images, components]`
    scores: Vec<f32>,
    /// Where the numbers of each image begin, and where the last ones end.
    starts: Vec<usize>,
    /// For each image `[planes, missing cells]`: mean, factors and diagonal of every component.
    numbers: Vec<f32>,
}

impl Kept {
    /// Makes the densities of all images; nothing where none are asked for, they would be too many, or the run was
    /// stopped.
    pub fn new(holes: &Holes, rows: &ImageRows, run: &Run) -> Option<Self> {
        let (_, size) = (0..rows.len()).next().and_then(|first| holes.mixture(&rows.batch(&[first])))?;
        let missing = (0..rows.len()).map(|row| missing(&rows.batch(&[row]).observed).count()).sum::<usize>();
        if missing.saturating_mul(planes(size) * size_of::<f32>()) > MOST {
            return None;
        }
        let mut kept = Self {
            size,
            scores: Vec::with_capacity(rows.len() * size.components),
            starts: vec![0],
            numbers: Vec::with_capacity(missing * planes(size)),
        };
        let all: Vec<usize> = (0..rows.len()).collect();
        for some in all.chunks(AT_ONCE) {
            if run.stopped() {
                return None;
            }
            let batch = rows.batch(some);
            if let Some((mixture, _)) = holes.mixture(&batch) {
                kept.add(&mixture, &batch);
            }
        }
        Some(kept)
    }

    fn add(&mut self, mixture: &Mixture<Vec<f32>>, batch: &ImageBatch) {
        let n = self.size.numbers;
        self.scores.extend(&mixture.scores);
        for (image, observed) in batch.observed.chunks_exact(n).enumerate() {
            for array in [&mixture.mean, &mixture.factors, &mixture.diagonal] {
                let own = &array[image * array.len() / batch.rows..(image + 1) * array.len() / batch.rows];
                for plane in own.chunks_exact(n) {
                    self.numbers.extend(missing(observed).map(|cell| plane[cell]));
                }
            }
            self.starts.push(self.numbers.len());
        }
    }

    /// The density of some of these images, as it was made.
    pub fn mixture(&self, batch: &ImageBatch, rows: &[usize]) -> (Mixture<Vec<f32>>, MixtureSize) {
        let MixtureSize { numbers: n, components, factors } = self.size;
        let zeros = |planes: usize| vec![0.0; rows.len() * planes * n];
        let mut mixture = Mixture {
            scores: rows
                .iter()
                .flat_map(|row| &self.scores[row * components..(row + 1) * components])
                .copied()
                .collect(),
            mean: zeros(components),
            factors: zeros(components * factors),
            diagonal: zeros(components),
        };
        for (image, (row, observed)) in rows.iter().zip(batch.observed.chunks_exact(n)).enumerate() {
            let mut numbers = self.numbers[self.starts[*row]..self.starts[row + 1]].iter();
            for array in [&mut mixture.mean, &mut mixture.factors, &mut mixture.diagonal] {
                let width = array.len() / rows.len();
                for plane in array[image * width..(image + 1) * width].chunks_exact_mut(n) {
                    missing(observed).zip(&mut numbers).for_each(|(cell, number)| plane[cell] = *number);
                }
            }
        }
        (mixture, self.size)
    }
}

/// The cells that are not known.
fn missing(observed: &[f32]) -> impl Iterator<Item = usize> + '_ {
    (0..observed.len()).filter(|&cell| observed[cell] == 0.0)
}

/// Planes of mean, factors and diagonal.
fn planes(size: MixtureSize) -> usize {
    size.components * (2 + size.factors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::sample;
    use crate::encode::ImageCoder;
    use crate::methods::convolutional::{Missing, Settings};
    use crate::missing::{Region, hide_region};

    #[test]
    fn what_is_kept_is_what_was_made_where_it_is_read() {
        let digits = sample().unwrap().select(&(0..70).collect::<Vec<_>>());
        let images = hide_region(digits, &Region::Noise(0.4), 1).into();
        let coder = ImageCoder::fit(&images).unwrap();
        let rows = coder.encode(&images).unwrap();
        let settings = Settings { missing: Missing::Misconv, density_epochs: Some(1), ..Settings::default() };
        let run = Run::new(0, 1).unwrap();
        let (holes, _) = Holes::fit(&settings, &coder, &rows, &run).unwrap();
        let kept = Kept::new(&holes, &rows, &run).unwrap();
        let some = [66, 0, 13];
        let batch = rows.batch(&some);
        let ((made, size), (kept, same)) = (holes.mixture(&batch).unwrap(), kept.mixture(&batch, &some));
        assert_eq!(size, same);
        assert_eq!(made.scores, kept.scores);
        for (made, kept) in
            [(&made.mean, &kept.mean), (&made.factors, &kept.factors), (&made.diagonal, &kept.diagonal)]
        {
            assert_eq!(made.len(), kept.len());
            let width = made.len() / 3;
            for (place, (made, kept)) in made.iter().zip(kept).enumerate() {
                let known = batch.observed[place / width * 64 + place % 64] > 0.0;
                assert_eq!(*kept, if known { 0.0 } else { *made });
            }
        }
        assert!(Kept::new(&Holes::AsTheyAre, &rows, &run).is_none());
    }
}
