//! The plain layout written down as operations of a graph, there and back.

use super::{Indicators, Wide, deviation};
use crate::onnx::{Attribute, Graph, Kind, Symbol, WrittenCategory, WrittenNumbers, WrittenRows};

impl Wide {
    /// Values in single precision and marks, both `[rows, columns]`: what [`Wide::widen`] gives.
    pub fn write(&self, graph: &mut Graph, rows: &WrittenRows) -> WrittenNumbers {
        let (mut values, mut marks) = (Vec::new(), Vec::new());
        if let Some(numbers) = &rows.numbers {
            values.push(numbers.values.clone());
            marks.push(numbers.observed.clone());
        }
        let indicated = self.categories.iter().zip(&rows.categories).filter(|(own, _)| !own.codes.is_empty());
        for (own, category) in indicated {
            let width = own.codes.len();
            let table = own.table(category.codes);
            values.push(category.lines(graph, &table, width));
            let (mark, shape) = (category.observed(graph), graph.integers(&[2], &[1, width as i64]));
            marks.push(graph.op("Expand", &[&mark, &shape]));
        }
        WrittenNumbers {
            values: graph.beside(&values.iter().collect::<Vec<_>>()),
            observed: graph.beside(&marks.iter().collect::<Vec<_>>()),
            columns: self.columns,
        }
    }

    /// Filled lines `[rows, columns]`, in double precision, under the marks that say "missing": what
    /// [`Wide::narrow`] does without a draw.
    pub fn write_narrow(&self, graph: &mut Graph, lines: &Symbol, rows: &WrittenRows) -> WrittenRows {
        let numbers = rows.numbers.as_ref().map(|numbers| {
            let filled = graph.columns(lines, 0..self.numbers);
            let filled = graph.cast(&filled, Kind::Single);
            let values = graph.choose(&numbers.observed, &numbers.values, &filled);
            WrittenNumbers { values, observed: numbers.observed.clone(), columns: numbers.columns }
        });
        let filled = self.categories.iter().zip(&rows.categories).map(|(own, category)| {
            let likeliest = own.write_read(graph, lines, &category.place);
            let known = category.observed(graph);
            let known = graph.shaped(&known, &[-1]);
            WrittenCategory {
                place: graph.choose(&known, &category.place, &likeliest),
                codes: category.codes,
            }
        });
        let categories = filled.collect();
        WrittenRows { numbers, categories, zero: rows.zero.clone() }
    }
}

impl Indicators {
    /// `[codes + 1, indicators]`: what stands for each code; zeros for a hole.
    fn table(&self, codes: usize) -> Vec<f32> {
        let line = |code: usize| {
            let indicators = self.codes.iter().zip(&self.shares);
            indicators.map(move |(own, share)| {
                let indicator = f64::from(u8::from(*own as usize == code));
                ((indicator - share) / deviation(*share)) as f32
            })
        };
        (0..codes).flat_map(line).chain(std::iter::repeat_n(0.0, self.codes.len())).collect()
    }

    /// `[rows]`: the likeliest code by the indicators of filled lines. `like` is of the same length.
    fn write_read(&self, graph: &mut Graph, lines: &Symbol, like: &Symbol) -> Symbol {
        let rest = graph.integers(&[1], &[i64::from(self.rest)]);
        if self.codes.is_empty() {
            let nothing = graph.integers(&[1], &[0]);
            let zeros = graph.times(like, &nothing);
            return graph.add(&zeros, &rest);
        }
        let width = self.codes.len();
        let own = graph.columns(lines, self.start..self.start + width);
        let shares = graph.doubles(&[1, width], self.shares.clone());
        let deviations =
            graph.doubles(&[1, width], self.shares.iter().map(|share| deviation(*share)).collect());
        let wide = graph.times(&own, &deviations);
        let chances = graph.add(&shares, &wide);
        let mut chances = graph.clamp(&chances, 0.0, 1.0);
        if width == 1 && self.rest != self.codes[0] {
            let one = graph.double(1.0);
            let other = graph.subtract(&one, &chances);
            chances = graph.beside(&[&chances, &other]);
        }
        let settings = vec![Attribute::integer("axis", 1), Attribute::integer("keepdims", 0)];
        let best = graph.op_with("ArgMax", &[&chances], settings);
        // Where no level has a chance the first is taken, which is the most frequent one.
        let codes: Vec<i64> = self.codes.iter().chain([&self.rest]).map(|code| i64::from(*code)).collect();
        let codes = graph.integers(&[codes.len()], &codes);
        graph.gather(&codes, &best, 0)
    }
}
