//! Imputers of images on hidden pixels: known pixels are hidden, filled, and held against the truth.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use super::arena::{Arena, Outcome, repeat_seed};
use super::comparison::{Comparison, Contestant};
use super::tune::settings_for;
use crate::data::images::Images;
use crate::data::{Data, Shape};
use crate::error::{Error, Result};
use crate::methods::Job;
use crate::metrics::{PixelError, ranked};
use crate::missing::{Cover, Region};
use crate::model::{Aim, FillPlan, Model, Recipe};
use crate::rng::{Stream, hash, mix};
use crate::run::Run;

/// Images that are compared on, at most.
const MOST_COMPARED: usize = 5_000;
/// Images that a choice is measured on, at most: it is made before every filling that names no method.
const MOST_MEASURED: usize = 2_000;
/// Images of which is kept how they were filled.
const KEPT: usize = 16;

/// Images and how their pixels are hidden.
pub(super) struct HiddenPixels {
    images: Images,
    how: Cover,
    seed: u64,
}

impl HiddenPixels {
    /// Takes the images, or a sample of many, and tries whether pixels can be hidden that way.
    pub fn new(data: &Data, how: Cover, run: &Run) -> Result<Self> {
        let images = some(data.images()?, MOST_COMPARED, run.seed());
        how.hide(&images, run.seed())?;
        Ok(Self { images, how, seed: run.seed() })
    }
}

impl Arena for HiddenPixels {
    fn describe(&self, comparison: &mut Comparison) {
        comparison.rows_compared = self.images.len();
        comparison.test_share = match self.how {
            Cover::Region(region) => region.share(),
            Cover::Others => missing_share(&self.images),
        };
    }

    fn fit(&self, contestant: &Contestant, repeat: usize, _: usize, run: &Run) -> Result<Outcome> {
        let mut recipe = Recipe::find(&contestant.method, Shape::Images, Job::Fill)?;
        let seed = repeat_seed(self.seed, repeat);
        let run = run.with_seed(seed);
        let holed = self.how.hide(&self.images, seed)?;
        recipe.settings = settings_for(contestant, recipe.method, self.seed, &run, |settings, run| {
            let recipe = Recipe { method: recipe.method, settings: settings.clone() };
            let inner = self.how.hide(&holed, mix([run.seed(), hash("inner holdout")]))?;
            Ok(filled(&recipe, &holed, &inner, run)?.0.relative())
        })?;
        let (found, _) = filled(&recipe, &self.images, &holed, &run)?;
        let figures = BTreeMap::from([
            ("RMSE".to_owned(), Some(found.rmse)),
            ("PSNR".to_owned(), Some(found.psnr()).filter(|value| value.is_finite())),
        ]);
        let (loss, classes, columns) = (found.relative(), Vec::new(), Vec::new());
        Ok(Outcome { settings: recipe.settings, loss, figures, classes, columns })
    }
}

/// Learns from images with hidden pixels, fills them, and holds that against the truth.
fn filled(recipe: &Recipe, truth: &Images, holed: &Images, run: &Run) -> Result<(PixelError, Arc<Images>)> {
    let data = Data::from(holed.clone());
    let model = Model::fit(&data, &Aim::Fill(FillPlan::default()), recipe, run)?;
    let filling = model.filling()?;
    let filled = run.compute(|| filling.fill(&data, None, |_, _| {}))?;
    let filled = Arc::clone(filled.data.images()?);
    Ok((PixelError::of(truth, holed, &filled), filled))
}

/// One method's result on hidden pixels.
#[derive(Debug, Clone)]
pub struct MeasuredOnPixels {
    /// The method and its settings.
    pub recipe: Recipe,
    /// How far off it was.
    pub error: PixelError,
    /// Seconds of learning and filling.
    pub seconds: f64,
    /// The first images as it filled them.
    pub filled: Images,
}

/// What methods did on hidden pixels.
#[derive(Debug, Clone)]
pub struct PixelChoice {
    /// Results, the best first.
    pub entries: Vec<MeasuredOnPixels>,
    /// How pixels were hidden.
    pub how: Cover,
    /// In how many images.
    pub images: usize,
    /// The first of them as they are, and with the hidden pixels.
    pub first: [Images; 2],
    /// Methods that could not be fitted, and why.
    pub failures: Vec<String>,
}

/// Measures imputers on hidden pixels of some of the images and says which errs least.
///
/// # Errors
/// When nothing can be hidden, nothing could be fitted, or the run was stopped before anything was done.
pub fn choose_filling(data: &Data, recipes: &[Recipe], run: &Run) -> Result<PixelChoice> {
    let truth = some(data.images()?, MOST_MEASURED, run.seed());
    let mut how = Cover::usual(&truth);
    // Where all images miss the same pixels, the holes of others hide nothing.
    let holed = how.hide(&truth, run.seed()).or_else(|_| {
        how = Cover::Region(Region::Square(0.25));
        how.hide(&truth, run.seed())
    })?;
    let kept: Vec<usize> = (0..truth.len().min(KEPT)).collect();
    let first = [truth.select(&kept), holed.select(&kept)];
    let (entries, failures) = (Vec::new(), Vec::new());
    let mut choice = PixelChoice { entries, how, images: truth.len(), first, failures };
    for recipe in recipes {
        let (name, start) = (recipe.method.name(), Instant::now());
        let found = filled(recipe, &truth, &holed, &run.part(&format!("{name}, measured")));
        if run.stopped() {
            break;
        }
        match found {
            Ok((error, filled)) => choice.entries.push(MeasuredOnPixels {
                recipe: recipe.clone(),
                error,
                seconds: start.elapsed().as_secs_f64(),
                filled: filled.select(&kept),
            }),
            Err(error) => choice.failures.push(format!("`{name}` could not be fitted: {error}")),
        }
    }
    if choice.entries.is_empty() {
        return Err(if run.stopped() { Error::Stopped } else { Error::data(choice.failures.join("; ")) });
    }
    choice.entries.sort_by(|a, b| ranked(a.error.rmse).total_cmp(&ranked(b.error.rmse)));
    Ok(choice)
}

/// Some of the images, in their order.
fn some(images: &Images, most: usize, seed: u64) -> Images {
    let mut chosen = Stream::new(seed, "sample for comparison", 0, 0).permutation(images.len());
    chosen.truncate(most);
    chosen.sort_unstable();
    images.select(&chosen).without_labels()
}

fn missing_share(images: &Images) -> f64 {
    let known: usize = (0..images.len()).map(|image| images.known_pixels(image)).sum();
    1.0 - known as f64 / (images.len() * images.size().pixels()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::{Contest, Question, Setup};
    use super::*;
    use crate::data::images::sample;
    use crate::missing::hide_region;

    fn digits(count: usize) -> Data {
        let first: Vec<usize> = (0..count).collect();
        hide_region(sample().unwrap().select(&first), &Region::Square(0.25), 1).into()
    }

    #[test]
    fn alike_images_fill_better_than_the_mean() {
        let run = Run::new(0, 2).unwrap();
        let recipes = ["mean", "neighbours"].map(|name| Recipe::named(name).unwrap());
        let choice = choose_filling(&digits(400), &recipes, &run).unwrap();
        assert_eq!(choice.entries[0].recipe.method.name(), "neighbours");
        assert_eq!((choice.how, choice.images), (Cover::Others, 400));
        let [best, other] = &choice.entries[..] else { panic!("{choice:?}") };
        assert!(best.error.rmse < 0.9 * other.error.rmse && best.error.psnr() > other.error.psnr());
    }

    #[test]
    fn methods_are_compared_on_hidden_pixels() {
        let run = Run::new(0, 2).unwrap();
        let contestants =
            ["mean", "neighbours"].map(|name| Contestant::new(&Recipe::named(name).unwrap(), 0)).into();
        let setup = Setup { question: Question::Pixels { how: "noise:0.3".into() }, contestants, repeats: 2 };
        let found = Contest::new(&digits(200), setup, &run).unwrap().hold(&run, |_| Ok(())).unwrap();
        assert_eq!(found.standings[0].contestant, "neighbours");
        assert!(found.standings[0].loss < 1.0 && found.standings[0].figures["PSNR"].unwrap() > 10.0);
        assert_eq!((found.rows_compared, found.test_share, found.shape), (200, 0.3, Shape::Images));
    }
}
