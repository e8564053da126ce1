//! IDX, the form of MNIST: two zero bytes, a type, the rank, each axis in four bytes, then the numbers, all big-endian.

use super::array::{Array, Cells, cells_of};
use super::pixels::Pixels;
use crate::error::{Error, Place, Result};
use crate::store::Output;

const BYTES: u8 = 0x08;
const SINGLES: u8 = 0x0d;

/// Whether bytes begin as IDX does.
pub fn is_idx(first: &[u8]) -> bool {
    matches!(first, [0, 0, 0x08 | 0x09 | 0x0b..=0x0e, 1..=4, ..])
}

/// The array of a file's bytes.
///
/// # Errors
/// When the file is cut off or longer than its head says, or holds something else.
pub fn read(file: &str, mut bytes: Vec<u8>) -> Result<Array> {
    let fault = |what: String| Error::input(Place::file(file), what);
    let (Some(kind), Some(rank)) = (bytes.get(2).copied(), bytes.get(3).map(|rank| usize::from(*rank)))
    else {
        return Err(fault("this is not an IDX file".into()));
    };
    let head = 4 + 4 * rank;
    let axes = bytes.get(4..head).ok_or_else(|| fault("the IDX file is cut off in its head".into()))?;
    let (axes, _) = axes.as_chunks::<4>();
    let shape: Vec<usize> = axes.iter().map(|axis| u32::from_be_bytes(*axis) as usize).collect();
    let width = match kind {
        BYTES | 0x09 => 1,
        0x0b => 2,
        0x0c | SINGLES => 4,
        0x0e => 8,
        other => return Err(fault(format!("IDX files have no type {other:#04x}"))),
    };
    // Checked before anything is made of that size.
    let wanted = cells_of(&shape).and_then(|cells| cells.checked_mul(width));
    let found = bytes.len() - head;
    if wanted != Some(found) {
        let what = format!("its head speaks of {shape:?} numbers of {width} bytes, and {found} bytes follow");
        return Err(fault(what).with_hint("the file is damaged or cut off; get it again"));
    }
    let body = &bytes[head..];
    let cells = match kind {
        BYTES => {
            bytes.drain(..head);
            Cells::Bytes(bytes)
        }
        0x09 => Cells::Integers(body.iter().map(|byte| i64::from(byte.cast_signed())).collect()),
        0x0b => Cells::Integers(chunks(body, |chunk| i16::from_be_bytes(chunk).into())),
        0x0c => Cells::Integers(chunks(body, |chunk| i32::from_be_bytes(chunk).into())),
        SINGLES => Cells::Singles(chunks(body, f32::from_be_bytes)),
        _ => Cells::Doubles(chunks(body, f64::from_be_bytes)),
    };
    Ok(Array { shape, cells })
}

/// Numbers of so many bytes each.
pub fn chunks<T, const N: usize>(bytes: &[u8], convert: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks::<N>().0.iter().map(|chunk| convert(*chunk)).collect()
}

/// Writes an array of bytes or of numbers.
///
/// # Errors
/// When it can't be written, or has an axis that is too long.
pub fn write(output: &mut Output, shape: &[usize], cells: &Pixels) -> Result<()> {
    let kind = match cells {
        Pixels::Bytes(_) => BYTES,
        Pixels::Numbers(_) => SINGLES,
    };
    output.write(&[0, 0, kind, shape.len() as u8])?;
    for axis in shape {
        let axis = u32::try_from(*axis).map_err(|_| Error::data("an IDX file can't hold so many images"))?;
        output.write(&axis.to_be_bytes())?;
    }
    match cells {
        Pixels::Bytes(values) => output.write(values),
        Pixels::Numbers(values) => values.iter().try_for_each(|value| output.write(&value.to_be_bytes())),
    }
}
