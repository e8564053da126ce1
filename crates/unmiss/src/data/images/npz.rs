//! NumPy's `.npz`: a zip file of `.npy` arrays. Ours are `values`, `observed` and, where classes are known, `labels`.

use std::io::{Read, Seek, Write};

use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::array::Array;
use super::npy;
use super::pixels::{Observed, Pixels};
use super::set::Images;
use crate::error::{Error, Place, Result};

/// The first bytes of the form.
pub const MAGIC: &[u8] = b"PK\x03\x04";
/// Where the name of the first part stands in a zip file.
const FIRST_NAME: usize = 30;
/// How the names of other zip files begin: workbooks.
const OTHERS: [&[u8]; 4] = [b"[Content_Types]", b"_rels", b"docProps", b"xl/"];

/// Whether bytes begin like a file of arrays, and not like a workbook, which is a zip file too.
pub fn is_npz(first: &[u8]) -> bool {
    let name = first.get(FIRST_NAME..).unwrap_or_default();
    first.starts_with(MAGIC) && !OTHERS.iter().any(|other| name.starts_with(other))
}

/// Bytes that are put together before they are written.
const BLOCK: usize = 1 << 16;
const ENDING: &str = ".npy";

/// The images of a file, with marks and labels if it has them.
///
/// # Errors
/// When the file is damaged, has no `values`, or its arrays do not fit together.
pub fn read(file: &str, reader: impl Read + Seek) -> Result<Images> {
    let mut zip = open(file, reader)?;
    let names = names(&mut zip);
    if !names.iter().any(|name| name == "values") {
        let what = format!("there is no array `values`; its arrays are: {}", names.join(", "));
        return Err(Error::input(Place::file(file), what)
            .with_hint("save images with `numpy.savez(FILE, values=..., observed=..., labels=...)`"));
    }
    let in_file = |error: Error| match error {
        Error::Data { what, .. } => Error::input(Place::file(file), what),
        other => other,
    };
    let mut images = array(file, &mut zip, "values")?.images(file)?;
    if names.iter().any(|name| name == "observed") {
        let marks = array(file, &mut zip, "observed")?.marks(file, &images)?;
        images = images.narrowed(marks).map_err(in_file)?;
    }
    if names.iter().any(|name| name == "labels") {
        images = images.with_labels(Some(array(file, &mut zip, "labels")?.labels(file)?)).map_err(in_file)?;
    }
    Ok(images)
}

/// One array of a file: the one of that name, or the only one.
///
/// # Errors
/// When the file is damaged or has no such array.
pub fn read_one(file: &str, reader: impl Read + Seek, wanted: &str) -> Result<Array> {
    let mut zip = open(file, reader)?;
    let names = names(&mut zip);
    match &names[..] {
        [only] => array(file, &mut zip, only),
        _ => array(file, &mut zip, wanted),
    }
}

fn open<R: Read + Seek>(file: &str, reader: R) -> Result<ZipArchive<R>> {
    ZipArchive::new(reader).map_err(|error| {
        Error::input(Place::file(file), format!("the .npz file can't be opened ({error})"))
            .with_hint("the file is damaged or cut off; get or make it again")
    })
}

/// The names of the arrays.
fn names<R: Read + Seek>(zip: &mut ZipArchive<R>) -> Vec<String> {
    let names = zip.file_names().filter_map(|name| Some(name.ok()?.strip_suffix(ENDING)?.to_owned()));
    names.collect()
}

fn array<R: Read + Seek>(file: &str, zip: &mut ZipArchive<R>, name: &str) -> Result<Array> {
    let entry = zip.by_name(&format!("{name}{ENDING}")).map_err(|error| {
        Error::input(Place::file(file), format!("its array `{name}` can't be read ({error})"))
    })?;
    let size = entry.size();
    npy::read(&format!("{file}, array `{name}`"), entry, Some(size))
}

/// Writes images with their marks and labels.
///
/// # Errors
/// What the writer says.
pub fn write(writer: impl Write, images: &Images) -> std::io::Result<()> {
    let mut zip = ZipWriter::new_stream(writer);
    let size = images.size();
    let mut shape = vec![images.len(), size.channels, size.height, size.width];
    if images.flat {
        shape.remove(1);
    }
    match images.values() {
        Pixels::Bytes(values) => {
            begin(&mut zip, "values", "|u1", &shape)?;
            zip.write_all(values)?;
        }
        Pixels::Numbers(values) => {
            begin(&mut zip, "values", "<f4", &shape)?;
            let bytes = values.iter().flat_map(|value| value.to_le_bytes());
            write_bytes(&mut zip, bytes)?;
        }
    }
    match images.observed() {
        Observed::Cells(bits) => {
            begin(&mut zip, "observed", "|b1", &shape)?;
            write_bytes(&mut zip, (0..bits.len()).map(|cell| u8::from(bits.get(cell))))?;
        }
        other => {
            begin(&mut zip, "observed", "|b1", &[images.len(), size.height, size.width])?;
            let known = |cell: usize| !matches!(other, Observed::Pixels(bits) if !bits.get(cell));
            write_bytes(&mut zip, (0..images.len() * size.pixels()).map(|cell| u8::from(known(cell))))?;
        }
    }
    if let Some(labels) = images.labels() {
        let words: Vec<String> = (0..labels.rows()).map(|row| labels.cell(row).unwrap_or_default()).collect();
        let longest = words.iter().map(|word| word.chars().count()).max().unwrap_or(0).max(1);
        begin(&mut zip, "labels", &format!("<U{longest}"), &[words.len()])?;
        let letters = |word: &String| {
            let letters = word.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
            letters.flat_map(u32::to_le_bytes).collect::<Vec<u8>>()
        };
        write_bytes(&mut zip, words.iter().flat_map(letters))?;
    }
    zip.finish()?.into_inner().flush()
}

type Zip<W> = ZipWriter<StreamWriter<W>>;

/// Begins an array. All sizes are written in eight bytes, as a stream can't go back to widen them.
fn begin<W: Write>(zip: &mut Zip<W>, name: &str, kind: &str, shape: &[usize]) -> std::io::Result<()> {
    let options =
        SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(true);
    zip.start_file(format!("{name}{ENDING}"), options)?;
    zip.write_all(&npy::head(kind, shape))
}

fn write_bytes<W: Write>(zip: &mut Zip<W>, bytes: impl Iterator<Item = u8>) -> std::io::Result<()> {
    let mut block = Vec::with_capacity(BLOCK);
    for byte in bytes {
        block.push(byte);
        if block.len() == BLOCK {
            zip.write_all(&block)?;
            block.clear();
        }
    }
    zip.write_all(&block)
}
