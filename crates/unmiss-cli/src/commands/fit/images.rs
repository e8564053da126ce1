//! `unmiss fit` of images: measure methods on images held out, learn the best from all, save it.

use unmiss::compare::{MeasuredOnce, SplitChoice, fit_best_on_split};
use unmiss::data::images::LABEL;
use unmiss::data::{Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::metrics::Score;
use unmiss::model::{Model, Recipe, Roles};
use unmiss::report::{Page, sections};

use super::{Arguments, kept_beside};
use crate::General;
use crate::commands::Ended;
use crate::input::{only_for_tables, unlabelled};
use crate::output::{number, print, wrapped};
use crate::printer::Printer;

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    arguments.check_for_images()?;
    let recipes = arguments.recipes(Shape::Images, Job::Predict)?;
    let images = arguments.images.read(&arguments.data)?;
    if images.labels().is_none() {
        return Err(unlabelled(&arguments.data));
    }
    let data = Data::from(images);
    let roles = Roles { class_weights: arguments.class_weights.into(), ..Roles::target(LABEL) };
    let run = kept_beside(&arguments.output, arguments.fresh, printer.run(general)?, printer);
    let recipes = if arguments.test > 0.0 { &recipes[..] } else { &recipes[..recipes.len().min(1)] };
    let fitted = fit_best_on_split(&data, &roles, recipes, arguments.test, &run);
    printer.close();
    let (model, choice) = fitted?;
    model.save(&arguments.output)?;
    if let Some(path) = &arguments.html {
        let learned = [learned(&data, &model)?];
        let file = arguments.data.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
        Page::new(format!("Classes of the images in {file}"))
            .sections(sections::fit_images(&model, data.images()?, choice.as_ref(), &learned)?)
            .write(path)?;
    }
    print(&report(&data, &model, choice.as_ref())?)?;
    print(&format!("The model is in {}.\n", arguments.output.display()))?;
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
        )?;
        if (0.0..=0.5).contains(&self.test) {
            return Ok(());
        }
        Err(Error::setting("test", format!("{} is not between 0 and 0.5", self.test))
            .with_hint("say --test 0.1 to hold out a tenth of the images"))
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
