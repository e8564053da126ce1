//! Pooling by hand, against differences, and with both engines.

use burn::tensor::TensorData;

use super::*;
use crate::nn::engine::tests::assert_agree;
use crate::nn::product::tests::random;
use crate::nn::tape::{into_values, training_device};
use crate::nn::{Activation, Engine, Parameters};
use crate::rng::Stream;

const ALL: [Pool; 4] = [Pool::Max, Pool::Average, Pool::GlobalMax, Pool::GlobalAverage];

fn tensor(values: Vec<f32>, rows: usize) -> Tensor<2> {
    let shape = [rows, values.len() / rows];
    Tensor::from_data(TensorData::new(values, shape), &training_device()).require_grad()
}

#[test]
fn squares_are_taken_together_and_what_is_left_over_is_not() {
    #[rustfmt::skip]
    let image = vec![
        1.0, 2.0, 5.0, 4.0, 9.0,
        0.0, 3.0, 6.0, 7.0, 9.0,
        9.0, 9.0, 9.0, 9.0, 9.0,
    ];
    let shape = Shape::new(1, 3, 5);
    let of = |kind| into_values(pool(tensor(image.clone(), 1), shape, kind));
    assert_eq!(of(Pool::Max), [3.0, 7.0]);
    assert_eq!(of(Pool::Average), [1.5, 5.5]);
    assert_eq!(of(Pool::GlobalMax), [9.0]);
    assert!((of(Pool::GlobalAverage)[0] - 91.0 / 15.0).abs() < 1e-5);
    assert_eq!(Pool::Max.output(Shape::new(4, 9, 8)), Shape::new(4, 4, 4));
    let mut holed = image.clone();
    holed[1] = f32::NAN;
    for kind in ALL {
        assert!(into_values(pool(tensor(holed.clone(), 1), shape, kind))[0].is_nan(), "{kind:?}");
    }
}

#[test]
fn gradients_agree_with_differences() {
    let shape = Shape::new(2, 4, 5);
    // Far enough apart that a small step does not make another one the largest.
    let order = Stream::new(2, "images", 0, 0).permutation(3 * shape.numbers());
    let images: Vec<f32> = order.iter().map(|place| 0.05 * *place as f32 - 3.0).collect();
    for kind in ALL {
        let pull = random(3 * kind.output(shape).numbers(), "pull");
        let input = tensor(images.clone(), 3);
        let output = pool(input.clone(), shape, kind);
        let mut found = (output * tensor(pull.clone(), 3)).sum().backward();
        let ours = into_values(input.grad_remove(&mut found).unwrap());
        let total = |images: &[f32]| -> f64 {
            let mut output = Vec::new();
            kind.infer(images, shape, &mut output);
            output.iter().zip(&pull).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        for (at, ours) in ours.iter().enumerate() {
            let moved = |step: f32| {
                let mut images = images.clone();
                images[at] += step;
                total(&images)
            };
            let slope = (moved(1e-3) - moved(-1e-3)) / 2e-3;
            assert!((f64::from(*ours) - slope).abs() < 2e-3, "{kind:?} {at}: {ours} {slope}");
        }
    }
}

#[test]
fn the_engines_agree() {
    let shape = Shape::new(3, 5, 4);
    let images = random(2 * shape.numbers(), "images");
    for kind in ALL {
        let small = kind.output(shape).numbers();
        assert_agree!(&Parameters::new(), 2 * (small + 3), |engine| {
            let input = engine.input(images.clone(), 2);
            let pooled = engine.pool(input.clone(), shape, kind);
            let bent = engine.activate(pooled, Activation::Mish);
            let part = engine.columns(input, 4..7);
            let part = engine.scale_shift(part, 0.5, -0.25);
            engine.beside(bent, part)
        });
    }
}
