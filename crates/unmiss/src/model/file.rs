//! The model file: safetensors with a JSON header, one kind for all shapes and jobs. The header says everything but
//! the numbers.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::intervals::Intervals;
use super::parts::{Fallback, Fill, Part, Prediction, Summary};
use super::read_back::save_with;
use super::whole::Model;
use crate::data::{MissingTokens, Shape};
use crate::encode::{Coder, Task};
use crate::error::{Error, Result};
use crate::methods::Recipe;
use crate::methods::folds::FoldModels;
use crate::methods::{Job, Layout, Learned, find};
use crate::store::Arrays;

/// The version of the file format. A file with a higher number is from a newer program.
pub const FORMAT: u64 = 6;
/// The version of files that say how plausible rows are, which older programs do not know.
const DENSITIES: u64 = 5;
/// The version of files that older programs can read as well: all others that make no inputs of dates, text or orders.
const BEFORE_DENSITIES: u64 = 4;
/// The oldest version that is read: without fold models.
const OLDEST: u64 = 2;

/// Before the names of the arrays of the translation.
const CODER: &str = "coder/";
/// Before the names of the arrays of the method.
const LEARNED: &str = "learned/";

#[derive(Serialize, Deserialize)]
struct Header {
    format: u64,
    shape: Shape,
    job: Job,
    program: String,
    method: String,
    settings: Value,
    coder: Value,
    part: Value,
    missing: MissingTokens,
    summary: Summary,
}

impl Model {
    /// Writes the model to a file, all or nothing: what was written is read back, and must answer as this model does.
    ///
    /// # Errors
    /// When the file can't be written or read back; then whatever stood at the path before stays.
    pub fn save(&self, path: &Path) -> Result<()> {
        save_with(path, self.to_bytes()?, Self::assemble, |again| {
            Ok(self.words()? == again.words()? && self.answers_to_probe()? == again.answers_to_probe()?)
        })
    }

    /// Everything that the header of its file says: shape, job, method, settings, what each column is translated by,
    /// the summary of the fit and where it comes from.
    ///
    /// # Errors
    /// When that can't be put in words.
    pub fn words(&self) -> Result<Value> {
        self.header(self.coder_words()?)
    }

    /// The version of the format of its file.
    pub fn format(&self) -> u64 {
        match (&self.coder, self.job()) {
            (Coder::Table(encoder), _) if !encoder.made.is_empty() => FORMAT,
            (_, Job::Density) => DENSITIES,
            _ => BEFORE_DENSITIES,
        }
    }

    /// What the header says of the translation, without its arrays.
    fn coder_words(&self) -> Result<Value> {
        match &self.coder {
            Coder::Table(_) | Coder::Images(_) | Coder::Series(_) => Ok(self.coder.save()?.0),
            Coder::Ratings(_) => Ok(Value::Null),
        }
    }

    /// The bytes of the model's file.
    ///
    /// # Errors
    /// When the model can't be put into a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let (header, arrays) = self.parts()?;
        arrays.to_bytes(&header)
    }

    fn parts(&self) -> Result<(Value, Arrays)> {
        let (coder, coder_arrays) = self.coder.save()?;
        let mut arrays = Arrays::default();
        arrays.put_all(CODER, coder_arrays);
        arrays.put_all(LEARNED, self.learned.save());
        Ok((self.header(coder)?, arrays))
    }

    fn header(&self, coder: Value) -> Result<Value> {
        let part = match &self.part {
            Part::Predict(part) => serde_json::to_value(part),
            Part::Fill(part) => serde_json::to_value(part),
            Part::Rate(_) => Ok(Value::Null),
            Part::Density(part) => serde_json::to_value(part),
        };
        let failed = |error: serde_json::Error| Error::data(error.to_string());
        let header = Header {
            format: self.format(),
            shape: self.shape(),
            job: self.job(),
            program: concat!("unmiss ", env!("CARGO_PKG_VERSION")).into(),
            method: self.recipe.method.name().into(),
            settings: self.recipe.settings.clone(),
            coder,
            part: part.map_err(failed)?,
            missing: self.missing.clone(),
            summary: self.summary.clone(),
        };
        serde_json::to_value(header).map_err(failed)
    }

    /// Reads a model file of any shape and job.
    ///
    /// # Errors
    /// When the file is damaged, is no model, or is from a newer program.
    pub fn load(path: &Path) -> Result<Self> {
        let (header, arrays) = Arrays::read(path)?;
        Self::assemble(header, &arrays).map_err(|error| in_file(path, &error))
    }

    /// Reads a model file that is for a job.
    ///
    /// # Errors
    /// As for [`Model::load`], and when the model is for another job.
    pub fn load_for(path: &Path, job: Job) -> Result<Self> {
        let model = Self::load(path)?;
        model.check_job(job, path).map(|()| model)
    }

    /// Refuses a model that is for another job, with the name of its file.
    ///
    /// # Errors
    /// When it is for another job.
    pub fn check_job(&self, job: Job, path: &Path) -> Result<()> {
        if self.job() == job { Ok(()) } else { Err(in_file(path, &self.other_job(job))) }
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
        check_format(&header)?;
        let header: Header = parsed(header)?;
        let coder = Coder::load(header.shape, header.coder, &arrays.with_prefix(CODER))?;
        let method = find(&header.method, header.shape, header.job).map_err(|_| {
            let what = format!("it was made by the method `{}`, which is unknown here", header.method);
            Error::data(what).with_hint("use the program that wrote it, or fit the model again")
        })?;
        method.check(&header.settings)?;
        let part = match header.job {
            Job::Predict => Part::Predict(parsed(header.part)?),
            Job::Fill => Part::Fill(parsed(header.part)?),
            Job::Rate => Part::Rate(Fallback::new(coder.ratings()?)),
            Job::Density => Part::Density(parsed(header.part)?),
        };
        part.check()?;
        header.summary.check()?;
        let layout = Layout { coder: &coder, task: part.task() };
        let own = arrays.with_prefix(LEARNED);
        let recipe = Recipe { method, settings: header.settings };
        let learned: Box<dyn Learned> = match FoldModels::load(&recipe, layout, &own)? {
            Some(folds) => Box::new(folds),
            None => method.load(&recipe.settings, layout, &own)?,
        };
        part.check_folds(learned.fold_models().map_or(0, FoldModels::count))?;
        Ok(Self { recipe, coder, part, missing: header.missing, summary: header.summary, learned })
    }
}

/// The same error, told of a file.
fn in_file(path: &Path, error: &Error) -> Error {
    let hint = error.hint().cloned().map(Box::new);
    Error::Model { path: path.to_owned(), what: error.to_string(), hint }
}

fn parsed<T: serde::de::DeserializeOwned>(words: Value) -> Result<T> {
    serde_json::from_value(words)
        .map_err(|error| Error::damaged(format!("its header can't be read: {error}")))
}

/// Refuses files of another format.
fn check_format(header: &Value) -> Result<()> {
    let format = header.get("format").and_then(Value::as_u64).unwrap_or(0);
    if (OLDEST..=FORMAT).contains(&format) {
        return Ok(());
    }
    let what = format!("the file has format {format}, this program reads formats {OLDEST} to {FORMAT}");
    Err(Error::data(what).with_hint("use the program that wrote it, or fit the model again"))
}

impl Part {
    /// What is predicted, if anything is.
    fn task(&self) -> Option<Task> {
        match self {
            Self::Predict(part) => Some(part.target.task),
            Self::Fill(_) | Self::Rate(_) | Self::Density(_) => None,
        }
    }

    /// Refuses intervals or sets of other folds than the models are of.
    fn check_folds(&self, models: usize) -> Result<()> {
        let Self::Predict(part) = self else { return Ok(()) };
        let Prediction { target, intervals, sets, .. } = &**part;
        let sound =
            match intervals {
                Some(Intervals::CrossValidated(own)) => own.is_sound() && own.count() == models,
                Some(Intervals::Grouped(_)) | None => true,
            } && sets.as_ref().is_none_or(|own| own.is_sound(target.levels.len()) && own.count() == models);
        if sound { Ok(()) } else { Err(Error::damaged("its header contradicts itself: intervals")) }
    }

    /// Refuses parts that contradict themselves, so that nothing later relies on what does not hold.
    fn check(&self) -> Result<()> {
        let damaged = |what: &str| Err(Error::damaged(format!("its header contradicts itself: {what}")));
        match self {
            Self::Predict(part) => {
                let target = &part.target;
                let classes = match target.task {
                    Task::Regression => 0,
                    Task::Classification { classes } => classes,
                };
                let numbers = [target.low, target.high, target.mean, target.deviation];
                if target.levels.len() != classes || classes == 1 {
                    return damaged("number of classes");
                }
                if part.threshold.is_some_and(|own| !(0.0..=1.0).contains(&own)) {
                    return damaged("threshold");
                }
                if target.low > target.high || !numbers.iter().all(|x| x.is_finite()) {
                    return damaged("range of the target");
                }
            }
            Self::Fill(Fill { limits, .. }) => {
                let mut limits = limits.columns.values();
                if limits.any(|(low, high)| low.is_nan() || high.is_nan() || low > high) {
                    return damaged("limits of a column");
                }
            }
            Self::Rate(_) => {}
            Self::Density(part) if !part.is_sound() => return damaged("rows compared with"),
            Self::Density(_) => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
