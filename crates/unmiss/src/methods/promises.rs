//! What every method of the list promises, for every shape and job on its card: one suite over all of them.
//!
//! A [`Case`] is data of a shape, made for a job, with a way to ask for answers; the promises know no more than that.
//! What only one job promises stands beside its cases.

mod density;
mod fill;
mod images;
mod predict;
mod rate;
mod series;

use serde_json::{Value, json};

use super::{Examples, Job, Layout, Learned, METHODS, Method, find, named};
use crate::data::Shape;
use crate::encode::{Coder, Rows, Targets};
use crate::run::Run;

/// Data to learn from, and a way to ask what was learned.
pub(super) struct Case {
    coder: Coder,
    rows: Rows,
    targets: Option<Targets>,
    /// Settings over the defaults, so that all of this takes seconds.
    settings: Value,
    /// Every answer that a fitted method gives for rows that start at a place of the whole.
    answers: fn(&dyn Learned, &Rows, usize) -> Vec<f64>,
}

impl Case {
    fn fit_on(&self, method: &dyn Method, rows: &Rows, threads: usize) -> Box<dyn Learned> {
        let run = Run::new(3, threads).unwrap();
        let examples = Examples::new(&self.coder, rows, self.targets.as_ref()).unwrap();
        let mut learned = run.compute(|| method.fit(&self.settings, examples, &run)).unwrap();
        run.compute(|| learned.prepare_draws(2, examples, &run)).unwrap();
        learned
    }

    fn fit(&self, method: &dyn Method, threads: usize) -> Box<dyn Learned> {
        self.fit_on(method, &self.rows, threads)
    }

    fn answers(&self, learned: &dyn Learned) -> Vec<f64> {
        (self.answers)(learned, &self.rows, 0)
    }

    fn layout(&self) -> Layout<'_> {
        Layout { coder: &self.coder, task: self.targets.as_ref().map(|targets| targets.task) }
    }
}

/// The cases of a method's shape and job, small ones with few rows.
fn cases(method: &dyn Method, shape: Shape, job: Job, small: bool) -> Vec<Case> {
    match (shape, job) {
        (Shape::Table, Job::Predict) => predict::cases(method, small),
        (Shape::Table, Job::Fill) => fill::cases(small),
        (Shape::Ratings, Job::Rate) => rate::cases(method, small),
        (Shape::Table, Job::Density) => density::cases(small),
        (Shape::Images, job @ (Job::Predict | Job::Fill | Job::Density)) => images::cases(method, job, small),
        (Shape::Series, job @ (Job::Predict | Job::Fill)) => series::cases(method, job, small),
        _ => panic!("there is no case for {shape} and {job}, so nothing would be promised"),
    }
}

/// Every method with every case of every shape and job on its card.
fn all(small: bool) -> Vec<(&'static dyn Method, Case)> {
    let mut all = Vec::new();
    for &method in METHODS {
        assert!(!method.card().does.is_empty(), "{} does nothing", method.name());
        for &(shape, job) in method.card().does {
            all.extend(cases(method, shape, job, small).into_iter().map(|case| (method, case)));
        }
    }
    all
}

/// The rows with nonsense under every mark that says "missing".
pub(super) fn with_garbage(rows: &Rows) -> Rows {
    let mut garbage = rows.clone();
    if let Rows::Images(images) = &mut garbage {
        *images = images.with_garbage();
    }
    if let Rows::Series(series) = &mut garbage {
        *series = series.with_garbage();
    }
    if let Rows::Table(cells) = &mut garbage {
        let hidden = cells.numbers.iter_mut().zip(&cells.numbers_observed).filter(|cell| !cell.1);
        hidden.for_each(|(value, _)| *value = f32::NAN);
        let hidden = cells.codes.iter_mut().zip(&cells.codes_observed).filter(|cell| !cell.1);
        hidden.for_each(|(code, _)| *code = 77);
    }
    garbage
}

#[test]
fn names_settings_and_defaults_agree() {
    for &method in METHODS {
        let (name, defaults) = (method.name(), method.defaults());
        let keys: Vec<&str> = defaults.as_object().unwrap().keys().map(String::as_str).collect();
        let names: Vec<&str> = method.card().settings.iter().map(|setting| setting.name).collect();
        assert_eq!(names, keys, "{name}");
        method.check(&defaults).unwrap();
        method.check(&Value::Null).unwrap();
        method.encoding(&defaults).unwrap();
        assert_eq!(METHODS.iter().filter(|other| other.name() == name).count(), 1, "{name}");
        assert_eq!(named(name).unwrap().name(), name);
        let card = method.card();
        assert!(card.short_lists.iter().all(|entry| card.does.contains(entry)), "{name}");
        for &(shape, job) in card.does {
            assert_eq!(find(name, shape, job).unwrap().name(), name);
        }
    }
}

#[test]
fn unknown_settings_are_refused_with_a_hint() {
    for &method in METHODS {
        let first = method.card().settings[0].name;
        let error = method.check(&json!({ (format!("{first}x")): 1 })).unwrap_err();
        assert!(error.to_string().contains(&format!("`{first}x`")), "{error}");
        assert!(error.hint_text().starts_with(&format!("did you mean `{first}`?")));
        let wrong = json!({ (first): { "an": "object" } });
        assert!(method.check(&wrong).unwrap_err().to_string().starts_with(&format!("setting `{first}`")));
    }
}

#[test]
fn threads_garbage_and_batches_change_nothing() {
    for (method, case) in all(false) {
        let (name, settings) = (method.name(), &case.settings);
        let one = case.fit(method, 1);
        let garbage = with_garbage(&case.rows);
        let two = case.fit_on(method, &garbage, 2);
        assert_eq!(one.save(), two.save(), "{name} {settings}: threads or garbage");
        let answers = case.answers(&*one);
        assert_eq!(answers, case.answers(&*two), "{name} {settings}: threads");
        assert_eq!(answers, (case.answers)(&*one, &garbage, 0), "{name} {settings}: reads garbage");
        let Ok(alone) = case.rows.select(&[7]) else { continue };
        let each = answers.len() / case.rows.len();
        let own = (case.answers)(&*one, &alone, 7);
        assert_eq!(own, answers[7 * each..8 * each], "{name} {settings}: batches");
    }
}

#[test]
fn what_was_learned_comes_back_bit_for_bit_and_damage_is_refused() {
    for (method, case) in all(false) {
        let (name, settings) = (method.name(), &case.settings);
        let learned = case.fit(method, 2);
        let loaded = method.load(settings, case.layout(), &learned.save()).unwrap();
        assert_eq!(case.answers(&*learned), case.answers(&*loaded), "{name} {settings}");
        assert_eq!(learned.summary(), loaded.summary(), "{name} {settings}");
        assert_eq!(learned.save(), loaded.save(), "{name} {settings}");
        assert!(method.load(settings, case.layout(), &Default::default()).is_err(), "{name} {settings}");
    }
}

#[test]
fn little_data_and_nothing_known_get_finite_answers() {
    for (method, case) in all(true) {
        let learned = case.fit(method, 1);
        let mut empty = with_garbage(&case.rows);
        match &mut empty {
            Rows::Table(rows) => {
                rows.numbers_observed.fill(false);
                rows.codes_observed.fill(false);
            }
            Rows::Images(_) => empty = images::emptied(&empty),
            Rows::Series(_) => empty = series::emptied(&empty),
            Rows::Ratings(_) => {}
        }
        for rows in [&case.rows, &empty] {
            let answers = (case.answers)(&*learned, rows, 0);
            assert!(!answers.is_empty() || rows.is_empty(), "{}", method.name());
            assert!(answers.iter().all(|answer| answer.is_finite()), "{} {}", method.name(), rows.len());
        }
    }
}

#[test]
fn a_method_does_what_its_card_says_and_nothing_else() {
    for (method, case) in all(true) {
        let learned = case.fit(method, 1);
        // A method that does several jobs with data of a shape is fitted for one of them.
        let does = |job: Job| {
            let alone = case.targets.is_some() == (job == Job::Predict);
            method.card().does.contains(&(case.coder.shape(), job)) && alone
        };
        assert_eq!(learned.predictor().is_some(), does(Job::Predict), "{}", method.name());
        assert_eq!(learned.imputer().is_some(), does(Job::Fill), "{}", method.name());
        assert_eq!(learned.recommender().is_some(), does(Job::Rate), "{}", method.name());
        assert_eq!(learned.density().is_some(), does(Job::Density), "{}", method.name());
    }
}

#[test]
fn data_of_another_shape_are_an_error() {
    let films = Coder::Ratings(crate::data::ratings::sample().into());
    for (method, case) in all(true) {
        let is_ratings = case.coder.shape() == Shape::Ratings;
        let other = if is_ratings { fill::cases(true).remove(0).coder } else { films.clone() };
        let layout = Layout { coder: &other, ..case.layout() };
        assert!(
            method.load(&case.settings, layout, &case.fit(method, 1).save()).is_err(),
            "{}",
            method.name()
        );
    }
}
