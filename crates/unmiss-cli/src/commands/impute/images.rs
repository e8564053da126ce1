//! Filling the holes of images, once or as many plausible ways as asked.

use std::sync::Arc;

use serde_json::json;
use unmiss::compare::{PixelChoice, choose_filling};
use unmiss::data::images::{Form, Images, write};
use unmiss::data::{Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::{Job, short_list};
use unmiss::model::{Aim, Model, Recipe};
use unmiss::report::{Page, sections};
use unmiss::run::Run;

use super::{Arguments, drawn};
use crate::General;
use crate::commands::Ended;
use crate::input::{only_for_tables, settings};
use crate::output::{number, wrapped};
use crate::printer::Printer;

/// Fillings that a page shows, at most.
const SHOWN: usize = 6;

/// Learns from the images and fills them.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    check(arguments)?;
    let named = arguments.named()?;
    let images = arguments.images.read(&arguments.data)?;
    arguments.images.remarks(&images, printer);
    let data = Data::from(images);
    let run = printer.run(general)?;
    let fitted = learn(arguments, &data, named, &run);
    printer.close();
    let (mut model, choice) = fitted?;
    if run.stopped() && model.summary.cut_off.is_none() {
        return Err(Error::Stopped);
    }
    arguments.images.note_in(&mut model);
    arguments.save(&mut model, &data)?;
    if let Some(path) = &arguments.save {
        printer.say(&format!("the imputer is in {}", path.display()));
    }
    fill(arguments, &model, &data, choice.as_ref(), &run.to_the_end(), printer)?;
    Ok(Ended::of(&model, &run))
}

impl Arguments {
    /// The method that is to fill, if one is named.
    fn named(&self) -> Result<Option<Recipe>> {
        match &self.method {
            Some(name) => {
                Recipe::find(name, Shape::Images, Job::Fill)?.set_all(settings(&self.set)?).map(Some)
            }
            None if self.set.is_empty() => Ok(None),
            None => Err(Error::setting("set", "settings belong to a method, and none is named")
                .with_hint("say --method NAME")),
        }
    }
}

/// The method that was named, or the one that errs least on hidden pixels, learned from all images. Where no pixel can
/// be hidden to measure by, the first of the short list does.
fn learn(
    arguments: &Arguments,
    data: &Data,
    named: Option<Recipe>,
    run: &Run,
) -> Result<(Model, Option<PixelChoice>)> {
    let listed: Vec<Recipe> = short_list(Shape::Images, Job::Fill).into_iter().map(Recipe::of).collect();
    let choice = match named {
        None if data.images()?.has_holes() && listed.len() > 1 => match choose_filling(data, &listed, run) {
            Err(Error::Stopped) => return Err(Error::Stopped),
            measured => measured.ok(),
        },
        _ => None,
    };
    let best = choice.as_ref().and_then(|choice| choice.entries.first()).map(|entry| entry.recipe.clone());
    let recipe = named.or(best).or_else(|| listed.first().cloned());
    let recipe = recipe.ok_or_else(|| Error::setting("method", "there is no method for this"))?;
    let model = Model::fit(data, &Aim::draw(arguments.sets()), &recipe, run)?;
    Ok((model, choice))
}

/// Fills images with an imputer that was kept.
pub fn with(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<Ended> {
    check(arguments)?;
    if let Some(path) = &arguments.with {
        model.check_job(Job::Fill, path)?;
    }
    let images = arguments.images.read_for_model(&arguments.data, model)?;
    let run = printer.run(general)?;
    fill(arguments, model, &Data::from(images), None, &run, printer)?;
    Ok(Ended::Done)
}

fn check(arguments: &Arguments) -> Result<()> {
    only_for_tables(Shape::Images, &arguments.plan.given())?;
    only_for_tables(Shape::Images, &arguments.input.given())?;
    only_for_tables(
        Shape::Images,
        &[
            ("long", arguments.long),
            ("mids", arguments.mids),
            ("mark", arguments.mark.is_some()),
            ("ignore", !arguments.ignore.is_empty()),
            ("delta", !arguments.delta.is_empty()),
            ("within", !arguments.within.is_empty()),
            ("beyond-range", arguments.beyond_range),
        ],
    )?;
    arguments.files().iter().try_for_each(|file| Form::of(file).map(drop))
}

/// Writes the images without holes, and says what was done.
fn fill(
    arguments: &Arguments,
    model: &Model,
    data: &Data,
    choice: Option<&PixelChoice>,
    run: &Run,
    printer: &Printer,
) -> Result<()> {
    let filling = model.filling()?;
    let rows = filling.encode(data, |_, _| {})?;
    let mut shown: Vec<Arc<Images>> = Vec::new();
    for (draw, file) in arguments.draws().into_iter().zip(arguments.files()) {
        let draw = draw.map(|number| drawn(run, number, 0));
        let filled = run.compute(|| filling.fill_rows(data, &rows, draw))?;
        if run.stopped() {
            return Err(Error::Stopped);
        }
        write(filled.data.images()?, &file)?;
        if arguments.html.is_some() && shown.len() < SHOWN {
            shown.push(Arc::clone(filled.data.images()?));
        }
    }
    let images: &Images = data.images()?;
    if let Some(path) = &arguments.html {
        let fillings: Vec<&Images> = shown.iter().map(|filled| &**filled).collect();
        let file = arguments.data.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
        Page::new(format!("Filled holes of {file}"))
            .sections(sections::impute_images(model, images, &fillings, choice)?)
            .write(path)?;
    }
    let missing: usize =
        (0..images.len()).map(|image| images.size().pixels() - images.known_pixels(image)).sum();
    let said = choice.map_or_else(String::new, measured);
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
    let found = json!({ "method": model.recipe.method.name(), "images": images.len(), "pixels": missing, "files": files });
    let text = format!("{said}{}\n\nThe filled images are in {ends}.\n", wrapped(&text, 0));
    arguments.tell(&found, &text, printer)
}

/// How the methods did on hidden pixels.
fn measured(choice: &PixelChoice) -> String {
    let how = match choice.how.to_string().as_str() {
        "others" => "the holes of other images".to_owned(),
        region => region.to_owned(),
    };
    let mut text = wrapped(
        &format!("Measured on known pixels of {} images that were hidden ({how}):", number(choice.images)),
        0,
    );
    text.push_str(&format!("\n\n  {:13} {:>9} {:>9} {:>9}\n", "method", "RMSE / sd", "PSNR", "seconds"));
    for entry in &choice.entries {
        let (name, error) = (entry.recipe.method.name(), &entry.error);
        text.push_str(&format!(
            "  {name:13} {:>9.4} {:>9.2} {:>9.1}\n",
            error.relative(),
            error.psnr(),
            entry.seconds
        ));
    }
    for failure in &choice.failures {
        text.push_str(&(wrapped(failure, 0) + "\n"));
    }
    text + "\n"
}
