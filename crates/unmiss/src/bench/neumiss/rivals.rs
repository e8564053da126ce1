//! Who is measured: methods of the list, and expectation-maximisation on the joint normal of columns and response, as
//! the paper's first baseline does it.

use crate::data::Shape;
use crate::error::{Error, Result};
use crate::linalg::{Conditional, Course, Holes, Normal};
use crate::methods::{Job, methods_for};
use crate::model::{Aim, Model, Predictions, Recipe, Roles};
use crate::run::Run;
use crate::simulate::{Drawn, TARGET};

use super::worlds::Task;

/// The joint normal's name.
pub const EM: &str = "em";
/// Who is measured where nobody is named, as far as the list has them.
const USUAL: [&str; 7] = ["ensemble", "conditional", "neumiss", EM, "mlp", "trees", "linear"];

/// Everybody who can be named.
pub fn all() -> Vec<String> {
    let methods = methods_for(Shape::Table, Job::Predict).map(|method| method.name());
    std::iter::once(EM).chain(methods).map(str::to_owned).collect()
}

/// Who is measured where nobody is named.
pub fn usual() -> Vec<String> {
    let all = all();
    USUAL.iter().filter(|name| all.iter().any(|own| own == *name)).map(|name| (*name).to_owned()).collect()
}

/// A rival's answers for the rows to be judged by; `None` if the run was stopped.
pub fn answers(name: &str, task: &Task, run: &Run) -> Result<Option<Vec<f64>>> {
    if name == EM {
        return Ok(Some(run.compute(|| joint_normal(&task.learning, &task.test))));
    }
    let recipe = Recipe::named(name)?;
    // The paper's perceptron is given the marks beside the values.
    let recipe = if name == "mlp" { recipe.set("missing", "missing-indicator")? } else { recipe };
    fitted(&recipe, task, run)
}

/// The answers of a method with its settings; `None` if the run was stopped.
pub fn fitted(recipe: &Recipe, task: &Task, run: &Run) -> Result<Option<Vec<f64>>> {
    let aim = Aim::Predict(Roles::target(TARGET));
    let model = match Model::fit(&task.data.0, &aim, recipe, run) {
        Err(Error::Stopped) => return Ok(None),
        model => model?,
    };
    if run.stopped() {
        return Ok(None);
    }
    match run.compute(|| model.predicting()?.predict(&task.data.1, |_, _| {}))? {
        Predictions::Numbers(numbers) => Ok(Some(numbers)),
        _ => Err(Error::data("a response of numbers was taken for classes")),
    }
}

/// E\[y | known cells\] of the joint normal that expectation-maximisation finds.
fn joint_normal(learning: &Drawn, test: &Drawn) -> Vec<f64> {
    let width = learning.columns + 1;
    let rows = learning.rows();
    // Standardised by the known cells, the response last.
    let scale: Vec<(f64, f64)> = (0..width).map(|column| moments(learning, column)).collect();
    let (mut values, mut observed) = (vec![0.0_f32; rows * width], vec![true; rows * width]);
    for row in 0..rows {
        for (column, (mean, deviation)) in scale.iter().enumerate() {
            let (value, seen) = cell(learning, row, column);
            observed[row * width + column] = seen;
            values[row * width + column] = if seen { ((value - mean) / deviation) as f32 } else { 0.0 };
        }
    }
    let data = Holes { columns: width, values: &values, observed: &observed };
    let all: Vec<usize> = (0..rows).collect();
    let course = Course { ridge: 1e-6, rounds: 1000, tolerance: 1e-3 };
    let normal = Normal::fit(data, &all, course, |_, _| true);
    let conditional = Conditional::new(&normal);
    let answer = |row: usize| {
        let (mut deviations, mut seen) = (vec![0.0; width], vec![false; width]);
        for column in 0..width - 1 {
            let (value, known) = cell(test, row, column);
            if known {
                let (mean, deviation) = scale[column];
                (deviations[column], seen[column]) = ((value - mean) / deviation - normal.mean[column], true);
            }
        }
        conditional.fill(&seen, &mut deviations, None);
        let (mean, deviation) = scale[width - 1];
        mean + deviation * (normal.mean[width - 1] + deviations[width - 1])
    };
    (0..test.rows()).map(answer).collect()
}

/// A cell and whether it is known; the response stands behind the columns and always is.
fn cell(drawn: &Drawn, row: usize, column: usize) -> (f64, bool) {
    match column == drawn.columns {
        true => (drawn.response[row], true),
        false => {
            let place = row * drawn.columns + column;
            (drawn.values[place], drawn.observed[place])
        }
    }
}

/// Mean and standard deviation of the known cells.
fn moments(drawn: &Drawn, column: usize) -> (f64, f64) {
    let known: Vec<f64> = (0..drawn.rows())
        .map(|row| cell(drawn, row, column))
        .filter(|cell| cell.1)
        .map(|cell| cell.0)
        .collect();
    let count = known.len().max(1) as f64;
    let mean = known.iter().sum::<f64>() / count;
    let deviation = (known.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    (mean, if deviation > 0.0 { deviation } else { 1.0 })
}
