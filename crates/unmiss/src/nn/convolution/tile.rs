//! The one register tile that every pass of a convolution uses: six rows by sixteen columns of sums.
//!
//! It is a matrix product whose left side is never gathered: a row is a place in an image, and its depth a list of runs
//! of numbers from there, the same for every row. The sums of a row are made in the order of the depth, whatever other
//! rows there are.

use crate::nn::lanes::{Eight, LANES, for_eights};

/// Columns of a tile, and channels that lie together in a block: two registers.
pub(in crate::nn) const BLOCK: usize = 2 * LANES;
/// Rows of a tile, at most: with them 12 of 16 registers hold sums.
const ROWS: usize = 6;

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

for_eights! {
    /// Makes a product.
    pub(in crate::nn) fn multiply<L>(product: &Product<'_>, output: &mut [f32]) {
        product.check(output);
        // Tiles of nearly equal height: a last one of a single row would be slow.
        let rows = product.from.len();
        let tiles = rows.div_ceil(ROWS).max(1);
        let (low, extra) = (rows / tiles, rows % tiles);
        let mut first = 0;
        for tile in 0..tiles {
            let height = low + usize::from(tile < extra);
            // SAFETY: `check` has seen all places.
            unsafe {
                match height {
                    0 => {}
                    1 => tile_of::<L, 1>(product, first, output),
                    2 => tile_of::<L, 2>(product, first, output),
                    3 => tile_of::<L, 3>(product, first, output),
                    4 => tile_of::<L, 4>(product, first, output),
                    5 => tile_of::<L, 5>(product, first, output),
                    _ => tile_of::<L, ROWS>(product, first, output),
                }
            }
            first += height;
        }
    }
}

/// `M` rows from `first` on: per depth two loads, M broadcasts and 2 M multiplications.
///
/// # Safety
/// [`Product::check`] must have passed, and there must be so many rows.
#[inline(always)]
unsafe fn tile_of<L: Eight, const M: usize>(product: &Product<'_>, first: usize, output: &mut [f32]) {
    // SAFETY: the caller answers for every place.
    unsafe {
        let mut sums = [[L::splat(0.0); 2]; M];
        let mut left = [product.left.as_ptr(); M];
        for row in 0..M {
            let from = *product.from.get_unchecked(first + row) as usize;
            let to = *product.to.get_unchecked(first + row) as usize;
            left[row] = left[row].add(from);
            let start = product.start.map_or(output.as_ptr().add(to), <[f32]>::as_ptr);
            sums[row] = [load(start), load(start.add(LANES))];
        }
        for (run, place) in product.runs.iter().enumerate() {
            let mut at = *place as usize;
            let mut right = product.right.as_ptr().wrapping_add(run * product.right_run);
            for _ in 0..product.length {
                let (low, high) = (load::<L>(right), load::<L>(right.add(LANES)));
                for row in 0..M {
                    let value = L::splat(*left[row].add(at));
                    sums[row] = [sums[row][0].plus_times(value, low), sums[row][1].plus_times(value, high)];
                }
                right = right.wrapping_add(product.right_step);
                at += product.step;
            }
        }
        for (row, [mut low, mut high]) in sums.into_iter().enumerate() {
            if product.relu {
                (low, high) = (low.at_least(0.0), high.at_least(0.0));
            }
            let to = output.as_mut_ptr().add(*product.to.get_unchecked(first + row) as usize);
            store(low, to);
            store(high, to.add(LANES));
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
