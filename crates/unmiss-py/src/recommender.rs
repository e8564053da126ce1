//! A fitted recommender for Python.

use std::collections::BTreeMap;
use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use unmiss::audit::{AuditSettings, audit_ratings};
use unmiss::compare::fit_best_rating;
use unmiss::data::ratings::{Ids, from_rows};
use unmiss::data::{Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::{Job, find};
use unmiss::model::{Aim, Model, Rating, Recipe};
use unmiss::report::sections;

use crate::errors::exception;
use crate::finding::Finding;
use crate::ids::{IdArguments, IdRows, whole_numbers};
use crate::predictor::recipe;
use crate::work::{Manner, compute, work};

/// Users rated at a time.
const USERS_AT_ONCE: usize = 256;

/// A fitted recommender.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct Recommender {
    pub(crate) model: Model,
}

type Numbers<'py> = Bound<'py, PyArray1<f64>>;
type Positions<'py> = Bound<'py, PyArray1<i64>>;

#[pymethods]
impl Recommender {
    /// A recommender from the bytes of its file.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Self> {
        let model = Model::from_bytes(bytes).map_err(PyValueError::new_err)?;
        model.rating().map_err(exception)?;
        Ok(Self { model })
    }

    /// Learns from rows: who, what, and the rating, NaN where there is none. `recipes` are (method, settings as
    /// JSON); one is fitted at once, of several the best on a share of the ratings is taken, and without any the short
    /// list and the blend of it compete.
    #[staticmethod]
    #[allow(clippy::too_many_arguments, reason = "called from one place, with names")]
    fn fit(
        py: Python<'_>,
        users: IdArguments<'_>,
        items: IdArguments<'_>,
        ratings: PyReadonlyArray1<'_, f64>,
        recipes: Vec<(String, String)>,
        share: f64,
        manner: Manner,
    ) -> PyResult<Self> {
        let named: Vec<Recipe> = recipes
            .iter()
            .map(|(name, settings)| recipe(find(name, Shape::Ratings, Job::Rate)?, settings))
            .collect::<Result<_>>()
            .map_err(exception)?;
        let (users, items) = (IdRows::read(py, users)?, IdRows::read(py, items)?);
        let values = ratings.as_slice()?;
        let model = work(py, &manner, move |run| {
            let reading = run.compute(|| from_rows(users.column(), items.column(), values))?;
            drop((users, items));
            reading.notes().into_iter().for_each(|note| run.warn(note));
            match named.as_slice() {
                [recipe] => Model::fit(&Data::from(reading.ratings), &Aim::Rate, recipe, run),
                several => {
                    let all = match several {
                        [] => Recipe::short_list(Shape::Ratings, Job::Rate),
                        several => several.to_vec(),
                    };
                    let chosen =
                        fit_best_rating(&reading.ratings.into(), &all, share, several.is_empty(), run);
                    chosen.map(|(model, _)| model)
                }
            }
        })?;
        Ok(Self { model })
    }

    /// Writes the file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.model.save(&path).map_err(exception)
    }

    /// The bytes of the file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.model.to_bytes().map_err(exception)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type(), (slf.get().to_bytes(slf.py())?,)))
    }

    /// A rating for each pair, known or not.
    fn predict<'py>(
        &self,
        py: Python<'py>,
        users: IdArguments<'py>,
        items: IdArguments<'py>,
        manner: Manner,
    ) -> PyResult<Numbers<'py>> {
        let (users, items) = (IdRows::read(py, users)?, IdRows::read(py, items)?);
        let answers = compute(py, users.len(), &manner, || self.rated(&users, &items))?;
        Ok(answers.into_pyarray(py))
    }

    /// The best items that users have not rated: position of the user, position of the item, rating. Without users,
    /// for all that the model knows.
    fn recommend<'py>(
        &self,
        py: Python<'py>,
        users: Option<IdArguments<'py>>,
        count: usize,
        manner: Manner,
    ) -> PyResult<(Positions<'py>, Positions<'py>, Numbers<'py>)> {
        let users = match users {
            Some(users) => self.known_users(&IdRows::read(py, users)?).map_err(exception)?,
            None => (0..self.rating().ratings.users.len() as u32).collect(),
        };
        let best = work(py, &manner, |run| {
            let (mut whose, mut items, mut scores) = (Vec::new(), Vec::new(), Vec::new());
            let run = run.part("recommend");
            let pieces = users.chunks(USERS_AT_ONCE);
            let total = pieces.len();
            for (done, some) in pieces.enumerate() {
                if run.stopped() {
                    return Err(Error::Stopped);
                }
                for (user, list) in some.iter().zip(run.compute(|| self.rating().top_all(some, count))) {
                    whose.extend(std::iter::repeat_n(i64::from(*user), list.len()));
                    items.extend(list.iter().map(|(item, _)| i64::from(*item)));
                    scores.extend(list.iter().map(|(_, score)| f64::from(*score)));
                }
                run.progress(done as u64 + 1, total as u64, "");
            }
            run.finished();
            Ok((whose, items, scores))
        })?;
        Ok((best.0.into_pyarray(py), best.1.into_pyarray(py), best.2.into_pyarray(py)))
    }

    /// The best items for somebody new, of whom these ratings are known: position of the item, rating; and how many of
    /// the given items the model does not know.
    fn recommend_for<'py>(
        &self,
        py: Python<'py>,
        items: IdArguments<'py>,
        ratings: PyReadonlyArray1<'py, f64>,
        count: usize,
        manner: Manner,
    ) -> PyResult<(Positions<'py>, Numbers<'py>, usize)> {
        let (given, unknown) =
            self.given(&IdRows::read(py, items)?, ratings.as_slice()?).map_err(exception)?;
        let best = compute(py, given.len(), &manner, || Ok(self.rating().top_for(&given, count)))?;
        let items: Vec<i64> = best.iter().map(|(item, _)| i64::from(*item)).collect();
        let scores: Vec<f64> = best.iter().map(|(_, score)| f64::from(*score)).collect();
        Ok((items.into_pyarray(py), scores.into_pyarray(py), unknown))
    }

    /// Ratings of some items for somebody new, of whom these ratings are known; and how many of the given items the
    /// model does not know.
    fn predict_for<'py>(
        &self,
        py: Python<'py>,
        items: IdArguments<'py>,
        ratings: PyReadonlyArray1<'py, f64>,
        asked: IdArguments<'py>,
        manner: Manner,
    ) -> PyResult<(Numbers<'py>, usize)> {
        let (given, unknown) =
            self.given(&IdRows::read(py, items)?, ratings.as_slice()?).map_err(exception)?;
        let asked = IdRows::read(py, asked)?;
        let answers = compute(py, asked.len(), &manner, || {
            asked.column().check()?;
            let places = asked.places(&self.rating().ratings.items);
            let known: Vec<u32> = places.iter().flatten().copied().collect();
            let mut answers = self.rating().rate_for(&given, &known).into_iter();
            let unknown = self.rating().rate_unknown_for(&given);
            let answer = |place: &Option<u32>| place.and_then(|_| answers.next()).unwrap_or(unknown);
            Ok(places.iter().map(answer).map(f64::from).collect::<Vec<f64>>())
        })?;
        Ok((answers.into_pyarray(py), unknown))
    }

    /// Whether predicted ratings drift with how many ratings are known: on pairs held out, if they are given, else on
    /// pairs without a rating. The size is `(pairs, levels, masks)`.
    fn audit<'py>(
        &self,
        py: Python<'py>,
        held_out: Option<(IdArguments<'py>, IdArguments<'py>)>,
        size: (usize, usize, usize),
        manner: Manner,
    ) -> PyResult<Finding> {
        let (rows, levels, masks) = size;
        let settings = AuditSettings { rows, levels, masks, ..AuditSettings::default() };
        let held_out = match held_out {
            Some((users, items)) => {
                let ratings = self.rating().ratings;
                let users = IdRows::read(py, users)?.places(&ratings.users);
                let items = IdRows::read(py, items)?.places(&ratings.items);
                Some(
                    users
                        .into_iter()
                        .zip(items)
                        .filter_map(|(user, item)| user.zip(item))
                        .collect::<Vec<_>>(),
                )
            }
            None => None,
        };
        let found = work(py, &manner, |run| audit_ratings(&self.model, held_out.as_deref(), &settings, run))?;
        Finding::new(&found, sections::rating_audit(&found).map_err(exception)?)
    }

    /// The ids of users or of items, in the order of their positions.
    fn ids(&self, users: bool) -> Vec<String> {
        self.side(users).names().to_vec()
    }

    /// The same as whole numbers, if all are.
    fn whole_ids<'py>(&self, py: Python<'py>, users: bool) -> Option<Positions<'py>> {
        whole_numbers(self.side(users)).map(|numbers| numbers.into_pyarray(py))
    }

    /// How many ratings it learned from.
    #[getter]
    fn count(&self) -> usize {
        self.rating().ratings.len()
    }

    /// The smallest and the largest of them.
    #[getter]
    fn range(&self) -> (f32, f32) {
        self.rating().range()
    }

    /// The recommender's name.
    #[getter]
    fn method(&self) -> &'static str {
        self.model.recipe.method.name()
    }

    /// Its settings as JSON.
    #[getter]
    fn settings(&self) -> String {
        self.model.recipe.settings.to_string()
    }

    /// What is worth knowing about the fit, in sentences.
    #[getter]
    fn words(&self) -> Vec<String> {
        let ratings = self.rating().ratings;
        let (low, high) = self.rating().range();
        let mut words = vec![format!(
            "`{}` learned from {} ratings from {low} to {high} by {} users of {} items; {:.2} % of the pairs are known.",
            self.method(),
            ratings.len(),
            ratings.users.len(),
            ratings.items.len(),
            100.0 * ratings.density()
        )];
        let summary = &self.model.summary;
        words.extend(summary.notes.iter().chain(&summary.cut_off).cloned());
        words
    }

    /// What the recommender says about its fit, as JSON.
    #[getter]
    fn summary(&self) -> String {
        self.model.summary.method.to_string()
    }
}

impl Recommender {
    fn rating(&self) -> Rating<'_> {
        self.model.rating().expect("it was looked at when it was made")
    }

    fn side(&self, users: bool) -> &Ids {
        if users { &self.rating().ratings.users } else { &self.rating().ratings.items }
    }

    /// Ratings of pairs, known or not.
    fn rated(&self, users: &IdRows, items: &IdRows) -> Result<Vec<f64>> {
        users.column().check()?;
        items.column().check()?;
        let ratings = self.rating().ratings;
        let places = users.places(&ratings.users).into_iter();
        let places: Vec<_> = places.zip(items.places(&ratings.items)).collect();
        Ok(self.rating().rate_any(&places).into_iter().map(f64::from).collect())
    }

    fn known_users(&self, users: &IdRows) -> Result<Vec<u32>> {
        users.column().check()?;
        let known = &self.rating().ratings.users;
        let place = |(row, place): (usize, Option<u32>)| {
            place.ok_or_else(|| {
                let user = users.id(row);
                let new = "recommend_for takes the ratings of somebody new";
                Error::data(format!("the model knows no user `{user}`")).with_hint(
                    match known.nearest(user) {
                        Some(near) => format!("did you mean `{near}`? {new}"),
                        None => new.to_owned(),
                    },
                )
            })
        };
        users.places(known).into_iter().enumerate().map(place).collect()
    }

    /// The given ratings of items that the model knows, and how many others there are. Of several for one item the
    /// last counts.
    fn given(&self, items: &IdRows, ratings: &[f64]) -> Result<(Vec<(u32, f32)>, usize)> {
        items.column().check()?;
        let (mut given, mut unknown) = (BTreeMap::new(), 0);
        for (row, (place, rating)) in
            items.places(&self.rating().ratings.items).iter().zip(ratings).enumerate()
        {
            if rating.is_infinite() {
                let what =
                    format!("the rating for item `{}`: `{rating}` is not a finite number", items.id(row));
                return Err(Error::data(what).with_hint("make it a number, or leave it out"));
            }
            match place {
                Some(item) if !rating.is_nan() => drop(given.insert(*item, *rating as f32)),
                Some(_) => {}
                None => unknown += 1,
            }
        }
        Ok((given.into_iter().collect(), unknown))
    }
}
