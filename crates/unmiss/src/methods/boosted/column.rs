//! One column's trees.

use rayon::prelude::*;

use crate::encode::wide::pick;
use crate::encode::{Encoded, Encoder, Targets, Task};
use crate::error::{Error, Result};
use crate::methods::Draw;
use crate::methods::round_robin::{inputs, is_known, levels};
use crate::methods::supervised::set_aside;
use crate::methods::trees::{Settings, boost, forest::Forest, loss};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;

/// Fits that are averaged, each with another part of the rows set aside.
const MEMBERS: usize = 5;
/// Differences kept for draws.
const KEPT: usize = 1000;

/// Boosted trees that fill one column from the others.
pub struct ColumnTrees {
    /// Numbers first, then categories.
    pub feature: usize,
    task: Task,
    /// Codes that stand for a level (categories).
    levels: usize,
    forest: Forest,
    /// What the trees left at known cells they had not learned from (numbers).
    differences: Vec<f32>,
}

fn settings() -> Settings {
    Settings {
        rounds: 300,
        leaves: 15,
        bins: 127,
        patience: 15,
        members: Some(MEMBERS),
        ..Settings::default()
    }
}

impl ColumnTrees {
    /// Learns a column from filled rows. `left_out` holds each number's guess without itself.
    pub fn fit(
        encoder: &Encoder,
        feature: usize,
        rows: &Encoded,
        filled: &Encoded,
        left_out: &[f32],
        run: &Run,
    ) -> Self {
        let numbers = encoder.numbers.len();
        let known: Vec<usize> = (0..rows.rows).filter(|&row| is_known(rows, numbers, feature, row)).collect();
        let inputs = inputs(filled, numbers, feature, &known);
        let targets = match feature.checked_sub(numbers) {
            None => {
                let difference =
                    |&row: &usize| rows.numbers[row * numbers + feature] - left_out[row * numbers + feature];
                let numbers = known.iter().map(difference).collect();
                Targets { task: Task::Regression, numbers, classes: vec![], weights: vec![1.0; known.len()] }
            }
            Some(place) => {
                let width = encoder.categories.len();
                let classes = encoder.categories[place].codes().max(2);
                let codes = known.iter().map(|&row| rows.codes[row * width + place]).collect();
                let task = Task::Classification { classes };
                Targets { task, numbers: vec![], classes: codes, weights: vec![1.0; known.len()] }
            }
        };
        // Every column has its own members; their progress would only flicker.
        let quiet = run.clone().listened_by(|_| {});
        let forest = boost::fit(encoder, &inputs, &targets, &settings(), &quiet);
        let levels = levels(encoder, feature);
        let mut column = Self { feature, task: targets.task, levels, forest, differences: Vec::new() };
        if column.task == Task::Regression {
            column.differences = column.unexplained(&inputs, &targets, run.seed());
        }
        column
    }

    /// What each member leaves at the rows it set aside.
    fn unexplained(&self, inputs: &Encoded, targets: &Targets, seed: u64) -> Vec<f32> {
        let mut left = Vec::new();
        for member in 0..self.forest.bases.len() {
            let (_, aside) = set_aside(targets, MEMBERS, member, seed);
            left.extend(aside.iter().map(|&row| {
                let mut sum = [0.0];
                self.forest.sums(member, inputs, row, &mut sum);
                targets.numbers[row] - sum[0] as f32
            }));
        }
        if left.len() > KEPT {
            Stream::new(seed, "boosted differences", self.feature as u64, 0).shuffle(&mut left);
            left.truncate(KEPT);
        }
        if left.is_empty() { vec![0.0] } else { left }
    }

    /// Fills the column's holes from the other, filled, columns; with a draw and a round, by plausible values.
    pub fn fill(
        &self,
        rows: &Encoded,
        filled: &mut Encoded,
        left_out: &[f32],
        ranges: &[(f32, f32)],
        draw: Option<(Draw, u64)>,
    ) {
        let numbers = ranges.len();
        let holes: Vec<usize> =
            (0..rows.rows).filter(|&row| !is_known(rows, numbers, self.feature, row)).collect();
        let inputs = inputs(filled, numbers, self.feature, &holes);
        let stream = |row: usize| {
            draw.map(|(draw, round)| {
                let mut stream = draw.stream("boosted", row);
                // One stream a cell: columns and rounds start at different places of the row's.
                Stream::new(stream.bits(), "boosted cell", self.feature as u64, round)
            })
        };
        match self.feature.checked_sub(numbers) {
            None => {
                let (low, high) = ranges[self.feature];
                let value = |(place, &row): (usize, &usize)| {
                    let mut predicted = [0.0];
                    self.predict(&inputs, place, &mut predicted);
                    let noise =
                        stream(row).map_or(0.0, |mut s| self.differences[s.below(self.differences.len())]);
                    (left_out[row * numbers + self.feature] + predicted[0] as f32 + noise).clamp(low, high)
                };
                let values: Vec<f32> = holes.par_iter().enumerate().with_min_len(64).map(value).collect();
                let cells = holes.iter().zip(values);
                cells.for_each(|(&row, value)| filled.numbers[row * numbers + self.feature] = value);
            }
            Some(category) => {
                let Task::Classification { classes } = self.task else { return };
                let code = |(place, &row): (usize, &usize)| {
                    let mut chances = vec![0.0; classes];
                    self.predict(&inputs, place, &mut chances);
                    pick(&chances[..self.levels.min(classes)], stream(row).as_mut()).unwrap_or(0) as u32
                };
                let codes: Vec<u32> = holes.par_iter().enumerate().with_min_len(64).map(code).collect();
                let width = filled.codes.len() / filled.rows;
                holes.iter().zip(codes).for_each(|(&row, code)| filled.codes[row * width + category] = code);
            }
        }
    }

    fn predict(&self, inputs: &Encoded, row: usize, answer: &mut [f64]) {
        let members = self.forest.bases.len();
        let mut sums = vec![0.0; loss::outputs(self.task)];
        let mut one = vec![0.0; answer.len()];
        for member in 0..members {
            self.forest.sums(member, inputs, row, &mut sums);
            loss::predict(self.task, &sums, &mut one);
            answer.iter_mut().zip(&one).for_each(|(answer, one)| *answer += one / members as f64);
        }
    }

    /// How many trees there are.
    pub fn trees(&self) -> usize {
        self.forest.trees.iter().map(Vec::len).sum()
    }

    /// Adds the arrays of this column.
    pub fn save(&self, arrays: &mut Arrays) {
        let prefix = format!("column {}/", self.feature);
        arrays.put_all(&prefix, self.forest.save());
        arrays.put_singles(
            format!("{prefix}differences"),
            &[self.differences.len()],
            self.differences.clone(),
        );
    }

    /// Reads the arrays of a column.
    ///
    /// # Errors
    /// When arrays are missing or do not fit.
    pub fn load(encoder: &Encoder, feature: f64, arrays: &Arrays) -> Result<Self> {
        let (numbers, categories) = (encoder.numbers.len(), encoder.categories.len());
        if !(feature >= 0.0 && feature < (numbers + categories) as f64) {
            return Err(Error::data("array `order` names a column that is not there"));
        }
        let feature = feature as usize;
        let own = arrays.with_prefix(&format!("column {feature}/"));
        let task = match feature.checked_sub(numbers) {
            None => Task::Regression,
            Some(place) => Task::Classification { classes: encoder.categories[place].codes().max(2) },
        };
        let forest = Forest::load(&own, (numbers, categories), loss::outputs(task))?;
        let kept = own.shape("differences").and_then(|shape| shape.first().copied()).unwrap_or(0);
        let differences = own.singles("differences", &[kept])?.to_vec();
        let sound = differences.iter().all(|value| value.is_finite());
        if !sound || (task == Task::Regression && kept == 0) {
            return Err(Error::data(format!("the differences of column {feature} can't be")));
        }
        Ok(Self { feature, task, levels: levels(encoder, feature), forest, differences })
    }
}
