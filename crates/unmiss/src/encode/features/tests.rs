use super::*;
use crate::data::Kind;

fn table() -> Table {
    Table::new(vec![
        Column::from_numbers("a", Kind::Real, &[0.0, f64::NAN, 4.0, 2.0]),
        Column::from_words("c", Kind::Category, &[Some("x"), Some("y"), None, Some("x")]),
    ])
    .unwrap()
}

fn fit(scale: Scale, most_levels: usize) -> Encoder {
    Encoder::fit(&table(), &["a".into(), "c".into()], Encoding { scale, most_levels }).unwrap()
}

#[test]
fn scales_are_those_of_observed_cells() {
    let encoded = fit(Scale::MinMax, 255).encode(&table(), |_, _| {}).unwrap();
    assert_eq!(encoded.numbers, [0.0, 0.0, 1.0, 0.5]);
    assert_eq!(encoded.numbers_observed, [true, false, true, true]);
    let standard = fit(Scale::Standard, 255);
    assert_eq!(standard.numbers[0].center, 2.0);
    assert!(standard.numbers[0].mean.abs() < 1e-6);
}

#[test]
fn binary_numbers_count_by_their_value() {
    let words = |words: [&str; 2], kind| Column::from_words("b", kind, &words.map(Some));
    let trained = Table::new(vec![words(["1", "2"], Kind::Binary)]).unwrap();
    let encoder = Encoder::fit(&trained, &["b".into()], Encoding::default()).unwrap();
    let new = Table::new(vec![words(["2.0", "01"], Kind::Category)]).unwrap();
    let encoded = encoder.encode(&new, |_, level| panic!("{level} was seen")).unwrap();
    assert_eq!(encoded.codes, [1, 0]);
}

#[test]
fn unseen_levels_are_holes_and_are_told_once() {
    let new = Table::new(vec![
        Column::from_numbers("a", Kind::Real, &[1.0, 1.0]),
        Column::from_words("c", Kind::Category, &[Some("z"), Some("z")]),
    ])
    .unwrap();
    let mut told = Vec::new();
    let encoded = fit(Scale::Standard, 255).encode(&new, |c, l| told.push(format!("{c}={l}"))).unwrap();
    assert_eq!(told, ["c=z"]);
    assert_eq!(encoded.codes_observed, [false, false]);
}

#[test]
fn rare_levels_are_pooled_and_take_the_unseen_ones_in() {
    let encoder = fit(Scale::Standard, 1);
    assert_eq!(encoder.categories[0].levels, ["x"]);
    assert!(encoder.categories[0].has_other());
    let encoded = encoder.encode(&table(), |_, _| unreachable!()).unwrap();
    assert_eq!(encoded.codes, [0, 1, 0, 0]);
    assert_eq!(encoded.codes_observed, [true, true, false, true]);
}

/// Holes made after encoding leave no trace: the encoder is the one of a table with these holes.
#[test]
fn relearned_is_as_if_the_hidden_cells_had_never_been_seen() {
    let cells = [0.0, 1.0, 4.0, 2.5, 9.0];
    let words = [Some("x"), Some("y"), None, Some("x"), Some("y")];
    let table = |cells: &[f64], words: &[Option<&str>]| {
        let numbers = Column::from_numbers("a", Kind::Real, cells);
        Table::new(vec![numbers, Column::from_words("c", Kind::Category, words)]).unwrap()
    };
    let names = ["a".to_owned(), "c".to_owned()];
    let whole = table(&cells, &words);
    let encoder = Encoder::fit(&whole, &names, Encoding::default()).unwrap();
    let mut rows = encoder.encode(&whole, |_, _| {}).unwrap();
    (rows.numbers_observed[4], rows.codes_observed[1]) = (false, false);
    let (found, encoded) = encoder.relearned(&rows);
    let holed = table(&[0.0, 1.0, 4.0, 2.5, f64::NAN], &[Some("x"), None, None, Some("x"), Some("y")]);
    let honest = Encoder::fit(&holed, &names, Encoding::default()).unwrap();
    let expected = honest.encode(&holed, |_, _| {}).unwrap();
    let (a, b) = (&found.numbers[0], &honest.numbers[0]);
    for (a, b) in [(a.center, b.center), (a.width, b.width), (a.low, b.low), (a.high, b.high)] {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }
    assert_eq!((a.missing, &found.categories), (b.missing, &honest.categories));
    assert!(encoded.numbers.iter().zip(&expected.numbers).all(|(a, b)| (a - b).abs() < 1e-6));
    assert_eq!((encoded.codes, encoded.numbers_observed), (expected.codes, expected.numbers_observed));
}
