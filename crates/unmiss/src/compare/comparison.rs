//! What a comparison found, fit by fit: the content of its file.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::choosing::Division;
use super::standing::Standing;
use crate::data::{Data, Shape};
use crate::encode::Task;
use crate::error::{Act, Error, Result};
use crate::metrics::ColumnError;
use crate::model::{Recipe, Roles};
use crate::store::write_whole;

/// The file's format.
const FORMAT: u32 = 1;

/// Methods compared on the same parts of the same data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The file's format.
    pub format: u32,
    /// Changes with any cell, name or kind of the table.
    pub fingerprint: String,
    /// How the data are laid out.
    #[serde(default = "table")]
    pub shape: Shape,
    /// Rows that could take part.
    pub rows: usize,
    /// Rows that do: large tables are compared on a sample.
    pub rows_compared: usize,
    /// The seed.
    pub seed: u64,
    /// What was asked.
    pub question: Question,
    /// What is predicted; none for imputers.
    pub task: Option<Task>,
    /// The classes, for a classification.
    pub classes: Vec<String>,
    /// How often the whole is repeated, with other folds or other hidden cells.
    pub repeats: usize,
    /// Share of the data that a part holds out.
    pub test_share: f64,
    /// Who takes part.
    pub contestants: Vec<Contestant>,
    /// The true classes of each part's held-out rows, for a classification.
    pub parts: Vec<Part>,
    /// Every fit that is done.
    pub fits: Vec<Fit>,
    /// Methods that could not be fitted.
    pub failures: Vec<Failure>,
    /// What the fits come to, best first.
    pub standings: Vec<Standing>,
    /// The same in words.
    pub words: Vec<String>,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "compares")]
pub enum Question {
    /// Predictors on held-out rows.
    Predictors {
        /// The parts the columns play.
        roles: Roles,
        /// Folds of the cross-validation.
        folds: usize,
        /// Which rows are never parted.
        #[serde(default, skip_serializing_if = "Division::is_free")]
        division: Division,
    },
    /// Imputers on hidden cells.
    Imputers {
        /// How cells are hidden, as `mcar:0.2`.
        how: String,
        /// Columns that are neither used nor filled.
        ignore: Vec<String>,
    },
    /// Imputers of images on hidden pixels.
    Pixels {
        /// How pixels are hidden, as `square:0.25` or `others`.
        how: String,
    },
    /// Recommenders on held-out ratings.
    Recommenders {
        /// Share of the ratings that is held out.
        share: f64,
    },
}

/// A method that takes part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contestant {
    /// What it is called in this comparison.
    pub label: String,
    /// The method's name in its list.
    pub method: String,
    /// All its settings.
    pub settings: Value,
    /// Draws of the random search in each training part; 0: the settings are taken as they are.
    pub draws: usize,
}

impl Contestant {
    /// A recipe as it is, or tuned by so many draws.
    pub fn new(recipe: &Recipe, draws: usize) -> Self {
        let method = recipe.method.name().to_owned();
        let label = if draws > 0 { format!("{method} (tuned)") } else { method.clone() };
        Self { label, method, settings: recipe.settings.clone(), draws }
    }

    /// Whether the other is the same but for its label.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.method == other.method && self.settings == other.settings && self.draws == other.draws
    }
}

/// Held-out rows of one fold of one repeat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The repeat, from 0.
    pub repeat: usize,
    /// The fold, from 0.
    pub fold: usize,
    /// The class of each held-out row.
    pub truth: Vec<u32>,
}

/// One method fitted on one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The contestant's label.
    pub contestant: String,
    /// The repeat, from 0.
    pub repeat: usize,
    /// The fold, from 0; always 0 for imputers.
    pub fold: usize,
    /// The settings it was fitted with: those that the search chose, if there was one.
    pub settings: Value,
    /// What methods are ranked by: log-loss, RMSE, or mean error over columns.
    pub loss: f64,
    /// Further figures; none where a figure does not exist, such as an AUROC of one class.
    pub figures: BTreeMap<String, Option<f64>>,
    /// Seconds of fitting and predicting or filling, the search included.
    pub seconds: f64,
    /// The most memory the program held meanwhile, in bytes, where the system tells.
    pub memory: Option<u64>,
    /// The class predicted for each held-out row, for a classification.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<u32>,
    /// Errors column by column, for imputers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnError>,
}

/// A method that could not be fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The contestant's label.
    pub contestant: String,
    /// The repeat, from 0.
    pub repeat: usize,
    /// The fold, from 0.
    pub fold: usize,
    /// What went wrong.
    pub what: String,
}

impl Question {
    /// What the loss is called.
    pub fn loss_name(&self, task: Option<Task>) -> &'static str {
        match (self, task) {
            (Self::Imputers { .. }, _) => "error",
            (Self::Pixels { .. }, _) => "RMSE / sd",
            (Self::Recommenders { .. }, _) => "RMSE",
            (_, Some(Task::Regression)) => "RMSE / sd",
            _ => "log-loss",
        }
    }

    /// The names of the two further figures that people ask for first.
    pub fn figure_names(&self, task: Option<Task>) -> [&'static str; 2] {
        match (self, task) {
            (Self::Imputers { .. }, _) => ["RMSE / sd", "wrong"],
            (Self::Pixels { .. }, _) => ["RMSE", "PSNR"],
            (Self::Recommenders { .. }, _) => ["RMSE", "MAE"],
            (_, Some(Task::Regression)) => ["R2", "MAE / sd"],
            _ => ["AUROC", "accuracy"],
        }
    }
}

impl Comparison {
    /// A comparison in which nothing is done yet.
    pub(super) fn new(data: &Data, question: Question, repeats: usize, seed: u64) -> Self {
        Self {
            format: FORMAT,
            fingerprint: data.fingerprint(),
            shape: data.shape(),
            rows: data.rows(),
            rows_compared: data.rows(),
            seed,
            question,
            task: None,
            classes: Vec::new(),
            repeats,
            test_share: 0.0,
            contestants: Vec::new(),
            parts: Vec::new(),
            fits: Vec::new(),
            failures: Vec::new(),
            standings: Vec::new(),
            words: Vec::new(),
        }
    }

    /// Folds of one repeat.
    pub fn folds(&self) -> usize {
        match self.question {
            Question::Predictors { folds, .. } => folds,
            Question::Imputers { .. } | Question::Pixels { .. } | Question::Recommenders { .. } => 1,
        }
    }

    /// How many fits are done, and how many there are to do, those of methods that failed left out.
    pub fn progress(&self) -> (usize, usize) {
        let runs = |label: &String| !self.failures.iter().any(|failure| failure.contestant == *label);
        let contestants = self.contestants.iter().filter(|contestant| runs(&contestant.label)).count();
        let done = self.fits.iter().filter(|fit| runs(&fit.contestant)).count();
        (done, contestants * self.repeats * self.folds())
    }

    /// The fit of a contestant on a part, if it is done.
    pub fn fit(&self, contestant: &str, repeat: usize, fold: usize) -> Option<&Fit> {
        self.fits.iter().find(|fit| fit.contestant == contestant && (fit.repeat, fit.fold) == (repeat, fold))
    }

    /// The columns in which cells were hidden, in the table's order, and whether each holds numbers.
    pub fn columns(&self) -> Vec<(&str, bool)> {
        let mut columns: Vec<(&str, bool)> = Vec::new();
        for column in self.fits.iter().flat_map(|fit| &fit.columns) {
            if !columns.iter().any(|(name, _)| *name == column.name) {
                columns.push((&column.name, column.is_number()));
            }
        }
        columns
    }

    /// Reads a file that [`Comparison::write`] wrote.
    ///
    /// # Errors
    /// When there is none, it is damaged, or it is from a newer program.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
        let json: Value = serde_json::from_slice(&bytes).map_err(|error| unreadable(path, &error))?;
        if let Some(format) = json["format"].as_u64().filter(|format| *format > u64::from(FORMAT)) {
            return Err(Error::model(path, format!("its format {format} is newer than this program"))
                .with_hint("use the program that wrote it, or begin anew"));
        }
        serde_json::from_value(json).map_err(|error| unreadable(path, &error))
    }

    /// Writes the file, all or nothing.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let json = serde_json::to_vec(self)
            .map_err(|error| Error::data(format!("the comparison can't be written as JSON: {error}")))?;
        write_whole(path, &json)
    }
}

/// Comparisons of older programs do not say it, and of these only those of tables could be kept.
fn table() -> Shape {
    Shape::Table
}

fn unreadable(path: &Path, error: &serde_json::Error) -> Error {
    Error::model(path, format!("this is not a comparison that can be read ({error})"))
        .with_hint(Act::OtherFile)
}
