//! Where a random search looks: the settings of a method that are worth trying, and between which values.
//!
//! A method names its axes in its own folder ([`Card::space`](super::Card::space)); a setting without an axis stays as
//! it is.

use serde::Serialize;
use serde_json::{Value, json};

use super::Method;
use crate::rng::{Stream, hash};

/// One setting that a search may change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Axis {
    /// The setting's name.
    pub name: &'static str,
    /// The values it may take.
    pub choices: Choices,
}

/// The values of an axis, ends included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choices {
    /// Numbers whose logarithm is spread evenly: for what counts in factors.
    LogUniform(f64, f64),
    /// Numbers spread evenly.
    Uniform(f64, f64),
    /// Whole numbers.
    Integers(u64, u64),
    /// Values as one would type them after `--set name=`.
    Options(&'static [&'static str]),
}

impl Axis {
    /// An axis of a setting.
    pub const fn new(name: &'static str, choices: Choices) -> Self {
        Self { name, choices }
    }

    fn draw(&self, stream: &mut Stream) -> Value {
        match self.choices {
            Choices::LogUniform(low, high) => {
                let (low_log, high_log) = (low.ln(), high.ln());
                let value = (low_log + (high_log - low_log) * stream.uniform()).exp();
                json!(readable(value).clamp(low, high))
            }
            Choices::Uniform(low, high) => {
                json!(readable(low + (high - low) * stream.uniform()).clamp(low, high))
            }
            Choices::Integers(low, high) => json!(low + stream.below((high - low + 1) as usize) as u64),
            Choices::Options(words) => typed(words[stream.below(words.len())]),
        }
    }
}

/// Three digits: more would say nothing, and a chosen setting is to be read and typed.
fn readable(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// JSON, or else a word.
fn typed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// The axes that are open: those whose setting has its default value. What the user has set stays.
pub fn open_axes<'a>(method: &'a dyn Method, given: &Value) -> impl Iterator<Item = &'a Axis> {
    let (defaults, given) = (method.defaults(), given.clone());
    method.card().space.iter().filter(move |axis| given.get(axis.name) == defaults.get(axis.name))
}

/// Settings number `draw` of a search from the given ones: the same for every part of the data, so that what was
/// chosen can be counted.
pub fn draw(method: &dyn Method, given: &Value, draw: usize, seed: u64) -> Value {
    let mut settings = given.clone();
    for axis in open_axes(method, given) {
        // One stream per axis: another axis in the folder leaves the others' draws as they are.
        let mut stream = Stream::new(seed, "search", hash(method.name()) ^ hash(axis.name), draw as u64);
        if let Some(place) = settings.as_object_mut() {
            place.insert(axis.name.to_owned(), axis.draw(&mut stream));
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::{METHODS, named};

    #[test]
    fn every_draw_of_every_method_can_be_used() {
        for &method in METHODS {
            let given = method.defaults();
            for number in 0..200 {
                let settings = draw(method, &given, number, 3);
                method.check(&settings).unwrap_or_else(|error| panic!("{}: {error}", method.name()));
            }
            let names: Vec<&str> = method.card().settings.iter().map(|setting| setting.name).collect();
            assert!(method.card().space.iter().all(|axis| names.contains(&axis.name)), "{}", method.name());
            let without = ["auto", "blend", "ensemble", "mean", "statistics", "per-variable", "kalman"];
            let lines = ["harmonic", "interpolation", "last-value", "surroundings"];
            let searched = !without.iter().chain(&lines).any(|name| *name == method.name());
            assert_eq!(!method.card().space.is_empty(), searched, "{}", method.name());
        }
    }

    #[test]
    fn draws_reach_both_ends_and_every_option() {
        let draws = |choices: Choices| -> Vec<Value> {
            let axis = Axis::new("x", choices);
            (0..500).map(|number| axis.draw(&mut Stream::new(1, "test", number, 0))).collect()
        };
        let logs: Vec<f64> =
            draws(Choices::LogUniform(1e-4, 1.0)).iter().map(|v| v.as_f64().unwrap()).collect();
        assert!(logs.iter().all(|value| (1e-4..=1.0).contains(value)));
        let small = logs.iter().filter(|value| **value < 1e-2).count();
        assert!((200..300).contains(&small), "half the draws lie below the geometric middle: {small}");
        let whole = draws(Choices::Integers(2, 4));
        assert!([2, 3, 4].iter().all(|value| whole.contains(&json!(value))));
        let options = draws(Choices::Options(&["relu", "[8, 4]", "true"]));
        assert!([json!("relu"), json!([8, 4]), json!(true)].iter().all(|value| options.contains(value)));
    }

    #[test]
    fn what_the_user_has_set_stays() {
        let trees = named("trees").unwrap();
        let mut given = trees.defaults();
        given["leaves"] = json!(7);
        let drawn = draw(trees, &given, 1, 3);
        assert_eq!(drawn["leaves"], json!(7));
        assert_ne!(drawn["rate"], given["rate"]);
        assert_eq!(drawn, draw(trees, &given, 1, 3));
        assert_ne!(drawn, draw(trees, &given, 2, 3));
    }
}
