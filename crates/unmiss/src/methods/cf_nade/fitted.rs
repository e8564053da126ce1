//! A fitted CF-NADE: hidden units of the known rows, weights of all levels of all columns.

use serde_json::{Value, json};

use super::Settings;
use super::learner::{Coding, known};
use crate::data::ratings::Ratings;
use crate::error::Result;
use crate::methods::biases::{Biases, Settings as Damping};
use crate::methods::vectors::{Vectors, dot};
use crate::methods::{ByRow, Learned, Recommender};
use crate::nn::sparse::{Batch, Halves, SparseNetwork, Squash};
use crate::store::Arrays;

/// What there is to say about a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    pub best_epoch: usize,
    pub epochs: usize,
    pub validation: Option<f64>,
}

pub(super) struct Fitted {
    vectors: Vectors,
    coding: Coding,
    fit: Fit,
    /// With an output for each level of each column.
    network: Halves,
    /// `[rows, hidden]`, from all known ratings.
    codes: Vec<f32>,
    /// For new users where a user is a column.
    biases: Biases,
    items: usize,
}

impl Fitted {
    pub fn new(vectors: Vectors, coding: Coding, fit: Fit, network: Halves, ratings: &Ratings) -> Self {
        let rows = vectors.of(ratings);
        let codes = codes(
            &coding,
            &network.encoder,
            rows.columns,
            (0..rows.rows() as u32).map(|row| known(rows, row)).collect(),
        );
        let biases = Biases::fit(ratings, &Damping::default());
        Self { vectors, coding, fit, network, codes, biases, items: ratings.items.len() }
    }

    pub fn load(settings: &Settings, coding: Coding, ratings: &Ratings, arrays: &Arrays) -> Result<Self> {
        let width = settings.vectors.of(ratings).columns * coding.levels.len();
        let network = Halves::load([width, settings.hidden, width], Squash::Tanh, arrays)?;
        let fit = arrays.doubles("fit", &[3])?;
        let fit = Fit {
            best_epoch: fit[0] as usize,
            epochs: fit[1] as usize,
            validation: Some(fit[2]).filter(|score| score.is_finite()),
        };
        Ok(Self::new(settings.vectors, coding, fit, network, ratings))
    }

    /// The mean rating of a column under a row's hidden units.
    fn expected(&self, code: &[f32], column: usize) -> f32 {
        let levels = self.coding.levels.len();
        let score = |level: usize| {
            let output = column * levels + level;
            self.network.bias[output] + dot(self.network.weight(output), code)
        };
        let mut scores: Vec<f32> = (0..levels).map(score).collect();
        self.coding.expected(&mut scores)
    }

    /// The hidden units of a row of so many columns with these ratings.
    fn hide(&self, given: &[(u32, f32)], columns: usize) -> Vec<f32> {
        codes(&self.coding, &self.network.encoder, columns, vec![given.to_vec()])
    }

    fn score(&self, user: u32, item: u32) -> f32 {
        let (row, column) = self.vectors.cell(user, item);
        let hidden = self.network.hidden();
        self.expected(&self.codes[row as usize * hidden..][..hidden], column as usize)
    }
}

/// The hidden units of rows given by their known ratings.
fn codes(coding: &Coding, network: &SparseNetwork, width: usize, rows: Vec<Vec<(u32, f32)>>) -> Vec<f32> {
    let outputs = coding.outputs(width, rows.iter().map(|_| Vec::new()));
    let (inputs, values) = coding.inputs(width, rows.into_iter());
    network.codes(&Batch::new(inputs, &values, outputs, Vec::new()))
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = self.network.save();
        arrays.put_singles("k", &[1], vec![self.coding.k]);
        let Fit { best_epoch, epochs, validation } = self.fit;
        arrays.put_doubles(
            "fit",
            &[3],
            vec![best_epoch as f64, epochs as f64, validation.unwrap_or(f64::INFINITY)],
        );
        arrays
    }

    fn summary(&self) -> Value {
        let Fit { best_epoch, epochs, validation } = self.fit;
        json!({ "k": self.coding.k, "best_epoch": best_epoch, "epochs": epochs, "validation_rmse": validation })
    }

    fn recommender(&self) -> Option<&dyn Recommender> {
        Some(self)
    }
}

impl Recommender for Fitted {
    fn rate(&self, pairs: &[(u32, u32)]) -> Vec<f32> {
        pairs.iter().map(|(user, item)| self.score(*user, *item)).collect()
    }

    fn rate_all(&self, users: &[u32]) -> Vec<f32> {
        let items = 0..self.items as u32;
        users.iter().flat_map(|user| items.clone().map(|item| self.score(*user, item))).collect()
    }

    fn fold_in(&self, given: &[(u32, f32)], items: &[u32]) -> Vec<f32> {
        match self.vectors {
            Vectors::User => {
                let code = self.hide(given, self.items);
                items.iter().map(|item| self.expected(&code, *item as usize)).collect()
            }
            Vectors::Item => self.biases.fold_in(given, items),
        }
    }

    fn by_row(&self) -> Option<&dyn ByRow> {
        Some(self)
    }
}

impl ByRow for Fitted {
    fn vectors(&self) -> Vectors {
        self.vectors
    }

    fn rate_cell(&self, _: u32, given: &[(u32, f32)], column: u32) -> f32 {
        let columns = self.network.bias.len() / self.coding.levels.len();
        self.expected(&self.hide(given, columns), column as usize)
    }
}
