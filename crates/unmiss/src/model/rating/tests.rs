use super::*;
use crate::data::Shape;
use crate::data::ratings::{Ids, sample};
use crate::methods::{Job, Method, methods_for};

fn recommenders() -> impl Iterator<Item = &'static dyn Method> {
    methods_for(Shape::Ratings, Job::Rate)
}

fn recipe(name: &str) -> Recipe {
    let recipe = Recipe::named(name).unwrap();
    let small = [("hidden", "16"), ("epochs", "4"), ("factors", "4"), ("weights", "[0.5, 0.3, 0.2]")];
    small.iter().fold(recipe, |recipe, (name, value)| recipe.clone().set(name, value).unwrap_or(recipe))
}

fn fitted(name: &str, ratings: Ratings) -> Model {
    Model::fit(&ratings.into(), &super::super::Aim::Rate, &recipe(name), &Run::new(1, 2).unwrap()).unwrap()
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
        assert_eq!(model.rate_names("nobody", "nothing"), mean, "{name}");
        assert!(model.rate_names("nobody", "good") > mean && model.rate_names("strict", "nothing") < mean);
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
