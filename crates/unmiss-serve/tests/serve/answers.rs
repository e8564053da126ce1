//! Answers are those of the model itself, bit for bit, in every form and however rows are batched.

use serde_json::{Value, json};
use unmiss::data::{Batches, Data, Table};
use unmiss::model::Predictions;

use crate::bench::{Bench, JSON_ROWS, ROWS, model};

/// The rows as the program reads them for a model.
fn table(name: &str) -> Table {
    let options = model(name).batch_options().unwrap();
    Batches::from_bytes("rows.csv", ROWS.as_bytes(), &options).unwrap().next().unwrap().unwrap()
}

#[test]
fn numbers_with_intervals_are_the_model_s() {
    let bench = Bench::new();
    let model = model("folds-of-a-number");
    let predicting = model.predicting().unwrap();
    let data = Data::from(table("folds-of-a-number"));
    let answers = predicting.answers(&predicting.coder.encode(&data, |_, _| {}).unwrap()).unwrap();
    let (Predictions::Numbers(values), Some(intervals)) = (answers.predictions(), answers.intervals(0.8))
    else {
        panic!("no numbers")
    };
    for body in [bench.json("/models/number/predict?level=0.8", JSON_ROWS), csv_to_json(&bench)] {
        let reply = body.good().json();
        for (row, (value, (lower, upper))) in values.iter().zip(&intervals).enumerate() {
            let own = &reply["rows"][row];
            assert_eq!(own["prediction"].as_f64().unwrap().to_bits(), value.to_bits(), "{row}");
            let end = |name: &str| own[name].as_f64();
            assert_eq!(end("lower"), Some(*lower).filter(|end| end.is_finite()), "{row}");
            assert_eq!(end("upper"), Some(*upper).filter(|end| end.is_finite()), "{row}");
        }
        assert_eq!(reply["rows"].as_array().unwrap().len(), 6);
        assert!(reply["notes"].to_string().contains("violet"), "{}", reply["notes"]);
    }
}

fn csv_to_json(bench: &Bench) -> crate::bench::Reply {
    let headers = [("content-type", "text/csv"), ("accept", "application/json")];
    bench.send("POST", "/models/number/predict?level=0.8", &headers, ROWS)
}

#[test]
fn rows_alone_and_together_get_the_same() {
    let bench = Bench::new();
    for name in ["number", "classes", "linear", "density"] {
        let path = format!("/models/{name}/{}", if name == "density" { "score" } else { "predict" });
        let all = bench.json(&path, JSON_ROWS).good().json();
        let rows: Vec<Value> = serde_json::from_str(JSON_ROWS).unwrap();
        for (place, row) in rows.iter().enumerate() {
            let mut alone = bench.json(&path, &row.to_string()).good().json()["rows"][0].clone();
            if name == "density" {
                alone["row"] = json!(place + 1);
            }
            assert_eq!(alone, all["rows"][place], "{name} {place}");
        }
        // More rows than one piece has.
        let many: Vec<&Value> = rows.iter().cycle().take(1500).collect();
        let many = bench.json(&path, &json!(many).to_string()).good().json();
        for place in [0, 511, 512, 1024, 1499] {
            let mut own = many["rows"][place].clone();
            if name == "density" {
                own["row"] = json!(place % 6 + 1);
            }
            assert_eq!(own, all["rows"][place % 6], "{name} {place}");
        }
    }
}

#[test]
fn classes_come_with_chances_sets_and_ids() {
    let bench = Bench::new();
    let reply = bench.json("/models/classes/predict?level=0.9&id=key", JSON_ROWS).good().json();
    for (row, key) in ["a", "b", "c", "d", "e", "f"].iter().enumerate() {
        let own = &reply["rows"][row];
        assert_eq!(own["id"]["key"], *key);
        let chances = own["probabilities"].as_object().unwrap();
        let sum: f64 = chances.values().map(|chance| chance.as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-9);
        let best =
            chances.iter().max_by(|a, b| a.1.as_f64().unwrap().total_cmp(&b.1.as_f64().unwrap())).unwrap();
        assert_eq!(own["prediction"], best.0.as_str());
        assert!(own["set"].as_array().unwrap().contains(&own["prediction"]));
    }
    let rows: String = ROWS
        .lines()
        .map(|line| format!("{line}{}\n", if line.starts_with("key") { ",target" } else { "," }))
        .collect();
    let text = bench.csv("/models/classes/predict?level=0.9&id=key", &rows).good().text();
    assert!(text.starts_with("key,prediction,set,probability_"), "{text}");
    assert!(text.lines().nth(1).unwrap().starts_with("a,"), "{text}");
}

#[test]
fn a_row_tells_what_is_missing_and_what_it_costs() {
    let bench = Bench::new();
    let reply = bench.json("/models/number/predict", JSON_ROWS).good().json();
    let (first, fourth) = (&reply["rows"][0], &reply["rows"][3]);
    assert_eq!((&first["known"], &fourth["known"]), (&json!(2), &json!(0)));
    assert_eq!(first["missing"][0]["column"], "second");
    let cost = |row: &Value| row["expected_error"].as_f64().unwrap();
    assert!(cost(first) > 0.0 && cost(fourth) > 0.0);
    let size = |row: &Value| row["off_by"].as_f64().unwrap();
    assert!(
        size(first) > 0.0 && (size(fourth) / size(first) / (cost(fourth) / cost(first)) - 1.0).abs() < 0.5
    );
    assert_eq!(first["measured"], true);
    // What one hole costs is all there is to it where there is no other.
    assert!((first["missing"][0]["costs"].as_f64().unwrap() - cost(first)).abs() < 1e-12);
    let text = bench.csv("/models/number/predict?account=true", ROWS).good().text();
    assert!(
        text.starts_with("prediction,lower,upper,known,missing,expected_error,off_by,measured\n"),
        "{text}"
    );
    assert!(text.lines().nth(4).unwrap().contains(",0,first|second|colour,"), "{text}");
}

#[test]
fn arrow_in_and_out_says_the_same_as_json() {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Float64Type;
    let bench = Bench::new();
    const ARROW: &str = "application/vnd.apache.arrow.stream";
    let batches = |bytes: Vec<u8>| -> Vec<arrow_array::RecordBatch> {
        arrow_ipc::reader::StreamReader::try_new(std::io::Cursor::new(bytes), None)
            .unwrap()
            .map(Result::unwrap)
            .collect()
    };
    // Rows as Arrow: what filling gives back, asked from JSON.
    let headers = [("content-type", "application/json"), ("accept", ARROW)];
    let full = bench.send("POST", "/models/fill/fill", &headers, JSON_ROWS).good();
    assert_eq!(full.headers["content-type"], ARROW);
    let expected = bench.json("/models/fill/fill", JSON_ROWS).good().json();
    let read = batches(full.body.clone());
    let first = read[0].column_by_name("first").unwrap().as_primitive::<Float64Type>();
    for row in 0..6 {
        assert_eq!(first.value(row), expected["rows"][row]["first"].as_f64().unwrap());
    }
    // And predicted from Arrow, where nothing is missing any more.
    let headers = [("content-type", ARROW), ("accept", "application/json")];
    let from_arrow = bench.send("POST", "/models/number/predict", &headers, full.body).good().json();
    let from_json = bench.json("/models/number/predict", &expected["rows"].to_string()).good().json();
    assert_eq!(from_arrow["rows"], from_json["rows"]);
}

#[test]
fn holes_are_filled_once_or_drawn_and_known_cells_stay() {
    let bench = Bench::new();
    let full = bench
        .csv("/models/fill/fill", "key,first,second,colour,target\n007,0.50,,red,1\n8,,1,green,2\n")
        .good();
    let text = full.text();
    assert!(text.starts_with("key,first,second,colour,target\n007,0.50,"), "{text}");
    assert!(!text.contains(",,"), "{text}");
    let row =
        r#"[{"key": 7, "first": 0.50, "second": null, "colour": "red", "target": 1, "more": {"a": [1]}}]"#;
    let refused = bench.json("/models/fill/fill", row);
    assert_eq!(refused.code, 400, "{}", refused.text());
    let row = r#"[{"key": 7, "first": 0.50, "second": null, "colour": "red", "target": 1}]"#;
    let reply = bench.json("/models/fill/fill?draws=3&seed=5", row).good().json();
    let draws = reply["draws"].as_array().unwrap();
    assert_eq!(draws.len(), 3);
    for draw in draws {
        assert_eq!((&draw[0]["key"], &draw[0]["first"]), (&json!(7), &json!(0.5)));
        assert!(draw[0]["second"].is_number());
    }
    assert_ne!(draws[0][0]["second"], draws[1][0]["second"]);
    assert_eq!(bench.json("/models/fill/fill?draws=3&seed=5", row).good().json(), reply);
    assert_ne!(bench.json("/models/fill/fill?draws=3&seed=6", row).good().json()["draws"], reply["draws"]);
    let long = bench.csv("/models/fill/fill?draws=2", "first,second,colour,target\n1,,red,1\n").good().text();
    let lead: Vec<&str> = long.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(lead, ["draw", "1", "2"]);
}

#[test]
fn pairs_are_rated_and_lists_made() {
    let bench = Bench::new();
    let model = model("biases-ratings-rate");
    let rating = model.rating().unwrap();
    let (user, item) = (rating.ratings.users.name(3), rating.ratings.items.name(2));
    let pair = json!([{ "user": user, "item": item }]).to_string();
    let reply = bench.json("/models/films/predict", &pair).good().json();
    let expected = unmiss::model::rounded(rating.rate(&[(3, 2)])[0]);
    assert_eq!(reply["rows"][0]["prediction"].as_f64(), Some(expected));
    let csv = bench.csv("/models/films/predict", &format!("user,item\n{user},{item}\n")).good().text();
    assert!(csv.starts_with("user,item,prediction\n"), "{csv}");
    let top = bench.json("/models/films/top?count=2", &json!({ "users": [user] }).to_string()).good().json();
    let best = rating.top(3, 2);
    assert_eq!(top["rows"].as_array().unwrap().len(), best.len());
    assert_eq!(top["rows"][0]["item"], rating.ratings.items.name(best[0].0));
    // Somebody new is known by the ratings that come along.
    let new = json!({ "users": ["new"], "ratings": [{ "user": "new", "item": item, "rating": 5 }] });
    let top = bench.json("/models/films/top", &new.to_string()).good().json();
    assert!(top["rows"].as_array().unwrap().iter().all(|row| row["item"] != item));
    let unknown = bench.json("/models/films/top", r#"{"users": ["nobody"]}"#);
    assert_eq!(unknown.code, 400, "{}", unknown.text());
}

#[test]
fn images_are_told_and_filled() {
    use unmiss::data::images;
    let bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("digits.npz");
    let few = images::sample().unwrap().select(&[0, 1, 2]);
    images::write(&few, &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let reply = bench.send("POST", "/models/digits/predict", &[], bytes.clone()).good().json();
    assert_eq!(reply["rows"].as_array().unwrap().len(), 3);
    let full = bench.send("POST", "/models/whole-digits/fill", &[], bytes).good();
    assert_eq!(images::from_bytes("x.npz", full.body).unwrap().len(), 3);
    assert_eq!(bench.send("POST", "/models/digits/predict", &[], "nothing").code, 400);
}

#[test]
fn rows_come_back_as_they_were_read_where_that_is_asked_for() {
    let bench = Bench::new();
    // A title, semicolons and decimal commas: what a second reader would make something else of.
    let rows = "Measured in spring\n\nkey;first;second;colour\na;0,5;;red\nb;-2,75;1,25;\n";
    let ask = |path: &str| {
        let headers = [("content-type", "text/csv"), ("accept", "application/json")];
        bench.send("POST", path, &headers, rows)
    };
    let told = ask("/models/number/predict?sent=true").good().json();
    assert_eq!(
        told["sent"],
        json!([
            { "first": 0.5, "second": null, "colour": "red" },
            { "first": -2.75, "second": 1.25, "colour": null }
        ])
    );
    assert_eq!(told["rows"].as_array().unwrap().len(), 2);
    assert!(ask("/models/number/predict").good().json().get("sent").is_none());
    let told = ask("/models/fill/fill?sent=true&draws=2").json();
    assert!(told["error"]["what"].as_str().unwrap().contains("`target`"), "{told}");
    let rows = "key;first;second;colour;target\n007;0,5;;red;1\n";
    let told = bench.send(
        "POST",
        "/models/fill/fill?sent=true&draws=2",
        &[("content-type", "text/csv"), ("accept", "application/json")],
        rows,
    );
    let told = told.good().json();
    assert_eq!((&told["sent"][0]["first"], &told["sent"][0]["second"]), (&json!(0.5), &Value::Null));
    assert_eq!((told["sent"].as_array().unwrap().len(), told["draws"].as_array().unwrap().len()), (1, 2));
    let refused = bench.csv("/models/fill/fill?sent=true", rows);
    assert_eq!((refused.code, &refused.json()["error"]["where"]["parameter"]), (400, &json!("sent")));
}

#[test]
fn unknown_columns_of_rows_to_be_filled_are_told_or_refused() {
    let bench = Bench::new();
    let row = r#"{"key": 7, "frist": 0.5, "colour": "red", "target": 1}"#;
    let told = bench.json("/models/fill/fill", row).good().json();
    let notes = told["notes"].to_string();
    assert!(notes.contains("pass as they are: `key`, `frist`") && told["rows"][0]["frist"] == 0.5, "{told}");
    let refused = bench.json("/models/fill/fill?strict=true&id=key", row).json();
    assert_eq!(refused["error"]["where"]["column"], "frist");
    let row = row.replace("frist", "first");
    let told = bench.json("/models/fill/fill?strict=true&id=key", &row).good().json();
    assert_eq!(told["notes"], json!([]));
    let refused =
        bench.json("/models/fill/fill?strict=true", &row.replace("\"key\": 7, ", "").replace("red", "mauve"));
    assert!(refused.text().contains("never saw"), "{}", refused.text());
    assert_eq!(bench.json("/models/fill/fill?id=who", &row).code, 400);
}

#[test]
fn models_and_their_columns_are_told() {
    let bench = Bench::new();
    let models = bench.get("/models").good().json();
    assert_eq!(models["models"].as_array().unwrap().len(), 8);
    let one = bench.get("/models/number").good().json();
    assert_eq!(one["target"]["name"], "target");
    assert_eq!(one["inputs"][0]["name"], "first");
    assert_eq!(one["inputs"][2]["levels"], json!(["blue", "green", "red"]));
    assert_eq!(bench.get("/health").good().json()["status"], "alive");
    assert_eq!(bench.get("/ready").good().json()["status"], "ready");
    for (path, kind) in [("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css")] {
        let page = bench.get(path).good();
        assert!(page.headers["content-type"].to_str().unwrap().starts_with(kind));
    }
}

#[test]
fn tables_are_described_and_models_audited() {
    let bench = Bench::new();
    let rows: String = (0..30).map(|row| format!("{},{},red\n", row % 7, (row * row) % 5)).collect();
    let table = format!("first,second,colour\n{rows},1,blue\n");
    let found = bench.csv("/models/number/describe", &table);
    assert_eq!(found.code, 200, "{}", found.text());
    let json = [("content-type", "text/csv"), ("accept", "application/json")];
    let found = bench.send("POST", "/models/number/describe", &json, table.clone()).good().json();
    assert_eq!(found["found"]["rows"], 31);
    let path = "/models/number/audit?rows=5&levels=3&masks=2";
    let audit = bench.send("POST", path, &json, table.clone()).good().json();
    assert!(audit["found"]["verdict"].is_string(), "{audit}");
    let html = [("content-type", "text/csv"), ("accept", "text/html")];
    let page = bench.send("POST", path, &html, table).good().text();
    assert!(page.contains("<h1>Audit of number"), "{}", &page[..500]);
}
