//! The audit as text for an 80-column terminal, the verdict first.

use unmiss::audit::{Audit, Contrast, Figures, Level};
use unmiss::data::Shape;

use crate::output::{WIDTH, column, cut, item, number, wrapped};

/// Lines of the chart, at most.
const CHART_LINES: usize = 11;
/// Columns of the chart.
const CHART_WIDTH: usize = 56;
/// Columns listed; the JSON file has all.
const LISTED: usize = 8;

/// The whole page.
pub fn page(audit: &Audit, title: &str) -> String {
    let Words { row, rows, cell } = words(audit.shape);
    let size = format!(
        "{title}: {} {rows}, {} shares of known {cell}s, {} masks each",
        number(audit.rows),
        audit.curve.len(),
        audit.settings.masks
    );
    let mut text = wrapped(&size, 0) + "\n\nWhat to know\n";
    audit.summary.iter().for_each(|sentence| text.push_str(&item(sentence)));
    if !audit.warnings.is_empty() {
        text.push_str("\nBe careful\n");
        audit.warnings.iter().for_each(|sentence| text.push_str(&item(sentence)));
    }
    text.push_str(&answer_chart(audit));
    text.push_str(&figures(&audit.figures, row, cell));
    text.push_str(&contrast(audit));
    text.push_str(&columns(audit));
    text.push_str(&holes(audit));
    text
}

/// What rows and cells of a shape are called.
struct Words {
    row: &'static str,
    rows: &'static str,
    cell: &'static str,
}

fn words(shape: Shape) -> Words {
    match shape {
        Shape::Table | Shape::Ratings => Words { row: "row", rows: "rows", cell: "cell" },
        Shape::Images => Words { row: "image", rows: "images", cell: "pixel" },
        Shape::Series => Words { row: "series", rows: "series", cell: "value" },
    }
}

/// What was missing when the model was learned, and what is missing here.
fn holes(audit: &Audit) -> String {
    let Some(holes) = &audit.holes else { return String::new() };
    let mut text = format!("\nIs missing what was missing in training?\n{}\n", wrapped(&holes.words(), 2));
    let changed: Vec<_> = holes.columns.iter().filter(|column| column.change() > 0.0).collect();
    if !changed.is_empty() {
        text.push_str(&format!("  {:28} {:>12} {:>12}\n", "missing", "in training", "here"));
    }
    for shift in changed.iter().take(LISTED) {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let (name, then, now) = (column(&shift.name, 28), percent(shift.before), percent(shift.now));
        text.push_str(&format!("  {name} {then:>12} {now:>12}\n"));
    }
    text
}

/// The curve under the audited answer's name.
fn answer_chart(audit: &Audit) -> String {
    let what = audit.class.as_ref().map_or("Answer".to_owned(), |class| format!("Chance of {class}"));
    let cell = words(audit.shape).cell;
    chart(&audit.curve, &format!("{what} by share of known {cell}s, others hidden at random"))
}

/// The curve from few to all cells known, one line per share: where the answers lie and their mean.
pub fn chart(curve: &[Level], heading: &str) -> String {
    let low = curve.iter().map(|level| level.low.min(level.mean)).fold(f64::INFINITY, f64::min);
    let high = curve.iter().map(|level| level.high.max(level.mean)).fold(f64::NEG_INFINITY, f64::max);
    let mut text = format!(
        "\n{}\n  (o mean, = middle half, - 90 % of the answers, from {} to {})\n    known       mean\n",
        cut(heading, WIDTH),
        digits(low),
        digits(high)
    );
    let lines = CHART_LINES.min(curve.len());
    for line in 0..lines {
        // The first and the last level are always shown.
        let level = &curve[line * (curve.len() - 1) / (lines - 1).max(1)];
        let share = format!("{:.0} %", 100.0 * level.share);
        text.push_str(&format!("  {share:>7} {:>10}  {}\n", digits(level.mean), strip(level, low, high)));
    }
    text
}

/// One level on a line: `  ---===o=====----  `.
fn strip(level: &Level, low: f64, high: f64) -> String {
    let width = (high - low).max(f64::MIN_POSITIVE);
    let place = |value: f64| {
        let share = ((value - low) / width).clamp(0.0, 1.0);
        (share * (CHART_WIDTH - 1) as f64).round() as usize
    };
    let mut line = vec![' '; CHART_WIDTH];
    line[place(level.low)..=place(level.high)].fill('-');
    line[place(level.lower_quartile)..=place(level.upper_quartile)].fill('=');
    line[place(level.mean)] = 'o';
    line.into_iter().collect::<String>().trim_end().to_owned()
}

type Row = (&'static str, fn(&Figures) -> (f64, [f64; 2]), &'static str);

const FIGURES: [Row; 5] = [
    ("drift", |f| (f.drift, f.intervals.drift), "of the mean answer, in sd of the answers"),
    ("slope", |f| (f.slope, f.intervals.slope), "of a row: few to all known, sd of answers"),
    ("share", |f| (f.share, f.intervals.share), "of a row's changes due to the number"),
    ("range", |f| (f.range, f.intervals.range), "of a row's means, in sd of the target"),
    ("spearman", |f| (f.spearman, f.intervals.spearman), "1 rises, -1 falls with every cell"),
];

/// The figures with their intervals.
pub fn figures(figures: &Figures, point: &str, cell: &str) -> String {
    let mut text = format!("\nFigures (95 % interval); all but the drift are of the median {point}\n");
    for (name, of, meaning) in FIGURES {
        let (value, [low, high]) = of(figures);
        let interval = format!("({low:.2} to {high:.2})");
        let meaning = meaning.replace("a row", &format!("a {point}")).replace("cell", cell);
        text.push_str(&cut(&format!("  {name:9}{value:>7.2} {interval:18} {meaning}"), WIDTH));
        text.push('\n');
    }
    text
}

/// The figures with Sparsity Normalization beside those without, and those of the audited model.
fn contrast(audit: &Audit) -> String {
    let Some(Contrast { with, without, .. }) = &audit.contrast else { return String::new() };
    let mut text = format!("\nWith Sparsity Normalization (`{}`)", with.changed);
    if let Some(zero) = without {
        text.push_str(&format!("\nand without, on the same scale (`{}`)", zero.changed));
    }
    let between = if without.is_some() { "  without" } else { "" };
    text.push_str(&format!("\n  {:9}{:>9}{between}{:>9}\n", "", "audited", "with"));
    for (name, of, _) in FIGURES {
        let cells =
            [&audit.figures].into_iter().chain(without.iter().chain([with]).map(|other| &other.figures));
        let cells: String = cells.map(|figures| format!("{:>9.2}", of(figures).0)).collect();
        text.push_str(&format!("  {name:9}{cells}\n"));
    }
    text
}

/// The columns whose loss moves the answer most.
fn columns(audit: &Audit) -> String {
    if audit.columns.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\nColumns the answer misses most (change when hidden, in sd of the answers)\n  {} {:>7} {:>10} {:>10} {:>14}\n",
        column("column", 32),
        words(audit.shape).rows,
        "mean",
        "mean size",
        "in training"
    );
    for effect in audit.columns.iter().take(LISTED) {
        let training = match effect.complete_in_training {
            Some(true) => "complete",
            Some(false) => "with holes",
            None => "",
        };
        let line = format!(
            "  {} {:>7} {:>+10.2} {:>10.2} {training:>14}",
            column(&effect.column, 32),
            number(effect.rows),
            effect.mean_change,
            effect.mean_absolute_change
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let more = audit.columns.len().saturating_sub(LISTED);
    if more > 0 {
        text.push_str(&format!("  and {} more\n", number(more)));
    }
    text
}

/// A number in at most ten columns.
fn digits(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && !(1e-3..1e6).contains(&size) => format!("{value:.2e}"),
        size if size >= 100.0 => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    }
}
