//! What fitting gives: one fitted thing that says which jobs it can do.

use serde_json::Value;

use super::Examples;
use super::folds::FoldModels;
use super::vectors::Vectors;
use super::written::no_formula;
use crate::encode::{Rows, Written};
use crate::error::Result;
use crate::onnx::{Graph, Symbol};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;

/// A summary that also says why the fit was ended before it was done, if it was: the model is then kept all the same.
pub(super) fn with_cut_off(mut summary: Value, words: Option<&String>) -> Value {
    if let Some(words) = words {
        summary["cut off"] = words.as_str().into();
    }
    summary
}

/// A fitted method. What it answers for a row depends on that row (and on the number of a draw) alone.
pub trait Learned: Send + Sync {
    /// The arrays from which [`Method::load`](super::Method::load) makes the same again.
    fn save(&self) -> Arrays;
    /// What there is to say about the fit: epochs, chosen strength, number of trees, what was chosen.
    fn summary(&self) -> Value;
    /// Learns what draws need beside the best guess: so many sets of parameters, each plausible given the rows it was
    /// fitted on. Nothing where draws are not proper ([`Method::proper_draws`](super::Method::proper_draws)).
    ///
    /// # Errors
    /// When the run was stopped, or the rows are of another shape.
    fn prepare_draws(&mut self, _sets: usize, _examples: Examples<'_>, _run: &Run) -> Result<()> {
        Ok(())
    }
    /// It answers for rows.
    fn predictor(&self) -> Option<&dyn Predictor> {
        None
    }
    /// It fills holes.
    fn imputer(&self) -> Option<&dyn Imputer> {
        None
    }
    /// It rates pairs of users and items.
    fn recommender(&self) -> Option<&dyn Recommender> {
        None
    }
    /// It says how plausible rows are.
    fn density(&self) -> Option<&dyn Density> {
        None
    }
    /// It is the mean of models that were each learned without some of the rows.
    fn fold_models(&self) -> Option<&FoldModels> {
        None
    }
}

/// Exact contributions: with the base they add up to the answer before it is kept within any range.
#[derive(Debug, Clone, PartialEq)]
pub struct Exact {
    /// The mean answer over the background.
    pub base: f64,
    /// `[rows, inputs]`.
    pub values: Vec<f64>,
}

/// What predicts.
pub trait Predictor: Send + Sync {
    /// `[rows, outputs]`: the standardised target, or a probability for each class.
    ///
    /// # Errors
    /// When the rows are of a shape that was not learned.
    fn predict(&self, rows: &Rows) -> Result<Vec<f64>>;

    /// What each input adds to the standardised target of each row, compared with background rows (Shapley values,
    /// exact for every order of inputs). `None` where the method has no faster way than asking about many orders, as
    /// for the chances of classes.
    ///
    /// # Errors
    /// When the rows are of a shape that was not learned.
    fn contributions(&self, _rows: &Rows, _background: &Rows) -> Result<Option<Exact>> {
        Ok(None)
    }

    /// Writes what [`Predictor::predict`] computes into a graph: `[rows, outputs]`, in double precision.
    ///
    /// # Errors
    /// When it is no formula of a row, with the reason.
    fn write(&self, _graph: &mut Graph, _rows: &Written) -> Result<Symbol> {
        Err(no_formula(self.why_no_formula()))
    }

    /// Why it is none, where it is none.
    fn why_no_formula(&self) -> &'static str {
        "what it does with a row is no formula of fixed size"
    }
}

/// What fills holes.
pub trait Imputer: Send + Sync {
    /// Puts a value under every mark that says "missing"; marks and known cells stay as they are. Without a draw
    /// it is the best single guess, with one a plausible value, another for every draw.
    ///
    /// # Errors
    /// When the rows are of a shape that was not learned.
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()>;

    /// What [`Imputer::fill`] makes of the rows for each of some draws, handed over one after the other: what all of
    /// them begin with is done once.
    ///
    /// # Errors
    /// Those of [`Imputer::fill`], and those of whom they are handed to.
    fn fill_by_draws(
        &self,
        rows: &Rows,
        draws: &[Option<Draw>],
        take: &mut dyn FnMut(Rows) -> Result<()>,
    ) -> Result<()> {
        draws.iter().try_for_each(|draw| {
            let mut filled = rows.clone();
            self.fill(&mut filled, *draw)?;
            take(filled)
        })
    }

    /// How many sets of parameters its draws have ([`Learned::prepare_draws`]). Draws with parameters of their own are
    /// proper: Rubin's rules hold for them. With none, draws differ by noise alone and intervals come out too narrow.
    fn parameter_sets(&self) -> usize {
        0
    }

    /// Writes what [`Imputer::fill`] does without a draw into a graph: the rows with a value under every mark that says
    /// "missing"; the marks stay.
    ///
    /// # Errors
    /// When it is no formula of a row, with the reason.
    fn write(&self, _graph: &mut Graph, _rows: &Written) -> Result<Written> {
        Err(no_formula(self.why_no_formula()))
    }

    /// Why it is none, where it is none.
    fn why_no_formula(&self) -> &'static str {
        "what it does with a row is no formula of fixed size"
    }
}

/// What predicts ratings. Users and items are told by their positions among the ids it learned from.
pub trait Recommender: Send + Sync {
    /// A rating for each pair of user and item. It need not lie within the scale of ratings.
    fn rate(&self, pairs: &[(u32, u32)]) -> Vec<f32>;
    /// `[users, items]`: every item's rating for some users.
    fn rate_all(&self, users: &[u32]) -> Vec<f32>;
    /// Ratings of some items for a user of whom nothing but the given ratings (item, value) is known. Nothing is
    /// trained for it.
    fn fold_in(&self, given: &[(u32, f32)], items: &[u32]) -> Vec<f32>;
    /// The network that the answer comes from, if it comes from one.
    fn by_row(&self) -> Option<&dyn ByRow> {
        None
    }
}

/// A network that takes a row of ratings, of a user or of an item, and answers for the row's other cells.
pub trait ByRow: Send + Sync {
    /// What a row is.
    fn vectors(&self) -> Vectors;
    /// What the network answers for a column of a row, its weights as they are, if nothing but the given ratings
    /// (column, value) of that row were known. With all that are known it is the answer of [`Recommender::rate`].
    fn rate_cell(&self, row: u32, given: &[(u32, f32)], column: u32) -> f32;
}

/// What says how plausible rows are.
///
/// Every pattern of holes has a density of its own: over all values that the known cells could have, it adds up to 1.
/// It is reached cell by cell (or group by group), each given those before it, so that the model's own expectation of
/// each term is at hand: by that, rows of which much is known and rows of which little is known can be compared.
pub trait Density: Send + Sync {
    /// How plausible the known cells of each row are. Numbers have a density in the model's units, categories a
    /// probability.
    ///
    /// # Errors
    /// When the rows are of a shape that was not learned.
    fn plausibility(&self, rows: &Rows) -> Result<Vec<Plausibility>>;

    /// Why what it says is no likelihood, if it is none, as a sentence.
    fn caveat(&self) -> Option<&'static str> {
        None
    }

    /// Whether pixels have a probability (of being dark or bright) instead of a density.
    fn probabilities_of_pixels(&self) -> bool {
        false
    }
}

/// How plausible a row is. With terms `t_i = ln p(x_i | x_<i)` over the known cells:
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Plausibility {
    /// `Σ t_i`, the natural logarithm of the density of what is known.
    pub log_likelihood: f64,
    /// `Σ E[t_i | x_<i]`: what the model would have expected.
    pub expected: f64,
    /// `Σ Var[t_i | x_<i]`.
    pub variance: f64,
    /// The input that surprises most, and by how much: the expectation of the logarithm of its own density less what
    /// that came out as.
    pub surprise: Option<(usize, f64)>,
}

impl Plausibility {
    /// Adds a cell (or a group of cells): what came out, what was expected, and its variance.
    pub fn add(&mut self, found: f64, expected: f64, variance: f64) {
        self.log_likelihood += found;
        self.expected += expected;
        self.variance += variance;
    }

    /// Keeps an input in mind that surprises more than those before it.
    pub fn note_surprise(&mut self, input: usize, surprise: f64) {
        if self.surprise.is_none_or(|(_, most)| surprise > most) {
            self.surprise = Some((input, surprise));
        }
    }

    /// The distance from the expectation in standard deviations: below 0 for a row less plausible than expected. If
    /// the model holds, it has mean 0 and variance 1, however much is known.
    pub fn distance(&self) -> f64 {
        if self.variance > 0.0 { (self.log_likelihood - self.expected) / self.variance.sqrt() } else { 0.0 }
    }
}

/// Mean and variance of the logarithm of a probability under the same probabilities: `Σ p ln p` and its spread.
pub(super) fn log_moments(chances: &[f64]) -> (f64, f64) {
    let mean: f64 = chances.iter().filter(|chance| **chance > 0.0).map(|chance| chance * chance.ln()).sum();
    let spread = |chance: &f64| chance * (chance.ln() - mean).powi(2);
    (mean, chances.iter().filter(|chance| **chance > 0.0).map(spread).sum())
}

/// Which of many plausible fillings.
#[derive(Debug, Clone, Copy)]
pub struct Draw {
    /// The seed of all draws.
    pub seed: u64,
    /// The number of this draw.
    pub number: u64,
    /// The place of the first of the given rows in the whole table, so that batches change nothing.
    pub first_row: u64,
}

/// The place of rows whose draws do not depend on it.
const ALIKE: u64 = u64::MAX;

impl Draw {
    /// A draw in which equal rows are filled alike, wherever they stand: for answers that are averaged over draws.
    pub fn alike(seed: u64, number: u64) -> Self {
        Self { seed, number, first_row: ALIKE }
    }

    /// The stream of a row.
    pub fn stream(&self, purpose: &str, row: usize) -> Stream {
        let place = if self.first_row == ALIKE { 0 } else { self.first_row + row as u64 };
        Stream::new(self.seed, purpose, place, self.number)
    }

    /// Which of some sets of parameters it takes: another for every draw, in turn where there are more draws.
    pub fn set(&self, sets: usize) -> usize {
        (self.number.saturating_sub(1) % sets.max(1) as u64) as usize
    }
}

/// Shorthand for tests, which know what they have fitted.
#[cfg(test)]
impl dyn Learned + '_ {
    pub(crate) fn rate(&self, pairs: &[(u32, u32)]) -> Vec<f32> {
        self.recommender().unwrap().rate(pairs)
    }

    pub(crate) fn rate_all(&self, users: &[u32]) -> Vec<f32> {
        self.recommender().unwrap().rate_all(users)
    }

    pub(crate) fn fold_in(&self, given: &[(u32, f32)], items: &[u32]) -> Vec<f32> {
        self.recommender().unwrap().fold_in(given, items)
    }

    pub(crate) fn predict(&self, rows: &crate::encode::Encoded) -> Vec<f64> {
        self.predictor().unwrap().predict(&rows.clone().into()).unwrap()
    }
}
