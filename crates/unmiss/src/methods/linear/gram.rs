//! Sums over rows that give the same bits for any number of threads, and the two factorisations we need.
//!
//! Rows are cut into chunks whose number depends on the size of the problem alone; chunk sums are added in
//! order. Factorisations run on one thread for the same reason: they are small beside the sums.

use std::ops::Range;

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd;
use faer::{Mat, Par};
use rayon::prelude::*;

use crate::encode::design::SparseRows;
use crate::error::{Error, Result};

/// Rows below which a chunk is not worth a thread.
const SMALLEST_CHUNK: usize = 2048;
/// Chunks at most: enough for any desktop, few enough to add up quickly.
const MOST_CHUNKS: usize = 16;
/// Numbers that all chunk sums may hold together (512 MB).
const MOST_NUMBERS: usize = 64 << 20;

/// Sums `width` numbers over `count` items: `add(items, sum)` adds a range of items to a sum.
pub fn sum_over(count: usize, width: usize, add: impl Fn(Range<usize>, &mut [f64]) + Sync) -> Vec<f64> {
    let chunks = (count / SMALLEST_CHUNK).clamp(1, MOST_CHUNKS).min((MOST_NUMBERS / width.max(1)).max(1));
    let size = count.div_ceil(chunks).max(1);
    let sums: Vec<Vec<f64>> = (0..chunks)
        .into_par_iter()
        .map(|chunk| {
            let mut sum = vec![0.0; width];
            add((chunk * size).min(count)..((chunk + 1) * size).min(count), &mut sum);
            sum
        })
        .collect();
    let add_up = |mut total: Vec<f64>, sum: Vec<f64>| {
        total.iter_mut().zip(sum).for_each(|(total, value)| *total += value);
        total
    };
    sums.into_iter().reduce(add_up).unwrap_or_default()
}

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

/// Eigenvalues (ascending) and eigenvectors (columns) of a symmetric matrix given by its lower triangle.
///
/// # Errors
/// When the iteration does not converge, which only numbers that are not finite can cause.
pub fn eigen(lower: &Mat<f64>) -> Result<(Vec<f64>, Mat<f64>)> {
    let size = lower.nrows();
    let mut values = Diag::<f64>::zeros(size);
    let mut vectors = Mat::<f64>::zeros(size, size);
    let scratch = evd::self_adjoint_evd_scratch::<f64>(
        size,
        evd::ComputeEigenvectors::Yes,
        Par::Seq,
        Default::default(),
    );
    evd::self_adjoint_evd(
        lower.as_ref(),
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| Error::method("linear", "the inputs' covariance has no eigenvalues (numbers too large)"))?;
    Ok((values.column_vector().iter().copied().collect(), vectors))
}

/// Solves A x = b for a positive definite A given by its lower triangle; `None` where A is not.
pub fn solve(mut lower: Mat<f64>, right: &[f64]) -> Option<Vec<f64>> {
    let size = lower.nrows();
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default());
    llt::factor::cholesky_in_place(
        lower.as_mut(),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()?;
    let mut solution = Mat::from_fn(size, 1, |row, _| right[row]);
    let scratch = llt::solve::solve_in_place_scratch::<f64>(size, 1, Par::Seq);
    llt::solve::solve_in_place(
        lower.as_ref(),
        solution.as_mut(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
    );
    let solution: Vec<f64> = solution.col(0).iter().copied().collect();
    solution.iter().all(|value| value.is_finite()).then_some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_threads() {
        let sum = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                sum_over(100_000, 1, |items, sum| items.for_each(|i| sum[0] += 1.0 / (1.0 + i as f64)))
            })
        };
        assert_eq!(sum(1), sum(3));
        assert!((sum(2)[0] - 12.090_146).abs() < 1e-5);
        assert_eq!(sum_over(0, 2, |_, _| {}), [0.0, 0.0]);
    }

    #[test]
    fn factorisations_agree_with_the_hand() {
        let matrix = Mat::from_fn(2, 2, |row, column| if row == column { 2.0 } else { 1.0 });
        let (values, _) = eigen(&matrix).unwrap();
        assert!((values[0] - 1.0).abs() < 1e-12 && (values[1] - 3.0).abs() < 1e-12);
        let solution = solve(matrix, &[3.0, 3.0]).unwrap();
        assert!(solution.iter().all(|value| (value - 1.0).abs() < 1e-12));
        assert!(solve(Mat::from_fn(1, 1, |_, _| -1.0), &[1.0]).is_none());
    }
}
