//! Which digits are told how often, beside how often they are there (Figures 12 and 16 of the thesis).

use std::collections::BTreeMap;

use super::LINES;
use crate::bench::report::Row;
use crate::bench::{Figure, Section};

/// There are ten digits.
const DIGITS: usize = 10;

/// Shares of the test images, seed by seed, by line; those that are true are under no line.
#[derive(Default)]
pub struct Told(BTreeMap<Option<usize>, Vec<[f64; DIGITS]>>);

impl Told {
    /// Adds what a line told of the test images, or what is true of them.
    pub fn add(&mut self, line: Option<usize>, answers: &[u32]) {
        let mut shares = [0.0; DIGITS];
        for share in answers.iter().filter_map(|answer| usize::try_from(*answer).ok()) {
            if let Some(share) = shares.get_mut(share) {
                *share += 1.0 / answers.len() as f64;
            }
        }
        self.0.entry(line).or_default().push(shares);
    }

    /// The table of a case.
    pub fn section(&self, case: &str) -> Section {
        let name = |line: &Option<usize>| line.map_or("true", |line| LINES[line].0).to_owned();
        let row = |digit: usize| {
            let of = |shares: &Vec<[f64; DIGITS]>| {
                Figure::of(&shares.iter().map(|own| own[digit]).collect::<Vec<_>>(), 0.0).into()
            };
            Row { name: format!("digit {digit}"), cells: self.0.values().map(of).collect() }
        };
        Section {
            title: format!("{case}: how often each digit is told"),
            columns: self.0.keys().map(name).collect(),
            digits: 3,
            rows: (0..DIGITS).map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Cell;

    #[test]
    fn shares_are_of_the_images_and_the_true_ones_come_first() {
        let mut told = Told::default();
        told.add(Some(1), &[3, 3, 3, 9]);
        told.add(None, &[3, 9, 9, 9]);
        let section = told.section("pixels:0.5");
        assert_eq!(section.columns, ["true", "VAE+MLP"]);
        let mean = |cell: &Cell| if let Cell::Figure(figure) = cell { figure.mean } else { f64::NAN };
        let shares = |digit: usize| section.rows[digit].cells.iter().map(mean).collect::<Vec<f64>>();
        assert_eq!((shares(3), shares(9), shares(0)), (vec![0.25, 0.75], vec![0.75, 0.25], vec![0.0, 0.0]));
    }
}
