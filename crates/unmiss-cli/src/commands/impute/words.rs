//! What `unmiss impute` says about what it did.

use serde_json::{Value, json};
use unmiss::data::Table;
use unmiss::model::{Model, Unfilled};

use crate::output::{column, cut, number, wrapped};

/// Columns listed at most.
const LISTED: usize = 30;
/// Rows named for a column that is left with holes.
const ROWS_NAMED: usize = 5;

/// What was filled, column by column, and how.
pub fn report(model: &Model, table: &Table, counts: &[(String, usize)]) -> String {
    let cells: usize = counts.iter().map(|(_, count)| count).sum();
    let mut touched: Vec<&(String, usize)> = counts.iter().filter(|(_, count)| *count > 0).collect();
    touched.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let method = model.recipe.method;
    let mut text = wrapped(
        &format!(
            "{} cells in {} of {} columns are filled by `{}` ({}), learned from {} rows.",
            number(cells),
            number(touched.len()),
            number(counts.len()),
            method.name(),
            method.card().about.title,
            number(table.rows())
        ),
        0,
    );
    text.push('\n');
    for line in course(model) {
        text.push_str(&format!("{}\n", wrapped(&line, 0)));
    }
    if !touched.is_empty() {
        text.push_str(&heading(model));
    }
    for (name, count) in touched.iter().take(LISTED) {
        let share = 100.0 * *count as f64 / table.rows().max(1) as f64;
        let line =
            format!("  {} {:>8} {share:4.0} %  {}", column(name, 20), number(*count), how(model, name));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    if touched.len() > LISTED {
        text.push_str(&format!("  and {} more columns\n", touched.len() - LISTED));
    }
    text
}

/// The same for programs.
pub fn as_data(
    model: &Model,
    rows: usize,
    counts: &[(String, usize)],
    left: &[(String, usize)],
    unfilled: &[Unfilled],
) -> Value {
    let pairs = |pairs: &[(String, usize)]| -> Value {
        pairs
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(name, count)| (name.clone(), json!(count)))
            .collect()
    };
    let open = |own: &Unfilled| json!({ "column": own.column, "rows": own.rows, "reason": own.reason });
    json!({
        "method": model.recipe.method.name(),
        "settings": model.recipe.settings,
        "seed": model.summary.seed,
        "rows": rows,
        "filled": pairs(counts),
        "left": pairs(left),
        "unfilled": unfilled.iter().map(open).collect::<Vec<_>>(),
        "fit": model.summary.method,
    })
}

fn heading(model: &Model) -> String {
    let told = model.summary.method.get("columns").is_some();
    let line = format!(
        "\n  {}   filled         {}",
        column("column", 20),
        if told { "error  mean  how" } else { "" }
    );
    let note = "\n  (error on hidden cells: in standard deviations, or wrong categories)";
    format!("{}{}\n", line.trim_end(), if told { note } else { "" })
}

/// How a column was filled and how well, where the imputer tells it column by column.
fn how(model: &Model, name: &str) -> String {
    let column = &model.summary.method["columns"][name];
    let Some(how) = column["how"].as_str() else { return String::new() };
    let encoder = model.coder.table().ok();
    let is_category = encoder.is_some_and(|own| own.categories.iter().any(|feature| feature.name == name));
    let figure = |value: &serde_json::Value| match value.as_f64() {
        Some(error) if is_category => format!("{:3.0} %", 100.0 * error),
        Some(error) => format!("{error:5.2}"),
        None => "    -".to_owned(),
    };
    format!("{} {}  {}", figure(&column["error"]), figure(&column["errors"]["mean"]), cut(how, 32))
}

/// How the fit went, in the imputer's own sentences or by its rounds.
fn course(model: &Model) -> Vec<String> {
    let summary = &model.summary.method;
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

/// Holes that were to be left.
pub fn left(left: &[(String, usize)]) -> String {
    let line = |(name, count): &(String, usize)| {
        let holes = if *count == 1 { "1 hole".to_owned() } else { format!("{} holes", number(*count)) };
        format!("\n{holes} of `{name}` stay, as was asked.\n")
    };
    left.iter().map(line).collect()
}

/// A column that is left with holes, with the first rows and the reason.
pub fn unfilled(left: &Unfilled) -> String {
    // Rows as the user counts them: from 1, below the header.
    let rows: Vec<String> = left.rows.iter().take(ROWS_NAMED).map(|row| (row + 1).to_string()).collect();
    let more = if left.rows.len() > ROWS_NAMED { ", ..." } else { "" };
    let word = if left.rows.len() == 1 { "row" } else { "rows" };
    format!("`{}` in {word} {}{more} ({})", left.column, rows.join(", "), left.reason)
}
