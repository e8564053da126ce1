//! One tree of a forest: every node looks at a few columns drawn at random and takes the best of their splits, where a
//! column's split is cut at random (extra trees) or is its best one (random forest).

use super::super::trees::bins::{Bins, Meaning, TOGETHER};
use super::super::trees::split::{Set, add, has};
use super::fitted::{Answers, MISSING, Node, Test, Tree};
use super::response::{Gathered, Response};
use crate::rng::Stream;

/// What trees keep to.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Columns looked at in every node; more where none of them has two values.
    pub columns: usize,
    /// Rows of a leaf at least.
    pub min_leaf: usize,
    /// Whether cuts are drawn at random.
    pub extra: bool,
}

/// The best split so far.
struct Best {
    /// The score of both sides,
    score: f64,
    column: usize,
    /// Bins that go left.
    goes_left: Set,
    test: Test,
}

/// Everything that growing needs, kept between nodes.
pub struct Grower<'a> {
    bins: &'a Bins,
    response: &'a Response,
    rules: Rules,
    columns: Vec<usize>,
    gathered: Gathered,
    /// Bins of the rows of a node in one column.
    own: Vec<u8>,
    /// `[256, width]`: sums by bin, 0 between uses, and the bins that are there.
    by_bin: Vec<f64>,
    there: Vec<u8>,
    /// Sums of the node, and of sides.
    node: Vec<f64>,
    sides: [Vec<f64>; 3],
    right: Vec<u32>,
    /// What the splits of each column have gained so far.
    pub gains: Vec<f64>,
}

impl<'a> Grower<'a> {
    /// Trees on these columns for this response.
    pub fn new(bins: &'a Bins, response: &'a Response, rules: Rules) -> Self {
        let columns = (0..bins.meanings.len()).collect();
        let by_bin = vec![0.0; 256 * response.width()];
        let (gathered, own, there, right) = (Gathered::default(), Vec::new(), Vec::new(), Vec::new());
        let none = || vec![0.0; response.width()];
        let (node, sides) = (none(), std::array::from_fn(|_| none()));
        let gains = vec![0.0; bins.meanings.len()];
        Self { bins, response, rules, columns, gathered, own, by_bin, there, node, sides, right, gains }
    }

    /// Grows a tree on rows, among which one may stand several times.
    pub fn grow(&mut self, mut rows: Vec<u32>, stream: &mut Stream) -> Tree {
        let (mut nodes, mut answers, mut answer) = (Vec::new(), Answers::default(), Vec::new());
        let mut waiting: Vec<_> = std::iter::once(0..rows.len()).collect();
        while let Some(range) = waiting.get(nodes.len()).cloned() {
            let own = &mut rows[range.clone()];
            let Some(best) = self.best(own, stream) else {
                self.response.mean(own, &mut answer);
                answers.push(&answer);
                nodes.push(Node::Leaf);
                continue;
            };
            self.gains[best.column] += best.score - self.response.score(&self.node);
            let middle = range.start + self.partition(own, best.column, &best.goes_left);
            nodes.push(Node::Split { column: best.column as u16, test: best.test });
            waiting.extend([range.start..middle, middle..range.end]);
        }
        Tree::new(nodes, answers)
    }

    /// The best split of a few columns; none where the rows are too few or alike.
    fn best(&mut self, rows: &[u32], stream: &mut Stream) -> Option<Best> {
        if rows.len() < 2 * self.rules.min_leaf || !self.response.gather(rows, &mut self.gathered) {
            return None;
        }
        self.node.fill(0.0);
        self.response.add_all(&self.gathered, &mut self.node);
        let (mut best, mut looked) = (None::<Best>, 0);
        for place in 0..self.columns.len() {
            if looked >= self.rules.columns && best.is_some() {
                break;
            }
            let drawn = place + stream.below(self.columns.len() - place);
            self.columns.swap(place, drawn);
            let column = self.columns[place];
            let (four, of_four) = (&self.bins.fours[column / TOGETHER], column % TOGETHER);
            self.own.clear();
            self.own.extend(rows.iter().map(|&row| four[row as usize][of_four]));
            // A column of one value here is no choice.
            if self.own.iter().all(|bin| *bin == self.own[0]) {
                continue;
            }
            looked += 1;
            let least = best.as_ref().map_or(f64::NEG_INFINITY, |best| best.score);
            let found = match &self.bins.meanings[column] {
                Meaning::Number { cuts } if self.rules.extra => {
                    self.random_cut(cuts.len() + 1, least, stream)
                }
                Meaning::Number { cuts } => self.best_cut(cuts.len() + 1, least),
                Meaning::Category { codes } => self.best_set(*codes, least, stream),
            };
            if let Some((score, goes_left, test)) = found {
                best = Some(Best { score, column, goes_left, test });
            }
        }
        best
    }

    /// The score of a split with enough rows on both sides.
    fn score(&self, left: &[f64], right: &mut [f64]) -> Option<f64> {
        right.iter_mut().zip(&self.node).zip(left).for_each(|((right, node), left)| *right = node - left);
        let (least, rows) = (self.rules.min_leaf as f64, left.len() - 1);
        let enough = left[rows] >= least && right[rows] >= least;
        enough.then(|| self.response.score(left) + self.response.score(right))
    }

    /// Whether a side has most of the node's rows.
    fn is_most(&self, side: &[f64]) -> bool {
        side.last().copied().unwrap_or(0.0) * 2.0 > self.node.last().copied().unwrap_or(0.0)
    }

    /// A number cut at random between its smallest and its largest bin here; missing cells go where they fit better, or
    /// are a side of their own.
    fn random_cut(&mut self, known: usize, least: f64, stream: &mut Stream) -> Option<(f64, Set, Test)> {
        let missing = known as u8;
        let (mut low, mut high, mut holes) = (u8::MAX, 0, false);
        for &bin in &self.own {
            low = low.min(bin);
            high = high.max(if bin == missing { 0 } else { bin });
            holes |= bin == missing;
        }
        let [mut left, mut missing_sum, mut right] = std::mem::take(&mut self.sides);
        let (mut found, mut best) = (None, least);
        let mut consider = |left: &[f64], last: u8, missing_left: bool| {
            if let Some(score) = self.score(left, &mut right).filter(|score| *score > best) {
                (best, found) = (score, Some((last, missing_left)));
            }
        };
        if low < high && low != missing {
            let last = low + stream.below(usize::from(high - low)) as u8;
            left.fill(0.0);
            self.response.add_between(&self.gathered, &self.own, (0, last), &mut left);
            consider(&left, last, !holes && self.is_most(&left));
            if holes {
                missing_sum.fill(0.0);
                self.response.add_between(&self.gathered, &self.own, (missing, missing), &mut missing_sum);
                left.iter_mut().zip(&missing_sum).for_each(|(left, missing)| *left += missing);
                consider(&left, last, true);
            }
        }
        if holes {
            left.fill(0.0);
            self.response.add_between(&self.gathered, &self.own, (0, missing - 1), &mut left);
            consider(&left, missing - 1, false);
        }
        self.sides = [left, missing_sum, right];
        found.map(|(last, missing_left)| number(best, last, missing_left, missing))
    }

    /// The best cut of a number; missing cells as above.
    fn best_cut(&mut self, known: usize, least: f64) -> Option<(f64, Set, Test)> {
        self.response.add_by_bin(&self.gathered, &self.own, &mut self.by_bin, &mut self.there);
        let [mut left, mut with_missing, mut right] = std::mem::take(&mut self.sides);
        left.fill(0.0);
        let missing = known as u8;
        let holes = self.there.last() == Some(&missing);
        let (mut found, mut best) = (None, least);
        for &bin in self.there.iter().filter(|bin| **bin != missing) {
            left.iter_mut().zip(self.of_bin(bin)).for_each(|(left, own)| *left += own);
            if let Some(score) = self.score(&left, &mut right).filter(|score| *score > best) {
                (best, found) = (score, Some((bin, !holes && self.is_most(&left))));
            }
            if holes {
                with_missing.copy_from_slice(&left);
                with_missing.iter_mut().zip(self.of_bin(missing)).for_each(|(sum, own)| *sum += own);
                if let Some(score) = self.score(&with_missing, &mut right).filter(|score| *score > best) {
                    (best, found) = (score, Some((bin, true)));
                }
            }
        }
        self.sides = [left, with_missing, right];
        self.clear();
        found.map(|(last, missing_left)| number(best, last, missing_left, missing))
    }

    /// Codes in the order of their mean response, cut at random or where it is best. Missing is a code like any other.
    fn best_set(&mut self, codes: usize, least: f64, stream: &mut Stream) -> Option<(f64, Set, Test)> {
        self.response.add_by_bin(&self.gathered, &self.own, &mut self.by_bin, &mut self.there);
        let class = stream.below(self.response.width() - 1);
        let key = |&bin: &u8| (self.response.key(self.of_bin(bin), class), bin);
        let mut order: Vec<(f64, u8)> = self.there.iter().map(key).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let drawn = if self.rules.extra { Some(stream.below(order.len() - 1)) } else { None };
        let [mut left, other, mut right] = std::mem::take(&mut self.sides);
        left.fill(0.0);
        let (mut found, mut best) = (None, least);
        for (place, (_, bin)) in order.iter().enumerate() {
            left.iter_mut().zip(self.of_bin(*bin)).for_each(|(left, own)| *left += own);
            if drawn.is_none_or(|drawn| drawn == place)
                && let Some(score) = self.score(&left, &mut right).filter(|score| *score > best)
            {
                (best, found) = (score, Some((place, self.is_most(&left))));
            }
        }
        self.sides = [left, other, right];
        self.clear();
        let (place, most_left) = found?;
        let mut goes_left = Set::default();
        if most_left {
            // Codes that are not here go with the many.
            (0..=codes).for_each(|bin| add(&mut goes_left, bin));
            let removed = order[place + 1..].iter().map(|(_, bin)| usize::from(*bin));
            removed.for_each(|bin| goes_left[bin / 64] &= !(1 << (bin % 64)));
        } else {
            order[..=place].iter().for_each(|(_, bin)| add(&mut goes_left, usize::from(*bin)));
        }
        // In the fitted tree missing cells have another code.
        let mut set = goes_left;
        if has(&goes_left, codes) {
            add(&mut set, usize::from(MISSING));
        }
        Some((best, goes_left, Test::In(set)))
    }

    fn of_bin(&self, bin: u8) -> &[f64] {
        let width = self.response.width();
        &self.by_bin[usize::from(bin) * width..][..width]
    }

    /// Makes all sums by bin 0 again.
    fn clear(&mut self) {
        let width = self.response.width();
        self.there.iter().for_each(|&bin| self.by_bin[usize::from(bin) * width..][..width].fill(0.0));
    }

    /// Rows that go left first; how many they are.
    fn partition(&mut self, rows: &mut [u32], column: usize, goes_left: &Set) -> usize {
        let goes_left: [bool; 256] = std::array::from_fn(|bin| has(goes_left, bin));
        self.right.clear();
        let mut left = 0;
        for at in 0..rows.len() {
            let row = rows[at];
            if goes_left[usize::from(self.bins.bin(column, row))] {
                rows[left] = row;
                left += 1;
            } else {
                self.right.push(row);
            }
        }
        rows[left..].copy_from_slice(&self.right);
        left
    }
}

fn number(score: f64, last: u8, missing_left: bool, missing: u8) -> (f64, Set, Test) {
    let mut goes_left = Set::default();
    (0..=last).for_each(|bin| add(&mut goes_left, usize::from(bin)));
    if missing_left {
        add(&mut goes_left, usize::from(missing));
    }
    (score, goes_left, Test::UpTo { last, missing_left })
}
