//! What is known of ratings, as text and as a page.

use unmiss::error::Result;
use unmiss::missing::{CountGroup, Counts, RatingsDescription, describe_ratings};
use unmiss::report::{Page, sections};

use super::Arguments;
use crate::commands::evaluate::file_name;
use crate::output::{bar, number, wrapped};
use crate::printer::Printer;

/// Describes and prints.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<()> {
    let ratings = arguments.ratings.read(&arguments.data, &arguments.input, printer)?;
    let found = describe_ratings(&ratings);
    let file = file_name(&arguments.data);
    if let Some(path) = &arguments.html {
        Page::new(format!("Ratings in {file}"))
            .summary(size(&found))
            .sections(sections::ratings(&found)?)
            .write(path)?;
    }
    arguments.json.tell(&found, &page(&found, &file))
}

fn size(found: &RatingsDescription) -> String {
    format!(
        "{} ratings by {} users of {} items: {:.2} % of the pairs are known, {:.2} % are missing.",
        number(found.ratings),
        number(found.users),
        number(found.items),
        100.0 * found.density,
        100.0 * (1.0 - found.density)
    )
}

fn page(found: &RatingsDescription, file: &str) -> String {
    let (low, high) = found.range;
    let mut text = format!("{file}\n\n{}\n", wrapped(&size(found), 0));
    text.push_str(&format!("\nRatings from {low} to {high}, mean {:.2}\n", found.mean));
    for (value, count) in &found.values {
        let share = *count as f64 / found.ratings.max(1) as f64;
        text.push_str(&format!(
            "  {value:>6} {:>9} {:>6.1} %  {}\n",
            number(*count),
            100.0 * share,
            bar(share, 30)
        ));
    }
    text.push_str("\nHow many ratings\n");
    text.push_str(&format!(
        "  {:10} {:>9} {:>9} {:>9} {:>9} {:>12} {:>10}\n",
        "", "fewest", "median", "mean", "most", "below five", "sd / mean"
    ));
    for (name, counts) in [("per user", found.per_user), ("per item", found.per_item)] {
        let Counts { least, median, mean, most, below_five, variation } = counts;
        text.push_str(&format!(
            "  {name:10} {:>9} {:>9} {mean:>9.1} {:>9} {:>12} {variation:>10.2}\n",
            number(least),
            number(median),
            number(most),
            number(below_five)
        ));
    }
    text.push_str("\nUsers by how many ratings they gave\n");
    text + &by_count("users", &found.groups)
}

/// A line for each group of users or items with about as many ratings.
pub fn by_count(names: &str, groups: &[CountGroup]) -> String {
    let line = |group: &CountGroup| {
        let range = format!("{} to {}", number(group.fewest), number(group.most));
        format!("  {range:>16} ratings: {:>7} {names}, mean {:.2}\n", number(group.count), group.mean)
    };
    groups.iter().map(line).collect()
}
