//! The weighted sum written down as operations of a graph.

use super::inputs::Inputs;
use crate::onnx::{Graph, Kind, Symbol, WrittenRows};

impl Inputs {
    /// `[rows, inputs]`: what [`Inputs::row`] gives, in single precision.
    pub fn write(&self, graph: &mut Graph, rows: &WrittenRows) -> Symbol {
        let plain = self.design().write(graph, rows);
        let (Some(numbers), false) = (&rows.numbers, self.bends().is_empty()) else { return plain };
        // (max(0, x - q) - mean) / deviation, 0 where x is missing.
        let count = self.bends().len();
        let places = || self.bends().iter().map(|bend| bend.column);
        let of = |graph: &mut Graph, values: Vec<f64>| graph.doubles(&[1, count], values);
        let x = graph.columns(&numbers.values, places());
        let x = graph.cast(&x, Kind::Double);
        let knots = of(graph, self.bends().iter().map(|bend| bend.knot).collect());
        let means = of(graph, self.bends().iter().map(|bend| bend.mean).collect());
        let deviations = of(graph, self.bends().iter().map(|bend| bend.deviation).collect());
        let beyond = graph.subtract(&x, &knots);
        let hinge = graph.op("Relu", &[&beyond]);
        let centred = graph.subtract(&hinge, &means);
        let scaled = graph.divide(&centred, &deviations);
        let scaled = graph.cast(&scaled, Kind::Single);
        let (known, nothing) = (graph.columns(&numbers.observed, places()), graph.single(0.0));
        let bent = graph.choose(&known, &scaled, &nothing);
        graph.beside(&[&plain, &bent])
    }
}
