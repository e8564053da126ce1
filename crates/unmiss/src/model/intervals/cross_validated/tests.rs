use super::*;
use crate::rng::Stream;

fn fold(errors: &[f64]) -> Fold {
    let spread = Spread::learn(&[], 1, &[]);
    Fold { spread, errors: Errors::new(errors.to_vec()) }
}

/// The definition, by sorting everything.
fn plain(folds: &[Vec<f64>], answers: &[f64], spreads: &[f64], level: f64) -> (f64, f64) {
    let all = |sign: f64| {
        let mut all: Vec<f64> = Vec::new();
        for ((errors, answer), spread) in folds.iter().zip(answers).zip(spreads) {
            all.extend(errors.iter().map(|e| sign * answer + spread * f64::from((*e as f32).next_up())));
        }
        all.sort_by(f64::total_cmp);
        let rank = (level * (all.len() as f64 + 1.0) - 1e-9).ceil() as usize;
        all.get(rank - 1).copied().unwrap_or(f64::INFINITY)
    };
    (-all(-1.0), all(1.0))
}

#[test]
fn ends_are_the_order_statistics_of_all_shifted_errors() {
    let mut stream = Stream::new(1, "cv+", 0, 0);
    for case in 0..200 {
        let count = 2 + case % 5;
        let folds: Vec<Vec<f64>> = (0..count)
            .map(|_| (0..3 + (10.0 * stream.uniform()) as usize).map(|_| stream.normal().abs()).collect())
            .collect();
        let answers: Vec<f64> = (0..count).map(|_| 0.5 * stream.normal()).collect();
        let spreads: Vec<f64> = (0..count).map(|_| 0.5 + stream.uniform()).collect();
        let ours = CrossValidated { inputs: 1, folds: folds.iter().map(|errors| fold(errors)).collect() };
        for level in [0.7, 0.8, 0.9] {
            let (lower, upper) = plain(&folds, &answers, &spreads, level);
            let mean = answers.iter().sum::<f64>() / count as f64;
            assert_eq!(
                ours.interval(&answers, &spreads, level),
                (lower.min(mean), upper.max(mean)),
                "{case} {level}"
            );
        }
    }
}

#[test]
fn few_errors_promise_little_and_many_are_thinned_to_the_safe_side() {
    let nine = CrossValidated { inputs: 1, folds: vec![fold(&[1.0; 9])] };
    assert!((nine.reach(&[], 0.9) - 1.0).abs() < 1e-6);
    assert_eq!(nine.reach(&[], 0.91), f64::INFINITY);
    let many: Vec<f64> = (1..=5500).map(f64::from).collect();
    let errors = Errors::new(many);
    assert_eq!((errors.count(), errors.kept.len()), (5500, MOST_KEPT));
    assert!(errors.is_sound());
    let one = CrossValidated { inputs: 1, folds: vec![Fold { spread: Spread::learn(&[], 1, &[]), errors }] };
    let reach = one.reach(&[], 0.9);
    assert!((4951.0..4960.0).contains(&reach), "{reach}");
}

/// Rows whose important column is missing have errors three times as large, and there are eighty rows in all: a new
/// row's interval holds for both kinds. Ten folds whose models agree leave only the scaling to be judged.
#[test]
fn eighty_rows_are_enough_to_cover_rows_that_lack_what_matters() {
    let mut stream = Stream::new(5, "coverage", 0, 0);
    let mut draw = || {
        let holes: Vec<u32> =
            (0..6).filter(|column| stream.uniform() < if *column == 0 { 0.3 } else { 0.1 }).collect();
        let error = stream.normal().abs() * if holes.contains(&0) { 3.0 } else { 1.0 };
        (holes, error)
    };
    let (mut inside, mut all) = ([0.0; 2], [0.0; 2]);
    for _ in 0..100 {
        let (holes, errors): (Vec<Vec<u32>>, Vec<f64>) = (0..80).map(|_| draw()).unzip();
        let folds: Vec<usize> = (0..80).map(|row| row % 10).collect();
        let ours =
            CrossValidated::learn(HeldOut { inputs: 6, folds: &folds, holes: &holes, errors: &errors });
        for _ in 0..200 {
            let (holes, error) = draw();
            let kind = usize::from(holes.contains(&0));
            all[kind] += 1.0;
            inside[kind] += f64::from(u8::from(error <= ours.reach(&holes, 0.9)));
        }
    }
    for kind in 0..2 {
        let coverage = inside[kind] / all[kind];
        assert!((coverage - 0.9).abs() < 0.02, "{kind}: {coverage}");
    }
}

/// The search by halves against all numbers put in order, ties and lists of any length included.
#[test]
fn quantiles_are_those_of_all_numbers_in_order() {
    let mut stream = Stream::new(6, "quantiles", 0, 0);
    for case in 0..60 {
        let errors: Vec<Errors> = (0..1 + case % 7)
            .map(|fold| {
                let coarse = |value: f64| if case % 3 == 0 { (4.0 * value).round() / 4.0 } else { value };
                Errors::new((0..fold * 31 + 1).map(|_| coarse(stream.normal().abs())).collect())
            })
            .collect();
        let lists: Vec<List<'_>> = errors
            .iter()
            .map(|errors| List { errors, center: stream.normal(), spread: 0.1 + stream.uniform() })
            .collect();
        let mut all: Vec<f64> =
            lists.iter().flat_map(|list| (0..list.errors.count).map(|place| list.at(place))).collect();
        all.sort_unstable_by(f64::total_cmp);
        for level in [0.05, 0.5, 0.8, 0.9, 0.99] {
            let rank = (level * (all.len() as f64 + 1.0) - 1e-9).ceil().max(1.0) as usize;
            let expected = all.get(rank - 1).copied().unwrap_or(f64::INFINITY);
            assert_eq!(quantile(&lists, level), expected, "case {case}, level {level}");
        }
    }
}
