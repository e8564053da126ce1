//! How far likeness reaches, how much noise there is and whether holes speak: by leaving one row out at a time.
//!
//! With K = V diag(d) V' and α = (K + λ I)⁻¹ (y - c), the answer for a row by all the others is off by
//!
//! ```text
//! y_i - f_-i(x_i) = α_i / G_ii,   G_ii = Σ_e V_ie² / (d_e + λ)
//! ```
//!
//! so one decomposition serves every λ and every row.

use super::clouds::Clouds;
use super::likeness::matrix;
use crate::linalg::{Mat, eigen};

/// γ in parts of 1 / (the median squared distance of two rows).
const REACHES: [f64; 5] = [0.1, 0.25, 0.5, 1.0, 2.0];
/// What the marks of holes weigh where they count.
const WEIGHT_OF_MARKS: f32 = 0.5;
/// Rows whose distances are looked at for the median.
const ROWS_FOR_MEDIAN: usize = 200;

/// The noise tried: 10^-3 to 10^1.5 in half decades.
fn noises() -> impl Iterator<Item = f64> {
    (-6..=3).map(|half_decades| 10_f64.powf(f64::from(half_decades) / 2.0))
}

/// What was chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chosen {
    /// γ.
    pub gamma: f32,
    /// λ.
    pub noise: f64,
    /// The weight of the marks.
    pub marks: f32,
}

/// The best choice so far: its squared error, the reach it has, and what it answers for left-out rows.
struct Best {
    error: f64,
    reach: f64,
    chosen: Chosen,
    answers: Vec<Vec<f64>>,
}

/// The choice with the least squared error of left-out rows, and those rows' answers `[rows, outputs]`; `targets` are
/// `[rows, outputs]` less their mean. Marks are tried with the reach that does best without. `going` may end it.
pub fn choose(
    clouds: &Clouds,
    targets: &Mat<f64>,
    going: &dyn Fn() -> bool,
) -> Option<(Chosen, Vec<Vec<f64>>)> {
    let mut best: Option<Best> = None;
    for reach in REACHES {
        if going() || best.is_none() {
            try_reach(clouds, targets, (reach, 0.0), &mut best)?;
        }
    }
    let reach = best.as_ref()?.reach;
    if clouds.marks > 0 && going() {
        try_reach(clouds, targets, (reach, WEIGHT_OF_MARKS), &mut best)?;
    }
    best.map(|best| (best.chosen, best.answers))
}

/// Every noise with one reach and weight of the marks.
fn try_reach(
    clouds: &Clouds,
    targets: &Mat<f64>,
    (reach, marks): (f64, f32),
    best: &mut Option<Best>,
) -> Option<()> {
    let marked = clouds.marked_by(marks);
    let gamma = (reach / median_distance(&marked)) as f32;
    let (values, vectors) = eigen(&matrix(&marked, gamma))?;
    let projected = vectors.transpose() * targets;
    for noise in noises() {
        let answers = left_out(&values, &vectors, &projected, targets, noise);
        let off = |(row, own): (usize, &Vec<f64>)| -> f64 {
            own.iter().enumerate().map(|(output, answer)| (targets[(row, output)] - answer).powi(2)).sum()
        };
        let error = answers.iter().enumerate().map(off).sum();
        if best.as_ref().is_none_or(|best| error < best.error) {
            *best = Some(Best { error, reach, chosen: Chosen { gamma, noise, marks }, answers });
        }
    }
    Some(())
}

/// `[rows][outputs]`: what all other rows answer for each.
fn left_out(
    values: &[f64],
    vectors: &Mat<f64>,
    projected: &Mat<f64>,
    targets: &Mat<f64>,
    noise: f64,
) -> Vec<Vec<f64>> {
    let shrunk: Vec<f64> = values.iter().map(|value| 1.0 / (value.max(0.0) + noise)).collect();
    let answer = |row: usize| {
        let mut own = 0.0;
        let mut weights = vec![0.0; targets.ncols()];
        for (direction, factor) in shrunk.iter().enumerate() {
            let along = vectors[(row, direction)] * factor;
            own += vectors[(row, direction)] * along;
            for (output, weight) in weights.iter_mut().enumerate() {
                *weight += along * projected[(direction, output)];
            }
        }
        weights.iter().enumerate().map(|(output, weight)| targets[(row, output)] - weight / own).collect()
    };
    (0..targets.nrows()).map(answer).collect()
}

/// The median squared distance between two of the rows, what is open included; 1 where all are alike.
fn median_distance(clouds: &Clouds) -> f64 {
    let (rows, width) = (clouds.rows().min(ROWS_FOR_MEDIAN), clouds.coordinates);
    let mut distances = Vec::with_capacity(rows * rows / 2);
    for a in 0..rows {
        for b in 0..a {
            let apart = |c: usize| {
                let (one, other) = (a * width + c, b * width + c);
                f64::from(clouds.means[one] - clouds.means[other]).powi(2)
                    + f64::from(clouds.variances[one] + clouds.variances[other])
            };
            distances.push((0..width).map(apart).sum::<f64>());
        }
    }
    distances.sort_unstable_by(f64::total_cmp);
    let median = distances.get(distances.len() / 2).copied().unwrap_or(1.0);
    if median > 0.0 && median.is_finite() { median } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::solve;
    use crate::rng::Stream;

    fn sample(rows: usize) -> (Clouds, Mat<f64>) {
        let mut stream = Stream::new(1, "kernel", 0, 0);
        let means: Vec<f32> = (0..rows * 2).map(|_| stream.normal() as f32).collect();
        let truth = |row: usize| (f64::from(means[row * 2]) * 2.0).sin() * f64::from(means[row * 2 + 1]);
        let targets = Mat::from_fn(rows, 1, |row, _| truth(row) + 0.05 * (row % 3) as f64);
        (Clouds { variances: vec![0.0; means.len()], means, coordinates: 2, marks: 0 }, targets)
    }

    /// The closed form against fits without each row in turn.
    #[test]
    fn leaving_one_out_is_fitting_without_it() {
        let (clouds, targets) = sample(25);
        let (kernel, noise) = (matrix(&clouds, 0.6), 0.1);
        let (values, vectors) = eigen(&kernel).unwrap();
        let answers = left_out(&values, &vectors, &(vectors.transpose() * &targets), &targets, noise);
        for left in [0, 7, 24] {
            let others: Vec<usize> = (0..25).filter(|row| *row != left).collect();
            let part = Mat::from_fn(24, 24, |a, b| {
                kernel[(others[a], others[b])] + if a == b { noise } else { 0.0 }
            });
            let right: Vec<f64> = others.iter().map(|row| targets[(*row, 0)]).collect();
            let weights = solve(part, &right).unwrap();
            let answer: f64 =
                others.iter().zip(weights).map(|(row, weight)| weight * kernel[(left, *row)]).sum();
            assert!((answer - answers[left][0]).abs() < 1e-8, "{answer} {}", answers[left][0]);
        }
    }

    #[test]
    fn noise_is_told_from_what_can_be_learned() {
        let (clouds, targets) = sample(150);
        let (clear, _) = choose(&clouds, &targets, &|| true).unwrap();
        let mut stream = Stream::new(3, "noise", 0, 0);
        let noise = Mat::from_fn(150, 1, |_, _| stream.normal());
        let (unclear, _) = choose(&clouds, &noise, &|| true).unwrap();
        assert!(clear.noise < 0.2 && unclear.noise > 3.0, "{clear:?} {unclear:?}");
    }
}
