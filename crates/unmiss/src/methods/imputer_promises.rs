//! What every imputer of the list promises, tested on each.

use serde_json::Value;

use super::{Draw, IMPUTERS, Imputation, Imputer};
use crate::data::{Column, Kind, Table};
use crate::encode::{Encoded, Encoder, Encoding};
use crate::rng::Stream;
use crate::run::Run;

/// Numbers that go together, one of a single value, a binary and a category, all with holes.
fn case(rows: usize) -> (Encoder, Encoded) {
    let mut stream = Stream::new(4, "imputer promises", rows as u64, 0);
    let base: Vec<f64> = (0..rows).map(|_| stream.normal()).collect();
    let mut numbers = |name: &str, slope: f64, noise: f64| {
        let cells = base.iter().enumerate().map(|(row, z)| {
            if row > 0 && stream.uniform() < 0.25 {
                f64::NAN
            } else {
                5.0 + slope * z + noise * stream.normal()
            }
        });
        Column::from_numbers(name, Kind::Real, &cells.collect::<Vec<_>>())
    };
    let mut columns = vec![numbers("a", 1.0, 0.3), numbers("b", -2.0, 0.3), numbers("one", 0.0, 0.0)];
    let words = |options: &'static [&'static str], limit: f64| {
        let pick = move |(row, z): (usize, &f64)| {
            (row % 5 != 3)
                .then(|| options[usize::from(*z > limit) + usize::from(*z > 1.0 && options.len() > 2)])
        };
        base.iter().enumerate().map(pick).collect::<Vec<_>>()
    };
    columns.push(Column::from_words("two", Kind::Binary, &words(&["no", "yes"], 0.0)));
    columns.push(Column::from_words("three", Kind::Category, &words(&["x", "y", "z"], -0.3)));
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let table = Table::new(columns).unwrap();
    let encoder = Encoder::fit(&table, &names, Encoding::default()).unwrap();
    let encoded = encoder.encode(&table, |_, _| {}).unwrap();
    (encoder, encoded)
}

fn fit(method: &dyn Imputation, encoder: &Encoder, rows: &Encoded, threads: usize) -> Box<dyn Imputer> {
    let run = Run::new(3, threads).unwrap();
    run.compute(|| method.fit(&Value::Null, encoder, rows, &run)).unwrap()
}

fn filled(imputer: &dyn Imputer, rows: &Encoded, draw: Option<Draw>) -> Encoded {
    let mut rows = rows.clone();
    imputer.fill(&mut rows, draw);
    rows
}

const DRAW: Option<Draw> = Some(Draw { seed: 1, number: 2, first_row: 0 });

fn with_garbage(rows: &Encoded) -> Encoded {
    let mut garbage = rows.clone();
    let hidden = garbage.numbers.iter_mut().zip(&rows.numbers_observed).filter(|cell| !cell.1);
    hidden.for_each(|(value, _)| *value = f32::NAN);
    let hidden = garbage.codes.iter_mut().zip(&rows.codes_observed).filter(|cell| !cell.1);
    hidden.for_each(|(code, _)| *code = 77);
    garbage
}

#[test]
fn settings_and_defaults_agree_for_every_imputer() {
    for method in IMPUTERS {
        let defaults = method.defaults();
        let keys: Vec<&str> = defaults.as_object().unwrap().keys().map(String::as_str).collect();
        let names: Vec<&str> = method.settings().iter().map(|setting| setting.name).collect();
        assert_eq!(names, keys, "{}", method.name());
        method.check(&defaults).unwrap();
        assert!(method.check(&serde_json::json!({ "nonsense": 1 })).is_err());
        assert_eq!(super::find_imputer(method.name()).unwrap().name(), method.name());
    }
}

#[test]
fn known_cells_stay_and_every_hole_gets_a_legal_value() {
    for method in IMPUTERS {
        for rows in [1, 2, 3, 7, 150] {
            let (encoder, encoded) = case(rows);
            let imputer = fit(*method, &encoder, &encoded, 1);
            let mut empty = encoded.clone();
            empty.numbers_observed.fill(false);
            empty.codes_observed.fill(false);
            for (before, draw) in [(&encoded, None), (&encoded, DRAW), (&empty, None), (&empty, DRAW)] {
                let after = filled(imputer.as_ref(), before, draw);
                assert_eq!(before.numbers_observed, after.numbers_observed);
                for (cell, observed) in before.numbers_observed.iter().enumerate() {
                    assert!(after.numbers[cell].is_finite(), "{}, {rows} rows", method.name());
                    assert!(!observed || before.numbers[cell] == after.numbers[cell]);
                }
                for (cell, observed) in before.codes_observed.iter().enumerate() {
                    let levels = encoder.categories[cell % 2].levels.len();
                    assert!((after.codes[cell] as usize) < levels.max(1), "{}, {rows} rows", method.name());
                    assert!(!observed || before.codes[cell] == after.codes[cell]);
                }
            }
        }
    }
}

#[test]
fn threads_garbage_and_batches_change_nothing() {
    for method in IMPUTERS {
        let (encoder, encoded) = case(120);
        let one = fit(*method, &encoder, &encoded, 1);
        let two = fit(*method, &encoder, &with_garbage(&encoded), 2);
        assert_eq!(one.save(), two.save(), "{}", method.name());
        for draw in [None, DRAW] {
            let whole = filled(one.as_ref(), &encoded, draw);
            assert_eq!(whole, filled(one.as_ref(), &with_garbage(&encoded), draw), "{}", method.name());
            for row in [0, 7, 119] {
                let draw = draw.map(|draw| Draw { first_row: row as u64, ..draw });
                let alone = filled(one.as_ref(), &encoded.select(&[row]), draw);
                assert_eq!(alone, whole.select(&[row]), "{}, row {row}", method.name());
            }
        }
    }
}

#[test]
fn an_imputer_comes_back_bit_for_bit_and_damage_is_refused() {
    for method in IMPUTERS {
        let (encoder, encoded) = case(60);
        let imputer = fit(*method, &encoder, &encoded, 1);
        let loaded = method.load(&Value::Null, &encoder, &imputer.save()).unwrap();
        for draw in [None, DRAW] {
            let before = filled(imputer.as_ref(), &encoded, draw);
            assert_eq!(before, filled(loaded.as_ref(), &encoded, draw), "{}", method.name());
        }
        assert_eq!(imputer.summary(), loaded.summary());
        assert!(method.load(&Value::Null, &encoder, &Default::default()).is_err(), "{}", method.name());
    }
}

#[test]
fn draws_differ_and_repeat() {
    for method in IMPUTERS {
        let (encoder, encoded) = case(120);
        let imputer = fit(*method, &encoder, &encoded, 1);
        let other = Some(Draw { seed: 1, number: 3, first_row: 0 });
        let first = filled(imputer.as_ref(), &encoded, DRAW);
        assert_eq!(first, filled(imputer.as_ref(), &encoded, DRAW));
        assert_ne!(first, filled(imputer.as_ref(), &encoded, other), "{}", method.name());
        assert_ne!(first, filled(imputer.as_ref(), &encoded, None), "{}", method.name());
    }
}

/// The first column is told by the others: every imputer but the mean must see it.
#[test]
fn imputers_learn_from_the_other_columns() {
    for method in IMPUTERS.iter().filter(|method| method.name() != "mean") {
        let (encoder, truth) = case(400);
        let mut holed = truth.clone();
        let columns = encoder.numbers.len();
        let hidden: Vec<usize> = (0..400)
            .step_by(6)
            .map(|row| row * columns)
            .filter(|&cell| truth.numbers_observed[cell])
            .collect();
        hidden.iter().for_each(|&cell| holed.numbers_observed[cell] = false);
        let after = filled(fit(*method, &encoder, &holed, 2).as_ref(), &holed, None);
        let square = |cell: &usize| f64::from(after.numbers[*cell] - truth.numbers[*cell]).powi(2);
        let base = |cell: &usize| f64::from(truth.numbers[*cell]).powi(2);
        let ratio = hidden.iter().map(square).sum::<f64>() / hidden.iter().map(base).sum::<f64>();
        assert!(ratio < 0.75, "{}: {ratio}", method.name());
    }
}
