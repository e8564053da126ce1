//! Words on pages and charts: escaping, shortening, and numbers as people read them.

use crate::missing::words::{number, significant_digits};

/// Text that is safe between tags and in attributes. Characters that HTML does not allow become spaces.
pub(super) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + text.len() / 8);
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(printable(other)),
        }
    }
    safe
}

/// A sentence as HTML: escaped, with names in backquotes set as code.
pub(super) fn sentence(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + 16);
    let pieces: Vec<&str> = text.split('`').collect();
    for (index, piece) in pieces.iter().enumerate() {
        // Pieces 1, 3, 5, ... stand between backquotes; a backquote without its twin stays one.
        match (index % 2, index + 1 < pieces.len()) {
            (1, true) => html.push_str(&format!("<code>{}</code>", escape(piece))),
            (1, false) => html.push_str(&format!("`{}", escape(piece))),
            _ => html.push_str(&escape(piece)),
        }
    }
    // A number stays with its sign.
    let signs =
        [(" %", "\u{a0}%"), ("+- ", "±\u{a0}"), ("p = ", "p\u{a0}=\u{a0}"), ("p &lt; ", "p\u{a0}&lt;\u{a0}")];
    signs.iter().fold(html, |html, (apart, together)| html.replace(apart, together))
}

/// The character, or a space for control and private-use ones: charts use the latter as marks of their own.
pub(super) fn printable(character: char) -> char {
    let private = ('\u{E000}'..='\u{F8FF}').contains(&character);
    if character.is_control() || private { ' ' } else { character }
}

/// About how wide a text is, in units of length, at a size of letters.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let one = |character: char| match character {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' | '(' | ')' => 0.36,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.88,
        'A'..='Z' => 0.69,
        // Chinese, Japanese, Korean and pictures take a full square.
        '\u{1100}'.. => 1.0,
        _ => 0.57,
    };
    text.chars().map(one).sum::<f64>() * size
}

/// A name that fits into some room: its beginning and its end, as columns often differ in either.
pub(super) fn shorten(name: &str, room: f64, size: f64) -> String {
    let letters: Vec<char> = name.chars().map(printable).collect();
    let fits = |text: &str| width(text, size) <= room;
    let whole: String = letters.iter().collect();
    if fits(&whole) {
        return whole;
    }
    let cut = |kept: usize| -> String {
        let (front, back) = (kept.div_ceil(2), kept / 2);
        let end = &letters[letters.len() - back..];
        letters[..front].iter().chain(['…'].iter()).chain(end).collect()
    };
    (0..letters.len()).rev().map(cut).find(|text| fits(text)).unwrap_or_else(|| "…".to_owned())
}

/// A number for a table: whole numbers in full, others with four significant digits.
pub(super) fn figure(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == value.trunc() && value.abs() < 1e12 {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", number(value.abs() as usize));
    }
    let magnitude = value.abs().log10().floor();
    if (-5.0..7.0).contains(&magnitude) {
        return format!("{value:.*}", (3.0 - magnitude).max(0.0) as usize);
    }
    significant_digits(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_is_harmless() {
        assert_eq!(escape("<script>'a' & \"b\"\u{7}"), "&lt;script&gt;&#39;a&#39; &amp; &quot;b&quot; ");
        assert_eq!(sentence("where `<b>` is `x"), "where <code>&lt;b&gt;</code> is `x");
        assert_eq!(sentence("5 % +- 1 (p < 0.1)"), "5\u{a0}% ±\u{a0}1 (p\u{a0}&lt;\u{a0}0.1)");
    }

    #[test]
    fn long_names_keep_both_ends() {
        let short = shorten("country_of_birth_of_the_father", 90.0, 12.0);
        assert!(short.starts_with("coun") && short.ends_with("ther") && short.contains('…'), "{short}");
        assert!(width(&short, 12.0) <= 90.0);
        assert_eq!(shorten("age", 90.0, 12.0), "age");
        assert_eq!(shorten("体温体温体温", 1.0, 12.0), "…");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(figure(1_234_567.0), "1,234,567");
        assert_eq!(figure(-0.012_345_6), "-0.01235");
        assert_eq!(figure(12.345_67), "12.35");
        assert_eq!(figure(f64::NAN), "–");
    }
}
