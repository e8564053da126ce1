use super::*;
use crate::data::ratings::sample;

#[test]
fn weights_are_rounded_and_stay_one_in_all() {
    assert_eq!(to_hundredths(&[0.335, 0.335, 0.33]), [0.34, 0.33, 0.33]);
    assert_eq!(to_hundredths(&[0.996, 0.004, 0.0]), [1.0, 0.0, 0.0]);
}

fn noise(purpose: &str, count: usize) -> Vec<f32> {
    let mut stream = crate::rng::Stream::new(1, purpose, 0, 0);
    (0..count).map(|_| stream.normal() as f32).collect()
}

#[test]
fn two_that_err_apart_are_blended_and_the_recipe_fits() {
    let recipes = ["factors", "biases"].map(|name| Recipe::named(name).unwrap());
    let (learning, test) = sample().split(0.3, 1);
    let off = |purpose: &str| -> Vec<f32> {
        test.iter().zip(noise(purpose, test.len())).map(|(rating, noise)| rating.value + noise).collect()
    };
    let answers = [off("a"), off("b")];
    let parts: Vec<Measured> = recipes
        .iter()
        .zip(&answers)
        .map(|(recipe, own)| Measured {
            recipe: recipe.clone(),
            score: RatingScore::of(own, &test, &learning),
            seconds: 1.0,
        })
        .collect();
    let blend = blended(&parts, &answers, &test, &learning).unwrap().unwrap();
    let weights: Vec<f64> = serde_json::from_value(blend.recipe.settings["weights"].clone()).unwrap();
    assert!(
        (weights[0] - 0.5).abs() < 0.1 && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-9,
        "{weights:?}"
    );
    assert!(blend.score.rmse < 0.8 * parts[0].score.rmse && blend.seconds == 2.0);
    let model = Model::fit(&learning.into(), &Aim::Rate, &blend.recipe, &Run::new(1, 2).unwrap()).unwrap();
    assert_eq!(model.summary.method["weights"].as_object().unwrap().len(), 2);
    // A part that only repeats another adds nothing.
    let same = [off("a"), off("a")];
    assert!(blended(&parts, &same, &test, &sample()).unwrap().is_none());
}

#[test]
fn a_blend_changes_nothing_of_its_parts_and_needs_their_defaults() {
    let recipes = ["factors", "biases"].map(|name| Recipe::named(name).unwrap());
    let run = Run::new(1, 2).unwrap();
    let plain = measure(&sample(), &recipes, 0.1, false, &run).unwrap();
    assert_eq!(plain.len(), 2);
    let all = measure(&sample(), &recipes, 0.1, true, &run).unwrap();
    let scores =
        |entries: &[Measured]| entries.iter().rev().take(2).map(|entry| entry.score).collect::<Vec<_>>();
    assert_eq!(scores(&all), scores(&plain));
    assert!(measure(&sample(), &recipes, 0.0, true, &run).unwrap().is_empty());
    let changed = recipes[0].clone().set("factors", "3").unwrap();
    assert!(measure(&sample(), &[changed], 0.1, true, &run).is_err());
    let twice = [recipes[0].clone(), recipes[0].clone()];
    assert!(measure(&sample(), &twice, 0.1, true, &run).is_err());
}
