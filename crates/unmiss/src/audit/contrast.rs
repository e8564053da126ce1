//! What the same method does with Sparsity Normalization: fitted anew on the table, audited with the same masks.
//!
//! Normalisation is for numbers from 0 up, so a method that treats holes otherwise has another scale too. What the
//! normalisation itself does is then the difference from the same method with missing cells at 0 on that very scale,
//! which is fitted and audited as well.

use serde::Serialize;

use super::collect::collect;
use super::curve::{Level, curve};
use super::degree::{Figures, Units, figures};
use super::plan::Plan;
use super::subject::Own;
use super::verdict::Verdict;
use crate::data::Data;
use crate::encode::{Missing, Scale, Task, target::TaskKind};
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
    /// With Sparsity Normalization.
    #[serde(flatten)]
    pub with: Treated,
    /// Without it, missing cells at 0 on the same scale; none where the audited model is that, or differs in nothing
    /// but the normalisation.
    pub without: Option<Treated>,
    /// Before and after, in a sentence.
    pub summary: String,
}

/// The method with another treatment of holes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Treated {
    /// The setting that was changed, as `name=value`.
    pub changed: String,
    /// Whether it drifts.
    pub verdict: Verdict,
    /// How much.
    #[serde(flatten)]
    pub figures: Figures,
    /// Its curve, for the same class as the audit's.
    pub curve: Vec<Level>,
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
    let scale = before.model.coder.table().map_err(|error| error.to_string())?.encoding.scale;
    let switch = normalised(&before.model.recipe, scale)?;
    let labelled = before.data.column(&target.name).map_or(0, |column| column.rows() - column.missing());
    if labelled < FEWEST_LABELLED {
        return Err(format!(
            "To see what Sparsity Normalization would change, the table needs the target `{}` in at least \
             {FEWEST_LABELLED} rows.",
            target.name
        ));
    }
    let both = || -> Result<(Treated, Option<Treated>)> {
        let with = treated(before, plan, &switch.with, &run.part("with Sparsity Normalization"))?;
        let without = switch.without.as_ref();
        let without =
            without.map(|recipe| treated(before, plan, recipe, &run.part("without it, same scale")));
        Ok((with, without.transpose()?))
    };
    match both() {
        _ if run.stopped() => Err("Stopped before Sparsity Normalization could be tried.".to_owned()),
        Ok((with, without)) => {
            let summary = summary(&with, without.as_ref(), before.figures);
            Ok(Contrast { method: switch.with.0.method.name().to_owned(), with, without, summary })
        }
        Err(error) => Err(format!("Sparsity Normalization could not be tried: {error}.")),
    }
}

fn summary(with: &Treated, without: Option<&Treated>, audited: &Figures) -> String {
    let (than, why) = match without {
        Some(zero) => (
            format!("{:+.2} with `{}` on the same scale", zero.figures.drift, zero.changed),
            format!(" (the audited model: {:+.2})", audited.drift),
        ),
        None => (format!("{:+.2}", audited.drift), String::new()),
    };
    format!(
        "The same method with Sparsity Normalization (`{}`, fitted on this table): drift {:+.2} instead of {than}, \
         {}{why}. Compare how well both predict before you switch.",
        with.changed,
        with.figures.drift,
        with.verdict.name()
    )
}

/// Fits a recipe on the table and audits it with the masks of the plan.
fn treated(before: &Before<'_>, plan: &Plan, (recipe, changed): &Changed, run: &Run) -> Result<Treated> {
    let after = refit(before, recipe, run)?;
    let normalised = after.predicting()?;
    if normalised.target.levels != before.model.predicting()?.target.levels {
        return Err(Error::data("the table has other classes than the model"));
    }
    let subject = Own::new(normalised, before.data, before.inputs, |_, _| {}, run)?;
    let answers = collect(plan, &subject, run)?;
    let (output, deviation) = before.output;
    let units = Units::new(&answers, output, deviation);
    let figures = figures(plan, &answers, output, units, run.seed());
    let (verdict, curve) = (Verdict::of(&figures), curve(plan, &answers, output));
    Ok(Treated { changed: changed.clone(), verdict, figures, curve })
}

/// A recipe, and the setting that makes it another than the audited one.
type Changed = (Recipe, String);

/// The same method with and without Sparsity Normalization.
#[derive(Debug)]
struct Switch {
    with: Changed,
    /// None where the audited model is that already.
    without: Option<Changed>,
}

/// How Sparsity Normalization is switched on and off, all else equal, the scale of numbers too; or why that can't be.
/// `scale` is that of the audited model, whose file may be older than the rule for scales.
fn normalised(recipe: &Recipe, scale: Scale) -> std::result::Result<Switch, String> {
    let name = recipe.method.name();
    let setting = |name: &str| recipe.settings.get(name).cloned().unwrap_or_default();
    let missing = serde_json::from_value::<Missing>(setting("missing"));
    if missing.is_ok_and(Missing::normalizes) || setting("normalize") == true {
        return Err("The model has Sparsity Normalization already.".to_owned());
    }
    let changed = |name: &str, value: &str| {
        recipe.clone().set(name, value).ok().map(|recipe| (recipe, format!("{name}={value}")))
    };
    if let (Some(with), Some(zero)) =
        (changed("missing", "sparsity-normalization"), changed("missing", "zero"))
    {
        let same_scale =
            with.0.method.encoding(&with.0.settings).is_ok_and(|encoding| encoding.scale == scale);
        let without = Some(zero).filter(|(zero, _)| zero.settings != recipe.settings || !same_scale);
        return Ok(Switch { with, without });
    }
    // Here nothing but the normalisation is switched: the audited model is the other side.
    if let Some(with) = changed("normalize", "true") {
        return Ok(Switch { with, without: None });
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
        event: (target.levels.len() == 2).then(|| target.levels[1].clone()),
        ordered: model.roles.ordered.clone(),
        dates: model.roles.dates,
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
        let names = |switch: Switch| (switch.with.1, switch.without.map(|(_, changed)| changed));
        let of = |recipe: &Recipe, scale: Scale| normalised(recipe, scale).map(names);
        let switch = |name: &str| of(&Recipe::named(name).unwrap(), Scale::Standard);
        let (on, off) = ("missing=sparsity-normalization".to_owned(), Some("missing=zero".to_owned()));
        assert_eq!(switch("linear").unwrap(), (on.clone(), off.clone()));
        assert_eq!(switch("network").unwrap(), ("normalize=true".to_owned(), None));
        assert!(switch("mlp").unwrap_err().contains("already"));
        assert!(switch("trees").unwrap_err().contains("no Sparsity Normalization"));
        let zero = Recipe::named("mlp").unwrap().set("missing", "zero").unwrap();
        assert_eq!(of(&zero, Scale::MinMax).unwrap(), (on.clone(), None));
        assert_eq!(of(&zero, Scale::Standard).unwrap(), (on, off), "an older file has another scale");
    }

    #[test]
    fn both_sides_have_the_same_scale() {
        for name in ["linear", "mlp"] {
            for missing in ["mean", "mean+missing-indicator", "zero"] {
                let recipe = Recipe::named(name).unwrap().set("missing", missing).unwrap();
                let scale = |recipe: &Recipe| recipe.method.encoding(&recipe.settings).unwrap().scale;
                let Switch { with, without } = normalised(&recipe, scale(&recipe)).unwrap();
                let other = without.map_or(recipe, |(recipe, _)| recipe);
                assert_eq!(scale(&with.0), scale(&other), "{name} {missing}");
            }
        }
    }
}
