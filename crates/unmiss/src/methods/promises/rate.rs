//! Cases of predicting ratings, and what only that promises.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Case;
use crate::data::Shape;
use crate::data::ratings::{Ids, Rating, Ratings, sample};
use crate::encode::{Coder, Rows};
use crate::methods::{Examples, Job, Layout, Learned, Method, methods_for};
use crate::run::Run;

/// The sample with every form of the method's settings; small: next to nothing, and users and items without a rating.
pub(super) fn cases(method: &dyn Method, small: bool) -> Vec<Case> {
    let ids = |names: &[&str]| Ids::new(names.iter().map(|name| (*name).to_owned()).collect());
    let ratings = match small {
        true => {
            let one = [Rating { user: 0, item: 0, value: 4.0 }];
            Ratings::new(ids(&["a", "empty"]), ids(&["x", "unrated"]), one).unwrap()
        }
        false => sample(),
    };
    let ratings = Arc::new(ratings);
    let case = |settings: Value| Case {
        coder: Coder::Ratings(Arc::clone(&ratings)),
        rows: Rows::Ratings(Arc::clone(&ratings)),
        targets: None,
        settings,
        answers,
    };
    forms(method).into_iter().map(case).collect()
}

/// Small settings, also with rows of users and as the mean of two where a method can.
fn forms(method: &dyn Method) -> Vec<Value> {
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
    let changed = |name: &str, value: Value| {
        let mut form = settings.clone();
        *form.get_mut(name)? = value;
        Some(form)
    };
    let others = [changed("vectors", json!("user")), changed("members", json!(2))];
    others.into_iter().flatten().chain([settings.clone()]).collect()
}

fn all() -> Vec<(&'static dyn Method, Value)> {
    let methods = methods_for(Shape::Ratings, Job::Rate);
    methods.flat_map(|method| forms(method).into_iter().map(move |form| (method, form))).collect()
}

/// Ratings of some pairs, and of some items for somebody new, for nobody in particular and for somebody odd.
fn answers(learned: &dyn Learned, rows: &Rows, _: usize) -> Vec<f64> {
    let Rows::Ratings(ratings) = rows else { return Vec::new() };
    let (users, items) = (ratings.users.len() as u32, ratings.items.len() as u32);
    let pairs: Vec<(u32, u32)> = (0..40)
        .map(|place| (place * 7 % users, place * 11 % items))
        .chain([(users - 1, items - 1)])
        .collect();
    let recommender = learned.recommender().unwrap();
    let fold = |given: &[(u32, f32)]| recommender.fold_in(given, &[0, items - 1]);
    assert_eq!(recommender.fold_in(&[], &[]).len(), 0);
    let folded = [fold(&[]), fold(&[(0, 5.0)]), fold(&[(1, 1.0), (0, 2.0)])].concat();
    recommender.rate(&pairs).into_iter().chain(folded).map(f64::from).collect()
}

fn fit(method: &dyn Method, settings: &Value, ratings: &Ratings) -> Box<dyn Learned> {
    let run = Run::new(1, 2).unwrap();
    run.compute(|| method.fit(settings, Examples::Ratings(ratings), &run)).unwrap()
}

#[test]
fn a_file_for_other_ratings_is_refused() {
    let few = Ratings::new(Ids::new(vec!["a".into()]), Ids::new(vec!["x".into()]), []).unwrap();
    let coder = Coder::Ratings(Arc::new(few));
    for (method, settings) in all() {
        let arrays = fit(method, &settings, &sample()).save();
        let layout = Layout { coder: &coder, task: None };
        assert!(method.load(&settings, layout, &arrays).is_err(), "{}", method.name());
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
        let answers = |ratings: &Ratings| fit(method, &settings, &ratings.split(0.2, 5).0).rate(&pairs);
        assert_eq!(answers(&ratings), answers(&changed), "{}", method.name());
    }
}

#[test]
fn all_ways_to_ask_agree() {
    let ratings = sample();
    for (method, settings) in all() {
        let fitted = fit(method, &settings, &ratings);
        let rows = fitted.rate_all(&[3, 299]);
        assert_eq!(rows.len(), 2 * ratings.items.len());
        let pairs: Vec<(u32, u32)> =
            [3, 299].iter().flat_map(|user| (0..200).map(|item| (*user, item))).collect();
        for (row, single) in rows.iter().zip(fitted.rate(&pairs)) {
            assert!((row - single).abs() < 1e-4, "{}: {row} {single}", method.name());
        }
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
        let fitted = fit(method, &settings, &ratings);
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
