//! The worlds of the published figures: rows to learn from, rows to be judged by, and the best possible answers.

use crate::data::Data;
use crate::error::Result;
use crate::run::Run;
use crate::simulate::{Drawn, Masking, Response, SWEEPS, Settings, World};

/// Rows that answers are judged by.
pub const TEST_ROWS: usize = 10_000;
/// Where those rows begin: behind all rows that can be learned from.
const TEST_START: usize = 1_000_000;

/// One cell of the published tables: a kind of world and how much of it is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    pub masking: Masking,
    pub response: Response,
    /// q: hidden causes as a share of the columns.
    pub latent: f64,
    /// d.
    pub columns: usize,
    /// n.
    pub rows: usize,
}

impl Cell {
    /// What it is called.
    pub fn title(&self) -> String {
        let shape = match self.response {
            Response::Linear => String::new(),
            other => format!("{other}, "),
        };
        format!("{shape}{}, d = {}, n = {}", self.masking, self.columns, self.rows)
    }
}

/// A drawn cell.
pub struct Task {
    /// Rows to learn from.
    pub learning: Drawn,
    /// Rows to be judged by, and the same as a table.
    pub test: Drawn,
    /// The same two as data.
    pub data: (Data, Data),
    pub world: World,
    best: Vec<f64>,
    /// The mean square of the best answers' standard errors; 0 where they are exact.
    error: f64,
    variance: f64,
}

impl Task {
    /// Draws the cell's world with the run's seed.
    pub fn new(cell: &Cell, run: &Run) -> Result<Self> {
        let settings = Settings {
            columns: cell.columns,
            latent: cell.latent,
            response: cell.response,
            masking: cell.masking,
            ..Settings::default()
        };
        let world = World::new(&settings, run.seed())?;
        let (learning, test) = run.compute(|| (world.draw(0, cell.rows), world.draw(TEST_START, TEST_ROWS)));
        let bayes = run.compute(|| world.bayes(&test, SWEEPS))?;
        let errors = bayes.errors.iter().flatten().map(|error| error * error).sum::<f64>();
        let mean = test.response.iter().sum::<f64>() / TEST_ROWS as f64;
        let squares = test.response.iter().map(|own| (own - mean).powi(2)).sum::<f64>();
        Ok(Self {
            data: (learning.table()?.into(), test.table()?.into()),
            best: bayes.answers,
            error: errors / TEST_ROWS as f64,
            variance: squares / TEST_ROWS as f64,
            learning,
            test,
            world,
        })
    }

    /// R² of the best possible answers.
    pub fn reachable(&self) -> f64 {
        let left = self.test.response.iter().zip(&self.best).map(|(own, best)| (own - best).powi(2));
        1.0 - (left.sum::<f64>() / TEST_ROWS as f64 - self.error) / self.variance
    }

    /// How much R² answers stay below the best possible: E(f - f*)² / Var y. As f* is the mean of y given all that is
    /// known, this is the difference of both R², without the noise of y in it.
    pub fn distance(&self, answers: &[f64]) -> f64 {
        let squares = answers.iter().zip(&self.best).map(|(own, best)| (own - best).powi(2));
        (squares.sum::<f64>() / TEST_ROWS as f64 - self.error) / self.variance
    }
}
