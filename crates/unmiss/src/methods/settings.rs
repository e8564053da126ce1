//! Settings: a method's own type over JSON, with errors that name the setting.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Error, Result, nearest};

/// A method's own settings type from JSON: the given values over the defaults. An unknown name and a value
/// of another type are errors that name the setting.
///
/// # Errors
/// When a name is unknown or a value does not fit.
pub fn parse<S: Serialize + DeserializeOwned + Default>(settings: &Value) -> Result<S> {
    let defaults = default_names::<S>();
    let given = match settings {
        Value::Object(given) => given.clone(),
        Value::Null => Map::new(),
        _ => return Err(Error::setting("settings", "expected names with values")),
    };
    for (name, value) in &given {
        if !defaults.contains_key(name) {
            return Err(unknown_setting(name, &defaults));
        }
        // One value at a time, so that the error can say whose it is.
        let alone = |value: &Value| {
            let mut all = defaults.clone();
            all.insert(name.clone(), value.clone());
            serde_json::from_value::<S>(Value::Object(all))
        };
        alone(value).map(drop).map_err(|error| {
            // Of choices only a word that is none of them is answered with their names.
            let choices = alone(&Value::String("?".to_owned())).err().filter(is_of_choices);
            let told = choices.filter(|_| !value.is_string()).unwrap_or(error);
            Error::setting(name, format!("`{}` {}", plain(value), misfit(&told)))
        })?;
    }
    let mut all = defaults;
    all.extend(given);
    serde_json::from_value(Value::Object(all)).map_err(|error| Error::setting("settings", error.to_string()))
}

fn is_of_choices(error: &serde_json::Error) -> bool {
    error.to_string().starts_with("unknown variant")
}

/// Why a value does not fit, in words that need no knowledge of types.
fn misfit(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let expected = text.split_once("expected ").map_or(text.as_str(), |(_, expected)| expected);
    let expected = match expected {
        "usize" | "u32" | "u64" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list such as [100, 50]",
        other => other,
    };
    format!("does not fit: it takes {expected}")
}

/// The default settings of a type as a JSON object, names in the order of the type's fields.
pub fn defaults_of<S: Serialize + Default>() -> Value {
    Value::Object(default_names::<S>())
}

fn default_names<S: Serialize + Default>() -> Map<String, Value> {
    match serde_json::to_value(S::default()) {
        Ok(Value::Object(defaults)) => defaults,
        _ => Map::new(),
    }
}

fn unknown_setting(name: &str, known: &Map<String, Value>) -> Error {
    let names = known.keys().map(String::as_str).collect::<Vec<_>>();
    let list = names.join(", ");
    Error::setting(name, "there is no setting of that name").with_hint(match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`? The settings are: {list}"),
        None => format!("the settings are: {list}"),
    })
}

/// A value as the user typed it: text without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
