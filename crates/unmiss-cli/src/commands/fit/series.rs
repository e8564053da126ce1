//! `unmiss fit` of series: measure methods on series held out, learn the best from all, save it.

use unmiss::compare::{MeasuredOnce, SplitChoice, fit_best_on_split};
use unmiss::data::{Data, Shape};
use unmiss::error::Result;
use unmiss::methods::Job;
use unmiss::metrics::Score;
use unmiss::model::{Model, Recipe};
use unmiss::report::{Page, sections};

use super::{Arguments, kept_beside, note_scores};
use crate::General;
use crate::commands::Ended;
use crate::input::only_for_tables;
use crate::output::{number, wrapped};
use crate::printer::Printer;
use crate::provenance;
use crate::telling::value;

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    arguments.check_for_series()?;
    let recipes = arguments.recipes(Shape::Series, Job::Predict)?;
    let roles = arguments.roles()?;
    let options = (arguments.input.options()?, Some(roles.target.as_str()));
    let reading = arguments.series.read(&arguments.data, &arguments.ratings, options, None, printer)?;
    let data = Data::from(reading.series);
    roles
        .inputs(&roles.labelled(&data)?)?
        .notes
        .iter()
        .for_each(|note| printer.say(&format!("note: {note}")));
    let run = kept_beside(&arguments.output, arguments.fresh, printer.run(general)?, printer);
    let recipes = if arguments.test_share() > 0.0 { &recipes[..] } else { &recipes[..recipes.len().min(1)] };
    let fitted = fit_best_on_split(&data, &roles, recipes, arguments.test_share(), &run);
    printer.close();
    let (mut model, choice) = fitted?;
    model.missing = arguments.input.options()?.missing;
    provenance::note(&mut model, &arguments.data, &data);
    note_scores(&mut model, choice.as_ref().and_then(|choice| choice.evaluation.as_ref()));
    model.save(&arguments.output)?;
    let learned = learned(&data, &model)?;
    if let Some(path) = &arguments.html {
        let file = arguments.data.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
        Page::new(format!("Predicting `{}` from the series in {file}", roles.target))
            .summary(learned.clone())
            .sections(sections::fit_series(data.series()?, &model, choice.as_ref())?)
            .sections(sections::origin(&model))
            .write(path)?;
    }
    let judged = arguments.judge(&model, None, &run, printer)?;
    let text = report(&learned, &model, choice.as_ref()) + &arguments.judged_words(judged.as_ref());
    let found = value(&choice.as_ref().map(SplitChoice::found))?;
    arguments.told(found, judged.as_ref(), &text, printer)?;
    let ended = Ended::of(&model, &run);
    if ended == Ended::Done {
        run.clear_checkpoints();
    }
    Ok(ended)
}

impl Arguments {
    fn check_for_series(&self) -> Result<()> {
        let given = [("effort", self.effort.is_some()), ("folds", self.folds.is_some())];
        only_for_tables(Shape::Series, &given)
    }
}

/// A figure; there is no AUROC of a single class.
fn shown(figure: f64) -> String {
    if figure.is_nan() { "-".into() } else { format!("{figure:.4}") }
}

/// What was learned from, in a sentence.
fn learned(data: &Data, model: &Model) -> Result<String> {
    let (summary, coder) = (&model.summary, model.coder.series()?);
    let statics = coder.statics.as_ref().map_or(0, |encoder| encoder.names().count());
    Ok(format!(
        "Learned from {} of {} series of {} variables and {statics} columns that do not change; {:.1} % of the values \
         at their steps are missing.",
        number(summary.rows),
        number(data.rows()),
        coder.variables.len(),
        100.0 * summary.missing_share
    ))
}

/// What was learned from and how the methods did.
fn report(learned: &str, model: &Model, choice: Option<&SplitChoice>) -> String {
    let mut text = wrapped(learned, 0) + "\n\n";
    if let Some(choice) = choice {
        let heads = match choice.entries.first().map(|entry| entry.score) {
            Some(Score::Regression { .. }) => ["R2", "MAE / sd", "RMSE / sd"],
            _ => ["AUROC", "accuracy", "log-loss"],
        };
        text.push_str(&format!(
            "Measured on {} series that were held out:\n\n  {:13} {:>9} {:>9} {:>9} {:>9}\n",
            number(choice.held_out.len()),
            "method",
            heads[0],
            heads[1],
            heads[2],
            "seconds"
        ));
        for MeasuredOnce { recipe: Recipe { method, .. }, score, seconds, .. } in &choice.entries {
            let figures = match *score {
                Score::Regression { rmse, mae, r2 } => [r2, mae, rmse],
                Score::Classification { log_loss, accuracy, auroc } => [auroc, accuracy, log_loss],
            };
            let [first, second, third] = figures;
            let name = method.name();
            let [first, second, third] = [first, second, third].map(shown);
            text.push_str(&format!("  {name:13} {first:>9} {second:>9} {third:>9} {seconds:>9.1}\n"));
        }
        text.push('\n');
    }
    let failures = choice.iter().flat_map(|choice| &choice.failures);
    for sentence in failures.chain(&model.summary.cut_off) {
        text.push_str(&(wrapped(sentence, 0) + "\n"));
    }
    text
}
