//! Files of every method, written by the version named in them: they must open, and their answers must never change.
//!
//! A new method needs a file: `cargo test --workspace --test files -- --ignored` writes those that are not there yet.
//! Files that are there are never written again.

#![allow(clippy::unwrap_used, reason = "a test that fails is to say where")]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use unmiss::compare::fit_best;
use unmiss::data::series;
use unmiss::data::{Column, Data, Kind, Shape, Table, Values, images, ratings};
use unmiss::error::Result;
use unmiss::methods::{Draw, Job, METHODS, Method};
use unmiss::missing::{Region, hide_region};
use unmiss::model::{Aim, DensityPlan, Model, Predictions, Recipe, Roles};
use unmiss::rng::Stream;
use unmiss::run::Run;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

/// A small table with numbers, a category and holes.
fn table() -> Data {
    let mut stream = Stream::new(5, "files", 0, 0);
    let mut numbers = |every: usize| -> Vec<f64> {
        (0..48)
            .map(|row| if row % every == 2 { f64::NAN } else { (8.0 * stream.normal()).round() / 4.0 })
            .collect()
    };
    let (first, second, third) = (numbers(5), numbers(7), numbers(49));
    let words: Vec<Option<&str>> =
        (0..48).map(|row| ["red", "green", "blue"].get(row % 4).copied()).collect();
    Table::new(vec![
        Column::from_numbers("first", Kind::Real, &first),
        Column::from_numbers("second", Kind::Real, &second),
        Column::from_words("colour", Kind::Category, &words),
        Column::from_numbers("target", Kind::Real, &third),
    ])
    .unwrap()
    .into()
}

/// A few ratings of the sample.
fn films() -> Data {
    let all = ratings::sample();
    let few: Vec<_> = all.iter().filter(|rating| rating.user < 12 && rating.item < 10).collect();
    let ids = |names: &[String], count: usize| ratings::Ids::new(names[..count].to_vec());
    let (users, items) = (ids(all.users.names(), 12), ids(all.items.names(), 10));
    ratings::Ratings::new(users, items, few).unwrap().into()
}

/// A few digits of the sample, each with a hole.
fn digits() -> Data {
    let few = images::sample().unwrap().select(&(0..12).collect::<Vec<_>>());
    hide_region(few, &Region::Square(0.25), 5).into()
}

fn ward() -> Data {
    let some: Vec<usize> = (0..12).collect();
    series::sample().unwrap().part(&some, |_| true).into()
}

fn data(shape: Shape) -> Data {
    match shape {
        Shape::Table => table(),
        Shape::Ratings => films(),
        Shape::Images => digits(),
        Shape::Series => ward(),
    }
}

/// Settings that keep a file small.
fn small(method: &'static dyn Method) -> Recipe {
    let settings = [
        ("width", "4"),
        ("layers", "1"),
        ("networks", "1"),
        ("members", "2"),
        ("hidden", "[4]"),
        ("hidden", "4"),
        ("units", "4"),
        ("epochs", "3"),
        ("rounds", "3"),
        ("factors", "2"),
        ("draws", "3"),
        ("filters", "[[2], [3]]"),
        ("filters", "[2, 3]"),
        ("methods", r#"["mean", "gaussian"]"#),
        ("methods", r#"["linear", "trees"]"#),
        ("methods", r#"["factors", "biases"]"#),
    ];
    // Few ratings need larger steps to tell anything; trees of a few rows are small.
    let own: &[(&str, &str)] = match method.name() {
        "autorec" | "cf-nade" => &[("epochs", "60"), ("rate", "0.05")],
        "boosted" => &[("rounds", "1"), ("rows", "12")],
        "forest" => &[("trees", "3")],
        "surroundings" => &[("with", r#"{"rounds": 3}"#)],
        // Convolutions are for images, and a file of either shape is made.
        "dvae" => &[("filters", "[]")],
        "mfa" => &[("groups", "2")],
        "impute-then-predict" => &[
            ("imputer", "mean"),
            ("predictor", "mlp"),
            ("predictor-settings", r#"{"hidden": [4], "epochs": 3}"#),
        ],
        _ => &[],
    };
    let change =
        |recipe: Recipe, (name, value): &(&str, &str)| recipe.clone().set(name, value).unwrap_or(recipe);
    settings.iter().chain(own).fold(Recipe::of(method), change)
}

fn aim(shape: Shape, job: Job, draws: usize) -> Aim {
    match job {
        Job::Predict if shape == Shape::Images => Aim::predict(images::LABEL),
        Job::Predict if shape == Shape::Series => Aim::predict(series::TARGET),
        Job::Predict => Aim::predict("target"),
        Job::Fill => Aim::draw(draws),
        Job::Rate => Aim::Rate,
        Job::Density => Aim::Density(DensityPlan::default()),
    }
}

/// What a model answers for its own data.
fn answers(model: &Model) -> Result<Value> {
    Ok(match model.job() {
        Job::Predict => match model.predicting()?.predict(&data(model.shape()), |_, _| {})? {
            Predictions::Numbers(values) => json!(values),
            Predictions::Probabilities(chances) => json!(chances),
        },
        Job::Fill => {
            let draw = Some(Draw { seed: 3, number: 1, first_row: 0 });
            let fill = |draw| model.filling()?.fill(&data(model.shape()), draw, |_, _| {});
            json!([cells(&fill(None)?.data), cells(&fill(draw)?.data)])
        }
        Job::Density => {
            let scored = model.scoring()?.score(&data(model.shape()), |_, _| {})?;
            json!(scored.iter().map(|row| (row.log_likelihood, row.rarity)).collect::<Vec<_>>())
        }
        Job::Rate => {
            let rating = model.rating()?;
            let pairs: Vec<(u32, u32)> =
                (0..12).flat_map(|user| (0..10).map(move |item| (user, item))).collect();
            json!([rating.rate(&pairs), rating.rate_for(&[(0, 5.0), (3, 1.0)], &[1, 2, 9])])
        }
    })
}

fn cells(data: &Data) -> Vec<Vec<Option<String>>> {
    if let Ok(images) = data.images() {
        let pixels = |image| (0..64).map(|cell| Some(images.value(image, cell).to_string())).collect();
        return (0..images.len()).map(pixels).collect();
    }
    if let Ok(series) = data.series() {
        let values = |one| series.values(one).iter().map(|value| Some(format!("{value:.4}"))).collect();
        return (0..series.len()).map(values).collect();
    }
    data.columns().iter().map(|column| (0..column.rows()).map(|row| column.cell(row)).collect()).collect()
}

/// Methods whose files got another form since: one of the newer form stands beside the first.
const NEWER: &[&str] = &["autoencoder"];

/// A file of every method and job, one of a newer form, and one with sets of parameters for draws where the method has
/// them.
fn files() -> impl Iterator<Item = (&'static dyn Method, (Shape, Job), usize, PathBuf)> {
    METHODS.iter().flat_map(|method| {
        method.card().does.iter().flat_map(|(shape, job)| {
            let name = format!("{}-{shape}-{job}", method.name());
            let newer =
                (*shape == Shape::Table && NEWER.contains(&method.name())).then(|| format!("{name}-2"));
            let drawn = (*job == Job::Fill && method.proper_draws()).then(|| format!("{name}-draws"));
            let plain = [Some(name), newer].into_iter().flatten().map(|name| (0, name));
            let all = plain.chain(drawn.map(|name| (2, name)));
            all.map(|(sets, name)| (*method, (*shape, *job), sets, folder().join(name)))
        })
    })
}

#[test]
fn every_method_has_a_file_and_its_answers_are_what_they_were() {
    for (method, (_, job), _, path) in files() {
        let name = method.name();
        let model = Model::load_for(&path.with_extension("unmiss"), job).unwrap_or_else(|error| {
            panic!("{name}: {error}; see the head of this test for how to write its file")
        });
        let kept = std::fs::read_to_string(path.with_extension("json")).unwrap();
        let kept: Value = serde_json::from_str(&kept).unwrap();
        assert_near(&answers(&model).unwrap(), &kept, name);
    }
}

/// Other processors may differ in the last digits of an exponential; words must be the same.
fn assert_near(found: &Value, kept: &Value, name: &str) {
    match (found, kept) {
        (Value::Array(found), Value::Array(kept)) => {
            assert_eq!(found.len(), kept.len(), "{name}");
            found.iter().zip(kept).for_each(|(found, kept)| assert_near(found, kept, name));
        }
        (Value::Number(found), Value::Number(kept)) => {
            let (found, kept) = (found.as_f64().unwrap(), kept.as_f64().unwrap());
            assert!((found - kept).abs() <= 1e-5 * kept.abs().max(1.0), "{name}: {found}, and it was {kept}");
        }
        _ => assert_eq!(found, kept, "{name}"),
    }
}

#[test]
#[ignore = "writes the files that are not there yet"]
fn write_what_is_not_there() {
    for (method, (shape, job), draws, path) in files() {
        let (file, kept) = (path.with_extension("unmiss"), path.with_extension("json"));
        if file.exists() && kept.exists() {
            continue;
        }
        let model = if file.exists() {
            Model::load_for(&file, job).unwrap()
        } else {
            let (data, run) = (data(shape), Run::new(7, 1).unwrap());
            let model = Model::fit(&data, &aim(shape, job, draws), &small(method), &run).unwrap();
            model.save(&file).unwrap();
            model
        };
        std::fs::write(kept, format!("{}\n", answers(&model).unwrap())).unwrap();
    }
}

/// A table with a date, an order and words, of which inputs are made.
fn notes() -> Data {
    let texts = |name: &str, kind: Kind, text: &dyn Fn(usize) -> String| {
        let observed = (0..48).map(|row| row % 6 != 1).collect();
        Column { name: name.into(), kind, values: Values::Texts((0..48).map(text).collect()), observed }
    };
    let words = ["cough and fever", "no cough", "a broken arm"];
    let grades: Vec<Option<&str>> = (0..48).map(|row| ["G1", "G3", "G2"].get(row % 4).copied()).collect();
    let mut columns = table().columns().to_vec();
    columns.extend([
        texts("visit", Kind::Date, &|row| format!("2024-{:02}-{:02}", 1 + row % 12, 1 + row % 27)),
        texts("note", Kind::Text, &|row| format!("{}, day {row}", words[row % 3])),
        Column::from_words("grade", Kind::Category, &grades),
    ]);
    Table::new(columns).unwrap().into()
}

/// Fold models with their intervals or sets: method, target, the file's name, and what they learn from.
type OfFolds = (&'static str, &'static str, &'static str, fn() -> Data);

/// Files of fold models: a number by trees, a category by a linear model, a number by what is made of dates, an order
/// and words.
const OF_FOLDS: [OfFolds; 3] = [
    ("trees", "target", "folds-of-a-number", table),
    ("linear", "colour", "folds-of-classes", table),
    ("linear", "target", "folds-of-dates-and-words", notes),
];

/// What fold models answer, and how sure that is.
fn sure_answers(model: &Model, data: &Data) -> Result<Value> {
    let predicting = model.predicting()?;
    let answers = predicting.answers(&predicting.coder.encode(data, |_, _| {})?)?;
    let (Predictions::Numbers(values) | Predictions::Probabilities(values)) = answers.predictions();
    Ok(json!([values, answers.intervals(0.8), answers.sets(0.8)]))
}

#[test]
fn fold_models_answer_what_they_did() {
    for (_, _, name, data) in OF_FOLDS {
        let path = folder().join(name);
        let model = Model::load_for(&path.with_extension("unmiss"), Job::Predict).unwrap();
        let kept = std::fs::read_to_string(path.with_extension("json")).unwrap();
        assert_near(&sure_answers(&model, &data()).unwrap(), &serde_json::from_str(&kept).unwrap(), name);
    }
}

#[test]
#[ignore = "writes the files that are not there yet"]
fn write_fold_models_that_are_not_there() {
    for (method, target, name, data) in OF_FOLDS {
        let (file, kept) = (folder().join(format!("{name}.unmiss")), folder().join(format!("{name}.json")));
        if file.exists() {
            continue;
        }
        let (data, recipe, run) =
            (data(), small(Recipe::named(method).unwrap().method), Run::new(7, 1).unwrap());
        let mut roles = Roles::target(target);
        if data.column("grade").is_ok() {
            roles.ordered.insert("grade".into(), ["G1", "G2", "G3"].map(String::from).to_vec());
        }
        let (model, _) = fit_best(&data, &roles, &[recipe], Some(4), &run).unwrap();
        model.save(&file).unwrap();
        std::fs::write(kept, format!("{}\n", sure_answers(&model, &data).unwrap())).unwrap();
    }
}
