//! The one register tile that every pass of a convolution uses: six or twelve rows by sixteen columns of sums.
//!
//! It is a matrix product whose left side is never gathered: a row is a place in an image, and its depth a list of runs
//! of numbers from there, the same for every row. The sums of a row are made in the order of the depth, whatever other
//! rows there are.

use crate::nn::lanes::{Eight, LANES};
use crate::nn::wide::{Wide, for_widest};

/// Columns of a tile, and channels that lie together in a block: one register of sixteen or two of eight.
pub(in crate::nn) const BLOCK: usize = 2 * LANES;
/// Rows of a tile of registers of sixteen, at most; half as many of those of eight.
const ROWS: usize = 12;

/// For every row i, with `s` over runs and `k < length`:
///
/// ```text
/// output[to[i] + 0..16] = start + Σ_s Σ_k left[from[i] + runs[s] + k step] right[s right_run + k right_step + 0..16]
/// ```
pub(in crate::nn) struct Product<'a> {
    /// What the rows read.
    pub left: &'a [f32],
    /// Where each row begins.
    pub from: &'a [u32],
    /// Where the runs begin, counted from a row's beginning.
    pub runs: &'a [u32],
    /// Numbers in a run.
    pub length: usize,
    /// From one number of a run to the next.
    pub step: usize,
    /// Lines of 16 numbers.
    pub right: &'a [f32],
    /// From the lines of one run to those of the next.
    pub right_run: usize,
    /// From one line to the next.
    pub right_step: usize,
    /// Where each row's sums go.
    pub to: &'a [u32],
    /// What the sums begin with: 16 numbers, or what stands in the output.
    pub start: Option<&'a [f32]>,
    /// Whether negative results become 0.
    pub relu: bool,
}

impl Product<'_> {
    /// Asserts that all that is read and written exists.
    fn check(&self, output: &[f32]) {
        let most = |places: &[u32]| places.iter().copied().max().unwrap_or(0) as usize;
        assert_eq!(self.from.len(), self.to.len(), "every row goes somewhere");
        assert!(self.start.is_none_or(|start| start.len() >= BLOCK), "a start for every column");
        assert!(self.to.is_empty() || most(self.to) + BLOCK <= output.len(), "room for every row");
        if self.length > 0 && !self.runs.is_empty() && !self.from.is_empty() {
            let last = most(self.from) + most(self.runs) + (self.length - 1) * self.step;
            assert!(last < self.left.len(), "every row within the image");
            let last = (self.runs.len() - 1) * self.right_run + (self.length - 1) * self.right_step;
            assert!(last + BLOCK <= self.right.len(), "a line for every depth");
        }
    }
}

for_widest! {
    /// Makes a product.
    pub(in crate::nn) fn multiply<L>(product: &Product<'_>, output: &mut [f32]) {
        product.check(output);
        // Tiles of nearly equal height: a last one of a single row would be slow.
        let rows = product.from.len();
        let tiles = rows.div_ceil(rows_of::<L>()).max(1);
        let (low, extra) = (rows / tiles, rows % tiles);
        let mut first = 0;
        for tile in 0..tiles {
            let height = low + usize::from(tile < extra);
            // SAFETY: `check` has seen all places; a tile of one register holds the same sixteen columns as one of two.
            unsafe {
                if L::LANES == BLOCK {
                    tile_wide::<L, 1>(product, first, height, output);
                } else {
                    tile_wide::<L, 2>(product, first, height, output);
                }
            }
            first += height;
        }
    }
}

/// Rows of a tile, at most: with them 12 of 16 registers of eight hold sums, or 12 of 32 of sixteen.
const fn rows_of<L: Wide>() -> usize {
    if L::LANES == BLOCK { ROWS } else { ROWS / 2 }
}

/// A tile of `V` registers a row, of any height.
///
/// # Safety
/// See [`tile_of`].
#[inline(always)]
unsafe fn tile_wide<L: Wide, const V: usize>(
    product: &Product<'_>,
    first: usize,
    height: usize,
    output: &mut [f32],
) {
    // SAFETY: the caller answers for it.
    unsafe {
        match height {
            0 => {}
            1 => tile_of::<L, 1, V>(product, first, output),
            2 => tile_of::<L, 2, V>(product, first, output),
            3 => tile_of::<L, 3, V>(product, first, output),
            4 => tile_of::<L, 4, V>(product, first, output),
            5 => tile_of::<L, 5, V>(product, first, output),
            6 => tile_of::<L, 6, V>(product, first, output),
            7 => tile_of::<L, 7, V>(product, first, output),
            8 => tile_of::<L, 8, V>(product, first, output),
            9 => tile_of::<L, 9, V>(product, first, output),
            10 => tile_of::<L, 10, V>(product, first, output),
            11 => tile_of::<L, 11, V>(product, first, output),
            _ => tile_of::<L, ROWS, V>(product, first, output),
        }
    }
}

/// `M` rows from `first` on: per depth V loads, M broadcasts and M V multiplications.
///
/// # Safety
/// [`Product::check`] must have passed, there must be so many rows, and V registers must hold [`BLOCK`] numbers.
#[inline(always)]
unsafe fn tile_of<L: Wide, const M: usize, const V: usize>(
    product: &Product<'_>,
    first: usize,
    output: &mut [f32],
) {
    // SAFETY: the caller answers for every place.
    unsafe {
        let mut sums = [[L::splat(0.0); V]; M];
        let mut left = [product.left.as_ptr(); M];
        for row in 0..M {
            let from = *product.from.get_unchecked(first + row) as usize;
            let to = *product.to.get_unchecked(first + row) as usize;
            left[row] = left[row].add(from);
            let start = product.start.map_or(output.as_ptr().add(to), <[f32]>::as_ptr);
            for v in 0..V {
                sums[row][v] = L::load(start.add(v * L::LANES));
            }
        }
        for (run, place) in product.runs.iter().enumerate() {
            let mut at = *place as usize;
            let mut right = product.right.as_ptr().wrapping_add(run * product.right_run);
            for _ in 0..product.length {
                let mut line = [L::splat(0.0); V];
                for (v, line) in line.iter_mut().enumerate() {
                    *line = L::load(right.add(v * L::LANES));
                }
                for row in 0..M {
                    let value = L::splat(*left[row].add(at));
                    for v in 0..V {
                        sums[row][v] = sums[row][v].plus_times(value, line[v]);
                    }
                }
                right = right.wrapping_add(product.right_step);
                at += product.step;
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            let to = output.as_mut_ptr().add(*product.to.get_unchecked(first + row) as usize);
            for (v, sum) in sums.into_iter().enumerate() {
                let sum = if product.relu { sum.at_least(0.0) } else { sum };
                sum.store(to.add(v * L::LANES));
            }
        }
    }
}

/// Eight numbers from a place.
///
/// # Safety
/// They must be there.
#[inline(always)]
pub(super) unsafe fn load<L: Eight>(from: *const f32) -> L {
    // SAFETY: the caller answers for it; an array asks for no more alignment than its numbers.
    L::load(unsafe { &*from.cast::<[f32; LANES]>() })
}

/// Eight numbers to a place.
///
/// # Safety
/// There must be room, and nobody else may hold it.
#[inline(always)]
pub(super) unsafe fn store<L: Eight>(value: L, to: *mut f32) {
    // SAFETY: the caller answers for it.
    value.store(unsafe { &mut *to.cast::<[f32; LANES]>() });
}
