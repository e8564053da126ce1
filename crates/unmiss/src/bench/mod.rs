//! Published tables and figures, re-run: one file each with its settings, the published figures, what other
//! tools were measured to give, and ours.
//!
//! A [`Bench`] is found through the list [`BENCHES`]; it takes a [`Request`] and gives a [`Report`], a plain
//! account that a program prints or writes as JSON. A report also says which of the published claims hold
//! here, which do not, and which the repetitions can't decide.

mod folder;
pub mod imputation;
mod network;
pub mod nhis_like;
mod page;
pub mod ratings;
mod repeat;
pub mod report;
pub mod theorems;
mod treatment;
pub mod uci_dropout;
pub mod uci_replication;

use std::path::PathBuf;

use crate::error::{Error, Result, nearest};
use crate::run::Run;
pub use report::{Cell, Claim, Figure, Report, Section, Verdict};

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
    run: fn(&Request, &Run) -> Result<Report>,
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

/// All benches.
pub const BENCHES: &[&Bench] = &[
    &uci_replication::BENCH,
    &uci_dropout::BENCH,
    &theorems::BENCH,
    &nhis_like::BENCH,
    &imputation::BENCH,
    &ratings::SMALL,
    &ratings::MIDDLE,
    &ratings::LARGE,
    &ratings::DOUBAN,
    &ratings::FLIXSTER,
    &ratings::YAHOO,
];

/// The bench of a name.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Bench> {
    BENCHES.iter().copied().find(|bench| bench.name == name).ok_or_else(|| {
        let names = || BENCHES.iter().map(|bench| bench.name);
        let hint = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the tables are: {}", names().collect::<Vec<_>>().join(", ")),
        };
        Error::setting("name", format!("there is no table `{name}`")).with_hint(hint)
    })
}

impl Request {
    /// Those of one kind of part that are asked for: all, unless some of them are named.
    fn chosen<T: Clone>(&self, all: &[T], name: impl Fn(&T) -> String) -> Vec<T> {
        let named: Vec<T> = all.iter().filter(|part| self.only.contains(&name(part))).cloned().collect();
        if named.is_empty() { all.to_vec() } else { named }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_get_a_hint() {
        let error = find("uci-replicaton").err().unwrap();
        assert_eq!(error.hint_text(), "did you mean `uci-replication`?");
        let request = Request { seeds: 1, only: vec!["bostn".into()], ..Request::default() };
        let error = uci_replication::BENCH.run(&request, &Run::new(0, 1).unwrap()).unwrap_err();
        assert_eq!(error.hint_text(), "did you mean `boston`?");
    }

    #[test]
    fn a_kind_of_part_that_is_not_named_stays_whole() {
        let request = Request { only: vec!["b".into()], ..Request::default() };
        assert_eq!(request.chosen(&["a", "b"], |part| (*part).to_owned()), ["b"]);
        assert_eq!(request.chosen(&["x", "y"], |part| (*part).to_owned()), ["x", "y"]);
    }

    #[test]
    fn names_of_parts_are_distinct() {
        for bench in BENCHES {
            let mut parts: Vec<String> = (bench.parts)().into_iter().flatten().collect();
            let count = parts.len();
            parts.sort_unstable();
            parts.dedup();
            assert_eq!(parts.len(), count, "{}", bench.name);
        }
    }
}
