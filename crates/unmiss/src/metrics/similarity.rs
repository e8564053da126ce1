//! How alike two images look: structural similarity (Wang, Bovik, Sheikh and Simoncelli 2004).
//!
//! In every window of 11 x 11 pixels, weighed by a normal curve of 1.5 pixels, with means μ, variances σ² and the
//! covariance σ_xy of both images, and the range R of their values:
//!
//! ```text
//! SSIM = (2 μ_x μ_y + C₁) (2 σ_xy + C₂) / ((μ_x² + μ_y² + C₁) (σ_x² + σ_y² + C₂))     C₁ = (.01 R)², C₂ = (.03 R)²
//! ```
//!
//! The mean is over windows that lie inside the image; of smaller images a window has the shorter side.

/// Side of a window.
const SIDE: usize = 11;
/// Standard deviation of its weights, in pixels.
const WIDTH: f64 = 1.5;
/// The constants' roots, in parts of the range.
const ROOTS: [f64; 2] = [0.01, 0.03];

/// The structural similarity of two images of so many columns: 1 if they are the same.
pub fn structural_similarity(one: &[f32], other: &[f32], width: usize, range: f64) -> f64 {
    let height = one.len() / width.max(1);
    let side = SIDE.min(height).min(width);
    let [c1, c2] = ROOTS.map(|root| (root * range).powi(2));
    let weights = weights(side);
    let (mut sum, mut windows) = (0.0, 0_u32);
    for top in 0..=height.saturating_sub(side) {
        for left in 0..=width.saturating_sub(side) {
            let (mut x, mut y, mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for (place, weight) in weights.iter().enumerate() {
                let pixel = (top + place / side) * width + left + place % side;
                let (a, b) = (f64::from(one[pixel]), f64::from(other[pixel]));
                (x, y) = (x + weight * a, y + weight * b);
                (xx, yy, xy) = (xx + weight * a * a, yy + weight * b * b, xy + weight * a * b);
            }
            let (variances, covariance) = (xx - x * x + yy - y * y, xy - x * y);
            sum += (2.0 * x * y + c1) * (2.0 * covariance + c2) / ((x * x + y * y + c1) * (variances + c2));
            windows += 1;
        }
    }
    sum / f64::from(windows.max(1))
}

/// `[side, side]`, of sum 1.
fn weights(side: usize) -> Vec<f64> {
    let centre = (side as f64 - 1.0) / 2.0;
    let curve = |place: usize| (-((place as f64 - centre) / WIDTH).powi(2) / 2.0).exp();
    let all: Vec<f64> = (0..side * side).map(|place| curve(place / side) * curve(place % side)).collect();
    let sum: f64 = all.iter().sum();
    all.into_iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_one_and_formulas_hold_where_they_are_short() {
        let image: Vec<f32> = (0..14 * 12).map(|pixel| (pixel * 37 % 101) as f32 / 100.0).collect();
        assert!((structural_similarity(&image, &image, 12, 1.0) - 1.0).abs() < 1e-12);
        // Of two even images there are means alone: (2 a b + C₁) / (a² + b² + C₁).
        let (a, b) = ([0.2_f32; 144], [0.8_f32; 144]);
        let expected = (2.0 * 0.2 * 0.8 + 1e-4) / (0.04 + 0.64 + 1e-4);
        assert!((structural_similarity(&a, &b, 12, 1.0) - expected).abs() < 1e-6);
        // An image and its opposite go against each other.
        let opposite: Vec<f32> = image.iter().map(|value| 1.0 - value).collect();
        assert!(structural_similarity(&image, &opposite, 12, 1.0) < 0.0);
        assert!((structural_similarity(&[0.1, 0.9], &[0.1, 0.9], 2, 1.0) - 1.0).abs() < 1e-12);
    }
}
