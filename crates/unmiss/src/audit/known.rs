//! What the data themselves say: how unequally much is known of rows, and whether the target goes with it.

use serde::Serialize;

use super::degree::deviation;
use crate::data::Column;
use crate::error::Result;
use crate::missing::{KnownCells, TargetByKnown, known};

/// How much is known of the table's rows, and the target by it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DataSays {
    /// Rows of the table.
    pub rows: usize,
    /// Known input cells per row.
    pub known_cells: KnownCells,
    /// Standard deviation of the number of known cells, divided by its mean: how much sparsity varies.
    pub coefficient_of_variation: f64,
    /// The target by the number of known cells, where the table has the target.
    pub target: Option<TargetByKnown>,
}

impl DataSays {
    /// Whether the target goes with the number of known cells beyond chance (p < 0.05).
    pub fn target_goes_with_known_cells(&self) -> bool {
        let test = self.target.as_ref().and_then(|target| target.test);
        test.is_some_and(|test| test.p_value < 0.05)
    }
}

/// Looks at how many inputs of each row are known.
pub(super) fn look(counts: &[u32], inputs: usize, target: Option<&Column>) -> Result<DataSays> {
    let known_cells = known::summarise(counts, inputs);
    let spread = deviation(&counts.iter().map(|&count| f64::from(count)).collect::<Vec<_>>());
    let target = target.filter(|column| column.is_usable() && column.missing() < column.rows());
    Ok(DataSays {
        rows: counts.len(),
        coefficient_of_variation: if known_cells.mean > 0.0 { spread / known_cells.mean } else { 0.0 },
        known_cells,
        target: target.map(|column| TargetByKnown::new(column, counts)).transpose()?,
    })
}

/// The standard deviation of what each output should be: of a class, that a row belongs to it; of a single
/// output, the target itself. `None` where the table can't tell.
pub(super) fn target_deviations(
    target: Option<&Column>,
    classes: &[String],
    outputs: usize,
) -> Vec<Option<f64>> {
    let Some(column) = target else { return vec![None; outputs] };
    let observed = || (0..column.rows()).filter(|&row| column.observed[row]);
    let belongs = |class: &String| {
        let marks: Vec<f64> =
            observed().map(|row| f64::from(u8::from(column.cell(row).as_ref() == Some(class)))).collect();
        Some(deviation(&marks))
    };
    if classes.len() == outputs && outputs > 1 {
        return classes.iter().map(belongs).collect();
    }
    if outputs > 1 {
        return vec![None; outputs];
    }
    match (column.numbers(), column.codes()) {
        (Some(numbers), _) => vec![Some(deviation(&observed().map(|row| numbers[row]).collect::<Vec<_>>()))],
        (None, Some((_, [_, positive]))) => vec![belongs(positive)],
        _ => vec![None],
    }
}
