//! Cases of filling the holes of a table, and what only that promises.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::Case;
use crate::data::{Column, Data, Kind, Shape, Table};
use crate::encode::{Coder, Encoded, Encoding, Rows};
use crate::methods::{Draw, Examples, Job, Learned, Method, methods_for, named};
use crate::rng::Stream;
use crate::run::{Event, Run};

/// One table; small ones down to a single row.
pub(super) fn cases(small: bool) -> Vec<Case> {
    let sizes: &[usize] = if small { &[1, 2, 3, 7] } else { &[120] };
    sizes.iter().map(|rows| case(*rows)).collect()
}

/// Row by row, every cell of the best guess and of a draw.
fn answers(learned: &dyn Learned, rows: &Rows, first_row: usize) -> Vec<f64> {
    let draw = Draw { first_row: first_row as u64, ..DRAW };
    let (guess, drawn) = (filled(learned, rows, None), filled(learned, rows, Some(draw)));
    let (numbers, codes) = guess.widths();
    let row = |row: usize| {
        [&guess, &drawn].into_iter().flat_map(move |cells: &Encoded| {
            let numbers =
                cells.numbers[row * numbers..(row + 1) * numbers].iter().map(|cell| f64::from(*cell));
            numbers.chain(cells.codes[row * codes..(row + 1) * codes].iter().map(|code| f64::from(*code)))
        })
    };
    (0..rows.len()).flat_map(row).collect()
}

const DRAW: Draw = Draw { seed: 1, number: 2, first_row: 0 };

fn filled(learned: &dyn Learned, rows: &Rows, draw: Option<Draw>) -> Encoded {
    let mut rows = rows.clone();
    learned.imputer().unwrap().fill(&mut rows, draw).unwrap();
    rows.table().unwrap().clone()
}

/// Numbers that go together, one of a single value, a binary and a category, all with holes.
fn case(rows: usize) -> Case {
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
    let data = Data::from(Table::new(columns).unwrap());
    let coder = Coder::fit(&data, &names, Encoding::default()).unwrap();
    let rows = coder.encode(&data, |_, _| {}).unwrap();
    Case { coder, rows, targets: None, settings: Value::Null, answers }
}

#[test]
fn known_cells_stay_and_every_hole_gets_a_legal_value() {
    for method in methods_for(Shape::Table, Job::Fill) {
        for rows in [1, 2, 3, 7, 150] {
            let case = case(rows);
            let learned = case.fit(method, 1);
            let before = case.rows.table().unwrap();
            let mut empty = before.clone();
            empty.numbers_observed.fill(false);
            empty.codes_observed.fill(false);
            for (before, draw) in [(before, None), (before, Some(DRAW)), (&empty, None), (&empty, Some(DRAW))]
            {
                let after = filled(&*learned, &before.clone().into(), draw);
                assert_eq!(before.numbers_observed, after.numbers_observed);
                for (cell, observed) in before.numbers_observed.iter().enumerate() {
                    assert!(after.numbers[cell].is_finite(), "{}, {rows} rows", method.name());
                    assert!(!observed || before.numbers[cell] == after.numbers[cell]);
                }
                for (cell, observed) in before.codes_observed.iter().enumerate() {
                    let levels = case.coder.table().unwrap().categories[cell % 2].levels.len();
                    assert!((after.codes[cell] as usize) < levels.max(1), "{}, {rows} rows", method.name());
                    assert!(!observed || before.codes[cell] == after.codes[cell]);
                }
            }
        }
    }
}

#[test]
fn proper_draws_have_parameters_of_their_own() {
    for method in methods_for(Shape::Table, Job::Fill) {
        let case = case(120);
        let learned = case.fit(method, 1);
        let sets = learned.imputer().unwrap().parameter_sets();
        assert_eq!(sets, if method.proper_draws() { 2 } else { 0 }, "{}", method.name());
    }
}

/// Learns until an epoch is done, and is stopped.
fn stopped_after_an_epoch(name: &str, case: &Case, patience: usize) -> Box<dyn Learned> {
    let run = Run::new(1, 1).unwrap();
    let stop = run.stop_switch();
    let run = run.listened_by(move |event| {
        // A training tells its loss from the first epoch on.
        if matches!(event, Event::Progress { detail, .. } if !detail.is_empty()) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    let settings = json!({ "epochs": 1_000_000, "patience": patience });
    let examples = Examples::new(&case.coder, &case.rows, None).unwrap();
    named(name).unwrap().fit(&settings, examples, &run).unwrap()
}

#[test]
fn a_network_that_is_stopped_says_so_if_its_weights_were_judged() {
    let case = case(120);
    for name in ["autoencoder", "autoimpute", "dvae", "made"] {
        let learned = stopped_after_an_epoch(name, &case, 1_000_000);
        let summary = learned.summary();
        assert!(summary["cut off"].as_str().is_some_and(|words| words.contains("were kept")), "{summary}");
        filled(&*learned, &case.rows, None);
    }
    for name in ["autoimpute", "dvae"] {
        let summary = stopped_after_an_epoch(name, &case, 0).summary();
        assert_eq!(summary["cut off"], Value::Null, "{name}: nothing speaks for its weights");
    }
}

#[test]
fn autoimpute_is_not_certain_where_no_cell_was_set_aside() {
    let mut case = case(120);
    case.settings = json!({ "patience": 0, "epochs": 3 });
    let learned = case.fit(named("autoimpute").unwrap(), 1);
    let fill = |number| filled(&*learned, &case.rows, Some(Draw { number, ..DRAW })).numbers;
    assert_ne!(fill(1), fill(2));
    assert!(learned.summary().to_string().contains("look surer than they are"));
}

#[test]
fn draws_differ_and_repeat() {
    for method in methods_for(Shape::Table, Job::Fill) {
        let case = case(120);
        let learned = case.fit(method, 1);
        let fill = |draw| filled(&*learned, &case.rows, draw);
        let first = fill(Some(DRAW));
        assert_eq!(first, fill(Some(DRAW)));
        assert_ne!(first, fill(Some(Draw { number: 3, ..DRAW })), "{}", method.name());
        assert_ne!(first, fill(None), "{}", method.name());
    }
}

/// The first column is told by the others: every imputer but the mean must see it.
#[test]
fn imputers_learn_from_the_other_columns() {
    // The mean looks at no other column, and AutoImpute, made for thousands of genes, gains next to nothing from three.
    let learns = |method: &&dyn Method| !["mean", "autoimpute"].contains(&method.name());
    for method in methods_for(Shape::Table, Job::Fill).filter(learns) {
        let mut case = case(400);
        let truth = case.rows.table().unwrap().clone();
        let (columns, _) = truth.widths();
        let cells = (0..400).step_by(6).map(|row| row * columns);
        let hidden: Vec<usize> = cells.filter(|&cell| truth.numbers_observed[cell]).collect();
        let holed = case.rows.table_mut().unwrap();
        hidden.iter().for_each(|&cell| holed.numbers_observed[cell] = false);
        let after = filled(&*case.fit(method, 2), &case.rows, None);
        let square = |cell: &usize| f64::from(after.numbers[*cell] - truth.numbers[*cell]).powi(2);
        let base = |cell: &usize| f64::from(truth.numbers[*cell]).powi(2);
        let ratio = hidden.iter().map(square).sum::<f64>() / hidden.iter().map(base).sum::<f64>();
        assert!(ratio < 0.75, "{}: {ratio}", method.name());
    }
}
