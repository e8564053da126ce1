//! Parquet files: flat columns of the usual types, read slice by slice.
//!
//! | in the file | in the table |
//! |---|---|
//! | boolean | binary, with the levels `false` and `true` |
//! | whole numbers | integer; beyond 2⁵³ a category or text, so that no digit is lost |
//! | floating point, decimal | real; NaN is a hole, an infinity an error |
//! | strings | by the rules for words (binary, category, text, date); the words for "missing" apply |
//! | dates, times, timestamps | date, written as in ISO 8601 |
//! | null | a hole |
//! | lists, maps, structs, raw bytes | an error that names the column |

mod cells;
mod clock;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::parquet::column::reader::ColumnReader;
use ::parquet::file::reader::{FileReader, SerializedFileReader};

use self::cells::{Cells, Meaning, meaning, read_slice};
use super::Reading;
use super::kinds::notes;
use super::options::{BatchOptions, ReadOptions, Tokens, check_names};
use super::table::{Kind, Table};
use crate::error::{Error, Place, Result};

/// Rows that are decoded at a time when a whole file is read.
const SLICE: usize = 1 << 16;

/// A column of the file that is wanted.
struct Wanted {
    name: String,
    /// Its position among the file's columns.
    column: usize,
    meaning: Meaning,
    /// The kind, if it is known.
    kind: Option<Kind>,
    tokens: Tokens,
}

/// An open file and how far it was read.
struct Rows {
    file: String,
    reader: SerializedFileReader<File>,
    header: Vec<String>,
    wanted: Vec<Wanted>,
    /// The next row group.
    group: usize,
    /// One reader per wanted column, in the current row group.
    readers: Vec<ColumnReader>,
    /// Rows of the current row group that were not read yet.
    left: usize,
}

impl Rows {
    fn open(
        file: &str,
        opened: File,
        tokens: impl Fn(&str) -> Tokens,
        kind: impl Fn(&str) -> Option<Option<Kind>>,
    ) -> Result<Self> {
        let reader =
            guard(file, || SerializedFileReader::new(opened).map_err(|error| damaged(file, &error)))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        let fields = schema.root_schema().get_fields();
        if fields.is_empty() {
            return Err(Error::input(Place::file(file), "the file has no columns")
                .with_hint("get or make the file again"));
        }
        let (mut header, mut wanted) = (Vec::new(), Vec::new());
        let mut column = 0;
        for field in fields {
            let name = field.name().to_owned();
            let nested = field.is_group()
                || field.get_basic_info().repetition() == ::parquet::basic::Repetition::REPEATED;
            if let Some(kind) = kind(&name) {
                let place = || Place::file(file).in_column(&name);
                if nested {
                    return Err(Error::input(place(), "the column is nested (a list, map or struct)")
                        .with_hint("flatten it to plain columns, or leave it out"));
                }
                let meaning = meaning(&schema.column(column)).map_err(|kind| {
                    Error::input(place(), format!("values of type {kind} can't be read"))
                        .with_hint("store the column as numbers, strings, booleans or dates")
                })?;
                wanted.push(Wanted { name: name.clone(), column, meaning, kind, tokens: tokens(&name) });
            }
            column += leaves(field);
            header.push(name);
        }
        Ok(Self { file: file.to_owned(), reader, header, wanted, group: 0, readers: Vec::new(), left: 0 })
    }

    /// Adds up to `rows` rows of one row group to the cells; returns how many, 0 at the end.
    fn read(&mut self, rows: usize, cells: &mut [Cells]) -> Result<usize> {
        while self.left == 0 {
            if self.group == self.reader.metadata().num_row_groups() {
                return Ok(0);
            }
            let group = self.reader.get_row_group(self.group).map_err(|error| damaged(&self.file, &error))?;
            let readers = self.wanted.iter().map(|wanted| group.get_column_reader(wanted.column));
            self.readers = readers
                .collect::<std::result::Result<_, _>>()
                .map_err(|error| damaged(&self.file, &error))?;
            self.left = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
            self.group += 1;
        }
        let rows = rows.min(self.left);
        for ((wanted, reader), cells) in self.wanted.iter().zip(&mut self.readers).zip(cells) {
            read_slice(reader, &wanted.meaning, rows, cells)
                .map_err(|what| Error::input(Place::file(&self.file).in_column(&wanted.name), what))?;
        }
        self.left -= rows;
        Ok(rows)
    }

    fn cells(&self) -> Vec<Cells> {
        self.wanted.iter().map(|wanted| Cells::new(&wanted.meaning)).collect()
    }

    fn table(&self, cells: Vec<Cells>, by_batch: bool) -> Result<Table> {
        let columns = self.wanted.iter().zip(cells).map(|(wanted, cells)| {
            let place = Place::file(&self.file).in_column(&wanted.name);
            cells.into_column(&place, wanted.meaning, wanted.kind, &wanted.tokens, by_batch)
        });
        Table::new(columns.collect::<Result<_>>()?)
    }
}

/// Reads a whole file.
pub(crate) fn read_parquet(file: &str, opened: File, options: &ReadOptions) -> Result<Reading> {
    guard(file, || {
        let tokens = |name: &str| options.missing.of(name);
        let mut rows = Rows::open(file, opened, tokens, |name| Some(options.kinds.get(name).copied()))?;
        check_names(&rows.header, options.kinds.keys().chain(options.missing.columns().keys()))?;
        let mut cells = rows.cells();
        while rows.read(SLICE, &mut cells)? > 0 {}
        let table = rows.table(cells, false)?;
        if table.rows() == 0 {
            return Err(Error::input(
                Place::file(file),
                "no data rows: there are columns and nothing in them",
            )
            .with_hint("a table needs at least one row"));
        }
        Ok(Reading { notes: table.columns().iter().flat_map(notes).collect(), table })
    })
}

/// A file read batch by batch.
pub(crate) struct ParquetBatches {
    rows: Rows,
    most: usize,
}

impl ParquetBatches {
    pub(crate) fn open(file: &str, opened: File, options: &BatchOptions) -> Result<Self> {
        let tokens = |name: &str| options.missing.of(name);
        let rows = Rows::open(file, opened, tokens, |name| options.kind(name).map(Some))?;
        Ok(Self { rows, most: options.rows.max(1) })
    }

    pub(crate) fn header(&self) -> &[String] {
        &self.rows.header
    }

    pub(crate) fn next(&mut self) -> Result<Option<Table>> {
        let file = self.rows.file.clone();
        guard(&file, || {
            let mut cells = self.rows.cells();
            match self.rows.read(self.most, &mut cells)? {
                0 => Ok(None),
                rows => Ok(Some(self.rows.table(cells, true)?.with_rows(rows))),
            }
        })
    }
}

/// How many columns of the file a field takes.
fn leaves(field: &::parquet::schema::types::Type) -> usize {
    if field.is_group() { field.get_fields().iter().map(|field| leaves(field)).sum() } else { 1 }
}

fn damaged(file: &str, error: &dyn std::fmt::Display) -> Error {
    Error::input(Place::file(file), format!("the Parquet file is damaged or of an unknown make ({error})"))
        .with_hint("get or make the file again")
}

/// The decoder of a damaged file may trip over it; that must not bring the program down.
fn guard<T>(file: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(damaged(file, &"its contents contradict each other")))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use ::parquet::data_type::{
        BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
    };
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
    use ::parquet::schema::parser::parse_message_type;

    use crate::data::{BatchOptions, Batches, Column, Kind, ReadOptions, Table, Values, read, read_bytes};

    type Group<'a> = SerializedRowGroupWriter<'a, std::fs::File>;

    /// Writes row groups with the library's writer; each closure writes all columns of one group.
    fn file(folder: &Path, schema: &str, groups: &[&dyn Fn(&mut Group<'_>)]) -> PathBuf {
        let path = folder.join("t.parquet");
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let target = std::fs::File::create(&path).unwrap();
        let mut writer =
            SerializedFileWriter::new(target, schema, Arc::new(WriterProperties::default())).unwrap();
        for group in groups {
            let mut row_group = writer.next_row_group().unwrap();
            group(&mut row_group);
            row_group.close().unwrap();
        }
        writer.close().unwrap();
        path
    }

    /// Writes the next column of a group; without `defined` no cell is null.
    fn put<T: DataType>(group: &mut Group<'_>, values: &[T::T], defined: Option<&[i16]>) {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<T>().write_batch(values, defined, None).unwrap();
        column.close().unwrap();
    }

    fn words(words: &[&str]) -> Vec<ByteArray> {
        words.iter().map(|word| ByteArray::from(*word)).collect()
    }

    const SCHEMA: &str = "message t {
        required boolean flag; optional int64 count; optional double size; required float ratio;
        optional binary word (utf8); required int32 day (date); required int64 seen (timestamp(millis,true));
        required int32 price (decimal(6,2)); }";

    fn all_types(folder: &Path) -> PathBuf {
        let first = |group: &mut Group<'_>| {
            put::<BoolType>(group, &[true, false, true], None);
            put::<Int64Type>(group, &[4, -7], Some(&[1, 0, 1]));
            put::<DoubleType>(group, &[1.5, f64::NAN, 3.25], Some(&[1, 1, 1]));
            put::<FloatType>(group, &[0.1, 0.2, 0.3], None);
            put::<ByteArrayType>(group, &words(&["b", "NA"]), Some(&[1, 1, 0]));
            put::<Int32Type>(group, &[0, 19_813, -1], None);
            put::<Int64Type>(group, &[0, 1500, -1], None);
            put::<Int32Type>(group, &[199, 5, -250], None);
        };
        let second = |group: &mut Group<'_>| {
            put::<BoolType>(group, &[false], None);
            put::<Int64Type>(group, &[9], Some(&[1]));
            put::<DoubleType>(group, &[2.0], Some(&[1]));
            put::<FloatType>(group, &[1e30], None);
            put::<ByteArrayType>(group, &words(&["a"]), Some(&[1]));
            put::<Int32Type>(group, &[1], None);
            put::<Int64Type>(group, &[86_400_000], None);
            put::<Int32Type>(group, &[100], None);
        };
        file(folder, SCHEMA, &[&first, &second])
    }

    fn check(table: &Table) {
        let nan = f64::NAN;
        let expected = [
            Column::from_words(
                "flag",
                Kind::Binary,
                &[Some("true"), Some("false"), Some("true"), Some("false")],
            ),
            Column::from_numbers("count", Kind::Integer, &[4.0, nan, -7.0, 9.0]),
            Column::from_numbers("size", Kind::Real, &[1.5, nan, 3.25, 2.0]),
            Column::from_numbers("ratio", Kind::Real, &[0.1, 0.2, 0.3, 1e30]),
            Column::from_words("word", Kind::Binary, &[Some("b"), None, None, Some("a")]),
        ];
        assert_eq!(table.columns()[..5], expected);
        let texts = |name: &str| table.column(name).unwrap().values.clone();
        let dates = ["1970-01-01", "2024-03-31", "1969-12-31", "1970-01-02"];
        assert_eq!(texts("day"), Values::Texts(dates.map(String::from).to_vec()));
        let moments = [
            "1970-01-01T00:00:00",
            "1970-01-01T00:00:01.5",
            "1969-12-31T23:59:59.999",
            "1970-01-02T00:00:00",
        ];
        assert_eq!(texts("seen"), Values::Texts(moments.map(String::from).to_vec()));
        assert_eq!(table.column("seen").unwrap().kind, Kind::Date);
        assert_eq!(table.columns()[7], Column::from_numbers("price", Kind::Real, &[1.99, 0.05, -2.5, 1.0]));
    }

    #[test]
    fn the_usual_types_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = all_types(folder.path());
        check(&read(&path, &ReadOptions::default()).unwrap().table);
        let bytes = std::fs::read(&path).unwrap();
        check(&read_bytes("without an ending", &bytes, &ReadOptions::default()).unwrap().table);
        let text = folder.path().join("out.csv");
        crate::data::write(&read(&path, &ReadOptions::default()).unwrap().table, &text).unwrap();
        let text = std::fs::read_to_string(&text).unwrap();
        assert!(text.starts_with("flag,count,size,ratio,word,day,seen,price\ntrue,4,1.5,0.1,b,1970-01-01,"));
    }

    #[test]
    fn batches_and_kinds() {
        let folder = tempfile::tempdir().unwrap();
        let path = all_types(folder.path());
        let kinds =
            [("word", Kind::Text), ("count", Kind::Category), ("size", Kind::Real), ("absent", Kind::Real)];
        let kinds = kinds.map(|(name, kind)| (name.to_owned(), kind)).into();
        let mut batches =
            Batches::open(&path, &BatchOptions { kinds, rows: 2, ..BatchOptions::default() }).unwrap();
        assert_eq!(batches.header().len(), 8);
        let mut read = Vec::new();
        while let Some(batch) = batches.next().unwrap() {
            read.push(batch);
        }
        assert_eq!(read.iter().map(Table::rows).collect::<Vec<_>>(), [2, 1, 1]);
        let names: Vec<&str> = read[0].columns().iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["count", "size", "word"]);
        assert_eq!(read[0].columns()[2].values, Values::Texts(vec!["b".into(), "NA".into()]));
        assert_eq!(read[1].columns()[0].codes().unwrap().1, ["-7"]);
    }

    #[test]
    fn no_digit_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(
            folder.path(),
            "message t { required int64 id; }",
            &[&|group| {
                put::<Int64Type>(group, &[7, 9_007_199_254_740_993, -3], None);
            }],
        );
        let column = read(&path, &ReadOptions::default()).unwrap().table.columns()[0].clone();
        assert_eq!(column.kind, Kind::Category);
        assert_eq!(column.codes().unwrap().1, ["-3", "7", "9007199254740993"]);
        let options = ReadOptions { kinds: [("id".to_owned(), Kind::Real)].into(), ..ReadOptions::default() };
        let error = read(&path, &options).unwrap_err();
        let expected = format!(
            "{}, column `id`: row 2: `9007199254740993` is not a number of the kind asked for",
            path.display()
        );
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn what_can_not_be_read_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let says = |path: &Path, what: &str| {
            let error = read(path, &ReadOptions::default()).unwrap_err();
            assert_eq!(error.to_string(), format!("{}{what}", path.display()));
        };
        let path = file(folder.path(), "message t { required group g { required int32 x; } }", &[]);
        says(&path, ", column `g`: the column is nested (a list, map or struct)");
        let path = file(folder.path(), "message t { repeated int32 x; }", &[]);
        says(&path, ", column `x`: the column is nested (a list, map or struct)");
        let path = file(folder.path(), "message t { required fixed_len_byte_array(16) u (uuid); }", &[]);
        says(&path, ", column `u`: values of type FIXED_LEN_BYTE_ARRAY can't be read");
        let path = file(folder.path(), "message t { required int32 x; }", &[]);
        says(&path, ": no data rows: there are columns and nothing in them");
        let path = file(
            folder.path(),
            "message t { required double x; }",
            &[&|group| {
                put::<DoubleType>(group, &[1.0, f64::INFINITY], None);
            }],
        );
        says(&path, ", column `x`: the column has an infinite value");
        let path = file(
            folder.path(),
            "message t { required binary x; }",
            &[&|group| {
                put::<ByteArrayType>(group, &[ByteArray::from(vec![0xff])], None);
            }],
        );
        says(&path, ", column `x`: the column holds bytes that are not UTF-8 text");
    }

    #[test]
    fn damaged_files_are_refused_without_a_panic() {
        let folder = tempfile::tempdir().unwrap();
        let good = std::fs::read(all_types(folder.path())).unwrap();
        for length in (0..good.len()).step_by(97) {
            assert!(read_bytes("t.parquet", &good[..length], &ReadOptions::default()).is_err());
        }
        for position in (4..good.len()).step_by(13) {
            let mut bad = good.clone();
            bad[position] ^= 0x55;
            let _ = read_bytes("t.parquet", &bad, &ReadOptions::default());
        }
    }
}
