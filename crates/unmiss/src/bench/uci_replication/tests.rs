use std::path::Path;

use super::erased::Drift;
use super::*;
use crate::bench::{Cell, Figure};
use crate::rng::Stream;

fn small() -> Settings {
    Settings { hidden: vec![8], epochs: 5, cancer_epochs: 3 }
}

/// Made-up tables in the form of the real ones, with their names.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("complete")).unwrap();
    write(folder.path(), "complete/boston.csv", "a,b,MEDV", |row, x| format!("{x},{},{}", row % 2, 3.0 * x));
    write(folder.path(), "complete/iris.csv", "a,b,class", |row, x| {
        format!("{x},{},{}", row % 3, if x > 0.5 { "large" } else { "small" })
    });
    folder
}

fn write(folder: &Path, file: &str, header: &str, line: impl Fn(usize, f64) -> String) {
    let mut stream = Stream::new(1, file, 0, 0);
    let lines: String = (0..40).map(|row| line(row, stream.uniform()) + "\n").collect();
    std::fs::write(folder.join(file), format!("{header}\n{lines}")).unwrap();
}

fn request(folder: &Path, only: &[&str]) -> Request {
    let only = only.iter().map(|word| (*word).to_owned()).collect();
    Request { data: folder.to_owned(), seeds: 2, only }
}

#[test]
fn a_small_run_has_every_cell_and_the_same_one_for_any_threads() {
    let folder = folder();
    let request = request(folder.path(), &["boston", "iris", "r=1", "r=10"]);
    let report = measure(&request, &small(), &Run::new(0, 1).unwrap()).unwrap();
    assert!(report.complete);
    // Without r = 100 there is no Table 5.
    assert_eq!(report.sections.len(), 4);
    for section in &report.sections {
        let lines = if section.title.contains("Figure 7") { 11 } else { 12 };
        assert_eq!(section.rows.len(), lines, "{}", section.title);
        for cell in section.rows.iter().flat_map(|row| &row.cells) {
            assert!(matches!(cell, Cell::Figure(figure) if figure.values.len() == 2), "{cell:?}");
        }
    }
    assert_eq!(report.claims.len(), 16);
    let again = measure(&request, &small(), &Run::new(0, 2).unwrap()).unwrap();
    assert_eq!(again, report);
}

#[test]
fn published_figures_stand_beside_ours() {
    let folder = folder();
    let request = request(folder.path(), &["boston", "r=100", "SN, K = 1"]);
    let report = measure(&request, &small(), &Run::new(0, 1).unwrap()).unwrap();
    let row = &report.sections[0].rows[0];
    assert_eq!(row.name, "SN, K = 1");
    assert_eq!(row.cells[0], Cell::Figure(Figure::given(5.152, Some(1.271))));
    assert_eq!(row.cells[1], Cell::Figure(Figure::given(5.36, None)));
}

#[test]
fn a_stopped_run_reports_what_is_done() {
    let folder = folder();
    let run = Run::new(0, 1).unwrap();
    run.stop_switch().store(true, std::sync::atomic::Ordering::Relaxed);
    let report = measure(&request(folder.path(), &["boston", "r=1"]), &small(), &run).unwrap();
    assert!(!report.complete && report.claims.is_empty() && report.sections.is_empty());
}

#[test]
fn the_mean_predictor_knows_the_targets_alone() {
    let folder = folder();
    for data in [0, 3] {
        let sheet = DATA[data].wanted.read(folder.path()).unwrap();
        let erased = Erased::new(&sheet, 1, 4);
        let split = &erased.split;
        let expected = if data == 0 {
            let mean = |rows: &[usize], of: &dyn Fn(f64) -> f64| {
                rows.iter().map(|row| of(f64::from(sheet.targets.numbers[*row]))).sum::<f64>()
                    / rows.len() as f64
            };
            let learned = mean(&split.learning, &|value| value);
            mean(&split.test, &|value| (value - learned).powi(2)).sqrt()
        } else {
            let ones = |rows: &[usize]| rows.iter().filter(|row| sheet.targets.classes[**row] == 1).count();
            let most = usize::from(2 * ones(&split.learning) > split.learning.len());
            let right = if most == 1 { ones(&split.test) } else { split.test.len() - ones(&split.test) };
            1.0 - right as f64 / split.test.len() as f64
        };
        assert!((erased.constant_error() - expected).abs() < 1e-6, "{data}");
    }
}

#[test]
fn groups_keep_a_fifth_and_four_fifths() {
    let folder = folder();
    let sheet = DATA[0].wanted.read(folder.path()).unwrap();
    let erased = Erased::new(&sheet, 100, 4);
    let share = |wanted: bool| {
        let width = 100 * sheet.columns;
        let cells = erased.holes.observed.iter().enumerate();
        let group = cells.filter(|(place, _)| erased.dense[place / width] == wanted);
        group.filter(|(_, observed)| **observed).count() as f64 / (20 * width) as f64
    };
    assert!((share(false) - 0.2).abs() < 0.03 && (share(true) - 0.8).abs() < 0.03);
    assert_eq!(erased.split.learning.len(), 24);
}

#[test]
fn drift_is_what_dense_rows_have_beyond_the_truth() {
    let folder = folder();
    let sheet = DATA[0].wanted.read(folder.path()).unwrap();
    let erased = Erased::new(&sheet, 1, 4);
    // Right for sparse rows, 3 too high for dense ones.
    let truth = |row: usize| f64::from(sheet.targets.numbers[row]);
    let answers: Vec<f64> = erased
        .split
        .test
        .iter()
        .map(|row| truth(*row) + if erased.dense[*row] { 3.0 } else { 0.0 })
        .collect();
    let Drift { sparse, dense, drift } = erased.drift(&answers);
    assert!((drift - 3.0).abs() < 1e-9, "{drift}");
    assert!(sparse < 3.0 && dense > 3.0, "the truth lies between 0 and 3");
}
