//! The network: a recurrent layer over the steps, then a dense layer from the last state and what does not change.
//!
//! ```text
//! x_t [inputs]                the step, see `Inputs`
//! h_t = cell(x_t, h_(t-1))    [units]
//! answer = [h_T, s] V + c     s: what does not change over time
//!
//! decay (GRU-D), with δ the logarithm of a variable's age, m its mark and x' its last value:
//! γ = e^-max(0, w ⊙ δ + b)    the last value fades to the mean: m ⊙ x + (1 - m) ⊙ γ ⊙ x'
//! γ_h = e^-max(0, δ W + b)    [units]: h_(t-1) fades before it is used
//! ```

use std::sync::Arc;

use super::inputs::Inputs;
use super::settings::{Missing, Settings};
use crate::encode::{Design, SeriesBatch};
use crate::nn::recurrent::RECURRENT_PARAMETERS;
use crate::nn::sparsity::Dropout;
use crate::nn::{Activation, Connections, Engine, Give, Parameters, Recurrent, Steps};
use crate::rng::Stream;

/// The network, all but its weights.
pub struct Network {
    pub inputs: Inputs,
    /// How what does not change becomes numbers, if there is any.
    pub statics: Option<Design>,
    layer: Arc<Recurrent>,
    /// Which variable fades by which age: its own.
    own: Connections,
    dropout: f64,
    outputs: usize,
}

impl Network {
    /// For answers of so many numbers.
    pub fn new(settings: &Settings, inputs: Inputs, statics: Option<Design>, outputs: usize) -> Self {
        let layer = Arc::new(Recurrent::new(settings.cell, inputs.width(), settings.units));
        let size = inputs.variables;
        let own = Connections::new(size, size, |input, output| input == output);
        Self { inputs, statics, layer, own, dropout: settings.dropout, outputs }
    }

    /// Where the last layer's weights begin.
    const ANSWER: usize = RECURRENT_PARAMETERS;
    /// Where those of the decays of values and of the state begin.
    const FADING: usize = Self::ANSWER + 2;

    /// First weights: uniform within 1 / √(numbers summed up), a state's within 1 / √units.
    pub fn parameters(&self, seed: u64) -> Parameters {
        let mut stream = Stream::new(seed, "weights", 0, 0);
        let mut within = |inputs: usize| {
            let bound = 1.0 / (inputs.max(1) as f64).sqrt();
            (bound * (2.0 * stream.uniform() - 1.0)) as f32
        };
        let (units, variables) = (self.layer.units(), self.inputs.variables);
        let mut parameters = Parameters::new();
        self.layer.add_parameters(&mut parameters, "state", || within(units));
        let joined = units + self.statics.as_ref().map_or(0, Design::inputs);
        parameters.add_dense("answer", joined, self.outputs, || within(joined));
        if self.inputs.missing == Missing::Decay {
            parameters.add_dense("fading", variables, variables, || within(variables).abs());
            parameters.add_dense("fading state", variables, units, || within(variables).abs());
        }
        parameters
    }

    /// The answers for some series: `[series, outputs]`.
    pub fn forward<E: Engine>(&self, engine: &mut E, batch: &SeriesBatch) -> E::Value {
        let steps = Arc::new(Steps::new(batch.lengths.clone()));
        let shown = self.inputs.rows(batch, &steps);
        let mut input = engine.input(shown, steps.rows());
        let mut decay = None;
        if self.inputs.missing == Missing::Decay && steps.rows() > 0 {
            let count = self.inputs.variables;
            let (ages, lasts) = self.inputs.ages(batch, &steps);
            let ages = engine.input(ages, steps.rows());
            let fading = engine.masked_dense(ages.clone(), Self::FADING, &self.own, None, Activation::Decay);
            let lasts = engine.input(lasts, steps.rows());
            let faded = engine.times(fading, lasts);
            let values = engine.columns(input.clone(), 0..count);
            let marks = engine.columns(input, count..2 * count);
            let values = engine.add(values, faded);
            input = engine.beside(values, marks);
            decay = Some(engine.dense(ages, Self::FADING + 2, Activation::Decay));
        }
        let last = engine.recurrent(input, decay, &self.layer, &steps, 0, Give::Last);
        let mut joined = engine.dropout(last, self.dropout, Dropout::Average, ("dropout", 0));
        if let Some(design) = &self.statics {
            let all: Vec<usize> = (0..batch.statics.rows).collect();
            let statics = engine.input(design.dense(&batch.statics, &all), all.len());
            joined = engine.beside(joined, statics);
        }
        engine.dense(joined, Self::ANSWER, Activation::Identity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Encoded;
    use crate::nn::engine::tests::assert_agree;

    /// Two variables: the first is known at steps 0 and 2 of the first series, the second at its step 1, and at the
    /// only step of the second series. What is not known is no number.
    fn batch() -> SeriesBatch {
        let none = f32::NAN;
        SeriesBatch {
            lengths: vec![3, 1, 0],
            steps: 3,
            variables: 2,
            values: [[1.0, none, none, 4.0, 3.0, none], [none, 5.0, none, none, none, none], [none; 6]]
                .concat(),
            observed: [[1.0, 0.0, 0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0; 6]].concat(),
            times: vec![0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            since: [[0.0, 0.0, 1.0, 1.0, 3.0, 2.0], [0.0; 6], [0.0; 6]].concat(),
            statics: Encoded { rows: 3, ..Encoded::default() },
        }
    }

    fn shown(missing: Missing, k: f32) -> Vec<f32> {
        let batch = batch();
        Inputs { missing, variables: 2, k }.rows(&batch, &Steps::new(batch.lengths.clone()))
    }

    /// Rows: the first steps of both series, then the second and third of the first.
    #[test]
    fn a_missing_value_becomes_what_the_setting_says() {
        assert_eq!(shown(Missing::Zero, 0.0), [1.0, 0.0, 0.0, 5.0, 0.0, 4.0, 3.0, 0.0]);
        assert_eq!(shown(Missing::Mean, 0.0), [1.0, 4.0, 0.0, 5.0, 2.0, 4.0, 3.0, 4.0]);
        assert_eq!(shown(Missing::ForwardFill, 0.0), [1.0, 0.0, 0.0, 5.0, 1.0, 4.0, 3.0, 4.0]);
        assert_eq!(shown(Missing::SnStep, 2.0), [2.0, 0.0, 0.0, 10.0, 0.0, 8.0, 6.0, 0.0]);
        assert_eq!(shown(Missing::SnSeries, 6.0), [2.0, 0.0, 0.0, 30.0, 0.0, 8.0, 6.0, 0.0]);
        assert_eq!(shown(Missing::Decay, 0.0)[12..], [3.0, 0.0, 1.0, 0.0]);
        let mask = shown(Missing::Mask, 0.0);
        assert_eq!(mask[18..22], [3.0, 4.0, 1.0, 0.0]);
        assert_eq!(mask[22..], [3.0_f32.ln_1p(), 2.0_f32.ln_1p()]);
        let inputs = Inputs { missing: Missing::Decay, variables: 2, k: 0.0 };
        let (ages, lasts) = inputs.ages(&batch(), &Steps::new(vec![3, 1, 0]));
        assert_eq!(ages[6..], [3.0_f32.ln_1p(), 2.0_f32.ln_1p()]);
        assert_eq!(lasts, [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 4.0]);
    }

    #[test]
    fn training_and_prediction_give_the_same_numbers() {
        for missing in [Missing::Mask, Missing::SnStep, Missing::Decay] {
            let settings = Settings { units: 3, dropout: 0.0, ..Settings::default() };
            let inputs = Inputs { missing, variables: 2, k: 1.5 };
            let network = Network::new(&settings, inputs, None, 2);
            assert_agree!(&network.parameters(1), 6, |engine| network.forward(engine, &batch()));
        }
    }

    #[test]
    fn series_without_a_step_are_learned_from_too() {
        let inputs = Inputs { missing: Missing::Decay, variables: 2, k: 0.0 };
        let network = Network::new(&Settings::default(), inputs, None, 2);
        let mut empty = batch();
        empty.lengths = vec![0, 0, 0];
        let lent = network.parameters(1).tensors();
        let moment = crate::nn::train::Moment { seed: 1, epoch: 0, step: 0, share: 0.0 };
        let answers = network.forward(&mut crate::nn::Taped::new(&lent, &moment), &empty);
        assert!(lent.gradients(answers.sum())[RECURRENT_PARAMETERS + 1].is_some());
    }
}
