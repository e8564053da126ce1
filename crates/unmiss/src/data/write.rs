//! Writing rows cell by cell, as predictions are.

use std::io::Write as _;
use std::path::Path;

use super::cell::trim;
use super::output::Output;
use crate::error::{Error, Result};

/// Writes CSV (or TSV, by the ending) row by row.
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
    output: Output,
    delimiter: u8,
    width: usize,
    row: Vec<u8>,
    cells: usize,
}

impl CsvWriter {
    /// Opens a path and writes the header.
    ///
    /// # Errors
    /// When the path can't be written to or its ending is one of a format that can't be written.
    pub fn create<T: AsRef<str>>(path: &Path, header: &[T]) -> Result<Self> {
        check_ending(path)?;
        let delimiter = if is_tab_separated(path) { b'\t' } else { b',' };
        let output = Output::create(path)?;
        let mut writer = Self { output, delimiter, width: header.len(), row: Vec::new(), cells: 0 };
        header.iter().for_each(|name| writer.text(name.as_ref()));
        writer.end_row()?;
        Ok(writer)
    }

    fn next_cell(&mut self) {
        if self.cells > 0 {
            self.row.push(self.delimiter);
        }
        self.cells += 1;
    }

    /// Adds a cell of text to the row.
    pub fn text(&mut self, text: &str) {
        self.next_cell();
        push_quoted(&mut self.row, text, self.delimiter);
    }

    /// Adds a number to the row, in the shortest form that reads back equal; NaN is a hole, an infinity `inf`.
    pub fn number(&mut self, value: f64) {
        self.next_cell();
        push_number(&mut self.row, value);
    }

    /// Adds an empty cell to the row.
    pub fn missing(&mut self) {
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
            // An empty line is no record: a lone hole needs quotes to be seen.
            self.row.extend_from_slice(b"\"\"");
        }
        self.row.push(b'\n');
        self.output.write(&self.row)?;
        self.row.clear();
        self.cells = 0;
        Ok(())
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// When the last bytes can't be written or the name can't be given.
    pub fn finish(self) -> Result<()> {
        self.output.finish()
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
    let foreign = [".parquet", ".xlsx", ".xls", ".json", ".feather"];
    match foreign.iter().find(|ending| name.ends_with(**ending)) {
        Some(ending) => Err(Error::data(format!("{}: `{ending}` files can't be written", path.display()))
            .with_hint("write to `.csv`, `.tsv` or one of these with `.gz`")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{Column, Kind, ReadOptions, Table, Values, csv_text, read_bytes, write};

    fn kept() -> ReadOptions {
        ReadOptions { keep_source: true, ..ReadOptions::default() }
    }

    fn written(table: &Table) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        write(table, &path).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing but the file stays");
        String::from_utf8(std::fs::read(&path).unwrap()).unwrap()
    }

    fn table(text: &str) -> Table {
        read_bytes("t.csv", text.as_bytes(), &kept()).unwrap().table
    }

    #[test]
    fn an_untouched_table_is_the_same_file() {
        for text in [
            "a,b\n1,x\n",
            "\u{feff}a;b\r\n\" 1\";NA\r\n\r\n+2.50;\"x\"\"\ny\"\r\n\r\n",
            "a\tb\n 007 \t?\n1e3\t\"\"",
            "a,b\r1,2\r3,4",
            "\n\na\n\n\"\"\n3\n",
        ] {
            assert_eq!(written(&table(text)), text);
        }
    }

    #[test]
    fn only_touched_cells_are_written_anew() {
        let mut table = table("n,w,x\r\n01,\"a\",1.50\r\nNA,b,2.25\r\n3,,7.0\r\n4,c c,");
        let columns = table.columns_mut();
        // Filled, hidden, changed.
        (columns[0].values, columns[0].observed[1]) = (Values::Numbers(vec![1.0, 2.6, 3.0, 4.0]), true);
        columns[1].observed[0] = false;
        columns[1].observed[2] = true;
        (columns[2].values, columns[2].observed[3]) = (Values::Numbers(vec![1.5, 2.25, 8.0, 0.1]), true);
        assert_eq!(written(&table), "n,w,x\r\n01,,1.50\r\n3,b,2.25\r\n3,a,8\r\n4,c c,0.1");
    }

    #[test]
    fn chosen_rows_keep_their_text() {
        let table = table("a,b\r\n1.0,x\r\n2.0,y\r\n3.50,z");
        assert_eq!(written(&table.select(&[2, 0, 0])), "a,b\r\n3.50,z\r\n1.0,x\r\n1.0,x\r\n");
        assert_eq!(written(&table.select(&[1, 2])), "a,b\r\n2.0,y\r\n3.50,z");
        assert_eq!(written(&table.select(&[])), "a,b\r\n");
    }

    #[test]
    fn a_lone_hole_is_seen() {
        let mut table = table("a\n1\n2\n3\n");
        table.columns_mut()[0].observed[1] = false;
        assert_eq!(written(&table), "a\n1\n\"\"\n3\n");
        table.source = None;
        assert_eq!(written(&table), "a\n1\n\"\"\n3\n");
    }

    #[test]
    fn other_endings() {
        let folder = tempfile::tempdir().unwrap();
        let table = table("a,b\n1,\"x\ty\"\n2.50,z\n3,z\n");
        let path = folder.path().join("out.tsv.gz");
        write(&table, &path).unwrap();
        let packed = std::fs::read(&path).unwrap();
        let mut text = String::new();
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(packed.as_slice()), &mut text)
            .unwrap();
        assert_eq!(text, "a\tb\n1\t\"x\ty\"\n2.5\tz\n3\tz\n");
        let error = write(&table, Path::new("out.parquet")).unwrap_err();
        assert_eq!(error.to_string(), "out.parquet: `.parquet` files can't be written");
    }

    #[test]
    fn an_unfinished_file_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        std::fs::write(&path, "old").unwrap();
        let mut writer = CsvWriter::create(&path, &["a", "b"]).unwrap();
        writer.number(1.0);
        assert_eq!(writer.end_row().unwrap_err().to_string(), "a row of 1 cells under a header of 2");
        drop(writer);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(CsvWriter::create(&folder.path().join("absent/out.csv"), &["a"]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_links_stay_what_they_are() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt};
        CsvWriter::create(Path::new("/dev/null"), &["a"]).unwrap().finish().unwrap();
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file.csv"), folder.path().join("link.csv"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        CsvWriter::create(&link, &["a"]).unwrap().finish().unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "a\n");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_ne!(mode & 0o044, 0, "others may read what they usually may");
    }

    /// Cells of all sorts, as they might stand in a file.
    fn raw_cell() -> impl Strategy<Value = String> {
        prop_oneof![
            3 => "-?[0-9]{1,4}(\\.[0-9]{1,3})?",
            2 => "[a-c]{1,2}",
            1 => Just(String::new()),
            1 => Just("NA".to_owned()),
            1 => Just("\"x\"\"y, \nz\"".to_owned()),
            1 => " ?[0-9]{1,2} ?",
            1 => "\"[a-c,;0-9\n]{0,4}\"",
        ]
    }

    proptest! {
        #[test]
        fn any_readable_text_comes_back_byte_for_byte(
            rows in prop::collection::vec(prop::collection::vec(raw_cell(), 3), 1..12),
            end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
            closed: bool,
        ) {
            let mut text = format!("a,b,c{end}");
            text += &rows.iter().map(|row| row.join(",")).collect::<Vec<_>>().join(end);
            text += if closed { end } else { "" };
            prop_assert_eq!(written(&table(&text)), text);
        }

        #[test]
        fn written_values_read_back_equal(
            numbers in prop::collection::vec(prop::option::of(-1e300f64..1e300), 3..20),
            words in prop::collection::vec(prop::option::of("[ab\", \n\r\u{e9}]{1,4}"), 20),
        ) {
            let numbers: Vec<f64> = numbers.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect();
            let words: Vec<Option<String>> = words[..numbers.len()].iter().map(|word| word.clone().filter(|word| !word.trim_matches([' ', '\t']).is_empty())).collect();
            let mut texts = Column::from_words("t", Kind::Category, &words);
            let plain = words.iter().map(|word| word.clone().unwrap_or_default()).collect();
            (texts.kind, texts.values) = (Kind::Text, Values::Texts(plain));
            let made = Table::new(vec![Column::from_numbers("n", Kind::Real, &numbers), texts]).unwrap();
            let mut options = ReadOptions::default();
            options.kinds.extend([("n".to_owned(), Kind::Real), ("t".to_owned(), Kind::Text)]);
            let back = read_bytes("t.csv", written(&made).as_bytes(), &options).unwrap().table;
            prop_assert_eq!(back.columns(), made.columns());
        }
    }

    #[test]
    fn text_in_memory_reads_back_equal() {
        let table = Table::new(vec![
            Column::from_numbers("a,b", Kind::Real, &[0.1, f64::NAN, -3.0]),
            Column::from_words("c", Kind::Category, &[Some("x \"y\""), Some("z"), None]),
        ])
        .unwrap();
        let text = csv_text(&table);
        assert_eq!(String::from_utf8(text).unwrap(), "\"a,b\",c\n0.1,\"x \"\"y\"\"\"\n,z\n-3,\n");
        let lone = Table::new(vec![Column::from_numbers("a", Kind::Real, &[f64::NAN, 1.5])]).unwrap();
        assert_eq!(csv_text(&lone), b"a\n\"\"\n1.5\n");
    }
}
