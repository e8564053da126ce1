//! What methods share when they write their formula into a graph.

use crate::encode::Task;
use crate::error::{Error, Result};
use crate::nn::engine::Inputs;
use crate::nn::{Parameters, Writer};
use crate::onnx::{Graph, Kind, Symbol};

/// What is said of a method that is no formula, with the reason. What else could be done depends on the model, which
/// says it.
pub fn no_formula(why: &str) -> Error {
    Error::data(format!("it can't be exported: {why}"))
}

/// Answers from sums in double precision: the number as it is, or chances of classes. Two classes have one sum.
pub fn of_sums(graph: &mut Graph, sums: &Symbol, task: Task) -> Symbol {
    match task {
        Task::Regression => sums.clone(),
        Task::Classification { classes: 0..=2 } => graph.chances_of_two(sums),
        Task::Classification { .. } => graph.softmax(sums),
    }
}

/// Answers from the scores of networks, `[members rows, outputs]`, member by member
/// ([`predictions`](super::supervised::predictions)).
pub fn of_scores(graph: &mut Graph, scores: &Symbol, members: usize, task: Task) -> Symbol {
    let scores = graph.cast(scores, Kind::Double);
    let scores = graph.shaped(&scores, &[members as i64, -1, task.outputs() as i64]);
    let answers = if task == Task::Regression { scores } else { graph.softmax(&scores) };
    let share = graph.double(1.0 / members as f64);
    let answers = graph.sum(&answers, 0);
    let answers = graph.shaped(&answers, &[-1, task.outputs() as i64]);
    graph.times(&answers, &share)
}

/// What a network says, its description written with the weights and inputs that are given.
///
/// # Errors
/// When it has a layer for which the format has no operation.
pub fn network(
    graph: &mut Graph,
    parameters: &Parameters,
    inputs: Inputs,
    forward: impl FnOnce(&mut Writer<'_>) -> Symbol,
) -> Result<Symbol> {
    let mut writer = Writer::new(graph, parameters, inputs);
    let said = forward(&mut writer);
    match writer.missing() {
        Some(what) => {
            Err(no_formula(&format!("its network has {what}, which the format has no operation for")))
        }
        None => Ok(said),
    }
}

/// The sum of answers, each with its weight.
pub fn weighted(graph: &mut Graph, answers: &[(Symbol, f64)]) -> Option<Symbol> {
    let mut sum: Option<Symbol> = None;
    for (answer, weight) in answers {
        let weight = graph.double(*weight);
        let part = graph.times(answer, &weight);
        sum = Some(match sum {
            Some(sum) => graph.add(&sum, &part),
            None => part,
        });
    }
    sum
}
