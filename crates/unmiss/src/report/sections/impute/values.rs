//! Known beside filled values of a column: shares over steps of its range, or of its levels.

use crate::data::table::format_number;
use crate::data::{Column, Kind, Values};
use crate::error::Result;
use crate::missing::words::number;
use crate::report::{Chart, Form, Line, LinePoint, Lines, Marks, Ranked, Ranking, Words};

/// Steps of a column's range.
const STEPS: usize = 16;
/// Filled cells below which there is no line of them: a few values are no density.
const FEWEST_DRAWN: usize = 20;
/// Levels of a category that are drawn, the most frequent ones.
const MOST_LEVELS: usize = 12;
/// Part of the values beyond each end of the axis, collected in its last step: outliers would crush the rest.
const BEYOND: f64 = 0.01;

/// Which step or level each value falls into, and what these are called.
struct Steps {
    names: Vec<(f64, String)>,
    low: f64,
    width: f64,
}

/// The chart of a column: `after` are its fillings, one or a draw each.
pub fn values(before: &Column, after: &[&Column]) -> Result<Chart> {
    let is_number = matches!(before.kind, Kind::Real | Kind::Integer);
    if !is_number {
        return levels(before, after);
    }
    let few = rows(before, false).len() < FEWEST_DRAWN;
    let steps = if is_number { Steps::of_numbers(before, after) } else { Steps::of_levels(before) };
    let known: Vec<usize> = rows(before, true).iter().filter_map(|&row| steps.place(before, row)).collect();
    let filled: Vec<Vec<usize>> = after
        .iter()
        .map(|own| rows(before, false).iter().filter_map(|&row| steps.place(own, row)).collect())
        .collect();
    let mut lines = vec![steps.line("known", &[known])];
    if !few {
        lines.push(steps.line(if after.len() > 1 { "drawn" } else { "filled" }, &filled));
    }
    let holes = rows(before, false).len();
    let seen = format!(
        "{} known and {} {} values of `{}`{}.",
        number(rows(before, true).len()),
        number(holes),
        if after.len() > 1 { "drawn" } else { "filled" },
        before.name,
        if after.len() > 1 {
            format!("; the band goes from the lowest to the highest of {} draws", after.len())
        } else {
            String::new()
        }
    );
    let title = format!("Values of `{}`", before.name);
    Lines {
        words: Words::new(
            title,
            seen,
            if few { named(before, after) } else { meaning(before, after, is_number).into() },
        ),
        x: before.name.clone(),
        y: "share of the values".into(),
        form: Form::Percent,
        whole: !is_number,
        lines,
    }
    .draw()
}

/// What was filled in, where that is too little to be drawn as a line.
fn named(before: &Column, after: &[&Column]) -> String {
    let cells = after.iter().flat_map(|own| rows(before, false).into_iter().filter_map(|row| own.cell(row)));
    let mut values: Vec<f64> = cells.filter_map(|cell| cell.parse().ok()).collect();
    values.sort_unstable_by(f64::total_cmp);
    let (Some(low), Some(high)) = (values.first(), values.last()) else {
        return "Nothing was filled.".into();
    };
    if after.len() > 1 || values.len() > 6 {
        let (low, high) = (format_number(*low), format_number(*high));
        return format!("What was filled is too little for a line of its own: values from {low} to {high}.");
    }
    let values: Vec<String> = values.into_iter().map(format_number).collect();
    format!("What was filled is too little for a line of its own: {}.", values.join(", "))
}

/// The chart of a column of words: the share of each level among known and among filled cells.
fn levels(before: &Column, after: &[&Column]) -> Result<Chart> {
    let steps = Steps::of_levels(before);
    let places = |own: &Column, known: bool| -> Vec<usize> {
        rows(before, known).iter().filter_map(|&row| steps.place(own, row)).collect()
    };
    let known = steps.line("known", &[places(before, true)]);
    let filled = steps.line("filled", &after.iter().map(|own| places(own, false)).collect::<Vec<_>>());
    let several = after.len() > 1;
    let pairs = known.points.into_iter().zip(filled.points).flat_map(|(known, filled)| {
        let interval = several.then_some(filled.interval);
        [
            Ranked { name: known.name.clone(), value: known.value, interval: None },
            Ranked { name: if several { "drawn" } else { "filled" }.into(), value: filled.value, interval },
        ]
    });
    let seen = format!(
        "Share of each word among {} known and {} {} cells{}.",
        number(rows(before, true).len()),
        number(rows(before, false).len()),
        if several { "drawn" } else { "filled" },
        if several {
            format!("; the line goes from the lowest to the highest of {} draws", after.len())
        } else {
            String::new()
        }
    );
    Ranking {
        words: Words::new(format!("Values of `{}`", before.name), seen, meaning(before, after, false)),
        names: before.name.clone(),
        values: "share of the cells".into(),
        form: Form::Percent,
        marks: Marks::Pairs,
        rows: pairs.collect(),
    }
    .draw()
}

/// What the two lines say, by what they are.
fn meaning(before: &Column, after: &[&Column], is_number: bool) -> &'static str {
    if after.len() > 1 {
        return "Where the lines part, what is missing is likely to differ from what is known, by all that the other columns \
                tell.";
    }
    let spread = |column: &Column, known: bool| {
        let values = column.numbers().unwrap_or_default();
        let own: Vec<f64> = rows(before, known).iter().map(|&row| values[row]).collect();
        let mean = own.iter().sum::<f64>() / own.len().max(1) as f64;
        own.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / own.len().max(1) as f64
    };
    match is_number && after.first().is_some_and(|own| spread(own, false) < 0.9 * spread(before, true)) {
        true => "Best guesses gather nearer to the middle than what they stand for.",
        false => "Cells may be missing for a reason: filled values need not be spread like known ones.",
    }
}

fn rows(before: &Column, known: bool) -> Vec<usize> {
    (0..before.rows()).filter(|&row| before.observed[row] == known).collect()
}

impl Steps {
    fn of_numbers(before: &Column, after: &[&Column]) -> Self {
        let known = before.numbers().unwrap_or_default();
        let mut all: Vec<f64> = rows(before, true).iter().map(|&row| known[row]).collect();
        for own in after {
            let values = own.numbers().unwrap_or_default();
            all.extend(rows(before, false).iter().filter(|row| own.observed[**row]).map(|&row| values[row]));
        }
        all.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| {
            all.get((share * all.len().saturating_sub(1) as f64) as usize).copied().unwrap_or(0.0)
        };
        let (low, high) = (at(BEYOND), at(1.0 - BEYOND));
        let width = if high > low { (high - low) / STEPS as f64 } else { 1.0 };
        let name = |step: usize| {
            let x = low + (step as f64 + 0.5) * width;
            (x, format!("{x:.4}"))
        };
        Self { names: (0..STEPS).map(name).collect(), low, width }
    }

    fn of_levels(before: &Column) -> Self {
        let mut counts = std::collections::BTreeMap::<String, usize>::new();
        for row in rows(before, true) {
            *counts.entry(before.cell(row).unwrap_or_default()).or_default() += 1;
        }
        let mut levels: Vec<(String, usize)> = counts.into_iter().collect();
        levels.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let names = levels.into_iter().take(MOST_LEVELS).enumerate();
        Self {
            names: names.map(|(place, (level, _))| (place as f64 + 1.0, level)).collect(),
            low: 0.0,
            width: 0.0,
        }
    }

    fn place(&self, column: &Column, row: usize) -> Option<usize> {
        if !column.observed[row] {
            return None;
        }
        match &column.values {
            Values::Numbers(values) => Some(
                (((values[row] - self.low) / self.width).max(0.0) as usize).min(self.names.len().max(1) - 1),
            ),
            _ => {
                let cell = column.cell(row)?;
                self.names.iter().position(|(_, name)| *name == cell)
            }
        }
    }

    /// The share of each step: its mean over fillings, with the lowest and the highest.
    fn line(&self, name: &str, fillings: &[Vec<usize>]) -> Line {
        let share = |places: &Vec<usize>, step: usize| {
            places.iter().filter(|place| **place == step).count() as f64 / places.len().max(1) as f64
        };
        let point = |step: usize| {
            let shares: Vec<f64> = fillings.iter().map(|places| share(places, step)).collect();
            let (x, name) = self.names[step].clone();
            LinePoint {
                x,
                name,
                value: shares.iter().sum::<f64>() / shares.len().max(1) as f64,
                interval: (
                    shares.iter().copied().fold(f64::INFINITY, f64::min),
                    shares.iter().copied().fold(0.0, f64::max),
                ),
                rows: fillings
                    .first()
                    .map_or(0, |places| places.iter().filter(|place| **place == step).count()),
            }
        };
        Line { name: name.to_owned(), points: (0..self.names.len()).map(point).collect(), reference: None }
    }
}
