//! Between Burn's tensors and plain memory: what our own operations need to read a tensor and to record
//! themselves on the tape.

use burn::Tensor;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Flex};
use burn::tensor::{Device, TensorData};

/// A tensor on the tape, as Burn's autodiff holds it.
pub(crate) type Primitive = FloatTensor<Autodiff<Flex>>;

/// The device whose tensors remember how they were made, so that gradients can be had.
pub fn training_device() -> Device {
    Device::flex().autodiff()
}

/// The taped form of a tensor; one without a tape becomes a constant.
pub(crate) fn taped<const D: usize>(tensor: Tensor<D>) -> Primitive {
    tensor
        .autodiff()
        .try_into_primitive::<Autodiff<Flex>>()
        .expect("the crate is built with one backend, so every tensor lives on it")
}

/// A tensor from its taped form.
pub(crate) fn from_taped<const D: usize>(tensor: Primitive) -> Tensor<D> {
    Tensor::from_primitive::<Autodiff<Flex>>(tensor)
}

/// A tensor of single-precision numbers that takes over a vector without copying it.
pub(crate) fn plain<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}

/// Rows one after the other, filling their memory, as our kernels want them; copies only where needed.
pub(crate) fn contiguous(tensor: FlexTensor) -> FlexTensor {
    let whole = tensor.as_slice::<f32>().is_some_and(|values| values.len() == tensor.storage::<f32>().len());
    if whole { tensor } else { tensor.to_contiguous() }
}

/// The numbers of a tensor that [`contiguous`] or [`plain`] made.
pub(crate) fn values(tensor: &FlexTensor) -> &[f32] {
    tensor.storage::<f32>()
}

/// The numbers of a tensor, without a copy if nobody else holds them.
pub(crate) fn into_values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    flex_values(taped(tensor).into_primitive())
}

/// The same of a tensor that is not on the tape.
pub(crate) fn flex_values(tensor: FlexTensor) -> Vec<f32> {
    tensor.into_data().try_into_vec().expect("tensors of this device hold single-precision numbers")
}
