//! Fitted trees in a flat, checked form: what is stored, and what predicts.
//!
//! A tree is a list of nodes in which children stand behind their parent, so that a walk always ends; a
//! forest adds up the leaves that a row reaches. Boosting fits five values for each leaf, one per internal
//! fold of the rows: a probability is the mean of the five folds' probabilities, which is steadier than that
//! of their mean.

use perpetual::PerpetualBooster;
use perpetual::tree::core::Tree;
use serde::{Deserialize, Serialize};

/// Internal folds of the boosting library.
const FOLDS: usize = 5;

/// One node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Node {
    /// Adds these values, one per fold (one in all for a regression).
    Leaf(Vec<f32>),
    /// A number column: left if the value is below a threshold.
    Number { column: u32, below: f64, children: Children },
    /// A category column: left if the code's bit is set.
    Codes { column: u32, left: Vec<u8>, children: Children },
}

/// Where a row goes next: positions in the list of nodes. A missing cell may go with either side or apart.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Children(u32, u32, u32);

/// A straight line over the trees, which the boosting library adds to small regressions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Column, centre and slope; a missing cell counts as the centre.
    slopes: Vec<(u32, f64, f64)>,
    start: f64,
}

/// The sum of trees for one output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forest {
    base: f64,
    trees: Vec<Vec<Node>>,
    line: Option<Line>,
}

impl Forest {
    /// A forest without trees.
    pub fn constant(base: f64) -> Self {
        Self { base, trees: Vec::new(), line: None }
    }

    /// Takes over what the boosting library fitted. `columns[i]` is the place of its feature i in our rows;
    /// `folds` keeps the five fold values of a leaf, which classes need. `None` where a node is missing.
    pub fn from_booster(booster: &PerpetualBooster, columns: &[u32], folds: bool) -> Option<Self> {
        let trees = booster.trees.iter().map(|tree| flat(tree, columns, folds)).collect::<Option<_>>()?;
        let line = booster.regression_head.as_ref().map(|head| {
            let scaled =
                head.coefficients.iter().zip(&head.feature_scales).map(|(c, s)| head.blend_weight * c / s);
            let slopes = columns.iter().zip(&head.feature_means).zip(scaled);
            Line {
                slopes: slopes.map(|((column, mean), slope)| (*column, *mean, slope)).collect(),
                start: head.blend_weight * head.intercept,
            }
        });
        Some(Self { base: booster.base_score, trees, line })
    }

    /// How many trees and nodes there are.
    pub fn size(&self) -> (usize, usize) {
        (self.trees.len(), self.trees.iter().map(Vec::len).sum())
    }

    /// Whether every walk ends at a leaf and reads only columns below `width`, and every number is finite.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn check(&self, width: usize, folds: bool) -> Result<(), String> {
        let line_ok = self.line.as_ref().is_none_or(|line| {
            line.start.is_finite()
                && line.slopes.iter().all(|(column, centre, slope)| {
                    (*column as usize) < width && centre.is_finite() && slope.is_finite()
                })
        });
        if !self.base.is_finite() || !line_ok {
            return Err("its base or its line is not usable".to_owned());
        }
        let values = if folds { FOLDS } else { 1 };
        for (number, tree) in self.trees.iter().enumerate() {
            let sound = !tree.is_empty()
                && tree
                    .iter()
                    .enumerate()
                    .all(|(place, node)| node.is_sound(place, tree.len(), width, values));
            if !sound {
                return Err(format!("tree {number} has a node that points nowhere or is not finite"));
            }
        }
        Ok(())
    }

    /// The largest step any leaf takes.
    pub fn largest_leaf(&self) -> f64 {
        self.trees.iter().map(|tree| largest_leaf(tree)).fold(0.0, f64::max)
    }

    /// Drops the first tree with a step above a bound and everything fitted after it.
    pub fn cut_before(&mut self, bound: f64) {
        if let Some(broken) = self.trees.iter().position(|tree| largest_leaf(tree) > bound) {
            self.trees.truncate(broken);
            self.line = None;
        }
    }

    /// The sum for a row: NaN marks a missing cell.
    pub fn sum(&self, row: &[f64]) -> f64 {
        let mut sum = self.base;
        for tree in &self.trees {
            sum += f64::from(leaf(tree, row)[0]);
        }
        let Some(line) = &self.line else { return sum };
        line.slopes.iter().fold(sum + line.start, |sum, (column, centre, slope)| {
            let value = row[*column as usize];
            if value.is_nan() { sum } else { sum + slope * (value - centre) }
        })
    }

    /// The probability for a row: the mean over the folds.
    pub fn probability(&self, row: &[f64]) -> f64 {
        let mut sums = [self.base; FOLDS];
        for tree in &self.trees {
            sums.iter_mut().zip(leaf(tree, row)).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        sums.iter().map(|sum| 1.0 / (1.0 + (-sum).exp())).sum::<f64>() / FOLDS as f64
    }
}

impl Node {
    fn is_sound(&self, place: usize, nodes: usize, width: usize, values: usize) -> bool {
        let behind = |child: u32| (child as usize) > place && (child as usize) < nodes;
        let children_ok = |Children(left, right, missing): &Children| {
            [left, right, missing].into_iter().all(|c| behind(*c))
        };
        match self {
            Self::Leaf(leaf) => leaf.len() == values && leaf.iter().all(|value| value.is_finite()),
            Self::Number { column, below, children } => {
                (*column as usize) < width && below.is_finite() && children_ok(children)
            }
            Self::Codes { column, children, .. } => (*column as usize) < width && children_ok(children),
        }
    }
}

/// The values of the leaf that a row reaches. The tree has passed [`Forest::check`].
fn leaf<'a>(tree: &'a [Node], row: &[f64]) -> &'a [f32] {
    let mut place = 0;
    loop {
        let (column, children) = match &tree[place] {
            Node::Leaf(values) => return values,
            Node::Number { column, children, .. } | Node::Codes { column, children, .. } => {
                (*column, children)
            }
        };
        let Children(left, right, missing) = *children;
        let value = row[column as usize];
        let goes_left = match &tree[place] {
            Node::Number { below, .. } => value < *below,
            Node::Codes { left, .. } => has_bit(left, value),
            Node::Leaf(_) => false,
        };
        place = if value.is_nan() {
            missing
        } else if goes_left {
            left
        } else {
            right
        } as usize;
    }
}

fn largest_leaf(tree: &[Node]) -> f64 {
    let values = tree.iter().flat_map(|node| match node {
        Node::Leaf(values) => values.as_slice(),
        _ => &[],
    });
    values.map(|value| f64::from(value.abs())).fold(0.0, f64::max)
}

fn has_bit(bits: &[u8], code: f64) -> bool {
    let code = code as usize;
    bits.get(code / 8).is_some_and(|byte| byte >> (code % 8) & 1 == 1)
}

/// A tree of the library as a list: every node before its children.
fn flat(tree: &Tree, columns: &[u32], folds: bool) -> Option<Vec<Node>> {
    let mut nodes: Vec<Node> = Vec::new();
    // Nodes to visit, in the order in which they will stand in the list.
    let mut waiting = std::collections::VecDeque::from([0]);
    let mut next = 1;
    while let Some(number) = waiting.pop_front() {
        let node = tree.nodes.get(&number)?;
        if node.is_leaf {
            let value = node.weight_value;
            nodes.push(Node::Leaf(if folds {
                node.leaf_weights.unwrap_or([value; FOLDS]).to_vec()
            } else {
                vec![value]
            }));
            continue;
        }
        let mut place = |child: usize| {
            waiting.push_back(child);
            next += 1;
            next - 1
        };
        let (left, right) = (place(node.left_child), place(node.right_child));
        let missing = match node.missing_node {
            child if child == node.left_child => left,
            child if child == node.right_child => right,
            child => place(child),
        };
        let children = Children(left, right, missing);
        let column = *columns.get(node.split_feature)?;
        nodes.push(match &node.left_cats {
            Some(bits) => Node::Codes { column, left: bits.to_vec(), children },
            None => Node::Number { column, below: node.split_value, children },
        });
    }
    Some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stump(children: Children, column: u32) -> Forest {
        let leaf = |value| Node::Leaf(vec![value]);
        let split = Node::Number { column, below: 0.5, children };
        Forest { base: 1.0, trees: vec![vec![split, leaf(-1.0), leaf(2.0), leaf(8.0)]], line: None }
    }

    #[test]
    fn rows_walk_left_right_and_missing() {
        let forest = stump(Children(1, 2, 3), 0);
        forest.check(1, false).unwrap();
        assert_eq!([0.4, 0.5, f64::NAN].map(|value| forest.sum(&[value])), [0.0, 3.0, 9.0]);
        assert!(has_bit(&[0b10], 1.0) && !has_bit(&[0b10], 0.0) && !has_bit(&[0b10], 9.0));
    }

    #[test]
    fn a_broken_tree_is_cut_off_with_all_after_it() {
        let mut forest = stump(Children(1, 2, 3), 0);
        forest.trees.extend([vec![Node::Leaf(vec![1e9])], vec![Node::Leaf(vec![0.1])]]);
        assert_eq!(forest.largest_leaf(), 1e9);
        forest.cut_before(10.0);
        assert_eq!((forest.size(), forest.largest_leaf()), ((1, 4), 8.0));
    }

    #[test]
    fn trees_that_would_run_astray_are_refused() {
        assert!(stump(Children(1, 2, 4), 0).check(1, false).is_err());
        assert!(stump(Children(0, 2, 3), 0).check(1, false).is_err());
        assert!(stump(Children(1, 2, 3), 1).check(1, false).is_err());
        assert!(stump(Children(1, 2, 3), 0).check(1, true).is_err());
        let empty = Forest { base: 0.0, trees: vec![vec![]], line: None };
        assert!(empty.check(1, false).is_err());
        assert!(Forest::constant(f64::NAN).check(1, false).is_err());
    }
}
