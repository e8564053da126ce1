use super::*;
use crate::data::ratings::sample;

fn fit(settings: &Value, ratings: &Ratings) -> Box<dyn Recommender> {
    Blend.fit(settings, ratings, &Run::new(1, 2).unwrap()).unwrap()
}

#[test]
fn given_weights_mix_what_the_parts_answer() {
    let ratings = sample();
    let settings = json!({ "methods": ["factors", "biases"], "weights": [0.75, 0.25] });
    let blend = fit(&settings, &ratings);
    let pairs = [(0, 0), (3, 150), (299, 199)];
    let part = |name: &str| {
        find_recommender(name)
            .unwrap()
            .fit(&Value::Null, &ratings, &Run::new(1, 2).unwrap())
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
    let biases = find_recommender("biases").unwrap();
    let biases = biases.fit(&Value::Null, &learning, &Run::new(1, 1).unwrap()).unwrap();
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
