//! Activations and their derivatives, element by element, written so that the compiler can use wide
//! registers: no branches, no calls, an exponential of our own.

use serde::{Deserialize, Serialize};

/// What a layer applies to its sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// `x`
    #[default]
    Identity,
    /// `max(0, x)`
    Relu,
    /// `λx` above 0, `λα(eˣ - 1)` below: keeps mean 0 and variance 1 from layer to layer.
    Selu,
    /// `x tanh(ln(1 + eˣ))`
    Mish,
    /// `1 / (1 + e⁻ˣ)`
    Sigmoid,
    /// `tanh x`
    Tanh,
    /// `e^-max(0, x)`: from 1 towards 0, what is left of something after a while. No layer's own choice.
    #[serde(skip)]
    Decay,
}

/// λ and α of SELU.
const SELU_SCALE: f32 = 1.050_701;
const SELU_ALPHA: f32 = 1.673_263_2;

impl Activation {
    /// Whether the derivative can be had from the activation's own value; Mish needs its argument.
    pub(crate) fn derivative_from_value(self) -> bool {
        self != Self::Mish
    }

    /// `rows[i] = activation(rows[i] + bias[i mod columns])`.
    pub(crate) fn add_bias_and_apply(self, rows: &mut [f32], bias: &[f32]) {
        match self {
            Self::Identity => identity_rows(rows, bias),
            Self::Relu => relu_rows(rows, bias),
            Self::Selu => selu_rows(rows, bias),
            Self::Mish => mish_rows(rows, bias),
            Self::Sigmoid => sigmoid_rows(rows, bias),
            Self::Tanh => tanh_rows(rows, bias),
            Self::Decay => decay_rows(rows, bias),
        }
    }

    /// `gradient *= activation'(..)`, with the derivative taken from `saved`: the activation's value, or
    /// for Mish the derivative itself.
    pub(crate) fn times_derivative(self, gradient: &mut [f32], saved: &[f32]) {
        match self {
            Self::Identity => {}
            Self::Relu => relu_gradient(gradient, saved),
            Self::Selu => selu_gradient(gradient, saved),
            Self::Mish => saved_gradient(gradient, saved),
            Self::Sigmoid => sigmoid_gradient(gradient, saved),
            Self::Tanh => tanh_gradient(gradient, saved),
            Self::Decay => decay_gradient(gradient, saved),
        }
    }
}

/// A forward pass over rows of `bias.len()` columns.
macro_rules! rows_pass {
    ($name:ident, $x:ident => $value:expr) => {
        vectorised! {
            fn $name(rows: &mut [f32], bias: &[f32]) {
                for row in rows.chunks_exact_mut(bias.len().max(1)) {
                    for (value, bias) in row.iter_mut().zip(bias) {
                        let $x = *value + bias;
                        *value = $value;
                    }
                }
            }
        }
    };
}

// Comparisons are written so that a NaN stays one.
rows_pass!(identity_rows, x => x);
rows_pass!(relu_rows, x => if x < 0.0 { 0.0 } else { x });
rows_pass!(selu_rows, x => selu(x));
rows_pass!(mish_rows, x => mish(x).0);
rows_pass!(sigmoid_rows, x => sigmoid(x));
rows_pass!(tanh_rows, x => tanh(x));
rows_pass!(decay_rows, x => exp(if x < 0.0 { 0.0 } else { -x }));

vectorised! {
    /// Mish with its derivative: `rows` becomes the value, `derivative` is filled.
    pub(crate) fn mish_with_derivative(rows: &mut [f32], bias: &[f32], derivative: &mut [f32]) {
        let columns = bias.len().max(1);
        for (row, slopes) in rows.chunks_exact_mut(columns).zip(derivative.chunks_exact_mut(columns)) {
            for ((value, slope), bias) in row.iter_mut().zip(slopes).zip(bias) {
                (*value, *slope) = mish(*value + bias);
            }
        }
    }
}

/// A backward pass: the gradient times the derivative that follows from what was saved.
macro_rules! gradient_pass {
    ($name:ident, $y:ident => $slope:expr) => {
        vectorised! {
            fn $name(gradient: &mut [f32], saved: &[f32]) {
                for (gradient, saved) in gradient.iter_mut().zip(saved) {
                    let $y = *saved;
                    *gradient *= $slope;
                }
            }
        }
    };
}

gradient_pass!(relu_gradient, y => if y > 0.0 { 1.0 } else { 0.0 });
gradient_pass!(selu_gradient, y => if y > 0.0 { SELU_SCALE } else { y + SELU_SCALE * SELU_ALPHA });
gradient_pass!(saved_gradient, slope => slope);
gradient_pass!(sigmoid_gradient, y => y * (1.0 - y));
gradient_pass!(tanh_gradient, y => 1.0 - y * y);
gradient_pass!(decay_gradient, y => if y < 1.0 { -y } else { 0.0 });

#[inline(always)]
fn selu(x: f32) -> f32 {
    let below = SELU_SCALE * SELU_ALPHA * (exp(if x > 0.0 { 0.0 } else { x }) - 1.0);
    if x > 0.0 { SELU_SCALE * x } else { below }
}

/// Mish and its derivative. With `e = eˣ` and `n = e(e + 2)`: `tanh(ln(1 + e)) = n / (n + 2)`, whose
/// derivative is `4e(e + 1) / (n + 2)²`.
#[inline(always)]
fn mish(x: f32) -> (f32, f32) {
    // Beyond 20 the tanh is 1 to the last bit, and the squares below stay finite.
    let e = exp(if x > 20.0 { 20.0 } else { x });
    let n = e * (e + 2.0);
    let inverse = 1.0 / (n + 2.0);
    let tanh = n * inverse;
    (x * tanh, tanh + x * (4.0 * e * (e + 1.0)) * inverse * inverse)
}

#[inline(always)]
pub(in crate::nn) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// `1 - 2 / (e²ˣ + 1)`; near 0, where that loses digits, the series.
#[inline(always)]
pub(in crate::nn) fn tanh(x: f32) -> f32 {
    let square = x * x;
    let series = x * (1.0 - square * (1.0 / 3.0 - square * (2.0 / 15.0 - square * (17.0 / 315.0))));
    let closed = 1.0 - 2.0 / (exp(2.0 * x) + 1.0);
    if square < 0.04 { series } else { closed }
}

/// `eˣ` to about two units in the last place: `x = n ln 2 + r`, a polynomial for `eʳ`, and `2ⁿ` from bits.
/// Results saturate at the ends of the normal range; NaN stays NaN.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // Adding 1.5 x 2²³ rounds to a whole number, which then stands in the low bits.
    const ROUND: f32 = 12_582_912.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 88.0 { 88.0 } else { x };
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    // Taylor series of eʳ for |r| <= ln 2 / 2; the first term left out is below 2⁻²⁴ of the sum.
    let tail = 1.0 / 120.0 + r * (1.0 / 720.0 + r * (1.0 / 5040.0));
    let power = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * tail))));
    let two_to_n = f32::from_bits(rounded.to_bits().wrapping_add(127) << 23);
    power * two_to_n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> impl Iterator<Item = f32> {
        (-4000..4000).map(|i| i as f32 * 0.0231)
    }

    #[test]
    fn the_exponential_is_right_to_the_last_digits() {
        for x in grid().filter(|x| (-87.0..88.0).contains(x)) {
            let truth = f64::from(x).exp();
            let error = (f64::from(exp(x)) - truth).abs() / truth;
            assert!(error < 3e-7, "exp({x}): relative error {error}");
        }
        assert!(exp(f32::NAN).is_nan());
        assert!(exp(f32::NEG_INFINITY) < 1e-37 && exp(f32::INFINITY) > 1e38);
    }

    /// The formulas in double precision, straight from their definitions.
    fn reference(activation: Activation, x: f64) -> f64 {
        match activation {
            Activation::Identity => x,
            Activation::Relu => x.max(0.0),
            Activation::Selu if x > 0.0 => 1.050_700_987_355_480_5 * x,
            Activation::Selu => 1.050_700_987_355_480_5 * 1.673_263_242_354_377_2 * x.exp_m1(),
            Activation::Mish => x * x.exp().ln_1p().tanh(),
            Activation::Sigmoid => 1.0 / (1.0 + (-x).exp()),
            Activation::Tanh => x.tanh(),
            Activation::Decay => (-x.max(0.0)).exp(),
        }
    }

    const ALL: [Activation; 7] = [
        Activation::Identity,
        Activation::Relu,
        Activation::Selu,
        Activation::Mish,
        Activation::Sigmoid,
        Activation::Tanh,
        Activation::Decay,
    ];

    #[test]
    fn values_and_slopes_agree_with_the_definitions() {
        for activation in ALL {
            for x in grid() {
                let mut value = [x];
                let mut slope = [0.0];
                if activation == Activation::Mish {
                    mish_with_derivative(&mut value, &[0.0], &mut slope);
                } else {
                    activation.add_bias_and_apply(&mut value, &[0.0]);
                    slope = value;
                }
                let mut gradient = [1.0];
                activation.times_derivative(&mut gradient, &slope);
                let x = f64::from(x);
                let truth = reference(activation, x);
                assert!(
                    (f64::from(value[0]) - truth).abs() < 1e-6 * truth.abs().max(1.0),
                    "{activation:?} {x}"
                );
                let step = 1e-6;
                let slope =
                    (reference(activation, x + step) - reference(activation, x - step)) / (2.0 * step);
                if x.abs() > step {
                    assert!(
                        (f64::from(gradient[0]) - slope).abs() < 2e-6,
                        "{activation:?}' at {x}: {gradient:?} {slope}"
                    );
                }
            }
        }
    }

    #[test]
    fn not_a_number_is_never_hidden() {
        for activation in ALL {
            let mut value = [f32::NAN];
            activation.add_bias_and_apply(&mut value, &[0.0]);
            assert!(value[0].is_nan(), "{activation:?}");
        }
    }
}
