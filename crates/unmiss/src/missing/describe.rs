//! Describes the holes of a table, part by part, and puts them into words.

use super::description::{ColumnHoles, Description};
use super::{dependence, known, little, patterns, target, together, values, words};
use crate::data::{Column, Table};
use crate::error::Result;

/// Describes the holes of a table.
///
/// # Errors
/// When there is no column of the target's name, or the target is text or a date.
pub fn describe(table: &Table, target: Option<&str>) -> Result<Description> {
    let target = target.map(|name| table.column(name)).transpose()?;
    let is_target = |column: &&Column| target.is_some_and(|target| target.name == column.name);
    let columns: Vec<&Column> = table.columns().iter().filter(|column| !is_target(column)).collect();
    let rows = table.rows();

    let known = known::count(&columns, rows);
    let indicators = together::indicators(&columns, rows);
    let mut description = Description {
        findings: Vec::new(),
        notes: Vec::new(),
        warnings: Vec::new(),
        rows,
        missing_cells: columns.iter().map(|column| column.missing()).sum(),
        complete_rows: known.iter().filter(|known| **known as usize == columns.len()).count(),
        columns: columns.iter().map(|column| holes(column)).collect(),
        patterns: patterns::summarise(&columns, rows),
        together: together::summarise(&columns, &indicators, rows),
        known_cells: known::summarise(&known, columns.len()),
        little: little::test(&columns, rows),
        dependences: dependence::find(&columns, &indicators, rows),
        target: target.map(|target| target::describe(target, &columns, &known, &indicators)).transpose()?,
    };
    description.findings = words::findings(&description);
    description.warnings = words::warnings(&description);
    Ok(description)
}

fn holes(column: &Column) -> ColumnHoles {
    let missing = column.missing();
    ColumnHoles {
        name: column.name.clone(),
        kind: column.kind,
        values: values::in_short(column),
        missing,
        share: missing as f64 / column.rows().max(1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;
    use crate::missing::{Mechanism, hide, hideable};
    use crate::rng::Stream;

    fn table(rows: u64) -> Table {
        let numbers = |j| (0..rows).map(|row| Stream::new(6, "x", row, j).normal()).collect::<Vec<_>>();
        let mut columns: Vec<Column> =
            (0..4).map(|j| Column::from_numbers(format!("x{j}"), Kind::Real, &numbers(j))).collect();
        columns.push(Column::from_numbers("y", Kind::Real, &numbers(9)));
        Table::new(columns).unwrap()
    }

    #[test]
    fn counts_add_up_and_leave_the_target_out() {
        let table = table(200);
        let hidden = hide(&table, &Mechanism::Mcar(0.25), &hideable(&table, &[]), 3).unwrap();
        let found = describe(&hidden.table, Some("y")).unwrap();
        assert_eq!(found.columns.len(), 4);
        assert_eq!(found.missing_cells, hidden.rates[..4].iter().map(|rate| rate.hidden).sum::<usize>());
        assert_eq!(found.target.as_ref().unwrap().missing, hidden.rates[4].hidden);
        let bars = &found.known_cells.histogram;
        assert_eq!(bars.iter().map(|bar| bar.rows).sum::<usize>(), 200);
        assert_eq!(bars.last().unwrap().rows, found.complete_rows);
        assert!(found.little.result.unwrap().p_value > 0.01);
        assert!(!found.findings.is_empty());
        let json = serde_json::to_value(&found).unwrap();
        assert_eq!(json["columns"][0]["name"], "x0");
    }

    #[test]
    fn odd_tables_are_described_too() {
        for table in [
            Table::new(Vec::new()).unwrap(),
            Table::new(vec![Column::from_numbers("a", Kind::Real, &[])]).unwrap(),
            Table::new(vec![Column::from_numbers("a", Kind::Real, &[f64::NAN])]).unwrap(),
            Table::new(vec![Column::from_numbers("a", Kind::Real, &[f64::NAN, 1.0])]).unwrap(),
            table(3),
        ] {
            let found = describe(&table, None).unwrap();
            assert!(!found.findings.is_empty());
            let name = table.columns().first().map(|column| column.name.clone());
            if let Some(name) = name {
                describe(&table, Some(&name)).unwrap();
            }
        }
        assert!(describe(&table(3), Some("z")).is_err());
    }

    #[test]
    fn the_text_names_what_matters() {
        let mut table = table(400);
        // x1 is missing where x0 is high; y is larger there.
        let high: Vec<bool> = table.columns()[0].numbers().unwrap().iter().map(|x| *x > 0.5).collect();
        for (row, high) in high.iter().enumerate() {
            table.columns_mut()[1].observed[row] = !high;
            if let crate::data::Values::Numbers(values) = &mut table.columns_mut()[4].values {
                values[row] += f64::from(*high);
            }
        }
        let text = describe(&table, Some("y")).unwrap().findings.join(" ");
        for expected in ["not missing completely at random", "`x0`", "`x1`", "goes with the target"] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
}
