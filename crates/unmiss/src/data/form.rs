//! How a file is laid out, where that is not to be found out.

use encoding_rs::Encoding;

use super::dates::DateOrder;
use crate::error::{Error, Result};

/// What is told of a file's form; whatever is `None` is found out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    /// The mark between whole numbers and fractions: a point or a comma.
    pub decimal: Option<char>,
    /// The mark between groups of three digits: a point, a comma, a space or an apostrophe.
    pub thousands: Option<char>,
    /// The encoding of the text, by one of its usual names (`utf-8`, `utf-16le`, `windows-1252`, `shift_jis`, ...).
    pub encoding: Option<String>,
    /// Lines above the names of the columns.
    pub skip: Option<usize>,
    /// The sheet of a workbook.
    pub sheet: Option<String>,
    /// Whether the day or the month comes first in dates that end with the year.
    pub dates: Option<DateOrder>,
}

impl Form {
    /// Refuses what can't be.
    pub(crate) fn check(&self) -> Result<()> {
        let refuse = |name: &str, what: String, hint: &str| Err(Error::setting(name, what).with_hint(hint));
        match (self.decimal, self.thousands) {
            (Some(mark), _) if !matches!(mark, '.' | ',') => {
                refuse("decimal", format!("`{mark}` is no decimal mark"), "it is a point or a comma")
            }
            (_, Some(mark)) if !matches!(mark, '.' | ',' | ' ' | '\'') => {
                let what = format!("`{mark}` is no mark between thousands");
                refuse("thousands", what, "it is a point, a comma, a space or an apostrophe")
            }
            (Some(decimal), Some(thousands)) if decimal == thousands => {
                let what = format!("`{thousands}` is the decimal mark already");
                refuse("thousands", what, "name two different marks")
            }
            _ => self.encoding().map(drop),
        }
    }

    /// The encoding, if it is told.
    pub(crate) fn encoding(&self) -> Result<Option<&'static Encoding>> {
        let Some(label) = &self.encoding else { return Ok(None) };
        // `utf-16` alone says nothing of the order of bytes, which a mark in the file tells; most have the low one
        // first.
        match Encoding::for_label(label.trim().as_bytes()) {
            Some(encoding) => Ok(Some(encoding)),
            None => Err(Error::setting("encoding", format!("`{label}` is not known"))
                .with_hint("say for example utf-8, utf-16le, windows-1252 or shift_jis")),
        }
    }

    /// The decimal mark, told or following from the mark between thousands.
    pub(crate) fn decimal_mark(&self) -> Option<char> {
        self.decimal.or(match self.thousands {
            Some(',') => Some('.'),
            Some('.') => Some(','),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_not_be_is_refused() {
        let form = |decimal, thousands| Form { decimal, thousands, ..Form::default() };
        assert!(form(Some(','), Some('.')).check().is_ok() && form(None, Some(' ')).check().is_ok());
        assert!(form(Some(';'), None).check().is_err() && form(Some(','), Some(',')).check().is_err());
        assert_eq!(form(None, Some('.')).decimal_mark(), Some(','));
        let encoding = |label: &str| Form { encoding: Some(label.to_owned()), ..Form::default() }.check();
        assert!(encoding("UTF-16").is_ok() && encoding("latin1").is_ok());
        assert!(encoding("klingon").unwrap_err().to_string().contains("klingon"));
    }
}
