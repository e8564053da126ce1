//! Rows of a table as symbols: what a translation writes and a method reads.

use super::graph::{Graph, Kind, Symbol};

/// Rows as symbols.
#[derive(Debug, Clone)]
pub struct WrittenRows {
    /// Number columns, if there are any.
    pub numbers: Option<WrittenNumbers>,
    /// Category columns.
    pub categories: Vec<WrittenCategory>,
    /// `[rows, 1]`: 0 in every row, in double precision.
    pub zero: Symbol,
}

/// Number columns as symbols, both `[rows, columns]`.
#[derive(Debug, Clone)]
pub struct WrittenNumbers {
    /// In a model's units, single precision; 0 where not known.
    pub values: Symbol,
    /// Marks.
    pub observed: Symbol,
    /// How many columns.
    pub columns: usize,
}

/// A category column as symbols.
#[derive(Debug, Clone)]
pub struct WrittenCategory {
    /// `[rows]`: the code, or as many as there are codes where it is missing.
    pub place: Symbol,
    /// How many codes there are.
    pub codes: usize,
}

impl WrittenCategory {
    /// `[rows, width]`: a line of a table in single precision for every code, and the last one for holes.
    pub fn lines(&self, graph: &mut Graph, table: &[f32], width: usize) -> Symbol {
        let table = graph.singles(&[self.codes + 1, width], table);
        graph.gather(&table, &self.place, 0)
    }

    /// `[rows, 1]`: whether the cell is known.
    pub fn observed(&self, graph: &mut Graph) -> Symbol {
        let codes = graph.integers(&[1], &[self.codes as i64]);
        let known = graph.op("Less", &[&self.place, &codes]);
        graph.shaped(&known, &[-1, 1])
    }
}

impl WrittenRows {
    /// `[rows, columns]`: the marks of all columns, numbers first.
    pub fn observed(&self, graph: &mut Graph) -> Symbol {
        let mut parts: Vec<Symbol> = self.numbers.iter().map(|numbers| numbers.observed.clone()).collect();
        parts.extend(self.categories.iter().map(|category| category.observed(graph)));
        graph.beside(&parts.iter().collect::<Vec<_>>())
    }

    /// `[rows, 1]`: how many columns are known, 1 at least, in single precision.
    pub fn known(&self, graph: &mut Graph) -> Symbol {
        let marks = self.observed(graph);
        let marks = graph.cast(&marks, Kind::Single);
        let (known, one) = (graph.sum(&marks, 1), graph.single(1.0));
        graph.op("Max", &[&known, &one])
    }

    /// `[rows, values]`: the same numbers in every row, in double precision.
    pub fn constant(&self, graph: &mut Graph, values: &[f64]) -> Symbol {
        let values = graph.doubles(&[1, values.len()], values.to_vec());
        graph.add(&self.zero, &values)
    }
}
