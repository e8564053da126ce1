//! What is asked of a part of the rows, and how it answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::columns::Columns;
use super::total::Total;
use crate::data::{Column, Kind, Table, Values};
use crate::encode::{Encoder, TargetEncoder, Wide};
use crate::error::{Error, Result};
use crate::linalg::{ExactSums, Normal, expect_exactly};
use crate::methods::linear;
use crate::methods::mean::KEPT;
use crate::rng::Stream;

/// What is asked of every part of the rows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Question {
    /// The target, whose known cells say which rows count.
    pub target: Option<String>,
    /// What it is about.
    pub about: About,
}

/// What a question is about.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum About {
    /// What the columns hold.
    Columns,
    /// How far numbers are from their means, and which of them are kept for draws.
    Spread {
        /// By column.
        means: BTreeMap<String, f64>,
        /// Which are kept, if any are.
        kept: Option<Kept>,
    },
    /// Sums of scaled numbers.
    Scaled(Encoder),
    /// Products of the inputs of a weighted sum, and of the target.
    Products {
        /// Of the inputs.
        encoder: Encoder,
        /// Of the target.
        target: TargetEncoder,
        /// Of the method.
        settings: Value,
        /// How many columns a row knows on average.
        mean_known: f64,
    },
    /// A round of expectation-maximisation.
    Expected {
        /// Of the columns.
        encoder: Encoder,
        /// The mean, in its units.
        mean: Vec<f64>,
        /// The covariance.
        covariance: Vec<f64>,
    },
}

/// Which known values are kept for draws: of each column those to which a stream gives the lowest numbers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Kept {
    /// Of the streams.
    pub seed: u64,
    /// The number of each part's first row.
    pub starts: Vec<u64>,
}

/// An answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Answer {
    /// What the columns hold.
    Columns(Columns),
    /// Spread.
    Spread(SpreadSums),
    /// Sums of scaled numbers.
    Scaled(ScaledSums),
    /// Sums of products.
    Products(ExactSums),
}

/// How far numbers are from their means, by column.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct SpreadSums {
    /// Sums of squares.
    pub squares: BTreeMap<String, Total>,
    /// The numbers that the streams gave and the values that are kept, ascending.
    pub kept: BTreeMap<String, Vec<(u64, f64)>>,
}

/// Sums of scaled numbers, by column.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ScaledSums {
    /// Column by column, in the order of the translation.
    pub sums: Vec<Total>,
    /// Known cells.
    pub known: u64,
}

impl Answer {
    /// Adds the answer of another part to the same question.
    ///
    /// # Errors
    /// When it is one to another question.
    pub fn join(&mut self, other: Self) -> Result<()> {
        match (self, other) {
            (Self::Columns(own), Self::Columns(other)) => return own.join(other),
            (Self::Spread(own), Self::Spread(other)) => {
                for (name, square) in other.squares {
                    own.squares.entry(name).or_default().join(&square);
                }
                for (name, mut values) in other.kept {
                    let all = own.kept.entry(name).or_default();
                    all.append(&mut values);
                    fewest(all);
                }
            }
            (Self::Scaled(own), Self::Scaled(other)) => {
                own.sums.iter_mut().zip(&other.sums).for_each(|(own, other)| own.join(other));
                own.known += other.known;
            }
            (Self::Products(own), Self::Products(other)) => own.add(&other),
            _ => return Err(Error::data("the answers of parts are to different questions")),
        }
        Ok(())
    }
}

/// Keeps the values with the lowest numbers.
fn fewest(values: &mut Vec<(u64, f64)>) {
    values.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    values.truncate(KEPT);
}

/// The answer of a part of the rows, which has this number among the parts.
///
/// # Errors
/// When its columns are others than those of the other parts.
pub fn answer(question: &Question, table: &Table, part: usize) -> Result<Answer> {
    let (counted, without_target) = with_target(question.target.as_deref(), table)?;
    Ok(match &question.about {
        About::Columns => Answer::Columns(Columns::of(&counted, without_target)),
        About::Spread { means, kept } => {
            let mut sums = SpreadSums::default();
            let start = kept.as_ref().map_or(Some(0), |kept| kept.starts.get(part).copied());
            let start = start.ok_or_else(|| Error::data("there are more parts than there were before"))?;
            for (name, mean) in means {
                let column = counted.column(name)?;
                sums.squares.insert(name.clone(), squares(column, *mean));
                if let Some(kept) = kept {
                    sums.kept
                        .insert(name.clone(), kept_values(column, counted.position(name)?, kept.seed, start));
                }
            }
            Answer::Spread(sums)
        }
        About::Scaled(encoder) => {
            let rows = encoder.encode(&fitting(&counted, encoder), |_, _| {})?;
            let mut sums = vec![Total::default(); encoder.numbers.len()];
            for (cell, value) in
                rows.numbers.iter().enumerate().filter(|(cell, _)| rows.numbers_observed[*cell])
            {
                sums[cell % encoder.numbers.len()].add(f64::from(*value));
            }
            let known = rows.known_counts().iter().map(|count| *count as u64).sum();
            Answer::Scaled(ScaledSums { sums, known })
        }
        About::Products { encoder, target, settings, mean_known } => {
            let rows = encoder.encode(&fitting(&counted, encoder), |_, _| {})?;
            let (design, _) = linear::design(settings, encoder, *mean_known)?;
            let values = counted.column(&target.name)?.numbers().unwrap_or_default();
            let inputs = design.inputs();
            let mut sums = ExactSums::new(inputs + 1);
            for (row, value) in values.iter().enumerate() {
                let mut line = vec![0.0; inputs + 1];
                design.row(&rows, row, |input, value| line[input as usize] = f64::from(value));
                // Targets are in single precision where a table is fitted as a whole, too.
                line[inputs] = f64::from(((value - target.mean) / target.deviation) as f32);
                sums.add_row(&line);
            }
            Answer::Products(sums)
        }
        About::Expected { encoder, mean, covariance } => {
            let rows = encoder.encode(&fitting(&counted, encoder), |_, _| {})?;
            let normal = Normal::from_parts(mean.clone(), covariance.clone());
            Answer::Products(expect_exactly(Wide::new(encoder).widen(&rows).holes(), &normal))
        }
    })
}

/// The rows whose target is known, and how many others there are.
fn with_target(target: Option<&str>, table: &Table) -> Result<(Table, usize)> {
    let Some(target) = target else { return Ok((table.clone(), 0)) };
    let column = table.column(target)?;
    let known: Vec<usize> = (0..table.rows()).filter(|row| column.observed[*row]).collect();
    let others = table.rows() - known.len();
    Ok((table.part(&known, |_| true), others))
}

/// The table with columns of which this part knows nothing in the kind that they have in others.
fn fitting(table: &Table, encoder: &Encoder) -> Table {
    let mut table = table.clone();
    for column in table.columns_mut() {
        let unknown = column.missing() == column.rows();
        let words = encoder.categories.iter().any(|feature| feature.name == column.name);
        let numbers = encoder.numbers.iter().any(|feature| feature.name == column.name);
        let rows = column.rows();
        match &column.values {
            Values::Numbers(_) if unknown && words => {
                *column = Column::from_words(&column.name, Kind::Category, &vec![None::<String>; rows]);
            }
            Values::Codes { .. } | Values::Texts(_) if unknown && numbers => {
                *column = Column::from_numbers(&column.name, Kind::Real, &vec![f64::NAN; rows]);
            }
            _ => {}
        }
    }
    table
}

fn squares(column: &Column, mean: f64) -> Total {
    let mut sum = Total::default();
    for (value, known) in column.numbers().unwrap_or_default().iter().zip(&column.observed) {
        if *known {
            sum.add((value - mean) * (value - mean));
        }
    }
    sum
}

fn kept_values(column: &Column, place: usize, seed: u64, start: u64) -> Vec<(u64, f64)> {
    let number = |row: usize| Stream::new(seed, "kept of parts", place as u64, start + row as u64).bits();
    let values = column.numbers().unwrap_or_default().iter().zip(&column.observed).enumerate();
    let mut kept: Vec<(u64, f64)> =
        values.filter(|(_, (_, known))| **known).map(|(row, (value, _))| (number(row), *value)).collect();
    fewest(&mut kept);
    kept
}
