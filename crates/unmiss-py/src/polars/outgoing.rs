//! Columns as a struct of Polars. All memory is ours until Polars releases it.

use std::ffi::{CString, c_void};
use std::ptr::null;

use unmiss::data::{Column, Values};

use super::layout::{ArrowArray, ArrowSchema, SeriesExport};

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Word,
}

impl Kind {
    fn of(column: &Column) -> Self {
        if column.numbers().is_some() { Self::Number } else { Self::Word }
    }

    fn format(self) -> &'static str {
        match self {
            Self::Number => "g",
            Self::Word => "U",
        }
    }
}

/// What a type is made of, freed with it.
struct SchemaParts {
    _words: [CString; 2],
    children: Vec<*mut ArrowSchema>,
}

unsafe extern "C" fn release_schema(schema: *mut ArrowSchema) {
    let schema = unsafe { &mut *schema };
    let parts = unsafe { Box::from_raw(schema.private_data.cast::<SchemaParts>()) };
    parts.children.iter().for_each(|child| drop(unsafe { Box::from_raw(*child) }));
    schema.release = None;
}

fn one_schema(name: &str, format: &str, children: Vec<ArrowSchema>) -> ArrowSchema {
    let words = [format, name].map(|word| CString::new(word.replace('\0', " ")).unwrap_or_default());
    let [format, name] = [words[0].as_ptr(), words[1].as_ptr()];
    let children = children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect();
    let mut parts = Box::new(SchemaParts { _words: words, children });
    ArrowSchema {
        format,
        name,
        flags: 2, // cells may be missing
        n_children: parts.children.len() as i64,
        children: parts.children.as_mut_ptr(),
        release: Some(release_schema),
        private_data: Box::into_raw(parts).cast::<c_void>(),
        ..ArrowSchema::default()
    }
}

/// The type of a struct of answers.
pub(super) fn schema(name: &str, answers: &[(String, Kind)]) -> ArrowSchema {
    let children = answers.iter().map(|(name, kind)| one_schema(name, kind.format(), Vec::new()));
    one_schema(name, "+s", children.collect())
}

/// What an array is made of, freed with it.
struct ArrayParts {
    _numbers: Vec<f64>,
    _offsets: Vec<i64>,
    _bytes: Vec<u8>,
    buffers: Vec<*const c_void>,
    children: Vec<*mut ArrowArray>,
}

unsafe extern "C" fn release_array(array: *mut ArrowArray) {
    let array = unsafe { &mut *array };
    let parts = unsafe { Box::from_raw(array.private_data.cast::<ArrayParts>()) };
    parts.children.iter().for_each(|child| drop(unsafe { Box::from_raw(*child) }));
    array.release = None;
}

fn one_array(rows: usize, parts: ArrayParts) -> ArrowArray {
    let mut parts = Box::new(parts);
    ArrowArray {
        length: rows as i64,
        n_buffers: parts.buffers.len() as i64,
        n_children: parts.children.len() as i64,
        buffers: parts.buffers.as_mut_ptr(),
        children: parts.children.as_mut_ptr(),
        release: Some(release_array),
        private_data: Box::into_raw(parts).cast::<c_void>(),
        ..ArrowArray::default()
    }
}

/// An answer's column: none of its cells is missing.
fn array(column: &Column) -> ArrowArray {
    let (mut numbers, mut offsets, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    match &column.values {
        Values::Numbers(values) => numbers.clone_from(values),
        _ => {
            offsets.push(0);
            for row in 0..column.rows() {
                bytes.extend(column.cell(row).unwrap_or_default().bytes());
                offsets.push(bytes.len() as i64);
            }
        }
    }
    let buffers: Vec<*const c_void> = match Kind::of(column) {
        Kind::Number => vec![null(), numbers.as_ptr().cast()],
        Kind::Word => vec![null(), offsets.as_ptr().cast(), bytes.as_ptr().cast()],
    };
    let parts =
        ArrayParts { _numbers: numbers, _offsets: offsets, _bytes: bytes, buffers, children: Vec::new() };
    one_array(column.rows(), parts)
}

/// What a column of Polars is made of, freed with it.
struct SeriesParts {
    field: Box<ArrowSchema>,
    arrays: Vec<*mut ArrowArray>,
}

/// Frees the list; the arrays themselves are Polars' by now.
unsafe extern "C" fn release_series(series: *mut SeriesExport) {
    let series = unsafe { &mut *series };
    let parts = unsafe { Box::from_raw(series.private_data.cast::<SeriesParts>()) };
    for array in &parts.arrays {
        drop(unsafe { Box::from_raw(array.cast::<std::mem::ManuallyDrop<ArrowArray>>()) });
    }
    drop(parts.field);
    series.release = None;
}

/// A struct of answers.
pub(super) fn series(name: &str, answers: &[Column], rows: usize) -> SeriesExport {
    let kinds: Vec<(String, Kind)> =
        answers.iter().map(|column| (column.name.clone(), Kind::of(column))).collect();
    let children = answers.iter().map(|column| Box::into_raw(Box::new(array(column)))).collect();
    let whole = one_array(
        rows,
        ArrayParts {
            _numbers: Vec::new(),
            _offsets: Vec::new(),
            _bytes: Vec::new(),
            buffers: vec![null()],
            children,
        },
    );
    let field = Box::new(schema(name, &kinds));
    let mut parts = Box::new(SeriesParts { field, arrays: vec![Box::into_raw(Box::new(whole))] });
    SeriesExport {
        field: &raw mut *parts.field,
        arrays: parts.arrays.as_mut_ptr(),
        count: 1,
        release: Some(release_series),
        private_data: Box::into_raw(parts).cast::<c_void>(),
    }
}
