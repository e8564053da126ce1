//! Text for an 80-column terminal: wrapping, cutting, bars, and printing that forgives a closed pipe.

use std::io::Write;
use std::path::Path;

use unmiss::error::{Error, Result};

/// The width every command's text keeps to.
pub const WIDTH: usize = 80;

/// Writes to standard output. A reader that has gone (`| head`) is no error.
pub fn print(text: &str) -> Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io(Path::new("standard output"), error))
        }
        _ => Ok(()),
    }
}

/// The words in lines of at most 80 characters, each indented.
pub fn wrapped(text: &str, indent: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && indent + line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    let margin = " ".repeat(indent);
    lines.iter().map(|line| format!("{margin}{line}")).collect::<Vec<_>>().join("\n")
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
}
