//! A fitted model for Python.

use std::collections::BTreeMap;
use std::path::PathBuf;

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde_json::{Value, json};
use unmiss::compare::{Choice, fit_best};
use unmiss::data::{Column, Data, Shape};
use unmiss::encode::{ClassWeights, Made, Task, target::TaskKind};
use unmiss::error::{Error, Result};
use unmiss::explain::{ExplainSettings, Explainer, explain, explain_in_passing};
use unmiss::methods::{Job, Method, find};
use unmiss::metrics::{Score, most_probable};
use unmiss::model::{Aim, Answers, Model, Predicting, Predictions, Recipe, Roles};
use unmiss::report::sections;

use crate::align::aligned;
use crate::errors::{exception, unwritable};
use crate::finding::Finding;
use crate::table::Table;
use crate::work::{Manner, compute, work};

/// A fitted model.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct Predictor {
    pub(crate) model: Model,
    /// How the method was chosen, where it was; not kept in files.
    choice: Option<Choice>,
}

/// A method with the given settings, as JSON, over the defaults.
pub(crate) fn recipe(method: &'static dyn Method, settings: &str) -> Result<Recipe> {
    let given: Value =
        serde_json::from_str(settings).map_err(|error| Error::setting("settings", error.to_string()))?;
    method.check(&given)?;
    let mut recipe = Recipe::of(method);
    if let (Value::Object(all), Value::Object(given)) = (&mut recipe.settings, given) {
        all.extend(given);
    }
    Ok(recipe)
}

/// Category levels that training never saw, by column.
pub(crate) type Unseen = BTreeMap<String, Vec<String>>;

/// Warns of levels that training never saw.
pub(crate) fn warn_of_unseen(py: Python<'_>, unseen: &Unseen, listener: &Py<PyAny>) -> PyResult<()> {
    for (column, levels) in unseen {
        let shown = levels.iter().take(3).map(|level| format!("`{level}`")).collect::<Vec<_>>().join(", ");
        let more = if levels.len() > 3 { ", ..." } else { "" };
        let text = format!(
            "column `{column}` has values that training never saw ({shown}{more}); they count as missing"
        );
        listener.call_method1(py, "warning", (text,))?;
    }
    Ok(())
}

#[pymethods]
impl Predictor {
    /// A model from the bytes of its file.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        let model = Model::from_bytes(bytes).map_err(PyValueError::new_err)?;
        model.predicting().map_err(exception)?;
        Ok(Self { model, choice: None })
    }

    /// Learns. `recipes` are (method, settings as JSON); of several the best by cross-validation is taken. With 0
    /// folds there must be one, and it is fitted at once; with none said it is the library's number of them.
    #[staticmethod]
    #[allow(clippy::too_many_arguments, reason = "called from one place, with names")]
    fn fit(
        py: Python<'_>,
        table: &Table,
        target: String,
        weight: Option<String>,
        task: &str,
        balanced: bool,
        recipes: Vec<(String, String)>,
        folds: Option<usize>,
        manner: Manner,
        ordered: BTreeMap<String, Vec<String>>,
    ) -> PyResult<Self> {
        let recipes: Vec<Recipe> = recipes
            .iter()
            .map(|(name, settings)| recipe(find(name, Shape::Table, Job::Predict)?, settings))
            .collect::<Result<_>>()
            .map_err(exception)?;
        let roles = Roles {
            weight,
            class_weights: if balanced { ClassWeights::Balanced } else { ClassWeights::Equal },
            task: Some(match task {
                "regression" => TaskKind::Regression,
                _ => TaskKind::Classification,
            }),
            ordered,
            ..Roles::target(target)
        };
        let data = &table.data;
        let (model, choice) = work(py, &manner, |run| {
            let left_out = |column: &&Column| !column.is_usable() && Made::of(column).is_none();
            for column in data.columns().iter().filter(left_out) {
                let (name, kind) = (&column.name, column.kind);
                run.warn(format!(
                    "column `{name}` is {kind} and is left out; make it a categorical column or a number to use it"
                ));
            }
            match recipes.as_slice() {
                [recipe] if folds == Some(0) => {
                    Ok((Model::fit(data, &Aim::Predict(roles.clone()), recipe, run)?, None))
                }
                _ => {
                    let (mut model, choice) =
                        fit_best(data, &roles, &recipes, folds.map(|folds| folds.max(2)), run)?;
                    explain_in_passing(&mut model, data, &choice.held_out, run);
                    Ok((model, Some(choice)))
                }
            }
        })?;
        Ok(Self { model, choice })
    }

    /// Writes the model file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.model.save(&path).map_err(exception)
    }

    /// The bytes of the model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.model.to_bytes().map_err(exception)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type(), (slf.get().to_bytes(slf.py())?,)))
    }

    /// `[rows, outputs]`: a number, or a chance for each class.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        manner: Manner,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let answers = self.asked(py, table, &manner, |answers| values(answers.predictions()))?;
        Ok(self.lines(table, answers)?.into_pyarray(py))
    }

    /// The position of the most probable class of each row.
    fn classes<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        manner: Manner,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let answers = self.asked(py, table, &manner, |answers| values(answers.predictions()))?;
        let answers = self.lines(table, answers)?;
        let class = |row: numpy::ndarray::ArrayView1<'_, f64>| most_probable(&row.to_vec()) as i64;
        Ok(answers.rows().into_iter().map(class).collect::<Vec<_>>().into_pyarray(py))
    }

    /// `[rows, 3]`: prediction, lower and upper end of its interval.
    fn intervals<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        level: f64,
        manner: Manner,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let both = |answers: &Answers<'_>| (values(answers.predictions()), answers.intervals(level));
        let (predictions, intervals) = self.asked(py, table, &manner, both)?;
        let intervals = intervals.ok_or_else(|| without_folds("intervals"))?;
        let mut ends = Array2::zeros((predictions.len(), 3));
        for (row, (value, (lower, upper))) in predictions.into_iter().zip(intervals).enumerate() {
            [value, lower, upper].into_iter().enumerate().for_each(|(at, end)| ends[[row, at]] = end);
        }
        Ok(ends.into_pyarray(py))
    }

    /// `[rows, classes]`: whether a class belongs to the row's set.
    fn sets<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        level: f64,
        manner: Manner,
    ) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let sets = self.asked(py, table, &manner, |answers| answers.sets(level))?;
        let sets = sets.ok_or_else(|| without_folds("sets of classes"))?;
        let width = self.predicting()?.target.levels.len();
        let sets = Array2::from_shape_vec((table.data.rows(), width), sets).map_err(unwritable)?;
        Ok(sets.into_pyarray(py))
    }

    /// Whether it predicts classes.
    #[getter]
    fn is_classifier(&self) -> PyResult<bool> {
        Ok(self.predicting()?.target.task != Task::Regression)
    }

    /// The classes as words, in the order of their chances.
    #[getter]
    fn levels(&self) -> PyResult<Vec<String>> {
        Ok(self.predicting()?.target.levels.clone())
    }

    /// The method's name.
    #[getter]
    fn method(&self) -> &'static str {
        self.model.recipe.method.name()
    }

    /// The method's settings as JSON.
    #[getter]
    fn settings(&self) -> String {
        self.model.recipe.settings.to_string()
    }

    /// The target's name.
    #[getter]
    fn target(&self) -> PyResult<String> {
        Ok(self.predicting()?.target.name.clone())
    }

    /// Names of the columns that a table must have.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.model.needed_columns().into_iter().map(str::to_owned).collect()
    }

    /// The columns that contribute to an answer, in the order of their contributions.
    #[getter]
    fn contributing(&self) -> Vec<String> {
        self.model.coder.by_column().into_iter().map(|source| source.column).collect()
    }

    /// Names of the inputs: columns, and what is made of columns of dates, text or an order.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.model.coder.names().into_iter().map(str::to_owned).collect()
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn words(&self) -> Vec<String> {
        let summary = &self.model.summary;
        let mut words = vec![format!(
            "`{}` learned from {} rows and {} input columns; {:.1} % of the input cells are missing.",
            self.method(),
            summary.rows,
            self.model.coder.names().len(),
            100.0 * summary.missing_share
        )];
        words.extend(summary.notes.iter().chain(&summary.cut_off).cloned());
        words
    }

    /// How the methods did in the cross-validation, best first, as JSON: `[{method, scores: {name: [mean, half]}}]`.
    #[getter]
    fn scores(&self) -> PyResult<String> {
        let Some(choice) = &self.choice else { return Ok("[]".to_owned()) };
        let share = choice.test_share();
        let entry = |entry: &unmiss::compare::Entry| {
            let names = match entry.scores.first() {
                Some(Score::Regression { .. }) => ["RMSE / sd", "R2"],
                _ => ["log-loss", "AUROC"],
            };
            json!({
                "method": entry.recipe.method.name(),
                "seconds": entry.seconds,
                "scores": { (names[0]): entry.mean(Score::loss, share), (names[1]): entry.mean(Score::headline, share) },
            })
        };
        serde_json::to_string(&choice.entries.iter().map(entry).collect::<Vec<_>>()).map_err(unwritable)
    }

    /// What the model goes by, found out on a table that may have its target.
    fn explain(
        &self,
        py: Python<'_>,
        table: &Table,
        rows: usize,
        repeats: usize,
        manner: Manner,
    ) -> PyResult<Finding> {
        let settings = ExplainSettings { rows, repeats, ..ExplainSettings::default() };
        let (model, data) = (&self.model, &table.data);
        let found = work(py, &manner, |run| explain(model, &aligned(data, &model.coder)?, &settings, run))?;
        Finding::new(&found, sections::explain(&found).map_err(exception)?)
    }

    /// The same, as it was found out when the model was fitted.
    fn explained(&self) -> PyResult<Option<Finding>> {
        let Some(found) = &self.model.summary.explanation else { return Ok(None) };
        Finding::new(found, sections::explain(found).map_err(exception)?).map(Some)
    }

    /// `[rows, columns]` contributions and their errors; base, answer and explained output of each row.
    #[allow(clippy::type_complexity, reason = "taken apart where it is called")]
    fn contributions<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        manner: Manner,
    ) -> PyResult<(
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray1<i64>>,
    )> {
        let (model, data) = (&self.model, &table.data);
        let found = work(py, &manner, |run| {
            let rows = model.coder.encode(&aligned(data, &model.coder)?, |_, _| {})?;
            Explainer::new(model, run)?.explain(&rows)
        })?;
        let lines = |values: Vec<f64>| {
            Array2::from_shape_vec((found.answers.len(), found.columns), values).map_err(unwritable)
        };
        let outputs: Vec<i64> = found.outputs.iter().map(|output| *output as i64).collect();
        Ok((
            lines(found.values)?.into_pyarray(py),
            lines(found.errors)?.into_pyarray(py),
            found.bases.into_pyarray(py),
            found.answers.into_pyarray(py),
            outputs.into_pyarray(py),
        ))
    }

    /// The cross-validation as a page, if there was one.
    fn page(&self) -> PyResult<Option<Finding>> {
        let Some(choice) = &self.choice else { return Ok(None) };
        let sections = sections::fit(&self.model, choice, &self.words(), &[]).map_err(exception)?;
        Finding::new(&self.words(), sections).map(Some)
    }
}

impl Predictor {
    /// A model from a file, which does not say how it was chosen.
    pub(crate) fn of(model: Model) -> Self {
        Self { model, choice: None }
    }

    fn predicting(&self) -> PyResult<Predicting<'_>> {
        self.model.predicting().map_err(exception)
    }

    /// What is asked of the answers for rows; warns of levels that training never saw, and where what is missing has
    /// shifted since.
    fn asked<T: Send>(
        &self,
        py: Python<'_>,
        table: &Table,
        manner: &Manner,
        ask: impl Fn(&Answers<'_>) -> T + Send + Sync,
    ) -> PyResult<T> {
        let mut unseen = Unseen::new();
        let model = self.predicting()?;
        let mut watch = model.watch();
        let mut predict = |data: &Data| -> Result<T> {
            let aligned = aligned(data, model.coder)?;
            let note = |column: &str, level: &str| {
                unseen.entry(column.to_owned()).or_default().push(level.to_owned());
            };
            let rows = model.coder.encode(&aligned, note)?;
            watch.look(&rows);
            Ok(ask(&model.answers(&rows)?))
        };
        let found = compute(py, table.data.rows(), manner, || predict(&table.data))?;
        warn_of_unseen(py, &unseen, &manner.2)?;
        if let Some(shift) = watch.shift() {
            manner.2.call_method1(py, "warning", (shift.words(),))?;
        }
        Ok(found)
    }

    /// Answers as `[rows, outputs]`.
    fn lines(&self, table: &Table, answers: Vec<f64>) -> PyResult<Array2<f64>> {
        let width = self.predicting()?.target.task.outputs();
        Array2::from_shape_vec((table.data.rows(), width), answers).map_err(unwritable)
    }
}

fn values(predictions: Predictions) -> Vec<f64> {
    match predictions {
        Predictions::Numbers(values) | Predictions::Probabilities(values) => values,
    }
}

fn without_folds(what: &str) -> PyErr {
    PyValueError::new_err(format!(
        "the model was fitted without cross-validation, so it has no {what}\nhint: fit with folds=5"
    ))
}
