//! A network of dense weights in training: Burn's tensors for the gradients, an optimiser for the step.

use super::course::{Loss, Stride, Trainee};
use super::{Learner, TrainSettings};
use crate::nn::optimizer::{Step, square_norm};
use crate::nn::parameters::{Parameter, Parameters};
use crate::rng::{hash, mix};
use crate::store::Named;

pub(super) struct Dense<'a> {
    learner: &'a dyn Learner,
    settings: &'a TrainSettings,
    pub parameters: Parameters,
    /// The optimiser's memory: for each parameter its slices.
    memory: Vec<Vec<Vec<f32>>>,
    /// The best weights so far; at first those that training began with.
    best: Parameters,
}

impl<'a> Dense<'a> {
    pub fn new(learner: &'a dyn Learner, parameters: Parameters, settings: &'a TrainSettings) -> Self {
        let (memory, best) = (Vec::new(), parameters.clone());
        let mut dense = Self { learner, settings, parameters, memory, best };
        dense.forget();
        dense
    }

    /// Empties the optimiser's memory.
    fn forget(&mut self) {
        // What is only carried along needs none.
        let fresh = |own: &Parameter| match own.learned {
            true => self.settings.optimizer.state(own.values.len()),
            false => Vec::new(),
        };
        self.memory = self.parameters.iter().map(fresh).collect();
    }

    fn update(&mut self, gradients: &[Option<Vec<f32>>], scale: f32, stride: &Stride<'_>) {
        let memory = self.memory.iter_mut();
        for ((parameter, gradient), memory) in self.parameters.iter_mut().zip(gradients).zip(memory) {
            let Some(gradient) = gradient else { continue };
            let step = Step {
                number: stride.number,
                rate: stride.rate as f32 * parameter.rate,
                decay: if parameter.decay { stride.decay as f32 } else { 0.0 },
                scale,
            };
            self.settings.optimizer.update(step, &mut parameter.values, gradient, memory);
        }
    }
}

impl Trainee for Dense<'_> {
    fn rows(&self) -> usize {
        self.learner.rows()
    }

    /// A full batch needs no order.
    fn shuffled(&self, batches: usize) -> bool {
        batches > 1
    }

    /// Forward, backward, update. The weights are lent to Burn and come back without a copy.
    fn step(&mut self, stride: &Stride<'_>) -> Option<Loss> {
        let lent = self.parameters.lend();
        let loss = self.learner.loss(&lent, stride.rows, &stride.moment);
        let value = loss.clone().into_scalar::<f32>();
        let gradients = value.is_finite().then(|| lent.gradients(loss));
        self.parameters.take_back(lent);
        let gradients = gradients?;
        let mut scale = 1.0;
        if let Some(clip) = self.settings.clip {
            let norm = square_norm(gradients.iter().flatten().map(Vec::as_slice)).sqrt();
            if !norm.is_finite() {
                return None;
            }
            // The small number keeps the norm just below the limit, as is customary.
            scale = (clip / (norm + 1e-6)).min(1.0);
        }
        self.update(&gradients, scale as f32, stride);
        let count = stride.rows.len();
        Some(Loss { sum: f64::from(value) * count as f64, count })
    }

    /// The first weights are a candidate too: a network that starts from a good guess may keep it.
    fn first_score(&self) -> Option<f64> {
        self.validate()
    }

    fn validate(&self) -> Option<f64> {
        self.learner.validate(&self.parameters)
    }

    fn finite(&self) -> bool {
        self.parameters.finite()
    }

    fn keep(&mut self, _: bool) {
        self.best.clone_from(&self.parameters);
    }

    fn retreat(&mut self) -> bool {
        self.parameters.clone_from(&self.best);
        self.forget();
        true
    }

    fn settle(&mut self) -> bool {
        self.parameters = std::mem::take(&mut self.best);
        true
    }

    fn fingerprint(&self) -> u64 {
        let own = |Parameter { name, shape, learned, rate, decay, .. }: &Parameter| {
            hash(&format!("{name} {shape:?} {learned} {rate} {decay}"))
        };
        mix(self.parameters.iter().map(own).chain([self.learner.fingerprint()]))
    }

    fn slices(&mut self) -> Vec<Named<'_>> {
        let mut slices = Vec::new();
        for (prefix, parameters) in [("now", &mut self.parameters), ("best", &mut self.best)] {
            let all = parameters.iter_mut();
            slices.extend(all.map(|own| (format!("{prefix}/{}", own.name), own.values.as_mut_slice())));
        }
        for (index, memory) in self.memory.iter_mut().enumerate() {
            let all = memory.iter_mut().enumerate();
            slices.extend(all.map(|(number, own)| (format!("memory/{index}/{number}"), own.as_mut_slice())));
        }
        slices
    }
}
