//! Counts of genes in single cells: read in either direction, prepared, filled.

use crate::bench::{Bench, assert_kept};

/// Twelve cells and eight genes; every third count is zero.
fn count(cell: usize, gene: usize) -> usize {
    if (cell + 2 * gene).is_multiple_of(3) { 0 } else { 3 + (cell * 5 + gene * 7) % 11 * (1 + gene % 3) }
}

fn market() -> String {
    let mut entries = Vec::new();
    for gene in 0..8 {
        for cell in 0..12 {
            if count(cell, gene) > 0 {
                entries.push(format!("{} {} {}\n", gene + 1, cell + 1, count(cell, gene)));
            }
        }
    }
    format!("%%MatrixMarket matrix coordinate integer general\n8 12 {}\n{}", entries.len(), entries.concat())
}

#[test]
fn counts_become_a_table_that_can_be_filled() {
    let bench = Bench::new();
    bench.write("matrix.mtx", market());
    bench.write("genes.tsv", (0..8).map(|gene| format!("E{gene}\tG{gene}\n")).collect::<String>());
    bench.write("barcodes.tsv", (0..12).map(|cell| format!("cell-{cell}\n")).collect::<String>());
    let lines = [
        "counts matrix.mtx -o known.csv",
        "counts matrix.mtx -o cells.csv --zeros missing --genes 6",
        "counts matrix.mtx -o other.csv --transpose",
        "counts nowhere.mtx -o other.csv",
        "counts --help",
    ];
    assert_kept("counts", &bench.transcripts(lines));
    let table = bench.text("cells.csv");
    assert_eq!(table.lines().count(), 13);
    assert!(table.lines().nth(1).unwrap().starts_with("cell-0,"), "{table}");
    assert!(table.contains(",,") && !bench.text("known.csv").contains(",,"));
    for method in ["low-rank", "autoimpute --set hidden=8 --set epochs=3"] {
        bench.succeed(&format!("impute cells.csv -o full.csv --ignore cell --method {method}"));
        assert!(!bench.text("full.csv").contains(",,"), "{method}");
    }
}

#[test]
fn a_file_without_names_loses_no_gene() {
    let bench = Bench::new();
    let rows: String = (1..9).map(|cell| format!("0,{cell}.5,{}\n", cell * 3)).collect();
    bench.write("plain.csv", format!("g1,g2,g3\n{rows}"));
    let said = bench.succeed("counts plain.csv -o cells.csv --no-filter");
    assert!(
        said.err.contains("rows are numbered") && said.err.contains("--no-normalize --no-log"),
        "{}",
        said.err
    );
    assert!(bench.text("cells.csv").starts_with("cell,g1,g2,g3\nrow 1,"));
    bench.write("scaled.csv", "cell,a\nx,-0.5\n");
    let refused = bench.run("counts scaled.csv -o cells.csv");
    assert!(refused.code == 1 && refused.err.contains("below 0, which no count is"), "{}", refused.err);
}
