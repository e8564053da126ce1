//! The models of a cross-validation as one: each was learned without a fold of the rows, and what is answered is their
//! mean. So the model that is shipped is made of the very models that were measured.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Layout, Learned, Method, Predictor};
use crate::encode::{Coder, Encoder, Rows, Task};
use crate::error::{Error, Result};
use crate::store::Arrays;

/// The array that tells such a model from one that was learned at once.
const FOLDS: &str = "folds";
/// Chances below this count as this much before they are sharpened or softened.
const SMALLEST_CHANCE: f64 = 1e-12;

/// A model that was learned without one fold, in units of its own.
pub struct FoldModel {
    /// The translation of inputs, learned from the rows that the model learned from.
    pub coder: Coder,
    /// Mean of the target that it learned from, in units of all rows' target; 0 for classes.
    pub shift: f64,
    /// Standard deviation of that target, in the same units; 1 for classes.
    pub factor: f64,
    /// Its chances are taken to the power of 1 / temperature; 1 leaves them.
    pub temperature: f64,
    /// What was learned.
    pub learned: Box<dyn Learned>,
}

/// The mean of fold models.
pub struct FoldModels {
    /// The translation that rows come in.
    common: Coder,
    task: Task,
    folds: Vec<FoldModel>,
}

/// What a file says of a fold beside its arrays.
#[derive(Serialize, Deserialize)]
struct Kept {
    coder: Value,
    shift: f64,
    factor: f64,
    temperature: f64,
}

impl FoldModel {
    /// `[rows, outputs]` for rows of the model's own translation, in units of all rows.
    ///
    /// # Errors
    /// When the rows are of a shape that was not learned.
    pub fn answer(&self, rows: &Rows, task: Task) -> Result<Vec<f64>> {
        let predict = |predictor: &dyn Predictor| predictor.predict(rows);
        let mut answers = self.learned.predictor().map_or(Ok(Vec::new()), predict)?;
        match task {
            Task::Regression => {
                answers.iter_mut().for_each(|answer| *answer = self.shift + self.factor * *answer);
            }
            Task::Classification { classes } => tempered(&mut answers, classes, self.temperature),
        }
        Ok(answers)
    }
}

impl FoldModels {
    /// Models of a target, for rows that `common` translates.
    pub fn new(common: Coder, task: Task, folds: Vec<FoldModel>) -> Self {
        Self { common, task, folds }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.folds.len()
    }

    /// Puts the models together again; `None` where the arrays are those of one model.
    ///
    /// # Errors
    /// When arrays are missing or of another shape than settings and layout say.
    pub fn load(
        method: &dyn Method,
        settings: &Value,
        layout: Layout<'_>,
        arrays: &Arrays,
    ) -> Result<Option<Self>> {
        if arrays.shape(FOLDS).is_none() {
            return Ok(None);
        }
        let damaged = |what: String| Error::damaged(format!("its fold models can't be read: {what}"));
        let kept: Vec<Kept> =
            serde_json::from_slice(arrays.bytes(FOLDS)?).map_err(|error| damaged(error.to_string()))?;
        let (common, task) = layout.predicting()?;
        let mut folds = Vec::new();
        for (place, Kept { coder, shift, factor, temperature }) in kept.into_iter().enumerate() {
            let encoder: Encoder =
                serde_json::from_value(coder).map_err(|error| damaged(error.to_string()))?;
            encoder.check_part()?;
            let alike = encoder.numbers.len() == common.numbers.len() && encoder.encoding == common.encoding;
            if !alike || !encoder.names().eq(common.names()) {
                return Err(damaged("they are of other columns".into()));
            }
            let coder = Coder::Table(encoder);
            let own = Layout { coder: &coder, task: layout.task };
            let learned = method.load(settings, own, &arrays.with_prefix(&prefix(place)))?;
            if !(temperature > 0.0 && temperature.is_finite() && shift.is_finite() && factor.is_finite()) {
                return Err(damaged("their units make no sense".into()));
            }
            folds.push(FoldModel { coder, shift, factor, temperature, learned });
        }
        if folds.is_empty() {
            return Err(damaged("there is none".into()));
        }
        Ok(Some(Self::new(layout.coder.clone(), task, folds)))
    }

    /// What each model answers for rows of the common translation: `each` is told the model's place, its answers
    /// `[rows, outputs]` in units of all rows, and the rows in its own translation.
    ///
    /// # Errors
    /// When the rows are of a shape that was not learned.
    pub fn answers(&self, rows: &Rows, mut each: impl FnMut(usize, Vec<f64>, &Rows)) -> Result<()> {
        for (place, fold) in self.folds.iter().enumerate() {
            let own = Rows::Table(fold.coder.table()?.recode(self.common.table()?, rows.table()?));
            each(place, fold.answer(&own, self.task)?, &own);
        }
        Ok(())
    }
}

/// Takes each row's chances to the power of 1 / temperature, so that they add up to 1 again (Guo et al. 2017: softmax
/// of logits over the temperature).
pub fn tempered(chances: &mut [f64], classes: usize, temperature: f64) {
    if temperature == 1.0 {
        return;
    }
    for row in chances.chunks_exact_mut(classes) {
        row.iter_mut().for_each(|chance| *chance = chance.max(SMALLEST_CHANCE).powf(1.0 / temperature));
        let total: f64 = row.iter().sum();
        row.iter_mut().for_each(|chance| *chance /= total);
    }
}

/// Before the names of a fold's arrays.
fn prefix(place: usize) -> String {
    format!("fold {place}/")
}

impl Learned for FoldModels {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let mut kept = Vec::new();
        for (place, fold) in self.folds.iter().enumerate() {
            arrays.put_all(&prefix(place), fold.learned.save());
            // The translation of a table is plain data: turning it into JSON can't fail, and it has no arrays.
            let coder = fold.coder.save().map(|(words, _)| words).unwrap_or_default();
            let FoldModel { shift, factor, temperature, .. } = *fold;
            kept.push(Kept { coder, shift, factor, temperature });
        }
        arrays.put_bytes(FOLDS, serde_json::to_vec(&kept).unwrap_or_default());
        arrays
    }

    /// What the models say of their fits, on average.
    fn summary(&self) -> Value {
        let all: Vec<Value> = self.folds.iter().map(|fold| fold.learned.summary()).collect();
        let mut summary = together(&all);
        if let (Some(own), true) = (summary.as_object_mut(), all.len() > 1) {
            own.insert("fold models".into(), json!(all.len()));
        }
        summary
    }

    fn predictor(&self) -> Option<&dyn Predictor> {
        Some(self)
    }

    fn fold_models(&self) -> Option<&FoldModels> {
        Some(self)
    }
}

impl Predictor for FoldModels {
    fn predict(&self, rows: &Rows) -> Result<Vec<f64>> {
        let mut mean = vec![0.0; rows.len() * self.task.outputs()];
        let share = 1.0 / self.folds.len() as f64;
        self.answers(rows, |_, answers, _| {
            mean.iter_mut().zip(answers).for_each(|(mean, answer)| *mean += share * answer);
        })?;
        Ok(mean)
    }
}

/// What models say of their fits as one: numbers as their mean, lists one after the other.
fn together(all: &[Value]) -> Value {
    let Some(Value::Object(first)) = all.first() else { return Value::Null };
    let mut summary = Map::new();
    for (name, value) in first {
        let own: Vec<&Value> = all.iter().filter_map(|one| one.get(name)).collect();
        let joined = match value {
            Value::Array(_) => {
                Value::Array(own.iter().filter_map(|v| v.as_array()).flatten().cloned().collect())
            }
            _ => mean_of(&own),
        };
        summary.insert(name.clone(), joined);
    }
    Value::Object(summary)
}

/// Numbers as their mean, lists place by place, objects name by name over those that have the name; of anything else
/// the first.
fn mean_of(values: &[&Value]) -> Value {
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.as_f64()).collect();
    match (values, numbers) {
        ([], _) => Value::Null,
        ([first, rest @ ..], _) if rest.iter().all(|other| other == first) => (*first).clone(),
        (_, Some(numbers)) => json!(numbers.iter().sum::<f64>() / numbers.len() as f64),
        ([Value::Array(first), ..], _) => {
            let at = |place: usize| {
                mean_of(&values.iter().filter_map(|value| value.get(place)).collect::<Vec<_>>())
            };
            Value::Array((0..first.len()).map(at).collect())
        }
        ([Value::Object(first), rest @ ..], _) => {
            let mut names: Vec<&String> = first.keys().collect();
            let later = rest.iter().filter_map(|value| value.as_object()).flat_map(Map::keys);
            later.for_each(|name| {
                if !names.contains(&name) {
                    names.push(name);
                }
            });
            let of = |name: &String| {
                mean_of(&values.iter().filter_map(|value| value.get(name)).collect::<Vec<_>>())
            };
            Value::Object(names.into_iter().map(|name| (name.clone(), of(name))).collect())
        }
        ([first, ..], _) => (*first).clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_averaged_name_by_name() {
        let one = json!({ "strength": 1.0, "rounds": [3, 4], "coefficients": { "a": 1.0, "b": [1.0, 2.0] }, "k": 2 });
        let coefficients = json!({ "a": 2.0, "b": [2.0, 4.0], "c": 4.0 });
        let two = json!({ "strength": 3.0, "rounds": [5], "coefficients": coefficients, "k": 2 });
        let both = together(&[one, two]);
        assert_eq!(both["strength"], json!(2.0));
        assert_eq!(both["rounds"], json!([3, 4, 5]));
        assert_eq!(both["coefficients"], json!({ "a": 1.5, "b": [1.5, 3.0], "c": 4.0 }));
        assert_eq!(both["k"], json!(2));
    }

    #[test]
    fn a_temperature_softens_or_sharpens() {
        let mut soft = [0.9, 0.1, 0.5, 0.5];
        tempered(&mut soft, 2, 2.0);
        assert!((soft[0] - 0.75).abs() < 1e-12 && (soft[0] + soft[1] - 1.0).abs() < 1e-12);
        assert_eq!(soft[2..], [0.5, 0.5]);
        let mut sharp = [0.75, 0.25];
        tempered(&mut sharp, 2, 0.5);
        assert!((sharp[0] - 0.9).abs() < 1e-12, "{sharp:?}");
    }
}
