//! What a blend answers: the weighted sum of its parts.

use crate::methods::weights;

/// The weight of each part, from what each answered and what was true.
pub fn weights(answers: &[Vec<f32>], truth: &[f32]) -> Vec<f64> {
    weights::weights(answers.len(), truth.len(), |part, at| {
        f64::from(answers[part][at]) - f64::from(truth[at])
    })
}

/// The weighted sum of what the parts answered.
pub fn mixed(answers: &[Vec<f32>], weights: &[f64]) -> Vec<f32> {
    let count = answers.first().map_or(0, Vec::len);
    let sum =
        |at: usize| answers.iter().zip(weights).map(|(own, weight)| weight * f64::from(own[at])).sum::<f64>();
    (0..count).map(|at| sum(at) as f32).collect()
}

/// What a blend answers for each half of the ratings, every second one, with the weights found on the other half: its
/// error is that of ratings which its weights have not seen.
pub fn cross_checked(answers: &[Vec<f32>], truth: &[f32]) -> Vec<f32> {
    let half =
        |values: &[f32], odd: usize| -> Vec<f32> { values.iter().skip(odd).step_by(2).copied().collect() };
    let mut blended = vec![0.0; truth.len()];
    for odd in 0..2 {
        let other: Vec<Vec<f32>> = answers.iter().map(|own| half(own, 1 - odd)).collect();
        let own: Vec<Vec<f32>> = answers.iter().map(|own| half(own, odd)).collect();
        let found = mixed(&own, &weights(&other, &half(truth, 1 - odd)));
        blended.iter_mut().skip(odd).step_by(2).zip(found).for_each(|(place, answer)| *place = answer);
    }
    blended
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// Two parts whose errors have nothing to do with each other, of variance 1/4 and 1: 1 / (4 + 1) together.
    #[test]
    fn the_error_told_is_that_of_ratings_whose_weights_are_found_on_others() {
        let mut stream = Stream::new(1, "blend", 0, 0);
        let mut normal = |deviation: f64| -> Vec<f32> {
            (0..40_000).map(|_| (deviation * stream.normal()) as f32).collect()
        };
        let (truth, a, b) = (normal(1.0), normal(0.5), normal(1.0));
        let plus = |off: &[f32]| truth.iter().zip(off).map(|(truth, off)| truth + off).collect::<Vec<f32>>();
        let blended = cross_checked(&[plus(&a), plus(&b)], &truth);
        let squares = blended.iter().zip(&truth).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
        assert!((squares / 40_000.0 - 0.2).abs() < 0.005, "{squares}");
        assert_eq!(cross_checked(&[vec![2.0], vec![4.0]], &[2.0]).len(), 1);
    }
}
