//! Sums of derivatives over the bins of four columns at once.
//!
//! Derivatives are rounded to whole numbers of small units, so that sums are exact: their order, and with it the number
//! of threads, changes nothing, and one child's sums are exactly the parent's minus the other's. What a row adds to a
//! bin is then one number of 64 bits,
//!
//! gradient (27 bits, signed) | hessian (25 bits) | rows (12 bits),
//!
//! which has room for the sums of [`BLOCK`] rows; these are added to wider ones block by block.

use super::bins::{Four, TOGETHER};
use crate::nn::vectorised::vectorised;

/// First and second derivative of the loss of a row.
pub type Derivatives = [f32; 2];

/// Rows whose packed sums fit into 64 bits.
pub const BLOCK: usize = 2048;
const ROW_BITS: u32 = 12;
const HESSIAN_BITS: u32 = 25;
/// The largest gradient of a row, in units: `BLOCK` of them fit into 27 bits with a sign.
const MOST_GRADIENT: f32 = 32_767.0;
/// The largest hessian of a row, in units: `BLOCK` of them fit into 25 bits.
const MOST_HESSIAN: f32 = 16_383.0;
/// Bits of a [`Cell`] that count rows,
const WIDE_ROW_BITS: u32 = 28;
/// and the largest sum of hessians that the others hold.
const MOST_HESSIANS: f32 = (1_u64 << 35) as f32;
/// Rows that can be counted.
pub const MOST_ROWS: usize = (1 << WIDE_ROW_BITS) - 1;

/// What one unit of the whole numbers is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Units {
    /// A unit of gradients.
    pub gradient: f64,
    /// A unit of hessians.
    pub hessian: f64,
}

/// Sums over the rows of a bin or of a node, in units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cell {
    gradient: i64,
    /// The sum of hessians, then [`WIDE_ROW_BITS`] bits that count rows: both are added and subtracted at once.
    hessian_and_rows: i64,
}

impl Cell {
    /// From sums in units.
    #[cfg(test)]
    pub fn new(gradient: i64, hessian: i64, rows: u32) -> Self {
        Self { gradient, hessian_and_rows: hessian << WIDE_ROW_BITS | i64::from(rows) }
    }

    /// How many rows.
    pub fn rows(self) -> u32 {
        (self.hessian_and_rows & MOST_ROWS as i64) as u32
    }

    /// Gradient and hessian.
    pub fn sums(self) -> (f64, f64) {
        (exact(self.gradient), exact(self.hessian_and_rows >> WIDE_ROW_BITS))
    }

    /// Both rows together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient + other.gradient,
            hessian_and_rows: self.hessian_and_rows + other.hessian_and_rows,
        }
    }

    /// Without some of its rows.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            hessian_and_rows: self.hessian_and_rows - other.hessian_and_rows,
        }
    }
}

/// A whole number below 2^51 as a double, with additions alone: there is no vector instruction for it before AVX-512.
#[inline(always)]
fn exact(whole: i64) -> f64 {
    const SHIFT: i64 = 0x4338_0000_0000_0000;
    f64::from_bits((whole + SHIFT) as u64) - f64::from_bits(SHIFT as u64)
}

/// Derivatives of all rows in whole units, packed; units are such that those of the given rows fit.
pub fn pack(derivatives: &[Derivatives], rows: &[u32], packed: &mut Vec<u64>) -> Units {
    let (mut gradient, mut hessian) = (0.0_f32, 0.0_f32);
    for &row in rows {
        let [first, second] = derivatives[row as usize];
        gradient = gradient.max(first.abs());
        hessian = hessian.max(second);
    }
    let most_hessian = MOST_HESSIAN.min(MOST_HESSIANS / rows.len().max(1) as f32);
    let unit = |largest: f32, most: f32| if largest > 0.0 { largest / most } else { 1.0 };
    let (gradient, hessian) = (unit(gradient, MOST_GRADIENT), unit(hessian, most_hessian));
    let (per_gradient, per_hessian) = (1.0 / gradient, 1.0 / hessian);
    let pack = |&[first, second]: &Derivatives| {
        // Clamped: rows that are not among the given ones may lie outside, and rounding may.
        let first = (first * per_gradient).clamp(-MOST_GRADIENT, MOST_GRADIENT).round_ties_even() as i32;
        let second = (second * per_hessian).clamp(0.0, MOST_HESSIAN).round_ties_even() as i32;
        let first = (i64::from(first) << (HESSIAN_BITS + ROW_BITS)) as u64;
        first.wrapping_add((second as u64) << ROW_BITS).wrapping_add(1)
    };
    packed.clear();
    packed.extend(derivatives.iter().map(pack));
    Units { gradient: f64::from(gradient), hessian: f64::from(hessian) }
}

/// The sum over some packed rows.
pub fn total(packed: &[u64]) -> Cell {
    packed.iter().fold(Cell::default(), |sum, &row| sum.plus(unpacked(row)))
}

#[inline(always)]
pub fn unpacked(packed: u64) -> Cell {
    let hessian = packed >> ROW_BITS & ((1 << HESSIAN_BITS) - 1);
    Cell {
        gradient: packed as i64 >> (HESSIAN_BITS + ROW_BITS),
        hessian_and_rows: (hessian << WIDE_ROW_BITS | packed & ((1 << ROW_BITS) - 1)) as i64,
    }
}

vectorised! {
    /// Sums over the bins of four columns, which stand one column after the other in `sums`, the first at `starts[0]`.
    /// `packed` has the derivatives of `rows`, in their order.
    pub fn fill(sums: &mut [Cell], starts: &[usize], four: &[Four], rows: &[u32], packed: &[u64]) {
        sums.fill(Cell::default());
        let mut narrow = [[0_u64; 256]; TOGETHER];
        for (rows, packed) in rows.chunks(BLOCK).zip(packed.chunks(BLOCK)) {
            narrow.iter_mut().for_each(|column| column.fill(0));
            for (&row, &packed) in rows.iter().zip(packed) {
                let bins = four[row as usize];
                for (column, bin) in narrow.iter_mut().zip(bins) {
                    let sum = &mut column[bin as usize];
                    *sum = sum.wrapping_add(packed);
                }
            }
            for (column, bounds) in narrow.iter().zip(starts.windows(2)) {
                let wide = sums[bounds[0]..bounds[1]].iter_mut();
                wide.zip(column).for_each(|(wide, &narrow)| *wide = wide.plus(unpacked(narrow)));
            }
        }
    }
}

vectorised! {
    /// Takes one child's sums from the parent's: what is left is the other child's.
    pub fn subtract(parent: &mut [Cell], child: &[Cell]) {
        parent.iter_mut().zip(child).for_each(|(parent, child)| *parent = parent.minus(*child));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn sums_over_bins_are_those_of_the_rows() {
        let mut stream = Stream::new(1, "histogram", 0, 0);
        // More rows than a block has, some of them left out.
        let rows: Vec<u32> = (0..7000).filter(|row| row % 3 > 0).collect();
        let four: Vec<Four> =
            (0..7000).map(|_| [stream.below(5) as u8, 254, stream.below(255) as u8, 0]).collect();
        let derivatives: Vec<Derivatives> =
            (0..7000).map(|_| [stream.normal() as f32 * 40.0, stream.uniform() as f32]).collect();
        let mut all = Vec::new();
        let units = pack(&derivatives, &rows, &mut all);
        let packed: Vec<u64> = rows.iter().map(|&row| all[row as usize]).collect();
        let starts = [0, 6, 262, 518];
        let mut sums = vec![Cell::new(9, 9, 9); 518];
        fill(&mut sums, &starts, &four, &rows, &packed);
        for (column, start) in starts[..3].iter().enumerate() {
            for bin in 0..5 {
                let own = |row: &&u32| usize::from(four[**row as usize][column]) == bin;
                let (mut gradient, mut hessian, mut count) = (0.0, 0.0, 0);
                rows.iter().filter(own).for_each(|&row| {
                    gradient += f64::from(derivatives[row as usize][0]);
                    hessian += f64::from(derivatives[row as usize][1]);
                    count += 1;
                });
                let cell = sums[start + bin];
                let found = (cell.sums().0 * units.gradient, cell.sums().1 * units.hessian);
                assert_eq!(cell.rows(), count);
                // Half a unit for each row at most.
                let bound = f64::from(count) / 2.0;
                assert!((found.0 - gradient).abs() <= bound * units.gradient, "{found:?} {gradient}");
                assert!((found.1 - hessian).abs() <= bound * units.hessian, "{found:?} {hessian}");
            }
        }
        let whole = total(&packed);
        let column = sums[6..262].iter().fold(Cell::default(), |sum, cell| sum.plus(*cell));
        assert_eq!((whole, whole.rows()), (column, rows.len() as u32));
        let mut rest = sums.clone();
        subtract(&mut rest, &sums);
        assert!(rest.iter().all(|cell| *cell == Cell::default()));
    }

    #[test]
    fn extreme_derivatives_fit() {
        let derivatives = vec![[-3e30_f32, 0.0]; 5000];
        let rows: Vec<u32> = (0..5000).collect();
        let mut packed = Vec::new();
        let units = pack(&derivatives, &rows, &mut packed);
        let sum = total(&packed).sums();
        assert!((sum.0 * units.gradient / -1.5e34 - 1.0).abs() < 1e-6 && sum.1 == 0.0);
        let mut sums = vec![Cell::default(); 4];
        fill(&mut sums, &[0, 1, 2, 3, 4], &vec![Four::default(); 5000], &rows, &packed);
        assert!(sums.iter().all(|cell| *cell == total(&packed)));
    }
}
