//! Regressions of filled tables, pooled: what is printed, written and refused.

use crate::bench::{Bench, assert_kept};

/// Draw `draw` of a made table of 40 rows: `x` is filled in every fourth row, `unit` in every tenth; 0 has the holes.
fn filled(draw: usize) -> String {
    let mut table = String::from("id,y,x,unit,died\n");
    for row in 0..40 {
        let wave = |rate: f64| (rate * (row as f64 + 1.0)).sin();
        let x =
            2.0 + wave(1.7) + if row % 4 == 0 { 0.3 * (draw as f64 * 2.1 + row as f64).cos() } else { 0.0 };
        let unit = ["burns", "heart", "lungs"][(row + if row % 10 == 3 { draw } else { 0 }) % 3];
        let y = 1.0 + 2.0 * x + f64::from(u8::from(unit == "heart")) + 0.7 * wave(0.9);
        let died = if wave(2.3) + 0.4 * x > 0.9 { "yes" } else { "no" };
        let (x, unit) = match draw {
            0 if row % 4 == 0 => (String::new(), unit),
            0 if row % 10 == 3 => (format!("{x:.4}"), ""),
            _ => (format!("{x:.4}"), unit),
        };
        // What is explained has no holes, and is the same in all draws.
        let y = y - if row % 4 == 0 { 0.6 * (draw as f64 * 2.1 + row as f64).cos() } else { 0.0 };
        let y = if row % 10 == 3 { 3.0 } else { y };
        table.push_str(&format!("p{row},{y:.4},{x},{unit},{died}\n"));
    }
    table
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("ward.csv", filled(0));
    let long = |draws: std::ops::RangeInclusive<usize>, name: &str| {
        let lines = |draw: usize| {
            let rows = filled(draw);
            rows.lines().skip(1).map(|line| format!("{draw},{line}\n")).collect::<String>()
        };
        format!("{name},id,y,x,unit,died\n{}", draws.map(lines).collect::<String>())
    };
    bench.write("long.csv", long(1..=5, "draw"));
    bench.write("mids.csv", long(0..=5, ".imp"));
    (1..=5).for_each(|draw| bench.write(&format!("full-{draw}.csv"), filled(draw)));
    bench
}

const FILES: &str = "full-1.csv full-2.csv full-3.csv full-4.csv full-5.csv";

#[test]
fn outputs() {
    let bench = bench();
    let lines = [
        &*format!("analyse y~x+unit {FILES} --original ward.csv"),
        &*format!(
            "analyse died~x*unit {FILES} --test x+x:unit --likelihood-ratio --reference unit=lungs --level 0.9"
        ),
        &*format!("analyse unit==heart~log(x)+I(x^2)-1 {FILES}"),
        "analyse y~.-id long.csv -q -o table.csv --json all.json",
    ];
    assert_kept("analyse", &bench.transcripts(lines));
    let table = bench.text("table.csv");
    assert!(table.starts_with("term,estimate,std.error,statistic,df,p.value,conf.low,conf.high,"), "{table}");
    assert_eq!(table.lines().count(), 6, "{table}");
    let json: serde_json::Value = serde_json::from_slice(&bench.bytes("all.json")).unwrap();
    assert_eq!(json["coefficients"][1]["term"], "x");
    assert!(json["coefficients"][1]["missing_information"].as_f64() > Some(0.0));
}

/// One file a draw, one long file, and one that R's mice wrote give the same.
#[test]
fn all_forms_of_filled_tables_give_the_same() {
    let bench = bench();
    let out = |line: &str| bench.succeed(line).out;
    let files = out(&format!("analyse y~x+unit {FILES} --original ward.csv"));
    assert_eq!(out("analyse y~x+unit long.csv --original ward.csv"), files);
    assert_eq!(out("analyse y~x+unit mids.csv"), files);
    assert_eq!(out(&format!("analyse y~x+unit {FILES} --original ward.csv --threads 1")), files);
}

#[test]
fn draws_that_are_too_sure_are_told() {
    let bench = bench();
    bench.write(
        "full.draws.json",
        r#"{"from": "ward.csv", "rows": 40, "draws": 5, "method": "mean", "seed": 0, "proper": false,
           "files": ["full-1.csv", "full-2.csv", "full-3.csv", "full-4.csv", "full-5.csv"]}"#,
    );
    let answer = bench.succeed(&format!("analyse y~x {FILES} --html page.html"));
    assert!(answer.err.contains("too sure for Rubin's rules"), "{}", answer.err);
    let page = bench.text("page.html");
    assert!(page.contains("too sure for Rubin") && page.contains("Forest of coefficients"));
}

#[test]
fn errors() {
    let bench = bench();
    let rows = |from: usize| filled(1).lines().take(from).map(|line| format!("{line}\n")).collect::<String>();
    bench.write("short.csv", rows(20));
    bench.write("other.csv", filled(1).replace("unit", "ward"));
    bench.write("shuffled.csv", filled(0).replace("p7,", "p7,9"));
    let twice: String =
        filled(1).lines().map(|line| format!("{line},{}\n", line.split(',').nth(2).unwrap())).collect();
    bench.write("twice.csv", twice.replacen(",x,unit,died,x", ",x,unit,died,x2", 1));
    let line = |formula: &str| format!("analyse {formula} {FILES}");
    let lines = [
        line("y~z"),
        line("y~unti"),
        line("y~x^2"),
        line("y~x+"),
        line("unit~x"),
        line("unit==hart~x"),
        line("id~x"),
        line("y~id"),
        line("y~x --family logistic"),
        line("died~x --family linear"),
        line("died~y+x+I(sqrt(x-5))"),
        line("y~x --test unit"),
        line("y~unit --reference unit=hearts"),
        line("y~x --level 95"),
        line("x>3~y"),
        "analyse died~x+I((died)*2) full-1.csv full-2.csv".to_owned(),
        "analyse y~x ward.csv full-1.csv".to_owned(),
        "analyse y~x full-1.csv".to_owned(),
        "analyse y~x full-1.csv short.csv".to_owned(),
        "analyse y~x full-1.csv other.csv".to_owned(),
        "analyse y~x full-1.csv full-2.csv --original shuffled.csv".to_owned(),
        "analyse y~x+x2 twice.csv twice.csv".to_owned(),
        "analyse y~x absent.csv full-2.csv".to_owned(),
    ];
    for line in &lines {
        assert_eq!(bench.run(line).code, 1, "{line}");
    }
    assert_kept("errors_analyse", &bench.transcripts(lines.iter().map(String::as_str)));
    // One column that tells the outcome: there is no finite answer.
    let split = |row: usize| format!("{},{},{}\n", if row < 15 { "yes" } else { "no" }, row, row % 7);
    bench.write("split.csv", format!("died,x,z\n{}", (0..30).map(split).collect::<String>()));
    assert_kept("errors_separation", &bench.transcript("analyse died~z+x split.csv split.csv"));
}

/// Filling and analysing in one command is what two commands give; a range of shifts tells where conclusions change.
#[test]
fn one_command_from_holes_to_an_answer() {
    let bench = bench();
    bench.succeed("impute ward.csv -o own.csv --method gaussian --ignore id --draws 4 -q");
    let files = "own-1.csv own-2.csv own-3.csv own-4.csv";
    let two = bench.succeed(&format!("analyse y~x+unit {files} --original ward.csv -q")).out;
    let options = "--impute ward.csv --method gaussian --ignore id --draws 4";
    let one = bench.succeed(&format!("analyse y~x+unit {options} -q")).out;
    assert_eq!(one, two);
    let line = format!("analyse y~x {options} --delta x=-12..12:5 --html tip.html --json tip.json");
    let out = bench.succeed(&line).out;
    assert!(out.contains("What if `x` is not missing at random?"), "{out}");
    assert!(out.contains("`x` lies above 0 without a shift; beyond about"), "{out}");
    assert!(bench.text("tip.html").contains("over the shift"));
    let json: serde_json::Value = serde_json::from_slice(&bench.bytes("tip.json")).unwrap();
    assert_eq!(json["tipping"]["steps"].as_array().unwrap().len(), 5);
    let refused = [
        format!("analyse y~x {options} --delta x=-1sd..1sd --delta unit=heart:-1..1"),
        format!("analyse y~x {options} --delta x=1..0"),
        format!("analyse y~x {options} --delta y=-1..1"),
        format!("analyse y~z {options}"),
    ];
    assert_kept("errors_tipping", &bench.transcripts(refused.iter().map(String::as_str)));
    let category = bench.succeed(&format!("analyse y~x+unit {options} --delta unit=heart:-1..1:3 -q")).out;
    assert!(category.contains("heart:+1"), "{category}");
}

/// Files of an earlier, longer run that a pattern like full-*.csv takes in.
#[test]
fn draws_of_two_runs_are_not_pooled() {
    let bench = Bench::new();
    bench.write("ward.csv", crate::bench::ward(120));
    bench.succeed("impute ward.csv -o full.csv -q --method gaussian --draws 3 --ignore id");
    bench.succeed("analyse 'pulse ~ temperature' full-1.csv full-2.csv full-3.csv");
    bench.succeed("impute ward.csv -o full.csv -q --method gaussian --draws 2 --ignore id");
    let refused = bench.run("analyse 'pulse ~ temperature' full-1.csv full-2.csv full-3.csv");
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.contains("full-3.csv is none of the 2 draws that full.draws.json"),
        "{}",
        refused.err
    );
}
