//! `unmiss compare`: methods side by side on held-out rows or hidden cells, with significance.

mod best;
mod contestants;
mod words;

use std::path::{Path, PathBuf};

use unmiss::compare::{Comparison, Contest, Division, Question, Setup};
use unmiss::data::images::LABEL;
use unmiss::data::{Data, Shape};
use unmiss::encode::target::TaskKind;
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::missing::{Cover, Mechanism};
use unmiss::model::Roles;
use unmiss::report::{Page, sections};
use unmiss::store::{is_plain, is_standard_output};

use super::evaluate::file_name;
use super::fit::{ClassWeightsArgument, TaskArgument, division};
use crate::General;
use crate::files::Files;
use crate::input::{ImageArguments, InputArguments, RatingColumns, only_for_tables, unlabelled};
use crate::output::print;
use crate::printer::Printer;
use crate::series_input::SeriesArguments;

/// How cells of a table are hidden when it is not said.
const USUAL: &str = "mcar:0.2";

/// What to compare, on what, and where to keep it.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("question").args(["target", "impute"]))]
pub struct Arguments {
    /// A table or ratings: CSV, TSV, Excel, Parquet, Arrow or lines of JSON; or images: IDX, CIFAR, .npy, .npz or a
    /// folder of pictures; `-` reads standard input, sample:NAME a built-in one
    data: PathBuf,
    /// Compare methods that predict this column, on rows held out by turns
    #[arg(long, value_name = "COLUMN")]
    target: Option<String>,
    /// Compare methods that fill holes, on known cells or pixels that are hidden
    #[arg(long)]
    impute: bool,
    /// Of ratings, the share held out to compare on
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    test: f64,
    /// The methods [default: all that `unmiss methods` lists]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    methods: Vec<String>,
    /// Change a setting of a method, as METHOD.NAME=VALUE (repeatable)
    #[arg(long, value_name = "METHOD.NAME=VALUE")]
    set: Vec<String>,
    /// Show each method tuned as well: the best of N random settings, found inside each training part
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    tune: u16,
    /// With --target, folds of the cross-validation
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=100))]
    #[arg(conflicts_with = "impute")]
    folds: u16,
    /// How often, with other folds or other hidden cells [default: 2 with --target, 5 with --impute, 3 for
    /// ratings, 1 for images]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeats: Option<u16>,
    /// With --impute, how cells or pixels are hidden and which share; `unmiss hide --help` lists the ways [default:
    /// mcar:0.2; of images the holes of other images, or square:0.25 where there are none]
    #[arg(long, value_name = "MECHANISM:RATE", conflicts_with = "target")]
    how: Option<String>,
    /// Columns that are not learned from, such as names and numbers of rows
    #[arg(long, alias = "id", value_name = "COLUMNS", value_delimiter = ',')]
    ignore: Vec<String>,
    /// With --target, a column of row weights
    #[arg(long, value_name = "COLUMN", conflicts_with = "impute")]
    weight: Option<String>,
    /// With --target, what to predict, if the guess from the target's values is not wanted
    #[arg(long, value_name = "TASK", conflicts_with = "impute")]
    task: Option<TaskArgument>,
    /// With --target, of two classes the one that figures are about [default: the word for yes, `died`, `positive` and
    /// the like, else the last by the alphabet]
    #[arg(long, value_name = "CLASS", conflicts_with = "impute")]
    event: Option<String>,
    /// With --target, how classes of unequal size weigh in learning
    #[arg(long, value_name = "HOW", default_value = "equal", conflicts_with = "impute")]
    class_weights: ClassWeightsArgument,
    /// With --target, a column that tells which rows belong together, as those of one person: they are never on both
    /// sides, and the column is no input. For rows that follow each other say --time COLUMN
    #[arg(long, value_name = "COLUMN", conflicts_with = "impute")]
    group: Option<String>,
    /// With --target and a table, fit the best once more and save that model; if it was tuned, it is tuned again
    #[arg(short, long, value_name = "FILE", requires = "target")]
    output: Option<PathBuf>,
    /// Keep every fit in a JSON file, written anew after each; `-`: to standard output, in place of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Go on from the file of --json: what is done there is not done again
    #[arg(long, requires = "json")]
    resume: bool,
    /// Begin anew even if the file of --json exists
    #[arg(long, requires = "json", conflicts_with = "resume")]
    fresh: bool,
    /// Write a page with charts to an HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    ratings: RatingColumns,
    #[command(flatten)]
    images: ImageArguments,
    #[command(flatten)]
    series: SeriesArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let (data, json, html) = (&arguments.data, &arguments.json, &arguments.html);
    Files::default()
        .reads([data])
        .reads(arguments.images.files())
        .tables("--json", json)
        .file("--html", html)
        .file("-o", &arguments.output)
        .check()?;
    let earlier = arguments.earlier()?;
    let (shape, job) = arguments.what()?;
    let contestants = contestants::list(arguments, shape, job, earlier.is_some())?;
    let data = arguments.read(shape, job, printer)?;
    let run = printer.run(general)?;
    let repeats = usize::from(arguments.repeats(shape, job));
    let setup = Setup { question: arguments.question(&data, job)?, contestants, repeats };
    let mut contest = Contest::new(&data, setup, &run)?;
    if let Some((earlier, path)) = earlier {
        contest.resume(earlier, path)?;
    }
    // What goes to a pipe or a device can't be written anew after each fit.
    let result = contest.hold(&run, |comparison| match json {
        Some(path) if is_plain(path) => comparison.write(path),
        _ => Ok(()),
    });
    printer.close();
    let comparison = result?;
    if let Some(path) = json.as_ref().filter(|path| !is_plain(path)) {
        comparison.write(path)?;
    }
    if comparison.fits.is_empty() && run.stopped() {
        return Err(Error::Stopped);
    }
    if comparison.standings.is_empty() {
        return Err(Error::data(format!("no method could be compared. {}", comparison.words.join(" "))));
    }
    if let Some(path) = &arguments.html {
        Page::new(format!("Methods compared on {}", file_name(&arguments.data)))
            .summary(words::what_was_asked(&comparison))
            .sections(sections::compare(&comparison)?)
            .write(path)?;
    }
    let model =
        arguments.output.as_ref().map(|path| best::save(arguments, &comparison, &data, path, &run, printer));
    let saved = model.transpose()?.unwrap_or_default();
    match &arguments.json {
        Some(path) if is_standard_output(path) => Ok(()),
        Some(path) => {
            print(&format!("{}{saved}\nEvery fit is in {}.\n", words::page(&comparison), path.display()))
        }
        None => print(&(words::page(&comparison) + &saved)),
    }
}

impl Arguments {
    /// What is compared, on data of which shape.
    fn what(&self) -> Result<(Shape, Job)> {
        let shape = self.series.shape_of_rows(self.target.as_deref(), &self.ratings, &self.data)?;
        self.images.only_for_images(shape)?;
        match (shape, &self.target, self.impute) {
            (Shape::Table | Shape::Series, Some(_), _) => Ok((shape, Job::Predict)),
            (Shape::Table | Shape::Series, None, true) => Ok((shape, Job::Fill)),
            (Shape::Table | Shape::Series, None, false) => Err(Error::setting(
                "target",
                "it is not said what is to be compared",
            )
            .with_hint(
                "say --target COLUMN for methods that predict it, --impute for methods that fill holes, or \
                     --shape ratings for methods that predict ratings",
            )),
            (Shape::Ratings, _, _) => {
                only_for_tables(shape, &[("target", self.target.is_some()), ("impute", self.impute)])?;
                if !(self.test > 0.0 && self.test <= 0.5) {
                    return Err(Error::setting(
                        "test",
                        format!("{} is not above 0 and up to 0.5", self.test),
                    ));
                }
                Ok((shape, Job::Rate))
            }
            (Shape::Images, target, impute) => {
                only_for_tables(
                    shape,
                    &[
                        ("target", target.as_ref().is_some_and(|target| target != LABEL)),
                        ("ignore", !self.ignore.is_empty()),
                        ("weight", self.weight.is_some()),
                    ],
                )?;
                Ok((shape, if impute { Job::Fill } else { Job::Predict }))
            }
        }
    }

    fn repeats(&self, shape: Shape, job: Job) -> u16 {
        self.repeats.unwrap_or(match (shape, job) {
            // Time goes one way: there are no other folds.
            (Shape::Table, Job::Predict) if self.ratings.time().is_some() => 1,
            (Shape::Images | Shape::Series, _) => 1,
            (_, Job::Predict | Job::Density) => 2,
            (_, Job::Fill) => 5,
            (_, Job::Rate) => 3,
        })
    }

    fn roles(&self) -> Result<Roles> {
        Ok(Roles {
            target: self.target.clone().unwrap_or_else(|| LABEL.to_owned()),
            id: Vec::new(),
            ignore: self.ignore.clone(),
            weight: self.weight.clone(),
            class_weights: self.class_weights.into(),
            task: self.task.map(TaskKind::from),
            event: self.event.clone(),
            ordered: self.input.ordered()?,
            dates: self.input.dates(),
        })
    }

    /// Which rows are never parted.
    fn division(&self, shape: Shape) -> Result<Division> {
        match (shape, &self.group) {
            (Shape::Table, group) => division(group.as_deref(), self.ratings.time()),
            (_, Some(_)) => only_for_tables(shape, &[("group", true)]).map(|()| Division::Free),
            (_, None) => Ok(Division::Free),
        }
    }

    fn question(&self, data: &Data, job: Job) -> Result<Question> {
        Ok(match (data, job) {
            (Data::Images(images), Job::Fill) => {
                let usual = || Ok(Cover::usual(images));
                let how: Cover = self.how.as_deref().map_or_else(usual, str::parse)?;
                Question::Pixels { how: how.to_string() }
            }
            (_, Job::Fill) => {
                let how: Mechanism = self.how.as_deref().unwrap_or(USUAL).parse()?;
                Question::Imputers { how: how.to_string(), ignore: self.ignore.clone() }
            }
            (_, Job::Predict | Job::Density) => {
                let (roles, folds) = (self.roles()?, usize::from(self.folds));
                Question::Predictors { roles, folds, division: self.division(data.shape())? }
            }
            (_, Job::Rate) => Question::Recommenders { share: self.test },
        })
    }

    fn read(&self, shape: Shape, job: Job, printer: &Printer) -> Result<Data> {
        if shape == Shape::Images {
            let images = self.images.read(&self.data)?;
            return match images.labels() {
                None if job == Job::Predict => Err(unlabelled(&self.data)),
                _ => Ok(images.into()),
            };
        }
        if shape == Shape::Series {
            let options = (self.input.options()?, self.target.as_deref());
            return Ok(self.series.read(&self.data, &self.ratings, options, None, printer)?.series.into());
        }
        match job {
            Job::Fill => Ok(self.input.read(&self.data, false, printer)?.into()),
            Job::Predict | Job::Density => self.input.read_inputs(&self.data, &self.roles()?, printer),
            Job::Rate => Ok(self.ratings.read(&self.data, &self.input, printer)?.into()),
        }
    }

    /// The comparison to go on from. An existing file is never overwritten unasked.
    fn earlier(&self) -> Result<Option<(Comparison, &Path)>> {
        let Some(path) = self.json.as_deref() else { return Ok(None) };
        if self.resume {
            return match path.is_file() {
                true => Ok(Some((Comparison::read(path)?, path))),
                false => Err(Error::model(path, "there is no such file to go on from")
                    .with_hint("leave --resume away to begin anew")),
            };
        }
        if path.is_file() && !self.fresh {
            return Err(Error::model(path, "the file exists already")
                .with_hint("--resume goes on from it, --fresh begins anew and overwrites it"));
        }
        Ok(None)
    }
}
