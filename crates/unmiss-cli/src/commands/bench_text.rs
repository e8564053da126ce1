//! The report of a bench as text: tables with aligned columns, then a verdict on every claim.

use unmiss::bench::{Report, Section, Verdict};

use crate::output::{width, wrapped};

/// The whole report.
pub fn page(report: &Report) -> String {
    let mut text = format!("{}: {}\n", report.name, report.title);
    text.push_str(&format!("{}\n\n", wrapped(report.paper, 2)));
    for words in &report.settings {
        text.push_str(&format!("{}\n", wrapped(words, 0)));
    }
    text.push_str(&format!("{}\n", report.repetitions()));
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
        let cells = row.cells.iter().map(|cell| cell.written(section.digits));
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

fn claims(report: &Report) -> String {
    let mut text = String::new();
    for verdict in Verdict::ALL {
        let claims = report.judged(verdict);
        if claims.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{}\n", verdict.heading()));
        for claim in claims {
            text.push_str(&format!("  - {}\n", wrapped(&claim.sentence(), 4).trim_start()));
        }
    }
    text
}
