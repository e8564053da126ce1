//! Random search over a method's settings, inside a training part: what it holds out is never the held-out fold.

use serde_json::Value;

use super::comparison::Contestant;
use crate::error::{Error, Result};
use crate::methods::{Method, space};
use crate::run::Run;

/// The settings a contestant is to be fitted with on a part: its own, or the best of a search. `inner` gives the
/// loss of settings on an inner holdout of the training part.
///
/// The given settings are tried too, so a search that finds nothing better changes nothing.
///
/// # Errors
/// When no settings could be fitted.
pub(super) fn settings_for(
    contestant: &Contestant,
    method: &dyn Method,
    seed: u64,
    run: &Run,
    inner: impl Fn(&Value, &Run) -> Result<f64>,
) -> Result<Value> {
    let given = &contestant.settings;
    if contestant.draws == 0 || space::open_axes(method, given).next().is_none() {
        return Ok(given.clone());
    }
    let (mut best, mut failure) = (None::<(f64, Value)>, None);
    for draw in 0..=contestant.draws {
        let settings = if draw == 0 { given.clone() } else { space::draw(method, given, draw, seed) };
        let part = run.part(&format!("draw {draw} of {}", contestant.draws));
        match inner(&settings, &part) {
            _ if run.stopped() => return Err(Error::Stopped),
            Ok(loss) if loss.is_finite() => {
                if best.as_ref().is_none_or(|(least, _)| loss < *least) {
                    best = Some((loss, settings));
                }
            }
            Ok(_) => {}
            Err(error) => failure = Some(error),
        }
    }
    match (best, failure) {
        (Some((_, settings)), _) => Ok(settings),
        (None, Some(error)) => Err(error),
        (None, None) => Err(Error::method(method.name(), "no draw of the search has a finite loss")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Recipe;

    #[test]
    fn the_search_takes_the_smallest_inner_loss() {
        let recipe = Recipe::named("trees").unwrap();
        let run = Run::new(0, 1).unwrap();
        let contestant = Contestant::new(&recipe, 20);
        let leaves = |settings: &Value, _: &Run| Ok(settings["leaves"].as_f64().unwrap_or(f64::NAN));
        let chosen = settings_for(&contestant, recipe.method, 5, &run, leaves).unwrap();
        let all: Vec<f64> = (1..=20)
            .map(|draw| space::draw(recipe.method, &recipe.settings, draw, 5)["leaves"].as_f64().unwrap())
            .collect();
        assert_eq!(chosen["leaves"].as_f64().unwrap(), all.iter().copied().fold(31.0, f64::min));
        // Where every draw is worse than what was given, the given settings stay.
        let far = |settings: &Value, _: &Run| Ok((settings["rate"].as_f64().unwrap_or(9.0) - 0.1).abs());
        assert_eq!(settings_for(&contestant, recipe.method, 5, &run, far).unwrap(), recipe.settings);
    }

    #[test]
    fn draws_that_fail_are_passed_over() {
        let recipe = Recipe::named("trees").unwrap();
        let run = Run::new(0, 1).unwrap();
        let contestant = Contestant::new(&recipe, 3);
        let given = recipe.settings.clone();
        let fails = |settings: &Value, _: &Run| match *settings == given {
            true => Err(Error::data("no")),
            false => Ok(1.0),
        };
        assert_ne!(settings_for(&contestant, recipe.method, 5, &run, fails).unwrap(), recipe.settings);
        let never = |_: &Value, _: &Run| Err(Error::data("never"));
        assert!(settings_for(&contestant, recipe.method, 5, &run, never).is_err());
    }
}
