//! A folder of unfinished work. A file in it is named after the work that it is of, so that several runs can share the
//! folder; and a run deletes what it used itself, never anything else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The file by which a folder that was made here is known again, and what it says to whoever looks.
const MARK: &str = "what-this-is.txt";
const WORDS: &str = "Unfinished work of unmiss, from which the same command goes on. It is deleted when that work is \
    done; if no such command is to be run again, the folder can be deleted.\n";

/// What a run keeps of its unfinished work, and where.
#[derive(Debug)]
pub(super) struct Checkpoints {
    folder: PathBuf,
    /// Files that this run has asked for.
    used: Mutex<BTreeSet<PathBuf>>,
    /// Whether it was told that nothing can be kept.
    told: AtomicBool,
}

impl Checkpoints {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), used: Mutex::default(), told: AtomicBool::new(false) }
    }

    /// The file for a piece of work. From now on it is one of those that this run takes away in the end.
    pub(super) fn file(&self, task: &str, work: &str, ending: &str) -> PathBuf {
        let path = self.folder.join(format!("{}-{work}.{ending}", file_name(task)));
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
        path
    }

    /// Takes away what this run has used for parts of a task that is done as a whole.
    pub(super) fn forget(&self, task: &str, ending: &str) {
        let name = file_name(task);
        let is_part = |path: &PathBuf| {
            let own = path.file_name().is_some_and(|own| own.to_string_lossy().starts_with(&name));
            own && path.extension().is_some_and(|own| own == ending)
        };
        self.used.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| {
            let part = is_part(path);
            if part {
                // What is left behind does no harm.
                let _ = fs::remove_file(path);
            }
            !part
        });
    }

    /// Makes the folder, also where another run, which was done, has just taken it away. One that somebody else made
    /// gets no mark.
    pub(super) fn make(&self) -> std::io::Result<()> {
        match fs::create_dir(&self.folder) {
            Ok(()) => fs::write(self.folder.join(MARK), WORDS),
            Err(_) if self.folder.is_dir() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether this is the first time that it is told.
    pub(super) fn tells_first(&self) -> bool {
        !self.told.swap(true, Ordering::Relaxed)
    }

    /// Takes away what this run has used, and the folder if it was made here and holds nothing else.
    pub(super) fn clear(&self) {
        for path in std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner)) {
            // What is left behind does no harm.
            let _ = fs::remove_file(path);
        }
        let mark = self.folder.join(MARK);
        let ours = fs::read_to_string(&mark).is_ok_and(|words| words == WORDS);
        let alone = || fs::read_dir(&self.folder).is_ok_and(|files| files.count() == 1);
        if ours && alone() {
            let _ = fs::remove_file(mark).and_then(|()| fs::remove_dir(&self.folder));
        }
    }
}

/// A task's name as a part of a file's.
fn file_name(task: &str) -> String {
    task.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn runs_that_share_a_folder_take_away_their_own_files_alone() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("kept");
        let (one, other) = (Checkpoints::new(&folder), Checkpoints::new(&folder));
        for (checkpoints, work) in [(&one, "1"), (&other, "2")] {
            checkpoints.make().unwrap();
            fs::write(checkpoints.file("fold 1", work, "fold"), work).unwrap();
        }
        one.clear();
        assert_eq!(names(&folder), ["fold-1-2.fold", MARK]);
        other.clear();
        assert!(!folder.exists());
        // A run that still works makes the folder again.
        one.make().unwrap();
        assert_eq!(names(&folder), [MARK]);
    }

    #[test]
    fn parts_of_what_is_done_go_and_others_stay() {
        let place = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::new(&place.path().join("kept"));
        checkpoints.make().unwrap();
        for (task, ending) in
            [("fold 1 of 2, a", "training"), ("fold 2 of 2, a", "training"), ("fold 1 of 2", "fold")]
        {
            fs::write(checkpoints.file(task, "7", ending), "").unwrap();
        }
        checkpoints.forget("fold 1 of 2", "training");
        assert_eq!(
            names(&place.path().join("kept")),
            ["fold-1-of-2-7.fold", "fold-2-of-2--a-7.training", MARK]
        );
    }

    #[test]
    fn a_folder_that_somebody_else_made_stays() {
        for content in [None, Some("thesis.txt"), Some(MARK)] {
            let folder = tempfile::tempdir().unwrap();
            if let Some(name) = content {
                fs::write(folder.path().join(name), "mine").unwrap();
            }
            let checkpoints = Checkpoints::new(folder.path());
            checkpoints.make().unwrap();
            fs::write(checkpoints.file("fold 1", "1", "fold"), "").unwrap();
            checkpoints.clear();
            assert_eq!(names(folder.path()), Vec::from_iter(content));
        }
    }
}
