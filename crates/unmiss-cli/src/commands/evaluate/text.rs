//! How right a model is, as text for an 80-column terminal.

use unmiss::compare::{Coverage, Evaluation, Figure};
use unmiss::encode::Task;
use unmiss::metrics::Metric;

use crate::output::{column, item, number, short, wrapped};

/// Classes up to which a table of them can be read in a terminal.
const MOST_CLASSES: usize = 6;
/// Groups of rows by their chance that are listed.
const NAME: usize = 18;

/// Everything that fits.
pub fn page(found: &Evaluation, title: &str) -> String {
    let mut text = wrapped(&format!("{title}: {}", counted(found)), 0) + "\n\n";
    text.push_str(&figures(found));
    text.push_str(&confusion(found));
    text.push_str(&calibration(found));
    text.push_str(&coverage(found));
    let warnings = found.warnings();
    if !warnings.is_empty() {
        text.push_str("\nBe careful\n");
        warnings.iter().for_each(|sentence| text.push_str(&item(sentence)));
    }
    text
}

/// The figure that is asked for first, in a sentence.
pub fn headline(found: &Evaluation) -> String {
    let of = |metric: Metric| {
        let own = found.figures.iter().find(|own| own.metric == metric);
        own.map_or("-".to_owned(), |own| match own.interval {
            Some((low, high)) => format!("{} ({} to {})", written(own.value), short(low), short(high)),
            None => written(own.value),
        })
    };
    match found.task {
        Task::Regression => format!(
            "Predictions of `{}` are off by {} on average (root mean square {}); they account for {:.1} % of how much it \
             differs between {}.",
            found.target,
            of(Metric::Mae),
            of(Metric::Rmse),
            100.0 * found.value(Metric::R2),
            counted(found)
        ),
        Task::Classification { .. } => format!(
            "AUROC {}, log-loss {}; the class of {:.1} % of {} is told.",
            of(Metric::Auroc),
            of(Metric::LogLoss),
            100.0 * found.value(Metric::Accuracy),
            counted(found)
        ),
    }
}

fn counted(found: &Evaluation) -> String {
    let mut words = format!("{} {} whose `{}` is known", number(found.rows), found.things(), found.target);
    if let Some(groups) = found.groups {
        words.push_str(&format!(", in {} groups", number(groups)));
    }
    if found.without_truth > 0 {
        words.push_str(&format!(" ({} without it left out)", number(found.without_truth)));
    }
    words
}

/// A value with four digits, or a dash where there is none.
fn written(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), short)
}

/// Every figure with its interval.
pub fn figures(found: &Evaluation) -> String {
    let mut text = format!("  {} {:>10}   {}\n", column("", NAME), "", "95 % interval");
    for Figure { metric, value, interval } in &found.figures {
        let ends =
            interval.map_or_else(String::new, |(low, high)| format!("{} to {}", short(low), short(high)));
        let line = format!("  {} {:>10}   {ends}", column(metric.title(), NAME), written(*value));
        text.push_str(&(line.trim_end().to_owned() + "\n"));
    }
    if let Some(deviation) = found.deviation {
        let per = found.value(Metric::Rmse) / deviation;
        text.push_str(&format!("  {} {:>10}\n", column("RMSE / sd", NAME), short(per)));
    }
    if let [_, event] = found.classes.as_slice() {
        text.push_str(&(item(&format!("Figures of one class are about `{event}` (fit --event).")) + "\n"));
    }
    text
}

fn confusion(found: &Evaluation) -> String {
    if found.confusion.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n");
    if let (Some(second), 2) = (found.classes.get(1), found.classes.len()) {
        let from = found.threshold.map_or_else(
            || "where it is more probable than not".to_owned(),
            |threshold| format!("from a chance of {} on", short(threshold)),
        );
        text.push_str(&(wrapped(&format!("`{second}` is said {from}:"), 0) + "\n"));
    }
    if found.classes.len() > MOST_CLASSES {
        return text + "Which class is taken for which is on the page (--html) and in --json.\n";
    }
    text.push_str(&format!("\n  {}", column("true \\ said", NAME)));
    found.classes.iter().for_each(|class| text.push_str(&format!(" {:>8}", column(class, 8).trim_end())));
    text.push('\n');
    for (class, counts) in found.classes.iter().zip(&found.confusion) {
        text.push_str(&format!("  {}", column(class, NAME)));
        counts.iter().for_each(|count| text.push_str(&format!(" {:>8}", number(*count))));
        text.push('\n');
    }
    text
}

fn calibration(found: &Evaluation) -> String {
    let Some(line) = found.calibration_line else { return String::new() };
    let what = match found.task {
        Task::Regression => "The truth as a line of what was predicted",
        Task::Classification { .. } => "Log odds of the truth as a line of those predicted",
    };
    let words = format!(
        "{what}: intercept {}, slope {}. 0 and 1 are right; a slope below 1 is too bold, above 1 too modest.",
        short(line.intercept),
        short(line.slope)
    );
    format!("\nCalibration\n{}\n", wrapped(&words, 2))
}

fn coverage(found: &Evaluation) -> String {
    if found.coverage.is_empty() {
        return String::new();
    }
    let (what, size) = match found.task {
        Task::Regression => ("Intervals", "mean width"),
        Task::Classification { .. } => ("Sets of classes", "mean size"),
    };
    let mut text =
        format!("\n{what}\n\n  {:>8} {:>8} {:>18} {size:>12}\n", "promise", "hold", "95 % interval");
    for Coverage { level, held, interval: (low, high), size } in &found.coverage {
        let ends = format!("{:.1} to {:.1} %", 100.0 * low, 100.0 * high);
        let (level, held) = (format!("{:.0} %", 100.0 * level), format!("{:.1} %", 100.0 * held));
        text.push_str(&format!("  {level:>8} {held:>8} {ends:>18} {:>12}\n", short(*size)));
    }
    text
}
