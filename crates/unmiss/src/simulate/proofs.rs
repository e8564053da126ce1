//! The statements of the NeuMiss paper's supplement (Le Morvan, Josse, Moreau, Scornet and Varoquaux 2020), each as a
//! test: closed forms against plain sampling, and bounds on drawn worlds.

use super::mask::Rule;
use super::*;
use crate::linalg::{Conditional, Mat, Square, dot, eigen};
use crate::rng::Stream;

fn world(masking: Masking, columns: usize, seed: u64) -> World {
    World::new(&Settings { columns, masking, ..Settings::default() }, seed).unwrap()
}

/// A row, and holes in the named columns.
fn pattern(world: &World, row: usize, missing: &[usize]) -> (Vec<f64>, Vec<bool>) {
    let drawn = world.draw(row, 1);
    let observed = (0..drawn.columns).map(|column| !missing.contains(&column)).collect();
    (drawn.values, observed)
}

fn split(observed: &[bool]) -> (Vec<usize>, Vec<usize>) {
    (0..observed.len()).partition(|&column| observed[column])
}

/// A symmetric matrix times a vector.
fn times(matrix: &Square, v: &[f64]) -> Vec<f64> {
    (0..matrix.size).map(|row| dot(matrix.row(row), v)).collect()
}

fn product(a: &Square, b: &Square) -> Square {
    let mut cells = vec![0.0; a.size * a.size];
    crate::linalg::add_product(&mut cells, (&a.cells, a.size), (&b.cells, b.size));
    Square { size: a.size, cells }
}

fn inverse(matrix: &Square) -> Square {
    matrix.cholesky(0.0).unwrap().inverse_of_product()
}

/// The conditional mean and covariance of the missing part, straight from the textbook.
fn conditional(world: &World, values: &[f64], observed: &[bool]) -> (Vec<f64>, Square) {
    let (known, missing) = split(observed);
    let covariance = &world.normal.covariance;
    let inverse = inverse(&covariance.part(&known));
    let shift: Vec<f64> = known.iter().map(|&column| values[column] - world.mean()[column]).collect();
    let w = times(&inverse, &shift);
    let row = |column: usize| -> Vec<f64> { known.iter().map(|&k| covariance.at(column, k)).collect() };
    let mean = missing.iter().map(|&column| world.mean()[column] + dot(&row(column), &w)).collect();
    let mut open = covariance.part(&missing);
    for (i, &a) in missing.iter().enumerate() {
        for (j, &b) in missing.iter().enumerate() {
            *open.at_mut(i, j) -= dot(&row(a), &times(&inverse, &row(b)));
        }
    }
    (mean, open)
}

/// E\[t | row\] by plain importance sampling: the missing part is drawn given the known one, and a draw counts as much
/// as it explains the holes. Also the standard error of it, and E\[f(T)\].
fn sampled(world: &World, values: &[f64], observed: &[bool], draws: usize) -> (f64, f64, f64) {
    let (_, missing) = split(observed);
    let (mean, open) = conditional(world, values, observed);
    let lower = open.cholesky(0.0).unwrap();
    let mut stream = Stream::new(9, "importance", 0, 0);
    let (mut row, mut found) = (values.to_vec(), Vec::new());
    for _ in 0..draws {
        let z: Vec<f64> = missing.iter().map(|_| stream.normal()).collect();
        let noise = lower.times(&z);
        missing
            .iter()
            .zip(mean.iter().zip(noise))
            .for_each(|(&column, (mean, noise))| row[column] = mean + noise);
        let chance = |(column, rule): (usize, &Rule)| {
            let missing = rule.probability(column, &row);
            if observed[column] { 1.0 - missing } else { missing }
        };
        let weight: f64 = world.rules.iter().enumerate().map(chance).product();
        found.push((weight, world.intercept + dot(&world.weights, &row)));
    }
    let total: f64 = found.iter().map(|(weight, _)| weight).sum();
    let mean = found.iter().map(|(weight, t)| weight * t).sum::<f64>() / total;
    let error = found.iter().map(|(weight, t)| (weight * (t - mean)).powi(2)).sum::<f64>().sqrt() / total;
    let response = world.settings.response;
    let bent = found.iter().map(|(weight, t)| weight * response.value(*t)).sum::<f64>() / total;
    (mean, error, bent)
}

/// Lemma 1: E\[y | known, holes\] is the plane through the known cells and the expected missing ones. Here the expected
/// missing cells are those of Propositions 2.1 and 2.2, and the left side is sampled.
#[test]
fn lemma_1_the_best_answer_is_linear_in_the_expected_cells() {
    for masking in Masking::ALL {
        let world = world(masking, 6, 2);
        for row in 0..6 {
            let drawn = world.draw(row, 1);
            let (values, observed) = (&drawn.values, &drawn.observed);
            if observed.iter().all(|seen| *seen) {
                continue;
            }
            let (mean, error, _) = sampled(&world, values, observed, 60_000);
            let bayes = world.bayes(&drawn, 4000).unwrap();
            let own = bayes.errors.map_or(0.0, |errors| errors[0]);
            let away = (bayes.answers[0] - mean).abs();
            assert!(away < 4.5 * error.hypot(own) + 1e-9, "{masking} row {row}: {away} {error}");
        }
    }
}

/// Lemma 2: the product of two Gaussian functions is a Gaussian function times exp(-(a - b)' (A + B)⁻¹ (a - b) / 2).
#[test]
fn lemma_2_the_product_of_two_gaussians_is_one() {
    let covariance = |seed| world(Masking::Mcar, 4, seed).normal.covariance.clone();
    let (a_matrix, b_matrix) = (covariance(1), covariance(2));
    let mut stream = Stream::new(1, "lemma", 0, 0);
    let mut vector = || -> Vec<f64> { (0..4).map(|_| stream.normal()).collect() };
    let (a, b) = (vector(), vector());
    let (a_inverse, b_inverse) = (inverse(&a_matrix), inverse(&b_matrix));
    let add = |one: &Square, other: &Square| Square {
        size: 4,
        cells: one.cells.iter().zip(&other.cells).map(|(one, other)| one + other).collect(),
    };
    let precision = add(&a_inverse, &b_inverse);
    let pull: Vec<f64> =
        times(&a_inverse, &a).iter().zip(times(&b_inverse, &b)).map(|(one, other)| one + other).collect();
    let centre = times(&inverse(&precision), &pull);
    let square = |matrix: &Square, x: &[f64], at: &[f64]| {
        let away: Vec<f64> = x.iter().zip(at).map(|(x, at)| x - at).collect();
        dot(&away, &times(matrix, &away))
    };
    for _ in 0..5 {
        let x = vector();
        let left = square(&a_inverse, &x, &a) + square(&b_inverse, &x, &b);
        let right = square(&inverse(&add(&a_matrix, &b_matrix)), &a, &b) + square(&precision, &x, &centre);
        assert!((left - right).abs() < 1e-8 * left, "{left} {right}");
    }
}

/// Proposition 2.1, with the variance that the bent responses need.
#[test]
fn proposition_2_1_is_what_known_cells_say() {
    for masking in [Masking::Mcar, Masking::Mar] {
        let world = world(masking, 8, 3);
        let ready = Conditional::new(&world.normal);
        for missing in [&[1][..], &[0, 2, 5], &[0, 1, 2, 3, 4, 5, 6]] {
            let (values, observed) = pattern(&world, 4, missing);
            let (t, v) = world.given_known(&ready, &values, &observed);
            let (mean, open) = conditional(&world, &values, &observed);
            let (known, missing) = split(&observed);
            let weights: Vec<f64> = missing.iter().map(|&column| world.weights[column]).collect();
            let seen: f64 = known.iter().map(|&column| world.weights[column] * values[column]).sum();
            assert!((t - (world.intercept + seen + dot(&weights, &mean))).abs() < 1e-8);
            assert!((v - dot(&weights, &times(&open, &weights))).abs() < 1e-8);
        }
        let (values, observed) = pattern(&world, 4, &[]);
        assert!(world.given_known(&ready, &values, &observed).1.abs() < 1e-12);
    }
}

/// Proposition 2.2 as the paper writes it, (I + D C⁻¹)⁻¹ (μ̃ + D C⁻¹ c), against the one matrix of all columns.
#[test]
fn proposition_2_2_is_an_observation_with_noise() {
    let world = world(Masking::SelfGaussian, 8, 3);
    for missing in [&[1][..], &[0, 2, 5], &[0, 1, 2, 3, 4, 5, 6]] {
        let (values, observed) = pattern(&world, 4, missing);
        let (mean, open) = conditional(&world, &values, &observed);
        let (known, missing) = split(&observed);
        // A_M = (D⁻¹ + C⁻¹)⁻¹ and A_M⁻¹ a_M = D⁻¹ μ̃ + C⁻¹ c.
        let mut precision = inverse(&open);
        let mut pull = times(&precision, &mean);
        for (place, &column) in missing.iter().enumerate() {
            let Rule::Gaussian { centre, width } = world.rules[column] else { unreachable!() };
            *precision.at_mut(place, place) += 1.0 / width;
            pull[place] += centre / width;
        }
        let after = inverse(&precision);
        let weights: Vec<f64> = missing.iter().map(|&column| world.weights[column]).collect();
        let seen: f64 = known.iter().map(|&column| world.weights[column] * values[column]).sum();
        let (t, v) = world.given_sites(&values, &observed).unwrap();
        assert!((t - (world.intercept + seen + dot(&weights, &times(&after, &pull)))).abs() < 1e-7);
        assert!((v - dot(&weights, &times(&after, &weights))).abs() < 1e-7);
    }
}

/// The bent responses under self-masking: E\[f(T)\] with t̂ and v, against importance sampling of f itself.
#[test]
fn bent_responses_have_their_variance_in_them() {
    for masking in [Masking::SelfGaussian, Masking::SelfProbit, Masking::Mnar] {
        for response in Response::ALL {
            let settings = Settings { columns: 5, masking, response, ..Settings::default() };
            let world = World::new(&settings, 6).unwrap();
            let drawn = world.draw(0, 12);
            let holes = |row: usize| drawn.observed[row * 5..][..5].iter().filter(|seen| !**seen).count();
            let row = (0..12).find(|row| holes(*row) == 3).unwrap();
            let drawn = world.draw(row, 1);
            let (.., bent) = sampled(&world, &drawn.values, &drawn.observed, 200_000);
            let found = world.bayes(&drawn, 20_000).unwrap().answers[0];
            assert!((found - bent).abs() < 0.03, "{masking} {response}: {found} {bent}");
        }
    }
}

/// The spectral norm of a matrix that need not be symmetric.
fn norm(matrix: &Square) -> f64 {
    let size = matrix.size;
    let mut crossed = Square::zero(size);
    crate::linalg::add_crossed(&mut crossed.cells, (&matrix.cells, size), (&matrix.cells, size), 1.0);
    let (values, _) = eigen(&Mat::from_fn(size, size, |i, j| crossed.at(i, j))).unwrap();
    values.last().copied().unwrap_or(0.0).max(0.0).sqrt()
}

fn smallest(matrix: &Square) -> f64 {
    eigen(&Mat::from_fn(matrix.size, matrix.size, |i, j| matrix.at(i, j))).unwrap().0[0]
}

/// Σ / (1.001 times its largest eigenvalue).
fn shrunk(world: &World) -> Square {
    let covariance = &world.normal.covariance;
    let largest = 1.001 * norm(covariance);
    Square { size: covariance.size, cells: covariance.cells.iter().map(|cell| cell / largest).collect() }
}

/// S⁽ˡ⁾ = (I - Σ) S⁽ˡ⁻¹⁾ + I.
fn iterate(covariance: &Square, before: &Square) -> Square {
    let mut next = rest(covariance, before);
    next.cells.iter_mut().zip(&before.cells).for_each(|(own, before)| *own += before);
    next
}

/// I - Σ S.
fn rest(covariance: &Square, inverse: &Square) -> Square {
    let mut rest = product(covariance, inverse);
    rest.cells.iter_mut().for_each(|cell| *cell = -*cell);
    (0..rest.size).for_each(|i| *rest.at_mut(i, i) += 1.0);
    rest
}

/// Proposition A.1: ‖I - Σ_obs S⁽ˡ⁾‖ ≤ (1 - ν_obs)ˡ ‖I - Σ_obs S⁽⁰⁾‖, for every pattern.
#[test]
fn proposition_a_1_iterates_converge_linearly() {
    let world = world(Masking::Mcar, 6, 5);
    let covariance = shrunk(&world);
    for pattern in 1_usize..64 {
        let known: Vec<usize> = (0..6).filter(|column| pattern >> column & 1 == 1).collect();
        let part = covariance.part(&known);
        let rate = 1.0 - smallest(&part);
        let mut iterates = Square::identity(known.len());
        let start = norm(&rest(&part, &iterates));
        for depth in 1..=20 {
            iterates = iterate(&part, &iterates);
            let bound = rate.powi(depth) * start;
            assert!(norm(&rest(&part, &iterates)) <= bound * (1.0 + 1e-9) + 1e-12, "{known:?} {depth}");
        }
    }
}

/// Proposition 3.1: E\[(f_l - f*)²\] ≤ (1 - ν)^2l ‖β‖² / ν · E‖I - S⁽⁰⁾ Σ_obs‖², over all patterns of MCAR at one half.
#[test]
fn proposition_3_1_bounds_the_risk_of_a_depth() {
    let world = world(Masking::Mcar, 6, 7);
    let covariance = shrunk(&world);
    let smallest = smallest(&covariance);
    let weights = &world.weights;
    let (mut risks, mut start) = (vec![0.0; 12], 0.0);
    for pattern in 0_usize..64 {
        let (known, missing): (Vec<usize>, Vec<usize>) =
            (0..6).partition(|column| pattern >> column & 1 == 1);
        if known.is_empty() || missing.is_empty() {
            continue;
        }
        let part = covariance.part(&known);
        // a = Σ_om β_m; the difference of the predictors is a' (S⁽ˡ⁾ - Σ_oo⁻¹) (x_o - μ_o), of variance e' Σ_oo e.
        let entry = |&k: &usize| missing.iter().map(|&m| covariance.at(k, m) * weights[m]).sum();
        let a: Vec<f64> = known.iter().map(entry).collect();
        let exact = inverse(&part);
        let mut iterates = Square::identity(known.len());
        start += norm(&rest(&part, &iterates)).powi(2) / 64.0;
        for risk in &mut risks {
            iterates = iterate(&part, &iterates);
            let e: Vec<f64> =
                times(&iterates, &a).iter().zip(times(&exact, &a)).map(|(one, other)| one - other).collect();
            *risk += dot(&e, &times(&part, &e)) / 64.0;
        }
    }
    for (depth, risk) in risks.iter().enumerate() {
        let rate = (1.0 - smallest).powi(2 * (depth as i32 + 1));
        let bound = rate * dot(weights, weights) / smallest * start;
        assert!(*risk <= bound, "depth {}: {risk} {bound}", depth + 1);
    }
    assert!(risks[11] < risks[0] / 2.0, "{risks:?}");
}

/// Proposition 3.2: with inputs in a box there are weights by which ReLU units on (x ⊙ (1 - m), m) are active where
/// their cell is missing and 0 where it is known, and differ from ⊙M units there by a constant alone.
#[test]
fn proposition_3_2_relu_units_can_do_what_masked_units_do() {
    let size = 4;
    let mut stream = Stream::new(2, "relu", 0, 0);
    let w: Vec<f64> = (0..size * size).map(|_| stream.normal()).collect();
    let mean: Vec<f64> = (0..size).map(|_| stream.uniform()).collect();
    let row = |k: usize| &w[k * size..(k + 1) * size];
    // No activation can be larger than this: |x| ≤ 1 and the weights on the mask are W_kj μ_j.
    let largest =
        |k: usize| row(k).iter().zip(&mean).map(|(w, mean)| w.abs() * (1.0 + mean.abs())).sum::<f64>();
    // One constant for each unit, whatever the pattern: the mask's weights make up for the means that are gone.
    let mut constants = vec![None; size];
    for pattern in 0_usize..16 {
        let missing = |column: usize| pattern >> column & 1 == 1;
        for _ in 0..20 {
            let x: Vec<f64> = (0..size).map(|_| stream.uniform()).collect();
            for (k, constant) in constants.iter_mut().enumerate() {
                let known = (0..size).filter(|&j| !missing(j));
                let masked: f64 = known.clone().map(|j| row(k)[j] * (x[j] - mean[j])).sum();
                // W^(X) = W, W^(M)_kj = W_kj μ_j for j ≠ k, bias b* = -largest, W^(M)_kk = 2 largest.
                let marks =
                    (0..size).filter(|&j| missing(j) && j != k).map(|j| row(k)[j] * mean[j]).sum::<f64>();
                let own = if missing(k) { 2.0 * largest(k) } else { 0.0 };
                let activation = known.map(|j| row(k)[j] * x[j]).sum::<f64>() + marks + own - largest(k);
                let relu = activation.max(0.0);
                if missing(k) {
                    let constant = *constant.get_or_insert(relu - masked);
                    assert!(activation >= 0.0 && (relu - masked - constant).abs() < 1e-9);
                } else {
                    assert_eq!(relu, 0.0);
                }
            }
        }
    }
}

/// E\[P\] = .5 with x = 2.72534.
#[test]
fn self_masking_hides_half_at_the_published_width() {
    let world = world(Masking::SelfGaussian, 10, 1);
    for (column, rule) in world.rules.iter().enumerate() {
        let Rule::Gaussian { width, .. } = rule else { unreachable!() };
        let variance = world.normal.covariance.at(column, column);
        assert!((width / variance - 2.725_34).abs() < 1e-5);
    }
    let drawn = world.draw(0, 4000);
    let missing = drawn.observed.iter().filter(|seen| !**seen).count();
    assert!((missing as f64 / 40_000.0 - 0.5).abs() < 0.02);
}

/// No other answer comes nearer: the best one's errors are orthogonal to what is known (its own answer, marks, cells).
#[test]
fn errors_of_the_best_answer_go_with_nothing_known() {
    for masking in Masking::ALL {
        for response in Response::ALL {
            let settings = Settings { columns: 6, masking, response, ..Settings::default() };
            let world = World::new(&settings, 2).unwrap();
            let drawn = world.draw(0, 3000);
            let bayes = world.bayes(&drawn, 100).unwrap();
            let errors: Vec<f64> =
                drawn.response.iter().zip(&bayes.answers).map(|(own, answer)| own - answer).collect();
            for column in 0..6 {
                let (mut sum, mut squares) = ([0.0; 2], [0.0; 2]);
                for (row, error) in errors.iter().enumerate() {
                    let cell = row * 6 + column;
                    let known = f64::from(u8::from(drawn.observed[cell]));
                    for (place, input) in [known, known * drawn.values[cell]].into_iter().enumerate() {
                        sum[place] += error * input;
                        squares[place] += (error * input).powi(2);
                    }
                }
                for place in 0..2 {
                    assert!(
                        sum[place].abs() < 4.5 * f64::sqrt(squares[place]),
                        "{masking} {response} {column}"
                    );
                }
            }
        }
    }
}
