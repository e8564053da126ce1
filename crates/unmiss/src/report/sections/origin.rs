//! Where a model comes from, as the last section of a page.

use crate::model::Model;
use crate::report::{Grid, Section};

/// Command, time, data and seed; nothing where the model does not say.
pub fn origin(model: &Model) -> Option<Section> {
    let made = model.summary.provenance.as_ref()?;
    let lines = made.lines().into_iter().filter(|(name, _)| *name != "scores");
    let grid =
        lines.fold(Grid::new(["what", "which"]), |grid, (name, value)| grid.row([name.to_owned(), value]));
    Some(Section::new("How it was made").table("For whoever wants to make it again", grid))
}
