//! The choice of a method that predicts from images or series, measured on some that are held out.
//!
//! A network for them takes long to train, so that methods are measured once, on a share of the images or series of
//! each class, and not fold by fold; the model is the best one's, learned from all.

use std::time::Instant;

use super::evaluation::{Evaluation, evaluate_held_out};
use crate::data::{Data, Shape};
use crate::encode::{ClassWeights, TargetEncoder, Targets};
use crate::error::{Error, Result};
use crate::methods::Recipe;
use crate::methods::folds::folds;
use crate::metrics::Score;
use crate::model::{Aim, Inputs, Model, Roles, fit_prepared, prepare};
use crate::run::Run;

/// One method's result on images that were held out.
#[derive(Debug, Clone)]
pub struct MeasuredOnce {
    /// The method and its settings.
    pub recipe: Recipe,
    /// How well it did.
    pub score: Score,
    /// `[held out, outputs]`: its answers in model units.
    pub predictions: Vec<f64>,
    /// Seconds of fitting and predicting.
    pub seconds: f64,
}

/// What methods did on images that were held out.
#[derive(Debug, Clone)]
pub struct SplitChoice {
    /// What was held out.
    pub shape: Shape,
    /// Results, the best first; empty where nothing was held out.
    pub entries: Vec<MeasuredOnce>,
    /// Which images were held out.
    pub held_out: Vec<usize>,
    /// Their targets.
    pub truth: Targets,
    /// Methods that could not be fitted, and why.
    pub failures: Vec<String>,
    /// Every figure of the best.
    pub evaluation: Option<Evaluation>,
}

/// Measures recipes on a share of the images and learns the best from all. With a share of 0 there must be one recipe,
/// and nothing is measured.
///
/// # Errors
/// When the classes are not known, nothing could be fitted, or the run was stopped before anything was done.
pub fn fit_best_on_split(
    data: &Data,
    roles: &Roles,
    recipes: &[Recipe],
    share: f64,
    run: &Run,
) -> Result<(Model, Option<SplitChoice>)> {
    let choice = (share > 0.0).then(|| measure(data, roles, recipes, share, run)).transpose()?;
    let measured = choice.as_ref().and_then(|choice| choice.entries.first());
    let best = measured.map(|entry| &entry.recipe).or(recipes.first());
    let best = best.ok_or_else(|| Error::setting("method", "there is no method for this"))?;
    let mut model = Model::fit(data, &Aim::Predict(roles.clone()), best, &run.part(best.method.name()))?;
    if run.stopped() && model.summary.cut_off.is_none() {
        model.summary.cut_off = Some("The fit was stopped before it was done.".into());
    }
    model.summary.notes = choice.iter().filter_map(SplitChoice::words).collect();
    Ok((model, choice))
}

impl SplitChoice {
    /// How the best method did, in a sentence.
    pub(super) fn words(&self) -> Option<String> {
        let MeasuredOnce { recipe, score, .. } = self.entries.first()?;
        let figures = match score {
            Score::Classification { accuracy, .. } => {
                format!("told the class of {:.2} % of them, log-loss {:.4}", 100.0 * accuracy, score.loss())
            }
            Score::Regression { .. } => format!("erred by {:.4} standard deviations", score.loss()),
        };
        let (name, held_out) = (recipe.method.name(), self.held_out.len());
        let things = if self.shape == Shape::Series { "series" } else { "images" };
        Some(format!("`{name}`, learned without {held_out} {things}, {figures}; the model learned from all."))
    }
}

fn measure(data: &Data, roles: &Roles, recipes: &[Recipe], share: f64, run: &Run) -> Result<SplitChoice> {
    let labelled = roles.labelled(data)?;
    let target = roles.target_of(&labelled)?;
    let truth = target.encode(&labelled, None, ClassWeights::Equal)?;
    let folds = folds(&truth, (1.0 / share).round() as usize, labelled.rows(), run.seed());
    let places = &folds.held_out[0];
    let inputs = roles.inputs(&labelled)?;
    let split =
        Split { inputs, learning: labelled.select(&folds.training(0))?, others: labelled.select(places)? };
    let known = &data.column(&roles.target)?.observed;
    let own: Vec<usize> = (0..data.rows()).filter(|&image| known[image]).collect();
    let mut choice = SplitChoice {
        shape: data.shape(),
        entries: Vec::new(),
        held_out: places.iter().map(|&place| own[place]).collect(),
        truth: truth.select(places),
        failures: Vec::new(),
        evaluation: None,
    };
    for recipe in recipes {
        let (name, start) = (recipe.method.name(), Instant::now());
        let found = split.predict(roles, &target, recipe, &run.part(&format!("{name}, measured")));
        if run.stopped() {
            break;
        }
        match found {
            Ok(predictions) => choice.entries.push(MeasuredOnce {
                recipe: recipe.clone(),
                score: Score::of(&predictions, &choice.truth),
                predictions,
                seconds: start.elapsed().as_secs_f64(),
            }),
            Err(error) if recipes.len() > 1 => {
                choice.failures.push(format!("`{name}` could not be fitted: {error}"));
            }
            Err(error) => return Err(error),
        }
    }
    if choice.entries.is_empty() {
        return Err(if run.stopped() { Error::Stopped } else { Error::data(choice.failures.join("; ")) });
    }
    choice.entries.sort_by(|a, b| a.score.ranked_loss().total_cmp(&b.score.ranked_loss()));
    let best = &choice.entries[0].predictions;
    choice.evaluation = Some(evaluate_held_out(&target, &choice.truth, best, None, run));
    Ok(choice)
}

/// Images to learn from and others to be judged on.
struct Split {
    /// What does not change over time, of series.
    inputs: Inputs,
    learning: Data,
    others: Data,
}

impl Split {
    fn predict(&self, roles: &Roles, target: &TargetEncoder, recipe: &Recipe, run: &Run) -> Result<Vec<f64>> {
        let encoding = recipe.method.encoding(&recipe.settings)?;
        let prepared = prepare(&self.learning, &self.inputs, roles, target, encoding)?;
        let learned = fit_prepared(&prepared, recipe, run)?;
        let rows = prepared.coder.encode(&self.others, |_, _| {})?;
        let not_one = || Error::method(recipe.method.name(), "it does not predict");
        let predictor = learned.predictor().ok_or_else(not_one)?;
        run.compute(|| predictor.predict(&rows))
    }
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
        let (model, choice) = fit_best_on_split(&digits, &roles, &recipes, 0.2, &run).unwrap();
        let choice = choice.unwrap();
        let Score::Classification { accuracy, .. } = choice.entries[0].score else { panic!("no classes") };
        assert!(choice.held_out.len() == 120 && accuracy > 0.85, "{accuracy}");
        assert_eq!(choice.entries[0].predictions.len(), 1200);
        assert_eq!((model.summary.rows, model.predicting().unwrap().target.levels.len()), (600, 10));
        assert!(
            model.summary.notes[0].starts_with("`neighbours`, learned without 120 images, told the class of")
        );
    }
}
