//! How thorough an audit is, and all that it found.

use serde::Serialize;

use super::columns::ColumnEffect;
use super::contrast::Contrast;
use super::curve::{Example, Level};
use super::degree::Figures;
use super::known::DataSays;
use super::verdict::Verdict;
use crate::data::Shape;
use crate::error::{Error, Result};
use crate::model::{ColumnShift, HoleShift};

/// Answers an audit may ask for, at most: they are kept in memory.
const MOST_ANSWERS: usize = 50_000_000;

/// How thorough the audit is, and what is known about the answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditSettings {
    /// Rows to audit, at most.
    pub rows: usize,
    /// Shares of known cells, from 5 % to 100 %.
    pub levels: usize,
    /// Random masks per row and level.
    pub masks: usize,
    /// The column with the truth, if the table has it. Taken from the model when one of ours is audited.
    pub target: Option<String>,
    /// Whether to fit the same method with Sparsity Normalization for comparison, where it has that setting.
    pub contrast: bool,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self { rows: 200, levels: 20, masks: 50, target: None, contrast: true }
    }
}

impl AuditSettings {
    pub(super) fn check(&self) -> Result<()> {
        for (name, value, least) in
            [("rows", self.rows, 1), ("levels", self.levels, 2), ("masks", self.masks, 1)]
        {
            if value < least {
                return Err(Error::setting(
                    name,
                    format!("{value} is too few: an audit needs {least} or more"),
                ));
            }
        }
        let answers = self.rows.saturating_mul(self.levels).saturating_mul(self.masks);
        if answers > MOST_ANSWERS || self.masks > u32::MAX as usize {
            let what =
                format!("{} rows x {} levels x {} masks are too many", self.rows, self.levels, self.masks);
            return Err(Error::setting("rows", what).with_hint("fifty million answers are the most"));
        }
        Ok(())
    }
}

/// All that an audit found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// The shape of what was audited.
    #[serde(skip)]
    pub shape: Shape,
    /// Whether the mean answer drifts.
    pub verdict: Verdict,
    /// What to know, in sentences, the verdict first.
    pub summary: Vec<String>,
    /// What to be careful about, in sentences.
    pub warnings: Vec<String>,
    /// The figures: `slope`, `share`, `range`, `spearman`, `drift`, and their `intervals`.
    #[serde(flatten)]
    pub figures: Figures,
    /// The class that figures, curve, examples and columns are of: of two the last, of more the one that drifts
    /// most, so that all of them belong together. None for a number.
    pub class: Option<String>,
    /// The answers by share of known cells, all rows together.
    pub curve: Vec<Level>,
    /// Every class on its own; of two classes the last; empty for a number.
    pub per_class: Vec<ClassFigures>,
    /// Single rows, from a low answer to a high one.
    pub examples: Vec<Example>,
    /// What hiding one column does, the largest effect first; empty when the audit was stopped.
    pub columns: Vec<ColumnEffect>,
    /// What the data themselves say.
    pub data: DataSays,
    /// Holes when the model was learned and in these data; none for a model that is not ours.
    pub holes: Option<HolesThenAndNow>,
    /// The same method with Sparsity Normalization.
    pub contrast: Option<Contrast>,
    /// Why there is no contrast, where one was wanted.
    pub contrast_note: Option<String>,
    /// Rows audited.
    pub rows: usize,
    /// Answers that the curve rests on.
    pub answers: usize,
    /// Standard deviation of the answers for the audited rows as they are: the unit of slope and drift.
    pub answer_deviation: f64,
    /// Standard deviation of the target: the unit of the range. That of the answers where there is no target.
    pub target_deviation: f64,
    /// What was asked for.
    pub settings: AuditSettings,
}

/// What was missing when a model was learned, and what is missing in the data that it is audited on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HolesThenAndNow {
    /// Every input, the largest change first.
    pub columns: Vec<ColumnShift>,
    /// What has shifted, if anything has.
    pub shift: Option<HoleShift>,
}

impl HolesThenAndNow {
    /// The finding in a sentence.
    pub fn words(&self) -> String {
        match &self.shift {
            Some(shift) => {
                let words = shift.words();
                words[..1].to_uppercase() + &words[1..] + "."
            }
            None => "What is missing here is what was missing when the model was learned.".to_owned(),
        }
    }
}

/// The audit of one class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassFigures {
    /// The class.
    pub class: String,
    /// Whether its mean chance drifts.
    pub verdict: Verdict,
    /// How much.
    #[serde(flatten)]
    pub figures: Figures,
    /// Its chance by share of known cells.
    pub curve: Vec<Level>,
}
