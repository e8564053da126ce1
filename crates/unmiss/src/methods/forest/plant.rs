//! The trees of a forest, each on rows drawn for it.

use rayon::prelude::*;

use super::super::trees::bins::Bins;
use super::fitted::Tree;
use super::grow::{Grower, Rules};
use super::response::Response;
use crate::encode::Targets;
use crate::rng::Stream;
use crate::run::Run;

/// Rows of a tree at most: in larger tables every tree sees a part of them.
pub const MOST_ROWS: usize = 30_000;
/// Trees after which it is told how far the work is.
const BETWEEN_EVENTS: usize = 16;

/// Which trees a forest has.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// How many.
    pub trees: usize,
    /// One in so many cuts at random; the others take the best cut.
    pub extra: Extra,
    /// Columns looked at in every node.
    pub columns: usize,
    /// Rows of a leaf at least.
    pub min_leaf: usize,
}

/// Which trees cut at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// All.
    All,
    /// None.
    None,
    /// Every second one.
    Half,
}

/// Grows the trees, and sums what the splits of each column gained. A stop ends it after those that are being grown.
pub fn plant(bins: &Bins, targets: &Targets, rows: &[u32], plan: Plan, run: &Run) -> (Vec<Tree>, Vec<f64>) {
    let response = Response::new(targets, rows);
    let one = |number: usize| {
        if number > 0 && run.stopped() {
            return None;
        }
        if number.is_multiple_of(BETWEEN_EVENTS) {
            run.progress(number as u64, plan.trees as u64, "trees");
        }
        let extra = match plan.extra {
            Extra::All => true,
            Extra::None => false,
            Extra::Half => number.is_multiple_of(2),
        };
        let rules = Rules { columns: plan.columns, min_leaf: plan.min_leaf, extra };
        let mut stream = Stream::new(run.seed(), "forest", number as u64, 0);
        let mut grower = Grower::new(bins, &response, rules);
        let own = drawn(rows, extra, &mut stream);
        Some((grower.grow(own, &mut stream), grower.gains))
    };
    let grown: Vec<(Tree, Vec<f64>)> = (0..plan.trees).into_par_iter().map(one).flatten().collect();
    run.finished();
    let mut gains = vec![0.0; bins.meanings.len()];
    let trees = grown.into_iter().map(|(tree, own)| {
        gains.iter_mut().zip(own).for_each(|(gain, own)| *gain += own);
        tree
    });
    (trees.collect(), gains)
}

/// The rows of a tree: all of them for extra trees (Geurts et al. 2006), as many with some drawn twice for a random
/// forest (Breiman 2001), and in large tables a part of them.
fn drawn(rows: &[u32], extra: bool, stream: &mut Stream) -> Vec<u32> {
    if extra && rows.len() <= MOST_ROWS {
        return rows.to_vec();
    }
    let count = rows.len().min(MOST_ROWS);
    let stretch = rows.len() as f64 / count as f64;
    let mut place = |place: usize| match extra {
        // One of every stretch of rows.
        true => ((place as f64 + stream.uniform()) * stretch) as usize,
        false => stream.below(rows.len()),
    };
    let mut own: Vec<u32> = (0..count).map(|number| rows[place(number).min(rows.len() - 1)]).collect();
    // Memory is read in order.
    own.sort_unstable();
    own
}
