//! What several fits say of themselves as one.

use serde_json::{Map, Value, json};

/// What models say of their fits as one: numbers as their mean, lists one after the other, sentences once.
pub(super) fn together(all: &[Value]) -> Value {
    let Some(Value::Object(first)) = all.first() else { return Value::Null };
    let mut summary = Map::new();
    for (name, value) in first {
        let own: Vec<&Value> = all.iter().filter_map(|one| one.get(name)).collect();
        let joined = match value {
            Value::Array(_) => one_after_the_other(&own),
            _ => mean_of(&own),
        };
        summary.insert(name.clone(), joined);
    }
    Value::Object(summary)
}

/// The items of all lists; what is said in words is not said twice.
fn one_after_the_other(lists: &[&Value]) -> Value {
    let mut joined: Vec<Value> = Vec::new();
    for item in lists.iter().filter_map(|list| list.as_array()).flatten() {
        if !(item.is_string() && joined.contains(item)) {
            joined.push(item.clone());
        }
    }
    Value::Array(joined)
}

/// Numbers as their mean, lists place by place, objects name by name over those that have the name; of anything else
/// the first. Words that differ are counted.
fn mean_of(values: &[&Value]) -> Value {
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.as_f64()).collect();
    match (values, numbers) {
        ([], _) => Value::Null,
        ([first, rest @ ..], _) if rest.iter().all(|other| other == first) => (*first).clone(),
        (_, Some(numbers)) => json!(numbers.iter().sum::<f64>() / numbers.len() as f64),
        ([Value::Array(first), ..], _) => {
            let at = |place: usize| {
                mean_of(&values.iter().filter_map(|value| value.get(place)).collect::<Vec<_>>())
            };
            Value::Array((0..first.len()).map(at).collect())
        }
        ([Value::Object(first), rest @ ..], _) => {
            let mut names: Vec<&String> = first.keys().collect();
            let later = rest.iter().filter_map(|value| value.as_object()).flat_map(Map::keys);
            later.for_each(|name| {
                if !names.contains(&name) {
                    names.push(name);
                }
            });
            let of = |name: &String| {
                mean_of(&values.iter().filter_map(|value| value.get(name)).collect::<Vec<_>>())
            };
            Value::Object(names.into_iter().map(|name| (name.clone(), of(name))).collect())
        }
        ([Value::String(_), ..], _) => counted(values),
        ([first, ..], _) => (*first).clone(),
    }
}

/// Words with how many say them, the most frequent first.
fn counted(values: &[&Value]) -> Value {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for word in values.iter().filter_map(|value| value.as_str()) {
        match counts.iter_mut().find(|(own, _)| *own == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let words: Vec<String> =
        counts.iter().map(|(word, count)| format!("{word} ({count} of {})", values.len())).collect();
    json!(words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summaries_are_averaged_name_by_name() {
        let coefficients = json!({ "a": 1.0, "b": [1.0, 2.0] });
        let mut one = json!({ "strength": 1.0, "rounds": [3, 4], "coefficients": coefficients, "k": 2 });
        let coefficients = json!({ "a": 2.0, "b": [2.0, 4.0], "c": 4.0 });
        let mut two = json!({ "strength": 3.0, "rounds": [4], "coefficients": coefficients, "k": 2 });
        (one["sentences"], two["sentences"]) = (json!(["All was well."]), json!(["All was well.", "Or so."]));
        let both = together(&[one, two]);
        assert_eq!(both["strength"], json!(2.0));
        assert_eq!(both["rounds"], json!([3, 4, 4]));
        assert_eq!(both["sentences"], json!(["All was well.", "Or so."]));
        assert_eq!(both["coefficients"], json!({ "a": 1.5, "b": [1.5, 3.0], "c": 4.0 }));
        assert_eq!(both["k"], json!(2));
        let words = ["lines", "trees", "trees"].map(|word| json!({ "best": word }));
        assert_eq!(together(&words)["best"], json!("trees (2 of 3), lines (1 of 3)"));
    }
}
