use std::path::Path;

use crate::data::{BatchOptions, Batches, Kind, ReadOptions, read, read_bytes};
use crate::error::{Error, Result};

fn said(error: &Error) -> (String, String) {
    (error.to_string(), error.hint_text())
}

/// Reads all batches of a text in a file.
fn by_batch(path: &Path, options: &BatchOptions) -> Result<()> {
    let mut batches = Batches::open(path, options)?;
    while batches.next()?.is_some() {}
    Ok(())
}

/// Every way to read the bytes gives this error.
fn fails(bytes: &[u8], kinds: &[(&str, Kind)], what: &str, hint: &str) {
    let kinds: std::collections::BTreeMap<_, _> =
        kinds.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
    let options = ReadOptions { kinds: kinds.clone(), ..ReadOptions::default() };
    let error = read_bytes("ward.csv", bytes, &options).unwrap_err();
    assert_eq!(said(&error), (what.to_owned(), hint.to_owned()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ward.csv");
    std::fs::write(&path, bytes).unwrap();
    for rows in [1, 8192] {
        let options = BatchOptions { kinds: kinds.clone(), rows, ..BatchOptions::default() };
        let error = by_batch(&path, &options).unwrap_err();
        let shortened = error.to_string().replace(&path.display().to_string(), "ward.csv");
        assert_eq!((shortened.as_str(), error.hint_text().as_str()), (what, hint));
    }
}

#[test]
fn rows_of_another_width() {
    fails(
        b"a,b,c\n1,2,3\n\n\"4\n5\",6\n",
        &[],
        "ward.csv, line 4: 2 cells, but the header has 3",
        "write an empty cell for a missing value; a cell with a line break needs quotes around it",
    );
    fails(
        b"a,b\r\n\"1\r\n1\",2\r\n3,4,5\r\n",
        &[],
        "ward.csv, line 4: 3 cells, but the header has 2",
        "a cell that contains the delimiter needs quotes around it",
    );
    fails(
        b"a,b\r1\r",
        &[],
        "ward.csv, line 2: 1 cell, but the header has 2",
        "write an empty cell for a missing value; a cell with a line break needs quotes around it",
    );
}

#[test]
fn headers() {
    fails(
        b",,age\n0,1,61\n",
        &[],
        "ward.csv, line 1: 2 of 3 columns have no name",
        "give every column a name",
    );
    for empty in ["", "\n\r\n", "\u{feff}"] {
        fails(
            empty.as_bytes(),
            &[],
            "ward.csv: the file is empty",
            "a table starts with a line of column names",
        );
    }
    for header in ["a,b", "a,b\n", "a,b\n\n\r\n"] {
        let error = read_bytes("ward.csv", header.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert_eq!(
            said(&error),
            (
                "ward.csv: no data rows: there is a header and nothing below it".to_owned(),
                "a table needs at least one row below the column names".to_owned()
            )
        );
    }
}

#[test]
fn bytes_that_are_no_text() {
    fails(
        b"\xc3\xa9,b\n1,2\n3,caf\xe9\n",
        &[],
        "ward.csv, line 3: byte 6 of the line (0xe9) is not UTF-8",
        "save the file as UTF-8, or name its encoding",
    );
    fails(
        b"a,b\n1,2\n3,\0\n",
        &[],
        "ward.csv, line 3: there is a NUL byte, so this is not plain text",
        "save the file as CSV in UTF-8, or name its encoding",
    );
}

#[test]
fn quotes() {
    fails(
        b"a,b\n1,2\n3,\"4\n5,6\n",
        &[],
        "ward.csv, line 3, column `b`: a quote is opened and never closed",
        "close it with `\"`; a quote inside a quoted cell is written twice: `\"\"`",
    );
    fails(
        b"a,b\n\"1\n\",2\n\"3\"x,4\n",
        &[],
        "ward.csv, line 4, column `a`: there is text after the closing quote",
        "a quote inside a quoted cell is written twice: `\"\"`",
    );
    fails(
        b"a,\"b\n1,2\n",
        &[],
        "ward.csv, line 1, column `2`: a quote is opened and never closed",
        "close it with `\"`; a quote inside a quoted cell is written twice: `\"\"`",
    );
}

#[test]
fn cells_that_are_no_numbers() {
    let real = [("b", Kind::Real)];
    fails(
        b"a,b\n1,2\n3,unknown\n",
        &real,
        "ward.csv, line 3, column `b`: `unknown` is not a number",
        r#"NameMissing { column: "b", words: ["unknown"] }"#,
    );
    fails(
        b"a,b\n1,2\n3,9007199254740993\n",
        &real,
        "ward.csv, line 3, column `b`: `9007199254740993` has more digits than a number column can keep",
        "read the column as a category or as text",
    );
    for (word, kinds) in [("inf", &real[..]), ("-1e999", &real[..])] {
        let text = format!("a,b\n1,2\n3,{word}\n4,7\n5,8\n");
        let what = format!("ward.csv, line 3, column `b`: `{word}` is not a finite number");
        let hint = format!("NameMissing {{ column: \"b\", words: [{word:?}] }}");
        fails(text.as_bytes(), kinds, &what, &hint);
        let error = read_bytes("ward.csv", text.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert_eq!(said(&error), (what, hint), "also if the reader found the kind out itself");
    }
    let mut options = ReadOptions::default();
    options.kinds.insert("b".into(), Kind::Integer);
    let error = read_bytes("ward.csv", b"a,b\n1,2\n3,2.5\n", &options).unwrap_err();
    assert_eq!(
        said(&error),
        (
            "ward.csv, line 3, column `b`: `2.5` is not a whole number".to_owned(),
            "read the column as real".to_owned()
        )
    );
    options.kinds.insert("b".into(), Kind::Binary);
    let error = read_bytes("ward.csv", b"a,b\n1,2\n3,2.5\n4,x\n", &options).unwrap_err();
    assert_eq!(error.to_string(), "ward.csv, column `b`: 3 different values, but binary has two");
}

#[test]
fn names_that_the_file_lacks() {
    let mut options = ReadOptions::default();
    options.kinds.insert("puls".into(), Kind::Real);
    let error = read_bytes("ward.csv", b"age,pulse\n1,2\n", &options).unwrap_err();
    assert_eq!(said(&error), ("there is no column `puls`".to_owned(), "did you mean `pulse`?".to_owned()));
}

#[test]
fn files_that_are_not_what_they_seem() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let plain = write("ward.csv", b"a\n1\n");
    let packed = write("plain.csv.gz", b"a\n1\n");
    let mut broken = Vec::new();
    let mut encoder = flate2::write::GzEncoder::new(&mut broken, flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, b"a\n1\n2\n3\n").unwrap();
    encoder.finish().unwrap();
    broken.truncate(broken.len() - 6);
    let broken = write("broken.csv.gz", &broken);
    let columnar = write("plain.parquet", b"a\n1\n");
    let damaged = write("damaged.parquet", b"PAR1 and so on");
    let absent = folder.path().join("wart.csv");
    let lost = folder.path().join("nowhere").join("x.csv");
    let near = format!("did you mean `{}`?", plain.display());
    let cases: [(&Path, &str, &str); 7] = [
        (&absent, "there is no such file", &near),
        (&lost, "there is no such file", "check the name and the folder; `-` is standard input"),
        (folder.path(), "this is a folder, not a file", "name one file in it"),
        (&packed, "this is not a gzip file, though its name ends so", "rename it, or pack it with `gzip`"),
        (&broken, "the gzip file is damaged (", "get or make the file again"),
        (
            &columnar,
            "this is not a Parquet file, though its name ends so",
            "rename it by what it is, such as `.csv`",
        ),
        (&damaged, "the Parquet file is damaged or of an unknown make (", "get or make the file again"),
    ];
    for (path, what, hint) in cases {
        let expected = format!("{}: {what}", path.display());
        let errors = [
            read(path, &ReadOptions::default()).unwrap_err(),
            by_batch(path, &BatchOptions::default()).unwrap_err(),
        ];
        for error in errors {
            let (said, advice) = said(&error);
            assert!(
                if what.ends_with('(') { said.starts_with(&expected) } else { said == expected },
                "{said}"
            );
            assert_eq!(advice, hint);
        }
    }
}
