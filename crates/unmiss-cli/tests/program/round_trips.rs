//! What is written can be relied on: the same seed gives the same bytes, and hiding touches nothing else.

use crate::bench::{Bench, ward};

/// A table with everything that a writer could be tempted to tidy up.
const UNTIDY: &str = "name; size ;\"a \"\"quoted\"\" name\";code;date\r\n\
    \"Smith; J.\"; 1.50 ;x;007;2024-01-02\r\n\
    \" padded \";2.0e0;\"y\";010;2024-01-03\r\n\
    plain;+3;\"two\r\nlines\";NA;2024-01-04\r\n\
    other;.5;x;?;\r\n\
    last;1e3;y;012;2024-01-06\r\n";

#[test]
fn hiding_leaves_every_other_cell_as_it_is() {
    let bench = Bench::new();
    bench.write("untidy.csv", UNTIDY);
    bench.succeed("hide untidy.csv --how mcar:0.4 --columns code -o out.csv --truth truth.csv --seed 1");
    // Putting back what was hidden gives the file itself, byte for byte.
    let truth = bench.text("truth.csv");
    let mut lines: Vec<String> = bench.text("out.csv").split("\r\n").map(str::to_owned).collect();
    assert!(truth.lines().count() > 1, "{truth}");
    for line in truth.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let row: usize = cells[0].parse().unwrap();
        // The third row goes over two lines.
        let line = &mut lines[row + usize::from(row >= 3)];
        let (rest, date) = line.rsplit_once(';').unwrap();
        let (rest, hidden) = rest.rsplit_once(';').unwrap();
        assert_eq!((cells[1], hidden), ("code", ""));
        *line = format!("{rest};{};{date}", cells[2]);
    }
    assert_eq!(lines.join("\r\n"), UNTIDY);
}

#[test]
fn a_seed_says_what_is_hidden() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(300));
    for how in ["mcar:0.2", "mar:0.2", "self-logistic:0.2", "self-gaussian:0.2", "self-probit:0.2"] {
        for (name, seed, threads) in [("a", 5, 1), ("b", 5, 2), ("c", 6, 2)] {
            let columns = "--columns age,pulse,temperature,sex";
            let files = format!("-o {name}.csv --truth {name}.truth.csv");
            bench.succeed(&format!(
                "hide ward.csv --how {how} {columns} {files} --seed {seed} --threads {threads}"
            ));
        }
        assert_eq!(bench.bytes("a.csv"), bench.bytes("b.csv"), "{how}");
        assert_eq!(bench.bytes("a.truth.csv"), bench.bytes("b.truth.csv"), "{how}");
        assert_ne!(bench.bytes("a.csv"), bench.bytes("c.csv"), "{how}");
    }
}

#[test]
fn empty_lines_of_one_column_are_holes_and_are_filled() {
    let bench = Bench::new();
    for end in ["\n", "\r\n"] {
        let lines: Vec<String> =
            (0..40).map(|row| if row % 4 == 1 { String::new() } else { format!("{row}.50") }).collect();
        let text = format!("size{end}{}{end}", lines.join(end));
        bench.write("one.csv", &text);
        let filled = |answer: &str, text: &str| {
            let all: Vec<&str> = text.strip_suffix(end).unwrap().split(end).collect();
            assert_eq!(all.len(), lines.len() + 1, "{answer}{text}");
            for (line, before) in all[1..].iter().zip(&lines) {
                assert!(
                    line.parse::<f64>().is_ok() && (before.is_empty() || line == before),
                    "{line} {before}"
                );
            }
        };
        for method in ["auto", "mean", "gaussian"] {
            let line = format!("impute one.csv --method {method} -o full.csv --save imputer.unmiss");
            let answer = bench.succeed(&line);
            assert!(answer.out.contains("10"), "{}", answer.out);
            filled(&answer.out, &bench.text("full.csv"));
            let again = bench.succeed("impute one.csv --with imputer.unmiss -o again.csv");
            assert!(again.out.contains("10 cells of 40 rows are filled"), "{}", again.out);
            assert_eq!(bench.text("again.csv"), bench.text("full.csv"));
        }
        // Hidden and put back: the empty lines stay what they are.
        bench.succeed("hide one.csv --how mcar:0.3 -o hidden.csv --truth truth.csv");
        let hidden = bench.text("hidden.csv");
        assert_eq!(hidden.split(end).filter(|line| line.is_empty()).count(), 10 + 1, "{hidden}");
        let count = hidden.split(end).filter(|line| *line == "\"\"").count();
        assert_eq!(bench.text("truth.csv").lines().count(), count + 1);
    }
}

#[test]
fn empty_lines_of_one_column_are_predicted() {
    let bench = Bench::new();
    let rows: String = (0..60)
        .map(|row| format!("{},{}.5\n", if row % 5 == 0 { String::new() } else { row.to_string() }, 2 * row))
        .collect();
    bench.write("two.csv", format!("size,price\n{rows}"));
    bench.succeed("fit two.csv --target price --method linear -o price.unmiss -q");
    bench.write("one.csv", "size\n3\n\n\n7\n");
    let lines: Vec<String> =
        bench.succeed("predict price.unmiss one.csv -q").out.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 5, "{lines:?}");
    assert_eq!(lines[2], lines[3]);
    bench.write("bad.csv", "size\n3\n\nx\n");
    assert!(bench.run("predict price.unmiss bad.csv").err.contains("line 4, column `size`"));
}

/// What is known of a category only without a target tells nothing, in the table as in the training part of a fold.
#[test]
fn a_model_can_be_loaded_whatever_is_known_without_a_target() {
    let bench = Bench::new();
    let rows: String = (0..80)
        .map(|row| {
            let target = if row < 60 { format!("{}.5", row * 7 % 31) } else { String::new() };
            let never = if row < 60 { "" } else { ["north", "south"][row % 2] };
            let once = if row == 3 || row > 60 { "yes" } else { "" };
            let twice = ["", "red", "blue"][if row < 2 { row + 1 } else { 0 }];
            format!("{},{never},{once},{twice},{target}\n", row % 9)
        })
        .collect();
    bench.write("table.csv", format!("a,never,once,twice,y\n{rows}"));
    for method in [
        "linear",
        "trees --set rounds=3 --set members=1",
        "mlp --set hidden=[4] --set epochs=2",
        "network --set width=4 --set layers=1 --set epochs=2 --set networks=1",
    ] {
        let answer = bench.succeed(&format!("fit table.csv --target y --method {method} -o m.unmiss"));
        assert!(answer.err.contains("`never` is left out: it is empty"), "{}", answer.err);
        bench.succeed("show m.unmiss");
        assert_eq!(bench.succeed("predict m.unmiss table.csv -q").out.lines().count(), 81);
    }
    bench.succeed("compare table.csv --target y --methods linear --repeats 1 -q");
}

/// Fits with one thread and with two, and with another seed: the files and what they predict.
fn fit_thrice(method: &str, target: &str) {
    let bench = Bench::new();
    bench.write("ward.csv", ward(400));
    let other = if target == "days" { "outcome" } else { "days" };
    let fit = format!("fit ward.csv --target {target} --id id --ignore {other} --folds 2 {method} -q");
    bench.succeed(&format!("{fit} -o one.unmiss --threads 1"));
    bench.succeed(&format!("{fit} -o two.unmiss --threads 2"));
    bench.succeed(&format!("{fit} -o seed.unmiss --threads 2 --seed 1"));
    assert_eq!(bench.model("one.unmiss"), bench.model("two.unmiss"), "{method} {target}");
    assert_ne!(bench.model("one.unmiss"), bench.model("seed.unmiss"), "{method} {target}");
    let one = bench.succeed("predict one.unmiss ward.csv --threads 1").out;
    assert_eq!(one, bench.succeed("predict two.unmiss ward.csv --threads 2").out, "{method} {target}");
    assert_eq!(one.lines().count(), 401);
    assert!(!bench.path("one.unmiss.unfinished").exists(), "what was unfinished is left behind");
}

#[test]
fn threads_change_nothing_linear() {
    fit_thrice("--method linear", "days");
    fit_thrice("--method linear", "outcome");
}

#[test]
fn threads_change_nothing_trees() {
    fit_thrice("--method trees --set rounds=20", "days");
    fit_thrice("--method trees --set rounds=20", "outcome");
}

#[test]
fn threads_change_nothing_networks() {
    let network = "--method network --set width=16 --set epochs=4 --set networks=2";
    let mlp = "--method mlp --set hidden=[16,8] --set epochs=5";
    for target in ["days", "outcome"] {
        fit_thrice(network, target);
        fit_thrice(mlp, target);
    }
}

#[cfg(unix)]
#[test]
fn written_files_can_be_read_by_others() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    bench.write("ward.csv", ward(60));
    bench.succeed("fit ward.csv --target days --id id --ignore outcome --method linear -o m.unmiss -q");
    bench.succeed("predict m.unmiss ward.csv -o out.csv -q");
    bench.succeed("hide ward.csv --how mcar:0.2 -o holes.csv --truth truth.csv -q");
    bench.succeed("describe ward.csv --json ward.json -q");
    let rights = |name: &str| std::fs::metadata(bench.path(name)).unwrap().permissions().mode() & 0o777;
    // The table was written the usual way: whatever the umask is, it is the same for all.
    for name in ["m.unmiss", "out.csv", "holes.csv", "truth.csv", "ward.json"] {
        assert_eq!(rights(name), rights("ward.csv"), "{name}");
    }
}
