//! The files of a command, looked at before any work is done: what is read stays as it is, and what is written can be.

use std::path::{Path, PathBuf};

use unmiss::error::{Error, Result};
use unmiss::store::{is_same_file, is_standard_output};

/// What a command reads and writes.
#[derive(Default)]
pub struct Files<'a> {
    inputs: Vec<&'a Path>,
    outputs: Vec<(&'static str, &'a Path)>,
    /// Options whose file can't be standard output, as the command says there what it found.
    files_only: Vec<&'static str>,
    /// Options that may name a folder.
    folders: Vec<&'static str>,
}

impl<'a> Files<'a> {
    /// Adds inputs; `-` is standard input, and a built-in sample is no file.
    pub fn reads(mut self, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        let given = paths.into_iter().map(PathBuf::as_path);
        self.inputs
            .extend(given.map(|path| if path == Path::new("-") { Path::new("/dev/stdin") } else { path }));
        self
    }

    /// Adds the tables that an option names; `-` is standard output.
    pub fn tables(mut self, option: &'static str, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.outputs.extend(paths.into_iter().map(|path| (option, path.as_path())));
        self
    }

    /// Adds the file that an option names.
    pub fn file(mut self, option: &'static str, path: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.files_only.push(option);
        self.tables(option, path)
    }

    /// Adds the images that an option names: a file, or a folder of pictures.
    pub fn images(mut self, option: &'static str, paths: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        self.folders.push(option);
        self.tables(option, paths)
    }

    /// Refuses outputs that are inputs, outputs that are each other, and outputs that can't be written.
    pub fn check(self) -> Result<()> {
        for (place, (option, path)) in self.outputs.iter().enumerate() {
            self.check_writable(option, path)?;
            if let Some(input) = self.inputs.iter().find(|input| input.exists() && is_same(path, input)) {
                let what =
                    format!("{} would overwrite {}, which is read", name(option, path), input.display());
                return Err(Error::data(what).with_hint(format!("give another name with {option}")));
            }
            let mut others = self.outputs[..place].iter();
            if let Some((other, its_path)) = others.find(|(_, other)| is_same(path, other)) {
                if is_standard_output(path) && is_standard_output(its_path) {
                    let what = format!("what {other} and {option} ask for would both go to standard output");
                    let hint = format!("name a file with {other} or {option}");
                    return Err(Error::data(what).with_hint(hint));
                }
                let what = format!("{} and {} are the same file", name(other, its_path), name(option, path));
                return Err(Error::data(what).with_hint(format!("give another name with {option}")));
            }
        }
        Ok(())
    }

    /// Work can take long: that its result can't be written should be known before.
    fn check_writable(&self, option: &str, path: &Path) -> Result<()> {
        if is_standard_output(path) {
            return match self.files_only.contains(&option) && path == Path::new("-") {
                true => Err(Error::data(format!("{option} -: this can't go to standard output"))
                    .with_hint(format!("name a file with {option}"))),
                false => Ok(()),
            };
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let what = if path.is_dir() && !self.folders.contains(&option) {
            "this is a folder; a file name is needed".to_owned()
        } else if !folder.is_dir() {
            format!("there is no folder `{}`", folder.display())
        } else {
            return can_be_made(path, folder);
        };
        Err(Error::io(path, std::io::Error::other(what)))
    }
}

/// Whether a file can be made in a folder, found out by making one. What is there and is no plain file, as a device, is
/// written as it is.
fn can_be_made(path: &Path, folder: &Path) -> Result<()> {
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    let probe = folder.join(format!(".unmiss-{}", std::process::id()));
    let made = std::fs::File::options().write(true).create_new(true).open(&probe);
    made.map_err(|error| Error::io(path, error))?;
    std::fs::remove_file(&probe).map_err(|error| Error::io(&probe, error))
}

/// An output as it is called in an error.
fn name(option: &str, path: &Path) -> String {
    if is_standard_output(path) {
        "standard output".to_owned()
    } else {
        format!("{option} {}", path.display())
    }
}

/// Whether writing to a path would change another. Standard output counts as the file that it goes to.
fn is_same(path: &Path, other: &Path) -> bool {
    let real = |path| if is_standard_output(path) { Path::new("/dev/stdout") } else { path };
    (is_standard_output(path) && is_standard_output(other)) || is_same_file(real(path), real(other))
}
