//! The tour on built-in data, from the first heading to the horse of which nothing is known.

use crate::bench::Bench;

#[test]
fn the_tour_shows_every_method_and_a_horse_with_fewer_and_fewer_cells() {
    let bench = Bench::new();
    let answer = bench.succeed("demo --quiet");
    assert_eq!(answer.err, "");
    // Commands to be copied are as long as they are.
    for line in answer.out.lines().filter(|line| !line.trim_start().starts_with("--")) {
        assert!(line.chars().count() <= 80, "wider than 80 columns: {line}");
    }
    let headings = [
        "1. A table with holes",
        "2. Fit a predictor",
        "3. Predict, with less",
        "4. Does the answer drift",
        "5. Fill the holes",
        "6. The same as a page",
        "What next",
    ];
    let places: Vec<usize> = headings.iter().map(|heading| answer.out.find(heading).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    for method in ["ensemble", "linear", "trees"] {
        let line = answer.out.lines().find(|line| line.starts_with(&format!("  {method} "))).unwrap();
        let loss: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        // Knowing only the shares of the classes gives 0.66.
        assert!((0.2..0.6).contains(&loss), "{line}");
    }
    let chances: Vec<f64> = answer.out[places[2]..places[3]]
        .lines()
        .filter_map(|line| line.trim_start().split_once(" %")?.0.split_whitespace().last()?.parse().ok())
        .collect();
    assert_eq!(chances.len(), 6, "one line for each number of known cells");
    assert!(chances.iter().all(|chance| (0.0..=100.0).contains(chance)), "{chances:?}");
    let left: Vec<_> =
        std::fs::read_dir(bench.path(".")).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, ["unmiss-demo.html"], "the tour leaves its page and nothing else");
}
