//! What is in a file of a model of series.

use unmiss::error::Result;
use unmiss::methods::Job;
use unmiss::model::Model;

use super::{Arguments, changed};
use crate::output::{number, wrapped};

/// The model and its translation, line by line.
pub fn page(model: &Model, arguments: &Arguments) -> Result<String> {
    let (method, coder, summary) = (model.recipe.method, model.coder.series()?, &model.summary);
    let what = match (model.job(), model.predicting()) {
        (Job::Fill, _) => "an imputer of series".to_owned(),
        (_, Ok(predicting)) => format!("a model of `{}` from series", predicting.target.name),
        _ => "a model of series".to_owned(),
    };
    let names: Vec<&str> = coder.variables.iter().map(|variable| variable.name.as_str()).collect();
    let statics: Vec<&str> = coder.statics.iter().flat_map(|encoder| encoder.names()).collect();
    let mut lines = vec![
        ("method", format!("{} ({})", method.name(), method.card().about.title)),
        ("settings", changed(&method.defaults(), &model.recipe.settings)),
        ("series", number(summary.rows)),
        ("variables", names.join(", ")),
    ];
    if !statics.is_empty() {
        lines.push(("not changing", statics.join(", ")));
    }
    if let Some(step) = coder.step {
        lines.push(("steps", coder.clock.words(step)));
    }
    if coder.clock.counts_from_first() {
        lines.push(("times", format!("{}, counted from the first of each series", coder.clock.name())));
    }
    if let Some(after) = coder.after {
        lines.push(("cut off", format!("{} after the start of each series", coder.clock.words(after))));
    }
    lines.push(("missing", format!("{:.1} % of the values at steps", 100.0 * summary.missing_share)));
    lines.push(("seed", summary.seed.to_string()));
    let mut text = format!("{}: {what}\n\n", arguments.model.display());
    for (name, value) in lines {
        text.push_str(&format!("  {name:17}{}\n", wrapped(&value, 19).trim_start()));
    }
    for note in &summary.notes {
        text.push_str(&format!("\n{}\n", wrapped(note, 2)));
    }
    Ok(text)
}
