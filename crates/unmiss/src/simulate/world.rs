//! The world: where rows, response and holes come from.
//!
//! ```text
//! Σ = B B' + diag(u)     B: d x ⌊q d⌋ from N(0, 1),  u from U(.01, .1)
//! μ from N(0, 1),  X ~ N(μ, Σ),  y = f(β₀ + β·X) + noise
//! ```
//!
//! A linear response has β₀ = 1. For the others β is scaled so that β·X has variance 1, and β₀ puts its mean at 1,
//! where bowl, wave and break have their shape. The noise has the variance of f(β₀ + β·X), by the model, over `snr`.

use rayon::prelude::*;

use super::mask::{Rule, rules};
use super::response::Response;
use super::settings::Settings;
use crate::data::{Column, Kind, Table};
use crate::error::{Error, Result};
use crate::linalg::{Normal, Square, add_crossed, dot};
use crate::rng::Stream;

/// The name of the response in a table.
pub const TARGET: &str = "y";

/// Values are kept to so many parts of 1: six digits behind the point, in memory as in a file.
const PARTS: f64 = 1e6;

/// Where rows come from.
pub struct World {
    /// What it was made by.
    pub settings: Settings,
    pub(super) seed: u64,
    /// μ and Σ.
    pub(super) normal: Normal,
    /// The lower triangle of Σ.
    lower: Square,
    /// β₀.
    pub(super) intercept: f64,
    /// β.
    pub(super) weights: Vec<f64>,
    /// Σ β: the covariance of each column with t.
    pub(super) spread: Vec<f64>,
    /// The standard deviation of the noise.
    pub(super) noise: f64,
    pub(super) rules: Vec<Rule>,
}

/// Rows of a world.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The number of the first row.
    pub first: usize,
    /// Columns beside the response.
    pub columns: usize,
    /// `[rows, columns]`: the values, also where they are missing.
    pub values: Vec<f64>,
    /// `[rows, columns]`: true where known.
    pub observed: Vec<bool>,
    /// The response.
    pub response: Vec<f64>,
    /// The response without noise.
    pub noiseless: Vec<f64>,
}

impl World {
    /// Draws a world.
    ///
    /// # Errors
    /// When a setting can't be.
    pub fn new(settings: &Settings, seed: u64) -> Result<Self> {
        settings.check()?;
        let columns = settings.columns;
        let normal = normal(columns, settings.latent, seed);
        let damaged = |_| Error::data("the drawn covariance can't be factorised");
        let lower = normal.covariance.cholesky(0.0).map_err(damaged)?;
        let mut weights = match settings.weights.is_empty() {
            true => vec![1.0; columns],
            false => settings.weights.clone(),
        };
        let spread = |weights: &[f64]| -> Vec<f64> {
            (0..columns).map(|row| dot(normal.covariance.row(row), weights)).collect()
        };
        let mut intercept = 1.0;
        if settings.response != Response::Linear {
            let deviation = dot(&weights, &spread(&weights)).sqrt();
            weights.iter_mut().for_each(|weight| *weight /= deviation);
            intercept = 1.0 - dot(&weights, &normal.mean);
        }
        let spread = spread(&weights);
        let centre = intercept + dot(&weights, &normal.mean);
        let signal = settings.response.variance(centre, dot(&weights, &spread));
        let noise = (signal / settings.snr).sqrt();
        let rules = rules(settings, &normal, seed);
        Ok(Self { settings: settings.clone(), seed, normal, lower, intercept, weights, spread, noise, rules })
    }

    /// The mean of each column.
    pub fn mean(&self) -> &[f64] {
        &self.normal.mean
    }

    /// The covariance of the columns, row by row.
    pub fn covariance(&self) -> &[f64] {
        &self.normal.covariance.cells
    }

    /// β₀ and β.
    pub fn line(&self) -> (f64, &[f64]) {
        (self.intercept, &self.weights)
    }

    /// The standard deviation of the noise.
    pub fn noise(&self) -> f64 {
        self.noise
    }

    /// So many rows from a first one on. A row is the same whatever else is drawn.
    pub fn draw(&self, first: usize, rows: usize) -> Drawn {
        let columns = self.settings.columns;
        let mut drawn = Drawn {
            first,
            columns,
            values: vec![0.0; rows * columns],
            observed: vec![false; rows * columns],
            response: vec![0.0; rows],
            noiseless: vec![0.0; rows],
        };
        let cells = drawn.values.par_chunks_mut(columns).zip(drawn.observed.par_chunks_mut(columns));
        let responses = drawn.response.par_iter_mut().zip(&mut drawn.noiseless);
        cells.zip(responses).enumerate().for_each(|(row, ((values, observed), (response, noiseless)))| {
            let number = (first + row) as u64;
            let mut stream = Stream::new(self.seed, "simulate row", number, 0);
            let z: Vec<f64> = (0..columns).map(|_| stream.normal()).collect();
            let deviations = self.lower.times(&z);
            for ((value, mean), deviation) in values.iter_mut().zip(&self.normal.mean).zip(deviations) {
                *value = kept(mean + deviation);
            }
            *noiseless = self.settings.response.value(self.intercept + dot(&self.weights, values));
            *response = kept(*noiseless + self.noise * stream.normal());
            // A stream of their own: the same rows, whatever makes their holes.
            let mut stream = Stream::new(self.seed, "simulate holes", number, 0);
            for (column, (observed, rule)) in observed.iter_mut().zip(&self.rules).enumerate() {
                *observed = stream.uniform() >= rule.probability(column, values);
            }
        });
        drawn
    }
}

/// μ and Σ.
fn normal(columns: usize, latent: f64, seed: u64) -> Normal {
    let causes = ((latent * columns as f64).floor() as usize).max(1);
    let mut stream = Stream::new(seed, "simulate covariance", 0, 0);
    // B', [causes, columns].
    let loadings: Vec<f64> = (0..causes * columns).map(|_| stream.normal()).collect();
    let mut covariance = Square::zero(columns);
    (0..columns).for_each(|column| *covariance.at_mut(column, column) = 0.01 + 0.09 * stream.uniform());
    add_crossed(&mut covariance.cells, (&loadings, columns), (&loadings, columns), 1.0);
    let mut stream = Stream::new(seed, "simulate mean", 0, 0);
    let mean = (0..columns).map(|_| stream.normal()).collect();
    Normal::from_parts(mean, covariance.cells)
}

fn kept(value: f64) -> f64 {
    (value * PARTS).round() / PARTS
}

impl Drawn {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.response.len()
    }

    /// The rows with their holes: `x1`, `x2`, ... and the response.
    ///
    /// # Errors
    /// Never for rows of a world.
    pub fn table(&self) -> Result<Table> {
        self.columns(|cell| if self.observed[cell] { self.values[cell] } else { f64::NAN })
    }

    /// The same rows without a hole.
    ///
    /// # Errors
    /// Never for rows of a world.
    pub fn full(&self) -> Result<Table> {
        self.columns(|cell| self.values[cell])
    }

    fn columns(&self, cell: impl Fn(usize) -> f64) -> Result<Table> {
        let numbers = |column: usize| -> Vec<f64> {
            (0..self.rows()).map(|row| cell(row * self.columns + column)).collect()
        };
        let inputs = (0..self.columns).map(|column| (format!("x{}", column + 1), numbers(column)));
        let all = inputs.chain([(TARGET.to_owned(), self.response.clone())]);
        Table::new(all.map(|(name, numbers)| Column::from_numbers(name, Kind::Real, &numbers)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Masking;

    #[test]
    fn the_first_rows_of_many_are_the_rows_of_few() {
        for masking in Masking::ALL {
            let settings = Settings { columns: 7, masking, ..Settings::default() };
            let world = World::new(&settings, 3).unwrap();
            let (few, many, later) = (world.draw(0, 50), world.draw(0, 120), world.draw(50, 70));
            assert_eq!(few.values, many.values[..350]);
            assert_eq!(few.observed, many.observed[..350]);
            assert_eq!(later.observed, many.observed[350..]);
            assert_eq!([few.response, later.response].concat(), many.response);
        }
    }

    #[test]
    fn rows_depend_on_no_thread_and_not_on_what_makes_the_holes() {
        let draw = |threads, masking| {
            let settings = Settings { masking, ..Settings::default() };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| World::new(&settings, 3).unwrap().draw(0, 500))
        };
        assert_eq!(draw(1, Masking::Mar), draw(3, Masking::Mar));
        assert_eq!(draw(1, Masking::Mar).values, draw(1, Masking::Mcar).values);
    }

    #[test]
    fn rows_have_the_moments_of_the_model_and_noise_its_share() {
        for response in Response::ALL {
            let settings = Settings { columns: 4, response, snr: 5.0, ..Settings::default() };
            let world = World::new(&settings, 8).unwrap();
            let drawn = world.draw(0, 40_000);
            let mean = |values: &dyn Fn(usize) -> f64| (0..40_000).map(values).sum::<f64>() / 4e4;
            for i in 0..4 {
                for j in 0..4 {
                    let product = |row: usize| {
                        let cell = |column: usize| drawn.values[row * 4 + column] - world.mean()[column];
                        cell(i) * cell(j)
                    };
                    let cell = |i, j| world.covariance()[i * 4 + j];
                    let error = (2.0 * cell(i, i) * cell(j, j) / 4e4).sqrt();
                    assert!((mean(&product) - cell(i, j)).abs() < 4.0 * error);
                }
            }
            let centre = mean(&|row| drawn.noiseless[row]);
            let signal = mean(&|row| (drawn.noiseless[row] - centre).powi(2));
            let noise = mean(&|row| (drawn.response[row] - drawn.noiseless[row]).powi(2));
            assert!((signal / noise / 5.0 - 1.0).abs() < 0.1, "{response}: {signal} {noise}");
        }
    }

    #[test]
    fn what_no_world_can_be_made_by_is_refused() {
        let refused = |settings: Settings| World::new(&settings, 0).err().unwrap().to_string();
        let base = Settings::default;
        assert!(refused(Settings { columns: 0, ..base() }).contains("columns"));
        assert!(refused(Settings { rate: 1.0, ..base() }).contains("rate"));
        assert!(refused(Settings { rate: f64::NAN, ..base() }).contains("rate"));
        assert!(refused(Settings { latent: 0.0, ..base() }).contains("latent"));
        assert!(refused(Settings { snr: -1.0, ..base() }).contains("snr"));
        assert!(refused(Settings { weights: vec![1.0], ..base() }).contains("weights"));
        assert!(refused(Settings { columns: 1, masking: Masking::Mar, ..base() }).contains("two columns"));
        assert!(World::new(&Settings { columns: 1, ..base() }, 0).is_ok());
    }
}
