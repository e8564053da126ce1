//! The two fitted parts, and the way of a row through them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::data::Shape;
use crate::encode::{Coder, Encoder, Rows, Targets, Task, Written};
use crate::error::{Error, Result};
use crate::methods::{Draw, Examples, Job, Layout, Learned, Predictor, Recipe, find};
use crate::onnx::{Graph, Symbol};
use crate::run::Run;
use crate::store::Arrays;

/// A part as its file tells it.
#[derive(Serialize, Deserialize)]
struct Kept {
    imputer: (String, Value),
    predictor: (String, Value),
    /// The predictor's translation of columns; none for images.
    encoder: Option<Encoder>,
    /// Which inputs were known in any row, numbers first; none for images.
    known: Vec<bool>,
}

/// An imputer and a predictor of rows that it filled.
pub struct Fitted {
    pub(super) imputer: (Recipe, Box<dyn Learned>),
    pub(super) predictor: (Recipe, Box<dyn Learned>),
    /// The translation that rows come in.
    pub(super) common: Coder,
    /// The predictor's own.
    pub(super) own: Coder,
    pub(super) known: Vec<bool>,
    pub(super) draws: usize,
    outputs: usize,
}

impl Fitted {
    /// Learns to fill, fills, and learns to predict.
    ///
    /// # Errors
    /// When either can't learn from the rows, or the run was stopped.
    pub fn fit(
        (fills, predicts): (Recipe, Recipe),
        draws: usize,
        examples: Examples<'_>,
        run: &Run,
    ) -> Result<Self> {
        let (common, rows, targets) = taken_apart(examples)?;
        let inputs = Examples::new(&common, &rows, None)?;
        let mut imputer = fills.method.fit(&fills.settings, inputs, &run.part("imputer"))?;
        if draws > 0 {
            imputer.prepare_draws(draws, inputs, &run.part("draws"))?;
        }
        let known = known_inputs(&rows);
        let mut filled = Vec::new();
        fill_by_draws(&*imputer, &rows, &known, &numbers(draws), |own| {
            filled.push(own);
            Ok(())
        })?;
        let (filled, targets) = (one_below_the_other(&rows, filled)?, repeated(&targets, draws.max(1)));
        let own = match (&common, &filled) {
            (Coder::Table(encoder), Rows::Table(filled)) => {
                let encoding = predicts.method.encoding(&predicts.settings)?;
                Coder::Table(encoder.learned_from(filled, encoding))
            }
            _ => common.clone(),
        };
        let filled = in_units_of(&own, &common, filled)?;
        let learning = Examples::new(&own, &filled, Some(&targets))?;
        let predictor = predicts.method.fit(&predicts.settings, learning, &run.part("predictor"))?;
        let outputs = targets.task.outputs();
        Ok(Self {
            imputer: (fills, imputer),
            predictor: (predicts, predictor),
            common,
            own,
            known,
            draws,
            outputs,
        })
    }

    /// Puts both together again from a file's arrays.
    ///
    /// # Errors
    /// When arrays are missing or damaged.
    pub fn load(draws: usize, layout: Layout<'_>, arrays: &Arrays) -> Result<Self> {
        let damaged = |what: &str| Error::damaged(format!("its parts can't be read: {what}"));
        let kept: Kept =
            serde_json::from_slice(arrays.bytes("parts")?).map_err(|error| damaged(&error.to_string()))?;
        let shape = layout.coder.shape();
        let own = match (&kept.encoder, layout.coder) {
            (Some(encoder), Coder::Table(common)) => {
                encoder.check_part()?;
                let same =
                    encoder.numbers.len() == common.numbers.len() && encoder.names().eq(common.names());
                if !same || kept.known.len() != common.width() {
                    return Err(damaged("they are of other columns"));
                }
                Coder::Table(encoder.clone())
            }
            (None, Coder::Images(_)) if kept.known.is_empty() => layout.coder.clone(),
            _ => return Err(damaged("they are of another shape")),
        };
        let part = |(name, settings): (String, Value), job: Job, layout: Layout<'_>, prefix: &str| {
            let recipe = Recipe { method: find(&name, shape, job)?, settings };
            let learned = recipe.method.load(&recipe.settings, layout, &arrays.with_prefix(prefix))?;
            Ok::<_, Error>((recipe, learned))
        };
        let imputer = part(kept.imputer, Job::Fill, Layout { task: None, ..layout }, "imputer/")?;
        let inner = Layout { coder: &own, task: layout.task };
        let predictor = part(kept.predictor, Job::Predict, inner, "predictor/")?;
        let outputs = layout.task.map_or(1, Task::outputs);
        let common = layout.coder.clone();
        Ok(Self { imputer, predictor, common, own, known: kept.known, draws, outputs })
    }
}

/// Rows with their translation and targets, whatever their shape.
fn taken_apart(examples: Examples<'_>) -> Result<(Coder, Rows, Targets)> {
    Ok(match examples.shape() {
        Shape::Images => {
            let (coder, rows, targets) = examples.told_images()?;
            (Coder::Images(coder.clone()), Rows::Images(rows.clone()), targets.clone())
        }
        _ => {
            let training = examples.training()?;
            let rows = Rows::Table(training.inputs.clone());
            (Coder::Table(training.encoder.clone()), rows, training.targets.clone())
        }
    })
}

/// The numbers of the draws; none for the best guess.
fn numbers(draws: usize) -> Vec<Option<u64>> {
    match draws {
        0 => vec![None],
        draws => (1..=draws as u64).map(Some).collect(),
    }
}

/// Which inputs of a table some row knows: of the others nothing can be filled in.
fn known_inputs(rows: &Rows) -> Vec<bool> {
    match rows {
        Rows::Table(cells) => rows.missing_by_input().iter().map(|missing| *missing < cells.rows).collect(),
        _ => Vec::new(),
    }
}

/// The rows without holes, draw after draw. Every row takes its draw from the same stream, so that its place changes
/// nothing.
fn fill_by_draws(
    imputer: &dyn Learned,
    rows: &Rows,
    known: &[bool],
    numbers: &[Option<u64>],
    mut take: impl FnMut(Rows) -> Result<()>,
) -> Result<()> {
    let draws: Vec<Option<Draw>> =
        numbers.iter().map(|number| number.map(|number| Draw::alike(0, number))).collect();
    let imputer = imputer.imputer().ok_or_else(|| Error::data("the method does not fill holes"))?;
    imputer.fill_by_draws(rows, &draws, &mut |filled| take(told(filled, known)))
}

/// Rows of which all that could be filled counts as known.
fn told(filled: Rows, known: &[bool]) -> Rows {
    match filled {
        Rows::Table(mut cells) => {
            let (numbers, _) = cells.widths();
            let (of_numbers, of_codes) = known.split_at(numbers.min(known.len()));
            for (marks, known) in
                [(&mut cells.numbers_observed, of_numbers), (&mut cells.codes_observed, of_codes)]
            {
                let lines = marks.chunks_exact_mut(known.len().max(1));
                lines.for_each(|line| line.iter_mut().zip(known).for_each(|(mark, known)| *mark |= known));
            }
            Rows::Table(cells)
        }
        Rows::Images(images) => Rows::Images(images.whole()),
        others @ (Rows::Ratings(_) | Rows::Series(_)) => others,
    }
}

/// All draws of some rows as one set of rows.
fn one_below_the_other(rows: &Rows, mut filled: Vec<Rows>) -> Result<Rows> {
    if filled.len() == 1 {
        return Ok(filled.swap_remove(0));
    }
    let count = rows.len();
    let everyone: Vec<usize> = (0..filled.len()).flat_map(|_| 0..count).collect();
    let mut all = rows.select(&everyone)?;
    for (draw, own) in filled.iter().enumerate() {
        match (&mut all, own) {
            (Rows::Images(all), Rows::Images(own)) => {
                all.fill_from(&(draw * count..(draw + 1) * count).collect::<Vec<_>>(), own);
            }
            (all, own) => {
                let (all, own) = (all.table_mut()?, own.table()?);
                put(&mut all.numbers, &own.numbers, draw);
                put(&mut all.numbers_observed, &own.numbers_observed, draw);
                put(&mut all.codes, &own.codes, draw);
                put(&mut all.codes_observed, &own.codes_observed, draw);
            }
        }
    }
    Ok(match all {
        Rows::Images(images) => Rows::Images(images.whole()),
        other => other,
    })
}

/// Copies the cells of a draw to their place among those of all draws.
fn put<T: Copy>(all: &mut [T], own: &[T], draw: usize) {
    all[draw * own.len()..(draw + 1) * own.len()].copy_from_slice(own);
}

/// The targets of every row, so many times, each weighing as much less.
fn repeated(targets: &Targets, times: usize) -> Targets {
    Targets {
        task: targets.task,
        numbers: targets.numbers.repeat(times),
        classes: targets.classes.repeat(times),
        weights: targets.weights.repeat(times).iter().map(|weight| weight / times as f32).collect(),
    }
}

/// Rows of one translation in the units of another.
fn in_units_of(own: &Coder, common: &Coder, rows: Rows) -> Result<Rows> {
    match rows {
        Rows::Table(cells) => Ok(Rows::Table(own.table()?.recode(common.table()?, &cells))),
        others => Ok(others),
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let told = |(recipe, _): &(Recipe, Box<dyn Learned>)| {
            (recipe.method.name().to_owned(), recipe.settings.clone())
        };
        let kept = Kept {
            imputer: told(&self.imputer),
            predictor: told(&self.predictor),
            encoder: self.own.table().ok().cloned(),
            known: self.known.clone(),
        };
        // Plain data: turning it into JSON can't fail.
        arrays.put_bytes("parts", serde_json::to_vec(&kept).unwrap_or_default());
        arrays.put_all("imputer/", self.imputer.1.save());
        arrays.put_all("predictor/", self.predictor.1.save());
        arrays
    }

    fn summary(&self) -> Value {
        let ((fills, imputer), (predicts, predictor)) = (&self.imputer, &self.predictor);
        let (fills, predicts) = (fills.method.name(), predicts.method.name());
        let how = match self.draws {
            0 => "once".to_owned(),
            draws => format!("in {draws} ways, whose answers are averaged"),
        };
        json!({
            "imputer": { (fills): imputer.summary() },
            "predictor": { (predicts): predictor.summary() },
            "sentences": [format!("Holes are filled by `{fills}`, {how}; `{predicts}` predicts.")],
        })
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }
}

impl Predictor for Fitted {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        self.write_both(graph, rows)
    }

    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let numbers = numbers(self.draws);
        let mut mean = vec![0.0; rows.len() * self.outputs];
        fill_by_draws(&*self.imputer.1, rows, &self.known, &numbers, |filled| {
            let filled = in_units_of(&self.own, &self.common, filled)?;
            let answer = |predictor: &dyn Predictor| predictor.predict(&filled);
            let answers = self.predictor.1.predictor().map_or(Ok(Vec::new()), answer)?;
            mean.iter_mut().zip(answers).for_each(|(mean, answer)| *mean += answer / numbers.len() as f64);
            Ok(())
        })?;
        Ok(mean)
    }
}
