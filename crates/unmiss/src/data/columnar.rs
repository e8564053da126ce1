//! Tables as Parquet (`.parquet`) or Arrow (`.arrow`, `.feather`), batch by batch: numbers and whole numbers as such,
//! also where there are only two of them; words, text and dates as text; holes as null.

use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::Compression;
use ::parquet::file::properties::WriterProperties;
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::cell::{Number, number};
use super::table::{Column, Kind, Values};
use crate::error::{Error, Result};
use crate::store::Output;

/// Rows of a batch.
pub(super) const BATCH: usize = 1 << 16;

/// What a column is in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Type {
    Real,
    Whole,
    Words,
}

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Number(f64),
    Text(String),
}

/// A column of a batch.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    pub(super) of: Type,
    pub(super) cells: Vec<Option<Cell>>,
}

/// A file that is written batch by batch. What its columns are is settled by the first.
pub(super) struct Columnar {
    name: String,
    form: Form,
    sink: Option<Sink>,
    schema: Option<SchemaRef>,
}

#[derive(Clone, Copy)]
enum Form {
    Parquet,
    Arrow,
}

enum Sink {
    Waiting(Output),
    Parquet(Box<ArrowWriter<Output>>),
    Arrow(Box<FileWriter<Output>>),
}

impl Columnar {
    /// Opens a path, if its ending is that of such a file.
    pub(super) fn create(path: &Path) -> Result<Option<Self>> {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_lowercase);
        let form = match ending.as_deref() {
            Some("parquet") => Form::Parquet,
            Some("arrow" | "feather") => Form::Arrow,
            _ => return Ok(None),
        };
        let sink = Some(Sink::Waiting(Output::create(path)?));
        Ok(Some(Self { name: path.display().to_string(), form, sink, schema: None }))
    }

    /// Adds the rows of a table, with one more column in front if there is a lead.
    pub(super) fn write_table(&mut self, table: &Table<'_>) -> Result<()> {
        for from in (0..table.rows.max(1)).step_by(BATCH) {
            let rows = from..table.rows.min(from + BATCH);
            let lead = table.lead.map(|(name, cell)| {
                let cell = match number(cell.as_bytes()) {
                    Number::Finite(value) => Cell::Number(value),
                    _ => Cell::Text(cell.to_owned()),
                };
                let of = if matches!(cell, Cell::Number(_)) { Type::Whole } else { Type::Words };
                (name, Cells { of, cells: vec![Some(cell); rows.len()] })
            });
            let column = |column: &'_ Column| {
                let of = self.type_of(table.lead.is_some(), table.columns, column);
                Cells { of, cells: rows.clone().map(|row| cell(column, row, of)).collect() }
            };
            let columns = table.columns.iter().map(|own| (own.name.as_str(), column(own)));
            let columns: Vec<(&str, Cells)> = lead.into_iter().chain(columns).collect();
            self.write(&columns)?;
        }
        Ok(())
    }

    /// What a column is: as settled, or as it looks.
    fn type_of(&self, led: bool, columns: &[Column], column: &Column) -> Type {
        let place =
            columns.iter().position(|own| own.name == column.name).map(|place| place + usize::from(led));
        let settled =
            place.and_then(|place| self.schema.as_ref()?.fields().get(place).map(|f| f.data_type().clone()));
        match settled {
            Some(DataType::Float64) => Type::Real,
            Some(DataType::Int64) => Type::Whole,
            Some(_) => Type::Words,
            None => look(column),
        }
    }

    /// Adds a batch.
    pub(super) fn write(&mut self, columns: &[(&str, Cells)]) -> Result<()> {
        let arrays =
            columns.iter().map(|(name, cells)| self.array(name, cells)).collect::<Result<Vec<_>>>()?;
        let schema = self.schema.get_or_insert_with(|| {
            let field = |((name, _), array): (&(&str, Cells), &ArrayRef)| {
                Field::new(*name, array.data_type().clone(), true)
            };
            Arc::new(Schema::new(columns.iter().zip(&arrays).map(field).collect::<Vec<_>>()))
        });
        let schema = Arc::clone(schema);
        let name = self.name.clone();
        let failed = |error: &dyn std::fmt::Display| {
            Error::data(format!("{name}: the rows can't be written ({error})"))
        };
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|error| failed(&error))?;
        if let Some(Sink::Waiting(_)) = &self.sink
            && let Some(Sink::Waiting(output)) = self.sink.take()
        {
            self.sink = Some(match self.form {
                Form::Parquet => {
                    let packed = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
                    let writer = ArrowWriter::try_new(output, schema, Some(packed));
                    Sink::Parquet(Box::new(writer.map_err(|error| failed(&error))?))
                }
                Form::Arrow => {
                    let writer = FileWriter::try_new(output, &schema);
                    Sink::Arrow(Box::new(writer.map_err(|error| failed(&error))?))
                }
            });
        }
        match &mut self.sink {
            Some(Sink::Parquet(writer)) => writer.write(&batch).map_err(|error| failed(&error)),
            Some(Sink::Arrow(writer)) => writer.write(&batch).map_err(|error| failed(&error)),
            _ => Ok(()),
        }
    }

    fn array(&self, name: &str, cells: &Cells) -> Result<ArrayRef> {
        let contradicts = |what: &str| {
            let words = format!("{}: column `{name}` began with numbers, and now has {what}", self.name);
            Error::data(words).with_hint("write to a `.csv` file, where any cell may stand anywhere")
        };
        let numbers = || {
            let number = |cell: &Option<Cell>| match cell {
                Some(Cell::Number(value)) => Ok(Some(*value)),
                Some(Cell::Text(text)) => Err(contradicts(&format!("`{text}`"))),
                None => Ok(None),
            };
            cells.cells.iter().map(number).collect::<Result<Vec<Option<f64>>>>()
        };
        Ok(match cells.of {
            Type::Real => Arc::new(Float64Array::from(numbers()?)),
            Type::Whole => Arc::new(
                numbers()?
                    .into_iter()
                    .map(|value| value.map(|value| value.round() as i64))
                    .collect::<Int64Array>(),
            ),
            Type::Words => {
                let text = |cell: &Option<Cell>| match cell {
                    Some(Cell::Number(value)) => Some(super::digits::format_number(*value)),
                    Some(Cell::Text(text)) => Some(text.clone()),
                    None => None,
                };
                Arc::new(cells.cells.iter().map(text).collect::<StringArray>())
            }
        })
    }

    /// Closes the file until more is written.
    pub(super) fn rest(&mut self) -> Result<()> {
        match &mut self.sink {
            Some(Sink::Waiting(output)) => output.rest(),
            Some(Sink::Parquet(writer)) => writer.inner_mut().rest(),
            Some(Sink::Arrow(writer)) => writer.get_mut().rest(),
            None => Ok(()),
        }
    }

    /// Completes the file and gives it its name.
    pub(super) fn finish(self) -> Result<()> {
        let name = self.name;
        let failed = |error: &dyn std::fmt::Display| {
            Error::data(format!("{name}: the file can't be completed ({error})"))
        };
        match self.sink {
            Some(Sink::Parquet(writer)) => writer.into_inner().map_err(|error| failed(&error))?.finish(),
            Some(Sink::Arrow(writer)) => writer.into_inner().map_err(|error| failed(&error))?.finish(),
            Some(Sink::Waiting(_)) | None => {
                Err(Error::data(format!("{name}: there is no row to write, and such a file needs one"))
                    .with_hint("write to a `.csv` file"))
            }
        }
    }
}

/// A table, and a cell that is to stand in front of each row under a name.
pub(super) struct Table<'a> {
    pub(super) columns: &'a [Column],
    pub(super) rows: usize,
    pub(super) lead: Option<(&'a str, &'a str)>,
}

/// What a column looks like.
pub(super) fn look(column: &Column) -> Type {
    match (&column.values, column.kind) {
        (Values::Numbers(_), Kind::Integer) => Type::Whole,
        (Values::Numbers(_), _) => Type::Real,
        (Values::Codes { levels, .. }, Kind::Binary) if !levels.is_empty() => {
            let values: Option<Vec<f64>> = levels.iter().map(|level| value(level)).collect();
            match values {
                Some(values) if values.iter().all(|value| value.fract() == 0.0) => Type::Whole,
                Some(_) => Type::Real,
                None => Type::Words,
            }
        }
        _ => Type::Words,
    }
}

/// A cell of a column in a file where the column is of a type.
pub(super) fn cell(column: &Column, row: usize, of: Type) -> Option<Cell> {
    if !column.observed[row] {
        return None;
    }
    Some(match &column.values {
        Values::Numbers(values) if column.kind == Kind::Integer => Cell::Number(values[row].round()),
        Values::Numbers(values) => Cell::Number(values[row]),
        Values::Codes { codes, levels } => {
            let level = &levels[codes[row] as usize];
            match value(level).filter(|_| of != Type::Words) {
                Some(value) => Cell::Number(value),
                None => Cell::Text(level.clone()),
            }
        }
        Values::Texts(texts) => Cell::Text(texts[row].clone()),
    })
}

fn value(level: &str) -> Option<f64> {
    match number(level.as_bytes()) {
        Number::Finite(value) => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{CsvWriter, Kind, ReadOptions, TableWriter, read, read_bytes};

    const TEXT: &str =
        "age,died,ward,weight,seen\n61,1,er,70.5,2024-03-31\n,0,icu,,2024-04-01\n40,,\"a, b\",81.25,\n";

    #[test]
    fn a_table_comes_back_from_every_form() {
        let options = ReadOptions { keep_source: true, ..ReadOptions::default() };
        let table = read_bytes("t.csv", TEXT.as_bytes(), &options).unwrap().table;
        let folder = tempfile::tempdir().unwrap();
        for ending in ["parquet", "arrow", "feather"] {
            let path = folder.path().join(format!("t.{ending}"));
            super::super::write(&table, &path).unwrap();
            let again = read(&path, &ReadOptions::default()).unwrap().table;
            assert_eq!(again.columns(), table.columns(), "{ending}");
            // Twice below each other, with a number in front.
            let mut writer = TableWriter::create(&path, Some("draw")).unwrap();
            writer.write(&table, "1").unwrap();
            writer.rest().unwrap();
            writer.write(&table, "2").unwrap();
            writer.finish().unwrap();
            let again = read(&path, &ReadOptions::default()).unwrap().table;
            assert_eq!((again.rows(), again.columns()[0].name.as_str()), (6, "draw"));
            assert_eq!(again.column("weight").unwrap().cell(5).as_deref(), Some("81.25"));
        }
    }

    #[test]
    fn rows_written_cell_by_cell_keep_their_types() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.parquet");
        let mut writer = CsvWriter::create(&path, &["id", "chance"]).unwrap();
        for (id, chance) in [("007", Some(0.25)), ("008", None)] {
            writer.text(id);
            match chance {
                Some(chance) => writer.number(chance),
                None => writer.missing(),
            }
            writer.end_row().unwrap();
        }
        writer.finish().unwrap();
        let kinds = [("id".to_owned(), Kind::Category)].into();
        let again = read(&path, &ReadOptions { kinds, ..ReadOptions::default() }).unwrap().table;
        assert_eq!(again.column("id").unwrap().cell(0).as_deref(), Some("007"));
        assert_eq!(again.column("chance").unwrap().numbers(), Some(&[0.25, 0.0][..]));
        assert_eq!(again.column("chance").unwrap().observed, [true, false]);
    }
}
