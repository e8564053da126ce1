//! The one cross-validator: rows whose target is known, a method learned from some of them and judged on others.

use std::sync::{Arc, Mutex, PoisonError};

use super::folds::{Folds, folds};
use crate::data::Data;
use crate::encode::{Encoding, Rows, TargetEncoder, Targets};
use crate::error::Result;
use crate::methods::{FoldModel, Learned};
use crate::metrics::Score;
use crate::model::{Prepared, Recipe, Roles, fit_prepared, prepare};
use crate::run::Run;

/// Rows whose target is known, and what is predicted of them.
pub(super) struct Labelled {
    data: Data,
    inputs: Vec<String>,
    roles: Roles,
    /// The translation of the target.
    pub target: TargetEncoder,
    /// The targets as the rows are: class weights serve learning, not judging.
    pub truth: Targets,
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
    pub fn new(data: &Data, roles: &Roles, run: &Run) -> Result<Self> {
        let data = roles.labelled(data)?;
        let inputs = roles.inputs(&data)?;
        inputs.notes.into_iter().for_each(|note| run.note(note));
        let target = TargetEncoder::fit(&data, &roles.target, roles.task)?;
        let truth = target.encode(&data, roles.weight.as_deref(), Default::default())?;
        let (inputs, roles) = (inputs.names, roles.clone());
        Ok(Self { data, inputs, roles, target, truth, encoded: Mutex::default() })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.data.rows()
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Deals the rows into folds.
    pub fn folds(&self, count: usize, seed: u64) -> Folds {
        folds(&self.truth, count, seed)
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
        let mut prepared = prepare(&learning, &self.inputs, &self.roles, &self.target, recipe)?;
        let units = own_units(&mut prepared.targets.numbers);
        let rows = prepared.coder.encode(&self.data.select(held_out)?, |_, _| {})?;
        Ok(Split { prepared, units, rows, truth: self.truth.select(held_out) })
    }
}

/// Standardises numbers and says by what: what is learned from them has then seen nothing of the other rows, not even
/// the mean of their target.
fn own_units(numbers: &mut [f32]) -> (f64, f64) {
    if numbers.is_empty() {
        return (0.0, 1.0);
    }
    let count = numbers.len() as f64;
    let mean = numbers.iter().map(|y| f64::from(*y)).sum::<f64>() / count;
    let variance = numbers.iter().map(|y| (f64::from(*y) - mean).powi(2)).sum::<f64>() / count;
    let deviation = if variance > 0.0 { variance.sqrt() } else { 1.0 };
    numbers.iter_mut().for_each(|y| *y = ((f64::from(*y) - mean) / deviation) as f32);
    (mean, deviation)
}

impl Split {
    /// Learns from the one part.
    pub fn fit(&self, recipe: &Recipe, run: &Run) -> Result<FoldModel> {
        Ok(self.model(fit_prepared(&self.prepared, recipe, run)?))
    }

    /// What was learned from the one part, with its units.
    pub fn model(&self, learned: Box<dyn Learned>) -> FoldModel {
        let (shift, factor) = self.units;
        FoldModel { coder: self.prepared.coder.clone(), shift, factor, temperature: 1.0, learned }
    }

    /// `[rows, outputs]`: what a model answers for the other part.
    pub fn answers(&self, model: &FoldModel, run: &Run) -> Result<Vec<f64>> {
        run.compute(|| model.answer(&self.rows, self.truth.task))
    }

    /// Learns from the one part and predicts the other.
    pub fn predict(&self, recipe: &Recipe, run: &Run) -> Result<Vec<f64>> {
        self.answers(&self.fit(recipe, run)?, run)
    }

    /// Learns from the one part and is judged on the other.
    pub fn judge(&self, recipe: &Recipe, run: &Run) -> Result<HeldOut> {
        let predictions = self.predict(recipe, run)?;
        Ok(HeldOut { score: Score::of(&predictions, &self.truth), predictions })
    }
}
