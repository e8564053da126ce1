//! How plausible a row is under the joint normal distribution, categories as what they are.
//!
//! The known columns o stand in order, the indicators of categories first, and Σ_oo = L Lᵀ. With w = L⁻¹ (x_o - μ_o),
//! what the columns before column i say about it is read off row i of L:
//!
//! ```text
//! mean_i = μ_i + Σ_{k<i} L_ik w_k         variance_i = L_ii²
//! category:  p(level | categories before)  its indicators' means given all columns before them, as chances
//! number:    ln p(x_i | before) = -½ ln 2π - ln L_ii - ½ w_i²
//! ```
//!
//! So numbers have a normal density around a mean that depends on the row's categories, and for every pattern of holes
//! the density of all values adds up to 1.
//!
//! What surprises most is each known feature given all others: with K = Σ_oo⁻¹ and the feature's own columns b, it lies
//! K_bb⁻¹ (K (x_o - μ_o))_b from what they say.

use std::ops::Range;

use rayon::prelude::*;

use crate::encode::{Encoded, Wide};
use crate::linalg::{Group, Holes, Normal, Square, dot, groups};
use crate::methods::Plausibility;
use crate::methods::learned::log_moments;

/// ½ ln 2π.
const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_8;
/// Added to the diagonal where a covariance has no triangle.
const JITTER: f64 = 1e-6;

/// How plausible each row is.
pub fn plausibility(wide: &Wide, normal: &Normal, rows: &Encoded) -> Vec<Plausibility> {
    let widened = wide.widen(rows);
    let holes = widened.holes();
    let all: Vec<usize> = (0..rows.rows).collect();
    let mut found = vec![Plausibility::default(); rows.rows];
    if widened.columns == 0 {
        return found;
    }
    let each = |group: &Group| {
        let known = Known::new(wide, normal, &group.observed);
        let row = |row: &usize| (*row, known.judge(wide, normal, holes, rows, *row));
        group.rows.iter().map(row).collect::<Vec<_>>()
    };
    let judged: Vec<Vec<(usize, Plausibility)>> = groups(holes, &all).par_iter().map(each).collect();
    judged.into_iter().flatten().for_each(|(row, own)| found[row] = own);
    found
}

/// What is known in rows with the same holes, ready to judge them.
struct Known {
    /// The known columns, categories first.
    columns: Vec<usize>,
    /// Each known feature with its places among these columns.
    features: Vec<(usize, Range<usize>)>,
    /// L.
    lower: Square,
    /// K.
    inverse: Square,
}

impl Known {
    fn new(wide: &Wide, normal: &Normal, observed: &[bool]) -> Self {
        let order = (wide.numbers()..wide.features()).chain(0..wide.numbers());
        let (mut columns, mut features) = (Vec::new(), Vec::new());
        for feature in order {
            let places = wide.places(feature);
            if !places.is_empty() && observed[places.start] {
                features.push((feature, columns.len()..columns.len() + places.len()));
                columns.extend(places);
            }
        }
        let mut covariance = normal.covariance.part(&columns);
        let lower = covariance.cholesky(0.0).or_else(|_| {
            (0..columns.len()).for_each(|i| *covariance.at_mut(i, i) += JITTER);
            covariance.cholesky(0.0)
        });
        let lower = lower.unwrap_or_else(|_| Square::identity(columns.len()));
        let inverse = lower.inverse_of_product();
        Self { columns, features, lower, inverse }
    }

    fn judge(
        &self,
        wide: &Wide,
        normal: &Normal,
        holes: Holes<'_>,
        rows: &Encoded,
        row: usize,
    ) -> Plausibility {
        let mut line = vec![0.0; holes.columns];
        holes.deviations(row, &normal.mean, &mut line);
        let deviations: Vec<f64> = self.columns.iter().map(|&column| line[column]).collect();
        let mut w = deviations.clone();
        self.lower.forward(&mut w);
        let mut found = Plausibility::default();
        for (feature, places) in &self.features {
            let expected = |lies: &dyn Fn(usize) -> f64| -> Vec<f64> {
                places.clone().map(|place| normal.mean[self.columns[place]] + lies(place)).collect()
            };
            let apart = self.apart(places, &deviations);
            match feature.checked_sub(wide.numbers()) {
                Some(category) => {
                    let code = rows.codes[row * rows.widths().1 + category];
                    let before =
                        expected(&|place| dot(&self.lower.row(place)[..places.start], &w[..places.start]));
                    let (chance, chances) = wide.chances(*feature, &before, code);
                    let (mean, variance) = log_moments(&chances);
                    found.add(chance.ln(), mean, variance);
                    let others = expected(&|place| deviations[place] - apart[place - places.start]);
                    let (chance, chances) = wide.chances(*feature, &others, code);
                    found.note_surprise(*feature, log_moments(&chances).0 - chance.ln());
                }
                None => {
                    let place = places.start;
                    let log = -HALF_LOG_TAU - self.lower.at(place, place).ln();
                    found.add(log - 0.5 * w[place].powi(2), log - 0.5, 0.5);
                    let square = apart[0].powi(2) * self.inverse.at(place, place);
                    found.note_surprise(*feature, 0.5 * (square - 1.0));
                }
            }
        }
        found
    }

    /// How far a feature's columns lie from what all other known columns say.
    fn apart(&self, places: &Range<usize>, deviations: &[f64]) -> Vec<f64> {
        let mut apart: Vec<f64> =
            places.clone().map(|place| dot(self.inverse.row(place), deviations)).collect();
        if let Ok(own) = self.inverse.part(&places.clone().collect::<Vec<_>>()).cholesky(0.0) {
            own.forward(&mut apart);
            own.backward(&mut apart);
        }
        apart
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind, Table};
    use crate::encode::{Encoder, Encoding};

    /// A number, a binary and a category of three levels that go together, and any rows of them.
    fn world() -> (Encoder, Wide, Normal) {
        let words =
            |options: [&'static str; 3]| (0..60).map(|row| Some(options[row % 3])).collect::<Vec<_>>();
        let numbers: Vec<f64> = (0..60).map(|row| (row % 3) as f64 + (row % 7) as f64 / 3.0).collect();
        let table = Table::new(vec![
            Column::from_numbers("n", Kind::Real, &numbers),
            Column::from_numbers("m", Kind::Real, &numbers.iter().map(|x| x * x - 2.0).collect::<Vec<_>>()),
            Column::from_words("two", Kind::Binary, &words(["no", "no", "yes"])),
            Column::from_words("three", Kind::Category, &words(["a", "b", "c"])),
        ])
        .unwrap();
        let names = ["n", "m", "two", "three"].map(String::from);
        let encoder = Encoder::fit(&table, &names, Encoding::default()).unwrap();
        let rows = encoder.encode(&table, |_, _| {}).unwrap();
        let wide = Wide::new(&encoder);
        let run = crate::run::Run::new(0, 1).unwrap();
        let normal = crate::methods::gaussian::learn_default(&wide.widen(&rows), &run);
        (encoder, wide, normal)
    }

    fn rows(numbers: &[[f32; 2]], codes: [u32; 2], known: [bool; 4]) -> Encoded {
        Encoded {
            rows: numbers.len(),
            numbers: numbers.concat(),
            numbers_observed: numbers.iter().flat_map(|_| [known[0], known[1]]).collect(),
            codes: numbers.iter().flat_map(|_| codes).collect(),
            codes_observed: numbers.iter().flat_map(|_| [known[2], known[3]]).collect(),
        }
    }

    /// Over all levels and a grid of numbers, whatever is known.
    #[test]
    fn densities_add_up_to_one_for_every_pattern_of_holes() {
        let (_, wide, normal) = world();
        let axis: Vec<f32> = (-60..=60).map(|step| step as f32 * 0.1).collect();
        for known in [[true, true, true, true], [true, false, true, true], [false, true, false, true]] {
            let values = |known: bool| if known { axis.clone() } else { vec![f32::NAN] };
            let second = values(known[1]);
            let grid: Vec<[f32; 2]> =
                values(known[0]).iter().flat_map(|x| second.iter().map(move |y| [*x, *y])).collect();
            let cell = 0.1_f64.powi(i32::from(known[0]) + i32::from(known[1]));
            let mut total = 0.0;
            for two in 0..if known[2] { 2 } else { 1 } {
                for three in 0..if known[3] { 3 } else { 1 } {
                    let own = plausibility(&wide, &normal, &rows(&grid, [two, three], known));
                    total += own.iter().map(|row| row.log_likelihood.exp() * cell).sum::<f64>();
                }
            }
            assert!((total - 1.0).abs() < 2e-3, "{known:?}: {total}");
        }
    }

    #[test]
    fn numbers_alone_have_the_density_of_the_normal_distribution() {
        let (_, wide, normal) = world();
        let (x, y) = (0.7_f32, -1.1_f32);
        let own = plausibility(&wide, &normal, &rows(&[[x, y]], [9, 9], [true, true, false, false]));
        let part = normal.covariance.part(&[0, 1]);
        let [a, b, d] = [part.at(0, 0), part.at(0, 1), part.at(1, 1)];
        let determinant = a * d - b * b;
        let (x, y) = (f64::from(x) - normal.mean[0], f64::from(y) - normal.mean[1]);
        let square = (d * x * x - 2.0 * b * x * y + a * y * y) / determinant;
        let expected = -2.0 * HALF_LOG_TAU - 0.5 * determinant.ln() - 0.5 * square;
        assert!((own[0].log_likelihood - expected).abs() < 1e-9);
        assert!(
            (own[0].distance() - 0.5 * (2.0 - square)).abs() < 1e-9,
            "Σ ½ (1 - w²) over a deviation of 1"
        );
        assert_eq!(
            plausibility(&wide, &normal, &rows(&[[x as f32, 0.0]], [0, 0], [false; 4]))[0],
            Default::default()
        );
    }

    #[test]
    fn the_cell_that_does_not_belong_to_its_row_is_told() {
        let (_, wide, normal) = world();
        // `two` is `yes` where `three` is `c`.
        let own = |codes, known| plausibility(&wide, &normal, &rows(&[[0.0, 0.0]], codes, known))[0];
        let (right, wrong) =
            (own([1, 2], [false, false, true, true]), own([0, 2], [false, false, true, true]));
        assert!(right.log_likelihood > wrong.log_likelihood + 2.0 && wrong.surprise.unwrap().0 >= 2);
        let far = plausibility(&wide, &normal, &rows(&[[0.0, 6.0]], [0, 0], [true; 4]))[0];
        assert!(far.surprise.unwrap().0 < 2 && far.distance() < -3.0);
    }
}
