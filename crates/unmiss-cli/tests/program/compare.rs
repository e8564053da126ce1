//! Methods side by side: what is printed, kept, resumed and refused.

use serde_json::Value;

use crate::bench::{Bench, assert_kept, ward};

const PREDICTORS: &str =
    "compare sample:penguins --target species --methods linear,trees --folds 3 --threads 2";
const IMPUTERS: &str = "compare sample:penguins --impute --methods mean,gaussian --repeats 3 --threads 2";

/// A transcript without seconds and memory, which differ from run to run: the last two words of a standing.
fn timeless(text: &str) -> String {
    let mut standings = false;
    let mut kept = String::new();
    for line in text.lines() {
        if line.ends_with("s / fit    MB") {
            standings = true;
        } else if line.is_empty() {
            standings = false;
        } else if standings {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert!(words[words.len() - 2].parse::<f64>().is_ok(), "{line}");
            kept.push_str(&format!("{}  [seconds] [MB]\n", line[..line.len() - 13].trim_end()));
            continue;
        }
        kept.push_str(&format!("{line}\n"));
    }
    kept
}

fn json(bench: &Bench, name: &str) -> Value {
    let mut json: Value = serde_json::from_slice(&bench.bytes(name)).unwrap();
    for list in ["fits", "standings"] {
        for entry in json[list].as_array_mut().unwrap() {
            (entry["seconds"], entry["memory"]) = (Value::Null, Value::Null);
        }
    }
    let key = |fit: &Value| format!("{} {} {}", fit["repeat"], fit["fold"], fit["contestant"]);
    json["fits"].as_array_mut().unwrap().sort_by_key(key);
    json
}

#[test]
fn methods_side_by_side() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(150));
    let lines = [
        &*format!("{PREDICTORS} --repeats 2 --json species.json"),
        "compare ward.csv --target days --ignore id,outcome --methods linear,trees --folds 3 --repeats 1 \
         --set trees.rounds=20 --threads 2",
        IMPUTERS,
        "compare ward.csv --impute --ignore id --methods mean --how mar:0.3 --repeats 1 --threads 2",
    ];
    assert_kept("compare", &timeless(&bench.transcripts(lines)));
    assert_eq!(json(&bench, "species.json")["fits"].as_array().unwrap().len(), 12);
}

#[test]
fn a_comparison_goes_on_from_its_file() {
    let bench = Bench::new();
    let whole = bench.succeed(&format!("{PREDICTORS} --repeats 1 --json whole.json -q"));
    let mut half: Value = serde_json::from_slice(&bench.bytes("whole.json")).unwrap();
    half["fits"].as_array_mut().unwrap().truncate(3);
    bench.write("half.json", half.to_string());
    let again = bench.succeed(&format!("{PREDICTORS} --repeats 1 --json half.json --resume -q"));
    let text = |out: &str| timeless(out).replace("whole.json", "half.json");
    assert_eq!(text(&again.out), text(&whole.out));
    assert_eq!(json(&bench, "half.json"), json(&bench, "whole.json"));
}

#[test]
fn refused_comparisons() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(60));
    bench.write("other.json", "{\"format\": 1}");
    bench.succeed(&format!("{IMPUTERS} --json kept.json -q"));
    let before = bench.bytes("kept.json");
    let lines = [
        &*format!("{IMPUTERS} --json kept.json"),
        "compare ward.csv --impute --methods mean --repeats 3 --json kept.json --resume",
        &format!("{IMPUTERS} --json kept.json --resume --seed 1"),
        &format!("{IMPUTERS} --json absent.json --resume"),
        &format!("{IMPUTERS} --json other.json --resume"),
        "compare ward.csv --target days --methods gaussian",
        "compare ward.csv --target days --methods linear --set strength=1",
        "compare ward.csv --target days --methods linear --set trees.leaves=3",
        "compare ward.csv --impute --methods mean --set mean.center=mode",
        "compare ward.csv --methods linear",
        "compare ward.csv --target days --how mcar:0.2",
    ];
    assert_kept("compare_refused", &bench.transcripts(lines));
    assert_eq!(bench.bytes("kept.json"), before);
    bench.succeed(&format!("{IMPUTERS} --json kept.json --fresh -q"));
}

#[test]
fn tuned_methods_stand_beside_the_others() {
    let bench = Bench::new();
    let line =
        "compare sample:penguins --impute --methods mean,neighbours --tune 3 --repeats 2 --threads 2 -q";
    let out = bench.succeed(line).out;
    assert!(out.contains("\n  neighbours (tuned)") && out.contains("\n  neighbours  "), "{out}");
    assert!(out.contains("`neighbours (tuned)` chose most often ("), "{out}");
    assert!(!out.contains("mean (tuned)"), "the mean has nothing to tune: {out}");
}
