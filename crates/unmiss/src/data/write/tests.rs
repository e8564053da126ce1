use proptest::prelude::*;

use super::*;
use crate::data::{
    BatchOptions, Batches, Column, Kind, ReadOptions, Table, TableWriter, Values, csv_text, read_bytes, write,
};

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
        "\n\na\n\n\"\"\n3\n\n",
        "a\r\n\r\n1\r\n\r\n2",
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
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(packed.as_slice()), &mut text).unwrap();
    assert_eq!(text, "a\tb\n1\t\"x\ty\"\n2.5\tz\n3\tz\n");
    for (path, ending) in [("out.xlsx", ".xlsx"), ("out.parquet.gz", ".parquet.gz")] {
        let error = write(&table, Path::new(path)).unwrap_err();
        assert_eq!(error.to_string(), format!("{path}: `{ending}` files can't be written"));
    }
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
    fn one_column_comes_back_with_all_its_rows(
        rows in prop::collection::vec("[0-9]{0,2}|NA|\"[a\n]?\"", 1..12),
        end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        chosen in prop::collection::vec(0usize..12, 0..12),
    ) {
        let text = format!("a{end}{}{end}", rows.join(end));
        let whole = table(&text);
        prop_assert_eq!(whole.rows(), rows.len());
        prop_assert_eq!(written(&whole), text);
        let chosen: Vec<usize> = chosen.into_iter().map(|row| row % rows.len()).collect();
        let some = whole.select(&chosen);
        let chosen: Vec<&str> = chosen.iter().map(|row| rows[*row].as_str()).collect();
        prop_assert_eq!(written(&some), format!("{}{end}", [&["a"][..], &chosen].concat().join(end)));
    }

    #[test]
    fn written_values_read_back_equal(
        numbers in prop::collection::vec(prop::option::of(-1e100f64..1e100), 3..20),
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

#[test]
fn numbers_are_written_as_the_file_has_them() {
    let text = "sep=;\nWard 3;;;\nid;temp;cost;share\n1;37,5;1.200,50 \u{20ac};10 %\n2;;;\n3;38,25;99 \u{20ac};12,5 %\n4;36,0;7 \u{20ac};7 %\n";
    let options = ReadOptions { keep_source: true, ..ReadOptions::default() };
    let mut table = read_bytes("t.csv", text.as_bytes(), &options).unwrap().table;
    assert_eq!(written(&table), text, "untouched");
    let fill = [("temp", 36.75), ("cost", 1234.5), ("share", 8.0)];
    for (name, value) in fill {
        let place = table.position(name).unwrap();
        let column = &mut table.columns_mut()[place];
        let Values::Numbers(values) = &mut column.values else { panic!("{name}") };
        (values[1], column.observed[1]) = (value, true);
    }
    let filled = text.replace("2;;;", "2;36,75;1234,5 \u{20ac};8 %");
    assert_eq!(written(&table), filled);
    // What is written is read again as the same numbers, whole and batch by batch.
    let again = read_bytes("t.csv", filled.as_bytes(), &options).unwrap().table;
    assert_eq!(again.column("cost").unwrap().numbers(), Some(&[1200.5, 1234.5, 99.0, 7.0][..]));
    let kinds = fill.map(|(name, _)| (name.to_owned(), Kind::Real)).into();
    let options = BatchOptions { kinds, ..BatchOptions::default() };
    let mut batches = Batches::from_bytes("t.csv", filled.as_bytes(), &options).unwrap();
    let batch = batches.next().unwrap().unwrap();
    for (name, _) in fill {
        assert_eq!(batch.column(name).unwrap().values, again.column(name).unwrap().values, "{name}");
    }
    assert_eq!(batches.notes().len(), 4, "{:?}", batches.notes());
    // With a number in front, the title stays above.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.csv");
    let mut writer = TableWriter::create(&path, Some("draw")).unwrap();
    writer.write(&table, "1").unwrap();
    writer.finish().unwrap();
    let long = std::fs::read_to_string(&path).unwrap();
    assert!(long.starts_with("sep=;\nWard 3;;;\ndraw;id;temp;cost;share\n1;1;37,5;"), "{long}");
}
