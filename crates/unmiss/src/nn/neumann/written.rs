//! The block written down as operations of a graph.

use super::block::Form;
use super::{Block, Neumann};
use crate::nn::Parameters;
use crate::onnx::{Graph, Kind, Symbol, WrittenNumbers};

impl Block {
    /// `[rows, d]`: what the block makes of numbers with holes.
    pub fn write(
        &self,
        graph: &mut Graph,
        cells: &WrittenNumbers,
        parameters: &Parameters,
        first: usize,
    ) -> Symbol {
        let layout @ Neumann { columns, depth, form, mixed } = self.layout();
        let array = |index: usize| parameters[first + index].values.as_slice();
        let size = columns * columns;
        let matrices: Vec<Symbol> = (0..layout.matrices())
            .map(|place| graph.singles(&[columns, columns], &array(1)[place * size..(place + 1) * size]))
            .collect();
        let (mean, nothing) = (graph.singles(&[1, columns], array(0)), graph.single(0.0));
        let mask = graph.cast(&cells.observed, Kind::Single);
        let deviation = graph.subtract(&cells.values, &mean);
        let v = graph.choose(&cells.observed, &deviation, &nothing);
        let mut h = v.clone();
        for step in 0..depth {
            let product = graph.product(&h, &matrices[layout.matrix_of(step)]);
            let product = graph.times(&product, &mask);
            let length = graph.single(array(3)[step]);
            h = match form {
                Form::Own | Form::Shared => {
                    let again = graph.times(&length, &v);
                    graph.add(&product, &again)
                }
                Form::Steps => {
                    let left = graph.subtract(&v, &product);
                    let stride = graph.times(&length, &left);
                    graph.add(&h, &stride)
                }
            };
        }
        if !mixed {
            return h;
        }
        let mix = graph.singles(&[columns, columns], array(2));
        let filled = graph.product(&h, &mix);
        let filled = graph.add(&filled, &mean);
        graph.choose(&cells.observed, &cells.values, &filled)
    }
}
