//! Weights of a mean of several methods, found on rows that none of them saw.
//!
//! Chances are mixed so that the log-loss is least, numbers so that the squared error is; weights are 0 or more and 1
//! in all. On few rows what looks best is partly luck: some more rows are thought to be there, [`PRIOR_ROWS`] on which
//! methods were right as often as they are good alone and [`PRIOR_ROWS_OF_THE_MEAN`] on which whoever knows nothing of
//! a row was, the last of the members. That pulls the weights of good methods towards each other, and answers towards
//! the mean: all the more where no method is better than it.
//!
//! ```text
//! chances   max  Σ_i ω_i ln Σ_m w_m p_im + Σ_m a_m ln w_m         p_im: chance of row i's true class, a: prior rows
//! numbers   min  w'Gw + (Σ a / rows) s Σ_m (w_m - a_m / Σ a)²     G_mn = mean of e_im e_in, s = least G_mm
//! ```
//!
//! The first is solved by the steps of EM for a mixture (each w_m becomes its mean share in the chance of the truth),
//! the second by moving weight between two methods at a time, each time to the best place.

/// So many rows speak for weights of methods by how good each is alone. With these and the next, means of tables of 20
/// to 60 rows erred least, and on none of them by more than the mean of the target.
const PRIOR_ROWS: f64 = 20.0;
/// So many rows speak for the mean of the target alone.
const PRIOR_ROWS_OF_THE_MEAN: f64 = 5.0;
/// A log-loss that is higher by so many parts of 1 makes a method e times less good.
const STEEPNESS: f64 = 10.0;
/// Chances below this count as this much where losses are compared.
const SMALLEST_CHANCE: f64 = 1e-6;
/// Steps, at most; either way converges long before.
const STEPS: usize = 500;
/// Weights that change by less are found.
const SMALLEST_CHANGE: f64 = 1e-7;

/// `[members]`: the rows that are thought to speak for each, in proportion to how good each is alone, at most 1; the
/// last member knows nothing of a row, and what the best of the others lacks is its.
fn prior(goodness: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut prior: Vec<f64> = goodness.collect();
    prior.pop();
    let total: f64 = prior.iter().sum();
    let rows = PRIOR_ROWS * prior.iter().copied().fold(0.0, f64::max);
    let share = |own: &f64| if total > 0.0 { own / total } else { 0.0 };
    let shares = prior.iter().map(|own| rows * share(own));
    shares.chain([PRIOR_ROWS_OF_THE_MEAN + PRIOR_ROWS - rows]).collect()
}

/// Weights of members from the chance that each gave to the truth, `[members][rows]`, and the weight of each row.
pub(super) fn of_chances(chances: &[Vec<f64>], rows: &[f64]) -> Vec<f64> {
    let members = chances.len();
    let total = rows.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let loss = |own: &Vec<f64>| {
        let each = own.iter().zip(rows).map(|(chance, weight)| -weight * chance.max(SMALLEST_CHANCE).ln());
        each.sum::<f64>() / total
    };
    let losses: Vec<f64> = chances.iter().map(loss).collect();
    let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
    let prior = prior(losses.iter().map(|loss| (-STEEPNESS * (loss - least)).exp()));
    let mut weights = vec![1.0 / members.max(1) as f64; members];
    for _ in 0..STEPS {
        let mut shares = prior.clone();
        for (row, weight) in rows.iter().enumerate() {
            let mixed: f64 = weights.iter().zip(chances).map(|(own, chances)| own * chances[row]).sum();
            if mixed > 0.0 {
                let own =
                    weights.iter().zip(chances).map(|(own, chances)| weight * own * chances[row] / mixed);
                shares.iter_mut().zip(own).for_each(|(share, own)| *share += own);
            }
        }
        let total: f64 = shares.iter().sum();
        let change = weights.iter().zip(&shares).map(|(own, share)| (own - share / total).abs());
        let change = change.fold(0.0, f64::max);
        weights.iter_mut().zip(&shares).for_each(|(own, share)| *own = share / total);
        if change < SMALLEST_CHANGE {
            break;
        }
    }
    weights
}

/// Weights of members from what each is off by, `[members][rows]`, and the weight of each row.
pub(super) fn of_errors(errors: &[Vec<f64>], rows: &[f64]) -> Vec<f64> {
    let members = errors.len();
    let total = rows.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let product = |a: usize, b: usize| {
        let cells = errors[a].iter().zip(&errors[b]).zip(rows);
        cells.map(|((a, b), weight)| weight * a * b).sum::<f64>() / total
    };
    let mut products: Vec<Vec<f64>> =
        (0..members).map(|a| (0..members).map(|b| product(a, b)).collect()).collect();
    let least = (0..members).map(|m| products[m][m]).fold(f64::INFINITY, f64::min);
    // λ Σ (w - a / Σ a)², λ = s Σ a / rows: λ on the diagonal, and a pull of λ a / Σ a = s a / rows.
    let prior = prior((0..members).map(|m| (least / products[m][m].max(f64::MIN_POSITIVE)).powi(2)));
    let strength = least * prior.iter().sum::<f64>() / total;
    (0..members).for_each(|m| products[m][m] += strength);
    least_square(&products, &prior.iter().map(|own| least * own / total).collect::<Vec<_>>())
}

/// The w of 0 or more, 1 in all, with the least w'Gw - 2 pull'w.
fn least_square(products: &[Vec<f64>], pull: &[f64]) -> Vec<f64> {
    let members = products.len();
    let mut weights = vec![1.0 / members.max(1) as f64; members];
    for _ in 0..STEPS {
        let mut change = 0.0_f64;
        for (a, b) in (0..members).flat_map(|a| (0..a).map(move |b| (a, b))) {
            let slope =
                |m: usize| products[m].iter().zip(&weights).map(|(g, w)| g * w).sum::<f64>() - pull[m];
            let curvature = products[a][a] + products[b][b] - 2.0 * products[a][b];
            // Those who answer alike have nothing to gain from each other.
            if curvature <= 0.0 || curvature.is_nan() {
                continue;
            }
            // So much goes from b to a.
            let moved = ((slope(b) - slope(a)) / curvature).clamp(-weights[a], weights[b]);
            weights[a] += moved;
            weights[b] -= moved;
            change = change.max(moved.abs());
        }
        if change < SMALLEST_CHANGE {
            break;
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn noise(purpose: &str, count: usize, deviation: f64) -> Vec<f64> {
        let mut stream = Stream::new(1, purpose, 0, 0);
        (0..count).map(|_| deviation * stream.normal()).collect()
    }

    #[test]
    fn errors_count_by_the_inverse_of_their_variance() {
        let first = noise("a", 20_000, 0.5);
        let twice = first.iter().map(|error| 2.0 * error).collect();
        let found = of_errors(&[first, noise("b", 20_000, 1.0), twice], &vec![1.0; 20_000]);
        assert!((found[0] - 0.8).abs() < 0.015 && (found[1] - 0.2).abs() < 0.015, "{found:?}");
        assert!(found[2] < 1e-3, "{found:?}");
    }

    #[test]
    fn on_few_rows_weights_are_what_is_thought_beforehand() {
        let of = |rows: usize| {
            of_errors(&[noise("c", rows, 1.0), noise("d", rows, 1.5)], &vec![1.0; rows])[0] - 0.5
        };
        // The variances alone say 9 / 13 of the weight.
        assert!((of(20_000) - (9.0 / 13.0 - 0.5)).abs() < 0.015, "{}", of(20_000));
        // Two rows are little beside those that speak for the method and those that speak for the mean.
        let few = of_errors(&[vec![1.0, -1.0], vec![1.5, 1.5]], &[1.0; 2]);
        let thought = PRIOR_ROWS / (PRIOR_ROWS + PRIOR_ROWS_OF_THE_MEAN);
        assert!((few[0] - thought).abs() < 0.05, "{few:?}");
        // A method that errs twice as much as the mean has nearly nothing of what is thought.
        let worse = of_errors(&[vec![2.0, -2.0], vec![1.0, 1.0]], &[1.0; 2]);
        assert!(worse[0] < 0.1, "{worse:?}");
    }

    /// Of two rows, methods count by what they are alone: the one with thrice the error counts next to nothing.
    #[test]
    fn what_is_thought_beforehand_goes_by_merit() {
        let errors = [vec![0.1, -0.1], vec![-0.1, 0.1], vec![0.3, 0.3], vec![1.0, 1.0]];
        let found = of_errors(&errors, &[1.0; 2]);
        assert!((found[0] - found[1]).abs() < 1e-3 && found[2] < 0.1 * found[0], "{found:?}");
        let chances = [vec![0.9; 3], vec![0.9; 3], vec![0.4; 3], vec![0.5; 3]];
        let found = of_chances(&chances, &[1.0; 3]);
        assert!((found[0] - found[1]).abs() < 1e-6 && found[2] < 0.1 * found[0], "{found:?}");
    }

    /// Chances drawn from a mixture: its weights are found.
    #[test]
    fn a_mixture_is_found_again() {
        let mut stream = Stream::new(3, "mixture", 0, 0);
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for _ in 0..30_000 {
            let (p, q): (f64, f64) = (stream.uniform(), stream.uniform());
            let came = stream.uniform() < 0.7 * p + 0.3 * q;
            one.push(if came { p } else { 1.0 - p });
            two.push(if came { q } else { 1.0 - q });
        }
        let found = of_chances(&[one, two], &vec![1.0; 30_000]);
        assert!((found[0] - 0.7).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn members_that_are_alike_or_sure_of_the_wrong_thing_are_no_trouble() {
        let same = of_errors(&vec![vec![0.5, 0.0, -0.5]; 3], &[1.0; 3]);
        assert!((same.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let sure = of_chances(&[vec![0.0; 50], vec![0.5; 50]], &[1.0; 50]);
        assert!(sure[1] > 0.8 && (sure[0] + sure[1] - 1.0).abs() < 1e-9, "{sure:?}");
        assert_eq!(of_errors(&[vec![]], &[]), [1.0]);
        assert_eq!(of_chances(&[vec![]], &[]), [1.0]);
    }
}
