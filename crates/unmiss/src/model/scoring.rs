//! A model that says how plausible rows are: by the density of what is known of them, and by how many other rows are
//! as implausible.
//!
//! Densities of rows with different holes can't be compared as they are: every known cell adds a factor in units of
//! its own. So each row is held against the model's expectation for what is known of it
//! ([`Plausibility::distance`]), and the distance against those of rows that were held out and know about as much:
//!
//! ```text
//! rarity = (1 + rows compared with that are at most as plausible) / (1 + rows compared with)
//! ```
//!
//! This has the form of a conformal p-value: for a row like the others, it is at most x with a chance of about x at
//! most, even where the model's density is wrong. It is no guarantee: the rows compared with were judged by a model
//! learned without them, new rows by the one learned from all; and some of the rows compared with have cells hidden at
//! random.
//!
//! ```no_run
//! use unmiss::{data, model::{Aim, DensityPlan, Model, Recipe}, run::Run};
//! # fn main() -> unmiss::error::Result<()> {
//! let ward = data::read("ward.csv".as_ref(), &Default::default())?.table.into();
//! let aim = Aim::Density(DensityPlan::default());
//! let model = Model::fit(&ward, &aim, &Recipe::named("gaussian")?, &Run::new(0, 0)?)?;
//! let scored = model.scoring()?.score(&ward, |_, _| {})?;
//! let rarest = scored.iter().filter(|row| row.rarity.is_some_and(|rarity| rarity < 0.01)).count();
//! # Ok(())
//! # }
//! ```

use super::filling::fillable;
use super::parts::{DensityPlan, Made, Part, Reference, Summary};
use crate::data::Data;
use crate::encode::{Coder, Rows};
use crate::error::{Error, Result};
use crate::methods::{Density, Examples, Learned, Plausibility, Recipe};
use crate::rng::Stream;
use crate::run::Run;

/// Rows that a row is compared with, at least where there are so many: those whose number of known inputs is nearest.
const NEAREST: usize = 200;
/// Held-out rows that are kept to compare with, at most.
const MOST_KEPT: usize = 2_000;

/// A model as one that says how plausible rows are.
#[derive(Clone, Copy)]
pub struct Scoring<'a> {
    /// The translation of data.
    pub coder: &'a Coder,
    /// What rows are compared with.
    pub part: &'a Reference,
    density: &'a dyn Density,
}

/// How plausible a row is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The natural logarithm of the density of what is known, in the units of the data; categories count by their
    /// probability. 0 where nothing is known.
    pub log_likelihood: f64,
    /// How many inputs are known.
    pub known: usize,
    /// The share of comparable rows that are at most as plausible; none where nothing is known.
    pub rarity: Option<f64>,
    /// The input that surprises most, by its place in [`Coder::names`].
    pub surprise: Option<usize>,
}

/// Learns from all rows, after others learned from most of them were measured on the rest.
pub(super) fn fit(data: &Data, plan: &DensityPlan, recipe: &Recipe, run: &Run) -> Result<Made> {
    if !(0.0..=0.5).contains(&plan.test) {
        return Err(Error::setting("test", format!("{} is not between 0 and 0.5", plan.test))
            .with_hint("0.2 holds out a fifth of the rows; 0 holds out none"));
    }
    plan.ignored.iter().try_for_each(|name| data.column(name).map(drop))?;
    let (names, ignored) = fillable(data, &plan.ignored)?;
    let mut order = Stream::new(run.seed(), "density rows", 0, 0).permutation(data.rows());
    let held_out = order.split_off(order.len() - (plan.test * data.rows() as f64).round() as usize);
    if held_out.is_empty() || order.is_empty() {
        let fitted = learn(data, &names, recipe, run)?;
        let reference = fitted.reference(data, run)?;
        return Ok(fitted.made(Reference { ignored, held_out: 0, ..reference }, run));
    }
    order.sort_unstable();
    let measured = learn(&data.select(&order)?, &names, recipe, &run.part("measured"))?;
    let reference = measured.reference(&data.select(&held_out)?, run)?;
    let reference = Reference { ignored, ..reference };
    if !run.stopped() {
        let whole = learn(data, &names, recipe, run);
        // One that was stopped on its way is not put in the place of one that was measured.
        if !run.stopped() {
            return Ok(whole?.made(reference, run));
        }
    }
    let mut made = measured.made(reference, run);
    made.summary.cut_off.get_or_insert_with(|| {
        "It was stopped before it had learned from the rows that were held out.".into()
    });
    Ok(made)
}

/// What is learned from some rows.
struct Fitted {
    coder: Coder,
    rows: Rows,
    learned: Box<dyn Learned>,
}

fn learn(data: &Data, names: &[String], recipe: &Recipe, run: &Run) -> Result<Fitted> {
    let known = |name: &String| data.column(name).is_ok_and(|own| own.missing() < own.rows());
    let names: Vec<String> = names.iter().filter(|name| known(name)).cloned().collect();
    let coder = Coder::fit(data, &names, recipe.method.encoding(&recipe.settings)?)?;
    let rows = coder.encode(data, |_, _| {})?;
    let examples = Examples::new(&coder, &rows, None)?;
    let learned = run.compute(|| recipe.method.fit(&recipe.settings, examples, run))?;
    Ok(Fitted { coder, rows, learned })
}

impl Fitted {
    fn density(&self) -> Result<&dyn Density> {
        self.learned.density().ok_or_else(|| Error::data("the method does not say how plausible rows are"))
    }

    /// What rows are like: each as it is, and once more with a part of its cells hidden, for rows of which less is
    /// known.
    fn reference(&self, data: &Data, run: &Run) -> Result<Reference> {
        let rows = self.coder.encode(data, |_, _| {})?;
        let density = self.density()?;
        let found = run.compute(|| in_units(&self.coder, density, &rows))?;
        let mean = found.iter().map(|row| row.log_likelihood).sum::<f64>() / found.len().max(1) as f64;
        let kept: Vec<usize> = (0..rows.len().min(MOST_KEPT)).collect();
        let mut thinned = rows.select(&kept)?;
        for row in 0..thinned.len() {
            let mut stream = Stream::new(run.seed(), "density thinned", row as u64, 0);
            let mut known = thinned.known(row);
            stream.shuffle(&mut known);
            let stay = if known.is_empty() { 0 } else { 1 + stream.below(known.len()) };
            known.drain(stay..).try_for_each(|input| thinned.hide(row, input))?;
        }
        let less = run.compute(|| density.plausibility(&thinned))?;
        let counts = rows.known_counts().into_iter().take(kept.len()).chain(thinned.known_counts());
        let mut all: Vec<(usize, f64)> = counts
            .zip(found.iter().take(kept.len()).chain(&less).map(Plausibility::distance))
            .filter(|(known, _)| *known > 0)
            .collect();
        all.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        let (known, distances) = all.into_iter().unzip();
        let ignored = Default::default();
        Ok(Reference { ignored, held_out: rows.len(), mean_log_likelihood: mean, known, distances })
    }

    fn made(self, part: Reference, run: &Run) -> Made {
        let summary = Summary::new(&self.rows, &*self.learned, run);
        Made { coder: self.coder, part: Part::Density(part), summary, learned: self.learned }
    }
}

/// Densities per unit of the data instead of per unit of the model: `ln p(x) = ln p(z) - Σ ln width`.
fn in_units(coder: &Coder, density: &dyn Density, rows: &Rows) -> Result<Vec<Plausibility>> {
    let mut found = density.plausibility(rows)?;
    if coder.images().is_err() || !density.probabilities_of_pixels() {
        for (row, logarithm) in found.iter_mut().zip(coder.log_units(rows)?) {
            row.log_likelihood -= logarithm;
            row.expected -= logarithm;
        }
    }
    Ok(found)
}

impl Reference {
    /// Whether it can be what was written.
    pub(super) fn is_sound(&self) -> bool {
        self.known.len() == self.distances.len()
            && self.known.is_sorted()
            && self.mean_log_likelihood.is_finite()
            && self.distances.iter().all(|distance| distance.is_finite())
    }

    /// The share of rows that know about as much and are at most as plausible.
    fn rarity(&self, known: usize, distance: f64) -> f64 {
        // The window of nearest counts grows to the side that is nearer; all rows with the same count belong to it.
        let mut start = self.known.partition_point(|own| *own < known);
        let mut end = self.known.partition_point(|own| *own <= known);
        while end - start < NEAREST.min(self.known.len()) {
            let below = start.checked_sub(1).map(|place| self.known[place]);
            let above = self.known.get(end).copied();
            let nearest = [below, above].into_iter().flatten().map(|own| own.abs_diff(known)).min();
            let Some(nearest) = nearest else { break };
            start = self.known.partition_point(|own| *own + nearest < known);
            end = self.known.partition_point(|own| *own <= known + nearest);
        }
        let rarer = self.distances[start..end].iter().filter(|own| **own <= distance).count();
        (1 + rarer) as f64 / (1 + end - start) as f64
    }
}

impl<'a> Scoring<'a> {
    pub(super) fn new(coder: &'a Coder, part: &'a Reference, density: &'a dyn Density) -> Self {
        Self { coder, part, density }
    }

    /// Why what it says is no likelihood, if it is none, as a sentence.
    pub fn caveat(&self) -> Option<&'static str> {
        self.density.caveat()
    }

    /// How plausible the rows of data are. `unseen` is told (column, level) for category levels that training never
    /// saw: they count as holes.
    ///
    /// # Errors
    /// When a column that was learned is absent or of another kind.
    pub fn score(&self, data: &Data, unseen: impl FnMut(&str, &str)) -> Result<Vec<Scored>> {
        self.score_rows(&self.coder.encode(data, unseen)?)
    }

    /// The same for rows that are encoded already.
    ///
    /// # Errors
    /// When the rows are of another shape.
    pub fn score_rows(&self, rows: &Rows) -> Result<Vec<Scored>> {
        let found = in_units(self.coder, self.density, rows)?;
        let scored = |(known, row): (usize, Plausibility)| Scored {
            log_likelihood: row.log_likelihood,
            known,
            rarity: (known > 0).then(|| self.part.rarity(known, row.distance())),
            surprise: row.surprise.map(|(input, _)| input),
        };
        Ok(rows.known_counts().into_iter().zip(found).map(scored).collect())
    }
}

#[cfg(test)]
mod tests;
