//! What the same method does with Sparsity Normalization: fitted anew on the table, audited with the same masks.

use serde::Serialize;

use super::collect::collect;
use super::curve::{Level, curve};
use super::degree::{Figures, Units, figures};
use super::plan::Plan;
use super::subject::Own;
use super::verdict::Verdict;
use crate::data::Data;
use crate::encode::{Missing, Task, target::TaskKind};
use crate::error::{Error, Result};
use crate::model::{Aim, Model, Recipe, Roles};
use crate::run::Run;

/// Rows with a known target that a fit needs.
const FEWEST_LABELLED: usize = 20;

/// The figures of the same method with Sparsity Normalization.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contrast {
    /// The method.
    pub method: String,
    /// The setting that was changed, as `name=value`.
    pub changed: String,
    /// Whether it drifts.
    pub verdict: Verdict,
    /// How much.
    #[serde(flatten)]
    pub figures: Figures,
    /// Its curve, for the same class as the audit's.
    pub curve: Vec<Level>,
    /// Before and after, in a sentence.
    pub summary: String,
}

/// What is to be contrasted.
pub(super) struct Before<'a> {
    /// The audited model.
    pub model: &'a Model,
    /// The data it was audited on.
    pub data: &'a Data,
    /// The inputs, in the order of the plan.
    pub inputs: &'a [String],
    /// The output that the figures are of, and the deviation of its target.
    pub output: (usize, Option<f64>),
    /// Its figures.
    pub figures: &'a Figures,
}

/// The contrast, or a sentence that says why there is none: what was audited is kept in any case.
pub(super) fn contrast(before: &Before<'_>, plan: &Plan, run: &Run) -> std::result::Result<Contrast, String> {
    let target = before.model.predicting().map_err(|error| error.to_string())?.target;
    let (recipe, changed) = normalised(&before.model.recipe)?;
    let labelled = before.data.column(&target.name).map_or(0, |column| column.rows() - column.missing());
    if labelled < FEWEST_LABELLED {
        return Err(format!(
            "To see what Sparsity Normalization would change, the table needs the target `{}` in at least \
             {FEWEST_LABELLED} rows.",
            target.name
        ));
    }
    match fitted_and_audited(before, plan, &recipe, changed, run) {
        _ if run.stopped() => Err("Stopped before Sparsity Normalization could be tried.".to_owned()),
        Ok(contrast) => Ok(contrast),
        Err(error) => Err(format!("Sparsity Normalization could not be tried: {error}.")),
    }
}

/// Fits the recipe on the table and audits it with the masks of the plan.
fn fitted_and_audited(
    before: &Before<'_>,
    plan: &Plan,
    recipe: &Recipe,
    changed: String,
    run: &Run,
) -> Result<Contrast> {
    let part = run.part("with Sparsity Normalization");
    let after = refit(before, recipe, &part)?;
    let normalised = after.predicting()?;
    if normalised.target.levels != before.model.predicting()?.target.levels {
        return Err(Error::data("the table has other classes than the model"));
    }
    let subject = Own::new(normalised, before.data, before.inputs, |_, _| {}, run)?;
    let answers = collect(plan, &subject, &part)?;
    let (output, deviation) = before.output;
    let units = Units::new(&answers, output, deviation);
    let figures = figures(plan, &answers, output, units, run.seed());
    let verdict = Verdict::of(&figures);
    let summary = format!(
        "The same method with Sparsity Normalization (`{changed}`, fitted on this table): drift {:+.2} instead of \
         {:+.2}, {}. Compare how well both predict before you switch.",
        figures.drift,
        before.figures.drift,
        verdict.name()
    );
    let method = recipe.method.name().to_owned();
    Ok(Contrast { method, changed, verdict, figures, curve: curve(plan, &answers, output), summary })
}

/// The recipe with Sparsity Normalization switched on, and the setting changed; or why that can't be.
fn normalised(recipe: &Recipe) -> std::result::Result<(Recipe, String), String> {
    let name = recipe.method.name();
    let setting = |name: &str| recipe.settings.get(name).cloned().unwrap_or_default();
    let missing = serde_json::from_value::<Missing>(setting("missing"));
    if missing.is_ok_and(Missing::normalizes) || setting("normalize") == true {
        return Err("The model has Sparsity Normalization already.".to_owned());
    }
    for (name, value) in [("missing", "sparsity-normalization"), ("normalize", "true")] {
        if let Ok(switched) = recipe.clone().set(name, value) {
            return Ok((switched, format!("{name}={value}")));
        }
    }
    Err(format!(
        "The method `{name}` has no Sparsity Normalization that could be switched on for comparison."
    ))
}

/// Fits a recipe with the audited model's inputs, target and task.
fn refit(before: &Before<'_>, recipe: &Recipe, run: &Run) -> Result<Model> {
    let model = before.model.predicting()?;
    let (data, target) = (before.data, model.target);
    let weight = model.roles.weight.clone().filter(|weight| data.column(weight).is_ok());
    let wanted =
        |name: &String| before.inputs.contains(name) || *name == target.name || Some(name) == weight.as_ref();
    let others = data.columns().iter().map(|column| &column.name).filter(|name| !wanted(name));
    let roles = Roles {
        ignore: others.cloned().collect(),
        weight: weight.clone(),
        class_weights: model.roles.class_weights,
        task: Some(match target.task {
            Task::Regression => TaskKind::Regression,
            Task::Classification { .. } => TaskKind::Classification,
        }),
        ..Roles::target(&target.name)
    };
    Model::fit(data, &Aim::Predict(roles), recipe, run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalization_is_switched_on_where_there_is_a_switch() {
        let switch = |name: &str| normalised(&Recipe::named(name).unwrap()).map(|(_, changed)| changed);
        assert_eq!(switch("linear").unwrap(), "missing=sparsity-normalization");
        assert_eq!(switch("network").unwrap(), "normalize=true");
        assert!(switch("mlp").unwrap_err().contains("already"));
        assert!(switch("trees").unwrap_err().contains("no Sparsity Normalization"));
        let zero = Recipe::named("mlp").unwrap().set("missing", "zero").unwrap();
        assert_eq!(normalised(&zero).unwrap().1, "missing=sparsity-normalization");
    }
}
