//! A number for each row of a tensor, such as a log-likelihood: whoever knows what the columns mean works out value and
//! gradient of a row together, and the backward pass multiplies that gradient by what arrives for the row.

use burn::Tensor;
use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::NoCheckpointing;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use rayon::prelude::*;

use crate::nn::tape::{contiguous, from_taped, plain, taped, values};

/// Rows that a thread takes at once at least.
const ROWS_AT_ONCE: usize = 8;

/// `[rows, columns]` to `[rows, 1]`: `work` is given the number of a row, its numbers and room for the gradient, which
/// is 0, and gives the row's value.
pub fn row_terms(input: Tensor<2>, work: impl Fn(usize, &[f32], &mut [f32]) -> f32 + Sync) -> Tensor<2> {
    let (input, node) = taped(input).into_parts();
    let input = contiguous(input);
    let (rows, columns) = (input.shape()[0], input.shape()[1]);
    let mut gradient = vec![0.0; rows * columns];
    let lines = values(&input).par_chunks(columns.max(1)).zip(gradient.par_chunks_mut(columns.max(1)));
    let found = lines.enumerate().with_min_len(ROWS_AT_ONCE).map(|(row, (line, own))| work(row, line, own));
    let found: Vec<f32> = found.collect();
    let terms = plain(found, [rows, 1]);
    from_taped(match RowTerms.prepare::<NoCheckpointing>([node]).compute_bound().stateful() {
        OpsKind::Tracked(prepared) => prepared.finish(plain(gradient, [rows, columns]), terms),
        OpsKind::UnTracked(prepared) => prepared.finish(terms),
    })
}

#[derive(Debug)]
struct RowTerms;

impl Backward<Flex, 1> for RowTerms {
    type State = FlexTensor;

    fn backward(self, ops: Ops<FlexTensor, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let arriving = contiguous(gradients.consume::<Flex>(&ops.node));
        let [Some(node)] = ops.parents else { return };
        let mut gradient = ops.state;
        let columns = gradient.shape()[1].max(1);
        let lines = gradient.storage_mut::<f32>().par_chunks_mut(columns).zip(values(&arriving));
        lines.with_min_len(ROWS_AT_ONCE).for_each(|(line, factor)| {
            line.iter_mut().for_each(|value| *value *= factor);
        });
        gradients.register::<Flex>(node.id, gradient);
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::TensorData;

    use super::*;
    use crate::nn::product::tests::random;
    use crate::nn::tape::{into_values, training_device};

    #[test]
    fn rows_have_their_own_gradients() {
        let numbers = random(12, "row terms");
        let input = Tensor::<2>::from_data(TensorData::new(numbers.clone(), [4, 3]), &training_device());
        let input = input.require_grad();
        // The value of row r is Σ x² (r + 1); what arrives for it is its own square.
        let terms = row_terms(input.clone(), |row, line, gradient| {
            let factor = row as f32 + 1.0;
            gradient.iter_mut().zip(line).for_each(|(slope, x)| *slope = 2.0 * factor * x);
            factor * line.iter().map(|x| x * x).sum::<f32>()
        });
        let mut found = (terms.clone() * terms.clone()).sum().backward();
        let (values, slopes) = (into_values(terms), into_values(input.grad_remove(&mut found).unwrap()));
        for (row, line) in numbers.chunks(3).enumerate() {
            let factor = row as f32 + 1.0;
            let value = factor * line.iter().map(|x| x * x).sum::<f32>();
            assert!((values[row] - value).abs() < 1e-6);
            for (slope, x) in slopes[3 * row..].iter().zip(line) {
                assert!((slope - 4.0 * value * factor * x).abs() < 1e-4, "{slope}");
            }
        }
    }
}
