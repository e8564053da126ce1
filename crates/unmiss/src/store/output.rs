//! The one way to write: a plain file appears whole or not at all, a link is followed, a pipe or device is written to.

use std::fs::{File, Metadata};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempPath;

use super::temporary::Listed;
use crate::error::{Error, Result};

/// Bytes that are collected before they go out.
const BUFFER: usize = 1 << 18;
/// Links to links that are followed, as many as systems do.
const MOST_LINKS: usize = 40;

/// A stream of bytes to a path; `-` is standard output. Dropped before [`finish`](Self::finish), it leaves nothing
/// behind.
pub struct Output {
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    Plain(BufWriter<Target>),
    Gzip(Box<GzEncoder<BufWriter<Target>>>),
}

enum Target {
    /// A file beside the one it will become.
    Beside(Beside),
    /// A pipe or device, which can't be replaced.
    Direct(File),
    Stdout(std::io::Stdout),
    /// No file at all.
    Memory(Vec<u8>),
}

/// A file under a temporary name, open while it is written to.
struct Beside {
    file: Option<File>,
    path: TempPath,
    becomes: PathBuf,
    _listed: Listed,
}

impl Beside {
    fn create(becomes: PathBuf) -> std::io::Result<Self> {
        let (file, path) = beside(&becomes)?.into_parts();
        let _listed = Listed::new(&path);
        Ok(Self { file: Some(file), path, becomes, _listed })
    }

    fn file(&mut self) -> std::io::Result<&mut File> {
        match &mut self.file {
            Some(file) => Ok(file),
            closed => Ok(closed.insert(File::options().append(true).open(&self.path)?)),
        }
    }

    /// Gives the file its name if it passes a check.
    fn finish(mut self, path: &Path, check: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let wrap = |error| Error::io(path, error);
        self.file().and_then(|file| file.sync_all()).map_err(wrap)?;
        check(&self.path)?;
        self.path.persist(self.becomes).map_err(|error| wrap(error.error))
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Beside(beside) => beside.file()?.write(bytes),
            Self::Direct(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Memory(kept) => kept.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Beside(beside) => beside.file.as_mut().map_or(Ok(()), File::flush),
            Self::Direct(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
            Self::Memory(_) => Ok(()),
        }
    }
}

impl Output {
    /// Opens a path for bytes as they are.
    ///
    /// # Errors
    /// When the path can't be written to.
    pub fn create(path: &Path) -> Result<Self> {
        let target = Target::open(path).map_err(|error| Error::io(path, error))?;
        let sink = Sink::Plain(BufWriter::with_capacity(BUFFER, target));
        Ok(Self { path: path.to_owned(), sink })
    }

    /// Opens a path for bytes that are packed if its ending is `.gz`.
    ///
    /// # Errors
    /// When the path can't be written to.
    pub fn create_by_ending(path: &Path) -> Result<Self> {
        let mut output = Self::create(path)?;
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
            && let Sink::Plain(sink) = output.sink
        {
            output.sink = Sink::Gzip(Box::new(GzEncoder::new(sink, Compression::default())));
        }
        Ok(output)
    }

    /// Bytes that stay in memory and go to no file.
    pub fn in_memory() -> Self {
        // What is in memory already needs no buffer in front of it.
        let sink = Sink::Plain(BufWriter::with_capacity(0, Target::Memory(Vec::new())));
        Self { path: PathBuf::from("memory"), sink }
    }

    /// The bytes so far of an output in memory; none of one to a file.
    pub fn bytes(&mut self) -> Vec<u8> {
        match &mut self.sink {
            Sink::Plain(sink) => match sink.get_mut() {
                Target::Memory(kept) => std::mem::take(kept),
                _ => Vec::new(),
            },
            Sink::Gzip(_) => Vec::new(),
        }
    }

    /// Adds bytes.
    ///
    /// # Errors
    /// When they can't be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.sink {
            Sink::Plain(sink) => sink.write_all(bytes),
            Sink::Gzip(sink) => sink.write_all(bytes),
        };
        written.map_err(|error| Error::io(&self.path, error))
    }

    /// Writes out what was collected and closes the file until more is written: a program may not have many files open
    /// at once.
    ///
    /// # Errors
    /// When the bytes can't be written.
    pub fn rest(&mut self) -> Result<()> {
        let sink = match &mut self.sink {
            Sink::Plain(sink) => sink,
            Sink::Gzip(sink) => sink.get_mut(),
        };
        sink.flush().map_err(|error| Error::io(&self.path, error))?;
        if let Target::Beside(beside) = sink.get_mut() {
            beside.file = None;
        }
        Ok(())
    }

    /// Writes what is left and gives the file its name.
    ///
    /// # Errors
    /// When the last bytes can't be written or the name can't be given.
    pub fn finish(self) -> Result<()> {
        self.finish_if(|_| Ok(()))
    }

    /// The same for a plain file if what stands in it now passes a check, which is given the path to read it from.
    /// What went to a pipe, a device or standard output can't be looked at any more.
    ///
    /// # Errors
    /// As for [`Output::finish`], and what the check says; then whatever stood at the path before stays.
    pub fn finish_if(self, check: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        let Self { path, sink } = self;
        let wrap = |error| Error::io(&path, error);
        let buffered = match sink {
            Sink::Plain(sink) => sink,
            Sink::Gzip(sink) => sink.finish().map_err(wrap)?,
        };
        match buffered.into_inner().map_err(|error| wrap(error.into_error()))? {
            Target::Beside(beside) => beside.finish(&path, check),
            Target::Direct(mut file) => file.flush().map_err(wrap),
            Target::Stdout(mut stdout) => stdout.flush().map_err(wrap),
            Target::Memory(_) => Ok(()),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.sink {
            Sink::Plain(sink) => sink.write(bytes),
            Sink::Gzip(sink) => sink.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.sink {
            Sink::Plain(sink) => sink.flush(),
            Sink::Gzip(sink) => sink.flush(),
        }
    }
}

impl Target {
    fn open(path: &Path) -> std::io::Result<Self> {
        if is_standard_output(path) {
            return Ok(Self::Stdout(std::io::stdout()));
        }
        if !is_plain(path) {
            return File::options().write(true).open(path).map(Self::Direct);
        }
        // A link stays a link: the file it leads to is replaced, or comes into being.
        Beside::create(destination(path)).map(Self::Beside)
    }
}

/// Writes bytes as a whole: see [`Output`].
///
/// # Errors
/// When the folder is missing or not writable, or the disk is full.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut output = Output::create(path)?;
    output.write(bytes)?;
    output.finish()
}

/// Whether a path is written to as a file of its own, and not as a pipe, a device or standard output.
pub fn is_plain(path: &Path) -> bool {
    let existing = std::fs::metadata(path).ok();
    !is_standard_output(path) && existing.is_none_or(|about| about.is_file() || about.is_dir())
}

/// The names of standard output. Its file, where it goes to one, belongs to whoever opened it.
pub fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// Whether writing to the one path would change what the other leads to: through links, and under any name of the
/// same file. Terminals and the like may be named twice.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(about), Ok(about_other)) => {
            can_be_overwritten(&about)
                && (is_same_entry(&about, &about_other) || destination(one) == destination(other))
        }
        (Err(_), Err(_)) => destination(one) == destination(other),
        _ => false,
    }
}

#[cfg(unix)]
fn can_be_overwritten(about: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    about.is_file() || about.file_type().is_fifo() || about.file_type().is_block_device()
}

#[cfg(not(unix))]
fn can_be_overwritten(about: &Metadata) -> bool {
    about.is_file()
}

#[cfg(unix)]
fn is_same_entry(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_entry(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// Where a path leads in the end, through links, also to a file that is not there yet.
fn destination(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = std::fs::read_link(&path) else { break };
        path = folder(&path).join(next);
    }
    let whole = std::fs::canonicalize(&path);
    whole.unwrap_or_else(|_| match (std::fs::canonicalize(folder(&path)), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    })
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file in the folder of a path, to be renamed to it, with the rights a new file usually gets
/// and not the narrow ones of temporary files.
fn beside(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let folder = folder(path);
    if !folder.is_dir() {
        let what = format!("there is no folder `{}`", folder.display());
        return Err(std::io::Error::new(ErrorKind::NotFound, what));
    }
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    // What the system says of the temporary name would only confuse.
    builder.tempfile_in(folder).map_err(|error| error.kind().into())
}

#[cfg(test)]
mod tests;
