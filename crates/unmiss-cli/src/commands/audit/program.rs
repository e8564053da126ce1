//! A model that is a program: rows as CSV to its standard input, answers from its standard output.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use unmiss::data::{Table, csv_text};
use unmiss::error::{Error, Result};
use unmiss::run::Run;

use crate::output::cut;

/// Columns of a line that an error shows.
const SHOWN: usize = 60;

/// A program, started through the shell for every piece of rows.
pub struct Program<'a> {
    command: &'a str,
    run: &'a Run,
}

impl<'a> Program<'a> {
    /// The program as typed.
    pub fn new(command: &'a str, run: &'a Run) -> Self {
        Self { command, run }
    }

    /// Its answers for the rows of a table: `[rows, numbers in a line]`.
    ///
    /// # Errors
    /// When it can't be started, fails, or does not print one line of numbers per row.
    pub fn predict(&self, rows: &Table) -> Result<Vec<f64>> {
        let shell = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
        let child = Command::new(shell.0)
            .args([shell.1, self.command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| self.fails(&format!("could not be started: {error}")))?;
        let text = csv_text(rows);
        let (output, complaint, ended) = converse(child, &text)
            .map_err(|error| self.fails(&format!("could not be talked to: {error}")))?;
        if self.run.stopped() {
            return Err(Error::Stopped);
        }
        if !ended.success() {
            let code = ended.code().map_or("a signal".to_owned(), |code| format!("exit code {code}"));
            let error = self.fails(&format!("ended with {code}"));
            return Err(match last_lines(&complaint, 3) {
                Some(said) => error.with_hint(format!("it said: {said}")),
                None => error.with_hint("it said nothing on its standard error"),
            });
        }
        let output =
            String::from_utf8(output).map_err(|_| self.fails("printed something that is no text"))?;
        self.numbers(&output, rows.rows())
    }

    fn numbers(&self, output: &str, rows: usize) -> Result<Vec<f64>> {
        let mut lines: Vec<&str> = output.lines().map(str::trim_end).collect();
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        let mut first = 0;
        // A first line with a word in it is a header if every row has a line besides.
        if lines.len() == rows + 1
            && lines.first().is_some_and(|line| fields(line).any(|field| number(field).is_none()))
        {
            first = 1;
        }
        let answers = &lines[first..];
        if answers.len() != rows {
            let what = format!("printed {} lines for {rows} rows", answers.len());
            return Err(self.fails(&what).with_hint(
                "it must print one line per row of its input (the header of the input is no row), and nothing else \
                 but a header",
            ));
        }
        let width = answers.first().map_or(0, |line| fields(line).count());
        let mut numbers = Vec::with_capacity(rows * width);
        for (place, line) in answers.iter().enumerate() {
            let at = place + first + 1;
            let before = numbers.len();
            for field in fields(line) {
                numbers.push(number(field).ok_or_else(|| {
                    let what = format!("printed `{}` in line {at}, which is not a number", cut(line, SHOWN));
                    self.fails(&what).with_hint("each line must be a number, or numbers with commas between")
                })?);
            }
            if numbers.len() - before != width {
                let what = format!(
                    "printed `{}` in line {at}; the lines before have {width} numbers",
                    cut(line, SHOWN)
                );
                return Err(self.fails(&what));
            }
        }
        Ok(numbers)
    }

    fn fails(&self, what: &str) -> Error {
        Error::data(format!("the program `{}` {what}", cut(self.command, SHOWN)))
    }
}

/// Writes and reads at the same time: a program may answer before it has read everything, and a full pipe would
/// stop both.
fn converse(mut child: Child, text: &[u8]) -> std::io::Result<(Vec<u8>, Vec<u8>, std::process::ExitStatus)> {
    let (input, complaints) = (child.stdin.take(), child.stderr.take());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // A program that does not read to the end is judged by what it prints.
            let _ = input.map(|mut input| input.write_all(text));
        });
        let complaint = scope.spawn(move || read_all(complaints));
        let output = read_all(child.stdout.take());
        let complaint = complaint.join().unwrap_or_else(|_| Ok(Vec::new()));
        Ok((output?, complaint?, child.wait()?))
    })
}

fn read_all(stream: Option<impl Read>) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        stream.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The fields of a line: commas, semicolons, tabs or spaces stand between.
fn fields(line: &str) -> impl Iterator<Item = &str> {
    let delimiter = [',', ';', '\t'].into_iter().find(|delimiter| line.contains(*delimiter)).unwrap_or(' ');
    let parts = line.split(delimiter).map(|field| field.trim().trim_matches('"'));
    parts.filter(move |field| delimiter != ' ' || !field.is_empty())
}

fn number(field: &str) -> Option<f64> {
    field.parse().ok().filter(|value: &f64| value.is_finite())
}

/// The last lines of a text, in one.
fn last_lines(text: &[u8], most: usize) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let kept = &lines[lines.len().saturating_sub(most)..];
    (!kept.is_empty()).then(|| cut(&kept.join(" / "), 300))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_numbers() {
        let run = Run::new(0, 1).unwrap();
        let program = Program::new("model", &run);
        assert_eq!(program.numbers("1\n-2.5e1\n", 2).unwrap(), [1.0, -25.0]);
        assert_eq!(program.numbers("no,yes\r\n0.25,0.75\r\n\n", 1).unwrap(), [0.25, 0.75]);
        assert_eq!(program.numbers("0.25  0.75", 1).unwrap(), [0.25, 0.75]);
        // Numbers in the first of too many lines are an answer too many, no header.
        for (output, rows) in [("1\n2\n3\n", 2), ("1\n", 2), ("a\nb\n", 2), ("1\nnan\n", 2), ("1,2\n3\n", 2)]
        {
            assert!(program.numbers(output, rows).is_err(), "{output:?}");
        }
    }
}
