//! The process written down as operations of a graph: the rows that it learned from are constants of it.

use super::clouds::{Clouds, Places};
use super::solved::Solved;
use crate::encode::Task;
use crate::linalg::given_known;
use crate::onnx::{Graph, Kind, Symbol, WrittenRows};

/// A row's cloud: `[rows, coordinates]` of means, marks among them, and `[rows, columns]` of variances.
struct WrittenClouds {
    means: Symbol,
    variances: Symbol,
    columns: usize,
}

impl Places {
    fn write(&self, graph: &mut Graph, rows: &WrittenRows, weight: f32) -> WrittenClouds {
        let cells = self.wide.write(graph, rows);
        let columns = cells.columns;
        let values = graph.cast(&cells.values, Kind::Double);
        let (mean, open) = given_known(graph, &self.normal, (&values, &cells.observed), None);
        let identity =
            (0..columns * columns).map(|cell| f64::from(u8::from(cell / columns == cell % columns)));
        let identity = graph.doubles(&[1, columns, columns], identity.collect());
        let diagonal = graph.times(&open, &identity);
        let diagonal = graph.sum(&diagonal, 2);
        let diagonal = graph.shaped(&diagonal, &[-1, columns as i64]);
        let nothing = graph.double(0.0);
        let diagonal = graph.op("Max", &[&diagonal, &nothing]);
        let diagonal = graph.choose(&cells.observed, &nothing, &diagonal);
        let (diagonal, mean) = (graph.cast(&diagonal, Kind::Single), graph.cast(&mean, Kind::Single));
        let factors = graph.singles(&[1, columns], &self.factors);
        let squares: Vec<f32> = self.factors.iter().map(|factor| factor.powi(2)).collect();
        let squares = graph.singles(&[1, columns], &squares);
        let (mut means, variances) = (graph.times(&mean, &factors), graph.times(&diagonal, &squares));
        if !self.marked.is_empty() {
            let (marks, weight) = (rows.observed(graph), graph.single(weight));
            let marks = graph.columns(&marks, self.marked.iter().copied());
            let missing = graph.op("Not", &[&marks]);
            let missing = graph.cast(&missing, Kind::Single);
            let missing = graph.times(&missing, &weight);
            means = graph.beside(&[&means, &missing]);
        }
        WrittenClouds { means, variances, columns }
    }
}

impl Clouds {
    /// `[1, rows]` of a coordinate.
    fn line(&self, graph: &mut Graph, cells: &[f32], coordinate: usize) -> Symbol {
        let line: Vec<f32> = cells.iter().skip(coordinate).step_by(self.coordinates).copied().collect();
        graph.singles(&[1, line.len()], &line)
    }
}

impl Solved {
    /// `[rows, outputs]`: answers in double precision.
    pub fn write_answers(&self, graph: &mut Graph, rows: &WrittenRows) -> Symbol {
        let (own, chosen, outputs) = (&self.rows, self.chosen, self.far.len());
        let clouds = self.places.write(graph, rows, chosen.marks);
        let gamma = graph.single(chosen.gamma);
        let (twice, one) = (graph.single(2.0 * chosen.gamma), graph.single(1.0));
        let (mut exponents, mut products) = (graph.single(0.0), one.clone());
        for coordinate in 0..own.coordinates {
            let place = graph.integers(&[1], &[coordinate as i64]);
            let mean = graph.gather(&clouds.means, &place, 1); // [rows, 1]
            let theirs = own.line(graph, &own.means, coordinate); // [1, learned rows]
            let apart = graph.subtract(&theirs, &mean);
            let near = graph.times(&gamma, &apart);
            let mut far = graph.times(&near, &apart);
            // Marks are known for certain.
            if coordinate < clouds.columns {
                let open = own.line(graph, &own.variances, coordinate);
                let variance = graph.gather(&clouds.variances, &place, 1);
                let both = graph.add(&open, &variance);
                let both = graph.times(&twice, &both);
                let wider = graph.add(&one, &both);
                far = graph.divide(&far, &wider);
                products = graph.times(&products, &wider);
            }
            exponents = graph.add(&exponents, &far);
        }
        let (exponents, products) =
            (graph.cast(&exponents, Kind::Double), graph.cast(&products, Kind::Double));
        let exponents = graph.op("Neg", &[&exponents]);
        let (near, wide) = (graph.op("Exp", &[&exponents]), graph.op("Sqrt", &[&products]));
        let likeness = graph.divide(&near, &wide); // [rows, learned rows]
        let weights = graph.doubles(&[own.rows(), outputs], self.weights.to_vec());
        let learned = graph.product(&likeness, &weights);
        let sharpness = graph.double(self.sharpness);
        if self.task == Task::Regression {
            let far = graph.doubles(&[1, outputs], self.far.to_vec());
            return graph.add(&learned, &far);
        }
        let shares = self.far.iter().map(|share| share.max(1e-6).ln()).collect();
        let shares = graph.doubles(&[1, outputs], shares);
        let sharp = graph.times(&sharpness, &learned);
        let sums = graph.add(&sharp, &shares);
        graph.softmax(&sums)
    }
}
