//! What is worth telling about a table that was read.

use crate::error::Act;

/// A remark in plain words, and what could be done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The remark.
    pub text: String,
    /// What could be done about it, to be worded by whoever talks to the user.
    pub act: Option<Act>,
}

impl From<String> for Note {
    fn from(text: String) -> Self {
        Self { text, act: None }
    }
}
