//! One image: the results of the windows that touch a hole, and their gradients.

use super::relu::Expected;
use super::touched::Windows;
use crate::nn::convolution::{BLOCK, Blocks, Product, multiply};
use crate::nn::lanes::LANES;
use crate::nn::mixture::{Mixture, MixtureSize};

/// Weights as the products read them, in blocks of 16 output channels, and their squares.
pub(super) struct Lines {
    pub blocks: usize,
    depth: usize,
    /// `[block][depth][16]`
    forward: Vec<f32>,
    squares: Vec<f32>,
    /// `[block][block of depth][output channel][16]`
    turned: Vec<f32>,
    turned_squares: Vec<f32>,
    bias: Vec<f32>,
}

impl Lines {
    /// From weights `[out][depth]`.
    pub fn new(weights: &[f32], bias: &[f32]) -> Self {
        let (depth, blocks) = (weights.len() / bias.len(), bias.len().div_ceil(BLOCK));
        let pitch = depth.next_multiple_of(BLOCK);
        let mut forward = vec![0.0; blocks * depth * BLOCK];
        let mut turned = vec![0.0; blocks * pitch * BLOCK];
        for (output, weights) in weights.chunks_exact(depth).enumerate() {
            let (block, lane) = (output / BLOCK, output % BLOCK);
            for (at, weight) in weights.iter().enumerate() {
                forward[(block * depth + at) * BLOCK + lane] = *weight;
                turned[block * pitch * BLOCK + (at / BLOCK * BLOCK + lane) * BLOCK + at % BLOCK] = *weight;
            }
        }
        let square = |lines: &[f32]| lines.iter().map(|weight| weight * weight).collect();
        let mut padded = bias.to_vec();
        padded.resize(blocks * BLOCK, 0.0);
        let (squares, turned_squares) = (square(&forward), square(&turned));
        Self { blocks, depth, forward, squares, turned, turned_squares, bias: padded }
    }

    fn pitch(&self) -> usize {
        self.depth.next_multiple_of(BLOCK)
    }

    /// A weight's place among `[block][depth][16]`.
    pub fn place(&self, output: usize, at: usize) -> usize {
        (output / BLOCK * self.depth + at) * BLOCK + output % BLOCK
    }

    /// Numbers of `[block][depth][16]`.
    pub fn numbers(&self) -> usize {
        self.forward.len()
    }
}

/// An image with holes.
pub(super) struct Holed<'a> {
    /// Numbers, read where known.
    pub values: &'a [f32],
    /// The numbers that are missing.
    pub missing: Vec<u32>,
    /// The results whose windows touch one.
    pub touched: Vec<u32>,
    pub mixture: Mixture<&'a [f32]>,
    pub size: MixtureSize,
    /// π.
    pub weights: Vec<f32>,
}

/// Buffers of one thread.
#[derive(Default)]
pub(super) struct Work {
    plane: Vec<f32>,
    /// Windows of every component: of the mean, of each factor, of the diagonal, `[windows][depth]` each.
    rows: Vec<f32>,
    from: Vec<u32>,
    to: Vec<u32>,
    /// Sums of mean and factors, `[1 + l][windows][16]`, and of the diagonal.
    sums: Vec<f32>,
    variances: Vec<f32>,
    expected: Expected,
    /// Gradients: of the results, of all sums and of the windows.
    pull: Vec<f32>,
    of_sums: Vec<f32>,
    of_rows: Vec<f32>,
}

impl Holed<'_> {
    /// The hats of a component's plane (0: mean, 1 to l: factors, l + 1: diagonal): known numbers are themselves in the
    /// mean and 0 elsewhere.
    fn hat(&self, windows: &Windows, component: usize, which: usize, plane: &mut Vec<f32>) {
        let MixtureSize { numbers, factors, .. } = self.size;
        plane.clear();
        plane.resize(windows.padded(), 0.0);
        let own = match which {
            0 => {
                let mut known = self.values.iter().enumerate();
                let mut missing = self.missing.iter().map(|number| *number as usize).peekable();
                known.by_ref().for_each(|(number, value)| match missing.next_if_eq(&number) {
                    Some(_) => {}
                    None => plane[windows.place(number)] = *value,
                });
                &self.mixture.mean[component * numbers..][..numbers]
            }
            last if last == factors + 1 => &self.mixture.diagonal[component * numbers..][..numbers],
            factor => &self.mixture.factors[(component * factors + factor - 1) * numbers..][..numbers],
        };
        for number in &self.missing {
            plane[windows.place(*number as usize)] = own[*number as usize];
        }
    }

    /// Lays all windows side by side.
    fn gather(&self, windows: &Windows, work: &mut Work) {
        let (planes, count) = (self.size.factors + 2, self.touched.len());
        let length = count * windows.depth();
        work.rows.resize(self.size.components * planes * length + LANES, 0.0);
        for component in 0..self.size.components {
            for which in 0..planes {
                self.hat(windows, component, which, &mut work.plane);
                let rows = &mut work.rows[(component * planes + which) * length..];
                windows.gather(&work.plane, &self.touched, rows);
            }
        }
        let rows = planes * count;
        work.from = (0..rows).map(|row| (row * windows.depth()) as u32).collect();
        work.to = (0..rows).map(|row| (row * BLOCK) as u32).collect();
        work.sums.resize((planes - 1) * count * BLOCK, 0.0);
        work.variances.resize(count * BLOCK, 0.0);
    }

    /// The expected ReLU of a component in one block of channels, from the windows that were laid side by side.
    fn expect(&self, lines: &Lines, component: usize, block: usize, work: &mut Work) {
        let (planes, count) = (self.size.factors + 2, self.touched.len());
        let depth = lines.depth;
        let own = &work.rows[component * planes * count * depth..];
        let one = block * depth * BLOCK..(block + 1) * depth * BLOCK;
        let split = (planes - 1) * count;
        let product = |rows: usize, left, right| Product {
            left,
            from: &work.from[..rows],
            runs: &[0],
            length: depth,
            step: 1,
            right,
            right_run: 0,
            right_step: BLOCK,
            to: &work.to[..rows],
            start: Some(&[0.0; BLOCK]),
            relu: false,
            blocks: Blocks::ONE,
        };
        multiply(&product(split, own, &lines.forward[one.clone()]), &mut work.sums);
        multiply(&product(count, &own[split * depth..], &lines.squares[one]), &mut work.variances);
        let (sums, factors) = work.sums.split_at(count * BLOCK);
        work.expected.fill(sums, factors, &work.variances, &lines.bias[block * BLOCK..][..BLOCK]);
    }

    /// Overwrites the results of the windows that touch a hole.
    pub fn forward(&self, windows: &Windows, lines: &Lines, work: &mut Work, output: &mut [f32]) {
        if self.touched.is_empty() {
            return;
        }
        self.gather(windows, work);
        for block in 0..lines.blocks {
            work.pull.clear();
            work.pull.resize(self.touched.len() * BLOCK, 0.0);
            for (component, weight) in self.weights.iter().enumerate() {
                self.expect(lines, component, block, work);
                work.pull
                    .iter_mut()
                    .zip(&work.expected.value)
                    .for_each(|(sum, value)| *sum += weight * value);
            }
            for (result, row) in self.touched.iter().zip(work.pull.as_chunks::<BLOCK>().0) {
                for (lane, value) in row.iter().enumerate().take(windows.output.channels - block * BLOCK) {
                    output[(block * BLOCK + lane) * windows.output.pixels() + *result as usize] = *value;
                }
            }
        }
    }

    /// Adds the gradients of weights and bias, and fills those of the mixture where they are wanted.
    pub fn backward(
        &self,
        windows: &Windows,
        lines: &Lines,
        work: &mut Work,
        gradient: &[f32],
        sums: &mut Sums,
        mut mixture: Option<MixtureGradient<'_>>,
    ) {
        if self.touched.is_empty() {
            return;
        }
        let (planes, count, depth) = (self.size.factors + 2, self.touched.len(), lines.depth);
        let (split, pitch) = ((planes - 1) * count, lines.pitch());
        self.gather(windows, work);
        work.of_rows.clear();
        if mixture.is_some() {
            work.of_rows.resize(self.size.components * planes * count * pitch, 0.0);
        }
        let mut of_weights = vec![0.0_f64; self.size.components];
        for block in 0..lines.blocks {
            self.pull(windows, block, gradient, &mut work.pull);
            for component in 0..self.size.components {
                self.expect(lines, component, block, work);
                of_weights[component] += dot(&work.pull, &work.expected.value);
                self.of_sums(component, work);
                let Work { rows, of_sums, of_rows, to, .. } = &mut *work;
                let of_bias = &mut sums.bias[block * BLOCK..][..BLOCK];
                for row in of_sums[..count * BLOCK].as_chunks::<BLOCK>().0 {
                    of_bias.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
                }
                let own = &rows[component * planes * count * depth..];
                let lines_of = block * depth * BLOCK..(block + 1) * depth * BLOCK;
                add_crossed(own, split, depth, of_sums, &mut sums.lines[lines_of.clone()]);
                let (own, of_diagonal) = (&own[split * depth..], &of_sums[split * BLOCK..]);
                add_crossed(own, count, depth, of_diagonal, &mut sums.squares[lines_of]);
                if mixture.is_some() {
                    let of_rows =
                        &mut of_rows[component * planes * count * pitch..][..planes * count * pitch];
                    let turned = block * pitch * BLOCK..(block + 1) * pitch * BLOCK;
                    add_turned(of_sums, &to[..split], &lines.turned[turned.clone()], pitch, of_rows);
                    let of_rows = &mut of_rows[split * pitch..];
                    add_turned(of_diagonal, &to[..count], &lines.turned_squares[turned], pitch, of_rows);
                }
            }
        }
        if let Some(mixture) = &mut mixture {
            self.of_mixture(windows, pitch, work, &of_weights, mixture);
        }
    }

    /// The gradients of the results of one block of channels, `[windows][16]`.
    fn pull(&self, windows: &Windows, block: usize, gradient: &[f32], pull: &mut Vec<f32>) {
        pull.clear();
        pull.resize(self.touched.len() * BLOCK, 0.0);
        for (result, row) in self.touched.iter().zip(pull.as_chunks_mut::<BLOCK>().0) {
            for (lane, value) in row.iter_mut().enumerate().take(windows.output.channels - block * BLOCK) {
                *value = gradient[(block * BLOCK + lane) * windows.output.pixels() + *result as usize];
            }
        }
    }

    /// The gradients of the sums: of the mean g π Φ, of a factor g π φ / s times its sum, of the variance half of that.
    fn of_sums(&self, component: usize, work: &mut Work) {
        let count = self.touched.len() * BLOCK;
        let weight = self.weights[component];
        let Work { sums, of_sums, expected, pull, .. } = work;
        of_sums.resize((self.size.factors + 2) * count, 0.0);
        for (at, pull) in pull.iter().enumerate() {
            of_sums[at] = weight * pull * expected.slope[at];
            expected.density[at] *= weight * pull;
        }
        for (of_sums, sums) in of_sums[count..].chunks_exact_mut(count).zip(sums[count..].chunks_exact(count))
        {
            let parts = of_sums.iter_mut().zip(sums).zip(&expected.density);
            parts.for_each(|((to, sum), density)| *to = density * sum);
        }
        let last = (self.size.factors + 1) * count;
        of_sums[last..].iter_mut().zip(&expected.density).for_each(|(to, density)| *to = 0.5 * density);
    }

    /// From the gradients of windows and of π to those of the mixture's arrays.
    fn of_mixture(
        &self,
        windows: &Windows,
        pitch: usize,
        work: &mut Work,
        of_weights: &[f64],
        found: &mut MixtureGradient<'_>,
    ) {
        let MixtureSize { numbers, factors, components } = self.size;
        let length = self.touched.len() * pitch;
        for component in 0..components {
            for which in 0..factors + 2 {
                work.plane.clear();
                work.plane.resize(windows.padded(), 0.0);
                let rows = &work.of_rows[(component * (factors + 2) + which) * length..][..length];
                windows.scatter(rows, pitch, &self.touched, &mut work.plane);
                let own = match which {
                    0 => &mut found.mean[component * numbers..][..numbers],
                    last if last == factors + 1 => &mut found.diagonal[component * numbers..][..numbers],
                    factor => &mut found.factors[(component * factors + factor - 1) * numbers..][..numbers],
                };
                for number in &self.missing {
                    own[*number as usize] = work.plane[windows.place(*number as usize)];
                }
            }
        }
        let pairs = self.weights.iter().zip(of_weights);
        let mean: f64 = pairs.clone().map(|(weight, of_weight)| f64::from(*weight) * of_weight).sum();
        for (to, (weight, of_weight)) in found.scores.iter_mut().zip(pairs) {
            *to = (f64::from(*weight) * (of_weight - mean)) as f32;
        }
    }
}

/// Gradients that are sums over images: of the weights by way of means and factors, of their squares, of the bias.
#[derive(Debug, Clone)]
pub(super) struct Sums {
    pub lines: Vec<f32>,
    pub squares: Vec<f32>,
    pub bias: Vec<f32>,
}

impl Sums {
    pub fn new(lines: &Lines) -> Self {
        let zeros = vec![0.0; lines.numbers()];
        Self { lines: zeros.clone(), squares: zeros, bias: vec![0.0; lines.blocks * BLOCK] }
    }

    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.lines, &other.lines),
            (&mut self.squares, &other.squares),
            (&mut self.bias, &other.bias),
        ];
        for (sums, others) in pairs {
            sums.iter_mut().zip(others).for_each(|(sum, value)| *sum += value);
        }
    }
}

/// Where the gradients of one image's mixture go.
pub(super) type MixtureGradient<'a> = Mixture<&'a mut [f32]>;

fn dot(left: &[f32], right: &[f32]) -> f64 {
    left.iter().zip(right).map(|(a, b)| f64::from(a * b)).sum()
}

/// `sums[depth][16] += Σ over rows left[row][depth] right[row][16]`
fn add_crossed(left: &[f32], rows: usize, depth: usize, right: &[f32], sums: &mut [f32]) {
    let from: Vec<u32> = (0..depth as u32).collect();
    let to: Vec<u32> = (0..depth).map(|at| (at * BLOCK) as u32).collect();
    let product = Product {
        left,
        from: &from,
        runs: &[0],
        length: rows,
        step: depth,
        right,
        right_run: 0,
        right_step: BLOCK,
        to: &to,
        start: None,
        relu: false,
        blocks: Blocks::ONE,
    };
    multiply(&product, sums);
}

/// `rows[row][depth] += Σ over 16 channels left[row][16] turned[16][depth]`, the depth in blocks.
fn add_turned(left: &[f32], from: &[u32], turned: &[f32], pitch: usize, rows: &mut [f32]) {
    for (block, right) in turned.chunks_exact(BLOCK * BLOCK).enumerate() {
        let to: Vec<u32> = (0..from.len()).map(|row| (row * pitch + block * BLOCK) as u32).collect();
        let product = Product {
            left,
            from,
            runs: &[0],
            length: BLOCK,
            step: 1,
            right,
            right_run: 0,
            right_step: BLOCK,
            to: &to,
            start: None,
            relu: false,
            blocks: Blocks::ONE,
        };
        multiply(&product, rows);
    }
}
