//! The network, over D variables:
//!
//! ```text
//! l_t [D]    the straight line between the known values before and after, or the nearest, or 0
//! x_t        [l_t, known now, ln(1 + time since known), ln(1 + time until known)]
//! f_t, b_t   states of a recurrent layer from the beginning and of one from the end
//! answer     l_t + [f_t, b_t] V + c
//! ```

use std::sync::Arc;

use super::settings::Settings;
use crate::encode::SeriesBatch;
use crate::nn::recurrent::RECURRENT_PARAMETERS;
use crate::nn::sparsity::Dropout;
use crate::nn::{Activation, Engine, Give, Parameters, Recurrent, Steps};
use crate::rng::Stream;

/// Numbers of a step for each variable.
const PER_VARIABLE: usize = 4;

/// The network, all but its weights.
pub struct Network {
    variables: usize,
    ahead: Arc<Recurrent>,
    back: Arc<Recurrent>,
    dropout: f64,
}

/// What a network sees of some series, rows in the order of `steps`.
pub struct View {
    /// How the rows lie.
    pub steps: Arc<Steps>,
    /// `[rows, 4 D]`
    inputs: Vec<f32>,
    /// `[rows, D]`
    lines: Vec<f32>,
}

impl View {
    /// Of series of which the values with a mark of 1 in `shown`, `[series, T, D]`, are known.
    pub fn new(batch: &SeriesBatch, shown: &[f32]) -> Self {
        let (count, steps) = (batch.variables, Arc::new(Steps::new(batch.lengths.clone())));
        let mut inputs = vec![0.0; steps.rows() * PER_VARIABLE * count];
        let mut lines = vec![0.0; steps.rows() * count];
        for series in 0..steps.series() {
            let length = steps.length(series);
            let times = &batch.times[series * batch.steps..][..length];
            for variable in 0..count {
                let cell = |step: usize| (series * batch.steps + step) * count + variable;
                let known = |step: &usize| shown[cell(*step)] > 0.0;
                let (mut last, mut next) = (None, (0..length).find(known));
                for step in 0..length {
                    if next == Some(step) {
                        last = next;
                    }
                    if next.is_some_and(|next| next <= step) {
                        next = (step + 1..length).find(known);
                    }
                    let value = |step: usize| batch.values[cell(step)];
                    // Without a value on a side it is as if the series began, or ended, with one.
                    let since = times[step] - times[last.unwrap_or(0)];
                    let until = times[next.unwrap_or(length - 1)] - times[step];
                    let line = match (last, next) {
                        (Some(last), _) if last == step => value(last),
                        (Some(last), Some(next)) if since + until > 0.0 => {
                            value(last) + (value(next) - value(last)) * since / (since + until)
                        }
                        (Some(one), _) | (None, Some(one)) => value(one),
                        (None, None) => 0.0,
                    };
                    let now = last == Some(step);
                    let row = steps.row(series, step);
                    lines[row * count + variable] = line;
                    let parts = [line, f32::from(u8::from(now)), since.ln_1p(), until.ln_1p()];
                    for (part, number) in parts.into_iter().enumerate() {
                        inputs[(row * PER_VARIABLE + part) * count + variable] = number;
                    }
                }
            }
        }
        Self { steps, inputs, lines }
    }
}

impl Network {
    /// For so many variables.
    pub fn new(settings: &Settings, variables: usize) -> Self {
        let layer = || Recurrent::new(settings.cell, PER_VARIABLE * variables, settings.units);
        let (ahead, back) = (Arc::new(layer()), Arc::new(layer().reversed()));
        Self { variables, ahead, back, dropout: settings.dropout }
    }

    /// First weights: uniform within 1 / √units, and an answer of nothing, so that the line is where learning starts.
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut stream = Stream::new(seed, "weights", 0, 0);
        let units = self.ahead.units();
        let bound = 1.0 / (units as f64).sqrt();
        let mut draw = || (bound * (2.0 * stream.uniform() - 1.0)) as f32;
        let mut parameters = Parameters::new();
        self.ahead.add_parameters(&mut parameters, "ahead", &mut draw);
        self.back.add_parameters(&mut parameters, "back", &mut draw);
        parameters.add_dense("answer", 2 * units, self.variables, || 0.0);
        parameters
    }

    /// A guess for every variable at every step: `[rows, D]`.
    pub fn forward<E: Engine>(&self, engine: &mut E, view: View) -> E::Value {
        let View { steps, inputs, lines } = view;
        if steps.rows() == 0 {
            return engine.input(Vec::new(), 0);
        }
        let input = engine.input(inputs, steps.rows());
        let ahead = engine.recurrent(input.clone(), None, &self.ahead, &steps, 0, Give::Every);
        let back = engine.recurrent(input, None, &self.back, &steps, RECURRENT_PARAMETERS, Give::Every);
        let states = engine.beside(ahead, back);
        let states = engine.dropout(states, self.dropout, Dropout::Average, ("dropout", 0));
        let correction = engine.dense(states, 2 * RECURRENT_PARAMETERS, Activation::Identity);
        let lines = engine.input(lines, steps.rows());
        engine.add(correction, lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Encoded;
    use crate::nn::engine::tests::assert_agree;

    fn batch() -> SeriesBatch {
        let values = vec![1.0, 9.0, 7.0, 9.0, 5.0, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        SeriesBatch {
            lengths: vec![3, 2],
            steps: 3,
            variables: 2,
            values,
            observed: vec![1.0; 12],
            times: vec![0.0, 1.0, 4.0, 0.0, 1.0, 0.0],
            since: vec![0.0; 12],
            statics: Encoded { rows: 2, ..Encoded::default() },
        }
    }

    /// Variable 0 of the first series is known at its ends, variable 1 in the middle; nothing of the second series is.
    const SHOWN: [f32; 12] = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

    #[test]
    fn learning_starts_from_the_line_and_hidden_values_are_not_read() {
        let network = Network::new(&Settings { units: 3, ..Settings::default() }, 2);
        let mut batch = batch();
        let guess = |batch: &SeriesBatch| {
            let parameters = network.parameters(1);
            let view = View::new(batch, &SHOWN);
            network.forward(&mut crate::nn::Plain::new(&parameters), view).into_values()
        };
        let lines = guess(&batch);
        // Rows: both first steps, both second steps, the third of the first series.
        assert_eq!(lines, [1.0, 9.0, 0.0, 0.0, 2.0, 9.0, 0.0, 0.0, 5.0, 9.0]);
        for (value, shown) in batch.values.iter_mut().zip(SHOWN) {
            *value = if shown > 0.0 { *value } else { f32::NAN };
        }
        assert_eq!(guess(&batch), lines);
    }

    #[test]
    fn training_and_prediction_give_the_same_numbers() {
        let network = Network::new(&Settings { units: 3, dropout: 0.0, ..Settings::default() }, 2);
        let mut parameters = network.parameters(1);
        let mut stream = Stream::new(1, "test", 0, 0);
        parameters
            .iter_mut()
            .flat_map(|own| &mut own.values)
            .for_each(|value| *value = stream.normal() as f32);
        assert_agree!(&parameters, 10, |engine| network.forward(engine, View::new(&batch(), &SHOWN)));
    }
}
