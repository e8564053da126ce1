//! What a model goes by, in sentences.

use crate::missing::words::{count, significant_digits};
use crate::model::{ColumnImportance, Explanation};

/// Columns named in a sentence.
const NAMED: usize = 3;
/// A part of the importance from which on holes are worth a word.
const MUCH: f64 = 0.2;

/// A part of the largest importance below which a column is hardly worth a word.
const LITTLE: f64 = 0.05;

/// What to know.
pub(super) fn summary(found: &Explanation) -> Vec<String> {
    let mut words = vec![order(found)];
    let most = found.columns.first().and_then(|column| column.importance).unwrap_or_default().mean;
    // Worth a word: a good part of an importance that is not next to nothing, and more than noise.
    let named = |column: &&ColumnImportance| {
        let all = column.importance.unwrap_or_default();
        let part = column.from_holes.unwrap_or(0.0);
        part >= MUCH && all.mean >= LITTLE * most && part * all.mean > 2.0 * all.error
    };
    let by_holes: Vec<&ColumnImportance> = found.columns.iter().filter(named).take(NAMED).collect();
    if !by_holes.is_empty() {
        let share = |column: &&ColumnImportance| {
            format!("`{}` ({:.0} %)", column.column, 100.0 * column.from_holes.unwrap_or(0.0))
        };
        words.push(format!(
            "That a cell is missing tells something by itself, whatever would stand there: it makes up part of the \
             importance of {}.",
            by_holes.iter().map(share).collect::<Vec<_>>().join(", ")
        ));
    }
    words.extend(missed(found));
    words
}

/// The columns that matter most.
fn order(found: &Explanation) -> String {
    let rows = match found.held_out {
        true => format!("{} that the models did not learn from", count(found.rows, "row")),
        false => count(found.rows, "row"),
    };
    let Some(loss) = found.loss else {
        let first = names(found.columns.iter().take(NAMED));
        return format!(
            "The target of the {rows} is not known: columns are told by how far answers move. First come {first}."
        );
    };
    let figure =
        if found.classes.is_empty() { "squared error (in variances of the target)" } else { "log-loss" };
    let matter = |column: &&ColumnImportance| column.importance.is_some_and(|all| all.is_above_noise());
    let above: Vec<&ColumnImportance> = found.columns.iter().filter(matter).collect();
    let all = count(found.columns.len(), "column");
    if above.is_empty() {
        return format!("On {rows} no column of {all} lowers the {figure} by more than two standard errors.");
    }
    let rise = |column: &&ColumnImportance| {
        let by = column.importance.unwrap_or_default().mean;
        format!("`{}` (+{})", column.column, significant_digits(by))
    };
    let rises = above.iter().take(NAMED).map(rise).collect::<Vec<_>>().join(", ");
    let verb = if above.len() == 1 { "matters" } else { "matter" };
    format!(
        "{} of {all} {verb} by more than two standard errors on {rows}. The {figure}, {}, rises most when the cells of these change \
         places between rows: {rises}.",
        above.len(),
        significant_digits(loss)
    )
}

/// The column whose hiding costs most.
fn missed(found: &Explanation) -> Option<String> {
    let cost = |column: &ColumnImportance| column.hidden.as_ref()?.loss.filter(|loss| loss.is_above_noise());
    let costs = found.columns.iter().filter_map(|column| Some((column, cost(column)?)));
    let (column, loss) = costs.max_by(|a, b| a.1.mean.total_cmp(&b.1.mean))?;
    Some(format!(
        "The cell that is missed most is `{}`: hidden where it is known, the loss rises by {}.",
        column.column,
        significant_digits(loss.mean)
    ))
}

/// What to be careful about.
pub(super) fn warnings(found: &Explanation) -> Vec<String> {
    let mut words = vec![
        "Columns that say much the same share their importance: each looks small while the others stand in for it. \
         None of this says what would happen if a value were changed in the world."
            .to_owned(),
    ];
    if !found.held_out && found.loss.is_some() {
        words.push(
            "If the model learned from these rows, columns look more important than they are for new ones."
                .into(),
        );
    }
    let moves = |column: &&ColumnImportance| {
        let complete = column.missing_in_training == 0.0;
        let shifts = column.hidden.as_ref().is_some_and(|hidden| {
            hidden.answer.iter().any(|change| change.mean.abs() > 2.0 * change.error && change.mean != 0.0)
        });
        complete && shifts
    };
    let never: Vec<&ColumnImportance> = found.columns.iter().filter(moves).collect();
    if !never.is_empty() {
        let more = if never.len() > NAMED { ", ..." } else { "" };
        words.push(format!(
            "What hiding does was never learned for columns that were complete in training ({}{more}).",
            names(never.into_iter().take(NAMED))
        ));
    }
    words
}

fn names<'a>(columns: impl Iterator<Item = &'a ColumnImportance>) -> String {
    columns.map(|column| format!("`{}`", column.column)).collect::<Vec<_>>().join(", ")
}
