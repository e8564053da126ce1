//! One solution: users and items solved for in turns, until what was set aside is predicted no better.

use super::Settings;
use super::fitted::{Draw, Fitted};
use super::rows::{Belief, Sums, each_row};
use crate::data::ratings::{Rating, Ratings};
use crate::error::{Error, Result};
use crate::run::{Curve, Event, Run};

/// Rounds without a better score after which it ends.
const PATIENCE: usize = 3;

/// The pull to 0 of a row with so many ratings: the factors' grows with the number, the offset's does not.
pub(super) fn pull(settings: &Settings, ratings: usize) -> Belief {
    let size = settings.factors + 1;
    let mut precision = vec![settings.penalty * ratings as f64; size];
    precision[size - 1] = settings.damp;
    // A row without ratings has nothing to be pulled from.
    precision.iter_mut().for_each(|value| *value = value.max(1e-9));
    Belief { precision, mean: vec![0.0; size] }
}

/// Alternating least squares.
pub(super) fn fit(ratings: &Ratings, settings: Settings, run: &Run) -> Result<Fitted> {
    let (learning, held) = ratings.split(settings.validation, run.seed());
    let (mean, _, mut items) = super::start(&learning, settings.factors, run.seed());
    let make = |_: usize, known: usize, sums: &Sums| sums.solved(1.0, &pull(&settings, known));
    let mut best: Option<Fitted> = None;
    let mut scores = Vec::new();
    for round in 1..=settings.rounds {
        if run.stopped() {
            break;
        }
        let users = each_row(&learning.by_user, mean, &items, make);
        items = each_row(&learning.by_item, mean, &users, make);
        let mut now =
            Fitted::new(settings, mean, users, items.clone(), vec![Draw::certain(&settings)], round);
        let score = rmse(&now, &held);
        now.validation = score;
        scores.extend(score);
        let detail = score.map_or_else(String::new, |score| format!("validation {score:.4}"));
        run.progress(round as u64, settings.rounds as u64, detail);
        let is_better = match (&best, score) {
            (Some(best), Some(score)) => best.validation.is_none_or(|least| score < least),
            _ => true,
        };
        if is_better {
            best = Some(now);
        } else if best.as_ref().is_some_and(|best| round >= best.rounds + PATIENCE) {
            break;
        }
    }
    run.finished();
    let best = best.ok_or(Error::Stopped)?;
    run.tell(&Event::Trained(Curve {
        task: run.task().to_owned(),
        step: "round",
        training: Vec::new(),
        validation: scores,
        best: best.rounds,
    }));
    Ok(best)
}

fn rmse(fitted: &Fitted, held: &[Rating]) -> Option<f64> {
    let square = |rating: &Rating| f64::from(fitted.score(rating.user, rating.item) - rating.value).powi(2);
    let total: f64 = held.iter().map(square).sum();
    (!held.is_empty()).then(|| (total / held.len() as f64).sqrt())
}

impl Draw {
    /// The one solution of least squares; its beliefs follow from the number of ratings.
    fn certain(settings: &Settings) -> Self {
        Self { noise: 1.0, users: pull(settings, 1) }
    }
}
