//! The predictor written down as operations of a graph: the joint distribution is told of one cell after the other,
//! known ones and what holes say (`linalg`), after which x̂ and what is open of it are at hand.

use std::f64::consts::PI;

use super::answer::{Answer, Loss, SOFT};
use super::head::HIDDEN;
use crate::linalg::{Normal, Sites, given_known};
use crate::onnx::{Graph, Kind, Symbol, WrittenNumbers};

impl Answer {
    /// `[rows, outputs]`: scores in double precision.
    pub fn write(&self, graph: &mut Graph, cells: &WrittenNumbers) -> Symbol {
        let (joint, outputs) = (&self.joint, self.outputs());
        let (columns, directions) = (joint.columns, joint.directions());
        let values = graph.cast(&cells.values, Kind::Double);
        let normal = Normal::from_parts(joint.mean.clone(), joint.covariance.clone());
        let told: Vec<f64> = (0..columns).map(|column| joint.value(column)).collect();
        let sites = Sites { values: &told, precisions: &joint.precision };
        let (filled, open) = given_known(graph, &normal, (&values, &cells.observed), Some(&sites));
        // w'x̂ of all directions, and for outputs b + γ'M.
        let turned =
            (0..columns * directions).map(|cell| joint.weights(cell % directions)[cell / directions]);
        let weights = graph.doubles(&[columns, directions], turned.collect());
        let marks = (0..columns * directions).map(|cell| {
            let (column, direction) = (cell / directions, cell % directions);
            if direction < outputs { self.marks[direction * columns + column] } else { 0.0 }
        });
        let marks = graph.doubles(&[columns, directions], marks.collect());
        let bias = (0..directions).map(|direction| self.bias.get(direction).copied().unwrap_or(0.0));
        let bias = graph.doubles(&[1, directions], bias.collect());
        let missing = graph.op("Not", &[&cells.observed]);
        let missing = graph.cast(&missing, Kind::Double);
        let (said, level) = (graph.product(&filled, &weights), graph.product(&missing, &marks));
        let means = graph.add(&said, &level);
        let means = graph.add(&means, &bias); // [rows, directions]
        // w'Σw given all that is known.
        let nothing = graph.double(0.0);
        let half = graph.product(&open, &weights); // [rows, columns, directions]
        let both = graph.times(&half, &weights);
        let variances = graph.sum(&both, 1);
        let variances = graph.shaped(&variances, &[-1, directions as i64]);
        let variances = graph.op("Max", &[&variances, &nothing]);
        let mut scores = graph.columns(&means, 0..outputs);
        if self.loss == Loss::Chances {
            let (one, eighth) = (graph.double(1.0), graph.double(PI / 8.0));
            let own = graph.columns(&variances, 0..outputs);
            let below = graph.times(&eighth, &own);
            let below = graph.add(&one, &below);
            let softness = graph.op("Sqrt", &[&below]);
            scores = graph.divide(&scores, &softness);
        }
        let Some((head, own)) = &self.head else { return scores };
        let soft = graph.double(SOFT);
        let deviations = graph.add(&variances, &soft);
        let deviations = graph.op("Sqrt", &[&deviations]);
        let known = graph.choose(&cells.observed, &values, &filled);
        let mut hidden = graph.beside(&[&known, &missing, &means, &deviations]);
        let mut rest = own.as_slice();
        for inputs in [head.inputs, HIDDEN] {
            let (weights, after) = rest.split_at(inputs * HIDDEN);
            let (bias, after) = after.split_at(HIDDEN);
            rest = after;
            let weights = graph.doubles(&[inputs, HIDDEN], weights.to_vec());
            let bias = graph.doubles(&[1, HIDDEN], bias.to_vec());
            let sums = graph.product(&hidden, &weights);
            let sums = graph.add(&sums, &bias);
            let gate = graph.op("Sigmoid", &[&sums]);
            hidden = graph.times(&sums, &gate);
        }
        let weights = graph.doubles(&[HIDDEN, outputs], rest[..HIDDEN * outputs].to_vec());
        let added = graph.product(&hidden, &weights);
        graph.add(&scores, &added)
    }
}
