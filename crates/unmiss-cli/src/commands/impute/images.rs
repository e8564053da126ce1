//! Filling the holes of images, once or as many plausible ways as asked.

use unmiss::data::images::{Form, Images, write};
use unmiss::data::{Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::model::{Aim, Model, Recipe};
use unmiss::run::Run;

use super::{Arguments, drawn};
use crate::General;
use crate::commands::Ended;
use crate::input::{only_for_tables, settings};
use crate::output::{number, print, wrapped};
use crate::printer::Printer;

/// The method that fills when none is named.
const USUAL: &str = "neighbours";

/// Learns from the images and fills them.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    check(arguments)?;
    let name = arguments.method.as_deref().unwrap_or(USUAL);
    let recipe = Recipe::find(name, Shape::Images, Job::Fill)?.set_all(settings(&arguments.set)?)?;
    let images = arguments.images.read(&arguments.data)?;
    let data = Data::from(images);
    let run = printer.run(general)?;
    let fitted = Model::fit(&data, &Aim::draw(arguments.sets()), &recipe, &run);
    printer.close();
    let model = fitted?;
    if run.stopped() && model.summary.cut_off.is_none() {
        return Err(Error::Stopped);
    }
    if let Some(path) = &arguments.save {
        model.save(path)?;
        printer.say(&format!("the imputer is in {}", path.display()));
    }
    fill(arguments, &model, &data, &run.to_the_end())?;
    Ok(Ended::of(&model, &run))
}

/// Fills images with an imputer that was kept.
pub fn with(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<Ended> {
    check(arguments)?;
    if let Some(path) = &arguments.with {
        model.check_job(Job::Fill, path)?;
    }
    let images = arguments.images.read(&arguments.data)?;
    let run = printer.run(general)?;
    fill(arguments, model, &Data::from(images), &run)?;
    Ok(Ended::Done)
}

fn check(arguments: &Arguments) -> Result<()> {
    only_for_tables(Shape::Images, &arguments.plan.given())?;
    only_for_tables(
        Shape::Images,
        &[
            ("long", arguments.long),
            ("mids", arguments.mids),
            ("ignore", !arguments.ignore.is_empty()),
            ("delta", !arguments.delta.is_empty()),
            ("within", !arguments.within.is_empty()),
            ("beyond-range", arguments.beyond_range),
            ("html", arguments.html.is_some()),
            ("categorical or --numeric", arguments.input.tells_kinds()),
        ],
    )?;
    arguments.files().iter().try_for_each(|file| Form::of(file).map(drop))
}

/// Writes the images without holes, and says what was done.
fn fill(arguments: &Arguments, model: &Model, data: &Data, run: &Run) -> Result<()> {
    let filling = model.filling()?;
    let rows = filling.encode(data, |_, _| {})?;
    for (draw, file) in arguments.draws().into_iter().zip(arguments.files()) {
        let draw = draw.map(|number| drawn(run, number, 0));
        let filled = run.compute(|| filling.fill_rows(data, &rows, draw))?;
        if run.stopped() {
            return Err(Error::Stopped);
        }
        write(filled.data.images()?, &file)?;
    }
    let images: &Images = data.images()?;
    let missing: usize =
        (0..images.len()).map(|image| images.size().pixels() - images.known_pixels(image)).sum();
    let text = format!(
        "Filled {} pixels of {} images by `{}`; what was known is as it was.",
        number(missing),
        number(images.len()),
        model.recipe.method.name()
    );
    let files: Vec<String> = arguments.files().iter().map(|file| file.display().to_string()).collect();
    let ends = match &files[..] {
        [first, .., last] => format!("{first} to {last}"),
        _ => files.join(""),
    };
    print(&format!("{}\n\nThe filled images are in {ends}.\n", wrapped(&text, 0)))
}
