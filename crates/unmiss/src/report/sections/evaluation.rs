//! How right a model is, as sections of a page: figures, curves, calibration, what intervals keep.

use super::fit::calibration;
use crate::compare::{Coverage, Evaluation, Figure};
use crate::encode::Task;
use crate::error::Result;
use crate::metrics::Metric;
use crate::missing::words::{count, number};
use crate::report::text::figure;
use crate::report::{Chart, Confusion, Grid, Roc, RocCurve, Section, Truth, Words};

/// Classes of which a curve is shown, at most.
const MOST_CURVES: usize = 4;
/// Classes up to which a table of them can be read.
const MOST_CLASSES: usize = 40;

/// How right a model is on rows whose truth is known.
///
/// # Errors
/// When a chart can't be drawn.
pub fn evaluation(found: &Evaluation) -> Result<Vec<Section>> {
    let about = match found.classes.as_slice() {
        [_, event] => format!("; those of one class are about `{event}`"),
        _ => String::new(),
    };
    let first = Section::new("All figures")
        .table(format!("Figures with their 95 % intervals (rows drawn anew{about})"), figures(found))
        .careful(&found.warnings());
    let mut sections = vec![first, charts(found, Section::new("What is right and what is not"))?];
    if !found.coverage.is_empty() {
        sections.push(kept(found));
    }
    Ok(sections)
}

/// The charts of an evaluation, added to a section.
pub(super) fn charts(found: &Evaluation, mut section: Section) -> Result<Section> {
    match found.task {
        Task::Regression => Ok(section.chart(truth(found)?)),
        Task::Classification { classes } => {
            section = section.chart(roc(found)?);
            if classes <= MOST_CLASSES {
                section = section.chart(confusion(found)?);
            }
            let classes: Vec<u32> = found.truth.iter().map(|class| *class as u32).collect();
            Ok(section.chart(calibration(&found.classes, &classes, &found.answers)?))
        }
    }
}

/// Every figure with its interval.
pub(super) fn figures(found: &Evaluation) -> Grid {
    let mut grid = Grid::new(["figure", "value", "from", "to"]);
    for Figure { metric, value, interval } in &found.figures {
        let written = |value: Option<f64>| value.map_or("–".to_owned(), figure);
        grid = grid.row([
            metric.title().to_owned(),
            written(*value),
            written(interval.map(|(low, _)| low)),
            written(interval.map(|(_, high)| high)),
        ]);
    }
    if let Some(deviation) = found.deviation {
        let per = figure(found.value(Metric::Rmse) / deviation);
        grid = grid.row(["RMSE / sd of the target", per.as_str(), "–", "–"]);
    }
    grid
}

fn truth(found: &Evaluation) -> Result<Chart> {
    let mut points: Vec<(f64, f64)> =
        found.truth.iter().copied().zip(found.answers.iter().copied()).collect();
    let all = points.len();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let seen = format!(
        "A dot is a row{}; on the line, predictions are right.",
        if all > 1000 { format!(" (1,000 of {})", number(all)) } else { String::new() }
    );
    let r2 = found.value(Metric::R2);
    let meaning = match r2 > 0.0 {
        true => format!(
            "Predictions are off by {} on average and account for {:.1} % of how much `{}` differs between rows.",
            figure(found.value(Metric::Mae)),
            100.0 * r2,
            found.target
        ),
        false => format!("Predictions are no better than the mean of `{}` for every row.", found.target),
    };
    Truth { words: Words::new("Predicted and true", seen, meaning), target: found.target.clone(), points }
        .draw()
}

fn roc(found: &Evaluation) -> Result<Chart> {
    let classes = found.classes.len();
    let rows_of = |class: usize| found.truth.iter().filter(|own| **own as usize == class).count();
    let mut shown: Vec<usize> = if classes == 2 { vec![1] } else { (0..classes).collect() };
    shown.sort_by_key(|&class| std::cmp::Reverse(rows_of(class)));
    shown.truncate(MOST_CURVES);
    let curve = |&class: &usize| {
        let chances: Vec<f64> = found.answers.iter().skip(class).step_by(classes).copied().collect();
        let is_class: Vec<bool> = found.truth.iter().map(|own| *own as usize == class).collect();
        let at = (classes == 2).then(|| found.threshold.unwrap_or(0.5));
        RocCurve::of(found.classes[class].clone(), &chances, &is_class, at)
    };
    let seen = match classes {
        2 => format!(
            "From the row with the highest chance of `{}` down: how many of them are found, and how many others are \
             taken for one. The dot is where it is said in fact.",
            found.classes[1]
        ),
        _ => "From the row with the highest chance of a class down: how many of its rows are found, and how many others \
              are taken for one; the most frequent classes."
            .to_owned(),
    };
    let meaning = format!(
        "The area is {}: 0.5 is guessing, 1 would put every row of a class above all others.",
        figure(found.value(Metric::Auroc))
    );
    Roc { words: Words::new("ROC curve", seen, meaning), curves: shown.iter().map(curve).collect() }.draw()
}

fn confusion(found: &Evaluation) -> Result<Chart> {
    let counts: Vec<usize> = found.confusion.concat();
    let right: usize = (0..found.classes.len()).map(|class| found.confusion[class][class]).sum();
    let seen = "How many rows of each class were said to be of which; the ink is stronger the larger their share of the \
                true class.";
    let mut meaning = format!("{} of {} are right.", number(right), count(found.rows, "row"));
    if let (Some(second), Some(threshold)) =
        (found.classes.get(1).filter(|_| found.classes.len() == 2), found.threshold)
    {
        meaning.push_str(&format!(" `{second}` is said from a chance of {} on.", figure(threshold)));
    }
    let words = Words::new("Which class is taken for which", seen, meaning);
    Confusion { words, classes: found.classes.clone(), counts }.draw()
}

/// What intervals or sets promise and keep.
fn kept(found: &Evaluation) -> Section {
    let (title, size) = match found.task {
        Task::Regression => ("What intervals keep", "mean width"),
        Task::Classification { .. } => ("What sets of classes keep", "mean size"),
    };
    let mut grid = Grid::new(["promise", "hold", "from", "to", size]);
    let share = |value: f64| format!("{:.1} %", 100.0 * value);
    for Coverage { level, held, interval, size } in &found.coverage {
        grid = grid.row([share(*level), share(*held), share(interval.0), share(interval.1), figure(*size)]);
    }
    Section::new(title)
        .text("The share of rows that should lie within, and the share that does, with its 95 % interval.")
        .table("By level", grid)
}
