//! Reading the data sets of a folder, with an error that says which file is expected where.

use std::path::{Path, PathBuf};

use crate::data::{Column, ReadOptions, Table, Values, read};
use crate::encode::{Targets, Task};
use crate::error::{Error, Result};

/// Rows of numbers with holes, and a target.
pub struct Sheet {
    /// How many rows.
    pub rows: usize,
    /// How many columns of inputs.
    pub columns: usize,
    /// `rows x columns`, row by row; 0 where not observed.
    pub values: Vec<f32>,
    /// `rows x columns`, true where known.
    pub observed: Vec<bool>,
    /// The targets as they stand in the file, not scaled; every row weighs 1.
    pub targets: Targets,
}

/// Which file, and what it must have.
pub struct Wanted {
    /// Its place under the folder, without `.gz`.
    pub file: &'static str,
    /// The target's name.
    pub target: &'static str,
    /// Whether the target is a class, not a number.
    pub classes: bool,
    /// Columns that are no inputs.
    pub ignored: &'static [&'static str],
}

/// One column of inputs.
struct Input<'a> {
    name: &'a str,
    numbers: Vec<f64>,
    observed: &'a [bool],
}

impl Wanted {
    /// Reads it, plain or gzipped.
    pub fn read(&self, folder: &Path) -> Result<Sheet> {
        let table = read(&self.find(folder)?, &ReadOptions::default())?.table;
        let target = table.column(self.target).map_err(|_| self.unfit("it has no such target"))?;
        if target.missing() > 0 {
            return Err(self.unfit("its target has holes"));
        }
        let inputs = self.inputs(&table)?;
        let (rows, columns) = (table.rows(), inputs.len());
        let mut sheet = Sheet {
            rows,
            columns,
            values: Vec::with_capacity(rows * columns),
            observed: Vec::with_capacity(rows * columns),
            targets: self.targets(target)?,
        };
        for row in 0..rows {
            for input in &inputs {
                sheet.values.push(input.numbers[row] as f32);
                sheet.observed.push(input.observed[row]);
            }
        }
        Ok(sheet)
    }

    /// Names and numbers of the inputs, for a table without holes.
    pub fn numbers(&self, folder: &Path) -> Result<Vec<(String, Vec<f64>)>> {
        let table = read(&self.find(folder)?, &ReadOptions::default())?.table;
        table.column(self.target).map_err(|_| self.unfit("it has no such target"))?;
        let inputs = self.inputs(&table)?;
        if inputs.iter().any(|input| input.observed.contains(&false)) {
            return Err(self.unfit("it has holes"));
        }
        Ok(inputs.into_iter().map(|input| (input.name.to_owned(), input.numbers)).collect())
    }

    fn find(&self, folder: &Path) -> Result<PathBuf> {
        find_file(folder, self.file, &self.expected())
    }

    fn expected(&self) -> String {
        let target = if self.classes { "classes" } else { "numbers" };
        format!(
            "expected is a CSV file with a header, columns of numbers and the target `{}` ({target})",
            self.target
        )
    }

    fn unfit(&self, what: &str) -> Error {
        Error::data(format!("{} can't be used: {what}", self.file)).with_hint(self.expected())
    }

    /// The columns of inputs as numbers, each with what is known of it.
    fn inputs<'a>(&self, table: &'a Table) -> Result<Vec<Input<'a>>> {
        let input =
            |column: &&Column| column.name != self.target && !self.ignored.contains(&column.name.as_str());
        let numbers = |column: &'a Column| {
            let numbers = as_numbers(column)
                .ok_or_else(|| self.unfit(&format!("column `{}` has words in it", column.name)))?;
            Ok(Input { name: &column.name, numbers, observed: &column.observed })
        };
        table.columns().iter().filter(input).map(numbers).collect()
    }

    fn targets(&self, column: &Column) -> Result<Targets> {
        let weights = vec![1.0; column.rows()];
        if !self.classes {
            let numbers = as_numbers(column).ok_or_else(|| self.unfit("its target has words in it"))?;
            let numbers = numbers.iter().map(|value| *value as f32).collect();
            return Ok(Targets { task: Task::Regression, numbers, classes: Vec::new(), weights });
        }
        let words: Vec<Option<String>> = (0..column.rows()).map(|row| column.cell(row)).collect();
        let coded = Column::from_words(&column.name, column.kind, &words);
        let (codes, levels) = coded.codes().ok_or_else(|| self.unfit("its target has no classes"))?;
        let task = Task::Classification { classes: levels.len() };
        Ok(Targets { task, numbers: Vec::new(), classes: codes.to_vec(), weights })
    }
}

/// The place of a file under the folder, plain or gzipped; `expected` says what should be in it.
pub fn find_file(folder: &Path, file: &str, expected: &str) -> Result<PathBuf> {
    let plain = folder.join(file);
    let zipped = folder.join(format!("{file}.gz"));
    [&plain, &zipped].into_iter().find(|path| path.is_file()).cloned().ok_or_else(|| {
        Error::data(format!("there is no file {} (nor {file}.gz)", plain.display()))
            .with_hint(format!("{expected}; --data names the folder above it"))
    })
}

/// A column's numbers, also where they were read as codes of two values.
fn as_numbers(column: &Column) -> Option<Vec<f64>> {
    match &column.values {
        Values::Numbers(numbers) => Some(numbers.clone()),
        Values::Codes { codes, levels } => {
            let levels: Vec<f64> = levels.iter().map(|level| level.parse().ok()).collect::<Option<_>>()?;
            // A column that is empty has no levels; nothing reads its neutral value.
            Some(codes.iter().map(|code| levels.get(*code as usize).copied().unwrap_or(0.0)).collect())
        }
        Values::Texts(_) => None,
    }
}

impl Sheet {
    /// Scales every column to 0..1 by the range of what is known in some rows; a constant column becomes 0.
    pub fn min_max(&mut self, rows: &[usize]) {
        for column in 0..self.columns {
            let (mut low, mut high) = (f32::INFINITY, f32::NEG_INFINITY);
            for place in rows.iter().map(|row| row * self.columns + column) {
                if self.observed[place] {
                    low = low.min(self.values[place]);
                    high = high.max(self.values[place]);
                }
            }
            let range = if high > low { high - low } else { f32::INFINITY };
            for place in (0..self.rows).map(|row| row * self.columns + column) {
                let scaled = (self.values[place] - low) / range;
                self.values[place] = if self.observed[place] && low.is_finite() { scaled } else { 0.0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted = Wanted { file: "small.csv", target: "y", classes: true, ignored: &["id"] };

    #[test]
    fn a_sheet_has_its_inputs_holes_and_classes() {
        let folder = tempfile::tempdir().unwrap();
        let text = "id,a,b,y\nu,1,0,no\nv,,1,yes\nw,3,0,no\nx,2,1,no\n";
        std::fs::write(folder.path().join("small.csv"), text).unwrap();
        let mut sheet = WANTED.read(folder.path()).unwrap();
        assert_eq!((sheet.rows, sheet.columns), (4, 2));
        assert_eq!(sheet.observed, [true, true, false, true, true, true, true, true]);
        assert_eq!(sheet.targets.classes, [0, 1, 0, 0]);
        sheet.min_max(&[0, 1, 2]);
        assert_eq!(sheet.values, [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.5, 1.0]);
    }

    #[test]
    fn a_missing_file_is_named_with_what_is_expected() {
        let folder = tempfile::tempdir().unwrap();
        let error = WANTED.read(folder.path()).err().unwrap();
        assert!(error.to_string().contains("small.csv (nor small.csv.gz)"), "{error}");
        assert!(error.hint_text().contains("target `y` (classes)"));
        std::fs::write(folder.path().join("small.csv"), "a,y\nhot,no\ncold,yes\nwarm,no\n").unwrap();
        let error = WANTED.read(folder.path()).err().unwrap();
        assert!(error.to_string().contains("column `a` has words in it"), "{error}");
    }
}
