#![doc = include_str!("README.md")]

mod images;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use images::PixelMeans;

use super::each_row::for_each_row;
use super::{
    About, Card, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::wide::pick;
use crate::encode::{Coder, Encoded, Encoder, Rows, Written};
use crate::error::{Error, Result};
use crate::onnx::Graph;
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;

/// Known values kept per column, from which draws are taken.
pub const KEPT: usize = 1000;

/// The entry of the list.
pub struct Mean;

/// The middle of a column of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Center {
    #[default]
    Mean,
    Median,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    center: Center,
}

static CARD: Card = Card {
    name: "mean",
    does: &[(Shape::Table, Job::Fill), (Shape::Images, Job::Fill)],
    short_lists: &[(Shape::Table, Job::Fill), (Shape::Images, Job::Fill)],
    cost: Cost::Low,
    about: About {
        title: "Mean or median of the column, most frequent category",
        idea: "Every hole of a column gets the same value: the mean (or median) of its known numbers, or its \
               most frequent category. A draw takes one of the known values at random. Of images, every pixel \
               gets its mean over the images that know it, and a draw is normal around that.",
        paper: "",
        when: "As the yardstick that every other imputer must beat.",
        when_not: "For any analysis: it ignores the other columns and shrinks spreads and correlations.",
    },
    settings: &[Setting {
        name: "center",
        help: "what a missing number becomes: mean or median; of images the mean",
    }],
    space: &[],
    defaults: defaults_of::<Settings>,
    check: |settings| parse::<Settings>(settings).map(drop),
};

impl Method for Mean {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let settings: Settings = parse(settings)?;
        if let Examples::Images { coder, rows, .. } = examples {
            if settings.center == Center::Median {
                return Err(Error::setting("center", "of images there is the mean alone"));
            }
            return Ok(Box::new(PixelMeans::fit(coder, rows)));
        }
        let (encoder, rows) = examples.table()?;
        let columns = encoder.numbers.len();
        let kept: Vec<Vec<f32>> =
            (0..columns).map(|column| known_values(rows, columns, column, run.seed())).collect();
        let center = |(column, kept): (usize, &Vec<f32>)| match settings.center {
            Center::Mean => encoder.numbers[column].mean,
            Center::Median => kept.get(kept.len() / 2).copied().unwrap_or(0.0),
        };
        let centers = kept.iter().enumerate().map(center).collect();
        Ok(Box::new(Fitted::new(encoder, centers, kept)))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        self.check(settings)?;
        if let Coder::Images(_) = layout.coder {
            return Ok(Box::new(PixelMeans::load(layout, arrays)?));
        }
        let encoder = layout.table()?;
        let centers = arrays.singles("centers", &[encoder.numbers.len()])?.to_vec();
        let kept = (0..encoder.numbers.len()).map(|column| {
            let name = format!("kept {column}");
            let length = arrays.shape(&name).and_then(|shape| shape.first().copied()).unwrap_or(0);
            if length == 0 {
                return Err(Error::data(format!("array `{name}` is empty")));
            }
            Ok(arrays.singles(&name, &[length])?.to_vec())
        });
        Ok(Box::new(Fitted::new(encoder, centers, kept.collect::<Result<_>>()?)))
    }
}

/// What [`Method::load`] makes an imputer of tables of, from encoded columns alone: their means, and for each column
/// known values for draws, ascending.
///
/// # Errors
/// When the settings ask for more than a mean.
pub fn arrays_of_means(settings: &Value, encoder: &Encoder, kept: Vec<Vec<f32>>) -> Result<Arrays> {
    if parse::<Settings>(settings)?.center != Center::Mean {
        return Err(Error::setting("center", "a median is no sum over rows").with_hint("say mean"));
    }
    let centers = encoder.numbers.iter().map(|feature| feature.mean).collect();
    Ok(Fitted::new(encoder, centers, kept).save())
}

/// Up to [`KEPT`] known values of a column, ascending, evenly from all if there are more.
fn known_values(rows: &Encoded, columns: usize, column: usize, seed: u64) -> Vec<f32> {
    let cells = (0..rows.rows).map(|row| row * columns + column);
    let mut known: Vec<f32> =
        cells.filter(|&cell| rows.numbers_observed[cell]).map(|cell| rows.numbers[cell]).collect();
    if known.len() > KEPT {
        Stream::new(seed, "kept values", column as u64, 0).shuffle(&mut known);
        known.truncate(KEPT);
    }
    known.sort_unstable_by(f32::total_cmp);
    known
}

struct Fitted {
    centers: Vec<f32>,
    kept: Vec<Vec<f32>>,
    /// Each category's shares, over the codes that stand for a level.
    shares: Vec<Vec<f64>>,
}

impl Fitted {
    fn new(encoder: &Encoder, centers: Vec<f32>, kept: Vec<Vec<f32>>) -> Self {
        let shares = encoder.categories.iter().map(|feature| {
            feature.shares[..feature.levels.len()].iter().map(|share| f64::from(*share)).collect()
        });
        Self { centers, kept, shares: shares.collect() }
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        arrays.put_singles("centers", &[self.centers.len()], self.centers.clone());
        for (column, kept) in self.kept.iter().enumerate() {
            arrays.put_singles(format!("kept {column}"), &[kept.len()], kept.clone());
        }
        arrays
    }

    fn summary(&self) -> Value {
        json!({})
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Written> {
        let mut rows = rows.table()?.clone();
        if let Some(numbers) = &mut rows.numbers {
            let centers = graph.singles(&[1, self.centers.len()], &self.centers);
            numbers.values = graph.choose(&numbers.observed, &numbers.values, &centers);
        }
        for (category, shares) in rows.categories.iter_mut().zip(&self.shares) {
            let best = pick(shares, None).unwrap_or(0) as i64;
            // Every code stays, a hole becomes the most frequent one.
            let codes: Vec<i64> = (0..category.codes as i64).chain([best]).collect();
            let codes = graph.integers(&[codes.len()], &codes);
            category.place = graph.gather(&codes, &category.place, 0);
        }
        Ok(Written::Table(rows))
    }

    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.table_mut()?;
        for_each_row(rows, |row, line| {
            let mut stream = draw.map(|draw| draw.stream("mean", row));
            for (column, number) in
                line.numbers.iter_mut().enumerate().filter(|(column, _)| !line.numbers_observed[*column])
            {
                *number = match &mut stream {
                    Some(stream) => self.kept[column][stream.below(self.kept[column].len())],
                    None => self.centers[column],
                };
            }
            for (column, code) in
                line.codes.iter_mut().enumerate().filter(|(column, _)| !line.codes_observed[*column])
            {
                *code = pick(&self.shares[column], stream.as_mut()).unwrap_or(0) as u32;
            }
        });
        Ok(())
    }
}
