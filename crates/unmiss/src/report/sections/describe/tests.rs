use super::*;
use crate::data::Kind;
use crate::missing;
use crate::report::Page;
use crate::report::text::figure;

/// A table with odd names and many holes.
fn table(columns: usize, rows: usize) -> Table {
    let cell = |row: usize, j: usize| {
        if (row * (j + 3)) % 7 < j % 5 { f64::NAN } else { (row * j) as f64 * 1e5 }
    };
    let name = |j: usize| format!("{}{j}", ["<script>alert(1)</script>", "体温の平均値", "a\nb", "`"][j % 4]);
    let numbers = |j: usize| (0..rows).map(|row| cell(row, j)).collect::<Vec<f64>>();
    let mut all: Vec<Column> =
        (0..columns).map(|j| Column::from_numbers(name(j), Kind::Real, &numbers(j))).collect();
    let word = |row: usize| Some(["<b>", "no", "yes", "later", "never"][row % 5]);
    all.push(Column::from_words("y", Kind::Category, &(0..rows).map(word).collect::<Vec<_>>()));
    Table::new(all).unwrap()
}

#[test]
fn odd_tables_have_pages_too_and_pages_stay_small() {
    for (columns, rows) in [(90, 400), (5, 40), (1, 3), (3, 1), (4, 0), (0, 0)] {
        let table = table(columns, rows);
        for target in [None, Some("y")] {
            let description = missing::describe(&table, target).unwrap();
            let sections = describe(&table, &description).unwrap();
            let html = Page::new("holes").sections(sections).html();
            assert!(!html.contains("<script") && !html.contains("NaN"), "{columns} {rows}");
            assert!(html.len() < 1_500_000, "{} bytes", html.len());
        }
    }
}

#[test]
fn charts_show_the_numbers_of_the_description() {
    let table = table(6, 200);
    let description = missing::describe(&table, Some("y")).unwrap();
    let chart = shares(&description).unwrap();
    let holes = description.columns.iter().filter(|column| column.missing > 0).count();
    assert_eq!(chart.numbers.rows.len(), holes);
    let first = description.columns.iter().max_by_key(|column| column.missing).unwrap();
    assert_eq!(chart.numbers.rows[0][1], format!("{:.1} %", 100.0 * first.share));
    let bars = known_cells(&description).unwrap().numbers.rows;
    let rows: Vec<String> =
        description.known_cells.histogram.iter().map(|bar| figure(bar.rows as f64)).collect();
    assert_eq!(bars.iter().map(|bar| bar[1].clone()).collect::<Vec<_>>(), rows);
}
