//! `unmiss predict`: a model and new rows in, predictions out, batch by batch in bounded memory. The model knows what
//! it predicts: of ratings, the rows are pairs of users and items.

mod images;
mod pairs;
mod reasons;
mod series;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::json;
use unmiss::data::{Batches, Column, CsvWriter, Data, Kind, Shape, Table};
use unmiss::encode::Task;
use unmiss::error::{Error, Result};
use unmiss::explain::Contributions;
use unmiss::methods::Job;
use unmiss::model::{Model, Predicting};
use unmiss::run::Run;
use unmiss::store::write_whole;

use crate::General;
use crate::advice::told;
use crate::files::Files;
use crate::form_input::FormArguments;
use crate::input::{ImageArguments, RatingColumns, load_model, only_for_tables};
use crate::output::number;
use crate::printer::Printer;
use crate::series_input::SeriesArguments;
use reasons::Reasons;

/// Rows read, predicted and written at a time.
const BATCH: usize = 16_384;

/// Which model, which rows, where to.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model that `unmiss fit` wrote
    model: PathBuf,
    /// New rows, or pairs of users and items: CSV, TSV, Excel, Parquet, Arrow or lines of JSON; `-` for standard input.
    /// For a model of images: IDX, CIFAR, .npy, .npz or a folder of pictures
    data: PathBuf,
    /// Where to write the predictions [default: standard output]
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Share of new rows that prediction intervals hold for [default: 0.9]; for classes, adds the set of classes that
    /// holds the true one in that share of rows
    #[arg(long, value_name = "SHARE")]
    level: Option<f64>,
    /// Say why: adds the N cells that move each answer most, as `lactate = 4.1: +0.32`, with the base they start from
    /// and the rest; of images, the N squares that matter most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    explain: Option<u16>,
    /// Write what every column contributes to each answer to a table of its own
    #[arg(long, value_name = "FILE")]
    contributions: Option<PathBuf>,
    /// Columns carried over to the predictions, besides those named when the model was fitted
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    id: Vec<String>,
    /// Carry over every column: the whole table with the predictions behind it
    #[arg(long, conflicts_with = "id")]
    append: bool,
    /// Answer every line as soon as it has come, for programs that wait for it: `predict MODEL - --flush`
    #[arg(long)]
    flush: bool,
    /// Write what was noticed to a JSON file: rows, values that training never saw, holes that are other ones
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// With a model of ratings: ratings that came after it was fitted, of new users or known ones; nothing is trained
    /// again
    #[arg(long, value_name = "FILE")]
    ratings: Option<PathBuf>,
    #[command(flatten)]
    form: FormArguments,
    #[command(flatten)]
    columns: RatingColumns,
    #[command(flatten)]
    images: ImageArguments,
    #[command(flatten)]
    series: SeriesArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    if let Some(level) = arguments.level.filter(|level| !(*level > 0.0 && *level < 1.0)) {
        return Err(Error::setting("level", format!("{level} is not between 0 and 1"))
            .with_hint("say --level 0.9 for intervals that hold for 90 % of new rows"));
    }
    let read = Files::default().reads([&arguments.model, &arguments.data]).reads(&arguments.ratings);
    let written = read.tables("-o", [&arguments.output]).tables("--contributions", &arguments.contributions);
    written.tables("--json", &arguments.json).check()?;
    let model = load_model(&arguments.model, Some(&arguments.data))?;
    arguments.images.only_for_images(model.shape())?;
    arguments.series.only_for_series(model.shape())?;
    match model.shape() {
        Shape::Ratings => {
            let given = [
                ("append", arguments.append),
                ("flush", arguments.flush),
                ("json", arguments.json.is_some()),
                ("explain", arguments.explain.is_some()),
                ("contributions", arguments.contributions.is_some()),
            ];
            only_for_tables(Shape::Ratings, &given)?;
            pairs::run(arguments, &model, general, printer)
        }
        Shape::Images => images::run(arguments, &model, general, printer),
        Shape::Series => series::run(arguments, &model, general, printer),
        Shape::Table => predict_rows(arguments, &model, general, printer),
    }
}

fn predict_rows(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<()> {
    model.check_job(Job::Predict, &arguments.model)?;
    let run = printer.passing_run(general)?;
    let rows = predict_file(model, arguments, &run)?;
    printer.close();
    if arguments.output != Path::new("-") {
        let (rows, output) = (number(rows), arguments.output.display());
        printer.say(&format!("{rows} predictions are in {output}"));
    }
    Ok(())
}

fn predict_file(model: &Model, arguments: &Arguments, run: &Run) -> Result<usize> {
    let (mut batches, ids) = open(model, arguments, run)?;
    let predicting = model.predicting()?;
    check_level(&predicting, arguments.level, run)?;
    let mut reasons = Reasons::new(model, arguments, run)?;
    let mut header = [ids.clone(), predicting.headings(arguments.level)].concat();
    header.extend(reasons.iter().flat_map(Reasons::header));
    if let Some(name) = header.iter().enumerate().find(|(place, name)| header[..*place].contains(name)) {
        let what = format!("there would be two columns `{}`", name.1);
        return Err(
            Error::setting("append", what).with_hint("rename it in the data, or name columns with --id")
        );
    }
    let delimiter = batches.delimiter().filter(|_| arguments.append);
    let mut writer = CsvWriter::create_beside(&arguments.output, &header, delimiter)?;
    let (mut watch, mut unseen) = (predicting.watch(), Unseen::default());
    let mut rows = 0;
    while let Some(batch) = run.compute(|| batches.next())? {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        let batch = Data::from(batch);
        let (encoded, answers) = run.compute(|| -> Result<_> {
            let encoded = predicting.coder.encode(&batch, |column, level| unseen.note(column, level))?;
            watch.look(&encoded);
            let answers = predicting.answers(&encoded)?.written(arguments.level);
            Ok((encoded, answers))
        })?;
        let why = reasons.as_mut().map(|reasons| reasons.explain(&encoded)).transpose()?;
        let why = reasons.as_ref().zip(why.as_ref());
        let carried = if arguments.append { Carried::All } else { Carried::Columns(&ids) };
        write_batch(&mut writer, batch.table()?, carried, &answers, why)?;
        if arguments.flush {
            writer.flush()?;
        }
        rows += batch.rows();
    }
    writer.finish()?;
    reasons.map_or(Ok(()), Reasons::finish)?;
    batches.notes().iter().for_each(|note| run.note(told(note)));
    unseen.tell(run);
    let shift = watch.shift().map(|shift| shift.words());
    if let Some(words) = &shift {
        run.warn(words.clone());
    }
    if let Some(path) = &arguments.json {
        let found = json!({ "rows": rows, "unseen": unseen.0, "shift": shift });
        write_whole(path, format!("{found:#}\n").as_bytes())?;
    }
    Ok(rows)
}

/// Refuses a level that the model knows nothing of, and tells where intervals will be empty.
fn check_level(model: &Predicting<'_>, level: Option<f64>, run: &Run) -> Result<()> {
    // Models of series and of images never have any.
    let never = model.coder.table().is_err();
    let none = |what: &str| {
        if never {
            return Error::setting("level", format!("only models of tables have {what}"))
                .with_hint("leave --level out");
        }
        Error::setting("level", format!("this model was made without held-out rows and has no {what}"))
            .with_hint("leave --level out, or fit the model again with `unmiss fit`")
    };
    match (model.target.task, level) {
        (Task::Regression, Some(_)) if model.intervals.is_none() => Err(none("intervals")),
        (Task::Classification { .. }, Some(_)) if model.sets.is_none() => Err(none("sets of classes")),
        (Task::Regression, None) if model.intervals.is_none() => {
            run.warn(match never {
                true => "only models of tables have intervals: `lower` and `upper` are empty",
                false => "the model was made without held-out rows: `lower` and `upper` are empty",
            });
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Opens the new rows with the kinds the columns had in training, and finds the id columns.
fn open(model: &Model, arguments: &Arguments, run: &Run) -> Result<(Batches, Vec<String>)> {
    let Predicting { roles, target, .. } = model.predicting()?;
    let mut options = model.batch_options()?;
    let mut ids = roles.id.clone();
    ids.extend(arguments.id.iter().filter(|id| !roles.id.contains(id)).cloned());
    // An input can be carried over too; it is then read as an input and written from there.
    for id in &ids {
        options.kinds.entry(id.clone()).or_insert(Kind::Text);
    }
    arguments.form.apply(&mut options)?;
    options.rows = BATCH;
    if arguments.append {
        options.others = Some(Kind::Text);
        options.keep_source = true;
    }
    options.line_by_line = arguments.flush;
    let batches = Batches::open(&arguments.data, &options)?;
    if arguments.append {
        ids = batches.header().to_vec();
    }
    let columns: BTreeSet<&str> = batches.header().iter().map(String::as_str).collect();
    model.check_header(batches.header(), &arguments.data.display().to_string())?;
    let absent: Vec<String> = ids.iter().filter(|id| !columns.contains(id.as_str())).cloned().collect();
    for id in &absent {
        run.warn(format!("the id column `{id}` is not in the new data and is not carried over"));
    }
    ids.retain(|id| !absent.contains(id));
    let known: BTreeSet<&str> =
        model.needed_columns().into_iter().chain(ids.iter().map(String::as_str)).collect();
    let ours = |name: &&&str| {
        !known.contains(**name) && **name != target.name && !roles.ignore.iter().any(|n| n == **name)
    };
    let extra: Vec<&str> = columns.iter().filter(ours).copied().collect();
    if !extra.is_empty() {
        let shown = extra.iter().take(5).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let more = if extra.len() > 5 { format!(" and {} more", extra.len() - 5) } else { String::new() };
        run.note(format!("columns that the model did not learn from are ignored: {shown}{more}"));
    }
    Ok((batches, ids))
}

/// What of the new rows stands beside their predictions.
#[derive(Clone, Copy)]
enum Carried<'a> {
    /// Every cell as it stands in the file.
    All,
    /// These columns.
    Columns(&'a [String]),
}

fn write_batch(
    writer: &mut CsvWriter,
    batch: &Table,
    carried: Carried<'_>,
    answers: &[Column],
    why: Option<(&Reasons<'_>, &Contributions)>,
) -> Result<()> {
    let ids = match carried {
        Carried::All => Vec::new(),
        Carried::Columns(names) => names.iter().map(|id| batch.column(id)).collect::<Result<Vec<_>>>()?,
    };
    for row in 0..batch.rows() {
        if matches!(carried, Carried::All) {
            writer.cells(batch, row);
        }
        ids.iter().copied().chain(answers).for_each(|column| writer.cell(column, row));
        if let Some((reasons, found)) = why {
            reasons.write(writer, batch, row, found)?;
        }
        writer.end_row()?;
    }
    Ok(())
}

/// Levels that training never saw, by column, told once at the end.
#[derive(Default)]
struct Unseen(BTreeMap<String, BTreeSet<String>>);

/// Unseen levels remembered per column, so that memory stays bounded.
const MOST_LEVELS_TOLD: usize = 100;

impl Unseen {
    fn note(&mut self, column: &str, level: &str) {
        let levels = self.0.entry(column.to_owned()).or_default();
        if levels.len() < MOST_LEVELS_TOLD {
            levels.insert(level.to_owned());
        }
    }

    fn tell(&self, run: &Run) {
        for (column, levels) in &self.0 {
            let shown =
                levels.iter().take(3).map(|level| format!("`{level}`")).collect::<Vec<_>>().join(", ");
            let more = if levels.len() > 3 { ", ..." } else { "" };
            run.warn(format!(
                "column `{column}` has values that training never saw ({shown}{more}); they count as missing"
            ));
        }
    }
}
