//! Dates as people write them: `31.03.2024`, `31/03/2024` or `3/31/2024 2:15 PM`. Which of the first two numbers is the
//! day is found out over a whole column, from those above 12, or told.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::cell::is_date;

/// Which number of a date that ends with its year is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DateOrder {
    /// Day, month, year.
    Dmy,
    /// Month, day, year.
    Mdy,
}

/// What the words of a column may be as dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateLook {
    /// Not all of them are dates.
    Words,
    /// Dates of ISO 8601, or times of day.
    Iso,
    /// Dates that end with the year, in one order only.
    Sure(DateOrder),
    /// Dates in either order.
    Either,
}

/// Looks at the words of a column; a told order settles what can be read in both.
pub(crate) fn look<'a>(words: impl Iterator<Item = &'a str>, told: Option<DateOrder>) -> DateLook {
    let (mut any, mut iso, mut day_first, mut month_first) = (false, true, true, true);
    for word in words {
        any = true;
        iso = iso && is_date(word.as_bytes());
        day_first = day_first && to_iso(word, DateOrder::Dmy).is_some();
        month_first = month_first && to_iso(word, DateOrder::Mdy).is_some();
        if !iso && !day_first && !month_first {
            return DateLook::Words;
        }
    }
    match (any, iso, day_first, month_first, told) {
        (false, ..) => DateLook::Words,
        (_, true, ..) => DateLook::Iso,
        (_, _, true, true, Some(order)) => DateLook::Sure(order),
        (_, _, true, true, None) => DateLook::Either,
        (_, _, true, false, _) => DateLook::Sure(DateOrder::Dmy),
        _ => DateLook::Sure(DateOrder::Mdy),
    }
}

/// The order of a column of dates, if they end with the year and are in one order.
pub(crate) fn order_of<'a>(
    words: impl Iterator<Item = &'a str>,
    told: Option<DateOrder>,
) -> Option<DateOrder> {
    match look(words, told) {
        DateLook::Sure(order) => Some(order),
        _ => None,
    }
}

/// A date that ends with its year as ISO 8601 has it; none if it is no such date. With points between the day comes
/// first wherever they are written.
pub(crate) fn to_iso(cell: &str, order: DateOrder) -> Option<String> {
    let (date, time) = match cell.trim().split_once([' ', 'T']) {
        Some((date, time)) => (date.trim_end_matches(','), Some(time.trim())),
        None => (cell.trim(), None),
    };
    let mark = date.chars().find(|letter| matches!(letter, '.' | '/' | '-'))?;
    let mut parts = date.split(mark);
    let (first, second, year) = (parts.next()?, parts.next()?, parts.next()?);
    let digits = |text: &str, most: usize| {
        (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if parts.next().is_some() || !digits(first, 2) || !digits(second, 2) || year.len() != 4 {
        return None;
    }
    let (day, month) = match (order, mark) {
        (DateOrder::Dmy, _) => (first, second),
        (DateOrder::Mdy, '.') => return None,
        (DateOrder::Mdy, _) => (second, first),
    };
    let time = match time {
        Some(time) => format!(" {}", clock(time)?),
        None => String::new(),
    };
    let iso = format!("{year}-{month:0>2}-{day:0>2}{time}");
    is_date(iso.as_bytes()).then_some(iso)
}

/// A time of day with two digits for the hour, of 24.
fn clock(time: &str) -> Option<Cow<'_, str>> {
    let upper = time.to_ascii_uppercase();
    let (digits, later) = match (upper.strip_suffix("AM"), upper.strip_suffix("PM")) {
        (Some(digits), _) => (digits.trim_end(), Some(0)),
        (_, Some(digits)) => (digits.trim_end(), Some(12)),
        _ if time.as_bytes().get(1) == Some(&b':') => (time, None),
        _ => return Some(Cow::Borrowed(time)),
    };
    let (hour, rest) = digits.split_once(':')?;
    let hour: u32 = hour.parse().ok()?;
    let hour = match later {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(later) => hour % 12 + later,
        None => hour,
    };
    Some(Cow::Owned(format!("{hour:02}:{rest}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_found_from_days_above_twelve() {
        let look = |words: &[&str]| look(words.iter().copied(), None);
        assert_eq!(look(&["31.03.2024", "01.04.2024"]), DateLook::Sure(DateOrder::Dmy));
        assert_eq!(look(&["1.4.2024"]), DateLook::Sure(DateOrder::Dmy), "points say so");
        assert_eq!(look(&["31/03/2024", "01/04/2024 08:15"]), DateLook::Sure(DateOrder::Dmy));
        assert_eq!(look(&["3/31/2024", "4/1/2024"]), DateLook::Sure(DateOrder::Mdy));
        assert_eq!(look(&["03/04/2024", "05/06/2024"]), DateLook::Either);
        assert_eq!(look(&["31/03/2024", "3/31/2024"]), DateLook::Words);
        assert_eq!(look(&["30.02.2024"]), DateLook::Words);
        assert_eq!(look(&["2024-03-31", "08:15"]), DateLook::Iso);
        assert_eq!(look(&["31.03.2024", "soon"]), DateLook::Words);
        assert_eq!(look(&["1.2.3", "1.5.2"]), DateLook::Words);
        assert_eq!(look(&[]), DateLook::Words);
        let told = super::look(["03/04/2024"].into_iter(), Some(DateOrder::Mdy));
        assert_eq!(told, DateLook::Sure(DateOrder::Mdy));
    }

    #[test]
    fn dates_become_iso_dates() {
        let iso = |cell: &str, order| to_iso(cell, order).unwrap_or_default();
        assert_eq!(iso("1.4.2024", DateOrder::Dmy), "2024-04-01");
        assert_eq!(iso("03/04/2024 8:15", DateOrder::Dmy), "2024-04-03 08:15");
        assert_eq!(iso("03/04/2024, 08:15:30", DateOrder::Mdy), "2024-03-04 08:15:30");
        assert_eq!(iso("3/4/2024 12:05 AM", DateOrder::Mdy), "2024-03-04 00:05");
        assert_eq!(iso("3/4/2024 1:05:09 pm", DateOrder::Mdy), "2024-03-04 13:05:09");
        for none in
            ["29.02.2023", "31.04.2024", "3.4.24", "3/4/2024 25:00", "3/4/2024 13:00 PM", "2024-03-31"]
        {
            assert_eq!(to_iso(none, DateOrder::Dmy), None, "{none}");
        }
    }
}
