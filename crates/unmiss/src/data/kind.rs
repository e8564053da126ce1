//! What a column holds.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Numbers with fractions.
    Real,
    /// Whole numbers.
    Integer,
    /// Two different values, numbers or words.
    Binary,
    /// Words (or numbers, if the user says so) from a limited set.
    Category,
    /// Free text: no input itself; predictors count its words.
    Text,
    /// Calendar dates and times: no input themselves; predictors take their parts.
    Date,
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Real => "real",
            Self::Integer => "integer",
            Self::Binary => "binary",
            Self::Category => "category",
            Self::Text => "text",
            Self::Date => "date",
        })
    }
}
