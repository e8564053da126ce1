//! `unmiss fit` of images: measure methods on images held out, learn the best from all, save it.

use unmiss::compare::{ImageChoice, MeasuredOnImages, fit_best_on_images};
use unmiss::data::images::LABEL;
use unmiss::data::{Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::metrics::Score;
use unmiss::model::{Model, Recipe, Roles};

use super::{Arguments, Checkpoints};
use crate::General;
use crate::commands::Ended;
use crate::input::only_for_tables;
use crate::output::{number, print, wrapped};
use crate::printer::Printer;

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    arguments.check_for_images()?;
    let recipes = arguments.recipes(Shape::Images, Job::Predict)?;
    let images = arguments.images.read(&arguments.data)?;
    if images.labels().is_none() {
        let file = arguments.data.display();
        return Err(Error::data(format!("{file}: the classes of the images are not known"))
            .with_hint("say --labels FILE, or put pictures into a sub-folder for each class"));
    }
    let data = Data::from(images);
    let roles = Roles { class_weights: arguments.class_weights.into(), ..Roles::target(LABEL) };
    let checkpoints = Checkpoints::open(&arguments.output, arguments.fresh, printer)?;
    let run = checkpoints.run(printer.run(general)?);
    let recipes = if arguments.test > 0.0 { &recipes[..] } else { &recipes[..recipes.len().min(1)] };
    let fitted = fit_best_on_images(&data, &roles, recipes, arguments.test, &run);
    printer.close();
    let (model, choice) = fitted?;
    model.save(&arguments.output)?;
    print(&report(&data, &model, &choice)?)?;
    print(&format!("The model is in {}.\n", arguments.output.display()))?;
    let ended = Ended::of(&model, &run);
    if ended == Ended::Done {
        checkpoints.clear();
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
                ("html", self.html.is_some()),
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

/// What was learned from and how the methods did.
fn report(data: &Data, model: &Model, choice: &ImageChoice) -> Result<String> {
    let (summary, levels) = (&model.summary, &model.predicting()?.target.levels);
    let learned = format!(
        "Learned from {} of {} images of {} in {} classes; {:.1} % of the pixels are missing.",
        number(summary.rows),
        number(data.rows()),
        data.images()?.size(),
        levels.len(),
        100.0 * summary.missing_share
    );
    let mut text = wrapped(&learned, 0) + "\n\n";
    if !choice.entries.is_empty() {
        let note = format!("Measured on {} images that were held out:", number(choice.held_out));
        text.push_str(&format!(
            "{note}\n\n  {:13} {:>9} {:>9} {:>9}\n",
            "method", "accuracy", "log-loss", "seconds"
        ));
        for MeasuredOnImages { recipe: Recipe { method, .. }, score, seconds } in &choice.entries {
            let accuracy = match score {
                Score::Classification { accuracy, .. } => *accuracy,
                Score::Regression { .. } => f64::NAN,
            };
            let loss = score.loss();
            text.push_str(&format!("  {:13} {accuracy:>9.4} {loss:>9.4} {seconds:>9.1}\n", method.name()));
        }
        text.push('\n');
    }
    for sentence in choice.failures.iter().chain(&summary.cut_off) {
        text.push_str(&(wrapped(sentence, 0) + "\n"));
    }
    Ok(text)
}
