//! A compiled expression of Polars: a struct of a model's inputs in, a struct of its answers out, without Python and on
//! as many threads as Polars wants.
//!
//! Polars calls functions of C by their names and hands columns over as the C data interface of Arrow says (version 0.1
//! of its interface for plugins). That is little enough to be written here: the crates of Polars would be built with
//! this one, each version of Polars anew.

mod layout;
mod incoming;
mod outgoing;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CString, c_char};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use serde::Deserialize;
use unmiss::data::{Data, Table};
use unmiss::error::{Error, Result};
use unmiss::model::Model;

use crate::align::aligned;
use layout::{ArrowSchema, SeriesExport};
use outgoing::Kind;

/// The version of the interface: 0 in the upper half, 1 in the lower.
const VERSION: u32 = 1;

/// What is asked: a model, and at which level its intervals hold.
#[derive(Deserialize)]
struct Asked {
    path: PathBuf,
    level: Option<f64>,
}

/// When a file was written and how long it is.
type Stamp = (SystemTime, u64);

/// A model as its file was at a time.
type Known = (Stamp, Arc<Model>);

/// Models by path, read again when their files have changed.
static MODELS: LazyLock<Mutex<HashMap<PathBuf, Known>>> = LazyLock::new(Mutex::default);

thread_local! {
    /// What went wrong last on this thread, for Polars to fetch.
    static FAULT: RefCell<CString> = RefCell::default();
}

fn model(path: &Path) -> Result<Arc<Model>> {
    let found = std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
    let stamp = (found.modified().unwrap_or(SystemTime::UNIX_EPOCH), found.len());
    let mut models = MODELS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, model)) = models.get(path).filter(|(known, _)| *known == stamp) {
        return Ok(Arc::clone(model));
    }
    let model = Arc::new(Model::load(path)?);
    models.insert(path.to_owned(), (stamp, Arc::clone(&model)));
    Ok(model)
}

/// The key under which Python puts what is asked, as JSON.
const KEY: &[u8] = b"asked";

/// What is asked. Polars pickles a dictionary of settings; ours has one key, and behind it comes a text: an opcode for
/// a short one (a byte of length) or a long one (four), and its bytes.
///
/// # Safety
/// There are so many bytes.
unsafe fn asked(bytes: *const u8, length: usize) -> Result<Asked> {
    let bytes = if bytes.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(bytes, length) } };
    let text = || {
        let key = bytes.windows(KEY.len()).position(|window| window == KEY)?;
        let rest = bytes.get(key + KEY.len()..)?;
        // The key is noted for later use.
        let rest = rest.strip_prefix(b"\x94").unwrap_or(rest);
        match rest {
            [0x8c, length, text @ ..] => text.get(..usize::from(*length)),
            [b'X', a, b, c, d, text @ ..] => text.get(..u32::from_le_bytes([*a, *b, *c, *d]) as usize),
            _ => None,
        }
    };
    let unreadable = || Error::data("what is asked of the model can't be read");
    serde_json::from_slice(text().ok_or_else(unreadable)?).map_err(|_| unreadable())
}

/// The names of the answers, and whether each is a number or a word.
fn answers_of(model: &Model, level: Option<f64>) -> Result<Vec<(String, Kind)>> {
    let predicting = model.predicting()?;
    let classes = !predicting.target.levels.is_empty();
    if level.is_some() && !classes && predicting.intervals.is_none() {
        return Err(Error::data("the model has no intervals").with_hint("fit it with folds"));
    }
    let mut names = predicting.headings(level);
    if !classes && level.is_none() {
        names.truncate(1);
    }
    let kind =
        |name: &str| if classes && matches!(name, "prediction" | "set") { Kind::Word } else { Kind::Number };
    Ok(names.into_iter().map(|name| (name.clone(), kind(&name))).collect())
}

fn answered(asked: &Asked, table: Table) -> Result<Vec<unmiss::data::Column>> {
    let model = model(&asked.path)?;
    let names = answers_of(&model, asked.level)?;
    let predicting = model.predicting()?;
    let rows = predicting.coder.encode(&aligned(&Data::from(table), predicting.coder)?, |_, _| {})?;
    let mut columns = predicting.answers(&rows)?.columns(asked.level);
    columns.truncate(names.len());
    Ok(columns)
}

/// Does what may fail or panic; neither may leave these functions.
fn guarded(work: impl FnOnce() -> Result<()>) {
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    let fault = match outcome {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the model panicked".to_owned(),
    };
    FAULT.with(|last| last.replace(CString::new(fault.replace('\0', " ")).unwrap_or_default()));
}

/// The version of Polars' interface that this is for.
#[unsafe(no_mangle)]
pub extern "C" fn _polars_plugin_get_version() -> u32 {
    VERSION
}

/// What went wrong last.
#[unsafe(no_mangle)]
pub extern "C" fn _polars_plugin_get_last_error_message() -> *const c_char {
    FAULT.with(|last| last.borrow().as_ptr())
}

/// The type of the answers.
///
/// # Safety
/// Polars calls it, with as many fields and bytes as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _polars_plugin_field_unmiss_answers(
    _fields: *const ArrowSchema,
    _count: usize,
    into: *mut ArrowSchema,
    bytes: *const u8,
    length: usize,
) {
    guarded(|| {
        let asked = unsafe { asked(bytes, length) }?;
        let answers = answers_of(&*model(&asked.path)?, asked.level)?;
        unsafe { into.write(outgoing::schema("answers", &answers)) };
        Ok(())
    });
}

/// The answers.
///
/// # Safety
/// Polars calls it, with as many columns and bytes as it says, and takes what is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _polars_plugin_unmiss_answers(
    columns: *mut SeriesExport,
    count: usize,
    bytes: *const u8,
    length: usize,
    into: *mut SeriesExport,
    _context: *const std::ffi::c_void,
) {
    guarded(|| {
        // They are ours from here on, and released at the end of this block.
        let columns: Vec<SeriesExport> = (0..count).map(|at| unsafe { columns.add(at).read() }).collect();
        let asked = unsafe { asked(bytes, length) }?;
        let [rows] = columns.as_slice() else {
            return Err(Error::data("the model is asked of one struct, a field for each input"));
        };
        let table = unsafe { incoming::table(rows) }?;
        let count = table.rows();
        let answers = answered(&asked, table)?;
        unsafe { into.write(outgoing::series("answers", &answers, count)) };
        Ok(())
    });
}
