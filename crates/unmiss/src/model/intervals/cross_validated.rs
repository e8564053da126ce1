//! CV+: intervals from the models of a cross-validation and the errors that each made on its own fold.
//!
//! With f_k learned without fold k and e_i = |y_i - f_k(i)(x_i)| / s_k(i)(x_i) the error of row i, scaled by the spread
//! s_k that the other folds' errors show for its holes, the interval of a new row x reaches from the ⌊a (n+1)⌋-th
//! smallest of f_k(i)(x) - e_i s_k(i)(x) to the ⌈(1-a)(n+1)⌉-th smallest of f_k(i)(x) + e_i s_k(i)(x), over all rows i
//! (Barber, Candès, Ramdas and Tibshirani 2021; scaled errors: Gupta, Kuchibhotla and Ramdas 2022).
//!
//! With a single model and rows that it did not learn from it is split conformal (Vovk et al. 2005; Lei et al. 2018).

mod written;

use serde::{Deserialize, Serialize};

use super::spread::Spread;

/// Errors kept of a fold.
const MOST_KEPT: usize = 1000;
/// Numbers that are put in order rather than halved again.
const FEW_LEFT: usize = 12;
/// Halvings, at most: numbers that are all the same can't be told apart.
const MOST_HALVINGS: usize = 40;

/// The folds of a cross-validation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CrossValidated {
    /// How many inputs there are.
    inputs: usize,
    folds: Vec<Fold>,
}

/// What one model's held-out rows showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Fold {
    /// The spread by what is missing, from the errors of the other folds.
    spread: Spread,
    errors: Errors,
}

/// Held-out rows of a model: which fold each is of, its holes, and how far off the fold's model was.
#[derive(Debug, Clone, Copy)]
pub struct HeldOut<'a> {
    /// How many inputs there are.
    pub inputs: usize,
    /// The fold of each row.
    pub folds: &'a [usize],
    /// The positions of its holes, ascending.
    pub holes: &'a [Vec<u32>],
    /// The size of the error.
    pub errors: &'a [f64],
}

impl HeldOut<'_> {
    /// Rows of some folds: their holes and errors.
    pub fn of(&self, wanted: impl Fn(usize) -> bool) -> (Vec<Vec<u32>>, Vec<f64>) {
        let rows = (0..self.errors.len()).filter(|&row| wanted(self.folds[row]));
        rows.map(|row| (self.holes[row].clone(), self.errors[row])).unzip()
    }

    /// How many folds there are.
    fn count(&self) -> usize {
        self.folds.iter().max().map_or(0, |last| last + 1)
    }
}

impl CrossValidated {
    /// Learns from the held-out rows of all folds.
    pub fn learn(rows: HeldOut<'_>) -> Self {
        let fold = |fold: usize| {
            let (holes, errors) = rows.of(|other| other != fold);
            let spread = Spread::learn(&holes, rows.inputs, &errors);
            Fold { errors: scaled(rows, fold, &spread), spread }
        };
        Self { inputs: rows.inputs, folds: (0..rows.count()).map(fold).collect() }
    }

    /// Learns from rows that one model did not learn from; the spread is that of others.
    pub fn split(rows: HeldOut<'_>, spread: Spread) -> Self {
        let errors = scaled(rows, 0, &spread);
        Self { inputs: rows.inputs, folds: vec![Fold { spread, errors }] }
    }

    /// How many models there are.
    pub fn count(&self) -> usize {
        self.folds.len()
    }

    /// The spread that a fold's model has for a row with these holes.
    pub fn spread(&self, fold: usize, holes: &[u32]) -> f64 {
        self.folds[fold].spread.of(holes, self.inputs)
    }

    /// How far off a fold's model is to be expected for a row with these holes, in the model's units and relative to
    /// its errors of all rows, and whether that was measured.
    pub fn expected(&self, fold: usize, holes: &[u32]) -> Expected {
        let Fold { spread, errors } = &self.folds[fold];
        Expected::new(spread.measured(holes, self.inputs), errors.mean())
    }

    /// The interval of a row from each model's answer and spread.
    pub fn interval(&self, answers: &[f64], spreads: &[f64], level: f64) -> (f64, f64) {
        let lists = |sign: f64| -> Vec<List<'_>> {
            let each = self.folds.iter().zip(answers).zip(spreads);
            each.map(|((fold, answer), spread)| List {
                errors: &fold.errors,
                center: sign * answer,
                spread: *spread,
            })
            .collect()
        };
        let (lower, upper) = (-quantile(&lists(-1.0), level), quantile(&lists(1.0), level));
        // At low levels the ends may cross, and models may disagree: the mean answer always belongs to it.
        let mean = answers.iter().sum::<f64>() / answers.len().max(1) as f64;
        (lower.min(mean), upper.max(mean))
    }

    /// How far an interval reaches to either side for a row with these holes on whose answer all models agree.
    pub fn reach(&self, holes: &[u32], level: f64) -> f64 {
        let spreads: Vec<f64> = (0..self.folds.len()).map(|fold| self.spread(fold, holes)).collect();
        self.interval(&vec![0.0; self.folds.len()], &spreads, level).1
    }

    /// The share of held-out rows whose scaled error is within what the other folds' errors promise at a level.
    pub fn check(&self, level: f64) -> f64 {
        let (mut inside, mut all) = (0.0, 0.0);
        for (place, fold) in self.folds.iter().enumerate() {
            let others = self.folds.iter().enumerate().filter(|(other, _)| *other != place);
            let lists: Vec<List<'_>> =
                others.map(|(_, other)| List { errors: &other.errors, center: 0.0, spread: 1.0 }).collect();
            inside += fold.errors.below(quantile(&lists, level).next_up());
            all += fold.errors.count as f64;
        }
        inside / f64::max(all, 1.0)
    }

    /// Refuses what can't be what was written.
    pub fn is_sound(&self) -> bool {
        let sound = |fold: &Fold| fold.spread.is_sound() && fold.errors.is_sound();
        !self.folds.is_empty() && self.folds.iter().all(sound)
    }
}

fn scaled(rows: HeldOut<'_>, fold: usize, spread: &Spread) -> Errors {
    let (holes, errors) = rows.of(|own| own == fold);
    Errors::new(
        errors.iter().zip(&holes).map(|(error, holes)| error / spread.of(holes, rows.inputs)).collect(),
    )
}

/// How far off a model is to be expected for a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// Relative to the mean error of all rows.
    pub spread: f64,
    /// In the model's units.
    pub size: f64,
    /// Whether rows as far off were measured.
    pub is_measured: bool,
}

impl Expected {
    /// From a row's spread and the mean of scaled errors.
    pub fn new((spread, is_measured): (f64, bool), mean: f64) -> Self {
        Self { spread, size: spread * mean, is_measured }
    }
}

/// Errors in ascending order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// How many there were.
    count: usize,
    /// Those kept.
    kept: Vec<f32>,
}

impl Errors {
    /// Sorts errors, and thins them evenly if there are many.
    pub fn new(errors: Vec<f64>) -> Self {
        // Rounded up: a stored error may widen an interval, never narrow it.
        let mut kept: Vec<f32> = errors.iter().map(|error| (*error as f32).next_up()).collect();
        kept.sort_unstable_by(f32::total_cmp);
        let count = kept.len();
        if count > MOST_KEPT {
            // The larger neighbour of each position, for the same reason.
            let position = |index: usize| ((index + 1) * count).div_ceil(MOST_KEPT) - 1;
            kept = (0..MOST_KEPT).map(|index| kept[position(index)]).collect();
        }
        Self { count, kept }
    }

    /// How many there were.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many of them each kept one stands for.
    fn weight(&self) -> f64 {
        self.count as f64 / self.kept.len().max(1) as f64
    }

    /// Their mean.
    pub fn mean(&self) -> f64 {
        self.kept.iter().map(|error| f64::from(*error)).sum::<f64>() / self.kept.len().max(1) as f64
    }

    /// How many errors are below a bound.
    pub fn below(&self, bound: f64) -> f64 {
        self.weight() * self.kept.partition_point(|error| f64::from(*error) < bound) as f64
    }

    /// Whether all numbers can be used.
    pub fn is_sound(&self) -> bool {
        self.kept.len() <= self.count
            && self.kept.is_empty() == (self.count == 0)
            && self.kept.iter().all(|error| *error >= 0.0)
            && self.kept.is_sorted()
    }
}

/// The numbers center + spread e over a fold's errors e.
#[derive(Clone, Copy)]
struct List<'a> {
    errors: &'a Errors,
    center: f64,
    spread: f64,
}

impl List<'_> {
    fn at(&self, place: usize) -> f64 {
        self.center + self.spread * f64::from(self.errors.kept[place])
    }

    /// The first place from `start` on whose number is beyond a bound.
    fn first(&self, start: usize, beyond: impl Fn(f64) -> bool) -> usize {
        let number = |error: &f32| self.center + self.spread * f64::from(*error);
        start + self.errors.kept[start..].partition_point(|error| !beyond(number(error)))
    }
}

/// The ⌈level (n + 1)⌉-th smallest number of all lists; infinite if there are not so many.
fn quantile(lists: &[List<'_>], level: f64) -> f64 {
    let lists: Vec<&List<'_>> = lists.iter().filter(|list| list.errors.count > 0).collect();
    let count: usize = lists.iter().map(|list| list.errors.count).sum();
    // A rank that is whole but for rounding is not one higher.
    let rank = (level * (count as f64 + 1.0) - 1e-9).ceil().max(1.0);
    if rank > count as f64 {
        return f64::INFINITY;
    }
    // It lies between the smallest and the largest of the lists' own quantiles.
    let share = rank / count as f64;
    let own = |list: &&&List<'_>| {
        let kept = list.errors.kept.len();
        list.at(((share * kept as f64 - 1e-9).ceil() as usize).clamp(1, kept) - 1)
    };
    let mut low = lists.iter().map(|list| own(&list)).fold(f64::INFINITY, f64::min);
    let mut high = lists.iter().map(|list| own(&list)).fold(f64::NEG_INFINITY, f64::max);
    let window =
        |list: &&List<'_>| (list.first(0, |number| number >= low), list.first(0, |number| number > high));
    let mut windows: Vec<(usize, usize)> = lists.iter().map(window).collect();
    // Halved until few numbers are left: lists are sorted, so each look costs a search and no pass over them.
    for _ in 0..MOST_HALVINGS {
        if windows.iter().map(|(start, end)| end - start).sum::<usize>() <= FEW_LEFT {
            break;
        }
        let middle = 0.5 * (low + high);
        let up_to = |(list, (start, end)): (&&List<'_>, &(usize, usize))| {
            list.first(*start, |number| number > middle).min(*end)
        };
        let places: Vec<usize> = lists.iter().zip(&windows).map(up_to).collect();
        let weight: f64 =
            lists.iter().zip(&places).map(|(list, place)| list.errors.weight() * *place as f64).sum();
        let enough = weight >= rank - 1e-6;
        if enough {
            high = middle
        } else {
            low = middle
        }
        for ((start, end), place) in windows.iter_mut().zip(places) {
            if enough { *end = place } else { *start = place }
        }
    }
    let (mut below, mut between) = (0.0, Vec::new());
    for (list, (start, end)) in lists.into_iter().zip(windows) {
        below += list.errors.weight() * start as f64;
        between.extend((start..end).map(|place| (list.at(place), list.errors.weight())));
    }
    between.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    for (number, weight) in between {
        below += weight;
        if below >= rank - 1e-6 {
            return number;
        }
    }
    high
}

#[cfg(test)]
mod tests;
