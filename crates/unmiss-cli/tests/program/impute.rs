//! Filling holes from the command line: what stays, what is filled, what is refused. Several tests are answers to how
//! other tools fail.

use crate::bench::{Bench, assert_kept, columns, ward};

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("ward.csv", ward(120));
    bench
}

/// Every known cell is as it was, every hole has become a value; returns the filled cells by column.
fn assert_filled(before: &str, after: &str) -> Vec<(String, String)> {
    let (before, after) = (columns(before), columns(after));
    assert_eq!(before.len(), after.len());
    let mut filled = Vec::new();
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.len(), after.len());
        for (old, new) in before.iter().zip(after) {
            if old.is_empty() {
                assert!(!new.is_empty(), "a hole is left in {}", before[0]);
                filled.push((before[0].clone(), new.clone()));
            } else {
                assert_eq!(old, new);
            }
        }
    }
    filled
}

#[test]
fn outputs() {
    let bench = bench();
    let lines = [
        "impute ward.csv -o full.csv --method gaussian",
        "impute ward.csv -o full.csv --method chained --ignore id,days --within pulse=60..80",
        "impute ward.csv -o full.csv --set methods=[\"mean\",\"gaussian\"] --ignore id",
        "impute ward.csv -o draws.csv --method gaussian --draws 3 --save imputer.unmiss",
        "impute ward.csv -o long.csv --method gaussian --draws 2 --long",
        "impute ward.csv -o new-full.csv --with imputer.unmiss",
        "show imputer.unmiss",
    ];
    assert_kept("impute", &bench.transcripts(lines));
}

#[test]
fn known_cells_stay_and_filled_ones_are_legal() {
    let bench = bench();
    for method in ["auto", "gaussian", "chained", "boosted", "neighbours", "autoencoder", "mean"] {
        let set = if method == "autoencoder" { "--set epochs=3" } else { "" };
        let set = if method == "auto" { "--set methods=[\"mean\",\"neighbours\"]" } else { set };
        bench.succeed(&format!("impute ward.csv -o full.csv -q --method {method} {set}"));
        for (column, value) in assert_filled(&ward(120), &bench.text("full.csv")) {
            match column.as_str() {
                "unit" => assert!(["burns", "heart", "lungs"].contains(&value.as_str()), "{method}: {value}"),
                "pulse" => {
                    assert!((50.0..=110.0).contains(&value.parse::<f64>().unwrap()), "{method}: {value}")
                }
                _ => assert!((36.0..=39.0).contains(&value.parse::<f64>().unwrap()), "{method}: {value}"),
            }
        }
    }
}

/// A saved imputer is applied, never fitted again: a row is filled alone as among others, every time the same.
#[test]
fn new_rows_are_filled_without_learning_from_them() {
    let bench = bench();
    bench.succeed("impute ward.csv -o full.csv -q --method gaussian --save i.unmiss");
    bench.succeed("impute ward.csv -o again.csv -q --with i.unmiss");
    assert_eq!(bench.text("again.csv"), bench.text("full.csv"));
    let answer = bench.feed("impute - -o - -q --with i.unmiss", ward(120).as_bytes());
    assert_eq!(answer.out, bench.text("full.csv"), "through pipes: {}", answer.err);
    let (ward, full) = (ward(120), bench.text("full.csv"));
    for row in [1, 5, 77] {
        let line =
            |text: &str| format!("{}\n{}\n", text.lines().next().unwrap(), text.lines().nth(row).unwrap());
        bench.write("one.csv", line(&ward));
        bench.succeed("impute one.csv -o one-full.csv -q --with i.unmiss");
        assert_eq!(bench.text("one-full.csv"), line(&full));
    }
    // A complete row, and a row of which nothing is known.
    bench.write(
        "rows.csv",
        "id,age,pulse,temperature,unit,sex,days,outcome\np1,40,70,37,burns,f,3,home\n,,,,,,,\n",
    );
    let answer = bench.run("impute rows.csv -o rows-full.csv --with i.unmiss");
    assert!(answer.err.contains("`id` in row 2"), "{}", answer.err);
    let text = bench.text("rows-full.csv");
    assert!(text.contains("\np1,40,70,37,burns,f,3,home\n"));
    assert_eq!(text.lines().nth(2).unwrap().split(',').filter(|cell| cell.is_empty()).count(), 1, "{text}");
}

#[test]
fn draws_differ_where_cells_were_missing_and_nowhere_else() {
    let bench = bench();
    bench.succeed("impute ward.csv -o d.csv -q --method chained --draws 2");
    bench.succeed("impute ward.csv -o long.csv -q --method chained --draws 2 --long");
    let (one, two) = (bench.text("d-1.csv"), bench.text("d-2.csv"));
    assert_filled(&ward(120), &one);
    assert_filled(&ward(120), &two);
    assert_ne!(one, two);
    let long = bench.text("long.csv");
    assert_eq!(long.lines().count(), 241);
    assert!(long.starts_with("draw,id,age,") && long.contains("\n2,p0,"));
    let second: String =
        long.lines().filter_map(|line| line.strip_prefix("2,")).map(|line| format!("{line}\n")).collect();
    assert_eq!(format!("{}\n{second}", two.lines().next().unwrap()), two);
}

/// Columns that are constant, twice the same or words are filled; one without any value is named, and no column is
/// lost.
#[test]
fn odd_columns_are_filled_or_named() {
    let bench = Bench::new();
    let mut text = String::from("a,twin,constant,word,empty,infinite\n");
    for row in 0..40 {
        let a = if row % 5 == 0 { String::new() } else { row.to_string() };
        let constant = if row % 7 == 0 { "" } else { "3" };
        let word = ["x", "y", ""][row % 3];
        text.push_str(&format!("{a},{a},{constant},{word},,inf\n"));
    }
    bench.write("odd.csv", &text);
    for method in ["gaussian", "chained", "neighbours", "boosted", "mean"] {
        let answer = bench.run(&format!("impute odd.csv -o full.csv --method {method}"));
        assert_eq!(answer.code, 1, "{method}");
        assert!(answer.err.contains("40 cells could not be filled: `empty`"), "{}", answer.err);
        let full = columns(&bench.text("full.csv"));
        assert_eq!(
            full.iter().map(|column| column[0].as_str()).collect::<Vec<_>>(),
            ["a", "twin", "constant", "word", "empty", "infinite"]
        );
        assert!(full[2][1..].iter().all(|cell| cell == "3"), "{method}");
        assert!(full[..4].iter().flatten().all(|cell| !cell.is_empty()), "{method}");
        bench.succeed(&format!("impute odd.csv -o full.csv -q --method {method} --ignore empty"));
    }
}

/// Nothing to fill is no error, whatever the kind of columns.
#[test]
fn complete_tables_come_back_as_they_are() {
    let bench = Bench::new();
    let text = "a,w,n\n1,x,hello there\n2,y,\"good, bye\"\n3,x,again\n";
    bench.write("full.csv", text);
    bench.succeed("impute full.csv -o out.csv --method gaussian");
    assert_eq!(bench.text("out.csv"), text);
}

#[test]
fn errors() {
    let bench = bench();
    bench.succeed("impute ward.csv -o full.csv -q --method mean --save i.unmiss");
    bench.succeed("fit ward.csv --target days --id id --ignore outcome --method linear -o model.unmiss -q");
    bench.write("other.csv", "id,age\n1,2\n");
    bench.write("empty.csv", "a,b\n,\n,\n");
    let lines = [
        "impute ward.csv -o ward.csv",
        "impute ward.csv -o out.csv --method gausian",
        "impute ward.csv -o out.csv --method linear",
        "impute ward.csv -o out.csv --method gaussian --set ridge=-1",
        "impute ward.csv -o out.csv --method gaussian --set ridges=1",
        "impute ward.csv -o out.csv --method mean --within age=9",
        "impute ward.csv -o out.csv --method mean --within aeg=0..9",
        "impute ward.csv -o out.csv --method mean --ignore nothing",
        "impute ward.csv --draws 3 --method mean",
        "impute other.csv -o out.csv --with i.unmiss",
        "impute ward.csv -o out.csv --with model.unmiss",
        "predict i.unmiss ward.csv",
        "impute empty.csv -o out.csv --method mean",
        "impute ward.csv -o nowhere/out.csv --method mean",
    ];
    assert_kept("errors_impute", &bench.transcripts(lines));
    assert!(!bench.path("out.csv").exists(), "nothing is written where nothing could be filled");
}

#[test]
fn pooled_estimates() {
    let bench = Bench::new();
    let mut long = String::from("draw,term,estimate,std_error\n");
    for (draw, (value, variance)) in
        [(1.2, 0.25_f64), (1.5, 0.30), (0.9, 0.22), (1.4, 0.28), (1.1, 0.27)].iter().enumerate()
    {
        let error = variance.sqrt();
        long.push_str(&format!("{draw},age,{value},{error}\n{draw},sex,{},{error}\n", 10.0 * value));
        bench.write(&format!("{draw}.csv"), format!("name,coef,variance\nage,{value},{variance}\n"));
    }
    bench.write("long.csv", &long);
    bench.write("uneven.csv", format!("{long}9,age,1,1\n"));
    bench.write("words.csv", "estimate,se\n1,2\n2,many\n3,1\n");
    let lines = [
        "pool long.csv",
        "pool 0.csv 1.csv 2.csv 3.csv 4.csv --variance variance --complete-df 47 --json pooled.json",
        "pool uneven.csv",
        "pool 0.csv",
        "pool 0.csv 1.csv --variance variance --level 95",
        "pool words.csv",
    ];
    assert_kept("pool", &bench.transcripts(lines));
    let json: serde_json::Value = serde_json::from_slice(&bench.bytes("pooled.json")).unwrap();
    assert!((json[0]["pooled"]["degrees"].as_f64().unwrap() - 25.979_868_410_210_05).abs() < 1e-6);
}

/// Draws have a record beside them, and `pool` says what it warns of.
#[test]
fn draws_have_a_record() {
    let bench = bench();
    bench.succeed("impute ward.csv -o full.csv --method gaussian --draws 2 --ignore id --seed 5 -q");
    let record: serde_json::Value = serde_json::from_slice(&bench.bytes("full.draws.json")).unwrap();
    assert_eq!(record["files"], serde_json::json!(["full-1.csv", "full-2.csv"]));
    assert_eq!((&record["draws"], &record["seed"]), (&2.into(), &5.into()));
    assert_eq!((&record["from"], &record["method"]), (&"ward.csv".into(), &"gaussian".into()));
    assert!(record["filled"]["pulse"].as_u64() > Some(20) && record["filled"]["age"].is_null(), "{record}");
    bench.write("estimates.csv", "estimate,se\n1,0.1\n1.1,0.1\n");
    let set = |proper: bool| {
        let mut record = record.clone();
        record["proper"] = proper.into();
        bench.write("full.draws.json", record.to_string());
    };
    set(false);
    assert!(bench.succeed("pool estimates.csv").err.contains("too sure for Rubin's rules"));
    set(true);
    assert_eq!(bench.succeed("pool estimates.csv").err, "");
    bench.write("other.draws.json", bench.text("full.draws.json").replace("true", "false"));
    assert_eq!(bench.succeed("pool estimates.csv").err, "", "nobody knows which of two records it is");
    let answer = bench.succeed("pool estimates.csv --record other.draws.json");
    assert!(answer.err.contains("too sure for Rubin's rules"), "{}", answer.err);
    assert_eq!(bench.run("pool estimates.csv --record ward.csv").code, 1);
}

/// Shifts reach filled cells only, and are told in the record and on the page.
#[test]
fn filled_values_are_shifted_on_request() {
    let bench = bench();
    let line = "impute ward.csv --method gaussian --draws 2 --ignore id --beyond-range -q";
    bench.succeed(&format!("{line} -o plain.csv"));
    bench
        .succeed(&format!("{line} -o moved.csv --delta pulse=-1000 --delta unit=burns:+3 --html moved.html"));
    let of = |name: &str| columns(&bench.text(name));
    let (before, plain, moved) = (of("ward.csv"), of("plain-1.csv"), of("moved-1.csv"));
    for row in 1..before[0].len() {
        let number = |table: &[Vec<String>]| table[2][row].parse::<f64>().unwrap();
        let shift = if before[2][row].is_empty() { -1000.0 } else { 0.0 };
        // A row whose unit was drawn again has other draws in its other holes, too.
        if !before[4][row].is_empty() {
            assert!((number(&moved) - number(&plain) - shift).abs() < 1e-6, "{row}");
            assert_eq!((&moved[3][row], &moved[4][row]), (&plain[3][row], &before[4][row]));
        }
    }
    let burns = |table: &[Vec<String>]| table[4].iter().filter(|unit| *unit == "burns").count();
    assert!(burns(&moved) > burns(&plain), "{} {}", burns(&moved), burns(&plain));
    let record: serde_json::Value = serde_json::from_slice(&bench.bytes("moved.draws.json")).unwrap();
    assert_eq!(record["delta"], serde_json::json!(["pulse=-1000", "unit=burns:+3"]));
    assert!(bench.text("moved.html").contains("were shifted on purpose"));
    bench.write("estimates.csv", "estimate,se\n1,0.1\n1.1,0.1\n");
    let answer = bench.succeed("pool estimates.csv --record moved.draws.json");
    assert!(answer.err.contains("shifted on purpose (pulse=-1000, unit=burns:+3)"), "{}", answer.err);
    let refused = [
        "impute ward.csv -o a.csv --delta pulse",
        "impute ward.csv -o a.csv --delta puls=+1",
        "impute ward.csv -o a.csv --delta age=+1",
        "impute ward.csv -o a.csv --delta pulse=yes:+1",
        "impute ward.csv -o a.csv --delta unit=+1",
        "impute ward.csv -o a.csv --delta unit=hart:+1",
        "impute ward.csv -o a.csv --delta unit=heart:+12",
        "impute ward.csv -o a.csv --method gaussian --delta unit=heart:+1",
    ];
    assert_kept("errors_delta", &bench.transcripts(refused));
}

/// One long file as R's mice reads it: the table with the holes first, holes as NA, rows numbered.
#[test]
fn draws_go_to_r() {
    let bench = bench();
    bench.succeed("impute ward.csv -o mids.csv --method gaussian --draws 3 --mids --ignore id -q");
    let text = bench.text("mids.csv");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1 + 4 * 120);
    assert!(lines[0].starts_with(".imp,.id,id,age,pulse,"));
    assert!(lines[1].starts_with("0,1,p0,") && lines[121].starts_with("1,1,p0,"));
    assert!(lines[1..121].iter().any(|line| line.contains(",NA,")));
    assert!(!lines[121..].iter().any(|line| line.contains("NA") || line.contains(",,")));
    let answer = bench.succeed("analyse days~age+pulse mids.csv");
    assert!(
        answer.out.contains("3 filled tables") && answer.out.contains("Complete rows alone"),
        "{}",
        answer.out
    );
}
