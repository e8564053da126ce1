//! Log-likelihoods of one known cell under what a decoder says of it, with their slopes.
//!
//! ```text
//! σ = 0.03 + softplus(b)      ν = 3 + softplus(c)      r = (x - a) / σ
//! gaussian    -r²/2 - log σ - ½ log 2π
//! student-t   log Γ((ν+1)/2) - log Γ(ν/2) - ½ log νπ - log σ - (ν+1)/2 log(1 + r²/ν)
//! bernoulli   x a - log(1 + eᵃ)                         also for x between 0 and 1, as pixels are
//! categorical a_x - log Σ eᵃ
//! ```

use statrs::function::gamma::{digamma, ln_gamma};

use crate::linalg::registers::vectorised;
use crate::nn::activation::exp;

/// The smallest deviation, in units of a standardised number: of a column of one value, any density could be reached.
const LEAST_DEVIATION: f64 = 0.03;
/// Degrees of freedom are above this, so that a variance exists and is not mostly tails.
const LEAST_FREEDOM: f64 = 3.0;
const HALF_LOG_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// `log(1 + eˣ)` and its slope.
fn softplus(x: f64) -> (f64, f64) {
    let small = (-x.abs()).exp();
    let slope = if x > 0.0 { 1.0 / (1.0 + small) } else { small / (1.0 + small) };
    (x.max(0.0) + small.ln_1p(), slope)
}

/// The deviation that an output stands for, and its slope.
pub fn deviation(output: f32) -> (f64, f64) {
    let (value, slope) = softplus(f64::from(output));
    (LEAST_DEVIATION + value, slope)
}

/// The degrees of freedom that an output stands for, and their slope.
pub fn freedom(output: f32) -> (f64, f64) {
    let (value, slope) = softplus(f64::from(output));
    (LEAST_FREEDOM + value, slope)
}

/// The log-density of a number under mean and deviation outputs, and its slopes.
pub fn gaussian(x: f32, [mean, spread]: [f32; 2]) -> (f64, [f64; 2]) {
    let (deviation, slope) = deviation(spread);
    let r = (f64::from(x) - f64::from(mean)) / deviation;
    let value = -0.5 * r * r - deviation.ln() - HALF_LOG_TWO_PI;
    (value, [r / deviation, (r * r - 1.0) / deviation * slope])
}

/// The same under Student's t, with an output for the degrees of freedom.
pub fn student_t(x: f32, [mean, spread, tails]: [f32; 3]) -> (f64, [f64; 3]) {
    let (deviation, slope) = deviation(spread);
    let (nu, nu_slope) = freedom(tails);
    let r = (f64::from(x) - f64::from(mean)) / deviation;
    let (square, half) = (r * r, 0.5 * (nu + 1.0));
    let log = (square / nu).ln_1p();
    let value = ln_gamma(half)
        - ln_gamma(0.5 * nu)
        - 0.5 * (nu * std::f64::consts::PI).ln()
        - deviation.ln()
        - half * log;
    // What a number that lies far away still weighs.
    let weight = (nu + 1.0) / (nu + square);
    let of_nu = 0.5 * (digamma(half) - digamma(0.5 * nu) - 1.0 / nu - log + weight * square / nu);
    (value, [weight * r / deviation, (weight * square - 1.0) / deviation * slope, of_nu * nu_slope])
}

/// The log-chance of a number from 0 to 1 under a score, and its slope.
pub fn bernoulli(x: f32, score: f32) -> (f64, f64) {
    let (value, slope) = softplus(f64::from(score));
    (f64::from(x) * f64::from(score) - value, f64::from(x) - slope)
}

/// The chance that a score stands for.
pub fn chance(score: f32) -> f64 {
    softplus(f64::from(score)).1
}

/// The chances of classes under their scores, and the logarithm of the sum of the exponentials.
pub fn chances(scores: impl Iterator<Item = f32> + Clone) -> (Vec<f64>, f64) {
    let highest = scores.clone().fold(f32::NEG_INFINITY, f32::max);
    let mut all: Vec<f64> = scores.map(|score| f64::from(score - highest).exp()).collect();
    let sum: f64 = all.iter().sum();
    all.iter_mut().for_each(|chance| *chance /= sum);
    (all, f64::from(highest) + sum.ln())
}

/// The log-chance of a class, with the slopes of the scores written to `gradient`.
pub fn categorical(class: usize, scores: &[f32], gradient: &mut [f32]) -> f64 {
    let (all, log_sum) = chances(scores.iter().copied());
    gradient.iter_mut().zip(all).for_each(|(slope, chance)| *slope = -chance as f32);
    gradient[class] += 1.0;
    f64::from(scores[class]) - log_sum
}

/// The logarithm of a sum of exponentials.
pub fn log_sum_exp(logs: &[f64]) -> f64 {
    let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    highest + logs.iter().map(|log| (log - highest).exp()).sum::<f64>().ln()
}

/// Running sums of [`bernoulli_row`]: one alone would wait for itself.
const LANES: usize = 16;
/// Factors after which the logarithm of a product is taken: each is 2 at most.
const FACTORS: usize = 100;

/// A pixel's part that is a sum, its part that is a factor, and its slope.
#[inline(always)]
fn pixel(x: f32, mark: f32, score: f32) -> (f32, f32, f32) {
    let small = exp(-score.abs());
    let above = if score > 0.0 { 1.0 } else { small };
    let positive = if score > 0.0 { score } else { 0.0 };
    (mark * (x * score - positive), 1.0 + mark * small, mark * (x - above / (1.0 + small)))
}

vectorised! {
    /// The log-chance of a row of numbers from 0 to 1 that are marked with 1, and its slopes: [`bernoulli`] for pixels,
    /// of which there are many. `Σ log(1 + e)` is the logarithm of a product, so that logarithms are few.
    pub fn bernoulli_row(x: &[f32], marks: &[f32], scores: &[f32], gradient: &mut [f32]) -> f32 {
        let mut total = 0.0;
        let step = LANES * FACTORS;
        for start in (0..x.len()).step_by(step) {
            let part = start..x.len().min(start + step);
            let (x, x_rest) = x[part.clone()].as_chunks::<LANES>();
            let (marks, marks_rest) = marks[part.clone()].as_chunks::<LANES>();
            let (scores, scores_rest) = scores[part.clone()].as_chunks::<LANES>();
            let (slopes, slopes_rest) = gradient[part].as_chunks_mut::<LANES>();
            let (mut sums, mut products) = ([0.0_f32; LANES], [1.0_f32; LANES]);
            for (((x, marks), scores), slopes) in x.iter().zip(marks).zip(scores).zip(slopes) {
                for lane in 0..LANES {
                    let (sum, factor, slope) = pixel(x[lane], marks[lane], scores[lane]);
                    sums[lane] += sum;
                    products[lane] *= factor;
                    slopes[lane] = slope;
                }
            }
            for (lane, x) in x_rest.iter().enumerate() {
                let (sum, factor, slope) = pixel(*x, marks_rest[lane], scores_rest[lane]);
                sums[lane] += sum;
                products[lane] *= factor;
                slopes_rest[lane] = slope;
            }
            for lane in 0..LANES {
                total += sums[lane] - products[lane].ln();
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::product::tests::random;

    /// Slopes against differences of the value itself.
    fn check<const N: usize>(outputs: [f32; N], of: impl Fn([f32; N]) -> (f64, [f64; N])) {
        let (_, slopes) = of(outputs);
        for place in 0..N {
            let moved = |step: f32| {
                let mut outputs = outputs;
                outputs[place] += step;
                of(outputs).0
            };
            let step = 1.0 / 512.0;
            let wanted = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
            assert!(
                (slopes[place] - wanted).abs() < 2e-4 * (1.0 + wanted.abs()),
                "{place}: {slopes:?} {wanted}"
            );
        }
    }

    #[test]
    fn slopes_are_those_of_the_values() {
        for (x, outputs) in [(0.3, [0.1, -0.4, 1.2]), (-2.5, [0.4, 0.8, -1.5]), (4.0, [0.0, -1.0, 3.0])] {
            check([outputs[0], outputs[1]], |outputs| gaussian(x, outputs));
            check(outputs, |outputs| student_t(x, outputs));
            check([outputs[0]], |[score]| {
                let (value, slope) = bernoulli(0.7, score);
                (value, [slope])
            });
            check(outputs, |scores| {
                let mut gradient = [0.0; 3];
                let value = categorical(1, &scores, &mut gradient);
                (value, gradient.map(f64::from))
            });
        }
    }

    /// Values of `torch.distributions` (Normal, StudentT, Bernoulli with logits, Categorical with logits) in double
    /// precision, with the deviation 0.03 + softplus(-0.4) and 3 + softplus(1.2) degrees of freedom.
    #[test]
    fn values_are_those_of_a_reference() {
        let near = |value: f64, wanted: f64| assert!((value - wanted).abs() < 1e-6, "{value} {wanted}");
        near(gaussian(1.5, [0.1, -0.4]).0, GAUSSIAN);
        near(student_t(1.5, [0.1, -0.4, 1.2]).0, STUDENT_T);
        near(bernoulli(1.0, -0.4).0, -0.913_015_2);
        near(categorical(2, &[0.1, -0.4, 1.2], &mut [0.0; 3]), CATEGORICAL);
    }

    const GAUSSIAN: f64 = -3.631_869_166_926;
    const STUDENT_T: f64 = -2.855_133_350_147;
    const CATEGORICAL: f64 = -0.428_378_952_953;

    #[test]
    fn many_pixels_are_as_one_by_one_and_unmarked_ones_count_nothing() {
        let count = 2000;
        let x: Vec<f32> = random(count, "x").iter().map(|x| (0.5 + 0.3 * x).clamp(0.0, 1.0)).collect();
        let scores: Vec<f32> = random(count, "scores").iter().map(|x| 8.0 * x).collect();
        let marks: Vec<f32> = (0..count).map(|place| f32::from(u8::from(place % 3 > 0))).collect();
        let mut gradient = vec![9.0; count];
        let found = bernoulli_row(&x, &marks, &scores, &mut gradient);
        let each: Vec<(f64, f64)> = (0..count).map(|place| bernoulli(x[place], scores[place])).collect();
        let wanted: f64 = each.iter().zip(&marks).map(|((value, _), mark)| value * f64::from(*mark)).sum();
        assert!((f64::from(found) / wanted - 1.0).abs() < 1e-5, "{found} {wanted}");
        for (place, (_, slope)) in each.iter().enumerate() {
            let wanted = slope * f64::from(marks[place]);
            assert!((f64::from(gradient[place]) - wanted).abs() < 1e-6, "{place}");
        }
    }
}
