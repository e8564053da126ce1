//! A fitted forest as arrays and back: four bytes a node, and of a leaf's classes only those that are there.

use super::super::trees::bins::{MOST_BINS, Meaning};
use super::super::trees::split::Set;
use super::fitted::{Answers, Node, Test, Tree};
use crate::encode::Encoder;
use crate::error::{Error, Result};
use crate::store::Arrays;

/// Bytes of a stored node: the column (two), the bin, and what kind it is.
const NODE_BYTES: usize = 4;
/// Bytes of a stored set.
const SET_BYTES: usize = 32;

/// Kinds of nodes.
const LEAF: u8 = 0;
const MISSING_RIGHT: u8 = 1;
const MISSING_LEFT: u8 = 2;
const SET: u8 = 3;

/// Trees, and what they need to read rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// What the bins of columns stand for.
    pub meanings: Vec<Meaning>,
    /// The trees.
    pub trees: Vec<Tree>,
    /// What the splits of each column gained.
    pub gains: Vec<f64>,
    /// `[outputs]`: what is answered without any tree, and
    pub prior: Vec<f64>,
    /// how much of it each answer has.
    pub prior_share: f64,
}

impl Forest {
    /// The arrays from which [`Forest::load`] makes the same forest again.
    pub fn save(&self) -> Arrays {
        let (mut nodes, mut sets, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut counts, mut classes, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        for tree in &self.trees {
            sizes.push(tree.nodes.len() as f64);
            for node in &tree.nodes {
                let (column, bin, kind) = match *node {
                    Node::Leaf => (0, 0, LEAF),
                    Node::Split { column, test: Test::UpTo { last, missing_left } } => {
                        (column, last, if missing_left { MISSING_LEFT } else { MISSING_RIGHT })
                    }
                    Node::Split { column, test: Test::In(set) } => {
                        sets.extend(set.iter().flat_map(|word| word.to_le_bytes()));
                        (column, 0, SET)
                    }
                };
                let [low, high] = column.to_le_bytes();
                nodes.extend([low, high, bin, kind]);
            }
            let Answers { starts, classes: own, shares: of_own } = &tree.answers;
            counts.extend(starts.windows(2).flat_map(|ends| ((ends[1] - ends[0]) as u16).to_le_bytes()));
            classes.extend(own.iter().flat_map(|class| class.to_le_bytes()));
            shares.extend_from_slice(of_own);
        }
        let mut arrays = Arrays::default();
        let cuts = self.meanings.iter().map(|meaning| match meaning {
            Meaning::Number { cuts } => cuts.as_slice(),
            Meaning::Category { .. } => &[],
        });
        let counts_of_cuts: Vec<f64> = cuts.clone().map(|cuts| cuts.len() as f64).collect();
        let cuts: Vec<f32> = cuts.flatten().copied().collect();
        arrays.put_doubles("cut counts", &[counts_of_cuts.len()], counts_of_cuts);
        arrays.put_singles("cuts", &[cuts.len()], cuts);
        arrays.put_doubles("sizes", &[sizes.len()], sizes);
        arrays.put_bytes("nodes", nodes);
        arrays.put_bytes("sets", sets);
        if self.prior.len() > 1 {
            // With one output every leaf has one share.
            arrays.put_bytes("counts", counts);
            arrays.put_bytes("classes", classes);
        }
        arrays.put_singles("shares", &[shares.len()], shares);
        arrays.put_doubles("gains", &[self.gains.len()], self.gains.clone());
        arrays.put_doubles("prior", &[self.prior.len()], self.prior.clone());
        arrays.put_doubles("prior share", &[1], vec![self.prior_share]);
        arrays
    }

    /// A forest from its arrays. Every count, index and number is checked, so that no walk leaves its tree.
    ///
    /// # Errors
    /// Where something does not fit.
    pub fn load(arrays: &Arrays, encoder: &Encoder, outputs: usize) -> Result<Self> {
        let width = encoder.width();
        let meanings = meanings(arrays, encoder)?;
        let length = |name: &str| arrays.shape(name).and_then(|shape| shape.first()).copied().unwrap_or(0);
        let sizes = arrays.doubles("sizes", &[length("sizes")])?;
        let shares = arrays.singles("shares", &[length("shares")])?;
        let gains = arrays.doubles("gains", &[width])?.to_vec();
        let prior = arrays.doubles("prior", &[outputs])?.to_vec();
        let prior_share = arrays.doubles("prior share", &[1])?[0];
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        if !finite(&gains) || !finite(&prior) || !(0.0..=1.0).contains(&prior_share) || sizes.is_empty() {
            return Err(damaged("prior"));
        }
        if !shares.iter().all(|share| share.is_finite()) {
            return Err(damaged("shares"));
        }
        let mut reader =
            Reader { nodes: arrays.bytes("nodes")?, sets: arrays.bytes("sets")?, ..Reader::default() };
        (reader.shares, reader.width, reader.outputs) = (shares, width, outputs);
        if outputs > 1 {
            (reader.counts, reader.classes) = (arrays.bytes("counts")?, arrays.bytes("classes")?);
        }
        let trees: Option<Vec<Tree>> = sizes.iter().map(|size| reader.tree(*size)).collect();
        let trees = trees.filter(|_| reader.is_empty()).ok_or_else(|| damaged("nodes"))?;
        Ok(Self { meanings, trees, gains, prior, prior_share })
    }
}

/// What is left to be read.
#[derive(Default)]
struct Reader<'a> {
    nodes: &'a [u8],
    sets: &'a [u8],
    counts: &'a [u8],
    classes: &'a [u8],
    shares: &'a [f32],
    width: usize,
    outputs: usize,
}

impl Reader<'_> {
    fn is_empty(&self) -> bool {
        let bytes = [self.nodes, self.sets, self.counts, self.classes];
        bytes.iter().all(|bytes| bytes.is_empty()) && self.shares.is_empty()
    }

    /// The next tree, of so many nodes; `None` where it can't be.
    fn tree(&mut self, size: f64) -> Option<Tree> {
        if !(size >= 1.0 && size <= (self.nodes.len() / NODE_BYTES) as f64 && size % 2.0 == 1.0) {
            return None;
        }
        let (own, rest) = self.nodes.split_at(size as usize * NODE_BYTES);
        self.nodes = rest;
        let (mut nodes, mut splits, mut leaves) = (Vec::with_capacity(size as usize), 0, 0);
        for (place, node) in own.chunks_exact(NODE_BYTES).enumerate() {
            let column = u16::from_le_bytes([node[0], node[1]]);
            // Children stand behind their parent: before a node comes, so many splits must have named it.
            if place > 2 * splits || usize::from(column) >= self.width {
                return None;
            }
            let test = match node[3] {
                LEAF => {
                    leaves += 1;
                    nodes.push(Node::Leaf);
                    continue;
                }
                MISSING_RIGHT | MISSING_LEFT => {
                    let last = Some(node[2]).filter(|last| usize::from(*last) < MOST_BINS)?;
                    Test::UpTo { last, missing_left: node[3] == MISSING_LEFT }
                }
                SET => Test::In(self.set()?),
                _ => return None,
            };
            splits += 1;
            nodes.push(Node::Split { column, test });
        }
        let answers = (leaves == splits + 1).then(|| self.answers(leaves))??;
        Some(Tree::new(nodes, answers))
    }

    fn set(&mut self) -> Option<Set> {
        let (own, rest) = self.sets.split_at_checked(SET_BYTES)?;
        self.sets = rest;
        let (words, _) = own.as_chunks::<8>();
        Some(std::array::from_fn(|word| u64::from_le_bytes(words[word])))
    }

    /// The answers of the next leaves.
    fn answers(&mut self, leaves: usize) -> Option<Answers> {
        let mut answers = Answers::default();
        for _ in 0..leaves {
            let mut count = 1;
            if self.outputs > 1 {
                let (own, rest) = self.counts.split_first_chunk::<2>()?;
                (self.counts, count) = (rest, usize::from(u16::from_le_bytes(*own)));
            }
            let (own, rest) = self.shares.split_at_checked(count)?;
            self.shares = rest;
            answers.shares.extend_from_slice(own);
            for _ in 0..count {
                let mut class = 0;
                if self.outputs > 1 {
                    let (own, rest) = self.classes.split_first_chunk::<2>()?;
                    (self.classes, class) = (rest, u16::from_le_bytes(*own));
                }
                answers.classes.push(Some(class).filter(|class| usize::from(*class) < self.outputs)?);
            }
            answers.starts.push(answers.shares.len() as u32);
        }
        Some(answers)
    }
}

fn meanings(arrays: &Arrays, encoder: &Encoder) -> Result<Vec<Meaning>> {
    let counts = arrays.doubles("cut counts", &[encoder.width()])?;
    let length = arrays.shape("cuts").and_then(|shape| shape.first()).copied().unwrap_or(0);
    let mut cuts = arrays.singles("cuts", &[length])?;
    let mut meanings = Vec::with_capacity(counts.len());
    for (column, &count) in counts.iter().enumerate() {
        if let Some(category) = encoder.categories.get(column.wrapping_sub(encoder.numbers.len())) {
            meanings.push(Meaning::Category { codes: category.codes().clamp(1, MOST_BINS) });
            continue;
        }
        if !(count >= 0.0 && count < MOST_BINS as f64 && count <= cuts.len() as f64 && count.fract() == 0.0) {
            return Err(damaged("cut counts"));
        }
        let (own, rest) = cuts.split_at(count as usize);
        cuts = rest;
        if !own.iter().all(|cut| cut.is_finite()) {
            return Err(damaged("cuts"));
        }
        meanings.push(Meaning::Number { cuts: own.to_vec() });
    }
    if cuts.is_empty() { Ok(meanings) } else { Err(damaged("cuts")) }
}

fn damaged(array: &str) -> Error {
    Error::data(format!("array `{array}` does not describe a forest for these columns"))
        .with_hint("the file is damaged or was written by another version of the program")
}
