//! What rows with holes add to a round of expectation-maximisation: sums of the filled deviations t = Σ f and of their
//! products T = Σ f f' + C.
//!
//! With P = Σ⁻¹ and d the deviations of a row, 0 where missing, C = P_mm⁻¹ and f_m = -C (P d)_m. Patterns are solved
//! eight at a time, P d is one product for many rows.

use super::conditional::{Conditional, Pattern};
use super::holes::{CHUNK, Group, Holes};
use super::lanes::{LANES, cholesky, inverse, triangle};
use super::products::{add_crossed, add_product};
use super::registers::vectorised;
use super::square::Square;

/// Patterns that are worked on together, at most.
const PATTERNS: usize = 8 * LANES;
/// A pattern with so many times more missing than known columns is solved by its known ones.
const FEW_KNOWN: usize = 3;

/// How the holes of a pattern are filled.
enum Way {
    /// There are none.
    Complete,
    /// By C, `[missing, missing]`.
    Open(Vec<usize>, Vec<f64>),
    /// By what is known.
    Known(Pattern),
}

/// t and T over the rows of some groups.
pub(super) fn expect(data: Holes<'_>, groups: &[Group], conditional: &Conditional<'_>) -> (Vec<f64>, Square) {
    let columns = data.columns;
    let mut sums = (vec![0.0; columns], Square::zero(columns));
    let mut rest = groups;
    while !rest.is_empty() {
        // As many patterns as have a chunk of rows together; at least one.
        let mut rows = 0;
        let fitting = rest.iter().take(PATTERNS).take_while(|group| {
            rows += group.rows.len();
            rows <= CHUNK
        });
        let (piece, others) = rest.split_at(fitting.count().max(1));
        expect_piece(data, piece, conditional, &mut sums);
        rest = others;
    }
    let (shift, mut squares) = sums;
    // What is open was added below the diagonal alone, products on both sides.
    for i in 0..columns {
        for j in 0..i {
            let cell = squares.at(i, j);
            *squares.at_mut(j, i) = cell;
        }
    }
    (shift, squares)
}

fn expect_piece(
    data: Holes<'_>,
    groups: &[Group],
    conditional: &Conditional<'_>,
    (shift, squares): &mut (Vec<f64>, Square),
) {
    let columns = data.columns;
    let ways = ways(groups, conditional);
    let rows: Vec<(usize, usize)> = groups
        .iter()
        .enumerate()
        .flat_map(|(place, group)| group.rows.iter().map(move |row| (*row, place)))
        .collect();
    for rows in rows.chunks(CHUNK) {
        // [rows, columns]: deviations from the old mean, filled in the end, and P times them.
        let mut filled = vec![0.0; rows.len() * columns];
        for (line, (row, _)) in filled.chunks_exact_mut(columns).zip(rows) {
            data.deviations(*row, conditional.mean(), line);
        }
        let mut pulled = vec![0.0; filled.len()];
        if let Some(precision) = conditional.precision() {
            add_product(&mut pulled, (&filled, columns), (&precision.cells, columns));
        }
        let mut own = Vec::with_capacity(columns);
        let lines = filled.chunks_exact_mut(columns).zip(pulled.chunks_exact(columns));
        for ((line, pulled), (_, place)) in lines.zip(rows) {
            match &ways[*place] {
                Way::Complete => {}
                Way::Known(pattern) => pattern.fill(conditional, line),
                Way::Open(missing, open) => {
                    own.clear();
                    own.extend(missing.iter().map(|column| pulled[*column]));
                    fill(missing, open, &own, line);
                }
            }
            shift.iter_mut().zip(&*line).for_each(|(sum, value)| *sum += value);
        }
        add_crossed(&mut squares.cells, (&filled, columns), (&filled, columns), 1.0);
    }
    for (group, way) in groups.iter().zip(&ways) {
        let count = group.rows.len() as f64;
        match way {
            Way::Complete => {}
            Way::Known(pattern) => pattern.add_open(conditional, count, squares),
            Way::Open(missing, open) => {
                for (i, (row, open)) in missing.iter().zip(open.chunks_exact(missing.len())).enumerate() {
                    let into = &mut squares.cells[row * columns..(row + 1) * columns];
                    for (column, open) in missing[..=i].iter().zip(open) {
                        into[*column] += count * open;
                    }
                }
            }
        }
    }
}

vectorised! {
    /// f_m = -C (P d)_m.
    fn fill(missing: &[usize], open: &[f64], pulled: &[f64], line: &mut [f64]) {
        for (column, open) in missing.iter().zip(open.chunks_exact(missing.len())) {
            let (fours, rest) = open.as_chunks::<8>();
            let (own_fours, own_rest) = pulled.as_chunks::<8>();
            let mut sums = [0.0; 8];
            for (a, b) in fours.iter().zip(own_fours) {
                for lane in 0..8 {
                    sums[lane] += a[lane] * b[lane];
                }
            }
            let mut sum = 0.0;
            for (a, b) in rest.iter().zip(own_rest) {
                sum += a * b;
            }
            let halves = [sums[0] + sums[4], sums[1] + sums[5], sums[2] + sums[6], sums[3] + sums[7]];
            line[*column] = -((halves[0] + halves[2]) + (halves[1] + halves[3]) + sum);
        }
    }
}

/// How each pattern is filled.
fn ways(groups: &[Group], conditional: &Conditional<'_>) -> Vec<Way> {
    let mut ways: Vec<Way> = Vec::with_capacity(groups.len());
    let mut together: Vec<(usize, Vec<usize>)> = Vec::new();
    for (place, group) in groups.iter().enumerate() {
        let missing: Vec<usize> =
            (0..group.observed.len()).filter(|column| !group.observed[*column]).collect();
        let known = group.observed.len() - missing.len();
        ways.push(match conditional.precision() {
            _ if missing.is_empty() => Way::Complete,
            Some(_) if FEW_KNOWN * known > missing.len() => {
                together.push((place, missing));
                Way::Complete
            }
            _ => Way::Known(conditional.pattern(&group.observed)),
        });
    }
    if let Some(precision) = conditional.precision() {
        for mut eight in together.chunks(LANES).map(<[_]>::to_vec) {
            let open = open(precision, &eight);
            for ((place, missing), open) in eight.drain(..).zip(open) {
                ways[place] = Way::Open(missing, open);
            }
        }
    }
    ways
}

/// C = P_mm⁻¹ of up to eight patterns; smaller ones are filled up with 1 on the diagonal.
fn open(precision: &Square, patterns: &[(usize, Vec<usize>)]) -> Vec<Vec<f64>> {
    let size = patterns.iter().map(|(_, missing)| missing.len()).max().unwrap_or(0).next_multiple_of(4);
    let mut lower = vec![[0.0; LANES]; triangle(size)];
    (0..size).for_each(|i| lower[triangle(i) + i] = [1.0; LANES]);
    for (lane, (_, missing)) in patterns.iter().enumerate() {
        for (i, row) in missing.iter().enumerate() {
            let cells = precision.row(*row);
            for (into, column) in lower[triangle(i)..].iter_mut().zip(&missing[..=i]) {
                into[lane] = cells[*column];
            }
        }
    }
    cholesky(size, &mut lower);
    let (mut half, mut out) = (vec![[0.0; LANES]; size * size], vec![[0.0; LANES]; size * size]);
    inverse(size, &lower, &mut half, &mut out);
    let one = |(lane, (_, missing)): (usize, &(usize, Vec<usize>))| {
        let count = missing.len();
        let mut open = vec![0.0; count * count];
        for i in 0..count {
            for j in 0..=i {
                let cell = out[i * size + j][lane];
                (open[i * count + j], open[j * count + i]) = (cell, cell);
            }
        }
        open
    };
    patterns.iter().enumerate().map(one).collect()
}
