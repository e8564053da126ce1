//! The fit: questions, and a model from their answers.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use super::columns::{ColumnSums, Columns};
use super::part::{About, Answer, Kept, Question, ScaledSums, SpreadSums};
use crate::data::{Kind, MissingTokens};
use crate::encode::column::{CategoryFeature, NumberFeature};
use crate::encode::{Coder, Encoder, Encoding, Scale, TargetEncoder, Task, Wide};
use crate::error::{Error, Result};
use crate::linalg::ExactSums;
use crate::methods::{Layout, Recipe, gaussian, linear, mean};
use crate::model::parts::{Fill, Limits, Part, Prediction, Summary};
use crate::model::roles::Roles;
use crate::model::whole::Model;
use crate::run::Run;
use crate::store::Arrays;

/// What a model of sums is for.
#[derive(Debug, Clone, PartialEq)]
pub enum SumAim {
    /// Predict a column of numbers.
    Predict(String),
    /// Fill holes.
    Fill,
}

/// Whoever asks all parts and gives their answers, in any order.
type Ask<'a> = &'a dyn Fn(&Question) -> Result<Vec<Answer>>;

/// Asks, and adds the answers up.
struct Asker<'a> {
    target: Option<String>,
    ask: Ask<'a>,
}

impl Asker<'_> {
    fn all(&self, about: About) -> Result<Vec<Answer>> {
        (self.ask)(&Question { target: self.target.clone(), about })
    }

    fn sum(&self, about: About) -> Result<Answer> {
        let mut answers = self.all(about)?.into_iter();
        let none = || Error::data("there are no rows to learn from");
        let mut sum = answers.next().ok_or_else(none)?;
        answers.try_for_each(|answer| sum.join(answer))?;
        Ok(sum)
    }

    fn products(&self, about: About) -> Result<ExactSums> {
        match self.sum(about)? {
            Answer::Products(sums) => Ok(sums),
            _ => Err(other_answer()),
        }
    }
}

fn other_answer() -> Error {
    Error::data("a part of the rows answers another question than was asked")
}

/// Fits a method whose fit is a sum over rows. `ask` puts a question to every part of the rows and gives the answers;
/// to the first question, in the order of the parts.
///
/// # Errors
/// When the method's fit is no sum over rows, or an answer can't be had.
pub fn fit_sums(aim: &SumAim, recipe: &Recipe, ignored: &[String], run: &Run, ask: Ask<'_>) -> Result<Model> {
    let name = recipe.method.name();
    let fits = match aim {
        SumAim::Predict(_) => name == "linear",
        SumAim::Fill => matches!(name, "mean" | "gaussian"),
    };
    if !fits {
        return Err(Error::method(name, "its fit is no sum over rows")
            .with_hint("`linear` predicts numbers, `mean` and `gaussian` fill, from rows in parts"));
    }
    let target = match aim {
        SumAim::Predict(target) => Some(target.clone()),
        SumAim::Fill => None,
    };
    let asker = Asker { target, ask };
    let (columns, starts) = looked(&asker)?;
    let seen = Seen::of(&columns, asker.target.as_deref(), ignored)?;
    let encoding = recipe.method.encoding(&recipe.settings)?;
    let kept = (name == "mean").then(|| Kept { seed: run.seed(), starts });
    let (encoder, spread, scaled) = seen.encoder(&asker, &columns, encoding, kept)?;
    let rows = columns.rows;
    let mut target_encoder = None;
    let arrays = match aim {
        SumAim::Predict(_) => {
            let target = seen.target(&columns, &spread)?;
            let mean_known = (scaled.known as f64 / rows.max(1) as f64).max(1.0);
            let settings = recipe.settings.clone();
            let (_, k) = linear::design(&settings, &encoder, mean_known)?;
            let (inputs, own) = (encoder.clone(), target.clone());
            let sums =
                asker.products(About::Products { encoder: inputs, target: own, settings, mean_known })?;
            target_encoder = Some(target);
            linear::arrays_of_sums(&recipe.settings, &sums, k)?
        }
        SumAim::Fill if name == "mean" => {
            let kept = encoder.numbers.iter().map(|feature| {
                let values = spread.kept.get(&feature.name).into_iter().flatten();
                let mut kept: Vec<f32> =
                    values.map(|(_, value)| feature.scaled(encoder.encoding.scale, *value)).collect();
                kept.sort_unstable_by(f32::total_cmp);
                kept
            });
            mean::arrays_of_means(&recipe.settings, &encoder, kept.collect())?
        }
        SumAim::Fill => rounds(&asker, &encoder, recipe, run)?,
    };
    let cells = (rows * encoder.width()).max(1) as f64;
    seen.model(recipe, encoder, target_encoder, &arrays, |summary| Summary {
        rows,
        rows_without_target: columns.without_target,
        missing_share: 1.0 - scaled.known as f64 / cells,
        seed: run.seed(),
        notes: vec!["Fitted from sums over parts of the rows.".into()],
        method: summary,
        ..Summary::default()
    })
}

/// What the columns hold, and where each part begins.
fn looked(asker: &Asker<'_>) -> Result<(Columns, Vec<u64>)> {
    let (mut all, mut starts, mut start) = (None::<Columns>, Vec::new(), 0);
    for answer in asker.all(About::Columns)? {
        let Answer::Columns(columns) = answer else { return Err(other_answer()) };
        starts.push(start);
        start += columns.rows as u64;
        match &mut all {
            Some(all) => all.join(columns)?,
            None => all = Some(columns),
        }
    }
    let columns = all.filter(|all| all.rows > 0);
    Ok((columns.ok_or_else(|| Error::data("there are no rows to learn from"))?, starts))
}

/// The rounds of expectation-maximisation, each of which asks all parts.
fn rounds(asker: &Asker<'_>, encoder: &Encoder, recipe: &Recipe, run: &Run) -> Result<Arrays> {
    let columns = Wide::new(encoder).columns();
    let fault = RefCell::new(None);
    let arrays = gaussian::arrays_of_sums(
        &recipe.settings,
        columns,
        |normal| {
            let (mean, covariance) = normal.parts();
            let (mean, covariance) = (mean.to_vec(), covariance.to_vec());
            let about = About::Expected { encoder: encoder.clone(), mean, covariance };
            asker.products(about).unwrap_or_else(|error| {
                fault.borrow_mut().get_or_insert(error);
                run.stop_switch().store(true, Ordering::Relaxed);
                ExactSums::new(columns)
            })
        },
        run,
    )?;
    match fault.into_inner() {
        Some(error) => Err(error),
        None if run.stopped() => Err(Error::Stopped),
        None => Ok(arrays),
    }
}

/// Which columns play which part.
struct Seen {
    inputs: Vec<String>,
    unfillable: BTreeMap<String, String>,
    ignored: Vec<String>,
    target: Option<String>,
}

impl Seen {
    fn of(columns: &Columns, target: Option<&str>, ignored: &[String]) -> Result<Self> {
        for name in ignored.iter().map(String::as_str).chain(target) {
            if !columns.columns.iter().any(|column| column.name == name) {
                return Err(Error::data(format!("there is no column `{name}`")));
            }
        }
        let (mut inputs, mut unfillable) = (Vec::new(), BTreeMap::new());
        let others = columns.columns.iter().filter(|own| !ignored.contains(&own.name));
        for column in others.filter(|own| target != Some(own.name.as_str())) {
            match column.reason() {
                Some(reason) => drop(unfillable.insert(column.name.clone(), reason.to_owned())),
                None if target.is_some() && column.is_constant(columns.rows) => {}
                None => inputs.push(column.name.clone()),
            }
        }
        if inputs.is_empty() {
            return Err(Error::data("there is no column with a known number or category to learn from"));
        }
        Ok(Self { inputs, unfillable, ignored: ignored.to_vec(), target: target.map(str::to_owned) })
    }

    /// The translation of the inputs, in two more questions.
    fn encoder(
        &self,
        asker: &Asker<'_>,
        columns: &Columns,
        encoding: Encoding,
        kept: Option<Kept>,
    ) -> Result<(Encoder, SpreadSums, ScaledSums)> {
        let number = |column: &&ColumnSums| matches!(column.kind(), Kind::Integer | Kind::Real);
        let wanted = |column: &&ColumnSums| {
            self.inputs.contains(&column.name) || self.target.as_ref() == Some(&column.name)
        };
        let numbers = || columns.columns.iter().filter(wanted).filter(number);
        let mean = |column: &ColumnSums| column.sum.value() / column.known.max(1) as f64;
        let means = numbers().map(|column| (column.name.clone(), mean(column))).collect();
        let Answer::Spread(spread) = asker.sum(About::Spread { means, kept })? else {
            return Err(other_answer());
        };
        let mut encoder = Encoder { encoding, numbers: Vec::new(), categories: Vec::new(), made: Vec::new() };
        for column in columns.columns.iter().filter(|column| self.inputs.contains(&column.name)) {
            let missing = columns.rows - column.known;
            if number(&column) {
                let (center, width) = match encoding.scale {
                    Scale::MinMax => (column.low(), column.high() - column.low()),
                    _ => (mean(column), deviation(column, &spread)),
                };
                let width = if width > 0.0 && width.is_finite() { width } else { 1.0 };
                encoder.numbers.push(NumberFeature {
                    name: column.name.clone(),
                    kind: column.kind(),
                    center,
                    width,
                    low: column.low(),
                    high: column.high(),
                    limits: None,
                    mean: 0.0,
                    missing,
                    decimals: column.decimals.filter(|_| column.kind() == Kind::Real),
                });
            } else {
                let (levels, counts): (Vec<String>, Vec<usize>) = column.words.clone().into_iter().unzip();
                let counts: Vec<usize> = counts.into_iter().chain([0]).collect();
                let name = (column.name.clone(), column.kind());
                let most = encoding.most_levels;
                encoder.categories.push(CategoryFeature::of_counts(
                    name,
                    &levels,
                    &counts,
                    most,
                    columns.rows,
                ));
            }
        }
        let Answer::Scaled(scaled) = asker.sum(About::Scaled(encoder.clone()))? else {
            return Err(other_answer());
        };
        for (feature, sum) in encoder.numbers.iter_mut().zip(&scaled.sums) {
            feature.mean = (sum.value() / (columns.rows - feature.missing).max(1) as f64) as f32;
        }
        Ok((encoder, spread, scaled))
    }

    /// The translation of the target.
    fn target(&self, columns: &Columns, spread: &SpreadSums) -> Result<TargetEncoder> {
        let column = columns.columns.iter().find(|own| self.target.as_ref() == Some(&own.name));
        let column = column.ok_or_else(other_answer)?;
        let kind = column.kind();
        if !matches!(kind, Kind::Integer | Kind::Real) {
            let what = format!(
                "the target `{}` holds classes: a logistic regression is no sum over rows",
                column.name
            );
            return Err(Error::method("linear", what).with_hint("fit it on one machine, or predict a number"));
        }
        if column.low() == column.high() {
            return Err(Error::data(format!("the target `{}` has the same value in every row", column.name)));
        }
        Ok(TargetEncoder {
            name: column.name.clone(),
            kind,
            task: Task::Regression,
            levels: Vec::new(),
            mean: column.sum.value() / column.known as f64,
            deviation: deviation(column, spread).max(f64::MIN_POSITIVE),
            low: column.low(),
            high: column.high(),
        })
    }

    fn model(
        self,
        recipe: &Recipe,
        encoder: Encoder,
        target: Option<TargetEncoder>,
        arrays: &Arrays,
        summary: impl FnOnce(serde_json::Value) -> Summary,
    ) -> Result<Model> {
        let coder = Coder::Table(encoder);
        let task = target.as_ref().map(|target| target.task);
        let learned = recipe.method.load(&recipe.settings, Layout { coder: &coder, task }, arrays)?;
        let part = match target {
            Some(target) => {
                let roles = Roles { ignore: self.ignored, ..Roles::target(target.name.clone()) };
                Part::Predict(Box::new(Prediction {
                    roles,
                    target,
                    intervals: None,
                    sets: None,
                    patterns: None,
                    threshold: None,
                }))
            }
            None => Part::Fill(Fill {
                ignored: self.ignored,
                unfillable: self.unfillable,
                limits: Limits::default(),
                derived: Vec::new(),
                left: Vec::new(),
                groups: None,
            }),
        };
        let summary = summary(learned.summary());
        Ok(Model { recipe: recipe.clone(), coder, part, missing: MissingTokens::default(), summary, learned })
    }
}

fn deviation(column: &ColumnSums, spread: &SpreadSums) -> f64 {
    let squares = spread.squares.get(&column.name).map_or(0.0, |sum| sum.value());
    (squares / column.known.max(1) as f64).sqrt()
}
