//! What every recommender of the list promises, tested on each.

use serde_json::{Value, json};

use super::{RECOMMENDERS, Recommendation, Recommender, find_recommender};
use crate::data::ratings::{Ids, Rating, Ratings, sample};
use crate::run::Run;

/// Small settings, so that all of this takes seconds.
fn settings(method: &dyn Recommendation) -> Value {
    let mut settings = method.defaults();
    for (name, value) in [
        ("hidden", json!(24)),
        ("epochs", json!(6)),
        ("factors", json!(4)),
        ("rounds", json!(3)),
        ("methods", json!(["factors", "biases"])),
        ("weights", json!([0.6, 0.4])),
    ] {
        if let Some(place) = settings.get_mut(name) {
            *place = value;
        }
    }
    settings
}

/// The settings of every method, also with rows of users and as the mean of two where it can.
fn all() -> Vec<(&'static dyn Recommendation, Value)> {
    let mut all = Vec::new();
    for method in RECOMMENDERS {
        let settings = settings(*method);
        if settings.get("vectors").is_some() {
            let mut users = settings.clone();
            users["vectors"] = json!("user");
            all.push((*method, users));
        }
        if settings.get("members").is_some() {
            let mut two = settings.clone();
            two["members"] = json!(2);
            all.push((*method, two));
        }
        all.push((*method, settings));
    }
    all
}

fn fit(
    method: &dyn Recommendation,
    settings: &Value,
    ratings: &Ratings,
    threads: usize,
) -> Box<dyn Recommender> {
    let run = Run::new(1, threads).unwrap();
    run.compute(|| method.fit(settings, ratings, &run)).unwrap()
}

const PAIRS: [(u32, u32); 5] = [(0, 0), (3, 150), (299, 199), (17, 4), (3, 151)];

#[test]
fn settings_and_defaults_agree() {
    for method in RECOMMENDERS {
        let defaults = method.defaults();
        let keys: Vec<&str> = defaults.as_object().unwrap().keys().map(String::as_str).collect();
        let names: Vec<&str> = method.settings().iter().map(|setting| setting.name).collect();
        assert_eq!(names, keys, "method {}", method.name());
        method.check(&defaults).unwrap();
        method.check(&Value::Null).unwrap();
        assert!(method.check(&json!({ "unheard-of": 1 })).is_err());
        assert_eq!(find_recommender(method.name()).unwrap().name(), method.name());
    }
}

#[test]
fn the_same_seed_gives_the_same_for_any_number_of_threads() {
    let ratings = sample();
    for (method, settings) in all() {
        let (one, two) = (fit(method, &settings, &ratings, 1), fit(method, &settings, &ratings, 2));
        assert_eq!(one.rate(&PAIRS), two.rate(&PAIRS), "{} {settings}", method.name());
        assert_eq!(one.save(), two.save(), "{} {settings}", method.name());
    }
}

#[test]
fn a_recommender_comes_back_bit_for_bit_and_damage_is_refused() {
    let ratings = sample();
    for (method, settings) in all() {
        let fitted = fit(method, &settings, &ratings, 2);
        let loaded = method.load(&settings, &ratings, &fitted.save()).unwrap();
        assert_eq!(fitted.rate(&PAIRS), loaded.rate(&PAIRS), "{}", method.name());
        let given = [(3, 4.0), (7, 1.5)];
        assert_eq!(fitted.fold_in(&given, &[0, 9]), loaded.fold_in(&given, &[0, 9]), "{}", method.name());
        assert_eq!(fitted.summary(), loaded.summary());
        assert!(method.load(&settings, &ratings, &Default::default()).is_err(), "{}", method.name());
        let (fewer, _) =
            Ratings::new(Ids::new(vec!["a".into()]), Ids::new(vec!["x".into()]), []).unwrap().split(0.0, 0);
        assert!(method.load(&settings, &fewer, &fitted.save()).is_err(), "{}", method.name());
    }
}

#[test]
fn what_is_held_out_changes_no_prediction() {
    let ratings = sample();
    let (_, test) = ratings.split(0.2, 5);
    // Every rating to be tested on becomes its opposite.
    let changed = ratings.iter().map(|rating| {
        let is_test = test.iter().any(|held| (held.user, held.item) == (rating.user, rating.item));
        Rating { value: if is_test { 6.0 - rating.value } else { rating.value }, ..rating }
    });
    let changed =
        Ratings::new(ratings.users.clone(), ratings.items.clone(), changed.collect::<Vec<_>>()).unwrap();
    assert_ne!(changed, ratings);
    let pairs: Vec<(u32, u32)> = test.iter().map(|rating| (rating.user, rating.item)).collect();
    for (method, settings) in all() {
        let answers = |ratings: &Ratings| fit(method, &settings, &ratings.split(0.2, 5).0, 2).rate(&pairs);
        assert_eq!(answers(&ratings), answers(&changed), "{}", method.name());
    }
}

#[test]
fn all_ways_to_ask_agree() {
    let ratings = sample();
    for (method, settings) in all() {
        let fitted = fit(method, &settings, &ratings, 2);
        let rows = fitted.rate_all(&[3, 299]);
        assert_eq!(rows.len(), 2 * ratings.items.len());
        let pairs: Vec<(u32, u32)> =
            [3, 299].iter().flat_map(|user| (0..200).map(|item| (*user, item))).collect();
        for (row, single) in rows.iter().zip(fitted.rate(&pairs)) {
            assert!((row - single).abs() < 1e-4, "{}: {row} {single}", method.name());
        }
    }
}

#[test]
fn nobody_nothing_and_one_rating_are_no_error() {
    let ids = |names: &[&str]| Ids::new(names.iter().map(|name| (*name).to_owned()).collect());
    let one = [Rating { user: 0, item: 0, value: 4.0 }];
    for (method, settings) in all() {
        let ratings = Ratings::new(ids(&["a", "empty"]), ids(&["x", "unrated"]), one).unwrap();
        let fitted = fit(method, &settings, &ratings, 1);
        let answers = fitted.rate(&[(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert!(answers.iter().all(|answer| answer.is_finite()), "{}: {answers:?}", method.name());
        for given in [&[][..], &[(0, 5.0)], &[(1, 1.0), (0, 2.0)]] {
            let answers = fitted.fold_in(given, &[0, 1]);
            assert!(answers.iter().all(|answer| answer.is_finite()), "{}: {answers:?}", method.name());
        }
        assert_eq!(fitted.fold_in(&[], &[]).len(), 0);
    }
}

/// Somebody new who likes what a known user likes is given ratings like theirs.
#[test]
fn a_new_user_is_told_by_their_ratings() {
    let ratings = sample();
    for (method, mut settings) in all() {
        for (name, value) in [("epochs", json!(100)), ("rate", json!(0.01)), ("rounds", json!(10))] {
            if let Some(place) = settings.get_mut(name) {
                *place = value;
            }
        }
        if let Some(decay) = settings.get_mut("decay").filter(|_| method.name() == "autorec") {
            *decay = json!(10.0);
        }
        let fitted = fit(method, &settings, &ratings, 2);
        let items: Vec<u32> = (0..200).collect();
        let (mut folded_error, mut blank_error, mut count) = (0.0, 0.0, 0);
        for user in (0..300).step_by(7) {
            let (rated, values) = ratings.by_user.row(user);
            let all: Vec<(u32, f32)> = rated.iter().copied().zip(values.iter().copied()).collect();
            let (given, hidden): (Vec<_>, Vec<_>) = all.iter().partition(|(item, _)| item % 2 == 0);
            let (folded, blank) = (fitted.fold_in(&given, &items), fitted.fold_in(&[], &items));
            for (item, value) in hidden {
                folded_error += (folded[item as usize] - value).powi(2);
                blank_error += (blank[item as usize] - value).powi(2);
                count += 1;
            }
        }
        assert!(
            count > 300 && folded_error < 0.95 * blank_error,
            "{} {settings}: {folded_error} {blank_error}",
            method.name()
        );
    }
}
