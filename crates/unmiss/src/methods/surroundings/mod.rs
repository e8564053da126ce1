#![doc = include_str!("README.md")]

mod around;
mod card;
mod correction;
mod examples;
mod fitted;
mod settings;

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde_json::Value;

use super::{Card, Examples as Given, Layout, Learned, Method, Recipe};
use crate::error::{Error, Result};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use around::CLASSES;
use correction::Correction;
use examples::{Examples, examples};
use fitted::{Fitted, OfVariable};
pub use settings::Settings;

/// Of the series, one in so many is set aside.
const PARTS: usize = 5;
/// Fewer known values than this teach nothing.
const FEWEST: usize = 40;
/// Errors kept of a class, from which draws are taken.
const KEPT: usize = 500;

/// The entry of the list.
pub struct Surroundings;

impl Method for Surroundings {
    fn card(&self) -> &'static Card {
        &card::CARD
    }

    fn fit(&self, settings: &Value, examples: Given<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (settings, recipe) = Settings::checked(settings)?;
        let (coder, rows) = examples.series()?;
        let order = Stream::new(run.seed(), "validation", 0, 0).permutation(rows.len());
        // A series alone is learned from and judged by.
        let aside = rows.len() / PARTS;
        let (validation, learning) = order.split_at(aside);
        let validation = if aside == 0 { learning } else { validation };
        let most = settings.examples;
        let (learning, validation) = run.compute(|| {
            let validation = self::examples(rows, validation, most / (PARTS - 1) + 1, run.seed() ^ 1);
            (self::examples(rows, learning, most, run.seed()), validation)
        });
        let variables: Vec<String> = coder.variables.iter().map(|variable| variable.name.clone()).collect();
        let (quiet, done) = (run.clone().listened_by(|_| {}), AtomicU64::new(0));
        let of = |variable: usize| {
            if run.stopped() {
                return Err(Error::Stopped);
            }
            let names = around::names(&variables, variable);
            let found = of_variable(&recipe, &names, (&learning[variable], &validation[variable]), &quiet)?;
            let number = done.fetch_add(1, Ordering::Relaxed) + 1;
            run.progress(number, variables.len() as u64, "variables");
            Ok(found)
        };
        let found: Result<_> = run.compute(|| (0..variables.len()).into_par_iter().map(of).collect());
        run.finished();
        Ok(Box::new(Fitted { variables, of: found? }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let (_, recipe) = Settings::checked(settings)?;
        let variables = layout.series()?.variables.iter().map(|variable| variable.name.clone());
        Ok(Box::new(Fitted::load(&recipe, variables.collect(), arrays)?))
    }
}

/// Learns a correction of the line, and keeps it where it comes nearer on series set aside.
fn of_variable(
    recipe: &Recipe,
    names: &[String],
    (learning, validation): (&Examples, &Examples),
    run: &Run,
) -> Result<OfVariable> {
    let enough = learning.offsets.len() >= FEWEST && !validation.offsets.is_empty();
    let learned = if enough { Correction::fit(recipe, names, learning, run)? } else { None };
    let corrections = match &learned {
        Some(correction) => correction.offsets(names, &validation.numbers)?,
        None => vec![0.0; validation.offsets.len()],
    };
    let left: Vec<f64> =
        validation.offsets.iter().zip(&corrections).map(|(own, other)| own - other).collect();
    let size =
        |errors: &[f64]| errors.iter().map(|error| error.abs()).sum::<f64>() / errors.len().max(1) as f64;
    let (line, corrected) = (size(&validation.offsets), size(&left));
    let (correction, errors) = match learned {
        Some(correction) if corrected < line => (Some(correction), &left),
        _ => (None, &validation.offsets),
    };
    let mut kept = vec![Vec::new(); CLASSES];
    for (error, class) in errors.iter().zip(&validation.classes) {
        // Examples stand in the order of series drawn at random.
        if kept[*class].len() < KEPT {
            kept[*class].push(*error as f32);
        }
    }
    let judged = (!validation.offsets.is_empty()).then_some([line, corrected.min(line)]);
    Ok(OfVariable { correction, errors: kept, judged })
}
