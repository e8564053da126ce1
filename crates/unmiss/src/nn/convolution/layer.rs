//! A convolution, or a transposed one, on plain numbers: there and back.

use super::direct::{self, Sums, Wanted};
use super::pack::Behind;
use super::plan::{Plan, Shape, Window};
use super::scratch::Spare;
use super::winograd;
use crate::error::{Error, Result};
use crate::nn::Parameters;

/// A convolution, or a transposed one, of images of one shape.
#[derive(Debug)]
pub struct Convolution {
    pub(super) plan: Plan,
    spare: Spare,
    pub(super) transposed: bool,
}

/// What the gradient of a result makes of the layer's inputs; empty where it was not asked for.
#[derive(Debug, Default)]
pub(in crate::nn) struct Gradients {
    pub input: Vec<f32>,
    pub weights: Vec<f32>,
    pub bias: Vec<f32>,
}

/// What to do with every finished image, while it is at hand: its number and its numbers.
type Done<'a> = &'a (dyn Fn(usize, &[f32]) + Sync);

impl Convolution {
    /// From images of a shape to so many channels.
    ///
    /// # Errors
    /// When the window does not fit.
    pub fn new(input: Shape, channels: usize, window: Window) -> Result<Self> {
        Ok(Self { plan: Plan::new(input, channels, window)?, spare: Spare::default(), transposed: false })
    }

    /// The transposed convolution: every pixel paints its window, `stride` apart, and `surplus` rows and columns more
    /// are given, so that `(height - 1) stride - 2 padding + kernel + surplus` rows come out.
    ///
    /// # Errors
    /// When the window does not fit.
    pub fn transposed(input: Shape, channels: usize, window: Window, surplus: usize) -> Result<Self> {
        let side = |length: usize| {
            let whole = (length.max(1) - 1) * window.stride + window.kernel + surplus;
            whole.saturating_sub(2 * window.padding)
        };
        let output = Shape::new(channels, side(input.height), side(input.width));
        let plan = Plan::new(output, input.channels, window)?;
        if plan.output != input {
            let problem =
                format!("{surplus} rows more than the window paints are not told apart by its stride");
            return Err(Error::setting("surplus", problem).with_hint("take fewer than the stride"));
        }
        Ok(Self { plan, spare: Spare::default(), transposed: true })
    }

    /// The shape of an image that goes in.
    pub fn input(&self) -> Shape {
        if self.transposed { self.plan.output } else { self.plan.input }
    }

    /// The shape of an image that comes out.
    pub fn output(&self) -> Shape {
        if self.transposed { self.plan.input } else { self.plan.output }
    }

    /// Whether every pixel paints its window, instead of summing over it.
    pub fn is_transposed(&self) -> bool {
        self.transposed
    }

    /// The window.
    pub fn window(&self) -> Window {
        self.plan.window
    }

    /// Numbers in a window: what one result is a sum of.
    pub fn window_numbers(&self) -> usize {
        self.window().kernel.pow(2) * self.input().channels
    }

    /// The shape of the weights: `[out, in, kernel, kernel]`, or transposed `[in, out, kernel, kernel]`.
    pub fn weight_shape(&self) -> [usize; 4] {
        let kernel = self.window().kernel;
        [self.plan.output.channels, self.plan.input.channels, kernel, kernel]
    }

    /// Adds `name/weight`, drawn, and after it `name/bias`, `[1, out]`, zero. Gives the index of the weight.
    pub fn add_parameters(
        &self,
        parameters: &mut Parameters,
        name: &str,
        draw: impl FnMut() -> f32,
    ) -> usize {
        let weight = parameters.add(format!("{name}/weight"), self.weight_shape(), draw);
        parameters.add(format!("{name}/bias"), [1, self.output().channels], || 0.0);
        weight
    }

    /// The images of a batch through the layer, maybe through ReLU: `output` becomes `[rows, output numbers]`. What it
    /// gives for an image has the same bits whatever other images are there.
    pub fn infer(
        &self,
        input: &[f32],
        weights: &[f32],
        bias: Option<&[f32]>,
        relu: bool,
        output: &mut Vec<f32>,
    ) {
        self.apply((input, weights, bias), relu, output, &|_, _| {});
    }

    /// The same, showing every finished image to `done`.
    pub(in crate::nn) fn apply(
        &self,
        (input, weights, bias): (&[f32], &[f32], Option<&[f32]>),
        relu: bool,
        output: &mut Vec<f32>,
        done: Done<'_>,
    ) {
        let images = self.images(input);
        assert_eq!(weights.len(), self.plan.weights(), "the weights of {:?}", self.weight_shape());
        assert!(bias.is_none_or(|bias| bias.len() == self.output().channels), "one bias for each channel");
        output.resize(images * self.output().numbers(), 0.0);
        let (plan, spare) = (&self.plan, &self.spare);
        if self.transposed {
            let wanted = Wanted { input: Some(output), start: bias, weights: false };
            self.backward((&[], weights, input), None, wanted);
            if relu {
                output.iter_mut().for_each(|value| *value = if *value < 0.0 { 0.0 } else { *value });
            }
            output
                .chunks_exact(self.output().numbers())
                .enumerate()
                .for_each(|(number, image)| done(number, image));
        } else if plan.winograd {
            winograd::forward(plan, spare, (input, weights, bias), relu, output, done);
        } else {
            direct::forward(plan, spare, (input, weights, bias), relu, output, done);
        }
    }

    /// The gradients of input (if wanted), weights and bias (if wanted) from that of the result.
    pub(in crate::nn) fn gradients(
        &self,
        (input, weights, gradient): (&[f32], &[f32], &[f32]),
        behind: Option<Behind<'_>>,
        (of_input, of_weights): (bool, bool),
    ) -> Gradients {
        let images = self.images(input);
        assert_eq!(gradient.len(), images * self.output().numbers(), "a gradient for each result");
        if !self.transposed {
            let mut found = vec![0.0; if of_input { input.len() } else { 0 }];
            let part = of_input.then_some(found.as_mut_slice());
            let wanted = Wanted { input: part, start: None, weights: of_weights };
            let Sums { weights, bias } = self.backward((input, weights, gradient), behind, wanted);
            return Gradients { input: found, weights, bias };
        }
        let mut found = Gradients::default();
        let changed = behind.map(|behind| self.changed(gradient, behind));
        let gradient = changed.as_deref().unwrap_or(gradient);
        if of_input {
            found.input = vec![0.0; input.len()];
            let (plan, pass) = (&self.plan, (gradient, weights, None));
            match plan.winograd {
                true => winograd::forward(plan, &self.spare, pass, false, &mut found.input, &|_, _| {}),
                false => direct::forward(plan, &self.spare, pass, false, &mut found.input, &|_, _| {}),
            }
        }
        if of_weights {
            let wanted = Wanted { weights: true, ..Wanted::default() };
            found.weights = self.backward((gradient, weights, input), None, wanted).weights;
            found.bias = channel_sums(gradient, self.output());
        }
        found
    }

    fn backward(
        &self,
        arrays: (&[f32], &[f32], &[f32]),
        behind: Option<Behind<'_>>,
        wanted: Wanted<'_>,
    ) -> Sums {
        match self.plan.winograd {
            true => winograd::backward(&self.plan, &self.spare, arrays, behind, wanted),
            false => direct::backward(&self.plan, &self.spare, arrays, behind, wanted),
        }
    }

    /// The gradient as it arrives before what lies behind the layer.
    fn changed(&self, gradient: &[f32], behind: Behind<'_>) -> Vec<f32> {
        let (pixels, numbers) = (self.output().pixels(), self.output().numbers());
        let value = |(at, value): (usize, &f32)| behind.change(*value, at, at % numbers / pixels);
        gradient.iter().enumerate().map(value).collect()
    }

    fn images(&self, input: &[f32]) -> usize {
        let numbers = self.input().numbers();
        assert_eq!(input.len() % numbers, 0, "images of {:?}", self.input());
        input.len() / numbers
    }
}

/// The sum of each channel over all images, plane by plane and image by image.
pub(in crate::nn) fn channel_sums(images: &[f32], shape: Shape) -> Vec<f32> {
    let mut sums = vec![0.0; shape.channels];
    for image in images.chunks_exact(shape.numbers()) {
        let planes = image.chunks_exact(shape.pixels());
        sums.iter_mut().zip(planes).for_each(|(sum, plane)| *sum += plane_sum(plane));
    }
    sums
}

vectorised! {
    /// The sum of a plane, in 16 running sums: one alone would wait for itself.
    fn plane_sum(plane: &[f32]) -> f32 {
        let (whole, rest) = plane.as_chunks::<16>();
        let mut sums = [0.0_f32; 16];
        for sixteen in whole {
            for lane in 0..16 {
                sums[lane] += sixteen[lane];
            }
        }
        sums.iter().sum::<f32>() + rest.iter().sum::<f32>()
    }
}
