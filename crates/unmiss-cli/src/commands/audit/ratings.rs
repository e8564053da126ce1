//! The audit of a model of ratings: do predicted ratings drift with how many ratings a user gave?

use unmiss::audit::{RatingAudit, audit_ratings};
use unmiss::error::Result;
use unmiss::model::Model;
use unmiss::report::{Page, sections};
use unmiss::run::Run;

use super::text::{chart, figures};
use super::{Arguments, write_json};
use crate::commands::describe::ratings::users_by_count;
use crate::output::{item, number, print, wrapped};
use crate::printer::Printer;

/// Audits and prints.
pub fn run(arguments: &Arguments, model: &Model, title: &str, run: &Run, printer: &Printer) -> Result<()> {
    let found = audit_ratings(model, &arguments.settings(100, 10, 20), run);
    printer.close();
    let found = found?;
    if let Some(path) = &arguments.json {
        write_json(&found, path)?;
    }
    let title = format!("Audit of {title}");
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
    text + &users_by_count(&found.groups)
}
