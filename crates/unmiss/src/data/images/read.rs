//! Images from any form of file, with holes and classes that other files tell.

use std::fs::File;
use std::io::{BufReader, Cursor};
use std::path::{Path, PathBuf};

use super::set::Images;
use super::{cifar, folder, idx, labels, npy, npz};
use crate::data::input;
use crate::error::{Error, Place, Result};

/// First bytes of PNG and JPEG pictures.
const PICTURES: [&[u8]; 2] = [b"\x89PNG", b"\xff\xd8\xff"];
/// First bytes that tell the form of a file.
const LOOKED_AT: usize = 256;

/// What else is known of images than stands in their own file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImageOptions {
    /// A file or folder of masks: what is not 0, or bright, is known.
    pub observed: Option<PathBuf>,
    /// A file with the class of each image.
    pub labels: Option<PathBuf>,
    /// Pixels of this colour, red, green and blue, are holes.
    pub missing_colour: Option<[u8; 3]>,
}

/// Whether a path leads to images, as far as can be seen without reading it whole.
pub fn is_images(path: &Path) -> bool {
    if path.is_dir() || path.to_str() == Some(&format!("sample:{}", super::sample::SAMPLE)) {
        return true;
    }
    let first = input::first_bytes(path, LOOKED_AT).unwrap_or_default();
    // A single picture is no set of them, but what is to be said of it is about pictures.
    PICTURES.iter().any(|magic| first.starts_with(magic))
        || first.starts_with(npy::MAGIC)
        || npz::is_npz(&first)
        || idx::is_idx(&first)
        || (is_cifar_name(path) && !first.is_empty())
}

/// Whether a name ends as those of the CIFAR files do.
pub fn is_cifar_name(path: &Path) -> bool {
    let name = path.display().to_string().to_lowercase();
    name.strip_suffix(".gz").unwrap_or(&name).ends_with(".bin")
}

/// Reads images from a path, with the holes and classes that other files tell; `sample:digits` is the built-in sample.
///
/// # Errors
/// When a file can't be read as images, masks or labels, or they do not fit together.
pub fn read(path: &Path, options: &ImageOptions) -> Result<Images> {
    let mut images = read_alone(path)?;
    if let Some(colour) = options.missing_colour {
        images = images.without_colour(colour)?;
    }
    if let Some(path) = &options.observed {
        images = narrowed(images, path)?;
    }
    if let Some(path) = &options.labels {
        let labels = labels::read(path, &images)?;
        images = images.with_labels(Some(labels))?;
    }
    Ok(images)
}

/// The images of a path without anything else.
fn read_alone(path: &Path) -> Result<Images> {
    if path.is_dir() {
        return folder::read(path);
    }
    if path.to_str().and_then(|path| path.strip_prefix("sample:")) == Some(super::sample::SAMPLE) {
        return super::sample::sample();
    }
    // A zip file is read from its end, so it need not be in memory as a whole.
    let first = input::first_bytes(path, LOOKED_AT).unwrap_or_default();
    if first.starts_with(npz::MAGIC)
        && let Ok(file) = File::open(path)
    {
        return npz::read(&path.display().to_string(), BufReader::new(file));
    }
    let (file, bytes) = input::whole(path)?;
    from_bytes(&file, bytes)
}

/// The images of a file's bytes, unpacked; the name tells the ending they would have and appears in errors.
///
/// # Errors
/// When the bytes can't be read as images.
pub fn from_bytes(file: &str, bytes: Vec<u8>) -> Result<Images> {
    if bytes.starts_with(npy::MAGIC) {
        return npy::read(file, bytes.as_slice(), Some(bytes.len() as u64))?.images(file);
    }
    if bytes.starts_with(npz::MAGIC) {
        return npz::read(file, Cursor::new(bytes));
    }
    if is_cifar_name(Path::new(file)) {
        return cifar::read(file, bytes);
    }
    if idx::is_idx(&bytes) {
        return idx::read(file, bytes)?.images(file);
    }
    let fault = |what: &str| Error::input(Place::file(file), what);
    if PICTURES.iter().any(|first| bytes.starts_with(first)) {
        return Err(fault("this is a single picture, and a set of them is needed")
            .with_hint("name the folder that it stands in"));
    }
    Err(fault("this can't be read as images").with_hint(
        "images are IDX, CIFAR's .bin, .npy or .npz files, plain or .gz, or a folder of PNG or JPEG pictures",
    ))
}

fn narrowed(images: Images, path: &Path) -> Result<Images> {
    if path.is_dir() {
        let marks = folder::read_marks(path, &images)?;
        return images.narrowed(marks);
    }
    let (file, bytes) = input::whole(path)?;
    let array = if bytes.starts_with(npy::MAGIC) {
        npy::read(&file, bytes.as_slice(), Some(bytes.len() as u64))?
    } else if bytes.starts_with(npz::MAGIC) {
        npz::read_one(&file, Cursor::new(bytes), "observed")?
    } else if idx::is_idx(&bytes) {
        idx::read(&file, bytes)?
    } else {
        return Err(Error::input(Place::file(file), "this can't be read as masks").with_hint(
            "masks are IDX, .npy or .npz files, or a folder of pictures; what is not 0 is known",
        ));
    };
    let marks = array.marks(&file, &images)?;
    images.narrowed(marks)
}
