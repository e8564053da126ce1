//! Images into files: the form follows the name, and what is known comes back byte for byte.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::pixels::Pixels;
use super::read::is_cifar_name;
use super::set::Images;
use super::{cifar, folder, idx, npy, npz};
use crate::error::{Error, Result};
use crate::store::{Listed, Output};

/// A form of file that holds images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Values, marks and classes.
    Npz,
    /// Values alone; holes make them numbers with NaN.
    Npy,
    /// Values alone, without holes.
    Idx,
    /// Bytes of 3 x 32 x 32 with classes 0 to 9, without holes.
    Cifar,
    /// PNG pictures, classes as sub-folders, holes transparent.
    Folder,
}

impl Form {
    /// The form that a name stands for.
    ///
    /// # Errors
    /// When it stands for none.
    pub fn of(path: &Path) -> Result<Self> {
        let name = path.display().to_string().to_lowercase();
        let plain = name.strip_suffix(".gz").unwrap_or(&name);
        let ending = Path::new(plain).extension().map(|ending| ending.to_string_lossy().into_owned());
        match ending.as_deref() {
            Some("npz") if plain == name => Ok(Self::Npz),
            Some("npy") => Ok(Self::Npy),
            Some("idx" | "idx3" | "idx4") => Ok(Self::Idx),
            _ if plain.ends_with("-ubyte") => Ok(Self::Idx),
            _ if is_cifar_name(path) => Ok(Self::Cifar),
            None if plain == name && name != "-" => Ok(Self::Folder),
            _ => Err(Error::data(format!(
                "{}: images can't be written to a file of this name",
                path.display()
            ))
            .with_hint("say .npz, .npy, .idx, .bin, or a name without an ending for a folder of pictures")),
        }
    }
}

/// Writes images in the form that the name stands for: the whole file, or the whole folder, or nothing.
///
/// # Errors
/// When the form can't hold them, or they can't be written.
pub fn write(images: &Images, path: &Path) -> Result<()> {
    let form = Form::of(path)?;
    if images.has_holes() && matches!(form, Form::Idx | Form::Cifar) {
        return Err(Error::data(format!("{}: files of this form have no place for holes", path.display()))
            .with_hint("write .npz, .npy or a folder of pictures"));
    }
    if form == Form::Folder {
        return write_folder(images, path);
    }
    let mut output = Output::create_by_ending(path)?;
    match form {
        Form::Npz => npz::write(&mut output, images).map_err(|error| Error::io(path, error))?,
        Form::Npy => write_npy(&mut output, images).map_err(|error| Error::io(path, error))?,
        Form::Idx => idx::write(&mut output, &shape(images), images.values())?,
        Form::Cifar => cifar::write(&mut output, images)?,
        Form::Folder => {}
    }
    output.finish()
}

/// Axes of an array of images, as they came.
fn shape(images: &Images) -> Vec<usize> {
    let size = images.size();
    match images.flat {
        true => vec![images.len(), size.height, size.width],
        false => vec![images.len(), size.channels, size.height, size.width],
    }
}

fn write_npy(output: &mut impl Write, images: &Images) -> std::io::Result<()> {
    if let (Pixels::Bytes(values), false) = (images.values(), images.has_holes()) {
        output.write_all(&npy::head("|u1", &shape(images)))?;
        return output.write_all(values);
    }
    output.write_all(&npy::head("<f4", &shape(images)))?;
    for image in 0..images.len() {
        for cell in 0..images.size().cells() {
            let known = images.is_known(image, cell);
            let value = if known { images.value(image, cell) } else { f32::NAN };
            output.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Writes a folder beside its place and renames it. One that is there already and not empty stays as it is.
fn write_folder(images: &Images, path: &Path) -> Result<()> {
    let wrap = |error| Error::io(path, error);
    if let Ok(mut entries) = std::fs::read_dir(path) {
        if entries.next().is_some() {
            return Err(Error::data(format!(
                "{}: this folder is there already, and not empty",
                path.display()
            ))
            .with_hint("give another name, or take it away first"));
        }
        std::fs::remove_dir(path).map_err(wrap)?;
    }
    let names = names_of(images)?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = tempfile::Builder::new().prefix(".unmiss-").tempdir_in(parent).map_err(wrap)?;
    let _listed = Listed::new(beside.path());
    for (image, name) in names.iter().enumerate() {
        let file = beside.path().join(name);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(wrap)?;
        }
        std::fs::write(&file, folder::png(images, image)?).map_err(wrap)?;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let rights = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(beside.path(), rights).map_err(wrap)?;
    }
    std::fs::rename(beside.keep(), path).map_err(wrap)
}

/// Where each picture goes inside its folder: its own name if it has one, below its class. Pictures that would share a
/// place (`0.png` and `0.jpg`, or two of other folders that now have one class) keep all of their own path in the name.
fn names_of(images: &Images) -> Result<Vec<PathBuf>> {
    let own = |image: usize| images.names.as_ref().map(|names| Path::new(&names[image]));
    let stem = |image: usize| {
        let stem = own(image).and_then(Path::file_stem);
        stem.map_or_else(|| format!("{:06}", image + 1), |stem| stem.to_string_lossy().into_owned())
    };
    let mut names: Vec<PathBuf> =
        (0..images.len()).map(|image| name_of(images, image, &stem(image))).collect();
    let mut taken: HashMap<String, usize> = HashMap::new();
    names.iter().for_each(|name| *taken.entry(folded(name)).or_default() += 1);
    let shared: Vec<usize> = (0..names.len()).filter(|&image| taken[&folded(&names[image])] > 1).collect();
    for &image in &shared {
        let whole = own(image).map_or_else(|| stem(image), |own| flat(&own.to_string_lossy()));
        names[image] = name_of(images, image, &whole);
        *taken.entry(folded(&names[image])).or_default() += 1;
    }
    match shared.iter().find(|&&image| taken[&folded(&names[image])] > 1) {
        None => Ok(names),
        Some(&image) => {
            let name = names[image].display();
            Err(Error::data(format!("two pictures would be written to `{name}`"))
                .with_hint("rename the pictures so that their names differ without the ending"))
        }
    }
}

/// A name as file systems compare it that do not tell large letters from small ones.
fn folded(name: &Path) -> String {
    name.to_string_lossy().to_lowercase()
}

/// A name or a class as the name of one file: a word of the user's must not lead out of the folder.
fn flat(word: &str) -> String {
    word.replace(['/', '\\', '\0'], "_")
}

fn name_of(images: &Images, image: usize, file: &str) -> PathBuf {
    let class = images.labels().and_then(|labels| labels.cell(image));
    let class = class.map(|class| flat(&class)).filter(|class| !class.starts_with('.'));
    PathBuf::from(class.unwrap_or_default()).join(format!("{file}.png"))
}
