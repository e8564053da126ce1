//! The table of filled cells: where each stands, what it got, and how sure that is.

use unmiss::data::CsvWriter;
use unmiss::error::Result;
use unmiss::model::Mark;

use super::Arguments;

/// The table on its way out.
pub struct Marks(CsvWriter);

impl Marks {
    /// Opens the file, if one is wanted.
    pub fn create(arguments: &Arguments) -> Result<Option<Self>> {
        let header = ["row", "column", "value", "lower", "upper", "share"];
        let create = |path| CsvWriter::create(path, &header).map(Self);
        arguments.mark.as_deref().map(create).transpose()
    }

    /// Adds cells of rows that stand below so many others.
    pub fn write(&mut self, marks: &[Mark], before: usize) -> Result<()> {
        for mark in marks {
            // Rows as the user counts them: from 1, below the header.
            self.0.number((before + mark.row + 1) as f64);
            self.0.text(&mark.column);
            self.0.text(&mark.value);
            match mark.interval {
                Some((low, high)) => [low, high].into_iter().for_each(|end| self.0.number(end)),
                None => (0..2).for_each(|_| self.0.missing()),
            }
            match mark.share {
                Some(share) => self.0.number(share),
                None => self.0.missing(),
            }
            self.0.end_row()?;
        }
        Ok(())
    }

    /// Completes the file.
    pub fn finish(self) -> Result<()> {
        self.0.finish()
    }
}
