//! What is known of images, as text and as a page.

use unmiss::error::Result;
use unmiss::missing::{ImagesDescription, describe_images};
use unmiss::report::{Page, sections};

use super::Arguments;
use crate::commands::evaluate::file_name;
use crate::output::{bar, column, number, wrapped};

/// Sides of the map in the terminal, at most.
const MAP: usize = 16;
/// Classes listed.
const LISTED: usize = 30;

/// Describes and prints.
pub fn run(arguments: &Arguments) -> Result<()> {
    let images = arguments.images.read(&arguments.data)?;
    let found = describe_images(&images);
    let file = file_name(&arguments.data);
    if let Some(path) = &arguments.html {
        Page::new(format!("Holes in {file}"))
            .summary(size(&found))
            .summary(by_image(&found))
            .sections(sections::images(&images, &found)?)
            .write(path)?;
    }
    arguments.json.tell(&found, &page(&found, &file))
}

fn size(found: &ImagesDescription) -> String {
    let mut kind = match found.channels {
        1 => "grey".to_owned(),
        3 => "in three colours".to_owned(),
        channels => format!("of {channels} channels"),
    };
    if !found.bytes {
        kind.push_str(&format!(", values from {} to {}", found.range.0, found.range.1));
    }
    format!(
        "{} images of {} x {} pixels, {kind}; {:.1} % of the pixels are missing",
        number(found.images),
        found.height,
        found.width,
        100.0 * found.missing
    )
}

fn by_image(found: &ImagesDescription) -> String {
    if found.missing == 0.0 {
        return "Every pixel of every image is known.".to_owned();
    }
    let [least, median, most] = found.known.map(|share| 100.0 * share);
    let mut text = format!(
        "Of an image {least:.1} % to {most:.1} % are known, {median:.1} % in the median. {} of {} images are complete.",
        number(found.complete),
        number(found.images)
    );
    if found.empty > 0 {
        text.push_str(&format!(" Of {} images nothing is known.", number(found.empty)));
    }
    text
}

fn page(found: &ImagesDescription, file: &str) -> String {
    let mut text = format!(
        "{}\n\n{}\n",
        wrapped(&format!("Holes in {file}: {}", size(found)), 0),
        wrapped(&by_image(found), 0)
    );
    if found.missing > 0.0 {
        text.push_str("\nWhere holes are: in how many tenths of the images a pixel is missing\n");
        text.push_str(&map(found));
    }
    if !found.classes.is_empty() {
        text.push_str(&format!("\nMissing by class\n  {}    images   missing\n", column("class", 34)));
        for class in found.classes.iter().take(LISTED) {
            let missing = format!("{:.1} %", 100.0 * class.missing);
            let (name, count) = (column(&class.class, 34), number(class.images));
            text.push_str(format!("  {name} {count:>9} {missing:>9}  {}", bar(class.missing, 20)).trim_end());
            text.push('\n');
        }
        if found.classes.len() > LISTED {
            text.push_str(&format!("  and {} more\n", number(found.classes.len() - LISTED)));
        }
        if found.unlabelled > 0 {
            text.push_str(&format!("  The class of {} images is not known.\n", number(found.unlabelled)));
        }
    }
    text
}

/// A figure for each part of the image: `.` never missing, `0` in less than a tenth of the images, `#` always.
fn map(found: &ImagesDescription) -> String {
    let factor = found.height.max(found.width).div_ceil(MAP);
    let (_, columns, cells) = found.coarse(found.height.div_ceil(factor), found.width.div_ceil(factor));
    let letter = |share: &f64| match (share * 10.0 + 1e-9) as u32 {
        0 if *share <= 0.0 => '.',
        tenth @ 0..10 => char::from_digit(tenth, 10).unwrap_or('#'),
        _ => '#',
    };
    let line = |row: &[f64]| {
        let letters: Vec<String> = row.iter().map(|share| letter(share).to_string()).collect();
        format!("  {}\n", letters.join(" "))
    };
    cells.chunks(columns).map(line).collect()
}
