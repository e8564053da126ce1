//! Windows of 3 x 3 that move pixel by pixel, by tiles of 4 x 4 results: 36 multiplications in place of 144, in all
//! three passes (Winograd 1980; Lavin and Gray 2016).
//!
//! With d a patch of 6 x 6 pixels, w the weights and y a tile of results,
//!
//! ```text
//! y = Aᵀ [(G w Gᵀ) ⊙ (Bᵀ d B)] A       gradient of w:  Gᵀ [Σ over tiles (Bᵀ d B) ⊙ (A g Aᵀ)] G
//! ```
//!
//! and ⊙ summed over channels is a matrix product at each of the 36 places. The input's gradient is the same
//! convolution with the window turned around. Each place's sum over tiles has one owner: nothing has to be joined.

mod transforms;

use rayon::prelude::*;

use super::direct::{Sums, Wanted, in_blocks};
use super::pack::{Behind, unpack};
use super::plan::{Padded, Plan, Shape};
use super::scratch::{Lend, Scratch, Spare, room};
use super::tile::{BLOCK, Blocks, Product, multiply};
use transforms::{
    Finish, PLACES, Planes, gradients_to_tiles, pitch, pixels_to_tiles, places_to_weights, tiles_to_results,
    weights_to_places,
};

/// Numbers of tiles that stay in the second cache between their making and their sum.
const SECOND_CACHE: usize = 600_000;

fn grid(shape: Shape) -> (usize, usize) {
    (shape.height.div_ceil(4), shape.width.div_ceil(4))
}

fn planes(blocks: usize, padded: Padded, results: Shape) -> Planes {
    Planes { blocks, pixels: padded.pixels(), width: padded.width, grid: grid(results) }
}

/// Images that are taken together, so that the weights are read once for about 32 tiles.
fn together(shape: Shape, images: usize) -> usize {
    let (tall, wide) = grid(shape);
    (32 / (tall * wide)).clamp(1, (images / 6).max(1))
}

/// Weights at the 36 places, `[block of results][place][depth][16]`, from packed ones.
fn at_places(packed: &[f32], blocks: usize) -> Vec<f32> {
    let block = packed.len() / blocks;
    let mut places = vec![0.0; packed.len() / 9 * PLACES];
    let tasks = places.par_chunks_mut(block / 9 * PLACES).zip(packed.par_chunks(block));
    tasks.for_each(|(places, packed)| weights_to_places(packed, places));
    places
}

/// `m = v u` at every place: `v` has `depth` blocks, `m` has `blocks`.
fn multiply_places(v: &[f32], tiles: usize, depth: usize, u: &[f32], blocks: usize, m: &mut [f32]) {
    let rows: Vec<u32> = (0..tiles).map(|tile| (tile * BLOCK) as u32).collect();
    let runs: Vec<u32> = (0..depth).map(|block| (block * tiles * BLOCK) as u32).collect();
    let (one, zeros) = (depth * BLOCK * BLOCK, vec![0.0; blocks * BLOCK]);
    for place in 0..PLACES {
        let product = Product {
            left: &v[place * pitch(depth, tiles)..],
            from: &rows,
            runs: &runs,
            length: BLOCK,
            step: 1,
            right: &u[place * one..],
            right_run: BLOCK * BLOCK,
            right_step: BLOCK,
            to: &rows,
            start: Some(&zeros),
            relu: false,
            blocks: Blocks { count: blocks, right: PLACES * one, to: tiles * BLOCK },
        };
        multiply(&product, &mut m[place * pitch(blocks, tiles)..]);
    }
}

/// See `direct::forward`.
pub(super) fn forward(
    plan: &Plan,
    spare: &Spare,
    (input, weights, bias): (&[f32], &[f32], Option<&[f32]>),
    relu: bool,
    output: &mut [f32],
    done: &(dyn Fn(usize, &[f32]) + Sync),
) {
    let (blocks, depth) = (plan.output_blocks(), plan.blocks);
    let (u, start) = (at_places(&plan.pack_forward(weights), blocks), in_blocks(bias, blocks));
    let (from, to) = (plan.input.numbers(), plan.output.numbers());
    let group = together(plan.output, output.len() / to);
    let patches = planes(depth, plan.image, plan.output);
    let finish = Finish { start: &start, relu, height: plan.output.height, width: plan.output.width };
    let work = |scratch: &mut Lend<'_>, (number, (output, input)): (usize, (&mut [f32], &[f32]))| {
        let Scratch { image, result, tiles: buffer, .. } = &mut **scratch;
        let tiles = output.len() / to * patches.tiles();
        let image = room(image, plan.image_numbers());
        let result = room(result, blocks * plan.output.pixels() * BLOCK);
        let buffer = room(buffer, PLACES * (pitch(depth, tiles) + pitch(blocks, tiles)));
        let (v, m) = buffer.split_at_mut(PLACES * pitch(depth, tiles));
        for (own, input) in input.chunks_exact(from).enumerate() {
            plan.pack_image(input, image);
            pixels_to_tiles(image, patches, v, tiles, own * patches.tiles());
        }
        multiply_places(v, tiles, depth, &u, blocks, m);
        for (own, output) in output.chunks_exact_mut(to).enumerate() {
            tiles_to_results(m, tiles, own * patches.tiles(), finish, result);
            unpack(result, plan.output, output);
            done(number * group + own, output);
        }
    };
    let groups = output.par_chunks_mut(group * to).zip(input.par_chunks(group * from));
    groups.enumerate().for_each_init(|| spare.lend(), work);
}

/// Tiles of pixels and of gradients, `v` and `z`, that a weight gradient is the sum of: image after image.
struct Tiles<'a> {
    values: &'a mut [f32],
    /// Numbers of an image's v, and of its v and z.
    v: usize,
    own: usize,
}

/// See `direct::backward`.
pub(super) fn backward(
    plan: &Plan,
    spare: &Spare,
    (input, weights, gradient): (&[f32], &[f32], &[f32]),
    behind: Option<Behind<'_>>,
    wanted: Wanted<'_>,
) -> Sums {
    let (from, to) = (plan.input.numbers(), plan.output.numbers());
    let (depth, blocks) = (plan.blocks, plan.output_blocks());
    let images = gradient.len() / to;
    let pass = Pass {
        plan,
        u: match wanted.input {
            Some(_) => at_places(&plan.pack_backward(weights), depth),
            None => Vec::new(),
        },
        start: in_blocks(wanted.start, depth),
        behind,
    };
    // As many images at a time as keep their tiles in the cache.
    let tiles = planes(depth, plan.image, plan.output).tiles();
    let (v, own) = (PLACES * pitch(depth, tiles), PLACES * (pitch(depth, tiles) + pitch(blocks, tiles)));
    let chunk = if wanted.weights { (SECOND_CACHE / own).clamp(1, images.max(1)) } else { images.max(1) };
    let group = together(plan.input, images);
    let mut buffer = if wanted.weights { spare.any(chunk * own) } else { Vec::new() };
    let mut places =
        if wanted.weights { spare.sums(PLACES * blocks * depth * BLOCK * BLOCK) } else { Vec::new() };
    let mut bias = vec![0.0; if wanted.weights { images * blocks * BLOCK } else { 0 }];
    let mut parts = wanted.input.map(|input| input.chunks_mut(chunk * from));
    let mut biases = bias.chunks_mut(chunk * blocks * BLOCK);
    for (input, gradient, first) in chunks(input, gradient, (from, to), chunk) {
        let (part, bias) = (parts.as_mut().and_then(Iterator::next), biases.next().unwrap_or_default());
        let count = gradient.len() / to;
        let mut tasks: Vec<Task<'_>> = (0..count.div_ceil(group)).map(|_| Task::default()).collect();
        if let Some(part) = part {
            tasks
                .iter_mut()
                .zip(part.chunks_mut(group * from))
                .for_each(|(task, part)| task.part = Some(part));
        }
        if wanted.weights {
            let tiles =
                buffer[..count * own].chunks_mut(group * own).zip(bias.chunks_mut(group * blocks * BLOCK));
            for (task, (values, bias)) in tasks.iter_mut().zip(tiles) {
                (task.tiles, task.bias) = (Some(Tiles { values, v, own }), bias);
            }
        }
        tasks.into_par_iter().enumerate().for_each_init(
            || spare.lend(),
            |scratch, (number, task)| {
                let end =
                    |numbers: usize| (number * group * numbers)..((number + 1) * group).min(count) * numbers;
                let input = if wanted.weights { &input[end(from)] } else { &[] };
                pass.group(scratch, (input, &gradient[end(to)]), first + number * group, task);
            },
        );
        if wanted.weights {
            let sums = places.par_chunks_mut(depth * BLOCK * BLOCK).enumerate();
            sums.for_each(|(number, sums)| {
                add_tiles(&buffer[..count * own], (v, own), tiles, (depth, blocks), number, sums);
            });
        }
    }
    let mut found = Sums { weights: Vec::new(), bias: Vec::new() };
    if wanted.weights {
        let images = bias.chunks_exact(blocks * BLOCK);
        found.bias =
            (0..plan.output.channels).map(|channel| images.clone().map(|own| own[channel]).sum()).collect();
        found.weights = plan.weights_of_places(&places);
        spare.keep_sums(places);
        spare.keep_sums(buffer);
    }
    found
}

/// Batches of so many images, each with the number of its first.
fn chunks<'a>(
    input: &'a [f32],
    gradient: &'a [f32],
    (from, to): (usize, usize),
    chunk: usize,
) -> impl Iterator<Item = (&'a [f32], &'a [f32], usize)> {
    gradient.chunks(chunk * to).enumerate().map(move |(number, gradient)| {
        let first = number * chunk;
        let input = input.get(first * from..first * from + gradient.len() / to * from).unwrap_or_default();
        (input, gradient, first)
    })
}

/// What is to be filled for a group of images.
#[derive(Default)]
struct Task<'a> {
    part: Option<&'a mut [f32]>,
    tiles: Option<Tiles<'a>>,
    bias: &'a mut [f32],
}

/// What the groups of a backward pass share.
struct Pass<'a> {
    plan: &'a Plan,
    u: Vec<f32>,
    start: Vec<f32>,
    behind: Option<Behind<'a>>,
}

impl Pass<'_> {
    /// One group of images: the gradient of its input, its tiles and its part of the bias' gradient.
    fn group(
        &self,
        scratch: &mut Scratch,
        (input, gradient): (&[f32], &[f32]),
        first: usize,
        task: Task<'_>,
    ) {
        let plan = self.plan;
        let (depth, blocks) = (plan.blocks, plan.output_blocks());
        let Scratch { image, gradient: copy, result, tiles: buffer } = scratch;
        let copy = room(copy, plan.gradient_numbers());
        let (from, to) = (plan.input.numbers(), plan.output.numbers());
        let turned = planes(blocks, plan.gradient, plan.input);
        let tiles = gradient.len() / to * turned.tiles();
        let buffer = room(buffer, PLACES * (pitch(blocks, tiles) + pitch(depth, tiles)));
        let (v, m) = buffer.split_at_mut(PLACES * pitch(blocks, tiles));
        let Task { part, tiles: mut kept, bias } = task;
        for (own, gradient) in gradient.chunks_exact(to).enumerate() {
            plan.pack_gradient(gradient, self.behind.map(|behind| behind.image(first + own, to)), copy);
            if part.is_some() {
                let corner = plan.backward[0].from[0] as usize;
                pixels_to_tiles(&copy[corner..], turned, v, tiles, own * turned.tiles());
            }
            if let Some(Tiles { values, v, own: size }) = &mut kept {
                plan.add_bias_gradient(copy, &mut bias[own * blocks * BLOCK..][..blocks * BLOCK]);
                let (of_pixels, of_gradients) = values[own * *size..][..*size].split_at_mut(*v);
                let patches = planes(depth, plan.image, plan.output);
                let image = room(image, plan.image_numbers());
                plan.pack_image(&input[own * from..][..from], image);
                pixels_to_tiles(image, patches, of_pixels, patches.tiles(), 0);
                let corner = plan.gradient.at(0, 0) * BLOCK;
                let results = planes(blocks, plan.gradient, plan.output);
                gradients_to_tiles(&copy[corner..], results, of_gradients, results.tiles(), 0);
            }
        }
        if let Some(part) = part {
            multiply_places(v, tiles, blocks, &self.u, depth, m);
            let result = room(result, depth * plan.input.pixels() * BLOCK);
            let Shape { height, width, .. } = plan.input;
            let finish = Finish { start: &self.start, relu: false, height, width };
            for (own, part) in part.chunks_exact_mut(from).enumerate() {
                tiles_to_results(m, tiles, own * turned.tiles(), finish, result);
                unpack(result, plan.input, part);
            }
        }
    }
}

/// Tiles that are summed in one go.
const TILES: usize = 128;

/// Adds `Σ over tiles v zᵀ` of one place and one block of results (`number`: block within place) for all images.
fn add_tiles(
    buffer: &[f32],
    (v, own): (usize, usize),
    tiles: usize,
    (depth, blocks): (usize, usize),
    number: usize,
    sums: &mut [f32],
) {
    let rows: [u32; BLOCK] = std::array::from_fn(|row| row as u32);
    let places: [u32; BLOCK] = std::array::from_fn(|row| (row * BLOCK) as u32);
    let (place, block) = (number / blocks, number % blocks);
    let images = buffer.len() / own;
    let batch = TILES.div_ceil(tiles).min(images.max(1));
    let runs: Vec<u32> = (0..batch).map(|image| (image * own) as u32).collect();
    for first in (0..images).step_by(batch) {
        let buffer = &buffer[first * own..];
        for (channel, sums) in sums.chunks_exact_mut(BLOCK * BLOCK).enumerate() {
            let product = Product {
                left: &buffer[place * pitch(depth, tiles) + channel * tiles * BLOCK..],
                from: &rows,
                runs: &runs[..batch.min(images - first)],
                length: tiles,
                step: BLOCK,
                right: &buffer[v + place * pitch(blocks, tiles) + block * tiles * BLOCK..],
                right_run: own,
                right_step: BLOCK,
                to: &places,
                start: None,
                relu: false,
                blocks: Blocks::ONE,
            };
            multiply(&product, sums);
        }
    }
}

impl Plan {
    /// The weights' gradient from sums at the 36 places, `[place][block][depth][16][16]`.
    fn weights_of_places(&self, places: &[f32]) -> Vec<f32> {
        let (depth, blocks) = (self.blocks, self.output_blocks());
        let mut weights = vec![0.0; self.weights()];
        let one = depth * BLOCK * BLOCK;
        let parts = weights.par_chunks_mut(BLOCK * self.weights() / self.output.channels).enumerate();
        parts.for_each(|(block, weights)| {
            let mut packed = vec![0.0; self.packed_block()];
            places_to_weights(&places[block * one..], blocks * one, &mut packed);
            self.unpack_weights(&packed, weights);
        });
        weights
    }
}
