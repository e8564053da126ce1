//! The two factorisations of matrices of any size, by faer: on one thread, so that no number of threads changes a bit
//! (they are small beside the sums they are made of).

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd;
use faer::{Mat, Par};

/// Eigenvalues (ascending) and eigenvectors (columns) of a symmetric matrix given by its lower triangle.
/// `None` where the iteration does not converge, which only numbers that are not finite can cause.
pub fn eigen(lower: &Mat<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
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
    .ok()?;
    Some((values.column_vector().iter().copied().collect(), vectors))
}

/// Solves A x = b for a positive definite A given by its lower triangle; `None` where A is not.
pub fn solve(lower: Mat<f64>, right: &[f64]) -> Option<Vec<f64>> {
    let right = Mat::from_fn(lower.nrows(), 1, |row, _| right[row]);
    Some(solve_all(lower, right)?.col(0).iter().copied().collect())
}

/// The same for several right sides, the columns of `right`.
pub fn solve_all(mut lower: Mat<f64>, mut right: Mat<f64>) -> Option<Mat<f64>> {
    let (size, columns) = (lower.nrows(), right.ncols());
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default());
    llt::factor::cholesky_in_place(
        lower.as_mut(),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .ok()?;
    let scratch = llt::solve::solve_in_place_scratch::<f64>(size, columns, Par::Seq);
    llt::solve::solve_in_place(
        lower.as_ref(),
        right.as_mut(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
    );
    let finite = (0..columns).all(|column| right.col(column).iter().all(|value| value.is_finite()));
    finite.then_some(right)
}

#[cfg(test)]
mod tests {
    use super::*;

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
