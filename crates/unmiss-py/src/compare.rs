//! The comparison of methods for Python.

use pyo3::prelude::*;
use unmiss::compare::{Comparison, Contest, Contestant, Division, Question, Setup};
use unmiss::data::images::LABEL;
use unmiss::data::{Data, Shape};
use unmiss::encode::target::TaskKind;
use unmiss::error::{Error, Result};
use unmiss::methods::{Job, find, methods_for};
use unmiss::missing::Cover;
use unmiss::model::Roles;
use unmiss::report::sections;
use unmiss::run::Run;

use crate::errors::{exception, unwritable};
use crate::finding::Finding;
use crate::instances::Instances;
use crate::predictor::recipe;
use crate::table::Table;
use crate::work::{Manner, work};

/// A comparison that is to be made: at once, or fit by fit on many machines.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct Comparing {
    data: Data,
    setup: Setup,
}

#[pymethods]
impl Comparing {
    /// Of predictors of a target, or imputers if there is none. `methods` are (name, settings as JSON); none: all.
    #[staticmethod]
    #[allow(clippy::too_many_arguments, reason = "called from one place, with names")]
    fn of_table(
        table: &Table,
        target: Option<String>,
        methods: Vec<(String, String)>,
        tune: usize,
        folds: usize,
        repeats: usize,
        how: String,
        task: Option<String>,
    ) -> PyResult<Self> {
        let job = if target.is_none() { Job::Fill } else { Job::Predict };
        let contestants = contestants(Shape::Table, job, methods, tune).map_err(exception)?;
        let question = match target {
            None => Question::Imputers { how, ignore: Vec::new() },
            Some(target) => {
                let roles = Roles { task: task.map(kind), ..Roles::target(target) };
                Question::Predictors { roles, folds, division: Division::Free }
            }
        };
        Ok(Self { data: table.data.clone(), setup: Setup { question, contestants, repeats } })
    }

    /// Of methods that tell the classes of images, or imputers of images if `how` says how pixels are hidden; `usual`
    /// is what suits the images.
    #[staticmethod]
    fn of_images(
        images: &Instances,
        how: Option<String>,
        methods: Vec<(String, String)>,
        tune: usize,
        folds: usize,
        repeats: usize,
        task: Option<String>,
    ) -> PyResult<Self> {
        let data = images.data.clone();
        let job = if how.is_some() { Job::Fill } else { Job::Predict };
        let contestants = contestants(Shape::Images, job, methods, tune).map_err(exception)?;
        let question = match how.as_deref() {
            Some("usual") => {
                Question::Pixels { how: Cover::usual(data.images().map_err(exception)?).to_string() }
            }
            Some(how) => Question::Pixels { how: how.to_owned() },
            None => {
                let roles = Roles { task: task.map(kind), ..Roles::target(LABEL) };
                Question::Predictors { roles, folds, division: Division::Free }
            }
        };
        Ok(Self { data, setup: Setup { question, contestants, repeats } })
    }

    /// Makes all of it.
    fn hold(&self, py: Python<'_>, manner: Manner) -> PyResult<Finding> {
        found(&work(py, &manner, |run| {
            self.contest(run)?.hold(run, |_| Ok(())).and_then(|all| some(all, run))
        })?)
    }

    /// How many fits it is made of.
    fn tasks(&self, py: Python<'_>, manner: Manner) -> PyResult<usize> {
        work(py, &manner, |run| Ok(self.contest(run)?.tasks().len()))
    }

    /// Makes one of the fits: the comparison with that alone, as JSON.
    fn one(&self, py: Python<'_>, number: usize, manner: Manner) -> PyResult<String> {
        let made = work(py, &manner, |run| {
            let contest = self.contest(run)?;
            let task = contest.tasks().get(number).copied();
            contest.hold_one(task.ok_or_else(|| Error::data("there is no such fit"))?, run)
        })?;
        serde_json::to_string(&made).map_err(unwritable)
    }

    /// Puts fits together that were made one by one.
    fn join(&self, py: Python<'_>, made: Vec<String>, manner: Manner) -> PyResult<Finding> {
        let read = |json: &String| serde_json::from_str(json).map_err(unwritable);
        let made: Vec<Comparison> = made.iter().map(read).collect::<PyResult<_>>()?;
        found(&work(py, &manner, |run| self.contest(run)?.join(made).and_then(|all| some(all, run)))?)
    }
}

impl Comparing {
    fn contest(&self, run: &Run) -> Result<Contest> {
        Contest::new(&self.data, self.setup.clone(), run)
    }
}

/// The comparison, if it came to anything.
fn some(comparison: Comparison, run: &Run) -> Result<Comparison> {
    match (comparison.standings.is_empty(), run.stopped()) {
        (_, true) => Err(Error::Stopped),
        (true, _) => Err(Error::data(format!("no method could be compared. {}", comparison.words.join(" ")))),
        _ => Ok(comparison),
    }
}

fn found(comparison: &Comparison) -> PyResult<Finding> {
    let sections = sections::compare(comparison).map_err(exception)?;
    Finding::new(comparison, sections)
}

fn kind(task: String) -> TaskKind {
    match task.as_str() {
        "regression" => TaskKind::Regression,
        _ => TaskKind::Classification,
    }
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
