#![doc = include_str!("README.md")]

mod mixing;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    About, ByRow, Card, Cost, Examples, Job, Layout, Learned, Method, Recommender, Setting, Vectors,
    defaults_of, find, parse,
};
use crate::data::Shape;
use crate::data::ratings::Ratings;
use crate::error::{Error, Result};
use crate::run::Run;
use crate::store::Arrays;
use mixing::mixed;
pub use mixing::{cross_checked, weights};

/// The entry of the list.
pub struct Blend;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The recommenders that are mixed.
    pub methods: Vec<String>,
    /// The weight of each; empty: they are found on ratings set aside.
    pub weights: Vec<f64>,
    /// Share of the ratings set aside to find them.
    pub validation: f64,
}

impl Default for Settings {
    fn default() -> Self {
        let methods = ["autorec", "factors", "biases"];
        Self { methods: methods.map(String::from).to_vec(), weights: Vec::new(), validation: 0.1 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        for (place, name) in settings.methods.iter().enumerate() {
            if name == CARD.name {
                return Err(Error::setting("methods", "a blend can't be a part of itself"));
            }
            if settings.methods[..place].contains(name) {
                return Err(Error::setting("methods", format!("`{name}` is there twice")));
            }
            find(name, Shape::Ratings, Job::Rate)?;
        }
        if settings.methods.is_empty() {
            return Err(Error::setting("methods", "there is nothing to mix"));
        }
        if !settings.weights.is_empty() {
            let sound = settings.weights.iter().all(|weight| (0.0..=1.0).contains(weight));
            let total: f64 = settings.weights.iter().sum();
            if settings.weights.len() != settings.methods.len() || !sound || (total - 1.0).abs() > 0.001 {
                let what = "one weight for each method is needed, none below 0, 1 in all";
                return Err(Error::setting("weights", what));
            }
        }
        if !(settings.validation > 0.0 && settings.validation <= 0.5) {
            return Err(Error::setting("validation", "a share above 0 and up to 0.5 can be set aside"));
        }
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "blend",
    does: &[(Shape::Ratings, Job::Rate)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Several recommenders, each with its weight",
        idea: "Recommenders of different kinds err in different places, so that their weighted mean may err less than \
               the best of them. The weights are found on ratings that none of them has learned from; one that does \
               not help gets none.",
        paper: "Breiman 1996, Stacked regressions",
        when: "When accuracy counts: on each of five sets of ratings it erred less than every part of it.",
        when_not: "When seconds count: every part is trained twice, unless weights are given.",
    },
    settings: &[
        Setting { name: "methods", help: "The recommenders that are mixed, as [\"autorec\", \"factors\"]." },
        Setting {
            name: "weights",
            help: "The weight of each, as [0.7, 0.3]; []: found on ratings set aside.",
        },
        Setting { name: "validation", help: "Share of the ratings set aside to find the weights." },
    ],
    space: &[],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Blend {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let ratings = examples.ratings()?;
        let settings = Settings::checked(settings)?;
        let (weights, errors) = match settings.weights.is_empty() {
            true => found(&settings, ratings, run)?,
            false => (settings.weights.clone(), None),
        };
        let mut parts: Vec<Part> = Vec::new();
        for (name, weight) in settings.methods.iter().zip(&weights).filter(|(_, weight)| **weight > 0.0) {
            let method = find(name, Shape::Ratings, Job::Rate)?;
            let learned = match method.fit(&Value::Null, examples, &run.part(name)) {
                // Stopped early, the parts that there are share the weights of all.
                Err(Error::Stopped) if !parts.is_empty() => break,
                fitted => fitted?,
            };
            let kept = Kept { method: name.clone(), settings: method.defaults(), weight: *weight };
            parts.push(Part { kept, learned });
        }
        let total: f64 = parts.iter().map(|part| part.kept.weight).sum();
        parts.iter_mut().for_each(|part| part.kept.weight /= total);
        Ok(Box::new(Fitted { parts, errors, range: ratings.range() }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let ratings = layout.ratings()?;
        let settings = Settings::checked(settings)?;
        let read = |error: serde_json::Error| damaged(&error.to_string());
        let all: Vec<Kept> = serde_json::from_slice(arrays.bytes("parts")?).map_err(read)?;
        let errors: Option<Errors> = serde_json::from_slice(arrays.bytes("errors")?).map_err(read)?;
        let mut parts: Vec<Part> = Vec::new();
        for kept in all {
            let twice = parts.iter().any(|part| part.kept.method == kept.method);
            if twice || !settings.methods.contains(&kept.method) {
                return Err(damaged(&format!("`{}` is none of its methods, or there twice", kept.method)));
            }
            if !(0.0..=1.0).contains(&kept.weight) {
                return Err(damaged("a weight is not between 0 and 1"));
            }
            let own = arrays.with_prefix(&format!("{}/", kept.method));
            let method = find(&kept.method, Shape::Ratings, Job::Rate)?;
            let learned = method.load(&kept.settings, layout, &own)?;
            parts.push(Part { kept, learned });
        }
        if parts.is_empty() {
            return Err(damaged("there is none"));
        }
        Ok(Box::new(Fitted { parts, errors, range: ratings.range() }))
    }
}

fn damaged(what: &str) -> Error {
    Error::data(format!("the parts of the blend can't be read: {what}"))
        .with_hint("the file is damaged; fit the model again")
}

/// Weights that did best on ratings set aside, and how each method and the blend did there.
fn found(settings: &Settings, ratings: &Ratings, run: &Run) -> Result<(Vec<f64>, Option<Errors>)> {
    let (learning, held) = ratings.split(settings.validation, run.seed());
    // Of a user or an item without any rating left nothing can be learned: biases answer for them, whatever is mixed.
    let known = |user: u32, item: u32| learning.by_user.count(user) > 0 && learning.by_item.count(item) > 0;
    let held: Vec<_> = held.into_iter().filter(|rating| known(rating.user, rating.item)).collect();
    let count = settings.methods.len();
    if held.is_empty() {
        return Ok((vec![1.0 / count as f64; count], None));
    }
    let (low, high) = learning.range();
    let pairs: Vec<(u32, u32)> = held.iter().map(|rating| (rating.user, rating.item)).collect();
    let truth: Vec<f32> = held.iter().map(|rating| rating.value).collect();
    let mut answers = Vec::new();
    for name in &settings.methods {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        let part = run.part(&format!("{name}, to find its weight"));
        let method = find(name, Shape::Ratings, Job::Rate)?;
        let learned = method.fit(&Value::Null, Examples::Ratings(&learning), &part)?;
        let answer = learned.recommender().map(|recommender| recommender.rate(&pairs)).unwrap_or_default();
        answers.push(answer.into_iter().map(|answer| answer.clamp(low, high)).collect());
    }
    let error = |answers: &[f32]| {
        let squares = answers.iter().zip(&truth).map(|(answer, truth)| f64::from(answer - truth).powi(2));
        (squares.sum::<f64>() / truth.len() as f64).sqrt()
    };
    let all = Errors {
        parts: settings
            .methods
            .iter()
            .cloned()
            .zip(answers.iter().map(|own: &Vec<f32>| error(own)))
            .collect(),
        blend: error(&cross_checked(&answers, &truth)),
    };
    // Answers beyond all bounds have no error that a file could hold.
    let finite = all.blend.is_finite() && all.parts.iter().all(|(_, error)| error.is_finite());
    Ok((weights(&answers, &truth), finite.then_some(all)))
}

/// How methods did on the ratings that weights were found on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Errors {
    /// Root mean square error of each method.
    parts: Vec<(String, f64)>,
    /// That of the blend, with weights found on one half for the other.
    blend: f64,
}

/// A part as its file tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Kept {
    method: String,
    /// All settings, as they were when it was fitted.
    settings: Value,
    weight: f64,
}

struct Part {
    kept: Kept,
    learned: Box<dyn Learned>,
}

struct Fitted {
    parts: Vec<Part>,
    errors: Option<Errors>,
    /// The smallest and the largest rating.
    range: (f32, f32),
}

impl Fitted {
    fn networks(&self) -> impl Iterator<Item = &dyn ByRow> {
        self.parts.iter().filter_map(|part| part.learned.recommender()?.by_row())
    }

    /// The weighted sum of what the parts answer, each within the scale of ratings: so the weights were found.
    fn mix(&self, answers: impl Fn(&dyn Recommender) -> Vec<f32>) -> Vec<f32> {
        let (low, high) = self.range;
        let within = |part: &Part| -> Vec<f32> {
            let own = part.learned.recommender().map(&answers).unwrap_or_default();
            own.into_iter().map(|answer| answer.clamp(low, high)).collect()
        };
        let all: Vec<Vec<f32>> = self.parts.iter().map(within).collect();
        let weights: Vec<f64> = self.parts.iter().map(|part| part.kept.weight).collect();
        mixed(&all, &weights)
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        for part in &self.parts {
            arrays.put_all(&format!("{}/", part.kept.method), part.learned.save());
        }
        let kept: Vec<&Kept> = self.parts.iter().map(|part| &part.kept).collect();
        // Plain data: turning it into JSON can't fail.
        arrays.put_bytes("parts", serde_json::to_vec(&kept).unwrap_or_default());
        arrays.put_bytes("errors", serde_json::to_vec(&self.errors).unwrap_or_default());
        arrays
    }

    fn summary(&self) -> Value {
        let object =
            |entries: Vec<(String, Value)>| Value::Object(entries.into_iter().collect::<Map<_, _>>());
        let parts = self.parts.iter();
        json!({
            "weights": object(parts.clone().map(|part| (part.kept.method.clone(), json!(part.kept.weight))).collect()),
            "validation_rmse": self.errors.as_ref().map(|errors| errors.blend),
            "without_blending": self.errors.as_ref().map(|errors| {
                object(errors.parts.iter().map(|(name, error)| (name.clone(), json!(error))).collect())
            }),
            "parts": object(parts.map(|part| (part.kept.method.clone(), part.learned.summary())).collect()),
        })
    }

    fn recommender(&self) -> Option<&dyn Recommender> {
        Some(self)
    }
}

impl Recommender for Fitted {
    fn rate(&self, pairs: &[(u32, u32)]) -> Vec<f32> {
        self.mix(|recommender| recommender.rate(pairs))
    }

    fn rate_all(&self, users: &[u32]) -> Vec<f32> {
        self.mix(|recommender| recommender.rate_all(users))
    }

    fn fold_in(&self, given: &[(u32, f32)], items: &[u32]) -> Vec<f32> {
        self.mix(|recommender| recommender.fold_in(given, items))
    }

    fn by_row(&self) -> Option<&dyn ByRow> {
        self.networks().next().map(|_| self as &dyn ByRow)
    }
}

/// Networks over the rows of the first of them see the given ratings; the others answer from all they learned.
impl ByRow for Fitted {
    fn vectors(&self) -> Vectors {
        self.networks().next().map_or(Vectors::User, ByRow::vectors)
    }

    fn rate_cell(&self, row: u32, given: &[(u32, f32)], column: u32) -> f32 {
        let vectors = self.vectors();
        // Turning a cell round is its own inverse.
        let pair = vectors.cell(row, column);
        let answers =
            self.mix(|recommender| match recommender.by_row().filter(|own| own.vectors() == vectors) {
                Some(network) => vec![network.rate_cell(row, given, column)],
                None => recommender.rate(&[pair]),
            });
        answers[0]
    }
}

#[cfg(test)]
mod tests;
