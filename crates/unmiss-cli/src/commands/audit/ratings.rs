//! The audit of a model of ratings: do predicted ratings drift with how many ratings are known?

use std::path::Path;

use unmiss::audit::{RatingAudit, audit_ratings};
use unmiss::data::ratings::read;
use unmiss::error::Result;
use unmiss::methods::Vectors;
use unmiss::model::Model;
use unmiss::report::{Page, sections};
use unmiss::run::Run;

use super::Arguments;
use super::text::{chart, figures};
use crate::commands::describe::ratings::by_count;
use crate::commands::evaluate::file_name;
use crate::output::{item, number, wrapped};
use crate::printer::Printer;

/// Audits and prints. The data, if there are any, are ratings that were held out from the model.
pub fn run(
    arguments: &Arguments,
    model: &Model,
    data: Option<&Path>,
    title: &str,
    run: &Run,
    printer: &Printer,
) -> Result<()> {
    let held_out = data.map(|path| held_out(arguments, path, model, printer)).transpose()?;
    let found = audit_ratings(model, held_out.as_deref(), &arguments.settings(100, 10, 50), run);
    printer.close();
    let found = found?;
    let title = match data {
        Some(path) => format!("Audit of {title} on {}", file_name(path)),
        None => format!("Audit of {title}"),
    };
    if let Some(path) = &arguments.html {
        Page::new(title.as_str()).sections(sections::rating_audit(&found)?).write(path)?;
    }
    arguments.json.tell(&found, &page(&found, &title))
}

/// The pairs of a file whose user and item the model knows.
fn held_out(arguments: &Arguments, path: &Path, model: &Model, printer: &Printer) -> Result<Vec<(u32, u32)>> {
    let reading = read(path, &arguments.columns.options(&arguments.input)?)?;
    reading.notes().iter().for_each(|note| printer.say(&format!("note: {note}")));
    let (new, known) = (reading.ratings, model.rating()?.ratings);
    let find = |rating: unmiss::data::ratings::Rating| {
        let user = known.users.find(new.users.name(rating.user))?;
        Some((user, known.items.find(new.items.name(rating.item))?))
    };
    Ok(new.iter().filter_map(find).collect())
}

fn page(found: &RatingAudit, title: &str) -> String {
    let name = found.row_name();
    let size = format!(
        "{title}: {} pairs of user and item, {} shares of the {name}'s ratings, {} masks each",
        number(found.points),
        found.curve.len(),
        found.settings.masks
    );
    let mut text = wrapped(&size, 0) + "\n\nWhat to know\n";
    found.summary.iter().for_each(|sentence| text.push_str(&item(sentence)));
    text.push_str(&chart(&found.curve, &format!("Predicted rating by share of the {name}'s known ratings")));
    text.push_str(&figures(&found.figures, "pair", "cell"));
    let verb = if found.vectors == Vectors::User { "gave" } else { "got" };
    text.push_str(&format!("\nIn the data, {name}s by how many ratings they {verb}\n"));
    text + &by_count(&format!("{name}s"), &found.groups)
}
