//! Advice as data: what would help, which the program and the Python package each say in their own words.

use std::fmt;

/// A piece of advice: words that hold for everybody, or something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Words that hold for everybody.
    Words(String),
    /// Something to do, to be worded by whoever talks to the user.
    Do(Act),
}

/// What a user can do about something. A program has options for it, a package arguments and classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Have a column read as categories, if its values are classes.
    ReadAsCategory {
        /// The column.
        column: String,
    },
    /// Have a column read as numbers, if its values are numbers.
    ReadAsNumber {
        /// The column.
        column: String,
    },
    /// Say that words stand for missing values in a column.
    NameMissing {
        /// The column.
        column: String,
        /// The words.
        words: Vec<String>,
    },
    /// Say which mark is the decimal one.
    SayDecimal,
    /// Say whether the day or the month comes first in dates.
    SayDates,
    /// Leave a column out that is a row number or an id.
    LeaveOutId {
        /// The column.
        column: String,
    },
    /// Say which column holds users, items or ratings.
    NameColumn {
        /// What it holds: `user`, `item` or `rating`.
        what: &'static str,
        /// The columns that there are.
        columns: Vec<String>,
    },
    /// Give a column one role only.
    OneRole,
    /// Look up what the settings of a method take.
    LookUpSettings {
        /// The method.
        method: String,
    },
    /// Ask for fewer folds.
    FewerFolds,
    /// Hide more cells, or take a larger table.
    HideMore,
    /// Keep a comparison in another file, or begin anew.
    OtherFile,
    /// Go on from a comparison with its own question and seed.
    SameQuestion {
        /// Its seed.
        seed: u64,
    },
    /// Look at what is in a model's file.
    ShowModel,
    /// Take a built-in sample.
    TakeSample {
        /// Its name.
        name: String,
    },
    /// Use a model that predicts.
    UsePredictor,
    /// Use a model that fills holes.
    UseImputer,
    /// Use a model of ratings.
    UseRecommender,
    /// Use a model that says how plausible rows are.
    UseDensity,
}

impl From<&str> for Hint {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

impl From<String> for Hint {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl From<Act> for Hint {
    fn from(act: Act) -> Self {
        Self::Do(act)
    }
}

impl Hint {
    /// The advice in words: its own, or those that somebody has for what is to be done.
    pub fn worded(&self, words: impl FnOnce(&Act) -> String) -> String {
        match self {
            Self::Words(own) => own.clone(),
            Self::Do(act) => words(act),
        }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.worded(|act| format!("{act:?}")))
    }
}
