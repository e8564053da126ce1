//! Sums of products over rows of (input, value) pairs.

use crate::encode::design::SparseRows;
use crate::linalg::sum_over;

/// Lower triangle of sum_i weight_i x_i x_i' with the bias as last input (1 in every row): `[size, size]`,
/// size = inputs + 1, over the picked rows. `weight(place)` is that of the row at a place of `picked`.
pub fn weighted_gram(
    rows: &SparseRows,
    picked: &[u32],
    inputs: usize,
    weight: impl Fn(usize) -> f64 + Sync,
) -> Vec<f64> {
    let size = inputs + 1;
    sum_over(picked.len(), size * size, |places, gram| {
        for place in places {
            let (row_inputs, values) = rows.row(picked[place] as usize);
            let weight = weight(place);
            for (a, (&input, &value)) in row_inputs.iter().zip(values).enumerate() {
                let scaled = weight * f64::from(value);
                let line = &mut gram[input as usize * size..][..size];
                for (&other, &other_value) in row_inputs[..=a].iter().zip(values) {
                    line[other as usize] += scaled * f64::from(other_value);
                }
            }
            let bias = &mut gram[inputs * size..][..size];
            for (&input, &value) in row_inputs.iter().zip(values) {
                bias[input as usize] += weight * f64::from(value);
            }
            bias[inputs] += weight;
        }
    })
}
