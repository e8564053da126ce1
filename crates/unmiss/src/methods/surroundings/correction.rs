//! How far a variable lies from the line, learned by a predictor of tables from what stands around it.

use serde::{Deserialize, Serialize};

use super::examples::Examples;
use crate::data::{Column, Kind, Table};
use crate::encode::{Coder, Encoder, Rows, Targets, Task};
use crate::error::{Error, Result};
use crate::methods::{self, Layout, Learned, Recipe};
use crate::run::Run;
use crate::store::Arrays;

/// The array with the translation of the numbers.
const ENCODER: &str = "encoder";
/// The usual distance is at least this share of the mean distance, where most values lie on the line.
const LEAST: f64 = 0.01;

/// A fitted correction.
pub struct Correction {
    inputs: Inputs,
    learned: Box<dyn Learned>,
}

/// How numbers around a cell become inputs, and the answer a distance.
#[derive(Serialize, Deserialize)]
struct Inputs {
    encoder: Encoder,
    /// The usual distance from the line.
    scale: f64,
}

impl Correction {
    /// Learns from examples, whose numbers have these names; none where all values lie on the line.
    ///
    /// # Errors
    /// When the predictor can't learn from them.
    pub fn fit(recipe: &Recipe, names: &[String], examples: &Examples, run: &Run) -> Result<Option<Self>> {
        let mut sizes: Vec<f64> = examples.offsets.iter().map(|offset| offset.abs()).collect();
        let mean = sizes.iter().sum::<f64>() / sizes.len().max(1) as f64;
        if mean == 0.0 || sizes.is_empty() {
            return Ok(None);
        }
        let middle = sizes.len() / 2;
        let scale = sizes.select_nth_unstable_by(middle, f64::total_cmp).1.max(LEAST * mean);
        let table = table(names, &examples.numbers)?;
        let known = table.columns().iter().filter(|column| column.missing() < column.rows());
        let known: Vec<String> = known.map(|column| column.name.clone()).collect();
        let encoder = Encoder::fit(&table, &known, recipe.method.encoding(&recipe.settings)?)?;
        let encoded = encoder.encode(&table, |_, _| {})?;
        let targets = Targets {
            task: Task::Regression,
            numbers: examples.offsets.iter().map(|offset| (offset / scale).asinh() as f32).collect(),
            classes: Vec::new(),
            weights: vec![1.0; examples.offsets.len()],
        };
        let rows = methods::Examples::Table { encoder: &encoder, rows: &encoded, targets: Some(&targets) };
        let learned = recipe.method.fit(&recipe.settings, rows, run)?;
        Ok(Some(Self { inputs: Inputs { encoder, scale }, learned }))
    }

    /// How far cells lie from the line, from the numbers around them.
    ///
    /// # Errors
    /// When the numbers are of another kind.
    pub fn offsets(&self, names: &[String], numbers: &[f32]) -> Result<Vec<f64>> {
        let rows = Rows::Table(self.inputs.encoder.encode(&table(names, numbers)?, |_, _| {})?);
        let not_one = || Error::setting("predictor", "it does not predict");
        let answers = self.learned.predictor().ok_or_else(not_one)?.predict(&rows)?;
        Ok(answers.into_iter().map(|answer| answer.sinh() * self.inputs.scale).collect())
    }

    /// Its arrays.
    pub fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        // Plain data: turning it into JSON can't fail.
        arrays.put_bytes(ENCODER, serde_json::to_vec(&self.inputs).unwrap_or_default());
        arrays.put_all("predictor/", self.learned.save());
        arrays
    }

    /// Puts it together again; none where there was none.
    ///
    /// # Errors
    /// When arrays are missing or contradict each other.
    pub fn load(recipe: &Recipe, arrays: &Arrays) -> Result<Option<Self>> {
        if arrays.is_empty() {
            return Ok(None);
        }
        let damaged = |what: String| Error::damaged(format!("what stands around its cells: {what}"));
        let Inputs { encoder, scale } =
            serde_json::from_slice(arrays.bytes(ENCODER)?).map_err(|error| damaged(error.to_string()))?;
        encoder.check_part()?;
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(damaged("a distance is none".into()));
        }
        let coder = Coder::Table(encoder);
        let layout = Layout { coder: &coder, task: Some(Task::Regression) };
        let learned = recipe.method.load(&recipe.settings, layout, &arrays.with_prefix("predictor/"))?;
        let Coder::Table(encoder) = coder else { return Err(Error::damaged("it is no table")) };
        Ok(Some(Self { inputs: Inputs { encoder, scale }, learned }))
    }
}

/// Numbers `[rows, names]` as a table.
fn table(names: &[String], numbers: &[f32]) -> Result<Table> {
    let column = |(place, name): (usize, &String)| {
        let own: Vec<f64> =
            numbers.iter().skip(place).step_by(names.len()).map(|own| f64::from(*own)).collect();
        Column::from_numbers(name, Kind::Real, &own)
    };
    Table::new(names.iter().enumerate().map(column).collect())
}
