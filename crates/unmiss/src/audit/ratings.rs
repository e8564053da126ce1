//! The audit of a model of ratings: does the predicted rating drift with how many ratings are known?
//!
//! A network over the ratings of users, or of items, has a row for each: a point is a cell of such a row that the
//! network did not learn from. Of the row's ratings, more and more are left out at random, and the network itself,
//! weights as they are, predicts the cell from the rest (Yi et al. 2020, Figure 1, first column). Where no network
//! answers, the model gets a part of a user's ratings as those of somebody new. Ratings left out at random carry no
//! information, so the mean prediction of a sound model stays.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::Serialize;

use super::collect::collect;
use super::curve::{Level, curve};
use super::degree::{Figures, Units, deviation, figures};
use super::found::AuditSettings;
use super::plan::Plan;
use super::subject::{Cases, Subject};
use super::verdict::Verdict;
use crate::data::ratings::Ratings;
use crate::error::{Error, Result};
use crate::methods::Vectors;
use crate::missing::{CountGroup, count_groups};
use crate::model::{Model, Rating};
use crate::rng::Stream;
use crate::run::Run;

/// Draws of a cell for each that is wanted, at most.
const MOST_TRIES: usize = 200;

/// All that an audit of a model of ratings found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatingAudit {
    /// Whether the mean predicted rating drifts.
    pub verdict: Verdict,
    /// What to know, in sentences, the verdict first.
    pub summary: Vec<String>,
    /// Whose ratings were left out: those of users or of items.
    pub vectors: Vectors,
    /// Whether a network answered, and not what the model says of somebody new.
    pub network: bool,
    /// Whether the cells were given, and not drawn from those without a rating.
    pub held_out: bool,
    /// The figures: `slope`, `share`, `range`, `spearman`, `drift`, and their `intervals`.
    #[serde(flatten)]
    pub figures: Figures,
    /// The predicted ratings by share of known ratings, all points together.
    pub curve: Vec<Level>,
    /// What the data themselves say: users or items by how many ratings they have.
    pub groups: Vec<CountGroup>,
    /// Points audited.
    pub points: usize,
    /// Standard deviation of the predictions for the points as they are: the unit of slope and drift.
    pub answer_deviation: f64,
    /// What was asked for.
    pub settings: AuditSettings,
}

impl RatingAudit {
    /// `user` or `item`: whose ratings were left out.
    pub fn row_name(&self) -> &'static str {
        row_name(self.vectors)
    }

    /// What was asked, in a sentence.
    pub fn question(&self) -> String {
        let cells = if self.held_out { "held-out ratings" } else { "pairs without a rating" };
        match (self.network, self.vectors) {
            (true, Vectors::Item) => format!(
                "The network itself answers, for {cells}: the item's ratings by other users are its input, and more \
                 and more of them are left out at random."
            ),
            (true, Vectors::User) => format!(
                "The network itself answers, for {cells}: the user's ratings of other items are its input, and more \
                 and more of them are left out at random."
            ),
            (false, _) => format!(
                "No network answers here: the model gets a part of a user's ratings as those of somebody new, and \
                 predicts {cells}."
            ),
        }
    }
}

fn row_name(vectors: Vectors) -> &'static str {
    match vectors {
        Vectors::User => "user",
        Vectors::Item => "item",
    }
}

/// A cell that was not learned from: its row, its column, and the ratings of the row.
struct Point {
    row: u32,
    column: u32,
    ratings: Vec<(u32, f32)>,
}

struct Points<'a> {
    model: Rating<'a>,
    network: bool,
    points: Vec<Point>,
}

impl Points<'_> {
    fn rate(&self, point: &Point, given: &[(u32, f32)]) -> f32 {
        let cell = self.network.then(|| self.model.rate_cell(point.row, given, point.column)).flatten();
        cell.unwrap_or_else(|| self.model.rate_for(given, &[point.column])[0])
    }
}

impl Subject for Points<'_> {
    fn most_cases(&self) -> usize {
        4096
    }

    fn known(&self, row: usize) -> Vec<usize> {
        (0..self.points[row].ratings.len()).collect()
    }

    fn answer(&self, cases: &Cases) -> Result<Vec<f64>> {
        let width = cases.observed.len() / cases.rows.len().max(1);
        let answer = |(case, row): (usize, &usize)| {
            let point = &self.points[*row];
            let kept =
                point.ratings.iter().zip(&cases.observed[case * width..]).filter(|(_, observed)| **observed);
            let given: Vec<(u32, f32)> = kept.map(|(rating, _)| *rating).collect();
            f64::from(self.rate(point, &given))
        };
        Ok(cases.rows.par_iter().enumerate().map(answer).collect())
    }
}

/// Audits a model of ratings. `held_out` are pairs of a user and an item whose ratings the model did not learn from;
/// those that it did learn from are passed over, and without any, pairs without a rating are drawn. `settings.rows` is
/// the number of points; the contrast is not made.
///
/// # Errors
/// When the model is not one of ratings, no pair can be asked about, or the run was stopped early.
pub fn audit_ratings(
    model: &Model,
    held_out: Option<&[(u32, u32)]>,
    settings: &AuditSettings,
    run: &Run,
) -> Result<RatingAudit> {
    settings.check()?;
    let model = model.rating()?;
    let (network, vectors) = (model.rows().is_some(), model.rows().unwrap_or(Vectors::User));
    let usable = |pair: &(u32, u32)| {
        let (row, column) = vectors.cell(pair.0, pair.1);
        let rows = vectors.of(model.ratings);
        rows.count(row) >= 2 && rows.get(row, column).is_none() && !model.is_cold(pair.0, pair.1)
    };
    let mut pairs: Vec<(u32, u32)> = match held_out {
        Some(pairs) => pairs.iter().copied().filter(usable).collect(),
        None => drawn(model.ratings, usable, settings.rows, run.seed()),
    };
    // The order in which they are given says nothing.
    pairs.sort_unstable();
    pairs.dedup();
    if pairs.is_empty() {
        let name = row_name(vectors);
        let error = Error::data(format!("there is no pair to ask about whose {name} has two other ratings"));
        return Err(error.with_hint(match held_out {
            Some(_) => "name ratings that the model did not learn from, of users and items that it knows",
            None => "an audit needs ratings of which some can be left out and others stay",
        }));
    }
    let point = |pair: &(u32, u32)| {
        let (row, column) = vectors.cell(pair.0, pair.1);
        Point { row, column, ratings: vectors.of(model.ratings).entries(row).collect() }
    };
    let order = Stream::new(run.seed(), "audit cells", 1, 0).permutation(pairs.len());
    let points: Vec<Point> =
        order.into_iter().take(settings.rows).map(|place| point(&pairs[place])).collect();
    let widest = points.iter().map(|point| point.ratings.len()).max().unwrap_or(0);
    let subject = Points { model, network, points };
    let size = (settings.rows, settings.levels, settings.masks);
    let known = |row: usize| subject.known(row);
    let plan = Plan::new(subject.points.len(), known, widest, size, run.seed());
    let answers = collect(&plan, &subject, &run.part("audit"))?;
    let values: Vec<f64> = model.ratings.by_user.values.iter().map(|value| f64::from(*value)).collect();
    let units = Units::new(&answers, 0, Some(deviation(&values)));
    let figures = figures(&plan, &answers, 0, units, run.seed());
    let mut audit = RatingAudit {
        verdict: Verdict::of(&figures),
        summary: Vec::new(),
        vectors,
        network,
        held_out: held_out.is_some(),
        figures,
        curve: curve(&plan, &answers, 0),
        groups: count_groups(vectors.of(model.ratings)),
        points: answers.rows(),
        answer_deviation: units.answers,
        settings: settings.clone(),
    };
    audit.summary = summary(&audit);
    Ok(audit)
}

/// Pairs without a rating: the user of one rating and the item of another, both drawn at random, so that busy users and
/// popular items come as often as they would among ratings held out.
fn drawn(
    ratings: &Ratings,
    usable: impl Fn(&(u32, u32)) -> bool,
    count: usize,
    seed: u64,
) -> Vec<(u32, u32)> {
    let by_user = &ratings.by_user;
    let mut stream = Stream::new(seed, "audit cells", 0, 0);
    let mut pairs = BTreeSet::new();
    for _ in 0..MOST_TRIES * count {
        if pairs.len() == count || ratings.is_empty() {
            break;
        }
        let mut user_of = || {
            let place = stream.below(ratings.len());
            let user = by_user.starts.partition_point(|start| *start <= place) - 1;
            (user as u32, place - by_user.starts[user])
        };
        let (user, _) = user_of();
        let (other, place) = user_of();
        let pair = (user, by_user.row(other).0[place]);
        if usable(&pair) {
            pairs.insert(pair);
        }
    }
    pairs.into_iter().collect()
}

fn summary(audit: &RatingAudit) -> Vec<String> {
    let (figures, name) = (&audit.figures, audit.row_name());
    let (article, verb) = if audit.vectors == Vectors::User { ("a", "gave") } else { ("an", "has") };
    let [low, high] = figures.intervals.drift;
    let moved = format!(
        "With {:.0} % of {article} {name}'s ratings known, the average predicted rating is {:.3} {} than with all of \
         them: {:.2} standard deviations of the predictions (95 % interval {low:.2} to {high:.2}).",
        100.0 * figures.drift_at,
        figures.drift_in_units.abs(),
        if figures.drift < 0.0 { "lower" } else { "higher" },
        figures.drift.abs()
    );
    let verdict = match audit.verdict {
        Verdict::Flat => {
            "Flat: the average predicted rating hardly moves when ratings are left out.".to_owned()
        }
        Verdict::MildDrift => {
            format!("Mild drift: predictions depend somewhat on how many ratings {article} {name} {verb}.")
        }
        Verdict::StrongDrift => {
            format!("Strong drift: predictions depend on how many ratings {article} {name} {verb}.")
        }
        Verdict::Unclear => "Unclear: too few points to tell whether predictions drift.".to_owned(),
    };
    let mut sentences = vec![verdict, moved, audit.question()];
    if let [first, .., last] = audit.groups.as_slice() {
        let have = if audit.vectors == Vectors::User { "give" } else { "are given" };
        sentences.push(format!(
            "In the data, {name}s with {} to {} ratings {have} {:.2} on average, {name}s with {} to {} {have} {:.2}.",
            first.fewest, first.most, first.mean, last.fewest, last.most, last.mean
        ));
    }
    sentences
}

#[cfg(test)]
mod tests;
