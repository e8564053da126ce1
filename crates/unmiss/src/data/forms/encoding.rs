//! Text of another encoding, decoded on its way. UTF-16 is told by its mark. Else the first byte beyond ASCII decides:
//! begins it a letter of UTF-8, the text is UTF-8, and what is not is a fault; if not, the text is what most old
//! programs write, Windows-1252 (of which ISO 8859-1 is a part).

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use encoding_rs_io::DecodeReaderBytesBuilder;

use super::super::form::Form;
use super::super::input::Stream;
use crate::error::Result;

/// The longest letter of UTF-8.
const LONGEST_LETTER: usize = 4;
/// Bytes that Windows-1252 has no letter for: what has one of these is no text.
const NO_LETTERS: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// The stream in UTF-8.
pub(super) fn decoded(stream: Stream, first: &[u8], form: &Form) -> Result<Stream> {
    let marked = match first {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        _ => None,
    };
    Ok(match marked.or(form.encoding()?) {
        Some(encoding) if encoding == UTF_8 => stream,
        Some(encoding) => {
            let told = form
                .encoding
                .is_none()
                .then(|| format!("the text is {} and is read as such", encoding.name()));
            let decoder = DecodeReaderBytesBuilder::new().encoding(Some(encoding)).clone();
            stream.through(|bytes| Box::new(decoder.build(bytes))).noting(move || told.clone())
        }
        None => {
            let legacy = Arc::new(AtomicBool::new(false));
            let found = Arc::clone(&legacy);
            stream.through(|bytes| Box::new(Adapting::new(bytes, legacy))).noting(move || {
                let text = "the text is not UTF-8 and is read as Windows-1252; another encoding can be named";
                found.load(Ordering::Relaxed).then(|| text.to_owned())
            })
        }
    })
}

/// Bytes that are UTF-8 or Windows-1252, as UTF-8.
struct Adapting<R> {
    inner: R,
    /// Undecided until the first byte beyond ASCII.
    encoding: Option<&'static Encoding>,
    /// What waits to be given.
    waiting: Vec<u8>,
    given: usize,
    /// Where bytes are read to.
    block: Vec<u8>,
    ended: bool,
    legacy: Arc<AtomicBool>,
}

/// Bytes that are looked at together.
const BLOCK: usize = 1 << 16;

impl<R: Read> Adapting<R> {
    fn new(inner: R, legacy: Arc<AtomicBool>) -> Self {
        Self {
            inner,
            encoding: None,
            waiting: Vec::new(),
            given: 0,
            block: vec![0; BLOCK],
            ended: false,
            legacy,
        }
    }

    /// Reads on until there are some bytes, and as many of the next letter as it has.
    fn fill(&mut self, least: usize) -> std::io::Result<()> {
        while !self.ended && self.waiting.len() < least {
            let read = self.inner.read(&mut self.block)?;
            self.waiting.extend_from_slice(&self.block[..read]);
            self.ended = read == 0;
        }
        Ok(())
    }

    /// Reads the next bytes as UTF-8.
    fn next(&mut self) -> std::io::Result<()> {
        (self.given, self.waiting) = (0, Vec::new());
        self.fill(1)?;
        let mut beyond = 0;
        if self.encoding.is_none() {
            let Some(at) = self.waiting.iter().position(|byte| !byte.is_ascii()) else { return Ok(()) };
            self.fill(at + LONGEST_LETTER)?;
            beyond = at;
            let letter = &self.waiting[at..self.waiting.len().min(at + LONGEST_LETTER)];
            let is_letter =
                std::str::from_utf8(letter).map_or_else(|fault| fault.valid_up_to() > 0, |_| true);
            self.encoding = Some(if is_letter { UTF_8 } else { WINDOWS_1252 });
            self.legacy.store(!is_letter, Ordering::Relaxed);
        }
        if self.encoding == Some(WINDOWS_1252) {
            let mut text = self.waiting[..beyond].to_vec();
            for piece in self.waiting[beyond..].split_inclusive(|byte| NO_LETTERS.contains(byte)) {
                let (piece, odd) = match piece.split_last() {
                    Some((last, rest)) if NO_LETTERS.contains(last) => (rest, Some(*last)),
                    _ => (piece, None),
                };
                text.extend_from_slice(WINDOWS_1252.decode_without_bom_handling(piece).0.as_bytes());
                // Not UTF-8, so that whoever reads on finds it and says where.
                text.extend(odd);
            }
            self.waiting = text;
        }
        Ok(())
    }
}

impl<R: Read> Read for Adapting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.given == self.waiting.len() {
            if self.encoding == Some(UTF_8) {
                return self.inner.read(buffer);
            }
            self.next()?;
        }
        let count = buffer.len().min(self.waiting.len() - self.given);
        buffer[..count].copy_from_slice(&self.waiting[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that come a few at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn adapted(bytes: &[u8], at_once: usize) -> (Vec<u8>, bool) {
        let legacy = Arc::new(AtomicBool::new(false));
        let mut text = Vec::new();
        Adapting::new(Slow(bytes, at_once), Arc::clone(&legacy)).read_to_end(&mut text).unwrap();
        (text, legacy.load(Ordering::Relaxed))
    }

    #[test]
    fn the_first_byte_beyond_ascii_decides() {
        let long = [vec![b'a'; 999], "é€ü".as_bytes().to_vec(), vec![b'b'; 2000]].concat();
        for at_once in [1, 1000, BLOCK] {
            for text in ["".as_bytes(), b"a,b\n1,2\n", "größe,€\n".as_bytes(), &long] {
                assert_eq!(adapted(text, at_once), (text.to_vec(), false));
            }
            let (text, legacy) = adapted(b"gr\xf6\xdfe,\x80\n\x81", at_once);
            assert_eq!((&text[..], legacy), (&["größe,€\n".as_bytes(), &[0x81]].concat()[..], true));
            // A fault in UTF-8 stays one.
            assert_eq!(adapted(b"\xc3\xa9\xff", at_once), (b"\xc3\xa9\xff".to_vec(), false));
        }
    }
}
