//! The binary form of CIFAR-10: records of a label byte and 3 x 32 x 32 pixel bytes.

use super::array::classes;
use super::pixels::{Observed, Pixels};
use super::set::{Images, Size};
use crate::error::{Error, Place, Result};
use crate::store::Output;

/// The size that images have in it.
pub const SIZE: Size = Size { channels: 3, height: 32, width: 32 };
const RECORD: usize = 1 + 3 * 32 * 32;
const CLASSES: u8 = 10;

/// The images of a file's bytes, with their labels.
///
/// # Errors
/// When the bytes are not a number of records, or a label is none.
pub fn read(file: &str, mut bytes: Vec<u8>) -> Result<Images> {
    let fault = |what: String| Error::input(Place::file(file), what);
    if bytes.is_empty() || !bytes.len().is_multiple_of(RECORD) {
        let what = format!("{} bytes are not a number of CIFAR records of {RECORD} bytes", bytes.len());
        return Err(fault(what).with_hint("the file is cut off, or not of this form"));
    }
    let count = bytes.len() / RECORD;
    let labels: Vec<u8> = bytes.iter().step_by(RECORD).copied().collect();
    if let Some(record) = labels.iter().position(|label| *label >= CLASSES) {
        let what = format!("record {} has the label {}, and there are 0 to 9", record + 1, labels[record]);
        return Err(fault(what).with_hint("the file is damaged, or not of this form"));
    }
    // Pixels move together in place: beside the file's bytes there is never a second copy.
    for record in 0..count {
        bytes.copy_within(record * RECORD + 1..(record + 1) * RECORD, record * SIZE.cells());
    }
    bytes.truncate(count * SIZE.cells());
    let labels = classes(labels.iter().map(|label| Some(label.to_string())).collect());
    Images::new(SIZE, Pixels::Bytes(bytes), Observed::All)?.with_labels(Some(labels))
}

/// Writes images in this form.
///
/// # Errors
/// When they have another size, values that are no bytes, or labels other than 0 to 9.
pub fn write(output: &mut Output, images: &Images) -> Result<()> {
    let (SIZE, Pixels::Bytes(values)) = (images.size(), images.values()) else {
        let what = format!("the CIFAR form holds bytes of {SIZE}, and these images are of {}", images.size());
        return Err(Error::data(what).with_hint("write .npz, .npy or a folder instead"));
    };
    for (image, pixels) in values.chunks_exact(SIZE.cells()).enumerate() {
        let label = images.labels().and_then(|labels| labels.cell(image));
        let label = label.and_then(|label| label.parse().ok()).filter(|label: &u8| *label < CLASSES);
        let label = label.ok_or_else(|| {
            Error::data(format!(
                "the CIFAR form needs a label from 0 to 9, which image {} has not",
                image + 1
            ))
            .with_hint("write .npz, .npy or a folder instead")
        })?;
        output.write(&[label])?;
        output.write(pixels)?;
    }
    Ok(())
}
