use super::*;
use crate::nn::engine::tests::assert_agree;
use crate::nn::product::tests::random;
use crate::nn::{Engine, training_device};
use crate::run::Run;

/// Layouts that reach every branch: pieces of rows, groups of columns, each form with and without W_mix.
const CASES: [(usize, usize, Form, bool, usize); 9] = [
    (5, 3, Form::Own, true, 7),
    (20, 4, Form::Own, false, 130),
    (33, 2, Form::Own, true, 65),
    (9, 2, Form::Shared, false, 70),
    (30, 3, Form::Shared, true, 4),
    (12, 3, Form::Steps, false, 70),
    (10, 4, Form::Steps, true, 9),
    (3, 0, Form::Own, true, 5),
    (40, 0, Form::Steps, false, 5),
];

struct Case {
    layout: Neumann,
    weights: Values,
    values: Vec<f32>,
    observed: Vec<bool>,
    rows: usize,
}

impl Case {
    fn new((columns, depth, form, mixed, rows): (usize, usize, Form, bool, usize)) -> Self {
        let matrices = if form == Form::Own { depth } else { depth.min(1) };
        let scaled = |count: usize, purpose: &str, scale: f32| -> Vec<f32> {
            random(count, purpose).iter().map(|value| scale * value).collect()
        };
        let scale = 0.5 / (columns as f32).sqrt();
        let weights = Values {
            mean: random(columns, "mean"),
            matrices: scaled(matrices * columns * columns, "matrices", scale),
            mix: scaled(if mixed { columns * columns } else { 0 }, "mix", scale),
            residuals: random(depth, "residuals").iter().map(|value| 1.0 + 0.3 * value).collect(),
        };
        let observed = random(rows * columns, "observed").iter().map(|value| *value < 0.2).collect();
        let layout = Neumann { columns, depth, form, mixed };
        Self { layout, weights, values: random(rows * columns, "values"), observed, rows }
    }

    fn cells(&self) -> Cells<'_> {
        Cells {
            rows: self.rows,
            numbers: (&self.values).into(),
            numbers_observed: (&self.observed).into(),
            codes: Vec::new().into(),
            codes_observed: Vec::new().into(),
        }
    }

    fn parameters(&self) -> Parameters {
        let mut parameters = Parameters::new();
        Block::new(self.layout).add_parameters(&mut parameters, self.weights.clone(), true);
        parameters
    }

    /// The block as its formulas stand in the module's text, in double precision.
    fn plainly(&self, [mean, matrices, mix, residuals]: &[Vec<f64>; 4]) -> Vec<f64> {
        let Neumann { columns: d, depth, form, mixed } = self.layout;
        let times =
            |h: &[f64], matrix: &[f64], j: usize| (0..d).map(|k| h[k] * matrix[k * d + j]).sum::<f64>();
        let mut output = Vec::new();
        for (x, observed) in self.values.chunks(d).zip(self.observed.chunks(d)) {
            let v: Vec<f64> =
                (0..d).map(|j| if observed[j] { f64::from(x[j]) - mean[j] } else { 0.0 }).collect();
            let mut h = v.clone();
            for l in 0..depth {
                let matrix = if form == Form::Own { &matrices[l * d * d..] } else { matrices };
                let next = (0..d).map(|j| match form {
                    _ if !observed[j] => 0.0,
                    Form::Steps => h[j] + residuals[l] * (v[j] - times(&h, matrix, j)),
                    _ => times(&h, matrix, j) + residuals[l] * v[j],
                });
                h = next.collect();
            }
            output.extend((0..d).map(|j| match mixed {
                false => h[j],
                true if observed[j] => f64::from(x[j]),
                true => times(&h, mix, j) + mean[j],
            }));
        }
        output
    }

    fn doubles(&self) -> [Vec<f64>; 4] {
        let Values { mean, matrices, mix, residuals } = &self.weights;
        [mean, matrices, mix, residuals].map(|values| values.iter().map(|value| f64::from(*value)).collect())
    }
}

#[test]
fn the_block_is_its_formula_in_training_and_in_prediction() {
    for case in CASES.map(Case::new) {
        let block = Arc::new(Block::new(case.layout));
        let length = case.rows * case.layout.columns;
        assert_agree!(&case.parameters(), length, |engine| engine.neumann(&block, case.cells(), 0));
        let mut output = Vec::new();
        block.infer(&case.cells(), &case.parameters(), 0, &mut output);
        for (ours, truth) in output.iter().zip(case.plainly(&case.doubles())) {
            assert!((f64::from(*ours) - truth).abs() < 1e-5 * (1.0 + truth.abs()), "{:?}", case.layout);
        }
    }
}

#[test]
fn gradients_are_those_of_finite_differences() {
    for case in CASES.map(Case::new) {
        let block = Arc::new(Block::new(case.layout));
        let slopes = random(case.rows * case.layout.columns, "slopes");
        let tensors = case.parameters().tensors();
        let output = block.forward(&case.cells(), &tensors, 0);
        let data = burn::tensor::TensorData::new(slopes.clone(), [case.rows, case.layout.columns]);
        let loss = (output * Tensor::<2>::from_data(data, &training_device())).sum();
        let loss_at = |weights: &[Vec<f64>; 4]| -> f64 {
            case.plainly(weights).iter().zip(&slopes).map(|(value, slope)| value * f64::from(*slope)).sum()
        };
        for (index, found) in tensors.gradients(loss).into_iter().enumerate() {
            let found = found.unwrap_or_default();
            assert_eq!(found.len(), case.doubles()[index].len());
            for place in (0..found.len()).step_by(1 + found.len() / 40) {
                let moved = |by: f64| {
                    let mut weights = case.doubles();
                    weights[index][place] += by;
                    loss_at(&weights)
                };
                let truth = (moved(1e-4) - moved(-1e-4)) / 2e-4;
                let error = (f64::from(found[place]) - truth).abs();
                assert!(error < 1e-4 * (1.0 + truth.abs()), "{:?} {index} {place}: {error}", case.layout);
            }
        }
    }
}

/// What was in a buffer before must not matter: a step after another, larger one gives the same.
#[test]
fn buffers_that_are_used_again_change_nothing() {
    let gradients = |block: &Arc<Block>, case: &Case| {
        let tensors = case.parameters().tensors();
        let output = block.forward(&case.cells(), &tensors, 0);
        tensors.gradients((output.clone() * output).sum())
    };
    for case in CASES.map(Case::new) {
        let block = Arc::new(Block::new(case.layout));
        let fresh = gradients(&block, &case);
        let mut wild =
            Case::new((case.layout.columns, case.layout.depth, case.layout.form, case.layout.mixed, 150));
        wild.values.iter_mut().for_each(|value| *value *= f32::INFINITY);
        gradients(&block, &wild);
        assert_eq!(gradients(&block, &case), fresh, "{:?}", case.layout);
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for form in [Form::Own, Form::Shared, Form::Steps] {
        let case = Case::new((40, 5, form, true, 1000));
        let block = Arc::new(Block::new(case.layout));
        let with = |threads| {
            Run::new(1, threads).unwrap().compute(|| {
                let tensors = case.parameters().tensors();
                let output = block.forward(&case.cells(), &tensors, 0);
                let mut plain = Vec::new();
                block.infer(&case.cells(), &case.parameters(), 0, &mut plain);
                (tensors.gradients((output.clone() * output).sum()), plain)
            })
        };
        assert_eq!(with(1), with(2));
        assert_eq!(with(1), with(3));
    }
}

#[test]
fn what_stands_under_the_mask_is_not_read_and_a_row_is_alone() {
    for case in CASES.map(Case::new) {
        let block = Block::new(case.layout);
        let answer = |case: &Case| {
            let mut output = Vec::new();
            block.infer(&case.cells(), &case.parameters(), 0, &mut output);
            output
        };
        let clean = answer(&case);
        let d = case.layout.columns;
        let mut one = Case::new((d, case.layout.depth, case.layout.form, case.layout.mixed, 1));
        let last = (case.rows - 1) * d;
        (one.values, one.observed) = (case.values[last..].to_vec(), case.observed[last..].to_vec());
        assert_eq!(answer(&one), clean[last..]);
        let mut dirty = case;
        let cells = dirty.values.iter_mut().zip(&dirty.observed);
        cells.filter(|(_, known)| !**known).for_each(|(value, _)| *value = f32::NAN);
        assert_eq!(answer(&dirty), clean);
    }
}
