//! The joint normal distribution of the columns with sites, and what it says of rows with given holes.
//!
//! A site is how a hole of column j speaks of the value that it hides: as an observation of it, of value t_j and with
//! noise of variance D_j. That is exact where P(missing | x_j) is a bell around t_j; D_j → ∞ says nothing (holes by
//! chance). With M the holes of a row and z = x where known, t where missing,
//!
//! ```text
//! A = Σ + diag(M D)        r = z - μ        h = A⁻¹ r
//! x̂ = E[x | known, M] = μ + Σ h                       (equals x where known)
//! w'x̂ = w'μ + v'r,         v = A⁻¹ Σ w
//! Var[w'x | known, M] = w'Σ w - v'Σ w
//! ```
//!
//! Computed with τ = 1 / D, η = t / D, and rows and columns of holes multiplied by s = √τ, so that τ = 0 is no
//! special case: A⁻¹ = S (S Σ S + M)⁻¹ S, S = diag(s where missing, 1 where known).

use crate::linalg::lanes::{LANES, Lane, backward, cholesky, forward, scaled, triangle};

/// The distribution, and directions w_k in which answers need it.
pub struct Joint {
    /// Columns.
    pub columns: usize,
    /// μ.
    pub mean: Vec<f64>,
    /// Σ, `[columns, columns]`.
    pub covariance: Vec<f64>,
    /// η of each column.
    pub tilt: Vec<f64>,
    /// τ of each column; 0 where holes say nothing.
    pub precision: Vec<f64>,
    /// w, `[directions, columns]`.
    pub weights: Vec<f64>,
    /// Σ w, `[directions, columns]`.
    pub spread: Vec<f64>,
    /// w'μ and w'Σ w of each direction.
    pub along: Vec<(f64, f64)>,
}

/// Eight patterns of holes, solved.
pub struct Solved {
    /// S.
    scales: Vec<Lane>,
    /// The lower triangle of S Σ S + M.
    lower: Vec<Lane>,
    /// v, `[directions, columns]`.
    pub effects: Vec<Lane>,
    /// Var[w'x | known, M] of each direction.
    pub open: Vec<Lane>,
}

impl Joint {
    /// Σ w and what goes with it, from the rest.
    pub fn new(
        mean: Vec<f64>,
        covariance: Vec<f64>,
        (tilt, precision): (Vec<f64>, Vec<f64>),
        weights: Vec<f64>,
    ) -> Self {
        let columns = mean.len();
        let mut spread = Vec::with_capacity(weights.len());
        let mut along = Vec::new();
        for w in weights.chunks_exact(columns.max(1)) {
            let own = covariance.chunks_exact(columns).map(|row| dot(row, w));
            spread.extend(own);
            along.push((dot(w, &mean), dot(w, &spread[spread.len() - columns..])));
        }
        Self { columns, mean, covariance, tilt, precision, weights, spread, along }
    }

    /// How many directions.
    pub fn directions(&self) -> usize {
        self.along.len()
    }

    /// w of a direction.
    pub fn weights(&self, direction: usize) -> &[f64] {
        &self.weights[direction * self.columns..(direction + 1) * self.columns]
    }

    /// t of a column, 0 where holes say nothing.
    pub fn value(&self, column: usize) -> f64 {
        if self.precision[column] > 0.0 { self.tilt[column] / self.precision[column] } else { 0.0 }
    }

    /// r of a row.
    pub fn residual(&self, values: &[f32], observed: &[bool], into: &mut [f64]) {
        for (column, into) in into.iter_mut().enumerate() {
            let value = if observed[column] { f64::from(values[column]) } else { self.value(column) };
            *into = value - self.mean[column];
        }
    }

    /// Solves up to eight patterns, each given by which columns are known.
    pub fn solved<'p>(&self, patterns: impl Iterator<Item = &'p [bool]>) -> Solved {
        let (columns, directions) = (self.columns, self.directions());
        let (mut scales, mut extra) = (vec![[1.0; LANES]; columns], vec![[0.0; LANES]; columns]);
        for (lane, observed) in patterns.enumerate() {
            for column in (0..columns).filter(|column| !observed[*column]) {
                (scales[column][lane], extra[column][lane]) = (self.precision[column].sqrt(), 1.0);
            }
        }
        let mut lower = vec![[0.0; LANES]; triangle(columns)];
        scaled(columns, &self.covariance, &scales, &extra, &mut lower);
        cholesky(columns, &mut lower);
        let mut solved =
            Solved { scales, lower, effects: vec![[0.0; LANES]; directions * columns], open: Vec::new() };
        for (direction, (_, whole)) in self.along.iter().enumerate() {
            let places = direction * columns..(direction + 1) * columns;
            let effects = &mut solved.effects[places.clone()];
            for ((effect, scale), spread) in effects.iter_mut().zip(&solved.scales).zip(&self.spread[places])
            {
                *effect = scale.map(|scale| scale * spread);
            }
            // |L⁻¹ S Σ w|² = w'Σ A⁻¹ Σ w.
            forward(columns, &solved.lower, effects);
            let mut open = [*whole; LANES];
            effects.iter().for_each(|half| (0..LANES).for_each(|lane| open[lane] -= half[lane] * half[lane]));
            solved.open.push(open.map(|open| open.max(0.0)));
            backward(columns, &solved.lower, effects);
            times_scales(effects, &solved.scales);
        }
        solved
    }
}

impl Solved {
    /// Replaces v by A⁻¹ v.
    pub fn solve(&self, v: &mut [Lane]) {
        times_scales(v, &self.scales);
        forward(v.len(), &self.lower, v);
        backward(v.len(), &self.lower, v);
        times_scales(v, &self.scales);
    }

    /// v of a direction in one lane.
    pub fn effect(&self, direction: usize, lane: usize, into: &mut [f64]) {
        let columns = into.len();
        let effects = &self.effects[direction * columns..(direction + 1) * columns];
        into.iter_mut().zip(effects).for_each(|(into, effect)| *into = effect[lane]);
    }
}

fn times_scales(v: &mut [Lane], scales: &[Lane]) {
    for (v, scale) in v.iter_mut().zip(scales) {
        (0..LANES).for_each(|lane| v[lane] *= scale[lane]);
    }
}

pub use crate::linalg::dot;

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of a reference in another language, for one row with its first and last cell missing.
    #[test]
    fn a_row_is_what_the_reference_says() {
        let covariance = vec![2.0, 0.8, -0.5, 0.8, 1.5, 0.3, -0.5, 0.3, 1.0];
        let (tilt, precision) = (vec![0.75, -2.0, 0.5], vec![0.5, 2.0, 0.25]);
        let joint = Joint::new(vec![0.5, -0.2, 1.0], covariance, (tilt, precision), vec![1.0, -2.0, 0.5]);
        let (values, observed) = ([f32::NAN, 0.7, f32::NAN], [false, true, false]);
        let solved = joint.solved([&observed[..]].into_iter());
        assert!((solved.open[0][0] - 0.715_392_061_955_469_8).abs() < 1e-12);
        let (mut residual, mut effect) = (vec![0.0; 3], vec![0.0; 3]);
        joint.residual(&values, &observed, &mut residual);
        solved.effect(0, 0, &mut effect);
        let answer = 0.3 + joint.along[0].0 + dot(&effect, &residual);
        assert!((answer - 0.658_470_474_346_563_7).abs() < 1e-6, "{answer}");
    }
}
