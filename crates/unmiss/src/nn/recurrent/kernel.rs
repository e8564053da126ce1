//! The one product of the layer, `output += left right`, in tiles of sums that stay in registers.
//!
//! A sum is made in the order of the depth, whatever other rows there are.

use crate::nn::wide::{Wide, for_widest};

/// Columns come in whole registers of any machine.
pub(super) const PAD: usize = 16;

/// A matrix whose rows and depth lie at any distance: `left[row, k]` is `values[row row_stride + k depth_stride]`.
#[derive(Clone, Copy)]
pub(super) struct Left<'a> {
    pub values: &'a [f32],
    pub rows: usize,
    pub depth: usize,
    pub row_stride: usize,
    pub depth_stride: usize,
}

impl<'a> Left<'a> {
    /// `[rows, depth]`, a row every `pitch` numbers.
    pub fn new(values: &'a [f32], rows: usize, depth: usize, pitch: usize) -> Self {
        Self { values, rows, depth, row_stride: pitch, depth_stride: 1 }
    }

    /// The same memory read as the transposed matrix.
    pub fn transposed(self) -> Self {
        Self {
            values: self.values,
            rows: self.depth,
            depth: self.rows,
            row_stride: self.depth_stride,
            depth_stride: self.row_stride,
        }
    }
}

/// Some columns, in whole registers, of a matrix with a row every `pitch` numbers.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    pub pitch: usize,
    pub first: usize,
    pub count: usize,
}

impl Columns {
    fn check(self, rows: usize, length: usize) {
        assert!(self.count.is_multiple_of(PAD) && self.first + self.count <= self.pitch, "whole registers");
        assert!(rows * self.pitch <= length, "all rows are there");
    }
}

for_widest! {
    /// `output += left right`, over as many columns of both.
    pub(super) fn add_product<L>(left: Left<'_>, right: &[f32], from: Columns, output: &mut [f32], to: Columns) {
        let Left { rows, depth, .. } = left;
        if rows == 0 || depth == 0 {
            return;
        }
        from.check(depth, right.len());
        to.check(rows, output.len());
        assert_eq!(from.count, to.count, "columns of both");
        let last = (rows - 1) * left.row_stride + (depth - 1) * left.depth_stride;
        assert!(last < left.values.len(), "all of the left side is there");
        // Tiles of nearly equal size: a last one of a single row would be slow.
        let tiles = rows.div_ceil(L::ROWS);
        let registers = from.count / L::LANES;
        let groups = registers.div_ceil(L::COLUMNS);
        let mut column = 0;
        for group in 0..groups {
            let wide = registers / groups + usize::from(group < registers % groups);
            let mut row = 0;
            for tile in 0..tiles {
                let height = rows / tiles + usize::from(tile < rows % tiles);
                // SAFETY: all that is read and written exists, as asserted above.
                unsafe {
                    let place = Place {
                        left: left.values.as_ptr().add(row * left.row_stride),
                        row_stride: left.row_stride,
                        depth_stride: left.depth_stride,
                        depth,
                        right: right.as_ptr().add(from.first + column),
                        right_pitch: from.pitch,
                        output: output.as_mut_ptr().add(row * to.pitch + to.first + column),
                        output_pitch: to.pitch,
                    };
                    match wide {
                        1 => tile_wide::<L, 1>(place, height),
                        2 => tile_wide::<L, 2>(place, height),
                        3 => tile_wide::<L, 3>(place, height),
                        _ => tile_wide::<L, 4>(place, height),
                    }
                }
                row += height;
            }
            column += wide * L::LANES;
        }
    }
}

/// Where a tile stands.
#[derive(Clone, Copy)]
struct Place {
    left: *const f32,
    row_stride: usize,
    depth_stride: usize,
    depth: usize,
    right: *const f32,
    right_pitch: usize,
    output: *mut f32,
    output_pitch: usize,
}

/// # Safety
/// The place must have so many rows and registers.
#[inline(always)]
unsafe fn tile_wide<L: Wide, const V: usize>(place: Place, height: usize) {
    // SAFETY: the caller answers for it.
    unsafe {
        match height {
            1 => tile::<L, 1, V>(place),
            2 => tile::<L, 2, V>(place),
            3 => tile::<L, 3, V>(place),
            4 => tile::<L, 4, V>(place),
            5 => tile::<L, 5, V>(place),
            _ => tile::<L, 6, V>(place),
        }
    }
}

/// `M` rows by `V` registers: for each depth V loads, M broadcasts and M V multiplications.
///
/// # Safety
/// The place must have so many rows and registers.
#[inline(always)]
unsafe fn tile<L: Wide, const M: usize, const V: usize>(place: Place) {
    // SAFETY: the caller answers for every place.
    unsafe {
        let mut sums = [[L::splat(0.0); V]; M];
        for (row, sums) in sums.iter_mut().enumerate() {
            for (v, sum) in sums.iter_mut().enumerate() {
                *sum = L::load(place.output.add(row * place.output_pitch + v * L::LANES));
            }
        }
        let (mut left, mut right) = (place.left, place.right);
        for _ in 0..place.depth {
            let mut line = [L::splat(0.0); V];
            for (v, line) in line.iter_mut().enumerate() {
                *line = L::load(right.add(v * L::LANES));
            }
            for (row, sums) in sums.iter_mut().enumerate() {
                let value = L::splat(*left.add(row * place.row_stride));
                for (sum, line) in sums.iter_mut().zip(line) {
                    *sum = sum.plus_times(value, line);
                }
            }
            left = left.wrapping_add(place.depth_stride);
            right = right.wrapping_add(place.right_pitch);
        }
        for (row, sums) in sums.into_iter().enumerate() {
            for (v, sum) in sums.into_iter().enumerate() {
                sum.store(place.output.add(row * place.output_pitch + v * L::LANES));
            }
        }
    }
}
