//! NumPy's `.npy`: a magic word, a version, a head that is a Python dictionary of three entries, then the numbers.

use std::io::Read;

use super::array::{Array, Cells, cells_of};
use super::idx::chunks;
use crate::error::{Error, Place, Result};

/// The first bytes of the form.
pub const MAGIC: &[u8] = b"\x93NUMPY";
/// Heads longer than this are no heads of arrays of numbers.
const LONGEST_HEAD: usize = 1 << 16;
/// Letters of a word, at most.
const LONGEST_WORD: usize = 1 << 10;
/// The place of the first number is a multiple of this.
const ALIGNED: usize = 64;

/// Reads an array; `size` is how many bytes there are, where that is known.
///
/// # Errors
/// When the bytes are not an array, are cut off, or hold something that can't be images, marks or labels.
pub fn read(file: &str, mut reader: impl Read, size: Option<u64>) -> Result<Array> {
    let fault = |what: &str| Error::input(Place::file(file), what);
    let damaged = |what: &str| fault(what).with_hint("the file is damaged or cut off; get or make it again");
    let mut start = [0; 10];
    reader.read_exact(&mut start).map_err(|_| damaged("this is not a whole .npy file"))?;
    if !start.starts_with(MAGIC) {
        return Err(fault("this is not a .npy file, though it should be one"));
    }
    let (mut taken, mut length) = (10, usize::from(u16::from_le_bytes([start[8], start[9]])));
    if start[6] > 1 {
        let mut rest = [0; 2];
        reader.read_exact(&mut rest).map_err(|_| damaged("the .npy file is cut off in its head"))?;
        taken += 2;
        length = u32::from_le_bytes([start[8], start[9], rest[0], rest[1]]) as usize;
    }
    if length > LONGEST_HEAD {
        return Err(damaged("the head of the .npy file is longer than any head"));
    }
    let mut head = vec![0; length];
    reader.read_exact(&mut head).map_err(|_| damaged("the .npy file is cut off in its head"))?;
    let head = Head::parse(&String::from_utf8_lossy(&head)).map_err(|what| damaged(&what))?;
    let cells = cells_of(&head.shape).and_then(|cells| cells.checked_mul(head.width()));
    let Some(wanted) = cells else {
        return Err(damaged("the head speaks of more numbers than there can be"));
    };
    let found = size.map(|size| size.saturating_sub((taken + length) as u64));
    if found.is_some_and(|found| found != wanted as u64) {
        let what = format!("its head speaks of {wanted} bytes of numbers, and {} follow", found.unwrap_or(0));
        return Err(damaged(&what));
    }
    // Memory grows with what is really there, whatever the head says.
    let mut bytes = Vec::new();
    let read = reader.by_ref().take(wanted as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| damaged(&format!("it can't be unpacked ({error})")))?;
    if bytes.len() != wanted {
        return Err(damaged(&format!(
            "its head speaks of {wanted} bytes of numbers, and {} follow",
            bytes.len()
        )));
    }
    if head.fortran {
        return Err(fault("its numbers stand column by column")
            .with_hint("save it row by row: `numpy.save(FILE, numpy.ascontiguousarray(array))`"));
    }
    let cells = head.cells(bytes).ok_or_else(|| {
        fault(&format!("numbers of the type `{}` are not read", head.kind))
            .with_hint("bytes, whole numbers, float32, float64 and, for labels, words of fixed length are")
    })?;
    Ok(Array { shape: head.shape, cells })
}

/// What the head says.
struct Head {
    /// `<f4` and the like: order of bytes, kind, width.
    kind: String,
    fortran: bool,
    shape: Vec<usize>,
}

impl Head {
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let after = |key: &str| {
            let (_, rest) = text.split_once(&format!("'{key}':"))?;
            Some(rest.trim_start())
        };
        let missing = |key: &str| format!("the head of the .npy file does not tell its `{key}`");
        let kind = after("descr").and_then(|rest| rest.strip_prefix('\'')?.split_once('\''));
        let (kind, _) = kind.ok_or_else(|| "it is an array of records, which is not read".to_owned())?;
        let order = after("fortran_order").ok_or_else(|| missing("fortran_order"))?;
        let shape = after("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
        let (shape, _) = shape.ok_or_else(|| missing("shape"))?;
        let axes = shape.split(',').map(str::trim).filter(|axis| !axis.is_empty());
        let shape: Option<Vec<usize>> = axes.map(|axis| axis.parse().ok()).collect();
        let shape = shape.ok_or_else(|| missing("shape"))?;
        Ok(Self { kind: kind.to_owned(), fortran: order.starts_with("True") && shape.len() > 1, shape })
    }

    /// Bytes of one cell; letters of words have four.
    fn width(&self) -> usize {
        let digits = self.kind.get(2..).and_then(|digits| digits.parse::<usize>().ok()).unwrap_or(1);
        let letters = if self.kind.get(1..2) == Some("U") { 4 } else { 1 };
        digits.clamp(1, LONGEST_WORD) * letters
    }

    /// The cells of their bytes; `None` for types that are not read.
    fn cells(&self, bytes: Vec<u8>) -> Option<Cells> {
        let big = self.kind.starts_with('>');
        Some(match self.kind.get(1..)? {
            "u1" | "b1" => Cells::Bytes(bytes),
            "i1" => Cells::Integers(bytes.iter().map(|byte| byte.cast_signed().into()).collect()),
            "u2" => Cells::Integers(chunks(&bytes, |c| i64::from(u16::from_le_bytes(swapped(c, big))))),
            "i2" => Cells::Integers(chunks(&bytes, |c| i64::from(i16::from_le_bytes(swapped(c, big))))),
            "u4" => Cells::Integers(chunks(&bytes, |c| i64::from(u32::from_le_bytes(swapped(c, big))))),
            "i4" => Cells::Integers(chunks(&bytes, |c| i64::from(i32::from_le_bytes(swapped(c, big))))),
            "i8" | "u8" => Cells::Integers(chunks(&bytes, |c| i64::from_le_bytes(swapped(c, big)))),
            "f4" => Cells::Singles(chunks(&bytes, |c| f32::from_le_bytes(swapped(c, big)))),
            "f8" => Cells::Doubles(chunks(&bytes, |c| f64::from_le_bytes(swapped(c, big)))),
            kind if kind.starts_with('U') => {
                let letter = |chunk: [u8; 4]| char::from_u32(u32::from_le_bytes(swapped(chunk, big)));
                let word = |word: &[u8]| {
                    let letters = chunks(word, letter).into_iter().collect::<Option<String>>()?;
                    Some(letters.trim_end_matches('\0').to_owned())
                };
                Cells::Words(bytes.chunks(self.width()).map(word).collect::<Option<_>>()?)
            }
            kind if kind.starts_with('S') => {
                let word = |word: &[u8]| String::from_utf8_lossy(word).trim_end_matches('\0').to_owned();
                Cells::Words(bytes.chunks(self.width()).map(word).collect())
            }
            _ => return None,
        })
    }
}

/// The bytes of a number with the lowest first.
fn swapped<const N: usize>(mut bytes: [u8; N], big: bool) -> [u8; N] {
    if big {
        bytes.reverse();
    }
    bytes
}

/// What stands before the numbers of an array of a type (`|u1`, `<f4`, `|b1`, `<U5`).
pub fn head(kind: &str, shape: &[usize]) -> Vec<u8> {
    let axes: String = shape.iter().map(|axis| format!("{axis}, ")).collect();
    let axes = if shape.len() == 1 { axes.trim_end() } else { axes.trim_end_matches(", ") };
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({axes}), }}");
    let filled = (MAGIC.len() + 4 + text.len() + 1).next_multiple_of(ALIGNED) - MAGIC.len() - 4;
    text.extend(std::iter::repeat_n(' ', filled - 1 - text.len()));
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_numpy_s_and_come_back() {
        let bytes = head("|u1", &[2, 3]);
        assert_eq!(bytes.len() % 64, 0);
        assert!(bytes.starts_with(
            b"\x93NUMPY\x01\x00\x76\x00{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }"
        ));
        assert!(head("<U5", &[7]).starts_with(
            b"\x93NUMPY\x01\x00\x76\x00{'descr': '<U5', 'fortran_order': False, 'shape': (7,), }"
        ));
        let mut whole = bytes;
        whole.extend([1, 2, 3, 4, 5, 6]);
        let array = read("a.npy", whole.as_slice(), Some(whole.len() as u64)).unwrap();
        assert_eq!(array, Array { shape: vec![2, 3], cells: Cells::Bytes(vec![1, 2, 3, 4, 5, 6]) });
    }

    #[test]
    fn words_and_numbers_of_both_orders_are_read() {
        let of = |kind: &str, count: usize, body: &[u8]| {
            let mut whole = head(kind, &[count]);
            whole.extend(body);
            read("a.npy", whole.as_slice(), None).map(|array| array.cells)
        };
        assert_eq!(of(">i2", 2, &[0, 1, 255, 255]).unwrap(), Cells::Integers(vec![1, -1]));
        assert_eq!(of("<i2", 1, &[1, 0]).unwrap(), Cells::Integers(vec![1]));
        assert_eq!(of(">f4", 1, &1.5_f32.to_be_bytes()).unwrap(), Cells::Singles(vec![1.5]));
        let cat: Vec<u8> = "cat\0".chars().flat_map(|letter| u32::from(letter).to_le_bytes()).collect();
        assert_eq!(of("<U4", 1, &cat).unwrap(), Cells::Words(vec!["cat".into()]));
        assert_eq!(of("|S4", 1, b"cat\0").unwrap(), Cells::Words(vec!["cat".into()]));
        assert!(of("<c8", 1, &[0; 8]).unwrap_err().to_string().contains("type `<c8` are not read"));
        assert!(of("<f4", 2, &[0; 4]).unwrap_err().to_string().contains("8 bytes of numbers, and 4 follow"));
    }
}
