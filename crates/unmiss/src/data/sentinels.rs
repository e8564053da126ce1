//! Numbers that stand for "missing": -9, -99, 999 and their like, far outside the other values of a column, and a 0
//! where nothing else is near it. They stay values; the user is told.

use super::note::Note;
use super::table::{Column, format_number};
use crate::error::Act;

/// The fewest known cells to tell what is usual.
const FEWEST: usize = 20;
/// The fewest different values beside it for a 0 to be odd.
const FEWEST_DIFFERENT: usize = 10;

/// Numbers that programs and people write for "missing".
const WRITTEN_FOR_MISSING: [f64; 13] =
    [-1.0, -8.0, -9.0, -88.0, -99.0, -888.0, -999.0, -9999.0, -99999.0, 999.0, 9999.0, 99999.0, 999999.0];

/// A remark on each of the numbers that most likely stand for "missing".
pub(crate) fn sentinels(column: &Column) -> Option<Note> {
    let numbers = column.numbers()?;
    let cells = numbers.iter().zip(&column.observed).filter(|(_, known)| **known);
    let mut known: Vec<f64> = cells.map(|(value, _)| *value).collect();
    if known.len() < FEWEST {
        return None;
    }
    known.sort_unstable_by(f64::total_cmp);
    let mut found = outside(&known);
    let rest: Vec<f64> =
        known.into_iter().filter(|value| found.iter().all(|(odd, _)| odd != value)).collect();
    let zero = impossible_zero(&rest);
    let others = &rest[zero.map_or(0, |(_, zeros)| zeros)..];
    found.extend(zero);
    let (least, most) = (*others.first()?, *others.last()?);
    if found.is_empty() {
        return None;
    }
    let shown: Vec<String> = found.iter().map(|(value, count)| format!("`{value}` ({count})")).collect();
    let text = format!(
        "column `{}` has {} far outside its other values ({} to {})",
        column.name,
        shown.join(", "),
        format_number(least),
        format_number(most)
    );
    let words = found.iter().map(|(value, _)| format_number(*value)).collect();
    Some(Note { text, act: Some(Act::NameMissing { column: column.name.clone(), words }) })
}

/// Sentinels at either end of sorted values, each with how often it occurs: negative ones where nothing else is below
/// 0, and others further away than what is left reaches.
fn outside(sorted: &[f64]) -> Vec<(f64, usize)> {
    let (mut found, mut rest) = (Vec::new(), sorted);
    let negative = &sorted[..sorted.partition_point(|value| *value < 0.0)];
    let above = &sorted[negative.len()..];
    if negative.iter().all(|value| WRITTEN_FOR_MISSING.contains(value)) && above.first() < above.last() {
        found.extend(negative.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())));
        rest = above;
    }
    let ends = |rest: &[f64]| [rest.first().copied(), rest.last().copied()];
    while let Some(value) = ends(rest)
        .into_iter()
        .flatten()
        .find(|value| WRITTEN_FOR_MISSING.contains(value) && far(*value, without(rest, *value)))
    {
        let others = without(rest, value);
        found.push((value, rest.len() - others.len()));
        rest = others;
    }
    found
}

/// Sorted values without the one at an end.
fn without(sorted: &[f64], value: f64) -> &[f64] {
    let (from, to) =
        (sorted.partition_point(|own| *own < value), sorted.partition_point(|own| *own <= value));
    if from == 0 { &sorted[to..] } else { &sorted[..from] }
}

/// Whether a number is further from the nearest of others than these are from each other.
fn far(value: f64, others: &[f64]) -> bool {
    let (Some(least), Some(most)) = (others.first(), others.last()) else { return false };
    let gap = if value > *most { value - most } else { least - value };
    most > least && gap > most - least
}

/// A 0 below sorted values of which none is near it, as for a blood pressure: further from the lowest hundredth than
/// one and a half times what the middle half is wide.
fn impossible_zero(sorted: &[f64]) -> Option<(f64, usize)> {
    let zeros = sorted.iter().filter(|value| **value == 0.0).count();
    let rest = &sorted[zeros..];
    if zeros == 0 || sorted[0] < 0.0 || rest.len() < FEWEST || zeros > rest.len() {
        return None;
    }
    let at = |share: f64| rest[((rest.len() - 1) as f64 * share).round() as usize];
    let different = rest.windows(2).filter(|pair| pair[0] != pair[1]).count() + 1;
    let wide = at(0.75) - at(0.25);
    (different >= FEWEST_DIFFERENT && wide > 0.0 && at(0.01) > 1.5 * wide).then_some((0.0, zeros))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;

    fn said(values: impl IntoIterator<Item = f64>) -> String {
        let values: Vec<f64> = values.into_iter().collect();
        sentinels(&Column::from_numbers("x", Kind::Real, &values)).map_or_else(String::new, |note| note.text)
    }

    fn ages() -> impl Iterator<Item = f64> {
        (0..60).map(|row| f64::from(20 + row * 7 % 61))
    }

    #[test]
    fn numbers_far_outside_are_told() {
        let all = "column `x` has `-999` (2), `-9` (1), `9999` (3) far outside its other values (20 to 80)";
        assert_eq!(said(ages().chain([-999.0, 9999.0, -9.0, -999.0, 9999.0, 9999.0])), all);
        assert_eq!(said(ages().chain([0.0; 4])), "");
        assert_eq!(
            said((0..60).map(|row| f64::from(row % 9) - 4.0).chain([-9.0])),
            "",
            "among other negatives"
        );
        assert_eq!(said((0..60).map(|row| f64::from(row) * 40.0).chain([999.0])), "", "among its like");
        assert_eq!(said(ages().take(5).chain([-999.0])), "");
        assert_eq!(said([-9.0, 1.0].into_iter().cycle().take(40)), "", "two values are classes");
        assert_eq!(said([-1.0; 40]), "");
    }

    #[test]
    fn a_zero_is_told_where_nothing_else_is_near() {
        let pressure = |zeros| (0..60).map(|row| f64::from(100 + row * 7 % 41)).chain([0.0].repeat(zeros));
        assert_eq!(said(pressure(3)), "column `x` has `0` (3) far outside its other values (100 to 140)");
        assert_eq!(said((0..60).map(|row| f64::from(row % 12))), "", "counts begin at 0");
    }
}
