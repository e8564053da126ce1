//! Named arrays in one file: safetensors with a JSON header, and writing that loses nothing.
//!
//! A file is data: reading it runs no code, checks every size against the file's length before memory is
//! taken, and refuses what it does not know. A file is written beside its place and renamed, so that a
//! crash leaves the old file or the new one, never half of one.

mod temporary;
mod hash;
mod output;
mod seal;
mod slices;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use safetensors::tensor::{Dtype, SafeTensors, TensorView, View};
use serde_json::Value;

pub use hash::sha256;
pub use output::{Output, is_plain, is_same_file, is_standard_output, write_whole};

use crate::error::{Error, Result};
pub(crate) use slices::{Named, Slices, write_slices};
pub(crate) use temporary::Listed;
pub use temporary::take_away_unfinished;

/// The safetensors metadata key under which the JSON header stands.
const HEADER_KEY: &str = "unmiss";

/// One array: numbers row by row, or plain bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    shape: Vec<usize>,
    data: Data,
}

#[derive(Debug, Clone, PartialEq)]
enum Data {
    Singles(Vec<f32>),
    Doubles(Vec<f64>),
    Bytes(Vec<u8>),
}

impl View for &Array {
    fn dtype(&self) -> Dtype {
        match self.data {
            Data::Singles(_) => Dtype::F32,
            Data::Doubles(_) => Dtype::F64,
            Data::Bytes(_) => Dtype::U8,
        }
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        match &self.data {
            // Where numbers lie in memory as they do in the file, they need not be copied.
            Data::Singles(data) if cfg!(target_endian = "little") => bytemuck::cast_slice(data).into(),
            Data::Doubles(data) if cfg!(target_endian = "little") => bytemuck::cast_slice(data).into(),
            Data::Singles(data) => data.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>().into(),
            Data::Doubles(data) => data.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>().into(),
            Data::Bytes(data) => data.into(),
        }
    }
    fn data_len(&self) -> usize {
        match &self.data {
            Data::Singles(data) => data.len() * 4,
            Data::Doubles(data) => data.len() * 8,
            Data::Bytes(data) => data.len(),
        }
    }
}

/// Arrays by name. Clones and parts share the numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Arrays(BTreeMap<String, Arc<Array>>);

impl Arrays {
    fn put(&mut self, name: String, array: Array) {
        self.0.insert(name, Arc::new(array));
    }

    fn get(&self, name: &str) -> Option<&Array> {
        self.0.get(name).map(Arc::as_ref)
    }

    /// Puts single-precision numbers under a name.
    pub fn put_singles(&mut self, name: impl Into<String>, shape: &[usize], data: Vec<f32>) {
        self.put(name.into(), Array { shape: shape.to_vec(), data: Data::Singles(data) });
    }

    /// Puts double-precision numbers under a name.
    pub fn put_doubles(&mut self, name: impl Into<String>, shape: &[usize], data: Vec<f64>) {
        self.put(name.into(), Array { shape: shape.to_vec(), data: Data::Doubles(data) });
    }

    /// Puts bytes under a name.
    pub fn put_bytes(&mut self, name: impl Into<String>, data: Vec<u8>) {
        self.put(name.into(), Array { shape: vec![data.len()], data: Data::Bytes(data) });
    }

    /// Takes over another set of arrays, with a prefix before each name.
    pub fn put_all(&mut self, prefix: &str, others: Arrays) {
        self.0.extend(others.0.into_iter().map(|(name, array)| (format!("{prefix}{name}"), array)));
    }

    /// The arrays whose names start with a prefix, under the rest of their names.
    #[must_use]
    pub fn with_prefix(&self, prefix: &str) -> Self {
        let rest = |(name, array): (&String, &Arc<Array>)| {
            name.strip_prefix(prefix).map(|rest| (rest.to_owned(), Arc::clone(array)))
        };
        Self(self.0.iter().filter_map(rest).collect())
    }

    /// Whether there is no array.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names, in alphabetical order, with their shapes.
    pub fn names(&self) -> impl Iterator<Item = (&str, &[usize])> {
        self.0.iter().map(|(name, array)| (name.as_str(), array.shape.as_slice()))
    }

    /// The shape of an array, if there is one of that name.
    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.get(name).map(|array| array.shape.as_slice())
    }

    /// Single-precision numbers of an expected shape; the error says what is there instead.
    ///
    /// # Errors
    /// When there is no such array or it has another type or shape.
    pub fn singles(&self, name: &str, shape: &[usize]) -> Result<&[f32]> {
        match self.get(name) {
            Some(Array { shape: found, data: Data::Singles(data) }) if found == shape => Ok(data),
            found => Err(unexpected(name, shape, found)),
        }
    }

    /// A lone single-precision number that must be finite.
    ///
    /// # Errors
    /// When there is no such array, it has another type or shape, or its number is not finite.
    pub fn finite_single(&self, name: &str) -> Result<f32> {
        let value = self.singles(name, &[1])?[0];
        if value.is_finite() {
            return Ok(value);
        }
        Err(Error::data(format!("array `{name}` has a number that is not finite"))
            .with_hint("the file is damaged; fit the model again"))
    }

    /// Double-precision numbers of an expected shape.
    ///
    /// # Errors
    /// When there is no such array or it has another type or shape.
    pub fn doubles(&self, name: &str, shape: &[usize]) -> Result<&[f64]> {
        match self.get(name) {
            Some(Array { shape: found, data: Data::Doubles(data) }) if found == shape => Ok(data),
            found => Err(unexpected(name, shape, found)),
        }
    }

    /// Bytes.
    ///
    /// # Errors
    /// When there is no such array or it holds numbers.
    pub fn bytes(&self, name: &str) -> Result<&[u8]> {
        match self.get(name) {
            Some(Array { data: Data::Bytes(data), .. }) => Ok(data),
            found => Err(unexpected(name, &[], found)),
        }
    }

    /// Writes arrays and header to a file, all or nothing.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn write(&self, path: &Path, header: &Value) -> Result<()> {
        let bytes = self.to_bytes(header).map_err(|error| Error::model(path, error.to_string()))?;
        write_whole(path, &bytes)
    }

    /// The bytes of the file that [`Arrays::write`] writes.
    ///
    /// # Errors
    /// When arrays can't be put into a file.
    pub fn to_bytes(&self, header: &Value) -> Result<Vec<u8>> {
        let metadata = HashMap::from([(HEADER_KEY.to_owned(), header.to_string())]);
        let arrays = self.0.iter().map(|(name, array)| (name, array.as_ref()));
        safetensors::serialize(arrays, Some(metadata)).map_err(|error| Error::data(error.to_string()))
    }

    /// Reads header and arrays of a file.
    ///
    /// # Errors
    /// When the file can't be read, is damaged or is not one of ours.
    pub fn read(path: &Path) -> Result<(Value, Self)> {
        let bytes = std::fs::read(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::model(path, "there is no such file"),
            ErrorKind::IsADirectory => Error::model(path, "this is a folder, not a file"),
            _ => Error::io(path, error),
        })?;
        Self::from_bytes(&bytes).map_err(|what| {
            Error::model(path, format!("not a readable unmiss file ({what})"))
                .with_hint("the file is damaged or was not written by unmiss; fit the model again")
        })
    }

    /// Header and arrays of a file's bytes, or a word on what is wrong with them.
    ///
    /// # Errors
    /// When the bytes are not a safetensors file with our header.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<(Value, Self), String> {
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|error| error.to_string())?;
        let header = metadata.metadata().as_ref().and_then(|entries| entries.get(HEADER_KEY));
        let header = header.ok_or("it has no unmiss header")?;
        let header = serde_json::from_str(header).map_err(|error| format!("its header: {error}"))?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|error| error.to_string())?;
        let arrays = tensors.iter().map(|(name, view)| Ok((name.to_owned(), Arc::new(array(name, &view)?))));
        Ok((header, Self(arrays.collect::<std::result::Result<_, String>>()?)))
    }
}

fn array(name: &str, view: &TensorView<'_>) -> std::result::Result<Array, String> {
    let data = match view.dtype() {
        Dtype::F32 => Data::Singles(numbers(view.data(), f32::from_le_bytes)),
        Dtype::F64 => Data::Doubles(numbers(view.data(), f64::from_le_bytes)),
        Dtype::U8 => Data::Bytes(view.data().to_vec()),
        other => return Err(format!("array `{name}` has the unknown type {other:?}")),
    };
    Ok(Array { shape: view.shape().to_vec(), data })
}

fn numbers<T, const N: usize>(bytes: &[u8], convert: impl Fn([u8; N]) -> T) -> Vec<T> {
    let (chunks, _) = bytes.as_chunks::<N>();
    chunks.iter().map(|chunk| convert(*chunk)).collect()
}

fn unexpected(name: &str, shape: &[usize], found: Option<&Array>) -> Error {
    let what = match found {
        None => format!("array `{name}` is missing from the file"),
        Some(array) => format!("array `{name}` has shape {:?}, expected {shape:?}", array.shape),
    };
    Error::data(what).with_hint("the file is damaged or was written by another version of the program")
}

#[cfg(test)]
mod tests;
