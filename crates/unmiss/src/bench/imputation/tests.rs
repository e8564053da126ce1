use super::*;
use crate::rng::Stream;

#[test]
fn a_small_run_stands_beside_the_peers() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("complete")).unwrap();
    let mut stream = Stream::new(1, "flowers", 0, 0);
    let lines: String = (0..120)
        .map(|row| {
            let size = stream.normal();
            let (other, noise) = (2.0 * size + 0.1 * stream.normal(), stream.normal());
            format!("{size},{other},{noise},{}\n", row % 3)
        })
        .collect();
    std::fs::write(folder.path().join("complete/iris.csv"), format!("a,b,c,class\n{lines}")).unwrap();
    let only = ["iris", "mean", "gaussian"].map(String::from).to_vec();
    let request = Request { data: folder.path().to_owned(), seeds: 2, only };
    let report = BENCH.run(&request, &Run::new(0, 1).unwrap()).unwrap();
    assert!(report.complete);
    let rows = &report.sections[0].rows;
    let of = |name: &str| {
        let row = rows.iter().find(|row| row.name == name).unwrap();
        let Cell::Figure(figure) = &row.cells[1] else { panic!("{row:?}") };
        figure.mean
    };
    assert_eq!(rows.len(), 8 + 2, "all peers have a figure on iris");
    assert!((of("mean") - 1.0).abs() < 0.35, "{}", of("mean"));
    assert!(of("gaussian") < 0.85 * of("mean"), "{} of {}", of("gaussian"), of("mean"));
}

#[test]
fn the_error_counts_hidden_cells_in_deviations() {
    let truth = Table::new(vec![Column::from_numbers("a", Kind::Real, &[0.0, 2.0, 4.0])]).unwrap();
    let filled = Table::new(vec![Column::from_numbers("a", Kind::Real, &[9.0, 2.0, 2.0])]).unwrap();
    let part = Part { truth: truth.clone(), holed: truth.into(), hidden: vec![vec![false, true, true]] };
    assert!((part.error(&filled, &[2.0]) - 0.5_f64.sqrt()).abs() < 1e-12);
}
