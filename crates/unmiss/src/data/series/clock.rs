//! Times and spans of time: as they are written, and as numbers.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::data::table::format_number;
use crate::error::{Error, Result};

/// Seconds of an hour, a day.
const HOUR: f64 = 3600.0;
const DAY: f64 = 24.0 * HOUR;

/// How times are written, and so what a number that stands for one means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// Plain numbers, in a unit that only the user knows. They count from 0.
    #[default]
    Numbers,
    /// Plain numbers that do not start near 0: years, seconds since 1970, or some before 0. A series starts with its
    /// first row.
    Points,
    /// `HH:MM` or `HH:MM:SS` since the start, hours beyond 24 too; kept as hours.
    Hours,
    /// Dates with or without a time of day (ISO 8601); kept as hours since 1970. A series starts with its first row.
    Dates,
}

impl Clock {
    /// The number that a written time stands for, if it is written in this way.
    pub fn parse(self, text: &str) -> Option<f64> {
        match self {
            Self::Numbers | Self::Points => text.parse().ok().filter(|time: &f64| time.is_finite()),
            Self::Hours => hours(text),
            Self::Dates => date(text),
        }
    }

    /// The way in which a time is written, if in any.
    pub fn of(text: &str) -> Option<Self> {
        [Self::Numbers, Self::Hours, Self::Dates].into_iter().find(|clock| clock.parse(text).is_some())
    }

    /// Whether times are counted from the first of each series, and not from 0.
    pub fn counts_from_first(self) -> bool {
        matches!(self, Self::Points | Self::Dates)
    }

    /// What times are, in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Numbers | Self::Points => "numbers",
            Self::Hours => "hours and minutes",
            Self::Dates => "dates",
        }
    }

    /// A time as it is written.
    pub fn format(self, time: f64) -> String {
        match self {
            Self::Numbers | Self::Points => format_number(time),
            Self::Hours => {
                let seconds = (time * HOUR).round();
                let (hours, rest) = ((seconds / HOUR).trunc(), seconds.abs() % HOUR);
                let sign = if seconds < 0.0 && hours == 0.0 { "-" } else { "" };
                let (minutes, seconds) = ((rest / 60.0).trunc(), rest % 60.0);
                let short = format!("{sign}{hours:02}:{minutes:02}");
                if seconds == 0.0 { short } else { format!("{short}:{seconds:02}") }
            }
            Self::Dates => written_date(time * HOUR),
        }
    }

    /// What stands for a span of time, in the unit of this clock.
    ///
    /// # Errors
    /// When a unit is given and times have none of their own, or the other way round.
    pub fn span(self, span: Span) -> Result<f64> {
        match (self, span.unit) {
            (Self::Numbers | Self::Points, None) => Ok(span.count),
            (Self::Numbers | Self::Points, Some(_)) => {
                let what = format!("{span} has a unit, and the times are plain numbers");
                Err(Error::data(what)
                    .with_hint(format!("say it in the unit of the times, as {}", span.count)))
            }
            (_, Some(unit)) => Ok(span.count * unit.seconds() / HOUR),
            (_, None) => Err(Error::data(format!("{span} has no unit, and the times are hours or dates"))
                .with_hint(format!("say {0}min, {0}h or {0}d", span.count))),
        }
    }

    /// A span in words.
    pub fn words(self, span: f64) -> String {
        let rounded = |value: f64| format_number((value * 100.0).round() / 100.0);
        match self {
            Self::Numbers | Self::Points => rounded(span),
            _ if span.abs() >= 48.5 => format!("{} days", rounded(span / 24.0)),
            _ if span.abs() >= 1.0 => format!("{} h", rounded(span)),
            _ => format!("{} min", rounded(span * 60.0)),
        }
    }
}

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// `s`
    Seconds,
    /// `min`
    Minutes,
    /// `h`
    Hours,
    /// `d`
    Days,
    /// `w`
    Weeks,
}

impl Unit {
    const ALL: [(Self, &'static str, f64); 5] = [
        (Self::Seconds, "s", 1.0),
        (Self::Minutes, "min", 60.0),
        (Self::Hours, "h", HOUR),
        (Self::Days, "d", DAY),
        (Self::Weeks, "w", 7.0 * DAY),
    ];

    fn seconds(self) -> f64 {
        Self::ALL.iter().find(|(unit, ..)| *unit == self).map_or(1.0, |(.., seconds)| *seconds)
    }
}

/// A span of time as a user says it: `10min`, `6h`, or a plain number in the unit of the times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Span {
    count: f64,
    unit: Option<Unit>,
}

impl FromStr for Span {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let text = text.trim();
        let split = text.find(|letter: char| letter.is_alphabetic()).unwrap_or(text.len());
        let (count, name) = (text[..split].trim(), text[split..].trim());
        let unit = Unit::ALL.iter().find(|(_, own, _)| *own == name).map(|(unit, ..)| *unit);
        match count.parse::<f64>() {
            Ok(count) if count > 0.0 && count.is_finite() && (unit.is_some() || name.is_empty()) => {
                Ok(Self { count, unit })
            }
            _ => Err(Error::data(format!("`{text}` is not a span of time"))
                .with_hint("say 30s, 10min, 6h, 2d or 1w, or a number in the unit of the times")),
        }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name =
            Unit::ALL.iter().find(|(unit, ..)| Some(*unit) == self.unit).map_or("", |(_, name, _)| name);
        write!(out, "{}{name}", format_number(self.count))
    }
}

/// `HH:MM` or `HH:MM:SS` in hours.
fn hours(text: &str) -> Option<f64> {
    let mut parts = text.split(':');
    let whole: u32 = digits(parts.next()?, 1..=5)?;
    let minutes: u32 = digits(parts.next()?, 2..=2).filter(|minutes| *minutes < 60)?;
    let seconds: u32 = match parts.next() {
        Some(seconds) => digits(seconds, 2..=2).filter(|seconds| *seconds < 60)?,
        None => 0,
    };
    parts.next().is_none().then(|| f64::from(whole) + f64::from(minutes * 60 + seconds) / HOUR)
}

fn digits(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let sound = length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    sound.then(|| text.parse().ok())?
}

/// `YYYY-MM-DD`, with `THH:MM[:SS[.fff]]` (or a space for the `T`) and `Z` or `+HH:MM` behind it, in hours since 1970.
fn date(text: &str) -> Option<f64> {
    let (day, rest) = text.split_at_checked(10)?;
    let mut parts = day.split('-');
    let year = digits(parts.next()?, 4..=4)?;
    let month = digits(parts.next()?, 2..=2).filter(|month| (1..=12).contains(month))?;
    let day = digits(parts.next()?, 2..=2)?;
    let days = i64::from(day) - 1 + days_before(i64::from(year), i64::from(month));
    if parts.next().is_some() || day == 0 || i64::from(day) > length_of(year, month) {
        return None;
    }
    if rest.is_empty() {
        return Some(days as f64 * 24.0);
    }
    let rest = rest.strip_prefix(['T', ' '])?;
    let (time, offset) = match rest.find(['Z', '+', '-']) {
        Some(place) => (&rest[..place], zone(&rest[place..])?),
        None => (rest, 0.0),
    };
    let (whole, fraction) = time
        .split_once('.')
        .map_or((time, 0.0), |(whole, digits)| (whole, format!("0.{digits}").parse().unwrap_or(f64::NAN)));
    let time = hours(whole)? + fraction / HOUR;
    (time < 24.0).then_some(days as f64 * 24.0 + time - offset)
}

/// What `Z`, `+HH:MM` or `-HHMM` adds to the time of Greenwich, in hours.
fn zone(text: &str) -> Option<f64> {
    let sign = match text.as_bytes().first()? {
        b'Z' => return (text.len() == 1).then_some(0.0),
        b'+' => 1.0,
        _ => -1.0,
    };
    let digits: String = text[1..].chars().filter(|letter| *letter != ':').collect();
    let (hours, minutes) =
        (self::digits(digits.get(..2)?, 2..=2)?, digits.get(2..).filter(|rest| !rest.is_empty()));
    let minutes = minutes.map_or(Some(0), |minutes| self::digits(minutes, 2..=2))?;
    Some(sign * (f64::from(hours) + f64::from(minutes) / 60.0))
}

fn length_of(year: u32, month: u32) -> i64 {
    let next = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    days_before(i64::from(next.0), i64::from(next.1)) - days_before(i64::from(year), i64::from(month))
}

/// Days from 1970 to the first of a month: years begin with March, so that the day that some have more is their last.
fn days_before(year: i64, month: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * month + 2) / 5 - 719_468
}

fn written_date(seconds: f64) -> String {
    let seconds = (seconds * 1000.0).round() / 1000.0;
    let days = (seconds / DAY).floor();
    let (mut year, mut month) = (1970 + (days / 365.2425).floor() as i64 + 1, 1_i64);
    while days_before(year, 1) > days as i64 {
        year -= 1;
    }
    while month < 12 && days_before(year, month + 1) <= days as i64 {
        month += 1;
    }
    let day = days as i64 - days_before(year, month) + 1;
    let time = seconds - days * DAY;
    let date = format!("{year:04}-{month:02}-{day:02}");
    if time == 0.0 {
        return date;
    }
    let (hours, minutes, seconds) = ((time / HOUR).floor(), (time / 60.0).floor() % 60.0, time % 60.0);
    let whole = format!("{date}T{hours:02}:{minutes:02}:{:02}", seconds.floor());
    let thousandths = (seconds.fract() * 1000.0).round();
    if thousandths == 0.0 { whole } else { format!("{whole}.{thousandths:03}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written_in_three_ways() {
        for (text, clock, time) in [
            ("0.5", Clock::Numbers, 0.5),
            ("-3", Clock::Numbers, -3.0),
            ("00:07", Clock::Hours, 7.0 / 60.0),
            ("47:30", Clock::Hours, 47.5),
            ("1970-01-02", Clock::Dates, 24.0),
            ("2024-02-29T12:00:00", Clock::Dates, 474_780.0),
            ("1969-12-31T23:00:00", Clock::Dates, -1.0),
        ] {
            assert_eq!(Clock::of(text), Some(clock), "{text}");
            assert!((clock.parse(text).unwrap() - time).abs() < 1e-9, "{text}");
            assert_eq!(clock.format(time), text);
        }
        for (text, same) in [
            ("2024-02-29 12:00", "2024-02-29T12:00:00"),
            ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00"),
            ("2024-02-29T13:30:00+01:30", "2024-02-29T12:00:00"),
            ("2024-02-29T12:00:00.250", "2024-02-29T12:00:00.250"),
            ("100:00:09", "100:00:09"),
        ] {
            let clock = Clock::of(text).unwrap();
            assert_eq!(clock.format(clock.parse(text).unwrap()), same);
        }
        for text in
            ["", "noon", "12:60", "2023-02-29", "2023-13-01", "24-01-01", "2023-01-01T25:00", "inf", "1:2"]
        {
            assert_eq!(Clock::of(text), None, "{text}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_comes_back() {
        for day in (-150_000..150_000).step_by(97) {
            let time = f64::from(day) * 24.0;
            assert_eq!(Clock::Dates.parse(&Clock::Dates.format(time)), Some(time));
        }
    }

    #[test]
    fn spans_need_a_unit_where_times_have_one() {
        let span = |text: &str| text.parse::<Span>();
        assert_eq!(Clock::Hours.span(span("10min").unwrap()).unwrap(), 1.0 / 6.0);
        assert_eq!(Clock::Dates.span(span("2 d").unwrap()).unwrap(), 48.0);
        assert_eq!(Clock::Numbers.span(span("2.5").unwrap()).unwrap(), 2.5);
        assert_eq!(
            Clock::Numbers.span(span("6h").unwrap()).unwrap_err().hint_text(),
            "say it in the unit of the times, as 6"
        );
        assert_eq!(Clock::Hours.span(span("6").unwrap()).unwrap_err().hint_text(), "say 6min, 6h or 6d");
        for text in ["", "h", "-1h", "0", "6 years", "nan"] {
            assert!(span(text).is_err(), "{text}");
        }
        assert_eq!(span("10min").unwrap().to_string(), "10min");
        assert_eq!((Clock::Hours.words(0.5), Clock::Dates.words(72.0)), ("30 min".into(), "3 days".into()));
    }
}
