//! Images as they enter: holes filled as the settings say, and in training moved and hidden by chance, masks and all.

use super::holes::Holes;
use super::layers::View;
use super::{Hide, Missing, Settings};
use crate::encode::{ImageBatch, ImageRows, WrittenImages};
use crate::error::Result;
use crate::methods::written::no_formula;
use crate::nn::train::Moment;
use crate::nn::{Mixture, MixtureSize};
use crate::onnx::{Graph, Kind, Symbol};
use crate::rng::{Stream, mix};

/// The share of visits at which more is hidden.
const HIDDEN_VISITS: f64 = 0.5;

/// What becomes of images before the first layer.
pub struct Entrance {
    missing: Missing,
    shift: usize,
    flip: bool,
    hide: Option<Hide>,
    /// `[n]`: the mean of each number over the training images.
    pub means: Vec<f32>,
    /// What was learned about holes.
    pub holes: Holes,
}

/// A visit in training: where it stands, and the training images as they were given, holes and all.
#[derive(Clone, Copy)]
pub struct Visit<'a> {
    /// Where in the training.
    pub moment: &'a Moment,
    /// The images whose holes others may get.
    pub given: &'a ImageRows,
}

impl Entrance {
    /// An entrance for settings.
    pub fn new(settings: &Settings, means: Vec<f32>, holes: Holes) -> Self {
        let Settings { missing, shift, flip, hide, .. } = *settings;
        Self { missing, shift, flip, hide, means, holes }
    }

    /// What the network sees of images; in training, each is changed by what its row and the moment say.
    pub fn view(&self, mut batch: ImageBatch, rows: &[usize], visit: Option<Visit<'_>>) -> View {
        if let Some(visit) = visit {
            if let Some(hide) = self.hide {
                hide_more(&mut batch, rows, hide, visit);
            }
            if self.shift > 0 || self.flip {
                batch = self.moved(&batch, rows, visit.moment);
            }
        }
        let density = self.holes.mixture(&batch);
        self.seen(batch, density)
    }

    /// Whether images are changed by chance in training.
    pub fn changes(&self) -> bool {
        self.shift > 0 || self.flip || self.hide.is_some()
    }

    /// What the network sees of images of which the density of what is missing is known already.
    pub fn seen(&self, batch: ImageBatch, density: Option<(Mixture<Vec<f32>>, MixtureSize)>) -> View {
        let ImageBatch { mut values, observed, .. } = batch;
        let observed: Vec<bool> = observed.iter().map(|mark| *mark > 0.0).collect();
        if self.missing == Missing::Mean {
            let places = values.iter_mut().zip(&observed).zip(self.means.iter().cycle());
            places.for_each(|((value, known), mean)| *value = if *known { *value } else { *mean });
        }
        View { values, observed, density }
    }

    /// What the first layer is given of images, as operations of a graph.
    ///
    /// # Errors
    /// When holes are filled by more than a formula.
    pub fn write(&self, graph: &mut Graph, images: &WrittenImages) -> Result<Symbol> {
        let WrittenImages { values, observed, .. } = images;
        match self.missing {
            Missing::Zero | Missing::PartialConv | Missing::SnConv => Ok(values.clone()),
            Missing::Mean => {
                let means = graph.singles(&[1, self.means.len()], &self.means);
                Ok(graph.choose(observed, values, &means))
            }
            Missing::MaskChannel => {
                let marks = graph.cast(observed, Kind::Single);
                Ok(graph.beside(&[values, &marks]))
            }
            Missing::Knn => {
                Err(no_formula("its holes are filled from the training images that are most alike"))
            }
            Missing::Misconv | Missing::DmfaImpute => {
                Err(no_formula("its holes have a density that a network of its own tells, image by image"))
            }
        }
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

/// Hides a part of half of the images: what another image lacks, or a region.
fn hide_more(batch: &mut ImageBatch, rows: &[usize], hide: Hide, Visit { moment, given }: Visit<'_>) {
    let cells = batch.size.cells();
    let images = batch.values.chunks_exact_mut(cells).zip(batch.observed.chunks_exact_mut(cells));
    for (row, (values, observed)) in rows.iter().zip(images) {
        let mut stream = Stream::new(moment.seed, "hidden", moment.step, *row as u64);
        if stream.uniform() >= HIDDEN_VISITS {
            continue;
        }
        let hidden: Vec<bool> = match hide {
            Hide::Others => {
                let other = stream.below(given.len());
                (0..cells).map(|cell| !given.images().is_known(other, cell)).collect()
            }
            Hide::Region(region) => {
                let address = mix([moment.seed, moment.step]);
                region.hidden(batch.size, address, *row as u64)
            }
        };
        for cell in (0..cells).filter(|cell| hidden[cell % hidden.len()]) {
            (values[cell], observed[cell]) = (0.0, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::{Bits, Images, Observed, Pixels, Size};
    use crate::encode::ImageCoder;
    use crate::missing::Region;

    fn given(size: Size, count: usize, known: impl Fn(usize, usize) -> bool) -> ImageRows {
        let marks = (0..count * size.pixels()).map(|at| known(at / size.pixels(), at % size.pixels()));
        let values = Pixels::Numbers(vec![0.5; count * size.cells()]);
        let images = Images::new(size, values, Observed::Pixels(Bits::from_marks(marks))).unwrap().into();
        ImageCoder::fit(&images).unwrap().encode(&images).unwrap()
    }

    #[test]
    fn half_of_the_visits_hide_what_another_image_lacks_or_a_region() {
        let size = Size { channels: 2, height: 4, width: 4 };
        // The second image lacks its first row, the first its last pixel.
        let rows = given(size, 2, |image, pixel| if image == 0 { pixel != 15 } else { pixel >= 4 });
        for (hide, seldom) in [(Hide::Others, 9), (Hide::Region(Region::Square(0.25)), 4)] {
            let settings = Settings { hide: Some(hide), missing: Missing::Zero, ..Settings::default() };
            let entrance = Entrance::new(&settings, vec![0.0; 32], Holes::AsTheyAre);
            let mut changed = 0;
            for step in 0..400 {
                let moment = Moment { seed: 1, epoch: 0, step, share: 0.0 };
                let visit = Some(Visit { moment: &moment, given: &rows });
                let view = entrance.view(rows.batch(&[0]), &[0], visit);
                let lost = view.observed[..15].iter().filter(|known| !**known).count();
                assert!(!view.observed[15] && view.observed[..16] == view.observed[16..]);
                assert!([0, 4].contains(&lost) || (lost == 3 && hide != Hide::Others), "{lost}");
                assert!(view.values.iter().zip(&view.observed).all(|(value, known)| *known || *value == 0.0));
                changed += usize::from(lost > 0);
            }
            // A half of the visits, and of those to be given another's holes a half gets its own.
            let expected = if hide == Hide::Others { 100 } else { 200 };
            assert!(changed.abs_diff(expected) < 10 * seldom, "{changed}");
        }
        let still = Entrance::new(
            &Settings { hide: Some(Hide::Others), ..Settings::default() },
            vec![],
            Holes::AsTheyAre,
        );
        assert_eq!(
            still.view(rows.batch(&[0]), &[0], None).observed.iter().filter(|known| !**known).count(),
            2
        );
    }

    #[test]
    fn images_move_with_their_masks_and_what_comes_in_is_not_known() {
        let size = Size { channels: 2, height: 4, width: 3 };
        let values: Vec<f32> = (1..=24).map(|value| value as f32).collect();
        let observed: Vec<f32> = (0..24).map(|cell| f32::from(u8::from(cell % 5 > 0))).collect();
        let values = values.iter().zip(&observed).map(|(value, mark)| value * mark).collect();
        let batch = ImageBatch { size, rows: 1, values, observed };
        let settings = Settings { shift: 1, flip: true, missing: Missing::Zero, ..Settings::default() };
        let entrance = Entrance::new(&settings, vec![0.0; 24], Holes::AsTheyAre);
        let given = given(size, 1, |_, _| true);
        let known = |view: &View| view.observed.iter().filter(|known| **known).count();
        let still = entrance.view(batch.clone(), &[0], None);
        assert_eq!((still.values.as_slice(), known(&still)), (batch.values.as_slice(), 19));
        let mut seen = std::collections::BTreeSet::new();
        for step in 0..200 {
            let moment = Moment { seed: 1, epoch: 0, step, share: 0.0 };
            let view = entrance.view(batch.clone(), &[0], Some(Visit { moment: &moment, given: &given }));
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
        let entrance = Entrance::new(&settings, vec![0.1, 0.2], Holes::AsTheyAre);
        assert_eq!(entrance.view(batch, &[0, 1], None).values, [0.9, 0.2, 0.1, 0.8]);
    }
}
