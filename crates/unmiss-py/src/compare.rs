//! The comparison of methods for Python.

use pyo3::prelude::*;
use unmiss::compare::{Contest, Contestant, Question, Setup};
use unmiss::encode::target::TaskKind;
use unmiss::error::{Error, Result};
use unmiss::methods::{self, Described, IMPUTERS, METHODS};
use unmiss::model::{RecipeOf, Roles};
use unmiss::report::sections;

use crate::errors::exception;
use crate::finding::Finding;
use crate::predictor::recipe;
use crate::table::Table;
use crate::work::{Manner, work};

/// Compares predictors of a target, or imputers if there is none. `methods` are (name, settings as JSON); none: all.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "called from one place, with names")]
pub(crate) fn compare(
    py: Python<'_>,
    table: &Table,
    target: Option<String>,
    methods: Vec<(String, String)>,
    tune: usize,
    folds: usize,
    repeats: usize,
    how: String,
    task: Option<String>,
    manner: Manner,
) -> PyResult<Finding> {
    let contestants = contestants(target.is_none(), methods, tune).map_err(exception)?;
    let question = match target {
        None => Question::Imputers { how, ignore: Vec::new() },
        Some(target) => {
            let task = task.map(|task| match task.as_str() {
                "regression" => TaskKind::Regression,
                _ => TaskKind::Classification,
            });
            Question::Predictors { roles: Roles { task, ..Roles::target(target) }, folds }
        }
    };
    let setup = Setup { question, contestants, repeats };
    let table = &table.table;
    let comparison = work(py, &manner, |run| {
        let comparison = Contest::new(table, setup, run)?.hold(run, |_| Ok(()))?;
        match (comparison.standings.is_empty(), run.stopped()) {
            (_, true) => Err(Error::Stopped),
            (true, _) => {
                Err(Error::data(format!("no method could be compared. {}", comparison.words.join(" "))))
            }
            _ => Ok(comparison),
        }
    })?;
    let sections = sections::compare(&comparison).map_err(exception)?;
    Finding::new(&comparison, sections)
}

fn contestants(imputers: bool, mut named: Vec<(String, String)>, draws: usize) -> Result<Vec<Contestant>> {
    if named.is_empty() {
        let names: Vec<&str> = match imputers {
            true => IMPUTERS.iter().map(|imputer| imputer.name()).collect(),
            false => METHODS.iter().map(|method| method.name()).collect(),
        };
        named = names.into_iter().map(|name| (name.to_owned(), "{}".to_owned())).collect();
        // `auto`, which tries the other imputers itself, comes last.
        named.sort_by_key(|(name, _)| name == "auto");
    }
    let mut contestants = Vec::new();
    for (name, settings) in &named {
        match imputers {
            true => add(&mut contestants, &recipe(methods::find_imputer(name)?, settings)?, draws),
            false => add(&mut contestants, &recipe(methods::find(name)?, settings)?, draws),
        }
    }
    Ok(contestants)
}

/// A method as it is and, if asked for and it has a search space, tuned.
fn add<M: ?Sized + Described>(contestants: &mut Vec<Contestant>, recipe: &RecipeOf<M>, draws: usize) {
    contestants.push(Contestant::new(recipe, 0));
    if draws > 0 && !recipe.method.space().is_empty() {
        contestants.push(Contestant::new(recipe, draws));
    }
}
