//! The audit of a model of ratings as a section of a page.

use crate::audit::{Level, RatingAudit};
use crate::error::Result;
use crate::missing::words::number;
use crate::report::{Drift, DriftCurve, DriftPoint, Form, Grid, Section, Words};

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
    let data = Section::new("What the data say").table("Users by how many ratings they gave", groups(audit));
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

fn groups(audit: &RatingAudit) -> Grid {
    let mut grid = Grid::new(vec!["ratings of a user", "users", "mean rating"]);
    for group in &audit.groups {
        let range = format!("{} to {}", number(group.fewest), number(group.most));
        grid = grid.row(vec![range, number(group.users), format!("{:.2}", group.mean)]);
    }
    grid
}
