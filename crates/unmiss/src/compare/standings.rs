//! What the fits of a comparison come to: means with intervals, ranks, and who can be told apart from the best.

use std::collections::BTreeMap;

use serde_json::Value;

use super::comparison::{Comparison, Contestant, Failure, Fit, Question};
use super::doubts::too_good;
use super::significance::{disagreement, paired_test};
use super::standing::{Against, Chosen, Standing};
use crate::encode::Task;
use crate::metrics::{mean_over_folds, ranked};

/// Differences with a smaller p value are called clear.
const LEVEL: f64 = 0.05;

impl Comparison {
    /// Works out standings and words from the fits.
    pub(super) fn settle(&mut self) {
        self.standings = standings(self);
        self.words = words(self);
    }
}

/// The parts that every contestant with a fit has done, as (repeat, fold), and those contestants.
fn common(comparison: &Comparison) -> (Vec<&Contestant>, Vec<(usize, usize)>) {
    let failed = |label: &str| comparison.failures.iter().any(|failure| failure.contestant == label);
    let started = |one: &&Contestant| {
        !failed(&one.label) && comparison.fits.iter().any(|fit| fit.contestant == one.label)
    };
    let contestants: Vec<&Contestant> = comparison.contestants.iter().filter(started).collect();
    let all = (0..comparison.repeats)
        .flat_map(|repeat| (0..comparison.folds()).map(move |fold| (repeat, fold)))
        .filter(|&(repeat, fold)| {
            contestants.iter().all(|one| comparison.fit(&one.label, repeat, fold).is_some())
        });
    let parts = all.collect();
    (contestants, parts)
}

/// Standings of a comparison, best first. A comparison that was stopped counts the parts that all have done.
fn standings(comparison: &Comparison) -> Vec<Standing> {
    let (contestants, parts) = common(comparison);
    if parts.is_empty() {
        return Vec::new();
    }
    // [contestants][parts]
    let fits: Vec<Vec<&Fit>> = contestants
        .iter()
        .map(|one| parts.iter().filter_map(|&(r, f)| comparison.fit(&one.label, r, f)).collect())
        .collect();
    let ranks = mean_ranks(&fits);
    let mut order: Vec<usize> = (0..contestants.len()).collect();
    let mean = |place: usize| fits[place].iter().map(|fit| fit.loss).sum::<f64>() / parts.len() as f64;
    order.sort_by(|a, b| ranked(mean(*a)).total_cmp(&ranked(mean(*b))));
    let best = order.first().map(|&place| &fits[place]);
    let standing = |(position, &place): (usize, &usize)| {
        let mut standing =
            Standing::of(contestants[place], &fits[place], ranks[place], comparison.test_share);
        if let Some(best) = best.filter(|_| position > 0) {
            standing.against_best = Some(against(best, &fits[place], comparison));
        }
        standing
    };
    order.iter().enumerate().map(standing).collect()
}

impl Standing {
    fn of(contestant: &Contestant, fits: &[&Fit], rank: f64, test_share: f64) -> Self {
        let losses: Vec<f64> = fits.iter().map(|fit| fit.loss).collect();
        let (loss, half) = mean_over_folds(&losses, test_share);
        let mut figures: BTreeMap<String, Option<f64>> = BTreeMap::new();
        for name in fits.iter().flat_map(|fit| fit.figures.keys()) {
            let values = fits.iter().filter_map(|fit| fit.figures.get(name).copied().flatten());
            figures.insert(name.clone(), mean(values));
        }
        let mut columns: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for column in fits.iter().flat_map(|fit| &fit.columns) {
            columns.entry(column.name.clone()).or_default().push(column.error);
        }
        let columns = columns.into_iter().filter_map(|(name, errors)| Some((name, mean(errors)?)));
        Self {
            contestant: contestant.label.clone(),
            loss,
            half: half.is_finite().then_some(half),
            rank,
            figures,
            columns: columns.collect(),
            seconds: fits.iter().map(|fit| fit.seconds).sum::<f64>() / fits.len() as f64,
            memory: fits.iter().filter_map(|fit| fit.memory).max(),
            parts: fits.len(),
            chosen: (contestant.draws > 0).then(|| chosen(contestant, fits)),
            against_best: None,
        }
    }
}

fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.into_iter().collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The settings chosen most often; of equals, those chosen first.
fn chosen(contestant: &Contestant, fits: &[&Fit]) -> Chosen {
    let times = |settings: &Value| fits.iter().filter(|fit| fit.settings == *settings).count();
    let most = fits.iter().map(|fit| times(&fit.settings)).max().unwrap_or(0);
    let settings = fits.iter().map(|fit| &fit.settings).find(|settings| times(settings) == most);
    let changed = settings.and_then(Value::as_object).into_iter().flatten();
    let changed = changed.filter(|(name, value)| contestant.settings.get(name.as_str()) != Some(value));
    Chosen { settings: changed.map(|(name, value)| (name.clone(), value.clone())).collect(), times: most }
}

/// The mean over parts of each contestant's rank; equals share the mean of their ranks.
fn mean_ranks(fits: &[Vec<&Fit>]) -> Vec<f64> {
    let parts = fits.first().map_or(0, Vec::len);
    let rank = |own: usize, part: usize| {
        let loss = |place: usize| fits[place][part].loss;
        let better = (0..fits.len()).filter(|&other| loss(other) < loss(own)).count() as f64;
        let equal = (0..fits.len()).filter(|&other| loss(other) == loss(own)).count() as f64;
        better + (equal + 1.0) / 2.0
    };
    let mean = |own: usize| (0..parts).map(|part| rank(own, part)).sum::<f64>() / parts as f64;
    (0..fits.len()).map(mean).collect()
}

fn against(best: &[&Fit], other: &[&Fit], comparison: &Comparison) -> Against {
    let differences: Vec<f64> = best.iter().zip(other).map(|(best, other)| other.loss - best.loss).collect();
    let test = paired_test(&differences, comparison.test_share);
    let rows = matches!(comparison.task, Some(Task::Classification { .. })).then(|| {
        // A row is held out once in each repeat: more repeats would count it more than once.
        let (mut first, mut second, mut truth) = (Vec::new(), Vec::new(), Vec::new());
        for (one, two) in best.iter().zip(other).filter(|(one, _)| one.repeat == 0) {
            let part = comparison.parts.iter().find(|part| (part.repeat, part.fold) == (0, one.fold));
            first.extend(&one.classes);
            second.extend(&two.classes);
            truth.extend(part.map(|part| part.truth.as_slice()).unwrap_or_default());
        }
        disagreement(&first, &second, &truth)
    });
    Against { test, rows }
}

/// Who is best, who can't be told apart from it, who is clearly worse, what was chosen, and what failed.
fn words(comparison: &Comparison) -> Vec<String> {
    let mut words = Vec::new();
    let Some(best) = comparison.standings.first() else { return failures(comparison) };
    let loss = comparison.question.loss_name(comparison.task);
    let half = best.half.map(|half| format!(" +- {half:.4}")).unwrap_or_default();
    let others = &comparison.standings[1..];
    let (name, mean) = (&best.contestant, best.loss);
    words.push(match (others.is_empty(), best.half.is_some()) {
        (true, _) => format!("`{name}` has a mean {loss} of {mean:.4}{half}."),
        (false, true) => format!("`{name}` is best: mean {loss} {mean:.4}{half}."),
        // Somebody is always first: without a second part that is no finding.
        (false, false) => format!("`{name}` has the lowest {loss}: {mean:.4}."),
    });
    words.extend(verdicts(others));
    for standing in &comparison.standings {
        words.extend(standing.chosen.as_ref().map(|chosen| search_words(standing, chosen)));
    }
    words.extend(too_good_words(comparison, best));
    words.extend(failures(comparison));
    words
}

/// A best that is too good to be true.
fn too_good_words(comparison: &Comparison, best: &Standing) -> Option<String> {
    let Question::Predictors { roles, .. } = &comparison.question else { return None };
    let task = comparison.task?;
    let headline = if task == Task::Regression { "R2" } else { "AUROC" };
    let headline = best.figures.get(headline).copied().flatten()?;
    too_good(&roles.target, task, headline, comparison.rows_compared)
        .map(|words| format!("Careful: {words}."))
}

fn verdicts(others: &[Standing]) -> Vec<String> {
    let p_of = |standing: &Standing| standing.against_best.as_ref().and_then(|against| against.test.p);
    if others.is_empty() {
        return Vec::new();
    }
    if others.iter().all(|standing| p_of(standing).is_none()) {
        return vec!["With one fit of each there is no telling what is chance: ask for more repeats.".into()];
    }
    let list = |clear: bool| {
        let with_p = others.iter().filter_map(|standing| Some((standing, p_of(standing)?)));
        let named = with_p.filter(|(_, p)| (*p < LEVEL) == clear);
        named.map(|(standing, p)| format!("`{}` ({})", standing.contestant, p_words(p))).collect::<Vec<_>>()
    };
    let (same, worse) = (list(false), list(true));
    let mut words = Vec::new();
    if !same.is_empty() {
        // That no difference shows is no proof that there is none.
        words.push(format!("On these parts it can't be told apart from {}.", same.join(", ")));
    }
    if !worse.is_empty() {
        let who = if same.is_empty() { "Every other method is clearly worse" } else { "Clearly worse" };
        words.push(format!("{who} at the 5 % level: {}.", worse.join(", ")));
    }
    words
}

fn p_words(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

fn search_words(standing: &Standing, chosen: &Chosen) -> String {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let pairs: Vec<String> =
        chosen.settings.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect();
    let what = if pairs.is_empty() { "the settings it was given".to_owned() } else { pairs.join(", ") };
    format!("`{}` chose most often ({} of {}): {what}.", standing.contestant, chosen.times, standing.parts)
}

fn failures(comparison: &Comparison) -> Vec<String> {
    let words = |failure: &Failure| format!("`{}` failed: {}.", failure.contestant, failure.what);
    comparison.failures.iter().map(words).collect()
}
