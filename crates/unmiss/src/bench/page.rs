//! A bench's report as a page: a chart and the whole table for each section, then the claims.

use crate::error::Result;
use crate::report::{Chart, Form, Grid, Marks, Page, Ranked, Ranking, Section as Part, Words};

use super::{Cell, Claim, Report, Section, Verdict};

impl Report {
    /// The page.
    ///
    /// # Errors
    /// When a chart can't be drawn.
    pub fn page(&self) -> Result<Page> {
        let mut page = Page::new(format!("{}: {}", self.name, self.title)).summary(self.paper);
        page = self.settings.iter().fold(page, |page, words| page.summary(words.as_str()));
        page = page.summary(self.repetitions());
        if !self.complete {
            page = page.summary("Stopped early: the figures are of what was done until then.");
        }
        if !self.claims.is_empty() {
            page = page.section(self.claims());
        }
        for section in &self.sections {
            let mut part = Part::new(section.title.as_str());
            if let Some(chart) = section.chart()? {
                part = part.chart(chart);
            }
            page = page.section(part.table("All figures", section.grid()));
        }
        Ok(page)
    }

    fn claims(&self) -> Part {
        Verdict::ALL.into_iter().fold(Part::new("What holds and what does not"), |part, verdict| {
            let sentences: Vec<String> = self.judged(verdict).into_iter().map(Claim::sentence).collect();
            match sentences.is_empty() {
                true => part,
                false => part.text(format!("{}:", verdict.heading())).list(&sentences),
            }
        })
    }
}

impl Section {
    /// The first column with figures measured here, every row with its interval; none where nothing was measured.
    fn chart(&self) -> Result<Option<Chart>> {
        let figure = |cell: &Cell| match cell {
            Cell::Figure(figure) if figure.mean.is_finite() => Some(figure.clone()),
            _ => None,
        };
        let measured = |column: &usize| {
            let cells = self.rows.iter().filter_map(|row| row.cells.get(*column));
            cells.filter_map(figure).any(|figure| !figure.values.is_empty())
        };
        let Some(column) = (0..self.columns.len()).find(measured) else { return Ok(None) };
        let ranked = |row: &super::report::Row| {
            let figure = figure(row.cells.get(column)?)?;
            let interval = figure.half_width.map(|half| (figure.mean - half, figure.mean + half));
            Some(Ranked { name: row.name.clone(), value: figure.mean, interval })
        };
        let seen = "Every row of the table below, with its 95 % interval.";
        let meaning = "A figure without an interval comes from elsewhere or from a single seed.";
        Ranking {
            words: Words::new(self.columns[column].as_str(), seen, meaning),
            names: "row".into(),
            values: self.columns[column].clone(),
            form: Form::Places(self.digits),
            marks: Marks::Dots,
            rows: self.rows.iter().filter_map(ranked).collect(),
        }
        .draw()
        .map(Some)
    }

    fn grid(&self) -> Grid {
        let head = std::iter::once("").chain(self.columns.iter().map(String::as_str));
        self.rows.iter().fold(Grid::new(head), |grid, row| {
            let cells = row.cells.iter().map(|cell| cell.written(self.digits));
            grid.row(std::iter::once(row.name.clone()).chain(cells))
        })
    }
}
