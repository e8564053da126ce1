use super::*;

const COURSE: Course = Course { ridge: 1e-3, rounds: 100, tolerance: 1e-6 };

/// Two causes behind twelve columns, noise of variance 0.1, a third of the cells hidden.
fn data(rows: usize) -> (Vec<f32>, Vec<bool>, Factors) {
    let mut stream = Stream::new(3, "factor test", 0, 0);
    let loadings: Vec<f64> = (0..24).map(|_| stream.normal()).collect();
    let truth = Factors { count: 2, mean: vec![0.5; 12], loadings, noise: vec![0.1; 12] };
    let mut values = Vec::new();
    for _ in 0..rows {
        let causes = [stream.normal(), stream.normal()];
        for column in 0..12 {
            let value = 0.5 + dot(truth.loading(column), &causes) + 0.1_f64.sqrt() * stream.normal();
            values.push(value as f32);
        }
    }
    let observed = values.iter().map(|_| stream.uniform() < 0.67).collect();
    (values, observed, truth)
}

#[test]
fn causes_are_found_through_the_holes() {
    let (values, observed, truth) = data(3000);
    let rows: Vec<usize> = (0..3000).collect();
    let found =
        learn(Holes { columns: 12, values: &values, observed: &observed }, &rows, 2, COURSE, 0, |_, _| true);
    for i in 0..12 {
        assert!((found.noise[i] - 0.1).abs() < 0.02, "{:?}", found.noise);
        assert!((found.mean[i] - 0.5).abs() < 0.12, "{:?}", found.mean);
        for j in 0..12 {
            // Causes are found but for a turn: what they make of two columns together is the same.
            let (own, true_product) =
                (dot(found.loading(i), found.loading(j)), dot(truth.loading(i), truth.loading(j)));
            assert!((own - true_product).abs() < 0.3, "{own} {true_product}");
        }
    }
}

#[test]
fn noise_falls_round_by_round_and_few_rounds_do() {
    let (values, observed, _) = data(600);
    let rows: Vec<usize> = (0..600).collect();
    let mut rounds = 0;
    let course = Course { tolerance: 1e-4, ..COURSE };
    learn(Holes { columns: 12, values: &values, observed: &observed }, &rows, 2, course, 0, |round, _| {
        rounds = round;
        true
    });
    assert!(rounds < 40, "{rounds}");
}

#[test]
fn what_stands_under_the_mask_is_not_read_and_threads_change_nothing() {
    let (mut values, observed, _) = data(1500);
    let rows: Vec<usize> = (0..1500).collect();
    let fit = |values: &[f32], threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let holes = Holes { columns: 12, values, observed: &observed };
        pool.install(|| learn(holes, &rows, 3, Course { rounds: 5, ..COURSE }, 0, |_, _| true))
    };
    let clean = fit(&values, 1);
    values.iter_mut().zip(&observed).filter(|cell| !cell.1).for_each(|(value, _)| *value = f32::NAN);
    assert_eq!(clean, fit(&values, 2));
}
