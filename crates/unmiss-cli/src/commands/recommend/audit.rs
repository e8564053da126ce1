//! `unmiss recommend audit`: do predicted ratings drift with how many ratings a user gave?

use std::path::PathBuf;

use unmiss::audit::{AuditSettings, RatingAudit, audit_ratings};
use unmiss::error::{Error, Result};
use unmiss::model::RatingModel;
use unmiss::report::{Page, sections};
use unmiss::store::write_whole;

use crate::General;
use crate::commands::audit_text::{chart, figures};
use crate::output::{item, number, print, wrapped};
use crate::printer::Printer;

/// Which model, and how thoroughly.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model that `unmiss recommend fit` wrote
    model: PathBuf,
    /// Users to audit, drawn at random, each with one of their items
    #[arg(long, value_name = "N", default_value_t = 100)]
    users: usize,
    /// Shares of known ratings, from 5 % to 100 %
    #[arg(long, value_name = "N", default_value_t = 10)]
    levels: usize,
    /// Random choices of ratings for each user and share
    #[arg(long, value_name = "N", default_value_t = 20)]
    masks: usize,
    /// Write everything, also what the text leaves out, to a JSON file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page with charts to an HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Audits and prints.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let model = RatingModel::load(&arguments.model)?;
    let run = printer.run(general)?;
    let settings = AuditSettings {
        rows: arguments.users,
        levels: arguments.levels,
        masks: arguments.masks,
        ..AuditSettings::default()
    };
    let found = audit_ratings(&model, &settings, &run);
    printer.close();
    let found = found?;
    if let Some(path) = &arguments.json {
        let json = serde_json::to_vec_pretty(&found)
            .map_err(|error| Error::data(format!("the audit can't be written as JSON: {error}")))?;
        write_whole(path, &json)?;
    }
    let title = format!("Audit of {} ({})", arguments.model.display(), model.recipe.method.name());
    if let Some(path) = &arguments.html {
        Page::new(title.as_str()).sections(sections::rating_audit(&found)?).write(path)?;
    }
    print(&page(&found, &title))
}

fn page(found: &RatingAudit, title: &str) -> String {
    let size = format!(
        "{title}: {} users with one item each, {} shares of known ratings, {} masks each",
        number(found.points),
        found.curve.len(),
        found.settings.masks
    );
    let mut text = wrapped(&size, 0) + "\n\nWhat to know\n";
    found.summary.iter().for_each(|sentence| text.push_str(&item(sentence)));
    text.push_str(&chart(&found.curve, "Predicted rating by share of the user's known ratings"));
    text.push_str(&figures(&found.figures, "user"));
    text.push_str("\nIn the data, users by how many ratings they gave\n");
    for group in &found.groups {
        let range = format!("{} to {}", number(group.fewest), number(group.most));
        text.push_str(&format!(
            "  {range:>16} ratings: {:>7} users, mean {:.2}\n",
            number(group.users),
            group.mean
        ));
    }
    text
}
