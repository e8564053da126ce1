//! Folders of PNG and JPEG pictures: sub-folders are classes, transparent pixels are holes.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use image::codecs::png::PngEncoder;
use image::{ColorType, ExtendedColorType, ImageDecoder, ImageEncoder, ImageReader};

use super::array::classes;
use super::bits::Bits;
use super::pixels::{Observed, Pixels};
use super::set::{Images, Size};
use crate::error::{Error, Place, Result};

/// Endings of the files that are read.
const ENDINGS: [&str; 3] = ["png", "jpg", "jpeg"];
/// From this opacity on a pixel is known.
const OPAQUE: u8 = 128;
/// Pixels along a side, at most: a head that says more is damaged or means harm.
const LONGEST_SIDE: usize = 1 << 14;

/// One picture: its colours side by side in each pixel, and its opacity where it has one.
struct Picture {
    size: Size,
    /// `[channels, height, width]`.
    values: Vec<u8>,
    opacity: Option<Vec<u8>>,
}

/// The pictures of a folder, in the order of their names.
///
/// # Errors
/// When there is none, one is damaged, or one has another size than the others.
pub fn read(folder: &Path) -> Result<Images> {
    let files = files_of(folder)?;
    let (mut values, mut marks) = (Vec::new(), Bits::default());
    let (mut size, mut holes) = (None, false);
    for file in &files {
        let mut picture = decode(&folder.join(&file.path), size)?;
        let pixels = picture.size.pixels();
        // A grey picture among those in colour has three equal channels.
        match size.map_or(picture.size.channels, |size: Size| size.channels) {
            before if before < picture.size.channels => values = in_colour(&values, pixels),
            before if before > picture.size.channels => {
                picture.values = in_colour(&picture.values, pixels);
                picture.size.channels = before;
            }
            _ => {}
        }
        values.extend_from_slice(&picture.values);
        let own = match &picture.opacity {
            Some(opacity) => Bits::from_marks(opacity.iter().map(|opacity| *opacity >= OPAQUE)),
            None => Bits::filled(pixels, true),
        };
        holes |= own.count(0..pixels) < pixels;
        marks.extend(&own, 0..pixels);
        size = Some(picture.size);
    }
    let size = size.ok_or_else(|| nothing(folder))?;
    let observed = if holes { Observed::Pixels(marks) } else { Observed::All };
    let labelled = files.iter().any(|file| file.class.is_some());
    let labels = labelled.then(|| classes(files.iter().map(|file| file.class.clone()).collect()));
    let names = files.iter().map(|file| file.path.display().to_string()).collect();
    let mut images = Images::new(size, Pixels::Bytes(values), observed)?.with_labels(labels)?;
    images.names = Some(names);
    Ok(images)
}

/// Grey pictures of so many pixels each with every one repeated for red, green and blue.
fn in_colour(grey: &[u8], pixels: usize) -> Vec<u8> {
    grey.chunks_exact(pixels).flat_map(|picture| picture.repeat(3)).collect()
}

/// Marks from pictures of the same names as those of images, whatever their endings: bright pixels are known.
///
/// # Errors
/// When a picture is missing, damaged or of another size.
pub fn read_marks(folder: &Path, images: &Images) -> Result<Observed> {
    let stem = |path: &Path| path.with_extension("").display().to_string();
    let whole = |path: &Path| path.display().to_string();
    // A mask of the very name goes before one of another ending.
    let found = files_of(folder)?;
    let keys = [stem, whole].map(|key| found.iter().map(move |file| (key(&file.path), &file.path)));
    let files: std::collections::BTreeMap<String, &PathBuf> = keys.into_iter().flatten().collect();
    let Some(names) = &images.names else {
        return Err(Error::input(
            Place::file(folder.display().to_string()),
            "a folder of masks has names, and the images have none",
        )
        .with_hint("give the masks as one array: .npy, .npz or IDX"));
    };
    let mut marks = Bits::default();
    for name in names {
        let path = files.get(name).or_else(|| files.get(&stem(Path::new(name)))).ok_or_else(|| {
            Error::input(Place::file(folder.display().to_string()), format!("there is no mask for `{name}`"))
        })?;
        let path = folder.join(path);
        let picture = decode(&path, None)?;
        let Size { height, width, .. } = images.size();
        if (picture.size.height, picture.size.width) != (height, width) {
            let (own, wanted) = (picture.size, images.size());
            let what = format!(
                "this mask is {} x {}, and the images are {} x {}",
                own.height, own.width, wanted.height, wanted.width
            );
            return Err(Error::input(Place::file(path.display().to_string()), what));
        }
        let pixels = picture.size.pixels();
        let bright = Bits::from_marks(picture.values[..pixels].iter().map(|value| *value >= OPAQUE));
        marks.extend(&bright, 0..pixels);
    }
    Ok(Observed::Pixels(marks))
}

/// A file inside the folder, and its class if that is told by a sub-folder.
struct Found {
    path: PathBuf,
    class: Option<String>,
}

fn files_of(folder: &Path) -> Result<Vec<Found>> {
    let pictures = |folder: &Path| -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
        let entries = std::fs::read_dir(folder).map_err(|error| Error::io(folder, error))?;
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for entry in entries {
            let path = entry.map_err(|error| Error::io(folder, error))?.path();
            let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
            let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if path.is_dir() && !hidden {
                folders.push(path);
            } else if ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) && !hidden {
                files.push(path);
            }
        }
        files.sort_unstable();
        folders.sort_unstable();
        Ok((files, folders))
    };
    let inside = |path: &Path| path.strip_prefix(folder).map_or_else(|_| path.to_owned(), Path::to_owned);
    let (loose, folders) = pictures(folder)?;
    let mut found: Vec<Found> = loose.iter().map(|path| Found { path: inside(path), class: None }).collect();
    for class in folders {
        let name = class.file_name().map(|name| name.to_string_lossy().into_owned());
        let (files, _) = pictures(&class)?;
        found.extend(files.iter().map(|path| Found { path: inside(path), class: name.clone() }));
    }
    if found.is_empty() {
        return Err(nothing(folder));
    }
    if let (Some(first), true) = (loose.first(), found.len() > loose.len()) {
        let what = "this picture stands beside sub-folders of pictures, so its class is not known";
        return Err(Error::input(Place::file(first.display().to_string()), what)
            .with_hint("put it into a sub-folder, or take the sub-folders apart"));
    }
    Ok(found)
}

fn nothing(folder: &Path) -> Error {
    Error::input(Place::file(folder.display().to_string()), "there is no picture in this folder")
        .with_hint(
            "name one file in it; of a folder, pictures are read (.png, .jpg, .jpeg), or those in a sub-folder for \
             each class",
        )
}

/// A picture of a file. Its size is compared with the one wanted before its pixels are read.
fn decode(path: &Path, wanted: Option<Size>) -> Result<Picture> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
    let fault = |what: String| Error::input(Place::file(path.display().to_string()), what);
    let damaged = |error: image::ImageError| {
        fault(format!("the picture can't be read ({error})"))
            .with_hint("get or make it again, or leave it out")
    };
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let decoder = reader.map_err(|error| Error::io(path, error))?.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    let (height, width) = (height as usize, width as usize);
    let (channels, opaque) = match decoder.color_type() {
        ColorType::L8 => (1, true),
        ColorType::La8 => (1, false),
        ColorType::Rgb8 => (3, true),
        ColorType::Rgba8 => (3, false),
        other => {
            return Err(fault(format!("pictures of the type {other:?} are not read"))
                .with_hint("save it with 8 bits a channel, in grey or in colour"));
        }
    };
    let size = Size { channels, height, width };
    if let Some(wanted) = wanted.filter(|wanted| (wanted.height, wanted.width) != (height, width)) {
        let what = format!(
            "this picture is {height} x {width}, and the others are {} x {}",
            wanted.height, wanted.width
        );
        return Err(fault(what).with_hint("all pictures of a set have one size"));
    }
    if height.max(width) > LONGEST_SIDE || size.cells() == 0 {
        return Err(fault(format!("a picture of {size} is not read")));
    }
    let side_by_side = channels + usize::from(!opaque);
    let mut pixels = vec![0; size.pixels() * side_by_side];
    decoder.read_image(&mut pixels).map_err(damaged)?;
    let channel = |place: usize| pixels.iter().skip(place).step_by(side_by_side).copied();
    let values = (0..channels).flat_map(channel).collect();
    Ok(Picture { size, values, opacity: (!opaque).then(|| channel(channels).collect()) })
}

/// A picture as a PNG file; holes are transparent.
///
/// # Errors
/// When images of this kind can't be pictures.
pub fn png(images: &Images, image: usize) -> Result<Vec<u8>> {
    let (size, holes) = (images.size(), images.known_pixels(image) < images.size().pixels());
    let (Pixels::Bytes(values), 1 | 3) = (images.values(), size.channels) else {
        return Err(Error::data("pictures have bytes, grey or in three colours, and these images do not")
            .with_hint("write .npz or .npy instead"));
    };
    if matches!(images.observed(), Observed::Cells(_)) && holes {
        return Err(
            Error::data("a picture can't have holes in single channels").with_hint("write .npz instead")
        );
    }
    let own = &values[image * size.cells()..(image + 1) * size.cells()];
    let mut bytes = Vec::with_capacity(size.cells() + size.pixels());
    for pixel in 0..size.pixels() {
        bytes.extend(own.iter().skip(pixel).step_by(size.pixels()));
        if holes {
            bytes.push(if images.is_pixel_known(image, pixel) { u8::MAX } else { 0 });
        }
    }
    let kind = match (size.channels, holes) {
        (1, false) => ExtendedColorType::L8,
        (1, true) => ExtendedColorType::La8,
        (_, false) => ExtendedColorType::Rgb8,
        (_, true) => ExtendedColorType::Rgba8,
    };
    let mut file = Vec::new();
    PngEncoder::new(&mut file)
        .write_image(&bytes, size.width as u32, size.height as u32, kind)
        .map_err(|error| Error::data(format!("a picture can't be written: {error}")))?;
    Ok(file)
}
