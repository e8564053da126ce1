//! The parameters under which the known values are most likely, by a search that halves its steps.

use rayon::prelude::*;

use super::model::{Kind, StateSpace};

/// Pieces of the sum over series: a fixed number, so that the sum does not depend on the threads.
const PIECE: usize = 64;
/// The first step of the search, as a factor of e to this.
const FIRST: f64 = 2.0;
/// The last step.
const LAST: f64 = 0.1;
/// Parameters are kept between e to the minus and to the plus of this.
const WIDEST: f64 = 14.0;

/// The model of a kind that fits the known (time, value) of series best, and its BIC: less is better.
pub fn fitted(kind: Kind, series: &[Vec<(f64, f64)>]) -> (StateSpace, f64) {
    let parameters = if kind == Kind::Reverting { 3 } else { 2 };
    let model = |at: &[f64; 3]| {
        let theta = if kind == Kind::Reverting { at[2].exp() } else { 0.0 };
        StateSpace { kind, q: at[0].exp(), r: at[1].exp(), theta }
    };
    let cost = |at: &[f64; 3]| {
        let of = |piece: &[Vec<(f64, f64)>]| {
            piece.iter().map(|known| model(at).log_likelihood(known)).sum::<f64>()
        };
        let parts: Vec<f64> = series.par_chunks(PIECE).map(of).collect();
        -parts.iter().sum::<f64>()
    };
    let mut at = [if kind == Kind::Reverting { 0.0 } else { -3.0 }, -2.0, -2.0];
    let (mut best, mut step) = (cost(&at), FIRST);
    while step > LAST {
        let mut moved = false;
        for place in 0..parameters {
            for direction in [step, -step] {
                let mut other = at;
                other[place] = (at[place] + direction).clamp(-WIDEST, WIDEST);
                let found = cost(&other);
                if found < best {
                    (at, best, moved) = (other, found, true);
                    break;
                }
            }
        }
        if !moved {
            step /= 2.0;
        }
    }
    let values: usize = series.iter().map(Vec::len).sum();
    (model(&at), 2.0 * best + parameters as f64 * (values.max(1) as f64).ln())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn parameters_of_made_series_are_found_again() {
        let (q, r) = (0.2_f64, 0.1_f64);
        let made = |one: u64| {
            let mut stream = Stream::new(9, "made", one, 0);
            let (mut level, mut time) = (stream.normal(), 0.0);
            let value = |_| {
                let gap = 0.5 + stream.uniform();
                time += gap;
                level += (q * gap).sqrt() * stream.normal();
                (time, level + r.sqrt() * stream.normal())
            };
            (0..40).map(value).collect::<Vec<_>>()
        };
        let series: Vec<Vec<(f64, f64)>> = (0..60).map(made).collect();
        let (level, bic) = fitted(Kind::Level, &series);
        assert!((level.q / q - 1.0).abs() < 0.25 && (level.r / r - 1.0).abs() < 0.25, "{level:?}");
        assert!(bic < fitted(Kind::Trend, &series).1);
    }
}
