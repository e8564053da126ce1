//! Text for an 80-column terminal: wrapping, cutting, bars, and printing that forgives a closed pipe.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use unicode_width::UnicodeWidthStr;
use unmiss::error::{Error, Result};

/// The width every command's text keeps to.
pub const WIDTH: usize = 80;

/// Writes to standard output. A reader that has gone (`| head`) is no error.
pub fn print(text: &str) -> Result<()> {
    match std::io::stdout().write_all(harmless(text).as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io(Path::new("standard output"), error))
        }
        _ => Ok(()),
    }
}

/// The text without what a terminal would obey: names and values of a table may hold anything. Such characters are
/// shown as JSON would write them.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return text.into();
    }
    let shown = |c: char| if is_obeyed(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    text.chars().map(shown).collect::<String>().into()
}

/// Control characters, and those that turn the direction of writing round.
fn is_obeyed(character: char) -> bool {
    let turns = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (character.is_control() && !matches!(character, '\n' | '\t'))
}

/// How many terminal columns a text takes: a wide character takes two.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text without line ends and other control characters, cut to a width; what is cut ends in `…`.
pub fn cut(text: &str, most: usize) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if width(&clean) <= most {
        return clean;
    }
    let mut kept = String::new();
    for character in clean.chars() {
        // A combining mark changes the width of the whole, so the whole is measured.
        kept.push(character);
        if width(&kept) + 1 > most {
            kept.pop();
            break;
        }
    }
    kept.push('…');
    kept
}

/// A name cut in its middle to a width: names of a table often differ at their ends.
pub fn shorten(name: &str, most: usize) -> String {
    let clean = cut(name, usize::MAX);
    if width(&clean) <= most {
        return clean;
    }
    let head = cut(&clean, (most / 2).max(1));
    let room = most.saturating_sub(width(&head));
    let starts = clean.char_indices().map(|(start, _)| start);
    let tail = starts.map(|start| &clean[start..]).find(|tail| width(tail) <= room).unwrap_or_default();
    head + tail
}

/// The name cut or filled with spaces to exactly this width.
pub fn column(name: &str, exactly: usize) -> String {
    let kept = shorten(name, exactly);
    let space = " ".repeat(exactly.saturating_sub(width(&kept)));
    kept + &space
}

/// A bar for a share from 0 to 1 of the full width; anything above 0 shows.
pub fn bar(share: f64, full: usize) -> String {
    let length = (share.clamp(0.0, 1.0) * full as f64).round() as usize;
    "#".repeat(length.max(usize::from(share > 0.0)))
}

/// The words in lines of at most 80 columns, each indented; a word longer than a line is cut.
pub fn wrapped(text: &str, indent: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in unbreakable(text) {
        let word = cut(&word, WIDTH - indent);
        if !line.is_empty() && indent + width(&line) + 1 + width(&word) > WIDTH {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    lines.push(line);
    let margin = " ".repeat(indent);
    lines.iter().map(|line| format!("{margin}{line}")).collect::<Vec<_>>().join("\n")
}

/// The words of a text; a number stays with its `%`, and `<`, `=` and `±` with what they compare.
fn unbreakable(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut joins = false;
    for word in text.split_whitespace() {
        let operator = matches!(word, "<" | "=" | "±");
        match words.last_mut() {
            Some(last) if joins || operator || word.starts_with('%') => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
        joins = operator;
    }
    words
}

/// A message in lines of at most 80 columns, further lines set in. Unlike [`wrapped`] it keeps every
/// character: spaces are part of names, and a path that is cut can't be copied.
pub fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len() + 8);
    for line in text.split('\n') {
        if !folded.is_empty() {
            folded.push('\n');
        }
        let mut used = 0;
        for (index, word) in line.split(' ').enumerate() {
            if index > 0 && used + 1 + width(word) > WIDTH {
                folded.push_str("\n ");
                used = 1;
            }
            if index > 0 {
                folded.push(' ');
                used += 1;
            }
            folded.push_str(word);
            used += width(word);
        }
    }
    folded
}

/// A sentence of a list: a dash, and further lines set in below the text.
pub fn item(text: &str) -> String {
    let body = wrapped(text, 4);
    format!("  - {}\n", body.trim_start())
}

/// Thousands set apart by commas.
pub fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Four significant digits.
pub fn short(value: f64) -> String {
    let digits = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    let decimals = (3.0 - digits).clamp(0.0, 6.0) as usize;
    if !(-5.0..=6.0).contains(&digits) { format!("{value:.3e}") } else { format!("{value:.decimals$}") }
}

/// Degrees of freedom with so many places.
pub fn degrees(value: f64, places: usize) -> String {
    if value > 99_999.0 { "many".to_owned() } else { format!("{value:.places$}") }
}

/// A p value.
pub fn chance(p: f64) -> String {
    if p < 0.0001 { "<.0001".to_owned() } else { format!("{p:.4}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_short_and_words_whole() {
        let text = wrapped(&"missing values ".repeat(20), 4);
        assert!(
            text.lines()
                .all(|line| line.len() <= WIDTH && line.starts_with("    m") || line.starts_with("    v"))
        );
    }

    #[test]
    fn wide_and_long_names_keep_to_the_width() {
        assert_eq!(cut("体温体温体温", 7), "体温体…");
        assert_eq!(width(&cut("体温体温体温", 6)), 5);
        assert_eq!(column("体", 4), "体  ");
        assert_eq!(cut("a\nb", 9), "a b");
        assert_eq!(cut("e\u{301}e\u{301}e\u{301}", 3), "e\u{301}e\u{301}e\u{301}");
        let text = wrapped(&format!("a {} b", "温".repeat(90)), 4);
        assert!(text.lines().all(|line| width(line) <= WIDTH), "{text}");
    }

    #[test]
    fn names_keep_both_ends() {
        assert_eq!(shorten("country_of_birth_father", 12), "count…father");
        assert_eq!(shorten("age", 12), "age");
        for most in 2..30 {
            assert!(width(&shorten(&"体温father".repeat(4), most)) <= most, "{most}");
        }
    }

    #[test]
    fn a_number_stays_with_its_sign() {
        assert_eq!(unbreakable("of 3.2 %), p < 0.001."), ["of", "3.2 %),", "p < 0.001."]);
    }

    #[test]
    fn messages_fold_between_words_and_lose_nothing() {
        let path = format!("/tmp/{}/x.csv", "long".repeat(30));
        let text = format!("error: a  b {path}: {}", "no such file ".repeat(10));
        let lines = folded(&text);
        assert!(lines.lines().all(|line| width(line) <= WIDTH || line.trim().starts_with("/tmp")), "{lines}");
        assert!(lines.contains(&path) && lines.contains("a  b"));
        assert_eq!(lines.replace("\n  ", " "), text);
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown_instead() {
        let title = "\u{1b}]0;pwned\u{7}";
        assert_eq!(harmless(title), "\\u001b]0;pwned\\u0007");
        assert_eq!(harmless("a\u{9b}2J\u{202e}b\r"), "a\\u009b2J\\u202eb\\u000d");
        assert_eq!(harmless("länger\tals\n体温"), "länger\tals\n体温");
    }

    #[test]
    fn bars_show_anything_above_nothing() {
        assert_eq!(bar(0.0, 10), "");
        assert_eq!(bar(0.001, 10), "#");
        assert_eq!(bar(1.0, 3), "###");
        assert_eq!(number(1_234_567), "1,234,567");
    }
}
