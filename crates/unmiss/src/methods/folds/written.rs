//! The mean of fold models written down as operations of a graph.

use super::models::{FoldModel, FoldModels, FoldPart};
use super::temperature::SMALLEST_CHANCE;
use crate::encode::{Coder, Encoder, Task, Written};
use crate::error::{Error, Result};
use crate::methods::written::weighted;
use crate::onnx::{Graph, Symbol, WrittenRows};
use std::sync::Arc;

/// What one fold's models answer, and the rows as the first of them sees them.
pub struct WrittenFold {
    /// `[rows, outputs]` in units of all rows.
    pub answers: Symbol,
    /// In the units of the first method.
    pub rows: WrittenRows,
}

impl FoldModels {
    /// What each fold's models answer.
    ///
    /// # Errors
    /// When one of the methods is no formula.
    pub fn write_each(&self, graph: &mut Graph, rows: &WrittenRows) -> Result<Vec<WrittenFold>> {
        let common = self.common()?;
        self.folds().iter().map(|fold| fold.write(graph, common, rows, self.task())).collect()
    }

    /// Their mean.
    ///
    /// # Errors
    /// When one of the methods is no formula.
    pub fn write_mean(graph: &mut Graph, folds: &[WrittenFold]) -> Result<Symbol> {
        let share = 1.0 / folds.len().max(1) as f64;
        let all: Vec<_> = folds.iter().map(|fold| (fold.answers.clone(), share)).collect();
        weighted(graph, &all).ok_or_else(|| Error::data("there is no fold model"))
    }
}

impl FoldModel {
    fn write(
        &self,
        graph: &mut Graph,
        common: &Encoder,
        rows: &WrittenRows,
        task: Task,
    ) -> Result<WrittenFold> {
        let mut answers = Vec::new();
        let (share, constant) = &self.constant;
        if *share > 0.0 {
            answers.push((rows.constant(graph, constant), *share));
        }
        let mut seen: Vec<(&Arc<Coder>, Written)> = Vec::new();
        for part in &self.parts {
            let known = seen.iter().position(|(coder, _)| Arc::ptr_eq(coder, &part.coder));
            if known.is_none() {
                let own = part.coder.table()?.write_recoded(graph, common, rows);
                seen.push((&part.coder, Written::Table(own)));
            }
            let (_, own) = &seen[known.unwrap_or(seen.len() - 1)];
            answers.push((part.write(graph, own, task)?, part.weight));
        }
        let mean = weighted(graph, &answers).ok_or_else(|| Error::data("a fold has no model"))?;
        let first = seen.into_iter().next().map(|(_, rows)| rows);
        let rows = match first {
            Some(Written::Table(own)) => own,
            _ => rows.clone(),
        };
        Ok(WrittenFold { answers: tempered(graph, &mean, self.temperature), rows })
    }
}

impl FoldPart {
    fn write(&self, graph: &mut Graph, rows: &Written, task: Task) -> Result<Symbol> {
        let predictor =
            self.learned.predictor().ok_or_else(|| Error::data("a fold model does not predict"))?;
        let answers = predictor.write(graph, rows)?;
        if task != Task::Regression {
            return Ok(tempered(graph, &answers, self.temperature));
        }
        let inside = match self.range {
            Some((low, high)) => graph.clamp(&answers, low, high),
            None => answers,
        };
        let (shift, factor) = (graph.double(self.shift), graph.double(self.factor));
        let wide = graph.times(&factor, &inside);
        Ok(graph.add(&shift, &wide))
    }
}

/// Chances to the power of 1 / temperature, made to add up to 1 ([`tempered`](super::temperature::tempered)).
fn tempered(graph: &mut Graph, chances: &Symbol, temperature: f64) -> Symbol {
    if temperature == 1.0 {
        return chances.clone();
    }
    let (least, power) = (graph.double(SMALLEST_CHANCE), graph.double(1.0 / temperature));
    let chances = graph.op("Max", &[chances, &least]);
    let raised = graph.op("Pow", &[&chances, &power]);
    let total = graph.sum(&raised, 1);
    graph.divide(&raised, &total)
}
