//! The models that are served, and what happens when their files are replaced: a sound new file takes the place of the
//! old model between two requests, a damaged one leaves the old model where it is and is told of.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use unmiss::data::{BatchOptions, CellReader, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::model::Model;

use crate::metrics::{Holes, Metrics};

/// A model with what its requests need, made ready once.
pub struct Served {
    /// The name it is asked for.
    pub name: String,
    /// The model.
    pub model: Model,
    /// How tables of rows are read for it; none for other shapes.
    pub options: Option<BatchOptions>,
    /// How cells of its columns are read, in the order of its inputs.
    pub readers: Vec<CellReader>,
    /// Columns that rows may well have: inputs, the target, columns that were ignored.
    pub known: HashSet<String>,
    /// Counts what is missing in its rows.
    holes: OnceLock<Holes>,
    /// When it was loaded.
    loaded: SystemTime,
    /// What its file looked like then.
    stamp: Option<Stamp>,
}

/// By what a replaced file is told.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stamp {
    length: u64,
    changed: Option<SystemTime>,
    /// The file's number, where the system has one: a file moved into place may be as old and as long.
    number: u64,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let about = std::fs::metadata(path).ok()?;
        Some(Self { length: about.len(), changed: about.modified().ok(), number: number_of(&about) })
    }
}

#[cfg(unix)]
fn number_of(about: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(about)
}

#[cfg(not(unix))]
fn number_of(_: &std::fs::Metadata) -> u64 {
    0
}

impl Served {
    fn load(name: &str, path: &Path) -> Result<Self> {
        // Looked at before it is read: what is written meanwhile is seen next time.
        let stamp = Stamp::of(path);
        let model = Model::load(path)?;
        if model.shape() == Shape::Series {
            let what = format!(
                "`{}` is a model of series, and there is no way yet to ask for those over HTTP",
                path.display()
            );
            let hint = "use `unmiss predict` or `unmiss impute`, or the Python package, on files of series";
            return Err(Error::data(what).with_hint(hint));
        }
        let (mut options, mut readers) = (None, Vec::new());
        if model.shape() == Shape::Table {
            let own = model.batch_options()?;
            let reader = |name: &str| {
                let kind = own.kinds.get(name).copied().or(own.others)?;
                Some(CellReader::new(name, kind, &own.missing))
            };
            readers = model.needed_columns().into_iter().filter_map(reader).collect();
            options = Some(own);
        }
        let mut known: HashSet<String> = readers.iter().map(|reader| reader.name.clone()).collect();
        if let Ok(predicting) = model.predicting() {
            known.insert(predicting.target.name.clone());
            known.extend(predicting.roles.ignore.iter().cloned());
        }
        let (name, holes, loaded) = (name.to_owned(), OnceLock::new(), SystemTime::now());
        Ok(Self { name, model, options, readers, known, holes, loaded, stamp })
    }

    /// What can be asked of it.
    pub fn routes(&self) -> &'static [&'static str] {
        match (self.model.job(), self.model.shape()) {
            (Job::Predict, Shape::Table) => &["predict", "describe", "audit"],
            (Job::Predict, _) => &["predict"],
            (Job::Fill, Shape::Table) => &["fill", "describe"],
            (Job::Fill, _) => &["fill"],
            (Job::Rate, _) => &["predict", "top"],
            (Job::Density, _) => &["score"],
        }
    }

    /// Counters of what is missing in its rows, made when they are first needed.
    pub fn holes(&self, metrics: &Metrics) -> Holes {
        self.holes.get_or_init(|| metrics.holes(self)).clone()
    }

    /// Seconds since 1970 at which it was loaded.
    pub fn loaded(&self) -> u64 {
        self.loaded.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
    }
}

/// A place for one model.
pub struct Slot {
    /// The name it is asked for.
    pub name: String,
    path: PathBuf,
    current: RwLock<Arc<Served>>,
    trouble: Mutex<Option<Trouble>>,
}

/// A new file that could not take the model's place.
struct Trouble {
    what: String,
    stamp: Option<Stamp>,
}

impl Slot {
    /// The model, which stays what it is for whoever has it.
    pub fn model(&self) -> Arc<Served> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Why a new file could not take the model's place, if there is one.
    pub fn trouble(&self) -> Option<String> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.as_ref().map(|trouble| trouble.what.clone())
    }

    /// What is told of it.
    pub fn facts(&self) -> Value {
        let served = self.model();
        let model = &served.model;
        json!({
            "name": self.name,
            "job": model.job(),
            "shape": model.shape(),
            "method": model.recipe.method.name(),
            "columns": model.coder.names().len(),
            "learned_from": model.summary.rows,
            "routes": served.routes().iter().map(|route| format!("/models/{}/{route}", self.name)).collect::<Vec<_>>(),
            "loaded": served.loaded(),
            "trouble": self.trouble(),
        })
    }

    /// Looks at the file, and loads it if it is another one than before. Says what happened.
    fn refresh(&self) -> Option<Refreshed> {
        let now = Stamp::of(&self.path);
        let seen = {
            let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
            trouble.as_ref().map_or(self.model().stamp, |trouble| trouble.stamp)
        };
        if now == seen {
            return None;
        }
        let loaded = Served::load(&self.name, &self.path);
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        match loaded {
            Ok(new) => {
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
                *trouble = None;
                Some(Refreshed { name: self.name.clone(), kept: None })
            }
            Err(error) => {
                let what = error.to_string();
                *trouble = Some(Trouble { what: what.clone(), stamp: now });
                Some(Refreshed { name: self.name.clone(), kept: Some(what) })
            }
        }
    }
}

/// A file that was replaced.
pub struct Refreshed {
    /// The model's name.
    pub name: String,
    /// Why the old model stays; none where the new one took its place.
    pub kept: Option<String>,
}

/// All models.
pub struct Shelf {
    /// In the order in which they were named.
    pub slots: Vec<Slot>,
}

impl Shelf {
    /// Loads all models.
    ///
    /// # Errors
    /// When there is none, or one can't be loaded.
    pub fn load(models: &[(String, PathBuf)]) -> Result<Self> {
        if models.is_empty() {
            return Err(Error::setting("models", "there is none to serve").with_hint("name a model's file"));
        }
        let slot = |(name, path): &(String, PathBuf)| {
            let served = Arc::new(Served::load(name, path)?);
            let (name, path, current) = (name.clone(), path.clone(), RwLock::new(served));
            Ok(Slot { name, path, current, trouble: Mutex::new(None) })
        };
        Ok(Self { slots: models.iter().map(slot).collect::<Result<_>>()? })
    }

    /// The place of a model.
    pub fn find(&self, name: &str) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.name == name)
    }

    /// Looks at all files.
    pub fn refresh(&self) -> Vec<Refreshed> {
        self.slots.iter().filter_map(Slot::refresh).collect()
    }
}

/// Looks at the files again and again; `tell` hears of every file that was replaced.
pub async fn watch(shelf: Arc<Shelf>, every: Duration, tell: impl Fn(&Refreshed) + Send + Sync + 'static) {
    let tell = Arc::new(tell);
    loop {
        tokio::time::sleep(every).await;
        let (shelf, tell) = (Arc::clone(&shelf), Arc::clone(&tell));
        // Loading takes as long as it takes; nobody who asks meanwhile waits for it.
        let looked = tokio::task::spawn_blocking(move || shelf.refresh().iter().for_each(|new| tell(new)));
        // A panic while loading must not end the watch; the old model stays.
        drop(looked.await);
    }
}
