//! Where the cells of a delimited text stand: RFC 4180 over raw bytes, nothing copied or changed.
//!
//! A cell that starts with a quote ends at the next quote that is not doubled; within it delimiters and
//! line ends are text. A quote anywhere else is an ordinary character. A record ends at LF, CR or CRLF.
//! Lines without any byte are passed over, but for the holes that they are in a table of one column.

use memchr::{memchr, memchr2, memchr3};

/// The most bytes a record may have. It bounds what an unclosed quote can make a reader hold.
pub(crate) const LONGEST_RECORD: usize = 64 << 20;

/// Something in the bytes that can't be read, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Offset of the record (or of the byte, for `Nul` and `NotUtf8`).
    pub(crate) at: usize,
    pub(crate) what: Wrong,
}

/// What can be wrong with the bytes of a record; cells are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    OpenQuote { cell: usize },
    AfterQuote { cell: usize },
    Width { cells: usize },
    TooLong,
    Nul,
    NotUtf8,
}

/// The places of cells, row by row: a cell starts one byte after the one before it ends.
#[derive(Debug)]
pub(crate) struct Records {
    delimiter: u8,
    /// Cells in a row.
    width: usize,
    starts: Vec<u32>,
    /// `rows × width` ends.
    ends: Vec<u32>,
}

impl Records {
    pub(crate) fn new(delimiter: u8, width: usize) -> Self {
        Self { delimiter, width, starts: Vec::new(), ends: Vec::new() }
    }

    pub(crate) fn rows(&self) -> usize {
        self.starts.len()
    }

    /// Start and end of a row, without its line end.
    pub(crate) fn row(&self, row: usize) -> (usize, usize) {
        (self.starts[row] as usize, self.ends[(row + 1) * self.width - 1] as usize)
    }

    /// A cell as it stands, with its quotes.
    #[inline]
    pub(crate) fn cell<'a>(&self, bytes: &'a [u8], row: usize, column: usize) -> &'a [u8] {
        let end = row * self.width + column;
        let start = if column == 0 { self.starts[row] } else { self.ends[end - 1] + 1 };
        &bytes[start as usize..self.ends[end] as usize]
    }

    /// Adds records from `position` on until there are `rows` of them, and returns where it stopped: after
    /// the last whole record. The bytes go on elsewhere unless these are the `last` ones.
    pub(crate) fn advance(
        &mut self,
        bytes: &[u8],
        mut position: usize,
        last: bool,
        rows: usize,
    ) -> Result<usize, Fault> {
        while self.rows() < rows && position < bytes.len() {
            if self.width > 1 && matches!(bytes[position], b'\n' | b'\r') {
                position += 1;
                continue;
            }
            let before = self.ends.len();
            let next = split_record(bytes, position, self.delimiter, last, &mut self.ends)?;
            let Some(next) = next else {
                self.ends.truncate(before);
                break;
            };
            let cells = self.ends.len() - before;
            if cells != self.width {
                return Err(Fault { at: position, what: Wrong::Width { cells } });
            }
            self.starts.push(position as u32);
            position = next;
        }
        Ok(position)
    }
}

/// Notes the end of each cell of the record that starts at `start` and returns where the next one may
/// start, or `None` if the record may go on beyond these bytes.
pub(crate) fn split_record(
    bytes: &[u8],
    start: usize,
    delimiter: u8,
    last: bool,
    ends: &mut Vec<u32>,
) -> Result<Option<usize>, Fault> {
    let first = ends.len();
    let fault = |what| Err(Fault { at: start, what });
    let mut position = start;
    loop {
        let cell = ends.len() - first;
        let end = if bytes.get(position) == Some(&b'"') {
            match closing_quote(bytes, position + 1, last) {
                Some(end) => end,
                None if last => return fault(Wrong::OpenQuote { cell }),
                None => return Ok(None),
            }
        } else {
            match memchr3(delimiter, b'\n', b'\r', &bytes[position..]) {
                Some(length) => position + length,
                None if last => bytes.len(),
                None => return Ok(None),
            }
        };
        if end - start > LONGEST_RECORD {
            return fault(Wrong::TooLong);
        }
        ends.push(end as u32);
        match bytes.get(end) {
            None => return Ok(Some(end)),
            Some(b'\n') => return Ok(Some(end + 1)),
            Some(b'\r') if end + 1 == bytes.len() && !last => return Ok(None),
            Some(b'\r') => return Ok(Some(after_line_end(bytes, end))),
            Some(byte) if *byte == delimiter => position = end + 1,
            Some(_) => return fault(Wrong::AfterQuote { cell }),
        }
    }
}

/// The byte after the line end at a place: CR LF is one line end.
fn after_line_end(bytes: &[u8], at: usize) -> usize {
    at + if bytes[at..].starts_with(b"\r\n") { 2 } else { 1 }
}

/// The byte after the quote that closes a cell; `None` if it is not among these bytes. A quote that is the
/// very last byte closes the cell only if no other can follow to double it.
fn closing_quote(bytes: &[u8], mut from: usize, last: bool) -> Option<usize> {
    loop {
        let after = from + memchr(b'"', &bytes[from..])? + 1;
        match bytes.get(after) {
            Some(b'"') => from = after + 1,
            None if !last => return None,
            _ => return Some(after),
        }
    }
}

/// Cuts a text into pieces of about `size` bytes, each ending where a record ends.
pub(crate) fn pieces(bytes: &[u8], delimiter: u8, size: usize) -> Vec<(usize, usize)> {
    let mut cuts = vec![0];
    if memchr(b'"', bytes).is_none() {
        // Without quotes every line end ends a record: leap.
        while let Some(from) = cuts.last().map(|cut| cut + size.max(1) - 1).filter(|from| *from < bytes.len())
        {
            let Some(length) = memchr2(b'\n', b'\r', &bytes[from..]) else { break };
            cuts.push(after_line_end(bytes, from + length));
        }
    } else {
        cut_between_quotes(bytes, delimiter, size, &mut cuts);
    }
    if cuts.last() != Some(&bytes.len()) {
        cuts.push(bytes.len());
    }
    cuts.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// The same where there are quotes: one pass from the start, as only that tells which line ends are text.
fn cut_between_quotes(bytes: &[u8], delimiter: u8, size: usize, cuts: &mut Vec<usize>) {
    let (mut position, mut cut) = (0, 0);
    while let Some(length) = memchr3(b'"', b'\n', b'\r', &bytes[position..]) {
        let found = position + length;
        position = found + 1;
        if bytes[found] != b'"' {
            position = after_line_end(bytes, found);
            if position - cut >= size {
                cut = position;
                cuts.push(cut);
            }
        } else if found == 0 || matches!(bytes[found - 1], b'\n' | b'\r') || bytes[found - 1] == delimiter {
            match closing_quote(bytes, position, true) {
                Some(end) => position = end,
                None => return,
            }
        }
    }
}

/// Refuses bytes that are not text.
pub(crate) fn check_text(bytes: &[u8]) -> Result<(), Fault> {
    if let Some(at) = memchr(0, bytes) {
        return Err(Fault { at, what: Wrong::Nul });
    }
    match std::str::from_utf8(bytes) {
        Ok(_) => Ok(()),
        Err(error) => Err(Fault { at: error.valid_up_to(), what: Wrong::NotUtf8 }),
    }
}

/// Counts line ends in bytes that come in parts; CR LF is one line end even if parted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LineCounter {
    /// Line ends so far.
    pub(crate) lines: u64,
    after_return: bool,
}

impl LineCounter {
    pub(crate) fn pass(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        let feeds = memchr::memchr_iter(b'\n', bytes).count() as u64;
        let returns = memchr::memchr_iter(b'\r', bytes);
        let lone_returns = returns.filter(|at| bytes.get(at + 1) != Some(&b'\n')).count() as u64;
        // A CR at the end of the part before was counted there; the LF that completes it is not counted.
        let parted = u64::from(self.after_return && bytes[0] == b'\n');
        self.lines += feeds + lone_returns - parted;
        self.after_return = *last == b'\r';
    }
}

#[cfg(test)]
mod tests;
