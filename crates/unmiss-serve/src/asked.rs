//! What every request about rows has in common.

use std::sync::Arc;

use axum::http::{HeaderMap, StatusCode, Uri};
use bytes::Bytes;
use unmiss::data::{BatchOptions, CellReader, Column, Kind, MissingTokens};
use unmiss::error::nearest;
use unmiss::methods::Job;

use crate::arrow_rows;
use crate::fault::{Answer, Fault};
use crate::formats::{Format, TABLES, of_answer, of_body};
use crate::json_rows;
use crate::query::Query;
use crate::reply::{Notes, Sent};
use crate::rows::{Piece, Source};
use crate::settings::Limits;
use crate::shelf::Served;

/// Columns told by name.
const MOST_TOLD: usize = 5;

/// A request about rows, taken apart.
pub struct Asked {
    /// The model.
    pub served: Arc<Served>,
    /// Parameters.
    pub query: Query,
    /// What was sent.
    pub body: Bytes,
    /// The form it was sent in.
    pub input: Format,
    /// The form the answer is to have.
    pub output: Format,
    /// What is allowed.
    pub limits: Limits,
    /// The seed where none is named.
    pub seed: u64,
}

/// The parts of a request from which all else follows.
pub struct Parts {
    /// The model.
    pub served: Arc<Served>,
    /// The address.
    pub uri: Uri,
    /// The headers.
    pub headers: HeaderMap,
    /// What was sent.
    pub body: Bytes,
    /// What is allowed.
    pub limits: Limits,
    /// The seed where none is named.
    pub seed: u64,
}

impl Asked {
    /// Takes a request apart: its parameters are among those of its route, and rows go out in the form they came in
    /// unless another is asked for.
    pub fn new(parts: Parts, parameters: &[&str]) -> Answer<Self> {
        let Parts { served, uri, headers, body, limits, seed } = parts;
        let query = Query::read(&uri, parameters)?;
        if body.is_empty() {
            return Err(
                Fault::bad("there is no body", "send rows: JSON, CSV, Parquet or Arrow").at("body", 0)
            );
        }
        let input = of_body(&headers, &body)?;
        let output = of_answer(&headers, input, TABLES)?;
        Ok(Self { served, query, body, input, output, limits, seed })
    }

    /// The level of intervals and sets.
    pub fn level(&self) -> Answer<Option<f64>> {
        self.query.number("level", "a number between 0 and 1", |level| *level > 0.0 && *level < 1.0)
    }

    /// The seed of draws.
    pub fn seed(&self) -> Answer<u64> {
        Ok(self.query.number("seed", "a whole number", |_| true)?.unwrap_or(self.seed))
    }

    /// The rows as they are read, where they are wanted beside the answers.
    pub fn sent(&self) -> Answer<Sent> {
        let are_wanted = self.query.flag("sent")? == Some(true);
        if are_wanted && self.output != Format::Json {
            let hint = "leave it out, or send the header `Accept: application/json`";
            return Err(Fault::bad("only JSON has room for the rows beside the answers", hint)
                .at("parameter", "sent"));
        }
        Ok(Sent::new(are_wanted))
    }

    /// How the rows are read.
    pub fn options(&self) -> Answer<&BatchOptions> {
        self.served.options.as_ref().ok_or_else(|| {
            let shape = self.served.model.shape();
            let what = format!("this model is for {shape:?} and not for rows of a table").to_lowercase();
            Fault::new(StatusCode::CONFLICT, what, "GET /models tells what each model is for")
        })
    }

    /// Opens the rows, with columns to carry along: those that the model was told of, where they are there, and those
    /// that the request names, which must be.
    pub fn open(&self, own_ids: &[String], notes: &mut Notes) -> Answer<(Source, Ids)> {
        let named = self.query.list("id");
        let mut ids: Vec<String> = own_ids.to_vec();
        ids.extend(named.iter().filter(|id| !own_ids.contains(id)).cloned());
        let mut source = Source::open(self.input, &self.body, self.options()?, &ids)?;
        let header = source.header()?;
        if let Some(header) = &header {
            self.served.model.check_header(header, "body")?;
        }
        let is_there = |id: &String| match (&header, source.json()) {
            (Some(header), _) => header.contains(id),
            (None, Some(rows)) => rows.is_empty() || rows.iter().any(|row| row.contains_key(id)),
            (None, None) => false,
        };
        if let Some(absent) = named.iter().find(|id| !is_there(id)) {
            let hint = "name a column that the rows have, or leave the parameter out";
            return Err(Fault::bad(format!("no row has a column `{absent}`"), hint).at("parameter", "id"));
        }
        ids.retain(is_there);
        self.tell_unknown(&source, header.as_deref(), &ids, notes)?;
        // Of ids only an empty cell is a hole.
        let plain = MissingTokens::new([""]);
        let readers = ids.iter().map(|id| CellReader::new(id, Kind::Text, &plain)).collect();
        Ok((source, Ids { names: ids, readers }))
    }

    /// Tells, or refuses, columns that the model did not learn from.
    pub fn tell_unknown(
        &self,
        source: &Source,
        header: Option<&[String]>,
        ids: &[String],
        notes: &mut Notes,
    ) -> Answer<()> {
        let is_known = |name: &str| self.served.known.contains(name) || ids.iter().any(|id| id == name);
        let extra: Vec<&str> = match (source.json(), header) {
            (Some(rows), _) => json_rows::unknown(rows, is_known, MOST_TOLD + 1),
            (None, header) => {
                header.unwrap_or_default().iter().map(String::as_str).filter(|name| !is_known(name)).collect()
            }
        };
        let Some(first) = extra.first() else { return Ok(()) };
        let near = nearest(first, self.served.readers.iter().map(|reader| reader.name.as_str()));
        if self.query.flag("strict")? == Some(true) {
            let hint = near.map_or("leave it out".to_owned(), |near| format!("did you mean `{near}`?"));
            let what = format!("the model did not learn from a column `{first}`");
            return Err(Fault::bad(what, hint).at("column", *first));
        }
        let shown =
            extra.iter().take(MOST_TOLD).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let more = if extra.len() > MOST_TOLD { ", ..." } else { "" };
        let what = if self.served.model.job() == Job::Fill { "pass as they are" } else { "are ignored" };
        let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        notes.tell(format!("columns that the model did not learn from {what}: {shown}{more}{near}"));
        Ok(())
    }
}

/// Columns that are carried along.
pub struct Ids {
    /// Their names.
    pub names: Vec<String>,
    /// How they are read where they came as JSON or Arrow.
    pub readers: Vec<CellReader>,
}

impl Ids {
    /// Their columns for a piece of the rows.
    pub fn columns(&self, source: &Source, piece: &Piece) -> Answer<Vec<Column>> {
        if self.names.is_empty() {
            return Ok(Vec::new());
        }
        match (source.json(), &piece.batch) {
            (Some(rows), _) => {
                let rows = &rows[piece.first..piece.first + piece.table.rows()];
                Ok(json_rows::table(rows, &self.readers, piece.first)?.columns().to_vec())
            }
            (None, Some(batch)) => Ok(arrow_rows::table(batch, &self.readers)?.columns().to_vec()),
            (None, None) => self.names.iter().map(|id| Ok(piece.table.column(id)?.clone())).collect(),
        }
    }
}
