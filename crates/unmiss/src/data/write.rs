//! Writing rows cell by cell, as predictions are.

use std::io::Write as _;
use std::path::Path;

use super::cell::trim;
use super::columnar::{BATCH, Cell, Cells, Columnar, Type, cell, look};
use super::table::{Column, Kind, Table, Values};
use super::text_output::TextOutput;
use crate::error::{Error, Result};

/// Writes CSV row by row; or TSV, Parquet or Arrow, by the ending.
///
/// Cells are quoted where RFC 4180 asks for it. The file appears under its name when
/// [`finish`](Self::finish) is called; until then nothing of it can be seen, and nothing stays behind if it
/// never is. A path of `-` is standard output, an ending `.gz` packs.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("out.csv");
/// let mut writer = unmiss::data::CsvWriter::create(&path, &["id", "chance"])?;
/// writer.text("A, 7");
/// writer.number(0.25);
/// writer.end_row()?;
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "id,chance\n\"A, 7\",0.25\n");
/// # Ok::<(), unmiss::error::Error>(())
/// ```
pub struct CsvWriter {
    output: Rows,
    delimiter: u8,
    width: usize,
    row: Vec<u8>,
    cells: usize,
}

/// Where rows go.
enum Rows {
    Text(TextOutput),
    Columnar(Box<Collected>),
}

/// Rows that wait to become a batch of a columnar file.
struct Collected {
    output: Columnar,
    columns: Vec<(String, Option<Type>, Vec<Option<Cell>>)>,
}

impl Collected {
    fn push(&mut self, place: usize, of: Type, cell: Option<Cell>) {
        if let Some((_, own, cells)) = self.columns.get_mut(place) {
            own.get_or_insert(of);
            cells.push(cell);
        }
    }

    /// Writes what waits.
    fn flush(&mut self) -> Result<()> {
        let mut batch = Vec::with_capacity(self.columns.len());
        for (name, of, cells) in &mut self.columns {
            batch.push((name.as_str(), Cells { of: of.unwrap_or(Type::Real), cells: std::mem::take(cells) }));
        }
        self.output.write(&batch)
    }

    fn waiting(&self) -> usize {
        self.columns.first().map_or(0, |(_, _, cells)| cells.len())
    }
}

impl CsvWriter {
    /// Opens a path and writes the header.
    ///
    /// # Errors
    /// When the path can't be written to or its ending is one of a format that can't be written.
    pub fn create<T: AsRef<str>>(path: &Path, header: &[T]) -> Result<Self> {
        Self::create_beside(path, header, None)
    }

    /// The same for rows that stand beside those of another text, whose delimiter is kept where the ending leaves it
    /// open.
    ///
    /// # Errors
    /// As for [`CsvWriter::create`].
    pub fn create_beside<T: AsRef<str>>(path: &Path, header: &[T], delimiter: Option<u8>) -> Result<Self> {
        check_ending(path)?;
        if let Some(output) = Columnar::create(path)? {
            let column = |name: &T| (name.as_ref().to_owned(), None, Vec::new());
            let collected = Collected { output, columns: header.iter().map(column).collect() };
            let output = Rows::Columnar(Box::new(collected));
            return Ok(Self { output, delimiter: b',', width: header.len(), row: Vec::new(), cells: 0 });
        }
        let delimiter = if is_tab_separated(path) { b'\t' } else { delimiter.unwrap_or(b',') };
        let output = Rows::Text(TextOutput::create(path)?);
        let mut writer = Self { output, delimiter, width: header.len(), row: Vec::new(), cells: 0 };
        header.iter().for_each(|name| writer.text(name.as_ref()));
        writer.end_row()?;
        Ok(writer)
    }

    /// The same in memory: [`bytes`](Self::bytes) gives what was written.
    ///
    /// # Errors
    /// Never; the header is written as to a file.
    pub fn in_memory<T: AsRef<str>>(header: &[T]) -> Result<Self> {
        let output = Rows::Text(TextOutput::in_memory());
        let mut writer = Self { output, delimiter: b',', width: header.len(), row: Vec::new(), cells: 0 };
        header.iter().for_each(|name| writer.text(name.as_ref()));
        writer.end_row()?;
        Ok(writer)
    }

    /// What was written to memory since it was last asked.
    pub fn bytes(&mut self) -> Vec<u8> {
        match &mut self.output {
            Rows::Text(output) => output.bytes(),
            Rows::Columnar(_) => Vec::new(),
        }
    }

    /// Adds a row's cell of a column: text, a number, or nothing where it is not known.
    pub fn cell(&mut self, column: &Column, row: usize) {
        if let Rows::Columnar(rows) = &mut self.output {
            let of = rows.columns.get(self.cells).and_then(|(_, of, _)| *of).unwrap_or_else(|| look(column));
            rows.push(self.cells, of, cell(column, row, of));
        }
        self.next_cell();
        push_value(&mut self.row, column, row, self.delimiter);
    }

    /// Adds all cells of a row of a table: as they stand in the text that it kept, byte for byte, where cells are
    /// parted there as they are here; else from its values.
    pub fn cells(&mut self, table: &Table, row: usize) {
        match (&table.source, &self.output) {
            (Some(source), Rows::Text(_)) if source.delimiter == self.delimiter => {
                self.next_cell();
                self.row.extend_from_slice(source.row(row));
                self.cells += table.columns().len().saturating_sub(1);
            }
            _ => table.columns().iter().for_each(|column| self.cell(column, row)),
        }
    }

    fn next_cell(&mut self) {
        if self.cells > 0 {
            self.row.push(self.delimiter);
        }
        self.cells += 1;
    }

    /// Adds a cell of text to the row.
    pub fn text(&mut self, text: &str) {
        if let Rows::Columnar(rows) = &mut self.output {
            rows.push(self.cells, Type::Words, Some(Cell::Text(text.to_owned())));
        }
        self.next_cell();
        push_quoted(&mut self.row, text, self.delimiter);
    }

    /// Adds a number to the row, in the shortest form that reads back equal; NaN is a hole, an infinity `inf`.
    pub fn number(&mut self, value: f64) {
        if let Rows::Columnar(rows) = &mut self.output {
            rows.push(self.cells, Type::Real, Some(Cell::Number(value)).filter(|_| !value.is_nan()));
        }
        self.next_cell();
        push_number(&mut self.row, value);
    }

    /// Adds an empty cell to the row.
    pub fn missing(&mut self) {
        if let Rows::Columnar(rows) = &mut self.output
            && let Some((_, _, cells)) = rows.columns.get_mut(self.cells)
        {
            cells.push(None);
        }
        self.next_cell();
    }

    /// Ends the row.
    ///
    /// # Errors
    /// When the row has not as many cells as the header, or can't be written.
    pub fn end_row(&mut self) -> Result<()> {
        if self.cells != self.width {
            return Err(Error::data(format!(
                "a row of {} cells under a header of {}",
                self.cells, self.width
            )));
        }
        if self.row.is_empty() && self.width == 1 {
            // Many readers pass over empty lines: a lone hole needs quotes to be seen.
            self.row.extend_from_slice(b"\"\"");
        }
        self.row.push(b'\n');
        match &mut self.output {
            Rows::Text(output) => output.write(&self.row, self.delimiter)?,
            Rows::Columnar(rows) if rows.waiting() >= BATCH => rows.flush()?,
            Rows::Columnar(_) => {}
        }
        self.row.clear();
        self.cells = 0;
        Ok(())
    }

    /// Writes out what was collected, so that whoever reads along has it.
    ///
    /// # Errors
    /// When it can't be written.
    pub fn flush(&mut self) -> Result<()> {
        match &mut self.output {
            Rows::Text(output) => output.rest(),
            Rows::Columnar(rows) => rows.flush(),
        }
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When the last bytes can't be written or the name can't be given.
    pub fn finish(self) -> Result<()> {
        match self.output {
            Rows::Text(output) => output.finish(),
            Rows::Columnar(mut rows) => {
                rows.flush()?;
                rows.output.finish()
            }
        }
    }
}

pub(super) fn push_number(row: &mut Vec<u8>, value: f64) {
    if value == value.trunc() && value.abs() < 1e15 {
        // Writing to a vector can't fail.
        let _ = write!(row, "{}", value as i64);
    } else if value.is_finite() {
        row.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes());
    } else if !value.is_nan() {
        row.extend_from_slice(if value > 0.0 { b"inf" } else { b"-inf" });
    }
}

pub(super) fn push_value(text: &mut Vec<u8>, column: &Column, row: usize, delimiter: u8) {
    match (&column.values, column.observed[row]) {
        (_, false) => {}
        (Values::Numbers(values), true) if column.kind == Kind::Integer => {
            push_number(text, values[row].round());
        }
        (Values::Numbers(values), true) => push_number(text, values[row]),
        (Values::Codes { codes, levels }, true) => push_quoted(text, &levels[codes[row] as usize], delimiter),
        (Values::Texts(texts), true) => push_quoted(text, &texts[row], delimiter),
    }
}

pub(super) fn push_quoted(row: &mut Vec<u8>, text: &str, delimiter: u8) {
    let bytes = text.as_bytes();
    let special = |byte: &u8| *byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    let padded = trim(bytes).len() != bytes.len();
    if !padded && !bytes.iter().any(special) {
        row.extend_from_slice(bytes);
        return;
    }
    row.push(b'"');
    for byte in bytes {
        if *byte == b'"' {
            row.push(b'"');
        }
        row.push(*byte);
    }
    row.push(b'"');
}

fn plain_name(path: &Path) -> String {
    let name = path.display().to_string().to_lowercase();
    name.strip_suffix(".gz").map_or(name.clone(), str::to_owned)
}

pub(super) fn is_tab_separated(path: &Path) -> bool {
    plain_name(path).ends_with(".tsv")
}

pub(super) fn check_ending(path: &Path) -> Result<()> {
    let name = plain_name(path);
    let packed = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    // Columnar files are packed inside.
    let foreign = [".xlsx", ".xls", ".json", ".jsonl", ".parquet", ".arrow", ".feather"];
    let foreign = if packed { &foreign[..] } else { &foreign[..4] };
    match foreign.iter().find(|ending| name.ends_with(**ending)) {
        Some(ending) => {
            let ending = if packed { format!("{ending}.gz") } else { (*ending).to_owned() };
            Err(Error::data(format!("{}: `{ending}` files can't be written", path.display()))
                .with_hint("write to `.csv` or `.tsv`, plain or with `.gz`, to `.parquet` or to `.arrow`"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
