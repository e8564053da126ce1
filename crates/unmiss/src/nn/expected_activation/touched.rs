//! The windows of an image that touch a hole: their numbers laid side by side, and gradients back to the pixels.

use crate::nn::convolution::{Convolution, Shape, Window};
use crate::nn::lanes::LANES;

/// Where the windows of a convolution lie on a padded plane `[channel][row][column]`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Windows {
    pub input: Shape,
    pub output: Shape,
    pub window: Window,
    height: usize,
    width: usize,
}

impl Windows {
    pub fn new(layer: &Convolution) -> Self {
        let (input, output, window) = (layer.input(), layer.output(), layer.window());
        let side = |input: usize, output: usize| {
            (input + 2 * window.padding).max((output - 1) * window.stride + window.kernel)
        };
        let (height, width) = (side(input.height, output.height), side(input.width, output.width));
        Self { input, output, window, height, width }
    }

    /// Numbers of a window.
    pub fn depth(&self) -> usize {
        self.input.channels * self.window.kernel * self.window.kernel
    }

    /// Numbers of a padded plane, with room to read whole registers at its end.
    pub fn padded(&self) -> usize {
        self.input.channels * self.height * self.width + LANES
    }

    /// The place of a number of the image.
    pub fn place(&self, number: usize) -> usize {
        let (channel, pixel) = (number / self.input.pixels(), number % self.input.pixels());
        let (row, column) = (pixel / self.input.width, pixel % self.input.width);
        (channel * self.height + row + self.window.padding) * self.width + column + self.window.padding
    }

    /// Calls with the place of every run of `kernel` numbers of a window, in the order of the weights.
    #[inline(always)]
    fn runs(&self, result: u32, mut run: impl FnMut(usize)) {
        let (row, column) = (result as usize / self.output.width, result as usize % self.output.width);
        let corner = (row * self.width + column) * self.window.stride;
        for channel in 0..self.input.channels {
            for down in 0..self.window.kernel {
                run(corner + (channel * self.height + down) * self.width);
            }
        }
    }

    /// Lays windows side by side: `[window][depth]`, with room for a register behind the last.
    pub fn gather(&self, plane: &[f32], touched: &[u32], rows: &mut [f32]) {
        let mut to = 0;
        for result in touched {
            self.runs(*result, |from| {
                // A whole register: the next run overwrites what is too much.
                rows[to..to + LANES].copy_from_slice(&plane[from..from + LANES]);
                to += self.window.kernel;
            });
        }
    }

    /// Adds what stands in windows, `[window][pitch]`, to the pixels under them.
    pub fn scatter(&self, rows: &[f32], pitch: usize, touched: &[u32], plane: &mut [f32]) {
        let kernel = self.window.kernel;
        for (result, row) in touched.iter().zip(rows.chunks_exact(pitch)) {
            let mut from = row.chunks_exact(kernel);
            self.runs(*result, |to| {
                let values = from.next().unwrap_or_default();
                plane[to..to + kernel].iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            });
        }
    }
}
