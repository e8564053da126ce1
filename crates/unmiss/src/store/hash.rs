//! The sum of a file's bytes, by which others know it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};

/// SHA-256 of a plain file, as `sha256sum` writes it.
///
/// # Errors
/// When it is no plain file, or can't be read.
pub fn sha256(path: &Path) -> Result<String> {
    let failed = |error| Error::io(path, error);
    let mut file = File::open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(failed(std::io::Error::other("this is no plain file")));
    }
    let (mut sum, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut piece).map_err(failed)? {
            0 => break,
            count => sum.update(&piece[..count]),
        }
    }
    Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf abc | sha256sum`
    #[test]
    fn the_sum_is_the_one_that_everybody_writes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&path).unwrap(), expected);
        assert!(sha256(folder.path()).is_err());
    }
}
