//! Images as they enter: holes filled as the settings say, and in training moved by chance, masks and all.

use super::layers::View;
use super::{Missing, Settings};
use crate::encode::ImageBatch;
use crate::methods::dmfa::Density;
use crate::nn::train::Moment;
use crate::rng::Stream;

/// What becomes of images before the first layer.
pub struct Entrance {
    pub missing: Missing,
    pub shift: usize,
    pub flip: bool,
    /// `[n]`: the mean of each number over the training images.
    pub means: Vec<f32>,
    /// For expected activations.
    pub density: Option<Density>,
}

impl Entrance {
    /// An entrance for settings.
    pub fn new(settings: &Settings, means: Vec<f32>, density: Option<Density>) -> Self {
        let Settings { missing, shift, flip, .. } = *settings;
        Self { missing, shift, flip, means, density }
    }

    /// What the network sees of images; in training, each is moved by what its row and the moment say.
    pub fn view(&self, batch: ImageBatch, rows: &[usize], moment: Option<&Moment>) -> View {
        let moved = moment.filter(|_| self.shift > 0 || self.flip);
        let batch = match moved {
            Some(moment) => self.moved(&batch, rows, moment),
            None => batch,
        };
        let density = self.density.as_ref().map(|density| density.mixture(&batch));
        let ImageBatch { mut values, observed, .. } = batch;
        let observed: Vec<bool> = observed.iter().map(|mark| *mark > 0.0).collect();
        if self.missing == Missing::Mean {
            let places = values.iter_mut().zip(&observed).zip(self.means.iter().cycle());
            places.for_each(|((value, known), mean)| *value = if *known { *value } else { *mean });
        }
        View { values, observed, density }
    }

    /// Every image moved and maybe mirrored; of what comes in from outside nothing is known.
    fn moved(&self, batch: &ImageBatch, rows: &[usize], moment: &Moment) -> ImageBatch {
        let size = batch.size;
        let (cells, pixels) = (size.cells(), size.pixels());
        let zeros = || vec![0.0; batch.values.len()];
        let mut moved = ImageBatch { values: zeros(), observed: zeros(), ..*batch };
        for (image, row) in rows.iter().enumerate() {
            let mut stream = Stream::new(moment.seed, "moved", moment.step, *row as u64);
            let mut step = || stream.below(2 * self.shift + 1) as isize - self.shift as isize;
            let (down, right) = (step(), step());
            let mirrored = self.flip && stream.uniform() < 0.5;
            for cell in 0..cells {
                let (plane, y, x) = (cell / pixels, cell % pixels / size.width, cell % size.width);
                let (from_y, from_x) = (y as isize - down, x as isize - right);
                let inside =
                    (0..size.height as isize).contains(&from_y) && (0..size.width as isize).contains(&from_x);
                if inside {
                    let from_x = if mirrored { size.width - 1 - from_x as usize } else { from_x as usize };
                    let from = image * cells + plane * pixels + from_y as usize * size.width + from_x;
                    moved.values[image * cells + cell] = batch.values[from];
                    moved.observed[image * cells + cell] = batch.observed[from];
                }
            }
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::Size;

    #[test]
    fn images_move_with_their_masks_and_what_comes_in_is_not_known() {
        let size = Size { channels: 2, height: 4, width: 3 };
        let values: Vec<f32> = (1..=24).map(|value| value as f32).collect();
        let observed: Vec<f32> = (0..24).map(|cell| f32::from(u8::from(cell % 5 > 0))).collect();
        let values = values.iter().zip(&observed).map(|(value, mark)| value * mark).collect();
        let batch = ImageBatch { size, rows: 1, values, observed };
        let settings = Settings { shift: 1, flip: true, missing: Missing::Zero, ..Settings::default() };
        let entrance = Entrance::new(&settings, vec![0.0; 24], None);
        let known = |view: &View| view.observed.iter().filter(|known| **known).count();
        let still = entrance.view(batch.clone(), &[0], None);
        assert_eq!((still.values.as_slice(), known(&still)), (batch.values.as_slice(), 19));
        let mut seen = std::collections::BTreeSet::new();
        for step in 0..200 {
            let moment = Moment { seed: 1, epoch: 0, step, share: 0.0 };
            let view = entrance.view(batch.clone(), &[0], Some(&moment));
            let mut left: Vec<f32> = batch.values.clone();
            for (value, known) in view.values.iter().zip(&view.observed) {
                assert_eq!(*value > 0.0, *known, "a value came without its mark");
                left.retain(|own| own != value || !known);
            }
            seen.insert(format!("{:?}", view.values));
        }
        assert_eq!(seen.len(), 18, "3 x 3 moves, mirrored or not");
    }

    #[test]
    fn the_mean_of_a_pixel_stands_for_what_is_missing() {
        let size = Size { channels: 1, height: 1, width: 2 };
        let batch = ImageBatch {
            size,
            rows: 2,
            values: vec![0.9, 0.0, 0.0, 0.8],
            observed: vec![1.0, 0.0, 0.0, 1.0],
        };
        let settings = Settings { missing: Missing::Mean, ..Settings::default() };
        let entrance = Entrance::new(&settings, vec![0.1, 0.2], None);
        assert_eq!(entrance.view(batch, &[0, 1], None).values, [0.9, 0.2, 0.1, 0.8]);
    }
}
