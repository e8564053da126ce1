//! A chart as a page shows it: words, drawing, and the numbers behind it.

use super::canvas::Drawing;
use super::text::{escape, sentence};

/// Cells with more letters than this get room for a few words in a line.
const LONG: usize = 36;

/// What is said about a chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Words {
    /// The heading.
    pub title: String,
    /// What is seen.
    pub seen: String,
    /// One sentence on what it means.
    pub meaning: String,
}

impl Words {
    /// Title, what is seen, and what it means.
    pub fn new(title: impl Into<String>, seen: impl Into<String>, meaning: impl Into<String>) -> Self {
        Self { title: title.into(), seen: seen.into(), meaning: meaning.into() }
    }
}

/// A table of texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    /// The heading of each column.
    pub head: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// An empty table with headings.
    pub fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        Self { head: head.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// The same table with one more row.
    #[must_use]
    pub fn row<T: Into<String>>(mut self, cells: impl IntoIterator<Item = T>) -> Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }

    /// The table as HTML, inside a box that scrolls when the window is narrow. Columns of numbers stand on
    /// the right.
    pub(super) fn html(&self) -> String {
        let numeric: Vec<bool> = (0..self.head.len())
            .map(|column| self.rows.iter().filter_map(|row| row.get(column)).all(|cell| is_number(cell)))
            .collect();
        let cell = |tag: &str, (text, numeric): (&String, &bool)| {
            let class = match (numeric, text.chars().count() > LONG) {
                (true, _) => " class=\"number\"",
                (false, true) => " class=\"long\"",
                (false, false) => "",
            };
            format!("<{tag}{class}>{}</{tag}>", sentence(text))
        };
        let line = |tag: &str, cells: &[String]| {
            let cells: String = cells.iter().zip(&numeric).map(|pair| cell(tag, pair)).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let body: String = self.rows.iter().map(|row| line("td", row)).collect();
        format!(
            "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>{}</thead>\n<tbody>{body}</tbody>\n</table></div>\n",
            line("th", &self.head).trim_end()
        )
    }
}

/// Whether a cell reads as a number: it begins with a digit, a sign or a comparison.
fn is_number(cell: &str) -> bool {
    let start = cell.trim_start_matches(['<', '>', '=', '-', '+', '−', '±', '.', ' ']);
    cell.is_empty() || cell == "–" || start.starts_with(|first: char| first.is_ascii_digit())
}

/// A chart with its words and numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    pub(super) words: Words,
    pub(super) drawing: Drawing,
    pub(super) numbers: Grid,
}

impl Chart {
    /// The chart as an SVG element; its style comes from the page around it.
    pub fn svg(&self, id: &str) -> String {
        let (width, height) = self.drawing.view;
        format!(
            "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-seen\"><title id=\"{id}-title\">{}</title><desc id=\"{id}-seen\">{}</desc>{}</svg>",
            escape(&self.words.title.replace('`', "")),
            escape(&self.words.seen.replace('`', "")),
            self.drawing.body
        )
    }

    /// The chart as a figure with caption and numbers.
    pub(super) fn html(&self, id: &str) -> String {
        let Words { title, seen, meaning } = &self.words;
        format!(
            "<figure id=\"{id}\">\n<h3>{}</h3>\n<div class=\"drawing\" tabindex=\"0\">{}</div>\n<figcaption><p>{}</p>\n<p class=\"meaning\">{}</p></figcaption>\n\
             <details><summary>The numbers</summary>\n{}</details>\n</figure>\n",
            sentence(title),
            self.svg(id),
            sentence(seen),
            sentence(meaning),
            self.numbers.html()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_on_the_right_and_names_are_escaped() {
        let html = Grid::new(["name", "share"]).row(["<script>", "12.0"]).row(["b", "< 0.1"]).html();
        assert!(html.contains("<td>&lt;script&gt;</td><td class=\"number\">12.0</td>"), "{html}");
        assert!(html.contains("<th>name</th><th class=\"number\">share</th>"), "{html}");
        assert!(is_number("-0.5") && !is_number("p300") && is_number("1,234"));
    }
}
