use super::*;

#[test]
fn without_holes_one_step_gives_mean_and_covariance() {
    let data = [[1.0, 2.0], [0.0, -1.0], [2.5, 0.5], [-1.0, 0.0]];
    let rows: Vec<u32> = (0..4).collect();
    let row = |index: u32, values: &mut [f64]| values.copy_from_slice(&data[index as usize]);
    let pattern = PatternMoments::new(vec![0, 1], 2, &rows, row);
    let fitted = fit(&[pattern], 2, 1e-9, 10, 1e-12).unwrap();
    assert!(fitted.converged);
    assert!((fitted.normal.mu[0] - 0.625).abs() < 1e-12 && (fitted.normal.mu[1] - 0.375).abs() < 1e-12);
    let covariance = data.iter().map(|[x, y]| (x - 0.625) * (y - 0.375)).sum::<f64>() / 4.0;
    assert!((fitted.normal.sigma.at(0, 1) - covariance).abs() < 1e-12);
    assert!((fitted.normal.sigma.at(1, 0) - covariance).abs() < 1e-12);
}

#[test]
fn a_copied_column_is_named() {
    let data = [[1.0, 2.0, 1.0], [0.0, -1.0, 0.0], [2.5, 0.5, 2.5], [-1.0, 0.0, -1.0]];
    let row = |index: u32, values: &mut [f64]| values.copy_from_slice(&data[index as usize]);
    let pattern = PatternMoments::new(vec![0, 1, 2], 3, &[0, 1, 2, 3], row);
    assert_eq!(fit(&[pattern], 3, 1e-6, 10, 1e-9).err(), Some(2));
}

#[test]
fn triangles_solve() {
    let matrix = Square { size: 3, cells: vec![4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 3.0] };
    let lower = matrix.cholesky(0.0).unwrap();
    let mut v = vec![1.0, -2.0, 0.5];
    lower.forward(&mut v);
    lower.backward(&mut v);
    for (row, expected) in [1.0, -2.0, 0.5].iter().enumerate() {
        let product: f64 = (0..3).map(|column| matrix.at(row, column) * v[column]).sum();
        assert!((product - expected).abs() < 1e-12);
    }
}
