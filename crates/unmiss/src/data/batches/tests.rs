use std::collections::BTreeMap;
use std::io::Write;

use super::*;
use crate::data::input::from_bytes;
use crate::data::{ReadOptions, TableWriter, read_bytes};
use crate::error::Error;

fn options(kinds: &[(&str, Kind)], rows: usize) -> BatchOptions {
    let kinds: BTreeMap<String, Kind> =
        kinds.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
    BatchOptions { kinds, rows, ..BatchOptions::default() }
}

/// All batches of a text, read in blocks of the given size.
fn batches(text: &str, options: &BatchOptions, block: usize) -> Result<Vec<Table>> {
    let Content::Text(stream) = from_bytes("t.csv", text.as_bytes())? else { return Err(Error::Stopped) };
    let (header, mut inner) = TextBatches::open(stream, options, block)?;
    std::iter::from_fn(|| inner.next(&header).transpose()).collect()
}

#[test]
fn batches_are_the_rows_of_the_file_in_any_blocks() {
    let text = "id,n,c,skipped\r\n NA,1,x,?\r\n\"7\n7\",NA,\"y\"\"\",?\r\n\r\n,2.5, x,?\r\n9,4,x,?";
    let kinds = [("id", Kind::Text), ("n", Kind::Integer), ("c", Kind::Category), ("absent", Kind::Real)];
    for block in [1, 2, 3, 7, 1000] {
        for rows in [1, 2, 3, 100] {
            let read = batches(text, &options(&kinds, rows), block).unwrap();
            assert!(read.iter().all(|batch| batch.rows() <= rows && batch.columns().len() == 3));
            let cells = |name: &str| -> Vec<Option<String>> {
                read.iter()
                    .flat_map(|batch| (0..batch.rows()).map(|row| batch.column(name).unwrap().cell(row)))
                    .collect()
            };
            let some = |cells: &[&str]| -> Vec<Option<String>> {
                cells.iter().map(|cell| Some((*cell).to_owned()).filter(|cell| !cell.is_empty())).collect()
            };
            assert_eq!(cells("id"), some(&[" NA", "7\n7", "", "9"]));
            assert_eq!(cells("n"), some(&["1", "", "2.5", "4"]));
            assert_eq!(cells("c"), some(&["x", "y\"", "x", "x"]));
        }
    }
}

/// The text of batches written one below the other.
fn written(batches: &[Table]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.csv");
    let mut writer = TableWriter::create(&path, None).unwrap();
    batches.iter().for_each(|batch| writer.write(batch, "").unwrap());
    writer.finish().unwrap();
    std::fs::read_to_string(&path).unwrap()
}

#[test]
fn a_row_is_given_before_the_next_has_come() {
    /// Two lines, and then nothing may be asked for any more.
    struct Slow(usize);
    const LINES: &[u8] = b"a,b\n1,x\n2,y\n";
    impl std::io::Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            assert!(self.0 < LINES.len(), "it must not be read ahead");
            buffer[0] = LINES[self.0];
            self.0 += 1;
            Ok(1)
        }
    }
    let options = BatchOptions { line_by_line: true, ..options(&[("a", Kind::Integer)], 100) };
    let (header, mut inner) = TextBatches::open(Stream::new("t.csv", Slow(0)), &options, BLOCK).unwrap();
    for expected in ["1", "2"] {
        let row = inner.next(&header).unwrap().unwrap();
        assert_eq!((row.rows(), row.columns()[0].cell(0)), (1, Some(expected.to_owned())));
    }
}

#[test]
fn batches_that_keep_their_text_are_written_back_byte_for_byte() {
    let text = "\u{feff}id,n,c\r\n\r\n NA,01,x\r\n\"7\n7\",NA,\"y\"\"\"\r\n\r\n,2.50, x\r\n9,4,x";
    let kinds = [("id", Kind::Text), ("n", Kind::Integer), ("c", Kind::Category)];
    for block in [1, 7, 1000] {
        for rows in [1, 2, 100] {
            let options = BatchOptions { keep_source: true, ..options(&kinds, rows) };
            assert_eq!(written(&batches(text, &options, block).unwrap()), text);
        }
    }
}

#[test]
fn empty_lines_are_the_holes_of_one_column() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["a", "1.50", "", "", "4", "", ""].join(end);
        for (block, rows) in
            [1, 2, 3, 1000].into_iter().flat_map(|block| [1, 2, 100].map(|rows| (block, rows)))
        {
            let options = BatchOptions { keep_source: true, ..options(&[("a", Kind::Real)], rows) };
            let read = batches(&text, &options, block).unwrap();
            let cells =
                read.iter().flat_map(|batch| (0..batch.rows()).map(|row| batch.columns()[0].cell(row)));
            let expected = [Some("1.5"), None, None, Some("4"), None].map(|cell| cell.map(str::to_owned));
            assert_eq!(cells.collect::<Vec<_>>(), expected, "{text:?}");
            assert_eq!(written(&read), text);
            let error = batches(&text.replace('4', "x"), &options, block).unwrap_err();
            assert_eq!(error.to_string(), "t.csv, line 5, column `a`: `x` is not a number");
        }
    }
}

#[test]
fn levels_are_those_of_the_batch() {
    let read = batches("b\n1.0\n0\nyes\n", &options(&[("b", Kind::Binary)], 2), 1000).unwrap();
    assert_eq!(read[0].columns()[0].codes().unwrap().1, ["0", "1"]);
    assert_eq!(read[1].columns()[0].codes().unwrap().1, ["yes"]);
}

#[test]
fn errors_count_lines_across_batches() {
    let text = "a,b\r\n\"1\r\n1\",2\r\n3,4\r\n5,x\r\n";
    for block in [1, 5, 1000] {
        for rows in [1, 2, 100] {
            let error = batches(text, &options(&[("b", Kind::Real)], rows), block).unwrap_err();
            assert_eq!(error.to_string(), "t.csv, line 5, column `b`: `x` is not a number");
        }
    }
}

#[test]
fn an_endless_quote_is_given_up() {
    /// A quote that is opened and never closed, on and on.
    struct Endless(usize);
    impl std::io::Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            buffer.fill(b'x');
            self.0 += buffer.len();
            assert!(self.0 < 3 * LONGEST_RECORD, "it must not be read to the end");
            Ok(buffer.len())
        }
    }
    let text = std::io::Read::chain(&b"a,b\n1,2\n3,\""[..], Endless(0));
    let stream = Stream::new("t.csv", text);
    let (header, mut inner) = TextBatches::open(stream, &options(&[("a", Kind::Real)], 100), BLOCK).unwrap();
    let error = inner.next(&header).unwrap_err();
    assert_eq!(error.to_string(), "t.csv, line 3: the record is longer than 64 MB");
    assert_eq!(error.hint_text(), "most likely a quote is opened here and never closed");
}

#[test]
fn long_records_and_wanted_nothing() {
    let long = "y".repeat(100_000);
    let read = batches(&format!("a,b\n1,{long}\n2,z\n"), &options(&[("b", Kind::Text)], 100), 64).unwrap();
    assert_eq!(read[0].columns()[0].cell(0), Some(long));
    let read = batches("a\n1\n2\n", &options(&[], 100), 64).unwrap();
    assert_eq!((read.len(), read[0].rows(), read[0].columns().len()), (1, 2, 0));
    assert!(batches("a,b\n", &options(&[("a", Kind::Real)], 10), 64).unwrap().is_empty());
}

#[test]
fn files_packed_in_parts_and_samples_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv.gz");
    let member = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let packed = [member("a,b\n1,x\n"), member("2,y\n3,-\n")].concat();
    std::fs::write(&path, &packed).unwrap();
    let mut wanted = options(&[("a", Kind::Real), ("b", Kind::Category)], 10);
    wanted.missing = MissingTokens::new(["-"]);
    let mut batches = Batches::open(&path, &wanted).unwrap();
    assert_eq!(batches.header(), ["a", "b"]);
    let batch = batches.next().unwrap().unwrap();
    assert_eq!(batch.column("b").unwrap().observed, [true, true, false]);
    assert!(batches.next().unwrap().is_none() && batches.next().unwrap().is_none());
    assert_eq!(read_bytes("t.csv.gz", &packed, &ReadOptions::default()).unwrap().table.rows(), 3);
    let mut sample =
        Batches::open(Path::new("sample:penguins"), &options(&[("species", Kind::Category)], 1000)).unwrap();
    assert_eq!(sample.next().unwrap().unwrap().rows(), 344);
}
