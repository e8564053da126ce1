//! The mixture: what it says about an image of which some pixels are known.

use crate::linalg::{Square, add_product, dot, pairs, unpack};
use crate::rng::Stream;

/// A group of images: x = μ + A z + ε. With `d` numbers of an image and `l` factors:
#[derive(Debug, Clone, PartialEq)]
pub struct Analyser {
    /// The share of the images that are of this group.
    pub share: f64,
    /// `[d]`: μ.
    pub mean: Vec<f64>,
    /// `[d, l]`: A.
    pub loadings: Vec<f64>,
    /// `[d]`: ψ.
    pub noise: Vec<f64>,
}

/// Some images: values (0 where missing) and marks (1 where known), `[rows, d]` each.
pub struct Known {
    pub values: Vec<f64>,
    pub marks: Vec<f64>,
    pub cells: usize,
}

/// What a group says about some images.
pub struct Expectation {
    /// `[rows]`: log π + log p(x_o | k).
    pub scores: Vec<f64>,
    /// `[rows, l]`: ẑ.
    pub causes: Vec<f64>,
    /// `[rows, pairs of l]`: M, lower triangles.
    pub precisions: Vec<f64>,
}

impl Known {
    /// How many images there are.
    pub fn rows(&self) -> usize {
        self.values.len() / self.cells
    }

    /// Deviations from a mean, 0 where missing.
    pub fn deviations(&self, mean: &[f64]) -> Vec<f64> {
        let mut deviations = self.values.clone();
        let lines = deviations.chunks_exact_mut(self.cells).zip(self.marks.chunks_exact(self.cells));
        for (line, marks) in lines {
            for ((value, mark), mean) in line.iter_mut().zip(marks).zip(mean) {
                *value -= mark * mean;
            }
        }
        deviations
    }
}

impl Analyser {
    /// How many factors there are.
    pub fn factors(&self) -> usize {
        self.loadings.len() / self.mean.len()
    }

    /// What the group says about images, for all of them at once.
    pub fn expect(&self, known: &Known) -> Expectation {
        let (rows, cells, factors) = (known.rows(), known.cells, self.factors());
        let deviations = known.deviations(&self.mean);
        // P: [d, pairs], row j holds a_j a_j' / ψ_j; every M = I + (marks P).
        let (mut triangles, mut scaled) = (Vec::with_capacity(cells * pairs(factors)), self.loadings.clone());
        for (loading, noise) in scaled.chunks_exact_mut(factors.max(1)).zip(&self.noise) {
            for i in 0..factors {
                triangles.extend(loading[..=i].iter().map(|a| loading[i] * a / noise));
            }
            loading.iter_mut().for_each(|a| *a /= noise);
        }
        let (mut precisions, mut causes) = (vec![0.0; rows * pairs(factors)], vec![0.0; rows * factors]);
        add_product(&mut precisions, (&known.marks, cells), (&triangles, pairs(factors)));
        add_product(&mut causes, (&deviations, cells), (&scaled, factors));
        let logarithms: Vec<f64> =
            self.noise.iter().map(|noise| (std::f64::consts::TAU * noise).ln()).collect();
        let inverses: Vec<f64> = self.noise.iter().map(|noise| 1.0 / noise).collect();
        let mut scores = Vec::with_capacity(rows);
        for row in 0..rows {
            let own = row * cells..(row + 1) * cells;
            let precision = &mut precisions[row * pairs(factors)..(row + 1) * pairs(factors)];
            (0..factors).for_each(|i| precision[pairs(i + 1) - 1] += 1.0);
            let cause = &mut causes[row * factors..(row + 1) * factors];
            let right = cause.to_vec();
            let (log_determinant, fit) = match unpack(precision, factors).cholesky(0.0) {
                Ok(lower) => {
                    lower.forward(cause);
                    lower.backward(cause);
                    let diagonal = (0..factors).map(|i| lower.at(i, i).ln()).sum::<f64>();
                    (2.0 * diagonal, dot(&right, cause))
                }
                // Only numbers that are not finite have none; such a group explains nothing.
                Err(_) => (f64::INFINITY, 0.0),
            };
            let distance: f64 = deviations[own.clone()]
                .iter()
                .zip(&inverses)
                .map(|(value, inverse)| value * value * inverse)
                .sum();
            let constant = dot(&known.marks[own], &logarithms);
            scores.push(self.share.ln() - 0.5 * (constant + log_determinant + distance - fit));
        }
        Expectation { scores, causes, precisions }
    }

    /// μ + A z.
    pub fn image(&self, cause: &[f64]) -> Vec<f64> {
        let factors = self.factors();
        let value = |(cell, mean): (usize, &f64)| {
            mean + dot(&self.loadings[cell * factors..(cell + 1) * factors], cause)
        };
        self.mean.iter().enumerate().map(value).collect()
    }
}

/// Chances of the groups for each image, `[groups][rows]`, and the mean log-likelihood, from the groups' scores.
pub fn chances(scores: &[&[f64]]) -> (Vec<Vec<f64>>, f64) {
    let rows = scores.first().map_or(0, |scores| scores.len());
    let mut chances = vec![Vec::with_capacity(rows); scores.len()];
    let mut total = 0.0;
    for row in 0..rows {
        let most = scores.iter().map(|own| own[row]).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|own| (own[row] - most).exp()).sum();
        total += most + sum.ln();
        for (chances, own) in chances.iter_mut().zip(scores) {
            chances.push((own[row] - most).exp() / sum);
        }
    }
    (chances, total / rows.max(1) as f64)
}

/// The filled values of images, `[rows, d]`: the mean over groups, or a draw of each row's stream.
pub fn filled(groups: &[Analyser], known: &Known, streams: Option<&mut [Stream]>) -> Vec<f64> {
    let found: Vec<Expectation> = groups.iter().map(|group| group.expect(known)).collect();
    let scores: Vec<&[f64]> = found.iter().map(|own| own.scores.as_slice()).collect();
    let (chances, _) = chances(&scores);
    let mut values = Vec::with_capacity(known.values.len());
    match streams {
        None => {
            for row in 0..known.rows() {
                let mut mean = vec![0.0; known.cells];
                for ((group, found), chances) in groups.iter().zip(&found).zip(&chances) {
                    // What is next to impossible changes nothing that can be seen.
                    if chances[row] > 1e-6 {
                        let factors = group.factors();
                        let image = group.image(&found.causes[row * factors..(row + 1) * factors]);
                        mean.iter_mut().zip(image).for_each(|(sum, value)| *sum += chances[row] * value);
                    }
                }
                values.extend(mean);
            }
        }
        Some(streams) => {
            for (row, stream) in streams.iter_mut().enumerate() {
                let own: Vec<f64> = chances.iter().map(|chances| chances[row]).collect();
                let place = stream.position(&own).unwrap_or(0);
                values.extend(drawn(&groups[place], &found[place], row, stream));
            }
        }
    }
    values
}

/// μ + A z + ε with z from N(ẑ, M⁻¹): with M = L L', z = ẑ + L'⁻¹ u.
fn drawn(group: &Analyser, found: &Expectation, row: usize, stream: &mut Stream) -> Vec<f64> {
    let factors = group.factors();
    let packed = &found.precisions[row * pairs(factors)..(row + 1) * pairs(factors)];
    let lower = unpack(packed, factors).cholesky(0.0).unwrap_or_else(|_| Square::identity(factors));
    let mut cause: Vec<f64> = (0..factors).map(|_| stream.normal()).collect();
    lower.backward(&mut cause);
    cause.iter_mut().zip(&found.causes[row * factors..]).for_each(|(z, mean)| *z += mean);
    let mut image = group.image(&cause);
    image.iter_mut().zip(&group.noise).for_each(|(value, noise)| *value += noise.sqrt() * stream.normal());
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three numbers, one factor: the joint covariance is known by hand.
    fn group() -> Analyser {
        Analyser {
            share: 1.0,
            mean: vec![1.0, 2.0, 3.0],
            loadings: vec![1.0, 2.0, -1.0],
            noise: vec![0.5, 1.0, 0.25],
        }
    }

    #[test]
    fn holes_follow_the_conditional_normal() {
        // Known: the first two. Covariance of them [[1.5, 2], [2, 5]], with the third [-1, -2].
        let known = Known { values: vec![2.0, 1.0, 0.0], marks: vec![1.0, 1.0, 0.0], cells: 3 };
        let determinant: f64 = 1.5 * 5.0 - 4.0;
        let (a, b) = (1.0, -1.0);
        let solved = [(5.0 * a - 2.0 * b) / determinant, (1.5 * b - 2.0 * a) / determinant];
        let wanted = 3.0 - solved[0] - 2.0 * solved[1];
        let values = filled(&[group()], &known, None);
        assert!((values[2] - wanted).abs() < 1e-12, "{values:?} {wanted}");
        let likelihood = group().expect(&known).scores[0];
        let distance = a * solved[0] + b * solved[1];
        let exact = -0.5 * (2.0 * std::f64::consts::TAU.ln() + determinant.ln() + distance);
        assert!((likelihood - exact).abs() < 1e-12, "{likelihood} {exact}");
    }

    #[test]
    fn draws_have_the_conditional_moments() {
        let known =
            Known { values: [2.0, 1.0, 0.0].repeat(20_000), marks: [1.0, 1.0, 0.0].repeat(20_000), cells: 3 };
        let mut streams: Vec<Stream> = (0..20_000).map(|row| Stream::new(1, "test", row, 0)).collect();
        let draws = filled(&[group()], &known, Some(&mut streams));
        let third: Vec<f64> = draws.chunks_exact(3).map(|row| row[2]).collect();
        let mean = third.iter().sum::<f64>() / 20_000.0;
        let variance = third.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 20_000.0;
        // 1.25 - [1, 2] S⁻¹ [1, 2]' = 1.25 - (5 - 8 + 6) / 3.5.
        assert!((variance - (1.25 - 3.0 / 3.5)).abs() < 0.02, "{variance}");
        assert!((mean - filled(&[group()], &known, None)[2]).abs() < 0.02, "{mean}");
    }
}
