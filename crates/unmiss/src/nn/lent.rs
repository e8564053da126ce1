//! Weights lent to Burn: tensors of any rank on the tape, for the length of a step.
//!
//! A tensor's rank is part of its type, a parameter's is not: [`Lent::tensor`] says which rank is meant.

use std::cell::RefCell;

use burn::Tensor;
use burn::backend::TensorMetadata;
use burn::backend::flex::FlexTensor;
use burn::tensor::TensorData;

use crate::nn::tape::{Primitive, flex_values, from_taped, taped};

/// The weights of a network as tensors, in their order.
pub struct Lent {
    tensors: Vec<Primitive>,
    /// New numbers for what is carried and not learned.
    carried: RefCell<Vec<(usize, Vec<f32>)>>,
}

impl Lent {
    /// From numbers, shapes and whether gradients are wanted.
    pub(super) fn new<'a>(arrays: impl Iterator<Item = (Vec<f32>, &'a [usize], bool)>) -> Self {
        let tensors = arrays.map(|(values, shape, learned)| {
            let tensor = Primitive::new(FlexTensor::from_data(TensorData::new(values, shape)));
            if learned { tensor.require_grad() } else { tensor }
        });
        Self { tensors: tensors.collect(), carried: RefCell::default() }
    }

    /// The parameter with this index.
    pub fn tensor<const D: usize>(&self, index: usize) -> Tensor<D> {
        let tensor = &self.tensors[index];
        assert_eq!(tensor.rank(), D, "parameter {index} has {} axes", tensor.rank());
        from_taped(tensor.clone())
    }

    /// New numbers for a parameter that is carried and not learned, as of the next step.
    pub fn carry(&self, index: usize, values: Vec<f32>) {
        let tensor = &self.tensors[index];
        assert!(!tensor.is_tracked(), "parameter {index} is learned");
        assert_eq!(values.len(), tensor.shape().num_elements(), "as many numbers as parameter {index} has");
        self.carried.borrow_mut().push((index, values));
    }

    /// The gradient of a loss for each parameter; `None` where it does not depend on it.
    pub(crate) fn gradients(&self, loss: Tensor<1>) -> Vec<Option<Vec<f32>>> {
        if !loss.is_tracked() {
            return vec![None; self.tensors.len()];
        }
        let mut found = taped(loss).backward();
        self.tensors.iter().map(|tensor| tensor.grad_remove(&mut found).map(flex_values)).collect()
    }

    /// The numbers, without a copy where nobody else holds them.
    pub(super) fn into_values(self) -> Vec<Vec<f32>> {
        let mut all: Vec<Vec<f32>> =
            self.tensors.into_iter().map(|tensor| flex_values(tensor.into_primitive())).collect();
        for (index, values) in self.carried.into_inner() {
            all[index] = values;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::nn::Parameters;
    use crate::nn::product::tests::random;
    use crate::nn::tape::{into_values, training_device};
    use crate::nn::train::{Learner, Moment, TrainSettings, train};
    use crate::run::Run;

    const ROWS: usize = 10;

    /// `Σ kernels ⊙ (x - running mean)` should be 1; the mean of batches of 2 x 2 planes is carried along.
    struct Planes<'a> {
        inputs: Vec<f32>,
        /// The step at which somebody stops the run.
        stop: Option<(u64, &'a Run)>,
    }

    impl Planes<'_> {
        fn parameters() -> Parameters {
            let mut parameters = Parameters::new();
            parameters.add("kernels", [1, 1, 2, 2], || 0.1);
            parameters.add_carried("running mean", [1], 0.0);
            parameters
        }
    }

    impl Learner for Planes<'_> {
        fn rows(&self) -> usize {
            ROWS
        }
        fn loss(&self, parameters: &Lent, rows: &[usize], moment: &Moment) -> Tensor<1> {
            if let Some((_, run)) = self.stop.filter(|(step, _)| *step == moment.step) {
                run.stop_switch().store(true, Ordering::Relaxed);
            }
            let cells: Vec<f32> = rows.iter().flat_map(|row| self.inputs[4 * row..][..4].to_vec()).collect();
            let mean = cells.iter().sum::<f32>() / cells.len() as f32;
            let running = into_values(parameters.tensor::<1>(1))[0];
            parameters.carry(1, vec![0.9 * running + 0.1 * mean]);
            let planes = TensorData::new(cells, [rows.len(), 1, 2, 2]);
            let planes = Tensor::<4>::from_data(planes, &training_device());
            let said = (planes - parameters.tensor::<1>(1).unsqueeze()) * parameters.tensor::<4>(0);
            let said = said.reshape([rows.len(), 4]).sum_dim(1) - 1.0;
            (said.clone() * said).mean()
        }
        fn validate(&self, _: &Parameters) -> Option<f64> {
            None
        }
    }

    #[test]
    fn kernels_learn_and_what_is_carried_is_neither_moved_nor_decayed_nor_lost() {
        let settings = TrainSettings { epochs: 4, batch: 4, weight_decay: 0.5, ..TrainSettings::default() };
        let planes = Planes { inputs: random(4 * ROWS, "planes"), stop: None };
        let run = || Run::new(3, 1).unwrap();
        let whole = train(&planes, Planes::parameters(), &settings, &run()).unwrap().parameters;
        assert_ne!(whole[0].values, Planes::parameters()[0].values);
        // One batch an epoch: the running mean is that of the inputs, as often as there were epochs.
        let one = TrainSettings { batch: 0, ..settings.clone() };
        let found = train(&planes, Planes::parameters(), &one, &run()).unwrap().parameters;
        let mean = planes.inputs.iter().sum::<f32>() / (4 * ROWS) as f32;
        assert!((found[1].values[0] - mean * (1.0 - 0.9_f32.powi(4))).abs() < 1e-6);
        let folder = tempfile::tempdir().unwrap();
        let stopped = run().checkpoints_in(folder.path());
        let planes = Planes { stop: Some((5, &stopped)), ..planes };
        let half = train(&planes, Planes::parameters(), &settings, &stopped).unwrap().parameters;
        assert_ne!(half, whole);
        let planes = Planes { stop: None, ..planes };
        let resumed = run().checkpoints_in(folder.path());
        assert_eq!(train(&planes, Planes::parameters(), &settings, &resumed).unwrap().parameters, whole);
    }
}
