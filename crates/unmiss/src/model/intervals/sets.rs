//! Sets of classes that hold the true one in a given share of rows: CV+ for classes.
//!
//! With p_k(x)_c the chance that the model without fold k gives class c and e_i = (1 - p_k(i)(x_i)_c(i)) /
//! s_k(i)(x_i) the error of row i of class c(i), scaled as for numbers, class c belongs to the set of a new row x
//! unless more than (1 - a)(n + 1) of the rows i have an error below (1 - p_k(i)(x)_c) / s_k(i)(x) (Romano, Sesia and
//! Candès 2020). Where every class has rows enough, c is held against rows of its own class alone: then the promise
//! is kept for each.

use serde::{Deserialize, Serialize};

use super::cross_validated::{Errors, Expected, HeldOut};
use super::spread::Spread;

/// Rows that every class must have for classes to be judged apart.
const FEWEST_OF_A_CLASS: usize = 50;

/// What the held-out rows of a cross-validation show about classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sets {
    /// How many inputs there are.
    inputs: usize,
    folds: Vec<Fold>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Fold {
    spread: Spread,
    /// By class, or one list for all of them.
    errors: Vec<Errors>,
}

impl Sets {
    /// Learns from the held-out rows of all folds, whose errors are 1 less the chance of the true class.
    pub fn learn(rows: HeldOut<'_>, truth: &[u32], classes: usize) -> Self {
        let folds = rows.folds.iter().max().map_or(0, |last| last + 1);
        let spreads = (0..folds).map(|fold| {
            let (holes, errors) = rows.of(|other| other != fold);
            Spread::learn(&holes, rows.inputs, &errors)
        });
        Self::with(rows, truth, classes, spreads.collect())
    }

    /// Learns from rows that one model did not learn from; the spread is that of others.
    pub fn split(rows: HeldOut<'_>, truth: &[u32], classes: usize, spread: Spread) -> Self {
        Self::with(rows, truth, classes, vec![spread])
    }

    fn with(rows: HeldOut<'_>, truth: &[u32], classes: usize, spreads: Vec<Spread>) -> Self {
        let of_class = |class: usize| truth.iter().filter(|&&own| own as usize == class).count();
        let apart = (0..classes).all(|class| of_class(class) >= FEWEST_OF_A_CLASS);
        let fold = |(fold, spread): (usize, Spread)| {
            let mut errors = vec![Vec::new(); if apart { classes } else { 1 }];
            for row in (0..truth.len()).filter(|&row| rows.folds[row] == fold) {
                let scaled = rows.errors[row] / spread.of(&rows.holes[row], rows.inputs);
                errors[if apart { truth[row] as usize } else { 0 }].push(scaled);
            }
            Fold { spread, errors: errors.into_iter().map(Errors::new).collect() }
        };
        Self { inputs: rows.inputs, folds: spreads.into_iter().enumerate().map(fold).collect() }
    }

    /// Whether the promise is kept for each class, and not only for all together.
    pub fn by_class(&self) -> bool {
        self.folds.first().is_some_and(|fold| fold.errors.len() > 1)
    }

    /// How many models there are.
    pub fn count(&self) -> usize {
        self.folds.len()
    }

    /// The spread that a fold's model has for a row with these holes.
    pub fn spread(&self, fold: usize, holes: &[u32]) -> f64 {
        self.folds[fold].spread.of(holes, self.inputs)
    }

    /// How much of the chance of the true class a fold's model is to be expected not to give, for a row with these
    /// holes.
    pub fn expected(&self, fold: usize, holes: &[u32]) -> Expected {
        let Fold { spread, errors } = &self.folds[fold];
        let count: usize = errors.iter().map(Errors::count).sum();
        let sum: f64 = errors.iter().map(|own| own.mean() * own.count() as f64).sum();
        Expected::new(spread.measured(holes, self.inputs), sum / count.max(1) as f64)
    }

    /// Whether a class belongs to the set of a row, from the chance that each model gives it and each one's spread.
    pub fn holds(
        &self,
        class: usize,
        chances: impl Iterator<Item = f64>,
        spreads: &[f64],
        level: f64,
    ) -> bool {
        let (mut below, mut count) = (0.0, 0);
        for ((fold, chance), spread) in self.folds.iter().zip(chances).zip(spreads) {
            let errors = &fold.errors[class.min(fold.errors.len() - 1)];
            below += errors.below((1.0 - chance) / spread);
            count += errors.count();
        }
        below < level * (count as f64 + 1.0) - 1e-9
    }

    /// Refuses what can't be what was written.
    pub fn is_sound(&self, classes: usize) -> bool {
        let sound = |fold: &Fold| {
            fold.spread.is_sound()
                && [1, classes].contains(&fold.errors.len())
                && fold.errors.iter().all(Errors::is_sound)
        };
        !self.folds.is_empty() && self.folds.iter().all(sound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// Two classes; the rarer is harder, and a hole in column 0 makes both harder. One model that knows all this.
    #[test]
    fn every_class_is_in_its_set_as_often_as_promised() {
        let mut stream = Stream::new(3, "sets", 0, 0);
        let mut draw = || {
            let hole = stream.uniform() < 0.3;
            let class = u32::from(stream.uniform() < 0.2);
            // Evidence for class 1, weak where the column is missing.
            let strength = if hole { 0.5 } else { 2.0 };
            let evidence = strength * (2.0 * f64::from(class) - 1.0) + stream.normal();
            let odds = 0.25 * (2.0 * strength * evidence).exp();
            (if hole { vec![0_u32] } else { vec![] }, class, odds / (1.0 + odds))
        };
        let (mut holes, mut truth, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..3000 {
            let (own, class, chance) = draw();
            errors.push(if class == 1 { 1.0 - chance } else { chance });
            holes.push(own);
            truth.push(class);
        }
        let folds: Vec<usize> = (0..3000).map(|row| row % 5).collect();
        let rows = HeldOut { inputs: 2, folds: &folds, holes: &holes, errors: &errors };
        let sets = Sets::learn(rows, &truth, 2);
        assert!(sets.by_class() && sets.is_sound(2));
        let (mut inside, mut all) = ([0.0; 2], [0.0; 2]);
        for _ in 0..20_000 {
            let (own, class, chance) = draw();
            let spreads: Vec<f64> = (0..5).map(|fold| sets.spread(fold, &own)).collect();
            let chance = if class == 1 { chance } else { 1.0 - chance };
            let holds = sets.holds(class as usize, std::iter::repeat_n(chance, 5), &spreads, 0.9);
            all[class as usize] += 1.0;
            inside[class as usize] += f64::from(u8::from(holds));
        }
        for class in 0..2 {
            let coverage = inside[class] / all[class];
            assert!((coverage - 0.9).abs() < 0.02, "{class}: {coverage}");
        }
    }
}
