//! The one cross-validator: rows whose target is known, a method learned from some of them and judged on others.

use std::sync::{Arc, Mutex, PoisonError};

use super::choosing::Division;
use crate::data::Data;
use crate::encode::{Encoding, Made, Rows, TargetEncoder, Targets, Task};
use crate::error::Result;
use crate::methods::Predictor;
use crate::methods::folds::{Folds, MOST_ROWS_COMPARED, Ties, own_units};
use crate::metrics::Score;
use crate::model::{Inputs, Prepared, Recipe, Roles, fit_prepared, prepare};
use crate::run::Run;

/// The inner holdout of a search is one of so many folds of the training part.
const INNER_FOLDS: usize = 5;

/// Rows whose target is known, and what is predicted of them.
pub(super) struct Labelled {
    data: Data,
    inputs: Inputs,
    roles: Roles,
    /// The translation of the target.
    pub target: TargetEncoder,
    /// The targets as the rows are: class weights serve learning, not judging.
    pub truth: Targets,
    /// Which of them belong together.
    pub ties: Ties,
    /// Parts that are encoded already, the latest last.
    encoded: Mutex<Vec<Remembered>>,
}

/// The name of a part, how it is encoded, and the part.
type Remembered = ((usize, usize), Encoding, Arc<Split>);

/// Some rows to learn from and others to be judged on, encoded for a method.
pub(super) struct Split {
    /// What is learned from.
    pub prepared: Prepared,
    /// Mean and standard deviation of the numbers that are learned from, in units of all rows; 0 and 1 for classes.
    pub units: (f64, f64),
    /// The rows that are held out.
    pub rows: Rows,
    /// Their targets.
    pub truth: Targets,
}

/// How a method did on held-out rows.
pub(super) struct HeldOut {
    /// How near it came.
    pub score: Score,
    /// `[rows, outputs]` in model units.
    pub predictions: Vec<f64>,
}

impl Labelled {
    /// Finds rows, inputs and target; tells which columns are left out and why.
    pub fn new(data: &Data, roles: &Roles, division: &Division, run: &Run) -> Result<Self> {
        let (roles, ties) = (division.roles(roles), division.ties(data, roles)?);
        let data = roles.labelled(data)?;
        let inputs = roles.inputs(&data)?;
        inputs.notes.iter().for_each(|note| run.note(note.clone()));
        let target = roles.target_of(&data)?;
        let truth = target.encode(&data, roles.weight.as_deref(), Default::default())?;
        Ok(Self { data, inputs, roles, target, truth, ties, encoded: Mutex::default() })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.data.rows()
    }

    /// Columns that are no inputs and why, and what inputs are made of.
    pub fn notes(&self) -> &[String] {
        &self.inputs.notes
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.inputs.names.len() + self.inputs.made.iter().flat_map(Made::names).count()
    }

    /// Deals the rows into folds.
    pub fn folds(&self, count: usize, seed: u64) -> Folds {
        self.ties.deal(&self.truth, count, MOST_ROWS_COMPARED, seed)
    }

    /// The loss of a recipe on a holdout of the training rows, learned from the rest of them.
    pub fn inner_loss(&self, recipe: &Recipe, training: &[usize], run: &Run) -> Result<f64> {
        let (ties, truth) = (self.ties.select(training), self.truth.select(training));
        let inner = ties.deal(&truth, INNER_FOLDS, MOST_ROWS_COMPARED, run.seed());
        let rows = |places: &[usize]| places.iter().map(|&place| training[place]).collect::<Vec<_>>();
        // Where folds follow each other, the last learns from most.
        let fold = if inner.first.is_some() { inner.held_out.len().saturating_sub(1) } else { 0 };
        let split = self.encode(&rows(&inner.training(fold)), &rows(&inner.held_out[fold]), recipe)?;
        Ok(split.judge(recipe, run)?.score.loss())
    }

    /// All rows, in an encoding.
    pub fn prepare(&self, encoding: Encoding) -> Result<Prepared> {
        prepare(&self.data, &self.inputs, &self.roles, &self.target, encoding)
    }

    /// A part encoded for a recipe. Recipes that ask for the same encoding share it; of other parts than the named
    /// ones `keep` are remembered at most.
    pub fn split(
        &self,
        name: (usize, usize),
        keep: usize,
        (training, held_out): (&[usize], &[usize]),
        recipe: &Recipe,
    ) -> Result<Arc<Split>> {
        let encoding = recipe.method.encoding(&recipe.settings)?;
        let mut encoded = self.encoded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, split)) = encoded.iter().find(|(own, kind, _)| (*own, *kind) == (name, encoding)) {
            return Ok(Arc::clone(split));
        }
        let split = Arc::new(self.encode(training, held_out, recipe)?);
        encoded.push((name, encoding, Arc::clone(&split)));
        while encoded.iter().filter(|(own, _, _)| *own != name).count() > keep {
            encoded.remove(0);
        }
        Ok(split)
    }

    /// Some rows to learn from and others to be judged on.
    pub fn encode(&self, training: &[usize], held_out: &[usize], recipe: &Recipe) -> Result<Split> {
        let learning = self.data.select(training)?;
        let encoding = recipe.method.encoding(&recipe.settings)?;
        let mut prepared = prepare(&learning, &self.inputs, &self.roles, &self.target, encoding)?;
        let units = own_units(&mut prepared.targets.numbers);
        let rows = prepared.coder.encode(&self.data.select(held_out)?, |_, _| {})?;
        Ok(Split { prepared, units, rows, truth: self.truth.select(held_out) })
    }
}

impl Split {
    /// Learns from the one part and predicts the other, in units of all rows.
    fn predict(&self, recipe: &Recipe, run: &Run) -> Result<Vec<f64>> {
        let learned = fit_prepared(&self.prepared, recipe, run)?;
        let predict = |predictor: &dyn Predictor| run.compute(|| predictor.predict(&self.rows));
        let mut answers = learned.predictor().map_or(Ok(Vec::new()), predict)?;
        if self.truth.task == Task::Regression {
            let (shift, factor) = self.units;
            answers.iter_mut().for_each(|answer| *answer = shift + factor * *answer);
        }
        Ok(answers)
    }

    /// Learns from the one part and is judged on the other.
    pub fn judge(&self, recipe: &Recipe, run: &Run) -> Result<HeldOut> {
        let predictions = self.predict(recipe, run)?;
        Ok(HeldOut { score: Score::of(&predictions, &self.truth), predictions })
    }
}
