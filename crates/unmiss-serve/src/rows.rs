//! The rows of a request, piece by piece, whatever form they came in.

use arrow_array::RecordBatch;
use axum::http::StatusCode;
use bytes::Bytes;
use unmiss::data::{BatchOptions, Batches, CellReader, Kind, Table};

use crate::arrow_rows::{self, Stream};
use crate::fault::{Answer, Fault};
use crate::formats::Format;
use crate::json_rows::{self, Row};

/// Rows that are worked on at a time.
pub const PIECE: usize = 512;

/// Where rows come from.
pub enum Source {
    /// JSON, parsed as a whole; so many rows were given out.
    Json(Vec<Row>, usize),
    /// A table as it would stand in a file.
    File(Box<Batches>),
    /// Arrow; of a batch so many rows were given out.
    Arrow(Stream, Option<(RecordBatch, usize)>),
}

/// Some rows.
pub struct Piece {
    /// The columns that have readers.
    pub table: Table,
    /// The rows as they came, where they came as Arrow.
    pub batch: Option<RecordBatch>,
    /// The place of the first row in the request.
    pub first: usize,
}

impl Source {
    /// Opens a body. A file is read with options for the same columns as there are readers for, and with further ones
    /// as text.
    pub fn open(format: Format, body: &Bytes, options: &BatchOptions, further: &[String]) -> Answer<Self> {
        match format {
            Format::Json => Ok(Self::Json(json_rows::parse(body)?, 0)),
            Format::Arrow => Ok(Self::Arrow(Stream::new(body.clone())?, None)),
            Format::File | Format::Html => {
                let mut options = BatchOptions { rows: PIECE, ..options.clone() };
                for name in further {
                    options.kinds.entry(name.clone()).or_insert(Kind::Text);
                }
                Ok(Self::File(Box::new(Batches::from_bytes("body", body, &options)?)))
            }
        }
    }

    /// The names of all columns, where the body has a header.
    pub fn header(&mut self) -> Answer<Option<Vec<String>>> {
        match self {
            Self::Json(..) => Ok(None),
            Self::File(batches) => Ok(Some(batches.header().to_vec())),
            Self::Arrow(stream, ahead) => {
                if ahead.is_none() {
                    *ahead = stream.next()?.map(|batch| (batch, 0));
                }
                let schema = stream.schema();
                Ok(schema.map(|schema| schema.fields().iter().map(|field| field.name().clone()).collect()))
            }
        }
    }

    /// The rows as they came, where they came as JSON.
    pub fn json(&self) -> Option<&[Row]> {
        match self {
            Self::Json(rows, _) => Some(rows),
            _ => None,
        }
    }

    /// The next rows; none at the end.
    pub fn next(&mut self, readers: &[CellReader], done: usize) -> Answer<Option<Piece>> {
        match self {
            Self::Json(rows, given) => {
                let first = *given;
                let piece = &rows[first..rows.len().min(first + PIECE)];
                if piece.is_empty() {
                    return Ok(None);
                }
                *given += piece.len();
                Ok(Some(Piece { table: json_rows::table(piece, readers, first)?, batch: None, first }))
            }
            Self::File(batches) => Ok(batches.next()?.map(|table| Piece { table, batch: None, first: done })),
            Self::Arrow(stream, ahead) => loop {
                let (batch, given) = match ahead.take() {
                    Some(ahead) => ahead,
                    None => match stream.next()? {
                        Some(batch) => (batch, 0),
                        None => return Ok(None),
                    },
                };
                let length = PIECE.min(batch.num_rows() - given);
                if length > 0 {
                    let piece = batch.slice(given, length);
                    *ahead = Some((batch, given + length));
                    let table = arrow_rows::table(&piece, readers)?;
                    return Ok(Some(Piece { table, batch: Some(piece), first: done }));
                }
            },
        }
    }
}

/// Refuses more rows than a request may have.
pub fn check_count(rows: usize, most: usize) -> Answer<()> {
    if rows <= most {
        return Ok(());
    }
    let what = format!("a request may have {most} rows");
    let hint = "send them in several requests, or start the server with a larger --rows";
    Err(Fault::new(StatusCode::PAYLOAD_TOO_LARGE, what, hint))
}
