//! Any bytes as a text table: read or refused, never a panic. What is read can be written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unmiss::data::{Kind, MissingTokens, ReadOptions, read_bytes};

fuzz_target!(|input: &[u8]| {
    // The first byte chooses the options, the rest is the file.
    let Some((choice, bytes)) = input.split_first() else { return };
    let mut options = ReadOptions { keep_source: choice & 1 == 1, ..ReadOptions::default() };
    options.delimiter = match choice >> 1 & 3 {
        1 => Some(b';'),
        2 => Some(b'\t'),
        _ => None,
    };
    if choice & 8 > 0 {
        options.missing = MissingTokens::new(["-"]);
        options.missing.add_for("a", "-999");
    }
    let kind = match choice >> 4 & 7 {
        1 => Some(Kind::Real),
        2 => Some(Kind::Integer),
        3 => Some(Kind::Binary),
        4 => Some(Kind::Category),
        5 => Some(Kind::Date),
        6 => Some(Kind::Text),
        _ => None,
    };
    options.kinds.extend(kind.map(|kind| ("a".to_owned(), kind)));
    let Ok(reading) = read_bytes("fuzz.csv", bytes, &options) else { return };
    let table = reading.table;
    for column in table.columns() {
        assert_eq!(column.rows(), table.rows());
        // Every known cell can be written down.
        for row in 0..table.rows() {
            assert_eq!(column.cell(row).is_some(), column.observed[row]);
        }
    }
});
