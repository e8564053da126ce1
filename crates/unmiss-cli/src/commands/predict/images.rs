//! Predicting the class of each image.

use unmiss::data::images::Images;
use unmiss::data::{CsvWriter, Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::explain::{Occluded, Occluder};
use unmiss::methods::Job;
use unmiss::model::Model;

use super::{Arguments, check_level};
use crate::General;
use crate::input::only_for_tables;
use crate::output::{number, short};
use crate::printer::Printer;

/// Images predicted at a time.
const BATCH: usize = 1024;

/// Writes one line for each image: its number or file, the answer, and the chances of all classes.
pub fn run(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<()> {
    model.check_job(Job::Predict, &arguments.model)?;
    only_for_tables(
        Shape::Images,
        &[
            ("contributions", arguments.contributions.is_some()),
            ("id", !arguments.id.is_empty()),
            ("append", arguments.append),
            ("flush", arguments.flush),
            ("json", arguments.json.is_some()),
        ],
    )?;
    let images = arguments.images.read_for_model(&arguments.data, model)?;
    let run = printer.run(general)?;
    let predicting = model.predicting()?;
    check_level(&predicting, arguments.level, &run)?;
    let most = arguments.explain.map_or(0, usize::from);
    let occluder = (most > 0).then(|| Occluder::new(model, &run)).transpose()?;
    if occluder.is_some() {
        run.note(
            "reasons are the squares of an image that move its answer most when they are hidden one by one: what each \
             adds to the chance of the predicted class, or to the number; they don't add up to it",
        );
    }
    let mut header = [vec!["image".to_owned()], predicting.headings(arguments.level)].concat();
    header.extend((1..=most).map(|place| format!("reason_{place}")));
    let mut writer = CsvWriter::create(&arguments.output, &header)?;
    let all: Vec<usize> = (0..images.len()).collect();
    for some in all.chunks(BATCH) {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        let batch = Data::from(images.select(some));
        let rows = predicting.coder.encode(&batch, |_, _| {})?;
        let answers = run.compute(|| predicting.answers(&rows))?.written(arguments.level);
        let why = match &occluder {
            Some(occluder) => occluder.explain(rows.images()?)?,
            None => Vec::new(),
        };
        for (row, &image) in some.iter().enumerate() {
            writer.text(&name_of(&images, image));
            answers.iter().for_each(|column| writer.cell(column, row));
            for (occluder, why) in occluder.iter().zip(why.get(row)) {
                write_reasons(&mut writer, occluder, why, most);
            }
            writer.end_row()?;
        }
    }
    writer.finish()?;
    printer.close();
    if arguments.output != std::path::Path::new("-") {
        printer.say(&format!("{} predictions are in {}", number(images.len()), arguments.output.display()));
    }
    Ok(())
}

/// The file of an image, or its number from 1.
fn name_of(images: &Images, image: usize) -> String {
    images.names.as_ref().map_or_else(|| (image + 1).to_string(), |names| names[image].clone())
}

/// Writes the squares that move an answer most, as `rows 3 to 8, columns 1 to 6: +0.320`.
fn write_reasons(writer: &mut CsvWriter, occluder: &Occluder<'_>, why: &Occluded, most: usize) {
    let largest = why.largest(occluder.squares(), most);
    for place in 0..most {
        match largest.get(place) {
            Some(&square) => {
                let adds = why.adds[square];
                let sign = if adds > 0.0 { "+" } else { "" };
                let adds = if why.class.is_some() { format!("{adds:.3}") } else { short(adds) };
                writer.text(&format!("{}: {sign}{adds}", occluder.squares()[square].words()));
            }
            None => writer.missing(),
        }
    }
}
