//! What the columns hold, part by part.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::total::Total;
use crate::data::kinds::kind_of_levels;
use crate::data::{Column, Kind, Table, Values};
use crate::encode::column::decimals;
use crate::error::{Error, Result};

/// Words of a column beyond which it is free text whatever else it holds: they are no longer counted.
const MOST_WORDS: usize = 20_000;

/// What the columns of some rows hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Columns {
    /// Rows that count.
    pub rows: usize,
    /// Rows left out because their target is not known.
    pub without_target: usize,
    /// Column by column.
    pub columns: Vec<ColumnSums>,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnSums {
    /// Its name.
    pub name: String,
    /// Known cells.
    pub known: usize,
    /// What there is of numbers.
    pub sum: Total,
    /// The smallest and the largest number, if there is any.
    pub range: Option<(f64, f64)>,
    /// Places behind the point that the numbers are given with; none where they are many.
    pub decimals: Option<u8>,
    /// How often there is each word; none in columns of numbers.
    pub words: BTreeMap<String, usize>,
    /// Whether it can't be an input, as dates.
    pub closed: bool,
    /// Whether there were too many words to count.
    pub many: bool,
}

impl ColumnSums {
    fn of(column: &Column) -> Self {
        let mut own = Self {
            name: column.name.clone(),
            known: column.rows() - column.missing(),
            sum: Total::default(),
            range: None,
            decimals: Some(0),
            words: BTreeMap::new(),
            closed: matches!(column.kind, Kind::Date | Kind::Text),
            many: false,
        };
        let known = |row: &usize| column.observed[*row];
        match &column.values {
            Values::Numbers(values) => {
                let known: Vec<f64> = (0..values.len()).filter(known).map(|row| values[row]).collect();
                for value in &known {
                    own.sum.add(*value);
                    own.range = widest(own.range, Some((*value, *value)));
                }
                own.decimals = decimals(&known);
            }
            Values::Codes { codes, levels } => {
                let mut counts = vec![0; levels.len()];
                (0..codes.len()).filter(known).for_each(|row| counts[codes[row] as usize] += 1);
                let counted = levels.iter().cloned().zip(counts).filter(|(_, count)| *count > 0);
                own.words = counted.collect();
                own.forget_many();
            }
            Values::Texts(_) => {}
        }
        own
    }

    /// The smallest number; 0 where there is none.
    pub fn low(&self) -> f64 {
        self.range.map_or(0.0, |(low, _)| low)
    }

    /// The largest number; 0 where there is none.
    pub fn high(&self) -> f64 {
        self.range.map_or(0.0, |(_, high)| high)
    }

    fn forget_many(&mut self) {
        if self.words.len() > MOST_WORDS {
            (self.many, self.words) = (true, BTreeMap::new());
        }
    }

    fn join(&mut self, other: Self) -> Result<()> {
        let words = |one: &Self| one.many || !one.words.is_empty();
        if (self.range.is_some() && words(&other)) || (words(self) && other.range.is_some()) {
            let what =
                format!("column `{}` holds numbers in one part of the rows and words in another", self.name);
            return Err(Error::data(what).with_hint("give it one type in all parts"));
        }
        self.known += other.known;
        self.sum.join(&other.sum);
        self.range = widest(self.range, other.range);
        self.decimals = self.decimals.zip(other.decimals).map(|(one, other)| one.max(other));
        self.closed |= other.closed;
        self.many |= other.many;
        other.words.into_iter().for_each(|(word, count)| *self.words.entry(word).or_default() += count);
        if self.many {
            self.words.clear();
        }
        self.forget_many();
        Ok(())
    }

    /// What kind of column it is in all.
    pub fn kind(&self) -> Kind {
        let levels: Vec<String> = self.words.keys().cloned().collect();
        match (self.closed, self.many, levels.is_empty()) {
            (true, ..) => Kind::Date,
            (_, true, _) => Kind::Text,
            (_, _, false) => match kind_of_levels(&levels, self.known, None) {
                Kind::Binary => Kind::Category,
                kind => kind,
            },
            _ if self.decimals == Some(0) => Kind::Integer,
            _ => Kind::Real,
        }
    }

    /// Why it can't be learned from.
    pub fn reason(&self) -> Option<&'static str> {
        match self.kind() {
            Kind::Date => Some("it holds dates or free text"),
            Kind::Text => Some("it holds free text"),
            _ if self.known == 0 => Some("it has no known cell to learn from"),
            _ => None,
        }
    }

    /// Whether all of its cells are known and the same.
    pub fn is_constant(&self, rows: usize) -> bool {
        let one = if self.words.is_empty() { self.low() == self.high() } else { self.words.len() == 1 };
        self.known == rows && one
    }
}

/// From the lower of the smallest to the higher of the largest.
fn widest(own: Option<(f64, f64)>, other: Option<(f64, f64)>) -> Option<(f64, f64)> {
    match (own, other) {
        (Some(own), Some(other)) => Some((own.0.min(other.0), own.1.max(other.1))),
        (own, other) => own.or(other),
    }
}

impl Columns {
    /// Of the rows of a part.
    pub fn of(table: &Table, without_target: usize) -> Self {
        Self {
            rows: table.rows(),
            without_target,
            columns: table.columns().iter().map(ColumnSums::of).collect(),
        }
    }

    /// With another part's.
    ///
    /// # Errors
    /// When the columns are others.
    pub fn join(&mut self, other: Self) -> Result<()> {
        let names = |columns: &Self| columns.columns.iter().map(|own| own.name.clone()).collect::<Vec<_>>();
        if names(self) != names(&other) {
            return Err(Error::data("the parts of the rows have not all the same columns in the same order"));
        }
        self.rows += other.rows;
        self.without_target += other.without_target;
        self.columns.iter_mut().zip(other.columns).try_for_each(|(own, other)| own.join(other))
    }
}
