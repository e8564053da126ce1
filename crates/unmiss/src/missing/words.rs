//! The description in sentences: what to know, and what to be careful about.

use super::description::{ColumnHoles, Description};
use super::known::Estimate;
use super::target::{ColumnTest, TargetDescription};

/// Column names in sentences are cut after so many characters.
const LONGEST_NAME: usize = 32;
/// A relation weaker than this is called weak.
const WEAK: f64 = 0.1;

/// What to know, the most important first.
pub(super) fn findings(description: &Description) -> Vec<String> {
    let mut findings = vec![amount(description)];
    if description.missing_cells == 0 {
        return findings;
    }
    findings.extend(most_missing(description));
    findings.extend(randomness(description));
    findings.extend(dependence(description));
    findings.extend(together(description));
    if let Some(target) = &description.target {
        findings.extend(target_by_amount(target));
        findings.push(target_by_column(target));
    }
    findings
}

/// What to be careful about.
pub(super) fn warnings(description: &Description) -> Vec<String> {
    let mut warnings = Vec::new();
    let listed = |wanted: &dyn Fn(f64) -> bool| {
        let columns = description.columns.iter().filter(|column| wanted(column.share));
        columns.map(|column| column.name.as_str()).collect::<Vec<_>>()
    };
    let empty = listed(&|share| share == 1.0);
    if !empty.is_empty() {
        let verb = if empty.len() == 1 { "holds" } else { "hold" };
        warnings.push(format!("{} {verb} no value at all: {}.", count(empty.len(), "column"), names(&empty)));
    }
    let nearly = listed(&|share| share > 0.9 && share < 1.0);
    if !nearly.is_empty() {
        let verb = if nearly.len() == 1 { "is" } else { "are" };
        let what = count(nearly.len(), "column");
        warnings.push(format!("{what} {verb} missing in more than 90 % of the rows: {}.", names(&nearly)));
    }
    let known = &description.known_cells;
    if description.rows > 0 && known.columns > 0 && known.fewest == 0 {
        let rows = known.histogram.first().filter(|bar| bar.to == 0).map_or(1, |bar| bar.rows);
        warnings.push(format!("Nothing is known of {}.", count(rows, "row")));
    }
    if let Some(target) = description.target.as_ref().filter(|target| target.missing > 0) {
        let share = percent(target.missing as f64 / description.rows.max(1) as f64);
        let rows = count(target.missing, "row");
        warnings.push(format!("The target {} is missing in {rows} ({share}).", name(&target.name)));
    }
    warnings
}

fn amount(description: &Description) -> String {
    if description.cells() == 0 {
        return "The table has no cells.".to_owned();
    }
    if description.missing_cells == 0 {
        return format!("Nothing is missing: all {} cells are known.", number(description.cells()));
    }
    let holes = description.columns.iter().filter(|column| column.missing > 0).count();
    let complete = description.complete_rows as f64 / description.rows.max(1) as f64;
    let rows = match description.complete_rows {
        0 => format!("None of {} is complete.", count(description.rows, "row")),
        complete_rows => format!(
            "{} of {} ({}) are complete.",
            number(complete_rows),
            count(description.rows, "row"),
            percent(complete)
        ),
    };
    format!(
        "{} of the cells are missing, in {holes} of {}. {rows}",
        percent(description.share_missing()),
        count(description.columns.len(), "column"),
    )
}

fn most_missing(description: &Description) -> Option<String> {
    // Columns without any value are told of in a warning.
    let partly = |column: &&ColumnHoles| column.share > 0.0 && column.share < 1.0;
    let mut columns: Vec<_> = description.columns.iter().filter(partly).collect();
    columns.sort_by_key(|column| std::cmp::Reverse(column.missing));
    let one = |column: &&ColumnHoles| format!("{} ({})", name(&column.name), percent(column.share));
    let first: Vec<String> = columns.iter().take(3).map(one).collect();
    (columns.len() > 1).then(|| format!("Most is missing in {}.", first.join(", ")))
}

fn randomness(description: &Description) -> Option<String> {
    let little = &description.little;
    let on = format!("Little's test on {}", count(little.columns.len(), "column"));
    match (&little.result, &little.reason) {
        (Some(result), _) if result.p_value < 0.05 => Some(format!(
            "Cells are not missing completely at random ({on}: {}). Leaving out incomplete rows, or filling in \
             means, can bias what you compute.",
            p_value(result.p_value)
        )),
        (Some(result), _) => Some(format!(
            "Nothing speaks against missing completely at random ({on}: {}). That is no proof: holes may still \
             depend on the values that are missing.",
            p_value(result.p_value)
        )),
        (None, Some(reason)) => Some(format!("Little's test of random holes can't be computed: {reason}.")),
        (None, None) => None,
    }
}

fn dependence(description: &Description) -> Option<String> {
    let first = description.dependences.strongest.first()?;
    let direction = if first.difference > 0.0 { "higher" } else { "lower" };
    Some(format!(
        "Where {} is missing, {} is {direction} by {:.1} standard deviations; {} of {} such comparisons are \
         significant.",
        name(&first.missing),
        name(&first.values),
        first.difference.abs(),
        number(description.dependences.significant),
        number(description.dependences.compared),
    ))
}

fn together(description: &Description) -> Option<String> {
    let together = &description.together;
    if let Some(group) = together.groups.first() {
        let more = match together.groups.len() - 1 {
            0 => String::new(),
            others => format!(" There {} of this kind.", are(others, "more group")),
        };
        let listed: Vec<&str> = group.columns.iter().map(String::as_str).collect();
        return Some(format!(
            "{} columns are always missing together: {}.{more}",
            group.columns.len(),
            names(&listed)
        ));
    }
    let pair = together.pairs.first().filter(|pair| pair.correlation > 0.5)?;
    Some(format!(
        "{} and {} are often missing together (correlation {:.2}).",
        name(&pair.first),
        name(&pair.second),
        pair.correlation
    ))
}

fn target_by_amount(target: &TargetDescription) -> Option<String> {
    let test = target.known_cells_test?;
    let (first, last) = (target.by_known_cells.first()?, target.by_known_cells.last()?);
    if test.p_value >= 0.05 {
        return Some(format!(
            "How much is known of a row does not visibly go with the target {} ({}).",
            name(&target.name),
            p_value(test.p_value)
        ));
    }
    let (label, index) = quantity(target);
    let at = |estimates: &[Estimate]| estimates.get(index).map_or(0.0, |estimate| estimate.value);
    Some(format!(
        "How much is known of a row goes {}with the target {}: {label} is {} with {} known cells and {} with \
         {} ({}).",
        if test.strength < WEAK { "weakly " } else { "" },
        name(&target.name),
        value(target, at(&first.estimates)),
        range(first.from, first.to),
        value(target, at(&last.estimates)),
        range(last.from, last.to),
        p_value(test.p_value)
    ))
}

fn target_by_column(target: &TargetDescription) -> String {
    let significant: Vec<&ColumnTest> = target.columns.iter().filter(|test| test.is_significant()).collect();
    // Columns with the same holes share one test.
    let columns = |test: &ColumnTest| 1 + test.same_holes.len();
    let tested: usize = target.columns.iter().map(columns).sum();
    let Some(first) = significant.first() else {
        return match target.columns.len() {
            0 => "No column has enough holes to tell whether they go with the target.".to_owned(),
            _ => format!("The holes of no column visibly go with the target ({tested} tested)."),
        };
    };
    let (label, index) = quantity(target);
    let at = |estimates: &[Estimate]| estimates.get(index).map_or(0.0, |estimate| estimate.value);
    format!(
        "Whether a value is missing goes {}with the target in {} of {}: where {} is missing, {label} is {}, \
         elsewhere {}. Keep the information that a cell was missing.",
        if first.test.strength < WEAK { "weakly " } else { "" },
        number(significant.iter().map(|test| columns(test)).sum()),
        count(tested, "column"),
        name(&first.column),
        value(target, at(&first.when_missing)),
        value(target, at(&first.when_known)),
    )
}

/// What is told of a target, in words, and where it stands among the estimates: the mean of a number, the
/// share of the second of two classes, otherwise the share of the most frequent class.
fn quantity(target: &TargetDescription) -> (String, usize) {
    let share = |index: usize| (format!("the share of `{}`", target.classes[index]), index);
    match target.classes.len() {
        0 => ("its mean".to_owned(), 0),
        1 | 2 => share(target.classes.len() - 1),
        classes => {
            let order = |a: &usize, b: &usize| target.overall[*a].value.total_cmp(&target.overall[*b].value);
            share((0..classes).max_by(order).unwrap_or(0))
        }
    }
}

fn value(target: &TargetDescription, value: f64) -> String {
    if target.classes.is_empty() { significant_digits(value) } else { percent(value) }
}

/// Three significant digits, without an exponent for usual sizes.
pub(crate) fn significant_digits(value: f64) -> String {
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

pub(crate) fn p_value(p_value: f64) -> String {
    if p_value < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p_value:.3}") }
}

pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match share {
        0.0 => "0 %".to_owned(),
        1.0 => "100 %".to_owned(),
        _ if percent < 0.1 => "less than 0.1 %".to_owned(),
        _ if percent > 99.9 => "more than 99.9 %".to_owned(),
        _ => format!("{percent:.1} %"),
    }
}

pub(crate) fn range(from: usize, to: usize) -> String {
    if from == to { from.to_string() } else { format!("{from} to {to}") }
}

/// A number with its noun: `1 row`, `2,500 rows`.
pub(crate) fn count(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", number(count), if count == 1 { "" } else { "s" })
}

fn are(many: usize, noun: &str) -> String {
    format!("{} {}", if many == 1 { "is" } else { "are" }, count(many, noun))
}

/// Thousands are set apart.
pub(crate) fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A column's name in backquotes, cut if it is long.
fn name(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return format!("`{name}`");
    }
    format!("`{}…`", name.chars().take(LONGEST_NAME - 1).collect::<String>())
}

/// The first names of a list, and how many more there are.
fn names(listed: &[&str]) -> String {
    let shown: Vec<String> = listed.iter().take(5).map(|one| name(one)).collect();
    match listed.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), number(more)),
    }
}

#[cfg(test)]
mod tests;
