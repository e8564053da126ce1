//! Options that say how a file is laid out and which words mean "missing", shared by everything that reads a table.

use unmiss::data::{BatchOptions, DateOrder, Form, MissingTokens};
use unmiss::error::{Error, Result};

/// How the file is laid out. Whatever is not said is found out.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Reading the table")]
pub struct FormArguments {
    /// Further words that mean "missing", besides the empty field, NA, N/A, NaN, nan, null, NULL and ?
    #[arg(long, value_name = "WORDS", value_delimiter = ',', allow_hyphen_values = true)]
    missing: Vec<String>,
    /// The words that mean "missing", in place of the usual ones (or of those of the model)
    #[arg(long, value_name = "WORDS", value_delimiter = ',', allow_hyphen_values = true)]
    missing_only: Option<Vec<String>>,
    /// Further words that mean "missing" in one column, as COLUMN=WORDS (repeatable)
    #[arg(long, value_name = "COLUMN=WORDS")]
    missing_in: Vec<String>,
    /// The character between fields [default: found out]
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,
    /// The decimal mark of numbers, a point or a comma [default: found out]
    #[arg(long, value_name = "MARK")]
    decimal: Option<char>,
    /// The mark between thousands: a point, a comma, a space or an apostrophe [default: found out]
    #[arg(long, value_name = "MARK")]
    thousands: Option<char>,
    /// What comes first in dates that end with the year, the day or the month [default: found out]
    #[arg(long, value_name = "ORDER")]
    dates: Option<DatesArgument>,
    /// The encoding of the text, as windows-1252 or utf-16le [default: found out]
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// Lines above the names of the columns [default: found out]
    #[arg(long, value_name = "LINES")]
    skip_lines: Option<usize>,
    /// The sheet of a workbook [default: the first that has anything in it]
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
}

/// What comes first in dates.
#[derive(Clone, Copy, clap::ValueEnum)]
enum DatesArgument {
    Dmy,
    Mdy,
}

impl From<DatesArgument> for DateOrder {
    fn from(order: DatesArgument) -> Self {
        match order {
            DatesArgument::Dmy => Self::Dmy,
            DatesArgument::Mdy => Self::Mdy,
        }
    }
}

impl FormArguments {
    /// Which of these options are given.
    pub fn given(&self) -> Vec<(&'static str, bool)> {
        vec![
            ("missing", !self.missing.is_empty()),
            ("missing-only", self.missing_only.is_some()),
            ("missing-in", !self.missing_in.is_empty()),
            ("delimiter", self.delimiter.is_some()),
            ("decimal", self.decimal.is_some()),
            ("thousands", self.thousands.is_some()),
            ("encoding", self.encoding.is_some()),
            ("skip-lines", self.skip_lines.is_some()),
            ("sheet", self.sheet.is_some()),
        ]
    }

    /// What is said of the form.
    pub fn form(&self) -> Form {
        let Self { decimal, thousands, encoding, skip_lines, sheet, .. } = self;
        let (encoding, sheet) = (encoding.clone(), sheet.clone());
        let dates = self.dates();
        Form { decimal: *decimal, thousands: *thousands, encoding, skip: *skip_lines, sheet, dates }
    }

    /// The order of dates, where it is said.
    pub fn dates(&self) -> Option<DateOrder> {
        self.dates.map(DateOrder::from)
    }

    /// Adds what is said to how new rows are read for a model.
    pub fn apply(&self, options: &mut BatchOptions) -> Result<()> {
        options.missing = self.missing(options.missing.clone())?;
        (options.delimiter, options.form) = (self.delimiter()?, self.form());
        Ok(())
    }

    /// The delimiter as typed; none is found out by the reader.
    pub fn delimiter(&self) -> Result<Option<u8>> {
        match self.delimiter.as_deref() {
            None => Ok(None),
            Some("tab" | "\\t") => Ok(Some(b'\t')),
            Some(text) if text.len() == 1 => Ok(text.bytes().next()),
            Some(text) => Err(Error::setting("delimiter", format!("`{text}` is not one character"))
                .with_hint("say --delimiter ';' or --delimiter tab")),
        }
    }

    /// The words for "missing": the usual ones or those of a model, and what is said here.
    pub fn missing(&self, usual: MissingTokens) -> Result<MissingTokens> {
        let mut missing = self.missing_only.as_ref().map_or(usual, MissingTokens::new);
        self.missing.iter().for_each(|word| missing.add(word));
        for typed in &self.missing_in {
            let (column, words) = typed.split_once('=').ok_or_else(|| {
                Error::setting("missing-in", format!("`{typed}` is not of the form COLUMN=WORDS"))
                    .with_hint(format!("say for example --missing-in \"{typed}=unknown,-999\""))
            })?;
            words.split(',').for_each(|word| missing.add_for(column, word));
        }
        Ok(missing)
    }
}
