use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::*;
use crate::data::Shape;
use crate::data::ratings::{Ids, sample};
use crate::methods::{Job, Learned, Method, methods_for};
use crate::model::Model;
use crate::store::Arrays;

fn recommenders() -> impl Iterator<Item = &'static dyn Method> {
    methods_for(Shape::Ratings, Job::Rate)
}

fn recipe(name: &str) -> Recipe {
    let recipe = Recipe::named(name).unwrap();
    let small = [("hidden", "16"), ("epochs", "4"), ("factors", "4"), ("weights", "[0.5, 0.3, 0.2]")];
    small.iter().fold(recipe, |recipe, (name, value)| recipe.clone().set(name, value).unwrap_or(recipe))
}

fn fitted(name: &str, ratings: Ratings) -> Model {
    Model::fit(&ratings.into(), &crate::model::Aim::Rate, &recipe(name), &Run::new(1, 2).unwrap()).unwrap()
}

#[test]
fn a_model_comes_back_and_damage_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("films.unmiss");
    for method in recommenders() {
        let model = fitted(method.name(), sample());
        model.save(&path).unwrap();
        assert_eq!(model.to_bytes().unwrap(), std::fs::read(&path).unwrap());
        let loaded = Model::load_for(&path, Job::Rate).unwrap();
        assert_eq!(loaded.summary, model.summary);
        let (loaded, model) = (loaded.rating().unwrap(), model.rating().unwrap());
        assert_eq!(loaded.ratings, model.ratings);
        assert_eq!(loaded.top(3, 5), model.top(3, 5), "{}", method.name());
        assert_eq!(loaded.rate_for(&[(3, 5.0)], &[0, 7]), model.rate_for(&[(3, 5.0)], &[0, 7]));
        let good = std::fs::read(&path).unwrap();
        for position in (0..good.len()).step_by(good.len() / 100) {
            let mut bad = good.clone();
            bad[position] ^= 0xff;
            let _ = Model::from_bytes(&bad);
            assert!(Model::from_bytes(&good[..position]).is_err());
        }
    }
    let error = Model::load_for(&path, Job::Predict).err().unwrap();
    assert!(error.to_string().contains("predicts ratings"), "{error}");
}

#[test]
fn predictions_stay_on_the_scale_and_cold_ones_say_what_is_known() {
    let ids = |names: &[&str]| Ids::new(names.iter().map(|name| (*name).to_owned()).collect());
    let rating = |user, item, value| Known { user, item, value };
    let all = [rating(0, 0, 5.0), rating(0, 1, 4.0), rating(1, 0, 2.0), rating(1, 1, 1.0)];
    let ratings =
        Ratings::new(ids(&["kind", "strict", "silent"]), ids(&["good", "bad", "unseen"]), all).unwrap();
    for method in recommenders() {
        let model = fitted(method.name(), ratings.clone());
        let model = model.rating().unwrap();
        let (mean, name) = (3.0, method.name());
        assert!(model.rate(&[(0, 0), (1, 1)]).iter().all(|rating| (1.0..=5.0).contains(rating)), "{name}");
        assert!(model.is_cold(2, 0) && model.is_cold(0, 2) && !model.is_cold(0, 0));
        assert_eq!(
            model.rate_any(&[(None, None), (Some(1), Some(0))]),
            [mean, model.rate(&[(1, 0)])[0]],
            "{name}"
        );
        assert!(model.rate_any(&[(None, Some(0))])[0] > mean && model.rate_any(&[(Some(1), None)])[0] < mean);
        assert_eq!(model.rate(&[(2, 2)])[0], mean);
        assert!(model.rate_for(&[], &[0])[0] > mean && model.rate_for(&[(0, 2.0)], &[2])[0] < mean);
        assert_eq!(model.rate_unknown_for(&[(0, 2.0)]), model.rate_for(&[(0, 2.0)], &[2])[0]);
        assert!(model.top(0, 10).is_empty(), "{name}: everything that anybody rated is seen");
        let silent: Vec<u32> = model.top(2, 10).iter().map(|(item, _)| *item).collect();
        assert_eq!(silent, [0, 1], "{name}: the better item first, the unrated one never");
    }
}

#[test]
fn the_best_are_those_of_all_pairs() {
    let ratings = sample();
    for method in recommenders() {
        let model = fitted(method.name(), ratings.clone());
        let model = model.rating().unwrap();
        let users: Vec<u32> = (0..300).collect();
        let tops = model.top_all(&users, 10);
        for user in [0_u32, 150, 299] {
            let top = &tops[user as usize];
            assert_eq!(top.len(), 10);
            let lowest = top[9].1;
            for item in 0..200 {
                let is_listed = top.iter().any(|(listed, _)| *listed == item);
                let is_seen = ratings.by_user.get(user, item).is_some();
                assert!(!(is_listed && is_seen));
                if !is_listed && !is_seen {
                    assert!(model.rate(&[(user, item)])[0] <= lowest + 1e-4, "{}", method.name());
                }
            }
        }
    }
}

/// Answers 3 and counts how often somebody is folded in.
struct Counted(Arc<AtomicUsize>);

impl Recommender for Counted {
    fn rate(&self, pairs: &[(u32, u32)]) -> Vec<f32> {
        vec![3.0; pairs.len()]
    }
    fn rate_all(&self, _: &[u32]) -> Vec<f32> {
        Vec::new()
    }
    fn fold_in(&self, _: &[(u32, f32)], items: &[u32]) -> Vec<f32> {
        self.0.fetch_add(1, Ordering::Relaxed);
        vec![3.0; items.len()]
    }
}

impl Learned for Counted {
    fn save(&self) -> Arrays {
        Arrays::default()
    }
    fn summary(&self) -> Value {
        Value::Null
    }
    fn recommender(&self) -> Option<&dyn Recommender> {
        Some(self)
    }
}

#[test]
fn whoever_rated_since_is_folded_in_once_for_all_items() {
    let names = |count: usize| (0..count).flat_map(|_| ["user-003", "new", "user-008", "nobody"]);
    let items = ["film-001", "film-050", "film-007", "nothing", "film-120"];
    let pairs: Vec<(String, String)> = names(5)
        .zip(items.iter().cycle())
        .map(|(user, item)| (user.to_owned(), (*item).to_owned()))
        .collect();
    let new: BTreeMap<String, Vec<(u32, f32)>> =
        [("user-003".to_owned(), vec![(4, 5.0), (9, 1.0)]), ("new".to_owned(), vec![(1, 2.0)])].into();
    for method in recommenders() {
        let mut whole = fitted(method.name(), sample());
        let model = whole.rating().unwrap();
        let (users, items) = (&model.ratings.users, &model.ratings.items);
        let alone = |(user, item): &(String, String)| match (new.get(user), items.find(item)) {
            (Some(new), Some(item)) => model.rate_for(&model.all_given(user, new), &[item])[0],
            (_, item) => model.rate_any(&[(users.find(user), item)])[0],
        };
        let expected: Vec<f32> = pairs.iter().map(alone).collect();
        assert_eq!(model.rate_named(&pairs, &new), expected, "{}", method.name());
        let count: Arc<AtomicUsize> = Arc::default();
        whole.learned = Box::new(Counted(Arc::clone(&count)));
        whole.rating().unwrap().rate_named(&pairs, &new);
        assert_eq!(count.load(Ordering::Relaxed), 2);
    }
    let model = fitted("biases", sample());
    let model = model.rating().unwrap();
    let known = model.ratings.users.find("user-003").unwrap();
    let (first, _) = model.ratings.by_user.entries(known).next().unwrap();
    let all = model.all_given("user-003", &[(first, 0.5)]);
    assert_eq!((all.len(), all[0]), (model.ratings.by_user.count(known), (first, 0.5)));
}
