//! The transforms of 4 x 4 tiles (Winograd's F(4 x 4, 3 x 3)), eight channels at once, first down and then across:
//!
//! ```text
//! Bᵀ  6 x 6 pixels to 6 x 6 places        A   4 x 4 gradients to 6 x 6 places
//! G   3 x 3 weights to 6 x 6 places       Gᵀ  6 x 6 places to 3 x 3 weights
//! Aᵀ  6 x 6 places to 4 x 4 results
//! ```
//!
//! Tiles lie `[place][block][tile][16]`, the places [`pitch`] numbers apart.

use super::super::tile::{BLOCK, load, store};
use crate::nn::lanes::{Eight, LANES, for_eights};

/// Places of a tile.
pub(super) const PLACES: usize = 36;

/// From one place to the next, for `tiles` tiles of some blocks; a line more, so that places do not share cache sets.
pub(super) fn pitch(blocks: usize, tiles: usize) -> usize {
    (blocks * tiles + 1) * BLOCK
}

#[inline(always)]
fn times<L: Eight>(value: L, factor: f32) -> L {
    value.times(L::splat(factor))
}

/// `sum + factor value`
#[inline(always)]
fn add<L: Eight>(sum: L, factor: f32, value: L) -> L {
    sum.plus_times(L::splat(factor), value)
}

/// One direction of a transform. A type and not a closure, so that it is compiled into its caller.
trait Transform<const I: usize, const O: usize> {
    fn apply<L: Eight>(values: [L; I]) -> [L; O];
}

struct BTransposed;
impl Transform<6, 6> for BTransposed {
    #[inline(always)]
    fn apply<L: Eight>(d: [L; 6]) -> [L; 6] {
        let (p, q) = (add(d[4], -4.0, d[2]), add(d[3], -4.0, d[1]));
        let (r, s) = (d[4].minus(d[2]), d[3].minus(d[1]));
        [
            add(add(d[4], -5.0, d[2]), 4.0, d[0]),
            p.plus(q),
            p.minus(q),
            add(r, 2.0, s),
            add(r, -2.0, s),
            add(add(d[5], -5.0, d[3]), 4.0, d[1]),
        ]
    }
}

struct ATransposed;
impl Transform<6, 4> for ATransposed {
    #[inline(always)]
    fn apply<L: Eight>(m: [L; 6]) -> [L; 4] {
        let (p, q, r, s) = (m[1].plus(m[2]), m[1].minus(m[2]), m[3].plus(m[4]), m[3].minus(m[4]));
        [m[0].plus(p.plus(r)), add(q, 2.0, s), add(p, 4.0, r), add(q.plus(m[5]), 8.0, s)]
    }
}

struct A;
impl Transform<4, 6> for A {
    #[inline(always)]
    fn apply<L: Eight>(y: [L; 4]) -> [L; 6] {
        let (p, q) = (y[0].plus(y[2]), y[1].plus(y[3]));
        let (r, s) = (add(y[0], 4.0, y[2]), add(y[1], 4.0, y[3]));
        [y[0], p.plus(q), p.minus(q), add(r, 2.0, s), add(r, -2.0, s), y[3]]
    }
}

struct G;
impl Transform<3, 6> for G {
    #[inline(always)]
    fn apply<L: Eight>(w: [L; 3]) -> [L; 6] {
        let (p, q) = (times(w[0].plus(w[2]), -1.0 / 6.0), times(w[1], -1.0 / 6.0));
        let r = add(times(w[2], 1.0 / 6.0), 1.0 / 24.0, w[0]);
        [times(w[0], 0.25), p.plus(q), p.minus(q), add(r, 1.0 / 12.0, w[1]), add(r, -1.0 / 12.0, w[1]), w[2]]
    }
}

struct GTransposed;
impl Transform<6, 3> for GTransposed {
    #[inline(always)]
    fn apply<L: Eight>(s: [L; 6]) -> [L; 3] {
        let (p, q, r, t) = (s[1].plus(s[2]), s[2].minus(s[1]), s[3].plus(s[4]), s[3].minus(s[4]));
        let m = times(p, -1.0 / 6.0);
        [
            add(add(m, 1.0 / 24.0, r), 0.25, s[0]),
            add(times(t, 1.0 / 12.0), 1.0 / 6.0, q),
            add(m, 1.0 / 6.0, r).plus(s[5]),
        ]
    }
}

/// A transform down and across of `I x I` registers, `down` and `right` numbers apart.
///
/// # Safety
/// They must be there.
#[inline(always)]
unsafe fn both<T: Transform<I, O>, L: Eight, const I: usize, const O: usize>(
    from: *const f32,
    down: usize,
    right: usize,
) -> [[L; O]; O] {
    let mut half = [[L::splat(0.0); I]; O];
    for x in 0..I {
        let mut column = [L::splat(0.0); I];
        for (y, value) in column.iter_mut().enumerate() {
            // SAFETY: the caller answers for it.
            *value = unsafe { load(from.add(y * down + x * right)) };
        }
        for (line, value) in half.iter_mut().zip(T::apply(column)) {
            line[x] = value;
        }
    }
    let mut whole = [[L::splat(0.0); O]; O];
    for (whole, half) in whole.iter_mut().zip(half) {
        *whole = T::apply(half);
    }
    whole
}

/// Writes registers `down` and `right` numbers apart.
///
/// # Safety
/// There must be room.
#[inline(always)]
unsafe fn put<L: Eight, const O: usize>(values: [[L; O]; O], to: *mut f32, down: usize, right: usize) {
    for (y, line) in values.into_iter().enumerate() {
        for (x, value) in line.into_iter().enumerate() {
            // SAFETY: the caller answers for it.
            unsafe { store(value, to.add(y * down + x * right)) };
        }
    }
}

/// Planes of blocks `[block][row][column][16]`, read from a pixel on, and the rows and columns of tiles over them.
#[derive(Clone, Copy)]
pub(super) struct Planes {
    pub blocks: usize,
    pub pixels: usize,
    pub width: usize,
    pub grid: (usize, usize),
}

impl Planes {
    /// The first pixel of a tile.
    fn pixel(self, block: usize, tile: usize) -> usize {
        block * self.pixels + (tile / self.grid.1 * self.width + tile % self.grid.1) * 4
    }

    pub fn tiles(self) -> usize {
        self.grid.0 * self.grid.1
    }

    /// Asserts that patches of a side can be read and tiles `first..` of `tiles` be written.
    fn check(self, from: usize, side: usize, to: usize, tiles: usize, first: usize) {
        let last = self.pixel(self.blocks - 1, self.tiles() - 1) + (side - 1) * (self.width + 1);
        assert!((last + 1) * BLOCK <= from, "the last patch is there");
        let last = (PLACES - 1) * pitch(self.blocks, tiles)
            + ((self.blocks - 1) * tiles + first + self.tiles()) * BLOCK;
        assert!(last <= to, "there is room for the last tile");
    }
}

for_eights! {
    /// `Bᵀ d B` of all patches of 6 x 6 pixels, to tiles `first..` of `tiles`.
    pub(super) fn pixels_to_tiles<L>(from: &[f32], planes: Planes, to: &mut [f32], tiles: usize, first: usize) {
        planes.check(from.len(), 6, to.len(), tiles, first);
        let pitch = pitch(planes.blocks, tiles);
        for block in 0..planes.blocks {
            for tile in 0..planes.tiles() {
                for half in [0, LANES] {
                    // SAFETY: checked above.
                    unsafe {
                        let from = from.as_ptr().add(planes.pixel(block, tile) * BLOCK + half);
                        let to = to.as_mut_ptr().add((block * tiles + first + tile) * BLOCK + half);
                        put(both::<BTransposed, L, 6, 6>(from, planes.width * BLOCK, BLOCK), to, 6 * pitch, pitch);
                    }
                }
            }
        }
    }
}

for_eights! {
    /// `A g Aᵀ` of all patches of 4 x 4 gradients, to tiles `first..` of `tiles`.
    pub(super) fn gradients_to_tiles<L>(from: &[f32], planes: Planes, to: &mut [f32], tiles: usize, first: usize) {
        planes.check(from.len(), 4, to.len(), tiles, first);
        let pitch = pitch(planes.blocks, tiles);
        for block in 0..planes.blocks {
            for tile in 0..planes.tiles() {
                for half in [0, LANES] {
                    // SAFETY: checked above.
                    unsafe {
                        let from = from.as_ptr().add(planes.pixel(block, tile) * BLOCK + half);
                        let to = to.as_mut_ptr().add((block * tiles + first + tile) * BLOCK + half);
                        put(both::<A, L, 4, 6>(from, planes.width * BLOCK, BLOCK), to, 6 * pitch, pitch);
                    }
                }
            }
        }
    }
}

for_eights! {
    /// `G w Gᵀ` of packed weights `[depth block][9][16][16]`, to `[place][depth][16]`.
    pub(super) fn weights_to_places<L>(from: &[f32], to: &mut [f32]) {
        let depth = from.len() / (9 * BLOCK);
        assert!(depth.is_multiple_of(BLOCK) && from.len() == depth * 9 * BLOCK && to.len() == PLACES * depth * BLOCK);
        for line in 0..depth {
            for half in [0, LANES] {
                // SAFETY: asserted above.
                unsafe {
                    let from = from.as_ptr().add((line / BLOCK * 9 * BLOCK + line % BLOCK) * BLOCK + half);
                    let to = to.as_mut_ptr().add(line * BLOCK + half);
                    let places = both::<G, L, 3, 6>(from, 3 * BLOCK * BLOCK, BLOCK * BLOCK);
                    put(places, to, 6 * depth * BLOCK, depth * BLOCK);
                }
            }
        }
    }
}

for_eights! {
    /// `Gᵀ s G` of sums whose places lie `step` numbers apart, to packed weights `[depth block][9][16][16]`.
    pub(super) fn places_to_weights<L>(from: &[f32], step: usize, to: &mut [f32]) {
        let depth = to.len() / (9 * BLOCK);
        assert!(depth.is_multiple_of(BLOCK) && to.len() == depth * 9 * BLOCK && from.len() >= (PLACES - 1) * step + depth * BLOCK);
        for line in 0..depth {
            for half in [0, LANES] {
                // SAFETY: asserted above.
                unsafe {
                    let from = from.as_ptr().add(line * BLOCK + half);
                    let to = to.as_mut_ptr().add((line / BLOCK * 9 * BLOCK + line % BLOCK) * BLOCK + half);
                    put(both::<GTransposed, L, 6, 3>(from, 6 * step, step), to, 3 * BLOCK * BLOCK, BLOCK * BLOCK);
                }
            }
        }
    }
}

/// What the results of an image begin with, and whether they go through ReLU.
#[derive(Clone, Copy)]
pub(super) struct Finish<'a> {
    pub start: &'a [f32],
    pub relu: bool,
    pub height: usize,
    pub width: usize,
}

for_eights! {
    /// `Aᵀ m A` of tiles `first..` of `tiles`, to results `[block][row][column][16]`.
    pub(super) fn tiles_to_results<L>(from: &[f32], tiles: usize, first: usize, finish: Finish<'_>, to: &mut [f32]) {
        let Finish { start, relu, height, width } = finish;
        let (blocks, wide) = (start.len() / BLOCK, width.div_ceil(4));
        let own = height.div_ceil(4) * wide;
        let pitch = pitch(blocks, tiles);
        assert!(from.len() >= (PLACES - 1) * pitch + ((blocks - 1) * tiles + first + own) * BLOCK);
        assert!(to.len() >= blocks * height * width * BLOCK);
        for block in 0..blocks {
            for tile in 0..own {
                let (row, column) = (tile / wide * 4, tile % wide * 4);
                let (rows, columns) = (4.min(height - row), 4.min(width - column));
                for half in [0, LANES] {
                    // SAFETY: asserted above; only results within the image are written.
                    unsafe {
                        let from = from.as_ptr().add((block * tiles + first + tile) * BLOCK + half);
                        let start: L = load(start.as_ptr().add(block * BLOCK + half));
                        let to = to.as_mut_ptr().add(((block * height + row) * width + column) * BLOCK + half);
                        let results = both::<ATransposed, L, 6, 4>(from, 6 * pitch, pitch);
                        for (y, line) in results.into_iter().enumerate().take(rows) {
                            for (x, value) in line.into_iter().enumerate().take(columns) {
                                let value = value.plus(start);
                                let value = if relu { value.at_least(0.0) } else { value };
                                store(value, to.add((y * width + x) * BLOCK));
                            }
                        }
                    }
                }
            }
        }
    }
}
