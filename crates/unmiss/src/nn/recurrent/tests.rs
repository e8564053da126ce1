//! Recurrent layers against PyTorch, against their formulas and finite differences, and bit against bit.

use std::sync::Arc;

use burn::Tensor;
use burn::tensor::TensorData;
use serde::Deserialize;

use super::*;
use crate::nn::engine::tests::assert_agree;
use crate::nn::lanes::tests::plainly;
use crate::nn::product::tests::random;
use crate::nn::tape::{into_values, training_device};
use crate::nn::{Engine, Parameters};
use crate::run::Run;

/// Made by `tests/golden/recurrent.py`.
const GOLDEN: &str = include_str!("../../../tests/golden/recurrent.json");

#[derive(Deserialize)]
struct Golden {
    input: Vec<f32>,
    weights: Vec<Vec<f32>>,
    pull: Vec<f32>,
    last: Vec<f32>,
    input_gradient: Vec<f32>,
    gradients: Vec<Vec<f32>>,
}

fn tensor(values: &[f32], width: usize) -> Tensor<2> {
    let data = TensorData::new(values.to_vec(), [values.len() / width.max(1), width]);
    Tensor::from_data(data, &training_device())
}

fn parameters(layer: &Recurrent, values: &[Vec<f32>]) -> Parameters {
    let mut parameters = Parameters::new();
    layer.add_parameters(&mut parameters, "layer", || 0.0);
    for (parameter, values) in parameters.iter_mut().zip(values) {
        assert_eq!(parameter.values.len(), values.len());
        parameter.values.clone_from(values);
    }
    parameters
}

fn assert_close(ours: &[f32], truth: impl IntoIterator<Item = f64>, tolerance: f64, what: &str) {
    let truth: Vec<f64> = truth.into_iter().collect();
    assert_eq!(ours.len(), truth.len(), "{what}");
    for (place, (a, b)) in ours.iter().zip(truth).enumerate() {
        assert!((f64::from(*a) - b).abs() < tolerance * (1.0 + b.abs()), "{what} {place}: {a} {b}");
    }
}

#[test]
fn states_and_gradients_are_pytorch_s() {
    let golden: std::collections::BTreeMap<String, Golden> = serde_json::from_str(GOLDEN).unwrap();
    for (name, cell) in [("lstm", Cell::Lstm), ("gru", Cell::Gru)] {
        let golden = &golden[name];
        let layer = Arc::new(Recurrent::new(cell, 2, 3));
        let (steps, lent) = (Arc::new(Steps::new(vec![3, 1])), parameters(&layer, &golden.weights).tensors());
        let input = tensor(&golden.input, 2).require_grad();
        let last = layer.forward_taped(input.clone(), None, &steps, (&lent, 0), Give::Last);
        let wide = |values: &[f32]| values.iter().map(|value| f64::from(*value)).collect::<Vec<f64>>();
        assert_close(&into_values(last.clone()), wide(&golden.last), 2e-6, name);
        let found = lent.gradients((last.clone() * tensor(&golden.pull, 3)).sum());
        for (found, truth) in found.iter().zip(&golden.gradients) {
            assert_close(found.as_ref().unwrap(), wide(truth), 2e-6, name);
        }
        let again = layer.forward_taped(input.clone(), None, &steps, (&lent, 0), Give::Last);
        let mut found = (again * tensor(&golden.pull, 3)).sum().backward();
        let of_input = into_values(input.grad_remove(&mut found).unwrap());
        assert_close(&of_input, wide(&golden.input_gradient), 2e-6, name);
    }
}

/// A layer with series of some lengths, and numbers for everything.
struct Case {
    layer: Arc<Recurrent>,
    steps: Arc<Steps>,
    cell: Cell,
    give: Give,
    /// Input, decay (maybe empty), W, U, b.
    arrays: [Vec<f32>; 5],
}

const LENGTHS: [usize; 6] = [2, 0, 4, 1, 4, 3];

impl Case {
    fn new(cell: Cell, give: Give, decays: bool, inputs: usize, units: usize, lengths: &[usize]) -> Self {
        Self::with(Recurrent::new(cell, inputs, units), give, decays, lengths)
    }

    fn with(layer: Recurrent, give: Give, decays: bool, lengths: &[usize]) -> Self {
        let (cell, inputs, units) = (layer.cell, layer.inputs, layer.units);
        let layer = Arc::new(layer);
        let steps = Arc::new(Steps::new(lengths.to_vec()));
        let wide = layer.gates() * units;
        let small = |count: usize, purpose: &str| -> Vec<f32> {
            random(count, purpose).iter().map(|value| 0.5 * value).collect()
        };
        let decay: Vec<f32> = random(if decays { steps.rows() * units } else { 0 }, "decay")
            .iter()
            .map(|v| v.cos().abs())
            .collect();
        let arrays = [
            random(steps.rows() * inputs, "input"),
            decay,
            small(inputs * wide, "weights"),
            small(units * wide, "recurrent"),
            small(4 * units, "bias"),
        ];
        Self { layer, steps, cell, give, arrays }
    }

    fn small() -> Vec<Self> {
        let mut all = Vec::new();
        for cell in [Cell::Lstm, Cell::Gru] {
            for give in [Give::Every, Give::Last] {
                for decays in [false, true] {
                    all.push(Self::new(cell, give, decays, 2, 3, &LENGTHS));
                    let back = Recurrent::new(cell, 2, 3).reversed();
                    all.push(Self::with(back, give, decays, &LENGTHS));
                }
            }
        }
        all
    }

    fn parameters(&self) -> Parameters {
        parameters(&self.layer, &self.arrays[2..])
    }

    fn numbers(&self) -> usize {
        let rows = if self.give == Give::Last { self.steps.series() } else { self.steps.rows() };
        rows * self.layer.units()
    }

    fn through<E: Engine>(&self, engine: &mut E) -> E::Value {
        let input = engine.input(self.arrays[0].clone(), self.steps.rows());
        let decays = !self.arrays[1].is_empty();
        let decay = decays.then(|| engine.input(self.arrays[1].clone(), self.steps.rows()));
        engine.recurrent(input, decay, &self.layer, &self.steps, 0, self.give)
    }

    fn infer(&self) -> Vec<f32> {
        let [input, decay, w, u, b] = &self.arrays;
        let decay = (!decay.is_empty()).then_some(decay.as_slice());
        let mut output = Vec::new();
        let weights = Weights { input: w, state: u, bias: b };
        self.layer.infer((&self.steps, input, decay), weights, self.give, &mut output);
        output
    }

    /// Output and the gradients of input, decay and weights under `Σ output ⊙ pull`.
    fn gradients(&self) -> (Vec<f32>, Vec<Vec<f32>>) {
        let lent = self.parameters().tensors();
        let input = tensor(&self.arrays[0], self.layer.inputs()).require_grad();
        let decay = tensor(&self.arrays[1], self.layer.units()).require_grad();
        let with = (!self.arrays[1].is_empty()).then(|| decay.clone());
        let output = self.layer.forward_taped(input.clone(), with, &self.steps, (&lent, 0), self.give);
        let pull = tensor(&random(self.numbers(), "pull"), self.layer.units());
        let mut found = (output.clone() * pull).sum().backward();
        let mut all = vec![into_values(input.grad_remove(&mut found).unwrap())];
        all.push(decay.grad_remove(&mut found).map(into_values).unwrap_or_default());
        for index in 0..RECURRENT_PARAMETERS {
            all.push(into_values(lent.tensor::<2>(index).grad_remove(&mut found).unwrap()));
        }
        (into_values(output), all)
    }

    /// The formulas, one series after the other, in double precision.
    fn plainly(&self, arrays: &[Vec<f64>; 5]) -> Vec<f64> {
        let [input, decay, w, u, b] = arrays;
        let (inputs, units, wide) =
            (self.layer.inputs(), self.layer.units(), self.layer.gates() * self.layer.units());
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let mut output = vec![0.0; self.numbers()];
        for series in 0..self.steps.series() {
            let (mut h, mut c) = (vec![0.0; units], vec![0.0; units]);
            for step in self.layer.course(self.steps.length(series)) {
                let row = self.steps.row(series, step);
                if !decay.is_empty() {
                    h.iter_mut().zip(&decay[row * units..]).for_each(|(h, d)| *h *= d);
                }
                let of_input = |gate: usize, unit: usize| -> f64 {
                    (0..inputs).map(|k| input[row * inputs + k] * w[k * wide + gate * units + unit]).sum()
                };
                let state = h.clone();
                let of_state = |gate: usize, unit: usize| -> f64 {
                    (0..units).map(|k| state[k] * u[k * wide + gate * units + unit]).sum()
                };
                for unit in 0..units {
                    let bias = |part: usize| b[part * units + unit];
                    if self.cell == Cell::Lstm {
                        let [i, f, g, o] =
                            [0, 1, 2, 3].map(|gate| of_input(gate, unit) + of_state(gate, unit) + bias(gate));
                        c[unit] = sigmoid(f) * c[unit] + sigmoid(i) * g.tanh();
                        h[unit] = sigmoid(o) * c[unit].tanh();
                    } else {
                        let r = sigmoid(of_input(1, unit) + of_state(0, unit) + bias(1));
                        let z = sigmoid(of_input(2, unit) + of_state(1, unit) + bias(2));
                        let n = (of_input(0, unit) + bias(0) + r * (of_state(2, unit) + bias(3))).tanh();
                        h[unit] = (1.0 - z) * n + z * state[unit];
                    }
                }
                if self.give == Give::Every {
                    output[row * units..][..units].copy_from_slice(&h);
                }
            }
            if self.give == Give::Last {
                output[series * units..][..units].copy_from_slice(&h);
            }
        }
        output
    }

    fn doubles(&self) -> [Vec<f64>; 5] {
        self.arrays.clone().map(|values| values.into_iter().map(f64::from).collect())
    }
}

#[test]
fn states_are_their_formulas_in_training_and_in_prediction() {
    for case in Case::small() {
        assert_agree!(&case.parameters(), case.numbers(), |engine| case.through(engine));
        assert_close(&case.infer(), case.plainly(&case.doubles()), 2e-6, "states");
    }
    // Past the sizes of tiles and blocks.
    let lengths: Vec<usize> = (0..75).map(|series| series * 7 % 11).collect();
    for cell in [Cell::Lstm, Cell::Gru] {
        let case = Case::new(cell, Give::Every, true, 7, 35, &lengths);
        assert_close(&case.infer(), case.plainly(&case.doubles()), 1e-5, "states");
        assert_close(&plainly(|| case.infer()), case.plainly(&case.doubles()), 1e-5, "without registers");
    }
}

#[test]
fn gradients_are_those_of_finite_differences() {
    for case in Case::small() {
        let (_, found) = case.gradients();
        let pull = random(case.numbers(), "pull");
        let loss = |arrays: &[Vec<f64>; 5]| -> f64 {
            case.plainly(arrays).iter().zip(&pull).map(|(value, pull)| value * f64::from(*pull)).sum()
        };
        for (part, found) in found.iter().enumerate() {
            let slopes = (0..found.len()).map(|place| {
                let moved = |by: f64| {
                    let mut arrays = case.doubles();
                    arrays[part][place] += by;
                    loss(&arrays)
                };
                (moved(1e-5) - moved(-1e-5)) / 2e-5
            });
            assert_eq!(found.len(), case.arrays[part].len());
            assert_close(found, slopes, 1e-5, &format!("{:?} {:?}, array {part}", case.cell, case.give));
        }
    }
}

#[test]
fn threads_and_old_buffers_do_not_change_a_bit() {
    let lengths: Vec<usize> = (0..130).map(|series| 1 + series * 5 % 9).collect();
    for cell in [Cell::Lstm, Cell::Gru] {
        let case = Case::new(cell, Give::Every, true, 5, 20, &lengths);
        let with = |threads| Run::new(1, threads).unwrap().compute(|| (case.gradients(), case.infer()));
        let first = with(1);
        assert_eq!(first.0.0, first.1, "training and prediction");
        assert_eq!(first, with(2));
        assert_eq!(first, with(3));
    }
}

#[test]
fn a_series_gives_the_same_bits_in_any_company() {
    let lengths: Vec<usize> = (0..70).map(|series| series % 6).collect();
    for cell in [Cell::Lstm, Cell::Gru] {
        let all = Case::new(cell, Give::Last, false, 3, 10, &lengths);
        let states = all.infer();
        for series in [0, 1, 5, 33, 69] {
            let mut one = Case::new(cell, Give::Last, false, 3, 10, &[lengths[series]]);
            let rows = (0..lengths[series]).map(|step| all.steps.row(series, step));
            one.arrays[0] = rows.flat_map(|row| all.arrays[0][3 * row..][..3].to_vec()).collect();
            assert_eq!(one.infer(), states[10 * series..][..10], "{cell:?}, series {series}");
        }
    }
}

#[test]
fn no_row_is_spent_on_a_series_that_is_over() {
    let steps = Steps::new(LENGTHS.to_vec());
    assert_eq!(steps.rows(), LENGTHS.iter().sum::<usize>());
    let places: Vec<(usize, usize)> = steps.places().collect();
    assert_eq!(places.len(), steps.rows());
    for (row, (series, step)) in places.into_iter().enumerate() {
        assert!(step < LENGTHS[series]);
        assert_eq!(steps.row(series, step), row);
    }
    for nothing in [Steps::new(vec![]), Steps::new(vec![0, 0])] {
        assert_eq!((nothing.rows(), nothing.places().count()), (0, 0));
    }
    let empty = Case::new(Cell::Gru, Give::Last, false, 2, 3, &[0, 0]);
    assert_eq!(empty.infer(), [0.0; 6]);
    assert!(Case::new(Cell::Lstm, Give::Every, false, 2, 3, &[]).infer().is_empty());
}
