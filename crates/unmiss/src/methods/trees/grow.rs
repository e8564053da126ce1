//! One tree, grown leaf by leaf: the split that gains most comes next (Ke et al. 2017).
//!
//! Sums over the bins of all columns (a histogram) are made for the smaller child of a split; the larger
//! one's are those of the parent minus these. Sums are exact, so that threads change nothing but the time.

use std::ops::Range;

use rayon::prelude::*;

use super::bins::{Bins, Meaning, TOGETHER};
use super::forest::{Node, Test};
use super::histogram::{self, Cell, Derivatives, Units};
use super::split::{Rules, Split, has};

/// Cells below which a second thread costs more than it brings; the search through a column's bins counts
const CELLS_FOR_THREADS: usize = 100_000;
/// as much as so many rows.
const SEARCH: usize = 1000;

/// `[columns / 4][bins of four columns]`.
type Histogram = Vec<Vec<Cell>>;

/// What is needed to grow trees on the same columns, again and again.
pub struct Grower<'a> {
    bins: &'a Bins,
    rules: Rules,
    leaves: usize,
    rate: f64,
    /// Whether splits may use a column.
    allowed: Vec<bool>,
    /// `[columns / 4][columns + 1]`: where the bins of each of four columns start, and where the last ones end.
    starts: Vec<Vec<usize>>,
    /// Histograms to be used again.
    spare: Vec<Histogram>,
    /// Derivatives of all rows in whole units.
    packed: Vec<u64>,
    /// Those of the rows of a node.
    gathered: Vec<u64>,
    /// Rows on their way to the right.
    right: Vec<u32>,
    units: Units,
}

/// A leaf that may yet be split.
struct Leaf {
    node: usize,
    /// Its rows: a part of the list of rows.
    rows: Range<usize>,
    /// Its part of the list of rows that only watch.
    watching: Range<usize>,
    sum: Cell,
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
    /// Rows that the tree was not grown on, in the same way.
    pub watching: Vec<u32>,
    /// Rows, watching rows and value of each leaf.
    pub leaves: Vec<(Range<usize>, Range<usize>, f64)>,
}

impl<'a> Grower<'a> {
    /// Trees of at most `leaves` leaves whose values are multiplied by `rate`.
    pub fn new(bins: &'a Bins, rules: Rules, leaves: usize, rate: f64) -> Self {
        let starts = bins.meanings.chunks(TOGETHER).map(|four| {
            let ends = four.iter().scan(0, |end, meaning| {
                *end += meaning.known() + 1;
                Some(*end)
            });
            std::iter::once(0).chain(ends).collect()
        });
        Self {
            bins,
            rules,
            leaves,
            rate,
            allowed: vec![true; bins.meanings.len()],
            starts: starts.collect(),
            spare: Vec::new(),
            packed: Vec::new(),
            gathered: Vec::new(),
            right: Vec::new(),
            units: Units { gradient: 1.0, hessian: 1.0 },
        }
    }

    /// The columns that splits of the next trees may use.
    pub fn allow(&mut self, columns: &[usize]) {
        self.allowed.fill(false);
        columns.iter().for_each(|column| self.allowed[*column] = true);
    }

    /// Grows a tree on some rows, while others walk down with them; `derivatives` has those of all rows.
    pub fn grow(&mut self, rows: &[u32], watching: &[u32], derivatives: &[Derivatives]) -> Grown {
        self.units = histogram::pack(derivatives, rows, &mut self.packed);
        let (rows, watching) = (rows.to_vec(), watching.to_vec());
        let mut tree = Grown { nodes: vec![Node::Leaf(0.0)], rows, watching, leaves: Vec::new() };
        let mut leaves = vec![self.root(&tree)];
        while leaves.len() < self.leaves {
            // The largest gain; the first of equals.
            let gain = |leaf: &Leaf| leaf.best.as_ref().map_or(0.0, |(_, split)| split.gain);
            let best = (0..leaves.len()).rev().max_by(|&a, &b| gain(&leaves[a]).total_cmp(&gain(&leaves[b])));
            let Some(best) = best else { break };
            let Some((column, split)) = leaves[best].best.take() else { break };
            let parent = leaves.swap_remove(best);
            let (left, right) = self.split(parent, column, &split, &mut tree);
            leaves.extend([left, right]);
        }
        for leaf in leaves {
            let value = self.value(&tree.rows[leaf.rows.clone()], derivatives);
            tree.nodes[leaf.node] = Node::Leaf(value);
            tree.leaves.push((leaf.rows, leaf.watching, value));
            self.spare.push(leaf.histogram);
        }
        tree
    }

    /// -rate G / (H + l2), from the derivatives as they are: they were rounded for the choice of splits alone.
    fn value(&self, rows: &[u32], derivatives: &[Derivatives]) -> f64 {
        let (mut gradient, mut hessian) = (0.0, 0.0);
        for &row in rows {
            gradient += f64::from(derivatives[row as usize][0]);
            hessian += f64::from(derivatives[row as usize][1]);
        }
        // Without any hessian there is nothing to go by.
        if hessian + self.rules.l2 > 0.0 { -self.rate * gradient / (hessian + self.rules.l2) } else { 0.0 }
    }

    fn root(&mut self, tree: &Grown) -> Leaf {
        let mut histogram = self.empty();
        self.gather(&tree.rows);
        let sum = histogram::total(&self.gathered);
        let best = if sum.rows() >= 2 * self.rules.min_rows {
            let splits = self.search(&mut histogram, None, &tree.rows, [sum, Cell::default()]);
            best_column(splits.into_iter().map(|[own, _]| own))
        } else {
            None
        };
        Leaf { node: 0, rows: 0..tree.rows.len(), watching: 0..tree.watching.len(), sum, histogram, best }
    }

    /// Splits a leaf: its node, its rows and its histogram.
    fn split(&mut self, parent: Leaf, column: usize, split: &Split, tree: &mut Grown) -> (Leaf, Leaf) {
        let place = tree.nodes.len();
        tree.nodes[parent.node] = node(&self.bins.meanings[column], column, split, place);
        tree.nodes.extend([Node::Leaf(0.0), Node::Leaf(0.0)]);
        let middle = parent.rows.start + self.partition(&mut tree.rows[parent.rows.clone()], column, split);
        let watching = parent.watching.start
            + self.partition(&mut tree.watching[parent.watching.clone()], column, split);
        let leaf =
            |node, rows, watching, sum| Leaf { node, rows, watching, sum, histogram: Vec::new(), best: None };
        let mut left = leaf(place, parent.rows.start..middle, parent.watching.start..watching, split.left);
        let mut right = leaf(place + 1, middle..parent.rows.end, watching..parent.watching.end, split.right);
        let (small, large) = if left.sum.rows() < right.sum.rows() {
            (&mut left, &mut right)
        } else {
            (&mut right, &mut left)
        };
        large.histogram = parent.histogram;
        // The last leaves of a tree are searched for nothing, but which they are is not known before.
        if large.sum.rows() >= 2 * self.rules.min_rows {
            small.histogram = self.empty();
            let rows = &tree.rows[small.rows.clone()];
            self.gather(rows);
            let sums = [small.sum, large.sum];
            let splits = self.search(&mut small.histogram, Some(&mut large.histogram), rows, sums);
            let (of_small, of_large): (Vec<_>, Vec<_>) = splits.into_iter().map(|[a, b]| (a, b)).unzip();
            small.best = best_column(of_small.into_iter());
            large.best = best_column(of_large.into_iter());
        }
        (left, right)
    }

    /// Makes the histogram of some rows, takes it from the other one, and finds the best split of each column in both.
    fn search(
        &self,
        own: &mut Histogram,
        other: Option<&mut Histogram>,
        rows: &[u32],
        sums: [Cell; 2],
    ) -> Vec<[Option<Split>; 2]> {
        let mut none = vec![Vec::new(); own.len()];
        let other = other.unwrap_or(&mut none);
        let four = |place: usize, own: &mut Vec<Cell>, other: &mut Vec<Cell>| {
            let starts = &self.starts[place];
            histogram::fill(own, starts, &self.bins.fours[place], rows, &self.gathered);
            histogram::subtract(other, own);
            let meanings = &self.bins.meanings[place * TOGETHER..];
            let best = |column: usize, bins: &[Cell], sum: Cell| {
                let bins = bins.get(starts[column]..starts[column + 1])?;
                let allowed = self.allowed[place * TOGETHER + column];
                let enough = allowed && sum.rows() >= 2 * self.rules.min_rows;
                enough.then(|| self.rules.best(&meanings[column], bins, sum, self.units)).flatten()
            };
            let both = |column: usize| [best(column, own, sums[0]), best(column, other, sums[1])];
            (0..starts.len() - 1).map(both).collect::<Vec<_>>()
        };
        if (rows.len() + SEARCH) * self.bins.meanings.len() < CELLS_FOR_THREADS {
            let pairs = own.iter_mut().zip(other).enumerate();
            return pairs.flat_map(|(place, (own, other))| four(place, own, other)).collect();
        }
        let pairs = own.par_iter_mut().zip(other).enumerate();
        pairs.flat_map_iter(|(place, (own, other))| four(place, own, other)).collect()
    }

    /// Rows that go left first, both sides in the order they had; how many go left.
    fn partition(&mut self, rows: &mut [u32], column: usize, split: &Split) -> usize {
        let goes_left: [bool; 256] = std::array::from_fn(|bin| has(&split.goes_left, bin));
        let (four, place) = (&self.bins.fours[column / TOGETHER], column % TOGETHER);
        self.right.resize(rows.len().max(self.right.len()), 0);
        let (mut left, mut right) = (0, 0);
        // Each row is written to both sides and counted on one: no branch that can be guessed wrong.
        for at in 0..rows.len() {
            let row = rows[at];
            let goes_left = goes_left[usize::from(four[row as usize][place])];
            rows[left] = row;
            self.right[right] = row;
            left += usize::from(goes_left);
            right += usize::from(!goes_left);
        }
        rows[left..].copy_from_slice(&self.right[..right]);
        left
    }

    fn gather(&mut self, rows: &[u32]) {
        self.gathered.clear();
        self.gathered.extend(rows.iter().map(|&row| self.packed[row as usize]));
    }

    fn empty(&mut self) -> Histogram {
        let spare = std::iter::from_fn(|| self.spare.pop()).find(|spare| !spare.is_empty());
        let bins = |starts: &Vec<usize>| vec![Cell::default(); starts.last().copied().unwrap_or(0)];
        spare.unwrap_or_else(|| self.starts.iter().map(bins).collect())
    }
}

/// The column that gains most; the first of equals.
fn best_column(splits: impl Iterator<Item = Option<Split>>) -> Option<(usize, Split)> {
    let found = splits.enumerate().filter_map(|(column, split)| split.map(|split| (column, split)));
    found.reduce(|best, other| if other.1.gain > best.1.gain { other } else { best })
}

/// A split on bins as a question on values.
fn node(meaning: &Meaning, column: usize, split: &Split, left: usize) -> Node {
    let test = match meaning {
        Meaning::Number { cuts } => Test::UpTo(cuts.get(split.last).copied().unwrap_or(f32::INFINITY)),
        Meaning::Category { .. } => Test::In(split.goes_left),
    };
    let missing_left = has(&split.goes_left, meaning.known());
    Node::Split { column: column as u32, test, missing_left, left: left as u32, gain: split.gain }
}
