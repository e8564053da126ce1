//! New rows are never quite like those of training: all of this works, with a word where it matters.

use crate::bench::{Bench, columns, table, ward};

/// A model of `days` with the id carried over; `sex` and `age` are complete in training.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("ward.csv", ward(200));
    bench.succeed("fit ward.csv --target days --id id --ignore outcome --method linear -o m.unmiss -q");
    bench.write("new.csv", ward(40));
    bench
}

const PREDICT: &str = "predict m.unmiss";

#[test]
fn the_order_of_columns_and_rows_does_not_matter() {
    let bench = bench();
    let plain = bench.succeed(&format!("{PREDICT} new.csv"));
    assert_eq!(plain.err, "");
    let mut turned = columns(&ward(40));
    turned.reverse();
    bench.write("columns.csv", table(&turned));
    assert_eq!(bench.succeed(&format!("{PREDICT} columns.csv")).out, plain.out);

    let lines = ward(40);
    let (header, rows) = lines.split_once('\n').unwrap();
    let backwards: String = rows.lines().rev().map(|line| format!("{line}\n")).collect();
    bench.write("rows.csv", format!("{header}\n{backwards}"));
    let answer = bench.succeed(&format!("{PREDICT} rows.csv")).out;
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_ne!(answer, plain.out);
    assert_eq!(sorted(&answer), sorted(&plain.out));

    for row in [0, 17, 39] {
        bench.write("one.csv", format!("{header}\n{}\n", rows.lines().nth(row).unwrap()));
        let one = bench.succeed(&format!("{PREDICT} one.csv -q")).out;
        assert_eq!(one.lines().nth(1), plain.out.lines().nth(row + 1));
    }
}

#[test]
fn every_way_to_write_a_table_reads_the_same() {
    let bench = bench();
    let new = ward(40);
    let plain = bench.succeed(&format!("{PREDICT} new.csv")).out;
    bench.write("crlf.csv", new.replace('\n', "\r\n"));
    bench.write("tabs.tsv", new.replace(',', "\t"));
    bench.write("semicolons.csv", new.replace(',', ";"));
    bench.write("bom.csv", format!("\u{feff}{new}"));
    bench.write("words.csv", new.replace(",,", ",NA,"));
    bench.write("gzipped.csv.gz", gzipped(&new));
    parquet_of(&bench, "new.parquet", &new);
    for name in
        ["crlf.csv", "tabs.tsv", "semicolons.csv", "bom.csv", "words.csv", "gzipped.csv.gz", "new.parquet"]
    {
        let answer = bench.succeed(&format!("{PREDICT} {name}"));
        assert_eq!((answer.out, answer.err.as_str()), (plain.clone(), ""), "{name}");
    }
    let answer = bench.feed(&format!("{PREDICT} -"), new.as_bytes());
    assert_eq!((answer.code, answer.out), (0, plain.clone()));
    let answer = bench.feed(&format!("{PREDICT} - -o -"), &gzipped(&new));
    assert_eq!((answer.code, answer.out), (0, plain.clone()));
    bench.succeed(&format!("{PREDICT} new.csv -o out.csv.gz"));
    assert_eq!(gunzipped(&bench.bytes("out.csv.gz")), plain);
}

#[test]
fn what_is_odd_is_said_once() {
    let bench = bench();
    let new = columns(&ward(40));
    let said = |change: &dyn Fn(&mut Vec<Vec<String>>)| {
        let mut changed = new.clone();
        change(&mut changed);
        bench.write("odd.csv", table(&changed));
        let answer = bench.succeed(&format!("{PREDICT} odd.csv"));
        assert_eq!(answer.out.lines().count(), 41);
        assert!(!answer.out.contains("NaN") && !answer.out.contains("inf"), "{}", answer.out);
        answer.err.replace("\n  ", " ")
    };
    let place = |name: &str| new.iter().position(|column| column[0] == name).unwrap();
    let empty = |name: &str| {
        let place = place(name);
        said(&|table| table[place][1..].iter_mut().for_each(String::clear))
    };
    let told = [
        said(&|table| table.push(["height"].iter().chain([&"3"; 40]).map(|&s| s.into()).collect())),
        said(&|table| table[place("unit")][3..9].fill("kidneys".into())),
        empty("pulse"),
        empty("unit"),
        empty("age"),
        said(&|table| table[place("sex")][1..11].iter_mut().for_each(String::clear)),
        said(&|table| drop(table.remove(place("id")))),
    ];
    assert!(told.iter().all(|text| text.lines().count() == 1), "{told:#?}");
    crate::bench::assert_kept("odd_new_rows", &told.concat());
}

#[test]
fn the_target_and_columns_left_out_may_be_there_or_not() {
    let bench = bench();
    let plain = bench.succeed(&format!("{PREDICT} new.csv")).out;
    let mut new = columns(&ward(40));
    new.retain(|column| column[0] != "days" && column[0] != "outcome");
    bench.write("bare.csv", table(&new));
    let answer = bench.succeed(&format!("{PREDICT} bare.csv"));
    assert_eq!((answer.out, answer.err.as_str()), (plain, ""));
}

#[test]
fn words_for_missing_and_the_delimiter_can_be_told() {
    let bench = bench();
    let plain = bench.succeed(&format!("{PREDICT} new.csv")).out;
    let mut new = columns(&ward(40));
    let pulse = new.iter().position(|column| column[0] == "pulse").unwrap();
    new[pulse].iter_mut().filter(|cell| cell.is_empty()).for_each(|cell| *cell = "none".into());
    bench.write("odd.csv", table(&new).replace(',', "~"));
    let answer = bench.succeed(&format!("{PREDICT} odd.csv --delimiter ~ --missing-in pulse=none"));
    assert_eq!((answer.out, answer.err.as_str()), (plain, ""));
}

pub fn gzipped(text: &str) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn gunzipped(bytes: &[u8]) -> String {
    std::io::read_to_string(flate2::read::GzDecoder::new(bytes)).unwrap()
}

/// The table as a Parquet file: numbers as doubles, the rest as text, empty cells as nulls.
pub fn parquet_of(bench: &Bench, name: &str, text: &str) {
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
    use parquet::file::{properties::WriterProperties, writer::SerializedFileWriter};
    use std::sync::Arc;
    let columns = columns(text);
    let is_number = |column: &[String]| column[1..].iter().all(|c| c.is_empty() || c.parse::<f64>().is_ok());
    let fields = columns.iter().map(|column| match is_number(column) {
        true => format!("optional double {};", column[0]),
        false => format!("optional binary {} (utf8);", column[0]),
    });
    let schema = format!("message ward {{ {} }}", fields.collect::<String>());
    let schema = Arc::new(parquet::schema::parser::parse_message_type(&schema).unwrap());
    let file = std::fs::File::create(bench.path(name)).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(WriterProperties::default())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for column in &columns {
        let known: Vec<i16> = column[1..].iter().map(|cell| i16::from(!cell.is_empty())).collect();
        let cells = column[1..].iter().filter(|cell| !cell.is_empty());
        let mut next = group.next_column().unwrap().unwrap();
        if is_number(column) {
            let cells: Vec<f64> = cells.map(|cell| cell.parse().unwrap()).collect();
            next.typed::<DoubleType>().write_batch(&cells, Some(&known), None).unwrap();
        } else {
            let cells: Vec<ByteArray> = cells.map(|cell| cell.as_str().into()).collect();
            next.typed::<ByteArrayType>().write_batch(&cells, Some(&known), None).unwrap();
        }
        next.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}
