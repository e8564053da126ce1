//! What is being written under a temporary name, so that a program that has to end at once can take it away.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static LISTED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn listed() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    LISTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file or folder on the list, until this is dropped.
pub(crate) struct Listed(PathBuf);

impl Listed {
    pub(crate) fn new(path: &Path) -> Self {
        listed().insert(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        listed().remove(&self.0);
    }
}

/// Takes away all files and folders that are being written under a temporary name. For a program that ends in the midst
/// of work, by a signal, say: whoever writes them finds them gone.
pub fn take_away_unfinished() {
    for path in listed().iter() {
        // What can't be taken away stays: there is nobody left to tell.
        let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
}
