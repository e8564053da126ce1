use super::*;
use crate::data::{Kind, Table};
use crate::missing::{Mechanism, hide, hideable};
use crate::rng::Stream;

/// Three correlated columns.
fn normal_table(rows: u64, seed: u64) -> Table {
    let column = |j: u64| {
        let cell = |row| {
            Stream::new(seed, "common", row, 0).normal() + Stream::new(seed, "own", row, 1 + j).normal()
        };
        Column::from_numbers(format!("x{j}"), Kind::Real, &(0..rows).map(cell).collect::<Vec<_>>())
    };
    Table::new((0..3).map(column).collect()).unwrap()
}

fn p_value(table: &Table) -> f64 {
    let columns: Vec<&Column> = table.columns().iter().collect();
    test(&columns, table.rows()).result.unwrap().p_value
}

#[test]
fn agrees_with_a_reference() {
    const NAN: f64 = f64::NAN;
    let columns = [
        [
            9.5, NAN, 8.8, NAN, 10.4, NAN, 8.0, 9.2, 10.6, 10.8, 10.0, NAN, 9.6, 11.6, 10.3, 8.0, 10.0, 7.9,
            10.0, 8.7, NAN, 10.3, 9.9, 8.5,
        ],
        [
            0.0, -2.3, -0.2, NAN, NAN, NAN, -0.3, -0.7, NAN, NAN, -0.6, NAN, -0.1, NAN, 0.2, -1.9, -0.9,
            -2.4, -1.0, -0.1, -0.1, NAN, 1.3, -2.4,
        ],
        [
            -5.9, -4.5, -3.3, NAN, -1.6, -2.0, -5.0, -6.4, -1.0, -2.8, -0.8, -3.4, NAN, -1.9, -2.0, -4.4,
            -1.9, -5.8, -4.9, NAN, -5.3, -3.0, -3.7, -3.9,
        ],
    ];
    let columns: Vec<Column> = columns
        .iter()
        .zip(["a", "b", "c"])
        .map(|(x, name)| Column::from_numbers(name, Kind::Real, x))
        .collect();
    let little = test(&columns.iter().collect::<Vec<_>>(), 24);
    let result = little.result.unwrap();
    // Expectation-maximisation row by row in NumPy, without patterns, to a tolerance of 1e-12. The same
    // script gives 35.106 with 14 degrees of freedom for R's airquality.
    assert!((result.statistic - 12.722_337).abs() < 1e-4, "{result:?}");
    assert_eq!(result.degrees_of_freedom, 7.0);
    assert!((result.p_value - 0.079_169_6).abs() < 1e-5, "{result:?}");
    assert_eq!((little.rows, little.patterns), (23, 5));
}

#[test]
fn at_five_percent_about_five_percent_of_random_holes_are_rejected() {
    let rejected = (0..200)
        .filter(|&seed| {
            let table = normal_table(150, seed);
            let holes = hide(&table, &Mechanism::Mcar(0.2), &hideable(&table, &[]), seed).unwrap();
            p_value(&holes.table) < 0.05
        })
        .count();
    assert!((2..=24).contains(&rejected), "{rejected} of 200");
}

#[test]
fn holes_that_depend_on_another_column_are_found() {
    let found = (0..20).filter(|&seed| {
        let table = normal_table(300, seed);
        let holes = hide(&table, &Mechanism::Mar(0.3), &hideable(&table, &[]), seed).unwrap();
        p_value(&holes.table) < 0.05
    });
    assert!(found.count() >= 19);
}

#[test]
fn copies_and_constants_are_left_out_and_named() {
    let table = normal_table(100, 1);
    let holes = hide(&table, &Mechanism::Mcar(0.2), &["x0".to_owned()], 1).unwrap().table;
    let mut columns: Vec<Column> = holes.columns().to_vec();
    let mut copy = columns[1].clone();
    copy.name = "copy".to_owned();
    columns.push(copy);
    columns.push(Column::from_numbers("flat", Kind::Real, &[7.0; 100]));
    let result = test(&columns.iter().collect::<Vec<_>>(), 100);
    assert!(result.result.is_some());
    assert_eq!(result.columns, ["x0", "x1", "x2"]);
    assert!(result.remarks.iter().any(|remark| remark.contains("`copy`")), "{:?}", result.remarks);
}

#[test]
fn without_holes_it_says_why_there_is_no_result() {
    let table = normal_table(50, 1);
    let result = test(&table.columns().iter().collect::<Vec<_>>(), 50);
    assert!(result.result.is_none());
    assert!(result.reason.unwrap().contains("no numeric"));
    assert!(test(&[], 0).reason.is_some());
}
