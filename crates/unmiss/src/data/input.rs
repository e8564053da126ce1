//! Where bytes come from: a file, standard input or a built-in sample, plain or gzipped, text or Parquet.

use std::fs::File;
use std::io::{Cursor, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use super::note::Note;
use super::samples::sample;
use crate::error::{Act, Error, Place, Result, nearest};

/// The most memory that is set aside for a packed file before its size is known.
const MOST_GUESSED: usize = 256 << 20;

/// Unpacked bytes up to which no packed file is refused, and how many times its size it may have beyond that.
const MOST_UNPACKED: usize = 256 << 20;
const MOST_TIMES: u64 = 200;
/// Unpacked bytes after which that is looked at.
const BETWEEN_LOOKS: usize = 64 << 20;

/// First bytes by which a file is told.
const LOOKED_AT: usize = 9;

/// What a path led to.
pub(crate) enum Content {
    /// Delimited text.
    Text(Stream),
    /// A Parquet file, or a temporary copy of one that can't be read at any place (standard input).
    Parquet(File),
}

/// A reader whose bytes are counted.
struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A stream of bytes that says which file it is when something goes wrong.
pub(crate) struct Stream {
    /// The file as the user named it.
    pub(crate) file: String,
    reader: Box<dyn Read + Send>,
    /// How many packed bytes were unpacked so far, if the stream is packed.
    gzip: Option<Arc<AtomicU64>>,
    /// About how many bytes there are, if that is known.
    size: usize,
    /// What is worth telling of how the bytes are read, once they are.
    notes: Vec<Remark>,
}

/// Says something, or nothing if it did not come to that.
type Remark = Box<dyn Fn() -> Option<String> + Send>;

impl Stream {
    /// A stream of plain bytes.
    pub(crate) fn new(file: impl Into<String>, reader: impl Read + Send + 'static) -> Self {
        Self { file: file.into(), reader: Box::new(reader), gzip: None, size: 0, notes: Vec::new() }
    }

    /// The same with about so many bytes to come.
    fn of_size(mut self, size: usize) -> Self {
        self.size = size;
        self
    }

    /// The same bytes in another form.
    pub(crate) fn through(
        mut self,
        change: impl FnOnce(Box<dyn Read + Send>) -> Box<dyn Read + Send>,
    ) -> Self {
        self.reader = change(self.reader);
        self
    }

    /// Adds what is to be told when the bytes are read, if it then has anything to say.
    #[must_use]
    pub(crate) fn noting(mut self, remark: impl Fn() -> Option<String> + Send + 'static) -> Self {
        self.notes.push(Box::new(remark));
        self
    }

    /// What is worth telling of how the bytes were read.
    pub(crate) fn notes(&self) -> impl Iterator<Item = Note> {
        self.notes.iter().filter_map(|remark| remark()).map(Note::from)
    }

    /// Adds up to `most` bytes to a buffer and returns how many; less than `most` at the end only.
    pub(crate) fn fill(&mut self, buffer: &mut Vec<u8>, most: usize) -> Result<usize> {
        let read = self.reader.by_ref().take(most as u64).read_to_end(buffer);
        read.map_err(|error| {
            if self.gzip.is_some() {
                Error::input(Place::file(&self.file), format!("the gzip file is damaged ({error})"))
                    .with_hint("get or make the file again")
            } else {
                Error::io(Path::new(&self.file), error)
            }
        })
    }

    /// All bytes.
    pub(crate) fn read_all(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        // A wrong size must not end the program: what can't be reserved now may not be needed.
        let _ = bytes.try_reserve_exact(self.size + 64);
        let most = if self.gzip.is_some() { BETWEEN_LOOKS } else { usize::MAX };
        while self.fill(&mut bytes, most)? == most {
            self.refuse_bomb(bytes.len())?;
        }
        Ok(bytes)
    }

    /// Refuses a packed file that unpacks to so much more than it is that it is hardly meant to be held in memory.
    fn refuse_bomb(&self, unpacked: usize) -> Result<()> {
        let packed = self.gzip.as_ref().map_or(u64::MAX, |packed| packed.load(Ordering::Relaxed));
        if unpacked <= MOST_UNPACKED || unpacked as u64 / MOST_TIMES <= packed {
            return Ok(());
        }
        let what = format!(
            "the gzip file unpacks to more than {MOST_TIMES} times its size: to all appearances nothing \
             but empty lines or the like"
        );
        Err(Error::input(Place::file(&self.file), what)
            .with_hint("unpack it with `gunzip` first if it is meant so"))
    }

    /// Looks at the first bytes without taking them.
    pub(crate) fn peek(&mut self) -> Result<Vec<u8>> {
        let mut first = Vec::with_capacity(LOOKED_AT);
        self.fill(&mut first, LOOKED_AT)?;
        let rest = std::mem::replace(&mut self.reader, Box::new(std::io::empty()));
        self.reader = Box::new(Cursor::new(first.clone()).chain(rest));
        Ok(first)
    }
}

/// Opens a path; `-` is standard input and `sample:NAME` a built-in sample.
pub(crate) fn open(path: &Path) -> Result<Content> {
    let file = path.display().to_string();
    if file == "-" {
        return sniff(Stream::new("standard input", std::io::stdin()), path, false);
    }
    if let Some(name) = file.strip_prefix("sample:") {
        let bytes = sample(name)?.bytes;
        return sniff(Stream::new(file, bytes).of_size(bytes.len()), path, false);
    }
    let (opened, size) = open_file(path)?;
    sniff(Stream::new(file, opened).of_size(size), path, true)
}

/// All bytes of a path, unpacked, and the file as the user named it.
pub(crate) fn whole(path: &Path) -> Result<(String, Vec<u8>)> {
    match open(path)? {
        Content::Text(mut stream) => {
            let bytes = stream.read_all()?;
            Ok((stream.file, bytes))
        }
        Content::Parquet(_) => {
            Err(Error::input(Place::file(path.display().to_string()), "a Parquet file is not read here"))
        }
    }
}

/// The first bytes of a file, unpacked. What can't be read twice (standard input, a pipe) is not looked at.
pub(crate) fn first_bytes(path: &Path, most: usize) -> Option<Vec<u8>> {
    let Content::Text(mut stream) = path.is_file().then(|| open(path).ok())?? else { return None };
    let mut first = Vec::new();
    stream.fill(&mut first, most).ok().map(|_| first)
}

/// The same for bytes in memory.
pub(crate) fn from_bytes(name: &str, bytes: &[u8]) -> Result<Content> {
    let stream = Stream::new(name, Cursor::new(bytes.to_vec())).of_size(bytes.len());
    sniff(stream, Path::new(name), false)
}

fn open_file(path: &Path) -> Result<(File, usize)> {
    let place = || Place::file(path.display().to_string());
    let wrap = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::input(place(), "there is no such file").with_hint(match neighbour(path) {
                Some(name) => format!("did you mean `{name}`?"),
                None => "check the name and the folder; `-` is standard input".into(),
            })
        }
        _ => Error::io(path, error),
    };
    let file = File::open(path).map_err(wrap)?;
    let about = file.metadata().map_err(wrap)?;
    if about.is_dir() {
        return Err(Error::input(place(), "this is a folder, not a file").with_hint("name one file in it"));
    }
    Ok((file, usize::try_from(about.len()).unwrap_or(0)))
}

/// A file in the same folder whose name is nearly the one asked for.
fn neighbour(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).ok()?;
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    let wanted = path.file_name()?.to_str()?;
    let near = nearest(wanted, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).display().to_string())
}

fn is_gzip_name(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}

/// Whether bytes begin like a model's file: the length of its header in eight bytes, of which no text has the last
/// four, and the header.
fn is_model(first: &[u8]) -> bool {
    first.get(4..LOOKED_AT) == Some(b"\0\0\0\0{")
}

/// Finds out by the first bytes what a stream holds, and checks that against the ending of its name.
/// `is_file` says that the path leads to a file which can be opened again.
fn sniff(mut stream: Stream, path: &Path, is_file: bool) -> Result<Content> {
    let mut first = stream.peek()?;
    if first.starts_with(&[0x1f, 0x8b]) {
        let rest = std::mem::replace(&mut stream.reader, Box::new(std::io::empty()));
        let packed = Arc::new(AtomicU64::new(0));
        stream.reader = Box::new(MultiGzDecoder::new(Counted { inner: rest, count: Arc::clone(&packed) }));
        (stream.gzip, stream.size) = (Some(packed), stream.size.saturating_mul(4).min(MOST_GUESSED));
        first = stream.peek()?;
    } else if is_gzip_name(path) {
        return Err(Error::input(
            Place::file(&stream.file),
            "this is not a gzip file, though its name ends so",
        )
        .with_hint("rename it, or pack it with `gzip`"));
    }
    if is_model(&first) {
        return Err(Error::input(Place::file(&stream.file), "this is a model and not a table")
            .with_hint(Act::ShowModel));
    }
    if first.starts_with(b"PAR1") {
        let file = if is_file && stream.gzip.is_none() { open_file(path)?.0 } else { spool(stream)? };
        return Ok(Content::Parquet(file));
    }
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
        return Err(Error::input(
            Place::file(&stream.file),
            "this is not a Parquet file, though its name ends so",
        )
        .with_hint("rename it by what it is, such as `.csv`"));
    }
    Ok(Content::Text(stream))
}

/// Copies a stream to a temporary file that vanishes by itself: Parquet is read from its end.
pub(crate) fn spool(mut stream: Stream) -> Result<File> {
    let folder = std::env::temp_dir();
    let wrap = |error| Error::io(&folder, error);
    let mut file = tempfile::tempfile().map_err(wrap)?;
    let (mut block, mut copied) = (Vec::new(), 0);
    while stream.fill(&mut block, 1 << 20)? > 0 {
        file.write_all(&block).map_err(wrap)?;
        copied += block.len();
        stream.refuse_bomb(copied)?;
        block.clear();
    }
    file.rewind().map_err(wrap)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Arrays;

    #[test]
    fn a_model_given_as_a_table_is_called_one() {
        let model = Arrays::default().to_bytes(&serde_json::json!({ "kind": "predictor" })).unwrap();
        let error = from_bytes("m.csv", &model).err().unwrap();
        assert_eq!(error.to_string(), "m.csv: this is a model and not a table");
        for text in ["", "a", "a,b\n1,2\n", "{\"a\": 1}\n"] {
            let Ok(Content::Text(mut stream)) = from_bytes("t.csv", text.as_bytes()) else {
                panic!("{text}")
            };
            let mut bytes = Vec::new();
            stream.fill(&mut bytes, usize::MAX).unwrap();
            assert_eq!(bytes, text.as_bytes(), "looking takes nothing away");
        }
    }
}
