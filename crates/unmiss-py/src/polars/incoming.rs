//! A struct of Polars as a table: numbers as numbers, words and truth values as categories; dates are left out, as no
//! model takes them.

use std::ffi::CStr;
use std::slice::from_raw_parts;

use unmiss::data::{Column, Kind, Table};
use unmiss::error::{Error, Result};

use super::layout::{ArrowArray, ArrowSchema, SeriesExport};

/// The cells of a column.
enum Cells {
    /// NaN where missing.
    Numbers(Vec<f64>),
    Words(Vec<Option<String>>),
    Dates,
}

/// The rows of a struct.
///
/// # Safety
/// It is a column that Polars gave away, of which nothing was taken yet.
pub(super) unsafe fn table(rows: &SeriesExport) -> Result<Table> {
    let (field, arrays) = unsafe { (&*rows.field, rows.taken()) };
    if unsafe { text(field.format) } != "+s" {
        return Err(Error::data("a model is asked of a struct, a field for each input")
            .with_hint("say pl.struct(pl.all()).unmiss.predict(..)"));
    }
    let mut columns = Vec::new();
    for place in 0..usize::try_from(field.n_children).unwrap_or(0) {
        let own = unsafe { &**field.children.add(place) };
        let mut cells: Option<Cells> = None;
        for array in &arrays {
            let (child, from) = unsafe { (&**array.children.add(place), at(array.offset)) };
            let found = unsafe { read(own, child, from, at(array.length)) }?;
            cells = Some(match (cells, found) {
                (Some(Cells::Numbers(mut all)), Cells::Numbers(more)) => {
                    all.extend(more);
                    Cells::Numbers(all)
                }
                (Some(Cells::Words(mut all)), Cells::Words(more)) => {
                    all.extend(more);
                    Cells::Words(all)
                }
                (_, found) => found,
            });
        }
        let name = unsafe { text(own.name) };
        match cells {
            Some(Cells::Numbers(values)) => columns.push(Column::from_numbers(name, Kind::Real, &values)),
            Some(Cells::Words(words)) => columns.push(Column::from_words(name, Kind::Category, &words)),
            Some(Cells::Dates) => {}
            None => columns.push(Column::from_numbers(name, Kind::Real, &[])),
        }
    }
    Table::new(columns)
}

fn at(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

unsafe fn text<'a>(pointer: *const std::ffi::c_char) -> &'a str {
    if pointer.is_null() { "" } else { unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("") }
}

/// A buffer of an array as so many values.
unsafe fn buffer<T>(array: &ArrowArray, place: usize, count: usize) -> &[T] {
    let pointer = unsafe { *array.buffers.add(place) }.cast::<T>();
    if pointer.is_null() || count == 0 { &[] } else { unsafe { from_raw_parts(pointer, count) } }
}

/// A bit of a buffer, true where there is no buffer.
unsafe fn bit(array: &ArrowArray, place: usize, position: usize) -> bool {
    let pointer = unsafe { *array.buffers.add(place) }.cast::<u8>();
    pointer.is_null() || unsafe { *pointer.add(position / 8) } >> (position % 8) & 1 == 1
}

/// Some cells of a column, from a place in it.
unsafe fn read(schema: &ArrowSchema, array: &ArrowArray, from: usize, count: usize) -> Result<Cells> {
    let (first, format) = (from + at(array.offset), unsafe { text(schema.format) });
    let known = |row: usize| unsafe { bit(array, 0, first + row) };
    macro_rules! numbers {
        ($kind:ty) => {{
            let values: &[$kind] = unsafe { buffer(array, 1, first + count) };
            let number = |row: usize| if known(row) { values[first + row] as f64 } else { f64::NAN };
            Cells::Numbers((0..count).map(number).collect())
        }};
    }
    if !schema.dictionary.is_null() {
        let (words, levels) = unsafe { (&*schema.dictionary, &*array.dictionary) };
        let Cells::Words(levels) = (unsafe { read(words, levels, 0, at(levels.length)) })? else {
            return Err(unreadable(schema));
        };
        let Cells::Numbers(codes) = (unsafe { read_plain(schema, array, from, count) })? else {
            return Err(unreadable(schema));
        };
        let word =
            |code: &f64| if code.is_nan() { None } else { levels.get(*code as usize).cloned().flatten() };
        return Ok(Cells::Words(codes.iter().map(word).collect()));
    }
    Ok(match format {
        "n" => Cells::Numbers(vec![f64::NAN; count]),
        "c" => numbers!(i8),
        "C" => numbers!(u8),
        "s" => numbers!(i16),
        "S" => numbers!(u16),
        "i" => numbers!(i32),
        "I" => numbers!(u32),
        "l" => numbers!(i64),
        "L" => numbers!(u64),
        "f" => numbers!(f32),
        "g" => numbers!(f64),
        "b" => {
            let word = |value: bool| if value { "True" } else { "False" }.to_owned();
            let cell = |row: usize| known(row).then(|| word(unsafe { bit(array, 1, first + row) }));
            Cells::Words((0..count).map(cell).collect())
        }
        "vu" => {
            let views: &[[u8; 16]] = unsafe { buffer(array, 1, first + count) };
            let cell = |row: usize| known(row).then(|| unsafe { viewed(array, &views[first + row]) });
            Cells::Words((0..count).map(cell).collect())
        }
        "U" | "u" => {
            let cell = |row: usize| known(row).then(|| unsafe { cut(array, format == "U", first + row) });
            Cells::Words((0..count).map(cell).collect())
        }
        date if date.starts_with('t') => Cells::Dates,
        _ => return Err(unreadable(schema)),
    })
}

/// The codes of a column with a dictionary.
unsafe fn read_plain(schema: &ArrowSchema, array: &ArrowArray, from: usize, count: usize) -> Result<Cells> {
    let plain = ArrowSchema { format: schema.format, name: schema.name, ..ArrowSchema::default() };
    unsafe { read(&plain, array, from, count) }
}

/// A word of which a view of 16 bytes tells where it is: within the view if it has at most 12 bytes.
unsafe fn viewed(array: &ArrowArray, view: &[u8; 16]) -> String {
    let number = |place: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| view[place + byte])) as usize;
    let length = number(0);
    let bytes = if length <= 12 {
        &view[4..4 + length]
    } else {
        // Behind validity and views come the buffers, and last one with their lengths.
        let (which, start) = (number(8), number(12));
        let all: &[u8] = unsafe { buffer(array, 2 + which, start + length) };
        &all[start..]
    };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A word that lies between two offsets.
unsafe fn cut(array: &ArrowArray, long: bool, row: usize) -> String {
    let [start, end] = [row, row + 1].map(|place| match long {
        true => at(unsafe { buffer::<i64>(array, 1, place + 1) }[place]),
        false => at(i64::from(unsafe { buffer::<i32>(array, 1, place + 1) }[place])),
    });
    String::from_utf8_lossy(&unsafe { buffer::<u8>(array, 2, end) }[start.min(end)..]).into_owned()
}

fn unreadable(schema: &ArrowSchema) -> Error {
    let (name, format) = unsafe { (text(schema.name), text(schema.format)) };
    Error::data(format!("column `{name}` has a type that no model takes (`{format}` in Arrow)"))
        .with_hint("cast it to a number or to words")
}
