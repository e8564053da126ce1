use super::*;

#[test]
fn a_blend_is_never_worse_than_the_best_alone() {
    let truth: Vec<f64> = (0..200).map(|i| f64::from(i % 7)).collect();
    let off = |amount: f64| {
        truth.iter().enumerate().map(move |(i, t)| t + if i % 2 == 0 { amount } else { -0.5 * amount })
    };
    let said: Vec<Vec<f64>> = vec![vec![3.0; 200], off(1.0).collect(), off(-1.2).collect()];
    let (weights, best) = blend(&said, &truth);
    assert!(best < 1e-6, "opposite errors cancel: {best}");
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12 && weights[0] < 1e-6);
    let (weights, best) = blend(&said[..1], &truth);
    assert_eq!((weights, best), (vec![1.0], error(&said[0], &truth, true)));
}

#[test]
fn the_first_of_equals_is_best() {
    assert_eq!(best_of(&[2.0, 1.0, 1.0]), 1);
    assert_eq!(best_of(&[]), 0);
}
