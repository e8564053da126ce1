//! What if cells are not missing at random? Filled values shifted away from what the imputer found plausible.
//!
//! An imputer gives what is plausible if holes come about at random given what is known. A shift says by how much what
//! is missing differs from that: `income=+0.3sd` (a share of the standard deviation of the known values),
//! `income=+1200`, `income=*1.1`, and for a category the change of a level's log odds, `died=yes:+0.5`. Only filled
//! cells are shifted.
//!
//! A category needs no probabilities for that, draws are enough. To multiply the odds of a level by e^δ, a row's draw
//! is taken with chance 1 if it has the level (δ > 0), else with chance e^-δ, and drawn again until one is taken
//! (rejection, exact for any distribution); all filled cells of the row come from the draw that was taken, so that they
//! belong together.

use std::fmt;

use super::filling::{Filled, Filling};
use crate::data::{Column, Data, Kind, LARGEST, Table, Values};
use crate::encode::Rows;
use crate::error::{Error, Result};
use crate::methods::Draw;

/// Log odds beyond which a level would be drawn for longer than anyone waits.
const LARGEST_LOG_ODDS: f64 = 5.0;
/// Draws of a row at most: at the largest log odds a row needs 150 on average.
const MOST_DRAWS: u64 = 4000;

/// A shift of a column's filled values.
#[derive(Debug, Clone, PartialEq)]
pub struct Delta {
    /// The column.
    pub column: String,
    /// By what.
    pub shift: Shift,
}

/// By what filled values are shifted.
#[derive(Debug, Clone, PartialEq)]
pub enum Shift {
    /// So much is added.
    Add(f64),
    /// So many standard deviations of the known values are added.
    Deviations(f64),
    /// Values are multiplied.
    Times(f64),
    /// The log odds of a level change.
    LogOdds(String, f64),
}

impl Shift {
    /// The number in it.
    pub fn size(&self) -> f64 {
        match self {
            Self::Add(size) | Self::Deviations(size) | Self::Times(size) | Self::LogOdds(_, size) => *size,
        }
    }

    /// The same with another number.
    #[must_use]
    pub fn sized(&self, size: f64) -> Self {
        match self {
            Self::Add(_) => Self::Add(size),
            Self::Deviations(_) => Self::Deviations(size),
            Self::Times(_) => Self::Times(size),
            Self::LogOdds(level, _) => Self::LogOdds(level.clone(), size),
        }
    }

    /// Reads `+0.3sd`, `-1200`, `*1.1` or `yes:+0.5`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        if let Some((level, size)) = text.rsplit_once(':') {
            return Some(Self::LogOdds(level.to_owned(), number(size)?));
        }
        if let Some(factor) = text.strip_prefix('*') {
            return Some(Self::Times(number(factor)?));
        }
        match text.strip_suffix("sd") {
            Some(share) => Some(Self::Deviations(number(share)?)),
            None => Some(Self::Add(number(text)?)),
        }
    }
}

impl fmt::Display for Shift {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rounding of steps between two ends is not worth showing.
        let short = |size: f64| (size * 1e9).round() / 1e9;
        match self {
            Self::Add(size) => write!(out, "{:+}", short(*size)),
            Self::Deviations(size) => write!(out, "{:+}sd", short(*size)),
            Self::Times(size) => write!(out, "*{}", short(*size)),
            Self::LogOdds(level, size) => write!(out, "{level}:{:+}", short(*size)),
        }
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}={}", self.column, self.shift)
    }
}

impl Delta {
    /// Reads `COLUMN=SHIFT`.
    ///
    /// # Errors
    /// When it is not of that form.
    pub fn parse(text: &str) -> Result<Self> {
        let parts = text.split_once('=').and_then(|(column, shift)| Some((column, Shift::parse(shift)?)));
        let (column, shift) = parts.ok_or_else(|| {
            Error::setting("delta", format!("`{text}` is not of the form COLUMN=SHIFT")).with_hint(
                "say income=+0.3sd, income=-1200, income=*1.1, or died=yes:+0.5 for a level's log odds",
            )
        })?;
        Ok(Self { column: column.trim().to_owned(), shift })
    }

    /// Refuses a shift that does not suit its column, or a column that has no hole.
    ///
    /// # Errors
    /// When there is no such column or level, it is not of the right kind, or the shift is too large.
    pub fn check(&self, table: &Table) -> Result<()> {
        let column = table.column(&self.column)?;
        let name = &self.column;
        let wrong = |what: String, hint: &str| Err(Error::setting("delta", what).with_hint(hint));
        if column.missing() == 0 {
            return wrong(
                format!("`{name}` has no hole, so there is nothing to shift"),
                "name a column with holes",
            );
        }
        match (&self.shift, column.codes()) {
            (Shift::LogOdds(level, size), Some((_, levels))) => {
                if !levels.contains(level) {
                    return wrong(
                        format!("`{name}` never is `{level}`"),
                        &format!("its levels are: {}", levels.join(", ")),
                    );
                }
                match size.abs() <= LARGEST_LOG_ODDS {
                    true => Ok(()),
                    false => wrong(
                        format!(
                            "{size} changes the odds of `{level}` by a factor of {:.0}",
                            size.abs().exp()
                        ),
                        "log odds are shifted by 5 at most",
                    ),
                }
            }
            (Shift::LogOdds(..), None) => wrong(
                format!("`{name}` holds numbers and has no levels"),
                "say for example +0.3sd to shift numbers",
            ),
            (_, Some(_)) => wrong(
                format!("`{name}` is a category and can't be shifted by a number"),
                "say for example died=yes:+0.5 to shift the log odds of a level",
            ),
            (_, None) if !column.is_usable() => {
                wrong(format!("`{name}` is not filled"), "name another column")
            }
            _ => Ok(()),
        }
    }
}

impl Filling<'_> {
    /// Fills as [`fill_rows`](Filling::fill_rows) does, with filled values shifted before anything follows from them.
    ///
    /// # Errors
    /// When a shift does not suit its column, or categories are to be shifted without draws.
    pub fn fill_shifted(
        &self,
        data: &Data,
        rows: &Rows,
        draw: Option<Draw>,
        deltas: &[Delta],
    ) -> Result<Filled> {
        if deltas.is_empty() {
            return self.fill_rows(data, rows, draw);
        }
        let learned = self.coder.names();
        if let Some(delta) = deltas.iter().find(|delta| !learned.contains(&delta.column.as_str())) {
            let what = format!("`{}` is not filled by the imputer, so it can't be shifted", delta.column);
            return Err(Error::setting("delta", what).with_hint("shift the columns that it follows from"));
        }
        let mut table = self.decoded(data, rows, draw)?.table()?.clone();
        let odds: Vec<&Delta> =
            deltas.iter().filter(|delta| matches!(delta.shift, Shift::LogOdds(..))).collect();
        if !odds.is_empty() {
            let draw = draw.ok_or_else(|| {
                Error::setting("delta", "the odds of a level can be shifted in draws only")
                    .with_hint("ask for some with --draws 20")
            })?;
            self.reject(data, rows, draw, &mut table, &odds)?;
        }
        let original = data.table()?;
        for delta in deltas {
            let before = original.column(&delta.column)?;
            let place = table.position(&delta.column)?;
            let limits = self.part.limits.columns.get(&delta.column).copied();
            shift_numbers(&delta.shift, before, &mut table.columns_mut()[place], limits);
        }
        self.finished(data, rows, table.into())
    }

    /// Draws rows again until each has one that is taken; `kept` has the first draw of all.
    fn reject(&self, data: &Data, rows: &Rows, draw: Draw, kept: &mut Table, odds: &[&Delta]) -> Result<()> {
        let original = data.table()?;
        let mut open: Vec<usize> = (0..original.rows()).collect();
        let (mut candidate, mut attempt) = (kept.clone(), 0);
        loop {
            let mut taken = vec![true; original.rows()];
            for delta in odds {
                let (before, after) = (original.column(&delta.column)?, candidate.column(&delta.column)?);
                for &row in open.iter().filter(|row| !before.observed[**row]) {
                    let chance = acceptance(&delta.shift, after, row);
                    let purpose = format!("delta {}", delta.column);
                    let mut stream = Draw { seed: again(draw.seed, attempt), ..draw }.stream(&purpose, row);
                    taken[row] &= stream.uniform() < chance;
                }
            }
            let accepted: Vec<usize> = open.iter().copied().filter(|row| taken[*row]).collect();
            if attempt > 0 {
                copy_rows(&candidate, kept, &accepted);
            }
            open.retain(|row| !taken[*row]);
            if open.is_empty() || attempt == MOST_DRAWS {
                return Ok(());
            }
            attempt += 1;
            let next = Draw { seed: again(draw.seed, attempt), ..draw };
            candidate = self.decoded(data, rows, Some(next))?.table()?.clone();
        }
    }
}

/// The seed of a further draw of a row: the number of the draw, and with it the imputer's parameters, stay.
fn again(seed: u64, attempt: u64) -> u64 {
    seed ^ attempt.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The chance that a drawn level is taken.
fn acceptance(shift: &Shift, column: &Column, row: usize) -> f64 {
    let Shift::LogOdds(level, size) = shift else { return 1.0 };
    let has_level = column.codes().is_some_and(|(codes, levels)| levels[codes[row] as usize] == *level);
    if has_level == (*size > 0.0) { 1.0 } else { (-size.abs()).exp() }
}

/// Copies all cells of some rows; both tables are made of the same one, but may have come to further levels.
fn copy_rows(from: &Table, to: &mut Table, rows: &[usize]) {
    for (from, to) in from.columns().iter().zip(to.columns_mut()) {
        match (&from.values, &mut to.values) {
            (Values::Numbers(from), Values::Numbers(to)) => rows.iter().for_each(|&row| to[row] = from[row]),
            (Values::Codes { codes: from, levels: from_levels }, Values::Codes { codes: to, levels }) => {
                for &row in rows {
                    let level = &from_levels[from[row] as usize];
                    let place = levels.iter().position(|own| own == level).unwrap_or_else(|| {
                        levels.push(level.clone());
                        levels.len() - 1
                    });
                    to[row] = place as u32;
                }
            }
            // Texts are never filled.
            _ => {}
        }
    }
}

/// Shifts the numbers that were filled; they keep within the limits that the user gave, and whole numbers stay whole.
fn shift_numbers(shift: &Shift, before: &Column, after: &mut Column, limits: Option<(f64, f64)>) {
    let is_whole = after.kind == Kind::Integer;
    let (Some(known), Values::Numbers(values)) = (before.numbers(), &mut after.values) else { return };
    let deviation = deviation(known, &before.observed);
    let (low, high) = limits.unwrap_or((-LARGEST, LARGEST));
    for (value, _) in values.iter_mut().zip(&before.observed).filter(|(_, observed)| !**observed) {
        *value = match shift {
            Shift::Add(size) => *value + size,
            Shift::Deviations(size) => *value + size * deviation,
            Shift::Times(factor) => *value * factor,
            Shift::LogOdds(..) => *value,
        }
        .clamp(low, high);
        if is_whole {
            *value = value.round();
        }
    }
}

/// The standard deviation of the known values.
fn deviation(values: &[f64], observed: &[bool]) -> f64 {
    let known: Vec<f64> =
        values.iter().zip(observed).filter(|(_, observed)| **observed).map(|(value, _)| *value).collect();
    let count = known.len() as f64;
    let mean = known.iter().sum::<f64>() / count;
    let squares: f64 = known.iter().map(|value| (value - mean).powi(2)).sum();
    if known.len() < 2 { 0.0 } else { (squares / (count - 1.0)).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Aim, Model, Recipe};
    use crate::run::Run;

    #[test]
    fn shifts_are_read_and_written() {
        for text in ["income=+0.3sd", "income=-1200", "income=*1.1", "died=yes:+0.5"] {
            assert_eq!(Delta::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Delta::parse("a=2").unwrap().shift, Shift::Add(2.0));
        for text in ["income", "income=", "income=x", "income=*", "income=0.3 SD", "a=b:c", "a=inf"] {
            assert!(Delta::parse(text).is_err(), "{text}");
        }
    }

    /// 400 rows; `x` is missing in every third, `died` in every second row.
    fn data() -> Data {
        let x = |row: usize| if row.is_multiple_of(3) { f64::NAN } else { (row as f64 * 0.7).sin() * 3.0 };
        let died = |row: usize| row.is_multiple_of(2).then_some(if row % 8 < 4 { "yes" } else { "no" });
        let rows = 0..400_usize;
        Table::new(vec![
            Column::from_numbers("x", Kind::Real, &rows.clone().map(x).collect::<Vec<_>>()),
            Column::from_words("died", Kind::Binary, &rows.map(died).collect::<Vec<_>>()),
        ])
        .unwrap()
        .into()
    }

    fn model() -> Model {
        let run = Run::new(3, 1).unwrap();
        Model::fit(&data(), &Aim::draw(10), &Recipe::named("gaussian").unwrap(), &run).unwrap()
    }

    fn filled(model: &Model, deltas: &[&str], number: u64) -> Table {
        let data = data();
        let filling = model.filling().unwrap();
        let rows = filling.encode(&data, |_, _| {}).unwrap();
        let deltas: Vec<Delta> = deltas.iter().map(|text| Delta::parse(text).unwrap()).collect();
        deltas.iter().for_each(|delta| delta.check(data.table().unwrap()).unwrap());
        let draw = Some(Draw { seed: 3, number, first_row: 0 });
        filling.fill_shifted(&data, &rows, draw, &deltas).unwrap().data.table().unwrap().clone()
    }

    #[test]
    fn only_filled_numbers_move() {
        let model = model();
        let (plain, shifted) = (filled(&model, &[], 1), filled(&model, &["x=+2"], 1));
        let factor = filled(&model, &["x=*0.5"], 1);
        let numbers = |table: &Table| table.column("x").unwrap().numbers().unwrap().to_vec();
        for (row, ((plain, shifted), half)) in
            numbers(&plain).iter().zip(numbers(&shifted)).zip(numbers(&factor)).enumerate()
        {
            let (moved, halved) = if row % 3 == 0 { (plain + 2.0, plain * 0.5) } else { (*plain, *plain) };
            assert!((shifted - moved).abs() < 1e-12 && (half - halved).abs() < 1e-12, "{row}");
        }
    }

    /// Half of the known are `yes`; with log odds of +1 more, 73 % of the filled should be.
    #[test]
    fn odds_of_a_level_move_as_told() {
        let model = model();
        let share = |deltas: &[&str]| {
            let mut yes = 0;
            for draw in 1..=10 {
                let table = filled(&model, deltas, draw);
                let column = table.column("died").unwrap();
                yes += (0..400)
                    .filter(|row| row % 2 == 1 && column.cell(*row).as_deref() == Some("yes"))
                    .count();
                assert_eq!(column.cell(4).as_deref(), Some("no"), "known cells stay");
            }
            yes as f64 / 2000.0
        };
        let plain = share(&[]);
        let odds = plain / (1.0 - plain) * 1_f64.exp();
        let expected = odds / (1.0 + odds);
        assert!(
            (share(&["died=yes:+1"]) - expected).abs() < 0.04,
            "{plain} became {}",
            share(&["died=yes:+1"])
        );
        assert!((share(&["died=no:-1"]) - expected).abs() < 0.04);
    }

    #[test]
    fn unfit_shifts_are_refused() {
        let data = data();
        let check = |text: &str| Delta::parse(text).unwrap().check(data.table().unwrap());
        for text in ["x=yes:+1", "died=+1", "died=maybe:+1", "died=yes:+9", "y=+1"] {
            assert!(check(text).is_err(), "{text}");
        }
    }
}
