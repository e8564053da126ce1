//! From encoded columns to the row of inputs a linear layer multiplies: scaled numbers, one-hot blocks,
//! indicators. Rows are kept as (input, value) pairs: of 500 one-hot inputs a row uses as many as it has columns.
//!
//! The inputs stand in this order, which depends on the encoder and the settings alone:
//!
//! ```text
//! [ one per number column | one block per category column, one input per code | one per indicator ]
//! ```
//!
//! An indicator belongs to a COLUMN (not to a code) and exists for columns with holes in training.

use serde::{Deserialize, Serialize};

mod written;

use super::{Encoded, Encoder, Scale};

/// What a missing cell becomes, and whether the model is told that it was missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// 0 on the min-max scale; an empty block of a category. The baseline of Sparsity Normalization, on its scale.
    Zero,
    /// The training mean of a number; the training shares of a category.
    Mean,
    /// 0, and one more input per column: 1 where it is known.
    ObservedIndicator,
    /// 0, and one more input per column: 1 where it is missing.
    MissingIndicator,
    /// Min-max scale, 0, and the row times K / (number of its known columns).
    SparsityNormalization,
    /// The mean, and 1 where the column is missing.
    #[default]
    #[serde(rename = "mean+missing-indicator")]
    MeanAndIndicator,
    /// Sparsity Normalization, and 1 (not normalised) where the column is missing.
    #[serde(rename = "sparsity-normalization+missing-indicator")]
    SparsityNormalizationAndIndicator,
}

impl Missing {
    /// Whether rows are normalised by the number of their known columns.
    pub fn normalizes(self) -> bool {
        matches!(self, Self::SparsityNormalization | Self::SparsityNormalizationAndIndicator)
    }

    /// The scale of numbers that belongs to it: what Sparsity Normalization does, it does to numbers from 0 up, and
    /// what is compared with it has the same scale. Standardised, 0 would be the mean.
    pub fn scale(self) -> Scale {
        if self.normalizes() || self == Self::Zero { Scale::MinMax } else { Scale::Standard }
    }

    /// Whether the mean stands for what is missing.
    pub fn fills_with_mean(self) -> bool {
        matches!(self, Self::Mean | Self::MeanAndIndicator)
    }

    /// The state of a cell (observed or not) in which its column's indicator is 1.
    pub fn indicated(self) -> Option<bool> {
        match self {
            Self::Zero | Self::Mean | Self::SparsityNormalization => None,
            Self::ObservedIndicator => Some(true),
            Self::MissingIndicator | Self::MeanAndIndicator | Self::SparsityNormalizationAndIndicator => {
                Some(false)
            }
        }
    }
}

/// The one-hot block of a category column.
struct Block {
    /// Input of the first code.
    first: u32,
    /// How many codes.
    codes: u32,
    /// What the block holds where the cell is missing; empty: nothing.
    fill: Vec<f32>,
}

/// How a row of inputs is built. Made from encoder and settings, so it never differs between fit and load.
pub struct Design {
    /// What a missing number becomes.
    number_fill: Vec<f32>,
    blocks: Vec<Block>,
    /// For each column (numbers, then categories) the input of its indicator.
    indicators: Vec<Option<u32>>,
    indicated: Option<bool>,
    /// K of Sparsity Normalization, fixed by training.
    normalization: Option<f32>,
    inputs: usize,
}

impl Design {
    /// The layout for an encoder's columns. `normalization` is K, used where the setting normalises.
    pub fn new(encoder: &Encoder, missing: Missing, normalization: f32) -> Self {
        let fill = missing.fills_with_mean();
        let number_fill =
            encoder.numbers.iter().map(|feature| if fill { feature.mean } else { 0.0 }).collect();
        let mut inputs = encoder.numbers.len() as u32;
        let mut take = |count: u32| {
            inputs += count;
            inputs - count
        };
        let blocks = encoder.categories.iter().map(|feature| Block {
            first: take(feature.codes() as u32),
            codes: feature.codes() as u32,
            fill: if fill { feature.shares.clone() } else { Vec::new() },
        });
        let blocks = blocks.collect();
        let indicated = missing.indicated();
        let holes = encoder.numbers.iter().map(|feature| feature.missing);
        let holes = holes.chain(encoder.categories.iter().map(|feature| feature.missing));
        let indicators = holes.map(|holes| (indicated.is_some() && holes > 0).then(|| take(1))).collect();
        Self {
            number_fill,
            blocks,
            indicators,
            indicated,
            normalization: missing.normalizes().then_some(normalization),
            inputs: inputs as usize,
        }
    }

    /// How many inputs a row has, the bias not counted.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many columns the inputs are made of.
    pub fn width(&self) -> usize {
        self.number_fill.len() + self.blocks.len()
    }

    /// For each input the column it belongs to: numbers, then categories.
    pub fn columns(&self) -> Vec<usize> {
        let numbers = self.number_fill.len();
        let mut columns: Vec<usize> = (0..numbers).collect();
        for (place, block) in self.blocks.iter().enumerate() {
            columns.extend(vec![numbers + place; block.codes as usize]);
        }
        let indicated = self.indicators.iter().enumerate().filter(|(_, indicator)| indicator.is_some());
        columns.extend(indicated.map(|(column, _)| column));
        columns
    }

    /// K, where rows are normalised.
    pub fn normalization(&self) -> Option<f32> {
        self.normalization
    }

    /// The non-zero inputs of one row, in ascending order. Values under a false `observed` are not read.
    pub fn row(&self, rows: &Encoded, row: usize, mut push: impl FnMut(u32, f32)) {
        let numbers = row * self.number_fill.len()..(row + 1) * self.number_fill.len();
        let codes = row * self.blocks.len()..(row + 1) * self.blocks.len();
        let numbers_observed = &rows.numbers_observed[numbers.clone()];
        let codes_observed = &rows.codes_observed[codes.clone()];
        // K / max(known columns, 1): a row with nothing known stays all zero.
        let scale = self.normalization.map_or(1.0, |k| {
            let known = numbers_observed.iter().chain(codes_observed).filter(|observed| **observed).count();
            k / known.max(1) as f32
        });
        let mut put = |input: u32, value: f32| {
            if value != 0.0 {
                push(input, value);
            }
        };
        for (input, (observed, value)) in numbers_observed.iter().zip(&rows.numbers[numbers]).enumerate() {
            put(input as u32, if *observed { value * scale } else { self.number_fill[input] });
        }
        for (block, (observed, code)) in self.blocks.iter().zip(codes_observed.iter().zip(&rows.codes[codes]))
        {
            if *observed {
                if *code < block.codes {
                    put(block.first + code, scale);
                }
            } else {
                block.fill.iter().zip(block.first..).for_each(|(share, input)| put(input, *share));
            }
        }
        for (observed, indicator) in numbers_observed.iter().chain(codes_observed).zip(&self.indicators) {
            if let Some(input) = indicator
                && self.indicated == Some(*observed)
            {
                put(*input, 1.0);
            }
        }
    }

    /// The given rows with every input written out: `[rows, inputs]`.
    pub fn dense(&self, encoded: &Encoded, rows: &[usize]) -> Vec<f32> {
        let mut dense = vec![0.0; rows.len() * self.inputs];
        for (row, line) in rows.iter().zip(dense.chunks_exact_mut(self.inputs.max(1))) {
            self.row(encoded, *row, |input, value| line[input as usize] = value);
        }
        dense
    }

    /// All rows.
    pub fn rows(&self, encoded: &Encoded) -> SparseRows {
        SparseRows::of(encoded.rows, |row, push| self.row(encoded, row, push))
    }

    /// A name for each input: `age`, `sex=m`, `age is missing`.
    pub fn names(&self, encoder: &Encoder) -> Vec<String> {
        let mut names: Vec<String> = encoder.numbers.iter().map(|feature| feature.name.clone()).collect();
        for feature in &encoder.categories {
            let other = feature.has_other().then_some("(other)");
            let levels = feature.levels.iter().map(String::as_str).chain(other);
            names.extend(levels.map(|level| format!("{}={level}", feature.name)));
        }
        let columns = encoder.numbers.iter().map(|feature| &feature.name);
        let columns = columns.chain(encoder.categories.iter().map(|feature| &feature.name));
        let state = if self.indicated == Some(true) { "known" } else { "missing" };
        let indicated = columns.zip(&self.indicators).filter(|(_, indicator)| indicator.is_some());
        names.extend(indicated.map(|(name, _)| format!("{name} is {state}")));
        names
    }
}

/// Rows of (input, value) pairs, one after the other.
pub struct SparseRows {
    starts: Vec<usize>,
    inputs: Vec<u32>,
    values: Vec<f32>,
}

impl SparseRows {
    /// So many rows, each with the pairs that `fill` pushes for its place, inputs ascending.
    pub fn of(count: usize, fill: impl Fn(usize, &mut dyn FnMut(u32, f32))) -> Self {
        let mut rows = Self { starts: vec![0], inputs: Vec::new(), values: Vec::new() };
        for row in 0..count {
            fill(row, &mut |input, value| {
                rows.inputs.push(input);
                rows.values.push(value);
            });
            rows.starts.push(rows.inputs.len());
        }
        rows
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows of a dense matrix, for tests of the solvers.
    #[cfg(test)]
    pub fn from_dense(values: &[f32], inputs: usize) -> Self {
        let count = values.len() / inputs;
        Self {
            starts: (0..=count).map(|row| row * inputs).collect(),
            inputs: (0..count).flat_map(|_| 0..inputs as u32).collect(),
            values: values.to_vec(),
        }
    }

    /// Inputs (ascending) and values of one row.
    pub fn row(&self, row: usize) -> (&[u32], &[f32]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.inputs[range.clone()], &self.values[range])
    }

    /// The pairs of one row, in double precision.
    pub fn pairs(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let (inputs, values) = self.row(row);
        inputs.iter().zip(values).map(|(input, value)| (*input as usize, f64::from(*value)))
    }
}

#[cfg(test)]
mod tests;
