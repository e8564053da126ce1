//! One fitted tree of a forest, and how it is walked.
//!
//! A row's cells become bins once; every tree then asks for bins. Several rows walk a tree at once and without a
//! branch: all of them take a step, and a row that has arrived stays where it is.

use super::super::trees::bins::{MOST_BINS, Meaning, code, number};
use super::super::trees::split::{Set, has};
use super::super::trees::written::{Question, WrittenNode};
use crate::encode::Encoded;

/// Rows that walk together.
const ABREAST: usize = 8;
/// The bin of a missing cell in fitted trees, whatever the column.
pub const MISSING: u8 = u8::MAX;
/// Marks a step that asks for no set.
const NO_SET: u32 = u32::MAX;

/// A node. They stand breadth first, so that the children of the i-th split are nodes 2 i + 1 and 2 i + 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Node {
    /// The end of a walk. The i-th leaf of the nodes has the i-th answer.
    Leaf,
    /// A question on the bin of one column.
    Split {
        /// The column.
        column: u16,
        /// Who goes left.
        test: Test,
    },
}

/// Who goes left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Test {
    /// Known cells up to a bin, and missing ones or not.
    UpTo {
        /// The bin, at most 254.
        last: u8,
        /// Whether missing cells go left.
        missing_left: bool,
    },
    /// Codes of a set; missing cells have the code [`MISSING`].
    In(Set),
}

/// What leaves answer: the shares of the classes that are there, or one number for each leaf as the share of class 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Answers {
    /// `[leaves + 1]`: where the shares of a leaf start.
    pub starts: Vec<u32>,
    /// Which class,
    pub classes: Vec<u16>,
    /// and its share.
    pub shares: Vec<f32>,
}

impl Default for Answers {
    fn default() -> Self {
        Self { starts: vec![0], classes: Vec::new(), shares: Vec::new() }
    }
}

impl Answers {
    /// The answer of the next leaf: shares of 0 are left out where there are several.
    pub fn push(&mut self, answer: &[f32]) {
        for (class, &share) in
            answer.iter().enumerate().filter(|(_, share)| answer.len() == 1 || **share != 0.0)
        {
            self.classes.push(class as u16);
            self.shares.push(share);
        }
        self.starts.push(self.shares.len() as u32);
    }
}

/// One node as it is walked: `left + (the bin is on the right)` comes next. A leaf leads to itself.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    left: u32,
    /// The set that is asked for, if any.
    set: u32,
    column: u16,
    /// Bins up to this go left,
    last: u8,
    /// after this was added: 1 makes the bin of missing cells the first of all.
    shift: u8,
}

/// One tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// What its leaves answer.
    pub answers: Answers,
    steps: Vec<Step>,
    leaves: Vec<u32>,
    sets: Vec<Set>,
}

impl Tree {
    /// A tree, ready to be walked.
    pub fn new(nodes: Vec<Node>, answers: Answers) -> Self {
        let (mut steps, mut leaves, mut sets) = (Vec::with_capacity(nodes.len()), Vec::new(), Vec::new());
        let (mut splits, mut count) = (0, 0);
        for (place, node) in nodes.iter().enumerate() {
            let (mut left, mut set) = (2 * splits + 1, NO_SET);
            let (column, last, shift) = match *node {
                Node::Leaf => (0, u8::MAX, 0),
                Node::Split { column, test: Test::UpTo { last, missing_left } } => {
                    (column, last + u8::from(missing_left), u8::from(missing_left))
                }
                Node::Split { column, test: Test::In(own) } => {
                    set = sets.len() as u32;
                    sets.push(own);
                    (column, 0, 0)
                }
            };
            leaves.push(count);
            if matches!(node, Node::Leaf) {
                left = place as u32;
                count += 1;
            } else {
                splits += 1;
            }
            steps.push(Step { left, set, column, last, shift });
        }
        Self { nodes, answers, steps, leaves, sets }
    }

    /// Adds what this tree answers for some rows, whose bins are `[rows, columns]`, to `[rows, outputs]`.
    pub fn add(&self, bins: &[u8], width: usize, outputs: usize, answers: &mut [f64]) {
        for (answers, bins) in answers.chunks_mut(ABREAST * outputs).zip(bins.chunks(ABREAST * width)) {
            let places = self.walk(bins, width);
            for (answer, place) in answers.chunks_exact_mut(outputs).zip(places) {
                let leaf = self.leaves[place as usize] as usize;
                let own = self.answers.starts[leaf] as usize..self.answers.starts[leaf + 1] as usize;
                for (class, share) in self.answers.classes[own.clone()].iter().zip(&self.answers.shares[own])
                {
                    answer[usize::from(*class)] += f64::from(*share);
                }
            }
        }
    }

    /// The tree for a graph.
    pub fn written(&self, meanings: &[Meaning], numbers: usize, codes: &[usize]) -> Vec<WrittenNode> {
        let (mut splits, mut leaf) = (0, 0);
        let node = |node: &Node| match *node {
            Node::Leaf => {
                let own = self.answers.starts[leaf] as usize..self.answers.starts[leaf + 1] as usize;
                leaf += 1;
                let classes = self.answers.classes[own.clone()].iter().map(|class| usize::from(*class));
                let shares = self.answers.shares[own].iter().map(|share| f64::from(*share));
                WrittenNode::Leaf(classes.zip(shares).collect())
            }
            Node::Split { column, test } => {
                let column = usize::from(column);
                let question = match test {
                    Test::UpTo { last, missing_left } => match &meanings[column] {
                        // Bins up to the last hold values up to its cut; behind the last cut stands all that is known.
                        Meaning::Number { cuts } => {
                            let most =
                                cuts.get(usize::from(last)).map_or(f64::INFINITY, |cut| f64::from(*cut));
                            Question::UpTo { column, most, missing_left }
                        }
                        Meaning::Category { .. } => {
                            let codes = (0..codes[column - numbers]).map(|code| code <= usize::from(last));
                            Question::In { column, inside: codes.chain([missing_left]).collect() }
                        }
                    },
                    Test::In(set) => {
                        let inside = |code: usize| has(&set, code.min(MOST_BINS - 1));
                        let missing = has(&set, usize::from(MISSING));
                        let codes = (0..codes[column - numbers]).map(inside);
                        Question::In { column, inside: codes.chain([missing]).collect() }
                    }
                };
                splits += 1;
                WrittenNode::Split(question, 2 * splits - 1, 2 * splits)
            }
        };
        self.nodes.iter().map(node).collect()
    }

    /// The leaves of a few rows.
    fn walk(&self, bins: &[u8], width: usize) -> [u32; ABREAST] {
        let mut places = [0_u32; ABREAST];
        let mut moving = true;
        while moving {
            moving = false;
            for (place, bins) in places.iter_mut().zip(bins.chunks_exact(width)) {
                let step = self.steps[*place as usize];
                let bin = bins[usize::from(step.column)];
                let mut right = bin.wrapping_add(step.shift) > step.last;
                if step.set != NO_SET {
                    right = self.sets[step.set as usize][usize::from(bin / 64)] >> (bin % 64) & 1 == 0;
                }
                let next = step.left + u32::from(right);
                moving |= next != *place;
                *place = next;
            }
        }
        places
    }
}

/// The bins of some rows from a place on: `[rows, columns]`.
pub fn bins_of(meanings: &[Meaning], shape: (usize, usize), rows: &Encoded, from: usize, bins: &mut [u8]) {
    for (place, own) in bins.chunks_exact_mut(meanings.len()).enumerate() {
        let row = from + place;
        for (column, (bin, meaning)) in own.iter_mut().zip(meanings).enumerate() {
            let found = match meaning {
                Meaning::Number { cuts } => {
                    number(rows, shape.0, row, column).map(|value| cuts.partition_point(|&cut| cut < value))
                }
                Meaning::Category { .. } => code(rows, shape.1, row, column - shape.0),
            };
            *bin = found.map_or(MISSING, |bin| bin as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_in_the_leaves_that_the_questions_say() {
        let up_to =
            |column, last, missing_left| Node::Split { column, test: Test::UpTo { last, missing_left } };
        let mut set = Set::default();
        crate::methods::trees::split::add(&mut set, 3);
        crate::methods::trees::split::add(&mut set, usize::from(MISSING));
        // Is column 0 up to 10? Then: is column 1 in {3, missing}? Else: is column 0 known?
        let nodes = vec![
            up_to(0, 10, true),
            Node::Split { column: 1, test: Test::In(set) },
            up_to(0, 254, false),
            Node::Leaf,
            Node::Leaf,
            Node::Leaf,
            Node::Leaf,
        ];
        let mut answers = Answers::default();
        (1..5).for_each(|answer| answers.push(&[answer as f32]));
        let tree = Tree::new(nodes, answers);
        let rows = [[10, 3], [0, 4], [MISSING, MISSING], [11, 3], [254, 0], [MISSING, 2]];
        // More rows than walk together.
        let bins = rows.repeat(3).concat();
        let mut found = vec![0.0; 18];
        tree.add(&bins, 2, 1, &mut found);
        assert_eq!(found, [1.0, 2.0, 1.0, 3.0, 3.0, 2.0].repeat(3));
    }
}
