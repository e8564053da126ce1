//! The file of a filler: as a model's, with a header of its own kind.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Filler, FillerSummary, Limits};
use crate::data::MissingTokens;
use crate::encode::Encoder;
use crate::error::{Error, Result};
use crate::methods;
use crate::model::RecipeOf;
use crate::model::file::{FORMAT, check_encoder, check_format, load_with};
use crate::store::Arrays;

#[derive(Serialize, Deserialize)]
struct Header {
    format: u64,
    kind: String,
    program: String,
    method: String,
    settings: Value,
    encoder: Encoder,
    ignored: Vec<String>,
    unfillable: BTreeMap<String, String>,
    limits: Limits,
    missing: MissingTokens,
    summary: FillerSummary,
}

impl Filler {
    /// Writes the filler to a file, all or nothing.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.imputer().save().write(path, &self.header()?)
    }

    /// The bytes of the filler's file.
    ///
    /// # Errors
    /// When the filler can't be put into a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.imputer().save().to_bytes(&self.header()?)
    }

    fn header(&self) -> Result<Value> {
        let header = Header {
            format: FORMAT,
            kind: "imputer".into(),
            program: concat!("unmiss ", env!("CARGO_PKG_VERSION")).into(),
            method: self.recipe.method.name().into(),
            settings: self.recipe.settings.clone(),
            encoder: self.encoder.clone(),
            ignored: self.ignored.clone(),
            unfillable: self.unfillable.clone(),
            limits: self.limits.clone(),
            missing: self.missing.clone(),
            summary: self.summary.clone(),
        };
        serde_json::to_value(header).map_err(|error| Error::data(error.to_string()))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When the file is damaged, holds no imputer, or is from a newer program.
    pub fn load(path: &Path) -> Result<Self> {
        load_with(path, Self::assemble)
    }

    /// Puts a filler together from a file's bytes: what [`Filler::load`] does after reading.
    ///
    /// # Errors
    /// As for [`Filler::load`], in words.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        let (header, arrays) = Arrays::from_bytes(bytes)?;
        Self::assemble(header, &arrays).map_err(|error| error.to_string())
    }

    fn assemble(header: Value, arrays: &Arrays) -> Result<Self> {
        check_format(&header, "imputer")?;
        let header: Header = serde_json::from_value(header).map_err(|error| {
            Error::data(format!("its header can't be read: {error}"))
                .with_hint("the file is damaged; fit the imputer again")
        })?;
        check_encoder(&header.encoder)?;
        let limits = header.limits.columns.values();
        if limits.into_iter().any(|(low, high)| low.is_nan() || high.is_nan() || low > high) {
            return Err(Error::data("its header contradicts itself: limits of a column"));
        }
        let method = methods::find_imputer(&header.method).map_err(|_| {
            let what = format!("it was made by the imputer `{}`, which is unknown here", header.method);
            Error::data(what).with_hint("use the program that wrote it, or fit the imputer again")
        })?;
        method.check(&header.settings)?;
        let imputer = method.load(&header.settings, &header.encoder, arrays)?;
        Ok(Self {
            recipe: RecipeOf { method, settings: header.settings },
            encoder: header.encoder,
            ignored: header.ignored,
            unfillable: header.unfillable,
            limits: header.limits,
            missing: header.missing,
            summary: header.summary,
            imputer,
        })
    }
}

/// What kind of thing a file holds, as its header says: `predictor`, `imputer`, `recommender`.
///
/// # Errors
/// When the file can't be read.
pub fn kind_of(path: &Path) -> Result<String> {
    let (header, _) = Arrays::read(path)?;
    Ok(header.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned())
}
