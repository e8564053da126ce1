//! An activation by itself, `y = activation(x)`, where no layer before it has taken it in.

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use rayon::prelude::*;

use crate::nn::activation::{Activation, mish_with_derivative};
use crate::nn::tape::{contiguous, from_taped, plain, taped, values};
use crate::nn::vectorised::PIECE;

/// `activation(input)`, any shape `[rows, columns]`.
pub fn activate(input: Tensor<2>, activation: Activation) -> Tensor<2> {
    if activation == Activation::Identity {
        return input;
    }
    let (input, node) = taped(input).into_parts();
    let mut output = contiguous(input);
    let shape = [output.shape()[0], output.shape()[1]];
    let mut slopes = None;
    if activation.derivative_from_value() {
        apply(activation, output.storage_mut());
    } else {
        let mut found = vec![0.0; shape[0] * shape[1]];
        let pieces = output.storage_mut::<f32>().par_chunks_mut(PIECE).zip(found.par_chunks_mut(PIECE));
        pieces.for_each(|(piece, found)| mish_with_derivative(piece, &ZEROS[..piece.len()], found));
        slopes = Some(plain(found, shape));
    }
    from_taped(match Activate.prepare::<NoCheckpointing>([node]).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => {
            let saved = slopes.unwrap_or_else(|| output.clone());
            prepared.finish((activation, saved), output)
        }
        OpsKind::UnTracked(prepared) => prepared.finish(output),
    })
}

/// No bias.
static ZEROS: [f32; PIECE] = [0.0; PIECE];

/// The activation of numbers, in place.
pub(in crate::nn) fn apply(activation: Activation, values: &mut [f32]) {
    values
        .par_chunks_mut(PIECE)
        .for_each(|piece| activation.add_bias_and_apply(piece, &ZEROS[..piece.len()]));
}

#[derive(Debug)]
struct Activate;

impl Backward<Flex, 1> for Activate {
    type State = (Activation, FlexTensor);

    fn backward(self, ops: Ops<Self::State, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let (activation, saved) = ops.state;
        let mut gradient = contiguous(gradients.consume::<Flex>(&ops.node));
        let [Some(node)] = ops.parents else { return };
        let pieces =
            gradient.storage_mut::<f32>().par_chunks_mut(PIECE).zip(values(&saved).par_chunks(PIECE));
        pieces.for_each(|(gradient, saved)| activation.times_derivative(gradient, saved));
        gradients.register::<Flex>(node.id, gradient);
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::TensorData;

    use super::*;
    use crate::nn::product::tests::random;
    use crate::nn::tape::{into_values, training_device};
    use crate::nn::{Parameters, dense};

    #[test]
    fn it_is_the_dense_layer_with_ones_on_the_diagonal() {
        let shape = [5, 3];
        let start = || {
            let data = TensorData::new(random(15, "activate"), shape);
            Tensor::<2>::from_data(data, &training_device()).require_grad()
        };
        let mut parameters = Parameters::new();
        let mut ones = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0].into_iter();
        parameters.add_dense("identity", 3, 3, || ones.next().unwrap());
        let lent = parameters.tensors();
        for kind in
            [Activation::Identity, Activation::Relu, Activation::Mish, Activation::Sigmoid, Activation::Tanh]
        {
            let of = |layer: &dyn Fn(Tensor<2>) -> Tensor<2>| {
                let input = start();
                let output = layer(input.clone());
                let mut found = (output.clone() * output.clone()).sum().backward();
                (into_values(output), into_values(input.grad_remove(&mut found).unwrap()))
            };
            let (ours, theirs) = (
                of(&|input| activate(input, kind)),
                of(&|input| dense(input, lent.tensor(0), lent.tensor(1), kind)),
            );
            assert_eq!(ours, theirs, "{kind:?}");
        }
    }
}
