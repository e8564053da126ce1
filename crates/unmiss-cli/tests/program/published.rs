//! `unmiss bench`: the list, what it asks for, and a small table from end to end.

use crate::bench::{Bench, assert_kept};

#[test]
fn the_list_and_what_is_missing() {
    let bench = Bench::new();
    let lines = [
        "bench",
        "bench uci-dropuot",
        "bench uci-dropout",
        "bench nhis-like --data .",
        "bench uci-replication --data . --only bosten",
        "bench theorems --seeds 0",
        "bench theorems --json nowhere/out.json",
    ];
    assert_kept("bench", &bench.transcripts(lines));
}

#[test]
fn a_small_table_is_printed_and_written() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("complete")).unwrap();
    let line = |row: usize| format!("{},{},{}\n", row % 7, row % 5, row % 7 + row % 5);
    let lines: String = (0..40).map(line).collect();
    bench.write("complete/boston.csv", format!("a,b,MEDV\n{lines}"));
    let answer = bench.succeed(
        "bench uci-replication --data . --only boston --only r=1 --only r=10 --only zero --only mean --seeds 2 \
         --threads 2 --json out.json",
    );
    assert!(answer.out.contains("boston: RMSE over r (Figures 2 and 6)"), "{}", answer.out);
    assert!(answer.out.lines().all(|line| line.chars().count() <= 100), "{}", answer.out);
    let json: serde_json::Value = serde_json::from_slice(&bench.bytes("out.json")).unwrap();
    assert_eq!(json["complete"], true);
    let cell = &json["sections"][0]["rows"][0]["cells"][1];
    assert_eq!(cell["values"].as_array().unwrap().len(), 2, "{cell}");
}
