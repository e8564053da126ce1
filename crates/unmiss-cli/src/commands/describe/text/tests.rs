use super::*;
use unmiss::data::{Column, Kind, Table};
use unmiss::missing::describe;

/// A table with long, wide and odd column names; `classes` of the target, 0 for a number.
fn table(columns: usize, rows: usize, classes: usize) -> Table {
    let names = ["temperature", "体温の平均値体温の平均値体温の平均値体温の平均値", "a\nb\tc", "é"];
    let cell = |row: usize, j: usize| {
        if (row * (j + 3)) % 7 < j % 5 { f64::NAN } else { (row * j) as f64 * 1e5 }
    };
    let mut all: Vec<Column> = (0..columns)
        .map(|j| {
            let numbers: Vec<f64> = (0..rows).map(|row| cell(row, j)).collect();
            let name = format!("{}{j}{}", names[j % 4], "_long".repeat(j % 23));
            Column::from_numbers(name, Kind::Real, &numbers)
        })
        .collect();
    let target = "the outcome of treatment after twelve months of observation in the ward at home";
    all.push(if classes == 0 {
        let numbers: Vec<f64> = (0..rows).map(|row| (row * row) as f64 * 1234.567).collect();
        Column::from_numbers(target, Kind::Real, &numbers)
    } else {
        let word = |row: usize| Some(format!("class with a rather long name {}", row % classes));
        Column::from_words(target, Kind::Category, &(0..rows).map(word).collect::<Vec<_>>())
    });
    Table::new(all).unwrap()
}

#[test]
fn no_line_is_wider_than_80_columns() {
    for (columns, rows, classes) in [(60, 120, 0), (60, 120, 2), (9, 120, 7), (1, 3, 0), (4, 0, 0), (0, 0, 0)]
    {
        let table = table(columns, rows, classes);
        let target = table.columns().last().map(|column| column.name.clone());
        for target in [None, target.as_deref()] {
            let text = page(&describe(&table, target).unwrap(), &"folder/".repeat(20));
            for line in text.lines() {
                assert!(width(line) <= WIDTH, "{} wide: {line}", width(line));
            }
            assert!(text.contains("What to know"));
        }
    }
}

#[test]
fn long_lists_say_how_many_more_there_are() {
    let names: Vec<String> = (0..100).map(|j| format!("column{j}")).collect();
    let text = list(&names, 40);
    assert!(width(&text) <= 40 && text.ends_with(" more"), "{text}");
    let long = vec!["x".repeat(200), "y".repeat(200), "z".to_owned()];
    assert!(
        width(&list(&long, 57)) <= 57 && list(&long, 57).ends_with("x and 2 more"),
        "{}",
        list(&long, 57)
    );
    assert_eq!(pair("age", "height", 20), "age, height");
    assert_eq!(pair("age", &"h".repeat(40), 20), format!("age, {}…{}", "h".repeat(6), "h".repeat(8)));
    assert_eq!(width(&pair(&"a".repeat(40), &"b".repeat(40), 20)), 20);
}
