//! Trees written down as operations of a graph.
//!
//! The format has an operation for trees whose questions compare numbers, and a missing number goes to the side that
//! each question says. Sets of codes are asked before: for every set that some question asks for there is one more
//! number, 0 for the codes (and, if they go left, the holes) in it, looked up in a table of the column.

use std::collections::HashMap;

use super::stand_in::StandIns;
use crate::onnx::{Attribute, Graph, Kind, Symbol, WrittenRows};

/// Who goes left, asked of one column: numbers first, then categories.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Values up to a threshold.
    UpTo {
        /// The column.
        column: usize,
        /// The threshold (infinity: all that are known).
        most: f64,
        /// Whether missing cells go left.
        missing_left: bool,
    },
    /// Codes of a set.
    In {
        /// The column.
        column: usize,
        /// `[codes + 1]`: whether a code is in it, and last whether missing cells go left.
        inside: Vec<bool>,
    },
}

/// A node of a tree.
pub enum WrittenNode {
    /// (output, what is added to it).
    Leaf(Vec<(usize, f64)>),
    /// A question, and where in the tree those stand that go left and right.
    Split(Question, usize, usize),
}

/// Where the sets of category columns stand among the features of the trees.
#[derive(Default)]
struct Sets {
    /// For each category column the sets that are asked for.
    tables: Vec<Vec<Vec<bool>>>,
    places: HashMap<(usize, Vec<bool>), (usize, usize)>,
}

impl Sets {
    fn new(trees: &[Vec<WrittenNode>], numbers: usize, categories: usize) -> Self {
        let mut sets = Self { tables: vec![Vec::new(); categories], places: HashMap::new() };
        for node in trees.iter().flatten() {
            let WrittenNode::Split(Question::In { column, inside }, ..) = node else { continue };
            let category = column - numbers;
            let table = &mut sets.tables[category];
            sets.places.entry((*column, inside.clone())).or_insert_with(|| {
                table.push(inside.clone());
                (category, table.len() - 1)
            });
        }
        sets
    }

    /// The feature of a set, behind so many numbers.
    fn feature(&self, numbers: usize, column: usize, inside: &[bool]) -> usize {
        let (category, place) = self.places[&(column, inside.to_vec())];
        numbers + self.tables[..category].iter().map(Vec::len).sum::<usize>() + place
    }

    /// `[rows, features]` in double precision: numbers with NaN for holes, then sets.
    fn features(&self, graph: &mut Graph, rows: &WrittenRows, stand_ins: &StandIns) -> Symbol {
        let mut parts = Vec::new();
        if let Some(numbers) = &rows.numbers {
            let instead: Vec<f32> = stand_ins.numbers.iter().map(|own| own.unwrap_or(f32::NAN)).collect();
            let instead = graph.singles(&[1, instead.len()], &instead);
            let values = graph.choose(&numbers.observed, &numbers.values, &instead);
            parts.push(graph.cast(&values, Kind::Double));
        }
        let categories = rows.categories.iter().zip(&self.tables).zip(&stand_ins.codes);
        for ((category, sets), stand_in) in categories.filter(|((_, sets), _)| !sets.is_empty()) {
            // 0 for those that go left, so that all questions are of one kind.
            let line = |code: usize| sets.iter().map(move |inside| f64::from(u8::from(!inside[code])));
            let mut table: Vec<f64> = (0..category.codes).flat_map(line).collect();
            table.extend(line(stand_in.map_or(category.codes, |code| code as usize)));
            let table = graph.doubles(&[category.codes + 1, sets.len()], table);
            parts.push(graph.gather(&table, &category.place, 0));
        }
        match parts.is_empty() {
            true => rows.zero.clone(),
            false => graph.beside(&parts.iter().collect::<Vec<_>>()),
        }
    }
}

/// The lists that the operation takes, a place in each for every node.
#[derive(Default)]
struct Lists {
    tree: Vec<i64>,
    node: Vec<i64>,
    feature: Vec<i64>,
    value: Vec<f64>,
    mode: Vec<&'static str>,
    yes: Vec<i64>,
    no: Vec<i64>,
    missing: Vec<i64>,
    target_tree: Vec<i64>,
    target_node: Vec<i64>,
    target: Vec<i64>,
    weight: Vec<f64>,
}

impl Lists {
    fn push(&mut self, tree: usize, place: usize, node: &WrittenNode, numbers: usize, sets: &Sets) {
        let (mut feature, mut value, mut mode, mut missing) = (0, 0.0, "LEAF", false);
        let (mut yes, mut no) = (0, 0);
        match node {
            WrittenNode::Leaf(added) => {
                for (target, weight) in added {
                    self.target_tree.push(tree as i64);
                    self.target_node.push(place as i64);
                    self.target.push(*target as i64);
                    self.weight.push(*weight);
                }
            }
            WrittenNode::Split(question, left, right) => {
                (yes, no) = (*left, *right);
                match question {
                    Question::UpTo { column, most, missing_left } => {
                        (feature, value, mode, missing) = (*column, *most, "BRANCH_LEQ", *missing_left);
                    }
                    Question::In { column, inside } => {
                        (feature, value, mode) = (sets.feature(numbers, *column, inside), 0.5, "BRANCH_LEQ");
                    }
                }
            }
        }
        self.tree.push(tree as i64);
        self.node.push(place as i64);
        self.feature.push(feature as i64);
        self.value.push(value);
        self.mode.push(mode);
        self.missing.push(i64::from(missing));
        self.yes.push(yes as i64);
        self.no.push(no as i64);
    }
}

/// `[rows, outputs]` in double precision: the sums of trees, to the precision of the operation, which is single.
pub fn sums(
    graph: &mut Graph,
    rows: &WrittenRows,
    stand_ins: &StandIns,
    trees: &[Vec<WrittenNode>],
    outputs: usize,
) -> Symbol {
    let numbers = stand_ins.numbers.len();
    let sets = Sets::new(trees, numbers, stand_ins.codes.len());
    let features = sets.features(graph, rows, stand_ins);
    let mut lists = Lists::default();
    for (tree, nodes) in trees.iter().enumerate() {
        let each = nodes.iter().enumerate();
        each.for_each(|(place, node)| lists.push(tree, place, node, numbers, &sets));
    }
    if lists.tree.is_empty() {
        return rows.constant(graph, &vec![0.0; outputs]);
    }
    let settings = vec![
        Attribute::integer("n_targets", outputs as i64),
        Attribute::word("aggregate_function", "SUM"),
        Attribute::word("post_transform", "NONE"),
        Attribute::integers("nodes_treeids", lists.tree),
        Attribute::integers("nodes_nodeids", lists.node),
        Attribute::integers("nodes_featureids", lists.feature),
        Attribute::doubles("nodes_values_as_tensor", &lists.value),
        Attribute::words("nodes_modes", lists.mode),
        Attribute::integers("nodes_truenodeids", lists.yes),
        Attribute::integers("nodes_falsenodeids", lists.no),
        Attribute::integers("nodes_missing_value_tracks_true", lists.missing),
        Attribute::integers("target_treeids", lists.target_tree),
        Attribute::integers("target_nodeids", lists.target_node),
        Attribute::integers("target_ids", lists.target),
        Attribute::doubles("target_weights_as_tensor", &lists.weight),
    ];
    let sums = graph.learned("TreeEnsembleRegressor", &[&features], settings);
    graph.cast(&sums, Kind::Double)
}
