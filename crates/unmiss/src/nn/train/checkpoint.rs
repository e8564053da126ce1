//! The state of a training in a file, and back.

use std::path::Path;

use serde_json::{Value, json};

use super::state::State;
use super::{Learner, TrainSettings};
use crate::error::Result;
use crate::nn::parameters::Parameters;
use crate::rng::hash;
use crate::run::Run;
use crate::store::Arrays;

/// What tells one training from another: settings, seed, rows, first weights, the learner's own number.
pub(super) fn fingerprint(
    learner: &dyn Learner,
    parameters: &Parameters,
    settings: &TrainSettings,
    seed: u64,
) -> String {
    let mut weights: u64 = 0;
    for parameter in parameters.iter() {
        let crate::nn::Parameter { name, shape, learned, rate, decay, .. } = parameter;
        weights = weights.rotate_left(7) ^ hash(&format!("{name} {shape:?} {learned} {rate} {decay}"));
        for value in &parameter.values {
            weights = (weights ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01b3);
        }
    }
    let rows = learner.rows();
    format!("{:016x}", hash(&format!("{settings:?} {seed} {rows} {weights} {}", learner.fingerprint())))
}

pub(super) fn write(path: &Path, fingerprint: &str, state: &State) -> Result<()> {
    let mut arrays = Arrays::default();
    arrays.put_all("now/", state.parameters.save());
    arrays.put_all("best/", state.best.save());
    for (index, slices) in state.memory.iter().enumerate() {
        for (number, slice) in slices.iter().enumerate() {
            arrays.put_singles(format!("memory/{index}/{number}"), &[slice.len()], slice.clone());
        }
    }
    let header = json!({
        "kind": "training",
        "fingerprint": fingerprint,
        "counters": state.counters,
        "history": state.history,
    });
    arrays.write(path, &header)
}

/// Goes on from a file if it holds this very training; anything else is left aside with a word.
pub(super) fn resume(path: &Path, fingerprint: &str, state: &mut State, run: &Run) {
    if !path.exists() {
        return;
    }
    match Arrays::read(path) {
        Err(error) => run.warn(format!("starting anew, the checkpoint can't be used: {error}")),
        Ok((header, _)) if header["fingerprint"] != fingerprint => {
            run.note(format!("{}: the checkpoint of another training; starting anew", path.display()));
        }
        Ok((header, arrays)) => match restore(&header, &arrays, state) {
            Ok(()) => run.note(format!("going on after epoch {}", state.epoch)),
            Err(error) => run.warn(format!("starting anew, the checkpoint can't be used: {error}")),
        },
    }
}

/// Fills the state from a file; on error it is left as it was.
fn restore(header: &Value, arrays: &Arrays, state: &mut State) -> Result<()> {
    let wrong = |error: serde_json::Error| crate::error::Error::data(format!("its header: {error}"));
    let counters = serde_json::from_value(header["counters"].clone()).map_err(wrong)?;
    let history = serde_json::from_value(header["history"].clone()).map_err(wrong)?;
    let (mut now, mut best) = (state.parameters.clone(), state.best.clone());
    now.load(&arrays.with_prefix("now/"))?;
    best.load(&arrays.with_prefix("best/"))?;
    let mut memory = state.memory.clone();
    for (index, slices) in memory.iter_mut().enumerate() {
        for (number, slice) in slices.iter_mut().enumerate() {
            *slice = arrays.singles(&format!("memory/{index}/{number}"), &[slice.len()])?.to_vec();
        }
    }
    *state = State { parameters: now, memory, best, counters, history };
    Ok(())
}
