//! The holes of a table as sections of a page.

use super::target::{bare, with_target};
use crate::data::{Column, Table};
use crate::error::Result;
use crate::missing::words::{count, number, p_value, percent};
use crate::missing::{ColumnHoles, Description, correlations};
use crate::report::{Bars, Chart, Form, Grid, Heat, Marks, Matrix, Ranked, Ranking, Section, Words};

/// Columns in the chart of shares, and in the square of correlations, at most.
const MOST_SHARES: usize = 40;
const MOST_IN_SQUARE: usize = 30;
/// Lines in tables, at most; the JSON file has all.
pub(super) const MOST_LISTED: usize = 100;

/// What is missing, where, together with what, whether it looks random, and whether it goes with the target.
///
/// # Errors
/// When a chart can't be drawn.
pub fn describe(table: &Table, description: &Description) -> Result<Vec<Section>> {
    let target = description.target.as_ref().map(|target| target.name.as_str());
    let columns: Vec<&Column> =
        table.columns().iter().filter(|column| Some(column.name.as_str()) != target).collect();
    let know = Section::new("What to know about the holes")
        .list(&description.findings)
        .careful(&description.warnings);
    let advice = Section::new("What this means and what to do").list(&description.advice());
    let mut sections = vec![advice, know];
    if !description.notes.is_empty() {
        sections.push(Section::new("What was noticed in reading").list(&description.notes));
    }
    if description.missing_cells > 0 {
        let places = Section::new("Where cells are missing")
            .chart(shares(description)?)
            .chart(matrix(&columns, description)?);
        sections.push(places);
        sections.push(together(&columns, description)?);
    }
    if description.rows > 0 {
        sections.push(Section::new("How much is known of a row").chart(known_cells(description)?));
    }
    if description.missing_cells > 0 {
        sections.push(randomness(description));
    }
    if let Some(target) = &description.target {
        sections.push(with_target(target)?);
    }
    Ok(sections)
}

fn shares(description: &Description) -> Result<Chart> {
    let mut holes: Vec<&ColumnHoles> =
        description.columns.iter().filter(|column| column.missing > 0).collect();
    holes.sort_by_key(|column| std::cmp::Reverse(column.missing));
    let complete = description.columns.len() - holes.len();
    let shown = holes.len().min(MOST_SHARES);
    let which = if shown < holes.len() {
        format!("The {shown} columns with most holes")
    } else {
        "Columns with holes".to_owned()
    };
    let seen = format!(
        "{which}, and the share of the {} in which each is missing; {} complete.",
        count(description.rows, "row"),
        match complete {
            1 => "1 column is".to_owned(),
            complete => format!("{} columns are", number(complete)),
        }
    );
    let half = holes.iter().filter(|column| column.share > 0.5).count();
    let meaning = match (half, holes.first()) {
        (0, Some(most)) => format!(
            "No column is missing in more than half of the rows; `{}` comes nearest with {}.",
            most.name,
            percent(most.share)
        ),
        (1, Some(most)) => {
            format!(
                "`{}` is missing in more than half of the rows: little can be learned from its values.",
                most.name
            )
        }
        _ => format!(
            "{half} columns are missing in more than half of the rows: little can be learned from their values."
        ),
    };
    let row =
        |column: &&ColumnHoles| Ranked { name: column.name.clone(), value: column.share, interval: None };
    Ranking {
        words: Words::new("Missing by column", seen, meaning),
        names: "column".into(),
        values: "share of rows in which it is missing".into(),
        form: Form::Percent,
        marks: Marks::Bars,
        rows: holes.iter().take(MOST_SHARES).map(row).collect(),
    }
    .draw()
}

fn matrix(columns: &[&Column], description: &Description) -> Result<Chart> {
    let mut matrix = Matrix::sample(Words::default(), columns);
    let (rows, shown) = (count(description.rows, "row"), matrix.columns.len());
    let rows = if matrix.rows.len() < description.rows {
        format!("{} of the {rows}, evenly spaced", number(matrix.rows.len()))
    } else {
        format!("All {rows}")
    };
    let which = if shown < columns.len() {
        format!("the {shown} columns with most holes")
    } else {
        format!("all {}", count(shown, "column"))
    };
    let seen = format!("{rows}, in the order of the file, and {which}; a mark is a missing cell.");
    let meaning = "Level stripes are cells that go missing together; a strip that begins or ends \
                   somewhere down the file is a column that was recorded only for a part of the rows.";
    matrix.words = Words::new("The table from far", seen, meaning);
    matrix.draw()
}

fn together(columns: &[&Column], description: &Description) -> Result<Section> {
    let mut section = Section::new("What is missing together");
    if let Some(heat) = square(columns, description)? {
        section = section.chart(heat);
    }
    let patterns = &description.patterns;
    let mut grid = Grid::new(["rows", "share", "missing"]);
    for pattern in &patterns.frequent {
        let names = match pattern.missing.len() {
            0 => "nothing: the row is complete".to_owned(),
            _ => pattern.missing.join(", "),
        };
        let share = pattern.rows as f64 / description.rows.max(1) as f64;
        grid = grid.row([number(pattern.rows), percent(share), names]);
    }
    let different = number(patterns.distinct);
    section = section.table(format!("The most frequent patterns of holes ({different} different)"), grid);
    let mut grid = Grid::new(["rows", "columns"]);
    for group in description.together.groups.iter().take(MOST_LISTED) {
        grid = grid.row([number(group.rows), group.columns.join(", ")]);
    }
    Ok(section.table("Columns that are always missing together", grid))
}

/// The square of correlations, if there are two columns to compare.
fn square(columns: &[&Column], description: &Description) -> Result<Option<Chart>> {
    let partly = |column: &&&Column| (1..column.rows()).contains(&column.missing());
    let mut places: Vec<(usize, &Column)> =
        columns.iter().filter(partly).map(|column| (column.missing(), *column)).collect();
    let all = places.len();
    if all < 2 {
        return Ok(None);
    }
    places.sort_by_key(|(missing, _)| std::cmp::Reverse(*missing));
    let least = places.get(MOST_IN_SQUARE).map_or(0, |place| place.0);
    let shown: Vec<&Column> = columns
        .iter()
        .filter(partly)
        .filter(|column| column.missing() >= least.max(1))
        .take(MOST_IN_SQUARE)
        .copied()
        .collect();
    let which = if shown.len() < all { "columns with most holes" } else { "columns with holes" };
    let seen = format!(
        "Correlation of being missing between the {} {which}: 1 always together, 0 unrelated, -1 one or the other.",
        shown.len()
    );
    let meaning = match description.together.pairs.first() {
        Some(pair) if pair.correlation.abs() >= 0.1 => format!(
            "{} `{}` and `{}` {} most ({:.2}): they may share a reason, such as a test that was not made.",
            match description.together.groups.is_empty() {
                true => "The holes of",
                false => "Apart from columns that are always missing together, the holes of",
            },
            pair.first,
            pair.second,
            if pair.correlation > 0.0 { "go together" } else { "avoid each other" },
            pair.correlation
        ),
        _ => "No two columns have holes that go together: each seems to have reasons of its own.".to_owned(),
    };
    let names = shown.iter().map(|column| column.name.clone()).collect();
    let words = Words::new("Holes that go together", seen, meaning);
    Heat { words, names, values: correlations(&shown) }.draw().map(Some)
}

fn known_cells(description: &Description) -> Result<Chart> {
    let known = &description.known_cells;
    let seen = format!(
        "Rows by how many of their {} cells are known: fewest {}, median {}, most {}.",
        number(known.columns),
        number(known.fewest),
        number(known.median),
        number(known.most)
    );
    let meaning = if known.fewest == known.most {
        "All rows are known equally well.".to_owned()
    } else {
        format!(
            "The best-known row has {} more known cells than the least-known one: a model should be as right, \
             and no bolder or shyer, for either.",
            number(known.most - known.fewest)
        )
    };
    let bar = |bar: &crate::missing::Bar| (span(bar.from, bar.to), bar.rows as f64);
    Bars {
        words: Words::new("Known cells per row", seen, meaning),
        names: format!("known cells of {}", number(known.columns)),
        values: "rows".into(),
        bars: known.histogram.iter().map(bar).collect(),
    }
    .draw()
}

/// A range as short as it can be, for names under bars.
fn span(from: usize, to: usize) -> String {
    if from == to { number(from) } else { format!("{}–{}", number(from), number(to)) }
}

fn randomness(description: &Description) -> Section {
    let little = &description.little;
    let mut section = Section::new("Does it look random?");
    section = section.text(match (&little.result, &little.reason) {
        (Some(result), _) => format!(
            "Little's test of \"missing completely at random\": chi-square {:.1} with {} degrees of freedom, {}, on {}, {} and {}.",
            result.statistic,
            number(result.degrees_of_freedom as usize),
            p_value(result.p_value),
            count(little.rows, "row"),
            count(little.columns.len(), "column"),
            count(little.patterns, "pattern"),
        ),
        (None, reason) => format!(
            "Little's test of \"missing completely at random\" was not computed: {}.",
            reason.as_deref().unwrap_or("no reason given")
        ),
    });
    section = section.list(&little.remarks);
    let dependences = &description.dependences;
    let mut grid = Grid::new([
        "where this is missing",
        "this is higher or lower",
        "by standard deviations",
        "adjusted p",
    ]);
    for one in &dependences.strongest {
        grid = grid.row([
            one.missing.clone(),
            one.values.clone(),
            format!("{:+.2}", one.difference),
            bare(one.adjusted_p_value),
        ]);
    }
    let title = format!(
        "Values that differ where another column is missing ({} of {} comparisons are significant)",
        number(dependences.significant),
        number(dependences.compared)
    );
    section.table(title, grid)
}

#[cfg(test)]
mod tests;
