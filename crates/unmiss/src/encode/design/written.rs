//! The row of inputs written down as operations of a graph.

use super::Design;
use crate::onnx::{Graph, Kind, Symbol, WrittenRows};

impl Design {
    /// `[rows, inputs]`: what [`Design::dense`] gives, in single precision.
    pub fn write(&self, graph: &mut Graph, rows: &WrittenRows) -> Symbol {
        let mut parts = Vec::new();
        // K / known columns, [rows, 1].
        let factor = self.normalization.map(|k| {
            let (k, known) = (graph.single(k), rows.known(graph));
            graph.divide(&k, &known)
        });
        if let Some(numbers) = &rows.numbers {
            let fill = graph.singles(&[1, self.number_fill.len()], &self.number_fill);
            let known = match &factor {
                Some(factor) => graph.times(&numbers.values, factor),
                None => numbers.values.clone(),
            };
            parts.push(graph.choose(&numbers.observed, &known, &fill));
        }
        for (block, category) in self.blocks.iter().zip(&rows.categories).filter(|(block, _)| block.codes > 0)
        {
            let codes = block.codes as usize;
            let mut table: Vec<f32> =
                (0..codes * codes).map(|cell| f32::from(u8::from(cell / codes == cell % codes))).collect();
            table.extend(block.fill.iter().copied().chain(std::iter::repeat(0.0)).take(codes));
            let mut line = category.lines(graph, &table, codes);
            if let Some(factor) = &factor {
                let (known, scaled) = (category.observed(graph), graph.times(&line, factor));
                line = graph.choose(&known, &scaled, &line);
            }
            parts.push(line);
        }
        let indicated: Vec<usize> =
            (0..self.indicators.len()).filter(|column| self.indicators[*column].is_some()).collect();
        if let (Some(state), false) = (self.indicated, indicated.is_empty()) {
            let marks = rows.observed(graph);
            let mut marks = graph.columns(&marks, indicated);
            if !state {
                marks = graph.op("Not", &[&marks]);
            }
            parts.push(graph.cast(&marks, Kind::Single));
        }
        graph.beside(&parts.iter().collect::<Vec<_>>())
    }
}
