//! Times that are not written as the rest of the program writes them: with a decimal comma, or with the day first.

use super::clock::Clock;
use crate::data::cell::Number;
use crate::data::notation::{Look, Notation};

/// How the times of a column are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Manner {
    /// As [`Clock`] reads and writes them.
    Plain,
    /// Numbers with a decimal comma and the like.
    Numbers(Notation),
    /// `31.05.2024`, `31/05/2024` or `5/31/2024`, with a time of day behind it or not.
    Days(Days),
}

/// The order in a date that does not begin with its year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Days {
    separator: char,
    day_first: bool,
    with_time: bool,
}

/// A date taken apart: its first and second number, the year, and what stands behind.
type Numbers<'a> = (u32, u32, &'a str, &'a str);

impl Manner {
    /// The one manner in which all words can be read; none where there are several, or none.
    pub fn of<'a>(words: impl Iterator<Item = &'a str> + Clone, decimal: Option<char>) -> Option<Self> {
        if words.clone().all(|word| Clock::of(word).is_some()) {
            return Some(Self::Plain);
        }
        if let Some(days) = Days::of(words.clone()) {
            return Some(Self::Days(days));
        }
        match Look::of(words, decimal, false) {
            Look::Sure(notation) if notation.around == Default::default() => Some(Self::Numbers(notation)),
            _ => None,
        }
    }

    /// A written time and its clock.
    pub fn parse(&self, text: &str) -> Option<(Clock, f64)> {
        match self {
            Self::Plain => Clock::of(text).and_then(|clock| Some((clock, clock.parse(text)?))),
            Self::Numbers(notation) => match notation.number(text.as_bytes()) {
                Number::Finite(time) => Some((Clock::Numbers, time)),
                _ => None,
            },
            Self::Days(days) => Some((Clock::Dates, Clock::Dates.parse(&days.usual(text)?)?)),
        }
    }

    /// A time in this manner.
    pub fn format(&self, clock: Clock, time: f64) -> String {
        let usual = clock.format(time);
        match self {
            Self::Plain => usual,
            Self::Numbers(notation) => notation.text(time),
            Self::Days(days) => days.written(&usual),
        }
    }
}

impl Days {
    /// The order in which all words are dates: with points the day comes first, and else a number beyond 12 tells it.
    fn of<'a>(words: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let separator = words.clone().next()?.chars().find(|letter| !letter.is_ascii_digit())?;
        let (mut orders, mut with_time, mut told) = ([true; 2], false, separator == '.');
        for word in words {
            let (first, second, _, rest) = numbers(word, separator)?;
            orders[0] &= second <= 12;
            orders[1] &= first <= 12 && separator == '/';
            told |= first > 12 || second > 12;
            with_time |= !rest.is_empty();
        }
        let known = matches!(separator, '.' | '/') && told && orders.contains(&true);
        known.then_some(Self { separator, day_first: orders[0], with_time })
    }

    /// The same date as ISO 8601 has it.
    fn usual(&self, text: &str) -> Option<String> {
        let (first, second, year, rest) = numbers(text, self.separator)?;
        let (day, month) = if self.day_first { (first, second) } else { (second, first) };
        let rest = rest.trim_start_matches([',', ' ', 'T']);
        let between = if rest.is_empty() { "" } else { "T" };
        Some(format!("{year}-{month:02}-{day:02}{between}{rest}"))
    }

    /// A date of ISO 8601 in this order.
    fn written(&self, usual: &str) -> String {
        let (date, time) = usual.split_once('T').unwrap_or((usual, "00:00:00"));
        let parts: Vec<&str> = date.split('-').collect();
        let [year, month, day] = parts[..] else { return usual.to_owned() };
        let (first, second) = if self.day_first { (day, month) } else { (month, day) };
        let date = [first, second, year].join(&self.separator.to_string());
        match self.with_time || time != "00:00:00" {
            true => format!("{date} {}", time.strip_suffix(":00").unwrap_or(time)),
            false => date,
        }
    }
}

/// `1.5.2024 12:30` taken apart.
fn numbers(text: &str, separator: char) -> Option<Numbers<'_>> {
    let (first, rest) = text.split_once(separator)?;
    let (second, rest) = rest.split_once(separator)?;
    let (year, rest) = rest.split_at_checked(4)?;
    let short = |digits: &str| {
        let sound = (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        sound.then(|| digits.parse().ok())?
    };
    let sound = year.bytes().all(|byte| byte.is_ascii_digit())
        && (rest.is_empty() || rest.starts_with([',', ' ', 'T']));
    sound.then_some((short(first)?, short(second)?, year, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_where_they_can_mean_one_thing() {
        for (words, usual) in [
            (&["30.03.2024 00:00", "1.4.2024 6:30"][..], "2024-03-30"),
            (&["30/03/2024", "01/04/2024"], "2024-03-30"),
            (&["3/30/2024 12:15:10", "4/1/2024"], "2024-03-30T12:15:10"),
            (&["0,32", "12"], "0.32"),
        ] {
            let manner = Manner::of(words.iter().copied(), None).unwrap();
            let (clock, time) = manner.parse(words[0]).unwrap();
            assert_eq!(clock.format(time), usual);
            assert_eq!(manner.parse(&manner.format(clock, time)), Some((clock, time)), "{words:?}");
        }
        for words in
            [&["01/02/2024"][..], &["13/13/2024"], &["1,234"], &["30-03-2024"], &["30.03.24"], &["noon"]]
        {
            let manner = Manner::of(words.iter().copied(), None);
            assert!(manner.and_then(|manner| manner.parse(words[0])).is_none(), "{words:?}");
        }
        let manner = Manner::of(["30.03.2024 00:00"].into_iter(), None).unwrap();
        assert_eq!(manner.format(Clock::Dates, 24.0), "02.01.1970 00:00");
        assert_eq!(Manner::of(["1,5"].into_iter(), None).unwrap().format(Clock::Numbers, 2.5), "2,5");
    }
}
