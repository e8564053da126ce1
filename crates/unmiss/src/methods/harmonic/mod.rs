#![doc = include_str!("README.md")]

mod surface;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::mean::PixelMeans;
use super::{
    About, Card, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{ImageBatch, ImageCoder, ImageRows, Rows};
use crate::error::{Error, Result};
use crate::missing::Cover;
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use surface::Surface;

/// Training images whose known pixels are hidden to learn how far fills err.
const ERRED_ON: usize = 200;
/// Images filled at a time.
const AT_ONCE: usize = 256;

/// The entry of the list.
pub struct Harmonic;

/// The settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The size of draws' noise beside what the errors on training images say.
    pub spread: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { spread: 1.0 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        match (0.0..=100.0).contains(&settings.spread) {
            true => Ok(settings),
            false => Err(Error::setting("spread", format!("{} is not between 0 and 100", settings.spread))),
        }
    }
}

static CARD: Card = Card {
    name: "harmonic",
    does: &[(Shape::Images, Job::Fill)],
    short_lists: &[(Shape::Images, Job::Fill)],
    cost: Cost::Low,
    about: About {
        title: "The smoothest surface through the known pixels around a hole",
        idea: "Every hidden pixel becomes the mean of its neighbours, hidden or not: Laplace's equation with the known \
               pixels as its boundary, for each image alone. A draw adds noise to the same sweeps, as large as the \
               errors on hidden pixels of training images.",
        paper: "Young 1954, Iterative methods for solving partial difference equations of elliptic type; Bertalmio et \
                al. 2000, Image inpainting",
        when: "Photographs of anything anywhere, where only a pixel's surroundings tell. Nothing is trained.",
        when_not: "Images that stand alike in their frame, such as digits or scans: `mfa`. Holes come out smooth.",
    },
    settings: &[Setting {
        name: "spread",
        help: "The size of draws' noise: 1 as the errors on training images say, 0 none.",
    }],
    space: &[],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Harmonic {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let spread = Settings::checked(settings)?.spread;
        let (coder, rows) = examples.images()?;
        let usual = PixelMeans::fit(coder, rows);
        let noise = run.compute(|| noise(coder, rows, run.seed()))?;
        let noise = noise.iter().map(|noise| (spread * noise) as f32).collect();
        Ok(Box::new(Fitted { usual, noise }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        self.check(settings)?;
        let noise = arrays.singles("noise", &[layout.images()?.size.channels])?.to_vec();
        match noise.iter().all(|noise| *noise >= 0.0 && noise.is_finite()) {
            true => Ok(Box::new(Fitted {
                usual: PixelMeans::load(layout, &arrays.with_prefix("usual/"))?,
                noise,
            })),
            false => Err(Error::damaged("its noise can't be that of draws")),
        }
    }
}

/// The noise of draws for each channel: so much that draws miss the fill by as much as the truth does, on known pixels
/// that are hidden as the holes of training images would.
fn noise(coder: &ImageCoder, rows: &ImageRows, seed: u64) -> Result<Vec<f64>> {
    let mut chosen = Stream::new(seed, "images erred on", 0, 0).permutation(rows.len());
    chosen.truncate(ERRED_ON);
    chosen.sort_unstable();
    let truth = rows.select(&chosen);
    // Where nothing can be hidden, as with one image of one pixel, the spread of all pixels has to do.
    let spread = || coder.deviations.iter().map(|deviation| f64::from(*deviation)).collect();
    let Ok(holed) = Cover::usual(truth.images()).hide(truth.images(), seed) else { return Ok(spread()) };
    let holed = coder.encode(&holed.into())?;
    let channels = coder.size.channels;
    let errors = |row: usize| {
        let (truth, holed) = (truth.batch(&[row]), holed.batch(&[row]));
        let mut stream = Stream::new(seed, "noise of one", row as u64, 0);
        let mut sums = vec![(0.0, 0.0); channels];
        for (channel, sums) in sums.iter_mut().enumerate() {
            let Some((surface, mut plane)) = channel_of(&holed, 0, channel) else { continue };
            let sweeps = surface.solve(&mut plane);
            let mut drawn = plane.clone();
            surface.draw(&mut drawn, sweeps, 1.0, &mut stream);
            let cells = channel * coder.size.pixels()..(channel + 1) * coder.size.pixels();
            for (place, cell) in
                cells.enumerate().filter(|(_, cell)| holed.observed[*cell] < truth.observed[*cell])
            {
                sums.0 += (plane[place] - f64::from(truth.values[cell])).powi(2);
                sums.1 += (plane[place] - drawn[place]).powi(2);
            }
        }
        sums
    };
    let each: Vec<Vec<(f64, f64)>> = (0..truth.len()).into_par_iter().map(errors).collect();
    let of_channel = |channel: usize| {
        let sums = each.iter().map(|sums| sums[channel]);
        let (errors, draws) = sums.fold((0.0, 0.0), |(errors, draws), own| (errors + own.0, draws + own.1));
        if draws > 0.0 { (errors / draws).sqrt() } else { f64::from(coder.deviations[channel]) }
    };
    Ok((0..channels).map(of_channel).collect())
}

/// The surface of a channel of an image, and its values; none where nothing is hidden or nothing known.
fn channel_of(batch: &ImageBatch, row: usize, channel: usize) -> Option<(Surface, Vec<f64>)> {
    let (pixels, start) = (batch.size.pixels(), row * batch.size.cells() + channel * batch.size.pixels());
    let known: Vec<bool> = batch.observed[start..start + pixels].iter().map(|mark| *mark > 0.0).collect();
    let plane = batch.values[start..start + pixels].iter().map(|value| f64::from(*value)).collect();
    Some((Surface::new(&known, batch.size.width)?, plane))
}

struct Fitted {
    /// What fills a channel of which nothing is known.
    usual: PixelMeans,
    /// `[channels]`: σ of draws.
    noise: Vec<f32>,
}

impl Fitted {
    /// Values for a whole image of a batch.
    fn filled(&self, batch: &ImageBatch, row: usize, mut stream: Option<Stream>) -> Vec<f32> {
        let pixels = batch.size.pixels();
        let mut values = self.usual.means().to_vec();
        for (channel, own) in values.chunks_exact_mut(pixels).enumerate() {
            match (channel_of(batch, row, channel), &mut stream) {
                (Some((surface, mut plane)), stream) => {
                    let sweeps = surface.solve(&mut plane);
                    if let Some(stream) = stream {
                        surface.draw(&mut plane, sweeps, f64::from(self.noise[channel]), stream);
                    }
                    own.iter_mut().zip(plane).for_each(|(own, value)| *own = value as f32);
                }
                (None, Some(stream)) => {
                    let spread = &self.usual.deviations()[channel * pixels..(channel + 1) * pixels];
                    own.iter_mut()
                        .zip(spread)
                        .for_each(|(own, spread)| *own += spread * stream.normal() as f32);
                }
                (None, None) => {}
            }
        }
        values
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        arrays.put_singles("noise", &[self.noise.len()], self.noise.clone());
        arrays.put_all("usual/", self.usual.save());
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "noise": self.noise })
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.images_mut()?;
        let holed: Vec<usize> = (0..rows.len()).filter(|&row| !rows.is_whole(row)).collect();
        for some in holed.chunks(AT_ONCE) {
            let batch = rows.batch(some);
            let one = |place: usize| {
                self.filled(&batch, place, draw.map(|draw| draw.stream("harmonic", some[place])))
            };
            let values: Vec<Vec<f32>> = (0..some.len()).into_par_iter().map(one).collect();
            some.iter().zip(values).for_each(|(&row, values)| rows.fill(row, &values));
        }
        Ok(())
    }

    fn why_no_formula(&self) -> &'static str {
        "it solves an equation of another size for every hole"
    }
}
