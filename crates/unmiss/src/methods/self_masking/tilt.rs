//! A normal distribution multiplied by the chance of being missing.

use crate::linalg::Square;

/// Points at which a distribution is multiplied: from -4 to 4 standard deviations.
const POINTS: usize = 33;

/// How likely a cell is missing given its value: σ(a + b x).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Curve {
    /// a.
    pub level: f64,
    /// b.
    pub slope: f64,
}

impl Curve {
    /// The chance at a value.
    pub fn chance(&self, value: f64) -> f64 {
        1.0 / (1.0 + (-(self.level + self.slope * value)).exp())
    }

    /// Mean and variance of N(mean, variance) multiplied by the curve.
    pub fn tilt(&self, mean: f64, variance: f64) -> (f64, f64) {
        let deviation = variance.max(0.0).sqrt();
        if self.slope == 0.0 || deviation == 0.0 {
            return (mean, variance);
        }
        let (mut total, mut first, mut second) = (0.0, 0.0, 0.0);
        for point in 0..POINTS {
            let z = -4.0 + 8.0 * point as f64 / (POINTS - 1) as f64;
            let weight = (-0.5 * z * z).exp() * self.chance(mean + deviation * z);
            total += weight;
            first += weight * z;
            second += weight * z * z;
        }
        if total <= 0.0 {
            return (mean, variance);
        }
        let (first, second) = (first / total, second / total);
        (mean + deviation * first, variance * (second - first * first).max(1e-6))
    }

    /// Newton steps for the curve from (value, weight, missing) triples, pulled towards flat.
    pub fn improve(&mut self, cells: &[(f64, f64, bool)], pull: f64) {
        for _ in 0..2 {
            let (mut g, mut h) = ([0.0, pull * self.slope], [1e-6, 0.0, pull]);
            for &(value, weight, missing) in cells {
                let chance = self.chance(value);
                let error = weight * (chance - f64::from(u8::from(missing)));
                let curvature = weight * (chance * (1.0 - chance)).max(1e-6);
                (g[0], g[1]) = (g[0] + error, g[1] + error * value);
                h = [h[0] + curvature, h[1] + curvature * value, h[2] + curvature * value * value];
            }
            let determinant = h[0] * h[2] - h[1] * h[1];
            if determinant <= 0.0 {
                return;
            }
            self.level -= ((h[2] * g[0] - h[1] * g[1]) / determinant).clamp(-1.0, 1.0);
            self.slope -= ((h[0] * g[1] - h[1] * g[0]) / determinant).clamp(-0.5, 0.5);
        }
    }
}

/// Multiplies the joint distribution of a row's missing part by the curves, one column after the other: each takes its
/// marginal's new mean and variance, and the others follow as far as they go with it. `shift` starts at the mean.
pub fn tilt_all(curves: &[Curve], missing: &[usize], means: &[f64], shift: &mut [f64], open: &mut Square) {
    for (i, &column) in missing.iter().enumerate() {
        let Some(curve) = curves.get(column) else { continue };
        let variance = open.at(i, i);
        if curve.slope == 0.0 || variance <= 0.0 {
            continue;
        }
        let before = means[column] + shift[i];
        let (after, narrower) = curve.tilt(before, variance);
        let along: Vec<f64> = open.row(i).iter().map(|cell| cell / variance).collect();
        for (j, share) in along.iter().enumerate() {
            shift[j] += share * (after - before);
        }
        for (j, a) in along.iter().enumerate() {
            for (k, b) in along.iter().enumerate() {
                *open.at_mut(j, k) -= a * b * (variance - narrower);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_curve_changes_nothing_and_a_steep_one_shifts() {
        let flat = Curve { level: -1.0, slope: 0.0 };
        assert_eq!(flat.tilt(0.3, 2.0), (0.3, 2.0));
        // A steep step at 0 leaves the upper half: mean √(2/π), variance 1 - 2/π.
        let (mean, variance) = Curve { level: 0.0, slope: 200.0 }.tilt(0.0, 1.0);
        assert!((mean - 0.797_885).abs() < 0.03 && (variance - 0.363_38).abs() < 0.03, "{mean} {variance}");
        assert!(Curve { level: 0.0, slope: -2.0 }.tilt(0.0, 1.0).0 < -0.5);
    }

    #[test]
    fn the_curve_is_found_where_all_values_are_known() {
        let mut stream = crate::rng::Stream::new(1, "curve", 0, 0);
        let truth = Curve { level: -1.0, slope: 1.5 };
        let cells: Vec<(f64, f64, bool)> = (0..20_000)
            .map(|_| {
                let value = stream.normal();
                (value, 1.0, stream.uniform() < truth.chance(value))
            })
            .collect();
        let mut curve = Curve::default();
        (0..10).for_each(|_| curve.improve(&cells, 1.0));
        assert!((curve.slope - 1.5).abs() < 0.1 && (curve.level + 1.0).abs() < 0.1, "{curve:?}");
    }

    #[test]
    fn what_goes_with_a_shifted_column_shifts_too() {
        let mut open = Square { size: 2, cells: vec![1.0, 0.8, 0.8, 1.0] };
        let curves = [Curve { level: 0.0, slope: 3.0 }, Curve::default()];
        let mut shift = [0.0, 0.0];
        tilt_all(&curves, &[0, 1], &[0.0, 0.0], &mut shift, &mut open);
        assert!(shift[0] > 0.5 && (shift[1] - 0.8 * shift[0]).abs() < 1e-12);
        assert!(open.at(0, 0) < 0.7 && open.at(1, 1) < 1.0);
    }
}
