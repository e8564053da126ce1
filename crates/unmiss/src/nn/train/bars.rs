//! A small convolutional network through the whole loop: bars on images of 8 x 8, lying or standing.

use std::sync::Arc;

use super::*;
use crate::nn::loss::cross_entropy;
use crate::nn::{Activation, Convolution, Engine, Plain, Pool, Shape, Taped, Window};
use crate::rng::Stream;

const ROWS: usize = 120;

/// Convolution, ReLU and batch norm; pool; convolution; batch norm, ReLU, pool; dense.
struct Bars {
    images: Vec<f32>,
    classes: Vec<usize>,
    first: Arc<Convolution>,
    second: Arc<Convolution>,
}

impl Bars {
    /// A bar somewhere on noise; every other one stands.
    fn new() -> Self {
        let image = |row: usize| {
            let mut stream = Stream::new(3, "bars", row as u64, 0);
            let (line, mut image) = (stream.below(8), [0.0; 64]);
            image.iter_mut().for_each(|pixel| *pixel = 0.25 * stream.normal() as f32);
            (0..8).for_each(|at| {
                image[if row.is_multiple_of(2) { 8 * line + at } else { 8 * at + line }] += 1.0
            });
            image
        };
        let first = Convolution::new(Shape::new(1, 8, 8), 6, Window::same(3)).unwrap();
        let pooled = Pool::Max.output(first.output());
        let second = Convolution::new(pooled, 8, Window { kernel: 3, stride: 1, padding: 0 }).unwrap();
        Self {
            images: (0..ROWS).flat_map(image).collect(),
            classes: (0..ROWS).map(|row| row % 2).collect(),
            first: Arc::new(first),
            second: Arc::new(second),
        }
    }

    fn parameters(&self) -> Parameters {
        let mut stream = Stream::new(1, "weights", 0, 0);
        let mut parameters = Parameters::new();
        let mut draw = |inputs: usize| {
            let scale = (2.0 / inputs as f64).sqrt();
            (scale * stream.normal()) as f32
        };
        self.first.add_normalised(&mut parameters, "first", || draw(9));
        self.second.add_parameters(&mut parameters, "second", || draw(54));
        crate::nn::batch_norm::add_batch_norm(&mut parameters, "norm", 8);
        parameters.add_dense("last", 8, 2, || draw(8));
        parameters
    }

    fn forward<E: Engine>(&self, engine: &mut E, rows: &[usize]) -> E::Value {
        let images = rows.iter().flat_map(|row| self.images[64 * row..][..64].to_vec()).collect();
        let input = engine.input(images, rows.len());
        let hidden = engine.normalised_convolution(input, &self.first, 0);
        let hidden = engine.pool(hidden, self.first.output(), Pool::Max);
        let hidden = engine.convolution(hidden, &self.second, 6, Activation::Identity);
        let hidden = engine.batch_norm(hidden, 8);
        let hidden = engine.activate(hidden, Activation::Relu);
        let hidden = engine.pool(hidden, self.second.output(), Pool::GlobalAverage);
        engine.dense(hidden, 12, Activation::Identity)
    }

    /// The share of rows whose class is found.
    fn accuracy(&self, parameters: &Parameters, rows: &[usize]) -> f64 {
        let scores = self.forward(&mut Plain::new(parameters), rows);
        let right =
            scores.values().chunks(2).zip(rows).filter(|(own, row)| (own[1] > own[0]) == (*row % 2 == 1));
        right.count() as f64 / rows.len() as f64
    }
}

impl Learner for Bars {
    /// The last rows are kept aside.
    fn rows(&self) -> usize {
        80
    }

    fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
        let classes: Vec<usize> = rows.iter().map(|row| self.classes[*row]).collect();
        cross_entropy(self.forward(&mut Taped::new(parameters, moment), rows), &classes, None, 0.0)
    }

    fn validate(&self, _: &Parameters) -> Option<f64> {
        None
    }
}

#[test]
fn a_small_network_tells_lying_bars_from_standing_ones_the_same_on_any_threads() {
    let bars = Bars::new();
    let settings = TrainSettings { epochs: 40, batch: 16, rate: 0.01, ..TrainSettings::default() };
    let with = |threads| train(&bars, bars.parameters(), &settings, &Run::new(7, threads).unwrap()).unwrap();
    let one = with(1);
    let aside: Vec<usize> = (80..ROWS).collect();
    let (before, after) = (bars.accuracy(&bars.parameters(), &aside), bars.accuracy(&one.parameters, &aside));
    assert!(before < 0.8 && after > 0.95, "{before} {after}");
    assert!(one.history[39].loss < 0.2 * one.history[0].loss, "{:?}", one.history);
    assert_ne!(one.parameters[4].values, bars.parameters()[4].values, "the running means have moved");
    let two = with(2);
    assert_eq!(one.parameters, two.parameters);
    assert_eq!(one.history, two.history);
    // What is answered for an image does not depend on the others.
    let all = bars.forward(&mut Plain::new(&one.parameters), &aside);
    let alone = bars.forward(&mut Plain::new(&one.parameters), &aside[5..6]);
    assert_eq!(alone.values(), &all.values()[10..12]);
}
