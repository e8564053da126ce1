use super::*;
use crate::bench::find;
use crate::linalg::dot;

/// A small cell, drawn as the benches draw theirs.
fn task(masking: Masking) -> Task {
    let cell = Cell { masking, response: Response::Linear, latent: 0.5, columns: 6, rows: 3000 };
    Task::new(&cell, &Run::new(3, 2).unwrap()).unwrap()
}

#[test]
fn the_joint_normal_comes_next_to_bayes_where_holes_tell_nothing_and_not_where_they_do() {
    let distance = |masking| {
        let task = task(masking);
        task.distance(&rivals::answers(rivals::EM, &task, &Run::new(3, 2).unwrap()).unwrap().unwrap())
    };
    assert!(distance(Masking::Mcar) < 0.003, "{}", distance(Masking::Mcar));
    assert!(distance(Masking::Mar) < 0.003);
    assert!(distance(Masking::SelfGaussian) > 0.02);
}

/// The distance is the difference of both R², but for the noise of the test rows.
#[test]
fn the_distance_is_a_difference_of_r2() {
    let task = task(Masking::SelfProbit);
    let (intercept, weights) = task.world.line();
    let zero = |row: usize| {
        let cells = row * 6..(row + 1) * 6;
        let known = task.test.values[cells.clone()].iter().zip(&task.test.observed[cells]);
        let filled: Vec<f64> = known.map(|(value, seen)| if *seen { *value } else { 0.0 }).collect();
        intercept + dot(weights, &filled)
    };
    let answers: Vec<f64> = (0..worlds::TEST_ROWS).map(zero).collect();
    let mean = task.test.response.iter().sum::<f64>() / worlds::TEST_ROWS as f64;
    let squares = |of: &dyn Fn(usize) -> f64| (0..worlds::TEST_ROWS).map(|row| of(row).powi(2)).sum::<f64>();
    let r2 = 1.0
        - squares(&|row| task.test.response[row] - answers[row])
            / squares(&|row| task.test.response[row] - mean);
    let difference = task.reachable() - r2;
    assert!((difference / task.distance(&answers) - 1.0).abs() < 0.1, "{difference}");
    assert!(task.distance(&answers) > 0.05);
}

#[test]
fn a_bench_names_its_parts_and_runs_them() {
    let only = ["mcar", "n=1000", "linear", "em"].map(str::to_owned).to_vec();
    let request = Request { seeds: 2, only, ..Request::default() };
    let report = find("neumiss").unwrap().run(&request, &Run::new(0, 2).unwrap()).unwrap();
    assert!(report.complete);
    assert_eq!(report.sections.len(), 1);
    let names: Vec<&str> = report.sections[0].rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["Bayes", "em", "linear"]);
    let only = ["analytic", "d=10"].map(str::to_owned).to_vec();
    let request = Request { seeds: 4, only, ..Request::default() };
    let report = find("neumiss-depth").unwrap().run(&request, &Run::new(0, 2).unwrap()).unwrap();
    assert_eq!(report.sections[0].rows.len(), 9);
    assert_eq!(report.judged(super::super::Verdict::Holds).len(), 1);
    report.page().unwrap();
}
