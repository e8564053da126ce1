//! Numbers made of columns that are none: of dates their parts, of ordered categories their rank, of free text its
//! words. What is made of a cell depends on that cell and on what was learned; what is made of a hole is a hole.

mod date;
mod words;

use serde::{Deserialize, Serialize};

use crate::data::{Column, DateOrder, Kind, Values, is_key};
use crate::error::{Error, Result};
use date::Dates;

/// Numbers that free text becomes.
const WIDTH: usize = 32;

/// What is made of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Made {
    /// The column in the table.
    pub column: String,
    how: How,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum How {
    /// Parts of dates and times.
    Date(Dates),
    /// The place of a level in an order.
    Rank(Vec<String>),
    /// Pieces of words, each counted in one of so many numbers.
    Words(usize),
}

impl Made {
    /// What can be made of a column of dates or text; nothing of a column that is empty, always the same, or a key.
    pub fn of(column: &Column) -> Option<Self> {
        Self::with(column, None)
    }

    /// The same; `dates` tells the order of dates that can be read in two ways.
    pub fn with(column: &Column, dates: Option<DateOrder>) -> Option<Self> {
        let Values::Texts(texts) = &column.values else { return None };
        let known =
            || texts.iter().zip(&column.observed).filter(|(_, known)| **known).map(|(text, _)| text.as_str());
        let how = match column.kind {
            Kind::Date => How::Date(Dates::learn(known, dates)?),
            Kind::Text if known().next().is_some() && !is_key(column) => How::Words(WIDTH),
            _ => return None,
        };
        Some(Self { column: column.name.clone(), how })
    }

    /// The rank of a category.
    ///
    /// # Errors
    /// When it has a level that is not among those named, or is no category.
    pub fn rank(column: &Column, order: &[String]) -> Result<Self> {
        let name = &column.name;
        let Some((codes, levels)) = column.codes() else {
            return Err(Error::setting(
                "ordered",
                format!("column `{name}` is {}, no category", column.kind),
            ));
        };
        let mut known = codes.iter().zip(&column.observed).filter(|(_, known)| **known);
        let stranger = known.find(|(code, _)| !order.contains(&levels[**code as usize]));
        if let Some((code, _)) = stranger {
            let what = format!("column `{name}` has `{}`, which is not in the order", levels[*code as usize]);
            return Err(
                Error::setting("ordered", what).with_hint(format!("its values are: {}", levels.join(", ")))
            );
        }
        Ok(Self { column: name.clone(), how: How::Rank(order.to_vec()) })
    }

    /// What kind of column it is made of, as new rows are read.
    pub fn kind(&self) -> Kind {
        match self.how {
            How::Rank(_) => Kind::Category,
            // As dates are: words for "missing" are holes.
            How::Date(_) | How::Words(_) => Kind::Date,
        }
    }

    /// What the column holds, in a word.
    pub fn what(&self) -> &'static str {
        match self.how {
            How::Date(_) => "date",
            How::Rank(_) => "category",
            How::Words(_) => "text",
        }
    }

    /// The names of what is made.
    pub fn names(&self) -> Vec<String> {
        let parts: Vec<String> = match &self.how {
            How::Date(dates) => dates.names().map(str::to_owned).collect(),
            How::Rank(_) => vec!["rank".to_owned()],
            How::Words(width) => (1..=*width).map(|place| format!("words {place}")).collect(),
        };
        parts.into_iter().map(|part| format!("{}: {part}", self.column)).collect()
    }

    /// In words, what is made.
    pub fn words(&self) -> String {
        let column = &self.column;
        match &self.how {
            How::Date(dates) => {
                format!(
                    "of the dates in `{column}`, inputs are: {}",
                    dates.names().collect::<Vec<_>>().join(", ")
                )
            }
            How::Rank(levels) => format!("`{column}` is a number by its order: {}", levels.join(" < ")),
            How::Words(width) => format!("the words of `{column}` become {width} inputs"),
        }
    }

    /// The columns of numbers. `unseen` is told of levels that are not in the order.
    ///
    /// # Errors
    /// When the column is of another kind than it was.
    pub fn make(&self, column: &Column, unseen: &mut impl FnMut(&str, &str)) -> Result<Vec<Column>> {
        let names = self.names();
        let mut numbers = vec![vec![f64::NAN; column.rows()]; names.len()];
        let mut put = |row: usize, values: &[f64]| {
            numbers.iter_mut().zip(values).for_each(|(column, value)| column[row] = *value);
        };
        match (&self.how, &column.values) {
            (How::Rank(order), Values::Codes { codes, levels }) => {
                let rank = |level: &String| order.iter().position(|own| own == level);
                let ranks: Vec<Option<usize>> = levels.iter().map(rank).collect();
                let mut told = vec![false; levels.len()];
                for (row, code) in codes.iter().enumerate().filter(|(row, _)| column.observed[*row]) {
                    let code = *code as usize;
                    match ranks[code] {
                        Some(rank) => put(row, &[rank as f64]),
                        None if !std::mem::replace(&mut told[code], true) => {
                            unseen(&column.name, &levels[code])
                        }
                        None => {}
                    }
                }
            }
            (how @ (How::Date(_) | How::Words(_)), _) => {
                for row in (0..column.rows()).filter(|row| column.observed[*row]) {
                    let cell = column.cell(row).unwrap_or_default();
                    match how {
                        How::Date(dates) => put(row, &dates.parts(&cell)),
                        How::Words(width) => put(row, &words::counts(&cell, *width)),
                        How::Rank(_) => {}
                    }
                }
            }
            (How::Rank(_), _) => {
                let what = format!(
                    "column `{}` held categories in training and is {} now",
                    column.name, column.kind
                );
                return Err(Error::data(what));
            }
        }
        let made = names.into_iter().zip(&numbers);
        Ok(made.map(|(name, numbers)| Column::from_numbers(name, Kind::Real, numbers)).collect())
    }

    /// Whether it can be what was written to a file.
    pub(super) fn is_sound(&self) -> bool {
        match &self.how {
            How::Date(dates) => dates.is_sound(),
            How::Rank(levels) => !levels.is_empty(),
            How::Words(width) => (1..=4096).contains(width),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(kind: Kind, cells: &[&str]) -> Column {
        let observed = cells.iter().map(|cell| !cell.is_empty()).collect();
        let values = Values::Texts(cells.iter().map(|cell| (*cell).to_owned()).collect());
        Column { name: "x".into(), kind, values, observed }
    }

    fn made(how: &Made, column: &Column) -> Vec<(String, Vec<f64>, Vec<bool>)> {
        let columns = how.make(column, &mut |_, _| {}).unwrap();
        let parts =
            |column: Column| (column.name.clone(), column.numbers().unwrap().to_vec(), column.observed);
        columns.into_iter().map(parts).collect()
    }

    #[test]
    fn dates_become_their_parts() {
        let column = texts(Kind::Date, &["2024-01-01", "", "2024-04-02", "2025-07-03"]);
        let how = Made::of(&column).unwrap();
        let found = made(&how, &column);
        let names: Vec<&str> = found.iter().map(|(name, ..)| name.as_str()).collect();
        let months = ["x: month (sine)", "x: month (cosine)", "x: weekday (sine)", "x: weekday (cosine)"];
        assert_eq!(names, [&["x: days since the first", "x: year"][..], &months].concat());
        assert_eq!(found[0].1, [0.0, 0.0, 92.0, 549.0]);
        assert_eq!(found[1].1, [2024.0, 0.0, 2024.0, 2025.0]);
        assert!(found.iter().all(|(_, _, observed)| *observed == [true, false, true, true]));
        // A quarter of a year is a quarter of the circle.
        assert!((found[2].1[2] - 1.0).abs() < 1e-12 && found[3].1[2].abs() < 1e-12);
        let times = texts(Kind::Date, &["2024-01-01 06:00", "2024-01-01T18:30:00Z"]);
        let names = Made::of(&times).unwrap().names();
        assert_eq!(names, ["x: days since the first", "x: hour (sine)", "x: hour (cosine)"]);
        let clock = texts(Kind::Date, &["06:00", "18:00"]);
        assert!((made(&Made::of(&clock).unwrap(), &clock)[0].1[0] - 1.0).abs() < 1e-12);
        assert_eq!(Made::of(&texts(Kind::Date, &["2024-01-01", ""])), None, "it says nothing");
        // With the year last, the order that the column tells holds for every later cell.
        let own = texts(Kind::Date, &["1/2/2024", "2/31/2024", "5/31/2024"]);
        assert_eq!(Made::of(&own), None, "there is no 31st of February");
        let own = texts(Kind::Date, &["1/2/2024", "5/31/2024 12:00 PM"]);
        let read = made(&Made::of(&own).unwrap(), &texts(Kind::Date, &["1/4/2024", "2024-01-05"]));
        assert_eq!(read[0].1, [2.0, 3.0]);
        let either = texts(Kind::Date, &["01/02/2024", "03/02/2024"]);
        let told = |order| made(&Made::with(&either, Some(order)).unwrap(), &either)[0].1.clone();
        assert_eq!(told(DateOrder::Dmy), [0.0, 2.0]);
        assert_eq!(told(DateOrder::Mdy), [0.0, 60.0]);
        // What can't be read later is a hole.
        assert_eq!(made(&how, &texts(Kind::Date, &["soon"]))[0].2, [false]);
    }

    #[test]
    fn an_order_becomes_a_rank() {
        let words = [Some("G3"), Some("G1"), None, Some("G2")];
        let column = Column::from_words("x", Kind::Category, &words);
        let order = ["G1", "G2", "G3"].map(String::from);
        let how = Made::rank(&column, &order).unwrap();
        assert_eq!(
            made(&how, &column),
            [("x: rank".into(), vec![2.0, 0.0, 0.0, 1.0], vec![true, true, false, true])]
        );
        assert!(Made::rank(&column, &order[..2]).unwrap_err().to_string().contains("`G3`"));
        let mut told = Vec::new();
        let later = Column::from_words("x", Kind::Category, &[Some("G9"), Some("G9")]);
        how.make(&later, &mut |_, level| told.push(level.to_owned())).unwrap();
        assert_eq!(told, ["G9"]);
    }

    #[test]
    fn text_becomes_numbers_of_its_own() {
        let notes: Vec<String> = (0..200).map(|row| format!("fever and cough, day {row}")).collect();
        let cells: Vec<&str> = notes.iter().map(String::as_str).chain([""]).collect();
        let column = texts(Kind::Text, &cells);
        let found = made(&Made::of(&column).unwrap(), &column);
        assert_eq!(found.len(), WIDTH);
        assert!(
            found.iter().all(|(_, _, observed)| !observed[200] && observed[..200].iter().all(|known| *known))
        );
        let keys: Vec<String> = (0..200).map(|row| format!("P{row:05}")).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        assert_eq!(Made::of(&texts(Kind::Text, &keys)), None, "ids say nothing");
    }
}
