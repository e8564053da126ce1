//! The geometry of a convolution, worked out once: shapes, padded buffers, and where each row of each product reads.

use super::tile::{BLOCK, Blocks, Product, multiply};
use crate::error::{Error, Result};

/// The shape of one image; its numbers stand channel by channel, row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Channels.
    pub channels: usize,
    /// Rows of pixels.
    pub height: usize,
    /// Columns of pixels.
    pub width: usize,
}

impl Shape {
    /// Channels, height and width.
    pub fn new(channels: usize, height: usize, width: usize) -> Self {
        Self { channels, height, width }
    }

    /// Pixels of one channel.
    pub fn pixels(self) -> usize {
        self.height * self.width
    }

    /// Numbers of an image.
    pub fn numbers(self) -> usize {
        self.channels * self.pixels()
    }
}

/// What a convolution moves over its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Height and width, 1 to 7.
    pub kernel: usize,
    /// Pixels from one place of the window to the next.
    pub stride: usize,
    /// Zeros around the input.
    pub padding: usize,
}

impl Window {
    /// A window of odd size that moves pixel by pixel and keeps the size of the image.
    pub fn same(kernel: usize) -> Self {
        Self { kernel, stride: 1, padding: kernel / 2 }
    }

    /// Refuses what can't be moved over an image.
    fn check(self, input: Shape) -> Result<()> {
        let Self { kernel, stride, padding } = self;
        let whole = input.numbers() > 0 && input.numbers() < 1 << 28;
        let problem = match () {
            () if !(1..=7).contains(&kernel) => {
                format!("a window of {kernel} x {kernel} is not of size 1 to 7")
            }
            () if stride == 0 => "a window has to move: the stride is 0".to_owned(),
            () if padding >= kernel => {
                format!("a border of {padding} is not narrower than the window of {kernel}")
            }
            () if !whole => format!("images of {input:?} are empty or too large"),
            () if input.height.min(input.width) + 2 * padding < kernel => {
                format!(
                    "a window of {kernel} x {kernel} does not fit on {} x {} pixels",
                    input.height, input.width
                )
            }
            () => return Ok(()),
        };
        Err(Error::setting("kernel", problem).with_hint("make the network shallower, or the images larger"))
    }

    /// Places of the window along an axis.
    fn places(self, length: usize) -> usize {
        (length + 2 * self.padding - self.kernel) / self.stride + 1
    }
}

/// One product over an image: where its rows read and go, and the runs of its depth.
#[derive(Debug)]
pub(super) struct Phase {
    pub from: Vec<u32>,
    pub to: Vec<u32>,
    pub runs: Vec<u32>,
    pub length: usize,
    /// Where its weights begin among the packed ones.
    pub weights: usize,
}

/// Bytes of weights that stay in the first cache beside the image.
const FIRST_CACHE: usize = 20_000;

impl Phase {
    /// Numbers of packed weights of one block of results.
    pub fn packed(&self) -> usize {
        self.runs.len() * self.length * BLOCK
    }

    /// `output = start + image weights` for all blocks of results, `per_block` numbers apart. The depth is cut so that
    /// the weights of a part stay in the first cache.
    pub fn run(
        &self,
        image: &[f32],
        weights: &[f32],
        start: &[f32],
        relu: bool,
        per_block: usize,
        output: &mut [f32],
    ) {
        let parts = self.runs.len().div_ceil((FIRST_CACHE / (self.length * BLOCK * 4 + 1)).max(1)).max(1);
        let blocks = start.len() / BLOCK;
        for first in (0..blocks).step_by(2) {
            let count = (blocks - first).min(2);
            let weights = &weights[self.weights + first * self.packed()..][..count * self.packed()];
            for part in 0..parts {
                let cut = |part: usize| part * self.runs.len() / parts;
                let product = Product {
                    left: image,
                    from: &self.from,
                    runs: &self.runs[cut(part)..cut(part + 1)],
                    length: self.length,
                    step: 1,
                    right: &weights[cut(part) * self.length * BLOCK..],
                    right_run: self.length * BLOCK,
                    right_step: BLOCK,
                    to: &self.to,
                    start: (part == 0).then_some(&start[first * BLOCK..]),
                    relu: relu && part + 1 == parts,
                    blocks: Blocks { count, right: self.packed(), to: per_block },
                };
                multiply(&product, &mut output[first * per_block..]);
            }
        }
    }
}

/// A plane with a border: the image begins `border` rows and columns from its corner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Padded {
    pub height: usize,
    pub width: usize,
    pub border: usize,
}

impl Padded {
    pub fn pixels(self) -> usize {
        self.height * self.width
    }

    /// The place of a pixel of the image.
    pub fn at(self, row: usize, column: usize) -> usize {
        (row + self.border) * self.width + column + self.border
    }
}

/// A convolution's geometry and tables.
#[derive(Debug)]
pub(super) struct Plan {
    pub input: Shape,
    pub output: Shape,
    pub window: Window,
    /// Few numbers in a window: the copy of an image lays the windows side by side, and what the products see is a
    /// convolution of 1 x 1 over all of them.
    pub gathered: bool,
    /// Input and window as the products see them.
    pub seen: (Shape, Window),
    /// Channels of the input in one block, and blocks.
    pub block: usize,
    pub blocks: usize,
    /// The copies of an image and of the gradient of a result.
    pub image: Padded,
    pub gradient: Padded,
    /// Products forward, and those of the input's gradient: one for each place that a pixel can have between two
    /// places of the window.
    pub forward: Phase,
    pub backward: Vec<Phase>,
    /// Products of the weights' gradient: rows are (column of the window, channel), runs are rows of pixels.
    pub weight_rows: Vec<u32>,
    pub weight_places: Vec<u32>,
    pub weight_runs: Vec<u32>,
    /// Whether all passes go by tiles of 4 x 4 results (see `winograd`).
    pub winograd: bool,
}

/// Numbers in a window up to which windows are laid side by side.
const GATHERED: usize = 64;

fn pixels(height: usize, width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..height * width).map(move |pixel| (pixel / width, pixel % width))
}

impl Plan {
    pub fn new(input: Shape, channels: usize, window: Window) -> Result<Self> {
        window.check(input)?;
        if channels == 0 {
            return Err(Error::setting("channels", "a convolution needs at least one output channel"));
        }
        let Window { kernel, .. } = window;
        let output = Shape::new(channels, window.places(input.height), window.places(input.width));
        let in_window = kernel * kernel * input.channels;
        let gathered = kernel > 1 && in_window <= GATHERED;
        let seen = if gathered {
            let point = Window { kernel: 1, stride: 1, padding: 0 };
            (Shape::new(in_window, output.height, output.width), point)
        } else {
            (input, window)
        };
        let block = if gathered { in_window } else { input.channels.min(BLOCK) };
        let tiles = output.height.div_ceil(4) * output.width.div_ceil(4) * 16;
        let winograd = !gathered
            && (kernel, window.stride) == (3, 1)
            && input.channels >= BLOCK
            && tiles <= 2 * output.pixels();
        let mut plan = Self {
            input,
            output,
            window,
            gathered,
            seen,
            block,
            blocks: seen.0.channels.div_ceil(block),
            image: Padded { height: 0, width: 0, border: seen.1.padding },
            gradient: Padded { height: 0, width: 0, border: seen.1.kernel.div_ceil(seen.1.stride) - 1 },
            forward: Phase { from: vec![], to: vec![], runs: vec![], length: 0, weights: 0 },
            backward: Vec::new(),
            weight_rows: Vec::new(),
            weight_places: Vec::new(),
            weight_runs: Vec::new(),
            winograd,
        };
        plan.pad();
        plan.tables();
        Ok(plan)
    }

    /// Blocks of 16 channels of the result, and of the input as the products see it.
    pub fn output_blocks(&self) -> usize {
        self.output.channels.div_ceil(BLOCK)
    }

    pub fn input_blocks(&self) -> usize {
        self.seen.0.channels.div_ceil(BLOCK)
    }

    /// Numbers of the weights' gradient of one block of results, packed as the weights are.
    pub fn packed_block(&self) -> usize {
        self.blocks * self.seen.1.kernel * self.seen.1.kernel * self.block * BLOCK
    }

    /// The sizes of the padded planes: what any product reads, whole tiles where there are such.
    fn pad(&mut self) {
        let (Shape { height, width, .. }, Window { kernel, stride, padding }) = self.seen;
        let border = self.gradient.border;
        let side = |input: usize, output: usize| {
            let tiles = |length: usize, extra: usize| {
                if self.winograd { length.next_multiple_of(4) + extra } else { 0 }
            };
            let image = (input + 2 * padding).max((output - 1) * stride + kernel).max(tiles(output, 2));
            let gradient = border + output.max((input - 1 + padding) / stride + 1);
            (image, gradient.max(tiles(input, 2 + padding)).max(tiles(output, border)))
        };
        let (tall, wide) = (side(height, self.output.height), side(width, self.output.width));
        (self.image.height, self.gradient.height) = tall;
        (self.image.width, self.gradient.width) = wide;
    }

    fn tables(&mut self) {
        let (Shape { height, width, channels }, Window { kernel, stride, padding }) = self.seen;
        let (image, gradient, block) = (self.image, self.gradient, self.block);
        let each = |count: usize, step: usize| (0..count).map(|i| (i * step) as u32).collect::<Vec<_>>();
        self.forward = Phase {
            from: pixels(self.output.height, self.output.width)
                .map(|(y, x)| ((y * image.width + x) * stride * block) as u32)
                .collect(),
            to: each(self.output.pixels(), BLOCK),
            runs: pixels(self.blocks, kernel)
                .map(|(b, y)| ((b * image.height + y) * image.width * block) as u32)
                .collect(),
            length: kernel * block,
            weights: 0,
        };
        let mut weights = 0;
        for (row, column) in pixels(stride, stride) {
            // How many rows and columns of the window meet such pixels, and the first result that one belongs to.
            let meet = |offset: usize| (kernel + stride - 1 - offset) / stride;
            let (tall, wide) = (meet(row), meet(column));
            let first = |at: usize, met: usize| (at + padding) / stride + 1 + gradient.border - met;
            let own =
                |&(y, x): &(usize, usize)| (y + padding) % stride == row && (x + padding) % stride == column;
            let own: Vec<(usize, usize)> = pixels(height, width).filter(own).collect();
            let place = |&(y, x): &(usize, usize)| {
                ((first(y, tall) * gradient.width + first(x, wide)) * BLOCK) as u32
            };
            let run = |(b, y): (usize, usize)| ((b * gradient.height + y) * gradient.width * BLOCK) as u32;
            let met = tall > 0 && wide > 0;
            let phase = Phase {
                from: if met { own.iter().map(place).collect() } else { vec![0; own.len()] },
                to: own.iter().map(|&(y, x)| ((y * width + x) * BLOCK) as u32).collect(),
                runs: if met { pixels(self.output_blocks(), tall).map(run).collect() } else { Vec::new() },
                length: wide * BLOCK,
                weights,
            };
            weights += channels.div_ceil(BLOCK) * phase.packed();
            self.backward.push(phase);
        }
        self.weight_rows = each(kernel * block, 1);
        self.weight_places = each(kernel * block, BLOCK);
        self.weight_runs = each(self.output.height, stride * image.width * block);
    }
}
