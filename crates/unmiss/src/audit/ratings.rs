//! The audit of a model of ratings: does the predicted rating drift with how many ratings a user gave?
//!
//! A point is a user and one of the items they rated. Of the user's other ratings, more and more are left out at
//! random; the model gets the rest as those of somebody new and predicts the one item (Yi et al. 2020, Figure 1, first
//! column). Ratings left out at random carry no information, so the mean prediction of a sound model stays.

use rayon::prelude::*;
use serde::Serialize;

use super::collect::collect;
use super::curve::{Level, curve};
use super::degree::{Figures, Units, deviation, figures};
use super::found::AuditSettings;
use super::plan::Plan;
use super::subject::{Cases, Subject};
use super::verdict::Verdict;
use crate::error::{Error, Result};
use crate::missing::{UserGroup, user_groups};
use crate::model::{Model, Rating};
use crate::rng::Stream;
use crate::run::Run;

/// All that an audit of a model of ratings found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RatingAudit {
    /// Whether the mean predicted rating drifts.
    pub verdict: Verdict,
    /// What to know, in sentences, the verdict first.
    pub summary: Vec<String>,
    /// The figures: `slope`, `share`, `range`, `spearman`, `drift`, and their `intervals`.
    #[serde(flatten)]
    pub figures: Figures,
    /// The predicted ratings by share of known ratings, all points together.
    pub curve: Vec<Level>,
    /// What the data themselves say: users by how many ratings they gave.
    pub groups: Vec<UserGroup>,
    /// Points audited.
    pub points: usize,
    /// Standard deviation of the predictions for the points as they are: the unit of slope and drift.
    pub answer_deviation: f64,
    /// What was asked for.
    pub settings: AuditSettings,
}

/// A user and one of their rated items.
struct Point {
    item: u32,
    /// The user's other ratings.
    others: Vec<(u32, f32)>,
}

struct Points<'a> {
    model: Rating<'a>,
    points: Vec<Point>,
}

impl Subject for Points<'_> {
    fn most_cases(&self) -> usize {
        4096
    }

    fn known(&self, row: usize) -> Vec<usize> {
        (0..self.points[row].others.len()).collect()
    }

    fn answer(&self, cases: &Cases) -> Result<Vec<f64>> {
        let width = cases.observed.len() / cases.rows.len().max(1);
        let answer = |(case, row): (usize, &usize)| {
            let Point { item, others } = &self.points[*row];
            let kept = others.iter().zip(&cases.observed[case * width..]).filter(|(_, observed)| **observed);
            let given: Vec<(u32, f32)> = kept.map(|(rating, _)| *rating).collect();
            f64::from(self.model.rate_for(&given, &[*item])[0])
        };
        Ok(cases.rows.par_iter().enumerate().map(answer).collect())
    }
}

/// Audits a model of ratings on the users it knows. `settings.rows` is the number of points; the contrast is not made.
///
/// # Errors
/// When the model is not one of ratings, no user has three ratings, or the run was stopped early.
pub fn audit_ratings(model: &Model, settings: &AuditSettings, run: &Run) -> Result<RatingAudit> {
    settings.check()?;
    let model = model.rating()?;
    let by_user = &model.ratings.by_user;
    let users: Vec<u32> = (0..by_user.rows() as u32).filter(|user| by_user.count(*user) >= 3).collect();
    if users.is_empty() {
        return Err(Error::data("no user has three ratings, so none can be left out and another stay")
            .with_hint("an audit needs users of whom something is known"));
    }
    let order = Stream::new(run.seed(), "audit users", 0, 0).permutation(users.len());
    let point = |place: usize| {
        let user = users[place];
        let (items, values) = by_user.row(user);
        let chosen = Stream::new(run.seed(), "audit item", u64::from(user), 0).below(items.len());
        let all = items.iter().copied().zip(values.iter().copied()).enumerate();
        let others = all.filter(|(place, _)| *place != chosen).map(|(_, rating)| rating).collect();
        Point { item: items[chosen], others }
    };
    let points: Vec<Point> = order.into_iter().take(settings.rows).map(point).collect();
    let widest = points.iter().map(|point| point.others.len()).max().unwrap_or(0);
    let subject = Points { model, points };
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
        figures,
        curve: curve(&plan, &answers, 0),
        groups: user_groups(model.ratings),
        points: answers.rows(),
        answer_deviation: units.answers,
        settings: settings.clone(),
    };
    audit.summary = summary(&audit);
    Ok(audit)
}

fn summary(audit: &RatingAudit) -> Vec<String> {
    let figures = &audit.figures;
    let [low, high] = figures.intervals.drift;
    let moved = format!(
        "With {:.0} % of a user's ratings known, the average predicted rating is {:.3} {} than with all of them: {:.2} \
         standard deviations of the predictions (95 % interval {low:.2} to {high:.2}).",
        100.0 * figures.drift_at,
        figures.drift_in_units.abs(),
        if figures.drift < 0.0 { "lower" } else { "higher" },
        figures.drift.abs()
    );
    let verdict = match audit.verdict {
        Verdict::Flat => "Flat: the average predicted rating hardly moves when ratings are left out.",
        Verdict::MildDrift => "Mild drift: predictions depend somewhat on how many ratings a user gave.",
        Verdict::StrongDrift => "Strong drift: predictions depend on how many ratings a user gave.",
        Verdict::Unclear => "Unclear: too few points to tell whether predictions drift.",
    };
    let mut sentences = vec![verdict.to_owned(), moved];
    if let [first, .., last] = audit.groups.as_slice() {
        sentences.push(format!(
            "In the data, users with {} to {} ratings give {:.2} on average, users with {} to {} give {:.2}.",
            first.fewest, first.most, first.mean, last.fewest, last.most, last.mean
        ));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ratings::sample;
    use crate::model::{Aim, Recipe};

    fn found(sets: &[(&str, &str)], method: &str) -> RatingAudit {
        let recipe = sets
            .iter()
            .fold(Recipe::named(method).unwrap(), |recipe, (name, value)| recipe.set(name, value).unwrap());
        let run = Run::new(1, 2).unwrap();
        let model = Model::fit(&sample().into(), &Aim::Rate, &recipe, &run).unwrap();
        let settings = AuditSettings { rows: 60, levels: 6, masks: 10, ..AuditSettings::default() };
        let audit = audit_ratings(&model, &settings, &run).unwrap();
        assert_eq!(audit, audit_ratings(&model, &settings, &Run::new(1, 1).unwrap()).unwrap());
        audit
    }

    #[test]
    fn the_audit_hides_ratings_and_nothing_else() {
        let user =
            [("vectors", "user"), ("hidden", "24"), ("decay", "10"), ("rate", "0.01"), ("epochs", "30")];
        for audit in [found(&user, "autorec"), found(&[], "biases")] {
            assert_eq!((audit.curve.len(), audit.points), (6, 60));
            let (few, all) = (&audit.curve[0], &audit.curve[5]);
            assert!(few.known < 0.1 * all.known && all.share == 1.0);
            assert!(few.scatter > 0.0 && all.scatter == 0.0, "with all ratings known there is one answer");
            assert!(audit.figures.drift.abs() < 1.0 && audit.summary.len() == 3);
            assert_eq!(audit.groups.iter().map(|group| group.users).sum::<usize>(), 300);
            assert!(audit.groups.windows(2).all(|pair| pair[0].most <= pair[1].fewest));
        }
    }

    #[test]
    fn users_with_too_few_ratings_are_no_points() {
        let ratings = sample();
        let few: Vec<_> = ratings.iter().filter(|rating| rating.item < 2).collect();
        let ratings =
            crate::data::ratings::Ratings::new(ratings.users.clone(), ratings.items.clone(), few).unwrap();
        let run = Run::new(1, 1).unwrap();
        let model = Model::fit(&ratings.into(), &Aim::Rate, &Recipe::named("biases").unwrap(), &run).unwrap();
        let error = audit_ratings(&model, &AuditSettings::default(), &run).unwrap_err();
        assert!(error.to_string().contains("no user has three ratings"));
    }
}
