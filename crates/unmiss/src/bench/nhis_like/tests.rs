use super::*;
use crate::rng::Stream;

#[test]
fn a_small_run_has_every_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("physionet2012")).unwrap();
    let mut stream = Stream::new(1, "patients", 0, 0);
    let mut line = |row: usize| {
        let (age, ph) = (stream.uniform(), stream.uniform());
        let ph_cell = if stream.uniform() < 0.3 { String::new() } else { ph.to_string() };
        format!("{row},{},{age},{ph_cell},{}\n", if row < 40 { "a" } else { "b" }, u8::from(age > 0.6))
    };
    let lines: String = (0..80).map(&mut line).collect();
    let text = format!("RecordID,set,Age,pH,In-hospital_death\n{lines}");
    std::fs::write(folder.path().join("physionet2012/tabular_means.csv"), text).unwrap();
    let request = Request { data: folder.path().to_owned(), seeds: 2, only: Vec::new() };
    let settings = Settings { hidden: vec![6], epochs: 30 };
    let report = measure(&request, &settings, &Run::new(0, 1).unwrap()).unwrap();
    assert!(report.complete);
    let rows = &report.sections[0].rows;
    assert_eq!(rows.len(), 13);
    for row in rows {
        let Cell::Figure(figure) = &row.cells[1] else { panic!("{row:?}") };
        assert!(figure.values.iter().all(|area| (0.0..=1.0).contains(area)), "{row:?}");
    }
    assert_eq!(report.claims.len(), 10);
}

#[test]
fn classes_weigh_the_same() {
    let targets = Targets {
        task: Task::Classification { classes: 2 },
        numbers: Vec::new(),
        classes: vec![0, 0, 0, 1],
        weights: vec![1.0; 4],
    };
    let weights = balanced(&targets, &[0, 1, 2, 3]).weights;
    assert!((weights[..3].iter().sum::<f32>() - weights[3]).abs() < 1e-6);
}

#[test]
fn published_gains_are_those_of_the_table() {
    assert_eq!(published_gains(1), "+.0049 to +.0162");
}
