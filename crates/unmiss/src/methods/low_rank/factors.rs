//! A few hidden causes behind many columns: the model, and what it says about a row with holes.
//!
//! ```text
//! x = μ + W z + e      z ~ N(0, I), [factors]      e_j ~ N(0, ψ_j)      W: [columns, factors]
//!
//! given the known columns o of a row, z ~ N(ẑ, A⁻¹) with
//! A = I + Σ_{j in o} w_j w_j' / ψ_j        ẑ = A⁻¹ Σ_{j in o} w_j (x_j - μ_j) / ψ_j
//! ```
//!
//! A row costs |o| · factors², where a full covariance would cost |o|³.

use crate::linalg::{Square, dot};
use crate::onnx::{Graph, Kind, Symbol, WrittenNumbers};
use crate::rng::Stream;

/// The fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct Factors {
    /// How many hidden causes.
    pub count: usize,
    /// `[columns]`: μ.
    pub mean: Vec<f64>,
    /// `[columns, count]`: W.
    pub loadings: Vec<f64>,
    /// `[columns]`: ψ, above 0.
    pub noise: Vec<f64>,
}

impl Factors {
    /// A column's loadings.
    pub fn loading(&self, column: usize) -> &[f64] {
        &self.loadings[column * self.count..(column + 1) * self.count]
    }

    /// Replaces a line's missing cells by their expectation; returns what is left open about the causes, for a draw.
    pub fn fill(&self, observed: &[bool], line: &mut [f64]) -> Open {
        let (mut precision, mut causes) = (Square::identity(self.count), vec![0.0; self.count]);
        for column in (0..line.len()).filter(|&column| observed[column]) {
            let loading = self.loading(column);
            let scaled = (line[column] - self.mean[column]) / self.noise[column];
            for (i, own) in loading.iter().enumerate() {
                causes[i] += own * scaled;
                let weight = own / self.noise[column];
                let row = &mut precision.cells[i * self.count..=i * self.count + i];
                row.iter_mut().zip(loading).for_each(|(sum, other)| *sum += weight * other);
            }
        }
        // A is at least the identity: it has a triangle unless the model is damaged, and then the mean stands in.
        let lower = precision.cholesky(0.0).unwrap_or_else(|_| Square::identity(self.count));
        lower.forward(&mut causes);
        lower.backward(&mut causes);
        self.say(observed, &causes, line);
        Open { lower, causes }
    }

    /// `[rows, columns]`: the expectation of missing cells, in double precision, as operations of a graph. With gain
    /// k = A⁻¹ w_j / (ψ_j + w_j' A⁻¹ w_j) where column j is known, ẑ <- ẑ + k (x_j - μ_j - w_j'ẑ) and
    /// A⁻¹ <- A⁻¹ - k (A⁻¹ w_j)', for one column after the other.
    pub fn write(&self, graph: &mut Graph, rows: &WrittenNumbers) -> Symbol {
        let (count, columns) = (self.count, self.mean.len());
        let identity = (0..count * count).map(|cell| f64::from(u8::from(cell / count == cell % count)));
        let mut open = graph.doubles(&[1, count, count], identity.collect());
        let mut causes = graph.doubles(&[1, count], vec![0.0; count]);
        let values = graph.cast(&rows.values, Kind::Double);
        let nothing = graph.double(0.0);
        for column in 0..columns {
            let own = graph.integers(&[1], &[column as i64]);
            let loading = graph.doubles(&[count, 1], self.loading(column).to_vec());
            let (mean, noise) = (graph.double(self.mean[column]), graph.double(self.noise[column]));
            let side = graph.product(&open, &loading); // [rows, count, 1]
            let flat = graph.shaped(&side, &[-1, count as i64]);
            let spread = graph.product(&flat, &loading); // [rows, 1]
            let below = graph.add(&noise, &spread);
            let gain = graph.divide(&flat, &below);
            let (known, value) = (graph.gather(&rows.observed, &own, 1), graph.gather(&values, &own, 1));
            let gain = graph.choose(&known, &gain, &nothing); // [rows, count]
            let (said, deviation) = (graph.product(&causes, &loading), graph.subtract(&value, &mean));
            let surprise = graph.subtract(&deviation, &said);
            let moved = graph.times(&gain, &surprise);
            causes = graph.add(&causes, &moved);
            let upright = graph.shaped(&gain, &[-1, count as i64, 1]);
            let across = graph.shaped(&flat, &[-1, 1, count as i64]);
            let told = graph.times(&upright, &across);
            open = graph.subtract(&open, &told);
        }
        let turned = (0..count * columns).map(|cell| self.loadings[cell % columns * count + cell / columns]);
        let (loadings, mean) = (turned.collect(), self.mean.clone());
        let (loadings, mean) =
            (graph.doubles(&[count, columns], loadings), graph.doubles(&[1, columns], mean));
        let said = graph.product(&causes, &loadings);
        graph.add(&said, &mean)
    }

    fn say(&self, observed: &[bool], causes: &[f64], line: &mut [f64]) {
        for column in (0..line.len()).filter(|&column| !observed[column]) {
            line[column] = self.mean[column] + dot(self.loading(column), causes);
        }
    }

    /// Replaces the missing cells by a draw: of the causes first, then of each column's own noise.
    pub fn draw(&self, observed: &[bool], open: &Open, line: &mut [f64], stream: &mut Stream) {
        // L'⁻¹ ε has covariance (L L')⁻¹ = A⁻¹.
        let mut causes: Vec<f64> = open.causes.iter().map(|_| stream.normal()).collect();
        open.lower.backward(&mut causes);
        causes.iter_mut().zip(&open.causes).for_each(|(noise, mean)| *noise += mean);
        self.say(observed, &causes, line);
        for column in (0..line.len()).filter(|&column| !observed[column]) {
            line[column] += self.noise[column].sqrt() * stream.normal();
        }
    }
}

/// What is known of a row's causes.
pub struct Open {
    /// The lower triangle of A.
    lower: Square,
    /// ẑ.
    causes: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Conditional, Normal};

    fn model() -> Factors {
        Factors {
            count: 2,
            mean: vec![1.0, -1.0, 0.5, 0.0],
            loadings: vec![0.9, 0.0, 0.5, 0.7, -0.3, 0.8, 0.2, -0.6],
            noise: vec![0.2, 0.3, 0.1, 0.5],
        }
    }

    /// The same distribution with its covariance W W' + ψ written out.
    fn written_out(model: &Factors) -> Normal {
        let columns = model.mean.len();
        let cell = |i: usize, j: usize| {
            dot(model.loading(i), model.loading(j)) + if i == j { model.noise[i] } else { 0.0 }
        };
        let covariance = (0..columns * columns).map(|cell_at| cell(cell_at / columns, cell_at % columns));
        Normal::from_parts(model.mean.clone(), covariance.collect())
    }

    #[test]
    fn a_row_is_filled_as_the_whole_covariance_would() {
        let model = model();
        let normal = written_out(&model);
        for observed in [[true, false, true, false], [false, true, false, false], [false; 4]] {
            let row: Vec<f64> = observed.iter().map(|known| if *known { 0.8 } else { 9.0 }).collect();
            let mut line = row.clone();
            model.fill(&observed, &mut line);
            let mut deviations: Vec<f64> = (0..4)
                .map(|column| if observed[column] { row[column] - model.mean[column] } else { 0.0 })
                .collect();
            Conditional::new(&normal).fill(&observed, &mut deviations, None);
            for column in 0..4 {
                assert!((line[column] - model.mean[column] - deviations[column]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn draws_scatter_as_the_whole_covariance_says() {
        let model = model();
        let observed = [true, false, true, true];
        let mut line = [1.2, 0.0, 0.4, -0.3];
        let open = model.fill(&observed, &mut line);
        let expected = line[1];
        let (missing, left) =
            Conditional::new(&written_out(&model)).fill_and_open(&observed, &mut [0.2, 0.0, -0.1, -0.3]);
        assert_eq!(missing, [1]);
        let (mut sum, mut squares) = (0.0, 0.0);
        for draw in 0..6000 {
            model.draw(&observed, &open, &mut line, &mut Stream::new(1, "draw", 0, draw));
            (sum, squares) = (sum + line[1], squares + line[1] * line[1]);
        }
        let mean = sum / 6000.0;
        assert!((mean - expected).abs() < 0.03, "{mean} {expected}");
        assert!((squares / 6000.0 - mean * mean - left.at(0, 0)).abs() < 0.03);
    }
}
