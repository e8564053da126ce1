//! Predicting the class of each image.

use unmiss::data::images::Images;
use unmiss::data::{CsvWriter, Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::model::Model;

use super::{Arguments, check_level};
use crate::General;
use crate::input::only_for_tables;
use crate::output::number;
use crate::printer::Printer;

/// Images predicted at a time.
const BATCH: usize = 1024;

/// Writes one line for each image: its number or file, the answer, and the chances of all classes.
pub fn run(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<()> {
    model.check_job(Job::Predict, &arguments.model)?;
    only_for_tables(
        Shape::Images,
        &[
            ("explain", arguments.explain.is_some()),
            ("contributions", arguments.contributions.is_some()),
            ("id", !arguments.id.is_empty()),
            ("append", arguments.append),
            ("flush", arguments.flush),
            ("json", arguments.json.is_some()),
        ],
    )?;
    let images = arguments.images.read(&arguments.data)?;
    let run = printer.run(general)?;
    let predicting = model.predicting()?;
    check_level(&predicting, arguments.level, &run)?;
    let header = [vec!["image".to_owned()], predicting.headings(arguments.level)].concat();
    let mut writer = CsvWriter::create(&arguments.output, &header)?;
    let all: Vec<usize> = (0..images.len()).collect();
    for some in all.chunks(BATCH) {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        let batch = Data::from(images.select(some));
        let answers = run.compute(|| predicting.answers(&predicting.coder.encode(&batch, |_, _| {})?))?;
        let answers = answers.columns(arguments.level);
        for (row, &image) in some.iter().enumerate() {
            writer.text(&name_of(&images, image));
            answers.iter().for_each(|column| writer.cell(column, row));
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
