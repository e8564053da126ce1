//! The best possible answer for a row: E\[y | known cells, which cells are missing\].
//!
//! t = β₀ + β·X is left open by the missing cells; all that a response needs is its mean t̂ and variance v.
//!
//! ```text
//! mcar, mar       t̂ = β₀ + β_o·x_o + β_m·(μ_m + Σ_mo Σ_oo⁻¹ (x_o - μ_o)),  v = β_m' (Σ_mm - Σ_mo Σ_oo⁻¹ Σ_om) β_m
//! self-gaussian   a missing cell is an observation of μ̃_j with noise variance σ̃²_j: with A = Σ + diag(σ̃² m), m
//!                 being 1 where missing, and z = (x where known, μ̃ where missing),
//!                 t̂ = β₀ + β·(μ + Σ A⁻¹ (z - μ)),  v = β' Σ A⁻¹ (σ̃² m β)
//! self-probit     t is not normal: see `truncated`
//! mnar            the same: see `slice`
//! ```
//!
//! The first is Proposition 2.1 of the NeuMiss paper, the second says the same as its Proposition 2.2 with one matrix
//! of all columns in place of parts; both are tests.

use rayon::prelude::*;

use super::mask::{Rule, SLOPE};
use super::settings::{Masking, Way};
use super::slice::Slice;
use super::truncated::Truncated;
use super::world::{Drawn, World};
use crate::error::{Error, Result};
use crate::linalg::{Conditional, Square, dot};
use crate::rng::Stream;

/// Sweeps of the sampler that count, where nothing else is asked for.
pub const SWEEPS: usize = 500;

/// The best possible answers.
#[derive(Debug, Clone, PartialEq)]
pub struct Bayes {
    /// One for each row.
    pub answers: Vec<f64>,
    /// The standard error of each answer, where answers are sampled.
    pub errors: Option<Vec<f64>>,
}

impl World {
    /// The best possible answers for rows of this world. `sweeps` is how long to sample where there is no formula.
    ///
    /// # Errors
    /// When `sweeps` is 0.
    pub fn bayes(&self, drawn: &Drawn, sweeps: usize) -> Result<Bayes> {
        let masking = self.settings.masking;
        if sweeps == 0 {
            return Err(Error::setting("sweeps", "at least one sweep is needed"));
        }
        let conditional = Conditional::new(&self.normal);
        let response = self.settings.response;
        let answer = |row: usize| -> Result<(f64, f64)> {
            let cells = row * drawn.columns..(row + 1) * drawn.columns;
            let (values, observed) = (&drawn.values[cells.clone()], &drawn.observed[cells]);
            let stream = &mut Stream::new(self.seed, "simulate sweeps", (drawn.first + row) as u64, 0);
            let (t, v) = match masking {
                Masking::Mcar | Masking::Mar => self.given_known(&conditional, values, observed),
                Masking::SelfGaussian => self.given_sites(values, observed)?,
                Masking::SelfProbit => {
                    return Ok(self.truncated(values, observed)?.answer(response, sweeps, stream));
                }
                Masking::Mnar | Masking::MnarUniform => {
                    return Ok(self.slice(&conditional, values, observed)?.answer(response, sweeps, stream));
                }
            };
            Ok((response.expected(t, v), 0.0))
        };
        // Collected before they are looked through, so that an error is always the first row's.
        let found: Vec<Result<(f64, f64)>> = (0..drawn.rows()).into_par_iter().map(answer).collect();
        let found = found.into_iter().collect::<Result<Vec<_>>>()?;
        let (answers, errors): (Vec<f64>, Vec<f64>) = found.into_iter().unzip();
        Ok(Bayes { answers, errors: (masking.way() == Way::Sampled).then_some(errors) })
    }

    /// t̂ and v where holes tell nothing beyond the known cells.
    pub(super) fn given_known(
        &self,
        conditional: &Conditional<'_>,
        values: &[f64],
        observed: &[bool],
    ) -> (f64, f64) {
        let pattern = conditional.pattern(observed);
        let known = |full: f64, column: usize| if observed[column] { full } else { 0.0 };
        let mut filled: Vec<f64> = (0..values.len())
            .map(|column| known(values[column] - self.normal.mean[column], column))
            .collect();
        pattern.fill(conditional, &mut filled);
        let t = self.intercept + dot(&self.weights, &self.normal.mean) + dot(&self.weights, &filled);
        // Σ β_m, of which the known columns explain what they would fill in if it were a row.
        let missing: Vec<f64> =
            self.weights.iter().zip(observed).map(|(w, seen)| if *seen { 0.0 } else { *w }).collect();
        let spread: Vec<f64> =
            (0..values.len()).map(|row| dot(self.normal.covariance.row(row), &missing)).collect();
        let mut explained: Vec<f64> = (0..values.len()).map(|column| known(spread[column], column)).collect();
        pattern.fill(conditional, &mut explained);
        let v = dot(&missing, &spread) - dot(&missing, &explained);
        (t, v.max(0.0))
    }

    /// t̂ and v where a hole is an observation with noise.
    pub(super) fn given_sites(&self, values: &[f64], observed: &[bool]) -> Result<(f64, f64)> {
        let (mut deviations, mut noise) = (vec![0.0; values.len()], vec![0.0; values.len()]);
        for (column, rule) in self.rules.iter().enumerate() {
            let mut seen = values[column];
            if let (false, Rule::Gaussian { centre, width }) = (observed[column], rule) {
                (seen, noise[column]) = (*centre, *width);
            }
            deviations[column] = seen - self.normal.mean[column];
        }
        let lower = self.noisy(&noise)?;
        let solve = |mut right: Vec<f64>| {
            lower.forward(&mut right);
            lower.backward(&mut right);
            right
        };
        let h = solve(deviations);
        let u = solve(noise.iter().zip(&self.weights).map(|(noise, weight)| noise * weight).collect());
        let t = self.intercept + dot(&self.weights, &self.normal.mean) + dot(&self.spread, &h);
        Ok((t, dot(&self.spread, &u).max(0.0)))
    }

    /// The lower triangle of A = Σ + diag(noise).
    fn noisy(&self, noise: &[f64]) -> Result<Square> {
        let mut matrix = self.normal.covariance.clone();
        noise.iter().enumerate().for_each(|(column, noise)| *matrix.at_mut(column, column) += noise);
        matrix.cholesky(0.0).map_err(|_| Error::data("the covariance of a row can't be factorised"))
    }

    /// What a row says where larger values hide.
    fn truncated(&self, values: &[f64], observed: &[bool]) -> Result<Truncated> {
        let missing: Vec<usize> = (0..values.len()).filter(|&column| !observed[column]).collect();
        let noise: Vec<f64> =
            observed.iter().map(|seen| if *seen { 0.0 } else { 1.0 / (SLOPE * SLOPE) }).collect();
        let precision = self.noisy(&noise)?.inverse_of_product();
        let known: Vec<f64> = (0..values.len())
            .map(|column| if observed[column] { values[column] - self.normal.mean[column] } else { 0.0 })
            .collect();
        // K Σ β: how t̂ grows with each coordinate.
        let slopes: Vec<f64> =
            (0..values.len()).map(|column| dot(precision.row(column), &self.spread)).collect();
        let bound = |&column: &usize| match self.rules[column] {
            Rule::Probit { offset } => offset / SLOPE - self.normal.mean[column],
            _ => f64::NEG_INFINITY,
        };
        let variance: f64 =
            missing.iter().map(|&column| slopes[column] * noise[column] * self.weights[column]).sum();
        Ok(Truncated {
            known: missing.iter().map(|&column| dot(precision.row(column), &known)).collect(),
            bounds: missing.iter().map(bound).collect(),
            base: self.intercept + dot(&self.weights, &self.normal.mean) + dot(&slopes, &known),
            slopes: missing.iter().map(|&column| slopes[column]).collect(),
            variance: variance.max(0.0),
            precision: precision.part(&missing),
        })
    }

    /// What a row says where logistic functions of all columns make the holes.
    fn slice(&self, conditional: &Conditional<'_>, values: &[f64], observed: &[bool]) -> Result<Slice> {
        let mut centre: Vec<f64> = (0..values.len())
            .map(|column| if observed[column] { values[column] - self.normal.mean[column] } else { 0.0 })
            .collect();
        let (missing, open) = conditional.fill_and_open(observed, &mut centre);
        centre.iter_mut().zip(&self.normal.mean).for_each(|(value, mean)| *value += mean);
        let lower =
            open.cholesky(0.0).map_err(|_| Error::data("the covariance of a row can't be factorised"))?;
        let (mut logits, mut slopes) = (Vec::new(), Vec::new());
        for (column, rule) in self.rules.iter().enumerate() {
            if let Rule::Logistic { weights, intercept } = rule {
                let sign = if observed[column] { -1.0 } else { 1.0 };
                logits.push(sign * (dot(weights, &centre) + intercept));
                slopes.extend(missing.iter().map(|&place| sign * weights[place]));
            }
        }
        let weights = missing.iter().map(|&place| self.weights[place]).collect();
        Ok(Slice { lower, logits, slopes, base: self.intercept + dot(&self.weights, &centre), weights })
    }
}
