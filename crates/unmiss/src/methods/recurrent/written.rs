//! What a step becomes, written down as operations of a graph.

use super::inputs::Inputs;
use super::settings::Missing;
use crate::encode::{SeriesCoder, WrittenSeries};
use crate::onnx::{Graph, Kind, Symbol};

/// `ln(1 + x)`
fn log_of_one_more(graph: &mut Graph, x: &Symbol) -> Symbol {
    let one = graph.single(1.0);
    let more = graph.add(x, &one);
    graph.op("Log", &[&more])
}

impl Inputs {
    /// What [`Inputs::rows`] gives, `[rows, steps, width]`, and then, where values decay, what [`Inputs::ages`] gives.
    pub fn write(&self, graph: &mut Graph, coder: &SeriesCoder, series: &WrittenSeries) -> Vec<Symbol> {
        let values = coder.write_scaled(graph, series);
        let marks = graph.cast(&series.observed, Kind::Single);
        let (nothing, one, k) = (graph.single(0.0), graph.single(1.0), graph.single(self.k));
        match self.missing {
            Missing::Zero => vec![values],
            Missing::Mean => {
                let (sum, count) = (graph.sum(&values, 1), graph.sum(&marks, 1));
                let count = graph.op("Max", &[&count, &one]);
                let mean = graph.divide(&sum, &count);
                vec![graph.choose(&series.observed, &values, &mean)]
            }
            Missing::SnStep => {
                let count = graph.sum(&marks, 2);
                let count = graph.op("Max", &[&count, &one]);
                let factor = graph.divide(&k, &count);
                vec![graph.times(&values, &factor)]
            }
            Missing::SnSeries => {
                let count = graph.sum(&marks, 1);
                let count = graph.sum(&count, 2);
                let count = graph.op("Max", &[&count, &one]);
                let factor = graph.divide(&k, &count);
                vec![graph.times(&values, &factor)]
            }
            Missing::ForwardFill | Missing::Mask | Missing::Decay => {
                let known = series.known(graph);
                let last = known.at(graph, &values, &known.up_to, &nothing);
                if self.missing == Missing::ForwardFill {
                    return vec![last];
                }
                let since = coder.write_since(graph, series, &known);
                let ages = log_of_one_more(graph, &since);
                if self.missing == Missing::Mask {
                    return vec![graph.joined(&[&last, &marks, &ages], 2)];
                }
                let lasts = graph.choose(&series.observed, &nothing, &last);
                vec![graph.joined(&[&values, &marks], 2), ages, lasts]
            }
        }
    }
}
