//! The description of a table's holes as text for an 80-column terminal, conclusions first.

use unmiss::missing::{ColumnHoles, Dependence, Description, Estimate, Pair, TargetDescription};

use crate::output::{WIDTH, bar, column, cut, item, number, shorten, width, wrapped};

/// Columns listed in one section; the JSON file has all.
const LISTED: usize = 15;
/// Columns whose values are told.
const CONTENTS: usize = 40;
/// Lines in the other lists.
const SHORT_LIST: usize = 10;
/// Classes of a target shown side by side.
const CLASSES: usize = 4;

/// The whole page.
pub fn page(description: &Description, file: &str) -> String {
    let mut text = wrapped(&format!("Holes in {file}: {}", size(description)), 0) + "\n\nWhat to know\n";
    description.findings.iter().for_each(|sentence| text.push_str(&item(sentence)));
    if !description.warnings.is_empty() {
        text.push_str("\nBe careful\n");
        description.warnings.iter().for_each(|sentence| text.push_str(&item(sentence)));
    }
    text.push_str(&contents(description));
    if description.missing_cells > 0 {
        text.push_str(&columns(description));
        text.push_str(&patterns(description));
        text.push_str(&together(description));
    }
    text.push_str(&known_cells(description));
    if description.missing_cells > 0 {
        text.push_str(&little(description));
        text.push_str(&dependences(description));
    }
    if let Some(target) = &description.target {
        text.push_str(&target_by_known_cells(target));
        text.push_str(&target_by_column(target));
    }
    text
}

/// How large the table is.
pub fn size(description: &Description) -> String {
    let besides = if description.target.is_some() { " besides the target" } else { "" };
    format!("{} rows, {} columns{besides}", number(description.rows), number(description.columns.len()))
}

/// What each column holds.
fn contents(description: &Description) -> String {
    let mut text = format!("\nColumns\n  {} kind      values\n", column("column", 24));
    for one in description.columns.iter().take(CONTENTS) {
        let line = format!("  {} {} {}", column(&one.name, 24), column(&one.kind.to_string(), 9), one.values);
        text.push_str(cut(&line, WIDTH).trim_end());
        text.push('\n');
    }
    let more = description.columns.len().saturating_sub(CONTENTS);
    if more > 0 {
        text.push_str(&format!("  and {} more columns\n", number(more)));
    }
    text
}

fn columns(description: &Description) -> String {
    let mut holes: Vec<&ColumnHoles> =
        description.columns.iter().filter(|column| column.missing > 0).collect();
    holes.sort_by_key(|column| std::cmp::Reverse(column.missing));
    let mut text = format!("\nMissing by column\n  {}   missing     share\n", column("column", 34));
    for one in holes.iter().take(LISTED) {
        text.push_str(&format!(
            "  {} {:>9}  {:>8}  {}\n",
            column(&one.name, 34),
            number(one.missing),
            percent(one.share),
            bar(one.share, 20)
        ));
    }
    let (more, complete) = (holes.len().saturating_sub(LISTED), description.columns.len() - holes.len());
    if more > 0 {
        text.push_str(&format!("  and {} more columns with holes\n", number(more)));
    }
    if complete > 0 {
        let word = if complete == 1 { "column is" } else { "columns are" };
        text.push_str(&format!("  {} {word} complete\n", number(complete)));
    }
    text
}

fn patterns(description: &Description) -> String {
    let patterns = &description.patterns;
    let mut text = format!(
        "\nPatterns: what is missing in the same row ({} different)\n       rows     share  missing\n",
        number(patterns.distinct)
    );
    for pattern in &patterns.frequent {
        let names = match pattern.missing.len() {
            0 => "nothing: the row is complete".to_owned(),
            _ => list(&pattern.missing, WIDTH - 23),
        };
        let share = pattern.rows as f64 / description.rows.max(1) as f64;
        text.push_str(&format!("  {:>9}  {:>8}  {names}\n", number(pattern.rows), percent(share)));
    }
    text
}

fn together(description: &Description) -> String {
    let together = &description.together;
    let mut text = String::new();
    if !together.groups.is_empty() {
        text.push_str("\nAlways missing together\n       rows  columns\n");
        for group in together.groups.iter().take(SHORT_LIST) {
            text.push_str(&format!("  {:>9}  {}\n", number(group.rows), list(&group.columns, WIDTH - 13)));
        }
        let more = together.groups.len().saturating_sub(SHORT_LIST);
        if more > 0 {
            text.push_str(&format!("  and {} more groups\n", number(more)));
        }
    }
    // Below a correlation of 0.1 a pair is as good as unrelated.
    let related: Vec<&Pair> = together.pairs.iter().filter(|pair| pair.correlation.abs() >= 0.1).collect();
    if !related.is_empty() {
        text.push_str("\nPairs of columns whose holes go together (1) or avoid each other (-1)\n");
        text.push_str("  correlation  both missing  columns\n");
        for one in related {
            let names = pair(&one.first, &one.second, WIDTH - 29);
            text.push_str(&format!("  {:>11.2}  {:>12}  {names}\n", one.correlation, number(one.both)));
        }
    }
    text
}

fn known_cells(description: &Description) -> String {
    let known = &description.known_cells;
    let mut text = format!(
        "\nKnown cells per row, of {} (fewest {}, median {}, most {})\n      cells       rows\n",
        number(known.columns),
        number(known.fewest),
        number(known.median),
        number(known.most)
    );
    let tallest = known.histogram.iter().map(|bar| bar.rows).max().unwrap_or(0).max(1) as f64;
    for one in &known.histogram {
        let line = format!(
            "  {:>9}  {:>9}  {}",
            range(one.from, one.to),
            number(one.rows),
            bar(one.rows as f64 / tallest, 50)
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn little(description: &Description) -> String {
    let little = &description.little;
    let mut text = "\nCompletely at random? Little's test\n".to_owned();
    let mut sentences = Vec::new();
    match (&little.result, &little.reason) {
        (Some(result), _) => sentences.push(format!(
            "Chi-square {:.1} with {} degrees of freedom, {}, on {} rows, {} columns, {} patterns.",
            result.statistic,
            number(result.degrees_of_freedom as usize),
            p_value(result.p_value),
            number(little.rows),
            little.columns.len(),
            number(little.patterns)
        )),
        (None, reason) => {
            sentences.push(format!("Not computed: {}.", reason.as_deref().unwrap_or("no reason given")));
        }
    }
    sentences.extend(little.remarks.iter().cloned());
    sentences.iter().for_each(|sentence| text.push_str(&item(sentence)));
    text
}

fn dependences(description: &Description) -> String {
    let dependences = &description.dependences;
    if dependences.strongest.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\nValues that differ where another column is missing\n  {} of {} comparisons are significant; those that go together most:\n  {} {} by (std. dev.)\n",
        number(dependences.significant),
        number(dependences.compared),
        column("where this is missing", 30),
        column("this is higher (+) or lower (-)", 32),
    );
    for Dependence { missing, values, difference, .. } in &dependences.strongest {
        text.push_str(&format!("  {} {} {difference:>+14.2}\n", column(missing, 30), column(values, 32)));
    }
    text
}

fn target_by_known_cells(target: &TargetDescription) -> String {
    let shown = shown_classes(target);
    let mut text = format!(
        "\n{}\n      cells       rows  {}\n",
        cut(&format!("Target {} by number of known cells (± standard error)", target.name), WIDTH),
        headings(target, &shown, 15)
    );
    for group in &target.by_known_cells {
        text.push_str(&format!("  {:>9}  {:>9}  ", range(group.from, group.to), number(group.rows)));
        text.push_str(&estimates(target, &group.estimates, &shown, 15, true));
    }
    match target.known_cells_test {
        Some(test) => {
            let sentence =
                format!("Test of no relation: {}, strength {:.2}.", p_value(test.p_value), test.strength);
            text.push_str(&format!("  {sentence}\n"));
        }
        None => text.push_str("  All rows fall into one group: there is nothing to compare.\n"),
    }
    text
}

fn target_by_column(target: &TargetDescription) -> String {
    if target.columns.is_empty() {
        return String::new();
    }
    // Two figures side by side leave room for the mean or for one class.
    let class: Vec<usize> = shown_classes(target).into_iter().last().into_iter().collect();
    let what = match class.first() {
        Some(&class) if !target.classes.is_empty() => format!("share of {}", target.classes[class]),
        _ => "mean".to_owned(),
    };
    let heading = format!(
        "Target {} ({}) where a column is missing, and known",
        shorten(&target.name, 24),
        shorten(&what, 18)
    );
    let mut text = format!(
        "\n{}\n  {} {:>9} {:>11} {:>11} {:>9}\n",
        cut(&heading, WIDTH),
        column("column", 32),
        "rows",
        "missing",
        "known",
        "adj. p"
    );
    for test in target.columns.iter().take(SHORT_LIST) {
        let name = match test.same_holes.len() {
            0 => column(&test.column, 32),
            more => {
                let more = format!(" (+{more} alike)");
                column(&test.column, 32 - width(&more)) + &more
            }
        };
        text.push_str(&format!(
            "  {name} {:>9} {:>11} {:>11} {:>9}\n",
            number(test.missing_rows),
            estimates(target, &test.when_missing, &class, 11, false).trim_end(),
            estimates(target, &test.when_known, &class, 11, false).trim_end(),
            p_value(test.adjusted_p_value).trim_start_matches("p ").trim_start_matches("= ")
        ));
    }
    let more = target.columns.len().saturating_sub(SHORT_LIST);
    if more > 0 {
        text.push_str(&format!("  and {} more\n", number(more)));
    }
    if target.not_tested > 0 {
        text.push_str(&format!("  {} not tested: fewer than 5 rows to compare\n", number(target.not_tested)));
    }
    text
}

/// Which estimates are shown: the mean; the second of two classes; or the most frequent classes.
fn shown_classes(target: &TargetDescription) -> Vec<usize> {
    match target.classes.len() {
        0 | 1 => vec![0],
        2 => vec![1],
        classes => {
            let mut order: Vec<usize> = (0..classes).collect();
            order.sort_by(|&a, &b| target.overall[b].value.total_cmp(&target.overall[a].value));
            order.truncate(CLASSES - 1);
            order
        }
    }
}

fn headings(target: &TargetDescription, shown: &[usize], width: usize) -> String {
    if target.classes.is_empty() {
        return "mean".to_owned();
    }
    let heading = |&class: &usize| column(&format!("share of {}", target.classes[class]), width + 2);
    shown.iter().map(heading).collect::<Vec<_>>().join(" ").trim_end().to_owned()
}

/// The chosen estimates in one line.
fn estimates(
    target: &TargetDescription,
    estimates: &[Estimate],
    shown: &[usize],
    width: usize,
    errors: bool,
) -> String {
    let one = |&index: &usize| {
        let Some(Estimate { value, standard_error }) = estimates.get(index) else {
            return String::new();
        };
        let text = if target.classes.is_empty() {
            if errors { format!("{} ± {}", digits(*value), digits(*standard_error)) } else { digits(*value) }
        } else if errors {
            format!("{:.1} % ± {:.1}", 100.0 * value, 100.0 * standard_error)
        } else {
            percent(*value)
        };
        column(&text, width + 2)
    };
    shown.iter().map(one).collect::<Vec<_>>().join(" ").trim_end().to_owned() + if errors { "\n" } else { "" }
}

/// As many names as fit, and how many more there are.
fn list(names: &[String], room: usize) -> String {
    let more = |rest: usize| if rest == 0 { String::new() } else { format!(" and {} more", number(rest)) };
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let rest = more(names.len() - index - 1);
        let piece = match index {
            0 => shorten(name, room - width(&rest)),
            _ => format!(", {}", shorten(name, room)),
        };
        if width(&text) + width(&piece) + width(&rest) > room {
            return text + &more(names.len() - index);
        }
        text.push_str(&piece);
    }
    text
}

/// Two names; each gets half of the room, or more if the other needs less.
fn pair(first: &str, second: &str, room: usize) -> String {
    let half = (room - 2) / 2;
    let (first, second) = (shorten(first, room - 2 - width(second).min(half)), second);
    let second = shorten(second, room - 2 - width(&first));
    format!("{first}, {second}")
}

fn range(from: usize, to: usize) -> String {
    if from == to { number(from) } else { format!("{}-{}", number(from), number(to)) }
}

fn percent(share: f64) -> String {
    match 100.0 * share {
        small if small > 0.0 && small < 0.1 => "< 0.1 %".to_owned(),
        large if large > 99.9 && large < 100.0 => "> 99.9 %".to_owned(),
        percent => format!("{percent:.1} %"),
    }
}

fn p_value(p_value: f64) -> String {
    if p_value < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p_value:.3}") }
}

/// Three significant digits, at least the whole part.
fn digits(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let magnitude = value.abs().log10().floor();
    if (-4.0..7.0).contains(&magnitude) {
        format!("{value:.*}", (2.0 - magnitude).max(0.0) as usize)
    } else {
        format!("{value:.2e}")
    }
}

#[cfg(test)]
mod tests;
