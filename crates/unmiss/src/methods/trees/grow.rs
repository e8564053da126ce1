//! One tree, grown leaf by leaf: the split that gains most comes next (Ke et al. 2017).
//!
//! Sums over the bins of all columns (a histogram) are made for the smaller child of a split; the larger
//! one's are those of the parent minus these. A column's sums are made by one thread in the order of rows,
//! so that threads change nothing but the time.

use std::ops::Range;

use rayon::prelude::*;

use super::bins::{Column, Meaning};
use super::forest::{Node, Test};
use super::split::{Rules, Split, Sum, has};

/// Rows times columns below which a second thread costs more than it brings.
const CELLS_FOR_THREADS: usize = 100_000;

/// `[columns][bins]`.
type Histogram = Vec<Vec<Sum>>;

/// First and second derivative of the loss of a row.
pub type Derivatives = [f32; 2];

/// What is needed to grow trees on the same columns, again and again.
pub struct Grower<'a> {
    columns: &'a [Column],
    rules: Rules,
    leaves: usize,
    rate: f64,
    /// Histograms to be used again.
    spare: Vec<Histogram>,
}

/// A leaf that may yet be split.
struct Leaf {
    node: usize,
    /// Its rows: a part of the list of rows.
    rows: Range<usize>,
    sum: Sum,
    histogram: Histogram,
    /// Column and split.
    best: Option<(usize, Split)>,
}

/// A tree with the rows it was grown on.
pub struct Grown {
    /// The nodes; the root comes first.
    pub nodes: Vec<Node>,
    /// All rows, those of a leaf together, ascending inside a leaf.
    pub rows: Vec<u32>,
    /// Rows and value of each leaf.
    pub leaves: Vec<(Range<usize>, f64)>,
}

impl<'a> Grower<'a> {
    /// Trees of at most `leaves` leaves whose values are multiplied by `rate`.
    pub fn new(columns: &'a [Column], rules: Rules, leaves: usize, rate: f64) -> Self {
        Self { columns, rules, leaves, rate, spare: Vec::new() }
    }

    /// Grows a tree on some rows; `derivatives` has those of all rows.
    pub fn grow(&mut self, rows: &[u32], derivatives: &[Derivatives]) -> Grown {
        let mut tree = Grown { nodes: vec![Node::Leaf(0.0)], rows: rows.to_vec(), leaves: Vec::new() };
        let mut gathered = Vec::with_capacity(rows.len());
        let mut leaves = vec![self.root(&tree.rows, derivatives, &mut gathered)];
        while leaves.len() < self.leaves {
            // The largest gain; the first of equals.
            let gain = |leaf: &Leaf| leaf.best.as_ref().map_or(0.0, |(_, split)| split.gain);
            let best = (0..leaves.len()).rev().max_by(|&a, &b| gain(&leaves[a]).total_cmp(&gain(&leaves[b])));
            let Some(best) = best else { break };
            let Some((column, split)) = leaves[best].best.take() else { break };
            let parent = leaves.swap_remove(best);
            let (left, right) = self.split(parent, column, &split, &mut tree, derivatives, &mut gathered);
            leaves.extend([left, right]);
        }
        for leaf in leaves {
            let value = -self.rate * leaf.sum.gradient / (leaf.sum.hessian + self.rules.l2);
            tree.nodes[leaf.node] = Node::Leaf(value);
            tree.leaves.push((leaf.rows, value));
            self.spare.push(leaf.histogram);
        }
        tree
    }

    fn root(&mut self, rows: &[u32], derivatives: &[Derivatives], gathered: &mut Vec<Derivatives>) -> Leaf {
        gather(rows, derivatives, gathered);
        let mut sum = Sum::default();
        gathered.iter().for_each(|row| add_row(&mut sum, row));
        let mut histogram = self.empty();
        let shares =
            histogram.par_iter_mut().zip(self.columns).with_min_len(self.columns_per_thread(rows.len()));
        let splits: Vec<Option<Split>> = shares
            .map(|(bins, column)| {
                fill(bins, column, rows, gathered);
                self.rules.best(column, bins, &sum)
            })
            .collect();
        Leaf { node: 0, rows: 0..rows.len(), sum, histogram, best: best_column(splits.into_iter()) }
    }

    /// Splits a leaf: its node, its rows and its histogram.
    fn split(
        &mut self,
        parent: Leaf,
        column: usize,
        split: &Split,
        tree: &mut Grown,
        derivatives: &[Derivatives],
        gathered: &mut Vec<Derivatives>,
    ) -> (Leaf, Leaf) {
        let place = tree.nodes.len();
        tree.nodes[parent.node] = node(&self.columns[column], column, split, place);
        tree.nodes.extend([Node::Leaf(0.0), Node::Leaf(0.0)]);
        let middle = parent.rows.start + split.left.rows as usize;
        partition(&mut tree.rows[parent.rows.clone()], &self.columns[column], split);
        let leaf = |node, rows, sum| Leaf { node, rows, sum, histogram: Vec::new(), best: None };
        let mut left = leaf(place, parent.rows.start..middle, split.left);
        let mut right = leaf(place + 1, middle..parent.rows.end, split.right);
        let (small, large) =
            if left.sum.rows < right.sum.rows { (&mut left, &mut right) } else { (&mut right, &mut left) };
        large.histogram = parent.histogram;
        let splittable = |leaf: &Leaf| leaf.sum.rows >= 2 * self.rules.min_rows;
        if splittable(large) {
            small.histogram = self.empty();
            let rows = &tree.rows[small.rows.clone()];
            gather(rows, derivatives, gathered);
            self.search(small, large, rows, gathered);
        }
        (left, right)
    }

    /// Makes both children's histograms and finds their best splits.
    fn search(&self, small: &mut Leaf, large: &mut Leaf, rows: &[u32], gathered: &[Derivatives]) {
        let (small_sum, large_sum) = (small.sum, large.sum);
        let search_small = small_sum.rows >= 2 * self.rules.min_rows;
        let pairs = small.histogram.par_iter_mut().zip(large.histogram.par_iter_mut()).zip(self.columns);
        let splits: Vec<(Option<Split>, Option<Split>)> = pairs
            .with_min_len(self.columns_per_thread(rows.len()))
            .map(|((small, large), column)| {
                fill(small, column, rows, gathered);
                large.iter_mut().zip(small.iter()).for_each(|(large, small)| *large -= *small);
                let best = if search_small { self.rules.best(column, small, &small_sum) } else { None };
                (best, self.rules.best(column, large, &large_sum))
            })
            .collect();
        let (of_small, of_large): (Vec<_>, Vec<_>) = splits.into_iter().unzip();
        small.best = best_column(of_small.into_iter());
        large.best = best_column(of_large.into_iter());
    }

    fn empty(&mut self) -> Histogram {
        let spare = std::iter::from_fn(|| self.spare.pop()).find(|spare| !spare.is_empty());
        let bins = |column: &Column| vec![Sum::default(); column.known() + 1];
        spare.unwrap_or_else(|| self.columns.iter().map(bins).collect())
    }

    fn columns_per_thread(&self, rows: usize) -> usize {
        let columns = self.columns.len();
        if rows * columns < CELLS_FOR_THREADS { columns.max(1) } else { 1 }
    }
}

fn gather(rows: &[u32], derivatives: &[Derivatives], gathered: &mut Vec<Derivatives>) {
    gathered.clear();
    gathered.extend(rows.iter().map(|&row| derivatives[row as usize]));
}

fn add_row(sum: &mut Sum, row: &Derivatives) {
    sum.gradient += f64::from(row[0]);
    sum.hessian += f64::from(row[1]);
    sum.rows += 1;
}

/// Sums over the bins of one column.
fn fill(bins: &mut [Sum], column: &Column, rows: &[u32], gathered: &[Derivatives]) {
    bins.fill(Sum::default());
    for (&row, derivatives) in rows.iter().zip(gathered) {
        add_row(&mut bins[column.bins[row as usize] as usize], derivatives);
    }
}

/// The column that gains most; the first of equals.
fn best_column(splits: impl Iterator<Item = Option<Split>>) -> Option<(usize, Split)> {
    let found = splits.enumerate().filter_map(|(column, split)| split.map(|split| (column, split)));
    found.reduce(|best, other| if other.1.gain > best.1.gain { other } else { best })
}

/// Rows that go left first, both sides in the order they had.
fn partition(rows: &mut [u32], column: &Column, split: &Split) {
    let goes_left: [bool; 256] = std::array::from_fn(|bin| has(&split.goes_left, bin));
    let mut right = Vec::with_capacity(split.right.rows as usize);
    let mut kept = 0;
    for place in 0..rows.len() {
        let row = rows[place];
        if goes_left[column.bins[row as usize] as usize] {
            rows[kept] = row;
            kept += 1;
        } else {
            right.push(row);
        }
    }
    rows[kept..].copy_from_slice(&right);
}

/// A split on bins as a question on values.
fn node(column: &Column, place: usize, split: &Split, left: usize) -> Node {
    let test = match &column.meaning {
        Meaning::Number { cuts } => Test::UpTo(cuts.get(split.last).copied().unwrap_or(f32::INFINITY)),
        Meaning::Category { .. } => Test::In(split.goes_left),
    };
    let missing_left = has(&split.goes_left, column.known());
    Node::Split { column: place as u32, test, missing_left, left: left as u32, gain: split.gain }
}
