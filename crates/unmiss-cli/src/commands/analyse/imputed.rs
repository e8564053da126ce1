//! Filling and analysing in one go, with shifts of filled values.

use std::path::Path;

use unmiss::analyse::{Analysis, Options, Range, Tipping, analyse, drawn, tipping};
use unmiss::data::{Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::model::{Aim, Delta, FillPlan, Model, Recipe};
use unmiss::run::Run;

use super::Arguments;
use crate::input::settings;
use crate::printer::Printer;

/// Fills the table, analyses, and shifts what is to be shifted over a range.
pub fn run(
    arguments: &Arguments,
    path: &Path,
    options: &Options,
    run: &Run,
    printer: &Printer,
) -> Result<(Analysis, Option<Tipping>)> {
    let (deltas, range) = shifts(&arguments.delta)?;
    let name = arguments.method.as_deref().unwrap_or("auto");
    let recipe = Recipe::find(name, Shape::Table, Job::Fill)?.set_all(settings(&arguments.set)?)?;
    let draws = usize::from(arguments.draws);
    let aim = Aim::Fill(FillPlan { ignored: arguments.ignore.clone(), draws, ..FillPlan::default() });
    let data = Data::from(arguments.input.read(path, false, printer)?);
    let table = data.table()?;
    // What can't be done should be known before the imputer is fitted.
    deltas.iter().try_for_each(|delta| delta.check(table))?;
    range.iter().flat_map(Range::shifts).try_for_each(|delta| delta.check(table))?;
    unmiss::analyse::Formula::parse(&arguments.formula, table)?;
    let model = Model::fit(&data, &aim, &recipe, run)?;
    if run.stopped() && model.summary.cut_off.is_none() {
        return Err(Error::Stopped);
    }
    let rest = run.to_the_end();
    let completed = drawn(&model, &data, &deltas, draws, &rest)?;
    let completed = completed.with_categories(arguments.input.categorical());
    let analysis = analyse(&arguments.formula, &completed, options, &rest)?;
    let found = range
        .map(|range| tipping(&arguments.formula, (&model, &data), &range, &deltas, draws, options, &rest));
    Ok((analysis, found.transpose()?))
}

/// Single shifts, and the range if there is one.
fn shifts(typed: &[String]) -> Result<(Vec<Delta>, Option<Range>)> {
    let (mut deltas, mut range) = (Vec::new(), None);
    for text in typed {
        match Range::parse(text)? {
            Some(_) if range.is_some() => {
                return Err(Error::setting("delta", "one column at a time can be shifted over a range")
                    .with_hint("give others a single shift, as income=+0.3sd"));
            }
            Some(found) => range = Some(found),
            None => deltas.push(Delta::parse(text)?),
        }
    }
    Ok((deltas, range))
}
