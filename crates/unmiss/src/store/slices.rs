//! Numbers that lie where they are used, to a file of arrays and back: nothing is copied on the way.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, View};
use serde::Deserialize;
use serde_json::Value;

use super::{HEADER_KEY, Listed, seal};
use crate::error::{Error, Result};

/// Numbers in memory under a name.
pub(crate) type Named<'a> = (String, &'a mut [f32]);

struct Lent<'a>(&'a [f32], [usize; 1]);

impl View for Lent<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }
    fn shape(&self) -> &[usize] {
        &self.1
    }
    fn data(&self) -> Cow<'_, [u8]> {
        match cfg!(target_endian = "little") {
            true => bytemuck::cast_slice(self.0).into(),
            false => self.0.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>().into(),
        }
    }
    fn data_len(&self) -> usize {
        self.0.len() * 4
    }
}

/// Writes numbers and a header to a file with a sum at its end, all or nothing.
pub(crate) fn write_slices(path: &Path, header: &Value, slices: Vec<Named<'_>>) -> Result<()> {
    let metadata = HashMap::from([(HEADER_KEY.to_owned(), header.to_string())]);
    let lent = slices.into_iter().map(|(name, numbers)| {
        let count = numbers.len();
        (name, Lent(numbers, [count]))
    });
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = tempfile::NamedTempFile::new_in(folder).map_err(|error| Error::io(path, error))?;
    let _listed = Listed::new(beside.path());
    safetensors::serialize_to_file(lent, Some(metadata), beside.path())
        .map_err(|error| Error::model(path, error.to_string()))?;
    seal::seal(beside.path()).map_err(|error| Error::io(path, error))?;
    beside.persist(path).map(drop).map_err(|error| Error::io(path, error.error))
}

/// A file of numbers whose header has been read.
pub(crate) struct Slices {
    /// Our header.
    pub header: Value,
    path: PathBuf,
    file: File,
    /// Where the numbers begin.
    start: u64,
    places: HashMap<String, Place>,
}

#[derive(Deserialize)]
struct Place {
    dtype: String,
    data_offsets: [u64; 2],
}

impl Slices {
    /// Opens a file.
    ///
    /// # Errors
    /// When it can't be read or is damaged.
    pub fn open(path: &Path) -> Result<Self> {
        let damaged = |what: &str| Error::model(path, format!("not a readable unmiss file ({what})"));
        let io = |error| Error::io(path, error);
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len().saturating_sub(seal::LENGTH);
        let mut size = [0; 8];
        file.read_exact(&mut size).map_err(|_| damaged("it is cut off"))?;
        let start = u64::from_le_bytes(size).saturating_add(8);
        if start > length {
            return Err(damaged("it is cut off"));
        }
        let mut head = vec![0; start as usize - 8];
        file.read_exact(&mut head).map_err(io)?;
        let mut head: serde_json::Map<String, Value> =
            serde_json::from_slice(&head).map_err(|_| damaged("it has no header"))?;
        let metadata = head.remove("__metadata__").unwrap_or_default();
        let header = metadata[HEADER_KEY].as_str().and_then(|text| serde_json::from_str(text).ok());
        let header = header.ok_or_else(|| damaged("it has no unmiss header"))?;
        let places: HashMap<String, Place> =
            serde_json::from_value(head.into()).map_err(|error| damaged(&error.to_string()))?;
        let end = places.values().map(|place| place.data_offsets[1]).max().unwrap_or(0);
        if start.checked_add(end) != Some(length) {
            return Err(damaged("it is cut off"));
        }
        Ok(Self { header, path: path.to_owned(), file, start, places })
    }

    /// Whether the file is as it was written, to the bit.
    ///
    /// # Errors
    /// When it is not, or can't be read.
    pub fn check_sum(&mut self) -> Result<()> {
        match seal::is_whole(&mut self.file).map_err(|error| Error::io(&self.path, error))? {
            true => Ok(()),
            false => Err(seal::broken(&self.path)),
        }
    }

    /// Whether all these are in the file, with as many numbers.
    ///
    /// # Errors
    /// When they are not.
    pub fn check(&self, slices: &[Named<'_>]) -> Result<()> {
        let fits = |name: &str, count: usize| {
            let place = self.places.get(name).filter(|place| place.dtype == "F32")?;
            let [from, to] = place.data_offsets;
            (to.checked_sub(from)? == 4 * count as u64).then_some(())
        };
        match slices.iter().find(|(name, numbers)| fits(name, numbers.len()).is_none()) {
            Some((name, _)) => Err(Error::model(&self.path, format!("array `{name}` is not as expected"))),
            None => Ok(()),
        }
    }

    /// Reads numbers into their places, after [`check`](Self::check).
    ///
    /// # Errors
    /// When the file can't be read; some numbers may have been read by then.
    pub fn read(&mut self, slices: Vec<Named<'_>>) -> Result<()> {
        for (name, numbers) in slices {
            let from = self.start + self.places.get(&name).map_or(0, |place| place.data_offsets[0]);
            let read = self.file.seek(SeekFrom::Start(from));
            let read = read.and_then(|_| self.file.read_exact(bytemuck::cast_slice_mut(numbers)));
            read.map_err(|error| Error::io(&self.path, error))?;
            numbers.iter_mut().for_each(|x| *x = f32::from_bits(u32::from_le(x.to_bits())));
        }
        Ok(())
    }
}
