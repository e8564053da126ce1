#![doc = include_str!("README.md")]

mod images;
mod search;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::each_row::for_each_row;
use super::{
    About, Axis, Card, Choices, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::wide::EncodedRow;
use crate::encode::{Coder, Encoded, Encoder, Rows, Wide};
use crate::error::{Error, Result};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
pub use images::AlikeImages;
use search::Donors;

/// Rows filled at a time: their distances to all donors are in memory together.
const BLOCK: usize = 256;

/// The entry of the list.
pub struct Neighbours;

/// The settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// How many of the most alike rows are asked.
    pub k: usize,
    /// Training rows kept to be asked, at most.
    pub donors: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { k: 10, donors: 20_000 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        for (name, value, most) in [("k", settings.k, 1000), ("donors", settings.donors, 10_000_000)] {
            if !(1..=most).contains(&value) {
                return Err(Error::setting(name, format!("{value} is not between 1 and {most}")));
            }
        }
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "neighbours",
    does: &[(Shape::Table, Job::Fill), (Shape::Images, Job::Fill), (Shape::Images, Job::Predict)],
    short_lists: &[(Shape::Table, Job::Fill), (Shape::Images, Job::Fill), (Shape::Images, Job::Predict)],
    cost: Cost::High,
    about: About {
        title: "Mean or vote of the most alike rows",
        idea: "Two rows are compared over the columns both know. A missing number becomes the mean over the \
               most alike rows that know it, nearer ones counting more; a missing category their vote. A draw \
               takes the value of one of them. Of images, pixels are the columns; their classes are predicted \
               by the vote of the most alike ones.",
        paper: "Troyanskaya et al. 2001; Dixon 1979",
        when: "Groups of alike rows, relations that bend, few columns.",
        when_not: "Many columns that tell nothing, or most cells missing.",
    },
    settings: &[
        Setting { name: "k", help: "how many of the most alike rows are asked" },
        Setting { name: "donors", help: "training rows kept to be asked, at most; of more, a random choice" },
    ],
    space: &[Axis::new("k", Choices::Integers(2, 50))],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Neighbours {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        if let Examples::Images { coder, rows, targets } = examples {
            let images = AlikeImages::fit((coder, rows, targets), settings, run.seed());
            run.finished();
            return Ok(Box::new(images));
        }
        let (encoder, rows) = examples.table()?;
        let kept = if rows.rows > settings.donors {
            let mut picked = Stream::new(run.seed(), "donors", 0, 0).permutation(rows.rows);
            picked.truncate(settings.donors);
            picked.sort_unstable();
            rows.select(&picked)
        } else {
            rows.clone()
        };
        run.finished();
        Ok(Box::new(Fitted::new(encoder, clean(kept), settings.k)))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        if let Coder::Images(_) = layout.coder {
            return Ok(Box::new(AlikeImages::load(settings, layout, arrays)?));
        }
        let encoder = layout.table()?;
        let (numbers, categories) = (encoder.numbers.len(), encoder.categories.len());
        let rows = arrays.shape("numbers").and_then(|shape| shape.first().copied()).unwrap_or(0);
        let marks = |name: &str, width: usize| {
            let bytes = arrays.bytes(name)?;
            match rows > 0 && rows.checked_mul(width) == Some(bytes.len()) {
                true => Ok(bytes.iter().map(|byte| *byte != 0).collect::<Vec<bool>>()),
                false => Err(Error::data(format!("array `{name}` has another size than the donors"))),
            }
        };
        let codes = arrays.singles("codes", &[rows, categories])?;
        let kept = Encoded {
            rows,
            numbers: arrays.singles("numbers", &[rows, numbers])?.to_vec(),
            numbers_observed: marks("numbers observed", numbers)?,
            codes: codes.iter().map(|code| *code as u32).collect(),
            codes_observed: marks("codes observed", categories)?,
        };
        let legal = |(cell, code): (usize, &u32)| {
            (*code as usize) < encoder.categories[cell % categories].codes().max(1)
        };
        if !kept.numbers.iter().all(|x| x.is_finite()) || !kept.codes.iter().enumerate().all(legal) {
            return Err(Error::data("the donors have values that can't be"));
        }
        Ok(Box::new(Fitted::new(encoder, kept, settings.k)))
    }
}

/// Rows with 0 under every "missing" mark, so that nothing else is ever kept.
fn clean(mut rows: Encoded) -> Encoded {
    rows.numbers.iter_mut().zip(&rows.numbers_observed).filter(|cell| !cell.1).for_each(|cell| *cell.0 = 0.0);
    rows.codes.iter_mut().zip(&rows.codes_observed).filter(|cell| !cell.1).for_each(|cell| *cell.0 = 0);
    rows
}

struct Fitted {
    wide: Wide,
    kept: Encoded,
    donors: Donors,
    k: usize,
    /// What stands in where no row can be compared: the mean is 0, the most frequent code of each category.
    usual: Vec<u32>,
    /// Codes that stand for a level, per category.
    levels: Vec<u32>,
}

impl Fitted {
    fn new(encoder: &Encoder, kept: Encoded, k: usize) -> Self {
        let wide = Wide::new(encoder);
        let donors = Donors::new(&wide.widen(&kept));
        let levels: Vec<u32> = encoder.categories.iter().map(|feature| feature.levels.len() as u32).collect();
        let usual = encoder.categories.iter().map(|feature| {
            let shares = feature.shares[..feature.levels.len()].iter().enumerate().rev();
            shares.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(code, _)| code as u32)
        });
        Self { wide, donors, k, usual: usual.collect(), levels, kept }
    }

    /// Fills one row from its neighbours: (squared distance, donor), nearest first.
    fn fill_row(&self, line: &mut EncodedRow<'_>, nearest: &[(f32, u32)], mut draw: Option<Stream>) {
        let (numbers, codes) = (line.numbers.len(), line.codes.len());
        for column in (0..numbers).filter(|&column| !line.numbers_observed[column]) {
            let cell = |donor: u32| donor as usize * numbers + column;
            let near = self.near(nearest, |donor| self.kept.numbers_observed[cell(donor)]);
            line.numbers[column] = match &mut draw {
                _ if near.is_empty() => 0.0,
                Some(stream) => self.kept.numbers[cell(near[stream.below(near.len())].1)],
                None => {
                    let sum: f64 =
                        near.iter().map(|(w, donor)| w * f64::from(self.kept.numbers[cell(*donor)])).sum();
                    (sum / near.iter().map(|(weight, _)| weight).sum::<f64>()) as f32
                }
            };
        }
        for column in (0..codes).filter(|&column| !line.codes_observed[column]) {
            let cell = |donor: u32| donor as usize * codes + column;
            let legal = |donor: u32| {
                self.kept.codes_observed[cell(donor)] && self.kept.codes[cell(donor)] < self.levels[column]
            };
            let near = self.near(nearest, legal);
            line.codes[column] = match &mut draw {
                _ if near.is_empty() => self.usual[column],
                Some(stream) => self.kept.codes[cell(near[stream.below(near.len())].1)],
                None => {
                    let mut votes = vec![0.0; self.levels[column] as usize];
                    near.iter()
                        .for_each(|(weight, donor)| votes[self.kept.codes[cell(*donor)] as usize] += weight);
                    let best = votes.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
                    best.map_or(0, |(code, _)| code as u32)
                }
            };
        }
    }

    /// The k nearest donors that know a cell, each with its weight 1 / distance.
    fn near(&self, nearest: &[(f32, u32)], knows: impl Fn(u32) -> bool) -> Vec<(f64, u32)> {
        let near = nearest.iter().filter(|(_, donor)| knows(*donor)).take(self.k);
        near.map(|(distance, donor)| (1.0 / f64::from(distance.max(1e-6)).sqrt(), *donor)).collect()
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let kept = &self.kept;
        let width = |cells: usize| cells.checked_div(kept.rows).unwrap_or(0);
        arrays.put_singles("numbers", &[kept.rows, width(kept.numbers.len())], kept.numbers.clone());
        arrays.put_bytes(
            "numbers observed",
            kept.numbers_observed.iter().map(|mark| u8::from(*mark)).collect(),
        );
        let codes = kept.codes.iter().map(|code| *code as f32).collect();
        arrays.put_singles("codes", &[kept.rows, width(kept.codes.len())], codes);
        arrays.put_bytes("codes observed", kept.codes_observed.iter().map(|mark| u8::from(*mark)).collect());
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "donors": self.kept.rows })
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn why_no_formula(&self) -> &'static str {
        "it asks the training rows that are most alike, another set for every row"
    }

    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.table_mut()?;
        for start in (0..rows.rows).step_by(BLOCK * 16) {
            let places: Vec<usize> = (start..(start + BLOCK * 16).min(rows.rows)).collect();
            let mut part = rows.select(&places);
            let nearest = self.donors.nearest(&self.wide.widen(&part), self.k, BLOCK);
            for_each_row(&mut part, |row, mut line| {
                let stream = draw.map(|draw| draw.stream("neighbours", start + row));
                self.fill_row(&mut line, &nearest[row], stream);
            });
            let numbers = rows.numbers.len() / rows.rows;
            let codes = rows.codes.len() / rows.rows;
            rows.numbers[start * numbers..(start + places.len()) * numbers].copy_from_slice(&part.numbers);
            rows.codes[start * codes..(start + places.len()) * codes].copy_from_slice(&part.codes);
        }
        Ok(())
    }
}
