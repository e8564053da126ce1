//! Predicting from series, as a whole or as they were some time after their start.

use std::collections::BTreeSet;

use unmiss::data::{CsvWriter, Data, ReadOptions, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::model::Model;

use super::{Arguments, check_level};
use crate::General;
use crate::input::only_for_tables;
use crate::output::number;
use crate::printer::Printer;

/// Series predicted at a time.
const BATCH: usize = 1024;

/// Writes one line for each series: its id, the answer, and the chances of all classes.
pub fn run(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<()> {
    model.check_job(Job::Predict, &arguments.model)?;
    only_for_tables(
        Shape::Series,
        &[
            ("explain", arguments.explain.is_some()),
            ("contributions", arguments.contributions.is_some()),
            ("id", !arguments.id.is_empty()),
            ("append", arguments.append),
            ("flush", arguments.flush),
            ("json", arguments.json.is_some()),
        ],
    )?;
    let options = ReadOptions {
        delimiter: arguments.form.delimiter()?,
        form: arguments.form.form(),
        missing: arguments.form.missing(model.missing.clone())?,
        ..ReadOptions::default()
    };
    let reading =
        arguments.series.read(&arguments.data, &arguments.columns, (options, None), Some(model), printer)?;
    let series = reading.series;
    let run = printer.run(general)?;
    let predicting = model.predicting()?;
    check_level(&predicting, arguments.level, &run)?;
    let form = &model.coder.series()?.form;
    let name = if form.series.is_empty() { "series" } else { &form.series };
    // What can't be answered is told before anything is written.
    predicting.coder.encode(&Data::from(series.part(&[], |_| true)), |_, _| {})?;
    let header = [vec![name.to_owned()], predicting.headings(arguments.level)].concat();
    let mut writer = CsvWriter::create(&arguments.output, &header)?;
    let (mut unseen, mut watch) = (super::Unseen::default(), predicting.watch());
    let mut others = BTreeSet::new();
    let all: Vec<usize> = (0..series.len()).collect();
    for some in all.chunks(BATCH) {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        let batch = Data::from(series.part(some, |_| true));
        let answers = run.compute(|| -> Result<_> {
            let rows = predicting.coder.encode(&batch, |column, level| match column {
                "variable" => drop(others.insert(level.to_owned())),
                _ => unseen.note(column, level),
            })?;
            watch.look(&rows);
            Ok(predicting.answers(&rows)?.written(arguments.level))
        })?;
        for (row, &one) in some.iter().enumerate() {
            writer.text(&series.ids()[one]);
            answers.iter().for_each(|column| writer.cell(column, row));
            writer.end_row()?;
        }
    }
    writer.finish()?;
    printer.close();
    unseen.tell(&run);
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(|name| format!("`{name}`")).collect();
        run.note(format!("variables that the model did not learn from are ignored: {}", names.join(", ")));
    }
    // What is known only later is no surprise.
    if let Some(shift) = watch.shift().filter(|_| !arguments.series.cuts()) {
        run.warn(shift.words());
    }
    if arguments.output != std::path::Path::new("-") {
        printer.say(&format!("{} predictions are in {}", number(series.len()), arguments.output.display()));
    }
    Ok(())
}
