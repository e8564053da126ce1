//! An analysis: the regression of every table, its coefficients pooled, its terms tested, and beside it the one of
//! complete rows.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use super::completed::Completed;
use super::design::{Design, Family, Numbers};
use super::faults;
use super::formula::Formula;
use super::regression::{Fit, deviance_at, fit};
use crate::data::Table;
use crate::error::{Error, Result};
use crate::pool::{self, Estimate, JointTest, Pooled, pool, pooled_likelihood_ratio, pooled_wald};
use crate::run::Run;

/// What an analysis is asked for beside its formula.
#[derive(Debug, Clone)]
pub struct Options {
    /// The kind of regression; as what is explained looks if not given.
    pub family: Option<Family>,
    /// Share that intervals hold for.
    pub level: f64,
    /// Reference levels of categories; the first in order if not given.
    pub references: BTreeMap<String, String>,
    /// Terms to be tested together, each as `a + b`. Categories of three levels or more always are.
    pub tests: Vec<String>,
    /// Whether likelihood-ratio tests (D3) are made beside Wald's (D1).
    pub likelihood_ratio: bool,
}

impl Default for Options {
    fn default() -> Self {
        let (family, references, tests) = (None, BTreeMap::new(), Vec::new());
        Self { family, level: 0.95, references, tests, likelihood_ratio: false }
    }
}

/// What was found.
#[derive(Debug, Clone, Serialize)]
pub struct Analysis {
    /// The formula as it was written.
    pub formula: String,
    /// What is explained: a column, or the level whose odds are.
    pub response: String,
    /// The kind of regression.
    pub family: Family,
    /// Rows of each table.
    pub rows: usize,
    /// How many tables.
    pub draws: usize,
    /// Share that intervals hold for.
    pub level: f64,
    /// Degrees of freedom that complete data would have: rows less coefficients.
    pub complete_degrees: f64,
    /// The coefficients, pooled.
    pub coefficients: Vec<Coefficient>,
    /// Categories with the level that others are compared with.
    pub references: Vec<(String, String)>,
    /// Tests of several coefficients at once.
    pub tests: Vec<TermTest>,
    /// The same regression of the rows without holes, where the table with the holes is known.
    pub complete_rows: Option<CompleteRows>,
    /// What to be careful about.
    pub warnings: Vec<String>,
}

impl Analysis {
    /// Whether there are coefficients of the rows without holes.
    pub fn has_complete_rows(&self) -> bool {
        self.complete_rows.as_ref().is_some_and(|complete| complete.failed.is_none())
    }
}

/// A pooled coefficient.
#[derive(Debug, Clone, Serialize)]
pub struct Coefficient {
    /// What it belongs to: `age`, `sex=m`, `age:sex=m`.
    pub term: String,
    /// Estimate, error, interval, test, share of the holes.
    #[serde(flatten)]
    pub pooled: Pooled,
    /// What the coefficient stands for in the chart: one standard deviation of a number, 1 for a level.
    pub unit: f64,
}

impl Coefficient {
    /// exp of the estimate and of the interval's ends: odds ratios of a logistic regression.
    pub fn odds(&self) -> (f64, f64, f64) {
        (self.pooled.estimate.exp(), self.pooled.low.exp(), self.pooled.high.exp())
    }

    /// Whether this is the intercept.
    pub fn is_intercept(&self) -> bool {
        self.term == "(intercept)"
    }
}

/// A test of terms.
#[derive(Debug, Clone, Serialize)]
pub struct TermTest {
    /// The terms: `unit`, `sodium + potassium`.
    pub terms: String,
    /// The test.
    #[serde(flatten)]
    pub test: JointTest,
}

/// The regression of rows without holes.
#[derive(Debug, Clone, Serialize)]
pub struct CompleteRows {
    /// How many there are.
    pub rows: usize,
    /// The coefficients, if there is an answer.
    pub coefficients: Vec<RowsCoefficient>,
    /// Why there is none.
    pub failed: Option<String>,
}

/// A coefficient of the rows without holes.
#[derive(Debug, Clone, Serialize)]
pub struct RowsCoefficient {
    /// What it belongs to.
    pub term: String,
    /// The estimate.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// The p value, two-sided.
    pub p_value: f64,
}

/// Fits the formula to every table and pools.
///
/// # Errors
/// When the formula does not suit the tables, holes are left, or a regression has no answer.
pub fn analyse(formula: &str, completed: &Completed, options: &Options, run: &Run) -> Result<Analysis> {
    check(options)?;
    let formula = Formula::parse(formula, completed.first())?;
    completed.check_full(&formula.columns())?;
    let design = Design::new(&formula, completed, options.family, &options.references)?;
    let tests = asked_tests(&formula, &design, completed.first(), options)?;
    let one = |(name, table): &(String, Table)| {
        let numbers = numbers(&design, name, table)?;
        let fit = fitted(&design, name, &numbers, None)?;
        let reduced = match options.likelihood_ratio {
            true => tests.iter().map(|test| fitted(&design, name, &numbers, Some(&test.columns))).collect(),
            false => Ok(Vec::new()),
        };
        Ok(FittedTable { units: units(&numbers), fit, reduced: reduced? })
    };
    // All tables are fitted before any error is told, so that it is always the first table's.
    let outcomes: Vec<Result<FittedTable>> = run.compute(|| completed.named().par_iter().map(one).collect());
    let fits = outcomes.into_iter().collect::<Result<Vec<_>>>()?;
    let rows = completed.first().rows();
    let complete_degrees = (rows - design.names.len()) as f64;
    let coefficients = coefficients(&design, &fits, complete_degrees, options.level)?;
    let mut found = Vec::new();
    for (place, asked) in tests.iter().enumerate() {
        let terms = asked.terms.clone();
        found.push(TermTest { terms: terms.clone(), test: wald(&asked.columns, &fits, complete_degrees)? });
        if options.likelihood_ratio {
            let test = likelihood_ratio(&design, completed, &fits, place, &asked.columns)?;
            found.push(TermTest { terms, test });
        }
    }
    Ok(Analysis {
        formula: formula.text.clone(),
        response: design.response_name.clone(),
        family: design.family,
        rows,
        draws: completed.len(),
        level: options.level,
        complete_degrees,
        coefficients,
        references: design.references.clone(),
        tests: found,
        complete_rows: completed
            .original()
            .map(|(name, table)| complete_rows(&formula, &design, name, table, options.level))
            .transpose()?,
        warnings: completed.record.iter().flat_map(pool::Record::warnings).collect(),
    })
}

/// A table's regressions.
struct FittedTable {
    fit: Fit,
    /// Without the terms of each test.
    reduced: Vec<Fit>,
    units: Vec<f64>,
}

/// Terms to be tested together.
struct Asked {
    terms: String,
    /// Their columns of X.
    columns: Vec<usize>,
}

fn check(options: &Options) -> Result<()> {
    if !(options.level > 0.0 && options.level < 1.0) {
        return Err(Error::setting("level", format!("{} is not between 0 and 1", options.level))
            .with_hint("0.95 stands for 95 % intervals"));
    }
    Ok(())
}

/// Categories of three levels or more, and what was asked for.
fn asked_tests(formula: &Formula, design: &Design, table: &Table, options: &Options) -> Result<Vec<Asked>> {
    let categories = design.terms.iter().filter(|term| term.is_category && term.columns.len() > 1);
    let mut tests: Vec<Asked> = categories
        .map(|term| Asked { terms: term.name.clone(), columns: term.columns.clone().collect() })
        .collect();
    for asked in &options.tests {
        let places = formula.places(asked, table)?;
        let terms: Vec<&str> = places.iter().map(|place| design.terms[*place].name.as_str()).collect();
        let columns = places.iter().flat_map(|place| design.terms[*place].columns.clone()).collect();
        tests.push(Asked { terms: terms.join(" + "), columns });
    }
    Ok(tests)
}

/// X and y of a table, all of them numbers.
fn numbers(design: &Design, name: &str, table: &Table) -> Result<Numbers> {
    let numbers = design.numbers(table)?;
    let names = design.names.iter().map(String::as_str).chain([design.response_name.as_str()]);
    for (values, of) in numbers.columns.iter().chain([&numbers.response]).zip(names) {
        if let Some(row) = values.iter().position(|value| !value.is_finite()) {
            let what = format!("{name}, row {}: `{of}` is no number there", row + 1);
            return Err(Error::data(what)
                .with_hint("logarithms and roots need numbers above 0: see `unmiss impute --within`"));
        }
    }
    Ok(numbers)
}

/// The regression of a table, with all columns or without some.
fn fitted(design: &Design, name: &str, numbers: &Numbers, without: Option<&[usize]>) -> Result<Fit> {
    let Numbers { columns, response } = numbers;
    let result = match without {
        None => fit(design.family, columns, response),
        Some(left_out) => fit(design.family, &without_columns(columns, left_out), response),
    };
    result.map_err(|fault| faults::error(&fault, design, name, response.len()))
}

fn without_columns(columns: &[Vec<f64>], left_out: &[usize]) -> Vec<Vec<f64>> {
    let kept = columns.iter().enumerate().filter(|(place, _)| !left_out.contains(place));
    kept.map(|(_, column)| column.clone()).collect()
}

/// The standard deviation of each column of X, or 1 for columns of 0 and 1.
fn units(numbers: &Numbers) -> Vec<f64> {
    let unit = |column: &Vec<f64>| {
        if column.iter().all(|value| *value == 0.0 || *value == 1.0) {
            return 1.0;
        }
        let rows = column.len() as f64;
        let mean = column.iter().sum::<f64>() / rows;
        (column.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (rows - 1.0)).sqrt()
    };
    numbers.columns.iter().map(unit).collect()
}

fn coefficients(
    design: &Design,
    fits: &[FittedTable],
    complete: f64,
    level: f64,
) -> Result<Vec<Coefficient>> {
    let one = |(place, term): (usize, &String)| {
        let estimate = |own: &FittedTable| Estimate {
            value: own.fit.coefficients[place],
            variance: own.fit.covariance.at(place, place),
        };
        let estimates: Vec<Estimate> = fits.iter().map(estimate).collect();
        let unit = fits.iter().map(|own| own.units[place]).sum::<f64>() / fits.len() as f64;
        Ok(Coefficient { term: term.clone(), pooled: pool(&estimates, Some(complete), level)?, unit })
    };
    design.names.iter().enumerate().map(one).collect()
}

fn wald(columns: &[usize], fits: &[FittedTable], complete: f64) -> Result<JointTest> {
    let part = |own: &FittedTable| columns.iter().map(|place| own.fit.coefficients[*place]).collect();
    let estimates: Vec<Vec<f64>> = fits.iter().map(part).collect();
    let covariances: Vec<Vec<f64>> = fits.iter().map(|own| own.fit.covariance.part(columns).cells).collect();
    pooled_wald(&estimates, &covariances, Some(complete))
}

/// The likelihood-ratio test of one of the tests: `place` among them.
fn likelihood_ratio(
    design: &Design,
    completed: &Completed,
    fits: &[FittedTable],
    place: usize,
    left_out: &[usize],
) -> Result<JointTest> {
    let mean = |of: &dyn Fn(&FittedTable) -> f64| fits.iter().map(of).sum::<f64>() / fits.len() as f64;
    let own = mean(&|own| own.reduced[place].deviance - own.fit.deviance);
    let average = |of: &dyn Fn(&FittedTable) -> &Fit| -> Vec<f64> {
        let width = fits.first().map_or(0, |own| of(own).coefficients.len());
        (0..width).map(|at| mean(&|own| of(own).coefficients[at])).collect()
    };
    let (full, reduced) = (average(&|own| &own.fit), average(&|own| &own.reduced[place]));
    let mut pooled = 0.0;
    for table in completed.tables() {
        let Numbers { columns, response } = design.numbers(table)?;
        let kept = without_columns(&columns, left_out);
        let kind = (design.family, design.intercept);
        pooled +=
            deviance_at(kind, &kept, &response, &reduced) - deviance_at(kind, &columns, &response, &full);
    }
    Ok(pooled_likelihood_ratio(own, pooled / fits.len() as f64, left_out.len(), fits.len()))
}

/// The regression of the rows in which all columns of the formula are known.
fn complete_rows(
    formula: &Formula,
    design: &Design,
    name: &str,
    table: &Table,
    level: f64,
) -> Result<CompleteRows> {
    let needed = formula.columns();
    let columns = needed.iter().map(|name| table.column(name)).collect::<Result<Vec<_>>>()?;
    let is_known = |row: &usize| columns.iter().all(|column| column.observed[*row]);
    let known: Vec<usize> = (0..table.rows()).filter(is_known).collect();
    let part = table.part(&known, |column| needed.contains(&column.name));
    let name = format!("the complete rows of {name}");
    let found = numbers(design, &name, &part).and_then(|numbers| fitted(design, &name, &numbers, None));
    let rows = known.len();
    match found {
        Err(error) => Ok(CompleteRows { rows, coefficients: Vec::new(), failed: Some(error.to_string()) }),
        Ok(fit) => {
            // Of a logistic regression only the normal distribution for many rows is known.
            let degrees = match design.family {
                Family::Linear => (rows - design.names.len()) as f64,
                Family::Logistic => f64::INFINITY,
            };
            let one = |(place, term): (usize, &String)| {
                let (estimate, error) = (fit.coefficients[place], fit.covariance.at(place, place).sqrt());
                let half = pool::quantile(degrees, 0.5 + level / 2.0) * error;
                RowsCoefficient {
                    term: term.clone(),
                    estimate,
                    standard_error: error,
                    low: estimate - half,
                    high: estimate + half,
                    p_value: pool::two_sided(degrees, estimate / error),
                }
            };
            let coefficients = design.names.iter().enumerate().map(one).collect();
            Ok(CompleteRows { rows, coefficients, failed: None })
        }
    }
}
