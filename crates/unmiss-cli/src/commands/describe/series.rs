//! What is known of series, as text and as a page.

use unmiss::data::series::{Clock, Series};
use unmiss::error::Result;
use unmiss::missing::{SeriesDescription, Spread, describe_series};
use unmiss::report::{Page, sections};

use super::Arguments;
use crate::commands::evaluate::file_name;
use crate::output::{bar, number, wrapped};
use crate::printer::Printer;

/// Describes and prints.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<()> {
    let options = (arguments.input.options()?, arguments.target.as_deref());
    let series = arguments.series.read(&arguments.data, &arguments.ratings, options, None, printer)?.series;
    if let Some(target) = &arguments.target {
        series.column(target)?;
    }
    let found = describe_series(&series);
    let file = file_name(&arguments.data);
    if let Some(path) = &arguments.html {
        Page::new(format!("Holes in the series of {file}"))
            .summary(size(&found))
            .summary(over_time(&found, series.clock))
            .sections(sections::series(&series, &found)?)
            .write(path)?;
    }
    arguments.json.tell(&found, &page(&series, &found, &file))
}

fn size(found: &SeriesDescription) -> String {
    let empty = match found.empty {
        0 => String::new(),
        count => format!(" Of {} series nothing is known.", number(count)),
    };
    format!(
        "{} series with {} steps and {}: {} known values, {:.1} % of the values at steps are missing.{empty}",
        number(found.series),
        number(found.steps),
        match found.variables.len() {
            1 => "1 variable".to_owned(),
            count => format!("{count} variables"),
        },
        number(found.known),
        100.0 * found.missing
    )
}

fn over_time(found: &SeriesDescription, clock: Clock) -> String {
    let middle = |spread: &Option<Spread>, words: &dyn Fn(f64) -> String| match spread {
        Some(own) => format!("{} (from {} to {})", words(own.median), words(own.least), words(own.most)),
        None => "nothing".into(),
    };
    let between = match &found.gaps {
        Some(_) => format!("between two steps lies {}", middle(&found.gaps, &|value| clock.words(value))),
        None => "no series has two steps".into(),
    };
    let (count, time) = (|value: f64| number(value as usize), |value: f64| clock.words(value));
    format!(
        "Half of the series have at most {} steps over {}, and {between}. A series has {} known values.",
        middle(&found.lengths, &count),
        middle(&found.spans, &time),
        middle(&found.values_per_series, &count)
    )
}

fn page(series: &Series, found: &SeriesDescription, file: &str) -> String {
    let clock = series.clock;
    let mut text =
        format!("{file}\n\n{}\n{}\n\n", wrapped(&size(found), 0), wrapped(&over_time(found, clock), 0));
    let widest = found.variables.iter().map(|own| own.name.chars().count()).max().unwrap_or(8).clamp(8, 20);
    text.push_str(&format!(
        "  {:widest$} {:>9} {:>8}  {:12} {:>9} {:>11}\n",
        "variable", "known", "of steps", "", "series", "gap, median"
    ));
    for own in &found.variables {
        let name: String = own.name.chars().take(widest).collect();
        let gap = own.gaps.map_or_else(String::new, |gaps| clock.words(gaps.median));
        text.push_str(&format!(
            "  {name:widest$} {:>9} {:>6.1} %  {:12} {:>9} {gap:>11}\n",
            number(own.known),
            100.0 * own.share,
            bar(own.share, 12),
            number(found.series - own.series_without)
        ));
    }
    text.push_str("\nKnown values over time:\n\n");
    let most = found.known_by_time.iter().copied().max().unwrap_or(1).max(1);
    for (end, known) in found.parts.iter().zip(&found.known_by_time) {
        let share = *known as f64 / most as f64;
        text.push_str(&format!(
            "  up to {:>9} {:>9}  {}\n",
            clock.words(*end),
            number(*known),
            bar(share, 24)
        ));
    }
    if !found.statics.is_empty() {
        text.push_str("\nWhat does not change over time:\n\n");
        for own in &found.statics {
            let missing = 100.0 * own.missing as f64 / found.series.max(1) as f64;
            text.push_str(&format!("  {:20} {:10} {missing:>5.1} % missing\n", own.name, own.kind));
        }
    }
    text
}
