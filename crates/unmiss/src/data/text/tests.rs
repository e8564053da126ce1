use proptest::prelude::*;

use super::*;
use crate::data::{MissingTokens, read_bytes};

fn columns(text: &str, options: &ReadOptions, piece: usize) -> Result<(Vec<Column>, Vec<crate::data::Note>)> {
    let reading = read_text("t.csv", text.as_bytes().to_vec(), options, piece)?;
    Ok((reading.table.columns().to_vec(), reading.notes))
}

#[test]
fn cells_are_read_without_quotes_and_spaces() {
    let text = "n,w,q\n 1.5 ,\" a\",\"2\"\n\"+2\",b ,\" NA \"\n\t?\t,c,3\n4,\"\",\"4\"";
    let (columns, _) = columns(text, &ReadOptions::default(), PIECE).unwrap();
    assert_eq!(columns[0], Column::from_numbers("n", Kind::Real, &[1.5, 2.0, f64::NAN, 4.0]));
    assert_eq!(columns[1], Column::from_words("w", Kind::Category, &[Some("a"), Some("b"), Some("c"), None]));
    assert_eq!(columns[2], Column::from_numbers("q", Kind::Integer, &[2.0, f64::NAN, 3.0, 4.0]));
}

#[test]
fn kinds_and_tokens_can_be_given() {
    let mut options = ReadOptions { missing: MissingTokens::new(["-"]), ..ReadOptions::default() };
    options.missing.add_for("zip", "00000");
    options.kinds.extend([
        ("zip".to_owned(), Kind::Category),
        ("n".to_owned(), Kind::Real),
        ("t".to_owned(), Kind::Text),
    ]);
    let (columns, _) = columns("zip,n,t\n01234,0,NA\n00000,1,\" x\"\n9,-,-\n", &options, PIECE).unwrap();
    assert_eq!(columns[0].codes().unwrap(), (&[1, 0, 0][..], &["9", "01234"].map(String::from)[..]));
    assert_eq!(columns[0].observed, [true, false, true]);
    assert_eq!(columns[1], Column::from_numbers("n", Kind::Real, &[0.0, 1.0, f64::NAN]));
    assert_eq!(columns[2].values, Values::Texts(vec!["NA".into(), " x".into(), String::new()]));
}

#[test]
fn binary_levels_go_by_value() {
    let (columns, _) = columns("b,w\n0.0,no\n1,01\n01,1.0\n,no\n", &ReadOptions::default(), PIECE).unwrap();
    assert_eq!(columns[0].codes().unwrap().1, ["0", "1"]);
    assert_eq!(columns[0].codes().unwrap().0, [0, 1, 1, 0]);
    assert_eq!((columns[1].kind, columns[1].codes().unwrap().1.len()), (Kind::Category, 3));
}

#[test]
fn the_first_error_is_told_whatever_the_pieces() {
    let mut text = "a,b\n".to_owned();
    (0..200)
        .for_each(|row| text += &format!("{row},{}\n", if row == 50 || row == 150 { "x,y" } else { "1" }));
    for piece in [1, 16, 100, PIECE] {
        let error = columns(&text, &ReadOptions::default(), piece).unwrap_err();
        assert_eq!(error.to_string(), "t.csv, line 52: 3 cells, but the header has 2");
    }
    let text = text.replace("x,y", "x");
    let mut options = ReadOptions::default();
    options.kinds.insert("b".into(), Kind::Integer);
    for piece in [1, 16, 100, PIECE] {
        let error = columns(&text, &options, piece).unwrap_err();
        assert_eq!(error.to_string(), "t.csv, line 52, column `b`: `x` is not a number");
    }
}

#[test]
fn empty_lines_are_the_holes_of_one_column() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["", "a", "1.5", "", "2", "NA", "4", "", ""].join(end);
        for piece in [0, 1, 2, 3, PIECE] {
            let (columns, _) = columns(&text, &ReadOptions::default(), piece).unwrap();
            let expected = [1.5, f64::NAN, 2.0, f64::NAN, 4.0, f64::NAN];
            assert_eq!(columns, [Column::from_numbers("a", Kind::Real, &expected)], "{text:?}");
        }
        let text = ["a", "1", "", "x", ""].join(end);
        let mut options = ReadOptions::default();
        options.kinds.insert("a".into(), Kind::Real);
        for piece in [0, 1, PIECE] {
            let error = columns(&text, &options, piece).unwrap_err();
            assert_eq!(error.to_string(), "t.csv, line 4, column `a`: `x` is not a number");
        }
    }
}

proptest! {
    #[test]
    fn pieces_and_threads_make_no_difference(
        rows in prop::collection::vec(("[0-9]{1,3}|NA|", "[ab]{1,2}|\"[a,\n\"]\"|\"\"", "[0-9]\\.[0-9]|x?"), 1..30),
        piece in 0usize..40,
    ) {
        let mut text = "a,b,c\n".to_owned();
        rows.iter().for_each(|(a, b, c)| text += &format!("{a},{b},{c}\n"));
        let read = |piece| columns(&text, &ReadOptions::default(), piece).map_err(|error| error.to_string());
        let whole = read(PIECE);
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        prop_assert_eq!(&pool(1).install(|| read(piece)), &whole);
        prop_assert_eq!(&pool(3).install(|| read(piece)), &whole);
    }

    #[test]
    fn one_column_is_the_same_in_any_pieces(
        rows in prop::collection::vec("[0-9]{0,2}|NA|\"[0-9\n]?\"", 1..30),
        end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        piece in 0usize..12,
    ) {
        let text = format!("a{end}{}{end}", rows.join(end));
        let read = |piece| columns(&text, &ReadOptions::default(), piece).map_err(|error| error.to_string());
        let whole = read(PIECE);
        prop_assert_eq!(&read(piece), &whole);
        prop_assert_eq!(whole.unwrap().0[0].rows(), rows.len());
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), keep_source: bool) {
        let options = ReadOptions { keep_source, ..ReadOptions::default() };
        let _ = read_bytes("t.csv", &bytes, &options);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[ab0-9.,;\t|\"\n\r\u{feff}\u{e9}+-]{0,80}", keep_source: bool) {
        let options = ReadOptions { keep_source, ..ReadOptions::default() };
        let _ = read_bytes("t.csv", text.as_bytes(), &options);
    }

    #[test]
    fn no_gzip_or_parquet_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = read_bytes("t.csv.gz", &[&[0x1f, 0x8b, 8][..], &bytes].concat(), &ReadOptions::default());
        let _ = read_bytes("t.parquet", &[&b"PAR1"[..], &bytes, &b"\x08\0\0\0PAR1"[..]].concat(), &ReadOptions::default());
    }
}
