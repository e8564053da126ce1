//! The columns of a table that tell series, times and variables.

use std::collections::HashMap;

use super::clock::Clock;
use super::manner::Manner;
use super::set::Form;
use crate::data::table::{Column, Values};
use crate::error::{Error, Result};

/// Words of a column, each once, and which of them stands in a row.
pub(super) struct Words<'a> {
    pub levels: Vec<String>,
    codes: Option<&'a [u32]>,
    own: Vec<u32>,
    observed: &'a [bool],
}

impl Words<'_> {
    pub fn code(&self, row: usize) -> Option<usize> {
        self.observed[row].then(|| self.codes.unwrap_or(&self.own)[row] as usize)
    }
}

/// The words of a column of any kind.
pub(super) fn words(column: &Column) -> Words<'_> {
    if let Values::Codes { codes, levels } = &column.values {
        return Words {
            levels: levels.clone(),
            codes: Some(codes),
            own: Vec::new(),
            observed: &column.observed,
        };
    }
    let (mut levels, mut places) = (Vec::new(), HashMap::new());
    let own = (0..column.rows()).map(|row| {
        let word = column.cell(row).unwrap_or_default();
        *places.entry(word).or_insert_with_key(|word: &String| {
            levels.push(word.clone());
            levels.len() as u32 - 1
        })
    });
    let own = own.collect();
    Words { levels, codes: None, own, observed: &column.observed }
}

/// The times of rows.
pub(super) struct Times<'a> {
    pub clock: Clock,
    words: Words<'a>,
    numbers: Vec<f64>,
    manner: Manner,
}

impl<'a> Times<'a> {
    /// The times of a column, with a decimal mark where one is told.
    pub fn of(column: &'a Column, decimal: Option<char>) -> Result<Self> {
        let words = words(column);
        let mut seen = vec![false; words.levels.len()];
        (0..column.rows()).filter_map(|row| words.code(row)).for_each(|code| seen[code] = true);
        let written =
            words.levels.iter().zip(&seen).filter(|(_, seen)| **seen).map(|(level, _)| level.trim());
        let manner = Manner::of(written.clone(), decimal).unwrap_or(Manner::Plain);
        let mut first: Option<(Clock, &str)> = None;
        for level in written {
            match (manner.parse(level), first) {
                (Some((clock, _)), None) => first = Some((clock, level)),
                (Some((clock, _)), Some((own, other))) if clock != own => {
                    let what = format!("times are written in several ways: `{other}` and `{level}`");
                    return Err(
                        Error::data(what).with_hint("write them all as numbers, as HH:MM or as dates")
                    );
                }
                (Some(_), Some(_)) => {}
                (None, _) => {
                    let what = format!("`{level}` in column `{}` is not a time", column.name);
                    return Err(Error::data(what).with_hint(
                        "a time is a number, HH:MM or HH:MM:SS, or a date as 2024-05-31T12:30:00 (31.05.2024 12:30 is \
                         read too, 5/6/2024 where another date shows which is the day)",
                    ));
                }
            }
        }
        let clock = first.map_or(Clock::Numbers, |(clock, _)| clock);
        let number = |level: &String| manner.parse(level.trim()).map_or(0.0, |(_, time)| time);
        let numbers = words.levels.iter().map(number).collect();
        Ok(Self { clock, words, numbers, manner })
    }

    /// A time as the column has them.
    pub fn written(&self, time: f64) -> String {
        self.manner.format(self.clock, time)
    }

    pub fn time(&self, row: usize) -> Option<f64> {
        self.words.code(row).map(|code| self.numbers[code])
    }
}

/// Rows that say nothing about any series.
#[derive(Default)]
pub(super) struct Skipped {
    ids: usize,
    times: usize,
    variables: usize,
}

impl Skipped {
    pub fn note(&mut self, id: bool, time: bool) {
        match (id, time) {
            (true, _) => self.ids += 1,
            (_, true) => self.times += 1,
            _ => self.variables += 1,
        }
    }

    pub fn words(&self, form: &Form) -> Vec<String> {
        let variable = form.long.as_ref().map_or("", |(variable, _)| variable);
        let all = [(self.ids, &*form.series), (self.times, &form.time), (self.variables, variable)];
        let some = all.iter().filter(|(count, _)| *count > 0);
        let words = |(count, column): &(usize, &str)| match count {
            1 => format!("1 row is skipped: its `{column}` is empty"),
            _ => format!("{count} rows are skipped: their `{column}` is empty"),
        };
        some.map(words).collect()
    }
}
