//! Intervals written down as operations of a graph: all numbers f_k(i)(x) ± e_i s_k(i)(x) of a row are put in order.

use super::{CrossValidated, Errors};
use crate::onnx::{Attribute, Graph, Kind, Symbol};

impl CrossValidated {
    /// Lower and upper ends, `[rows, 1]`, from each fold's answers `[rows, 1]` and marks `[rows, inputs]`.
    pub fn write(
        &self,
        graph: &mut Graph,
        answers: &[Symbol],
        marks: &[Symbol],
        level: f64,
    ) -> (Symbol, Symbol) {
        let spreads: Vec<Symbol> = self
            .folds
            .iter()
            .zip(marks)
            .map(|(fold, marks)| fold.spread.write(graph, marks, self.inputs))
            .collect();
        let lists = |graph: &mut Graph, sign: f64| {
            let sign = graph.double(sign);
            let mut numbers = Vec::new();
            for ((fold, answer), spread) in self.folds.iter().zip(answers).zip(&spreads) {
                let kept: Vec<f64> = fold.errors.kept.iter().map(|error| f64::from(*error)).collect();
                let errors = graph.doubles(&[1, kept.len()], kept);
                let (center, reach) = (graph.times(&sign, answer), graph.times(spread, &errors));
                numbers.push(graph.add(&center, &reach));
            }
            graph.beside(&numbers.iter().collect::<Vec<_>>())
        };
        let (below, above) = (lists(graph, -1.0), lists(graph, 1.0));
        let (below, above) = (self.quantile(graph, &below, level), self.quantile(graph, &above, level));
        let lower = graph.op("Neg", &[&below]);
        // The mean answer always belongs to it.
        let mut sum = answers[0].clone();
        for answer in &answers[1..] {
            sum = graph.add(&sum, answer);
        }
        let count = graph.double(answers.len() as f64);
        let mean = graph.divide(&sum, &count);
        (graph.op("Min", &[&lower, &mean]), graph.op("Max", &[&above, &mean]))
    }

    /// `[rows, 1]`: the ⌈level (n + 1)⌉-th smallest of each row's numbers; infinite if there are not so many.
    fn quantile(&self, graph: &mut Graph, numbers: &Symbol, level: f64) -> Symbol {
        let count: usize = self.folds.iter().map(|fold| fold.errors.count).sum();
        let rank = (level * (count as f64 + 1.0) - 1e-9).ceil().max(1.0);
        if rank > count as f64 {
            let (nothing, infinite) = (graph.double(0.0), graph.double(f64::INFINITY));
            let one = graph.columns(numbers, [0]);
            let zero = graph.times(&one, &nothing);
            return graph.add(&zero, &infinite);
        }
        let of = |errors: &Errors| std::iter::repeat_n(errors.weight(), errors.kept.len());
        let weights: Vec<f64> = self.folds.iter().flat_map(|fold| of(&fold.errors)).collect();
        let total = graph.integers(&[1], &[weights.len() as i64]);
        let weights = graph.doubles(&[weights.len()], weights);
        let settings = vec![Attribute::integer("axis", 1), Attribute::integer("largest", 0)];
        let (ordered, places) = graph.two("TopK", &[numbers, &total], settings);
        let weights = graph.gather(&weights, &places, 0);
        let axis = graph.integers(&[], &[1]);
        let below = graph.op("CumSum", &[&weights, &axis]);
        let rank = graph.double(rank - 1e-6);
        // As many numbers are passed as leave less than the rank behind them.
        let short = graph.op("Less", &[&below, &rank]);
        let short = graph.cast(&short, Kind::Integer);
        let place = graph.sum(&short, 1);
        graph.op_with("GatherElements", &[&ordered, &place], vec![Attribute::integer("axis", 1)])
    }
}
