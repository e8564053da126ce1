//! Fitted trees in one flat table of nodes: what is stored, and what predicts.

use super::bins::{self, MOST_BINS};
use super::split::{Set, has};
use super::written::{Question, WrittenNode};
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::store::Arrays;

/// Doubles of a stored node: column (-1: leaf), threshold or number of its set, whether missing goes left,
/// left child, value or gain.
const NODE_WIDTH: usize = 5;
/// Bytes of a stored set.
const SET_BYTES: usize = 32;

/// One node. Children stand next to each other and behind their parent, so that every walk ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// The end of a walk: what the tree adds.
    Leaf(f64),
    /// A question on one column.
    Split {
        /// The column: numbers first, then categories.
        column: u32,
        /// Who goes left.
        test: Test,
        /// Whether missing cells go left.
        missing_left: bool,
        /// The left child; the right one follows it.
        left: u32,
        /// Twice the loss the split saved.
        gain: f64,
    },
}

/// Who goes left.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// Values up to a threshold (infinity: all that are known).
    UpTo(f32),
    /// Codes of a set.
    In(Set),
}

/// Trees of several outputs and members.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// Number columns and category columns of a row.
    pub shape: (usize, usize),
    /// `[members][outputs]`: where sums start.
    pub bases: Vec<Vec<f64>>,
    /// `[members][rounds x outputs]`: trees of one round stand together, one for each output.
    pub trees: Vec<Vec<Vec<Node>>>,
}

/// The value a tree adds to a row.
pub fn leaf(tree: &[Node], shape: (usize, usize), rows: &Encoded, row: usize) -> f64 {
    let mut place = 0;
    loop {
        match &tree[place] {
            Node::Leaf(value) => return *value,
            Node::Split { column, test, missing_left, left, .. } => {
                let column = *column as usize;
                let goes_left = match test {
                    Test::UpTo(most) => bins::number(rows, shape.0, row, column).map(|value| value <= *most),
                    Test::In(set) => {
                        bins::code(rows, shape.1, row, column - shape.0).map(|code| has(set, code))
                    }
                };
                place = *left as usize + usize::from(!goes_left.unwrap_or(*missing_left));
            }
        }
    }
}

/// A node for a graph; leaves add to one of the outputs.
pub fn written(node: &Node, numbers: usize, codes: &[usize], output: usize) -> WrittenNode {
    match node {
        Node::Leaf(value) => WrittenNode::Leaf(vec![(output, *value)]),
        Node::Split { column, test, missing_left, left, .. } => {
            let (column, missing_left, left) = (*column as usize, *missing_left, *left as usize);
            let question = match test {
                Test::UpTo(most) => Question::UpTo { column, most: f64::from(*most), missing_left },
                Test::In(set) => {
                    let inside = |code: usize| has(set, code.min(MOST_BINS - 1));
                    let codes = (0..codes[column - numbers]).map(inside);
                    Question::In { column, inside: codes.chain([missing_left]).collect() }
                }
            };
            WrittenNode::Split(question, left, left + 1)
        }
    }
}

impl Forest {
    /// Sums of one member for a row.
    pub fn sums(&self, member: usize, rows: &Encoded, row: usize, sums: &mut [f64]) {
        sums.copy_from_slice(&self.bases[member]);
        let outputs = sums.len();
        for (number, tree) in self.trees[member].iter().enumerate() {
            sums[number % outputs] += leaf(tree, self.shape, rows, row);
        }
    }

    /// Every node of every tree.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.trees.iter().flatten().flatten()
    }

    /// The arrays from which [`Forest::load`] makes the same forest again.
    pub fn save(&self) -> Arrays {
        let outputs = self.bases.first().map_or(0, Vec::len);
        let (mut nodes, mut sets, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for tree in self.trees.iter().flatten() {
            sizes.push(tree.len() as f64);
            for node in tree {
                nodes.extend(match node {
                    Node::Leaf(value) => [-1.0, 0.0, 0.0, 0.0, *value],
                    Node::Split { column, test, missing_left, left, gain } => {
                        let threshold = match test {
                            Test::UpTo(most) => f64::from(*most),
                            Test::In(set) => {
                                sets.extend(set.iter().flat_map(|word| word.to_le_bytes()));
                                (sets.len() / SET_BYTES - 1) as f64
                            }
                        };
                        let missing = f64::from(u8::from(*missing_left));
                        [f64::from(*column), threshold, missing, f64::from(*left), *gain]
                    }
                });
            }
        }
        let members = self.trees.iter().map(|trees| trees.len() as f64).collect();
        let mut arrays = Arrays::default();
        arrays.put_doubles("bases", &[self.bases.len(), outputs], self.bases.concat());
        arrays.put_doubles("trees", &[self.trees.len()], members);
        arrays.put_doubles("sizes", &[sizes.len()], sizes);
        arrays.put_doubles("nodes", &[nodes.len() / NODE_WIDTH, NODE_WIDTH], nodes);
        arrays.put_bytes("sets", sets);
        arrays
    }

    /// A forest from its arrays. Every count, index and number is checked, so that a walk can't leave its
    /// tree or go in circles.
    ///
    /// # Errors
    /// Where something does not fit.
    pub fn load(arrays: &Arrays, shape: (usize, usize), outputs: usize) -> Result<Self> {
        let length = |name: &str| arrays.shape(name).and_then(|shape| shape.first()).copied().unwrap_or(0);
        let members = length("bases");
        let bases = arrays.doubles("bases", &[members, outputs])?;
        let counts = arrays.doubles("trees", &[members])?;
        let sizes = arrays.doubles("sizes", &[length("sizes")])?;
        let mut nodes = arrays.doubles("nodes", &[length("nodes"), NODE_WIDTH])?;
        let sets = arrays.bytes("sets")?;
        if members == 0 || !bases.iter().all(|base| base.is_finite()) {
            return Err(damaged("bases"));
        }
        let (mut sizes, mut trees) = (sizes.iter(), Vec::with_capacity(members));
        for &count in counts {
            let count = index(count, sizes.len() + 1).ok_or_else(|| damaged("trees"))?;
            if count % outputs.max(1) != 0 {
                return Err(damaged("trees"));
            }
            let mut member = Vec::with_capacity(count);
            for &size in sizes.by_ref().take(count) {
                let size = index(size, nodes.len() / NODE_WIDTH + 1).ok_or_else(|| damaged("sizes"))?;
                let (tree, rest) = nodes.split_at(size * NODE_WIDTH);
                nodes = rest;
                let tree = tree.chunks_exact(NODE_WIDTH).enumerate();
                let tree: Option<Vec<Node>> =
                    tree.map(|(place, node)| read(node, place, size, shape, sets)).collect();
                member.push(tree.filter(|tree| !tree.is_empty()).ok_or_else(|| damaged("nodes"))?);
            }
            trees.push(member);
        }
        if sizes.len() > 0 || !nodes.is_empty() {
            return Err(damaged("nodes"));
        }
        let bases = bases.chunks(outputs.max(1)).map(<[f64]>::to_vec).collect();
        Ok(Self { shape, bases, trees })
    }
}

/// One stored node of a tree of `size` nodes; `None` where it is not usable.
fn read(node: &[f64], place: usize, size: usize, shape: (usize, usize), sets: &[u8]) -> Option<Node> {
    let &[column, threshold, missing, left, value] = node else { return None };
    if !value.is_finite() {
        return None;
    }
    if column == -1.0 {
        return Some(Node::Leaf(value));
    }
    let column = index(column, shape.0 + shape.1)?;
    let left = index(left, size.checked_sub(1)?).filter(|left| *left > place)?;
    let test = if column < shape.0 {
        (!threshold.is_nan()).then_some(Test::UpTo(threshold as f32))?
    } else {
        let start = index(threshold, sets.len() / SET_BYTES)? * SET_BYTES;
        let (words, _) = sets[start..start + SET_BYTES].as_chunks::<8>();
        Test::In(std::array::from_fn(|word| u64::from_le_bytes(words[word])))
    };
    let missing_left = index(missing, 2)? == 1;
    Some(Node::Split { column: column as u32, test, missing_left, left: left as u32, gain: value })
}

/// A whole number in `0..bound`.
fn index(number: f64, bound: usize) -> Option<usize> {
    (number >= 0.0 && number < bound as f64 && number.fract() == 0.0).then_some(number as usize)
}

fn damaged(array: &str) -> Error {
    Error::data(format!("array `{array}` does not describe trees for these columns"))
        .with_hint("the file is damaged or was written by another version of the program")
}
const _: () = assert!(MOST_BINS <= SET_BYTES * 8);
