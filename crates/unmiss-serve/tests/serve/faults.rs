//! Whatever is refused is refused as JSON with what, where and what to do.

use crate::bench::{Bench, ROWS, Reply};

fn told(reply: &Reply, code: u16, part: &str, place: &str, words: &str) {
    assert_eq!(reply.code, code, "{}", reply.text());
    assert_eq!(reply.headers["content-type"], "application/json");
    let error = &reply.json()["error"];
    assert!(error["what"].as_str().unwrap().contains(words), "{error}");
    assert!(!error["hint"].as_str().unwrap().is_empty(), "{error}");
    if !part.is_empty() {
        let found = &error["where"][part];
        assert_eq!(found.to_string().trim_matches('"'), place, "{error}");
    }
}

#[test]
fn bad_bodies_are_told_what_where_and_what_to_do() {
    let bench = Bench::new();
    let path = "/models/number/predict";
    told(&bench.json(path, ""), 400, "", "", "no body");
    told(&bench.json(path, "[{\"first\": 1},\n {\"first\" 2}]"), 400, "line", "2", "can't be read as rows");
    told(&bench.json(path, r#"[{"first": 1}, {"first": "old"}]"#), 400, "row", "2", "holds numbers");
    told(&bench.json(path, r#"{"first": [1]}"#), 400, "column", "first", "list");
    told(&bench.json(path, "[1, 2]"), 400, "", "", "can't be read as rows");
    told(&bench.csv(path, "first,second\n1,2\n"), 400, "", "", "columns that are not there: `colour`");
    told(&bench.csv(path, "first,second,colour\n1,x,red\n"), 400, "line", "2", "`x` is not a number");
    told(&bench.csv(path, "first,second,colour\n1,2\n"), 400, "line", "2", "");
    told(&bench.csv(path, "first,second,colour\n1e308,2,red\n"), 400, "line", "2", "1e308");
    told(&bench.json(path, r#"{"first": 1e308}"#), 400, "", "", "too large");
    let arrow = [("content-type", "application/vnd.apache.arrow.stream")];
    told(&bench.send("POST", path, &arrow, "ARROW1"), 400, "", "", "Arrow");
    told(
        &bench.send("POST", path, &[("content-type", "image/png")], "x"),
        415,
        "header",
        "Content-Type",
        "image/png",
    );
    told(&bench.send("POST", path, &[("accept", "image/png")], ROWS), 406, "header", "Accept", "form");
}

#[test]
fn wrong_addresses_methods_and_parameters_are_told() {
    let bench = Bench::new();
    told(&bench.get("/nowhere"), 404, "", "", "nothing at this address");
    told(&bench.get("/models/nobody"), 404, "", "", "no model `nobody`");
    told(&bench.get("/models/number/predict"), 405, "", "", "GET can't be used here");
    told(&bench.json("/models/number/fill", "{}"), 409, "", "", "predicts");
    told(&bench.json("/models/number/guess", "{}"), 404, "", "", "guess");
    told(&bench.json("/models/number/predict?levl=0.9", "{}"), 400, "parameter", "levl", "no parameter");
    told(&bench.json("/models/number/predict?level=2", "{}"), 400, "parameter", "level", "between 0 and 1");
    told(
        &bench.json("/models/linear/predict?level=0.9", "{}"),
        400,
        "parameter",
        "level",
        "without held-out rows",
    );
    told(&bench.json("/models/number/predict?id=who", "{}"), 400, "parameter", "id", "`who`");
    told(&bench.json("/models/fill/fill?draws=0", "{}"), 400, "parameter", "draws", "whole number");
    told(
        &bench.json("/models/films/top?count=0", r#"{"users": []}"#),
        400,
        "parameter",
        "count",
        "from 1 to 1000",
    );
}

#[test]
fn strict_requests_refuse_what_training_never_saw() {
    let bench = Bench::new();
    let loose = bench.json("/models/number/predict", r#"{"frist": 1, "colour": "violet"}"#).good().json();
    assert!(loose["notes"].to_string().contains("did you mean `first`"), "{}", loose["notes"]);
    let path = "/models/number/predict?strict=true";
    told(&bench.json(path, r#"{"frist": 1}"#), 400, "column", "frist", "did not learn from");
    told(&bench.json(path, r#"{"colour": "violet"}"#), 400, "column", "colour", "never saw");
    bench.json(path, r#"{"colour": "red"}"#).good();
}
