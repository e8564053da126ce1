use super::*;
use crate::data::ratings::sample;
use crate::model::{Aim, Recipe};

const NETWORK: [(&str, &str); 4] = [("hidden", "24"), ("decay", "10"), ("rate", "0.01"), ("epochs", "30")];

fn fitted(method: &str, sets: &[(&str, &str)], ratings: Ratings) -> Model {
    let recipe = Recipe::named(method).unwrap().set_all(sets.iter().copied()).unwrap();
    Model::fit(&ratings.into(), &Aim::Rate, &recipe, &Run::new(1, 2).unwrap()).unwrap()
}

fn settings() -> AuditSettings {
    AuditSettings { rows: 60, levels: 6, masks: 10, ..AuditSettings::default() }
}

fn found(model: &Model, held_out: Option<&[(u32, u32)]>) -> RatingAudit {
    let audit = audit_ratings(model, held_out, &settings(), &Run::new(1, 2).unwrap()).unwrap();
    assert_eq!(audit, audit_ratings(model, held_out, &settings(), &Run::new(1, 1).unwrap()).unwrap());
    audit
}

#[test]
fn the_audit_hides_ratings_and_nothing_else() {
    let user = [NETWORK.as_slice(), &[("vectors", "user")]].concat();
    for (method, sets, vectors, rows) in [
        ("autorec", user.as_slice(), Vectors::User, 300),
        ("autorec", NETWORK.as_slice(), Vectors::Item, 200),
        ("cf-nade", &NETWORK[..1], Vectors::Item, 200),
        ("biases", &[], Vectors::User, 300),
    ] {
        let audit = found(&fitted(method, sets, sample()), None);
        assert_eq!((audit.vectors, audit.network), (vectors, method != "biases"), "{method}");
        assert_eq!((audit.curve.len(), audit.points), (6, 60));
        let (few, all) = (&audit.curve[0], &audit.curve[5]);
        assert!(few.known < 0.1 * all.known && all.share == 1.0);
        assert!(few.scatter > 0.0 && all.scatter == 0.0, "with all ratings known there is one answer");
        assert!(audit.summary.len() == 4);
        assert_eq!(audit.groups.iter().map(|group| group.count).sum::<usize>(), rows);
        assert!(audit.groups.windows(2).all(|pair| pair[0].most <= pair[1].fewest));
    }
}

#[test]
fn with_all_ratings_known_the_network_answers_as_the_model_does() {
    for (method, sets) in [
        ("autorec", [NETWORK.as_slice(), &[("vectors", "user")]].concat()),
        ("autorec", NETWORK.to_vec()),
        ("cf-nade", NETWORK[..1].to_vec()),
        ("blend", vec![("methods", r#"["autorec","biases"]"#), ("weights", "[0.7,0.3]")]),
    ] {
        let model = fitted(method, &sets, sample());
        let rating = model.rating().unwrap();
        let vectors = rating.rows().unwrap();
        for (user, item) in [(3, 7), (100, 50), (299, 199)] {
            let (row, column) = vectors.cell(user, item);
            let all: Vec<(u32, f32)> = vectors.of(rating.ratings).entries(row).collect();
            let own = rating.rate_cell(row, &all, column).unwrap();
            let answer = rating.rate(&[(user, item)])[0];
            assert!((own - answer).abs() < 1e-4, "{method}: {own} {answer}");
            let half = rating.rate_cell(row, &all[..all.len() / 2], column).unwrap();
            assert!(half != own, "{method}: what is left out must be missed");
        }
    }
}

#[test]
fn normalisation_is_seen_by_the_audit_of_item_vectors() {
    // Without it, sums over an item's ratings grow with their number, and so do answers.
    let plain = [NETWORK.as_slice(), &[("normalize", "false")]].concat();
    let [plain, normalised] =
        [plain, NETWORK.to_vec()].map(|sets| found(&fitted("autorec", &sets, sample()), None));
    assert!(plain.curve != normalised.curve);
    assert!(plain.figures.share > normalised.figures.share, "{:?} {:?}", plain.figures, normalised.figures);
}

#[test]
fn pairs_held_out_are_asked_about_and_those_learned_from_are_not() {
    let (learning, test) = sample().split(0.1, 1);
    let held: Vec<(u32, u32)> = test.iter().map(|rating| (rating.user, rating.item)).collect();
    let model = fitted("autorec", &NETWORK, learning.clone());
    let audit = found(&model, Some(&held));
    assert!(audit.held_out && audit.points == 60 && audit.question().contains("held-out ratings"));
    let learned: Vec<(u32, u32)> = learning.iter().map(|rating| (rating.user, rating.item)).collect();
    let error = audit_ratings(&model, Some(&learned), &settings(), &Run::new(1, 1).unwrap()).unwrap_err();
    assert!(error.hint_text().contains("did not learn from"), "{error}");
    // None of those drawn has a rating.
    let all = drawn(&learning, |(user, item)| learning.by_user.get(*user, *item).is_none(), 500, 3);
    assert_eq!(all.len(), 500);
    assert!(all.iter().all(|pair| !learned.contains(pair)));
}

#[test]
fn rows_with_too_few_ratings_are_no_points() {
    let ratings = sample();
    let few: Vec<_> = ratings.iter().filter(|rating| rating.item < 1).collect();
    let ratings = Ratings::new(ratings.users.clone(), ratings.items.clone(), few).unwrap();
    let error = audit_ratings(&fitted("biases", &[], ratings), None, &settings(), &Run::new(1, 1).unwrap())
        .unwrap_err();
    assert!(error.to_string().contains("whose user has two other ratings"), "{error}");
}
