use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::*;
use crate::data::ratings::sample;
use crate::encode::Coder;
use crate::run::Event;

/// The layout of a file with these ratings.
fn of(ratings: &Ratings) -> Layout<'static> {
    Layout { coder: Box::leak(Box::new(Coder::Ratings(Arc::new(ratings.clone())))), task: None }
}

fn fit(settings: &Value, ratings: &Ratings) -> Box<dyn Learned> {
    Blend.fit(settings, Examples::Ratings(ratings), &Run::new(1, 2).unwrap()).unwrap()
}

#[test]
fn given_weights_mix_what_the_parts_answer() {
    let ratings = sample();
    let settings = json!({ "methods": ["factors", "biases"], "weights": [0.75, 0.25] });
    let blend = fit(&settings, &ratings);
    let pairs = [(0, 0), (3, 150), (299, 199)];
    let part = |name: &str| {
        crate::methods::named(name)
            .unwrap()
            .fit(&Value::Null, Examples::Ratings(&ratings), &Run::new(1, 2).unwrap())
            .unwrap()
            .rate(&pairs)
    };
    for ((mixed, a), b) in blend.rate(&pairs).iter().zip(part("factors")).zip(part("biases")) {
        assert!((mixed - (0.75 * a + 0.25 * b)).abs() < 1e-6);
    }
    assert_eq!(blend.summary()["weights"], json!({ "factors": 0.75, "biases": 0.25 }));
    assert_eq!(blend.summary()["validation_rmse"], Value::Null);
}

#[test]
fn found_weights_are_no_worse_than_the_best_part() {
    let (learning, test) = sample().split(0.2, 3);
    let pairs: Vec<(u32, u32)> = test.iter().map(|rating| (rating.user, rating.item)).collect();
    let error = |answers: Vec<f32>| -> f64 {
        answers.iter().zip(&test).map(|(answer, rating)| f64::from(answer - rating.value).powi(2)).sum()
    };
    let blend = fit(&json!({ "methods": ["factors", "biases"] }), &learning);
    let biases = crate::methods::named("biases").unwrap();
    let biases = biases.fit(&Value::Null, Examples::Ratings(&learning), &Run::new(1, 1).unwrap()).unwrap();
    assert!(error(blend.rate(&pairs)) < 0.95 * error(biases.rate(&pairs)));
    let summary = blend.summary();
    let total: f64 =
        summary["weights"].as_object().unwrap().values().map(|weight| weight.as_f64().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-9, "{summary}");
    let of_parts = summary["without_blending"].as_object().unwrap();
    let least = of_parts.values().map(|error| error.as_f64().unwrap()).fold(f64::MAX, f64::min);
    assert!(summary["validation_rmse"].as_f64().unwrap() < 1.02 * least, "{summary}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for (settings, word) in [
        (json!({ "methods": [] }), "nothing"),
        (json!({ "methods": ["blend"] }), "itself"),
        (json!({ "methods": ["factors", "factors"] }), "twice"),
        (json!({ "methods": ["factor"] }), "factor"),
        (json!({ "methods": ["factors", "biases"], "weights": [1.0] }), "weight"),
        (json!({ "methods": ["factors", "biases"], "weights": [1.5, -0.5] }), "weight"),
        (json!({ "validation": 0 }), "share"),
    ] {
        let error = Blend.check(&settings).unwrap_err().to_string();
        assert!(error.contains(word), "{settings}: {error}");
    }
}

/// Whoever stops after the first part has that part, with all the weight.
#[test]
fn what_is_there_when_it_is_stopped_is_kept() {
    let ratings = sample();
    let switch: Arc<OnceLock<Arc<AtomicBool>>> = Arc::default();
    let ears = Arc::clone(&switch);
    let run = Run::new(1, 2).unwrap().listened_by(move |event| {
        if matches!(event, Event::Finished { .. }) {
            ears.get().unwrap().store(true, Ordering::Relaxed);
        }
    });
    switch.set(run.stop_switch()).unwrap();
    let settings = json!({ "methods": ["factors", "autorec"], "weights": [0.5, 0.5] });
    let blend = Blend.fit(&settings, Examples::Ratings(&ratings), &run).unwrap();
    assert_eq!(blend.summary()["weights"], json!({ "factors": 1.0 }));
    let loaded = Blend.load(&settings, of(&ratings), &blend.save()).unwrap();
    assert_eq!(loaded.rate(&[(3, 5)]), blend.rate(&[(3, 5)]));
    // Before there is any part, there is nothing to keep.
    assert!(matches!(Blend.fit(&settings, Examples::Ratings(&ratings), &run), Err(Error::Stopped)));
}

#[test]
fn parts_that_can_not_be_are_refused() {
    let ratings = sample();
    let settings = json!({ "methods": ["factors", "biases"], "weights": [0.5, 0.5] });
    let good = fit(&settings, &ratings).save();
    let parts: Vec<Value> = serde_json::from_slice(good.bytes("parts").unwrap()).unwrap();
    let altered = |parts: Value| {
        let mut arrays = good.clone();
        arrays.put_bytes("parts", serde_json::to_vec(&parts).unwrap());
        Blend.load(&settings, of(&ratings), &arrays).err().map(|error| error.to_string())
    };
    assert_eq!(altered(json!(parts)), None);
    let with = |name: &str, value: Value| {
        let mut part = parts[0].clone();
        part[name] = value;
        json!([part])
    };
    for (parts, word) in [
        (json!([]), "there is none"),
        (json!([parts[0], parts[0]]), "twice"),
        (with("method", json!("blend")), "none of its methods"),
        (with("method", json!("autorec")), "none of its methods"),
        (with("weight", json!(1.5)), "between 0 and 1"),
        (with("weight", Value::Null), "can't be read"),
        (json!("words"), "can't be read"),
    ] {
        let error = altered(parts.clone()).unwrap_or_else(|| panic!("{parts}"));
        assert!(error.contains(word), "{parts}: {error}");
    }
}
