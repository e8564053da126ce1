//! Ratings as sections of a page: what is known of them, and the audit of a model of them.

use crate::audit::{Level, RatingAudit};
use crate::error::Result;
use crate::missing::words::number;
use crate::missing::{Counts, RatingsDescription, UserGroup};
use crate::report::{Bars, Drift, DriftCurve, DriftPoint, Form, Grid, Section, Words};

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
    let mut counts = Grid::new(vec!["ratings", "fewest", "median", "mean", "most", "below five"]);
    for (name, of) in [("per user", found.per_user), ("per item", found.per_item)] {
        let Counts { least, median, mean, most, below_five } = of;
        let mean = format!("{mean:.1}");
        let (least, median, most) = (number(least), number(median), number(most));
        counts = counts.row(vec![name.to_owned(), least, median, mean, most, number(below_five)]);
    }
    let spread = Section::new("How they are spread")
        .table("How many ratings users gave and items got", counts)
        .table("Users by how many ratings they gave", groups(&found.groups));
    Ok(vec![known, spread])
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
    let seen = format!(
        "{} users with one of their items each; of their other ratings, all but a share are left out at random, {} \
         times for each share: the mean of the predicted ratings and where they lie.",
        number(audit.points),
        audit.settings.masks
    );
    let meaning = format!(
        "Ratings left out at random carry no information, so the mean should stay level; here the verdict is: {}.",
        audit.verdict.name()
    );
    let chart = Drift {
        words: Words::new("The predicted rating by how much is known of the user", seen, meaning),
        x: "share of the user's ratings that stay known".into(),
        x_form: Form::Percent,
        y: "predicted rating".into(),
        y_form: Form::Number,
        curves: vec![DriftCurve {
            name: "as audited".into(),
            points: audit.curve.iter().map(point).collect(),
        }],
    };
    let drift = Section::new("Do predicted ratings drift with how many ratings a user gave?")
        .list(&audit.summary)
        .chart(chart.draw()?)
        .table("The figures; all but the drift are of the median user", figures(audit));
    let data =
        Section::new("What the data say").table("Users by how many ratings they gave", groups(&audit.groups));
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
            "Change of a user's prediction from few to all ratings known, in standard deviations of the predictions.",
        ),
        (
            "share",
            figures.share,
            bounds.share,
            "Part of a user's changes that the number of known ratings explains.",
        ),
        (
            "range",
            figures.range,
            bounds.range,
            "Largest difference between a user's means, in standard deviations of the ratings.",
        ),
        (
            "spearman",
            figures.spearman,
            bounds.spearman,
            "1: a user's prediction rises with every known rating; -1: it falls.",
        ),
    ] {
        let interval = format!("{low:.2} to {high:.2}");
        grid = grid.row(vec![name.to_owned(), format!("{value:.2}"), interval, meaning.to_owned()]);
    }
    grid
}

fn groups(groups: &[UserGroup]) -> Grid {
    let mut grid = Grid::new(vec!["ratings of a user", "users", "mean rating"]);
    for group in groups {
        let range = format!("{} to {}", number(group.fewest), number(group.most));
        grid = grid.row(vec![range, number(group.users), format!("{:.2}", group.mean)]);
    }
    grid
}
