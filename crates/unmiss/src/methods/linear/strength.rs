//! Choosing the strength of a logistic regression by the loss on rows held out of the fit.

use super::logistic::{Problem, Solution};
use crate::rng::Stream;
use crate::run::Run;

/// Strengths tried, from strong to weak: 10^0 to 10^-6 in half decades, each from where the last one ended.
fn grid() -> Vec<f64> {
    (0..=12).map(|half_decades| 10_f64.powf(-f64::from(half_decades) / 2.0)).collect()
}

/// Rows below which nothing is held out.
const FEWEST_ROWS: usize = 30;
/// Rows up to which every fifth of the rows is held out in turn; beyond, one fifth tells enough.
const MOST_ROWS_FOR_ALL_FOLDS: usize = 5000;
const FOLDS: usize = 5;
/// Rows the search looks at, at most.
const MOST_ROWS: usize = 50_000;

/// The strength where too few rows are there to choose by: 1 / rows, the penalty |W|^2 / 2 on summed losses.
pub fn fallback(rows: usize) -> f64 {
    1.0 / rows.max(1) as f64
}

/// The strength with the lowest held-out loss, and a good place to start the final fit from. Of many rows a
/// random part is searched: the best penalty on the SUM of losses hardly depends on the number of rows, so
/// the strength, which is per row, is carried over in proportion.
pub fn choose(problem: &Problem<'_>, run: &Run) -> (f64, Vec<f64>) {
    let rows = problem.picked.len();
    if rows <= MOST_ROWS {
        return search(problem, run);
    }
    let mut picked = problem.picked.to_vec();
    Stream::new(run.seed(), "linear search", 0, 0).shuffle(&mut picked);
    picked.truncate(MOST_ROWS);
    picked.sort_unstable();
    let (strength, start) = search(&Problem { picked: &picked, ..*problem }, run);
    (strength * MOST_ROWS as f64 / rows as f64, start)
}

/// Two strengths in a row that are worse than the best end the search.
fn search(problem: &Problem<'_>, run: &Run) -> (f64, Vec<f64>) {
    let rows = problem.picked.len();
    if rows < FEWEST_ROWS {
        return (fallback(rows), vec![0.0; problem.size()]);
    }
    let folds = stratified_folds(problem, run.seed());
    let used = if rows <= MOST_ROWS_FOR_ALL_FOLDS { FOLDS } else { 1 };
    let parts: Vec<(Vec<u32>, Vec<u32>)> =
        (0..used as u8).map(|fold| split(problem.picked, &folds, fold)).collect();
    let mut points = vec![vec![0.0; problem.size()]; used];
    let mut best = (fallback(rows), f64::INFINITY, points[0].clone());
    let mut worse = 0;
    let grid = grid();
    for (done, strength) in grid.iter().enumerate() {
        let mut loss = 0.0;
        for ((kept, held_out), point) in parts.iter().zip(&mut points) {
            let start = std::mem::take(point);
            let Solution { weights, .. } =
                Problem { picked: kept, ..*problem }.minimize(*strength, start, run);
            let held_out = Problem { picked: held_out, ..*problem };
            loss += held_out.mean_loss(&weights) * held_out.total();
            *point = weights;
        }
        run.progress(done as u64 + 1, grid.len() as u64, format!("strength {strength:.1e}"));
        worse = if loss < best.1 { 0 } else { worse + 1 };
        if loss < best.1 {
            best = (*strength, loss, points[0].clone());
        }
        if worse == 2 || run.stopped() {
            break;
        }
    }
    (best.0, best.2)
}

/// A fold for each picked row: the rows of every class are spread evenly, so that none is without a class.
fn stratified_folds(problem: &Problem<'_>, seed: u64) -> Vec<u8> {
    let classes = problem.outputs.max(2);
    let mut folds = vec![0; problem.picked.len()];
    let mut dealt = 0;
    for class in 0..classes {
        let of_class = |place: &usize| problem.classes[problem.picked[*place] as usize] as usize == class;
        let mut places: Vec<usize> = (0..folds.len()).filter(of_class).collect();
        Stream::new(seed, "linear folds", class as u64, 0).shuffle(&mut places);
        // A class with one row stays in every fit: what is never seen can't be scored.
        if places.len() < 2 {
            places.iter().for_each(|place| folds[*place] = u8::MAX);
            continue;
        }
        for place in places {
            folds[place] = (dealt % FOLDS) as u8;
            dealt += 1;
        }
    }
    folds
}

/// Rows outside of a fold and rows in it.
fn split(picked: &[u32], folds: &[u8], fold: u8) -> (Vec<u32>, Vec<u32>) {
    let rows = |inside: bool| {
        let of_side = picked.iter().zip(folds).filter(move |(_, other)| (**other == fold) == inside);
        of_side.map(|(row, _)| *row).collect()
    };
    (rows(false), rows(true))
}
