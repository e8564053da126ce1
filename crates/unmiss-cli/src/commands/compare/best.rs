//! The model of whoever did best in a comparison.

use std::path::Path;

use unmiss::compare::{Choosing, Comparison, fit_best};
use unmiss::data::{Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::explain::explain_in_passing;
use unmiss::methods::Job;
use unmiss::model::Recipe;
use unmiss::run::Run;

use super::Arguments;
use crate::printer::Printer;
use crate::provenance;

/// Fits the best once more, on folds of all rows, and saves that model; says where it is.
pub fn save(
    arguments: &Arguments,
    comparison: &Comparison,
    data: &Data,
    path: &Path,
    run: &Run,
    printer: &Printer,
) -> Result<String> {
    if data.shape() != Shape::Table {
        return Err(Error::setting("output", "models of comparisons are saved for tables")
            .with_hint("fit the best with `unmiss fit --method NAME`"));
    }
    let best = comparison.standings.first().map(|standing| standing.contestant.as_str());
    let best = comparison.contestants.iter().find(|one| Some(one.label.as_str()) == best);
    let best = best.ok_or_else(|| Error::data("no method could be compared"))?;
    let mut recipe = Recipe::find(&best.method, Shape::Table, Job::Predict)?;
    recipe.settings = best.settings.clone();
    let choosing =
        Choosing { tune: best.draws, division: arguments.division(Shape::Table)?, ..Choosing::default() };
    let fitted = fit_best(data, &arguments.roles()?, &[recipe], choosing, run);
    printer.close();
    let (mut model, choice) = fitted?;
    explain_in_passing(&mut model, data, &choice.held_out, run);
    model.missing = arguments.input.options()?.missing;
    provenance::note(&mut model, &arguments.data, data);
    model.save(path)?;
    Ok(format!("\nThe model of `{}` is in {}.\n", best.label, path.display()))
}
