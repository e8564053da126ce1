use super::*;
use crate::data::{Column, Kind};

const ROWS: usize = 4000;

/// Six normal columns with some holes, a category, a text.
fn table() -> Table {
    let mut columns: Vec<Column> = (0..6)
        .map(|column| {
            let mut numbers: Vec<f64> =
                (0..ROWS).map(|row| 50.0 + 9.0 * Stream::new(1, "x", row as u64, column).normal()).collect();
            if column > 2 {
                numbers.iter_mut().step_by(7).for_each(|value| *value = f64::NAN);
            }
            Column::from_numbers(format!("x{column}"), Kind::Real, &numbers)
        })
        .collect();
    let words: Vec<Option<&str>> = (0..ROWS).map(|row| Some(["red", "green", "blue"][row % 3])).collect();
    columns.push(Column::from_words("colour", Kind::Category, &words));
    columns.push(Column {
        name: "note".to_owned(),
        kind: Kind::Text,
        values: Values::Texts(vec!["seen".to_owned(); ROWS]),
        observed: vec![true; ROWS],
    });
    Table::new(columns).unwrap()
}

#[test]
fn the_rate_holds_in_every_column() {
    let table = table();
    for how in ["mcar:0.3", "mar:0.3", "self-logistic:0.6", "self-gaussian:0.5", "self-probit:0.2"] {
        let mechanism: Mechanism = how.parse().unwrap();
        let holes = hide(&table, &mechanism, &hideable(&table, &[]), 5).unwrap();
        for rate in holes.rates.iter().filter(|rate| !rate.spared) {
            // Normal columns only where the rate is promised for those alone.
            if rate.name == "colour" && matches!(how, "self-gaussian:0.5" | "self-probit:0.2") {
                continue;
            }
            let error = (mechanism.rate() * (1.0 - mechanism.rate()) / rate.known as f64).sqrt();
            let off = (rate.rate() - mechanism.rate()).abs();
            assert!(off < 3.0 * error, "{how} {}: off by {off}, error {error}", rate.name);
        }
        assert_eq!(holes.rates.len(), 7);
        assert_eq!(holes.rates.iter().filter(|rate| rate.spared).count(), usize::from(how == "mar:0.3"));
    }
}

#[test]
fn only_known_cells_of_chosen_columns_are_hidden() {
    let table = table();
    let chosen = ["x4".to_owned(), "colour".to_owned()];
    let holes = hide(&table, &Mechanism::Mcar(0.5), &chosen, 5).unwrap();
    for (position, (before, after)) in table.columns().iter().zip(holes.table.columns()).enumerate() {
        for row in 0..ROWS {
            let hidden = holes.hidden[position][row];
            assert_eq!(after.observed[row], before.observed[row] && !hidden);
            assert!(!hidden || (before.observed[row] && chosen.contains(&before.name)));
            if !hidden {
                assert_eq!(after.cell(row), before.cell(row));
            }
        }
    }
}

#[test]
fn mcar_does_not_look_at_values() {
    let table = table();
    let holes = hide(&table, &Mechanism::Mcar(0.5), &hideable(&table, &[]), 6).unwrap();
    let values = table.columns()[0].numbers().unwrap();
    let mean = |hidden: bool| {
        let some: Vec<f64> =
            (0..ROWS).filter(|&row| holes.hidden[0][row] == hidden).map(|row| values[row]).collect();
        some.iter().sum::<f64>() / some.len() as f64
    };
    let error = 9.0 * (4.0 / ROWS as f64).sqrt();
    assert!((mean(true) - mean(false)).abs() < 3.0 * error);
}

#[test]
fn same_seed_same_mask_whatever_else_is_chosen() {
    let table = table();
    let (one, all) = (["x1".to_owned()], hideable(&table, &["x0"]));
    let hidden = |columns: &[String], seed| {
        hide(&table, &Mechanism::SelfLogistic(0.4), columns, seed).unwrap().hidden[1].clone()
    };
    assert_eq!(hidden(&one, 9), hidden(&all, 9));
    assert_ne!(hidden(&one, 9), hidden(&one, 10));
}

#[test]
fn names_and_rates_are_checked() {
    for good in ["mcar:0.3", "self-gaussian:0.25"] {
        assert_eq!(good.parse::<Mechanism>().unwrap().to_string(), good);
    }
    for bad in ["mcar", "mcar:", "mcar:1", "mcar:0", "mcar:NaN", "mcar:-0.1", "mcra:0.3", ""] {
        assert!(bad.parse::<Mechanism>().is_err(), "{bad}");
    }
    assert_eq!("mcra:0.3".parse::<Mechanism>().unwrap_err().hint_text(), "did you mean `mcar:0.3`?");
    let table = table();
    assert!(hide(&table, &Mechanism::Mcar(1.5), &hideable(&table, &[]), 1).is_err());
    assert!(hide(&table, &Mechanism::Mcar(0.5), &["note".to_owned()], 1).is_err());
    assert!(hide(&table, &Mechanism::Mcar(0.5), &[], 1).is_err());
}
