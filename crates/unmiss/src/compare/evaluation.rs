//! How right a model is on rows whose truth is known: every figure with its interval, calibration, and whether
//! intervals or sets keep what they promise.

use rayon::prelude::*;
use serde::Serialize;

use super::doubts::too_good;
use crate::data::{Column, Data, Shape};
use crate::encode::{ClassWeights, TargetEncoder, Targets, Task};
use crate::error::{Error, Result};
use crate::methods::Job;
use crate::metrics::{CalibrationLine, ClassCalibration, Figures, Judge, Metric, figure, share_of};
use crate::model::{Answers, Model, Predictions};
use crate::rng::Stream;
use crate::run::Run;

/// Times that rows are drawn anew for an interval, at most and at least.
const RESAMPLES: (usize, usize) = (1000, 100);
/// Rows drawn for all intervals together, about.
const MOST_DRAWN: usize = 20_000_000;
/// The levels at which intervals and sets are looked at.
const LEVELS: [f64; 4] = [0.5, 0.8, 0.9, 0.95];
/// Classes whose calibration is told, at most.
const MOST_CLASSES: usize = 10;

/// How right a model is on rows whose truth is known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// What is judged on.
    #[serde(skip)]
    pub shape: Shape,
    /// What is predicted.
    pub target: String,
    /// What kind of thing that is.
    pub task: Task,
    /// The classes, if it is one.
    pub classes: Vec<String>,
    /// Rows that were judged.
    pub rows: usize,
    /// Rows left out as their truth is not known.
    pub without_truth: usize,
    /// Rows left out as they are of a class that training never saw.
    pub of_new_classes: usize,
    /// Groups whose rows belong together, where it was told: intervals draw whole groups.
    pub groups: Option<usize>,
    /// From which chance on the second of two classes is said; none: the more probable one is.
    pub threshold: Option<f64>,
    /// All figures there are.
    pub figures: Vec<Figure>,
    /// The standard deviation of the target that the model learned from, for numbers.
    pub deviation: Option<f64>,
    /// `[true class][class that is said]`: how many rows.
    pub confusion: Vec<Vec<usize>>,
    /// Groups of rows of similar probability; of two classes of the second.
    pub calibration: Vec<ClassCalibration>,
    /// Truth as a line of what was predicted; for numbers and two classes.
    pub calibration_line: Option<CalibrationLine>,
    /// Whether intervals, or sets of classes, hold what is true as often as they promise.
    pub coverage: Vec<Coverage>,
    /// What there is to doubt about the rows themselves, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// `[rows, outputs]`: what was predicted, in the user's units.
    #[serde(skip)]
    pub answers: Vec<f64>,
    /// What is true: numbers in the user's units, or classes.
    #[serde(skip)]
    pub truth: Vec<f64>,
}

/// A figure with its interval.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Which.
    pub metric: Metric,
    /// Its value.
    pub value: Option<f64>,
    /// The ends of its 95 % interval: rows drawn anew, with replacement.
    pub interval: Option<(f64, f64)>,
}

/// What intervals, or sets of classes, hold at a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coverage {
    /// The share of rows that they promise to hold for.
    pub level: f64,
    /// The share of rows that they do hold for.
    pub held: f64,
    /// The 95 % interval of that share.
    pub interval: (f64, f64),
    /// How wide intervals are on average, or how many classes sets have.
    pub size: f64,
}

/// How to judge.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Judging {
    /// From which chance on the second of two classes is said; none: as the model has it.
    pub threshold: Option<f64>,
    /// A column that tells which rows belong together.
    pub group: Option<String>,
}

/// Judges a model on rows whose truth is known. Rows of which it is not are left out and counted.
///
/// # Errors
/// When there is no such row, or the model does not predict.
pub fn evaluate(model: &Model, data: &Data, how: &Judging, run: &Run) -> Result<Evaluation> {
    if model.job() == Job::Rate {
        return rated(model, data, run);
    }
    let predicting = model.predicting()?;
    let target = predicting.target;
    let column = data.column(&target.name)?;
    let known: Vec<usize> = (0..data.rows()).filter(|&row| column.observed[row]).collect();
    let rows: Vec<usize> = known.iter().copied().filter(|&row| is_known(target, column, row)).collect();
    if rows.is_empty() {
        let what = format!("there is no row whose `{}` is known and was seen in training", target.name);
        return Err(Error::data(what).with_hint("a model is judged on rows whose truth is known"));
    }
    let groups = how.group.as_deref().map(|name| groups_of(data.column(name)?, &rows)).transpose()?;
    let own = data.part(&rows, |_| true)?;
    let weight = predicting.roles.weight.as_deref().filter(|name| own.column(name).is_ok());
    let targets = target.encode(&own, weight, ClassWeights::Equal)?;
    let answers = run.compute(|| predicting.answers(&predicting.coder.encode(&own, |_, _| {})?))?;
    let threshold = how.threshold.or(predicting.threshold);
    let truth = match target.task {
        Task::Regression => own.column(&target.name)?.numbers().unwrap_or_default().to_vec(),
        Task::Classification { .. } => targets.classes.iter().map(|class| f64::from(*class)).collect(),
    };
    let found = Judged { targets: &targets, truth, threshold, groups: groups.as_deref() };
    let chances = match answers.predictions() {
        Predictions::Numbers(values) | Predictions::Probabilities(values) => values,
    };
    let mut evaluation = found.evaluation(target, chances, run);
    evaluation.shape = data.shape();
    evaluation.coverage = coverage(&answers, &evaluation);
    (evaluation.without_truth, evaluation.of_new_classes) =
        (data.rows() - known.len(), known.len() - rows.len());
    let headline = evaluation.value(if target.task == Task::Regression { Metric::R2 } else { Metric::Auroc });
    evaluation.doubts = too_good(&target.name, target.task, headline, rows.len()).into_iter().collect();
    Ok(evaluation)
}

/// Judges answers that were given for rows while they were held out: `[rows, outputs]` in model units.
pub fn evaluate_held_out(
    target: &TargetEncoder,
    targets: &Targets,
    answers: &[f64],
    threshold: Option<f64>,
    run: &Run,
) -> Evaluation {
    let (answers, truth) = match target.task {
        Task::Regression => (
            answers.iter().map(|y| target.decode(*y)).collect(),
            targets.numbers.iter().map(|y| target.mean + target.deviation * f64::from(*y)).collect(),
        ),
        Task::Classification { .. } => {
            (answers.to_vec(), targets.classes.iter().map(|class| f64::from(*class)).collect())
        }
    };
    Judged { targets, truth, threshold, groups: None }.evaluation(target, answers, run)
}

/// Rows with what is true of them.
struct Judged<'a> {
    targets: &'a Targets,
    truth: Vec<f64>,
    threshold: Option<f64>,
    groups: Option<&'a [u32]>,
}

impl Judged<'_> {
    fn evaluation(self, target: &TargetEncoder, answers: Vec<f64>, run: &Run) -> Evaluation {
        let Self { targets, truth, threshold, groups } = self;
        let judge = match target.task {
            Task::Regression => Judge::of_numbers(&answers, &truth, &targets.weights),
            Task::Classification { .. } => Judge::of_classes(&answers, targets, threshold),
        };
        let (confusion, figures) = (judge.confusion(), with_intervals(&judge, groups, run));
        let classes = target.task.outputs();
        let calibration = match target.task {
            Task::Regression => Vec::new(),
            Task::Classification { .. } => calibrations(&target.levels, &answers, &targets.classes),
        };
        let calibration_line = match target.task {
            Task::Regression => CalibrationLine::of_numbers(&answers, &truth),
            Task::Classification { classes: 2 } => {
                let came_true: Vec<bool> = targets.classes.iter().map(|class| *class == 1).collect();
                CalibrationLine::of_chances(&column_of(&answers, classes, 1), &came_true)
            }
            Task::Classification { .. } => None,
        };
        Evaluation {
            shape: Shape::Table,
            target: target.name.clone(),
            task: target.task,
            classes: target.levels.clone(),
            rows: targets.rows(),
            without_truth: 0,
            of_new_classes: 0,
            groups: groups.map(|groups| groups.iter().collect::<std::collections::BTreeSet<_>>().len()),
            threshold,
            figures,
            deviation: (target.task == Task::Regression).then_some(target.deviation),
            confusion,
            calibration,
            calibration_line,
            coverage: Vec::new(),
            doubts: Vec::new(),
            answers,
            truth,
        }
    }
}

impl Evaluation {
    /// The value of a figure; NaN if there is none.
    pub fn value(&self, metric: Metric) -> f64 {
        let found = self.figures.iter().find(|own| own.metric == metric);
        found.and_then(|own| own.value).unwrap_or(f64::NAN)
    }

    /// What rows are called.
    pub fn things(&self) -> &'static str {
        match self.shape {
            Shape::Series => "series",
            Shape::Images => "images",
            Shape::Table | Shape::Ratings => "rows",
        }
    }

    /// What to be careful about, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        let mut words = self.doubts.clone();
        if self.of_new_classes > 0 {
            words.push(format!(
                "Left out: {} {} of classes that training never saw. The model is wrong about every one of them.",
                self.of_new_classes,
                self.things()
            ));
        }
        if let Task::Classification { classes: 2 } = self.task
            && self.value(Metric::Sensitivity) == 0.0
            && self.confusion.get(1).is_some_and(|row| row.iter().sum::<usize>() > 0)
        {
            let class = self.classes.get(1).map_or("", String::as_str);
            words.push(match self.shape {
                Shape::Table | Shape::Ratings => format!(
                    "Not one row is said to be `{class}`. `--metric f1` or `--metric balanced-accuracy` of fit chooses a \
                     threshold with which some are; `--threshold` says one."
                ),
                Shape::Series | Shape::Images => format!(
                    "None of the {} is said to be `{class}`. `--threshold` says from which chance on they are.",
                    self.things()
                ),
            });
        }
        for own in self.coverage.iter().filter(|own| own.level == 0.9 && own.interval.1 < own.level) {
            words.push(format!(
                "Intervals at level 90 % hold only {:.1} % of these rows: they are not like those learned from.",
                100.0 * own.held
            ));
        }
        words
    }
}

/// Judges a model of ratings on ratings; whoever it does not know is answered by averages, as when predicting.
fn rated(model: &Model, data: &Data, run: &Run) -> Result<Evaluation> {
    let (rating, new) = (model.rating()?, data.ratings()?);
    let find = |own: crate::data::ratings::Rating| {
        let (user, item) = (new.users.name(own.user), new.items.name(own.item));
        (rating.ratings.users.find(user), rating.ratings.items.find(item))
    };
    let pairs: Vec<(Option<u32>, Option<u32>)> = new.iter().map(find).collect();
    if pairs.is_empty() {
        return Err(Error::data("there is no rating to judge the model on"));
    }
    let truth: Vec<f64> = new.iter().map(|own| f64::from(own.value)).collect();
    let answers = run.compute(|| rating.rate_any(&pairs));
    let answers: Vec<f64> = answers.into_iter().map(f64::from).collect();
    let judge = Judge::of_numbers(&answers, &truth, &vec![1.0; truth.len()]);
    let figures = with_intervals(&judge, None, run);
    Ok(Evaluation {
        shape: Shape::Ratings,
        target: "rating".into(),
        task: Task::Regression,
        classes: Vec::new(),
        rows: truth.len(),
        without_truth: 0,
        of_new_classes: 0,
        groups: None,
        threshold: None,
        figures,
        deviation: None,
        confusion: Vec::new(),
        calibration: Vec::new(),
        calibration_line: CalibrationLine::of_numbers(&answers, &truth),
        coverage: Vec::new(),
        doubts: Vec::new(),
        answers,
        truth,
    })
}

/// Whether the truth of a row is one that the model can tell.
fn is_known(target: &TargetEncoder, column: &Column, row: usize) -> bool {
    match target.task {
        Task::Regression => true,
        Task::Classification { .. } => column.cell(row).is_some_and(|cell| target.levels.contains(&cell)),
    }
}

/// A number for the group of each row; a row without one is a group of its own.
pub(super) fn groups_of(column: &Column, rows: &[usize]) -> Result<Vec<u32>> {
    let mut numbers = std::collections::BTreeMap::new();
    let mut number = |name: String| {
        let next = numbers.len() as u32;
        *numbers.entry(name).or_insert(next)
    };
    let names = rows.iter().map(|&row| column.cell(row).unwrap_or_else(|| format!("\u{0}{row}")));
    let groups: Vec<u32> = names.map(&mut number).collect();
    if numbers.len() < 2 {
        let what = format!("column `{}` has one value: all rows belong together", column.name);
        return Err(
            Error::setting("group", what).with_hint("name a column that tells persons or places apart")
        );
    }
    Ok(groups)
}

fn column_of(chances: &[f64], classes: usize, class: usize) -> Vec<f64> {
    chances.iter().skip(class).step_by(classes).copied().collect()
}

/// The calibration of the second of two classes, or of the most frequent ones.
fn calibrations(levels: &[String], chances: &[f64], truth: &[u32]) -> Vec<ClassCalibration> {
    let rows_of = |class: usize| truth.iter().filter(|own| **own as usize == class).count();
    let mut shown: Vec<usize> = if levels.len() == 2 { vec![1] } else { (0..levels.len()).collect() };
    shown.sort_by_key(|&class| std::cmp::Reverse(rows_of(class)));
    shown.truncate(MOST_CLASSES);
    let one = |class: usize| {
        let is_class: Vec<bool> = truth.iter().map(|own| *own as usize == class).collect();
        ClassCalibration::of(levels[class].clone(), &column_of(chances, levels.len(), class), &is_class)
    };
    shown.into_iter().map(one).collect()
}

/// All figures with what they are on rows drawn anew: whole groups, where rows belong together.
fn with_intervals(judge: &Judge<'_>, groups: Option<&[u32]>, run: &Run) -> Vec<Figure> {
    let own = judge.figures();
    let count = (MOST_DRAWN / judge.rows().max(1)).clamp(RESAMPLES.1, RESAMPLES.0);
    let units =
        groups.map_or(judge.rows(), |groups| groups.iter().map(|own| *own as usize + 1).max().unwrap_or(0));
    let drawn = |number: usize| -> Figures {
        let mut stream = Stream::new(run.seed(), "rows drawn anew", number as u64, 0);
        let mut times = vec![0.0_f64; units];
        (0..units).for_each(|_| times[stream.below(units)] += 1.0);
        let unit = |row: usize| groups.map_or(row, |groups| groups[row] as usize);
        let weights = judge.weights().iter().enumerate();
        judge.weighted(&weights.map(|(row, weight)| weight * times[unit(row)]).collect::<Vec<_>>())
    };
    let all: Vec<Figures> = run.compute(|| (0..count).into_par_iter().map(drawn).collect());
    let interval = |metric: Metric| {
        let mut values: Vec<f64> =
            all.iter().map(|own| figure(own, metric)).filter(|own| own.is_finite()).collect();
        values.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
        // Where it often does not exist, what is left says little.
        (values.len() * 10 >= count * 9 && judge.rows() > 1).then(|| (at(0.025), at(0.975)))
    };
    let figure = |(metric, value): (Metric, f64)| Figure {
        metric,
        value: value.is_finite().then_some(value),
        interval: interval(metric).filter(|_| value.is_finite()),
    };
    own.into_iter().map(figure).collect()
}

/// What intervals or sets of the model hold at some levels; nothing where it has none.
fn coverage(answers: &Answers<'_>, found: &Evaluation) -> Vec<Coverage> {
    let of = |level: f64| {
        let (held, size) = match found.task {
            Task::Regression => {
                let intervals = answers.intervals(level)?;
                let inside = |((low, high), truth): (&(f64, f64), &f64)| (low..=high).contains(&truth);
                let held = intervals.iter().zip(&found.truth).filter(|pair| inside(*pair)).count();
                (held, intervals.iter().map(|(low, high)| high - low).sum::<f64>())
            }
            Task::Classification { classes } => {
                let sets = answers.sets(level)?;
                let rows = sets.chunks_exact(classes).zip(&found.truth);
                let held = rows.filter(|(set, truth)| set[**truth as usize]).count();
                (held, sets.iter().filter(|own| **own).count() as f64)
            }
        };
        let (held, interval) = share_of(held, found.rows);
        Some(Coverage { level, held, interval, size: size / found.rows as f64 })
    };
    LEVELS.iter().filter_map(|level| of(*level)).collect()
}
