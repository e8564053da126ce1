//! The words of a formula, one after the other, and what is said when one stands where it can't.

use crate::data::Table;
use crate::error::{Error, Result, nearest};

/// How a regression is written.
const EXAMPLE: &str = "write it like `died ~ age + sex`, `y ~ a * b`, `y ~ log(x) + I(x^2)` or `y ~ .`";

/// The words of a formula, with the columns that it may name.
pub(crate) struct Words<'a> {
    pub text: &'a str,
    table: &'a Table,
    /// How a formula of this kind is written, for who writes it wrong.
    example: &'static str,
    /// Each with the place where it ends.
    words: Vec<(String, usize)>,
    at: usize,
}

/// Whether a word is a name and not a sign.
pub(crate) fn is_name(word: &str) -> bool {
    word.starts_with('`') || word.starts_with(|first: char| first.is_alphabetic() || "._".contains(first))
}

impl<'a> Words<'a> {
    /// Cuts a text into names, numbers and signs.
    pub fn new(text: &'a str, table: &'a Table) -> Result<Self> {
        let mut words = Vec::new();
        let mut from = 0;
        while from < text.len() {
            let rest = &text[from..];
            let first = rest.chars().next().unwrap_or(' ');
            let part_of = |letter: char| letter.is_alphanumeric() || "._".contains(letter);
            let length = match first {
                '`' | '"' | '\'' => quoted(rest, first)?,
                _ if part_of(first) => rest.find(|letter| !part_of(letter)).unwrap_or(rest.len()),
                '=' if rest.starts_with("==") => 2,
                _ => first.len_utf8(),
            };
            if !first.is_whitespace() {
                words.push((rest[..length].to_owned(), from + length));
            }
            from += length;
        }
        Ok(Self { text, table, example: EXAMPLE, words, at: 0 })
    }

    /// The same with another example.
    #[must_use]
    pub fn like(self, example: &'static str) -> Self {
        Self { example, ..self }
    }

    /// The next word; empty at the end.
    pub fn next(&self) -> &str {
        self.words.get(self.at).map_or("", |(word, _)| word)
    }

    pub fn next_is(&self, word: &str) -> bool {
        self.next() == word
    }

    pub fn is_done(&self) -> bool {
        self.at >= self.words.len()
    }

    /// Takes the next word.
    pub fn take(&mut self) -> String {
        let word = self.next().to_owned();
        self.at += 1;
        word
    }

    pub fn expect(&mut self, word: &str) -> Result<()> {
        if !self.next_is(word) {
            return Err(self.wrong(&format!("`{word}`")));
        }
        self.at += 1;
        Ok(())
    }

    /// Where the next word begins, at most: the end of the one before.
    pub fn place(&self) -> usize {
        self.at.checked_sub(1).and_then(|before| self.words.get(before)).map_or(0, |(_, end)| *end)
    }

    /// The column that a word names.
    pub fn column(&self, word: &str) -> Result<String> {
        let name = word.trim_matches('`');
        if self.table.columns().iter().any(|column| column.name == name) {
            return Ok(name.to_owned());
        }
        let names = || self.table.columns().iter().map(|column| column.name.as_str());
        let error = Error::data(format!("the formula names `{name}`, and there is no such column"));
        Err(error.with_hint(match nearest(name, names()) {
            Some(near) if is_plain(near) => format!("did you mean `{near}`?"),
            Some(near) => format!("did you mean `{near}`? Put backquotes around such a name in the formula"),
            None => format!("the columns are: {}", names().collect::<Vec<_>>().join(", ")),
        }))
    }

    /// The table whose columns may be named.
    pub fn table(&self) -> &'a Table {
        self.table
    }

    /// An error about the next word, where something else is needed.
    pub fn wrong(&self, needed: &str) -> Error {
        let found = if self.is_done() { "it ends".to_owned() } else { format!("`{}` stands", self.next()) };
        let text = self.text.trim();
        Error::data(format!("the formula `{text}` needs {needed} where {found}")).with_hint(self.example)
    }
}

/// Whether a name needs no quotes.
fn is_plain(name: &str) -> bool {
    is_name(name) && name.chars().all(|letter| letter.is_alphanumeric() || "._".contains(letter))
}

/// How long a text in quotes is, quotes included.
fn quoted(rest: &str, quote: char) -> Result<usize> {
    let inner = rest[1..].find(quote).ok_or_else(|| {
        Error::data(format!("in the formula a {quote} opens and does not close: {rest}"))
            .with_hint("put the same sign behind the name")
    })?;
    Ok(inner + 2)
}
