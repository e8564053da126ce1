//! The comparison of methods for Python.

use pyo3::prelude::*;
use unmiss::compare::{Contest, Contestant, Division, Question, Setup};
use unmiss::data::images::LABEL;
use unmiss::data::{Data, Shape};
use unmiss::encode::target::TaskKind;
use unmiss::error::{Error, Result};
use unmiss::methods::{Job, find, methods_for};
use unmiss::missing::Cover;
use unmiss::model::Roles;
use unmiss::report::sections;

use crate::errors::exception;
use crate::finding::Finding;
use crate::instances::Instances;
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
    let job = if target.is_none() { Job::Fill } else { Job::Predict };
    let contestants = contestants(Shape::Table, job, methods, tune).map_err(exception)?;
    let question = match target {
        None => Question::Imputers { how, ignore: Vec::new() },
        Some(target) => Question::Predictors {
            roles: Roles { task: task.map(kind), ..Roles::target(target) },
            folds,
            division: Division::Free,
        },
    };
    held(py, &table.data, Setup { question, contestants, repeats }, &manner)
}

/// Compares methods that tell the classes of images, or imputers of images if `how` says how pixels are hidden; `usual`
/// is what suits the images.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "called from one place, with names")]
pub(crate) fn compare_images(
    py: Python<'_>,
    images: &Instances,
    how: Option<String>,
    methods: Vec<(String, String)>,
    tune: usize,
    folds: usize,
    repeats: usize,
    task: Option<String>,
    manner: Manner,
) -> PyResult<Finding> {
    let data = &images.data;
    let job = if how.is_some() { Job::Fill } else { Job::Predict };
    let contestants = contestants(Shape::Images, job, methods, tune).map_err(exception)?;
    let question = match how.as_deref() {
        Some("usual") => {
            Question::Pixels { how: Cover::usual(data.images().map_err(exception)?).to_string() }
        }
        Some(how) => Question::Pixels { how: how.to_owned() },
        None => Question::Predictors {
            roles: Roles { task: task.map(kind), ..Roles::target(LABEL) },
            folds,
            division: Division::Free,
        },
    };
    held(py, data, Setup { question, contestants, repeats }, &manner)
}

fn kind(task: String) -> TaskKind {
    match task.as_str() {
        "regression" => TaskKind::Regression,
        _ => TaskKind::Classification,
    }
}

/// Makes the comparison.
fn held(py: Python<'_>, data: &Data, setup: Setup, manner: &Manner) -> PyResult<Finding> {
    let comparison = work(py, manner, |run| {
        let comparison = Contest::new(data, setup, run)?.hold(run, |_| Ok(()))?;
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

fn contestants(
    shape: Shape,
    job: Job,
    mut named: Vec<(String, String)>,
    draws: usize,
) -> Result<Vec<Contestant>> {
    if named.is_empty() {
        let names = methods_for(shape, job).map(|method| method.name().to_owned());
        named = names.map(|name| (name, "{}".to_owned())).collect();
        // `auto`, which tries the other imputers itself, comes last.
        named.sort_by_key(|(name, _)| name == "auto");
    }
    let mut contestants = Vec::new();
    for (name, settings) in &named {
        let recipe = recipe(find(name, shape, job)?, settings)?;
        contestants.push(Contestant::new(&recipe, 0));
        // A method without a search space is what it is.
        if draws > 0 && !recipe.method.card().space.is_empty() {
            contestants.push(Contestant::new(&recipe, draws));
        }
    }
    Ok(contestants)
}
