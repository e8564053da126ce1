//! Where bytes go: a file that appears whole or not at all, or standard output; gzipped by its ending.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::NamedTempFile;

use crate::error::{Error, Result};
use crate::store::beside;

/// Bytes that are collected before they go out.
const BUFFER: usize = 1 << 18;

/// A stream of bytes to a path. Dropped before [`finish`](Self::finish), it leaves nothing behind.
pub(crate) struct Output {
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    Plain(BufWriter<Target>),
    Gzip(Box<GzEncoder<BufWriter<Target>>>),
}

enum Target {
    /// A file beside the one it will become.
    Beside {
        temporary: NamedTempFile,
        becomes: PathBuf,
    },
    /// A pipe or device, which can't be replaced.
    Direct(File),
    Stdout(std::io::Stdout),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Beside { temporary, .. } => temporary.write(bytes),
            Self::Direct(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Beside { temporary, .. } => temporary.flush(),
            Self::Direct(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}

impl Output {
    /// Opens a path for writing; `-` is standard output.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let target = Target::open(path).map_err(|error| Error::io(path, error))?;
        let buffered = BufWriter::with_capacity(BUFFER, target);
        let sink = match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("gz") => {
                Sink::Gzip(Box::new(GzEncoder::new(buffered, Compression::default())))
            }
            _ => Sink::Plain(buffered),
        };
        Ok(Self { path: path.to_owned(), sink })
    }

    /// Adds bytes.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.sink {
            Sink::Plain(sink) => sink.write_all(bytes),
            Sink::Gzip(sink) => sink.write_all(bytes),
        };
        written.map_err(|error| Error::io(&self.path, error))
    }

    /// Writes what is left and gives the file its name.
    pub(crate) fn finish(self) -> Result<()> {
        let Self { path, sink } = self;
        let close = || -> std::io::Result<()> {
            let buffered = match sink {
                Sink::Plain(sink) => sink,
                Sink::Gzip(sink) => sink.finish()?,
            };
            match buffered.into_inner().map_err(std::io::IntoInnerError::into_error)? {
                Target::Beside { temporary, becomes } => {
                    temporary.as_file().sync_all()?;
                    temporary.persist(becomes).map_err(|error| error.error)?;
                    Ok(())
                }
                Target::Direct(mut file) => file.flush(),
                Target::Stdout(mut stdout) => stdout.flush(),
            }
        };
        close().map_err(|error| Error::io(&path, error))
    }
}

impl Target {
    fn open(path: &Path) -> std::io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Stdout(std::io::stdout()));
        }
        let existing = std::fs::metadata(path).ok();
        if existing.is_some_and(|about| !about.is_file() && !about.is_dir()) {
            return File::options().write(true).open(path).map(Self::Direct);
        }
        // A link stays a link: the file it leads to is replaced.
        let becomes = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let temporary = beside(&becomes)?;
        Ok(Self::Beside { temporary, becomes })
    }
}
