//! Both engines do the same: every operation, and (beside each network) every network.

use burn::Tensor;

use super::*;
use crate::nn::Parameters;
use crate::nn::product::tests::random;
use crate::nn::tape::into_values;

/// The same numbers, up to the order of additions; and not all the same one.
pub(crate) fn assert_near(taped: Tensor<2>, plain: &[f32], length: usize) {
    let taped = into_values(taped);
    assert_eq!((taped.len(), plain.len()), (length, length));
    for (a, b) in taped.iter().zip(plain) {
        assert!((a - b).abs() < 1e-5 * (1.0 + b.abs()), "{a} {b}");
    }
    assert!(plain.iter().any(|value| *value != plain[0]), "{plain:?}");
}

/// Asserts that both engines give the same so many numbers. A macro, as no closure takes engines of two types.
macro_rules! assert_agree {
    ($parameters:expr, $length:expr, |$engine:ident| $forward:expr) => {{
        let parameters: &$crate::nn::Parameters = $parameters;
        let lent = parameters.tensors();
        let moment = $crate::nn::train::Moment { seed: 1, epoch: 0, step: 0, share: 0.0 };
        let taped = {
            let $engine = &mut $crate::nn::Taped::new(&lent, &moment);
            $forward
        };
        let $engine = &mut $crate::nn::Plain::new(parameters);
        $crate::nn::engine::tests::assert_near(taped, $forward.values(), $length);
    }};
}
pub(crate) use assert_agree;

const ROWS: usize = 5;
const WIDTH: usize = 4;

fn parameters() -> Parameters {
    let mut parameters = Parameters::new();
    let mut drawn = random(1000, "engine").into_iter();
    let mut draw = || drawn.next().unwrap();
    parameters.add_dense("square", WIDTH, WIDTH, &mut draw);
    parameters.add("factors", [3, WIDTH], &mut draw);
    parameters.add("heads/weight", [3 * WIDTH, 2], &mut draw);
    parameters.add("heads/bias", [3, 2], &mut draw);
    parameters.add("narrow", [WIDTH, 1], &mut draw);
    parameters
}

fn input<E: Engine>(engine: &mut E) -> E::Value {
    engine.input(random(ROWS * WIDTH, "input"), ROWS)
}

#[test]
fn layers_sums_and_normalisation_agree() {
    assert_agree!(&parameters(), ROWS * (1 + 2 * WIDTH), |engine| {
        let input = input(engine);
        let direct = engine.linear(input.clone(), 0);
        let hidden = engine.dense(input.clone(), 0, Activation::Relu);
        let hidden = engine.normalize_hidden(hidden, WIDTH as f32);
        let sum = engine.add(hidden, direct);
        let sum = engine.times(sum, input.clone());
        let narrow = engine.linear(sum.clone(), 5);
        let both = engine.beside(narrow, sum);
        engine.beside(both, input)
    });
}

#[test]
fn members_agree() {
    assert_agree!(&parameters(), 3 * ROWS * 2, |engine| {
        let input = input(engine);
        engine.members(input, 2, |engine, view| {
            let hidden = engine.dense(view, 0, Activation::Mish);
            engine.heads(hidden, 3)
        })
    });
}

#[test]
fn prediction_drops_nothing_and_uses_its_buffers_again() {
    let parameters = parameters();
    let mut engine = Plain::new(&parameters);
    let first = input(&mut engine);
    let (place, before) = (first.values().as_ptr(), first.values().to_vec());
    let kept = engine.dropout(first, 0.9, Dropout::Average, ("dropout", 0));
    assert_eq!(kept.values(), before);
    let held = kept.clone();
    let second = engine.dense(kept, 0, Activation::Identity);
    let third = engine.dense(second, 0, Activation::Identity);
    assert_eq!(held.values(), before, "what somebody still reads is left alone");
    engine.recycle(held);
    assert_eq!(engine.dense(third, 0, Activation::Identity).values().as_ptr(), place);
}
