//! Options that say which columns of a table hold series, shared by every command that reads them.

use std::path::{Path, PathBuf};

use unmiss::data::series::{self, Form, SeriesOptions, SeriesReading, SeriesRoles, Span};
use unmiss::data::{ReadOptions, Shape};
use unmiss::error::{Error, Result};
use unmiss::model::Model;

use crate::advice::remark;
use crate::input::RatingColumns;
use crate::printer::Printer;

/// Which columns hold series. With `--series`, the data are series and not a table.
#[derive(clap::Args, Default, Clone)]
#[command(next_help_heading = "Series")]
pub struct SeriesArguments {
    /// The column that tells series apart; the data are then series, with times in `--time COLUMN`
    #[arg(long, value_name = "COLUMN")]
    series: Option<String>,
    /// Of a table with a row for each value: the column that names what was measured
    #[arg(long, value_name = "COLUMN", requires = "value")]
    variable: Option<String>,
    /// Of a table with a row for each value: the column of values
    #[arg(long, value_name = "COLUMN", requires = "variable")]
    value: Option<String>,
    /// A table with a row for each series: what does not change over time
    #[arg(long = "static", value_name = "FILE")]
    statics: Option<PathBuf>,
    /// A table with a row for each series, of which the target is taken and nothing else
    #[arg(long, value_name = "FILE")]
    targets: Option<PathBuf>,
    /// Take of each series what was known so long after its start, as 6h: models of early answers
    #[arg(long, value_name = "SPAN")]
    after: Option<Span>,
    /// Put times in bins of this width, as 10min, 1h or a number in the unit of the times
    #[arg(long, value_name = "SPAN")]
    step: Option<Span>,
}

impl SeriesArguments {
    /// The shape of the data, these options told.
    pub fn shape(&self, ratings: &RatingColumns, path: &Path) -> Result<Shape> {
        let shape = match self.series.is_some() || (ratings.told().is_none() && series::is_series(path)) {
            true => Shape::Series,
            false => ratings.shape(path),
        };
        self.only_for_series(shape).map(|()| shape)
    }

    /// The same for data of which a column is predicted: what has a target and a column of times, and nothing else that
    /// would say so, is a table whose rows follow each other.
    pub fn shape_of_rows(&self, target: Option<&str>, ratings: &RatingColumns, path: &Path) -> Result<Shape> {
        match target.is_some()
            && self.series.is_none()
            && ratings.is_of_time_alone()
            && !series::is_series(path)
        {
            true => self.only_for_series(Shape::Table).map(|()| Shape::Table),
            false => self.shape(ratings, path),
        }
    }

    /// Refuses these options for data that are no series.
    pub fn only_for_series(&self, shape: Shape) -> Result<()> {
        let given = [
            ("variable", self.variable.is_some()),
            ("static", self.statics.is_some()),
            ("targets", self.targets.is_some()),
            ("after", self.after.is_some()),
            ("step", self.step.is_some()),
        ];
        match given.iter().find(|(_, given)| *given && shape != Shape::Series) {
            Some((name, _)) => Err(Error::setting(*name, "this is for series, and the data are none")
                .with_hint("say --series COLUMN --time COLUMN for a table of series")),
            None => Ok(()),
        }
    }

    /// Whether series are cut off.
    pub fn cuts(&self) -> bool {
        self.after.is_some()
    }

    /// The files that are read beside the series.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.statics.iter().chain(&self.targets)
    }

    /// Reads series and tells what the reader noticed. What is not said is as it was when a model learned.
    pub fn read(
        &self,
        path: &Path,
        ratings: &RatingColumns,
        (read, target): (ReadOptions, Option<&str>),
        model: Option<&Model>,
        printer: &Printer,
    ) -> Result<SeriesReading> {
        let (form, mut roles) = (self.form(path, ratings, model)?, SeriesRoles::default());
        if let Some(coder) = model.and_then(|model| model.coder.series().ok()) {
            roles.variables = coder.variables.iter().map(|own| own.name.clone()).collect();
            roles.clock = Some(coder.clock);
            roles.statics = coder.statics.iter().flat_map(|own| own.names()).map(str::to_owned).collect();
        }
        let options = SeriesOptions {
            form,
            statics: self.statics.clone(),
            targets: self.targets.clone(),
            target: target.map(str::to_owned),
            roles,
            after: self.after,
            step: self.step,
            read,
        };
        let reading = series::read(path, &options)?;
        reading.notes.iter().for_each(|note| printer.say(&remark(note)));
        if let Some(coder) = model.and_then(|model| model.coder.series().ok()) {
            let differs = coder.after.filter(|after| reading.series.after != Some(*after));
            if let Some(after) = differs {
                let after = coder.clock.words(after);
                printer.say(&format!(
                    "warning: the model learned from what was known {after} after the start of each series, and these \
                     series are {}: say --after with that span",
                    if reading.series.after.is_some() { "cut off elsewhere" } else { "not cut off" }
                ));
            }
        }
        Ok(reading)
    }

    fn form(&self, path: &Path, ratings: &RatingColumns, model: Option<&Model>) -> Result<Form> {
        let mut form = model.and_then(|model| model.coder.series().ok()).map(|coder| coder.form.clone());
        let long = self.variable.clone().zip(self.value.clone());
        if let Some(series) = self.series.clone() {
            let time =
                ratings.time().map(str::to_owned).or_else(|| form.as_ref().map(|form| form.time.clone()));
            let time = time.filter(|time| !time.is_empty()).ok_or_else(|| {
                Error::setting("time", "it is not said which column holds the times")
                    .with_hint("say --time COLUMN")
            })?;
            form = Some(Form { series, time, long: None });
        }
        let mut form = form.unwrap_or_default();
        if long.is_some() {
            form.long = long;
        }
        match form.series.is_empty() && !series::is_series(path) {
            true => Err(Error::setting("series", "it is not said which columns hold the series").with_hint(
                "say --series ID --time TIME, and for a table with a row for each value --variable NAME --value VALUE",
            )),
            false => Ok(form),
        }
    }
}
