//! One HTML page that stands alone: style inside, no script, nothing fetched from elsewhere.

use std::path::Path;

use super::chart::{Chart, Grid};
use super::text::{escape, sentence};
use crate::error::Result;
use crate::store::write_whole;

/// Light, dark, narrow and printed.
const STYLE: &str = include_str!("page.css");

/// A page under construction.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    title: String,
    summary: Vec<String>,
    sections: Vec<Section>,
}

/// A part of a page with its heading.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    title: String,
    blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq)]
enum Block {
    Text(String),
    List { items: Vec<String>, careful: bool },
    Chart(Box<Chart>),
    Table { title: String, grid: Grid },
}

impl Page {
    /// A page with nothing but its title.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), summary: Vec::new(), sections: Vec::new() }
    }

    /// The same page with one more sentence below the title.
    #[must_use]
    pub fn summary(mut self, sentence: impl Into<String>) -> Self {
        self.summary.push(sentence.into());
        self
    }

    /// The same page with one more section.
    #[must_use]
    pub fn section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// The same page with more sections.
    #[must_use]
    pub fn sections(mut self, sections: impl IntoIterator<Item = Section>) -> Self {
        self.sections.extend(sections);
        self
    }

    /// The page's text.
    pub fn html(&self) -> String {
        let mut charts = 0;
        let body: String =
            self.sections.iter().enumerate().map(|(index, part)| part.html(index + 1, &mut charts)).collect();
        let summary: String = self
            .summary
            .iter()
            .map(|text| format!("<p class=\"summary\">{}</p>\n", sentence(text)))
            .collect();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
             <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<header>\n<h1>{}</h1>\n{summary}{}</header>\n\
             {body}</main>\n<footer>Made by unmiss {}. The page needs no connection and sends nothing.</footer>\n</body>\n</html>\n",
            escape(&self.title.replace('`', "")),
            sentence(&self.title),
            self.contents(),
            env!("CARGO_PKG_VERSION")
        )
    }

    /// Links to the sections.
    fn contents(&self) -> String {
        if self.sections.len() < 2 {
            return String::new();
        }
        let link = |(index, section): (usize, &Section)| {
            format!("<li><a href=\"#part-{}\">{}</a></li>\n", index + 1, sentence(&section.title))
        };
        let links: String = self.sections.iter().enumerate().map(link).collect();
        format!("<nav aria-label=\"Contents\"><ul>\n{links}</ul></nav>\n")
    }

    /// Writes the page, all or nothing.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_whole(path, self.html().as_bytes())
    }
}

impl Section {
    /// A section with nothing but its title.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), blocks: Vec::new() }
    }

    /// The same section with one more paragraph.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.with(Block::Text(text.into()))
    }

    /// The same section with a list of sentences; an empty one is left out.
    #[must_use]
    pub fn list(self, items: &[String]) -> Self {
        if items.is_empty() { self } else { self.with(Block::List { items: items.to_vec(), careful: false }) }
    }

    /// The same section with a list of what to be careful about; an empty one is left out.
    #[must_use]
    pub fn careful(self, items: &[String]) -> Self {
        if items.is_empty() { self } else { self.with(Block::List { items: items.to_vec(), careful: true }) }
    }

    /// The same section with one more chart.
    #[must_use]
    pub fn chart(self, chart: Chart) -> Self {
        self.with(Block::Chart(Box::new(chart)))
    }

    /// The same section with one more table; one without rows is left out.
    #[must_use]
    pub fn table(self, title: impl Into<String>, grid: Grid) -> Self {
        if grid.rows.is_empty() { self } else { self.with(Block::Table { title: title.into(), grid }) }
    }

    fn with(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    fn html(&self, number: usize, charts: &mut usize) -> String {
        let mut html = format!("<section id=\"part-{number}\">\n<h2>{}</h2>\n", sentence(&self.title));
        for block in &self.blocks {
            html.push_str(&match block {
                Block::Text(text) => format!("<p>{}</p>\n", sentence(text)),
                Block::List { items, careful } => list(items, *careful),
                Block::Chart(chart) => {
                    *charts += 1;
                    chart.html(&format!("chart-{charts}"))
                }
                Block::Table { title, grid } => format!("<h3>{}</h3>\n{}", sentence(title), grid.html()),
            });
        }
        html + "</section>\n"
    }
}

fn list(items: &[String], careful: bool) -> String {
    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", sentence(item))).collect();
    match careful {
        true => format!("<div class=\"careful\"><p>Be careful</p>\n<ul>\n{items}</ul></div>\n"),
        false => format!("<ul>\n{items}</ul>\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Bars, Words};

    #[test]
    fn names_can_do_no_harm_and_nothing_is_fetched() {
        let evil = "</title><script>alert(1)</script><img src=x onerror='a'>";
        let bars = vec![(evil.to_owned(), 3.0), ("b".to_owned(), 0.0)];
        let words = Words::new(evil, evil, evil);
        let chart = Bars { words, names: evil.into(), values: evil.into(), bars }.draw().unwrap();
        let section = Section::new(evil)
            .text(evil)
            .list(&[evil.to_owned()])
            .careful(&[evil.to_owned()])
            .chart(chart)
            .table(evil, Grid::new([evil]).row([evil]));
        let html = Page::new(evil).summary(evil).section(section.clone()).section(section).html();
        for forbidden in ["<script", "<img", "<link", "@import", "url(", "src=\"", "<iframe"] {
            assert!(!html.contains(forbidden), "{forbidden}");
        }
        // The only address is the name of the SVG language.
        assert_eq!(html.matches("http").count(), html.matches("http://www.w3.org/2000/svg").count() + 1);
        assert!(html.contains("http-equiv") && html.contains("id=\"chart-2\""));
        let body = html.split_once("</style>").unwrap().1;
        assert!(!body.contains("=\"#FE") && !body.contains(":#"), "a fixed colour is left");
    }
}
