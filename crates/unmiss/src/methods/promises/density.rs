//! Cases of saying how plausible rows are, and what only that promises.

use super::{Case, fill, images};
use crate::data::Shape;
use crate::encode::Rows;
use crate::methods::{Job, Learned, methods_for};

/// The tables whose holes are filled elsewhere.
pub(super) fn cases(small: bool) -> Vec<Case> {
    fill::cases(small).into_iter().map(|case| Case { answers, ..case }).collect()
}

/// Row by row, all that is said.
pub(super) fn answers(learned: &dyn Learned, rows: &Rows, _first_row: usize) -> Vec<f64> {
    let found = learned.density().unwrap().plausibility(rows).unwrap();
    let row = |row: &crate::methods::Plausibility| {
        let (input, surprise) = row.surprise.unwrap_or((0, 0.0));
        [row.log_likelihood, row.expected, row.variance, input as f64, surprise]
    };
    found.iter().flat_map(row).collect()
}

fn all() -> Vec<(&'static dyn crate::methods::Method, Case)> {
    let tables = methods_for(Shape::Table, Job::Density)
        .flat_map(|own| cases(false).into_iter().map(move |c| (own, c)));
    let of_images = |own| images::cases(own, Job::Density, false).into_iter().map(move |case| (own, case));
    tables.chain(methods_for(Shape::Images, Job::Density).flat_map(of_images)).collect()
}

/// A row is judged by what is known of it, and the input that surprises most is one of those.
#[test]
fn nothing_known_is_nothing_said_and_surprises_are_known_inputs() {
    for (method, case) in all() {
        let learned = case.fit(method, 1);
        let density = learned.density().unwrap();
        for (row, found) in density.plausibility(&case.rows).unwrap().iter().enumerate() {
            let surprise = found.surprise.unwrap();
            assert!(!case.rows.holes(row).contains(&(surprise.0 as u32)) || case.rows.images().is_ok());
            assert!(found.variance > 0.0 && found.distance().is_finite(), "{}", method.name());
        }
        let mut empty = case.rows.clone();
        for input in case.rows.known(3) {
            empty.hide(3, input).unwrap();
        }
        if empty.table().is_ok() {
            assert_eq!(density.plausibility(&empty).unwrap()[3], Default::default(), "{}", method.name());
        }
    }
}
