//! The server's own description (OpenAPI 3.1), with the columns of the models that are served now.

use serde_json::{Map, Value, json};
use unmiss::data::{Kind, Shape};
use unmiss::encode::Task;
use unmiss::methods::Job;
use unmiss::model::{Model, Predicting};

use crate::app::App;
use crate::facts::MOST_LEVELS;
use crate::formats::ARROW;
use crate::pictures::NPZ;
use crate::shelf::Served;

/// The description.
pub fn document(app: &App) -> Value {
    let mut paths = Map::new();
    for (path, summary) in [
        ("/health", "Whether the server is alive"),
        ("/ready", "Whether it takes requests; 503 when it is about to end"),
        ("/openapi.json", "This description"),
    ] {
        paths.insert(
            path.into(),
            json!({ "get": told(summary, json!({ "type": "object" }), open_faults(path)) }),
        );
    }
    let text = json!({ "description": "Counts, in the form of Prometheus", "content": {
        "application/openmetrics-text": { "schema": { "type": "string" } } } });
    paths.insert(
        "/metrics".into(),
        json!({ "get": { "summary": "What is counted", "operationId": "metrics",
            "responses": responses(text, &[]) } }),
    );
    let list = json!({ "type": "object", "required": ["models"], "properties": {
        "models": { "type": "array", "items": { "$ref": "#/components/schemas/Model" } } } });
    paths.insert("/models".into(), json!({ "get": told("The models that are served", list, &[]) }));
    for slot in &app.shelf.slots {
        let served = slot.model();
        let of_model = json!({ "$ref": "#/components/schemas/Model" });
        let path = format!("/models/{}", slot.name);
        paths.insert(path.clone(), json!({ "get": told("One model, with its columns", of_model, &[]) }));
        for verb in served.routes() {
            paths.insert(format!("{path}/{verb}"), json!({ "post": post(&served, verb) }));
        }
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "unmiss",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Models that learned from data with holes. Rows may have holes anywhere; answers are those \
                            of the program, bit for bit, however rows are batched.",
        },
        "paths": paths,
        "components": { "schemas": { "Error": error(), "Model": model(), "Cell": cell() } },
    });
    if app.settings.token.is_some() {
        document["components"]["securitySchemes"] =
            json!({ "token": { "type": "http", "scheme": "bearer" } });
        document["security"] = json!([{ "token": [] }]);
    }
    document
}

fn open_faults(path: &str) -> &'static [u16] {
    if path == "/ready" { &[503] } else { &[] }
}

fn error() -> Value {
    json!({
        "type": "object",
        "required": ["error"],
        "properties": { "error": {
            "type": "object",
            "required": ["what", "where", "hint"],
            "properties": {
                "what": { "type": "string", "description": "What is wrong" },
                "where": { "type": "object", "description": "row, line, column, parameter, header or path" },
                "hint": { "type": "string", "description": "What to do about it" },
            },
        } },
    })
}

fn model() -> Value {
    json!({
        "type": "object",
        "required": ["name", "job", "shape", "method", "routes"],
        "properties": {
            "name": { "type": "string" },
            "job": { "enum": ["predict", "fill", "rate", "density"] },
            "shape": { "type": "string" },
            "method": { "type": "string" },
            "routes": { "type": "array", "items": { "type": "string" } },
            "trouble": { "type": ["string", "null"],
                "description": "Why a new file could not take the model's place" },
        },
    })
}

fn cell() -> Value {
    json!({ "type": ["number", "string", "boolean", "null"] })
}

/// A GET that answers with JSON.
fn told(summary: &str, schema: Value, faults: &[u16]) -> Value {
    let content = json!({ "application/json": { "schema": schema } });
    json!({ "summary": summary,
        "responses": responses(json!({ "description": summary, "content": content }), faults) })
}

/// The good answer and the faults that any request may meet, with further ones.
fn responses(good: Value, further: &[u16]) -> Value {
    let mut all = Map::new();
    all.insert("200".into(), good);
    for code in [401, 403, 503, 504].iter().chain(further) {
        let words = match code {
            400 => "The request can't be understood; what, where and what to do",
            401 => "A token is needed",
            403 => "The server is not known by this name",
            406 => "The answer can't be given in that form",
            409 => "The model is for something else by now",
            413 => "Too many bytes or rows",
            415 => "The body is of a type that can't be read",
            503 => "Too many requests at a time, or the server is about to end",
            504 => "It took too long",
            _ => "Something else",
        };
        let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } });
        all.insert(code.to_string(), json!({ "description": words, "content": content }));
    }
    Value::Object(all)
}

fn post(served: &Served, verb: &str) -> Value {
    let model = &served.model;
    let (job, shape) = (model.job(), model.shape());
    let (summary, body, parameters, answer) = match (verb, job, shape) {
        ("describe", ..) => ("What is missing, where, and does it look random", files(), vec![], found()),
        ("audit", ..) => {
            let parameters = [("rows", 1000), ("levels", 20), ("masks", 100)];
            let parameters = parameters.map(|(name, most)| whole(name, "How thorough it is", most));
            let parameters = [parameters.to_vec(), vec![seed()]].concat();
            ("Does the answer drift with how much is known", files(), parameters, found())
        }
        ("top", ..) => (
            "The best items that users have not rated",
            users(),
            vec![whole("count", "How many", 1000)],
            rated(),
        ),
        (_, Job::Rate, _) => ("Ratings of pairs of users and items", pairs(), vec![], rated()),
        (_, Job::Fill, Shape::Images) => ("The images without holes", images(), vec![], zip()),
        (_, Job::Predict, Shape::Images) => ("The class of each image", images(), levels(model), scores()),
        (_, Job::Density, Shape::Images) => ("How plausible each image is", images(), vec![], scores()),
        (_, Job::Predict, _) => {
            let further = vec![ids(), flag("account", "Whether rows tell what they miss"), strict(), sent()];
            let parameters = [levels(model), further].concat();
            ("A prediction for each row", rows(model), parameters, predictions(model))
        }
        (_, Job::Fill, _) => (
            "The rows without holes",
            rows(model),
            vec![whole("draws", "How many plausible ways", 1000), seed(), ids(), strict(), sent()],
            filled(),
        ),
        (_, Job::Density, _) => {
            let share = json!({ "name": "flag", "in": "query", "description": "Rows as rare as this share are flagged",
                "schema": { "type": "number", "minimum": 0, "maximum": 1 } });
            ("How plausible each row is", rows(model), vec![share, ids(), strict(), sent()], scores())
        }
    };
    json!({
        "summary": summary,
        "operationId": format!("{}-{verb}", served.name),
        "parameters": parameters,
        "requestBody": { "required": true, "content": body },
        "responses": responses(json!({ "description": summary, "content": answer }), &[400, 406, 409, 413, 415]),
    })
}

/// The level, where the model has intervals or sets.
fn levels(model: &Model) -> Vec<Value> {
    let has = |own: Predicting<'_>| own.intervals.is_some() || own.sets.is_some();
    if model.predicting().is_ok_and(has) { vec![level()] } else { Vec::new() }
}

fn level() -> Value {
    json!({ "name": "level", "in": "query", "description": "Share of rows that intervals or sets hold for",
        "schema": { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1 } })
}

fn ids() -> Value {
    json!({ "name": "id", "in": "query", "description": "Columns to carry along, apart by commas",
        "schema": { "type": "string" } })
}

fn seed() -> Value {
    json!({ "name": "seed", "in": "query", "description": "The same seed gives the same answer",
        "schema": { "type": "integer", "minimum": 0, "maximum": u64::MAX } })
}

fn strict() -> Value {
    flag("strict", "Whether unknown columns and values that training never saw are refused")
}

fn sent() -> Value {
    flag("sent", "Whether the rows come back beside the answers as they were read; JSON only")
}

fn flag(name: &str, description: &str) -> Value {
    json!({ "name": name, "in": "query", "description": description, "schema": { "type": "boolean" } })
}

fn whole(name: &str, description: &str, most: usize) -> Value {
    json!({ "name": name, "in": "query", "description": description,
        "schema": { "type": "integer", "minimum": 1, "maximum": most } })
}

fn text() -> Value {
    json!({ "schema": { "type": "string", "minLength": 1 } })
}

fn bytes() -> Value {
    json!({ "schema": { "type": "string", "contentMediaType": "application/octet-stream" } })
}

/// Rows in any form; the columns of the model are told with their types, and other columns may stand beside them.
fn rows(model: &Model) -> Value {
    let mut properties = Map::new();
    if let Ok(encoder) = model.coder.table() {
        for own in &encoder.numbers {
            let whole = own.kind == Kind::Integer;
            let description = format!(
                "{} from {} to {} in training",
                if whole { "whole numbers" } else { "numbers" },
                own.low,
                own.high
            );
            properties
                .insert(own.name.clone(), json!({ "type": ["number", "null"], "description": description }));
        }
        for own in &encoder.categories {
            let levels: Vec<&str> = own.levels.iter().take(MOST_LEVELS).map(String::as_str).collect();
            properties.insert(
                own.name.clone(),
                json!({ "type": ["string", "number", "boolean", "null"], "examples": levels,
                    "description": "one of the levels of training; others count as missing" }),
            );
        }
        for own in &encoder.made {
            let description = match own.what() {
                "date" => "a date, a time or both, as in ISO 8601",
                "text" => "free text",
                _ => "one of the levels of training; others count as missing",
            };
            properties.insert(
                own.column.clone(),
                json!({ "type": ["string", "null"], "description": description }),
            );
        }
    }
    let needed = model.needed_columns();
    properties.retain(|name, _| needed.contains(&name.as_str()));
    let row = json!({ "type": "object", "properties": properties,
        "additionalProperties": { "$ref": "#/components/schemas/Cell" } });
    json!({
        "application/json": { "schema": { "oneOf": [{ "type": "array", "items": row.clone() }, row] } },
        "text/csv": text(),
        "application/vnd.apache.parquet": bytes(),
        ARROW: bytes(),
    })
}

fn files() -> Value {
    json!({ "text/csv": text(), "application/vnd.apache.parquet": bytes() })
}

fn images() -> Value {
    json!({ "application/octet-stream": bytes() })
}

fn zip() -> Value {
    json!({ NPZ: bytes() })
}

fn rating(with: bool) -> Value {
    let id = json!({ "type": ["string", "number"] });
    let mut properties = json!({ "user": id, "item": id });
    let mut required = vec!["user", "item"];
    if with {
        properties["rating"] = json!({ "type": "number", "minimum": -1e30, "maximum": 1e30 });
        required.push("rating");
    }
    json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
}

fn pairs() -> Value {
    let alone = json!({ "type": "array", "items": rating(false) });
    let with = json!({ "type": "object", "required": ["pairs"], "additionalProperties": false, "properties": {
        "pairs": alone, "ratings": { "type": "array", "items": rating(true) } } });
    json!({ "application/json": { "schema": { "oneOf": [alone, with] } }, "text/csv": text() })
}

fn users() -> Value {
    let schema = json!({ "type": "object", "required": ["users"], "additionalProperties": false, "properties": {
        "users": { "type": "array", "items": { "type": ["string", "number"] } },
        "ratings": { "type": "array", "items": rating(true) } } });
    json!({ "application/json": { "schema": schema } })
}

/// Answers in rows of some form.
fn tables(rows: Value) -> Value {
    let schema = json!({ "type": "object", "required": ["model", "notes"], "properties": {
        "model": { "type": "string" },
        "rows": { "type": "array", "items": rows },
        "draws": { "type": "array", "items": { "type": "array", "items": { "type": "object" } } },
        "notes": { "type": "array", "items": { "type": "string" }, "description": "What to know about the answers" },
        "sent": { "type": "array", "items": { "type": "object" }, "description": "The rows as they were read" },
    } });
    json!({ "application/json": { "schema": schema }, "text/csv": text(), ARROW: bytes() })
}

fn predictions(model: &Model) -> Value {
    let number = json!({ "type": "number" });
    let end = json!({ "type": ["number", "null"], "description": "null: there is no end, or no interval" });
    let mut properties = json!({
        "id": { "type": "object" },
        "known": { "type": "integer", "description": "How many inputs are known" },
        "expected_error": { "type": ["number", "null"],
            "description": "How far off the answer is to be expected, relative to a row without holes" },
        "off_by": { "type": ["number", "null"], "description": "How far off the answer is to be expected, in the \
            target's units; for classes how much of the chance the true one does not get" },
        "measured": { "type": ["boolean", "null"],
            "description": "Whether held-out rows have shown errors for such holes; if not, it may be worse" },
        "missing": { "type": "array", "items": { "type": "object", "properties": {
            "column": { "type": "string" },
            "costs": { "type": ["number", "null"],
                "description": "By what factor the error to be expected grows because it is missing" } } } },
    });
    let required = match model.predicting().map(|own| (own.target.task, own.target.levels.clone())) {
        Ok((Task::Classification { .. }, levels)) => {
            let chances: Map<String, Value> =
                levels.iter().map(|level| (level.clone(), number.clone())).collect();
            properties["prediction"] = json!({ "enum": levels });
            properties["probabilities"] = json!({ "type": "object", "properties": chances });
            properties["set"] = json!({ "type": "array", "items": { "enum": levels } });
            vec!["prediction", "probabilities"]
        }
        _ => {
            properties["prediction"] = number;
            (properties["lower"], properties["upper"]) = (end.clone(), end);
            vec!["prediction", "lower", "upper"]
        }
    };
    tables(json!({ "type": "object", "required": required, "properties": properties }))
}

fn filled() -> Value {
    tables(json!({ "type": "object" }))
}

fn scores() -> Value {
    tables(json!({ "type": "object" }))
}

fn rated() -> Value {
    tables(json!({ "type": "object", "required": ["user", "item", "prediction"], "properties": {
        "user": { "type": "string" }, "item": { "type": "string" }, "prediction": { "type": "number" } } }))
}

fn found() -> Value {
    json!({ "application/json": { "schema": { "type": "object", "required": ["found"] } }, "text/html": text() })
}
