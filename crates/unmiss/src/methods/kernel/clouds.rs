//! Rows as clouds: where each cell is or would be, and how far it could be from there.
//!
//! ```text
//! [ one coordinate per number and per level of a category | one per feature with holes: 1 where it is missing ]
//! ```

use rayon::prelude::*;

use crate::encode::{Encoded, Encoder, Wide};
use crate::linalg::{Conditional, Normal};

/// How rows become clouds.
pub struct Places {
    pub(super) wide: Wide,
    /// `[columns]`: indicators of levels count as 0 and 1, not by how rare they are.
    pub(super) factors: Vec<f32>,
    /// The features whose holes have a coordinate.
    pub(super) marked: Vec<usize>,
    /// The columns together, learned through the holes.
    pub normal: Normal,
}

/// Rows as clouds.
#[derive(Clone, Default)]
pub struct Clouds {
    /// `[rows, coordinates]`: known values, and expected ones where missing.
    pub means: Vec<f32>,
    /// `[rows, coordinates]`: 0 where known.
    pub variances: Vec<f32>,
    /// How many coordinates there are.
    pub coordinates: usize,
    /// How many of them, the last, are marks of holes.
    pub marks: usize,
}

impl Places {
    /// From a translation of columns and what is known of them together.
    pub fn new(encoder: &Encoder, normal: Normal) -> Self {
        let wide = Wide::new(encoder);
        let factor = |column: usize| wide.indicator(column).map_or(1.0, |(_, deviation)| deviation as f32);
        let factors = (0..wide.columns()).map(factor).collect();
        let holes = encoder.numbers.iter().map(|feature| feature.missing);
        let holes = holes.chain(encoder.categories.iter().map(|feature| feature.missing));
        let marked = holes.enumerate().filter(|(_, holes)| *holes > 0).map(|(feature, _)| feature).collect();
        Self { wide, factors, marked, normal }
    }

    /// How many coordinates a row has.
    pub fn coordinates(&self) -> usize {
        self.factors.len() + self.marked.len()
    }

    /// How many of them are marks of holes.
    pub fn marks(&self) -> usize {
        self.marked.len()
    }

    /// Rows as clouds.
    pub fn clouds(&self, rows: &Encoded) -> Clouds {
        let (columns, coordinates) = (self.factors.len(), self.coordinates());
        let widened = self.wide.widen(rows);
        let holes = widened.holes();
        let conditional = Conditional::new(&self.normal);
        let mut clouds = Clouds {
            means: vec![0.0; rows.rows * coordinates],
            variances: vec![0.0; rows.rows * coordinates],
            coordinates,
            marks: self.marked.len(),
        };
        let lines = clouds.means.par_chunks_exact_mut(coordinates.max(1));
        let lines = lines.zip(clouds.variances.par_chunks_exact_mut(coordinates.max(1))).enumerate();
        lines.with_min_len(64).for_each(|(row, (means, variances))| {
            let mut filled = vec![0.0; columns];
            holes.deviations(row, conditional.mean(), &mut filled);
            if holes.marks(row).contains(&false) {
                let (missing, open) = conditional.fill_and_open(holes.marks(row), &mut filled);
                for (place, column) in missing.into_iter().enumerate() {
                    variances[column] = open.at(place, place).max(0.0) as f32 * self.factors[column].powi(2);
                }
            }
            let cells = filled.iter().zip(conditional.mean()).zip(&self.factors);
            for (into, ((deviation, mean), factor)) in means.iter_mut().zip(cells) {
                *into = (deviation + mean) as f32 * factor;
            }
            for (into, feature) in means[columns..].iter_mut().zip(&self.marked) {
                *into = f32::from(u8::from(!self.is_known(rows, row, *feature)));
            }
        });
        clouds
    }

    fn is_known(&self, rows: &Encoded, row: usize, feature: usize) -> bool {
        let (numbers, categories) = rows.widths();
        match feature.checked_sub(numbers) {
            None => rows.numbers_observed[row * numbers + feature],
            Some(category) => rows.codes_observed[row * categories + category],
        }
    }
}

impl Clouds {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.means.len().checked_div(self.coordinates).unwrap_or(0)
    }

    /// Some of the rows.
    pub fn select(&self, rows: &[usize]) -> Self {
        let pick = |cells: &[f32]| {
            rows.iter()
                .flat_map(|row| &cells[row * self.coordinates..(row + 1) * self.coordinates])
                .copied()
                .collect()
        };
        Self { means: pick(&self.means), variances: pick(&self.variances), ..*self }
    }

    /// The same rows with marks of another weight.
    pub fn marked_by(&self, weight: f32) -> Self {
        let mut clouds = self.clone();
        let first = self.coordinates - self.marks;
        for line in clouds.means.chunks_exact_mut(self.coordinates.max(1)) {
            line[first..].iter_mut().for_each(|mark| *mark *= weight);
        }
        clouds
    }
}
