//! What one cell says: its text without quotes, a number, a date.

use std::borrow::Cow;

use memchr::memchr;

use super::largest::LARGEST;

/// 2⁵³: up to here every whole number has an exact `f64`.
pub(crate) const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// A cell's text: without the quotes around it, with doubled quotes halved.
#[inline]
pub(crate) fn content(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(inner) = raw.strip_prefix(b"\"") else { return Cow::Borrowed(raw) };
    let inner = inner.strip_suffix(b"\"").unwrap_or(inner);
    if memchr(b'"', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut text = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(quote) = memchr(b'"', rest) {
        text.extend_from_slice(&rest[..=quote]);
        rest = rest.get(quote + 2..).unwrap_or_default();
    }
    text.extend_from_slice(rest);
    Cow::Owned(text)
}

/// The text without spaces and tabs around it.
#[inline]
pub(crate) fn trim(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
}

/// Text and trimmed text of a cell as a string.
pub(crate) fn word(raw: &[u8]) -> Cow<'_, str> {
    match content(raw) {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(trim(bytes)),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(trim(&bytes)).into_owned()),
    }
}

/// How a cell reads as a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// A finite number.
    Finite(f64),
    /// An infinity, or a number too large to compute with.
    Infinite,
    /// A whole number beyond 2⁵³, of which an `f64` would lose digits.
    TooManyDigits,
    /// Not a number.
    Not,
}

/// Reads a trimmed cell as a number: digits with an optional sign, point and exponent.
#[inline]
pub(crate) fn number(cell: &[u8]) -> Number {
    let unsigned = match cell {
        [b'+' | b'-', rest @ ..] => rest,
        _ => cell,
    };
    match unsigned {
        [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => {}
        _ if is_infinity(unsigned) => return Number::Infinite,
        _ => return Number::Not,
    }
    let Ok(value) = fast_float2::parse::<f64, _>(unsigned) else { return Number::Not };
    if value > LARGEST {
        return Number::Infinite;
    }
    if value >= LARGEST_EXACT && unsigned.len() >= 16 && has_lost_digits(unsigned) {
        return Number::TooManyDigits;
    }
    Number::Finite(if cell[0] == b'-' { -value } else { value })
}

fn is_infinity(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"inf") || word.eq_ignore_ascii_case(b"infinity")
}

/// Whether a row of digits and nothing else is beyond 2⁵³.
fn has_lost_digits(digits: &[u8]) -> bool {
    digits.iter().all(u8::is_ascii_digit) && {
        let value = digits
            .iter()
            .fold(0_u64, |value, digit| value.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
        value > LARGEST_EXACT as u64
    }
}

/// Whether a trimmed cell is an ISO 8601 date (`2024-03-31`), a date with a time (`2024-03-31T08:15:00Z`,
/// also with a space), or a time of day (`08:15`, `08:15:30.5`).
pub(crate) fn is_date(cell: &[u8]) -> bool {
    match cell.split_at_checked(10).filter(|(day, _)| is_day(day)) {
        None => is_time(cell),
        Some((_, [])) => true,
        Some((_, [b'T' | b' ', time @ ..])) => is_time(without_zone(time)),
        Some(_) => false,
    }
}

fn is_day(date: &[u8]) -> bool {
    let &[y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = date else { return false };
    let digits = [y0, y1, y2, y3];
    digits.iter().all(u8::is_ascii_digit) && between(m0, m1, 1, 12) && {
        let year = digits.iter().fold(0, |year, digit| 10 * year + u32::from(digit - b'0'));
        between(d0, d1, 1, days_of((m0 - b'0') * 10 + (m1 - b'0'), year))
    }
}

/// Days of a month, 1 to 12.
fn days_of(month: u8, year: u32) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400) => 29,
        2 => 28,
        _ => 31,
    }
}

fn between(tens: u8, ones: u8, least: u8, most: u8) -> bool {
    tens.is_ascii_digit()
        && ones.is_ascii_digit()
        && (least..=most).contains(&((tens - b'0') * 10 + (ones - b'0')))
}

/// `hh:mm`, `hh:mm:ss` or `hh:mm:ss.f`.
fn is_time(time: &[u8]) -> bool {
    let &[h0, h1, b':', m0, m1, ref rest @ ..] = time else { return false };
    let seconds = match *rest {
        [] => true,
        [b':', s0, s1] => between(s0, s1, 0, 60),
        [b':', s0, s1, b'.', ref fraction @ ..] => {
            between(s0, s1, 0, 60) && !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    };
    between(h0, h1, 0, 24) && between(m0, m1, 0, 59) && seconds
}

/// A time without `Z`, `+hh`, `+hhmm` or `+hh:mm` behind it.
fn without_zone(time: &[u8]) -> &[u8] {
    if let [rest @ .., b'Z'] = time {
        return rest;
    }
    let Some(sign) = time.iter().rposition(|byte| matches!(byte, b'+' | b'-')) else { return time };
    let (clock, zone) = time.split_at(sign);
    match zone[1..] {
        [h0, h1] if between(h0, h1, 0, 14) => clock,
        [h0, h1, m0, m1] | [h0, h1, b':', m0, m1] if between(h0, h1, 0, 14) && between(m0, m1, 0, 59) => {
            clock
        }
        _ => time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_taken_off() {
        assert_eq!(&*content(b"a b"), b"a b");
        assert_eq!(&*content(b"\"a,b\""), b"a,b");
        assert_eq!(&*content(b"\"a \"\"b\"\"\""), b"a \"b\"");
        assert_eq!(&*content(b"\"\""), b"");
        assert_eq!(&*content(b"\"\"\"\""), b"\"");
        assert_eq!(&*content(b"\""), b"");
        assert_eq!(word(b"\" x \""), "x");
    }

    #[test]
    fn numbers_are_read_exactly_or_not_at_all() {
        for (cell, value) in [
            ("1", 1.0),
            ("-2.5", -2.5),
            ("+3", 3.0),
            (".5", 0.5),
            ("4.", 4.0),
            ("1e-3", 1e-3),
            ("1e-400", 0.0),
        ] {
            assert_eq!(number(cell.as_bytes()), Number::Finite(value), "{cell}");
        }
        for cell in
            ["", "x", "1,5", "1 000", "0x10", "--1", "+-1", "1e", "nan", "NaN", "-", ".", "<0.5", "1.5.2"]
        {
            assert_eq!(number(cell.as_bytes()), Number::Not, "{cell}");
        }
        for cell in ["inf", "-Infinity", "1e999", "-1e999", "1e101", "-1e308"] {
            assert_eq!(number(cell.as_bytes()), Number::Infinite, "{cell}");
        }
        assert_eq!(number(b"9007199254740992"), Number::Finite(LARGEST_EXACT));
        assert_eq!(number(b"9007199254740993"), Number::TooManyDigits);
        assert_eq!(number(b"-9007199254740993"), Number::TooManyDigits);
        assert_eq!(number(b"12345678901234567890123"), Number::TooManyDigits);
        assert_eq!(number(b"0000000000000000012"), Number::Finite(12.0));
        assert_eq!(number(b"-1e100"), Number::Finite(-1e100));
    }

    #[test]
    fn dates_are_iso_dates() {
        for cell in [
            "2024-03-31",
            "2024-03-31T08:15",
            "2024-03-31 08:15:30.25",
            "2024-03-31T08:15:30Z",
            "2024-03-31T08:15:30+02:00",
            "2024-03-31T08:15-0500",
            "23:59",
            "08:15:00",
            "2024-02-29",
        ] {
            assert!(is_date(cell.as_bytes()), "{cell}");
        }
        for cell in [
            "",
            "2024",
            "2024-13-01",
            "2024-00-10",
            "2024-1-1",
            "31.03.2024",
            "2024-02-30",
            "2023-02-29",
            "2024-03-31x",
            "2024-03-31T",
            "25:00",
            "8:15",
            "2024-03-31T08:15+99:00",
            "a024-03-31",
        ] {
            assert!(!is_date(cell.as_bytes()), "{cell}");
        }
    }
}
