//! How methods are to be compared and one is to be chosen: by which figure, and which rows belong together.

use serde::{Deserialize, Serialize};

use super::evaluation::groups_of;
use crate::data::series::Clock;
use crate::data::{Data, Values};
use crate::encode::Task;
use crate::error::{Error, Result};
use crate::methods::folds::{Folds, Ties};
use crate::metrics::Metric;
use crate::model::Roles;

/// How methods are compared and one is chosen; what is not said is as usual.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choosing {
    /// Folds of the cross-validation; none: as many as suit the rows.
    pub folds: Option<usize>,
    /// The figure that methods are ordered by, and that a threshold is chosen by; none: log-loss or RMSE.
    pub metric: Option<Metric>,
    /// From which chance on the second of two classes is said; none: chosen by the figure, or a half.
    pub threshold: Option<f64>,
    /// Which rows are never parted.
    pub division: Division,
    /// Methods that take no part in a mean of several.
    pub without: Vec<String>,
    /// Whether the best of the methods that the effort of a mean names is kept in place of the mean.
    pub single: bool,
    /// Random settings that are tried for each method, on rows set aside inside of what is compared; 0: none.
    pub tune: usize,
}

impl From<Option<usize>> for Choosing {
    fn from(folds: Option<usize>) -> Self {
        Self { folds, ..Self::default() }
    }
}

impl Choosing {
    /// Refuses figures and thresholds that mean nothing for a task.
    pub(super) fn check(&self, task: Task) -> Result<()> {
        self.metric.map_or(Ok(()), |metric| metric.check(task))?;
        let what = match (self.threshold, task) {
            (None, _) => return Ok(()),
            (Some(own), Task::Classification { classes: 2 }) if (0.0..=1.0).contains(&own) => return Ok(()),
            (Some(own), Task::Classification { classes: 2 }) => format!("{own} is not between 0 and 1"),
            (Some(_), _) => "a threshold is for targets of two classes".to_owned(),
        };
        Err(Error::setting("threshold", what)
            .with_hint("it is the chance from which on the second class is said, as --threshold 0.3"))
    }
}

/// Which rows may be learned from to judge which.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Division {
    /// Any others.
    #[default]
    Free,
    /// Those of other groups, as persons or clinics: the column that names them, which is no input.
    Group(String),
    /// Earlier ones: the column with the time of each row.
    Time(String),
}

impl Division {
    /// Whether nothing ties rows together.
    pub fn is_free(&self) -> bool {
        *self == Self::Free
    }

    /// The roles of columns: one that tells groups apart is no input.
    pub(super) fn roles(&self, roles: &Roles) -> Roles {
        let mut roles = roles.clone();
        if let Self::Group(name) = self
            && !roles.id.iter().chain(&roles.ignore).any(|own| own == name)
        {
            roles.ignore.push(name.clone());
        }
        roles
    }

    /// Refuses folds of which too few have rows, as of rows of one day.
    pub(super) fn check(&self, folds: &Folds) -> Result<()> {
        let empty =
            folds.first.as_ref().is_some_and(Vec::is_empty) || folds.held_out.iter().any(Vec::is_empty);
        match (self, folds.held_out.len() < 2 || empty) {
            (Self::Time(name), true) => {
                Err(Error::setting("time", format!("the rows are of too few different times by `{name}`"))
                    .with_hint("ask for fewer folds, or name a column that tells when each row was"))
            }
            _ => Ok(()),
        }
    }

    /// What ties the rows whose target is known.
    pub(super) fn ties(&self, data: &Data, roles: &Roles) -> Result<Ties> {
        let known = &data.column(&roles.target)?.observed;
        let rows: Vec<usize> = (0..data.rows()).filter(|&row| known[row]).collect();
        Ok(match self {
            Self::Free => Ties::Free,
            Self::Group(name) => Ties::Groups(groups_of(data.column(name)?, &rows)?),
            Self::Time(name) => Ties::Times(times(data, name, &rows)?),
        })
    }

    /// How rows are divided, as the end of a sentence; nothing where they are free.
    pub fn words(&self) -> String {
        match self {
            Self::Free => String::new(),
            Self::Group(name) => format!(", rows of one `{name}` never on both sides"),
            Self::Time(name) => {
                format!(", learned from what is earlier by `{name}` and judged on what is later")
            }
        }
    }
}

/// The rows of data by time, for a share of them that is the latest: `(earlier, later)`, in the order of the data.
pub(super) fn latest(data: &Data, name: &str, share: f64) -> Result<(Vec<usize>, Vec<usize>)> {
    let all: Vec<usize> = (0..data.rows()).collect();
    let times = times(data, name, &all)?;
    let mut sorted = times.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let from = sorted[((1.0 - share) * (sorted.len() - 1) as f64).round() as usize];
    Ok(all.into_iter().partition(|&row| times[row] < from))
}

/// The time of each row as a number: numbers, dates or times of a day.
fn times(data: &Data, name: &str, rows: &[usize]) -> Result<Vec<f64>> {
    let column = data.column(name)?;
    let wrong = |what: String| {
        Error::setting("time", what)
            .with_hint("name a column of numbers or of dates as 2024-05-31 that is known in every row")
    };
    let time = |&row: &usize| {
        if !column.observed[row] {
            return Err(wrong(format!("`{name}` is not known in row {}", row + 1)));
        }
        if let Values::Numbers(values) = &column.values {
            return Ok(values[row]);
        }
        let cell = column.cell(row).unwrap_or_default();
        let clock = Clock::of(cell.trim()).and_then(|clock| clock.parse(cell.trim()));
        clock.ok_or_else(|| wrong(format!("`{cell}` in column `{name}` is no time")))
    };
    rows.iter().map(time).collect()
}
