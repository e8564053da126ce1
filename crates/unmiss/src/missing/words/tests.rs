use super::*;

#[test]
fn numbers_read_well() {
    assert_eq!(number(1_234_567), "1,234,567");
    assert_eq!(number(12), "12");
    assert_eq!(percent(0.0004), "less than 0.1 %");
    assert_eq!(percent(0.123_45), "12.3 %");
    assert_eq!(percent(0.9999), "more than 99.9 %");
    assert_eq!(significant_digits(1234.5), "1234");
    assert_eq!(significant_digits(-0.012_345), "-0.0123");
    assert_eq!(significant_digits(1e9), "1.00e9");
    assert_eq!(count(1, "row"), "1 row");
    assert_eq!(names(&["a", "b", "c", "d", "e", "f", "g"]), "`a`, `b`, `c`, `d`, `e` and 2 more");
    assert_eq!(name(&"é".repeat(40)).chars().count(), LONGEST_NAME + 2);
}
