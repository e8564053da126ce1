//! The record that is written beside draws: what whoever computes with them should know.

use std::path::PathBuf;

use unmiss::error::Result;
use unmiss::model::Model;
use unmiss::pool::Record;
use unmiss::run::Run;
use unmiss::store::is_standard_output;

use super::Arguments;

impl Arguments {
    /// Where the record goes; tables that go to standard output have none.
    pub(super) fn record(&self) -> Option<PathBuf> {
        let files = self.draws.map(|_| self.files()).unwrap_or_default();
        files.first().filter(|file| !is_standard_output(file)).map(|file| Record::path_of(file))
    }

    /// Writes the record of the draws, if there are any.
    pub(super) fn write_record(
        &self,
        model: &Model,
        rows: usize,
        counts: &[(String, usize)],
        run: &Run,
    ) -> Result<()> {
        let Some(path) = self.record() else { return Ok(()) };
        let name = |file: PathBuf| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let record = Record {
            from: self.data.display().to_string(),
            rows,
            draws: usize::from(self.draws.unwrap_or(0)),
            files: self.files().into_iter().map(name).collect(),
            method: model.recipe.method.name().to_owned(),
            seed: run.seed(),
            proper: Some(model.filling()?.parameter_sets() > 0),
            filled: counts.iter().filter(|(_, count)| *count > 0).cloned().collect(),
            delta: self.delta.clone(),
        };
        record.write(&path)
    }
}
