//! The models of a cross-validation as one: each was learned without a fold of the rows, and what is answered is their
//! mean. So the model that is shipped is made of the very models that were measured.
//!
//! Without a fold k, one method learned or several did; of several, the answer is a weighted mean:
//!
//! ```text
//! f_k(x) = Σ_m w_km f_km(x) + w_k0 c_k        c_k: the mean of the target, or the share of each class
//! f(x)   = mean over k of f_k(x)
//! ```

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::splits::average;
use super::summary::together;
use super::temperature::tempered;
use crate::encode::{Coder, Encoder, Rows, Targets, Task, Written};
use crate::error::{Error, Result};
use crate::methods::{Exact, Layout, Learned, Predictor, Recipe};
use crate::onnx::{Graph, Symbol};
use crate::store::Arrays;

/// The array that tells such a model from one that was learned at once.
const FOLDS: &str = "folds";

/// What one method learned without a fold, in units of its own.
pub struct FoldPart {
    /// Which of the methods.
    pub member: usize,
    /// How much it counts among the methods.
    pub weight: f64,
    /// The translation of inputs, learned from the rows that the model learned from.
    pub coder: Arc<Coder>,
    /// Mean of the target that it learned from, in units of all rows' target; 0 for classes.
    pub shift: f64,
    /// Standard deviation of that target, in the same units; 1 for classes.
    pub factor: f64,
    /// The least and the largest target that it learned from, in units of its own: no answer goes beyond. One answer
    /// far out would spoil the mean with others.
    pub range: Option<(f64, f64)>,
    /// Its chances are taken to the power of 1 / temperature; 1 leaves them.
    pub temperature: f64,
    /// What was learned.
    pub learned: Box<dyn Learned>,
}

/// What was learned without a fold.
pub struct FoldModel {
    /// By each method.
    pub parts: Vec<FoldPart>,
    /// How much the answer of whoever knows nothing counts, and that answer `[outputs]`.
    pub constant: (f64, Vec<f64>),
    /// The chances of all together are taken to the power of 1 / temperature; 1 leaves them.
    pub temperature: f64,
}

/// The mean of fold models.
pub struct FoldModels {
    /// The translation that rows come in.
    common: Coder,
    task: Task,
    members: Vec<Recipe>,
    folds: Vec<FoldModel>,
}

impl FoldPart {
    /// `[rows, outputs]` for rows of the model's own translation, in units of all rows.
    ///
    /// # Errors
    /// When the rows are of a shape that was not learned.
    pub fn answer(&self, rows: &Rows, task: Task) -> Result<Vec<f64>> {
        let predict = |predictor: &dyn Predictor| predictor.predict(rows);
        let mut answers = self.learned.predictor().map_or(Ok(Vec::new()), predict)?;
        match task {
            Task::Regression => {
                let (low, high) = self.range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
                let inside = |answer: f64| answer.clamp(low, high);
                answers.iter_mut().for_each(|answer| *answer = self.shift + self.factor * inside(*answer));
            }
            Task::Classification { classes } => tempered(&mut answers, classes, self.temperature),
        }
        Ok(answers)
    }
}

impl FoldModel {
    /// The model that knows nothing of a row: the mean of targets.
    pub fn mean_of(targets: &Targets) -> Self {
        Self { parts: Vec::new(), constant: (1.0, average(targets)), temperature: 1.0 }
    }

    /// The model of one method alone.
    pub fn alone(part: FoldPart) -> Self {
        Self { parts: vec![part], constant: (0.0, Vec::new()), temperature: 1.0 }
    }

    /// `[rows, outputs]` for rows that `common` has made, in units of all rows, and the rows as the first method sees
    /// them.
    fn answer(&self, common: &Encoder, rows: &Rows, task: Task) -> Result<(Vec<f64>, Rows)> {
        let mut mean = vec![0.0; rows.len() * task.outputs()];
        let (share, constant) = &self.constant;
        if *share > 0.0 {
            let answers = mean.chunks_exact_mut(task.outputs());
            answers.for_each(|row| row.iter_mut().zip(constant).for_each(|(mean, own)| *mean = share * own));
        }
        // Methods that ask for the same encoding share the rows.
        let mut seen: Vec<(&Arc<Coder>, Rows)> = Vec::new();
        for part in &self.parts {
            let known = seen.iter().position(|(coder, _)| Arc::ptr_eq(coder, &part.coder));
            if known.is_none() {
                let own = part.coder.table()?.recode(common, rows.table()?);
                seen.push((&part.coder, Rows::Table(own)));
            }
            let (_, own) = &seen[known.unwrap_or(seen.len() - 1)];
            let answers = part.answer(own, task)?;
            mean.iter_mut().zip(answers).for_each(|(mean, answer)| *mean += part.weight * answer);
        }
        if let Task::Classification { classes } = task {
            tempered(&mut mean, classes, self.temperature);
        }
        let first = seen.into_iter().next().map(|(_, rows)| rows);
        Ok((mean, first.unwrap_or_else(|| rows.clone())))
    }
}

impl FoldModels {
    /// Models of a target by these methods, for rows that `common` translates.
    pub fn new(common: Coder, task: Task, members: Vec<Recipe>, folds: Vec<FoldModel>) -> Self {
        Self { common, task, members, folds }
    }

    /// The translation that rows come in.
    pub(super) fn common(&self) -> Result<&Encoder> {
        self.common.table()
    }

    /// What is predicted.
    pub(super) fn task(&self) -> Task {
        self.task
    }

    /// The models, fold by fold.
    pub(super) fn folds(&self) -> &[FoldModel] {
        &self.folds
    }

    /// The models themselves.
    pub fn into_models(self) -> Vec<FoldModel> {
        self.folds
    }

    /// How many folds there are.
    pub fn count(&self) -> usize {
        self.folds.len()
    }

    /// The methods with what each counts, on average over the folds.
    pub fn weights(&self) -> Vec<(&Recipe, f64)> {
        let share = 1.0 / self.folds.len().max(1) as f64;
        let mut weights: Vec<(&Recipe, f64)> = self.members.iter().map(|member| (member, 0.0)).collect();
        for part in self.folds.iter().flat_map(|fold| &fold.parts) {
            weights[part.member].1 += share * part.weight;
        }
        weights
    }

    /// What each model answers for rows of the common translation: `each` is told the model's place, its answers
    /// `[rows, outputs]` in units of all rows, and the rows in its own translation.
    ///
    /// # Errors
    /// When the rows are of a shape that was not learned.
    pub fn answers(&self, rows: &Rows, mut each: impl FnMut(usize, Vec<f64>, &Rows)) -> Result<()> {
        let common = self.common.table()?;
        let answer = |fold: &FoldModel| fold.answer(common, rows, self.task);
        let all: Vec<Result<(Vec<f64>, Rows)>> = self.folds.par_iter().map(answer).collect();
        for (place, answered) in all.into_iter().enumerate() {
            let (answers, own) = answered?;
            each(place, answers, &own);
        }
        Ok(())
    }
}

impl FoldModels {
    /// What the models of one fold answer for rows of the common translation, in units of all rows.
    ///
    /// # Errors
    /// When the rows are of a shape that was not learned.
    pub fn answer_of(&self, place: usize, rows: &Rows) -> Result<Vec<f64>> {
        let (answers, _) = self.folds[place].answer(self.common.table()?, rows, self.task)?;
        Ok(answers)
    }
}

/// What a file says of a part beside its arrays.
#[derive(Serialize, Deserialize)]
struct KeptPart {
    member: usize,
    weight: f64,
    /// Which of the fold's translations.
    coder: usize,
    shift: f64,
    factor: f64,
    range: Option<(f64, f64)>,
    temperature: f64,
}

/// What a file says of a fold.
#[derive(Serialize, Deserialize)]
struct KeptFold {
    coders: Vec<Value>,
    parts: Vec<KeptPart>,
    constant: (f64, Vec<f64>),
    temperature: f64,
}

/// What a file says of all folds.
#[derive(Serialize, Deserialize)]
struct Kept {
    members: Vec<(String, Value)>,
    folds: Vec<KeptFold>,
}

/// What a file of format 3 says of a fold of one method.
#[derive(Deserialize)]
struct KeptAlone {
    coder: Value,
    shift: f64,
    factor: f64,
    temperature: f64,
}

impl Kept {
    /// From a file of this format or of the one before.
    fn read(bytes: &[u8], recipe: &Recipe) -> serde_json::Result<Self> {
        if bytes.first() == Some(&b'{') {
            return serde_json::from_slice(bytes);
        }
        let folds: Vec<KeptAlone> = serde_json::from_slice(bytes)?;
        let alone = |KeptAlone { coder, shift, factor, temperature }| KeptFold {
            coders: vec![coder],
            parts: vec![KeptPart {
                member: 0,
                weight: 1.0,
                coder: 0,
                shift,
                factor,
                range: None,
                temperature,
            }],
            constant: (0.0, Vec::new()),
            temperature: 1.0,
        };
        let members = vec![(recipe.method.name().to_owned(), recipe.settings.clone())];
        Ok(Self { members, folds: folds.into_iter().map(alone).collect() })
    }
}

impl KeptFold {
    /// Whether nothing in it contradicts itself.
    fn is_sound(&self, members: usize, outputs: usize) -> bool {
        let positive = |number: f64| number > 0.0 && number.is_finite();
        let part = |part: &KeptPart| {
            let numbers = [part.shift, part.factor, part.weight];
            part.member < members
                && part.coder < self.coders.len()
                && positive(part.temperature)
                && part.range.is_none_or(|(low, high)| low <= high)
                && numbers.iter().all(|number| number.is_finite())
        };
        let (share, constant) = &self.constant;
        let finite = share.is_finite() && constant.iter().all(|number| number.is_finite());
        let fits = *share == 0.0 || constant.len() == outputs;
        self.parts.iter().all(part) && finite && fits && positive(self.temperature)
    }
}

impl FoldModels {
    /// Puts the models together again; `None` where the arrays are those of one model.
    ///
    /// # Errors
    /// When arrays are missing or of another shape than settings and layout say.
    pub fn load(recipe: &Recipe, layout: Layout<'_>, arrays: &Arrays) -> Result<Option<Self>> {
        if arrays.shape(FOLDS).is_none() {
            return Ok(None);
        }
        let damaged = |what: &str| Error::damaged(format!("its fold models can't be read: {what}"));
        let kept = Kept::read(arrays.bytes(FOLDS)?, recipe).map_err(|error| damaged(&error.to_string()))?;
        let (_, task) = layout.predicting()?;
        let mut members = Vec::new();
        for (name, settings) in kept.members {
            let member = Recipe { settings, ..Recipe::named(&name)? };
            member.method.check(&member.settings)?;
            members.push(member);
        }
        if kept.folds.is_empty() {
            return Err(damaged("there is none"));
        }
        let mut folds = Vec::new();
        for (place, fold) in kept.folds.into_iter().enumerate() {
            if !fold.is_sound(members.len(), task.outputs()) {
                return Err(damaged("their units make no sense"));
            }
            folds.push(loaded(place, fold, &members, layout, arrays)?);
        }
        Ok(Some(Self::new(layout.coder.clone(), task, members, folds)))
    }
}

/// One fold's models from what a file has of them.
fn loaded(
    place: usize,
    kept: KeptFold,
    members: &[Recipe],
    layout: Layout<'_>,
    arrays: &Arrays,
) -> Result<FoldModel> {
    let common = layout.table()?;
    let damaged = |what: &str| Error::damaged(format!("its fold models can't be read: {what}"));
    let mut coders = Vec::new();
    for words in kept.coders {
        let encoder: Encoder = serde_json::from_value(words).map_err(|error| damaged(&error.to_string()))?;
        encoder.check_part()?;
        if encoder.numbers.len() != common.numbers.len() || !encoder.names().eq(common.names()) {
            return Err(damaged("they are of other columns"));
        }
        coders.push(Arc::new(Coder::Table(encoder)));
    }
    let mut parts = Vec::new();
    for KeptPart { member, weight, coder, shift, factor, range, temperature } in kept.parts {
        let coder = Arc::clone(&coders[coder]);
        let own = Layout { coder: &coder, task: layout.task };
        let Recipe { method, settings } = &members[member];
        // Files of one method have no name for the part.
        let named = arrays.with_prefix(&prefix(place, member));
        let arrays = if named.is_empty() { arrays.with_prefix(&format!("fold {place}/")) } else { named };
        let learned = method.load(settings, own, &arrays)?;
        parts.push(FoldPart { member, weight, coder, shift, factor, range, temperature, learned });
    }
    Ok(FoldModel { parts, constant: kept.constant, temperature: kept.temperature })
}

/// Before the names of the arrays of a method in a fold.
fn prefix(place: usize, member: usize) -> String {
    format!("fold {place}/method {member}/")
}

impl Learned for FoldModels {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let mut folds = Vec::new();
        for (place, fold) in self.folds.iter().enumerate() {
            let (mut coders, mut words, mut parts) = (Vec::<&Arc<Coder>>::new(), Vec::new(), Vec::new());
            for part in &fold.parts {
                arrays.put_all(&prefix(place, part.member), part.learned.save());
                let known = coders.iter().position(|coder| Arc::ptr_eq(coder, &part.coder));
                let coder = known.unwrap_or_else(|| {
                    coders.push(&part.coder);
                    // The translation of a table is plain data: turning it into JSON can't fail, and it has no arrays.
                    words.push(part.coder.save().map(|(words, _)| words).unwrap_or_default());
                    coders.len() - 1
                });
                let FoldPart { member, weight, shift, factor, range, temperature, .. } = *part;
                parts.push(KeptPart { member, weight, coder, shift, factor, range, temperature });
            }
            let (constant, temperature) = (fold.constant.clone(), fold.temperature);
            folds.push(KeptFold { coders: words, parts, constant, temperature });
        }
        let named = |member: &Recipe| (member.method.name().to_owned(), member.settings.clone());
        let kept = Kept { members: self.members.iter().map(named).collect(), folds };
        arrays.put_bytes(FOLDS, serde_json::to_vec(&kept).unwrap_or_default());
        arrays
    }

    /// What the models say of their fits, on average; of several methods, what each counts.
    fn summary(&self) -> Value {
        let of = |member: usize| {
            let parts = self.folds.iter().flat_map(|fold| &fold.parts).filter(|part| part.member == member);
            together(&parts.map(|part| part.learned.summary()).collect::<Vec<_>>())
        };
        let mut summary = match self.members.as_slice() {
            [_] => of(0),
            _ => {
                let weights = self.weights().into_iter().enumerate();
                let weights = weights.map(|(member, (recipe, weight))| {
                    (recipe.method.name().to_owned(), json!({ "weight": weight, "fit": of(member) }))
                });
                json!({ "weights": weights.collect::<Map<String, Value>>() })
            }
        };
        if let (Some(own), true) = (summary.as_object_mut(), self.folds.len() > 1) {
            own.insert("fold models".into(), json!(self.folds.len()));
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

    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        let folds = self.write_each(graph, rows.table()?)?;
        Self::write_mean(graph, &folds)
    }

    /// Contributions to a weighted mean are the weighted means of contributions.
    fn contributions(&self, rows: &Rows, background: &Rows) -> Result<Option<Exact>> {
        let common = self.common.table()?;
        let share = 1.0 / self.folds.len().max(1) as f64;
        let constant = |fold: &FoldModel| fold.constant.0 * fold.constant.1.first().copied().unwrap_or(0.0);
        let mut mean = Exact {
            base: share * self.folds.iter().map(constant).sum::<f64>(),
            values: vec![0.0; rows.len() * common.width()],
        };
        for part in self.folds.iter().flat_map(|fold| &fold.parts) {
            let own = |rows: &Rows| Ok(Rows::Table(part.coder.table()?.recode(common, rows.table()?)));
            let Some(predictor) = part.learned.predictor() else { return Ok(None) };
            let Some(found) = predictor.contributions(&own(rows)?, &own(background)?)? else {
                return Ok(None);
            };
            let weight = share * part.weight;
            mean.base += weight * (part.shift + part.factor * found.base);
            let values = mean.values.iter_mut().zip(found.values);
            values.for_each(|(mean, own)| *mean += weight * part.factor * own);
        }
        Ok((self.task == Task::Regression).then_some(mean))
    }
}
