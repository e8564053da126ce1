//! The front written down as operations of a graph.

use super::{FREQUENCIES, Front, MIXTURES, NUMBER_TOKEN};
use crate::nn::Parameters;
use crate::onnx::{Attribute, Graph, Symbol, WrittenNumbers, WrittenRows};

impl Front {
    /// `[rows, width]`: the vectors of rows.
    pub fn write(
        &self,
        graph: &mut Graph,
        cells: &WrittenRows,
        parameters: &Parameters,
        first: usize,
    ) -> Symbol {
        let array = |index: usize| parameters[first + index].values.as_slice();
        // K / known columns, [rows, 1].
        let factor = self.normalization.map(|k| {
            let (k, known) = (graph.single(k), cells.known(graph));
            graph.divide(&k, &known)
        });
        let mut parts = Vec::new();
        if let (Some(numbers), true) = (&cells.numbers, self.numbers > 0) {
            parts.push(self.write_numbers(graph, numbers, factor.as_ref(), array));
        }
        for (table, category) in
            self.categories.iter().zip(&cells.categories).filter(|(table, _)| table.token > 0)
        {
            let entries = &array(4)[table.start..table.start + (table.codes + 1) * table.token];
            let mut token = category.lines(graph, entries, table.token);
            if let Some(factor) = &factor {
                let (known, scaled) = (category.observed(graph), graph.times(&token, factor));
                token = graph.choose(&known, &scaled, &token);
            }
            parts.push(token);
        }
        let tokens = graph.beside(&parts.iter().collect::<Vec<_>>());
        let factors = graph.singles(&[1, self.width], array(5));
        graph.times(&tokens, &factors)
    }

    /// `[rows, numbers x NUMBER_TOKEN]`
    fn write_numbers<'a>(
        &self,
        graph: &mut Graph,
        numbers: &WrittenNumbers,
        factor: Option<&Symbol>,
        array: impl Fn(usize) -> &'a [f32],
    ) -> Symbol {
        let (count, open) = (self.numbers, self.numbers as i64);
        let x = graph.shaped(&numbers.values, &[-1, open, 1]); // [rows, numbers, 1]
        let frequencies = graph.singles(&[1, count, FREQUENCIES], array(0));
        let phases = graph.singles(&[1, count, FREQUENCIES], array(1));
        let turns = graph.times(&x, &frequencies);
        let turns = graph.add(&turns, &phases);
        let whole = graph.op("Floor", &[&turns]);
        let (turns, circle) = (graph.subtract(&turns, &whole), graph.single(std::f32::consts::TAU));
        let angles = graph.times(&turns, &circle);
        let cosines = graph.op("Cos", &[&angles]); // [rows, numbers, frequencies]
        let swap = || vec![Attribute::integers("perm", vec![1, 0, 2])];
        let by_column = graph.op_with("Transpose", &[&cosines], swap());
        let mixing = graph.singles(&[count, FREQUENCIES, MIXTURES], array(2));
        let mixed = graph.product(&by_column, &mixing); // [numbers, rows, mixtures]
        let mixed = graph.op_with("Transpose", &[&mixed], swap());
        let token = graph.joined(&[&x, &mixed], 2);
        let token = graph.shaped(&token, &[-1, (count * NUMBER_TOKEN) as i64]);
        let holes = graph.singles(&[1, count * NUMBER_TOKEN], array(3));
        let missing = if self.guessed { graph.add(&token, &holes) } else { holes };
        let known = factor.map_or_else(|| token.clone(), |factor| graph.times(&token, factor));
        let marks =
            graph.columns(&numbers.observed, (0..count * NUMBER_TOKEN).map(|place| place / NUMBER_TOKEN));
        graph.choose(&marks, &known, &missing)
    }
}
