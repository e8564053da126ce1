//! Filling row by row.

use rayon::prelude::*;

use crate::encode::Encoded;
use crate::encode::wide::EncodedRow;

/// Calls `fill` with every row that has a hole, on all threads.
pub(super) fn for_each_row(rows: &mut Encoded, fill: impl Fn(usize, EncodedRow<'_>) + Sync) {
    let count = rows.rows;
    let numbers = rows.numbers.len().checked_div(count).unwrap_or(0);
    let codes = rows.codes.len().checked_div(count).unwrap_or(0);
    let (mut number_cells, mut code_cells) = (rows.numbers.as_mut_slice(), rows.codes.as_mut_slice());
    let mut lines = Vec::with_capacity(count);
    for row in 0..count {
        let (line_numbers, rest) = std::mem::take(&mut number_cells).split_at_mut(numbers);
        number_cells = rest;
        let (line_codes, rest) = std::mem::take(&mut code_cells).split_at_mut(codes);
        code_cells = rest;
        lines.push(EncodedRow {
            numbers: line_numbers,
            numbers_observed: &rows.numbers_observed[row * numbers..(row + 1) * numbers],
            codes: line_codes,
            codes_observed: &rows.codes_observed[row * codes..(row + 1) * codes],
        });
    }
    let holed = |line: &EncodedRow<'_>| {
        line.numbers_observed.contains(&false) || line.codes_observed.contains(&false)
    };
    lines.into_par_iter().enumerate().with_min_len(16).for_each(|(row, line)| {
        if holed(&line) {
            fill(row, line);
        }
    });
}
