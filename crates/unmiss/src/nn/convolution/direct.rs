//! All passes by products that read images in place. Threads take whole images, or fixed groups of them where sums
//! over images are made, which are then added up in their order.

use rayon::prelude::*;

use super::pack::{Behind, unpack};
use super::plan::Plan;
use super::scratch::{Lend, Scratch, Spare, room};
use super::tile::{BLOCK, Blocks, Product, multiply};

/// What a backward pass is asked for, and what it gives.
#[derive(Default)]
pub(super) struct Wanted<'a> {
    /// The gradient of the input; `start` is what each of its channels begins with.
    pub input: Option<&'a mut [f32]>,
    pub start: Option<&'a [f32]>,
    /// The gradients of weights and bias.
    pub weights: bool,
}

/// Gradients that are sums over images.
pub(super) struct Sums {
    pub weights: Vec<f32>,
    pub bias: Vec<f32>,
}

/// Groups of images whose sums are made apart; fewer where the sums are long.
fn groups(plan: &Plan) -> usize {
    if plan.output_blocks() * plan.packed_block() > 60_000 { 4 } else { 8 }
}

/// Whole blocks of 16, zeros behind.
pub(super) fn in_blocks(values: Option<&[f32]>, blocks: usize) -> Vec<f32> {
    let mut padded = vec![0.0; blocks * BLOCK];
    padded.iter_mut().zip(values.unwrap_or_default()).for_each(|(to, from)| *to = *from);
    padded
}

/// `output = convolution(input) + bias`, maybe through ReLU; every finished image is shown to `done`.
pub(super) fn forward(
    plan: &Plan,
    spare: &Spare,
    (input, weights, bias): (&[f32], &[f32], Option<&[f32]>),
    relu: bool,
    output: &mut [f32],
    done: &(dyn Fn(usize, &[f32]) + Sync),
) {
    let (weights, bias) = (plan.pack_forward(weights), in_blocks(bias, plan.output_blocks()));
    let per_block = plan.output.pixels() * BLOCK;
    let images = output.par_chunks_mut(plan.output.numbers()).zip(input.par_chunks(plan.input.numbers()));
    images.enumerate().for_each_init(
        || spare.lend(),
        |scratch, (number, (output, input))| {
            let Scratch { image, result, .. } = &mut **scratch;
            let image = room(image, plan.image_numbers());
            let result = room(result, plan.output_blocks() * per_block);
            plan.pack_image(input, image);
            plan.forward.run(image, &weights, &bias, relu, per_block, result);
            unpack(result, plan.output, output);
            done(number, output);
        },
    );
}

/// The gradients that are wanted, from that of the output.
pub(super) fn backward(
    plan: &Plan,
    spare: &Spare,
    (input, weights, gradient): (&[f32], &[f32], &[f32]),
    behind: Option<Behind<'_>>,
    wanted: Wanted<'_>,
) -> Sums {
    let images = gradient.len() / plan.output.numbers();
    let packed = if wanted.input.is_some() { plan.pack_backward(weights) } else { Vec::new() };
    let start = in_blocks(wanted.start.filter(|_| !plan.gathered), plan.input_blocks());
    let bias = plan.output_blocks() * BLOCK;
    let total = plan.output_blocks() * plan.packed_block();
    let size = if wanted.weights { images.div_ceil(groups(plan)).max(1) } else { 1 };
    let mut parts: Vec<Option<&mut [f32]>> = match wanted.input {
        Some(input) => input.chunks_mut(size * plan.input.numbers()).map(Some).collect(),
        None => (0..images.div_ceil(size)).map(|_| None).collect(),
    };
    let group = |scratch: &mut Lend<'_>, (group, part): (usize, &mut Option<&mut [f32]>)| {
        let mut sums = if wanted.weights { spare.sums(bias + total) } else { Vec::new() };
        for number in group * size..images.min((group + 1) * size) {
            let Scratch { image, gradient: copy, result, .. } = &mut **scratch;
            let copy = room(copy, plan.gradient_numbers());
            let numbers = plan.output.numbers();
            let own = behind.map(|behind| behind.image(number, numbers));
            plan.pack_gradient(&gradient[number * numbers..][..numbers], own, copy);
            let numbers = plan.input.numbers();
            if let Some(part) = part {
                let per_block = plan.seen.0.pixels() * BLOCK;
                let result = room(result, plan.input_blocks() * per_block);
                for phase in &plan.backward {
                    phase.run(copy, &packed, &start, false, per_block, result);
                }
                let part = &mut part[(number - group * size) * numbers..][..numbers];
                plan.unpack_image(result, wanted.start, part);
            }
            if wanted.weights {
                let image = room(image, plan.image_numbers());
                plan.pack_image(&input[number * numbers..][..numbers], image);
                let (of_bias, of_weights) = sums.split_at_mut(bias);
                plan.add_bias_gradient(copy, of_bias);
                plan.add_weight_gradient(image, copy, of_weights);
            }
        }
        sums
    };
    let groups: Vec<Vec<f32>> = parts.par_iter_mut().enumerate().map_init(|| spare.lend(), group).collect();
    if !wanted.weights {
        return Sums { weights: Vec::new(), bias: Vec::new() };
    }
    let sums = joined(groups, bias + total, spare);
    let mut found = Sums { weights: vec![0.0; plan.weights()], bias: sums[..plan.output.channels].to_vec() };
    let blocks = sums[bias..].par_chunks(plan.packed_block());
    let own = found.weights.par_chunks_mut(BLOCK * plan.weights() / plan.output.channels);
    blocks.zip(own).for_each(|(packed, weights)| plan.unpack_weights(packed, weights));
    spare.keep_sums(sums);
    found
}

/// The sum of all groups, in their order.
fn joined(groups: Vec<Vec<f32>>, length: usize, spare: &Spare) -> Vec<f32> {
    const PIECE: usize = 4096;
    let mut groups = groups.into_iter();
    let mut sums = groups.next().unwrap_or_else(|| vec![0.0; length]);
    let others: Vec<Vec<f32>> = groups.collect();
    sums.par_chunks_mut(PIECE).enumerate().for_each(|(piece, sums)| {
        for other in &others {
            let other = &other[piece * PIECE..][..sums.len()];
            sums.iter_mut().zip(other).for_each(|(sum, value)| *sum += value);
        }
    });
    others.into_iter().for_each(|other| spare.keep_sums(other));
    sums
}

impl Plan {
    /// Adds the sums over pixels of a gradient's copy.
    pub fn add_bias_gradient(&self, copy: &[f32], sums: &mut [f32]) {
        let planes = copy.chunks_exact(self.gradient.pixels() * BLOCK);
        for (plane, sums) in planes.zip(sums.chunks_exact_mut(BLOCK)) {
            let mut own = [0.0_f32; BLOCK];
            own.copy_from_slice(sums);
            for row in 0..self.output.height {
                let line = &plane[self.gradient.at(row, 0) * BLOCK..][..self.output.width * BLOCK];
                for pixel in line.as_chunks::<BLOCK>().0 {
                    own.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += value);
                }
            }
            sums.copy_from_slice(&own);
        }
    }

    /// Adds one image's part of the weights' gradient, packed. Rows of pixels are taken in parts that stay in the
    /// first cache.
    fn add_weight_gradient(&self, image: &[f32], copy: &[f32], sums: &mut [f32]) {
        let (kernel, stride, rows) = (self.seen.1.kernel, self.seen.1.stride, self.output.height);
        let parts = self.output.pixels().div_ceil(128).min(rows);
        let line = kernel * self.block * BLOCK;
        for part in 0..parts {
            let (first, last) = (part * rows / parts, (part + 1) * rows / parts);
            let to = self.blocks * kernel * line;
            let blocks = Blocks { count: self.output_blocks(), right: self.gradient.pixels() * BLOCK, to };
            for (input, down) in (0..self.blocks).flat_map(|input| (0..kernel).map(move |down| (input, down)))
            {
                let product = Product {
                    left: &image[(input * self.image.height + down) * self.image.width * self.block..],
                    from: &self.weight_rows,
                    runs: &self.weight_runs[first..last],
                    length: self.output.width,
                    step: stride * self.block,
                    right: &copy[self.gradient.at(first, 0) * BLOCK..],
                    right_run: self.gradient.width * BLOCK,
                    right_step: BLOCK,
                    to: &self.weight_places,
                    start: None,
                    relu: false,
                    blocks,
                };
                multiply(&product, &mut sums[(input * kernel + down) * line..]);
            }
        }
    }
}
