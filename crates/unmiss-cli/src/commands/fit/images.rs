//! `unmiss fit` of images: measure methods on images held out, learn the best from all, save it.

use unmiss::compare::{MeasuredOnce, SplitChoice, fit_best_on_split};
use unmiss::data::images::LABEL;
use unmiss::data::{Data, Shape};
use unmiss::error::Result;
use unmiss::methods::Job;
use unmiss::metrics::Score;
use unmiss::model::{Model, Recipe, Roles};
use unmiss::report::{Page, sections};

use super::{Arguments, kept_beside, note_scores};
use crate::General;
use crate::commands::Ended;
use crate::input::{only_for_tables, unlabelled};
use crate::output::{number, wrapped};
use crate::printer::Printer;
use crate::provenance;
use crate::telling::value;

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    arguments.check_for_images()?;
    let recipes = arguments.recipes(Shape::Images, Job::Predict)?;
    let images = arguments.images.read(&arguments.data)?;
    if images.labels().is_none() {
        return Err(unlabelled(&arguments.data));
    }
    let data = Data::from(images);
    let roles = Roles {
        class_weights: arguments.class_weights.into(),
        event: arguments.event.clone(),
        ..Roles::target(LABEL)
    };
    let run = kept_beside(&arguments.output, arguments.fresh, printer.run(general)?, printer);
    let recipes = if arguments.test_share() > 0.0 { &recipes[..] } else { &recipes[..recipes.len().min(1)] };
    let fitted = fit_best_on_split(&data, &roles, recipes, arguments.test_share(), &run);
    printer.close();
    let (mut model, choice) = fitted?;
    provenance::note(&mut model, &arguments.data, &data);
    note_scores(&mut model, choice.as_ref().and_then(|choice| choice.evaluation.as_ref()));
    model.save(&arguments.output)?;
    if let Some(path) = &arguments.html {
        let learned = [learned(&data, &model)?];
        let file = arguments.data.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
        Page::new(format!("Classes of the images in {file}"))
            .sections(sections::fit_images(&model, data.images()?, choice.as_ref(), &learned)?)
            .sections(sections::origin(&model))
            .write(path)?;
    }
    let judged = arguments.judge(&model, None, &run, printer)?;
    let text = report(&data, &model, choice.as_ref())? + &arguments.judged_words(judged.as_ref());
    let found = value(&choice.as_ref().map(SplitChoice::found))?;
    arguments.told(found, judged.as_ref(), &text, printer)?;
    let ended = Ended::of(&model, &run);
    if ended == Ended::Done {
        run.clear_checkpoints();
    }
    Ok(ended)
}

impl Arguments {
    fn check_for_images(&self) -> Result<()> {
        only_for_tables(
            Shape::Images,
            &[
                ("target", self.target.is_some()),
                ("id", !self.id.is_empty()),
                ("ignore", !self.ignore.is_empty()),
                ("weight", self.weight.is_some()),
                ("task", self.task.is_some()),
                ("effort", self.effort.is_some()),
                ("folds", self.folds.is_some()),
                ("categorical or --numeric", self.input.tells_kinds()),
            ],
        )
    }
}

/// What was learned from, in a sentence.
fn learned(data: &Data, model: &Model) -> Result<String> {
    let (summary, levels) = (&model.summary, &model.predicting()?.target.levels);
    Ok(format!(
        "Learned from {} of {} images of {} in {} classes; {:.1} % of the pixels are missing.",
        number(summary.rows),
        number(data.rows()),
        data.images()?.size(),
        levels.len(),
        100.0 * summary.missing_share
    ))
}

/// What was learned from and how the methods did.
fn report(data: &Data, model: &Model, choice: Option<&SplitChoice>) -> Result<String> {
    let mut text = wrapped(&learned(data, model)?, 0) + "\n\n";
    if let Some(choice) = choice {
        let note = format!("Measured on {} images that were held out:", number(choice.held_out.len()));
        text.push_str(&format!(
            "{note}\n\n  {:13} {:>9} {:>9} {:>9}\n",
            "method", "accuracy", "log-loss", "seconds"
        ));
        for MeasuredOnce { recipe: Recipe { method, .. }, score, seconds, .. } in &choice.entries {
            let accuracy = match score {
                Score::Classification { accuracy, .. } => *accuracy,
                Score::Regression { .. } => f64::NAN,
            };
            let loss = score.loss();
            text.push_str(&format!("  {:13} {accuracy:>9.4} {loss:>9.4} {seconds:>9.1}\n", method.name()));
        }
        text.push('\n');
    }
    let failures = choice.iter().flat_map(|choice| &choice.failures);
    for sentence in failures.chain(&model.summary.cut_off) {
        text.push_str(&(wrapped(sentence, 0) + "\n"));
    }
    Ok(text)
}
