//! Other forms of tables, turned into the two that are read: delimited text in UTF-8, and Parquet. Workbooks and lines
//! of JSON become text, Arrow files become Parquet, text of another encoding is decoded on its way.

mod arrow;
mod encoding;
mod json_lines;
mod mixed;
mod workbook;

use std::path::Path;

use super::form::Form;
use super::input::{Content, Stream};
use crate::error::{Error, Place, Result};

/// First bytes of a zip archive, which workbooks are.
const ZIP: &[u8] = b"PK\x03\x04";
/// First bytes of an Arrow file.
const ARROW: &[u8] = b"ARROW1";
/// First bytes of the workbooks of before 2007.
const OLD_WORKBOOK: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0];

/// What a path led to, as text or Parquet.
pub(crate) fn plain(content: Content, form: &Form) -> Result<Content> {
    form.check()?;
    let Content::Text(mut stream) = content else { return Ok(content) };
    let first = stream.peek()?;
    let is_workbook = first.starts_with(ZIP);
    if form.sheet.is_some() && !is_workbook {
        return Err(Error::setting("sheet", format!("{} is no workbook", stream.file))
            .with_hint("only .xlsx files have sheets"));
    }
    if is_workbook {
        return workbook::text(stream, form).map(Content::Text);
    }
    if first.starts_with(OLD_WORKBOOK) {
        return Err(Error::input(Place::file(&stream.file), "this is an Excel file of before 2007 (.xls)")
            .with_hint("save it as .xlsx or CSV"));
    }
    if first.starts_with(ARROW) {
        return arrow::parquet(stream).map(Content::Parquet);
    }
    if is_json_lines(&stream, &first) {
        return json_lines::text(stream).map(Content::Text);
    }
    encoding::decoded(stream, &first, form).map(Content::Text)
}

/// Whether a stream holds lines of JSON: its name says so, or it has none and begins like an object.
fn is_json_lines(stream: &Stream, first: &[u8]) -> bool {
    let name = stream.file.to_lowercase();
    let name = Path::new(name.strip_suffix(".gz").unwrap_or(&name));
    match name.extension().and_then(|ending| ending.to_str()) {
        Some("jsonl" | "ndjson") => true,
        Some(_) => false,
        None => first.starts_with(b"{\""),
    }
}
