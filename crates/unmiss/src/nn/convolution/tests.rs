//! Convolutions against their definition in double precision, against differences of it, against PyTorch, and bit
//! against bit.

use super::*;
use crate::nn::lanes::tests::plainly;
use crate::nn::wide::tests::narrowly;
use crate::run::Run;

/// Numbers between -1 and 1 in a fixed pattern, the same in the script behind the golden values.
pub(in crate::nn) fn made(count: usize, salt: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + salt * 101) % 29) as f32 / 14.0 - 1.0).collect()
}

/// Images, channels in and out, height, width, kernel, stride, padding; transposed, with its surplus.
#[derive(Debug, Clone, Copy)]
struct Case([usize; 8], Option<usize>);

/// Few channels (windows side by side), many (tiles of 4 x 4), all kinds of strides, borders and leftovers.
const CASES: [Case; 17] = [
    Case([2, 2, 3, 5, 4, 3, 1, 1], None),
    Case([2, 20, 18, 7, 6, 3, 2, 1], None),
    Case([2, 17, 19, 7, 9, 3, 1, 1], None),
    Case([2, 4, 5, 9, 8, 5, 1, 2], None),
    Case([1, 3, 2, 9, 8, 7, 3, 3], None),
    Case([2, 5, 7, 3, 3, 1, 2, 0], None),
    Case([2, 6, 5, 4, 3, 2, 2, 0], Some(0)),
    Case([2, 3, 4, 4, 5, 3, 2, 1], Some(1)),
    Case([1, 18, 17, 8, 8, 3, 1, 1], Some(0)),
    Case([1, 1, 1, 1, 1, 1, 1, 0], None),
    Case([9, 1, 32, 12, 12, 3, 1, 1], None),
    Case([13, 32, 16, 8, 8, 3, 1, 1], None),
    Case([3, 16, 16, 9, 9, 3, 1, 0], None),
    Case([3, 16, 16, 8, 12, 3, 1, 2], None),
    Case([2, 33, 9, 4, 10, 4, 3, 2], None),
    Case([2, 9, 40, 5, 5, 2, 3, 1], None),
    Case([2, 2, 1, 3, 3, 6, 4, 5], Some(3)),
];

impl Case {
    fn layer(self) -> Convolution {
        let Self([_, from, to, height, width, kernel, stride, padding], surplus) = self;
        let (input, window) = (Shape::new(from, height, width), Window { kernel, stride, padding });
        match surplus {
            None => Convolution::new(input, to, window),
            Some(surplus) => Convolution::transposed(input, to, window, surplus),
        }
        .unwrap()
    }

    /// Input, weights, bias and a gradient of the result.
    fn arrays(self, layer: &Convolution) -> [Vec<f32>; 4] {
        let images = self.0[0];
        let bias = made(layer.output().channels, 3).iter().map(|value| value + 0.0131).collect();
        let weights = made(layer.weight_shape().iter().product(), 2);
        [made(images * layer.input().numbers(), 1), weights, bias, made(images * layer.output().numbers(), 4)]
    }

    /// Output through ReLU, and the gradients of input, weights and bias.
    fn ours(self) -> [Vec<f32>; 4] {
        let layer = self.layer();
        let [input, weights, bias, gradient] = self.arrays(&layer);
        let mut output = Vec::new();
        layer.infer(&input, &weights, Some(&bias), true, &mut output);
        let behind = Behind { result: &output, affine: None };
        let found = layer.gradients((&input, &weights, &gradient), Some(behind), (true, true));
        [output, found.input, found.weights, found.bias]
    }

    /// The definition: every (input, weight, result) that belong together.
    fn each_term(layer: &Convolution, mut term: impl FnMut(usize, usize, usize)) {
        // A transposed convolution is the other one with input and result exchanged.
        let (from, to) = (layer.plan.input, layer.plan.output);
        let Window { kernel, stride, padding } = layer.window();
        for o in 0..to.channels {
            for (i, j) in (0..to.pixels()).map(|pixel| (pixel / to.width, pixel % to.width)) {
                for c in 0..from.channels {
                    for (u, v) in (0..kernel * kernel).map(|tap| (tap / kernel, tap % kernel)) {
                        let (y, x) =
                            ((i * stride + u).wrapping_sub(padding), (j * stride + v).wrapping_sub(padding));
                        if y < from.height && x < from.width {
                            let ends =
                                ((c * from.height + y) * from.width + x, (o * to.height + i) * to.width + j);
                            let (input, result) = if layer.transposed { (ends.1, ends.0) } else { ends };
                            term(input, ((o * from.channels + c) * kernel + u) * kernel + v, result);
                        }
                    }
                }
            }
        }
    }

    /// The same as `ours`, in double precision.
    fn truth(self) -> [Vec<f64>; 4] {
        let layer = self.layer();
        let arrays =
            self.arrays(&layer).map(|array| array.iter().map(|value| f64::from(*value)).collect::<Vec<_>>());
        let [input, weights, bias, mut gradient] = arrays;
        let (from, to) = (layer.input().numbers(), layer.output().numbers());
        let mut output: Vec<f64> =
            (0..gradient.len()).map(|at| bias[at % to / layer.output().pixels()]).collect();
        for image in 0..self.0[0] {
            Self::each_term(&layer, |x, w, y| output[image * to + y] += input[image * from + x] * weights[w]);
        }
        for (output, gradient) in output.iter_mut().zip(&mut gradient) {
            (*output, *gradient) = if *output > 0.0 { (*output, *gradient) } else { (0.0, 0.0) };
        }
        let mut found = [vec![0.0; input.len()], vec![0.0; weights.len()], vec![0.0; bias.len()]];
        for image in 0..self.0[0] {
            Self::each_term(&layer, |x, w, y| {
                found[0][image * from + x] += gradient[image * to + y] * weights[w];
                found[1][w] += gradient[image * to + y] * input[image * from + x];
            });
        }
        for (at, gradient) in gradient.iter().enumerate() {
            found[2][at % to / layer.output().pixels()] += gradient;
        }
        let [of_input, of_weights, of_bias] = found;
        [output, of_input, of_weights, of_bias]
    }
}

/// The same numbers, up to a share of the largest.
fn assert_close(ours: &[Vec<f32>; 4], truth: &[Vec<f64>; 4], case: Case) {
    for (part, (ours, truth)) in ours.iter().zip(truth).enumerate() {
        assert_eq!(ours.len(), truth.len(), "{case:?} {part}");
        let largest = truth.iter().fold(1e-3_f64, |largest, value| largest.max(value.abs()));
        for (at, (a, b)) in ours.iter().zip(truth).enumerate() {
            assert!((f64::from(*a) - b).abs() < 2e-5 * largest, "{case:?} part {part} at {at}: {a} {b}");
        }
    }
}

#[test]
fn all_passes_follow_the_definition() {
    for case in CASES {
        assert_close(&case.ours(), &case.truth(), case);
    }
    let tiled = CASES.iter().filter(|case| case.layer().plan.winograd).count();
    let gathered = CASES.iter().filter(|case| case.layer().plan.gathered).count();
    assert!(tiled >= 5 && gathered >= 5, "all ways are gone: {tiled} {gathered}");
}

#[test]
fn machines_without_wide_registers_get_the_same() {
    for case in CASES {
        let ours = plainly(|| case.ours());
        assert_close(&ours, &case.truth(), case);
    }
}

#[test]
fn registers_of_sixteen_and_of_eight_agree_to_the_bit() {
    for case in CASES.into_iter().filter(|_| crate::nn::lanes::has_registers()) {
        assert_eq!(case.ours(), narrowly(|| case.ours()), "{case:?}");
    }
}

/// Sum, a sum with cosines as weights, first and last number of output, gradients of input, weights and bias: from
/// PyTorch's `conv2d` or `conv_transpose2d` in double precision, ReLU and `backward` on the numbers of `made`.
#[allow(clippy::approx_constant, reason = "sums that happen to be near one")]
const GOLDEN: [[[f64; 4]; 4]; 9] = [
    [
        [87.91879, 11.83467, 0.0, 0.0],
        [3.21939, 4.21698, -0.27041, 0.20408],
        [-2.64796, 0.38524, -0.08163, -0.85714],
        [-6.14286, -1.34945, -1.21429, -2.64286],
    ],
    [
        [542.63503, -31.45531, 0.0, 0.0],
        [17.63776, 4.32722, -0.30102, -1.79592],
        [1.2398, 57.16316, -1.18367, 0.06633],
        [-9.14286, -0.04162, 0.78571, 1.57143],
    ],
    [
        [2373.37141, -13.41859, 4.5233, 0.0],
        [-8.98469, 43.35768, -3.59184, -0.60714],
        [21.29592, -94.04888, 5.97959, -6.5051],
        [-20.14286, -11.65464, 3.28571, -4.57143],
    ],
    [
        [1034.77047, -5.6914, 2.40086, 4.31922],
        [-2.45918, 14.71662, 0.43878, -0.68367],
        [36.54082, -100.32786, -2.57653, -0.52041],
        [-5.78571, 10.83474, 12.85714, -0.35714],
    ],
    [
        [18.50414, 7.52768, 2.7682, 0.0],
        [-2.86735, 26.76678, -0.47959, -0.40816],
        [0.04082, -2.01284, -1.15306, 0.10714],
        [-0.5, -0.30299, -0.07143, -0.42857],
    ],
    [
        [15.27427, -1.43356, 0.15596, 0.0],
        [-0.15306, -0.37304, 1.53061, -0.19898],
        [-10.26531, -1.52364, 0.48469, 0.0],
        [3.85714, 1.27674, 2.78571, 0.0],
    ],
    [
        [124.56002, -2.79614, 0.12024, 1.2631],
        [4.55102, -7.58294, 0.78571, 0.16837],
        [-2.02551, -6.89487, 0.02551, -4.4898],
        [0.14286, -8.40042, -4.71429, -3.0],
    ],
    [
        [176.35498, 6.5942, 1.008, 0.0],
        [-1.66327, 1.87276, -1.65816, 2.4898],
        [9.31633, -9.2424, -0.41837, -0.92347],
        [3.57143, -7.98531, -1.35714, 5.71429],
    ],
    [
        [891.27436, 20.67077, 0.0, 1.89065],
        [-67.58673, -63.05244, -1.47449, -1.61735],
        [17.06122, -8.42507, 5.9898, -1.42857],
        [10.57143, 6.8279, 7.0, 1.35714],
    ],
];

#[test]
fn values_and_gradients_are_those_of_pytorch() {
    for (case, golden) in CASES.into_iter().zip(GOLDEN) {
        for (part, (ours, golden)) in case.ours().iter().zip(golden).enumerate() {
            let ours: Vec<f64> = ours.iter().map(|value| f64::from(*value)).collect();
            let waves = ours.iter().enumerate().map(|(at, value)| value * (at as f64).cos()).sum();
            let digest = [ours.iter().sum(), waves, ours[0], ours[ours.len() - 1]];
            for (ours, golden) in digest.into_iter().zip(golden) {
                let limit = 1e-4 * golden.abs().max(4.0);
                assert!((ours - golden).abs() < limit, "{case:?} part {part}: {digest:?} {golden:?}");
            }
        }
    }
}

#[test]
fn the_gradients_are_those_of_differences() {
    let case = Case([2, 2, 3, 4, 5, 3, 2, 1], None);
    let layer = case.layer();
    let arrays = case.arrays(&layer);
    // Σ pull relu(y) in double precision.
    let total = |arrays: &[Vec<f64>; 3]| -> f64 {
        let [input, weights, bias] = arrays;
        let (from, to) = (layer.input().numbers(), layer.output().numbers());
        let mut output: Vec<f64> = (0..2 * to).map(|at| bias[at % to / layer.output().pixels()]).collect();
        for image in 0..2 {
            Case::each_term(&layer, |x, w, y| output[image * to + y] += input[image * from + x] * weights[w]);
        }
        output.iter().zip(&case.arrays(&layer)[3]).map(|(y, pull)| y.max(0.0) * f64::from(*pull)).sum()
    };
    let [input, weights, bias, _] = arrays.map(|array| array.iter().map(|value| f64::from(*value)).collect());
    let arrays: [Vec<f64>; 3] = [input, weights, bias];
    let [_, ours @ ..] = case.ours();
    for (part, ours) in ours.iter().enumerate() {
        for (at, ours) in ours.iter().enumerate() {
            let moved = |step: f64| {
                let mut arrays = arrays.clone();
                arrays[part][at] += step;
                total(&arrays)
            };
            let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!((f64::from(*ours) - slope).abs() < 1e-5, "{part} {at}: {ours} {slope}");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for case in CASES {
        let with = |threads| Run::new(1, threads).unwrap().compute(|| case.ours());
        let one = with(1);
        assert_eq!(one, with(2), "{case:?}");
        assert_eq!(one, with(3), "{case:?}");
    }
}

#[test]
fn an_image_gives_the_same_bits_in_any_company_and_time_after_time() {
    for case in CASES {
        let layer = case.layer();
        let [input, weights, bias, _] = case.arrays(&layer);
        let apply = |input: &[f32]| {
            let mut output = vec![f32::NAN; 3];
            layer.infer(input, &weights, Some(&bias), false, &mut output);
            output
        };
        let all = apply(&input);
        let (from, to) = (layer.input().numbers(), layer.output().numbers());
        for (image, output) in input.chunks(from).zip(all.chunks(to)) {
            assert_eq!(apply(image), output, "{case:?}");
        }
        assert_eq!(apply(&input), all, "buffers that were used before");
        assert!(apply(&[]).is_empty());
    }
}

#[test]
fn only_what_is_wanted_is_made() {
    for case in CASES {
        let layer = case.layer();
        let [input, weights, _, gradient] = case.arrays(&layer);
        let all = layer.gradients((&input, &weights, &gradient), None, (true, true));
        let inner = layer.gradients((&input, &weights, &gradient), None, (true, false));
        let outer = layer.gradients((&input, &weights, &gradient), None, (false, true));
        assert_eq!((&inner.input, inner.weights.len()), (&all.input, 0), "{case:?}");
        assert_eq!(
            (&outer.weights, &outer.bias, outer.input.len()),
            (&all.weights, &all.bias, 0),
            "{case:?}"
        );
    }
}

#[test]
fn what_is_not_a_number_is_not_hidden() {
    for case in CASES {
        let layer = case.layer();
        let [mut input, weights, bias, _] = case.arrays(&layer);
        let middle = layer.input().numbers() / 2;
        input[middle] = f32::NAN;
        let mut output = Vec::new();
        layer.infer(&input, &weights, Some(&bias), true, &mut output);
        let to = layer.output().numbers();
        let mut reached = vec![false; to];
        Case::each_term(&layer, |x, _, y| reached[y] |= x == middle);
        let lost =
            reached.iter().zip(&output).filter(|(reached, value)| **reached && !value.is_nan()).count();
        assert_eq!(lost, 0, "{case:?}");
        assert!(output[to..].iter().all(|value| value.is_finite()), "{case:?}: other images are not touched");
    }
}

#[test]
fn windows_that_do_not_fit_are_refused() {
    let image = Shape::new(1, 4, 4);
    let window = |kernel, stride, padding| Window { kernel, stride, padding };
    for bad in [window(0, 1, 0), window(8, 1, 0), window(3, 0, 1), window(3, 1, 3), window(5, 1, 0)] {
        let error = Convolution::new(image, 2, bad).unwrap_err();
        assert!(error.hint().is_some(), "{error}");
    }
    assert!(Convolution::new(image, 0, Window::same(3)).is_err());
    assert!(Convolution::new(Shape::new(0, 4, 4), 2, Window::same(3)).is_err());
    assert!(Convolution::transposed(image, 2, window(2, 2, 0), 2).is_err());
    assert_eq!(Convolution::transposed(image, 2, window(2, 2, 0), 1).unwrap().output(), Shape::new(2, 9, 9));
}
