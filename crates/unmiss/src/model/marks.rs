//! Which cells were filled, and how sure that is: what plausible draws of each say.

use rayon::prelude::*;

use super::filling::{Filled, Filling};
use crate::data::{Data, Values};
use crate::encode::Rows;
use crate::error::{Error, Result};
use crate::methods::Draw;
use crate::run::Run;

/// Draws that are made to see how far they lie apart.
pub const MARK_DRAWS: usize = 40;
/// The share of the draws that an interval holds.
const LEVEL: f64 = 0.9;

/// A cell that was filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Its row, from 0.
    pub row: usize,
    /// Its column.
    pub column: String,
    /// What was filled in.
    pub value: String,
    /// Of a number, the ends of the middle nine tenths of the draws.
    pub interval: Option<(f64, f64)>,
    /// Of a category, the share of the draws that say the same.
    pub share: Option<f64>,
}

impl Filling<'_> {
    /// The cells of a table that were filled, column by column, with what the draws 1 to [`MARK_DRAWS`] of the run's
    /// seed say of them.
    ///
    /// # Errors
    /// When the data are no table, or the run was stopped.
    pub fn marks(&self, before: &Data, rows: &Rows, filled: &Filled, run: &Run) -> Result<Vec<Mark>> {
        let (before_table, after) = (before.table()?, filled.data.table()?);
        let mut places = Vec::new();
        for column in before_table.columns() {
            let own = after.column(&column.name)?;
            let cells = (0..column.rows()).filter(|&row| !column.observed[row] && own.observed[row]);
            places.extend(cells.map(|row| (row, column.name.as_str())));
        }
        let mut numbers: Vec<Vec<f32>> = vec![Vec::new(); places.len()];
        let mut same = vec![0_usize; places.len()];
        for number in 1..=MARK_DRAWS as u64 {
            if run.stopped() {
                return Err(Error::Stopped);
            }
            let draw = Draw { seed: run.seed(), number, first_row: 0 };
            let drawn = run.compute(|| self.fill_rows(before, rows, Some(draw)))?;
            let drawn = drawn.data.table()?;
            for (place, (row, name)) in places.iter().enumerate() {
                match &drawn.column(name)?.values {
                    Values::Numbers(values) => numbers[place].push(values[*row] as f32),
                    _ => {
                        same[place] +=
                            usize::from(drawn.column(name)?.cell(*row) == after.column(name)?.cell(*row))
                    }
                }
            }
        }
        let mark = |(place, (row, name)): (usize, &(usize, &str))| -> Result<Mark> {
            let mut own = numbers[place].clone();
            own.sort_unstable_by(f32::total_cmp);
            let at = |share: f64| own.get((share * (own.len() as f64 - 1.0)).round() as usize).copied();
            let ends = at(0.5 - LEVEL / 2.0).zip(at(0.5 + LEVEL / 2.0));
            // Single precision is enough to see how far draws lie apart, and is written with its own digits.
            let written = |end: f32| end.to_string().parse().unwrap_or(f64::from(end));
            Ok(Mark {
                row: *row,
                column: (*name).to_owned(),
                value: after.column(name)?.cell(*row).unwrap_or_default(),
                interval: ends.map(|(low, high)| (written(low), written(high))),
                share: own.is_empty().then(|| same[place] as f64 / MARK_DRAWS as f64),
            })
        };
        run.compute(|| places.par_iter().enumerate().map(mark).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, read_bytes};
    use crate::model::{Aim, Model, Recipe};

    #[test]
    fn every_filled_cell_is_marked_and_the_sure_ones_are_narrow() {
        let rows: String = (0..60)
            .map(|row| {
                let (a, b) = (row % 12, row % 12 * 2);
                let b = if row % 6 == 1 { String::new() } else { format!("{b}.5") };
                let c = if row % 10 == 3 { "" } else { ["low", "high"][usize::from(a > 5)] };
                let noise = if row % 5 == 2 { String::new() } else { format!("{}", row * 37 % 100) };
                format!("{a},{b},{c},{noise}\n")
            })
            .collect();
        let text = format!("a,b,c,noise\n{rows}");
        let data = Data::from(read_bytes("t.csv", text.as_bytes(), &ReadOptions::default()).unwrap().table);
        let run = Run::new(3, 1).unwrap();
        let model =
            Model::fit(&data, &Aim::draw(MARK_DRAWS), &Recipe::named("gaussian").unwrap(), &run).unwrap();
        let filling = model.filling().unwrap();
        let encoded = filling.encode(&data, |_, _| {}).unwrap();
        let filled = filling.fill_rows(&data, &encoded, None).unwrap();
        let marks = filling.marks(&data, &encoded, &filled, &run).unwrap();
        assert_eq!(marks.len(), 10 + 6 + 12);
        let width = |name: &str| {
            let own = marks.iter().filter(|mark| mark.column == name).filter_map(|mark| mark.interval);
            own.map(|(low, high)| high - low).fold(0.0, f64::max)
        };
        // `b` follows from `a`, `noise` from nothing.
        assert!(width("b") < 4.0 && width("noise") > 40.0, "{} {}", width("b"), width("noise"));
        assert!(marks.iter().all(|mark| mark.interval.is_some() != mark.share.is_some()));
        assert!(marks.iter().filter(|mark| mark.column == "b").all(|mark| mark.value.contains('.')));
    }
}
