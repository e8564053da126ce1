//! Exact Shapley values of a sum of trees for a row x against a background row b (interventional TreeSHAP: Lundberg et
//! al. 2020, Laberge and Pequignot 2022).
//!
//! A walk that may take, column by column, the way of x or the way of b ends in some leaves. Such a leaf, with value v,
//! is reached by exactly those mixtures of x and b that take the columns P from x and the columns Q from b, so
//!
//! ```text
//! contribution of j  +=  v (p - 1)! q! / (p + q)!    for j in P,     p = |P|
//! contribution of j  -=  v p! (q - 1)! / (p + q)!    for j in Q,     q = |Q|
//! ```

use super::bins;
use super::forest::{Forest, Node, Test};
use super::split::has;
use crate::encode::Encoded;

/// A row of some rows.
pub type At<'a> = (&'a Encoded, usize);

/// Whose way a walk took at the columns where the two part.
struct Walk<'a> {
    tree: &'a [Node],
    shape: (usize, usize),
    x: At<'a>,
    b: At<'a>,
    from_x: Vec<usize>,
    from_b: Vec<usize>,
}

/// Adds to `sums` what each column contributes to the mean of the members' sums, of the first output.
pub fn contributions(forest: &Forest, x: At<'_>, b: At<'_>, sums: &mut [f64]) {
    let share = 1.0 / forest.trees.len().max(1) as f64;
    for tree in forest.trees.iter().flatten() {
        let (from_x, from_b) = (Vec::new(), Vec::new());
        Walk { tree, shape: forest.shape, x, b, from_x, from_b }.add(0, share, sums);
    }
}

impl Walk<'_> {
    fn add(&mut self, place: usize, share: f64, sums: &mut [f64]) {
        match &self.tree[place] {
            Node::Leaf(value) => self.leaf(share * value, sums),
            Node::Split { column, left, .. } => {
                let (column, left) = (*column as usize, *left as usize);
                let node = &self.tree[place];
                let [by_x, by_b] =
                    [self.x, self.b].map(|row| left + usize::from(!goes_left(node, self.shape, row)));
                if by_x == by_b || self.from_x.contains(&column) {
                    return self.add(by_x, share, sums);
                }
                if self.from_b.contains(&column) {
                    return self.add(by_b, share, sums);
                }
                self.from_x.push(column);
                self.add(by_x, share, sums);
                self.from_x.pop();
                self.from_b.push(column);
                self.add(by_b, share, sums);
                self.from_b.pop();
            }
        }
    }

    fn leaf(&self, value: f64, sums: &mut [f64]) {
        let (p, q) = (self.from_x.len(), self.from_b.len());
        // (p - 1)! q! / (p + q)! = 1 / (p (p + q over q)); the other way round for q.
        if p > 0 {
            let gain = value / (p as f64 * choose(p + q, q));
            self.from_x.iter().for_each(|&column| sums[column] += gain);
        }
        if q > 0 {
            let loss = value / (q as f64 * choose(p + q, p));
            self.from_b.iter().for_each(|&column| sums[column] -= loss);
        }
    }
}

/// In how many ways so many can be chosen.
fn choose(all: usize, some: usize) -> f64 {
    (0..some).map(|taken| (all - taken) as f64 / (some - taken) as f64).product()
}

fn goes_left(node: &Node, shape: (usize, usize), (rows, row): At<'_>) -> bool {
    let Node::Split { column, test, missing_left, .. } = node else { return true };
    let column = *column as usize;
    let known = match test {
        Test::UpTo(most) => bins::number(rows, shape.0, row, column).map(|value| value <= *most),
        Test::In(set) => bins::code(rows, shape.1, row, column - shape.0).map(|code| has(set, code)),
    };
    known.unwrap_or(*missing_left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_choose() {
        assert_eq!([choose(5, 2), choose(4, 0), choose(6, 3), choose(3, 3)], [10.0, 1.0, 20.0, 1.0]);
    }

    #[test]
    fn a_stump_gives_its_column_the_difference() {
        let split = Node::Split { column: 1, test: Test::UpTo(0.5), missing_left: true, left: 1, gain: 1.0 };
        let tree = vec![split, Node::Leaf(2.0), Node::Leaf(7.0)];
        let forest = Forest { shape: (2, 0), bases: vec![vec![0.0]], trees: vec![vec![tree]] };
        let rows = Encoded {
            rows: 3,
            numbers: vec![0.0, 0.0, 9.0, 1.0, 4.0, 0.0],
            numbers_observed: vec![true, true, true, true, true, false],
            ..Encoded::default()
        };
        for (x, b, expected) in [(1, 0, 5.0), (0, 1, -5.0), (2, 0, 0.0), (2, 1, -5.0)] {
            let mut sums = vec![0.0; 2];
            contributions(&forest, (&rows, x), (&rows, b), &mut sums);
            assert_eq!(sums, [0.0, expected], "{x} {b}");
        }
    }
}
