//! `unmiss predict`: a model and new rows in, predictions out, batch by batch in bounded memory. The model knows what
//! it predicts: of ratings, the rows are pairs of users and items.

mod images;
mod pairs;
mod reasons;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use unmiss::data::{BatchOptions, Batches, CsvWriter, Data, Kind, Shape, Table};
use unmiss::encode::Task;
use unmiss::error::{Error, Result, nearest};
use unmiss::explain::Contributions;
use unmiss::methods::Job;
use unmiss::metrics::most_probable;
use unmiss::model::{Answers, Model, Predicting, Predictions};
use unmiss::run::Run;

use crate::General;
use crate::files::Files;
use crate::input::{ImageArguments, RatingColumns, add_words, delimiter, kinds_of, only_for_tables};
use crate::output::number;
use crate::printer::Printer;
use reasons::Reasons;

/// Rows read, predicted and written at a time.
const BATCH: usize = 16_384;
/// The level of intervals if the user says none.
const USUAL_LEVEL: f64 = 0.9;

/// Which model, which rows, where to.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model that `unmiss fit` wrote
    model: PathBuf,
    /// New rows, or pairs of users and items: CSV, TSV, Parquet, gzipped or not; `-` for standard input. For a model of
    /// images: IDX, CIFAR, .npy, .npz or a folder of pictures
    data: PathBuf,
    /// Where to write the predictions [default: standard output]
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Share of new rows that prediction intervals hold for [default: 0.9]; for classes, adds the set of classes that
    /// holds the true one in that share of rows
    #[arg(long, value_name = "SHARE")]
    level: Option<f64>,
    /// Say why: adds the N cells that move each answer most, as `lactate = 4.1: +0.32`, with the base they start from
    /// and the rest
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    explain: Option<u16>,
    /// Write what every column contributes to each answer to a table of its own
    #[arg(long, value_name = "FILE")]
    contributions: Option<PathBuf>,
    /// Columns carried over to the predictions, besides those named when the model was fitted
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    id: Vec<String>,
    /// Further words that mean "missing" in one column, as COLUMN=WORD, besides those of the training table
    /// (repeatable)
    #[arg(long, value_name = "COLUMN=WORD")]
    missing_in: Vec<String>,
    /// The character between fields [default: found out]
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,
    /// With a model of ratings: ratings that came after it was fitted, of new users or known ones; nothing is trained
    /// again
    #[arg(long, value_name = "FILE")]
    ratings: Option<PathBuf>,
    #[command(flatten)]
    columns: RatingColumns,
    #[command(flatten)]
    images: ImageArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    if let Some(level) = arguments.level.filter(|level| !(*level > 0.0 && *level < 1.0)) {
        return Err(Error::setting("level", format!("{level} is not between 0 and 1"))
            .with_hint("say --level 0.9 for intervals that hold for 90 % of new rows"));
    }
    let read = Files::default().reads([&arguments.model, &arguments.data]).reads(&arguments.ratings);
    read.tables("-o", [&arguments.output]).tables("--contributions", &arguments.contributions).check()?;
    let model = Model::load(&arguments.model)?;
    arguments.images.only_for_images(model.shape())?;
    match model.shape() {
        Shape::Ratings => {
            let given = [
                ("explain", arguments.explain.is_some()),
                ("contributions", arguments.contributions.is_some()),
            ];
            only_for_tables(Shape::Ratings, &given)?;
            pairs::run(arguments, &model, general, printer)
        }
        Shape::Images => images::run(arguments, &model, general, printer),
        Shape::Table => predict_rows(arguments, &model, general, printer),
    }
}

fn predict_rows(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<()> {
    model.check_job(Job::Predict, &arguments.model)?;
    let run = printer.run(general)?;
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
    let asked = Asked::new(&predicting, arguments.level, run)?;
    let mut reasons = Reasons::new(model, arguments, run)?;
    let mut header = header(&predicting, &ids, &asked);
    header.extend(reasons.iter().flat_map(Reasons::header));
    let mut writer = CsvWriter::create(&arguments.output, &header)?;
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
            let answers = asked.answer(&predicting.answers(&encoded)?)?;
            Ok((encoded, answers))
        })?;
        let why = reasons.as_mut().map(|reasons| reasons.explain(&encoded)).transpose()?;
        let why = reasons.as_ref().zip(why.as_ref());
        write_batch(&mut writer, &predicting, batch.table()?, &ids, (&answers, why))?;
        rows += batch.rows();
    }
    writer.finish()?;
    reasons.map_or(Ok(()), Reasons::finish)?;
    unseen.tell(run);
    if let Some(shift) = watch.shift() {
        run.warn(shift.words());
    }
    Ok(rows)
}

/// What is asked beside the predictions.
enum Asked {
    /// Intervals; unknown where the model has none.
    Intervals(f64),
    /// Sets of classes.
    Sets(f64),
    /// Chances alone.
    Nothing,
}

/// The answers for a batch.
enum Answered {
    Numbers { values: Vec<f64>, intervals: Option<Vec<(f64, f64)>> },
    Classes { chances: Vec<f64>, sets: Option<Vec<bool>> },
}

impl Asked {
    fn new(model: &Predicting<'_>, level: Option<f64>, run: &Run) -> Result<Self> {
        let none = |what: &str| {
            Error::setting("level", format!("this model was made without held-out rows and has no {what}"))
                .with_hint("leave --level out, or fit the model again with `unmiss fit`")
        };
        match (model.target.task, level) {
            (Task::Regression, Some(_)) if model.intervals.is_none() => Err(none("intervals")),
            (Task::Regression, level) => {
                if model.intervals.is_none() {
                    run.warn("the model was made without held-out rows: `lower` and `upper` are empty");
                }
                Ok(Self::Intervals(level.unwrap_or(USUAL_LEVEL)))
            }
            (Task::Classification { .. }, Some(_)) if model.sets.is_none() => Err(none("sets of classes")),
            (Task::Classification { .. }, Some(level)) => Ok(Self::Sets(level)),
            (Task::Classification { .. }, None) => Ok(Self::Nothing),
        }
    }

    fn answer(&self, answers: &Answers<'_>) -> Result<Answered> {
        Ok(match (answers.predictions(), self) {
            (Predictions::Numbers(values), Self::Intervals(level)) => {
                Answered::Numbers { values, intervals: answers.intervals(*level) }
            }
            (Predictions::Numbers(values), _) => Answered::Numbers { values, intervals: None },
            (Predictions::Probabilities(chances), Self::Sets(level)) => {
                Answered::Classes { chances, sets: answers.sets(*level) }
            }
            (Predictions::Probabilities(chances), _) => Answered::Classes { chances, sets: None },
        })
    }
}

/// Opens the new rows with the kinds the columns had in training, and finds the id columns.
fn open(model: &Model, arguments: &Arguments, run: &Run) -> Result<(Batches, Vec<String>)> {
    let Predicting { roles, target, .. } = model.predicting()?;
    let mut kinds: BTreeMap<String, Kind> = kinds_of(model.coder.table()?).collect();
    let mut ids = roles.id.clone();
    ids.extend(arguments.id.iter().filter(|id| !roles.id.contains(id)).cloned());
    // An input can be carried over too; it is then read as an input and written from there.
    for id in &ids {
        kinds.entry(id.clone()).or_insert(Kind::Text);
    }
    let mut missing = model.missing.clone();
    add_words(&mut missing, &arguments.missing_in)?;
    let delimiter = delimiter(arguments.delimiter.as_deref())?;
    let options = BatchOptions { delimiter, missing, kinds, rows: BATCH, ..BatchOptions::default() };
    let batches = Batches::open(&arguments.data, &options)?;
    let columns: BTreeSet<&str> = batches.header().iter().map(String::as_str).collect();
    check_inputs(model, &columns, &arguments.data)?;
    let absent: Vec<String> = ids.iter().filter(|id| !columns.contains(id.as_str())).cloned().collect();
    for id in &absent {
        run.warn(format!("the id column `{id}` is not in the new data and is not carried over"));
    }
    ids.retain(|id| !absent.contains(id));
    let known: BTreeSet<&str> =
        model.coder.names().into_iter().chain(ids.iter().map(String::as_str)).collect();
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

fn check_inputs(model: &Model, columns: &BTreeSet<&str>, data: &Path) -> Result<()> {
    let absent: Vec<&str> = model.coder.names().into_iter().filter(|name| !columns.contains(name)).collect();
    let Some(first) = absent.first() else { return Ok(()) };
    let shown = absent.iter().take(5).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let more = if absent.len() > 5 { format!(" and {} more", absent.len() - 5) } else { String::new() };
    let what =
        format!("{}: the model learned from columns that are not there: {shown}{more}", data.display());
    Err(Error::data(what).with_hint(match nearest(first, columns.iter().copied()) {
        Some(near) => format!(
            "is `{first}` now called `{near}`? Rename it; a column whose values are unknown may be empty"
        ),
        None => format!("add the column `{first}`; it may be empty if its values are unknown"),
    }))
}

fn header(model: &Predicting<'_>, ids: &[String], asked: &Asked) -> Vec<String> {
    let mut header = ids.to_vec();
    header.push("prediction".into());
    match model.target.task {
        Task::Regression => header.extend(["lower".into(), "upper".into()]),
        Task::Classification { .. } => {
            if let Asked::Sets(_) = asked {
                header.push("set".into());
            }
            header.extend(model.target.levels.iter().map(|level| format!("probability_{level}")));
        }
    }
    header
}

fn write_batch(
    writer: &mut CsvWriter,
    model: &Predicting<'_>,
    batch: &Table,
    ids: &[String],
    (answers, why): (&Answered, Option<(&Reasons<'_>, &Contributions)>),
) -> Result<()> {
    let ids = ids.iter().map(|id| batch.column(id)).collect::<Result<Vec<_>>>()?;
    for row in 0..batch.rows() {
        for id in &ids {
            match id.cell(row) {
                Some(cell) => writer.text(&cell),
                None => writer.missing(),
            }
        }
        write_answer(writer, model, answers, row);
        if let Some((reasons, found)) = why {
            reasons.write(writer, batch, row, found)?;
        }
        writer.end_row()?;
    }
    Ok(())
}

/// The answer for one row: a number with its interval, or a class with the set and the chances of all.
fn write_answer(writer: &mut CsvWriter, model: &Predicting<'_>, answers: &Answered, row: usize) {
    let levels = &model.target.levels;
    match answers {
        Answered::Numbers { values, intervals } => {
            writer.number(values[row]);
            match intervals {
                Some(intervals) => [intervals[row].0, intervals[row].1].map(|end| writer.number(end)),
                None => [(); 2].map(|()| writer.missing()),
            };
        }
        Answered::Classes { chances, sets } => {
            let own = row * levels.len()..(row + 1) * levels.len();
            writer.text(&levels[most_probable(&chances[own.clone()])]);
            if let Some(sets) = sets {
                let held = levels.iter().zip(&sets[own.clone()]).filter(|(_, held)| **held);
                writer.text(&held.map(|(level, _)| level.as_str()).collect::<Vec<_>>().join("|"));
            }
            chances[own].iter().for_each(|chance| writer.number(*chance));
        }
    }
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
