//! Ratings as sections of a page: what is known of them, and the audit of a model of them.

use crate::audit::{Level, RatingAudit};
use crate::error::Result;
use crate::methods::Vectors;
use crate::missing::words::number;
use crate::missing::{CountBin, CountGroup, Counts, RatingsDescription};
use crate::report::{Bars, Chart, Drift, DriftCurve, DriftPoint, Form, Grid, Section, Words};

/// What is known of ratings.
///
/// # Errors
/// When a chart can't be drawn.
pub fn ratings(found: &RatingsDescription) -> Result<Vec<Section>> {
    let mut known = Section::new("What is known");
    if !found.values.is_empty() {
        let (low, high) = found.range;
        let seen = format!("{} ratings from {low} to {high}, mean {:.2}.", number(found.ratings), found.mean);
        let bars = found.values.iter().map(|(value, count)| (value.to_string(), *count as f64)).collect();
        let words = Words::new("How often each rating was given", seen, String::new());
        let (names, values) = ("rating".into(), "how often".into());
        known = known.chart(Bars { words, names, values, bars }.draw()?);
    }
    let mut counts =
        Grid::new(vec!["ratings", "fewest", "median", "mean", "most", "below five", "sd / mean"]);
    for (name, of) in [("per user", found.per_user), ("per item", found.per_item)] {
        let Counts { least, median, mean, most, below_five, variation } = of;
        let (mean, variation) = (format!("{mean:.1}"), format!("{variation:.2}"));
        let (least, median, most) = (number(least), number(median), number(most));
        counts = counts.row(vec![name.to_owned(), least, median, mean, most, number(below_five), variation]);
    }
    let spread = Section::new("How they are spread")
        .chart(histogram("users", "gave", &found.user_bins)?)
        .chart(histogram("items", "got", &found.item_bins)?)
        .table("How many ratings users gave and items got", counts)
        .table("Users by how many ratings they gave", groups("user", &found.groups));
    Ok(vec![known, spread])
}

/// Users or items by how many ratings they have.
fn histogram(rows: &str, verb: &str, bins: &[CountBin]) -> Result<Chart> {
    let seen = format!(
        "How many {rows} {verb} so many ratings; each bar takes in twice as many numbers as the one before."
    );
    let meaning = "A network that takes a row's known ratings as they are gets larger sums for the rows to the right; \
                   the audit of a model says whether its answers drift with that.";
    Bars {
        words: Words::new(format!("How many ratings {rows} {verb}"), seen, meaning),
        names: "ratings".into(),
        values: rows.into(),
        bars: bins.iter().map(|bin| (bin.name(), bin.count as f64)).collect(),
    }
    .draw()
}

/// Whether predicted ratings drift with how many ratings a user gave.
///
/// # Errors
/// When the chart can't be drawn.
pub fn rating_audit(audit: &RatingAudit) -> Result<Vec<Section>> {
    let point = |level: &Level| DriftPoint {
        x: level.share,
        mean: level.mean,
        quantiles: [level.low, level.lower_quartile, level.median, level.upper_quartile, level.high],
    };
    let name = audit.row_name();
    let seen = format!(
        "{} pairs of a user and an item that the model did not learn from; of the {name}'s ratings, all but a share \
         are left out at random, {} times for each share: the mean of the predicted ratings and where they lie.",
        number(audit.points),
        audit.settings.masks
    );
    let meaning = format!(
        "Ratings left out at random carry no information, so the mean should stay level; here the verdict is: {}.",
        audit.verdict.name()
    );
    let chart = Drift {
        words: Words::new(format!("The predicted rating by how much is known of the {name}"), seen, meaning),
        x: format!("share of the {name}'s ratings that stay known"),
        x_form: Form::Percent,
        y: "predicted rating".into(),
        y_form: Form::Number,
        curves: vec![DriftCurve {
            name: "as audited".into(),
            points: audit.curve.iter().map(point).collect(),
        }],
    };
    let drift =
        Section::new(format!("Do predicted ratings drift with how many ratings of the {name} are known?"))
            .list(&audit.summary)
            .chart(chart.draw()?)
            .table("The figures; all but the drift are of the median pair", figures(audit));
    let title = match audit.vectors {
        Vectors::User => "Users by how many ratings they gave",
        Vectors::Item => "Items by how many ratings they got",
    };
    let data = Section::new("What the data say").table(title, groups(name, &audit.groups));
    Ok(vec![drift, data])
}

fn figures(audit: &RatingAudit) -> Grid {
    let figures = &audit.figures;
    let bounds = &figures.intervals;
    let mut grid = Grid::new(vec!["figure", "value", "95 % interval", "what it is"]);
    for (name, value, [low, high], meaning) in [
        (
            "drift",
            figures.drift,
            bounds.drift,
            "Largest move of the mean prediction, in standard deviations of the predictions.",
        ),
        (
            "slope",
            figures.slope,
            bounds.slope,
            "Change of a prediction from few to all ratings known, in standard deviations of the predictions.",
        ),
        (
            "share",
            figures.share,
            bounds.share,
            "Part of a prediction's changes that the number of known ratings explains.",
        ),
        (
            "range",
            figures.range,
            bounds.range,
            "Largest difference between a prediction's means, in standard deviations of the ratings.",
        ),
        (
            "spearman",
            figures.spearman,
            bounds.spearman,
            "1: a prediction rises with every known rating; -1: it falls.",
        ),
    ] {
        let interval = format!("{low:.2} to {high:.2}");
        grid = grid.row(vec![name.to_owned(), format!("{value:.2}"), interval, meaning.to_owned()]);
    }
    grid
}

fn groups(name: &str, groups: &[CountGroup]) -> Grid {
    let mut grid =
        Grid::new(vec![format!("ratings of one {name}"), format!("{name}s"), "mean rating".into()]);
    for group in groups {
        let range = format!("{} to {}", number(group.fewest), number(group.most));
        grid = grid.row(vec![range, number(group.count), format!("{:.2}", group.mean)]);
    }
    grid
}
