//! What is asked for, and who answers: a bench by its name.

use std::path::PathBuf;

use super::report::Report;
use crate::error::{Error, Result, nearest};
use crate::run::Run;

/// What is to be run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// The folder with the data sets.
    pub data: PathBuf,
    /// How often everything is repeated, each time with another seed.
    pub seeds: usize,
    /// Names of parts (data sets, methods, ...); where some of a kind are named, the others are left out.
    pub only: Vec<String>,
}

impl Request {
    /// Those of one kind of part that are asked for: all, unless some of them are named.
    pub(super) fn chosen<T: Clone>(&self, all: &[T], name: impl Fn(&T) -> String) -> Vec<T> {
        let named: Vec<T> = all.iter().filter(|part| self.only.contains(&name(part))).cloned().collect();
        if named.is_empty() { all.to_vec() } else { named }
    }
}

/// One published table or figure.
pub struct Bench {
    /// The name by which it is called.
    pub name: &'static str,
    /// What it shows, in one line.
    pub title: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// The files it reads, under the folder of data.
    pub files: &'static [&'static str],
    /// What `only` can choose from, one list for each kind of part.
    pub parts: fn() -> Vec<Vec<String>>,
    pub(super) run: fn(&Request, &Run) -> Result<Report>,
}

impl Bench {
    /// Runs it. Stopped from outside, the report has what was done until then.
    ///
    /// # Errors
    /// When a file is missing or can't be used, a name in `only` is unknown, or there is nothing to repeat.
    pub fn run(&self, request: &Request, run: &Run) -> Result<Report> {
        if request.seeds == 0 {
            return Err(Error::setting("seeds", "at least one repetition is needed"));
        }
        let known: Vec<String> = (self.parts)().into_iter().flatten().collect();
        for word in &request.only {
            if !known.contains(word) {
                let hint = match nearest(word, known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the parts are: {}", known.join(", ")),
                };
                let what = format!("`{}` has no part `{word}`", self.name);
                return Err(Error::setting("only", what).with_hint(hint));
            }
        }
        (self.run)(request, &run.part(self.name))
    }
}
