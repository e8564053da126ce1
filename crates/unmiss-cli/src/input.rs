//! Options that say how a table is read, shared by every command that reads one.

use std::path::Path;

use unmiss::data::{self, Kind, MissingTokens, ReadOptions, Table};
use unmiss::error::{Error, Result};
use unmiss::model::{Model, Roles};

use crate::printer::Printer;

/// Name and value of each NAME=VALUE of `--set`.
pub fn settings(typed: &[String]) -> Result<Vec<(&str, &str)>> {
    let wrong = |setting: &String| {
        Error::setting("set", format!("`{setting}` is not of the form NAME=VALUE"))
            .with_hint(format!("say --set {setting}=VALUE"))
    };
    typed.iter().map(|setting| setting.split_once('=').ok_or_else(|| wrong(setting))).collect()
}

/// How to read the table.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Reading the table")]
pub struct InputArguments {
    /// Words that mean "missing", besides the empty field [default: NA,N/A,NaN,nan,null,NULL,?]
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    missing: Option<Vec<String>>,
    /// Further words that mean "missing" in one column, as COLUMN=WORD (repeatable)
    #[arg(long, value_name = "COLUMN=WORD")]
    missing_in: Vec<String>,
    /// The character between fields [default: found out]
    #[arg(long, value_name = "CHARACTER")]
    delimiter: Option<String>,
    /// Columns whose values are categories, whatever they look like
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    categorical: Vec<String>,
    /// Columns whose values are numbers; anything else in them is an error
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    numeric: Vec<String>,
}

impl InputArguments {
    /// Reads the table and tells what the reader noticed.
    pub fn read(&self, path: &Path, keep_source: bool, printer: &Printer) -> Result<Table> {
        let reading = data::read(path, &ReadOptions { keep_source, ..self.options()? })?;
        reading.notes.iter().for_each(|note| printer.say(&format!("note: {note}")));
        Ok(reading.table)
    }

    /// Reads a table to learn from and tells what the reader noticed about its inputs. Columns with another
    /// role need no word, and why a column can't be an input is told by the fit.
    pub fn read_inputs(&self, path: &Path, roles: &Roles, printer: &Printer) -> Result<Table> {
        let reading = data::read(path, &self.options()?)?;
        let inputs = roles.inputs(&reading.table)?.names;
        let others = reading.table.columns().iter().filter(|column| !inputs.contains(&column.name));
        let others: Vec<String> = others.map(|column| format!("column `{}` ", column.name)).collect();
        let about_inputs = |note: &&String| !others.iter().any(|other| note.starts_with(other));
        reading.notes.iter().filter(about_inputs).for_each(|note| printer.say(&format!("note: {note}")));
        Ok(reading.table)
    }

    /// Further words for single columns, as typed.
    pub fn missing_in(&self) -> &[String] {
        &self.missing_in
    }

    /// The delimiter, as typed.
    pub fn delimiter(&self) -> Option<&str> {
        self.delimiter.as_deref()
    }

    /// Reads rows for a model: its inputs have the kinds, and the words for "missing", that they had in training.
    pub fn read_for_model(&self, path: &Path, model: &Model) -> Result<Table> {
        let mut options = self.options()?;
        if self.missing.is_none() {
            options.missing = model.missing.clone();
            add_words(&mut options.missing, &self.missing_in)?;
        }
        let numbers = model.encoder.numbers.iter().map(|feature| (feature.name.clone(), Kind::Real));
        options.kinds.extend(numbers);
        let categories =
            model.encoder.categories.iter().map(|feature| (feature.name.clone(), Kind::Category));
        options.kinds.extend(categories);
        Ok(data::read(path, &options)?.table)
    }

    /// The library's form of these options.
    pub fn options(&self) -> Result<ReadOptions> {
        let delimiter = delimiter(self.delimiter.as_deref())?;
        let mut options = ReadOptions { delimiter, ..ReadOptions::default() };
        if let Some(words) = &self.missing {
            options.missing = MissingTokens::new(words);
        }
        add_words(&mut options.missing, &self.missing_in)?;
        if let Some(column) = self.categorical.iter().find(|column| self.numeric.contains(column)) {
            return Err(Error::data(format!("column `{column}` is said to be numbers and categories"))
                .with_hint("name it in one of --categorical and --numeric only"));
        }
        let kinds = [(&self.categorical, Kind::Category), (&self.numeric, Kind::Real)];
        for (columns, kind) in kinds {
            options.kinds.extend(columns.iter().map(|column| (column.clone(), kind)));
        }
        Ok(options)
    }
}

/// The delimiter as typed; none is found out by the reader.
pub fn delimiter(typed: Option<&str>) -> Result<Option<u8>> {
    match typed {
        None => Ok(None),
        Some("tab" | "\\t") => Ok(Some(b'\t')),
        Some(text) if text.len() == 1 => Ok(text.bytes().next()),
        Some(text) => Err(Error::setting("delimiter", format!("`{text}` is not one character"))
            .with_hint("say --delimiter ';' or --delimiter tab")),
    }
}

/// Adds the words of single columns, typed as COLUMN=WORD.
pub fn add_words(missing: &mut MissingTokens, typed: &[String]) -> Result<()> {
    for pair in typed {
        let (column, word) = pair.split_once('=').ok_or_else(|| {
            Error::setting("missing-in", format!("`{pair}` is not of the form COLUMN=WORD"))
                .with_hint(format!("say for example --missing-in \"{pair}=unknown\""))
        })?;
        missing.add_for(column, word);
    }
    Ok(())
}
