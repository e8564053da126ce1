//! Which single column the answer misses most.

use serde::Serialize;

use super::collect::{Answers, collect_single};
use super::degree::Units;
use super::plan::Plan;
use super::subject::Subject;
use crate::error::Result;
use crate::run::Run;

/// A shift of the mean answer, in standard deviations of the answers, that a user must know of.
pub(super) const ALARMING_SHIFT: f64 = 0.25;

/// What hiding one column does to the answers, in standard deviations of the answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnEffect {
    /// The column.
    pub column: String,
    /// Audited rows in which it is known.
    pub rows: usize,
    /// Mean change of the answer when the cell is hidden, over those rows.
    pub mean_change: f64,
    /// Mean size of the change, whatever its sign, over those rows.
    pub mean_absolute_change: f64,
    /// Change of the mean answer of all audited rows when the column is empty.
    pub shift_when_empty: f64,
    /// Whether the column had no hole in training; unknown for a model that is not ours.
    pub complete_in_training: Option<bool>,
    /// Whether the model never saw the column missing and shifts by more than a quarter of a deviation.
    pub alarming: bool,
}

/// The effect of every column, the largest first; nothing when the run was stopped.
pub(super) fn effects(
    plan: &Plan,
    answers: &Answers,
    (inputs, complete): (&[String], Option<&[bool]>),
    (output, units): (usize, Units),
    subject: &dyn Subject,
    run: &Run,
) -> Result<Vec<ColumnEffect>> {
    let rows = answers.rows();
    let Some(hidden) = collect_single(plan, rows, subject, run)? else { return Ok(Vec::new()) };
    let mut sums = vec![(0_usize, 0.0, 0.0); inputs.len()];
    for (row, own) in hidden.iter().enumerate() {
        for (place, answer) in plan.rows[row].known.iter().zip(own.chunks_exact(answers.outputs)) {
            let change = (answer[output] - answers.full(row, output)) / units.answers;
            let (count, signed, size) = &mut sums[*place];
            (*count, *signed, *size) = (*count + 1, *signed + change, *size + change.abs());
        }
    }
    let effect = |(place, (count, signed, size)): (usize, (usize, f64, f64))| {
        let known = count.max(1) as f64;
        let shift = signed / rows.max(1) as f64;
        let complete_in_training = complete.map(|complete| complete[place]);
        ColumnEffect {
            column: inputs[place].clone(),
            rows: count,
            mean_change: signed / known,
            mean_absolute_change: size / known,
            shift_when_empty: shift,
            complete_in_training,
            alarming: complete_in_training == Some(true) && shift.abs() > ALARMING_SHIFT,
        }
    };
    let mut effects: Vec<ColumnEffect> = sums.into_iter().enumerate().map(effect).collect();
    effects.sort_by(|a, b| b.mean_absolute_change.total_cmp(&a.mean_absolute_change));
    Ok(effects)
}
