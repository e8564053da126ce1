//! A sum at the end of a file, by which a bit that was changed on the way is found. Files of unfinished work have one:
//! from damaged numbers a fit would go on to another model without a word.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use flate2::Crc;
use serde_json::Value;

use super::{Arrays, write_whole};
use crate::error::{Error, Result};

/// Bytes of the sum.
pub(super) const LENGTH: u64 = 4;

/// Puts the sum at the end of a file that has none.
pub(super) fn seal(path: &Path) -> std::io::Result<()> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let sum = sum(&mut file)?;
    file.seek(SeekFrom::End(0))?;
    file.write_all(&sum.to_le_bytes())
}

/// Whether a file's sum is that of what stands before it.
pub(super) fn is_whole(file: &mut File) -> std::io::Result<bool> {
    let Some(length) = file.metadata()?.len().checked_sub(LENGTH) else { return Ok(false) };
    file.seek(SeekFrom::Start(0))?;
    let found = sum(&mut file.take(length))?;
    let mut said = [0; LENGTH as usize];
    file.read_exact(&mut said)?;
    Ok(found.to_le_bytes() == said)
}

/// The sum of all that a reader gives.
fn sum(reader: &mut impl Read) -> std::io::Result<u32> {
    let (mut sum, mut piece) = (Crc::new(), vec![0; 1 << 16]);
    loop {
        match reader.read(&mut piece)? {
            0 => return Ok(sum.sum()),
            count => sum.update(&piece[..count]),
        }
    }
}

/// What is said of a file whose sum is another one.
pub(super) fn broken(path: &Path) -> Error {
    Error::model(path, "the file is damaged: its sum is not that of its content")
}

impl Arrays {
    /// Writes arrays and header to a file with a sum at its end, all or nothing.
    ///
    /// # Errors
    /// When the file can't be written.
    pub(crate) fn write_sealed(&self, path: &Path, header: &Value) -> Result<()> {
        let mut bytes = self.to_bytes(header)?;
        let mut sum = Crc::new();
        sum.update(&bytes);
        bytes.extend(sum.sum().to_le_bytes());
        write_whole(path, &bytes)
    }

    /// Reads header and arrays of a file with a sum.
    ///
    /// # Errors
    /// When the file can't be read or a bit of it is not what was written.
    pub(crate) fn read_sealed(path: &Path) -> Result<(Value, Self)> {
        let bytes = std::fs::read(path).map_err(|error| Error::io(path, error))?;
        let (content, said) = bytes.split_last_chunk::<{ LENGTH as usize }>().ok_or_else(|| broken(path))?;
        let mut sum = Crc::new();
        sum.update(content);
        if sum.sum().to_le_bytes() != *said {
            return Err(broken(path));
        }
        Self::from_bytes(content).map_err(|what| Error::model(path, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Slices, write_slices};

    /// Every bit of a file is changed in turn.
    fn changed(good: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
        (0..8 * good.len()).map(|bit| {
            let mut bad = good.to_vec();
            bad[bit / 8] ^= 1 << (bit % 8);
            bad
        })
    }

    #[test]
    fn any_bit_that_changes_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("work.fold");
        let mut arrays = Arrays::default();
        arrays.put_doubles("predictions", &[2], vec![1.5, -0.0]);
        let header = serde_json::json!({ "work": "17" });
        arrays.write_sealed(&path, &header).unwrap();
        assert_eq!(Arrays::read_sealed(&path).unwrap(), (header.clone(), arrays));
        for bad in changed(&std::fs::read(&path).unwrap()) {
            std::fs::write(&path, bad).unwrap();
            assert!(Arrays::read_sealed(&path).is_err());
        }
        let mut numbers = [1.0, 2.5];
        write_slices(&path, &header, vec![("now/w".into(), &mut numbers)]).unwrap();
        let opened = |path: &Path| Slices::open(path).and_then(|mut file| file.check_sum());
        opened(&path).unwrap();
        for bad in changed(&std::fs::read(&path).unwrap()) {
            std::fs::write(&path, bad).unwrap();
            assert!(opened(&path).is_err());
        }
    }
}
