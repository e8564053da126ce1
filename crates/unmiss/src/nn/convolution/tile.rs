//! The one register tile that every pass of a convolution uses: some rows by sixteen columns of sums, or by twice as
//! many where registers are long enough.
//!
//! It is a matrix product whose left side is never gathered: a row is a place in an image, and its depth a list of runs
//! of numbers from there, the same for every row. The sums of a row are made in the order of the depth, whatever other
//! rows there are.

use crate::nn::lanes::{Eight, LANES};
use crate::nn::wide::{Wide, for_widest};

/// Columns of a tile, and channels that lie together in a block: one register of sixteen or two of eight.
pub(in crate::nn) const BLOCK: usize = 2 * LANES;

/// For every row i, with `s` over runs and `k < length`:
///
/// ```text
/// output[to[i] + 0..16] = start + Σ_s Σ_k left[from[i] + runs[s] + k step] right[s right_run + k right_step + 0..16]
/// ```
///
/// and the same for every further block of columns.
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
    /// More than one block of 16 columns.
    pub blocks: Blocks,
}

/// Blocks of columns that one product makes: the same left side, lines and sums so many numbers further on.
#[derive(Clone, Copy)]
pub(in crate::nn) struct Blocks {
    pub count: usize,
    /// From the lines of one block to those of the next.
    pub right: usize,
    /// From the sums of one block to those of the next; of the start, 16.
    pub to: usize,
}

impl Blocks {
    pub const ONE: Self = Self { count: 1, right: 0, to: 0 };
}

impl Product<'_> {
    /// Asserts that all that is read and written exists.
    fn check(&self, output: &[f32]) {
        let most = |places: &[u32]| places.iter().copied().max().unwrap_or(0) as usize;
        let blocks = self.blocks;
        assert_eq!(self.from.len(), self.to.len(), "every row goes somewhere");
        assert!(blocks.count > 0, "something to make");
        let start = blocks.count * BLOCK;
        assert!(self.start.is_none_or(|own| own.len() >= start), "a start for every column");
        let end = most(self.to) + (blocks.count - 1) * blocks.to + BLOCK;
        assert!(self.to.is_empty() || end <= output.len(), "room for every row");
        if self.length > 0 && !self.runs.is_empty() && !self.from.is_empty() {
            let last = most(self.from) + most(self.runs) + (self.length - 1) * self.step;
            assert!(last < self.left.len(), "every row within the image");
            let last = (self.runs.len() - 1) * self.right_run + (self.length - 1) * self.right_step;
            let end = last + (blocks.count - 1) * blocks.right + BLOCK;
            assert!(end <= self.right.len(), "a line for every depth");
        }
    }
}

for_widest! {
    /// Makes a product. A register of sixteen holds a block's columns, so that a tile takes two blocks at once where
    /// there are two; of registers of eight it takes two for one block.
    pub(in crate::nn) fn multiply<L>(product: &Product<'_>, output: &mut [f32]) {
        product.check(output);
        let Blocks { count, right, to } = product.blocks;
        let mut block = 0;
        while block < count {
            let both = L::LANES == BLOCK && block + 1 < count;
            let apart = if both { Apart { right, to, start: BLOCK } } else { Apart::within(L::LANES) };
            let place = Place { block, apart };
            // SAFETY: `check` has seen all places, and the tiles hold one block or two.
            unsafe {
                match (both, L::LANES == BLOCK) {
                    (true, _) => tiles::<L, 2, 8>(product, place, output),
                    (false, true) => tiles::<L, 1, 12>(product, place, output),
                    (false, false) => tiles::<L, 2, 6>(product, place, output),
                }
            }
            block += if both { 2 } else { 1 };
        }
    }
}

/// From one register of a tile's row to the next.
#[derive(Clone, Copy)]
struct Apart {
    right: usize,
    to: usize,
    start: usize,
}

impl Apart {
    fn within(lanes: usize) -> Self {
        Self { right: lanes, to: lanes, start: lanes }
    }
}

/// The first block of a tile, and where its registers are.
#[derive(Clone, Copy)]
struct Place {
    block: usize,
    apart: Apart,
}

/// All rows, in tiles of nearly equal height: a last one of a single row would be slow.
///
/// # Safety
/// See [`tile_of`].
#[inline(always)]
unsafe fn tiles<L: Wide, const V: usize, const ROWS: usize>(
    product: &Product<'_>,
    place: Place,
    output: &mut [f32],
) {
    let rows = product.from.len();
    let tiles = rows.div_ceil(ROWS).max(1);
    let (low, extra) = (rows / tiles, rows % tiles);
    let mut first = 0;
    for tile in 0..tiles {
        let height = low + usize::from(tile < extra);
        // SAFETY: the caller answers for it; no tile is higher than `ROWS`.
        unsafe {
            match height {
                0 => {}
                1 => tile_of::<L, 1, V>(product, first, place, output),
                2 => tile_of::<L, 2, V>(product, first, place, output),
                3 => tile_of::<L, 3, V>(product, first, place, output),
                4 => tile_of::<L, 4, V>(product, first, place, output),
                5 => tile_of::<L, 5, V>(product, first, place, output),
                6 => tile_of::<L, 6, V>(product, first, place, output),
                7 if ROWS > 6 => tile_of::<L, 7, V>(product, first, place, output),
                8 if ROWS > 6 => tile_of::<L, 8, V>(product, first, place, output),
                9 if ROWS > 8 => tile_of::<L, 9, V>(product, first, place, output),
                10 if ROWS > 8 => tile_of::<L, 10, V>(product, first, place, output),
                11 if ROWS > 8 => tile_of::<L, 11, V>(product, first, place, output),
                _ => tile_of::<L, ROWS, V>(product, first, place, output),
            }
        }
        first += height;
    }
}

/// `M` rows from `first` on: per depth V loads, M broadcasts and M V multiplications.
///
/// # Safety
/// [`Product::check`] must have passed, and there must be so many rows and, at `place`, so many registers.
#[inline(always)]
unsafe fn tile_of<L: Wide, const M: usize, const V: usize>(
    product: &Product<'_>,
    first: usize,
    Place { block, apart }: Place,
    output: &mut [f32],
) {
    // SAFETY: the caller answers for every place.
    unsafe {
        let output = output.as_mut_ptr().add(block * product.blocks.to);
        let mut sums = [[L::splat(0.0); V]; M];
        let mut left = [product.left.as_ptr(); M];
        for (row, (sums, left)) in sums.iter_mut().zip(&mut left).enumerate() {
            *left = left.add(*product.from.get_unchecked(first + row) as usize);
            let to = output.add(*product.to.get_unchecked(first + row) as usize);
            for (v, sum) in sums.iter_mut().enumerate() {
                *sum = match product.start {
                    Some(start) => L::load(start.as_ptr().add(block * BLOCK + v * apart.start)),
                    None => L::load(to.add(v * apart.to)),
                };
            }
        }
        for (run, place) in product.runs.iter().enumerate() {
            let mut at = *place as usize;
            let mut right =
                product.right.as_ptr().wrapping_add(run * product.right_run + block * product.blocks.right);
            for _ in 0..product.length {
                let mut line = [L::splat(0.0); V];
                for (v, line) in line.iter_mut().enumerate() {
                    *line = L::load(right.wrapping_add(v * apart.right));
                }
                for (sums, left) in sums.iter_mut().zip(left) {
                    let value = L::splat(*left.add(at));
                    for (sum, line) in sums.iter_mut().zip(line) {
                        *sum = sum.plus_times(value, line);
                    }
                }
                right = right.wrapping_add(product.right_step);
                at += product.step;
            }
        }
        for (row, sums) in sums.into_iter().enumerate() {
            let to = output.add(*product.to.get_unchecked(first + row) as usize);
            for (v, sum) in sums.into_iter().enumerate() {
                let sum = if product.relu { sum.at_least(0.0) } else { sum };
                sum.store(to.add(v * apart.to));
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
