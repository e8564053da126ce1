//! What a client must know of a model: its columns, what it answers, how it was made.

use serde_json::{Value, json};
use unmiss::data::{Kind, Shape};
use unmiss::encode::Task;
use unmiss::model::Model;

use crate::shelf::Slot;

/// Levels of a column that are told; of more, there is no list.
pub const MOST_LEVELS: usize = 100;

/// Everything about a model.
pub fn of(slot: &Slot) -> Value {
    let served = slot.model();
    let model = &served.model;
    let mut facts = slot.facts();
    facts["inputs"] = inputs(model);
    facts["notes"] = json!(model.summary.notes);
    facts["missing_share"] = json!(model.summary.missing_share);
    facts["missing_words"] = json!(model.missing.everywhere());
    if let Ok(predicting) = model.predicting() {
        let target = predicting.target;
        facts["target"] = json!({ "name": target.name, "classes": target.levels, "kind": target.kind });
        facts["ids"] = json!(predicting.roles.id);
        let is_number = target.task == Task::Regression;
        facts["intervals"] = json!(is_number && predicting.intervals.is_some());
        facts["sets"] = json!(!is_number && predicting.sets.is_some());
    }
    if let Ok(filling) = model.filling() {
        facts["draws_for_pooling"] = json!(filling.parameter_sets());
    }
    if let Ok(rating) = model.rating() {
        facts["users"] = json!(rating.ratings.users.len());
        facts["items"] = json!(rating.ratings.items.len());
        facts["range"] = json!(rating.range());
    }
    facts
}

/// The inputs: their kinds, the range or the levels that training saw, and how often they were missing.
pub fn inputs(model: &Model) -> Value {
    if let Ok(coder) = model.coder.images() {
        let size = coder.size;
        return json!({ "channels": size.channels, "height": size.height, "width": size.width });
    }
    if model.shape() != Shape::Table {
        return Value::Null;
    }
    let Ok(encoder) = model.coder.table() else { return Value::Null };
    let share = |missing: usize| missing as f64 / model.summary.rows.max(1) as f64;
    let needed = model.needed_columns();
    let numbers = encoder.numbers.iter().map(|own| {
        let kind = if own.kind == Kind::Integer { "integer" } else { "real" };
        json!({ "name": own.name, "kind": kind, "low": own.low, "high": own.high, "missing": share(own.missing) })
    });
    let categories = encoder.categories.iter().map(|own| {
        let levels = (own.levels.len() <= MOST_LEVELS).then_some(&own.levels);
        json!({ "name": own.name, "kind": own.kind, "levels": levels, "missing": share(own.missing) })
    });
    let is_needed = |input: &Value| input["name"].as_str().is_some_and(|name| needed.contains(&name));
    let made = encoder.made.iter().map(|own| json!({ "name": own.column, "kind": own.what() }));
    Value::Array(numbers.chain(categories).chain(made).filter(is_needed).collect())
}
