//! What was found out: all of it as JSON, and as a page.

use std::path::PathBuf;

use pyo3::prelude::*;
use serde::Serialize;
use unmiss::report::{Page, Section};
use unmiss::store::write_whole;

use crate::errors::{exception, unwritable};

/// Something found out.
#[pyclass(frozen, module = "unmiss._unmiss")]
pub(crate) struct Finding {
    json: String,
    sections: Vec<Section>,
}

impl Finding {
    /// A finding and its sections.
    pub(crate) fn new(found: &impl Serialize, sections: Vec<Section>) -> PyResult<Self> {
        Ok(Self { json: serde_json::to_string(found).map_err(unwritable)?, sections })
    }
}

#[pymethods]
impl Finding {
    /// All of it, as JSON.
    #[getter]
    fn json(&self) -> &str {
        &self.json
    }

    /// A page that stands alone.
    fn page(&self, title: &str) -> String {
        Page::new(title).sections(self.sections.clone()).html()
    }

    /// Writes the page, all or nothing.
    fn write(&self, title: &str, path: PathBuf) -> PyResult<()> {
        write_whole(&path, self.page(title).as_bytes()).map_err(exception)
    }
}
