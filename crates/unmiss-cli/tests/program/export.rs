//! Models as graphs for other runtimes. That these answer the same is tested from Python, in such a runtime.

use crate::bench::{Bench, ward};

#[test]
fn a_model_becomes_a_graph_that_tells_what_it_takes() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(80));
    let fit = "fit ward.csv --id id --method linear --folds 3 -q";
    bench.succeed(&format!("{fit} --target days --ignore outcome -o days.unmiss"));
    let said = bench.succeed("export days.unmiss -o days.onnx --level 0.9").out;
    for word in ["age", "float64 [rows, 1]", "string [rows, 1]", "prediction", "lower", "upper"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    let bytes = bench.bytes("days.onnx");
    let holds = |word: &str| bytes.windows(word.len()).any(|window| window == word.as_bytes());
    assert!(["IsNaN", "LabelEncoder", "unmiss.signature", "ai.onnx.ml"].into_iter().all(holds));
    bench.succeed("export days.unmiss -o again.onnx --level 0.9");
    assert_eq!(bytes, bench.bytes("again.onnx"), "the same model gives the same bytes");
}

#[test]
fn what_is_no_formula_is_refused_with_the_reason() {
    let bench = Bench::new();
    bench.write("ward.csv", ward(60));
    bench.succeed("impute ward.csv --ignore id --method neighbours -o full.csv --save near.unmiss -q");
    bench.succeed("fit ward.csv --target outcome --ignore id --method linear -o model.unmiss -q");
    bench.succeed("fit sample:films --method biases -o films.unmiss -q");
    let files = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../unmiss/tests/files");
    for (file, name) in
        [("autoimpute-table-fill", "old.unmiss"), ("gaussian-table-density", "plausible.unmiss")]
    {
        std::fs::copy(files.join(format!("{file}.unmiss")), bench.path(name)).unwrap();
    }
    for (line, words) in [
        ("export old.unmiss -o x.onnx", "not described as operations"),
        (
            "export old.unmiss -o x.onnx",
            "another method for that (`mean`, `gaussian`, `low-rank` or `autoencoder`)",
        ),
        ("export plausible.unmiss -o x.onnx", "every pattern of holes has a density of its own"),
        ("export films.unmiss -o x.onnx", "looked up by their ids"),
        ("export near.unmiss -o x.onnx", "training rows that are most alike"),
        ("export films.unmiss -o x.onnx", "can't be exported"),
        ("export model.unmiss -o x.onnx --level 0.9", "no intervals"),
        ("export model.unmiss -o x.onnx --level 2", "not between 0 and 1"),
        ("export model.unmiss -o model.unmiss", "would overwrite"),
    ] {
        let said = bench.run(line);
        let flat = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.code != 0 && flat.contains(words), "{line}: {}", said.err);
    }
    assert!(!bench.path("x.onnx").exists());
}
