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
        Column::from_words("flag", Kind::Binary, &[Some("true"), Some("false"), Some("true"), Some("false")]),
        Column::from_numbers("count", Kind::Integer, &[4.0, nan, -7.0, 9.0]),
        Column::from_numbers("size", Kind::Real, &[1.5, nan, 3.25, 2.0]),
        Column::from_numbers("ratio", Kind::Real, &[0.1, 0.2, 0.3, 1e30]),
        Column::from_words("word", Kind::Binary, &[Some("b"), None, None, Some("a")]),
    ];
    assert_eq!(table.columns()[..5], expected);
    let texts = |name: &str| table.column(name).unwrap().values.clone();
    let dates = ["1970-01-01", "2024-03-31", "1969-12-31", "1970-01-02"];
    assert_eq!(texts("day"), Values::Texts(dates.map(String::from).to_vec()));
    let moments =
        ["1970-01-01T00:00:00", "1970-01-01T00:00:01.5", "1969-12-31T23:59:59.999", "1970-01-02T00:00:00"];
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

#[test]
fn no_number_in_a_header_makes_the_reader_take_memory() {
    let folder = tempfile::tempdir().unwrap();
    let good = std::fs::read(all_types(folder.path())).unwrap();
    // The largest whole numbers that a header can say, at every place.
    for number in [&[0xff, 0xff, 0xff, 0xff, 0x0f][..], &[0xfe, 0xff, 0xff, 0xff, 0x0f], &[0xff, 0x7f]] {
        for place in 4..good.len() - number.len() {
            let mut bad = good.clone();
            bad[place..place + number.len()].copy_from_slice(number);
            let _ = read_bytes("t.parquet", &bad, &ReadOptions::default());
        }
    }
}
