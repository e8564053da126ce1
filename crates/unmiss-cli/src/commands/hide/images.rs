//! Hiding a region of every image.

use unmiss::data::Shape;
use unmiss::data::images::{Form, write};
use unmiss::error::Result;
use unmiss::missing::{Region, hide_region};

use super::Arguments;
use crate::General;
use crate::files::Files;
use crate::input::only_for_tables;
use crate::output::{number, wrapped};
use crate::printer::Printer;

/// Hides, writes, and tells what was done.
pub fn run(arguments: &Arguments, region: &Region, general: &General, printer: &Printer) -> Result<()> {
    only_for_tables(
        Shape::Images,
        &[
            ("truth", arguments.truth.is_some()),
            ("columns", !arguments.columns.is_empty()),
            ("target", arguments.target.is_some()),
        ],
    )?;
    let read = Files::default().reads([&arguments.data]).reads(arguments.images.files());
    read.images("-o", [&arguments.output]).check()?;
    Form::of(&arguments.output)?;
    let images = arguments.images.read(&arguments.data)?;
    let pixels = images.len() * images.size().pixels();
    let count = |images: &unmiss::data::images::Images| -> usize {
        (0..images.len()).map(|image| images.known_pixels(image)).sum()
    };
    let before = count(&images);
    let run = printer.run(general)?;
    let holed = run.compute(|| hide_region(images, region, general.seed));
    printer.close();
    let after = count(&holed);
    write(&holed, &arguments.output)?;
    let text = format!(
        "Hid {} of {} known pixels of {} images by {region} (seed {}); {:.1} % of all pixels are missing now.",
        number(before - after),
        number(before),
        number(holed.len()),
        general.seed,
        100.0 * (1.0 - after as f64 / pixels.max(1) as f64)
    );
    let text = format!("{}\n\nThe images are in {}.\n", wrapped(&text, 0), arguments.output.display());
    printer.tell_of(&arguments.output, &text)
}
