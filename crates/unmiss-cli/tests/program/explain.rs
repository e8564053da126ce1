//! What a model goes by, and why a row gets its answer.

use crate::bench::{Bench, columns, ward};

/// `days` comes of age, pulse and unit, `outcome` of the same; temperature and sex say nothing.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("ward.csv", ward(300));
    let fit = "fit ward.csv --id id --method linear --folds 3 -q";
    bench.succeed(&format!("{fit} --target days --ignore outcome -o days.unmiss --html fit.html"));
    bench.succeed(&format!("{fit} --target outcome --ignore days -o outcome.unmiss"));
    bench.write("new.csv", ward(30));
    bench
}

#[test]
fn a_model_tells_what_it_goes_by() {
    let bench = bench();
    assert!(bench.text("fit.html").contains("Importance of the columns"));
    let kept = bench.succeed("show days.unmiss --explain").out;
    assert!(kept.contains("200 held-out rows") && kept.contains("(missing)"), "{kept}");
    assert!(kept.lines().all(|line| line.chars().count() <= 80), "{kept}");
    bench.succeed("show outcome.unmiss --explain new.csv --rows 20 --json why.json --html why.html -q");
    let found: serde_json::Value = serde_json::from_slice(&bench.bytes("why.json")).unwrap();
    assert_eq!((found["rows"].as_u64(), found["held_out"].as_bool()), (Some(20), Some(false)));
    assert_eq!(found["classes"].as_array().unwrap().len(), 3);
    assert!(bench.text("why.html").contains("How the answer follows the values"));
    let found = bench.succeed("show days.unmiss --explain ward.csv --json days.json -q");
    let json: serde_json::Value = serde_json::from_slice(&bench.bytes("days.json")).unwrap();
    let order: Vec<&str> =
        json["columns"].as_array().unwrap().iter().map(|column| column["column"].as_str().unwrap()).collect();
    assert_eq!(order[0], "age", "{}", found.out);
    assert!(order[3..].contains(&"sex") && order[3..].contains(&"temperature"), "{order:?}");
}

#[test]
fn what_cannot_be_explained_is_refused_in_words() {
    let bench = bench();
    bench.write("no-age.csv", ward(30).replacen("age", "years", 1));
    bench.succeed("impute ward.csv --method mean -o full.csv --save filler.unmiss -q");
    bench.succeed("fit sample:films --method biases -o films.unmiss -q");
    for (line, words) in [
        ("show days.unmiss new.csv", "--explain"),
        ("show days.unmiss --explain no-age.csv", "age"),
        ("show filler.unmiss --explain", "one that predicts"),
        ("show films.unmiss --explain", "one that predicts"),
        ("predict films.unmiss new.csv --explain 3", "this is for tables"),
        ("predict days.unmiss new.csv --explain 0", "0 is not in"),
        ("predict days.unmiss new.csv --contributions new.csv", "would overwrite"),
        ("show days.unmiss --explain ward.csv --html ward.csv", "would overwrite"),
    ] {
        let answer = bench.run(line);
        assert!(answer.code != 0 && answer.err.contains(words), "unmiss {line}\n{}", answer.err);
    }
    // A file of a program that did not explain yet.
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/../unmiss/tests/files/folds-of-a-number.unmiss");
    let answer = bench.run(&format!("show {old} --explain"));
    assert!(answer.code == 1 && answer.err.contains("name rows to find out on"), "{}", answer.err);
}

#[test]
fn there_are_no_more_reasons_than_inputs() {
    let answer = bench().succeed("predict days.unmiss new.csv --explain 99 -q");
    let names: Vec<String> = columns(&answer.out).into_iter().map(|column| column[0].clone()).collect();
    assert_eq!(names[names.len() - 3..], ["reason_4", "reason_5", "rest"]);
}

/// Large values hide themselves, and the model has found out.
#[test]
fn what_holes_suggest_is_told() {
    let bench = Bench::new();
    bench.succeed("simulate --columns 2 --rows 400 --mechanism self-gaussian --seed 3 -o t.csv -q");
    let set = "--method conditional --set sites=yes --set steps=40 --set head=linear";
    bench.succeed(&format!("fit t.csv --target y {set} --folds 2 -q -o y.unmiss"));
    let told = bench.succeed("show y.unmiss").out;
    assert!(told.contains("What a hole suggests of the value that it hides\n  x1 "), "{told}");
    assert!(told.contains(" deviations ") && told.contains("  chosen          trained"), "{told}");
}

#[test]
fn reasons_add_up_to_the_prediction() {
    let bench = bench();
    for (model, exact) in [("days", true), ("outcome", false)] {
        let plain = bench.succeed(&format!("predict {model}.unmiss new.csv"));
        let line = format!("predict {model}.unmiss new.csv --explain 2 --contributions why.csv");
        let answer = bench.succeed(&line);
        assert!(answer.err.contains("reasons are what a cell adds"), "{}", answer.err);
        assert_eq!(answer.err.contains("exact"), exact);
        let all = columns(&answer.out);
        let names: Vec<&str> = all.iter().map(|column| column[0].as_str()).collect();
        assert_eq!(names[names.len() - 4..], ["base", "reason_1", "reason_2", "rest"]);
        // What is beside them stays as it is.
        let before: Vec<String> = columns(&plain.out).into_iter().map(|column| column.join(",")).collect();
        let own: Vec<String> = all[..all.len() - 4].iter().map(|column| column.join(",")).collect();
        assert_eq!(own, before);
        let reason = &all[names.len() - 3][1];
        assert!(reason.contains(": ") && reason.contains("+- ") != exact, "{reason}");
        let why = columns(&bench.text("why.csv"));
        for row in 1..=30 {
            let number = |name: &str| -> f64 {
                why.iter().find(|column| column[0] == name).unwrap()[row].parse().unwrap()
            };
            let inputs = ["age", "pulse", "temperature", "unit", "sex", "(base)", "(rest)"];
            let sum: f64 = inputs.iter().map(|name| number(name)).sum();
            assert!((sum - number("(answer)")).abs() < 1e-6, "{sum}");
        }
    }
}
