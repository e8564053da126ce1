//! Large products on a graphics card, if one was chosen ([`Device::choose`](crate::run::Device::choose)).

use burn::Tensor;
use burn::tensor::{Device, TensorData};

use super::Matrix;
use crate::run::chosen_card;

/// Multiplications from which a product is worth its way to the card and back.
const WORTHWHILE: usize = 1 << 24;

/// The product, if a card was chosen and there is enough to do.
pub(super) fn product(left: Matrix<'_>, right: Matrix<'_>, work: usize) -> Option<Vec<f32>> {
    let card = chosen_card().filter(|_| work >= WORTHWHILE)?;
    assert_eq!(left.columns, right.rows, "the inner sizes of a product");
    let product = upload(left, card).matmul(upload(right, card));
    // A card that fails in the middle leaves the work to the processor.
    product.into_data().try_into_vec().ok()
}

/// A matrix in the card's memory: as it lies in ours, and turned over there where it is meant so.
fn upload(matrix: Matrix<'_>, card: &Device) -> Tensor<2> {
    let values = matrix.values.to_vec();
    if matrix.column_stride == 1 {
        return Tensor::from_data(TensorData::new(values, [matrix.rows, matrix.columns]), card);
    }
    Tensor::<2>::from_data(TensorData::new(values, [matrix.columns, matrix.rows]), card).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Device as Chosen;

    /// Needs a card, or a driver that makes one of the processor (Mesa's lavapipe); without either it says so.
    #[test]
    fn a_card_multiplies_as_the_processor_does() {
        if let Err(error) = Chosen::Gpu.choose() {
            println!("left out: {error}");
            return;
        }
        let (m, n, k) = (300, 260, 256);
        let a: Vec<f32> = (0..m * k).map(|i| ((i * 7 % 23) as f32 - 11.0) / 11.0).collect();
        let b: Vec<f32> = (0..k * n).map(|i| ((i * 5 % 19) as f32 - 9.0) / 9.0).collect();
        let lefts = [Matrix::new(&a, m, k), Matrix::new(&a, k, m).transposed()];
        for left in lefts {
            let right = Matrix::new(&b, k, n);
            let ours = product(left, right, m * n * k).expect("there is a card and enough to do");
            let at = |i: usize, l: usize| a[i * left.row_stride + l * left.column_stride];
            for (i, j) in [(0, 0), (1, 2), (m - 1, n - 1), (17, 255)] {
                let truth: f32 = (0..k).map(|l| at(i, l) * b[l * n + j]).sum();
                assert!((ours[i * n + j] - truth).abs() < 1e-3, "{i} {j}: {} {truth}", ours[i * n + j]);
            }
        }
    }
}
