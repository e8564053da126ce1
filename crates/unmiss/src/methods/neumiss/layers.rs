//! The network: the block, and behind it a perceptron, a straight way to the answer, or both.
//!
//! ```text
//! z      = block(x, observed)                      [B, d]
//! input  = z, category tokens, indicators of holes [B, H]
//! answer = input A + perceptron(input)             [B, O]
//! ```

use std::sync::Arc;

use super::settings::{FormName, Settings};
use super::start::{Head, Start};
use crate::encode::{Encoded, Encoder, Task, Wide};
use crate::error::Result;
use crate::methods::supervised::Scorer;
use crate::nn::engine::Inputs as Written;
use crate::nn::front::{FRONT_PARAMETERS, Front};
use crate::nn::neumann::{Block, Form, NEUMANN_PARAMETERS, Neumann};
use crate::nn::{Activation, Cells, Engine, Parameters};
use crate::onnx::{Graph, Kind, WrittenRows};
use crate::rng::Stream;
use crate::store::Arrays;

/// The layout: everything but the weights.
pub struct Network {
    block: Arc<Block>,
    /// What makes the block's columns from a row, if categories are among them.
    wide: Option<Wide>,
    /// What makes tokens from the categories that go past the block.
    front: Option<Arc<Front>>,
    /// The columns (numbers, then categories) that had holes, where the layers are told of them.
    told: Vec<usize>,
    settings: Settings,
    outputs: usize,
}

impl Network {
    /// The layout for an encoder's columns, a task and settings.
    pub fn new(encoder: &Encoder, task: Task, settings: &Settings) -> Self {
        let wide = Wide::new(encoder);
        let indicated = settings.categories.indicated(wide.columns());
        let (columns, past) = match indicated || encoder.categories.is_empty() {
            true => (wide.columns(), false),
            false => (encoder.numbers.len(), true),
        };
        let codes: Vec<usize> = encoder.categories.iter().map(|feature| feature.codes()).collect();
        let form = match settings.form {
            FormName::Original => Form::Own,
            FormName::Shared => Form::Shared,
            FormName::Steps => Form::Steps,
        };
        let layout = Neumann { columns, depth: settings.depth, form, mixed: form != Form::Shared };
        let holes = encoder.numbers.iter().map(|feature| feature.missing);
        let holes = holes.chain(encoder.categories.iter().map(|feature| feature.missing)).enumerate();
        let told = holes.filter(|(_, holes)| settings.indicators && *holes > 0).map(|(place, _)| place);
        Self {
            block: Arc::new(Block::new(layout)),
            wide: (!past).then_some(wide),
            front: past.then(|| Arc::new(Front::new(0, &codes, None, false))),
            told: told.collect(),
            settings: settings.clone(),
            outputs: task.outputs(),
        }
    }

    /// The block's layout.
    pub fn block(&self) -> Neumann {
        self.block.layout()
    }

    /// Inputs of the layers behind the block.
    fn inputs(&self) -> usize {
        self.block().columns + self.front.as_ref().map_or(0, |front| front.width()) + self.told.len()
    }

    /// Whether there is a straight way beside the perceptron.
    fn direct(&self) -> bool {
        self.settings.direct && !self.settings.hidden.is_empty()
    }

    /// Index of the straight way's matrix, and of the first dense layer.
    fn places(&self) -> (usize, usize) {
        let direct = NEUMANN_PARAMETERS + self.front.as_ref().map_or(0, |_| FRONT_PARAMETERS);
        (direct, direct + usize::from(self.direct()))
    }

    /// Widths of the dense layers, from the inputs to the outputs.
    fn widths(&self) -> Vec<usize> {
        let ends = (self.inputs(), self.outputs);
        [ends.0].into_iter().chain(self.settings.hidden.iter().copied()).chain([ends.1]).collect()
    }

    /// Compares the layers with those of a file, before memory for them is taken.
    ///
    /// # Errors
    /// When the file has other layers.
    pub fn check(&self, arrays: &Arrays) -> Result<()> {
        let Neumann { columns, depth, form, .. } = self.block();
        let matrices = if form == Form::Own { depth } else { depth.min(1) };
        arrays.singles("block/matrices", &[matrices * columns, columns])?;
        for (layer, pair) in self.widths().windows(2).enumerate() {
            arrays.singles(&format!("layer {layer}/weight"), pair)?;
        }
        Ok(())
    }

    /// The first weights.
    pub fn parameters(&self, start: &Start, seed: u64) -> Parameters {
        let mut parameters = Parameters::new();
        let mut stream = Stream::new(seed, "neumiss weights", 0, 0);
        let added = self.settings.residual || self.block().form != Form::Own;
        let first = start.block(self.block(), &self.settings, &mut stream);
        self.block.add_parameters(&mut parameters, first, self.settings.accelerated && added);
        if let Some(front) = &self.front {
            front.add_parameters(&mut parameters, &mut stream);
        }
        let head = start.head(self.block());
        let (inputs, outputs) = (self.inputs(), self.outputs);
        // What the start knows of the answer stands in the straight way; all other ways begin at 0.
        let straight = |parameters: &mut Parameters, index: usize, Head { weights, bias }: Head| {
            parameters[index].values[..weights.len()].copy_from_slice(&weights);
            bias
        };
        let mut bias = vec![0.0; outputs];
        if self.direct() {
            let index = parameters.add("direct/weight", [inputs, outputs], || 0.0);
            bias = head.clone().map_or(bias, |head| straight(&mut parameters, index, head));
        }
        let widths = self.widths();
        for (layer, pair) in widths.windows(2).enumerate() {
            let last = layer + 2 == widths.len();
            // Glorot's uniform rule, with √2 for what a ReLU loses.
            let gain = if last { 1.0 } else { 2.0 };
            let bound = (gain * 6.0 / (pair[0] + pair[1]).max(1) as f64).sqrt();
            let mut draw = || ((2.0 * stream.uniform() - 1.0) * bound) as f32;
            let zero = last && (self.direct() || head.is_some());
            let index = parameters
                .add_dense(&format!("layer {layer}"), pair[0], pair[1], || if zero { 0.0 } else { draw() });
            if last {
                if let (false, Some(head)) = (self.direct(), head.clone().filter(|_| layer == 0)) {
                    bias = straight(&mut parameters, index, head);
                }
                parameters[index + 1].values.copy_from_slice(&bias);
            }
        }
        parameters
    }

    /// Scores `[B, O]` of some rows.
    pub fn forward<E: Engine>(&self, engine: &mut E, rows: &Inputs, chosen: &[usize]) -> E::Value {
        let (direct, first) = self.places();
        let mut input = engine.neumann(&self.block, rows.numbers(chosen), 0); // [B, d]
        if let Some(front) = &self.front {
            let tokens = engine.front(front, rows.codes(chosen), NEUMANN_PARAMETERS);
            input = engine.beside(input, tokens);
        }
        if !self.told.is_empty() {
            let told = engine.input(rows.told(chosen), chosen.len());
            input = engine.beside(input, told); // [B, H]
        }
        let layers = self.settings.hidden.len();
        let straight = self.direct().then(|| engine.linear(input.clone(), direct));
        let mut hidden = input;
        for layer in 0..=layers {
            let activation = if layer == layers { Activation::Identity } else { Activation::Relu };
            hidden = engine.dense(hidden, first + 2 * layer, activation);
        }
        match straight {
            Some(straight) => engine.add(hidden, straight),
            None => hidden, // [B, O]
        }
    }

    /// What stands for its inputs in a graph.
    pub fn write_inputs(&self, graph: &mut Graph, rows: &WrittenRows) -> Written {
        let block = match &self.wide {
            Some(wide) => Some(wide.write(graph, rows)),
            None => rows.numbers.clone(),
        };
        let mut inputs = Written { block, cells: Some(rows.clone()), ..Written::default() };
        if !self.told.is_empty() {
            let marks = rows.observed(graph);
            let marks = graph.columns(&marks, self.told.iter().copied());
            let missing = graph.op("Not", &[&marks]);
            inputs.plain.push_back(graph.cast(&missing, Kind::Single));
        }
        inputs
    }

    /// Rows as the network takes them.
    pub fn prepare(&self, rows: &Encoded) -> Inputs {
        let (numbers, codes) = rows.widths();
        let (values, observed) = match &self.wide {
            Some(wide) => {
                let wide = wide.widen(rows);
                (wide.values, wide.observed)
            }
            None => (rows.numbers.clone(), rows.numbers_observed.clone()),
        };
        let known = |row: usize, place: usize| match place.checked_sub(numbers) {
            None => rows.numbers_observed[row * numbers + place],
            Some(place) => rows.codes_observed[row * codes + place],
        };
        let told = (0..rows.rows).flat_map(|row| self.told.iter().map(move |place| (row, *place)));
        Inputs {
            columns: self.block().columns,
            told: told.map(|(row, place)| f32::from(u8::from(!known(row, place)))).collect(),
            told_columns: self.told.len(),
            categories: if self.front.is_some() { codes } else { 0 },
            codes: rows.codes.clone(),
            codes_observed: rows.codes_observed.clone(),
            values,
            observed,
        }
    }
}

/// Rows as the network takes them.
pub struct Inputs {
    /// Columns of the block, `[rows, columns]`.
    pub columns: usize,
    pub values: Vec<f32>,
    pub observed: Vec<bool>,
    /// Indicators of holes, `[rows, told columns]`.
    told: Vec<f32>,
    told_columns: usize,
    /// Codes of the categories that go past the block, `[rows, categories]`.
    categories: usize,
    codes: Vec<u32>,
    codes_observed: Vec<bool>,
}

fn gathered<T: Copy>(all: &[T], width: usize, rows: &[usize]) -> Vec<T> {
    let mut some = Vec::with_capacity(rows.len() * width);
    rows.iter().for_each(|row| some.extend_from_slice(&all[row * width..(row + 1) * width]));
    some
}

impl Inputs {
    fn numbers(&self, rows: &[usize]) -> Cells<'static> {
        Cells {
            rows: rows.len(),
            numbers: gathered(&self.values, self.columns, rows).into(),
            numbers_observed: gathered(&self.observed, self.columns, rows).into(),
            codes: Vec::new().into(),
            codes_observed: Vec::new().into(),
        }
    }

    fn codes(&self, rows: &[usize]) -> Cells<'static> {
        Cells {
            rows: rows.len(),
            numbers: Vec::new().into(),
            numbers_observed: Vec::new().into(),
            codes: gathered(&self.codes, self.categories, rows).into(),
            codes_observed: gathered(&self.codes_observed, self.categories, rows).into(),
        }
    }

    fn told(&self, rows: &[usize]) -> Vec<f32> {
        gathered(&self.told, self.told_columns, rows)
    }
}

/// The network and the training rows.
pub struct Held<'a> {
    /// The layout.
    pub network: &'a Network,
    /// The rows.
    pub rows: &'a Inputs,
    /// A number that changes with the rows.
    pub fingerprint: u64,
}

impl Scorer for Held<'_> {
    fn forward<E: Engine>(&self, engine: &mut E, rows: &[usize]) -> E::Value {
        self.network.forward(engine, self.rows, rows)
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}
