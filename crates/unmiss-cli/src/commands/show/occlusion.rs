//! `unmiss show MODEL --explain IMAGES`: which parts of images a model goes by, as text for an 80-column terminal, a
//! page or JSON.

use unmiss::error::{Error, Result};
use unmiss::explain::{Occlusion, occlusion};
use unmiss::model::Model;
use unmiss::report::{Page, sections};

use super::Arguments;
use crate::General;
use crate::output::{bar, column, item, number};
use crate::printer::Printer;

/// Images asked about unless another number is.
const IMAGES: usize = 100;
/// Squares listed unless all are asked for.
const LISTED: usize = 12;
/// Columns of a bar.
const BAR: usize = 26;

/// Hides squares of images one by one and tells what that does to the answers.
pub fn run(arguments: &Arguments, model: &Model, general: &General, printer: &Printer) -> Result<()> {
    let Some(data) = &arguments.data else {
        let again = format!("unmiss show {} --explain IMAGES", arguments.model.display());
        return Err(Error::setting(
            "explain",
            "a model of images is explained on images, and none are named",
        )
        .with_hint(format!("name some: {again}")));
    };
    let images = arguments.images.read_for_model(data, model)?;
    let run = printer.run(general)?;
    let found = occlusion(model, &images, arguments.rows.unwrap_or(IMAGES), &run.part("explaining"));
    printer.close();
    let found = found?;
    let title = format!("What {} goes by", arguments.model.display());
    if let Some(path) = &arguments.html {
        Page::new(title.as_str()).sections(sections::occlusion(&images, &found)?).write(path)?;
    }
    arguments.json.tell(&found, &text(&found, &title, if arguments.all { usize::MAX } else { LISTED }))
}

fn text(found: &Occlusion, title: &str, most: usize) -> String {
    let mut text = format!("{title}: {} images\n\nWhat to know\n", number(found.images.len()));
    found.summary.iter().for_each(|sentence| text.push_str(&item(sentence)));
    text.push_str("\nBe careful\n");
    found.warnings.iter().for_each(|sentence| text.push_str(&item(sentence)));
    let what = if found.classes.is_empty() { "number" } else { "chance of the class told" };
    text.push_str(&format!("\nSquares by how far hiding them moves the {what}, on average\n"));
    let mut order: Vec<usize> = (0..found.squares.len()).collect();
    order.sort_by(|&a, &b| found.moves[b].total_cmp(&found.moves[a]));
    let largest = order.first().map_or(0.0, |&square| found.moves[square]);
    for &square in order.iter().take(most) {
        let (name, moves) = (found.squares[square].words(), found.moves[square]);
        let share = if largest > 0.0 { moves / largest } else { 0.0 };
        let line = format!("  {} {moves:>8.4}  {}", column(&name, 34), bar(share, BAR));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let more = order.len().saturating_sub(most);
    if more > 0 {
        text.push_str(&format!(
            "  and {} more (--all lists them; --html draws them image by image)\n",
            number(more)
        ));
    }
    text
}
