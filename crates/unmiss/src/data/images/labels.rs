//! The classes of images from a file of their own: IDX, `.npy`, `.npz`, or a table with a column `label`.

use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;

use super::array::classes;
use super::set::{Images, LABEL};
use super::{idx, npy, npz};
use crate::data::input;
use crate::data::kind::Kind;
use crate::data::options::ReadOptions;
use crate::data::table::{Column, Table};
use crate::data::text;
use crate::error::{Error, Place, Result};

/// Names of a column that tells which picture a line is about.
const PICTURES: [&str; 5] = ["image", "file", "filename", "picture", "name"];

/// Reads one class for each image.
///
/// # Errors
/// When the file can't be read, or there are more or fewer classes than images.
pub fn read(path: &Path, images: &Images) -> Result<Column> {
    let (file, bytes) = input::whole(path)?;
    let labels = if bytes.starts_with(npy::MAGIC) {
        npy::read(&file, bytes.as_slice(), Some(bytes.len() as u64))?.labels(&file)?
    } else if bytes.starts_with(npz::MAGIC) {
        npz::read_one(&file, Cursor::new(bytes), "labels")?.labels(&file)?
    } else if idx::is_idx(&bytes) {
        idx::read(&file, bytes)?.labels(&file)?
    } else {
        of_table(&file, &table(&file, bytes)?, images)?
    };
    if labels.rows() != images.len() {
        let what = format!("there are {} labels for {} images", labels.rows(), images.len());
        return Err(Error::input(Place::file(file), what));
    }
    Ok(labels)
}

/// A table of labels. Classes and names are words, whatever they look like: `007` stays `007`.
fn table(file: &str, bytes: Vec<u8>) -> Result<Table> {
    let first = text::read_text(file, bytes.clone(), &ReadOptions::default(), text::PIECE)?.table;
    let kinds = first.columns().iter().map(|column| (column.name.clone(), Kind::Category)).collect();
    let options = ReadOptions { kinds, ..ReadOptions::default() };
    Ok(text::read_text(file, bytes, &options, text::PIECE)?.table)
}

/// From a table: the column `label`, or the only one. With a column of pictures' names, lines may stand in any order.
fn of_table(file: &str, table: &Table, images: &Images) -> Result<Column> {
    let fault = |what: String| Error::input(Place::file(file), what);
    let columns = table.columns();
    let label = columns.iter().find(|column| column.name.eq_ignore_ascii_case(LABEL));
    let label = match (label, columns) {
        (Some(label), _) => label,
        (None, [only]) => only,
        _ => {
            return Err(fault("it is not clear which column has the labels".into())
                .with_hint("call it `label`; a column `image` may tell which picture a line is about"));
        }
    };
    let words: Vec<Option<String>> = (0..label.rows()).map(|row| label.cell(row)).collect();
    let by_name = columns.iter().find(|column| PICTURES.contains(&column.name.to_lowercase().as_str()));
    let (Some(pictures), Some(names)) = (by_name, &images.names) else { return Ok(classes(words)) };
    let by_picture = ByPicture::new(pictures, &words).map_err(fault)?;
    let mut told: HashMap<usize, &String> = HashMap::new();
    let mut own = Vec::with_capacity(names.len());
    for name in names {
        let row = by_picture.line(name);
        let row = row.ok_or_else(|| fault(format!("there is no line for the picture `{name}`")))?;
        if let Some(other) = told.insert(row, name) {
            let line = pictures.cell(row).unwrap_or_default();
            let what = format!("the line for `{line}` fits both pictures `{other}` and `{name}`");
            return Err(
                fault(what).with_hint("write the names in the table with their folder and their ending")
            );
        }
        own.push(words[row].clone());
    }
    Ok(classes(own))
}

/// The lines of a table by the pictures that they name.
struct ByPicture {
    lines: HashMap<String, usize>,
}

impl ByPicture {
    /// Lines with their labels; or what is wrong where the same picture has two.
    fn new(pictures: &Column, words: &[Option<String>]) -> std::result::Result<Self, String> {
        let mut lines: HashMap<String, usize> = HashMap::new();
        for (row, picture) in (0..pictures.rows()).filter_map(|row| Some((row, pictures.cell(row)?))) {
            let label = |row: usize| words[row].as_deref().unwrap_or_default();
            match lines.get(&picture) {
                Some(&other) if words[other] != words[row] => {
                    let (first, second) = (label(other), label(row));
                    return Err(format!("the picture `{picture}` has two labels: `{first}` and `{second}`"));
                }
                Some(_) => {}
                None => drop(lines.insert(picture, row)),
            }
        }
        Ok(Self { lines })
    }

    /// The line of a picture: of its whole path, of its name, or of its name without the ending.
    fn line(&self, name: &str) -> Option<usize> {
        let path = Path::new(name);
        let short = path.file_name().map(|short| short.to_string_lossy().into_owned());
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        [Some(name.to_owned()), short, stem]
            .into_iter()
            .flatten()
            .find_map(|key| self.lines.get(&key).copied())
    }
}
