//! Where a model comes from, as the program knows it: the command, the time, the file.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use unmiss::data::Data;
use unmiss::model::{Model, Provenance};
use unmiss::store::sha256;

/// Notes in a model where it comes from.
pub fn note(model: &mut Model, file: &Path, data: &Data) {
    let mut made =
        Provenance::new(command(), seconds(), file.display().to_string(), data, model.summary.seed);
    // What can't be read once more, as a pipe, has no sum; nor has a built-in sample.
    made.sha256 = sha256(file).ok();
    model.summary.provenance = Some(made);
}

/// Whether a model learned from this very file.
pub fn is_file_of(model: &Model, file: &Path) -> bool {
    let made = model.summary.provenance.as_ref().and_then(|made| made.sha256.as_ref());
    made.is_some_and(|made| sha256(file).is_ok_and(|own| own == *made))
}

/// Seconds since 1970, or what stands in their place for who wants the same bytes twice.
fn seconds() -> u64 {
    let told = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    told.unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

/// The command as it could be typed again.
fn command() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_alphanumeric() || "-_./:=,+%@".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("unmiss".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}
