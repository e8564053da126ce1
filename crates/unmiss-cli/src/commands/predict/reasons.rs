//! Why rows get their answers: reasons beside the predictions, and a file with what every column contributes.

use std::path::Path;

use unmiss::data::{Column, CsvWriter, Table};
use unmiss::encode::{Rows, Task};
use unmiss::error::Result;
use unmiss::explain::{Contributions, Explainer};
use unmiss::model::{Model, Predicting};
use unmiss::run::Run;

use super::Arguments;
use crate::output::short;

/// What is asked about reasons, and where they go.
pub struct Reasons<'a> {
    explainer: Explainer<'a>,
    /// Names of the columns.
    names: Vec<String>,
    /// Classes; empty for a number.
    levels: &'a [String],
    /// Reasons beside each prediction.
    most: usize,
    /// The file with every contribution.
    file: Option<CsvWriter>,
}

impl<'a> Reasons<'a> {
    /// Nothing where nothing is asked; else the background is drawn and the base told.
    pub fn new(model: &'a Model, arguments: &Arguments, run: &'a Run) -> Result<Option<Self>> {
        if arguments.explain.is_none() && arguments.contributions.is_none() {
            return Ok(None);
        }
        let predicting = model.predicting()?;
        let explainer = Explainer::new(model, run)?;
        run.note(what(&predicting, &explainer));
        let names: Vec<String> = explainer.columns().iter().map(|source| source.column.clone()).collect();
        let file =
            arguments.contributions.as_deref().map(|path| create(path, &predicting, &names)).transpose()?;
        let levels = &predicting.target.levels;
        // There are no more reasons than inputs.
        let most = arguments.explain.map_or(0, usize::from).min(names.len());
        Ok(Some(Self { explainer, names, levels, most, file }))
    }

    /// Headings beside the predictions.
    pub fn header(&self) -> Vec<String> {
        if self.most == 0 {
            return Vec::new();
        }
        let reasons = (1..=self.most).map(|place| format!("reason_{place}"));
        ["base".to_owned()].into_iter().chain(reasons).chain(["rest".to_owned()]).collect()
    }

    /// Explains rows, and writes every contribution where that is asked.
    pub fn explain(&mut self, rows: &Rows) -> Result<Contributions> {
        let found = self.explainer.explain(rows)?;
        if let Some(file) = &mut self.file {
            for row in 0..found.answers.len() {
                if self.levels.len() > 2 {
                    file.text(&self.levels[found.outputs[row]]);
                }
                let own = found.row(row);
                let rest = found.answers[row] - found.bases[row] - own.iter().sum::<f64>();
                file.number(found.answers[row]);
                file.number(found.bases[row]);
                own.iter().for_each(|value| file.number(*value));
                file.number(if rest.abs() < 1e-9 * (1.0 + found.answers[row].abs()) { 0.0 } else { rest });
                file.number(found.errors(row).iter().copied().fold(0.0, f64::max));
                file.end_row()?;
            }
        }
        Ok(found)
    }

    /// Writes base, reasons and rest of a row beside its prediction.
    pub fn write(
        &self,
        writer: &mut CsvWriter,
        batch: &Table,
        row: usize,
        found: &Contributions,
    ) -> Result<()> {
        if self.most == 0 {
            return Ok(());
        }
        let (own, errors) = (found.row(row), found.errors(row));
        writer.number(found.bases[row]);
        let mut rest = found.answers[row] - found.bases[row];
        let shown: Vec<usize> =
            found.largest(row).into_iter().filter(|&column| own[column] != 0.0).take(self.most).collect();
        for place in 0..self.most {
            match shown.get(place) {
                Some(&column) => {
                    rest -= own[column];
                    let cells = batch.column(&self.names[column])?;
                    writer.text(&self.reason(cells, row, own[column], errors[column]));
                }
                None => writer.missing(),
            }
        }
        writer.number(if rest.abs() < 1e-9 * (1.0 + found.answers[row].abs()) { 0.0 } else { rest });
        Ok(())
    }

    /// Closes the file of contributions.
    pub fn finish(self) -> Result<()> {
        self.file.map_or(Ok(()), CsvWriter::finish)
    }

    /// `lactate = 4.1: +0.32 +- 0.02`, or `lactate is missing: +0.10 +- 0.01`; without an error where it is exact.
    fn reason(&self, column: &Column, row: usize, value: f64, error: f64) -> String {
        let cell = match column.cell(row) {
            Some(cell) => format!("{} = {cell}", column.name),
            None => format!("{} is missing", column.name),
        };
        let number = |number: f64| match self.levels.is_empty() {
            true => short(number),
            false => format!("{number:.3}"),
        };
        let sign = if value > 0.0 { "+" } else { "" };
        match self.explainer.is_exact() {
            true => format!("{cell}: {sign}{}", number(value)),
            false => format!("{cell}: {sign}{} +- {}", number(value), number(error)),
        }
    }
}

/// What the figures are, said once.
fn what(model: &Predicting<'_>, explainer: &Explainer<'_>) -> String {
    let base = explainer.base();
    let (added, start) = match model.target.task {
        Task::Regression => (format!("`{}`", model.target.name), short(base[0])),
        Task::Classification { classes: 2 } => {
            (format!("the chance of `{}`", model.target.levels[1]), format!("{:.3}", base[1]))
        }
        Task::Classification { .. } => {
            ("the chance of the predicted class".to_owned(), "its base".to_owned())
        }
    };
    let how = match explainer.is_exact() {
        true => "exact Shapley values",
        false => "Shapley values from some orders of the columns, +- standard error",
    };
    format!(
        "reasons are what a cell adds to {added}, from {start} (the mean answer over cells as they were in training) to \
         the prediction: {how}"
    )
}

fn create(path: &Path, model: &Predicting<'_>, names: &[String]) -> Result<CsvWriter> {
    // In brackets, so that no column of the table has the same name.
    let class = (model.target.levels.len() > 2).then_some("(class)");
    let before = class.into_iter().chain(["(answer)", "(base)"]);
    let header: Vec<&str> =
        before.chain(names.iter().map(String::as_str)).chain(["(rest)", "(error)"]).collect();
    CsvWriter::create(path, &header)
}
