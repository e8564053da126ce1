//! What every command prints when all is well.

use crate::bench::{Bench, assert_kept, rounded, ward};

#[test]
fn help() {
    let commands = [
        "",
        "demo ",
        "fit ",
        "predict ",
        "impute ",
        "analyse ",
        "pool ",
        "audit ",
        "bench ",
        "compare ",
        "show ",
        "describe ",
        "hide ",
        "simulate ",
        "methods ",
    ];
    let lines: Vec<String> = commands.iter().map(|command| format!("{command}--help")).collect();
    assert_kept("help", &Bench::new().transcripts(lines.iter().map(String::as_str)));
}

#[test]
fn methods() {
    let lines = [
        "methods",
        "methods ensemble",
        "methods auto",
        "methods gaussian",
        "methods network",
        "methods mlp",
        "methods linear",
        "methods trees",
    ];
    assert_kept("methods", &Bench::new().transcripts(lines));
}

#[test]
fn describe() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(200));
    let lines = [
        "describe sample:penguins --threads 2",
        "describe sample:horse-colic --target surgical_lesion --threads 2",
        "describe ward.csv --target days --threads 2 --json ward.json",
    ];
    assert_kept("describe", &bench.transcripts(lines));
    let json: serde_json::Value = serde_json::from_slice(&bench.bytes("ward.json")).unwrap();
    assert!(json.is_object());
}

#[test]
fn hide() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(100));
    let lines = [
        "hide ward.csv --how mcar:0.2 -o holes.csv --truth truth.csv --target days --seed 3",
        "hide ward.csv --how mar:0.3 -o mar.csv --seed 3 --columns age,pulse,temperature,sex",
        "hide ward.csv --how self-logistic:0.3 -o self.csv --seed 3 --columns age,pulse",
        "hide ward.csv --how mcar:0.2 -o holes.csv --quiet",
    ];
    assert_kept("hide", &bench.transcripts(lines));
    let truth = bench.text("truth.csv");
    assert_kept("hide_truth", &truth.lines().take(8).collect::<Vec<_>>().join("\n"));
}

#[test]
fn fit_show_predict_a_number() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(300));
    let mut text = bench.transcripts([
        "fit ward.csv --target days --id id --ignore outcome --method linear -o days.unmiss --threads 2",
        "show days.unmiss",
    ]);
    bench.write(
        "new.csv",
        ward(305)
            .lines()
            .enumerate()
            .filter(|(line, _)| *line == 0 || *line > 300)
            .map(|(_, line)| format!("{line}\n"))
            .collect::<String>(),
    );
    text += &rounded(&bench.transcript("predict days.unmiss new.csv --threads 2"), 3);
    text += &rounded(&bench.transcript("predict days.unmiss new.csv --threads 2 --level 0.5"), 3);
    text += &rounded(&bench.transcript("predict days.unmiss new.csv --threads 2 --id sex,unit"), 3);
    text += &bench.transcript("predict days.unmiss new.csv --threads 2 -o days.csv");
    text += &bench.transcript("predict days.unmiss new.csv --threads 2 -o days.csv --quiet");
    assert_kept("number", &text);
    assert!(bench.text("days.csv").starts_with("id,prediction,lower,upper\np300,"));
}

#[test]
fn fit_show_predict_classes() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(300));
    let fit = "fit ward.csv --target outcome --id id --ignore days --threads 2 --folds 3";
    let mut text = bench.transcripts([
        &*format!("{fit} --method linear --method trees --seed 7 -o outcome.unmiss"),
        "show outcome.unmiss",
    ]);
    bench.write("new.csv", ward(4));
    text += &rounded(&bench.transcript("predict outcome.unmiss new.csv --threads 2"), 3);
    assert_kept("classes", &text);
}

#[test]
fn fit_a_small_network() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(120));
    let settings = "--method network --set width=8 --set layers=1 --set epochs=3 --set networks=2";
    let text = bench.transcripts([
        &*format!("fit ward.csv --target days --id id --ignore outcome {settings} -o net.unmiss --threads 2"),
        "show net.unmiss",
    ]);
    // What a training comes to differs in the last digits between processors; the form is what is kept.
    let digits = |word: &str| word.contains('.') && word.trim_end_matches(['.', ',']).parse::<f64>().is_ok();
    let line = |line: &str| {
        let words = line.split(' ').map(|word| if digits(word) { "[number]" } else { word });
        words.collect::<Vec<_>>().join(" ") + "\n"
    };
    assert_kept("network", &text.lines().map(line).collect::<String>());
}

#[test]
fn version() {
    let answer = Bench::new().run("--version");
    assert_eq!(answer.out, format!("unmiss {}\n", env!("CARGO_PKG_VERSION")));
}
