//! The model file: safetensors with a JSON header. The header says everything but the numbers.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Intervals, Model, Recipe, Roles, Summary};
use crate::data::MissingTokens;
use crate::encode::{Encoder, TargetEncoder, Task, features::NumberFeature};
use crate::error::{Error, Result};
use crate::methods;
use crate::store::Arrays;

/// The version of the file format. A file with a higher number is from a newer program.
pub const FORMAT: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Header {
    format: u64,
    kind: String,
    program: String,
    method: String,
    settings: Value,
    roles: Roles,
    encoder: Encoder,
    target: TargetEncoder,
    missing: MissingTokens,
    intervals: Option<Intervals>,
    summary: Summary,
}

impl Model {
    /// Writes the model to a file, all or nothing.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let header = Header {
            format: FORMAT,
            kind: "predictor".into(),
            program: concat!("unmiss ", env!("CARGO_PKG_VERSION")).into(),
            method: self.recipe.method.name().into(),
            settings: self.recipe.settings.clone(),
            roles: self.roles.clone(),
            encoder: self.encoder.clone(),
            target: self.target.clone(),
            missing: self.missing.clone(),
            intervals: self.intervals.clone(),
            summary: self.summary.clone(),
        };
        let header = serde_json::to_value(header).map_err(|error| Error::model(path, error.to_string()))?;
        self.predictor.save().write(path, &header)
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// When the file is damaged, is no model, or is from a newer program.
    pub fn load(path: &Path) -> Result<Self> {
        let (header, arrays) = Arrays::read(path)?;
        Self::assemble(header, &arrays).map_err(|error| {
            let hint = error.hint().map(str::to_owned);
            Error::Model { path: path.to_owned(), what: error.to_string(), hint }
        })
    }

    /// Puts a model together from a file's bytes: what [`Model::load`] does after reading.
    ///
    /// # Errors
    /// As for [`Model::load`], in words.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        let (header, arrays) = Arrays::from_bytes(bytes)?;
        Self::assemble(header, &arrays).map_err(|error| error.to_string())
    }

    fn assemble(header: Value, arrays: &Arrays) -> Result<Self> {
        let format = header.get("format").and_then(Value::as_u64).unwrap_or(0);
        if format != FORMAT {
            let what = format!("the file has format {format}, this program reads format {FORMAT}");
            return Err(Error::data(what).with_hint("use the program that wrote it, or fit the model again"));
        }
        let header: Header = serde_json::from_value(header)
            .map_err(|error| Error::data(format!("its header can't be read: {error}")))?;
        if header.kind != "predictor" {
            return Err(Error::data(format!("the file holds a {} and not a predictor", header.kind)));
        }
        check(&header)?;
        let method = methods::find(&header.method)?;
        method.encoding(&header.settings)?;
        let predictor = method.load(&header.settings, &header.encoder, header.target.task, arrays)?;
        Ok(Self {
            recipe: Recipe { method, settings: header.settings },
            roles: header.roles,
            encoder: header.encoder,
            target: header.target,
            missing: header.missing,
            intervals: header.intervals,
            summary: header.summary,
            predictor,
        })
    }
}

/// Refuses headers whose parts contradict each other, so that nothing later relies on what does not hold.
fn check(header: &Header) -> Result<()> {
    let classes = match header.target.task {
        Task::Regression => 0,
        Task::Classification { classes } => classes,
    };
    let damaged = |what: &str| Err(Error::data(format!("the header contradicts itself: {what}")));
    if header.target.levels.len() != classes || classes == 1 {
        return damaged("number of classes");
    }
    let target = &header.target;
    if !(target.low <= target.high) || ![target.mean, target.deviation].iter().all(|x| x.is_finite()) {
        return damaged("range of the target");
    }
    if header.encoder.width() == 0 {
        return damaged("no inputs");
    }
    for feature in &header.encoder.categories {
        let others = feature.shares.len().wrapping_sub(feature.levels.len());
        if others > 1 || feature.shares.is_empty() || feature.shares.iter().any(|share| !share.is_finite()) {
            return damaged("levels of a category");
        }
    }
    let usable =
        |feature: &NumberFeature| feature.width > 0.0 && feature.center.is_finite() && feature.mean.is_finite();
    if !header.encoder.numbers.iter().all(usable) {
        return damaged("scale of a number");
    }
    Ok(())
}
