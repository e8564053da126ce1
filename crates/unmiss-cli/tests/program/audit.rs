//! `unmiss audit`: what it prints, what it writes, and what it says of programs that do not do their part.

#![cfg(unix)]

use crate::bench::{Bench, assert_kept, ward};

const SMALL: &str = "--rows 60 --levels 8 --masks 10";

/// A program in the bench's folder.
fn program(bench: &Bench, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    bench.write(name, format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(bench.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_model_of_a_built_in_table() {
    let bench = Bench::new();
    let ignored = "outcome,lesion_type1,lesion_type2,lesion_type3,cp_data,hospital_number";
    let fit = format!("fit sample:horse-colic --target surgical_lesion --ignore {ignored} --folds 2 -q");
    bench.succeed(&format!("{fit} --method linear -o linear.unmiss"));
    bench.succeed(&format!("{fit} --method trees --set rounds=20 -o trees.unmiss"));
    let text = bench.transcripts([
        &*format!("audit linear.unmiss sample:horse-colic {SMALL} --threads 2 --json audit.json"),
        &*format!("audit trees.unmiss sample:horse-colic {SMALL}"),
    ]);
    assert_kept("audit", &text);
    let json: serde_json::Value = serde_json::from_slice(&bench.bytes("audit.json")).unwrap();
    for figure in ["slope", "share", "range", "spearman", "drift"] {
        assert!(json[figure].is_f64() && json["intervals"][figure][1].is_f64(), "{figure}");
        assert!(json["contrast"][figure].is_f64(), "{figure}");
    }
    assert_eq!(json["curve"].as_array().unwrap().len(), 8);
    let single =
        bench.succeed(&format!("audit linear.unmiss sample:horse-colic {SMALL} --threads 1 --json one.json"));
    assert!(single.out.starts_with("Audit of linear.unmiss (linear)"));
    assert_eq!(bench.bytes("audit.json"), bench.bytes("one.json"), "threads change the answer");
    let plain = bench.succeed(&format!("audit linear.unmiss sample:horse-colic {SMALL} --no-contrast"));
    assert!(!plain.out.contains("Sparsity Normalization"), "{}", plain.out);
}

#[test]
fn rows_without_the_target_do() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(120));
    bench.succeed("fit ward.csv --target days --id id --ignore outcome --method linear -o days.unmiss -q");
    let without: String =
        ward(80).lines().map(|line| line.split(',').take(6).collect::<Vec<_>>().join(",") + "\n").collect();
    bench.write("new.csv", without);
    let answer = bench.succeed(&format!("audit days.unmiss new.csv {SMALL}"));
    assert!(answer.out.contains("To see what Sparsity Normalization would change"), "{}", answer.out);
}

#[test]
fn a_program_of_any_kind() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(80));
    let sum = "awk -F, 'NR == 1 {print \"score\"} NR > 1 {s = 0; for (i = 1; i <= NF; i++) if ($i ~ /^[0-9.]+$/) s += $i; print s}'";
    program(&bench, "sum.sh", sum);
    let line = format!("audit ward.csv --command ./sum.sh --target days --ignore id,outcome {SMALL}");
    assert_kept("audit_program", &bench.transcript(&line));
}

#[test]
fn programs_that_fail() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(40));
    for (name, script) in [
        ("fails.sh", "cat > /dev/null; echo 'no model in ward.bin' >&2; exit 3"),
        ("deaf.sh", "echo 'no rows wanted' >&2; exit 1"),
        ("silent.sh", "cat > /dev/null"),
        ("short.sh", "tail -n +3 | sed 's/.*/1/'"),
        ("long.sh", "sed 's/.*/1/'"),
        ("words.sh", "tail -n +2 | sed 's/.*/high risk/'"),
        ("uneven.sh", "awk 'NR == 2 {print \"0.5,0.5\"} NR > 2 {print 1}'"),
        ("good.sh", "tail -n +2 | sed 's/.*/1/'"),
    ] {
        program(&bench, name, script);
    }
    let programs = ["fails", "deaf", "silent", "short", "long", "words", "uneven"];
    let mut lines: Vec<String> = programs
        .iter()
        .map(|name| format!("audit ward.csv --command ./{name}.sh --rows 5 --threads 2"))
        .collect();
    lines.extend([
        "audit ward.csv --command ./good.sh --target dayz".to_owned(),
        "audit ward.csv --command ./good.sh --ignore agee".to_owned(),
        "audit ward.csv --command ./good.sh --masks 0".to_owned(),
        "audit ward.csv --command ./good.sh --rows 100000000".to_owned(),
        "audit absent.unmiss ward.csv".to_owned(),
        "audit ward.unmiss ward.csv --target days".to_owned(),
        "audit ward.unmiss".to_owned(),
    ]);
    for line in &lines {
        assert_eq!(bench.run(line).code, 1, "{line}");
    }
    let usage = ["audit ward.unmiss ward.csv --command ./good.sh"];
    for line in usage {
        assert_eq!(bench.run(line).code, 2, "{line}");
    }
    let lines = lines.iter().map(String::as_str).chain(usage);
    assert_kept("errors_audit", &bench.transcripts(lines));
    assert_eq!(bench.run("audit ward.csv --command ./absent.sh").code, 1);
    bench.succeed("audit ward.csv --command ./good.sh --rows 5");
}

#[test]
fn a_table_without_the_models_columns() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(120));
    bench.succeed("fit ward.csv --target days --id id --ignore outcome --method linear -o days.unmiss -q");
    bench.write("renamed.csv", ward(20).replacen("pulse", "puls", 1));
    let answer = bench.run("audit days.unmiss renamed.csv");
    assert_eq!(answer.code, 1);
    assert!(answer.err.contains("`pulse`") && answer.err.contains("`puls`"), "{}", answer.err);
}
