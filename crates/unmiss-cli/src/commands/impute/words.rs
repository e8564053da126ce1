//! What `unmiss impute` says about what it did.

use unmiss::data::Table;
use unmiss::model::{Filler, Unfilled};

use crate::output::{column, number, wrapped};

/// Columns listed at most.
const LISTED: usize = 30;
/// Rows named for a column that is left with holes.
const ROWS_NAMED: usize = 5;

/// What was filled, column by column, and how.
pub fn report(filler: &Filler, table: &Table, counts: &[(String, usize)]) -> String {
    let cells: usize = counts.iter().map(|(_, count)| count).sum();
    let mut touched: Vec<&(String, usize)> = counts.iter().filter(|(_, count)| *count > 0).collect();
    touched.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let method = filler.recipe.method;
    let mut text = wrapped(
        &format!(
            "{} cells in {} of {} columns are filled by `{}` ({}), learned from {} rows.",
            number(cells),
            number(touched.len()),
            number(counts.len()),
            method.name(),
            method.about().title,
            number(table.rows())
        ),
        0,
    );
    text.push('\n');
    for line in course(filler) {
        text.push_str(&format!("{}\n", wrapped(&line, 0)));
    }
    if !touched.is_empty() {
        text.push_str(&format!("\n  {}  filled            how\n", column("column", 24)));
    }
    for (name, count) in touched.iter().take(LISTED) {
        let share = 100.0 * *count as f64 / table.rows().max(1) as f64;
        let line =
            format!("  {} {:>7} {share:5.1} %   {}", column(name, 24), number(*count), how(filler, name));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if touched.len() > LISTED {
        text.push_str(&format!("  and {} more columns\n", touched.len() - LISTED));
    }
    text
}

/// How a column was filled, where the imputer tells it column by column.
fn how(filler: &Filler, name: &str) -> String {
    let columns = &filler.summary.method["columns"];
    columns[name]["how"].as_str().unwrap_or_default().to_owned()
}

/// How the fit went, in the imputer's own sentences or by its rounds.
fn course(filler: &Filler) -> Vec<String> {
    let summary = &filler.summary.method;
    if let Some(sentences) = summary["sentences"].as_array() {
        return sentences.iter().filter_map(|sentence| sentence.as_str().map(str::to_owned)).collect();
    }
    match (summary["rounds"].as_u64(), summary["last change"].as_f64()) {
        (Some(rounds), Some(change)) => {
            vec![format!("It took {rounds} rounds; the last one changed nothing by more than {change:.4}.")]
        }
        _ => Vec::new(),
    }
}

/// A column that is left with holes, with the first rows and the reason.
pub fn unfilled(left: &Unfilled) -> String {
    // Rows as the user counts them: from 1, below the header.
    let rows: Vec<String> = left.rows.iter().take(ROWS_NAMED).map(|row| (row + 1).to_string()).collect();
    let more = if left.rows.len() > ROWS_NAMED { ", ..." } else { "" };
    let word = if left.rows.len() == 1 { "row" } else { "rows" };
    format!("`{}` in {word} {}{more} ({})", left.column, rows.join(", "), left.reason)
}
