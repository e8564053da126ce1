//! The mean of ReLU under a normal distribution, and its slopes.

use crate::nn::activation::exp;
use crate::nn::convolution::BLOCK;

/// Variances below this count as none.
const LIMIT: f32 = 1e-12;

/// Of results, 16 channels a row: the mean of ReLU, its slope in the mean, `Φ(t / s)`, and `φ(t / s) / s`, which is
/// twice its slope in the variance.
#[derive(Debug, Default)]
pub(super) struct Expected {
    pub value: Vec<f32>,
    pub slope: Vec<f32>,
    pub density: Vec<f32>,
}

impl Expected {
    /// From sums without bias, sums of each factor one after the other, and sums of variances: `[rows, 16]` each.
    pub fn fill(&mut self, sums: &[f32], factors: &[f32], variances: &[f32], bias: &[f32]) {
        for part in [&mut self.value, &mut self.slope, &mut self.density] {
            part.resize(sums.len(), 0.0);
        }
        // The density is where the variance is gathered first.
        self.density.copy_from_slice(variances);
        factors.chunks_exact(sums.len().max(1)).for_each(|factor| add_squares(factor, &mut self.density));
        expected_relu(sums, bias, &mut self.value, &mut self.slope, &mut self.density);
    }
}

vectorised! {
    fn add_squares(values: &[f32], sums: &mut [f32]) {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += value * value;
        }
    }
}

vectorised! {
    /// `variance` goes in, the density over s comes out.
    fn expected_relu(sums: &[f32], bias: &[f32], value: &mut [f32], slope: &mut [f32], variance: &mut [f32]) {
        let rows = sums.as_chunks::<BLOCK>().0.iter().zip(value.as_chunks_mut::<BLOCK>().0);
        let slopes = slope.as_chunks_mut::<BLOCK>().0.iter_mut().zip(variance.as_chunks_mut::<BLOCK>().0);
        for ((sums, value), (slope, variance)) in rows.zip(slopes) {
            for lane in 0..BLOCK {
                let t = sums[lane] + bias[lane];
                [value[lane], slope[lane], variance[lane]] = moments(t, variance[lane]);
            }
        }
    }
}

/// The mean of ReLU of N(t, s²), Φ(t / s) and φ(t / s) / s.
#[inline(always)]
pub(super) fn moments(t: f32, square: f32) -> [f32; 3] {
    let none = square < LIMIT;
    let s = (if none { 1.0 } else { square }).sqrt();
    let z = t / s;
    let distance = z.abs();
    const ONE_OVER_ROOT_TWO_PI: f32 = 0.398_942_3;
    let density = ONE_OVER_ROOT_TWO_PI * exp(-0.5 * distance * distance);
    // The share beyond |z| to 7.5e-8 (Abramowitz and Stegun 26.2.17).
    let u = 1.0 / (1.0 + 0.231_641_9 * distance);
    let tail = u * (-0.356_563_78 + u * (1.781_477_9 + u * (-1.821_255_9 + u * 1.330_274_5)));
    let beyond = density * u * (0.319_381_54 + tail);
    let below = if z > 0.0 { 1.0 - beyond } else { beyond };
    let plain = if t < 0.0 { 0.0 } else { t };
    let mean = t * below + s * density;
    // Rounding must not take the mean below ReLU of the mean, above which it is.
    let mean = if mean < plain { plain } else { mean };
    let step = if t > 0.0 { 1.0 } else { 0.0 };
    [if none { plain } else { mean }, if none { step } else { below }, if none { 0.0 } else { density / s }]
}
