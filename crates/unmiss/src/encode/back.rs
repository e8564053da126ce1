//! Back to the user's units: filled rows of a table put into the table's holes.

mod written;

use super::column::{CategoryFeature, NumberFeature, places};
use super::features::{Encoded, Encoder};
use crate::data::{Column, Kind, Table, Values};
use crate::error::Result;
pub use written::write_filled;

/// Fills a table's holes with what an imputer put into its encoded rows. Known cells stay, and filled numbers keep
/// within the limits of their column, which are wider for `drawn` ones.
///
/// # Errors
/// When a column that was learned is absent.
pub fn fill_table(encoder: &Encoder, table: &Table, rows: &Encoded, drawn: bool) -> Result<Table> {
    let mut table = table.clone();
    let width = encoder.numbers.len();
    for (place, feature) in encoder.numbers.iter().enumerate() {
        let position = table.position(&feature.name)?;
        let filled = rows.numbers.iter().skip(place).step_by(width);
        let limits = if drawn { feature.allowed_for_draws() } else { feature.allowed() };
        fill_numbers(&mut table.columns_mut()[position], feature, limits, filled);
    }
    for (place, feature) in encoder.categories.iter().enumerate() {
        let position = table.position(&feature.name)?;
        fill_codes(&mut table.columns_mut()[position], feature, place, rows);
    }
    Ok(table)
}

fn fill_numbers<'a>(
    column: &mut Column,
    feature: &NumberFeature,
    (low, high): (f64, f64),
    filled: impl Iterator<Item = &'a f32>,
) {
    let Values::Numbers(values) = &mut column.values else { return };
    for ((value, observed), filled) in values.iter_mut().zip(&column.observed).zip(filled) {
        if *observed {
            continue;
        }
        *value = decode(feature, *filled).clamp(low, high);
        if feature.kind == Kind::Integer {
            *value = value.round().clamp(low.ceil(), high.floor().max(low.ceil()));
        }
    }
    column.observed.fill(true);
}

/// So many units of a filled number are 1.
fn units(feature: &NumberFeature) -> f64 {
    10_f64.powf(places(feature.width, feature.decimals))
}

/// Back to the user's units, without digits that a standardised single-precision number can't carry.
fn decode(feature: &NumberFeature, scaled: f32) -> f64 {
    let value = feature.center + feature.width * f64::from(scaled);
    let unit = units(feature);
    let rounded = (value * unit).round() / unit;
    if rounded.is_finite() { rounded } else { value }
}

/// Codes become levels; a level that the table does not have yet is added after its own.
fn fill_codes(column: &mut Column, feature: &CategoryFeature, place: usize, rows: &Encoded) {
    let width = rows.codes.len().checked_div(rows.rows).unwrap_or(0);
    let Values::Codes { codes, levels } = &mut column.values else { return };
    let mut translation: Vec<Option<u32>> = vec![None; feature.levels.len()];
    for (row, code) in codes.iter_mut().enumerate().filter(|(row, _)| !column.observed[*row]) {
        let learned = rows.codes[row * width + place] as usize;
        let Some(known) = translation.get_mut(learned) else { continue };
        *code = *known.get_or_insert_with(|| {
            let level = &feature.levels[learned];
            let position = levels.iter().position(|own| own == level).unwrap_or_else(|| {
                levels.push(level.clone());
                levels.len() - 1
            });
            position as u32
        });
    }
    // A table of holes only has no level that the codes could fall back to.
    if levels.is_empty() {
        return;
    }
    column.observed.fill(true);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Encoding;

    #[test]
    fn digits_are_those_that_are_known() {
        let fever = Column::from_numbers("fever", Kind::Real, &[37.6, 38.1, f64::NAN, 36.5]);
        let table = Table::new(vec![fever]).unwrap();
        let encoder = Encoder::fit(&table, &["fever".into()], Encoding::default()).unwrap();
        let feature = &encoder.numbers[0];
        let scaled = ((37.6 - feature.center) / feature.width) as f32;
        assert_eq!((decode(feature, scaled), feature.decimals), (37.6, Some(1)));
        // What lies between two of its values gets the places that they have.
        assert_eq!(decode(feature, scaled + 0.03), 37.6);
        let computed = Column::from_numbers("share", Kind::Real, &[1.0 / 3.0, 0.5]);
        let encoder =
            Encoder::fit(&Table::new(vec![computed]).unwrap(), &["share".into()], Encoding::default())
                .unwrap();
        assert_eq!(encoder.numbers[0].decimals, None);
    }
}
