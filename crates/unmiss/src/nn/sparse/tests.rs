use std::sync::Arc;

use burn::Tensor;
use burn::tensor::{TensorData, activation};

use super::lanes::Level;
use super::*;
use crate::nn::optimizer::{Optimizer, Step};
use crate::nn::product::tests::random;
use crate::nn::training_device;
use crate::rng::Stream;
use crate::run::Run;

const ROWS: usize = 9;
pub(super) const INPUTS: usize = 13;
pub(super) const OUTPUTS: usize = 11;

/// Random entries: some rows without any, inputs and outputs apart.
pub(super) fn batch(seed: u64) -> Batch {
    let mut stream = Stream::new(seed, "sparse test", 0, 0);
    let mut pattern = |width: usize| {
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for row in 0..ROWS {
            let share = if row == 3 { 0.0 } else { 0.5 };
            columns.extend((0..width as u32).filter(|_| stream.uniform() < share));
            starts.push(columns.len());
        }
        Arc::new(Pattern::new(width, starts, columns))
    };
    let (inputs, outputs) = (pattern(INPUTS), pattern(OUTPUTS));
    let (values, targets) = (random(inputs.len(), "values"), random(outputs.len(), "targets"));
    Batch::new(inputs, &values, outputs, targets)
}

pub(super) fn network(hidden: usize, squash: Squash) -> SparseNetwork {
    let mut network = SparseNetwork::random([INPUTS, hidden, OUTPUTS], squash, [0.3, 0.2], 5);
    network.set_hidden_bias(&random(hidden, "hidden bias"));
    network.output_bias_mut().copy_from_slice(&random(OUTPUTS, "output bias"));
    network
}

fn tensor(values: Vec<f32>, rows: usize, columns: usize) -> Tensor<2> {
    Tensor::<2>::from_data(TensorData::new(values, [rows, columns]), &training_device()).require_grad()
}

/// The readable definition: the same network in dense tensors, unknown inputs 0, unwanted outputs masked away.
fn plain(network: &SparseNetwork, batch: &Batch, squash: Squash) -> (f32, Vec<Vec<f32>>) {
    let (mut x, mut wanted, mut target) =
        (vec![0.0; ROWS * INPUTS], vec![0.0; ROWS * OUTPUTS], vec![0.0; ROWS * OUTPUTS]);
    for row in 0..ROWS {
        for entry in batch.inputs.row(row) {
            x[row * INPUTS + batch.inputs.columns[entry] as usize] =
                batch.values[batch.inputs.places[entry] as usize];
        }
        for entry in batch.outputs.row(row) {
            let cell = row * OUTPUTS + batch.outputs.columns[entry] as usize;
            (wanted[cell], target[cell]) = (1.0, batch.targets[entry]);
        }
    }
    let hidden = network.hidden;
    let v = tensor((0..INPUTS).flat_map(|input| network.input(input)).collect(), INPUTS, hidden);
    let w = tensor((0..OUTPUTS).flat_map(|output| network.output(output)).collect(), OUTPUTS, hidden);
    let c = tensor(network.hidden_bias(), 1, hidden);
    let b = tensor(network.output_bias().to_vec(), 1, OUTPUTS);
    let constant = |values: Vec<f32>, columns| {
        Tensor::<2>::from_data(TensorData::new(values, [ROWS, columns]), &training_device())
    };
    let sums = constant(x, INPUTS).matmul(v.clone()) + c.clone();
    let h = match squash {
        Squash::Sigmoid => activation::sigmoid(sums),
        Squash::Tanh => activation::tanh(sums),
    };
    let s = h.matmul(w.clone().transpose()) + b.clone();
    let loss = ((s - constant(target, OUTPUTS)) * constant(wanted, OUTPUTS)).powi_scalar(2).sum();
    let gradients = loss.backward();
    let of = |tensor: &Tensor<2>| tensor.grad(&gradients).unwrap().into_data().try_into_vec::<f32>().unwrap();
    (loss.into_scalar(), [&v, &w, &c, &b].map(of).to_vec())
}

/// Squared error.
pub(super) fn squares(batch: &Batch, work: &mut Work) -> f32 {
    let errors: Vec<f32> =
        work.scores.iter().zip(&batch.targets).map(|(score, target)| score - target).collect();
    work.gradients = errors.iter().map(|error| 2.0 * error).collect();
    errors.iter().map(|error| error * error).sum()
}

fn all_weights(network: &SparseNetwork) -> Vec<Vec<f32>> {
    vec![
        (0..INPUTS).flat_map(|input| network.input(input)).collect(),
        (0..OUTPUTS).flat_map(|output| network.output(output)).collect(),
        network.hidden_bias(),
        network.output_bias().to_vec(),
    ]
}

#[test]
fn gradients_are_those_of_the_plain_form() {
    let batch = batch(1);
    for (hidden, squash) in
        [(5, Squash::Sigmoid), (64, Squash::Tanh), (70, Squash::Sigmoid), (130, Squash::Tanh)]
    {
        let network = network(hidden, squash);
        let (loss, gradients) = plain(&network, &batch, squash);
        // Plain descent with rate 1 moves every weight by its gradient.
        let mut trainer = Trainer::new(network.clone(), Optimizer::Sgd { momentum: 0.0, nesterov: false });
        let mut work = Work::default();
        trainer.network.forward(&batch, &mut work);
        let ours = squares(&batch, &mut work);
        assert!((ours / loss - 1.0).abs() < 1e-5, "{ours} {loss}");
        trainer.backward(&batch, &mut work, 1.0, [0.0, 0.0]);
        for (place, gradient) in gradients.iter().enumerate() {
            let (before, after) = (&all_weights(&network)[place], &all_weights(&trainer.network)[place]);
            let size = gradient.iter().fold(0.0_f32, |most, g| most.max(g.abs()));
            for ((before, after), expected) in before.iter().zip(after).zip(gradient) {
                assert!(
                    (before - after - expected).abs() < 1e-5 * size + 1e-5,
                    "{place}: {} {expected}",
                    before - after
                );
            }
        }
    }
}

#[test]
fn steps_are_those_of_the_optimisers() {
    let batch = batch(2);
    let (hidden, squash) = (70, Squash::Sigmoid);
    let rprop: Optimizer = serde_json::from_value(serde_json::json!({ "rprop": {} })).unwrap();
    for optimizer in [Optimizer::default(), rprop] {
        let mut trainer = Trainer::new(network(hidden, squash), optimizer);
        let mut expected = all_weights(&trainer.network);
        let mut states: Vec<_> = expected.iter().map(|weights| optimizer.state(weights.len())).collect();
        let mut work = Work::default();
        for number in 1..=4 {
            let (_, gradients) = plain(&trainer.network, &batch, squash);
            trainer.network.forward(&batch, &mut work);
            squares(&batch, &mut work);
            trainer.backward(&batch, &mut work, 0.01, [0.3, 0.2]);
            for (place, decay) in [0.3, 0.2, 0.0, 0.0].into_iter().enumerate() {
                let step = Step { number, rate: 0.01, decay, scale: 1.0 };
                optimizer.update(step, &mut expected[place], &gradients[place], &mut states[place]);
                for (ours, theirs) in all_weights(&trainer.network)[place].iter().zip(&expected[place]) {
                    assert!((ours - theirs).abs() < 2e-4, "{optimizer:?}, step {number}: {ours} {theirs}");
                }
            }
            expected = all_weights(&trainer.network);
        }
    }
}

/// Some steps, on these registers and with so many threads.
fn steps(level: Level, threads: usize) -> SparseNetwork {
    let batch = batch(3);
    let mut trainer = Trainer::new(network(200, Squash::Sigmoid), Optimizer::default());
    let mut work = Work::default();
    Run::new(1, threads).unwrap().compute(|| {
        for _ in 0..5 {
            trainer.network.forward_with(level, &batch, &mut work);
            squares(&batch, &mut work);
            trainer.backward_with(level, &batch, &mut work, 0.01, [0.1, 0.1]);
        }
    });
    trainer.network
}

#[test]
fn threads_do_not_change_a_bit_and_registers_only_the_last() {
    let expected = all_weights(&steps(Level::best(), 1));
    for level in Level::available() {
        let one = steps(level, 1);
        for threads in [2, 3] {
            assert!(steps(level, threads) == one, "{level:?}, {threads} threads");
        }
        for (ours, expected) in all_weights(&one).iter().flatten().zip(expected.iter().flatten()) {
            assert!((ours - expected).abs() < 1e-5, "{level:?}: {ours} {expected}");
        }
    }
}

#[test]
fn units_that_fill_a_tile_stay_out_of_it() {
    let network = steps(Level::best(), 2);
    let codes = network.codes(&batch(3));
    assert_eq!(codes.len(), ROWS * 200);
    let mut work = Work::default();
    network.forward(&batch(3), &mut work);
    let first = batch(3).outputs.columns[0] as usize;
    let dot: f32 = codes[..200].iter().zip(network.output(first)).map(|(h, w)| h * w).sum();
    assert!((dot + network.output_bias()[first] - work.scores[0]).abs() < 1e-4);
}

/// More rows of weights, and more wanted outputs, than are handled at a time.
#[test]
fn pieces_join() {
    let (inputs, hidden, outputs, rows) = (1100, 3, 1100, 40);
    let network = SparseNetwork::random([inputs, hidden, outputs], Squash::Sigmoid, [0.5, 0.25], 9);
    let mut stream = Stream::new(9, "output weights", 1050, 0);
    let expected: Vec<f32> = (0..hidden).map(|_| (0.25 * stream.normal()) as f32).collect();
    assert_eq!(network.output(1050), expected);
    let starts = |each: usize| (0..=rows).map(|row| row * each).collect::<Vec<_>>();
    let known = Pattern::new(inputs, starts(1), (0..rows as u32).map(|row| 27 * row).collect());
    let wanted: Vec<u32> = (0..rows).flat_map(|_| 0..outputs as u32).collect();
    let wanted = Arc::new(Pattern::new(outputs, starts(outputs), wanted));
    let batch = Batch::new(Arc::new(known), &random(rows, "values"), wanted, Vec::new());
    let codes = network.codes(&batch);
    let mut work = Work::default();
    network.forward(&batch, &mut work);
    assert_eq!(work.scores.len(), rows * outputs);
    for (entry, score) in work.scores.iter().enumerate() {
        let (row, output) = (entry / outputs, entry % outputs);
        let code = &codes[row * hidden..][..hidden];
        let sum: f32 = network.output(output).iter().zip(code).map(|(w, h)| w * h).sum();
        assert!((score - sum).abs() < 1e-5, "{row} {output}: {score} {sum}");
    }
}
