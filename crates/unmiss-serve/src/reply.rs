//! What goes back: rows in the form that was asked for, and what is to be said about them.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use unmiss::data::{Column, CsvWriter};

use crate::arrow_rows;
use crate::fault::{Answer, Fault};
use crate::formats::Format;
use crate::json_text::{push_name, push_rows, push_text};

/// Levels of a column that are told, at most.
const MOST_LEVELS: usize = 3;
/// Remarks of an answer, at most.
const MOST_NOTES: usize = 50;

/// What is to be said about an answer, each thing once.
#[derive(Default)]
pub struct Notes {
    told: Vec<String>,
    unseen: BTreeMap<String, BTreeSet<String>>,
}

impl Notes {
    /// Takes a remark down.
    pub fn tell(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.told.len() < MOST_NOTES && !self.told.contains(&note) {
            self.told.push(note);
        }
    }

    /// Takes down a value of a column that training never saw.
    pub fn unseen(&mut self, column: &str, level: &str) {
        let levels = self.unseen.entry(column.to_owned()).or_default();
        if levels.len() <= MOST_LEVELS {
            levels.insert(level.to_owned());
        }
    }

    /// An error for whoever wants none of this: the first thing that training never saw.
    pub fn refuse_unseen(&self) -> Answer<()> {
        match self.unseen.iter().next() {
            None => Ok(()),
            Some((column, levels)) => {
                let level = levels.iter().next().map(String::as_str).unwrap_or_default();
                let what = format!("`{level}` is a value that training never saw");
                Err(Fault::bad(what, "send a known one or null, or leave out strict=true")
                    .at("column", column.as_str()))
            }
        }
    }

    /// All remarks.
    pub fn all(&self) -> Vec<String> {
        let unseen = self.unseen.iter().map(|(column, levels)| {
            let shown: Vec<String> =
                levels.iter().take(MOST_LEVELS).map(|level| format!("`{level}`")).collect();
            let more = if levels.len() > MOST_LEVELS { ", ..." } else { "" };
            let shown = shown.join(", ");
            format!(
                "column `{column}` has values that training never saw ({shown}{more}); they count as missing"
            )
        });
        self.told.iter().cloned().chain(unseen).take(MOST_NOTES).collect()
    }
}

/// Rows on their way out.
pub enum Out {
    /// The text of an object, up to the last of its rows.
    Json(Vec<u8>),
    /// CSV.
    Csv(CsvWriter),
    /// Arrow.
    Arrow(arrow_rows::Writer),
}

impl Out {
    /// Begins an answer of a model, whose columns have these names.
    pub fn new(format: Format, model: &str, header: &[String]) -> Answer<Self> {
        Ok(match format {
            Format::Json => {
                let mut json = b"{".to_vec();
                push_name(&mut json, "model");
                push_text(&mut json, model);
                push_name(&mut json, "rows");
                json.push(b'[');
                Self::Json(json)
            }
            Format::Arrow => Self::Arrow(arrow_rows::Writer::new()),
            Format::File | Format::Html => Self::Csv(CsvWriter::in_memory(header)?),
        })
    }

    /// Adds rows; all have the same columns.
    pub fn push(&mut self, columns: &[Column]) -> Answer<()> {
        match self {
            Self::Json(json) => push_rows(json, columns),
            Self::Arrow(writer) => writer.write(columns)?,
            Self::Csv(writer) => {
                for row in 0..columns.first().map_or(0, Column::rows) {
                    columns.iter().for_each(|column| writer.cell(column, row));
                    writer.end_row()?;
                }
            }
        }
        Ok(())
    }

    /// The whole answer.
    pub fn finish(self, rows: usize, notes: &Notes) -> Answer<Reply> {
        self.finish_with(rows, notes, &Sent::default())
    }

    /// The whole answer, with the rows that it is for.
    pub fn finish_with(self, rows: usize, notes: &Notes, sent: &Sent) -> Answer<Reply> {
        let notes = notes.all();
        let (format, bytes) = match self {
            Self::Json(mut json) => {
                json.push(b']');
                push_name(&mut json, "notes");
                // Writing to a vector can't fail.
                drop(serde_json::to_writer(&mut json, &notes));
                sent.finish(&mut json);
                json.push(b'}');
                (Format::Json, json)
            }
            Self::Csv(mut writer) => (Format::File, writer.bytes()),
            Self::Arrow(writer) => (Format::Arrow, writer.finish()?),
        };
        Ok(Reply { format, bytes, notes, rows })
    }
}

/// Rows as they were read, given back beside answers to who can't read files of all forms, as a page.
#[derive(Default)]
pub struct Sent(Option<Vec<u8>>);

impl Sent {
    /// Rows that are wanted or not.
    pub fn new(are_wanted: bool) -> Self {
        Self(are_wanted.then(Vec::new))
    }

    /// Takes rows down.
    pub fn push(&mut self, columns: &[Column]) {
        if let Some(json) = &mut self.0 {
            push_rows(json, columns);
        }
    }

    /// Adds them to an object.
    pub fn finish(&self, json: &mut Vec<u8>) {
        if let Some(rows) = &self.0 {
            push_name(json, "sent");
            json.push(b'[');
            json.extend_from_slice(rows);
            json.push(b']');
        }
    }
}

/// A finished answer.
pub struct Reply {
    /// Its form.
    pub format: Format,
    /// Its body.
    pub bytes: Vec<u8>,
    /// What is to be said about it; beside JSON it goes into a header.
    pub notes: Vec<String>,
    /// Rows that were answered for.
    pub rows: usize,
}

/// Rows that a response answers for, told to whoever counts them.
#[derive(Clone, Copy)]
pub struct Answered(pub usize);

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let Self { format, bytes, notes, rows } = self;
        let mut response = ([(header::CONTENT_TYPE, format.media_type())], bytes).into_response();
        if format != Format::Json && !notes.is_empty() {
            let text: String = serde_json::to_string(&notes).unwrap_or_default();
            if let Ok(value) = HeaderValue::from_str(&ascii(&text)) {
                response.headers_mut().insert("unmiss-notes", value);
            }
        }
        response.extensions_mut().insert(Answered(rows));
        response
    }
}

/// JSON with nothing but plain letters, as headers must be.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            ' '..='~' => text.push(letter),
            other => {
                let mut units = [0; 2];
                other
                    .encode_utf16(&mut units)
                    .iter()
                    .for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
            }
        }
    }
    text
}
