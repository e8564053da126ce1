//! Fitted trees as they answer: without walking.
//!
//! Leaves are numbered from left to right, and every row holds a bit for each leaf that it may still end in. A question
//! whose answer is "right" rules out the leaves below its left child; once all questions of a tree are asked, in any
//! order, the first leaf that is left is the one (Lucchese et al. 2015, QuickScorer). There is no branch and no order
//! to keep, so a block of rows asks each question at once, with vector instructions.

use super::forest::{Forest, Node, Test};
use crate::nn::vectorised::vectorised;

/// Rows of a block.
pub const LANES: usize = 32;
/// The code of a missing cell.
pub const MISSING: u32 = 255;
/// Leaves of a tree at most.
const MOST_LEAVES: usize = 64;

/// A block of rows, column by column.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// NaN where missing.
    pub numbers: Vec<[f32; LANES]>,
    /// [`MISSING`] where missing.
    pub codes: Vec<[u32; LANES]>,
}

/// A question on a number.
#[derive(Debug, Clone, Copy)]
struct Cut {
    column: u32,
    /// Values up to this go left.
    most: f32,
    /// The leaves that are left for those that go right.
    rest: u64,
}

/// A question on a category.
#[derive(Debug, Clone, Copy)]
struct Choice {
    column: u32,
    /// Codes that go left.
    set: [u32; 8],
    rest: u64,
}

/// One tree: its questions and the values of its leaves, from left to right.
#[derive(Debug, Clone, Default)]
struct Questions {
    /// Those where missing cells go right,
    missing_right: Vec<Cut>,
    /// and those where they go left.
    missing_left: Vec<Cut>,
    choices: Vec<Choice>,
    values: Vec<f64>,
}

/// All trees of all members.
pub struct Walk {
    /// `[members][outputs]`: where sums start.
    bases: Vec<Vec<f64>>,
    /// `[members][rounds x outputs]`.
    trees: Vec<Vec<Questions>>,
}

impl Walk {
    /// The trees of a forest; `None` where one has too many leaves for this.
    pub fn new(forest: &Forest) -> Option<Self> {
        let member =
            |trees: &Vec<Vec<Node>>| trees.iter().map(|tree| Questions::new(tree, forest.shape.0)).collect();
        let trees: Option<Vec<Vec<Questions>>> = forest.trees.iter().map(member).collect();
        Some(Self { bases: forest.bases.clone(), trees: trees? })
    }

    /// `[outputs][lanes]`: the sums of one member for a block of rows.
    pub fn sums(&self, member: usize, block: &Block, sums: &mut [[f64; LANES]]) {
        sums.iter_mut().zip(&self.bases[member]).for_each(|(sums, base)| sums.fill(*base));
        let outputs = sums.len();
        for (number, tree) in self.trees[member].iter().enumerate() {
            tree.add(block, &mut sums[number % outputs]);
        }
    }
}

impl Questions {
    fn new(tree: &[Node], numbers: usize) -> Option<Self> {
        let leaves = tree.iter().filter(|node| matches!(node, Node::Leaf(_))).count();
        if leaves > MOST_LEAVES {
            return None;
        }
        let mut questions = Self::default();
        questions.descend(tree, 0, numbers);
        Some(questions)
    }

    /// Adds the questions and leaves from a node downwards.
    fn descend(&mut self, tree: &[Node], place: usize, numbers: usize) {
        let Node::Split { column, test, missing_left, left, .. } = &tree[place] else {
            if let Node::Leaf(value) = &tree[place] {
                self.values.push(*value);
            }
            return;
        };
        let first = self.values.len();
        self.descend(tree, *left as usize, numbers);
        // Bits first..end are the leaves on the left.
        let end = self.values.len();
        let rest = !(u64::MAX >> (64 - (end - first)) << first);
        let (column, missing_left) = (*column, *missing_left);
        match test {
            Test::UpTo(most) => {
                let cut = Cut { column, most: *most, rest };
                if missing_left { &mut self.missing_left } else { &mut self.missing_right }.push(cut);
            }
            Test::In(set) => {
                let mut set: [u32; 8] = std::array::from_fn(|word| (set[word / 2] >> (word % 2 * 32)) as u32);
                set[7] = set[7] & !(1 << 31) | u32::from(missing_left) << 31;
                self.choices.push(Choice { column: column - numbers as u32, set, rest });
            }
        }
        self.descend(tree, *left as usize + 1, numbers);
    }

    /// Adds this tree's values.
    fn add(&self, block: &Block, sums: &mut [f64; LANES]) {
        if self.values.len() <= 32 {
            let mut open = [u32::MAX; LANES];
            narrow::missing_right(&self.missing_right, block, &mut open);
            narrow::missing_left(&self.missing_left, block, &mut open);
            narrow::choices(&self.choices, block, &mut open);
            self.add_first(open.map(u32::trailing_zeros), sums);
        } else {
            let mut open = [u64::MAX; LANES];
            wide::missing_right(&self.missing_right, block, &mut open);
            wide::missing_left(&self.missing_left, block, &mut open);
            wide::choices(&self.choices, block, &mut open);
            self.add_first(open.map(u64::trailing_zeros), sums);
        }
    }

    /// Adds the value of the first leaf that is left. At least one is, the one that a walk would end in.
    fn add_first(&self, first: [u32; LANES], sums: &mut [f64; LANES]) {
        for (sum, first) in sums.iter_mut().zip(first) {
            *sum += self.values[(first as usize).min(self.values.len() - 1)];
        }
    }
}

/// Questions of one kind, for trees whose leaves have a bit each in a number of this type. A question rules out what is
/// not in `rest` where its answer is "right", by arithmetic instead of a branch; one function for each kind, as the
/// compiler makes vector instructions of one loop and not of three.
macro_rules! questions {
    ($name:ident, $bits:ty) => {
        mod $name {
            use super::{Block, Choice, Cut, LANES, vectorised};

            vectorised! {
                pub fn missing_right(cuts: &[Cut], block: &Block, open: &mut [$bits; LANES]) {
                    for cut in cuts {
                        let (values, most, rest) =
                            (&block.numbers[cut.column as usize], cut.most, cut.rest as $bits);
                        for (open, value) in open.iter_mut().zip(values) {
                            *open &= rest | <$bits>::from(*value <= most).wrapping_neg();
                        }
                    }
                }
            }

            vectorised! {
                pub fn missing_left(cuts: &[Cut], block: &Block, open: &mut [$bits; LANES]) {
                    for cut in cuts {
                        let (values, most, rest) =
                            (&block.numbers[cut.column as usize], cut.most, cut.rest as $bits);
                        for (open, value) in open.iter_mut().zip(values) {
                            // A missing cell is NaN and not above anything.
                            *open &= !(<$bits>::from(*value > most).wrapping_neg() & !rest);
                        }
                    }
                }
            }

            vectorised! {
                pub fn choices(choices: &[Choice], block: &Block, open: &mut [$bits; LANES]) {
                    for choice in choices {
                        let (codes, rest) = (&block.codes[choice.column as usize], choice.rest as $bits);
                        for (open, code) in open.iter_mut().zip(codes) {
                            let inside = choice.set[(code / 32 % 8) as usize] >> (code % 32) & 1;
                            *open &= rest | <$bits>::from(inside).wrapping_neg();
                        }
                    }
                }
            }
        }
    };
}
questions!(narrow, u32);
questions!(wide, u64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Encoded;
    use crate::methods::trees::forest::leaf;
    use crate::rng::Stream;

    /// A tree of so many leaves, with questions on two numbers and a category.
    fn tree(leaves: usize, stream: &mut Stream) -> Vec<Node> {
        let (mut nodes, mut ends) = (vec![Node::Leaf(0.0)], vec![0]);
        while ends.len() < leaves {
            let place = ends.swap_remove(stream.below(ends.len()));
            let column = stream.below(3) as u32;
            let test = match column {
                2 => Test::In(std::array::from_fn(|_| stream.bits())),
                _ if stream.below(9) == 0 => Test::UpTo(f32::INFINITY),
                _ => Test::UpTo(stream.normal() as f32),
            };
            let (missing_left, left) = (stream.below(2) == 1, nodes.len() as u32);
            nodes[place] = Node::Split { column, test, missing_left, left, gain: 1.0 };
            ends.extend([nodes.len(), nodes.len() + 1]);
            nodes.extend([Node::Leaf(stream.normal()), Node::Leaf(stream.normal())]);
        }
        nodes
    }

    #[test]
    fn answers_are_those_of_a_walk() {
        let mut stream = Stream::new(1, "walk", 0, 0);
        let rows = Encoded {
            rows: LANES,
            numbers: (0..2 * LANES).map(|_| stream.normal() as f32).collect(),
            numbers_observed: (0..2 * LANES).map(|_| stream.below(4) > 0).collect(),
            codes: (0..LANES).map(|_| stream.below(256) as u32).collect(),
            codes_observed: (0..LANES).map(|_| stream.below(4) > 0).collect(),
        };
        let cell = |row: usize, column: usize| {
            let cell = row * 2 + column;
            if rows.numbers_observed[cell] { rows.numbers[cell] } else { f32::NAN }
        };
        let code = |row: usize| if rows.codes_observed[row] { rows.codes[row].min(254) } else { MISSING };
        let block = Block {
            numbers: (0..2).map(|column| std::array::from_fn(|row| cell(row, column))).collect(),
            codes: vec![std::array::from_fn(code)],
        };
        for leaves in [1, 2, 5, 31, 32, 33, 64] {
            let trees: Vec<Vec<Node>> = (0..6).map(|_| tree(leaves, &mut stream)).collect();
            let forest = Forest { shape: (2, 1), bases: vec![vec![0.5, -0.5]], trees: vec![trees.clone()] };
            let mut sums = [[0.0; LANES]; 2];
            Walk::new(&forest).unwrap().sums(0, &block, &mut sums);
            for (row, sums) in sums[0].iter().zip(&sums[1]).enumerate() {
                let mut expected = [0.0; 2];
                forest.sums(0, &rows, row, &mut expected);
                assert_eq!([*sums.0, *sums.1], expected, "{leaves} leaves, row {row}");
                assert!(leaf(&trees[0], (2, 1), &rows, row).is_finite());
            }
        }
        let many = Forest { shape: (2, 1), bases: vec![vec![0.0]], trees: vec![vec![tree(65, &mut stream)]] };
        assert!(Walk::new(&many).is_none());
    }
}
