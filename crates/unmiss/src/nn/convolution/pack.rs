//! Images between the order they come in (channel by channel) and the one the products read: a plane with a border
//! whose pixels hold their channels side by side, `[block][row][column][channel of the block]`.

use super::plan::{Padded, Plan, Shape};
use super::tile::{BLOCK, load, store};
use crate::nn::lanes::{Eight, LANES, for_eights};

/// What lies behind a convolution's result and changes its gradient on the way into the copy.
#[derive(Clone, Copy)]
pub(in crate::nn) struct Behind<'a> {
    /// The result after ReLU: the gradient counts only where it is positive.
    pub result: &'a [f32],
    /// Of each channel `[a, b, c]`: the gradient g becomes `a g + b result + c` first, as a batch norm asks for.
    pub affine: Option<&'a [[f32; 3]]>,
}

impl<'a> Behind<'a> {
    /// The same of one image out of a batch.
    pub fn image(self, image: usize, numbers: usize) -> Self {
        Self { result: &self.result[image * numbers..][..numbers], affine: self.affine }
    }

    #[inline(always)]
    pub fn change(self, value: f32, at: usize, channel: usize) -> f32 {
        let result = self.result[at];
        let changed = self.affine.map_or(value, |all| {
            let [a, b, c] = all[channel];
            a * value + b * result + c
        });
        if result > 0.0 { changed } else { 0.0 }
    }

    /// Eight numbers of a channel from a place on.
    ///
    /// # Safety
    /// They must be there.
    #[inline(always)]
    unsafe fn change_eight<L: Eight>(self, value: L, at: usize, channel: usize) -> L {
        // SAFETY: the caller answers for it.
        let result: L = unsafe { load(self.result.as_ptr().add(at)) };
        let changed = self.affine.map_or(value, |all| {
            let [a, b, c] = all[channel].map(L::splat);
            c.plus_times(b, result).plus_times(a, value)
        });
        changed.where_positive(result)
    }
}

for_eights! {
    /// Copies an image into its padded plane, `block` channels side by side. The border is left as it is.
    pub(super) fn pack<L>(image: &[f32], shape: Shape, behind: Option<Behind<'_>>, block: usize, padded: Padded, to: &mut [f32]) {
        let Shape { channels, height, width } = shape;
        let plane = shape.pixels();
        assert!(image.len() >= shape.numbers() && behind.is_none_or(|behind| behind.result.len() >= shape.numbers()));
        assert!(padded.border + width <= padded.width && padded.border + height <= padded.height);
        assert!(to.len() >= channels.div_ceil(block) * padded.pixels() * block);
        for channel in (0..channels).step_by(block) {
            let count = block.min(channels - channel);
            // Whole registers; the last one of a line overlaps the one before.
            let whole = if width < LANES { 0 } else { count / LANES * LANES };
            for row in 0..height {
                let to = &mut to[(channel / block * padded.pixels() + padded.at(row, 0)) * block..];
                let from = channel * plane + row * width;
                for lane in (0..whole).step_by(LANES) {
                    for column in (0..width).step_by(LANES) {
                        let column = column.min(width - LANES);
                        let at = from + lane * plane + column;
                        let mut rows = [L::splat(0.0); LANES];
                        // SAFETY: eight columns of a line, in channels that exist; asserted above.
                        unsafe {
                            for (i, row) in rows.iter_mut().enumerate() {
                                *row = load(image.as_ptr().add(at + i * plane));
                                if let Some(behind) = behind {
                                    *row = behind.change_eight(*row, at + i * plane, channel + lane + i);
                                }
                            }
                            for (i, pixel) in L::transposed(rows).into_iter().enumerate() {
                                store(pixel, to.as_mut_ptr().add((column + i) * block + lane));
                            }
                        }
                    }
                }
                for lane in whole..count {
                    for column in 0..width {
                        let at = from + lane * plane + column;
                        let value = image[at];
                        to[column * block + lane] =
                            behind.map_or(value, |behind| behind.change(value, at, channel + lane));
                    }
                }
            }
        }
    }
}

for_eights! {
    /// Blocks `[block][pixel][16]` to channel by channel.
    pub(super) fn unpack<L>(blocks: &[f32], shape: Shape, image: &mut [f32]) {
        let pixels = shape.pixels();
        assert!(blocks.len() >= shape.channels.div_ceil(BLOCK) * pixels * BLOCK && image.len() >= shape.numbers());
        for channel in (0..shape.channels).step_by(BLOCK) {
            let from = &blocks[channel * pixels..][..pixels * BLOCK];
            let count = BLOCK.min(shape.channels - channel);
            let to = &mut image[channel * pixels..][..count * pixels];
            let whole = if pixels < LANES { 0 } else { count / LANES * LANES };
            for lane in (0..whole).step_by(LANES) {
                for pixel in (0..pixels).step_by(LANES) {
                    let pixel = pixel.min(pixels - LANES);
                    let mut rows = [L::splat(0.0); LANES];
                    // SAFETY: eight pixels of a block, to eight channels that exist.
                    unsafe {
                        for (i, row) in rows.iter_mut().enumerate() {
                            *row = load(from.as_ptr().add((pixel + i) * BLOCK + lane));
                        }
                        for (i, line) in L::transposed(rows).into_iter().enumerate() {
                            store(line, to.as_mut_ptr().add((lane + i) * pixels + pixel));
                        }
                    }
                }
            }
            for lane in whole..count {
                let line = &mut to[lane * pixels..][..pixels];
                line.iter_mut().enumerate().for_each(|(pixel, value)| *value = from[pixel * BLOCK + lane]);
            }
        }
    }
}

impl Plan {
    /// Numbers of the copy of an image, with room behind it where windows are laid side by side.
    pub fn image_numbers(&self) -> usize {
        self.blocks * self.image.pixels() * self.block
            + if self.gathered { LANES + self.margin().pixels() * self.input.channels + LANES } else { 0 }
    }

    /// Numbers of the copy of a result's gradient.
    pub fn gradient_numbers(&self) -> usize {
        self.output_blocks() * self.gradient.pixels() * BLOCK
    }

    /// The input with its border, where windows are laid side by side.
    fn margin(&self) -> Padded {
        let border = self.window.padding;
        Padded { height: self.input.height + 2 * border, width: self.input.width + 2 * border, border }
    }

    /// The copy of an image that the products read.
    pub fn pack_image(&self, image: &[f32], to: &mut [f32]) {
        if !self.gathered {
            return pack(image, self.input, None, self.block, self.image, to);
        }
        let (windows, plain) = to.split_at_mut(self.image.pixels() * self.block + LANES);
        let channels = self.input.channels;
        pack(image, self.input, None, channels, self.margin(), plain);
        gather(self, plain, windows);
    }

    /// The copy of the gradient of one image's result.
    pub fn pack_gradient(&self, gradient: &[f32], behind: Option<Behind<'_>>, to: &mut [f32]) {
        pack(gradient, self.output, behind, BLOCK, self.gradient, to);
    }

    /// The gradient of an image from blocks `[block][pixel][16]`; where windows lay side by side, every number goes
    /// back to the pixel it came from. `start` is what each channel begins with.
    pub fn unpack_image(&self, blocks: &[f32], start: Option<&[f32]>, image: &mut [f32]) {
        if !self.gathered {
            return unpack(blocks, self.input, image);
        }
        let (Shape { channels, height, width }, out) = (self.input, self.output);
        for (channel, plane) in image.chunks_exact_mut(self.input.pixels()).enumerate() {
            plane.fill(start.map_or(0.0, |start| start[channel]));
        }
        let (stride, padding) = (self.window.stride, self.window.padding);
        for place in 0..self.block {
            let (channel, tap) = (place % channels, place / channels);
            let (down, right) = (tap / self.window.kernel, tap % self.window.kernel);
            let from = &blocks[place / BLOCK * out.pixels() * BLOCK + place % BLOCK..];
            // The results whose window has a pixel here: 0 <= x stride + right - padding < width.
            let first = padding.saturating_sub(right).div_ceil(stride);
            let last = ((width + padding).saturating_sub(right + 1) / stride + 1).min(out.width);
            for row in 0..out.height {
                let pixel = (row * stride + down).wrapping_sub(padding);
                if pixel >= height || first >= last {
                    continue;
                }
                let line = &mut image[(channel * height + pixel) * width..][..width];
                let line = line[first * stride + right - padding..].iter_mut().step_by(stride);
                let values = from[(row * out.width + first) * BLOCK..].iter().step_by(BLOCK);
                line.zip(values).take(last - first).for_each(|(sum, value)| *sum += value);
            }
        }
    }
}

/// Lays the windows of a padded image, `[row][column][channel]`, side by side: `[result][row][column][channel]`.
fn gather(plan: &Plan, image: &[f32], windows: &mut [f32]) {
    let (channels, kernel, stride) = (plan.input.channels, plan.window.kernel, plan.window.stride);
    let (run, width) = (kernel * channels, plan.margin().width);
    let mut to = 0;
    for row in 0..plan.output.height {
        for column in 0..plan.output.width {
            for down in 0..kernel {
                let from = ((row * stride + down) * width + column * stride) * channels;
                // Whole registers: the next run overwrites what is too much.
                for at in (0..run).step_by(LANES) {
                    let eight = &image[from + at..from + at + LANES];
                    windows[to + at..to + at + LANES].copy_from_slice(eight);
                }
                to += run;
            }
        }
    }
}
