//! The missing part of a row given its known part, for all rows with the same holes.
//!
//! Two ways lead there; the one with the smaller system is taken. With P = Σ⁻¹, computed once,
//!
//! ```text
//! few known:    solve Σ_oo w = x_o - μ_o,          x̂_m = μ_m + Σ_mo w
//! few missing:  solve P_mm v = P_mo (x_o - μ_o),   x̂_m = μ_m - v,        C = P_mm⁻¹
//! ```

use super::normal::Normal;
use super::products::add_crossed;
use super::square::{Square, dot};
use crate::rng::Stream;

/// A distribution ready to answer: with the inverse of its covariance.
pub struct Conditional<'a> {
    normal: &'a Normal,
    /// `None` where the covariance has no inverse; then only the first way is open.
    precision: Option<&'a Square>,
}

impl<'a> Conditional<'a> {
    /// Prepares a distribution.
    pub fn new(normal: &'a Normal) -> Self {
        Self { normal, precision: normal.precision() }
    }

    /// The mean.
    pub fn mean(&self) -> &[f64] {
        &self.normal.mean
    }

    /// Σ⁻¹, where there is one.
    pub(super) fn precision(&self) -> Option<&Square> {
        self.precision
    }

    /// What the other known cells of a row say about each known one, by leaving it out: with K = Σ_oo⁻¹,
    /// x̂_j = x_j - (K (x_o - μ_o))_j / K_jj. Missing cells get what all known ones say. As deviations from the mean.
    pub fn leave_one_out(&self, observed: &[bool], deviations: &[f64]) -> Vec<f64> {
        let mut guesses = deviations.to_vec();
        self.fill(observed, &mut guesses, None);
        let known: Vec<usize> = (0..observed.len()).filter(|&column| observed[column]).collect();
        let Ok(lower) = self.normal.covariance.part(&known).cholesky(0.0) else {
            return vec![0.0; observed.len()];
        };
        let inverse = lower.inverse_of_product();
        let own: Vec<f64> = known.iter().map(|&column| deviations[column]).collect();
        for (place, &column) in known.iter().enumerate() {
            guesses[column] = own[place] - dot(inverse.row(place), &own) / inverse.at(place, place);
        }
        guesses
    }

    /// Fills a row as [`fill`](Self::fill) does, and says what is left open: the missing columns and their covariance
    /// given the known ones.
    pub fn fill_and_open(&self, observed: &[bool], deviations: &mut [f64]) -> (Vec<usize>, Square) {
        let pattern = Pattern::new(self, observed);
        pattern.fill(self, deviations);
        let open = pattern.open(self);
        (pattern.missing, open)
    }

    /// What rows with these holes are filled by.
    pub fn pattern(&self, observed: &[bool]) -> Pattern {
        Pattern::new(self, observed)
    }

    /// Fills one row: `deviations` from the mean where `observed`, 0 elsewhere, become deviations everywhere.
    /// With a stream the missing part is drawn instead of expected.
    pub fn fill(&self, observed: &[bool], deviations: &mut [f64], draw: Option<&mut Stream>) {
        let pattern = Pattern::new(self, observed);
        pattern.fill(self, deviations);
        if let Some(stream) = draw {
            pattern.add_noise(self, deviations, stream);
        }
    }
}

/// One pattern of holes, its system solved once for all rows that have it.
pub struct Pattern {
    known: Vec<usize>,
    missing: Vec<usize>,
    factor: Factor,
}

enum Factor {
    /// Lower triangle of Σ_oo.
    Known(Square),
    /// Lower triangle of P_mm.
    Missing(Square),
    /// Nothing is known or nothing missing, or a damaged covariance can't be solved: the mean stands in.
    Neither,
}

impl Pattern {
    pub(super) fn new(conditional: &Conditional<'_>, observed: &[bool]) -> Self {
        let (known, missing): (Vec<usize>, Vec<usize>) =
            (0..observed.len()).partition(|&column| observed[column]);
        let factor = match conditional.precision {
            _ if known.is_empty() || missing.is_empty() => Factor::Neither,
            Some(precision) if missing.len() < known.len() => {
                precision.part(&missing).cholesky(0.0).map_or(Factor::Neither, Factor::Missing)
            }
            _ => {
                let lower = conditional.normal.covariance.part(&known).cholesky(0.0);
                lower.map_or(Factor::Neither, Factor::Known)
            }
        };
        Self { known, missing, factor }
    }

    /// Puts x̂_m - μ_m into the missing places, which hold 0.
    pub fn fill(&self, conditional: &Conditional<'_>, deviations: &mut [f64]) {
        match (&self.factor, conditional.precision) {
            (Factor::Missing(lower), Some(precision)) => {
                // Missing places hold 0, so whole rows of P can be multiplied.
                let mut v: Vec<f64> =
                    self.missing.iter().map(|&column| dot(precision.row(column), deviations)).collect();
                lower.forward(&mut v);
                lower.backward(&mut v);
                self.missing.iter().zip(v).for_each(|(&column, value)| deviations[column] = -value);
            }
            (Factor::Known(lower), _) => {
                let mut w: Vec<f64> = self.known.iter().map(|&column| deviations[column]).collect();
                lower.forward(&mut w);
                lower.backward(&mut w);
                for &column in &self.missing {
                    let row = conditional.normal.covariance.row(column);
                    deviations[column] = self.known.iter().zip(&w).map(|(&known, w)| row[known] * w).sum();
                }
            }
            _ => {}
        }
    }

    /// C, `[missing, missing]`: what the known columns leave open.
    fn open(&self, conditional: &Conditional<'_>) -> Square {
        let covariance = &conditional.normal.covariance;
        let mut open = covariance.part(&self.missing);
        match &self.factor {
            Factor::Missing(lower) => open = lower.inverse_of_product(),
            Factor::Known(lower) => {
                // Σ_mo Σ_oo⁻¹ Σ_om = H' H with H = L⁻¹ Σ_om, [known, missing].
                let count = self.missing.len();
                let mut half: Vec<f64> = self
                    .known
                    .iter()
                    .flat_map(|&known| self.missing.iter().map(move |&column| covariance.at(known, column)))
                    .collect();
                lower.forward_all(&mut half, count);
                add_crossed(&mut open.cells, (&half, count), (&half, count), -1.0);
            }
            Factor::Neither => {}
        }
        open
    }

    /// Adds `count` times C to the sums of products.
    pub(super) fn add_open(&self, conditional: &Conditional<'_>, count: f64, squares: &mut Square) {
        if self.missing.is_empty() {
            return;
        }
        let open = self.open(conditional);
        for (i, &row) in self.missing.iter().enumerate() {
            for (j, &column) in self.missing.iter().enumerate() {
                *squares.at_mut(row, column) += count * open.at(i, j);
            }
        }
    }

    /// Adds a draw from N(0, C) to the missing places.
    pub fn add_noise(&self, conditional: &Conditional<'_>, deviations: &mut [f64], stream: &mut Stream) {
        let mut noise: Vec<f64> = self.missing.iter().map(|_| stream.normal()).collect();
        match &self.factor {
            // C = (L L')⁻¹, so L'⁻¹ z has covariance C.
            Factor::Missing(lower) => lower.backward(&mut noise),
            _ => match self.open(conditional).cholesky(0.0) {
                Ok(lower) => noise = lower.times(&noise),
                Err(_) => noise.fill(0.0),
            },
        }
        self.missing.iter().zip(noise).for_each(|(&column, value)| deviations[column] += value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal() -> Normal {
        let covariance = vec![2.0, 1.0, 0.5, 1.0, 2.0, 0.4, 0.5, 0.4, 1.0];
        Normal::from_parts(vec![0.0; 3], covariance)
    }

    #[test]
    fn both_ways_lead_to_the_same_place() {
        let normal = normal();
        let both = Conditional::new(&normal);
        let first_only = Conditional { normal: &normal, precision: None };
        for observed in [[true, true, false], [true, false, true], [false, true, true]] {
            let row: Vec<f64> =
                observed.iter().zip([0.7, -1.2, 0.3]).map(|(o, x)| if *o { x } else { 0.0 }).collect();
            let (mut one, mut other) = (row.clone(), row);
            both.fill(&observed, &mut one, None);
            first_only.fill(&observed, &mut other, None);
            one.iter().zip(&other).for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
            let open = |conditional: &Conditional<'_>| Pattern::new(conditional, &observed).open(conditional);
            assert!((open(&both).at(0, 0) - open(&first_only).at(0, 0)).abs() < 1e-12);
        }
        // By hand: Σ_mo / Σ_oo = 1 / 2 and 0.5 / 2; C = [2 - 0.5, ...].
        let mut row = [1.0, 0.0, 0.0];
        both.fill(&[true, false, false], &mut row, None);
        assert!((row[1] - 0.5).abs() < 1e-12 && (row[2] - 0.25).abs() < 1e-12);
    }

    #[test]
    fn leaving_out_is_hiding() {
        let normal = normal();
        let conditional = Conditional::new(&normal);
        let row = [0.7, -1.2, 0.3];
        let guesses = conditional.leave_one_out(&[true; 3], &row);
        for column in 0..3 {
            let (mut observed, mut hidden) = ([true; 3], row);
            (observed[column], hidden[column]) = (false, 0.0);
            conditional.fill(&observed, &mut hidden, None);
            assert!((hidden[column] - guesses[column]).abs() < 1e-12);
        }
    }

    #[test]
    fn draws_scatter_as_the_open_part_says() {
        let normal = normal();
        let conditional = Conditional::new(&normal);
        for (observed, expected) in [([true, true, false], 0.8666), ([true, false, false], 0.875)] {
            let mut sum = (0.0, 0.0);
            for draw in 0..4000 {
                let mut row = [0.0; 3];
                conditional.fill(&observed, &mut row, Some(&mut Stream::new(1, "noise", 0, draw)));
                sum = (sum.0 + row[2], sum.1 + row[2] * row[2]);
            }
            let variance = sum.1 / 4000.0 - (sum.0 / 4000.0_f64).powi(2);
            assert!((variance - expected).abs() < 0.06, "{variance}");
        }
    }

    #[test]
    fn nothing_known_is_the_mean_and_a_draw_has_the_whole_covariance() {
        let normal = normal();
        let conditional = Conditional::new(&normal);
        let mut row = [0.0; 3];
        conditional.fill(&[false; 3], &mut row, None);
        assert_eq!(row, [0.0; 3]);
        conditional.fill(&[false; 3], &mut row, Some(&mut Stream::new(1, "noise", 0, 0)));
        assert!(row.iter().all(|value| *value != 0.0));
    }
}
