//! A method with all its settings.

use serde_json::Value;

use super::{Job, Method, find, named, short_list};
use crate::data::Shape;
use crate::error::{Act, Error, Hint, Result, nearest};

/// A method with all its settings.
#[derive(Clone)]
pub struct Recipe {
    /// The entry of the list.
    pub method: &'static dyn Method,
    /// All settings, as a JSON object.
    pub settings: Value,
}

impl Recipe {
    /// The method of that name, with its default settings.
    ///
    /// # Errors
    /// When there is no method of that name.
    pub fn named(name: &str) -> Result<Self> {
        named(name).map(Self::of)
    }

    /// The method of that name for data of a shape and a job, with its default settings.
    ///
    /// # Errors
    /// When there is no such method; the hint names those that there are.
    pub fn find(name: &str, shape: Shape, job: Job) -> Result<Self> {
        find(name, shape, job).map(Self::of)
    }

    /// The recipes that compete when no method is named, the cheapest first.
    pub fn short_list(shape: Shape, job: Job) -> Vec<Self> {
        short_list(shape, job).into_iter().map(Self::of).collect()
    }

    /// What is fitted when no method is named: for a column of a table the weighted mean of several methods, else the
    /// best of a short list.
    pub fn usual(shape: Shape, job: Job) -> Vec<Self> {
        match (shape, job) {
            (Shape::Table, Job::Predict) => vec![Self::of(&super::ensemble::Ensemble)],
            // The first pixels of an image are judged with little to go by, so little is shown in training.
            (Shape::Images, Job::Density) => {
                let mut dmfa = Self::of(&super::dmfa::Dmfa);
                dmfa.settings["hidden"] = "any".into();
                vec![dmfa]
            }
            _ => Self::short_list(shape, job),
        }
    }

    /// A method with its default settings.
    pub fn of(method: &'static dyn Method) -> Self {
        Self { method, settings: method.defaults() }
    }

    /// The predictor of tables of that name: with its usual settings for a purpose, and the user's, an object.
    ///
    /// # Errors
    /// When there is no such predictor, or a setting can't be one of it.
    pub fn of_tables(name: &str, usual: &[(&str, &str)], with: &Value) -> Result<Self> {
        let found = Self::find(name, Shape::Table, Job::Predict);
        let found = found.map_err(|error| error.reworded(|what| Error::setting("predictor", what)))?;
        let with = with.as_object().ok_or_else(|| {
            Error::setting("with", "the settings of the predictor are an object")
                .with_hint("as {\"members\": 3}")
        })?;
        let recipe = found.set_all(usual.iter().copied())?;
        let with: Vec<(&String, String)> =
            with.iter().map(|(name, value)| (name, value.to_string())).collect();
        recipe.set_all(with.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }

    /// Refuses a method that is for other data or another job, and settings that can't be.
    ///
    /// # Errors
    /// As said.
    pub fn check_for(&self, shape: Shape, job: Job) -> Result<()> {
        find(self.method.name(), shape, job)?.check(&self.settings)
    }

    /// The same recipe with one setting changed. The value may be JSON (`3`, `[100, 50]`, `true`) or a word.
    ///
    /// # Errors
    /// When the method has no such setting, or the value can't be one of it.
    pub fn set(self, name: &str, value: &str) -> Result<Self> {
        self.set_all([(name, value)])
    }

    /// The same recipe with several settings changed. They are judged together: of two that only fit each other, either
    /// may come first.
    ///
    /// # Errors
    /// When the method lacks one of the settings, or a value can't be one of it.
    pub fn set_all<'a>(self, changes: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let (mut recipe, mut refused) = (self, None);
        for (name, value) in changes {
            recipe = recipe.changed(name, value)?;
            // The change that made the settings unsound is to blame, unless a later one makes up for it.
            refused = recipe.refusal(name).map(|error| match refused {
                Some(before) if same_reason(&before, &error) => before,
                _ => error,
            });
        }
        refused.map_or(Ok(recipe), Err)
    }

    fn changed(mut self, name: &str, value: &str) -> Result<Self> {
        let parsed = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        let known = self.settings.as_object_mut().and_then(|settings| settings.get_mut(name));
        if let Some(place) = known {
            *place = parsed;
            return Ok(self);
        }
        let names = || self.method.card().settings.iter().map(|setting| setting.name);
        let what = format!("the method `{}` has no such setting", self.method.name());
        Err(Error::setting(name, what).with_hint(match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its settings are: {}", names().collect::<Vec<_>>().join(", ")),
        }))
    }

    /// What the method has against its settings, told of the one that was changed last.
    fn refusal(&self, name: &str) -> Option<Error> {
        let help = || Hint::from(Act::LookUpSettings { method: self.method.name().to_owned() });
        self.method.check(&self.settings).err().map(|error| match error {
            Error::Setting { what, hint, .. } => {
                Error::Setting { name: name.to_owned(), what, hint: hint.or_else(|| Some(Box::new(help()))) }
            }
            other => other,
        })
    }
}

/// Whether two refusals have the same reason, whatever setting they name.
fn same_reason(one: &Error, other: &Error) -> bool {
    let reason = |error: &Error| match error {
        Error::Setting { what, .. } => what.clone(),
        error => error.to_string(),
    };
    reason(one) == reason(other)
}

impl std::fmt::Debug for Recipe {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} {}", self.method.name(), self.settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_fit_only_each_other_may_come_in_any_order() {
        for changes in [[("optimizer", "rprop"), ("batch", "0")], [("batch", "0"), ("optimizer", "rprop")]] {
            assert!(Recipe::named("autorec").unwrap().set_all(changes).is_ok());
        }
        let alone = Recipe::named("autorec").unwrap().set("optimizer", "rprop").unwrap_err();
        assert_eq!(alone.hint_text(), "say batch=0, or optimizer=adam");
        let first = Recipe::named("autorec").unwrap().set_all([("rate", "-1"), ("hidden", "3")]);
        assert!(first.unwrap_err().to_string().starts_with("setting `rate`"));
        let cured = [("optimizer", "rprop"), ("rate", "-1"), ("batch", "0")];
        let left = Recipe::named("autorec").unwrap().set_all(cured).unwrap_err().to_string();
        assert!(left.contains("-1 is not a positive number") && !left.contains("rprop"), "{left}");
    }
}
