use super::*;

#[test]
fn a_fingerprint_sees_values_holes_and_names() {
    let of = |name: &str, values: &[f64], word: &str| {
        let columns = vec![
            Column::from_numbers(name, Kind::Real, values),
            Column::from_words("word", Kind::Category, &[Some("a"), Some(word)]),
        ];
        fingerprint(&Table::new(columns).unwrap())
    };
    let one = of("x", &[0.0, 1.0], "b");
    assert_eq!(one, of("x", &[-0.0, 1.0], "b"));
    for other in [
        of("y", &[0.0, 1.0], "b"),
        of("x", &[f64::NAN, 1.0], "b"),
        of("x", &[0.0, 1.5], "b"),
        of("x", &[0.0, 1.0], "c"),
    ] {
        assert_ne!(one, other);
    }
}
