//! The report of a bench as text: tables with aligned columns, then a verdict on every claim.

use unmiss::bench::{Cell, Figure, Report, Section, Verdict};

use crate::output::{width, wrapped};

/// The whole report.
pub fn page(report: &Report) -> String {
    let mut text = format!("{}: {}\n", report.name, report.title);
    text.push_str(&format!("{}\n\n", wrapped(report.paper, 2)));
    for words in &report.settings {
        text.push_str(&format!("{}\n", wrapped(words, 0)));
    }
    let (first, last) = (report.seed, report.seed + report.seeds as u64 - 1);
    let repeated = |cell: &Cell| matches!(cell, Cell::Figure(figure) if !figure.values.is_empty());
    let cells = |section: &Section| section.rows.iter().any(|row| row.cells.iter().any(repeated));
    let intervals =
        if report.sections.iter().any(cells) { "; ± is half a 95 % interval over seeds" } else { "" };
    text.push_str(&format!("Seeds {first} to {last}{intervals}.\n"));
    if !report.complete {
        text.push_str("\nSTOPPED EARLY: the figures are of what was done until then.\n");
    }
    for section in &report.sections {
        text.push_str(&format!("\n{}", table(section)));
    }
    text + &claims(report)
}

fn table(section: &Section) -> String {
    let mut lines: Vec<Vec<String>> =
        vec![std::iter::once(String::new()).chain(section.columns.iter().cloned()).collect()];
    for row in &section.rows {
        let cells = row.cells.iter().map(|cell| written(cell, section.digits));
        lines.push(std::iter::once(row.name.clone()).chain(cells).collect());
    }
    let widths: Vec<usize> = (0..=section.columns.len())
        .map(|column| lines.iter().map(|line| width(&line[column])).max().unwrap_or(0))
        .collect();
    let mut text = format!("{}\n", section.title);
    for line in &lines {
        // The names to the left, figures to the right.
        let name = format!("  {}{}", line[0], " ".repeat(widths[0] - width(&line[0])));
        let cells = line[1..].iter().zip(&widths[1..]);
        let cells: String =
            cells.map(|(cell, full)| format!("{}{cell}", " ".repeat(2 + full - width(cell)))).collect();
        text.push_str(&format!("{}\n", (name + &cells).trim_end()));
    }
    text
}

fn written(cell: &Cell, digits: usize) -> String {
    match cell {
        Cell::Figure(Figure { mean, half_width: Some(half), .. }) => {
            format!("{}±{}", number(*mean, digits), number(*half, digits))
        }
        Cell::Figure(figure) => number(figure.mean, digits),
        Cell::Words(words) => words.clone(),
        Cell::Empty => "-".into(),
    }
}

/// Without the zero before the point, as published tables have it.
fn number(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix("0.").map(|rest| format!(".{rest}")) {
        Some(short) => short,
        None => text.strip_prefix("-0.").map_or(text.clone(), |rest| format!("-.{rest}")),
    }
}

fn claims(report: &Report) -> String {
    let mut text = String::new();
    for verdict in [Verdict::Holds, Verdict::DoesNotHold, Verdict::NotShown] {
        let claims: Vec<_> = report.claims.iter().filter(|claim| claim.verdict == verdict).collect();
        if claims.is_empty() {
            continue;
        }
        let heading = match verdict {
            Verdict::Holds => "Claims that hold here",
            Verdict::DoesNotHold => "Claims that do NOT hold here (the opposite was measured)",
            Verdict::NotShown => "Claims that these seeds neither show nor refute",
        };
        text.push_str(&format!("\n{heading}\n"));
        for claim in claims {
            let difference = claim.difference.as_ref().map_or(String::new(), |figure| {
                // Three digits that count, whatever the unit.
                let digits = (2 - figure.mean.abs().max(1e-4).log10().floor() as i32).clamp(0, 4) as usize;
                format!(" (difference {})", written(&Cell::Figure(figure.clone()), digits))
            });
            let lines = wrapped(&format!("{}{difference}", claim.words), 4);
            text.push_str(&format!("  - {}\n", lines.trim_start()));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_written_as_published() {
        let figure = |mean, half| written(&Cell::Figure(Figure::given(mean, half)), 3);
        assert_eq!(figure(9.7821, Some(1.627)), "9.782±1.627");
        assert_eq!(figure(0.32, None), ".320");
        assert_eq!(figure(-0.05, Some(10.0)), "-.050±10.000");
        assert_eq!(written(&Cell::Empty, 3), "-");
    }
}
