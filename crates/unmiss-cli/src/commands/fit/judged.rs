//! How methods are judged and rows are set aside: options of `fit`, and what is judged when the model is there.

use std::path::PathBuf;
use std::str::FromStr;

use unmiss::compare::{Choosing, Division, Evaluation, Judging, evaluate, set_aside};
use unmiss::data::{BatchOptions, Batches, Data, ReadOptions, Shape};
use unmiss::error::{Error, Place, Result};
use unmiss::methods::find;
use unmiss::metrics::Metric;
use unmiss::model::{Model, Roles};
use unmiss::run::Run;

use super::Arguments;
use crate::commands::evaluate::{Sources, judge_on, text};
use crate::output::wrapped;
use crate::printer::Printer;

/// The share that is held out of ratings, images and series if it is not said.
const USUAL_SHARE: f64 = 0.1;

/// What the model is judged on that it does not learn from.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// A share of the data.
    Share(f64),
    /// Another file.
    File(PathBuf),
}

impl FromStr for Test {
    type Err = String;

    fn from_str(typed: &str) -> std::result::Result<Self, String> {
        match typed.parse::<f64>() {
            Ok(share) if (0.0..=0.5).contains(&share) => Ok(Self::Share(share)),
            Ok(share) => Err(format!("the share {share} is not between 0 and 0.5")),
            Err(_) => Ok(Self::File(typed.into())),
        }
    }
}

/// A figure as typed.
pub fn metric(typed: &str) -> std::result::Result<Metric, String> {
    Metric::named(typed).map_err(|error| match error.hint() {
        Some(hint) => format!("{error}: {}", hint.worded(crate::advice::words)),
        None => error.to_string(),
    })
}

/// Which rows are never parted.
pub fn division(group: Option<&str>, time: Option<&str>) -> Result<Division> {
    match (group, time) {
        (Some(_), Some(_)) => {
            Err(Error::setting("group", "rows can't be divided by group and by time at once")
                .with_hint("say one of --group and --time"))
        }
        (Some(group), None) => Ok(Division::Group(group.to_owned())),
        (None, Some(time)) => Ok(Division::Time(time.to_owned())),
        (None, None) => Ok(Division::Free),
    }
}

impl Arguments {
    /// The file to judge on, if one was named.
    pub(super) fn test_file(&self) -> Option<&PathBuf> {
        match &self.test {
            Some(Test::File(path)) => Some(path),
            _ => None,
        }
    }

    /// Refuses a file to judge on that is not there or lacks a column, before anything is learned.
    pub(super) fn check_test(&self, data: &Data, roles: &Roles) -> Result<()> {
        let Some(path) = self.test_file() else { return Ok(()) };
        let ReadOptions { delimiter, form, missing, .. } = self.input.options()?;
        let options = BatchOptions { delimiter, form, missing, ..BatchOptions::default() };
        let batches = Batches::open(path, &options)?;
        let needed = data.columns().iter().map(|column| &column.name);
        let left_out = |name: &&String| {
            roles
                .id
                .iter()
                .chain(&roles.ignore)
                .chain(&roles.weight)
                .chain(&self.group)
                .any(|own| own == *name)
        };
        match needed.filter(|name| !left_out(name)).find(|name| !batches.header().contains(name)) {
            None => Ok(()),
            Some(name) => {
                let what = format!("there is no column `{name}`, which the model would learn from");
                Err(Error::input(Place::file(path.display().to_string()), what)
                    .with_hint("--test takes a file with the columns of the first one"))
            }
        }
    }

    /// The share of ratings, images or series that methods are measured on.
    pub(super) fn test_share(&self) -> f64 {
        match self.test {
            Some(Test::Share(share)) => share,
            _ => USUAL_SHARE,
        }
    }

    /// How methods are compared and one is chosen.
    pub(super) fn choosing(&self) -> Result<Choosing> {
        for name in &self.without {
            find(name, Shape::Table, unmiss::methods::Job::Predict)?;
        }
        Ok(Choosing {
            folds: self.folds.map(usize::from),
            metric: self.metric,
            threshold: self.threshold,
            division: self.division()?,
            without: self.without.clone(),
            single: self.single,
            tune: usize::from(self.tune),
        })
    }

    fn division(&self) -> Result<Division> {
        division(self.group.as_deref(), self.ratings.time())
    }

    /// Options that only fits of tables know.
    pub(super) fn given_for_tables(&self) -> [(&'static str, bool); 5] {
        [
            ("metric", self.metric.is_some()),
            ("threshold", self.threshold.is_some()),
            ("group", self.group.is_some()),
            ("without", !self.without.is_empty()),
            ("tune", self.tune > 0),
        ]
    }

    /// The rows of a table to learn from, and those set aside to judge by, if any are.
    pub(super) fn set_aside(&self, data: Data, roles: &Roles, seed: u64) -> Result<(Data, Option<Data>)> {
        match self.test {
            Some(Test::Share(share)) if share > 0.0 => {
                let (learning, aside) = set_aside(&data, roles, &self.division()?, share, seed)?;
                Ok((data.select(&learning)?, Some(data.select(&aside)?)))
            }
            _ => Ok((data, None)),
        }
    }

    /// The model judged on what was set aside for it, or on another file.
    pub(super) fn judge(
        &self,
        model: &Model,
        aside: Option<&Data>,
        run: &Run,
        printer: &Printer,
    ) -> Result<Option<Evaluation>> {
        let sources = Sources {
            input: &self.input,
            columns: &self.ratings,
            images: &self.images,
            series: &self.series,
        };
        match (aside, self.test_file()) {
            (Some(rows), _) => {
                let how = Judging { group: self.group.clone(), ..Judging::default() };
                evaluate(model, rows, &how, &run.to_the_end()).map(Some)
            }
            (None, Some(path)) => judge_on(path, model, &sources, &run.to_the_end(), printer).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// What the model was judged on, and how it did.
    pub(super) fn judged_words(&self, found: Option<&Evaluation>) -> String {
        let Some(found) = found else { return String::new() };
        let whence = match self.test_file() {
            Some(path) => format!("On {}", path.display()),
            None => "On the rows set aside, which the model did not learn from".to_owned(),
        };
        let mut words = format!("\n{}\n", wrapped(&format!("{whence}: {}", text::headline(found)), 0));
        for sentence in found.warnings() {
            words.push_str(&(wrapped(&sentence, 0) + "\n"));
        }
        words
    }
}
