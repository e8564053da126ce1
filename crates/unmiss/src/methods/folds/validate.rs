//! The cross-validation of several methods on the same folds, and the model that comes of it: the best one's, or the
//! weighted mean of all.

use super::measured::{Entry, Measured, Outcome, curves_of, measure};
use super::mixing::{Mixed, is_worth_more, mix};
use super::models::FoldModel;
use super::splits::Splits;
use crate::error::{Error, Result};
use crate::methods::{Cost, Recipe};
use crate::metrics::ranked;
use crate::run::{Curve, Run};

/// Methods measured on the same folds, and the models of what did best.
pub struct Validated {
    /// Results of what the model is made of first, the others by their loss, or by the figure that was told.
    pub entries: Vec<Entry>,
    /// Methods that could not be fitted, and why.
    pub failures: Vec<String>,
    /// Methods that were given up after the first folds.
    pub left_out: Vec<&'static str>,
    /// The methods that the models are of, and what each counts.
    pub members: Vec<(Recipe, f64)>,
    /// The same methods with what their models of folds settled, for models of all rows.
    pub settled: Vec<Recipe>,
    /// One model for each fold.
    pub models: Vec<FoldModel>,
}

/// Measures recipes on the same folds, cheap ones first if they are listed so. With `together`, the models are those
/// of the weighted mean of all, which that recipe names; dear methods are then given up after the first folds if these
/// show that the mean does not need them. Without, they are the best one's. Stopped, it does that with the methods
/// whose folds were all done.
///
/// # Errors
/// When nothing could be fitted, or the run was stopped before anything was done.
pub fn cross_validate(
    splits: &Splits<'_>,
    recipes: &[Recipe],
    together: Option<&Recipe>,
    run: &Run,
) -> Result<Validated> {
    let (mut failures, mut left_out) = (Vec::new(), Vec::new());
    let mut entries: Vec<Entry> = Vec::new();
    let mut measured: Vec<Measured> = Vec::new();
    for recipe in recipes {
        let name = recipe.method.name();
        let dear = together.is_some() && !measured.is_empty() && recipe.method.card().cost == Cost::VeryHigh;
        let worth = |answers: &[Vec<f64>]| !dear || is_worth_more(splits, &measured, answers);
        match measure(splits, recipe, worth, &run.part(name)) {
            Ok(Outcome::Done(found)) => {
                entries.push(found.entry.clone());
                measured.push(*found);
                if together.is_none() {
                    keep_the_best(splits, &mut measured);
                }
            }
            Ok(Outcome::LeftOut) => left_out.push(name),
            Ok(Outcome::Stopped) | Err(Error::Stopped) => break,
            Err(error) if recipes.len() > 1 => {
                failures.push(format!("`{name}` could not be fitted: {error}"))
            }
            Err(error) => return Err(error),
        }
    }
    if measured.is_empty() {
        return Err(if run.stopped() { Error::Stopped } else { Error::data(failures.join("; ")) });
    }
    entries.sort_by(|a, b| ranked(splits.cost(a)).total_cmp(&ranked(splits.cost(b))));
    let Mixed { members, settled, models, .. } = match together {
        Some(recipe) => {
            let mixed = mix(splits, measured, recipe);
            entries.insert(0, mixed.entry.clone());
            mixed
        }
        None => measured.remove(0).alone(),
    };
    Ok(Validated { entries, failures, left_out, members, settled, models })
}

/// The models of methods that were beaten are let go at once.
fn keep_the_best(splits: &Splits<'_>, measured: &mut Vec<Measured>) {
    measured.sort_by(|a, b| ranked(splits.cost(&a.entry)).total_cmp(&ranked(splits.cost(&b.entry))));
    measured.truncate(1);
}

/// The same methods learned once more from all rows of a large table but those kept apart, with the weights and
/// temperatures of the sample on average; and how the trainings went. `None` when the run was stopped.
///
/// # Errors
/// When a method can't learn from them.
pub fn learn_from_all(
    splits: &Splits<'_>,
    validated: &Validated,
    run: &Run,
) -> Result<Option<(FoldModel, Vec<Curve>)>> {
    let (heard, run) = curves_of(run);
    let folds = validated.models.len().max(1) as f64;
    let mean = |of: &dyn Fn(&FoldModel) -> f64| validated.models.iter().map(of).sum::<f64>() / folds;
    let mut parts = Vec::new();
    for (member, ((_, weight), recipe)) in validated.members.iter().zip(&validated.settled).enumerate() {
        let run = run.part(&format!("{}, all rows", recipe.method.name()));
        let split = splits.all(recipe.method.encoding(&recipe.settings)?);
        let fitted = split.fit(recipe, &run);
        if run.stopped() {
            return Ok(None);
        }
        let mut part = fitted?;
        let temperature = |model: &FoldModel| {
            model.parts.iter().find(|own| own.member == member).map_or(1.0, |own| own.temperature)
        };
        (part.member, part.weight, part.temperature) = (member, *weight, mean(&temperature));
        parts.push(part);
    }
    let constant = validated.models.first().map(|model| model.constant.1.clone()).unwrap_or_default();
    let model = FoldModel {
        parts,
        constant: (mean(&|model| model.constant.0), constant),
        temperature: mean(&|model| model.temperature),
    };
    Ok(Some((model, heard.curves())))
}
