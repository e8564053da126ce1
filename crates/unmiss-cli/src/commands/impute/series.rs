//! Filling the holes of series, once or as many plausible ways as asked, and past their end: a forecast.

use serde_json::json;
use unmiss::data::series::{Series, SeriesReading, write_filled};
use unmiss::data::{Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::{Job, per_variable};
use unmiss::model::{Aim, FillPlan, Model, Recipe};
use unmiss::report::{Page, sections};
use unmiss::run::Run;

use super::{Arguments, drawn};
use crate::General;
use crate::commands::Ended;
use crate::input::{only_for_tables, settings};
use crate::output::{number, wrapped};
use crate::printer::Printer;

/// Fillings that a page shows, at most.
const SHOWN: usize = 20;

/// Learns from the series and fills them.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    check(arguments)?;
    let recipe = match &arguments.method {
        Some(name) => Recipe::find(name, Shape::Series, Job::Fill)?.set_all(settings(&arguments.set)?)?,
        None if arguments.set.is_empty() => Recipe::of(&per_variable::PerVariable),
        None => {
            return Err(Error::setting("set", "settings belong to a method, and none is named")
                .with_hint("say --method NAME"));
        }
    };
    let reading = read(arguments, None, printer)?;
    let recipe = to_forecast(recipe, arguments, &reading.series)?;
    let data = Data::from(reading.series.clone());
    let run = printer.run(general)?;
    let plan = FillPlan { limits: arguments.limits()?, draws: arguments.sets(), ..FillPlan::default() };
    let fitted = Model::fit(&data, &Aim::Fill(plan), &recipe, &run);
    printer.close();
    let mut model = fitted?;
    model.missing = arguments.input.options()?.missing;
    if run.stopped() && model.summary.cut_off.is_none() {
        return Err(Error::Stopped);
    }
    arguments.save(&mut model, &data)?;
    if let Some(path) = &arguments.save {
        printer.say(&format!("the imputer is in {}", path.display()));
    }
    fill(arguments, &model, &reading, &run.to_the_end(), printer)?;
    Ok(Ended::of(&model, &run))
}

/// The recipe, which chooses by hidden ends of series where it is asked to forecast: as far as asked, half of each at
/// most. What the user has set stays.
fn to_forecast(recipe: Recipe, arguments: &Arguments, series: &Series) -> Result<Recipe> {
    let Some(until) = arguments.until else { return Ok(recipe) };
    let steps = series.all_steps();
    let more = series.extended(series.clock.span(until)?)?.all_steps() - steps;
    if more == 0 {
        return Ok(recipe);
    }
    let typed = settings(&arguments.set)?;
    let free = |name: &str| typed.iter().all(|(own, _)| *own != name);
    // Only what chooses among imputers has such a setting.
    if recipe.settings.get("ends").is_none() || !free("ends") {
        return Ok(recipe);
    }
    let recipe = recipe.set("ends", "true")?;
    let share = (more as f64 / steps.max(1) as f64).clamp(0.01, 0.5);
    if free("hide") { recipe.set("hide", &share.to_string()) } else { Ok(recipe) }
}

/// Fills series with an imputer that was kept.
pub fn with(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<Ended> {
    check(arguments)?;
    if let Some(path) = &arguments.with {
        model.check_job(Job::Fill, path)?;
    }
    let reading = read(arguments, Some(model), printer)?;
    let run = printer.run(general)?;
    fill(arguments, model, &reading, &run, printer)?;
    Ok(Ended::Done)
}

fn read(arguments: &Arguments, model: Option<&Model>, printer: &Printer) -> Result<SeriesReading> {
    let mut options = arguments.input.options()?;
    if let Some(model) = model {
        options.missing = arguments.input.form().missing(model.missing.clone())?;
    }
    let options = (options, None);
    arguments.series.read(&arguments.data, &arguments.ratings, options, model, printer)
}

fn check(arguments: &Arguments) -> Result<()> {
    if arguments.series.cuts() {
        return Err(Error::setting(
            "after",
            "a filled file has the rows of the one that was read, and none is cut off",
        )
        .with_hint("leave out --after; --until SPAN fills past the end of series"));
    }
    only_for_tables(Shape::Series, &arguments.plan.given())?;
    only_for_tables(
        Shape::Series,
        &[
            ("long", arguments.long),
            ("mids", arguments.mids),
            ("mark", arguments.mark.is_some()),
            ("ignore", !arguments.ignore.is_empty()),
            ("delta", !arguments.delta.is_empty()),
        ],
    )
}

/// Writes the series without holes, and says what was done.
fn fill(
    arguments: &Arguments,
    model: &Model,
    reading: &SeriesReading,
    run: &Run,
    printer: &Printer,
) -> Result<()> {
    let filling = model.filling()?;
    let mut before = reading.series.clone();
    let steps = before.all_steps();
    if let Some(until) = arguments.until {
        before = before.extended(before.clock.span(until)?)?;
    }
    let more = before.all_steps() - steps;
    if let Some(until) = arguments.until.filter(|_| more == 0) {
        printer.say(&format!("note: no series ends before {until} after its start, so nothing is forecast"));
    }
    let data = Data::from(before.clone());
    let mut unseen = Vec::new();
    let rows = filling.encode(&data, |_, variable| unseen.push(variable.to_owned()))?;
    let mut shown: Vec<Series> = Vec::new();
    let (mut counts, mut unfilled) = (0, Vec::new());
    for (draw, file) in arguments.draws().into_iter().zip(arguments.files()) {
        let draw = draw.map(|number| drawn(run, number, 0));
        let filled = run.compute(|| filling.fill_rows(&data, &rows, draw))?;
        if run.stopped() {
            return Err(Error::Stopped);
        }
        let after = filled.data.series()?;
        write_filled((&reading.series, after), reading.table.as_ref(), &file)?;
        (counts, unfilled) = (filled.counts.iter().map(|(_, count)| count).sum(), filled.unfilled);
        if arguments.html.is_some() && shown.len() < SHOWN {
            shown.push(after.as_ref().clone());
        }
    }
    if let Some(path) = &arguments.html {
        let file = arguments.data.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
        Page::new(format!("Filled holes of the series in {file}"))
            .sections(sections::impute_series(&before, &shown, model)?)
            .write(path)?;
    }
    let mut text = format!(
        "Filled {} values of {} series by `{}`; what was known is as it was.",
        number(counts),
        number(before.len()),
        model.recipe.method.name()
    );
    if more > 0 {
        text.push_str(&format!(" {} steps behind the end of series are forecasts.", number(more)));
    }
    let files: Vec<String> = arguments.files().iter().map(|file| file.display().to_string()).collect();
    if files.iter().all(|file| file != "-") {
        let ends = match &files[..] {
            [first, .., last] => format!("{first} to {last}"),
            _ => files.join(""),
        };
        let found = json!({ "method": model.recipe.method.name(), "series": before.len(), "values": counts, "files": files });
        let text = format!("{}\n{}\nThe filled series are in {ends}.\n", wrapped(&text, 0), chosen(model));
        arguments.tell(&found, &text, printer)?;
    }
    match unfilled.is_empty() && reading.empty.is_empty() {
        true => Ok(()),
        false => {
            let of_known = unfilled.iter().map(|left| format!("`{}` ({})", left.column, left.reason));
            let of_none = reading.empty.iter().map(|name| format!("`{name}` (nothing is known of it)"));
            let left: Vec<String> = of_known.chain(of_none).collect();
            Err(Error::data(format!("holes are left in {}", left.join(", ")))
                .with_hint("leave these variables out of the file, or learn from series that know them"))
        }
    }
}

/// How each variable is filled, where that was found out.
fn chosen(model: &Model) -> String {
    let Some(variables) = model.summary.method["variables"].as_object() else { return String::new() };
    let mut text = String::new();
    for (name, found) in variables {
        let Some(method) = found["method"].as_str() else { return String::new() };
        let errors = found["errors"].as_object().into_iter().flatten();
        let errors =
            errors.filter_map(|(name, error)| error.as_f64().map(|error| format!("{name} {error:.3}")));
        text.push_str(&format!("  {name:20} {method:14} {}\n", errors.collect::<Vec<_>>().join(", ")));
    }
    let hidden = if model.summary.method["ends"] == true { "hidden ends of series" } else { "hidden values" };
    format!("\nBy variable (mean absolute error of {hidden}, in standard deviations):\n\n{text}")
}
