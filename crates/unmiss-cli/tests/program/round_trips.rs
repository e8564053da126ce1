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

/// Fits with one thread and with two, and with another seed: the files and what they predict.
fn fit_thrice(method: &str, target: &str) {
    let bench = Bench::new();
    bench.write("ward.csv", ward(400));
    let other = if target == "days" { "outcome" } else { "days" };
    let fit = format!("fit ward.csv --target {target} --id id --ignore {other} --folds 2 {method} -q");
    bench.succeed(&format!("{fit} -o one.unmiss --threads 1"));
    bench.succeed(&format!("{fit} -o two.unmiss --threads 2"));
    bench.succeed(&format!("{fit} -o seed.unmiss --threads 2 --seed 1"));
    assert_eq!(bench.bytes("one.unmiss"), bench.bytes("two.unmiss"), "{method} {target}");
    assert_ne!(bench.bytes("one.unmiss"), bench.bytes("seed.unmiss"), "{method} {target}");
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
