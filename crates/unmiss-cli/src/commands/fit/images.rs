//! `unmiss fit` of images: measure methods on images held out, learn the best from all, save it.

use unmiss::compare::{MeasuredOnce, SplitChoice, fit_best_on_split};
use unmiss::data::images::LABEL;
use unmiss::data::{Column, Data, Shape};
use unmiss::encode::{Task, target::TaskKind};
use unmiss::error::Result;
use unmiss::methods::Job;
use unmiss::metrics::Score;
use unmiss::model::{Model, Recipe, Roles};
use unmiss::report::{Page, sections};

use super::{Arguments, TaskArgument, kept_beside, note_scores};
use crate::General;
use crate::commands::Ended;
use crate::input::{only_for_tables, unlabelled};
use crate::output::{number, short, wrapped};
use crate::printer::Printer;
use crate::provenance;
use crate::telling::value;

/// Classes beyond which labels are looked at twice.
const MANY_CLASSES: usize = 20;

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    arguments.check_for_images()?;
    let recipes = arguments.recipes(Shape::Images, Job::Predict)?;
    let mut images = arguments.images.read(&arguments.data)?;
    arguments.images.remarks(&images, printer);
    let Some(labels) = images.labels() else { return Err(unlabelled(&arguments.data)) };
    match arguments.task {
        Some(TaskArgument::Regression) => images = images.with_numbers()?,
        told => note_many_classes(labels, told, printer),
    }
    let data = Data::from(images);
    let roles = Roles {
        class_weights: arguments.class_weights.into(),
        event: arguments.event.clone(),
        task: arguments.task.map(TaskKind::from),
        ..Roles::target(LABEL)
    };
    let run = kept_beside(&arguments.output, arguments.fresh, printer.run(general)?, printer);
    let recipes = if arguments.test_share() > 0.0 { &recipes[..] } else { &recipes[..recipes.len().min(1)] };
    let fitted = fit_best_on_split(&data, &roles, recipes, arguments.test_share(), &run);
    printer.close();
    let (mut model, choice) = fitted?;
    arguments.images.note_in(&mut model);
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
        only_for_tables(Shape::Images, &self.input.given())?;
        only_for_tables(Shape::Images, &self.ratings.given())?;
        only_for_tables(
            Shape::Images,
            &[
                ("target", self.target.is_some()),
                ("id", !self.id.is_empty()),
                ("ignore", !self.ignore.is_empty()),
                ("weight", self.weight.is_some()),
                ("effort", self.effort.is_some()),
                ("folds", self.folds.is_some()),
            ],
        )
    }
}

/// Says so where labels look like numbers and not like classes.
fn note_many_classes(labels: &Column, told: Option<TaskArgument>, printer: &Printer) {
    let Some((_, levels)) = labels.codes() else { return };
    let (classes, known) = (levels.len(), labels.rows() - labels.missing());
    let numbers = levels.iter().all(|level| level.parse::<f64>().is_ok());
    if told.is_none() && classes > MANY_CLASSES && 2 * classes > known {
        let what = if numbers { ": to predict them as numbers, say --task regression" } else { "" };
        let (classes, known) = (number(classes), number(known));
        printer.say(&format!(
            "warning: nearly every image has a label of its own ({classes} classes of {known} images){what}"
        ));
    }
}

/// What was learned from, in a sentence.
fn learned(data: &Data, model: &Model) -> Result<String> {
    let (summary, target) = (&model.summary, &model.predicting()?.target);
    let labels = match target.task {
        Task::Classification { classes } => format!("in {classes} classes"),
        Task::Regression => format!("with numbers from {} to {}", short(target.low), short(target.high)),
    };
    Ok(format!(
        "Learned from {} of {} images of {} {labels}; {:.1} % of the pixels are missing.",
        number(summary.rows),
        number(data.rows()),
        data.images()?.size(),
        100.0 * summary.missing_share
    ))
}

/// What was learned from and how the methods did.
fn report(data: &Data, model: &Model, choice: Option<&SplitChoice>) -> Result<String> {
    let mut text = wrapped(&learned(data, model)?, 0) + "\n\n";
    if let Some(choice) = choice {
        let note = format!("Measured on {} images that were held out:", number(choice.held_out.len()));
        let of_classes = matches!(model.predicting()?.target.task, Task::Classification { .. });
        let heads = if of_classes { ["accuracy", "log-loss"] } else { ["R2", "RMSE / sd"] };
        let [first, second] = heads;
        text.push_str(&format!("{note}\n\n  {:13} {first:>9} {second:>9} {:>9}\n", "method", "seconds"));
        for MeasuredOnce { recipe: Recipe { method, .. }, score, seconds, .. } in &choice.entries {
            let first = match score {
                Score::Classification { accuracy, .. } => *accuracy,
                Score::Regression { r2, .. } => *r2,
            };
            let loss = score.loss();
            text.push_str(&format!("  {:13} {first:>9.4} {loss:>9.4} {seconds:>9.1}\n", method.name()));
        }
        text.push('\n');
    }
    let failures = choice.iter().flat_map(|choice| &choice.failures);
    for sentence in failures.chain(&model.summary.cut_off) {
        text.push_str(&(wrapped(sentence, 0) + "\n"));
    }
    Ok(text)
}
