//! How the numbers of a column are written: decimal comma or point, marks between thousands, currency and per cent
//! signs. Plain numbers (`-1.5e3`) need none of this; it is for columns that are not plain.

use super::cell::{Number, number};
use super::digits::format_number;

/// Signs of money that may stand before or behind a number.
const CURRENCIES: [char; 8] = ['€', '$', '£', '¥', '₹', '₽', '₩', '₺'];

/// How the numbers of a column are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Notation {
    /// Whether the decimal mark is a comma.
    pub(crate) comma: bool,
    /// The mark between thousands, if there is any; a space stands for every kind of space.
    pub(crate) thousands: Option<char>,
    /// What stands before and behind a number that is written anew.
    pub(crate) around: (String, String),
}

/// A number taken apart.
struct Parts<'a> {
    negative: bool,
    body: &'a str,
    /// What stands before (behind a sign) and behind, with its spaces.
    around: (&'a str, &'a str),
}

impl Notation {
    /// Reads a trimmed cell.
    pub(crate) fn number(&self, cell: &[u8]) -> Number {
        let Some(parts) = std::str::from_utf8(cell).ok().and_then(parts) else { return Number::Not };
        // Every cell has what belongs to per cent; a currency sign may be left out.
        let same_percent = is_percent(parts.around.1) == is_percent(&self.around.1);
        let money =
            |around: (&str, &str)| around.0.chars().chain(around.1.chars()).find(|c| CURRENCIES.contains(c));
        let own = money((&self.around.0, &self.around.1));
        if !same_percent || money(parts.around).is_some_and(|sign| own != Some(sign)) {
            return Number::Not;
        }
        match plain(parts.body, self.comma, self.thousands) {
            Some(digits) => match number(digits.as_bytes()) {
                Number::Finite(value) if parts.negative => Number::Finite(-value),
                read => read,
            },
            None => Number::Not,
        }
    }

    /// Writes a number, in the shortest form that reads back equal.
    pub(crate) fn text(&self, value: f64) -> String {
        let digits = format_number(value);
        let digits = if self.comma { digits.replace('.', ",") } else { digits };
        match digits.strip_prefix('-') {
            Some(digits) => format!("-{}{digits}{}", self.around.0, self.around.1),
            None => format!("{}{digits}{}", self.around.0, self.around.1),
        }
    }
}

/// What the words of a column may be as numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Look {
    /// No numbers.
    Words,
    /// Numbers in one way only.
    Sure(Notation),
    /// Numbers with a point or with a comma, of different values: `1,234`.
    Either {
        /// With a decimal point.
        point: Notation,
        /// With a decimal comma.
        comma: Notation,
    },
}

impl Look {
    /// Looks at the different words of a column. With `some`, words that are no number at all are passed over: they are
    /// for whoever reads the column to find.
    pub(crate) fn of<'a>(words: impl Iterator<Item = &'a str>, decimal: Option<char>, some: bool) -> Self {
        let mut ways = [false, true].map(|comma| Way { comma, open: true, ..Way::default() });
        ways.iter_mut().for_each(|way| way.open = decimal.is_none_or(|mark| (mark == ',') == way.comma));
        let (mut around, mut percents, mut all, mut marks) = (None, 0, 0, false);
        for word in words {
            let Some(parts) = parts(word).filter(|parts| !some || looks_like_digits(parts.body)) else {
                if some {
                    continue;
                }
                return Self::Words;
            };
            all += 1;
            percents += usize::from(is_percent(parts.around.1));
            marks |= parts.body.contains(['.', ',']);
            ways.iter_mut().filter(|way| way.open).for_each(|way| way.look(parts.body));
            let signed = parts.around != ("", "");
            if signed && !same_money(&mut around, parts.around) {
                return Self::Words;
            }
        }
        if all == 0 || (percents > 0 && percents < all) {
            return Self::Words;
        }
        let around = around.unwrap_or_default();
        let notation =
            |way: &Way| Notation { comma: way.comma, thousands: way.thousands, around: around.clone() };
        match (&ways[0], &ways[1]) {
            (point, comma) if point.open && comma.open && marks => {
                Self::Either { point: notation(point), comma: notation(comma) }
            }
            (point, _) if point.open => Self::Sure(notation(point)),
            (_, comma) if comma.open => Self::Sure(notation(comma)),
            _ => Self::Words,
        }
    }
}

/// One of the two ways to read a column: as long as it is open, every number so far fits.
#[derive(Default)]
struct Way {
    comma: bool,
    thousands: Option<char>,
    open: bool,
}

impl Way {
    fn look(&mut self, body: &str) {
        let mark = thousands_mark(body, self.comma);
        if mark.is_some() && self.thousands.is_some() && mark != self.thousands {
            self.open = false;
            return;
        }
        self.thousands = self.thousands.or(mark);
        self.open = plain(body, self.comma, self.thousands)
            .is_some_and(|digits| matches!(number(digits.as_bytes()), Number::Finite(_)));
    }
}

/// Whether a word is a number in any notation.
pub(crate) fn looks_like_a_number(word: &str) -> bool {
    matches!(number(word.trim().as_bytes()), Number::Finite(_))
        || Look::of(std::iter::once(word.trim()), None, false) != Look::Words
}

/// Remembers what stands around the first number that has something there; false if another currency stands there now.
fn same_money(known: &mut Option<(String, String)>, around: (&str, &str)) -> bool {
    let sign = |text: &str| text.chars().find(|c| !c.is_whitespace());
    match known {
        None => *known = Some((around.0.to_owned(), around.1.to_owned())),
        Some((before, behind)) => {
            let signs = |(a, b): (&str, &str)| sign(a).or_else(|| sign(b));
            return signs((before, behind)) == signs(around);
        }
    }
    true
}

fn is_percent(behind: &str) -> bool {
    behind.ends_with('%')
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

/// Whether a sign stands in front and makes a number negative, and what is behind it.
fn signed(text: &str) -> (Option<bool>, &str) {
    let behind = |sign: char| &text[sign.len_utf8()..];
    match text.chars().next() {
        Some(sign @ ('-' | '\u{2212}')) => (Some(true), behind(sign)),
        Some('+') => (Some(false), behind('+')),
        _ => (None, text),
    }
}

fn parts(word: &str) -> Option<Parts<'_>> {
    let word = word.trim();
    let (negative, rest) = signed(word);
    let before = rest.len() - rest.trim_start_matches(|c| CURRENCIES.contains(&c) || is_space(c)).len();
    let (before, rest) = rest.split_at(before);
    let (inner, rest) = if before.is_empty() { (None, rest) } else { signed(rest) };
    let negative = match (negative, inner) {
        (Some(_), Some(_)) => return None,
        (outer, inner) => outer.or(inner),
    };
    let body = rest.trim_end_matches(|c| CURRENCIES.contains(&c) || c == '%' || is_space(c));
    let behind = &rest[body.len()..];
    let signs = |text: &str| text.chars().filter(|c| !is_space(*c)).count();
    // One sign at most, and a space alone is none.
    if signs(before) + signs(behind) > 1 || (signs(before) == 0 && !before.is_empty()) {
        return None;
    }
    let body_end = body.chars().last()?;
    let starts = body.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
    (starts && (body_end.is_ascii_digit() || body_end == '.' || body_end == ',')).then_some(Parts {
        negative: negative == Some(true),
        body,
        around: (before, behind),
    })
}

fn looks_like_digits(body: &str) -> bool {
    let fits = |c: char| {
        c.is_ascii_digit() || is_space(c) || matches!(c, '.' | ',' | '\'' | '’' | 'e' | 'E' | '+' | '-')
    };
    body.chars().all(fits)
}

/// The mark between thousands that a number has before its decimal mark, if any; spaces are one, apostrophes another.
fn thousands_mark(body: &str, comma: bool) -> Option<char> {
    let whole = body.split(if comma { ',' } else { '.' }).next().unwrap_or_default();
    whole.chars().find(|c| !c.is_ascii_digit()).map(mark_of)
}

fn mark_of(letter: char) -> char {
    match letter {
        '’' => '\'',
        space if is_space(space) => ' ',
        other => other,
    }
}

/// The digits of a number as a plain one has them, or `None` if it is not written so. Groups have three digits, the
/// first of them one to three and no 0 in front.
fn plain(body: &str, comma: bool, thousands: Option<char>) -> Option<String> {
    let (digits, exponent) = match body.find(['e', 'E']) {
        Some(at) => body.split_at(at),
        None => (body, ""),
    };
    let (whole, fraction) = match digits.split_once(if comma { ',' } else { '.' }) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    if fraction.is_some_and(|fraction| !fraction.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let groups: Vec<&str> = whole.split(|c| thousands == Some(mark_of(c))).collect();
    let all_digits = |group: &&str| group.bytes().all(|byte| byte.is_ascii_digit());
    let grouped = groups.len() == 1
        || (matches!(groups[0].len(), 1..=3)
            && !groups[0].starts_with('0')
            && groups[1..].iter().all(|group| group.len() == 3));
    (grouped && groups.iter().all(all_digits)).then(|| {
        format!(
            "{}{}{}{exponent}",
            groups.concat(),
            if fraction.is_some() { "." } else { "" },
            fraction.unwrap_or_default()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(words: &[&str]) -> Look {
        Look::of(words.iter().copied(), None, false)
    }

    fn sure(words: &[&str]) -> Notation {
        match look(words) {
            Look::Sure(notation) => notation,
            other => panic!("{words:?}: {other:?}"),
        }
    }

    #[test]
    fn columns_tell_how_their_numbers_are_written() {
        for (words, word, value) in [
            (&["37,5", "38", "-0,25"][..], "37,5", 37.5),
            (&["1.234,5", "12", "1.000.000"], "1.000.000", 1e6),
            (&["1,234.5", "12"], "1,234.5", 1234.5),
            (&["1 234,5", "12\u{a0}345,0"], "12\u{a0}345,0", 12345.0),
            (&["1'234.50", "7"], "1'234.50", 1234.5),
            (&["12 %", "3.5 %"], "3.5 %", 3.5),
            (&["€ 5", "-€ 7", "€ 1.000,50"], "€ 1.000,50", 1000.5),
            (&["5 €", "7"], "7", 7.0),
            (&["$1,000", "$25.5"], "$1,000", 1000.0),
            (&["1,5E+03", "2"], "1,5E+03", 1500.0),
            (&["\u{2212}3,5"], "\u{2212}3,5", -3.5),
        ] {
            assert_eq!(sure(words).number(word.as_bytes()), Number::Finite(value), "{words:?}");
            let again = sure(words).text(value);
            assert_eq!(sure(words).number(again.as_bytes()), Number::Finite(value), "{again}");
        }
        assert_eq!(sure(&["-€ 7,5"]).text(-2.5), "-€ 2,5");
        assert_eq!(sure(&["12,5 %"]).text(3.0), "3 %");
    }

    #[test]
    fn what_can_be_two_numbers_is_told() {
        assert!(matches!(look(&["1,234", "5,678"]), Look::Either { .. }));
        assert!(matches!(look(&["1,234", "0,678"]), Look::Sure(Notation { comma: true, .. })));
        let told = Look::of(["1,234"].into_iter(), Some('.'), false);
        assert!(matches!(told, Look::Sure(Notation { comma: false, thousands: Some(','), .. })));
    }

    #[test]
    fn words_stay_words() {
        for words in [
            &["12 kg"][..],
            &["1,5", "unknown"],
            &["5 €", "5 $"],
            &["12 %", "13"],
            &["1.2.3"],
            &["030 123 456"],
            &["12,34.5"],
            &["1,2,3"],
            &["€"],
            &["1.5", "1,5"],
            &["2024-03-31"],
            &[" "],
            &["-"],
            &["5 % €"],
        ] {
            assert_eq!(look(words), Look::Words, "{words:?}");
        }
        assert!(looks_like_a_number("1,5") && looks_like_a_number("-7") && !looks_like_a_number("x1"));
    }
}
