#![doc = include_str!("README.md")]

mod column;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::gaussian::learn_default;
use super::round_robin::{Start, holed, ranges, sampled};
use super::{
    About, Axis, Card, Choices, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Rows, Wide};
use crate::error::{Error, Result};
use crate::linalg::Normal;
use crate::run::Run;
use crate::store::Arrays;
use column::ColumnTrees;

/// The entry of the list.
pub struct Boosted;

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    rounds: usize,
    rows: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { rounds: 2, rows: 20_000 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        for (name, value, low, high) in
            [("rounds", settings.rounds, 1, 100), ("rows", settings.rows, 10, 100_000_000)]
        {
            if !(low..=high).contains(&value) {
                return Err(Error::setting(name, format!("{value} is not between {low} and {high}")));
            }
        }
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "boosted",
    does: &[(Shape::Table, Job::Fill)],
    short_lists: &[(Shape::Table, Job::Fill)],
    cost: Cost::VeryHigh,
    about: About {
        title: "Chained equations with gradient-boosted trees",
        idea: "A hole starts at its mean given the known cells of the row. Round by round, boosted trees learn for \
               each column what that guess misses, from the other, filled, columns.",
        paper: "van Buuren and Groothuis-Oudshoorn 2011; Friedman 2001; Stekhoven and Buehlmann 2012",
        when: "Relations bend or columns interact, and there are a few hundred rows or more.",
        when_not: "Hundreds of columns with holes, or tables so small that trees learn noise.",
    },
    settings: &[
        Setting {
            name: "rounds",
            help: "how often each column is learned, from better filled others each time",
        },
        Setting { name: "rows", help: "rows that trees are learned from, at most" },
    ],
    space: &[Axis::new("rounds", Choices::Integers(1, 5))],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Boosted {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (encoder, rows) = examples.table()?;
        let settings = Settings::checked(settings)?;
        let sample = sampled(rows, settings.rows, "boosted rows", run.seed());
        let rows = sample.as_ref().unwrap_or(rows);
        let wide = Wide::new(encoder);
        let normal = learn_default(&wide.widen(rows), run);
        let start = Start::new(&wide, &normal, rows);
        let order = holed(encoder, rows);
        let mut fitted =
            Fitted { normal, wide, columns: Vec::new(), ranges: ranges(encoder), rounds: settings.rounds };
        let mut filled = start.filled.clone();
        let total = (settings.rounds * order.len()) as u64;
        for round in 0..settings.rounds {
            let mut columns = Vec::with_capacity(order.len());
            for (place, &feature) in order.iter().enumerate() {
                if run.stopped() && round > 0 {
                    return Ok(Box::new(fitted));
                }
                let column = ColumnTrees::fit(encoder, feature, rows, &filled, &start.left_out, run);
                column.fill(rows, &mut filled, &start.left_out, &fitted.ranges, None);
                columns.push(column);
                run.progress((round * order.len() + place) as u64 + 1, total, format!("round {}", round + 1));
            }
            fitted.columns = columns;
        }
        run.finished();
        Ok(Box::new(fitted))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let encoder = layout.table()?;
        let settings = Settings::checked(settings)?;
        let wide = Wide::new(encoder);
        let columns = wide.columns();
        let mean = arrays.doubles("mean", &[columns])?.to_vec();
        let covariance = arrays.doubles("covariance", &[columns, columns])?.to_vec();
        if !mean.iter().chain(&covariance).all(|value| value.is_finite()) {
            return Err(Error::data("an array has a number that is not finite"));
        }
        let count = arrays.shape("order").and_then(|shape| shape.first().copied()).unwrap_or(0);
        let load = |feature: &f64| ColumnTrees::load(encoder, *feature, arrays);
        let trees = arrays.doubles("order", &[count])?.iter().map(load).collect::<Result<_>>()?;
        let normal = Normal::from_parts(mean, covariance);
        Ok(Box::new(Fitted {
            normal,
            wide,
            columns: trees,
            ranges: ranges(encoder),
            rounds: settings.rounds,
        }))
    }
}

struct Fitted {
    wide: Wide,
    normal: Normal,
    /// In the order of a round.
    columns: Vec<ColumnTrees>,
    ranges: Vec<(f32, f32)>,
    rounds: usize,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let (mean, covariance) = self.normal.parts();
        arrays.put_doubles("mean", &[mean.len()], mean.to_vec());
        arrays.put_doubles("covariance", &[mean.len(), mean.len()], covariance.to_vec());
        let order: Vec<f64> = self.columns.iter().map(|column| column.feature as f64).collect();
        arrays.put_doubles("order", &[order.len()], order);
        self.columns.iter().for_each(|column| column.save(&mut arrays));
        arrays
    }

    fn summary(&self) -> Value {
        let trees: usize = self.columns.iter().map(ColumnTrees::trees).sum();
        json!({
            "trees": trees,
            "sentences": [format!("{trees} trees for {} columns, after {} rounds.", self.columns.len(), self.rounds)],
        })
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn why_no_formula(&self) -> &'static str {
        "it goes over the columns in rounds, a sum of trees for each"
    }

    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.table_mut()?;
        if rows.rows == 0 {
            return Ok(());
        }
        let Start { mut filled, left_out } = Start::new(&self.wide, &self.normal, rows);
        for round in 0..self.rounds {
            for column in &self.columns {
                column.fill(
                    rows,
                    &mut filled,
                    &left_out,
                    &self.ranges,
                    draw.map(|draw| (draw, round as u64)),
                );
            }
        }
        (rows.numbers, rows.codes) = (filled.numbers, filled.codes);
        Ok(())
    }
}
