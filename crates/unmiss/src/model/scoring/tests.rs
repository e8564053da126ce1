use super::*;
use crate::data::{Column, Kind, Table};
use crate::model::{Aim, Model};

/// Two numbers that go together, one in thousands, and a binary; a third of the cells is missing.
fn table(rows: usize, seed: u64) -> Data {
    let mut stream = Stream::new(seed, "scoring", 0, 0);
    let (mut a, mut b, mut words) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rows {
        let z = stream.normal();
        let hole = |value: f64, stream: &mut Stream| if stream.uniform() < 0.3 { f64::NAN } else { value };
        a.push(hole(z, &mut stream));
        b.push(hole(5_000.0 + 1_000.0 * (z + 0.3 * stream.normal()), &mut stream));
        words.push((stream.uniform() > 0.3).then_some(if z > 0.0 { "high" } else { "low" }));
    }
    let columns = [("a", a), ("b", b)].map(|(name, cells)| Column::from_numbers(name, Kind::Real, &cells));
    let words = Column::from_words("word", Kind::Binary, &words);
    Table::new(columns.into_iter().chain([words]).collect()).unwrap().into()
}

fn model(data: &Data, test: f64) -> Model {
    let aim = Aim::Density(DensityPlan { test, ..DensityPlan::default() });
    Model::fit(data, &aim, &Recipe::named("gaussian").unwrap(), &Run::new(1, 1).unwrap()).unwrap()
}

#[test]
fn rows_like_the_others_are_rare_as_often_as_said_however_much_they_know() {
    let model = model(&table(1_500, 1), 0.3);
    let scored = model.scoring().unwrap().score(&table(3_000, 2), |_, _| {}).unwrap();
    for known in 1..=3 {
        let own: Vec<f64> =
            scored.iter().filter(|row| row.known == known).filter_map(|row| row.rarity).collect();
        for level in [0.05, 0.2, 0.5] {
            let share = own.iter().filter(|rarity| **rarity <= level).count() as f64 / own.len() as f64;
            // A word alone has but two degrees of rarity, so that fewer rows may be as rare.
            let few = if known == 1 { 0.0 } else { level - 0.06 };
            assert!(
                (few..level + 0.06).contains(&share),
                "{known} known: {share} at most as rare as {level}"
            );
        }
    }
    assert!(scored.iter().all(|row| row.rarity.is_some() == (row.known > 0)));
}

#[test]
fn a_cell_that_does_not_belong_is_found() {
    let model = model(&table(600, 1), 0.2);
    let odd: Data = Table::new(vec![
        Column::from_numbers("a", Kind::Real, &[2.0, 2.0, 0.1, f64::NAN]),
        Column::from_numbers("b", Kind::Real, &[3_000.0, 7_000.0, 5_000.0, f64::NAN]),
        Column::from_words("word", Kind::Binary, &[Some("high"), Some("high"), Some("low"), None]),
    ])
    .unwrap()
    .into();
    let scored = model.scoring().unwrap().score(&odd, |_, _| {}).unwrap();
    assert!(scored[0].rarity < Some(0.01) && scored[1].rarity > Some(0.02), "{scored:?}");
    assert!(scored[0].log_likelihood < scored[1].log_likelihood - 10.0);
    assert_eq!(model.coder.names()[scored[0].surprise.unwrap()], "b");
    let nothing = Scored { log_likelihood: 0.0, known: 0, rarity: None, surprise: None };
    assert_eq!(scored[3], nothing);
}

/// A column in other units has another density, and rows are as rare as before.
#[test]
fn densities_are_in_the_units_of_the_data() {
    let (small, large) = (table(400, 3), table(400, 3));
    let mut scaled = large.table().unwrap().clone();
    let cells: Vec<f64> = {
        let column = scaled.column("b").unwrap();
        let values = column.numbers().unwrap().iter().zip(&column.observed);
        values.map(|(value, known)| if *known { value / 1_000.0 } else { f64::NAN }).collect()
    };
    let place = scaled.position("b").unwrap();
    scaled.columns_mut()[place] = Column::from_numbers("b", Kind::Real, &cells);
    let scaled = Data::from(scaled);
    let one = model(&small, 0.2).scoring().unwrap().score(&small, |_, _| {}).unwrap();
    let other = model(&scaled, 0.2).scoring().unwrap().score(&scaled, |_, _| {}).unwrap();
    for (row, (one, other)) in one.iter().zip(&other).enumerate() {
        let known = small.column("b").unwrap().observed[row];
        let expected = if known { 1_000.0_f64.ln() } else { 0.0 };
        assert!((other.log_likelihood - one.log_likelihood - expected).abs() < 1e-2, "{row}");
    }
}

#[test]
fn the_model_says_what_it_was_measured_on_and_comes_back_from_its_file() {
    let data = table(200, 5);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain.unmiss");
    for (test, held_out) in [(0.25, 50), (0.0, 0)] {
        let model = model(&data, test);
        let Part::Density(part) = &model.part else { panic!() };
        assert_eq!((part.held_out, model.summary.rows), (held_out, 200));
        assert!(part.mean_log_likelihood.is_finite());
        model.save(&path).unwrap();
        let again = Model::load(&path).unwrap();
        let score = |model: &Model| model.scoring().unwrap().score(&data, |_, _| {}).unwrap();
        assert_eq!(score(&model), score(&again));
        assert!(again.filling().is_err() && again.predicting().is_err());
    }
    let damaged = Reference {
        ignored: Default::default(),
        held_out: 3,
        mean_log_likelihood: 0.0,
        known: vec![1, 2],
        distances: vec![0.5],
    };
    assert!(!damaged.is_sound());
    let aim = Aim::Density(DensityPlan { test: 0.9, ..DensityPlan::default() });
    let recipe = Recipe::named("gaussian").unwrap();
    assert!(Model::fit(&data, &aim, &recipe, &Run::new(1, 1).unwrap()).is_err());
}
