//! Which methods take part, with which settings, and how many folds: decided by the size of the table and the effort
//! asked for, never by a clock, so that the same rows give the same model on any machine.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::encode::{Encoder, Targets, Task};
use crate::error::Result;
use crate::methods::{Recipe, conditional};

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// What takes a second or two on a small table.
    Quick,
    /// What takes about a minute on two cores up to 20,000 rows of 50 columns.
    #[default]
    Normal,
    /// Everything, with larger networks and more folds.
    Best,
}

/// The size of a table.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Rows that are learned from.
    pub rows: usize,
    /// Columns after categories became one indicator for each level.
    pub columns: usize,
    /// Outputs: one, or one for each class.
    pub outputs: usize,
}

impl Size {
    /// Of targets and the translation of their inputs.
    pub fn of(targets: &Targets, encoder: &Encoder) -> Self {
        let levels: usize = encoder.categories.iter().map(|category| category.codes()).sum();
        Self {
            rows: targets.rows(),
            columns: encoder.numbers.len() + levels,
            outputs: targets.task.outputs(),
        }
    }
}

/// Rows below which folds are many and small, so that models learn from nearly all rows.
const FEW_ROWS: usize = 400;
/// Trees of all classes together, at most, where there are more than two.
const TREES_OF_CLASSES: usize = 1_200;
/// Rows from which trees may learn from drawn rows and columns: of fewer, a share is too little.
const ROWS_TO_DRAW_FROM: usize = 100;
/// Rows below which forests and trees have settings of their own: they were measured up to a thousand rows, and of many
/// more they would take long.
const FEW_ROWS_FOR_TREES: usize = 5_000;
/// Rows from which members that share a network bring something.
const ROWS_FOR_MEMBERS: usize = 3_000;
/// Rows from which columns may have curves, and columns up to which: each has four more inputs.
const ROWS_FOR_CURVES: usize = 100;
const MOST_COLUMNS_OF_CURVES: usize = 100;
/// Rows up to which `kernel` takes part: its work grows with their cube.
const MOST_ROWS_OF_KERNEL: usize = 4_000;
/// Rows below which `best` has ten folds.
const FEW_ROWS_FOR_BEST: usize = 5_000;

impl Effort {
    /// How many folds: ten where rows are few and every class has ten of them, else five; `quick` has five.
    pub fn folds(self, targets: &Targets) -> usize {
        let few = match self {
            Self::Quick => 0,
            Self::Normal => FEW_ROWS,
            Self::Best => FEW_ROWS_FOR_BEST,
        };
        let enough = match targets.task {
            Task::Regression => true,
            Task::Classification { classes } => {
                let mut counts = vec![0_usize; classes];
                targets.classes.iter().for_each(|class| counts[*class as usize] += 1);
                counts.iter().all(|count| *count == 0 || *count >= 10)
            }
        };
        if targets.rows() < few && enough { 10 } else { 5 }
    }

    /// Rows of a large table on which methods are measured, at most.
    pub fn most_rows(self) -> usize {
        match self {
            Self::Quick => 5_000,
            Self::Normal => 10_000,
            Self::Best => 30_000,
        }
    }

    /// The methods, cheap ones first.
    ///
    /// # Errors
    /// When a setting is none of its method's: a mistake of this file.
    pub fn members(self, size: Size) -> Result<Vec<Recipe>> {
        let mut members = vec![with("linear", json!({}))?];
        // Of classes and from few rows curves were found to tell no more than lines.
        if size.outputs == 1 && size.rows >= ROWS_FOR_CURVES && size.columns <= MOST_COLUMNS_OF_CURVES {
            members.push(with("additive", json!({}))?);
        }
        if size.columns <= self.most_columns() {
            // Whether a network behind it pays off takes long to find out.
            let head = if self == Self::Quick { json!({ "head": "linear" }) } else { json!({}) };
            members.push(with("conditional", head)?);
        }
        members.push(with("forest", self.forest(size))?);
        // It learns classes as if they were numbers: trees and lines tell chances better.
        if size.outputs == 1 && size.rows <= MOST_ROWS_OF_KERNEL && size.columns <= self.most_columns() {
            members.push(with("kernel", json!({}))?);
        }
        members.push(with("trees", self.trees(size))?);
        if self != Self::Quick {
            members.push(with("network", self.network(size))?);
        }
        Ok(members)
    }

    /// Columns up to which `conditional` takes part: each pattern of holes costs it their cube.
    fn most_columns(self) -> usize {
        match self {
            Self::Quick => 25,
            Self::Normal => 80,
            Self::Best => conditional::MOST_COLUMNS,
        }
    }

    /// The settings of the forest that differ from its own defaults. Weights go by the answers of one fold's forest:
    /// of few trees it would count for less than the mean of all folds' is worth. Where a row is in the table twice,
    /// leaves of one row find it again.
    fn forest(self, size: Size) -> Value {
        match (size.rows < FEW_ROWS_FOR_TREES, self) {
            (true, Self::Quick) => json!({ "trees": 40, "min-leaf": 1 }),
            (true, _) => json!({ "trees": 100, "min-leaf": 1 }),
            (false, _) => json!({}),
        }
    }

    /// The settings of the trees that differ from their own defaults. Small steps of small trees, each of which sees
    /// other rows and columns, err less than large ones, and take longer. Of several classes each has a tree in every
    /// round, and where these can be told apart their chances get better without end: fewer, longer steps do.
    fn trees(self, size: Size) -> Value {
        let (patience, rate) = if self == Self::Quick { (20, 0.1) } else { (40, 0.05) };
        let drawn =
            json!({ "columns": 0.6, "sample": 0.8, "leaves": 15, "patience": patience, "rate": rate });
        let rows = ROWS_TO_DRAW_FROM..FEW_ROWS_FOR_TREES;
        let mut settings = if rows.contains(&size.rows) { drawn } else { json!({}) };
        if size.outputs > 2 {
            settings["rounds"] = (TREES_OF_CLASSES / size.outputs).max(50).into();
            settings["rate"] = if rows.contains(&size.rows) { 0.15 } else { 0.2 }.into();
        }
        settings
    }

    /// The settings of the network that differ from its own defaults. On small tables four that differ do more than
    /// members that share one, in less time; on larger ones fewer members lose little beside other methods.
    fn network(self, size: Size) -> Value {
        match (self, size.rows < ROWS_FOR_MEMBERS) {
            (Self::Best, true) => json!({ "members": 2, "networks": 8, "varied": true }),
            (_, true) => json!({ "members": 1, "networks": 4, "varied": true }),
            (Self::Best, false) => json!({ "networks": 2 }),
            (_, false) => json!({ "members": 4, "networks": 1 }),
        }
    }
}

/// A method with some settings changed.
fn with(name: &str, changes: Value) -> Result<Recipe> {
    let changes = changes.as_object().cloned().unwrap_or_default();
    let changes: Vec<(String, String)> =
        changes.into_iter().map(|(setting, value)| (setting, value.to_string())).collect();
    Recipe::named(name)?.set_all(changes.iter().map(|(setting, value)| (setting.as_str(), value.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a thousand rows the quick ones have less of what takes longest.
    #[test]
    fn a_quick_effort_is_a_small_one() {
        let settings = |effort: Effort, name: &str| {
            let members = effort.members(Size { rows: 1_000, columns: 20, outputs: 1 }).unwrap();
            members.into_iter().find(|own| own.method.name() == name).map(|own| own.settings)
        };
        let both =
            |name: &str| (settings(Effort::Quick, name).unwrap(), settings(Effort::Normal, name).unwrap());
        let ((quick, normal), (fast, slow)) = (both("forest"), both("trees"));
        assert!(quick["trees"].as_u64() < normal["trees"].as_u64());
        assert!(fast["rate"].as_f64() > slow["rate"].as_f64());
        assert!(fast["patience"].as_u64() < slow["patience"].as_u64());
        assert_eq!(both("conditional").0["head"], "linear");
        assert_eq!(settings(Effort::Quick, "network"), None);
    }

    #[test]
    fn every_effort_has_members_for_every_size() {
        for effort in [Effort::Quick, Effort::Normal, Effort::Best] {
            for rows in [1, 50, 500, 5_000, 50_000, 500_000] {
                for (columns, outputs) in [(1, 1), (20, 2), (800, 40)] {
                    let members = effort.members(Size { rows, columns, outputs }).unwrap();
                    assert!(members.iter().any(|member| member.method.name() == "linear"));
                    assert!(members.is_sorted_by_key(|member| member.method.card().cost), "{members:?}");
                }
            }
        }
    }
}
