//! Rows as plain numbers: each category becomes one indicator per level, scaled like the numbers.
//!
//! A level with share p of the known cells becomes (1 - p) / √(p (1 - p)) where it stands and -p / √(p (1 - p))
//! elsewhere: mean 0 and variance 1, as standardised numbers have. Two levels need one indicator.

mod written;

use rayon::prelude::*;

use super::{Encoded, Encoder};
use crate::linalg::Holes;
use crate::rng::Stream;

/// Levels of a category with an indicator of their own; rarer ones are told by none of them.
const MOST_LEVELS: usize = 24;
/// What is added to every chance, as a straight line may say 0 or less.
const LEAST_CHANCE: f64 = 1e-3;
/// Indicators in all, beyond which every category keeps fewer levels.
const MOST_INDICATORS: usize = 600;

/// One category's indicators.
#[derive(Debug, Clone, PartialEq)]
struct Indicators {
    /// Where they start.
    start: usize,
    /// The code of each indicator, most frequent first.
    codes: Vec<u32>,
    /// The share of each indicator's code.
    shares: Vec<f64>,
    /// The code that stands where none of the indicators does: the other of two, or the most frequent of all.
    rest: u32,
    /// How many codes have no indicator of their own.
    beyond: usize,
}

/// The plain layout of an encoder's columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Wide {
    numbers: usize,
    columns: usize,
    categories: Vec<Indicators>,
}

/// Rows in the plain layout.
pub struct WideRows {
    /// `[rows, columns]`; 0 where not observed.
    pub values: Vec<f32>,
    /// `[rows, columns]`: true where known.
    pub observed: Vec<bool>,
    /// How many columns.
    pub columns: usize,
}

impl WideRows {
    /// The same rows for the normal distribution.
    pub fn holes(&self) -> Holes<'_> {
        Holes { columns: self.columns, values: &self.values, observed: &self.observed }
    }
}

impl Wide {
    /// The layout for an encoder.
    pub fn new(encoder: &Encoder) -> Self {
        let most = (MOST_INDICATORS / encoder.categories.len().max(1)).clamp(2, MOST_LEVELS);
        let mut columns = encoder.numbers.len();
        let categories = encoder
            .categories
            .iter()
            .map(|feature| {
                // Codes that stand for a level; `other` is none.
                let mut codes: Vec<u32> = (0..feature.levels.len() as u32).collect();
                codes.sort_by(|a, b| feature.shares[*b as usize].total_cmp(&feature.shares[*a as usize]));
                let rest = if codes.len() == 2 { codes[0] } else { codes.first().copied().unwrap_or(0) };
                if codes.len() == 2 && !feature.has_other() {
                    codes.remove(0);
                }
                codes.truncate(most);
                let start = columns;
                columns += codes.len();
                let shares = codes.iter().map(|&code| f64::from(feature.shares[code as usize])).collect();
                let beyond = feature.codes() - codes.len();
                Indicators { start, codes, shares, rest, beyond }
            })
            .collect();
        Self { numbers: encoder.numbers.len(), columns, categories }
    }

    /// How many columns the layout has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The columns that a feature (numbers first, then categories) takes.
    pub fn places(&self, feature: usize) -> std::ops::Range<usize> {
        match feature.checked_sub(self.numbers) {
            None => feature..feature + 1,
            Some(category) => {
                let indicators = &self.categories[category];
                indicators.start..indicators.start + indicators.codes.len()
            }
        }
    }

    /// Mean and deviation that an indicator was scaled with; `None` for a number's column.
    pub fn indicator(&self, column: usize) -> Option<(f64, f64)> {
        let category = self.categories.iter().rfind(|category| category.start <= column)?;
        let share = *category.shares.get(column - category.start)?;
        Some((share, deviation(share)))
    }

    /// Replaces a category's expected indicators in a line by those of one level, drawn by its chances.
    pub fn draw_level(&self, feature: usize, line: &mut [f64], stream: &mut Stream) {
        let Some(category) = feature.checked_sub(self.numbers).and_then(|place| self.categories.get(place))
        else {
            return;
        };
        let drawn = category.read(line, Some(stream));
        let place = category.codes.iter().position(|own| *own == drawn).unwrap_or(category.codes.len());
        self.write_level(feature, place, line);
    }

    /// Puts one level into a line: that of the indicator at a place, or the one told by none of them.
    pub fn write_level(&self, feature: usize, place: usize, line: &mut [f64]) {
        let Some(category) = feature.checked_sub(self.numbers).and_then(|place| self.categories.get(place))
        else {
            return;
        };
        for (own, share) in category.shares.iter().enumerate() {
            let indicator = f64::from(u8::from(own == place));
            line[category.start + own] = (indicator - share) / deviation(*share);
        }
    }

    /// The chance of a code of a category, and the chances of all its codes, from what its indicators are expected to
    /// be. Codes without an indicator share what is left alike; no chance is quite 0, and they add up to 1.
    pub fn chances(&self, feature: usize, expected: &[f64], code: u32) -> (f64, Vec<f64>) {
        let Some(category) = feature.checked_sub(self.numbers).and_then(|place| self.categories.get(place))
        else {
            return (1.0, vec![1.0]);
        };
        let indicators = category.shares.iter().zip(expected);
        let mut chances: Vec<f64> =
            indicators.map(|(share, value)| (share + deviation(*share) * value).clamp(0.0, 1.0)).collect();
        let left = (1.0 - chances.iter().sum::<f64>()).max(0.0) / category.beyond.max(1) as f64;
        chances.extend(std::iter::repeat_n(left, category.beyond));
        let total = chances.iter().map(|chance| chance + LEAST_CHANCE).sum::<f64>();
        chances.iter_mut().for_each(|chance| *chance = (*chance + LEAST_CHANCE) / total);
        let place = category.codes.iter().position(|own| *own == code).unwrap_or(category.codes.len());
        (chances.get(place).copied().unwrap_or(LEAST_CHANCE), chances)
    }

    /// How many of the features are numbers.
    pub fn numbers(&self) -> usize {
        self.numbers
    }

    /// Features: numbers, then categories.
    pub fn features(&self) -> usize {
        self.numbers + self.categories.len()
    }

    /// Rows in this layout.
    pub fn widen(&self, rows: &Encoded) -> WideRows {
        let columns = self.columns;
        let mut wide = WideRows {
            values: vec![0.0; rows.rows * columns],
            observed: vec![false; rows.rows * columns],
            columns,
        };
        if columns == 0 {
            return wide;
        }
        let lines = wide.values.par_chunks_mut(columns).zip(wide.observed.par_chunks_mut(columns));
        lines.enumerate().with_min_len(256).for_each(|(row, (values, observed))| {
            for place in 0..self.numbers {
                let cell = row * self.numbers + place;
                if rows.numbers_observed[cell] {
                    (values[place], observed[place]) = (rows.numbers[cell], true);
                }
            }
            for (place, category) in self.categories.iter().enumerate() {
                let cell = row * self.categories.len() + place;
                if rows.codes_observed[cell] {
                    category.write(rows.codes[cell], values, observed);
                }
            }
        });
        wide
    }

    /// Puts a filled line of the layout under the "missing" marks of a row. `line` holds expected values; the
    /// indicators' say how likely each level is, and with a stream a level is drawn accordingly.
    pub fn narrow(&self, line: &[f64], rows: &mut EncodedRow<'_>, mut draw: Option<&mut Stream>) {
        for (place, (number, observed)) in rows.numbers.iter_mut().zip(rows.numbers_observed).enumerate() {
            if !observed {
                *number = line[place] as f32;
            }
        }
        let cells = rows.codes.iter_mut().zip(rows.codes_observed).zip(&self.categories);
        for ((code, _), category) in cells.filter(|((_, observed), _)| !**observed) {
            *code = category.read(line, draw.as_deref_mut());
        }
    }
}

/// The likeliest of some chances (the first of equals), or one drawn by them; `None` where all are 0.
pub fn pick(chances: &[f64], draw: Option<&mut Stream>) -> Option<usize> {
    let likeliest = || {
        let best = chances.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
        best.filter(|(_, chance)| **chance > 0.0).map(|(place, _)| place)
    };
    draw.and_then(|stream| stream.position(chances)).or_else(likeliest)
}

/// One row to be filled.
pub struct EncodedRow<'a> {
    /// The row's numbers.
    pub numbers: &'a mut [f32],
    /// Which of them are known.
    pub numbers_observed: &'a [bool],
    /// The row's codes.
    pub codes: &'a mut [u32],
    /// Which of them are known.
    pub codes_observed: &'a [bool],
}

impl Indicators {
    fn write(&self, code: u32, values: &mut [f32], observed: &mut [bool]) {
        for (place, (own, share)) in self.codes.iter().zip(&self.shares).enumerate() {
            let indicator = f64::from(u8::from(*own == code));
            values[self.start + place] = ((indicator - share) / deviation(*share)) as f32;
            observed[self.start + place] = true;
        }
    }

    /// The most likely code, or one drawn.
    fn read(&self, line: &[f64], draw: Option<&mut Stream>) -> u32 {
        let chance = |(place, share): (usize, &f64)| {
            (share + deviation(*share) * line[self.start + place]).clamp(0.0, 1.0)
        };
        let mut chances: Vec<f64> = self.shares.iter().enumerate().map(chance).collect();
        if self.codes.len() == 1 && self.rest != self.codes[0] {
            chances.push(1.0 - chances[0]);
        }
        // Behind the indicators' codes stands the rest; of equals the first, more frequent one is taken.
        pick(&chances, draw).and_then(|place| self.codes.get(place)).copied().unwrap_or(self.rest)
    }
}

/// Standard deviation of an indicator; 1 for a level that always or never stands.
fn deviation(share: f64) -> f64 {
    let variance = share * (1.0 - share);
    if variance > 0.0 { variance.sqrt() } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind, Table};
    use crate::encode::Encoding;

    fn encoder_and_rows() -> (Encoder, Encoded) {
        let table = Table::new(vec![
            Column::from_numbers("n", Kind::Real, &[1.0, 2.0, 3.0, f64::NAN]),
            Column::from_words("two", Kind::Binary, &[Some("no"), Some("no"), Some("yes"), None]),
            Column::from_words("three", Kind::Category, &[Some("a"), Some("b"), Some("c"), Some("a")]),
        ])
        .unwrap();
        let names = ["n", "two", "three"].map(String::from);
        let encoder = Encoder::fit(&table, &names, Encoding::default()).unwrap();
        let rows = encoder.encode(&table, |_, _| {}).unwrap();
        (encoder, rows)
    }

    #[test]
    fn categories_come_back() {
        let (encoder, rows) = encoder_and_rows();
        let wide = Wide::new(&encoder);
        assert_eq!(wide.columns(), 1 + 1 + 3);
        let widened = wide.widen(&rows);
        assert_eq!(widened.observed[15..], [false, false, true, true, true]);
        for row in 0..3 {
            let line: Vec<f64> =
                widened.values[row * 5..(row + 1) * 5].iter().map(|x| f64::from(*x)).collect();
            let (mut numbers, mut codes) = ([9.0], [9, 9]);
            let mut into = EncodedRow {
                numbers: &mut numbers,
                numbers_observed: &[true],
                codes: &mut codes,
                codes_observed: &[false, false],
            };
            for draw in [None, Some(&mut Stream::new(1, "wide", 0, 0))] {
                wide.narrow(&line, &mut into, draw);
                assert_eq!(into.codes, &rows.codes[row * 2..row * 2 + 2]);
            }
            assert_eq!(numbers, [9.0], "a known number stays");
        }
    }

    #[test]
    fn draws_follow_the_chances() {
        let (encoder, _) = encoder_and_rows();
        let wide = Wide::new(&encoder);
        // Every indicator at its mean: levels as often as in the data, `yes` in a third of the draws.
        let yes = (0..3000).filter(|draw| {
            let (mut numbers, mut codes) = ([0.0], [9, 9]);
            let mut into = EncodedRow {
                numbers: &mut numbers,
                numbers_observed: &[true],
                codes: &mut codes,
                codes_observed: &[false, false],
            };
            wide.narrow(&[0.0; 5], &mut into, Some(&mut Stream::new(1, "wide", 0, *draw)));
            codes[0] == 1
        });
        assert!((yes.count() as f64 / 3000.0 - 1.0 / 3.0).abs() < 0.03);
    }
}
