//! A replaced file takes the model's place; a damaged one does not, and is told of.

use std::fs;

use crate::bench::{Bench, JSON_ROWS, file};

#[test]
fn a_new_file_is_loaded_and_a_damaged_one_leaves_the_old_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.unmiss");
    fs::copy(file("folds-of-a-number"), &path).unwrap();
    let bench = Bench::with(|settings| settings.models = vec![("m".to_owned(), path.clone())]);
    let ask = || bench.json("/models/m/predict", JSON_ROWS).good().json()["rows"].clone();
    let (app, before) = (bench.app(), ask());
    assert!(app.shelf.refresh().is_empty(), "nothing has changed");

    // Damaged: cut off, then no model at all.
    let whole = fs::read(&path).unwrap();
    for damaged in [&whole[..whole.len() / 2], b"no model"] {
        fs::write(&path, damaged).unwrap();
        let told = app.shelf.refresh();
        assert!(told.len() == 1 && told[0].kept.is_some());
        assert!(app.shelf.refresh().is_empty(), "it is told once");
        assert_eq!(ask(), before);
        assert!(bench.get("/models").good().json()["models"][0]["trouble"].is_string());
    }
    fs::remove_file(&path).unwrap();
    assert!(app.shelf.refresh()[0].kept.is_some());
    assert_eq!(ask(), before);

    // Another model in its place, even one for another job.
    fs::copy(file("folds-of-classes"), &path).unwrap();
    let told = app.shelf.refresh();
    assert!(told.len() == 1 && told[0].kept.is_none());
    assert!(ask()[0]["probabilities"].is_object());
    assert!(bench.get("/models").good().json()["models"][0]["trouble"].is_null());
    fs::copy(file("gaussian-table-fill"), &path).unwrap();
    app.shelf.refresh();
    assert_eq!(bench.json("/models/m/predict", JSON_ROWS).code, 409);
    bench.json("/models/m/fill", JSON_ROWS).good();
}

#[test]
fn models_that_nothing_could_be_asked_of_are_refused_at_the_start() {
    for name in ["recurrent-series-predict", "kalman-series-fill"] {
        let models = vec![("m".to_owned(), file(name))];
        let settings = unmiss_serve::Settings { models, ..Default::default() };
        let refused = unmiss_serve::App::new(settings, std::sync::Arc::new(|_| {})).err().unwrap();
        assert!(refused.to_string().contains("is a model of series"), "{refused}");
        assert!(refused.hint().is_some(), "{refused}");
    }
}
