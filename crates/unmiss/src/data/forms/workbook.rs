//! Workbooks (`.xlsx`): one sheet as delimited text. Numbers keep all their digits, dates are written as in ISO 8601,
//! what Excel could not compute (`#N/A`, `#DIV/0!`) is a hole. Rows stand on the lines that they have in the sheet.

use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use calamine::{DataRef, ExcelDateTime, Reader, Xlsx};

use super::super::form::Form;
use super::super::input::Stream;
use super::super::parquet::quietly;
use super::super::table::format_number;
use super::super::write::push_quoted;
use super::mixed::{Cell, settle};
use crate::error::{Error, Place, Result, nearest};

/// Unpacked bytes up to which no workbook is refused, and how many times its size it may have beyond that.
const MOST_UNPACKED: u64 = 256 << 20;
const MOST_TIMES: u64 = 200;
/// Cells that a sheet may span: far more than it has room for in a workbook of usual size.
const MOST_CELLS: u64 = 200_000_000;
/// Sheets that are named.
const MOST_NAMED: usize = 6;

/// A sheet as text: the one asked for, or the first that has two rows and two columns, as a table has and a cover has
/// not; without such, the first that has anything in it.
pub(super) fn text(mut stream: Stream, form: &Form) -> Result<Stream> {
    let bytes = stream.read_all()?;
    refuse_bomb(&stream.file, &bytes)?;
    let file = stream.file.clone();
    let sheet = quietly(|| catch_unwind(AssertUnwindSafe(|| read(&file, &bytes, form))))
        .unwrap_or_else(|_| Err(damaged(&file, &"its contents contradict each other")))?;
    let named = form.sheet.is_some() || sheet.sheets == 1;
    let words =
        format!("the workbook has {} sheets ({}); `{}` is read", sheet.sheets, sheet.names, sheet.name);
    let told: Vec<String> = (!named).then_some(words).into_iter().chain(sheet.mixed).collect();
    let told = (!told.is_empty()).then(|| told.join("; "));
    Ok(Stream::new(file, Cursor::new(sheet.text)).noting(move || told.clone()))
}

/// What was read of a workbook.
struct Sheet {
    name: String,
    sheets: usize,
    /// The names of all, as far as they are told.
    names: String,
    text: Vec<u8>,
    /// What was said of columns in which text stands among numbers.
    mixed: Option<String>,
}

fn read(file: &str, bytes: &[u8], form: &Form) -> Result<Sheet> {
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(|error| no_workbook(file, &error))?;
    let names = book.sheet_names();
    let wanted: Vec<String> = match &form.sheet {
        Some(name) if names.contains(name) => vec![name.clone()],
        Some(name) => {
            let hint = match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the sheets are: {}", names.join(", ")),
            };
            return Err(Error::setting("sheet", format!("{file} has no sheet `{name}`")).with_hint(hint));
        }
        None => names.clone(),
    };
    let mut first = None;
    for name in wanted {
        let (text, mixed) = sheet(file, &mut book, &name, form)?;
        let (is_empty, is_table) = (text.is_empty(), has_rows_and_columns(&text));
        let found = Sheet { name, sheets: names.len(), names: named(&names), text, mixed };
        if is_table {
            return Ok(found);
        }
        first = first.or(Some(found).filter(|_| !is_empty));
    }
    if let Some(sheet) = first {
        return Ok(sheet);
    }
    Err(Error::input(Place::file(file), "there is no cell in the workbook")
        .with_hint("a table starts with a line of column names"))
}

/// The names of sheets, as far as a line has room for them.
fn named(names: &[String]) -> String {
    let more = if names.len() > MOST_NAMED { ", ..." } else { "" };
    names.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ") + more
}

/// Whether the text of a sheet has two lines at least in which something stands, and two columns.
fn has_rows_and_columns(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.next().is_some_and(|line| line.contains(&b',')) && lines.next().is_some()
}

/// The cells of a sheet as text, and what is to be said of them; empty where it has none.
fn sheet(
    file: &str,
    book: &mut Xlsx<Cursor<&[u8]>>,
    name: &str,
    form: &Form,
) -> Result<(Vec<u8>, Option<String>)> {
    let fault = |error: &dyn std::fmt::Display| damaged(file, error);
    let mut reader = book.worksheet_cells_reader(name).map_err(|error| fault(&error))?;
    let mut cells: Vec<Cell> = Vec::new();
    while let Some(cell) = reader.next_cell().map_err(|error| fault(&error))? {
        if let Some(text) = words(cell.get_value()) {
            let (row, column) = cell.get_position();
            let is_number = matches!(cell.get_value(), DataRef::Int(_) | DataRef::Float(_));
            cells.push(Cell { row, column, text, is_number });
        }
    }
    cells.sort_by_key(|cell| (cell.row, cell.column));
    let Some(last) = cells.last().map(|cell| cell.row) else { return Ok((Vec::new(), None)) };
    let mixed = settle(&mut cells, form.decimal_mark());
    let columns = |of: fn(u32, u32) -> u32, start: u32| cells.iter().map(|cell| cell.column).fold(start, of);
    let (left, right) = (columns(Ord::min, u32::MAX), columns(Ord::max, 0));
    if u64::from(last + 1) * u64::from(right - left + 1) > MOST_CELLS {
        let what = format!("sheet `{name}` spans {} rows and {} columns", last + 1, right - left + 1);
        return Err(
            Error::input(Place::file(file), what).with_hint("delete the cells far away from the table")
        );
    }
    let (mut text, mut cells) = (Vec::new(), cells.into_iter().peekable());
    for row in 0..=last {
        let mut line = Vec::new();
        for column in left..=right {
            if column > left {
                line.push(b',');
            }
            while let Some(cell) = cells.next_if(|cell| (cell.row, cell.column) <= (row, column)) {
                push_quoted(&mut line, &cell.text, b',');
            }
        }
        // A row without any cell is no row.
        if line.iter().any(|byte| *byte != b',') {
            text.extend_from_slice(&line);
        }
        text.push(b'\n');
    }
    Ok((text, mixed))
}

/// A cell as text; none where there is nothing.
fn words(value: &DataRef<'_>) -> Option<String> {
    let text = match value {
        DataRef::Empty | DataRef::Error(_) => return None,
        DataRef::Int(value) => value.to_string(),
        DataRef::Float(value) if value.is_finite() => format_number(*value),
        DataRef::Float(_) => return None,
        DataRef::String(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(moment) => date(moment),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
    };
    (!text.is_empty()).then_some(text)
}

/// A date, a time or both; a span of time as its number of days.
fn date(moment: &ExcelDateTime) -> String {
    let days = moment.as_f64();
    if moment.is_duration() || days < 0.0 {
        return format_number(days);
    }
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let clock = match (second, milli) {
        (0, 0) => format!("{hour:02}:{minute:02}"),
        (_, 0) => format!("{hour:02}:{minute:02}:{second:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}.{milli:03}"),
    };
    match (days < 1.0, days.fract() == 0.0) {
        (true, _) => clock,
        (false, true) => format!("{year:04}-{month:02}-{day:02}"),
        (false, false) => format!("{year:04}-{month:02}-{day:02} {clock}"),
    }
}

/// Refuses a workbook that unpacks to so much more than it is that it is hardly meant to be one.
fn refuse_bomb(file: &str, bytes: &[u8]) -> Result<()> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| no_workbook(file, &error))?;
    let most = MOST_UNPACKED.max(bytes.len() as u64 * MOST_TIMES);
    let mut unpacked = 0;
    for place in 0..archive.len() {
        let part = archive.by_index(place).map_err(|error| no_workbook(file, &error))?;
        let counted = std::io::copy(&mut part.take(most + 1 - unpacked), &mut std::io::sink());
        unpacked += counted.map_err(|error| no_workbook(file, &error))?;
        if unpacked > most {
            let what = format!("the workbook unpacks to more than {MOST_TIMES} times its size");
            return Err(
                Error::input(Place::file(file), what).with_hint("save the sheet as CSV if it is meant so")
            );
        }
    }
    Ok(())
}

fn no_workbook(file: &str, error: &dyn std::fmt::Display) -> Error {
    Error::input(Place::file(file), format!("this is no table of plain text and no workbook ({error})"))
        .with_hint("save it as .xlsx or CSV")
}

fn damaged(file: &str, error: &dyn std::fmt::Display) -> Error {
    Error::input(Place::file(file), format!("the workbook is damaged or of an unknown make ({error})"))
        .with_hint("get or make the file again, or save the sheet as CSV")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::data::{Form, Kind, ReadOptions, read_bytes};

    /// A workbook of an empty sheet `Info` and a sheet `Ward` of such rows.
    fn workbook(rows: &str) -> Vec<u8> {
        with_cover("", rows)
    }

    /// The same with rows on the first sheet.
    fn with_cover(cover: &str, rows: &str) -> Vec<u8> {
        let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
        let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        let package = "http://schemas.openxmlformats.org/package/2006";
        let sheet =
            |rows: &str| format!("<worksheet xmlns='{main}'><sheetData>{rows}</sheetData></worksheet>");
        let relation = |id: u8, kind: &str, target: &str| {
            format!("<Relationship Id='r{id}' Type='{office}/{kind}' Target='{target}'/>")
        };
        let relations =
            |all: &str| format!("<Relationships xmlns='{package}/relationships'>{all}</Relationships>");
        let parts = [
            ("[Content_Types].xml", format!("<Types xmlns='{package}/content-types'/>")),
            ("_rels/.rels", relations(&relation(1, "officeDocument", "xl/workbook.xml"))),
            (
                "xl/workbook.xml",
                format!(
                    "<workbook xmlns='{main}' xmlns:r='{office}'><sheets><sheet name='Info' sheetId='1' r:id='r1'/>\
                     <sheet name='Ward' sheetId='2' r:id='r2'/></sheets></workbook>"
                ),
            ),
            (
                "xl/_rels/workbook.xml.rels",
                relations(
                    &[
                        relation(1, "worksheet", "worksheets/sheet1.xml"),
                        relation(2, "worksheet", "worksheets/sheet2.xml"),
                        relation(3, "styles", "styles.xml"),
                    ]
                    .concat(),
                ),
            ),
            (
                "xl/styles.xml",
                format!(
                    "<styleSheet xmlns='{main}'><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/></cellXfs></styleSheet>"
                ),
            ),
            ("xl/worksheets/sheet1.xml", sheet(cover)),
            ("xl/worksheets/sheet2.xml", sheet(rows)),
        ];
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in parts {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    const ROWS: &str = "<row r='1'><c r='B1' t='inlineStr'><is><t>Ward, \"3\"</t></is></c></row>\
        <row r='3'><c r='B3' t='inlineStr'><is><t>seen</t></is></c><c r='C3' t='inlineStr'><is><t>age</t></is></c>\
        <c r='D3' t='inlineStr'><is><t>died</t></is></c></row>\
        <row r='4'><c r='B4' s='1'><v>45383</v></c><c r='C4'><v>61.25</v></c><c r='D4' t='b'><v>1</v></c></row>\
        <row r='5'><c r='B5' s='1'><v>45384.5</v></c><c r='C5' t='e'><v>#N/A</v></c><c r='D5' t='b'><v>0</v></c></row>\
        <row r='7'><c r='B7' s='1'><v>45385</v></c><c r='C7'><v>7</v></c></row>\
        <row r='8'><c r='C8'><v>8</v></c><c r='D8' t='b'><v>1</v></c></row>";

    #[test]
    fn a_sheet_becomes_a_table() {
        let reading = read_bytes("ward.xlsx", &workbook(ROWS), &ReadOptions::default()).unwrap();
        let cells =
            |name: &str| (0..4).map(|row| reading.table.column(name).unwrap().cell(row)).collect::<Vec<_>>();
        let some = |cell: &str| Some(cell.to_owned());
        assert_eq!(cells("seen"), [some("2024-04-01"), some("2024-04-02 12:00"), some("2024-04-03"), None]);
        assert_eq!(cells("age"), [some("61.25"), None, some("7"), some("8")]);
        assert_eq!(cells("died"), [some("true"), some("false"), None, some("true")]);
        assert_eq!(reading.table.column("seen").unwrap().kind, Kind::Date);
        let notes: Vec<&str> = reading.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(notes[0], "the workbook has 2 sheets (`Info`, `Ward`); `Ward` is read");
        assert!(notes[1].contains("above the names of the columns"), "{notes:?}");
    }

    #[test]
    fn a_cover_is_passed_over() {
        let cover = "<row r='1'><c r='A1' t='inlineStr'><is><t>Ward 3</t></is></c></row>\
            <row r='2'><c r='A2' t='inlineStr'><is><t>by Ann</t></is></c></row>";
        let reading = read_bytes("ward.xlsx", &with_cover(cover, ROWS), &ReadOptions::default()).unwrap();
        assert_eq!(reading.table.columns()[0].name, "seen");
        // Where nothing looks like a table, what is there is read.
        let reading = read_bytes("ward.xlsx", &with_cover(cover, ""), &ReadOptions::default()).unwrap();
        assert_eq!(reading.table.columns()[0].name, "Ward 3");
    }

    #[test]
    fn what_can_not_be_read_is_told() {
        let read = |bytes: &[u8], sheet: &str| {
            let form = Form { sheet: Some(sheet.to_owned()), ..Form::default() };
            read_bytes("ward.xlsx", bytes, &ReadOptions { form, ..ReadOptions::default() })
                .unwrap_err()
                .to_string()
        };
        let good = workbook(ROWS);
        assert!(read(&good, "Wards").contains("no sheet `Wards`"));
        assert!(read(&good, "Info").contains("no cell"));
        assert!(read(b"a,b\n1,2\n", "Ward").contains("no workbook"));
        assert!(read(&good[..good.len() / 2], "Ward").contains("no workbook"));
        let far = workbook(
            "<row r='1'><c r='A1'><v>1</v></c></row><row r='1048576'><c r='XFD1048576'><v>1</v></c></row>",
        );
        assert!(read(&far, "Ward").contains("spans 1048576 rows"), "{}", read(&far, "Ward"));
        let odd = workbook("<row r='1'><c r='B1'><v>x</v></c><c t='s'><v>99</v></c></row>");
        assert!(
            read(&odd, "Ward").starts_with("ward.xlsx: the workbook is damaged"),
            "{}",
            read(&odd, "Ward")
        );
    }
}
