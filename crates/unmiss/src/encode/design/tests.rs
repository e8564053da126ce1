use super::*;
use crate::data::{Column, Kind, Table};
use crate::encode::{Encoding, Scale};

/// Rows: (0, x), (hole, y), (4, hole), (hole, hole); column `b` is complete and not in holes.
fn sample(scale: Scale) -> (Encoder, Encoded) {
    let table = Table::new(vec![
        Column::from_numbers("a", Kind::Real, &[0.0, f64::NAN, 4.0, f64::NAN]),
        Column::from_numbers("b", Kind::Real, &[1.0, 2.0, 3.0, 5.0]),
        Column::from_words("c", Kind::Category, &[Some("x"), Some("y"), None, None]),
    ])
    .unwrap();
    let names = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
    let encoder = Encoder::fit(&table, &names, Encoding { scale, ..Encoding::default() }).unwrap();
    let encoded = encoder.encode(&table, |_, _| {}).unwrap();
    (encoder, encoded)
}

fn dense(design: &Design, encoded: &Encoded, row: usize) -> Vec<f32> {
    let mut inputs = vec![0.0; design.inputs()];
    design.row(encoded, row, |input, value| inputs[input as usize] = value);
    inputs
}

#[test]
fn indicators_stand_for_columns_with_holes() {
    let (encoder, encoded) = sample(Scale::Standard);
    let design = Design::new(&encoder, Missing::MeanAndIndicator, 1.0);
    assert_eq!(design.names(&encoder), ["a", "b", "c=x", "c=y", "a is missing", "c is missing"]);
    assert_eq!(dense(&design, &encoded, 2)[2..], [0.5, 0.5, 0.0, 1.0]);
    assert_eq!(dense(&design, &encoded, 1)[2..], [0.0, 1.0, 1.0, 0.0]);
    let observed = Design::new(&encoder, Missing::ObservedIndicator, 1.0);
    assert_eq!(dense(&observed, &encoded, 1)[2..], [0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn normalised_rows_are_scaled_by_known_columns_and_not_by_inputs() {
    let (encoder, encoded) = sample(Scale::MinMax);
    let design = Design::new(&encoder, Missing::SparsityNormalization, 3.0);
    // All three columns known and K = 3: the row as it is.
    assert_eq!(dense(&design, &encoded, 0), [0.0, 0.0, 1.0, 0.0]);
    // Two of three columns known: times 3 / 2.
    assert_eq!(dense(&design, &encoded, 2), [1.5, 0.75, 0.0, 0.0]);
    let mut empty = encoded.clone();
    empty.numbers_observed.fill(false);
    empty.codes_observed.fill(false);
    assert_eq!(dense(&design, &empty, 0), [0.0; 4]);
}

#[test]
fn cells_that_are_not_observed_are_not_read() {
    let (encoder, encoded) = sample(Scale::Standard);
    let mut garbage = encoded.clone();
    let hidden = garbage.numbers.iter_mut().zip(&encoded.numbers_observed).filter(|cell| !cell.1);
    hidden.for_each(|(value, _)| *value = f32::NAN);
    let hidden = garbage.codes.iter_mut().zip(&encoded.codes_observed).filter(|cell| !cell.1);
    hidden.for_each(|(code, _)| *code = u32::MAX);
    for missing in [Missing::Zero, Missing::MeanAndIndicator, Missing::SparsityNormalization] {
        let design = Design::new(&encoder, missing, 2.0);
        for row in 0..4 {
            assert_eq!(dense(&design, &encoded, row), dense(&design, &garbage, row));
        }
    }
}
