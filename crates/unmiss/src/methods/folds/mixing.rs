//! Several methods as one: their held-out answers mixed, each fold with weights that the other folds' rows gave.

use super::measured::{Entry, Measured};
use super::mixture::{of_chances, of_errors};
use super::models::FoldModel;
use super::splits::Splits;
use super::temperature::temperatures;
use crate::encode::{Targets, Task};
use crate::methods::Recipe;
use crate::metrics::Score;

/// Methods that would count less are left out: they cost time and room for nothing.
const SMALLEST_SHARE: f64 = 0.02;
/// Share of the loss by which a method must lower that of the others for it to be worth its time.
const SMALLEST_GAIN: f64 = 0.002;

/// Several methods as one.
pub(super) struct Mixed {
    /// How they did together: every row's answer is mixed with weights to which its own fold gave nothing.
    pub entry: Entry,
    /// The methods that count, and how much on average over the folds.
    pub members: Vec<(Recipe, f64)>,
    /// The same methods with the settings that models of all rows should have.
    pub settled: Vec<Recipe>,
    /// One model for each fold.
    pub models: Vec<FoldModel>,
}

/// The held-out rows with answers of several methods for them; the last of these knows nothing of a row.
struct Answered<'a> {
    truths: Vec<Targets>,
    /// `[folds][outputs]`
    constants: Vec<Vec<f64>>,
    /// `[methods][folds][rows, outputs]`
    answers: Vec<&'a [Vec<f64>]>,
}

impl<'a> Answered<'a> {
    fn new(splits: &Splits<'_>, answers: Vec<&'a [Vec<f64>]>) -> Self {
        let folds = 0..answers.first().map_or(0, |own| own.len());
        let truth = |fold: usize| splits.truth.select(&splits.folds.held_out[fold]);
        Self {
            truths: folds.clone().map(truth).collect(),
            constants: folds.map(|fold| splits.constant(fold)).collect(),
            answers,
        }
    }

    /// What a method answers for a row of a fold, of which one output counts.
    fn answer(&self, method: usize, fold: usize, row: usize, output: usize) -> f64 {
        let outputs = self.constants[fold].len();
        self.answers.get(method).map_or(self.constants[fold][output], |own| own[fold][row * outputs + output])
    }

    /// `[methods][rows]`: what decides about weights, over some folds, and the rows' weights.
    fn evidence(&self, folds: &[usize]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let of = |method: usize| {
            let rows =
                folds.iter().flat_map(|&fold| (0..self.truths[fold].rows()).map(move |row| (fold, row)));
            let cell = |(fold, row): (usize, usize)| {
                let truth = &self.truths[fold];
                match truth.task {
                    Task::Regression => self.answer(method, fold, row, 0) - f64::from(truth.numbers[row]),
                    Task::Classification { .. } => {
                        self.answer(method, fold, row, truth.classes[row] as usize)
                    }
                }
            };
            rows.map(cell).collect()
        };
        let rows = folds.iter().flat_map(|&fold| &self.truths[fold].weights).map(|weight| f64::from(*weight));
        ((0..=self.answers.len()).map(of).collect(), rows.collect())
    }

    /// `[methods]`: the weights that some folds give.
    fn weights(&self, folds: &[usize]) -> Vec<f64> {
        let (evidence, rows) = self.evidence(folds);
        match self.truths[0].task {
            Task::Regression => of_errors(&evidence, &rows),
            Task::Classification { .. } => of_chances(&evidence, &rows),
        }
    }

    /// `[folds][methods]`: for each fold the weights that the others give.
    fn of_other_folds(&self) -> Vec<Vec<f64>> {
        let count = self.truths.len();
        let of = |fold: usize| self.weights(&(0..count).filter(|other| *other != fold).collect::<Vec<_>>());
        (0..count).map(of).collect()
    }

    /// `[rows, outputs]` of a fold with weights.
    fn mixed(&self, fold: usize, weights: &[f64]) -> Vec<f64> {
        let outputs = self.constants[fold].len();
        let cells =
            (0..self.truths[fold].rows()).flat_map(|row| (0..outputs).map(move |output| (row, output)));
        let mean = |(row, output): (usize, usize)| {
            let each = weights.iter().enumerate();
            each.map(|(method, weight)| weight * self.answer(method, fold, row, output)).sum()
        };
        cells.map(mean).collect()
    }

    /// The loss of the best mean over all rows of the folds there are.
    fn least_loss(&self) -> f64 {
        let folds: Vec<usize> = (0..self.truths.len()).collect();
        let weights = self.weights(&folds);
        let loss = |&fold: &usize| Score::of(&self.mixed(fold, &weights), &self.truths[fold]).loss();
        folds.iter().map(loss).sum()
    }
}

/// Whether a method's answers for the first folds lower the loss of those that were measured before.
pub(super) fn is_worth_more(splits: &Splits<'_>, before: &[Measured], answers: &[Vec<f64>]) -> bool {
    let earlier: Vec<&[Vec<f64>]> = before.iter().map(|one| &one.answers[..answers.len()]).collect();
    let without = Answered::new(splits, earlier.clone()).least_loss();
    let with = Answered::new(splits, earlier.into_iter().chain([answers]).collect()).least_loss();
    with < (1.0 - SMALLEST_GAIN) * without
}

/// Mixes what was measured; `recipe` is what the mean is called.
pub(super) fn mix(splits: &Splits<'_>, mut measured: Vec<Measured>, recipe: &Recipe) -> Mixed {
    let mean = |weights: &[Vec<f64>], method: usize| {
        weights.iter().map(|own| own[method]).sum::<f64>() / weights.len() as f64
    };
    let answered = |measured: &'_ [Measured]| -> Vec<Vec<f64>> {
        Answered::new(splits, measured.iter().map(|one| one.answers.as_slice()).collect()).of_other_folds()
    };
    let seconds = measured.iter().map(|one| one.entry.seconds).sum();
    let first = answered(&measured);
    let most = (0..measured.len()).map(|method| mean(&first, method)).fold(0.0, f64::max);
    let mut place = 0..;
    measured.retain(|_| {
        let own = place.next().map_or(0.0, |method| mean(&first, method));
        // Whoever counts most stays in any case.
        own >= SMALLEST_SHARE.min(most)
    });
    let weights = answered(&measured);
    let members = measured.iter().enumerate();
    let members = members.map(|(method, one)| (one.entry.recipe.clone(), mean(&weights, method))).collect();
    let settled = measured.iter().map(|one| one.settled.clone()).collect();
    let (answers, truths, constants) = {
        let all = Answered::new(splits, measured.iter().map(|one| one.answers.as_slice()).collect());
        let mixed = weights.iter().enumerate().map(|(fold, weights)| all.mixed(fold, weights));
        (mixed.collect::<Vec<_>>(), all.truths, all.constants)
    };
    let curves = measured.iter().flat_map(|one| one.entry.curves.clone()).collect();
    let mut models: Vec<FoldModel> = weights
        .iter()
        .zip(constants)
        .map(|(weights, constant)| FoldModel {
            parts: Vec::new(),
            constant: (weights.last().copied().unwrap_or(0.0), constant),
            temperature: 1.0,
        })
        .collect();
    for (member, one) in measured.into_iter().enumerate() {
        for ((model, mut part), weights) in models.iter_mut().zip(one.parts).zip(&weights) {
            (part.member, part.weight) = (member, weights[member]);
            model.parts.push(part);
        }
    }
    let entry = Entry {
        recipe: recipe.clone(),
        scores: Vec::new(),
        seconds,
        predictions: Vec::new(),
        temperature: 1.0,
        curves,
    };
    tempered_together(Mixed { entry, members, settled, models }, answers, &truths)
}

impl Measured {
    /// One method's models, of which nothing is mixed.
    pub fn alone(self) -> Mixed {
        Mixed {
            members: vec![(self.entry.recipe.clone(), 1.0)],
            settled: vec![self.settled],
            models: self.parts.into_iter().map(FoldModel::alone).collect(),
            entry: self.entry,
        }
    }
}

/// The same with its chances softened or sharpened once more, where that helps, and with its scores.
fn tempered_together(mut mixed: Mixed, mut answers: Vec<Vec<f64>>, truths: &[Targets]) -> Mixed {
    let found = temperatures(&mut answers, truths);
    mixed.models.iter_mut().zip(&found).for_each(|(model, own)| model.temperature = *own);
    let Entry { scores, predictions, temperature, .. } = &mut mixed.entry;
    *temperature = found.iter().sum::<f64>() / found.len().max(1) as f64;
    *scores = answers.iter().zip(truths).map(|(answers, truth)| Score::of(answers, truth)).collect();
    *predictions = answers.concat();
    mixed
}
