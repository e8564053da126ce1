use std::path::PathBuf;

use super::*;
use crate::data::{Column, Kind, ReadOptions, SAMPLES, csv_text, read};

/// A table with a skewed number, a count, two levels, three levels, and holes that go with values and with each other.
fn ward(rows: u64) -> Table {
    let mut columns: [Vec<f64>; 3] = Default::default();
    let (mut sex, mut group): (Vec<Option<&str>>, Vec<Option<&str>>) = Default::default();
    for row in 0..rows {
        let mut stream = Stream::new(3, "ward", row, 0);
        let (a, b, c) = (stream.normal(), stream.normal(), stream.normal());
        let age = (60.0 + 12.0 * a).round();
        let hidden = stream.uniform() < crate::missing::sigmoid(1.5 * a - 0.5);
        columns[0].push(age);
        columns[1].push(if hidden { f64::NAN } else { ((0.6 * a + 0.8 * b).exp() * 100.0).round() / 100.0 });
        columns[2].push(if hidden && stream.uniform() < 0.8 { f64::NAN } else { (3.0 + b + c).round() });
        sex.push(Some(if 0.8 * a + 0.6 * c > 0.4 { "m" } else { "f" }));
        let place = 0.7 * b + 0.7 * stream.normal();
        group.push(Some(if place < -0.5 {
            "zeta"
        } else if place < 0.6 {
            "alpha"
        } else {
            "mid"
        }));
    }
    let number = |name: &str, kind, values: &[f64]| Column::from_numbers(name, kind, values);
    Table::new(vec![
        number("age", Kind::Integer, &columns[0]),
        number("dose", Kind::Real, &columns[1]),
        number("stay", Kind::Integer, &columns[2]),
        Column::from_words("sex", Kind::Binary, &sex),
        Column::from_words("group", Kind::Category, &group),
    ])
    .unwrap()
}

#[test]
fn made_rows_are_like_the_table() {
    let table = ward(4000);
    let like = Like::new(&table).unwrap();
    let made = like.draw(1, 0, 4000).unwrap();
    let alike = like.alike(&made.table);
    for column in &alike.columns {
        assert!((column.missing.0 - column.missing.1).abs() < 0.03, "{column:?}");
    }
    let (values, holes) = (alike.values.unwrap(), alike.holes.unwrap());
    assert!(values.mean < 0.03 && values.largest.0 < 0.08, "{values:?}");
    assert!(holes.mean < 0.05, "{holes:?}");
    // Few levels leave little choice: made rows repeat rows as often as rows of the table repeat each other.
    let repeated = alike.repeated as f64 / 4000.0;
    assert!((repeated - alike.twins).abs() < 0.05, "{repeated} {}", alike.twins);
    for (own, made) in table.columns().iter().zip(made.table.columns()) {
        assert_eq!((&own.name, own.kind), (&made.name, made.kind));
    }
    assert!(made.full.columns().iter().all(|column| column.missing() == 0));
    let decimals = |value: &f64| (value * 100.0 - (value * 100.0).round()).abs() < 1e-6;
    assert!(made.full.columns()[1].numbers().unwrap().iter().all(decimals));
    // Holes still go with values: those who are older miss their dose more often.
    let age = made.full.columns()[0].numbers().unwrap();
    let mean = |missing: bool| {
        let rows: Vec<usize> =
            (0..4000).filter(|&row| made.table.columns()[1].observed[row] != missing).collect();
        rows.iter().map(|&row| age[row]).sum::<f64>() / rows.len() as f64
    };
    assert!(mean(true) - mean(false) > 6.0, "{} {}", mean(true), mean(false));
}

#[test]
fn rows_depend_on_their_number_alone() {
    let table = ward(300);
    let like = Like::new(&table).unwrap();
    let (all, later) = (like.draw(1, 0, 60).unwrap(), like.draw(1, 40, 20).unwrap());
    assert_eq!(csv_text(&all.table.select(&(40..60).collect::<Vec<_>>())), csv_text(&later.table));
    assert_ne!(csv_text(&like.draw(2, 0, 60).unwrap().table), csv_text(&all.table));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let elsewhere = pool.install(|| Like::new(&table).unwrap().draw(1, 0, 60).unwrap());
    assert_eq!(csv_text(&elsewhere.table), csv_text(&all.table));
}

#[test]
fn samples_and_odd_tables_are_taken() {
    for own in SAMPLES.iter().filter(|own| own.name != "films") {
        let path = PathBuf::from(format!("sample:{}", own.name));
        let table = read(&path, &ReadOptions::default()).unwrap().table;
        let like = Like::new(&table).unwrap();
        let made = like.draw(0, 0, 100).unwrap();
        assert_eq!(made.table.rows(), 100);
        like.alike(&made.table);
    }
    let odd = Table::new(vec![
        Column::from_numbers("empty", Kind::Real, &[f64::NAN; 20]),
        Column::from_numbers("flat", Kind::Integer, &[7.0; 20]),
        Column::from_words::<&str>("none", Kind::Category, &[None; 20]),
        Column::from_numbers("one", Kind::Real, &[[3.5].as_slice(), &[f64::NAN; 19]].concat()),
    ])
    .unwrap();
    let made = Like::new(&odd).unwrap().draw(0, 0, 30).unwrap().table;
    assert_eq!(made.columns()[0].missing(), 30);
    assert!(made.columns()[1].numbers().unwrap().iter().all(|value| *value == 7.0));
    assert!(Like::new(&odd.select(&[0, 1])).is_err());
}
