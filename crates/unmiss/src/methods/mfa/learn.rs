//! Expectation-maximisation from known pixels alone.
//!
//! ```text
//! every image: chances r of the groups, ẑ and M⁻¹ in each; u = (ẑ, 1), E = M⁻¹ + ẑ ẑ' bordered by ẑ and 1
//! number j of group k: S = Σ r E and t = Σ r x_j u over the images that know j
//!                      (S + ridge) (a_j, μ_j) = t + ridge (0, m_j)
//!                      ψ_j = (Σ r x_j² - ... + ridge v_j) / (Σ r + ridge)
//! ```
//!
//! with m and v the mean and the variance of number j over all images. A hole counts nowhere: given z, pixels know
//! nothing of each other.

use rayon::prelude::*;

use super::mixture::{Analyser, Expectation, Known, chances};
use crate::linalg::{add_crossed, dot, pairs, unpack};
use crate::rng::Stream;

/// Passes of the search for a start.
const FIRST_PASSES: usize = 8;
/// Noise below which no pixel's falls: a fiftieth of the range, twice what bytes are rounded by.
const LEAST_NOISE: f64 = 4e-4;
/// How large loadings are at the start, in standard deviations.
const FIRST_LOADING: f64 = 0.1;

/// What is learned, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Groups.
    pub groups: usize,
    /// Factors of each.
    pub factors: usize,
    /// Images' worth of belief in the mean image and its variances.
    pub ridge: f64,
    /// Rounds, at most.
    pub rounds: usize,
    /// A round that adds less than this to the mean log-likelihood of a known number is the last.
    pub tolerance: f64,
}

/// Mean and variance of each number over the images that know it.
struct Overall {
    mean: Vec<f64>,
    variance: Vec<f64>,
}

/// Learns groups of images. `listen` hears the mean log-likelihood of an image after every round and may end it with
/// `false`.
pub fn learn(
    known: &Known,
    plan: Plan,
    seed: u64,
    mut listen: impl FnMut(usize, f64) -> bool,
) -> Vec<Analyser> {
    let overall = Overall::of(known);
    let mut groups = start(known, &overall, plan, seed);
    let numbers = known.marks.iter().sum::<f64>() / known.rows().max(1) as f64;
    let mut before = f64::NEG_INFINITY;
    for round in 1..=plan.rounds {
        let found: Vec<Expectation> = groups.par_iter().map(|group| group.expect(known)).collect();
        let scores: Vec<&[f64]> = found.iter().map(|own| own.scores.as_slice()).collect();
        let (chances, likelihood) = chances(&scores);
        groups = found
            .par_iter()
            .zip(&chances)
            .map(|(found, chances)| maximise(known, &overall, found, chances, plan))
            .collect();
        share_out(&mut groups, &chances);
        if !listen(round, likelihood) || likelihood - before < plan.tolerance * numbers {
            break;
        }
        before = likelihood;
    }
    groups
}

impl Overall {
    fn of(known: &Known) -> Self {
        let (mut counts, mut sums, mut squares) =
            (vec![0.0; known.cells], vec![0.0; known.cells], vec![0.0; known.cells]);
        let lines = known.values.chunks_exact(known.cells).zip(known.marks.chunks_exact(known.cells));
        for (values, marks) in lines {
            for cell in 0..known.cells {
                counts[cell] += marks[cell];
                sums[cell] += values[cell];
                squares[cell] += values[cell] * values[cell];
            }
        }
        let all = counts.iter().sum::<f64>().max(1.0);
        let usual = sums.iter().sum::<f64>() / all;
        // A pixel that no image knows is as all pixels are.
        let mean = |cell: usize| if counts[cell] > 0.0 { sums[cell] / counts[cell] } else { usual };
        let variance = |cell: usize| match counts[cell] > 0.0 {
            true => (squares[cell] / counts[cell] - mean(cell).powi(2)).max(0.0) + LEAST_NOISE,
            false => (squares.iter().sum::<f64>() / all - usual * usual).max(0.0) + LEAST_NOISE,
        };
        Self {
            mean: (0..known.cells).map(mean).collect(),
            variance: (0..known.cells).map(variance).collect(),
        }
    }
}

/// Images chosen at random stand for groups; a few times each image goes to the nearest over what is known of it, and
/// each group becomes the mean of its images.
fn start(known: &Known, overall: &Overall, plan: Plan, seed: u64) -> Vec<Analyser> {
    let (rows, cells) = (known.rows(), known.cells);
    let order = Stream::new(seed, "first groups", 0, 0).permutation(rows);
    let image = |row: usize| {
        let (values, marks) = (&known.values[row * cells..], &known.marks[row * cells..]);
        (0..cells).map(|cell| if marks[cell] > 0.0 { values[cell] } else { overall.mean[cell] }).collect()
    };
    let mut means: Vec<Vec<f64>> = order.iter().take(plan.groups.max(1)).map(|&row| image(row)).collect();
    let mut nearest = vec![0; rows];
    for _ in 0..FIRST_PASSES {
        nearest = (0..rows).into_par_iter().map(|row| closest(known, row, &means)).collect();
        let grouped = |(group, _): (usize, &Vec<f64>)| {
            let (mut sums, mut counts) = (overall.mean.clone(), vec![1.0; cells]);
            for row in (0..rows).filter(|&row| nearest[row] == group) {
                for cell in 0..cells {
                    sums[cell] += known.values[row * cells + cell];
                    counts[cell] += known.marks[row * cells + cell];
                }
            }
            sums.iter().zip(&counts).map(|(sum, count)| sum / count).collect()
        };
        means = means.par_iter().enumerate().map(grouped).collect();
    }
    let member = |(group, mean): (usize, Vec<f64>)| {
        let mut stream = Stream::new(seed, "first loadings", group as u64, 0);
        let loading = |cell: usize| FIRST_LOADING * overall.variance[cell].sqrt();
        let loadings =
            (0..cells * plan.factors).map(|place| loading(place / plan.factors) * stream.normal()).collect();
        let count = nearest.iter().filter(|own| **own == group).count();
        let share = (count as f64 + 1.0) / (rows + plan.groups.max(1)) as f64;
        Analyser { share, mean, loadings, noise: overall.variance.clone() }
    };
    means.into_iter().enumerate().map(member).collect()
}

fn closest(known: &Known, row: usize, means: &[Vec<f64>]) -> usize {
    let own = row * known.cells..(row + 1) * known.cells;
    let (values, marks) = (&known.values[own.clone()], &known.marks[own]);
    let distance = |mean: &Vec<f64>| -> f64 {
        values.iter().zip(marks).zip(mean).map(|((value, mark), mean)| mark * (value - mean).powi(2)).sum()
    };
    let distances: Vec<f64> = means.iter().map(distance).collect();
    (0..means.len()).min_by(|a, b| distances[*a].total_cmp(&distances[*b])).unwrap_or(0)
}

/// The group that explains its images best, number by number.
fn maximise(known: &Known, overall: &Overall, found: &Expectation, chances: &[f64], plan: Plan) -> Analyser {
    let (cells, factors, size) = (known.cells, plan.factors, plan.factors + 1);
    let (mut expected, mut extended) = (Vec::new(), Vec::new());
    for (row, chance) in chances.iter().enumerate() {
        let cause = &found.causes[row * factors..(row + 1) * factors];
        let precision = &found.precisions[row * pairs(factors)..(row + 1) * pairs(factors)];
        let spread = unpack(precision, factors).cholesky(0.0).map(|lower| lower.inverse_of_product());
        for i in 0..factors {
            let of = |j: usize| spread.as_ref().map_or(0.0, |spread| spread.at(i, j));
            expected.extend((0..=i).map(|j| chance * (of(j) + cause[i] * cause[j])));
        }
        expected.extend(cause.iter().chain(&[1.0]).map(|z| chance * z));
        extended.extend(cause.iter().chain(&[1.0]).map(|z| chance * z));
    }
    // S: [d, pairs of u], t: [d, u].
    let (mut products, mut cross) = (vec![0.0; cells * pairs(size)], vec![0.0; cells * size]);
    add_crossed(&mut products, (&known.marks, cells), (&expected, pairs(size)), 1.0);
    add_crossed(&mut cross, (&known.values, cells), (&extended, size), 1.0);
    let mut squares = vec![0.0; cells];
    for (values, chance) in known.values.chunks_exact(cells).zip(chances) {
        squares.iter_mut().zip(values).for_each(|(sum, value)| *sum += chance * value * value);
    }
    let mut group = Analyser { share: 0.0, mean: Vec::new(), loadings: Vec::new(), noise: Vec::new() };
    for cell in 0..cells {
        let mut system = unpack(&products[cell * pairs(size)..(cell + 1) * pairs(size)], size);
        let weight = system.at(factors, factors);
        (0..size).for_each(|i| *system.at_mut(i, i) += plan.ridge);
        let mut right = cross[cell * size..(cell + 1) * size].to_vec();
        right[factors] += plan.ridge * overall.mean[cell];
        let mut solution = right.clone();
        if let Ok(lower) = system.cholesky(0.0) {
            lower.forward(&mut solution);
            lower.backward(&mut solution);
        }
        let square = squares[cell] + plan.ridge * overall.mean[cell].powi(2);
        let rest = (square - dot(&solution, &right)).max(0.0) + plan.ridge * overall.variance[cell];
        group.noise.push((rest / (weight + plan.ridge)).max(LEAST_NOISE));
        group.mean.push(solution[factors]);
        group.loadings.extend_from_slice(&solution[..factors]);
    }
    group
}

/// Each group's share: its images, and one more for each so that none dies out.
fn share_out(groups: &mut [Analyser], chances: &[Vec<f64>]) {
    let rows = chances.first().map_or(0, Vec::len);
    let all = (rows + groups.len()) as f64;
    for (group, chances) in groups.iter_mut().zip(chances) {
        group.share = (chances.iter().sum::<f64>() + 1.0) / all;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::mfa::mixture::filled;

    /// Two groups far apart, each with one factor.
    fn made(rows: usize) -> (Vec<f64>, Known) {
        let mut stream = Stream::new(3, "test", 0, 0);
        let (mut truth, mut marks) = (Vec::new(), Vec::new());
        for row in 0..rows {
            let (z, center) = (0.2 * stream.normal(), if row % 2 == 0 { 0.25 } else { 0.75 });
            let sign = if row % 2 == 0 { 1.0 } else { -1.0 };
            for cell in 0..6 {
                let loading = if cell < 3 { 1.0 } else { sign };
                truth.push(center + loading * z + 0.02 * stream.normal());
                marks.push(f64::from(u8::from(stream.uniform() > 0.3)));
            }
        }
        let values = truth.iter().zip(&marks).map(|(value, mark)| value * mark).collect();
        (truth, Known { values, marks, cells: 6 })
    }

    #[test]
    fn likelihood_rises_and_holes_come_near_the_truth() {
        let (truth, known) = made(600);
        let plan = Plan { groups: 2, factors: 1, ridge: 0.01, rounds: 40, tolerance: 0.0 };
        let mut heard = Vec::new();
        let groups = learn(&known, plan, 1, |_, likelihood| {
            heard.push(likelihood);
            true
        });
        // With so little belief in the overall mean every round must add to the likelihood, but for rounding.
        assert!(heard.windows(2).all(|pair| pair[1] > pair[0] - 1e-3), "{heard:?}");
        let filled = filled(&groups, &known, None);
        let holes: Vec<usize> = (0..truth.len()).filter(|&cell| known.marks[cell] == 0.0).collect();
        let error = |of: &dyn Fn(usize) -> f64| {
            (holes.iter().map(|&cell| (of(cell) - truth[cell]).powi(2)).sum::<f64>() / holes.len() as f64)
                .sqrt()
        };
        let (own, mean) = (error(&|cell| filled[cell]), error(&|_| 0.5));
        assert!(own < 0.25 * mean, "{own} {mean}");
    }

    #[test]
    fn a_pixel_that_no_image_knows_gets_the_mean_of_all() {
        let (_, mut known) = made(50);
        for row in 0..50 {
            (known.values[row * 6], known.marks[row * 6]) = (0.0, 0.0);
        }
        let plan = Plan { groups: 2, factors: 2, ridge: 4.0, rounds: 5, tolerance: 0.0 };
        let groups = learn(&known, plan, 1, |_, _| true);
        let filled = filled(&groups, &known, None);
        assert!(filled.iter().all(|value| value.is_finite() && (-0.5..1.5).contains(value)));
    }
}
