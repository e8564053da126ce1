use super::*;
use proptest::prelude::*;

/// All records of a text as cells with their quotes taken off.
fn ours(bytes: &[u8], delimiter: u8) -> Result<Vec<Vec<Vec<u8>>>, Fault> {
    let (mut position, mut records) = (0, Vec::new());
    while position < bytes.len() {
        if matches!(bytes[position], b'\n' | b'\r') {
            position += 1;
            continue;
        }
        let mut ends = Vec::new();
        let next = split_record(bytes, position, delimiter, true, &mut ends)?.expect("last bytes");
        let starts = std::iter::once(position).chain(ends.iter().map(|end| *end as usize + 1));
        let cells = starts.zip(&ends).map(|(start, end)| &bytes[start..*end as usize]);
        records.push(cells.map(|cell| super::super::cell::content(cell).into_owned()).collect());
        position = next;
    }
    Ok(records)
}

fn theirs(bytes: &[u8], delimiter: u8) -> Vec<Vec<Vec<u8>>> {
    let reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(bytes);
    let cells = |record: csv::ByteRecord| record.iter().map(<[u8]>::to_vec).collect();
    reader.into_byte_records().map(|record| cells(record.unwrap())).collect()
}

proptest! {
    #[test]
    fn what_we_accept_reads_as_in_the_csv_crate(text in "[a,;\"\n\r ]{0,40}") {
        for delimiter in [b',', b';'] {
            if let Ok(records) = ours(text.as_bytes(), delimiter) {
                prop_assert_eq!(records, theirs(text.as_bytes(), delimiter));
            }
        }
    }

    #[test]
    fn what_the_csv_crate_writes_is_accepted(rows in prop::collection::vec(prop::collection::vec("[a,\"\n\r é]{0,6}", 2..4), 1..6), crlf: bool) {
        let end = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let mut writer = csv::WriterBuilder::new().flexible(true).terminator(end).from_writer(Vec::new());
        rows.iter().for_each(|row| writer.write_record(row).unwrap());
        let expected: Vec<Vec<Vec<u8>>> = rows.iter().map(|row| row.iter().map(|cell| cell.clone().into_bytes()).collect()).collect();
        prop_assert_eq!(ours(&writer.into_inner().unwrap(), b',').unwrap(), expected);
    }

    #[test]
    fn pieces_end_where_records_end(text in "[a,\"\n\r]{0,60}", size in 0usize..12) {
        let bytes = text.as_bytes();
        if let Ok(whole) = ours(bytes, b',') {
            let cut: Vec<_> = pieces(bytes, b',', size).iter().flat_map(|(from, to)| ours(&bytes[*from..*to], b',').unwrap()).collect();
            prop_assert_eq!(cut, whole);
        }
    }

    #[test]
    fn records_that_arrive_in_parts_are_the_same(text in "[a,\"\n\r]{0,40}", lone: bool, parts in prop::collection::vec(1usize..6, 0..40)) {
        let text = if lone { text.replace(',', "") } else { text };
        let bytes = text.as_bytes();
        let width = ours(bytes, b',').ok().and_then(|rows| rows.first().map(Vec::len)).filter(|_| !lone).unwrap_or(1);
        let mut whole = Records::new(b',', width);
        let expected = whole.advance(bytes, 0, true, usize::MAX);
        let (mut grown, mut position, mut length) = (Records::new(b',', width), 0, 0);
        let mut outcome = Ok(0);
        for part in parts.into_iter().chain([bytes.len()]) {
            length = (length + part).min(bytes.len());
            outcome = grown.advance(&bytes[..length], position, length == bytes.len(), usize::MAX);
            match outcome { Ok(next) => position = next, Err(_) => break }
        }
        prop_assert_eq!(outcome, expected);
        prop_assert_eq!((grown.starts, grown.ends), (whole.starts, whole.ends));
    }

    #[test]
    fn every_line_of_one_column_is_a_record_in_any_pieces(lines in prop::collection::vec(("a?", "\n|\r\n|\r"), 0..20), size in 0usize..12) {
        let text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
        let unified = text.replace("\r\n", "\n").replace('\r', "\n");
        let expected: Vec<&str> = unified.split_terminator('\n').collect();
        let bytes = text.as_bytes();
        let read = |(from, to): &(usize, usize)| {
            let mut records = Records::new(b',', 1);
            let part = &bytes[*from..*to];
            records.advance(part, 0, true, usize::MAX).unwrap();
            (0..records.rows()).map(|row| String::from_utf8(records.cell(part, row, 0).to_vec()).unwrap()).collect::<Vec<_>>()
        };
        let cut: Vec<String> = pieces(bytes, b',', size).iter().flat_map(read).collect();
        prop_assert_eq!(cut, expected);
    }

    #[test]
    fn lines_are_counted_in_any_parts(text in "[a\n\r]{0,30}", at in 0usize..30) {
        let bytes = text.as_bytes();
        let at = at.min(bytes.len());
        let mut counter = LineCounter::default();
        counter.pass(&bytes[..at]);
        counter.pass(&bytes[at..]);
        let unified = text.replace("\r\n", "\n").replace('\r', "\n");
        prop_assert_eq!(counter.lines as usize, unified.matches('\n').count());
    }
}

#[test]
fn faults_are_told_with_their_place() {
    assert_eq!(ours(b"a,b\n1,\"2", b','), Err(Fault { at: 4, what: Wrong::OpenQuote { cell: 1 } }));
    assert_eq!(ours(b"a,b\n\"1\"x,2", b','), Err(Fault { at: 4, what: Wrong::AfterQuote { cell: 0 } }));
    assert_eq!(check_text(b"ab\0"), Err(Fault { at: 2, what: Wrong::Nul }));
    assert_eq!(check_text(b"a\xe9"), Err(Fault { at: 1, what: Wrong::NotUtf8 }));
    assert_eq!(check_text("é".as_bytes()), Ok(()));
}
