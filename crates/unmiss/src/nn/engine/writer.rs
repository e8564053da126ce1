//! The engine that does nothing: it writes the operations of a network into a graph, for other runtimes.
//!
//! A network is described for a batch of rows that is at hand. Here none is: whoever asks for a network to be written
//! says beforehand what stands for its inputs, and the numbers that the description hands over are not looked at. Which
//! pixels are known follows the same way, from layer to layer.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use super::Engine;
use crate::nn::activation::Activation;
use crate::nn::batch_norm::running_lines;
use crate::nn::cells::Cells;
use crate::nn::convolution::{Convolution, Shape};
use crate::nn::front::Front;
use crate::nn::masked_dense::Connections;
use crate::nn::mixture::{Mixture, MixtureSize};
use crate::nn::neumann::Block;
use crate::nn::parameters::Parameters;
use crate::nn::pool::Pool;
use crate::nn::recurrent::{Give, Recurrent, Steps};
use crate::nn::sparsity::Dropout;
use crate::nn::train::Moment;
use crate::nn::windows::Observed;
use crate::onnx::{Attribute, Graph, Kind, Symbol, WrittenNumbers, WrittenRows};

/// What stands for the inputs of a network.
#[derive(Default)]
pub struct Inputs {
    /// For each call of [`Engine::input`], in turn.
    pub plain: VecDeque<Symbol>,
    /// For [`Engine::front`].
    pub cells: Option<WrittenRows>,
    /// For [`Engine::neumann`].
    pub block: Option<WrittenNumbers>,
    /// Which pixels of images are known: marks and their channels.
    pub known: Option<(Symbol, usize)>,
    /// For [`Engine::recurrent`], whose input is `[rows, steps, numbers]` here: how many steps each series has.
    pub lengths: Option<Symbol>,
}

/// Writes down what it is asked to do.
pub struct Writer<'a> {
    pub(super) graph: &'a mut Graph,
    pub(super) parameters: &'a Parameters,
    inputs: Inputs,
    /// What is known of the images on their way, `[rows, channels, height, width]` as numbers, and their channels.
    known: RefCell<Option<(Symbol, usize)>>,
    /// The value whose zeros were asked for, as what is not known.
    active: RefCell<Option<Symbol>>,
    /// The member under way, and how many there are.
    member: (usize, usize),
    constants: HashMap<usize, Symbol>,
    /// What there is no operation for.
    missing: Option<&'static str>,
}

impl<'a> Writer<'a> {
    /// Into a graph, with these weights and inputs.
    pub fn new(graph: &'a mut Graph, parameters: &'a Parameters, mut inputs: Inputs) -> Self {
        let known = RefCell::new(inputs.known.take());
        let (active, constants) = (RefCell::new(None), HashMap::new());
        Self { graph, parameters, inputs, known, active, member: (0, 1), constants, missing: None }
    }

    /// The operation that was asked for and can't be written, if any.
    pub fn missing(&self) -> Option<&'static str> {
        self.missing
    }

    /// An array of weights as it is.
    fn weights(&mut self, index: usize) -> Symbol {
        if let Some(known) = self.constants.get(&index) {
            return known.clone();
        }
        let parameter = &self.parameters[index];
        let symbol = self.graph.singles(&parameter.shape, &parameter.values);
        self.constants.insert(index, symbol.clone());
        symbol
    }

    /// The part of an array that is the member's own, `[rows, columns]`.
    fn own(&mut self, index: usize) -> Symbol {
        let (member, members) = self.member;
        let parameter = &self.parameters[index];
        let (rows, columns) = (parameter.shape[0] / members, parameter.shape[1]);
        let length = rows * columns;
        self.graph.singles(&[rows, columns], &parameter.values[member * length..(member + 1) * length])
    }

    fn refuse(&mut self, what: &'static str, stand_in: Symbol) -> Symbol {
        self.missing = Some(what);
        stand_in
    }

    /// `[rows, numbers]` as images.
    fn images(&mut self, flat: &Symbol, shape: Shape) -> Symbol {
        let Shape { channels, height, width } = shape;
        self.graph.shaped(flat, &[-1, channels as i64, height as i64, width as i64])
    }

    fn flat(&mut self, images: &Symbol, shape: Shape) -> Symbol {
        self.graph.shaped(images, &[-1, shape.numbers() as i64])
    }

    fn window(layer: &Convolution) -> Vec<Attribute> {
        let window = layer.window();
        let twice = |value: usize| vec![value as i64; 2];
        vec![
            Attribute::integers("kernel_shape", twice(window.kernel)),
            Attribute::integers("strides", twice(window.stride)),
            Attribute::integers("pads", vec![window.padding as i64; 4]),
        ]
    }

    /// Images through a convolution, without a bias where there is none, as images.
    fn convolve(
        &mut self,
        input: &Symbol,
        layer: &Convolution,
        weight: &Symbol,
        bias: Option<&Symbol>,
    ) -> Symbol {
        let images = self.images(input, layer.input());
        let inputs: Vec<&Symbol> = [&images, weight].into_iter().chain(bias).collect();
        let mut settings = Self::window(layer);
        if !layer.is_transposed() {
            return self.graph.op_with("Conv", &inputs, settings);
        }
        let output = layer.output();
        settings.push(Attribute::integers("output_shape", vec![output.height as i64, output.width as i64]));
        self.graph.op_with("ConvTranspose", &inputs, settings)
    }

    fn bias(&mut self, index: usize) -> Symbol {
        let bias = self.weights(index);
        self.graph.shaped(&bias, &[-1])
    }

    /// How many known numbers lie under each window, `[rows, 1, height, width]`.
    fn counted(&mut self, layer: &Convolution, known: &Symbol, channels: usize) -> Symbol {
        let (kernel, input) = (layer.window().kernel, layer.input());
        // One mark for all channels counts as often as there are.
        let times = (input.channels / channels) as f32;
        let ones =
            self.graph.singles(&[1, channels, kernel, kernel], &vec![times; channels * kernel * kernel]);
        self.graph.op_with("Conv", &[known, &ones], Self::window(layer))
    }

    /// Images with 0 for what is not known, through a convolution without bias; and the count of known numbers.
    fn masked(&mut self, input: &Symbol, layer: &Convolution, weight: usize) -> (Symbol, Symbol) {
        let Some((known, channels)) = self.known.borrow().clone() else {
            let nothing = self.refuse("a mask", input.clone());
            return (nothing.clone(), nothing);
        };
        let counts = self.counted(layer, &known, channels);
        let images = self.images(input, layer.input());
        let masked = self.graph.times(&images, &known);
        let masked = self.flat(&masked, layer.input());
        let weight = self.weights(weight);
        (self.convolve(&masked, layer, &weight, None), counts)
    }
}

/// An activation.
fn activated(graph: &mut Graph, input: &Symbol, activation: Activation) -> Symbol {
    match activation {
        Activation::Identity => input.clone(),
        Activation::Relu => graph.op("Relu", &[input]),
        Activation::Selu => graph.op("Selu", &[input]),
        Activation::Sigmoid => graph.op("Sigmoid", &[input]),
        Activation::Tanh => graph.op("Tanh", &[input]),
        Activation::Decay => {
            let above = graph.op("Relu", &[input]);
            let below = graph.op("Neg", &[&above]);
            graph.op("Exp", &[&below])
        }
        Activation::Mish => {
            let soft = graph.op("Softplus", &[input]);
            let factor = graph.op("Tanh", &[&soft]);
            graph.times(input, &factor)
        }
    }
}

impl Engine for Writer<'_> {
    type Value = Symbol;

    fn moment(&self) -> Option<&Moment> {
        None
    }

    fn input(&mut self, _: Vec<f32>, _: usize) -> Symbol {
        let given = self.inputs.plain.pop_front();
        given.unwrap_or_else(|| {
            self.missing = Some("an input that is not given");
            self.graph.single(0.0)
        })
    }

    fn front(&mut self, front: &Arc<Front>, _: Cells<'_>, first: usize) -> Symbol {
        match self.inputs.cells.clone() {
            Some(cells) => front.write(self.graph, &cells, self.parameters, first),
            None => {
                let nothing = self.graph.single(0.0);
                self.refuse("cells that are not given", nothing)
            }
        }
    }

    fn neumann(&mut self, block: &Arc<Block>, _: Cells<'_>, first: usize) -> Symbol {
        match self.inputs.block.clone() {
            Some(cells) => block.write(self.graph, &cells, self.parameters, first),
            None => {
                let nothing = self.graph.single(0.0);
                self.refuse("cells that are not given", nothing)
            }
        }
    }

    fn dense(&mut self, input: Symbol, weight: usize, activation: Activation) -> Symbol {
        let (matrix, bias) = (self.weights(weight), self.weights(weight + 1));
        let sums = self.graph.product(&input, &matrix);
        let sums = self.graph.add(&sums, &bias);
        activated(self.graph, &sums, activation)
    }

    fn linear(&mut self, input: Symbol, weight: usize) -> Symbol {
        let matrix = self.weights(weight);
        self.graph.product(&input, &matrix)
    }

    fn masked_dense(
        &mut self,
        input: Symbol,
        weight: usize,
        mask: &Connections,
        scale: Option<Vec<f32>>,
        activation: Activation,
    ) -> Symbol {
        if scale.is_some() {
            return self.refuse("masked dense layers that follow what is known", input);
        }
        let parameter = &self.parameters[weight];
        let matrix = self.graph.singles(&parameter.shape, &mask.masked(&parameter.values));
        let bias = self.weights(weight + 1);
        let sums = self.graph.product(&input, &matrix);
        let sums = self.graph.add(&sums, &bias);
        activated(self.graph, &sums, activation)
    }

    fn add(&mut self, left: Symbol, right: Symbol) -> Symbol {
        self.graph.add(&left, &right)
    }

    fn times(&mut self, left: Symbol, right: Symbol) -> Symbol {
        self.graph.times(&left, &right)
    }

    fn beside(&mut self, left: Symbol, right: Symbol) -> Symbol {
        // Rows of series have an axis of steps between.
        self.graph.joined(&[&left, &right], -1)
    }

    fn members(
        &mut self,
        input: Symbol,
        factors: usize,
        inside: impl Fn(&mut Self, Symbol) -> Symbol,
    ) -> Symbol {
        let members = self.parameters[factors].shape[0];
        let mut said = Vec::with_capacity(members);
        for member in 0..members {
            self.member = (member, members);
            let own = self.own(factors);
            let view = self.graph.times(&input, &own);
            said.push(inside(self, view));
        }
        self.member = (0, 1);
        self.graph.joined(&said.iter().collect::<Vec<_>>(), 0)
    }

    fn heads(&mut self, hidden: Symbol, weight: usize) -> Symbol {
        let (matrix, bias) = (self.own(weight), self.own(weight + 1));
        let sums = self.graph.product(&hidden, &matrix);
        self.graph.add(&sums, &bias)
    }

    fn dropout(&mut self, hidden: Symbol, _: f64, _: Dropout, _: (&str, usize)) -> Symbol {
        hidden
    }

    fn convolution(
        &mut self,
        input: Symbol,
        layer: &Arc<Convolution>,
        weight: usize,
        activation: Activation,
    ) -> Symbol {
        let (kernels, bias) = (self.weights(weight), self.bias(weight + 1));
        let images = self.convolve(&input, layer, &kernels, Some(&bias));
        let output = self.flat(&images, layer.output());
        activated(self.graph, &output, activation)
    }

    fn recurrent(
        &mut self,
        input: Symbol,
        decay: Option<Symbol>,
        layer: &Arc<Recurrent>,
        _: &Arc<Steps>,
        first: usize,
        give: Give,
    ) -> Symbol {
        match self.inputs.lengths.clone() {
            Some(lengths) if give == Give::Last && !layer.is_reversed() => {
                layer.write(self.graph, (self.parameters, first), &input, decay.as_ref(), &lengths)
            }
            _ => self.refuse("recurrent layers that answer step by step", input),
        }
    }

    fn normalised_convolution(&mut self, input: Symbol, layer: &Arc<Convolution>, weight: usize) -> Symbol {
        let hidden = self.convolution(input, layer, weight, Activation::Relu);
        self.batch_norm(hidden, weight + 2)
    }

    fn sparsity_convolution(
        &mut self,
        input: Symbol,
        _: &Observed<'_>,
        layer: &Arc<Convolution>,
        weight: usize,
        k: f32,
        activation: Activation,
    ) -> Symbol {
        if let Some(value) = self.active.take() {
            // What a ReLU made 0 counts as missing.
            let images = self.images(&value, layer.input());
            let magnitude = self.graph.op("Abs", &[&images]);
            let active = self.graph.op("Sign", &[&magnitude]);
            self.known.replace(Some((active, layer.input().channels)));
        }
        let (sums, counts) = self.masked(&input, layer, weight);
        let (k, one) = (self.graph.single(k), self.graph.single(1.0));
        let counts = self.graph.op("Max", &[&counts, &one]);
        let factor = self.graph.divide(&k, &counts);
        let scaled = self.graph.times(&sums, &factor);
        let bias = self.weights(weight + 1);
        let bias = self.graph.shaped(&bias, &[1, -1, 1, 1]);
        let sums = self.graph.add(&scaled, &bias);
        self.known.replace(None);
        let output = self.flat(&sums, layer.output());
        activated(self.graph, &output, activation)
    }

    fn partial_convolution(
        &mut self,
        input: Symbol,
        observed: &Observed<'_>,
        layer: &Arc<Convolution>,
        weight: usize,
        activation: Activation,
    ) -> (Symbol, Observed<'static>) {
        let (sums, counts) = self.masked(&input, layer, weight);
        let (size, one) = (self.graph.single(layer.window_numbers() as f32), self.graph.single(1.0));
        let present = self.graph.op("Sign", &[&counts]);
        let below = self.graph.op("Max", &[&counts, &one]);
        let factor = self.graph.divide(&size, &below);
        let scaled = self.graph.times(&sums, &factor);
        let bias = self.weights(weight + 1);
        let bias = self.graph.shaped(&bias, &[1, -1, 1, 1]);
        let sums = self.graph.add(&scaled, &bias);
        let sums = self.graph.times(&sums, &present);
        self.known.replace(Some((present, 1)));
        let output = self.flat(&sums, layer.output());
        let rows = observed.marks.len() / (observed.channels * layer.input().pixels());
        let marks = vec![true; rows * layer.output().pixels()];
        (activated(self.graph, &output, activation), Observed::new(marks, 1))
    }

    fn expected_convolution(
        &mut self,
        _: Vec<f32>,
        _: &Observed<'_>,
        (mixture, _): (Mixture<Symbol>, MixtureSize),
        _: &Arc<Convolution>,
        _: usize,
    ) -> Symbol {
        self.refuse("the expected activation of MisConv", mixture.scores)
    }

    fn batch_norm(&mut self, images: Symbol, first: usize) -> Symbol {
        let lines = running_lines(self.parameters, first);
        let channels = lines.len();
        let planes = self.graph.shaped(&images, &[0, channels as i64, -1]);
        let [factor, shift] = [0, 1].map(|place| {
            let values: Vec<f32> = lines.iter().map(|line| line[place]).collect();
            self.graph.singles(&[1, channels, 1], &values)
        });
        let scaled = self.graph.times(&planes, &factor);
        let shifted = self.graph.add(&scaled, &shift);
        self.graph.shaped(&shifted, &[0, -1])
    }

    fn pool(&mut self, images: Symbol, shape: Shape, kind: Pool) -> Symbol {
        let (tall, wide) = kind.sides(shape);
        let settings = || {
            let sides = vec![tall as i64, wide as i64];
            vec![Attribute::integers("kernel_shape", sides.clone()), Attribute::integers("strides", sides)]
        };
        let pooled = self.images(&images, shape);
        let operation = if kind.largest() { "MaxPool" } else { "AveragePool" };
        let pooled = self.graph.op_with(operation, &[&pooled], settings());
        if let Some((known, channels)) = self.known.take() {
            // Known if one of them is.
            let known = self.graph.op_with("MaxPool", &[&known], settings());
            self.known.replace(Some((known, channels)));
        }
        self.flat(&pooled, kind.output(shape))
    }

    fn activate(&mut self, input: Symbol, activation: Activation) -> Symbol {
        activated(self.graph, &input, activation)
    }

    fn scale_shift(&mut self, input: Symbol, factor: f32, shift: f32) -> Symbol {
        let (factor, shift) = (self.graph.single(factor), self.graph.single(shift));
        let scaled = self.graph.times(&input, &factor);
        self.graph.add(&scaled, &shift)
    }

    fn columns(&mut self, input: Symbol, columns: Range<usize>) -> Symbol {
        self.graph.columns_of_last(&input, columns)
    }

    fn active(&self, value: &Symbol) -> Vec<bool> {
        self.active.replace(Some(value.clone()));
        Vec::new()
    }

    fn normalize_hidden(&mut self, hidden: Symbol, k: f32) -> Symbol {
        let nothing = self.graph.single(0.0);
        let zero = self.graph.op("Equal", &[&hidden, &nothing]);
        let active = self.graph.op("Not", &[&zero]);
        let active = self.graph.cast(&active, Kind::Single);
        let (count, one, k) = (self.graph.sum(&active, 1), self.graph.single(1.0), self.graph.single(k));
        let count = self.graph.op("Max", &[&count, &one]);
        let factor = self.graph.divide(&k, &count);
        self.graph.times(&hidden, &factor)
    }
}
