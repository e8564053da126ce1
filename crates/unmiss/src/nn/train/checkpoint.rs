//! The state of a training in a file, and back.

use std::path::Path;

use serde_json::json;

use super::TrainSettings;
use super::course::Trainee;
use super::state::State;
use crate::error::{Error, Result};
use crate::rng::{hash, mix};
use crate::run::Run;
use crate::store::{Slices, write_slices};

/// What tells one training from another: settings, seed, rows, first weights, the network's own number.
pub(super) fn fingerprint(trainee: &mut dyn Trainee, settings: &TrainSettings, seed: u64) -> String {
    let slices = trainee.slices();
    let weights = slices.iter().filter(|(name, _)| name.starts_with("now/")).flat_map(|(_, own)| own.iter());
    let weights = mix(weights.map(|weight| u64::from(weight.to_bits())));
    let (rows, own) = (trainee.rows(), trainee.fingerprint());
    format!("{:016x}", hash(&format!("{settings:?} {seed} {rows} {weights} {own}")))
}

pub(super) fn write(path: &Path, fingerprint: &str, trainee: &mut dyn Trainee, state: &State) -> Result<()> {
    let header = json!({
        "kind": "training",
        "fingerprint": fingerprint,
        "counters": state.counters,
        "history": state.history,
    });
    write_slices(path, &header, trainee.slices())
}

/// Goes on from a file if it holds this very training; anything else is left aside with a word.
///
/// # Errors
/// When the file is sound but reading it fails half-way: by then the first weights are gone.
pub(super) fn resume(
    path: &Path,
    fingerprint: &str,
    trainee: &mut dyn Trainee,
    state: &mut State,
    run: &Run,
) -> Result<()> {
    match opened(path, fingerprint, trainee) {
        Err(error) => run.warn(format!("starting anew, the checkpoint can't be used: {error}")),
        Ok((mut file, kept)) => {
            file.read(trainee.slices())?;
            *state = kept;
            run.note(format!("going on after epoch {}", state.epoch));
        }
    }
    Ok(())
}

/// The file and its state, if it is of this training, undamaged, and all that is needed is in it.
fn opened(path: &Path, fingerprint: &str, trainee: &mut dyn Trainee) -> Result<(Slices, State)> {
    let mut file = Slices::open(path)?;
    file.check_sum()?;
    if file.header["fingerprint"] != fingerprint {
        return Err(Error::model(path, "it is of another training"));
    }
    let wrong = |error: serde_json::Error| Error::data(format!("its header: {error}"));
    let counters = serde_json::from_value(file.header["counters"].clone()).map_err(wrong)?;
    let history = serde_json::from_value(file.header["history"].clone()).map_err(wrong)?;
    let state = State { counters, history };
    if state.best_score.is_some() {
        // Makes room for the best weights.
        trainee.keep(true);
    }
    file.check(&trainee.slices())?;
    Ok((file, state))
}
