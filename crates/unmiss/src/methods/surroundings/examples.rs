//! Learning by hiding: known values of series with what stands around them, and how far they are from the line.

use rayon::prelude::*;

use super::around::Around;
use crate::encode::{SeriesBatch, SeriesRows};
use crate::rng::Stream;

/// The smallest share of a series that is hidden where one is.
const LEAST: f64 = 0.05;
/// The largest.
const MOST: f64 = 0.9;

/// What else of a series is hidden when a value is guessed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum View {
    /// Nothing.
    Whole,
    /// A share of the known values.
    Holed,
    /// All that is known in a stretch of time.
    Cut,
}

/// Which view an example is of: half of them of the whole series.
const VIEWS: [View; 4] = [View::Whole, View::Whole, View::Holed, View::Cut];

impl View {
    /// What is known of a series, `[steps, D]`.
    fn shown(self, batch: &SeriesBatch, mut stream: Stream) -> Vec<bool> {
        let mut shown: Vec<bool> = batch.observed.iter().map(|mark| *mark > 0.0).collect();
        match self {
            Self::Whole => {}
            Self::Holed => {
                let share = LEAST + (MOST - LEAST) * stream.uniform().powi(2);
                shown.iter_mut().for_each(|mark| *mark &= stream.uniform() >= share);
            }
            Self::Cut => {
                let length = 1 + (MOST * stream.uniform() * batch.steps as f64) as usize;
                let from = stream.below(batch.steps.max(1));
                let cells = from * batch.variables..(from + length).min(batch.steps) * batch.variables;
                shown[cells].fill(false);
            }
        }
        shown
    }
}

/// Known values of one variable, and what stands around them.
#[derive(Default)]
pub struct Examples {
    /// `[examples, numbers]`
    pub numbers: Vec<f32>,
    /// How far each value is from the line.
    pub offsets: Vec<f64>,
    /// By how far away other known values are: [`Around::class`].
    pub classes: Vec<usize>,
}

/// Examples of each variable from the given series, about as many as asked for.
pub fn examples(rows: &SeriesRows, series: &[usize], most: usize, seed: u64) -> Vec<Examples> {
    let width = rows.coder().variables.len();
    let mut known = vec![0_usize; width];
    for &one in series {
        let marks = rows.series().observed(one).iter().enumerate().filter(|(_, mark)| **mark);
        marks.for_each(|(cell, _)| known[cell % width] += 1);
    }
    let chances: Vec<f64> = known.iter().map(|known| most as f64 / (*known).max(1) as f64).collect();
    let mut all: Vec<Examples> = (0..width).map(|_| Examples::default()).collect();
    let of_each: Vec<Vec<Examples>> = series.par_iter().map(|&one| of(rows, one, &chances, seed)).collect();
    for some in of_each {
        for (all, some) in all.iter_mut().zip(some) {
            all.numbers.extend(some.numbers);
            all.offsets.extend(some.offsets);
            all.classes.extend(some.classes);
        }
    }
    all
}

/// Examples of one series: of each known value by chance, in a view by chance.
fn of(rows: &SeriesRows, one: usize, chances: &[f64], seed: u64) -> Vec<Examples> {
    let (batch, width) = (rows.batch(&[one]), chances.len());
    let mut found: Vec<Examples> = chances.iter().map(|_| Examples::default()).collect();
    let mut stream = Stream::new(seed, "examples", one as u64, 0);
    let mut cells = Vec::new();
    for cell in (0..batch.observed.len()).filter(|cell| batch.observed[*cell] > 0.0) {
        let (taken, view) = (stream.uniform() < chances[cell % width], VIEWS[stream.below(VIEWS.len())]);
        cells.extend(taken.then_some((cell, view)));
    }
    for view in [View::Whole, View::Holed, View::Cut] {
        let own: Vec<usize> = cells.iter().filter(|(_, of)| *of == view).map(|(cell, _)| *cell).collect();
        if own.is_empty() {
            continue;
        }
        let around =
            Around::new(&batch, &view.shown(&batch, Stream::new(seed, "view", one as u64, view as u64)));
        for cell in own {
            let (step, variable) = (cell / width, cell % width);
            let examples = &mut found[variable];
            examples.numbers.extend(around.numbers(step, variable));
            examples.offsets.push(f64::from(batch.values[cell] - around.line(step, variable)));
            examples.classes.push(around.class(step, variable));
        }
    }
    found
}
