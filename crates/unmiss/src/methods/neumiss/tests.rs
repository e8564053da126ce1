//! The network beside the theory it comes from, and beside the same network in another language.

use super::*;
use crate::data::{Column, Kind, Table};
use crate::encode::{Encoded, Encoder, Encoding, Targets};
use crate::linalg::{Conditional, Normal, Square};
use crate::nn::engine::tests::assert_agree;
use crate::nn::neumann::{Block, Form, Neumann, Values};
use crate::nn::train::{Learner, Moment};
use crate::nn::{Activation, Cells, Engine};
use crate::rng::Stream;
use std::sync::Arc;

const D: usize = 4;
const MEAN: [f64; D] = [0.5, -1.0, 0.2, 2.0];
const BETA: [f64; D] = [1.0, -2.0, 0.7, 1.5];
const LEVEL: f64 = 0.3;

/// A covariance with the largest eigenvalue 0.95: columns of two factors and a little noise.
fn covariance() -> Vec<f64> {
    let factors = [[1.0, 0.2], [0.8, -0.6], [0.1, 1.0], [-0.7, 0.5]];
    let cell = |i: usize, j: usize| {
        let shared = factors[i][0] * factors[j][0] + factors[i][1] * factors[j][1];
        shared + if i == j { 0.3 } else { 0.0 }
    };
    let raw: Vec<f64> = (0..D * D).map(|at| cell(at / D, at % D)).collect();
    let (ends, raw) = start::sound(raw, D).unwrap();
    raw.iter().map(|value| 0.95 * value / ends.1).collect()
}

/// The start of somebody who knows the truth; the unit of Neumann's series is `largest`.
fn knowing(least: f64, largest: f64) -> Start {
    let covariance = covariance();
    let crossed = (0..D).map(|i| (0..D).map(|j| covariance[i * D + j] * BETA[j]).sum()).collect();
    let level = LEVEL + BETA.iter().zip(MEAN).map(|(beta, mean)| beta * mean).sum::<f64>();
    Start::known(MEAN.to_vec(), covariance, (least, largest), Some((crossed, level)))
}

/// The block with a linear answer.
fn linear(form: FormName, depth: usize, accelerated: bool) -> Network {
    let settings =
        Settings { form, depth, accelerated, hidden: vec![], indicators: false, ..Settings::default() };
    Network::new(&encoder(D), Task::Regression, &settings)
}

/// Number columns x0, x1, .. with some holes.
fn encoder(columns: usize) -> Encoder {
    let names: Vec<String> = (0..columns).map(|place| format!("x{place}")).collect();
    let column = |name: &String| Column::from_numbers(name, Kind::Real, &[0.0, 1.0, f64::NAN, 3.0]);
    let table = Table::new(names.iter().map(column).collect()).unwrap();
    Encoder::fit(&table, &names, Encoding::default()).unwrap()
}

/// Rows from the true distribution, every pattern of holes in turn.
fn rows(count: usize) -> Encoded {
    rows_and_targets(count).0
}

/// The same with `β_0 + β x + noise` of each.
fn rows_and_targets(count: usize) -> (Encoded, Vec<f32>) {
    let lower = Square { size: D, cells: covariance() }.cholesky(0.0).unwrap();
    let mut stream = Stream::new(5, "neumiss rows", 0, 0);
    let (mut numbers, mut marks, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..count {
        let normal: Vec<f64> = (0..D).map(|_| stream.normal()).collect();
        let mut target = LEVEL + 0.3 * stream.normal();
        for i in 0..D {
            let value = MEAN[i] + (0..=i).map(|j| lower.at(i, j) * normal[j]).sum::<f64>();
            target += BETA[i] * value;
            let observed = row >> i & 1 == 1;
            numbers.push(if observed { value as f32 } else { f32::NAN });
            marks.push(observed);
        }
        targets.push(target as f32);
    }
    let rows =
        Encoded { rows: count, numbers, numbers_observed: marks, codes: vec![], codes_observed: vec![] };
    (rows, targets)
}

fn answers(network: &Network, start: &Start, rows: &Encoded) -> Vec<f64> {
    let parameters = network.parameters(start, 1);
    let all: Vec<usize> = (0..rows.rows).collect();
    let scores = network.forward(&mut Plain::new(&parameters), &network.prepare(rows), &all);
    scores.values().iter().map(|value| f64::from(*value)).collect()
}

/// `β_0 + β_obs x_obs + β_mis (μ_mis + Σ_mo S (x_o - μ_o))`, S after so many rounds of `S = (I - Σ_oo) S + I` from
/// S = I; without a number of rounds, S = Σ_oo⁻¹: the Bayes predictor (Propositions 2.1 and 3.1).
fn analytic(rows: &Encoded, rounds: Option<usize>) -> Vec<f64> {
    let covariance = covariance();
    let normal = Normal::from_parts(MEAN.to_vec(), covariance.clone());
    let conditional = Conditional::new(&normal);
    let lines = rows.numbers.chunks(D).zip(rows.numbers_observed.chunks(D));
    let answer = |(x, observed): (&[f32], &[bool])| {
        let v: Vec<f64> = (0..D).map(|j| if observed[j] { f64::from(x[j]) - MEAN[j] } else { 0.0 }).collect();
        let mut filled = v.clone();
        match rounds {
            None => conditional.fill(observed, &mut filled, None),
            Some(rounds) => {
                // S v, built up by the same recursion.
                let times = |h: &[f64], i: usize| (0..D).map(|j| covariance[i * D + j] * h[j]).sum::<f64>();
                let mut h = v.clone();
                for _ in 0..rounds {
                    h = (0..D).map(|i| if observed[i] { h[i] - times(&h, i) + v[i] } else { 0.0 }).collect();
                }
                (0..D).filter(|&i| !observed[i]).for_each(|i| filled[i] = times(&h, i));
            }
        }
        LEVEL + (0..D).map(|j| BETA[j] * (MEAN[j] + filled[j])).sum::<f64>()
    };
    lines.map(answer).collect()
}

fn mean_square(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / left.len() as f64
}

#[test]
fn with_the_true_weights_the_original_block_is_the_analytic_series() {
    let rows = rows(64);
    for depth in 1..8 {
        let ours = answers(&linear(FormName::Original, depth, false), &knowing(0.0, 1.0), &rows);
        for (ours, truth) in ours.iter().zip(analytic(&rows, Some(depth - 1))) {
            assert!((ours - truth).abs() < 2e-5, "depth {depth}: {ours} {truth}");
        }
    }
}

/// Proposition 3.1: the error of l rounds is at most (1 - ν)^(2l) |β|² / ν E|I - S_0 Σ_oo|², and it goes to 0.
#[test]
fn the_risk_bound_holds_and_every_form_comes_to_the_bayes_predictor() {
    let rows = rows(3200);
    let bayes = analytic(&rows, None);
    let (least, largest) = start::sound(covariance(), D).unwrap().0;
    assert!((largest - 0.95).abs() < 1e-9);
    let length: f64 = BETA.iter().map(|beta| beta * beta).sum();
    let distance: Vec<f64> = (1..=12)
        .map(|depth| {
            let ours = answers(&linear(FormName::Original, depth, false), &knowing(least, 1.0), &rows);
            let error = mean_square(&ours, &bayes);
            // |I - Σ_oo| is 1 - ν_oo, at most 1 - ν.
            let bound = (1.0 - least).powi(2 * (depth as i32 - 1)) * length / least * (1.0 - least).powi(2);
            assert!(error <= bound, "depth {depth}: {error} {bound}");
            error
        })
        .collect();
    assert!(distance.windows(2).all(|pair| pair[1] < pair[0]), "{distance:?}");
    for (form, depth, accelerated) in [
        (FormName::Original, 200, false),
        (FormName::Original, 20, true),
        (FormName::Shared, 200, false),
        (FormName::Steps, 20, true),
    ] {
        let error =
            mean_square(&answers(&linear(form, depth, accelerated), &knowing(least, largest), &rows), &bayes);
        assert!(error < 1e-6, "{form:?}: {error}");
    }
    // What the lengths of steps are for: as many layers of the series are much further away.
    let series =
        mean_square(&answers(&linear(FormName::Original, 8, false), &knowing(least, largest), &rows), &bayes);
    let steps =
        mean_square(&answers(&linear(FormName::Steps, 8, true), &knowing(least, largest), &rows), &bayes);
    assert!(steps < 0.05 * series, "{steps} {series}");
}

/// Proposition 3.2: a ReLU layer on `[x with zeros, mask]` has the units of a depth-1 block, up to a constant each.
#[test]
fn a_relu_layer_on_values_and_mask_can_be_the_block() {
    let mut stream = Stream::new(9, "relu", 0, 0);
    let weights: Vec<f32> = (0..D * D).map(|_| stream.normal() as f32).collect();
    let mean = [0.3, 0.1, 0.6, 0.9];
    let block = Arc::new(Block::new(Neumann { columns: D, depth: 0, form: Form::Own, mixed: true }));
    let mut parameters = Parameters::new();
    let first = Values { mean: mean.to_vec(), mix: weights.clone(), ..Values::default() };
    block.add_parameters(&mut parameters, first, false);
    let dense = parameters.add_dense("relu", 2 * D, D, || 0.0);
    // Inputs are from 0 to 1, so no sum of weights is beyond this.
    let far = 2.0 * weights.iter().map(|weight| weight.abs()).sum::<f32>();
    for (k, j) in (0..D).flat_map(|k| (0..D).map(move |j| (k, j))) {
        let weight = weights[j * D + k];
        parameters[dense].values[j * D + k] = weight;
        // Where j is missing, the mean that the block would have taken off is put back.
        parameters[dense].values[(D + j) * D + k] = if j == k { 2.0 * far } else { weight * mean[j] };
    }
    parameters[dense + 1].values.fill(-far);
    let (mut values, mut observed, mut both) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..64 {
        let line: Vec<f32> = (0..D).map(|_| stream.uniform() as f32).collect();
        let marks: Vec<bool> = (0..D).map(|j| row >> j & 1 == 1).collect();
        both.extend((0..D).map(|j| if marks[j] { line[j] } else { 0.0 }));
        both.extend(marks.iter().map(|known| f32::from(u8::from(!known))));
        values.extend(line);
        observed.extend(marks);
    }
    let mut engine = Plain::new(&parameters);
    let cells = Cells {
        rows: 64,
        numbers: values.into(),
        numbers_observed: observed.clone().into(),
        codes: vec![].into(),
        codes_observed: vec![].into(),
    };
    let masked = engine.neumann(&block, cells, 0);
    let input = engine.input(both, 64);
    let relu = engine.dense(input, dense, Activation::Relu);
    let mut constants = [None; D];
    for (place, known) in observed.iter().enumerate() {
        let (ours, theirs) = (masked.values()[place] - mean[place % D], relu.values()[place]);
        assert_eq!(theirs > 0.0, !known, "active where missing, and nowhere else");
        if !known {
            let constant = *constants[place % D].get_or_insert(theirs - ours);
            assert!((theirs - ours - constant).abs() < 1e-4);
        }
    }
}

/// Weights, rows and targets of golden.py.
fn golden(settings: Settings, filled: &[usize]) -> (f64, Vec<(f64, f64)>) {
    let network = Network::new(&encoder(3), Task::Regression, &settings);
    let cells = || (0..5).flat_map(|row| (0..3).map(move |column| (row, column)));
    let rows = Encoded {
        rows: 5,
        numbers: cells()
            .map(|(row, column)| (f64::from(row) + 0.5 * f64::from(column)).cos() as f32)
            .collect(),
        numbers_observed: cells().map(|(row, column)| (3 * row + 5 * column) % 4 != 0).collect(),
        codes: vec![],
        codes_observed: vec![],
    };
    let targets = Targets {
        task: Task::Regression,
        numbers: (0..5).map(|row| (2.0 * f64::from(row)).sin() as f32).collect(),
        classes: vec![],
        weights: vec![1.0; 5],
    };
    let mut parameters = network.parameters(&Start::drawn(), 1);
    for &index in filled {
        for (place, value) in parameters[index].values.iter_mut().enumerate() {
            *value = (0.4 * (1.0 + 0.7 * place as f64 + 1.1 * index as f64).sin()) as f32;
        }
    }
    let held = Held { network: &network, rows: &network.prepare(&rows), fingerprint: 0 };
    let learner =
        Supervised { scorer: &held, targets: &targets, learning: (0..5).collect(), validation: vec![] };
    let lent = parameters.tensors();
    let moment = Moment { seed: 1, epoch: 0, step: 0, share: 0.0 };
    let loss = learner.loss(&lent, &[0, 1, 2, 3, 4], &moment);
    let value = f64::from(loss.clone().into_scalar::<f32>());
    let gradients = lent.gradients(loss);
    let sums = filled.iter().map(|&index| {
        let gradient = gradients[index].as_deref().unwrap_or(&[]);
        let each = gradient.iter().enumerate().map(|(place, value)| (place as f64 + 1.0, f64::from(*value)));
        each.fold((0.0, 0.0), |sums, (place, value)| (sums.0 + value, sums.1 + place * value))
    });
    (value, sums.collect())
}

#[test]
fn losses_and_gradients_are_those_of_pytorch() {
    let original = Settings {
        form: FormName::Original,
        depth: 3,
        accelerated: false,
        start: StartName::Normal,
        hidden: vec![],
        direct: false,
        indicators: false,
        ..Settings::default()
    };
    let without = Settings { residual: false, ..original.clone() };
    let shared = Settings { form: FormName::Shared, accelerated: true, hidden: vec![4], ..original.clone() };
    let cases = [
        (
            golden(original, &[0, 1, 2, 4, 5]),
            0.742000113,
            vec![
                (0.242326995, 0.326808790),
                (0.046326986, 0.800282999),
                (-0.164415833, -0.828097238),
                (-1.234453297, -1.537877218),
                (-0.124957661, -0.124957661),
            ],
        ),
        (
            golden(without, &[0, 1, 2, 4, 5]),
            0.726139181,
            vec![
                (0.229993040, 0.429847765),
                (0.009632532, 0.119576602),
                (0.007444823, 0.032629902),
                (-1.395893496, -1.971022928),
                (-0.127037660, -0.127037660),
            ],
        ),
        (
            golden(shared, &[0, 1, 3, 4, 5, 6, 7]),
            0.547445064,
            vec![
                (0.023013472, 0.068110459),
                (-0.082995983, -0.288933615),
                (-0.051863472, -0.128679409),
                (0.239635491, 0.710674788),
                (0.430387106, 0.625436674),
                (0.656160570, 1.848426034),
                (0.535187697, 0.535187697),
            ],
        ),
    ];
    for ((loss, gradients), wanted, wanted_gradients) in cases {
        assert!((loss - wanted).abs() < 1e-6, "{loss} {wanted}");
        for (ours, wanted) in gradients.iter().zip(&wanted_gradients) {
            assert!(
                (ours.0 - wanted.0).abs() < 2e-6 && (ours.1 - wanted.1).abs() < 1e-5,
                "{ours:?} {wanted:?}"
            );
        }
    }
}

#[test]
fn categories_go_through_the_block_or_past_it_and_training_agrees_with_prediction() {
    let table = Table::new(vec![
        Column::from_numbers("n", Kind::Real, &[1.0, 2.0, f64::NAN, 4.0]),
        Column::from_words("c", Kind::Category, &[Some("a"), Some("b"), Some("c"), None]),
    ])
    .unwrap();
    let encoder = Encoder::fit(&table, &["n", "c"].map(String::from), Encoding::default()).unwrap();
    let rows = encoder.encode(&table, |_, _| {}).unwrap();
    for (categories, columns) in [(Categories::Auto, 4), (Categories::Embedded, 1)] {
        for (form, hidden) in
            [(FormName::Steps, vec![5]), (FormName::Shared, vec![]), (FormName::Original, vec![3, 2])]
        {
            let settings = Settings {
                categories,
                form,
                hidden,
                depth: 3,
                start: StartName::Uniform,
                ..Settings::default()
            };
            let network = Network::new(&encoder, Task::Classification { classes: 2 }, &settings);
            assert_eq!(network.block().columns, columns);
            let mut parameters = network.parameters(&Start::drawn(), 1);
            // Some ways start at 0: away from there, so that there is something to compare.
            let mut stream = Stream::new(2, "moved", 0, 0);
            let values = parameters.iter_mut().flat_map(|parameter| &mut parameter.values);
            values.for_each(|value| *value += 0.2 * stream.normal() as f32);
            let inputs = network.prepare(&rows);
            assert_agree!(&parameters, 4 * 2, |engine| network.forward(engine, &inputs, &[0, 1, 2, 3]));
            // The answer depends on the category in any case.
            let mut other = rows.clone();
            other.codes[0] = 1;
            let say = |rows: &Encoded| {
                network.forward(&mut Plain::new(&parameters), &network.prepare(rows), &[0]).into_values()
            };
            assert_ne!(say(&rows), say(&other));
        }
    }
}

/// Both starts find the covariance of holed rows; where columns repeat each other, what has no inverse gets one.
#[test]
fn starts_know_the_distribution() {
    let (rows, numbers) = rows_and_targets(16_000);
    let data = Holes { columns: D, values: &rows.numbers, observed: &rows.numbers_observed };
    let bayes = analytic(&rows, None);
    let targets = Targets { task: Task::Regression, numbers, classes: vec![], weights: vec![1.0; 16_000] };
    let (learning, run): (Vec<usize>, Run) = ((0..16_000).collect(), Run::new(1, 1).unwrap());
    for (start, close) in [(StartName::Em, 2e-3), (StartName::Pairwise, 0.05)] {
        let settings = Settings { start, hidden: vec![], indicators: false, ..Settings::default() };
        let network = Network::new(&encoder(D), Task::Regression, &settings);
        let start = Start::learn(data, &targets, &learning, &settings, &run);
        let error = mean_square(&answers(&network, &start, &rows), &bayes);
        assert!(error < close, "{:?}: {error}", settings.start);
    }
    let (ends, raised) = start::sound(vec![1.0, 1.0, 1.0, 1.0], 2).unwrap();
    assert!(ends.0 > 0.0 && (raised[0] - raised[1]) > 1e-5);
    assert!(start::sound(vec![f64::NAN; 4], 2).is_none());
}
