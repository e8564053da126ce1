//! What is in a file of a model of images.

use unmiss::error::Result;
use unmiss::methods::Job;
use unmiss::model::Model;

use super::{Arguments, changed, fit_lines};
use crate::output::{number, wrapped};

/// The model and its translation, line by line.
pub fn page(model: &Model, arguments: &Arguments) -> Result<String> {
    let (method, coder, summary) = (model.recipe.method, model.coder.images()?, &model.summary);
    let what = match model.job() {
        Job::Fill => "an imputer of images",
        Job::Density => "a model of how plausible images are",
        Job::Predict | Job::Rate => "a model of the classes of images",
    };
    let mut text = format!("{}: {what}\n\n", arguments.model.display());
    let mut lines = vec![
        ("method".to_owned(), format!("{} ({})", method.name(), method.card().about.title)),
        ("settings".to_owned(), changed(&method.defaults(), &model.recipe.settings)),
        ("images".to_owned(), number(summary.rows)),
        ("size".to_owned(), coder.size.to_string()),
        ("values".to_owned(), format!("{} to {}, taken as 0 to 1", coder.low, coder.high)),
        ("missing".to_owned(), format!("{:.1} % of the pixels", 100.0 * summary.missing_share)),
        ("seed".to_owned(), summary.seed.to_string()),
    ];
    if let Ok(predicting) = model.predicting() {
        lines.insert(0, ("classes".to_owned(), predicting.target.levels.join(", ")));
    }
    if let Ok(scoring) = model.scoring() {
        let (part, mean) = (scoring.part, scoring.part.mean_log_likelihood);
        lines.push((
            "log-likelihood".to_owned(),
            format!("{mean:.2} on {} images held out", number(part.held_out)),
        ));
    }
    lines.extend(fit_lines(&summary.method));
    for (name, value) in lines {
        text.push_str(&format!("  {name:17}{}\n", wrapped(&value, 19).trim_start()));
    }
    summary.notes.iter().for_each(|note| text.push_str(&format!("\n{}\n", wrapped(note, 2))));
    Ok(text)
}
