//! The choice of a method that tells the classes of images, measured on images that are held out.
//!
//! A network for images takes long to train, so that methods are measured once, on a share of the images of each class,
//! and not fold by fold; the model is the best one's, learned from all images.

use std::time::Instant;

use crate::data::Data;
use crate::encode::{ClassWeights, TargetEncoder};
use crate::error::{Error, Result};
use crate::methods::Recipe;
use crate::methods::folds::folds;
use crate::metrics::Score;
use crate::model::{Aim, Model, Roles, fit_prepared, prepare};
use crate::run::Run;

/// One method's result on images that were held out.
#[derive(Debug, Clone)]
pub struct MeasuredOnImages {
    /// The method and its settings.
    pub recipe: Recipe,
    /// How well it did.
    pub score: Score,
    /// Seconds of fitting and predicting.
    pub seconds: f64,
}

/// What methods did on images that were held out.
#[derive(Debug, Clone, Default)]
pub struct ImageChoice {
    /// Results, the best first; empty where nothing was held out.
    pub entries: Vec<MeasuredOnImages>,
    /// How many images were held out.
    pub held_out: usize,
    /// Methods that could not be fitted, and why.
    pub failures: Vec<String>,
}

/// Measures recipes on a share of the images and learns the best from all. With a share of 0 there must be one recipe,
/// and nothing is measured.
///
/// # Errors
/// When the classes are not known, nothing could be fitted, or the run was stopped before anything was done.
pub fn fit_best_on_images(
    data: &Data,
    roles: &Roles,
    recipes: &[Recipe],
    share: f64,
    run: &Run,
) -> Result<(Model, ImageChoice)> {
    let choice =
        if share > 0.0 { measure(data, roles, recipes, share, run)? } else { ImageChoice::default() };
    let best = choice.entries.first().map(|entry| &entry.recipe).or(recipes.first());
    let best = best.ok_or_else(|| Error::setting("method", "there is no method for this"))?;
    let mut model = Model::fit(data, &Aim::Predict(roles.clone()), best, &run.part(best.method.name()))?;
    if run.stopped() && model.summary.cut_off.is_none() {
        model.summary.cut_off = Some("The fit was stopped before it was done.".into());
    }
    if let Some(MeasuredOnImages { score, .. }) = choice.entries.first() {
        let (name, held_out) = (best.method.name(), choice.held_out);
        let figures = match score {
            Score::Classification { accuracy, .. } => {
                format!("told the class of {:.2} % of them, log-loss {:.4}", 100.0 * accuracy, score.loss())
            }
            Score::Regression { .. } => format!("erred by {:.4} standard deviations", score.loss()),
        };
        model.summary.notes = vec![format!(
            "`{name}`, learned without {held_out} images, {figures}; the model learned from all."
        )];
    }
    Ok((model, choice))
}

fn measure(data: &Data, roles: &Roles, recipes: &[Recipe], share: f64, run: &Run) -> Result<ImageChoice> {
    let labelled = roles.labelled(data)?;
    let target = TargetEncoder::fit(&labelled, &roles.target, roles.task)?;
    let truth = target.encode(&labelled, None, ClassWeights::Equal)?;
    let folds = folds(&truth, (1.0 / share).round() as usize, labelled.rows(), run.seed());
    let held_out = &folds.held_out[0];
    let (learning, others) = (labelled.select(&folds.training(0))?, labelled.select(held_out)?);
    let truth = truth.select(held_out);
    let mut choice = ImageChoice { held_out: held_out.len(), ..ImageChoice::default() };
    for recipe in recipes {
        let (name, start) = (recipe.method.name(), Instant::now());
        let part = run.part(&format!("{name}, measured"));
        let found = || -> Result<Score> {
            let encoding = recipe.method.encoding(&recipe.settings)?;
            let prepared = prepare(&learning, &[], roles, &target, encoding)?;
            let learned = fit_prepared(&prepared, recipe, &part)?;
            let rows = prepared.coder.encode(&others, |_, _| {})?;
            let predictor = learned.predictor().ok_or_else(|| Error::method(name, "it does not predict"))?;
            Ok(Score::of(&part.compute(|| predictor.predict(&rows))?, &truth))
        };
        let score = found();
        if run.stopped() {
            break;
        }
        match score {
            Ok(score) => {
                let seconds = start.elapsed().as_secs_f64();
                choice.entries.push(MeasuredOnImages { recipe: recipe.clone(), score, seconds });
            }
            Err(error) if recipes.len() > 1 => {
                choice.failures.push(format!("`{name}` could not be fitted: {error}"));
            }
            Err(error) => return Err(error),
        }
    }
    if choice.entries.is_empty() {
        return Err(if run.stopped() { Error::Stopped } else { Error::data(choice.failures.join("; ")) });
    }
    choice.entries.sort_by(|a, b| a.score.loss().total_cmp(&b.score.loss()));
    Ok(choice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::images::{LABEL, sample};
    use crate::missing::{Region, hide_region};

    #[test]
    fn alike_digits_tell_each_other_s_class_holes_and_all() {
        let some: Vec<usize> = (0..600).collect();
        let digits = Data::from(hide_region(sample().unwrap().select(&some), &Region::Square(0.25), 1));
        let (roles, run) = (Roles::target(LABEL), Run::new(0, 2).unwrap());
        let recipes = [Recipe::named("neighbours").unwrap()];
        let (model, choice) = fit_best_on_images(&digits, &roles, &recipes, 0.2, &run).unwrap();
        let Score::Classification { accuracy, .. } = choice.entries[0].score else { panic!("no classes") };
        assert!(choice.held_out == 120 && accuracy > 0.85, "{accuracy}");
        assert_eq!((model.summary.rows, model.predicting().unwrap().target.levels.len()), (600, 10));
        assert!(
            model.summary.notes[0].starts_with("`neighbours`, learned without 120 images, told the class of")
        );
    }
}
