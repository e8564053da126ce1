//! Damaged and crafted inputs, made from good ones: whatever bytes come in, the answer is a value or an error.
//!
//! A bounded number for every run of the tests; `UNMISS_FUZZ_SECONDS=60 cargo test --release --test hostile --
//! --nocapture` goes on for a minute each and tells how many there were. The same targets are in `fuzz/`, for a fuzzer
//! that looks at what a change reaches.

#![allow(clippy::unwrap_used, reason = "a test that fails is to say where")]

#[path = "hostile/targets.rs"]
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use unmiss::data::{ReadOptions, images, read_bytes, write};
use unmiss::rng::Stream;

/// Inputs of each target in an ordinary run.
const USUAL: usize = 400;
/// Numbers and pieces that damage most.
const PIECES: &[&[u8]] = &[
    b"\"",
    b"\n",
    b"\r\n",
    b",",
    b";",
    b"\0",
    b"1e100",
    b"-1e308",
    b"nan",
    b"inf",
    b"{",
    b"}",
    b"null",
    b"-1",
    b"[",
    b"]",
    b"\xff\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x00\x00\x00\x00\x00",
    b"PAR1",
    b"18446744073709551615",
    b"4294967296",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1f\x8b\x08",
    b"PK\x03\x04",
];

/// Another input from some good ones.
fn damaged(seeds: &[Vec<u8>], stream: &mut Stream) -> Vec<u8> {
    let mut bytes = seeds[stream.below(seeds.len())].clone();
    for _ in 0..=stream.below(4) {
        let place = stream.below(bytes.len() + 1);
        let end = (place + 1 + stream.below(16)).min(bytes.len());
        match stream.below(8) {
            0 if place < bytes.len() => bytes[place] ^= 1 << stream.below(8),
            1 if place < bytes.len() => bytes[place] = stream.bits() as u8,
            2 => drop(bytes.splice(place..place, PIECES[stream.below(PIECES.len())].iter().copied())),
            3 => drop(bytes.splice(place..end, PIECES[stream.below(PIECES.len())].iter().copied())),
            4 => drop(bytes.drain(place..end)),
            5 => bytes.truncate(place),
            6 => {
                let other = &seeds[stream.below(seeds.len())];
                let from = stream.below(other.len() + 1);
                bytes.splice(place.., other[from..].iter().copied());
            }
            _ => {
                let again: Vec<u8> = bytes[place..end].to_vec();
                bytes.splice(place..place, again);
            }
        }
    }
    bytes
}

/// Gives a target damaged inputs; one over which it trips is shown with its number.
fn tried(name: &str, seeds: &[Vec<u8>], target: impl Fn(&[u8])) {
    seeds.iter().for_each(|seed| target(seed));
    let seconds = std::env::var("UNMISS_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut count = 0_usize;
    while end.map_or(count < USUAL, |end| Instant::now() < end) {
        let bytes = damaged(seeds, &mut Stream::new(1, name, count as u64, 0));
        let done = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
        assert!(done.is_ok(), "{name}, input {count}: {}", String::from_utf8_lossy(&bytes));
        count += 1;
    }
    println!("{name}: {count} inputs");
}

#[test]
fn text_tables() {
    let seeds = [
        "\x00a,b,c\n1,2,x\n,3.5,y\n-999,,\"z, z\"\n",
        "\x03a;b\n1,5;2\n\"a\nb\";3\n",
        "\x09a,d\n-,2024-03-31\n1e5,2024-04-01T08:15:00Z\n",
        "\x10a\n1\n\n3\n",
        "\x01sep=;\nWard 3;;\na;b;b\n1,5;5 \u{20ac};7 %\n1.234,5;;8 %\n2;3 \u{20ac};9 %\n",
        "\x01\u{feff}a,b\r\n1,9007199254740993\r\nNA,\"\"\"\"\r\n",
    ];
    tried("text tables", &seeds.map(|text| text.as_bytes().to_vec()), targets::csv);
}

#[test]
fn rating_files() {
    let seeds =
        ["user,item,rating,time\n1,a,3,5\n1,b,4.5,6\n2,a,1,7\n", "1::1193::5::978300760\n1::661::3::9\n"];
    tried("ratings", &seeds.map(|text| text.as_bytes().to_vec()), targets::rating_file);
}

fn parquet_file(properties: WriterProperties) -> Vec<u8> {
    let schema = "message t { optional int64 a; required double b; optional binary c (utf8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int64Type>().write_batch(&[4, -7, 4], Some(&[1, 0, 1, 1]), None).unwrap();
    column.close().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<DoubleType>().write_batch(&[1.5, f64::NAN, 1.5, 8.0], None, None).unwrap();
    column.close().unwrap();
    let words = ["red", "blue", "red"].map(ByteArray::from);
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<ByteArrayType>().write_batch(&words, Some(&[1, 1, 0, 1]), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn parquet_files() {
    use parquet::basic::{Compression, Encoding};
    let plain = WriterProperties::builder().set_dictionary_enabled(false);
    let seeds = [
        parquet_file(WriterProperties::default()),
        parquet_file(WriterProperties::builder().set_compression(Compression::SNAPPY).build()),
        parquet_file(plain.clone().set_encoding(Encoding::PLAIN).build()),
        parquet_file(plain.set_column_encoding("c".into(), Encoding::DELTA_BYTE_ARRAY).build()),
    ];
    tried("Parquet", &seeds, targets::parquet);
}

#[test]
fn other_tables() {
    let folder = tempfile::tempdir().unwrap();
    let table = read_bytes("t.csv", b"a,b\n1.5,x\n,y\n3,\n4,z\n", &ReadOptions::default()).unwrap().table;
    let arrow = folder.path().join("t.arrow");
    write(&table, &arrow).unwrap();
    let workbook = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ward.xlsx");
    let seeds = [
        [&[0][..], &std::fs::read(workbook).unwrap()].concat(),
        b"\x01{\"a\": 1, \"b\": \"x\"}\n{\"b\": null, \"c\": true}\n".to_vec(),
        [&[2][..], &std::fs::read(arrow).unwrap()].concat(),
    ];
    tried("other tables", &seeds, targets::other_table);
}

#[test]
fn model_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "unmiss"));
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    tried("model files", &seeds, targets::model);
}

#[test]
fn image_files() {
    let folder = tempfile::tempdir().unwrap();
    let few = images::sample().unwrap().select(&[0, 1, 2]);
    let file = |(choice, name): (u8, &str)| {
        let path = folder.path().join(name);
        images::write(&few, &path).unwrap();
        [&[choice][..], &std::fs::read(path).unwrap()].concat()
    };
    let seeds: Vec<Vec<u8>> = [(0, "a.npy"), (1, "a.npz"), (2, "a.idx")].into_iter().map(file).collect();
    tried("images", &seeds, targets::image_file);
}
