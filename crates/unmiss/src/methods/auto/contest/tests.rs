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

/// Names of those that take part, and of those that are left out, for a table of so many rows and columns.
fn parts(rows: usize, columns: usize) -> (Vec<String>, Vec<String>) {
    let size = Size { rows, features: columns, holed: columns, columns };
    let names = ["mean", "forest", "gaussian", "low-rank", "chained", "neighbours", "boosted"];
    names.iter().map(|name| (*name).to_owned()).partition(|name| size.too_much_for(name).is_none())
}

#[test]
fn wide_and_long_tables_are_not_waited_for() {
    assert!(parts(30, 1000).1.iter().eq(["forest", "gaussian", "chained", "boosted"]));
    assert_eq!(parts(30, 1000), parts(1000, 1000));
    assert_eq!(parts(12, 1000).0, ["mean", "low-rank", "neighbours"]);
    assert_eq!(parts(30, 280).1, ["forest"]);
    assert_eq!(parts(2_000_000, 5).1, ["neighbours"]);
    assert!(parts(600, 30).1.is_empty());
}

#[test]
fn the_cheap_go_first() {
    let mut names = ["forest", "boosted", "neighbours", "low-rank", "mean"].map(str::to_owned).to_vec();
    names.sort_by_key(|name| turn(name));
    assert_eq!(names, ["mean", "low-rank", "neighbours", "forest", "boosted"]);
}
