//! The columns of a table that tell series, times and variables.

use std::collections::HashMap;

use super::clock::Clock;
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
}

impl<'a> Times<'a> {
    pub fn of(column: &'a Column) -> Result<Self> {
        let words = words(column);
        let seen = |level: usize| (0..column.rows()).any(|row| words.code(row) == Some(level));
        let mut clock: Option<(Clock, &String)> = None;
        for (place, level) in words.levels.iter().enumerate() {
            let own = Clock::of(level.trim());
            match (own, clock) {
                (Some(own), None) => clock = Some((own, level)),
                (Some(own), Some((first, _))) if own == first => {}
                (Some(_), Some((_, other))) if seen(place) => {
                    let what = format!("times are written in several ways: `{other}` and `{level}`");
                    return Err(
                        Error::data(what).with_hint("write them all as numbers, as HH:MM or as dates")
                    );
                }
                (None, _) if seen(place) => {
                    let what = format!("`{level}` in column `{}` is not a time", column.name);
                    return Err(Error::data(what).with_hint(
                        "a time is a number, HH:MM or HH:MM:SS, or a date as 2024-05-31T12:30:00",
                    ));
                }
                _ => {}
            }
        }
        let clock = clock.map_or(Clock::Numbers, |(clock, _)| clock);
        let numbers = words.levels.iter().map(|level| clock.parse(level.trim()).unwrap_or(0.0)).collect();
        Ok(Self { clock, words, numbers })
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
