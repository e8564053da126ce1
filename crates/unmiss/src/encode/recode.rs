//! Rows of one translation as another translation of the same columns would have made them: models that were learned
//! apart, each with scales and levels of its own, answer for rows that were read once.

use rayon::prelude::*;

use super::column::{CategoryFeature, NumberFeature};
use super::features::{Encoded, Encoder, Encoding};

/// Rows that a thread takes at once at least.
const ROWS_AT_ONCE: usize = 1024;
/// Rows whose levels are looked up one by one.
const FEW_ROWS: usize = 4;

impl Encoder {
    /// The encoder that these rows, which this one made, would have given alone: its scales and levels are those of
    /// their known cells, so that it has seen nothing of other rows.
    #[must_use]
    pub fn learned_from(&self, rows: &Encoded, encoding: Encoding) -> Self {
        let (numbers, categories) = (self.numbers.len(), self.categories.len());
        let number = |(place, feature): (usize, &NumberFeature)| {
            let cells = (0..rows.rows).map(|row| row * numbers + place);
            let known = cells.filter(|&cell| rows.numbers_observed[cell]).map(|cell| rows.numbers[cell]);
            let known = known.map(|encoded| feature.unscaled(self.encoding.scale, encoded)).collect();
            feature.learned_from(encoding.scale, known, rows.rows)
        };
        let category = |(place, feature): (usize, &CategoryFeature)| {
            let cells = (0..rows.rows).map(|row| row * categories + place);
            let known = cells.filter(|&cell| rows.codes_observed[cell]).map(|cell| rows.codes[cell]);
            feature.learned_from(known, encoding.most_levels, rows.rows)
        };
        Self {
            encoding,
            numbers: self.numbers.iter().enumerate().map(number).collect(),
            categories: self.categories.iter().enumerate().map(category).collect(),
            made: Vec::new(),
        }
    }

    /// Rows that `from` has made, in this encoder's units and codes. A level that this encoder never saw is what it is
    /// in [`Encoder::encode`]: `other` if there is one, else a hole.
    ///
    /// Both are of the same columns in the same order, as encoders of some rows of one table are.
    pub fn recode(&self, from: &Self, rows: &Encoded) -> Encoded {
        let mut recoded = rows.clone();
        let (scale, their_scale) = (self.encoding.scale, from.encoding.scale);
        let same = |own: &NumberFeature, theirs: &NumberFeature| {
            their_scale == scale && (own.center, own.width) == (theirs.center, theirs.width)
        };
        let pairs: Vec<_> = self.numbers.iter().zip(&from.numbers).collect();
        let other = pairs.iter().enumerate().filter(|(_, (own, theirs))| !same(own, theirs));
        let other: Vec<(usize, &NumberFeature, &NumberFeature)> =
            other.map(|(place, (own, theirs))| (place, *own, *theirs)).collect();
        let width = pairs.len().max(1);
        let lines =
            recoded.numbers.par_chunks_exact_mut(width).zip(rows.numbers_observed.par_chunks_exact(width));
        lines.with_min_len(ROWS_AT_ONCE).for_each(|(values, observed)| {
            for &(place, own, theirs) in other.iter().filter(|(place, ..)| observed[*place]) {
                values[place] = own.scaled(scale, theirs.unscaled(their_scale, values[place]));
            }
        });
        if rows.rows <= FEW_ROWS {
            self.recode_few(from, &mut recoded);
            return recoded;
        }
        let codes: Vec<_> = self
            .categories
            .iter()
            .zip(&from.categories)
            .map(|(own, theirs)| translated(own, theirs))
            .collect();
        let width = codes.len().max(1);
        let lines = recoded.codes.par_chunks_exact_mut(width);
        let lines = lines.zip(recoded.codes_observed.par_chunks_exact_mut(width));
        lines.with_min_len(ROWS_AT_ONCE).for_each(|(own, observed)| {
            for ((code, observed), codes) in
                own.iter_mut().zip(observed).zip(&codes).filter(|((_, o), _)| **o)
            {
                let known = codes.get(*code as usize).copied().flatten();
                (*code, *observed) = (known.unwrap_or(0), known.is_some());
            }
        });
        recoded
    }

    /// The codes of few rows, level by level: no more levels are looked up than there are.
    fn recode_few(&self, from: &Self, rows: &mut Encoded) {
        let pairs: Vec<_> = self.categories.iter().zip(&from.categories).collect();
        let width = pairs.len().max(1);
        let lines = rows.codes.chunks_exact_mut(width).zip(rows.codes_observed.chunks_exact_mut(width));
        for (codes, observed) in lines {
            let cells = codes.iter_mut().zip(observed).zip(&pairs).filter(|((_, observed), _)| **observed);
            for ((code, observed), (own, theirs)) in cells {
                let other = (*code as usize == theirs.levels.len() && own.has_other())
                    .then_some(own.levels.len() as u32);
                let known = match theirs.levels.get(*code as usize) {
                    Some(level) => own.translation(std::slice::from_ref(level))[0],
                    None => other,
                };
                (*code, *observed) = (known.unwrap_or(0), known.is_some());
            }
        }
    }
}

/// Each code of `theirs` as a code of `own`: the levels, then `other`.
fn translated(own: &CategoryFeature, theirs: &CategoryFeature) -> Vec<Option<u32>> {
    let mut codes = own.translation(&theirs.levels);
    codes.push(own.has_other().then_some(own.levels.len() as u32));
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind, Table};
    use crate::encode::{Encoding, Scale};

    /// Numbers with an outlier and a hole, words with a level that only the last rows have.
    fn table() -> Table {
        let numbers: Vec<f64> = (0..40)
            .map(|row| match row {
                7 => f64::NAN,
                11 => 1e6,
                row => f64::from(row).sqrt(),
            })
            .collect();
        let words: Vec<Option<&str>> = (0..40)
            .map(|row| match row {
                3 => None,
                35.. => Some("late"),
                row => ["x", "y", "z"].get(row % 3).copied(),
            })
            .collect();
        Table::new(vec![
            Column::from_numbers("a", Kind::Real, &numbers),
            Column::from_words("c", Kind::Category, &words),
        ])
        .unwrap()
    }

    #[test]
    fn an_encoder_of_some_rows_is_the_one_that_they_alone_give() {
        let (table, names) = (table(), ["a".to_owned(), "c".to_owned()]);
        let some: Vec<usize> = (0..30).collect();
        for scale in [Scale::Standard, Scale::MinMax, Scale::Robust] {
            for most_levels in [2, 255] {
                let encoding = Encoding { scale, most_levels };
                let all = Encoder::fit(&table, &names, Encoding::default()).unwrap();
                let rows = all.encode(&table, |_, _| {}).unwrap().select(&some);
                let (ours, theirs) = (
                    all.learned_from(&rows, encoding),
                    Encoder::fit(&table.select(&some), &names, encoding).unwrap(),
                );
                assert_eq!(ours.categories, theirs.categories, "{scale:?}");
                let (a, b) = (&ours.numbers[0], &theirs.numbers[0]);
                // Beside an outlier of a million, single precision tells hundredths.
                assert!((a.center - b.center).abs() < 0.01 * (1.0 + b.width.sqrt() / 1e3), "{a:?} {b:?}");
                assert!((a.width / b.width - 1.0).abs() < 0.01 && a.missing == b.missing, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn recoded_rows_are_those_that_the_encoder_makes_itself() {
        let (table, names) = (table(), ["a".to_owned(), "c".to_owned()]);
        let part = table.select(&(0..30).collect::<Vec<_>>());
        for scale in [Scale::Standard, Scale::MinMax, Scale::Robust] {
            for most_levels in [2, 255] {
                let encoding = Encoding { scale, most_levels };
                let all = Encoder::fit(&table, &names, Encoding { most_levels: 255, ..encoding }).unwrap();
                let own = Encoder::fit(&part, &names, encoding).unwrap();
                let direct = own.encode(&table, |_, _| {}).unwrap();
                let recoded = own.recode(&all, &all.encode(&table, |_, _| {}).unwrap());
                assert_eq!(recoded.codes, direct.codes, "{scale:?}");
                for row in 0..table.rows() {
                    let alone = own.recode(&all, &all.encode(&table.select(&[row]), |_, _| {}).unwrap());
                    assert_eq!(alone, recoded.select(&[row]), "a row alone");
                }
                assert_eq!(recoded.codes_observed, direct.codes_observed);
                assert_eq!(recoded.numbers_observed, direct.numbers_observed);
                for (ours, theirs) in recoded.numbers.iter().zip(&direct.numbers) {
                    assert!(
                        (ours - theirs).abs() <= 2e-5 * (1.0 + theirs.abs()),
                        "{scale:?} {ours} {theirs}"
                    );
                }
            }
        }
    }
}
