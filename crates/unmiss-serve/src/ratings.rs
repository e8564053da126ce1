//! Models of ratings: `predict` for pairs of users and items, `top` for the best that a user has not rated. Ratings
//! that came after the model was fitted go along; nothing is trained again.

use std::collections::BTreeMap;

use serde::Deserialize;
use unmiss::data::ratings::{RatingsOptions, pairs_from_bytes};
use unmiss::data::{Column, Kind};
use unmiss::model::{Rating, rounded};

use crate::asked::{Asked, Parts};
use crate::fault::{Answer, Fault};
use crate::formats::{ARROW, Format};
use crate::json_rows::unreadable;
use crate::reply::{Notes, Out, Reply};
use crate::rows::check_count;

/// Items of a list, unless told otherwise.
const USUAL_COUNT: usize = 10;

/// A pair whose rating is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    user: Id,
    item: Id,
}

/// A rating that came after the model was fitted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRating {
    user: Id,
    item: Id,
    rating: f32,
}

/// A name; numbers are names too.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(serde_json::Number),
}

impl Id {
    fn name(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }
}

/// Pairs as they are sent: alone, or with new ratings.
#[derive(Deserialize)]
#[serde(untagged)]
enum Pairs {
    Alone(Vec<Pair>),
    With(PairsAndRatings),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairsAndRatings {
    pairs: Vec<Pair>,
    #[serde(default)]
    ratings: Vec<NewRating>,
}

/// Whose lists are asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Users {
    users: Vec<Id>,
    #[serde(default)]
    ratings: Vec<NewRating>,
}

/// Ratings by user: (item, value).
type Given = BTreeMap<String, Vec<(u32, f32)>>;

/// Answers a request.
pub fn answer(parts: Parts, verb: &str) -> Answer<Reply> {
    let top = verb == "top";
    let asked = Asked::new(parts, if top { &["count"] } else { &[] })?;
    if asked.input == Format::Arrow {
        let hint = "send JSON, or pairs as CSV with the columns `user` and `item`";
        return Err(
            Fault::bad(format!("pairs can't be read from {ARROW}"), hint).at("header", "Content-Type")
        );
    }
    if top { lists(&asked) } else { predict(&asked) }
}

fn predict(asked: &Asked) -> Answer<Reply> {
    let rating = asked.served.model.rating()?;
    let mut notes = Notes::default();
    let (pairs, given) = match asked.input {
        Format::Json => {
            let sent: Pairs =
                serde_json::from_slice(&asked.body).map_err(|error| form(&error, PAIRS_FORM))?;
            let (pairs, ratings) = match sent {
                Pairs::Alone(pairs) => (pairs, Vec::new()),
                Pairs::With(PairsAndRatings { pairs, ratings }) => (pairs, ratings),
            };
            let pairs =
                pairs.into_iter().map(|pair| (pair.user.name(), pair.item.name())).collect::<Vec<_>>();
            (pairs, sorted(ratings, &rating, &mut notes)?)
        }
        _ => (pairs_from_bytes("body", &asked.body, &RatingsOptions::default())?, Given::new()),
    };
    check_count(pairs.len(), asked.limits.rows)?;
    let answers = rating.rate_named(&pairs, &given);
    let unknown_user = |user: &String| rating.ratings.users.find(user).is_none() && !given.contains_key(user);
    let unknown_item = |item: &String| rating.ratings.items.find(item).is_none();
    let counts = [
        (pairs.iter().filter(|(user, _)| unknown_user(user)).count(), "user", "item"),
        (pairs.iter().filter(|(_, item)| unknown_item(item)).count(), "item", "user"),
    ];
    for (count, who, other) in counts.into_iter().filter(|(count, ..)| *count > 0) {
        notes.tell(format!(
            "in {count} pairs the model does not know the {who}: the {other}'s average is given"
        ));
    }
    let rows = pairs.into_iter().zip(answers).map(|((user, item), answer)| (user, item, answer));
    reply(asked, rows.collect(), &notes)
}

fn lists(asked: &Asked) -> Answer<Reply> {
    let rating = asked.served.model.rating()?;
    let mut notes = Notes::default();
    let count =
        asked.query.number("count", "a whole number from 1 to 1000", |count| (1..=1000).contains(count))?;
    let count = count.unwrap_or(USUAL_COUNT);
    let sent: Users = serde_json::from_slice(&asked.body).map_err(|error| form(&error, USERS_FORM))?;
    let given = sorted(sent.ratings, &rating, &mut notes)?;
    let most = count.min(rating.ratings.items.len());
    check_count(sent.users.len().saturating_mul(most), asked.limits.rows)?;
    let mut rows = Vec::new();
    for (place, user) in sent.users.into_iter().map(Id::name).enumerate() {
        let best = match (given.get(&user), rating.ratings.users.find(&user)) {
            (Some(new), _) => rating.top_for(&rating.all_given(&user, new), count),
            (None, Some(known)) => rating.top(known, count),
            (None, None) => {
                let hint = match rating.ratings.users.nearest(&user) {
                    Some(near) => {
                        format!("did you mean `{near}`? Ratings of somebody new go in as `ratings`")
                    }
                    None => "send some ratings of theirs as `ratings`".to_owned(),
                };
                return Err(Fault::bad(format!("the model knows no user `{user}`"), hint).at("users", place));
            }
        };
        let name = |item: u32| rating.ratings.items.name(item).to_owned();
        rows.extend(best.into_iter().map(|(item, value)| (user.clone(), name(item), value)));
    }
    reply(asked, rows, &notes)
}

const PAIRS_FORM: &str =
    "send [{\"user\": \"u1\", \"item\": \"i7\"}, ...], or {\"pairs\": [...], \"ratings\": [...]}";
const USERS_FORM: &str =
    "send {\"users\": [\"u1\"], \"ratings\": [{\"user\": \"u1\", \"item\": \"i7\", \"rating\": 4}]}";

fn form(error: &serde_json::Error, hint: &str) -> Fault {
    unreadable(error).with_hint(hint)
}

/// New ratings by user; items that the model does not know are told and passed over.
fn sorted(ratings: Vec<NewRating>, model: &Rating<'_>, notes: &mut Notes) -> Answer<Given> {
    let (mut given, mut unknown) = (Given::new(), 0);
    for (place, NewRating { user, item, rating }) in ratings.into_iter().enumerate() {
        if !rating.is_finite() {
            return Err(Fault::bad("a rating is not a finite number", "send a number").at("ratings", place));
        }
        // A user whose items are all unknown is still somebody.
        let own = given.entry(user.name()).or_default();
        match model.ratings.items.find(&item.name()) {
            Some(item) => own.push((item, rating)),
            None => unknown += 1,
        }
    }
    if unknown > 0 {
        notes.tell(format!("new ratings of items that the model does not know: {unknown}"));
    }
    Ok(given)
}

fn reply(asked: &Asked, rows: Vec<(String, String, f32)>, notes: &Notes) -> Answer<Reply> {
    let header = ["user", "item", "prediction"].map(str::to_owned);
    let mut out = Out::new(asked.output, &asked.served.name, &header)?;
    let users: Vec<Option<&str>> = rows.iter().map(|(user, _, _)| Some(user.as_str())).collect();
    let items: Vec<Option<&str>> = rows.iter().map(|(_, item, _)| Some(item.as_str())).collect();
    let values: Vec<f64> = rows.iter().map(|(_, _, value)| rounded(*value)).collect();
    out.push(&[
        Column::from_words("user", Kind::Category, &users),
        Column::from_words("item", Kind::Category, &items),
        Column::from_numbers("prediction", Kind::Real, &values),
    ])?;
    out.finish(rows.len(), notes)
}
