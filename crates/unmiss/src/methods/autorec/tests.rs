use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::data::ratings::Ratings;
use crate::data::ratings::sample;
use crate::encode::Coder;
use crate::methods::biases::{Biases, Settings as Damping};
use crate::rng::mix;
use crate::run::Event;

/// The layout of a file with these ratings.
fn of(ratings: &Ratings) -> Layout<'static> {
    Layout { coder: Box::leak(Box::new(Coder::Ratings(Arc::new(ratings.clone())))), task: None }
}

fn fit(settings: &Value, ratings: &Ratings) -> Box<dyn Learned> {
    AutoRec.fit(settings, Examples::Ratings(ratings), &Run::new(1, 2).unwrap()).unwrap()
}

fn rmse(ratings: &[crate::data::ratings::Rating], answers: &[f32]) -> f64 {
    let squares: f64 =
        ratings.iter().zip(answers).map(|(rating, answer)| f64::from(rating.value - answer).powi(2)).sum();
    (squares / ratings.len() as f64).sqrt()
}

#[test]
fn every_form_learns_tastes() {
    let (learning, test) = sample().split(0.1, 1);
    let pairs: Vec<(u32, u32)> = test.iter().map(|rating| (rating.user, rating.item)).collect();
    let yardstick =
        rmse(&test, &crate::methods::Recommender::rate(&Biases::fit(&learning, &Damping::default()), &pairs));
    for settings in [
        json!({ "hidden": 40, "decay": 10.0, "rate": 0.01 }),
        json!({ "hidden": 40, "decay": 10.0, "rate": 0.01, "normalize": false, "vectors": "user" }),
        json!({ "hidden": 40, "decay": 10.0, "rate": 0.01, "k": "hidden", "vectors": "user" }),
        json!({ "hidden": 40, "decay": 10.0, "k": 1, "decay-on": "output", "rate": 0.01, "patience": 100 }),
        json!({ "hidden": 40, "decay": 10.0, "optimizer": "rprop", "batch": 0, "rate": 0.01, "epochs": 200 }),
        json!({ "hidden": 40, "decay": 10.0, "rate": 0.01, "batch": 64 }),
    ] {
        let fitted = fit(&settings, &learning);
        let ours = rmse(&test, &fitted.rate(&pairs));
        assert!(ours < 0.97 * yardstick, "{settings}: {ours} {yardstick} {}", fitted.summary());
    }
}

/// K = c with decay λ on V is K = 1 with decay λ/c² on it, V taken c times as large: without decay on V the same
/// function is learned from weights that are so scaled. Here: the function of a given network.
#[test]
fn scaling_k_and_the_weights_of_inputs_changes_nothing() {
    let ratings = sample();
    let settings = json!({ "hidden": 20, "vectors": "user", "k": 8, "epochs": 3 });
    let fitted = fit(&settings, &ratings);
    let mut arrays = fitted.save();
    let shape = arrays.shape("inputs").unwrap().to_vec();
    let scaled = arrays.singles("inputs", &shape).unwrap().iter().map(|weight| weight * 4.0).collect();
    arrays.put_singles("inputs", &shape, scaled);
    arrays.put_singles("k", &[1], vec![2.0]);
    let other = AutoRec.load(&settings, of(&ratings), &arrays).unwrap();
    assert_eq!(fitted.rate(&[(3, 5), (7, 0)]), other.rate(&[(3, 5), (7, 0)]));
}

#[test]
fn a_user_folded_in_with_their_own_ratings_is_rated_as_before() {
    let ratings = sample();
    let items: Vec<u32> = (0..200).collect();
    let given = |user: u32| -> Vec<(u32, f32)> {
        let (items, values) = ratings.by_user.row(user);
        items.iter().copied().zip(values.iter().copied()).collect()
    };
    // Rows of users: the very same computation. Outputs of users: the regression that training approaches.
    for (vectors, most) in [("user", 1e-4), ("item", 0.25)] {
        let settings = json!({ "hidden": 40, "decay": 10.0, "rate": 0.01, "vectors": vectors });
        let fitted = fit(&settings, &ratings);
        for user in [0, 17, 200] {
            let (known, folded) = (fitted.rate_all(&[user]), fitted.fold_in(&given(user), &items));
            let squares: f32 = known.iter().zip(&folded).map(|(a, b)| (a - b).powi(2)).sum();
            assert!((squares / 200.0).sqrt() < most, "{vectors}, user {user}: {}", (squares / 200.0).sqrt());
        }
    }
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let error = AutoRec.check(&json!({ "optimizer": "rprop", "batch": 10 })).unwrap_err();
    assert!(error.to_string().starts_with("setting `batch`"));
    assert!(AutoRec.check(&json!({ "k": -1 })).is_err());
    assert!(AutoRec.check(&json!({ "validation": 0.9 })).is_err());
}

#[test]
fn the_scale_of_ratings_does_not_matter() {
    let ratings = sample();
    // Twenty times is no power of two: equal up to rounding.
    let times = |factor: f32| {
        let all: Vec<_> = ratings
            .iter()
            .map(|rating| crate::data::ratings::Rating { value: factor * rating.value, ..rating })
            .collect();
        Ratings::new(ratings.users.clone(), ratings.items.clone(), all).unwrap()
    };
    let settings = json!({ "hidden": 20, "decay": 10.0, "rate": 0.01, "epochs": 40 });
    let (small, large) = (fit(&settings, &ratings), fit(&settings, &times(20.0)));
    for (a, b) in small.rate_all(&[3]).iter().zip(large.rate_all(&[3])) {
        assert!((20.0 * a - b).abs() < 0.05, "{a} {b}");
    }
    let validation = |fitted: &dyn Learned| fitted.summary()["validation_rmse"].as_f64().unwrap();
    assert!((20.0 * validation(&*small) - validation(&*large)).abs() < 0.05);
}

/// Members are the networks of other seeds side by side: their mean, also for somebody new.
#[test]
fn several_networks_answer_with_their_mean() {
    let (learning, test) = sample().split(0.1, 1);
    let pairs: Vec<(u32, u32)> = test.iter().map(|rating| (rating.user, rating.item)).collect();
    for vectors in ["item", "user"] {
        let form = |members: usize| json!({ "hidden": 40, "decay": 10.0, "rate": 0.01, "vectors": vectors, "members": members });
        let together = fit(&form(3), &learning);
        let alone: Vec<_> = [1, mix([1, 1]), mix([1, 2])]
            .map(|seed| {
                AutoRec.fit(&form(1), Examples::Ratings(&learning), &Run::new(seed, 2).unwrap()).unwrap()
            })
            .into();
        let means = |answers: Vec<Vec<f32>>| -> Vec<f32> {
            (0..answers[0].len()).map(|at| answers.iter().map(|own| own[at]).sum::<f32>() / 3.0).collect()
        };
        let mean = means(alone.iter().map(|member| member.rate(&pairs)).collect());
        for (a, b) in together.rate(&pairs).iter().zip(&mean) {
            assert!((a - b).abs() < 1e-4, "{vectors}: {a} {b}");
        }
        let single: f64 = alone.iter().map(|member| rmse(&test, &member.rate(&pairs))).sum::<f64>() / 3.0;
        assert!(rmse(&test, &mean) < single);
        let (given, items) = ([(3, 5.0), (8, 1.0), (20, 4.0)], [0, 1, 2, 50]);
        let folded = means(alone.iter().map(|member| member.fold_in(&given, &items)).collect());
        for (a, b) in together.fold_in(&given, &items).iter().zip(&folded) {
            // Rows of users: the same sums. Outputs of users: one regression on all units, close to the mean of three.
            assert!((a - b).abs() < if vectors == "user" { 1e-4 } else { 0.1 }, "{vectors}: {a} {b}");
        }
        let loaded = AutoRec.load(&form(3), of(&learning), &together.save()).unwrap();
        assert_eq!(loaded.rate(&pairs), together.rate(&pairs));
        // A training that was stopped after the first of three.
        let stopped = AutoRec.load(&form(3), of(&learning), &alone[0].save()).unwrap();
        assert_eq!(stopped.rate(&pairs), alone[0].rate(&pairs));
    }
}

/// Whoever stops after the first of several networks has that one; a network that was cut off is not mixed in.
#[test]
fn networks_that_are_there_when_it_is_stopped_are_kept() {
    let ratings = sample();
    let form = |members: usize| json!({ "hidden": 20, "epochs": 5, "members": members });
    let switch: Arc<OnceLock<Arc<AtomicBool>>> = Arc::default();
    let ears = Arc::clone(&switch);
    let run = Run::new(1, 2).unwrap().listened_by(move |event| {
        // The second has done an epoch.
        if matches!(event, Event::Progress { task, .. } if task.starts_with("network 2")) {
            ears.get().unwrap().store(true, Ordering::Relaxed);
        }
    });
    switch.set(run.stop_switch()).unwrap();
    let stopped = AutoRec.fit(&form(3), Examples::Ratings(&ratings), &run).unwrap();
    assert_eq!(stopped.summary()["networks"], 1);
    assert_eq!(stopped.rate(&[(3, 5)]), fit(&form(1), &ratings).rate(&[(3, 5)]));
}

/// A training that was stopped in its first or its second network, or ran out of time, goes on to the same answers.
#[test]
fn a_stopped_training_goes_on_where_it_was() {
    let ratings = sample();
    for vectors in ["item", "user"] {
        let form = json!({ "hidden": 20, "epochs": 6, "members": 2, "vectors": vectors, "batch": 64 });
        let whole = fit(&form, &ratings);
        for network in ["network 1", "network 2"] {
            let folder = tempfile::tempdir().unwrap();
            let switch: Arc<OnceLock<Arc<AtomicBool>>> = Arc::default();
            let ears = Arc::clone(&switch);
            let run = Run::new(1, 2).unwrap().checkpoints_in(folder.path()).listened_by(move |event| {
                if matches!(event, Event::Progress { task, .. } if task.starts_with(network)) {
                    ears.get().unwrap().store(true, Ordering::Relaxed);
                }
            });
            switch.set(run.stop_switch()).unwrap();
            let cut = AutoRec.fit(&form, Examples::Ratings(&ratings), &run).unwrap();
            assert_eq!(cut.summary()["networks"], 1);
            let late = Run::new(1, 1).unwrap().checkpoints_in(folder.path()).within(Duration::from_millis(1));
            let _ = AutoRec.fit(&form, Examples::Ratings(&ratings), &late);
            let again = Run::new(1, 1).unwrap().checkpoints_in(folder.path());
            let resumed = AutoRec.fit(&form, Examples::Ratings(&ratings), &again).unwrap();
            assert_eq!(resumed.save(), whole.save(), "{vectors}, {network}");
        }
    }
}

#[test]
fn ratings_next_to_nothing_are_no_trouble() {
    let ratings = sample();
    let tiny = ratings.iter().map(|rating| crate::data::ratings::Rating {
        value: if rating.value > 3.0 { 1e-39 } else { 0.0 },
        ..rating
    });
    let tiny = Ratings::new(ratings.users.clone(), ratings.items.clone(), tiny.collect::<Vec<_>>()).unwrap();
    let fitted = fit(&json!({ "hidden": 8, "epochs": 3 }), &tiny);
    assert!(fitted.rate(&[(3, 5)])[0].is_finite());
}
