//! What may stand below the rows of a table: a row of totals, remarks, where the figures come from.

use super::cell::{Number, number, trim};
use super::note::Note;

/// Lines from the end that are looked at.
const LOOKED_AT: usize = 20;
/// What a row of totals begins with.
const TOTALS: [&str; 24] = [
    "total",
    "totals",
    "grand total",
    "sum",
    "mean",
    "average",
    "summe",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "mittelwert",
    "durchschnitt",
    "somme",
    "moyenne",
    "totaux",
    "totale",
    "somma",
    "media",
    "suma",
    "promedio",
    "totaal",
    "gemiddelde",
    "soma",
    "razem",
];

/// Lines below a table that are no rows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Footer {
    /// Where the rows are over.
    pub(crate) at: usize,
    lines: usize,
    first: String,
}

impl Footer {
    /// What is told of it.
    pub(crate) fn note(&self) -> Note {
        let Self { lines, first, .. } = self;
        let lines = if *lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
        format!("{lines} below the rows left out, from `{first}` on: no row of the table").into()
    }
}

/// One line at the end.
struct Line<'a> {
    start: usize,
    cells: Vec<&'a [u8]>,
}

impl<'a> Line<'a> {
    fn is_blank(&self) -> bool {
        self.cells.iter().all(|cell| cell.is_empty())
    }

    fn first(&self) -> &'a [u8] {
        self.cells.iter().find(|cell| !cell.is_empty()).copied().unwrap_or_default()
    }

    /// Whether it says in its first words that what follows is added up.
    fn is_total(&self, width: usize) -> bool {
        let word = String::from_utf8_lossy(self.first()).to_lowercase();
        self.cells.len() <= width && TOTALS.contains(&word.trim_end_matches(':'))
    }

    /// Whether one text alone stands in it, as a remark does; `apart`: below a blank line. A row that was cut off looks
    /// much the same, so that a single word does not count.
    fn is_remark(&self, width: usize, apart: bool) -> bool {
        let lone = self.cells.iter().filter(|cell| !cell.is_empty()).count() == 1;
        let words = self.first().iter().any(|byte| matches!(byte, b' ' | b':'));
        let is_text = number(self.first()) == Number::Not;
        let short = self.cells.len() < width && (apart || words);
        lone && is_text && (short || (apart && width > 2 && self.cells.len() == width))
    }
}

/// Finds what stands below the rows of a text, whose names end at `from`. Lines with quotes are rows: a cell may go
/// over several of them.
pub(crate) fn footer(bytes: &[u8], from: usize, delimiter: u8, width: usize) -> Option<Footer> {
    let lines = last_lines(bytes, from, delimiter);
    let mut found: Option<usize> = None;
    let mut rows = 0;
    for (place, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_blank()) {
        let apart = lines.get(place + 1).is_some_and(Line::is_blank);
        if width < 2 || !(line.is_total(width) || line.is_remark(width, apart)) {
            rows += 1;
            break;
        }
        found = Some(place);
    }
    // Where all that was looked at reads so, it is a table of its own kind.
    let place = found.filter(|_| rows > 0)?;
    let blank = lines[place + 1..].iter().take_while(|line| line.is_blank()).count();
    let count = lines[..=place].iter().filter(|line| !line.is_blank()).count();
    let first = String::from_utf8_lossy(lines[place].first()).chars().take(40).collect();
    Some(Footer { at: lines[place + blank].start, lines: count, first })
}

/// The last lines, the last first, up to one that has a quote.
fn last_lines(bytes: &[u8], from: usize, delimiter: u8) -> Vec<Line<'_>> {
    let (mut lines, mut end) = (Vec::new(), bytes.len());
    while lines.len() < LOOKED_AT && end > from {
        let text = match &bytes[from..end] {
            [text @ .., b'\r', b'\n'] | [text @ .., b'\n' | b'\r'] => text,
            text => text,
        };
        let start = text.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
        let line = &text[start..];
        if line.contains(&b'"') {
            // It counts as a row.
            lines.push(Line { start: from + start, cells: vec![b"0"; 2] });
            break;
        }
        let cells = line.split(|byte| *byte == delimiter).map(trim).collect();
        lines.push(Line { start: from + start, cells });
        end = from + start;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows_of(text: &str) -> (&str, Option<String>) {
        let from = text.find('\n').unwrap() + 1;
        let width = text[..from].split(';').count();
        let found = footer(text.as_bytes(), from, b';', width);
        let end = found.as_ref().map_or(text.len(), |footer| footer.at);
        (&text[from..end], found.map(|footer| footer.note().text))
    }

    #[test]
    fn totals_and_remarks_are_no_rows() {
        let rows = "a;1;2\nb;3;4\n";
        for below in [
            "Total;4;6\n",
            "Summe:;4;6",
            "\nSource: the ward\n",
            ";;\nMade by Ann;;\n",
            "Total;4;6\n\nSource: the ward\nMade by Ann\n",
            "as of May 2024\r\n",
        ] {
            let text = format!("x;y;z\n{rows}{below}");
            let (left, told) = rows_of(&text);
            assert_eq!(left, rows, "{below}");
            assert!(told.unwrap().contains("below the rows"), "{below}");
        }
        let told = rows_of("x;y;z\na;1;2\nTotal;4;6\n\nSource: the ward\n").1;
        assert_eq!(told.unwrap(), "2 lines below the rows left out, from `Total` on: no row of the table");
    }

    #[test]
    fn rows_stay_rows() {
        for rows in [
            "a;1;2\nb\n",
            "a;1;2\n3\n",
            "a;1;2\nb;;\n",
            "a;1;2\nb;3;4\n\n",
            "a;1;2\n;;\n",
            "a;1;\"x\nmade by Ann\"\n",
            "Total;1;2\n",
            "",
        ] {
            let text = format!("x;y;z\n{rows}");
            assert_eq!(rows_of(&text), (rows, None), "{rows}");
        }
        assert_eq!(rows_of("x\n1\nTotal\n").1, None, "one column tells nothing");
    }
}
