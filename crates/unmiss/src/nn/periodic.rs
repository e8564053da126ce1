//! Cosine and sine of turns (`2πt`) on short slices, as polynomials that the compiler can vectorise.

use std::f32::consts::TAU;

/// `t -> cos(2πt)` in place, exact to about 1e-6.
pub(crate) fn cosines(turns: &mut [f32]) {
    for turn in turns {
        let squared = reduced(*turn).powi(2);
        // Taylor to x^16: on [-π, π] the first term left out is below 2e-7.
        let terms = [
            1.0 / 20_922_790_000_000.0,
            -1.0 / 87_178_290_000.0,
            1.0 / 479_001_600.0,
            -1.0 / 3_628_800.0,
            1.0 / 40_320.0,
            -1.0 / 720.0,
            1.0 / 24.0,
            -0.5,
            1.0,
        ];
        *turn = terms.iter().fold(0.0, |sum, term| sum * squared + term);
    }
}

/// `t -> sin(2πt)` in place, exact to about 1e-6.
pub(crate) fn sines(turns: &mut [f32]) {
    for turn in turns {
        let angle = reduced(*turn);
        let squared = angle * angle;
        let terms = [
            1.0 / 355_687_430_000_000.0,
            -1.0 / 1_307_674_400_000.0,
            1.0 / 6_227_020_800.0,
            -1.0 / 39_916_800.0,
            1.0 / 362_880.0,
            -1.0 / 5_040.0,
            1.0 / 120.0,
            -1.0 / 6.0,
            1.0,
        ];
        *turn = angle * terms.iter().fold(0.0, |sum, term| sum * squared + term);
    }
}

/// The angle of a turn, in [-π, π].
fn reduced(turn: f32) -> f32 {
    // Adding and taking away 1.5 * 2^23 rounds to the nearest whole number without a call.
    const ROUNDER: f32 = 12_582_912.0;
    (turn - ((turn + ROUNDER) - ROUNDER)) * TAU
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_to_the_library() {
        for step in -4000..4000 {
            let turn = step as f32 * 0.001_7;
            let exact = f64::from(turn) * std::f64::consts::TAU;
            let (mut cosine, mut sine) = ([turn], [turn]);
            cosines(&mut cosine);
            sines(&mut sine);
            assert!((f64::from(cosine[0]) - exact.cos()).abs() < 3e-6, "{turn}");
            assert!((f64::from(sine[0]) - exact.sin()).abs() < 3e-6, "{turn}");
        }
    }
}
