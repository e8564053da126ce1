use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::data::{Column, Table};
use crate::error::Error;

const MARKET: &str =
    "%%MatrixMarket matrix coordinate integer general\n%a comment\n3 2 4\n1 1 5\n3 1 2\n2 2 7\n3 2 1\n";

fn written(name: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn read_as(name: &str, text: &str, options: &CountsOptions) -> crate::error::Result<Counts> {
    let (_folder, path) = written(name, text);
    read(&path, options)
}

fn numbers(counts: &Counts) -> Vec<Vec<f64>> {
    let row = |cell: usize| (0..counts.genes.len()).map(|gene| counts.count(cell, gene)).collect();
    (0..counts.cells.len()).map(row).collect()
}

/// Two cells and three genes, however they lie in the file.
#[test]
fn the_same_counts_from_every_form() {
    let expected = vec![vec![5.0, 0.0, 2.0], vec![0.0, 7.0, 1.0]];
    let plain = CountsOptions::default();
    let turned = CountsOptions { transposed: true, ..plain.clone() };
    assert_eq!(numbers(&read_as("m.mtx", MARKET, &plain).unwrap()), expected);
    let table = "cell,a,b,c\nx,5,0,2\ny,0,7,1\n";
    let counts = read_as("t.csv", table, &plain).unwrap();
    assert_eq!(
        (counts.cells.as_slice(), counts.genes.as_slice()),
        (&["x", "y"].map(String::from)[..], &["a", "b", "c"].map(String::from)[..])
    );
    assert_eq!(numbers(&counts), expected);
    assert_eq!(read_as("r.csv", "\"a\",\"b\",\"c\"\n\"x\",5,0,2\n\"y\",0,7,1\n", &plain).unwrap(), counts);
    assert_eq!(read_as("g.tsv", "gene\tx\ty\na\t5\t0\nb\t0\t7\nc\t2\t1.0\n", &turned).unwrap(), counts);
    let labelled = CountsOptions { ignored: vec!["label".into()], ..plain.clone() };
    assert_eq!(read_as("l.csv", "cell,a,b,c,label\nx,5,0,2,old\ny,0,7,1,new\n", &labelled).unwrap(), counts);
    let genes = CountsOptions { ignored: vec!["label".into()], ..turned };
    assert_eq!(read_as("l.csv", "gene,x,y\na,5,0\nlabel,old,new\nb,0,7\nc,2,1\n", &genes).unwrap(), counts);
}

#[test]
fn a_folder_of_10x_has_names() {
    let (folder, path) = written("matrix.mtx", MARKET);
    std::fs::write(folder.path().join("genes.tsv"), "E1\tGATA\nE2\tSOX\nE3\tSOX\n").unwrap();
    std::fs::write(folder.path().join("barcodes.tsv"), "AAA-1\nCCC-1\n").unwrap();
    for path in [folder.path(), &path] {
        let counts = read(path, &CountsOptions::default()).unwrap();
        assert_eq!(counts.cells, ["AAA-1", "CCC-1"]);
        assert_eq!(counts.genes, ["GATA", "E2", "E3"], "a symbol that is there twice is told by its id");
    }
    std::fs::write(folder.path().join("barcodes.tsv"), "AAA-1\n").unwrap();
    let error = read(folder.path(), &CountsOptions::default()).unwrap_err();
    assert!(error.to_string().contains("there are 1 names, and 2 in"), "{error}");
    let empty = tempfile::tempdir().unwrap();
    assert!(read(empty.path(), &CountsOptions::default()).unwrap_err().to_string().contains("no matrix.mtx"));
}

#[test]
fn what_can_t_be_counts_is_refused_with_its_place() {
    let refused =
        |name: &str, text: &str| -> Error { read_as(name, text, &CountsOptions::default()).unwrap_err() };
    let told = |text: &str| refused("m.mtx", text).to_string();
    assert!(told(&MARKET.replace("integer", "complex")).contains("complex general` is not read"));
    assert!(told(&MARKET.replace("3 2 4", "3 2 5")).contains("5 entries are announced, and 4 are there"));
    assert!(
        told(&MARKET.replace("3 1 2", "4 1 2")).contains("m.mtx, line 5: `4 1 2`"),
        "{}",
        told(&MARKET.replace("3 1 2", "4 1 2"))
    );
    assert!(told(&MARKET.replace("3 1 2", "1 1 2")).contains("is there twice"));
    assert!(told(&MARKET.replace("3 2 4", "99999999999 2 4")).contains("more than can be read"));
    let error = refused("t.csv", "cell,a,label\nx,5,old\n");
    assert!(error.to_string().contains("line 2, column `label`: `old` is not a count"), "{error}");
    assert!(error.hint_text().contains("--ignore"));
    assert!(refused("t.csv", "cell,a\nx,5\ny,1,2\n").to_string().contains("line 3: this row has 3 cells"));
    assert!(refused("t.csv", "cell,a\n").to_string().contains("no counts"));
    let options = CountsOptions { ignored: vec!["lable".into()], ..CountsOptions::default() };
    let error = read_as("t.csv", "cell,a,label\nx,5,1\n", &options).unwrap_err();
    assert_eq!(error.hint_text(), "did you mean `label`?");
    assert!(read(Path::new("/nowhere/m.mtx"), &CountsOptions::default()).is_err());
}

#[test]
fn a_first_column_of_counts_is_no_column_of_names() {
    let plain = CountsOptions::default();
    let counts = read_as("u.csv", "g1,g2\n0,1.5\n0,2\n3.5,0\n", &plain).unwrap();
    assert!(counts.unnamed);
    assert_eq!(
        (counts.cells.join(","), counts.genes.join(",")),
        ("row 1,row 2,row 3".into(), "g1,g2".into())
    );
    assert_eq!(numbers(&counts), [[0.0, 1.5], [0.0, 2.0], [3.5, 0.0]]);
    let turned = CountsOptions { transposed: true, ..plain.clone() };
    assert_eq!(read_as("u.csv", "x,y\n0,1\n0,2\n", &turned).unwrap().cells, ["x", "y"]);
    for named in ["cell,a\n0,1\n0,2\n", "n,a\n1,5\n2,6\n", "a\n0,1\n0,2\n", "n,a\nx,0\nx,1\n"] {
        let counts = read_as("n.csv", named, &plain).unwrap();
        assert!(!counts.unnamed && counts.genes == ["a"], "{named}");
    }
    let prepared = Preparation { least_cells: None, ..Preparation::default() }.prepare(&counts).unwrap();
    assert!(prepared.notes[0].contains("rows are numbered") && prepared.notes[1].contains("--no-log"));
    assert!(Preparation::default().prepare(&small()).unwrap().notes.is_empty());
}

#[test]
fn numbers_below_0_and_empty_cells_are_told_with_what_to_do() {
    let refused = |name: &str, text: &str| read_as(name, text, &CountsOptions::default()).unwrap_err();
    let error = refused("t.csv", "cell,a\nx,-1.5\n");
    assert!(error.to_string().contains("line 2, column `a`: `-1.5` is below 0"), "{error}");
    assert!(refused("m.mtx", &MARKET.replace("3 1 2", "3 1 -2")).to_string().contains("below 0"));
    for empty in ["", "NA"] {
        let error = refused("t.csv", &format!("cell,a,b\nx,{empty},1\n"));
        assert_eq!(error.hint_text(), "write 0 where nothing was counted", "{error}");
    }
}

/// Five cells; gene `a` is counted, `b` too seldom, `c` and `d` in all.
fn small() -> Counts {
    let text = "cell,a,b,c,d\n1,4,0,4,8\n2,4,9,8,4\n3,0,0,4,8\n4,4,2,4,8\n5,8,0,12,12\n";
    read_as("s.csv", text, &CountsOptions::default()).unwrap()
}

fn column<'a>(table: &'a Table, name: &str) -> &'a Column {
    table.column(name).unwrap()
}

#[test]
fn counts_are_filtered_made_of_one_size_and_logged() {
    let prepared = Preparation::default().prepare(&small()).unwrap();
    assert_eq!((prepared.genes, prepared.counted, prepared.zeros), (4, 3, 1));
    // Sums of a, c, d: 16, 16, 12, 16, 32; the median is 16.
    let a = column(&prepared.table, "a");
    let expected: Vec<f64> =
        [4.0, 4.0, 0.0, 4.0, 4.0].iter().map(|x: &f64| ((x + 1.0).log2() * 1e6).round() / 1e6).collect();
    assert_eq!(a.numbers().unwrap(), expected);
    assert_eq!(a.observed, [true; 5], "a zero is a count unless it is said to be none");
    let missing = Preparation { zeros: Zeros::Missing, ..Preparation::default() };
    let table = missing.prepare(&small()).unwrap().table;
    assert_eq!(column(&table, "a").observed, [true, true, false, true, true]);
    let raw = Preparation { normalize: false, log: false, least_cells: None, ..Preparation::default() };
    let table = raw.prepare(&small()).unwrap().table;
    assert_eq!(column(&table, "b").numbers().unwrap(), [0.0, 9.0, 0.0, 2.0, 0.0]);
    let none = Preparation { least_cells: Some(5), ..Preparation::default() };
    assert!(none.prepare(&small()).unwrap_err().hint_text().contains("--transpose"));
}

#[test]
fn the_genes_that_stand_out_among_their_like_are_kept() {
    // Two hundred genes of like mean; the last varies most.
    let header: String = (0..200).map(|gene| format!(",g{gene}")).collect();
    let row = |cell: usize| {
        let counts = (0..200).map(|gene| match gene {
            199 => format!(",{}", if cell.is_multiple_of(2) { 40 } else { 4 }),
            gene => format!(",{}", 20 + (cell * (gene + 3)) % 5),
        });
        format!("{cell}{}\n", counts.collect::<String>())
    };
    let text = format!("cell{header}\n{}", (0..8).map(row).collect::<String>());
    let counts = read_as("v.csv", &text, &CountsOptions::default()).unwrap();
    let few = Preparation { genes: Some(3), ..Preparation::default() };
    let table = few.prepare(&counts).unwrap().table;
    assert_eq!(table.columns().len(), 4);
    assert!(table.column("g199").is_ok());
}

#[test]
fn names_are_made_distinct() {
    let text = "cell,a,a,cell\n1,4,4,5\n2,5,6,5\n3,4,4,4\n4,9,9,8\n";
    let counts = read_as("d.csv", text, &CountsOptions::default()).unwrap();
    let names: Vec<String> = Preparation::default()
        .prepare(&counts)
        .unwrap()
        .table
        .columns()
        .iter()
        .map(|column| column.name.clone())
        .collect();
    assert_eq!(names, ["cell", "a", "a (2)", "cell (2)"]);
}

proptest! {
    /// Nothing that a file may hold ends in a panic.
    #[test]
    fn any_text_is_read_or_refused(text in "[%0-9a-z,\\. \n\t\"-]{0,80}", market in any::<bool>()) {
        let text = if market { format!("%%MatrixMarket matrix coordinate real general\n{text}") } else { text };
        let _ = read_as("any.txt", &text, &CountsOptions::default());
    }
}
