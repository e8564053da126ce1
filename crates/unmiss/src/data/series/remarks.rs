//! What is worth telling of the columns and variables of series.

use super::set::Series;
use crate::data::note::Note;
use crate::data::sentinels::sentinels;
use crate::data::table::{Column, Kind};
use crate::error::Act;

/// What a table's reader noticed, without what holds for tables alone: that a column is text, looks like an id, or has
/// one value. Of columns it is told where that is `wanted`.
pub(super) fn on_columns(notes: Vec<Note>, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = Note> {
    notes.into_iter().filter(move |note| match &note.act {
        Some(Act::NameMissing { column, .. } | Act::ReadAsNumber { column }) => wanted(column),
        Some(Act::SayDecimal) => true,
        Some(_) => false,
        None => !note.text.starts_with("column `"),
    })
}

/// Numbers that most likely stand for "missing", by variable and by column that does not change: the column of values
/// of a long table has all of them.
pub(super) fn doubts(series: &Series) -> Vec<Note> {
    let variable = |place: usize| {
        let known = (0..series.len()).flat_map(|one| series.known(one, place).map(|(.., value)| value));
        Column::from_numbers(&series.variables()[place], Kind::Real, &known.collect::<Vec<_>>())
    };
    let variables = (0..series.variables().len()).filter_map(|place| sentinels(&variable(place)));
    let statics = series.statics().columns().iter().filter_map(sentinels);
    let renamed = |note: Note| Note { text: note.text.replacen("column `", "variable `", 1), act: note.act };
    variables.chain(statics).map(renamed).collect()
}
