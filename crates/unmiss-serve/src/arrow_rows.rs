//! Rows as a stream of Arrow record batches, in and out.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, Float64Array, PrimitiveArray, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_buffer::{ArrowNativeType, Buffer};
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use unmiss::data::{CellReader, Cells, Column, Table, Values};

use crate::fault::{Answer, Fault};

/// The batches of a body, one after the other.
pub struct Stream {
    decoder: StreamDecoder,
    rest: Buffer,
}

impl Stream {
    /// Begins to read a body.
    pub fn new(body: Bytes) -> Answer<Self> {
        refuse_packed(&body)?;
        Ok(Self { decoder: StreamDecoder::new(), rest: Buffer::from(body) })
    }

    /// The next batch; none at the end.
    pub fn next(&mut self) -> Answer<Option<RecordBatch>> {
        if let Some(batch) = self.decoder.decode(&mut self.rest).map_err(|error| unreadable(&error))? {
            return Ok(Some(batch));
        }
        self.decoder.finish().map_err(|error| unreadable(&error))?;
        match self.decoder.schema() {
            Some(_) => Ok(None),
            None => Err(Fault::bad("the body holds no schema", "send a stream of Arrow record batches")),
        }
    }

    /// What the columns are, once a batch was read or the end was reached.
    pub fn schema(&self) -> Option<SchemaRef> {
        self.decoder.schema()
    }
}

/// Refuses batches that are packed: how much memory they would take is only known once it is taken. What else is
/// wrong with a body is left to the decoder.
fn refuse_packed(mut rest: &[u8]) -> Answer<()> {
    loop {
        rest = rest.strip_prefix(&[0xff; 4]).unwrap_or(rest);
        let Some((length, behind)) = rest.split_first_chunk::<4>() else { return Ok(()) };
        let Some((head, behind)) = behind.split_at_checked(u32::from_le_bytes(*length) as usize) else {
            return Ok(());
        };
        let Ok(message) = arrow_ipc::root_as_message(head) else { return Ok(()) };
        let batch = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
        if message.header_as_record_batch().or(batch).is_some_and(|batch| batch.compression().is_some()) {
            let hint = "send it uncompressed (in pyarrow: the usual `ipc.new_stream`)";
            return Err(Fault::bad("the batches are compressed", hint));
        }
        let Some(next) = usize::try_from(message.bodyLength()).ok().and_then(|length| behind.get(length..))
        else {
            return Ok(());
        };
        rest = next;
    }
}

fn unreadable(error: &ArrowError) -> Fault {
    let hint = "send the stream form, uncompressed (in pyarrow: `ipc.new_stream`), not the form of files";
    Fault::bad(format!("the body can't be read as Arrow: {error}"), hint)
}

/// The columns of a batch that have a reader; a column that is not there gives none.
pub fn table(batch: &RecordBatch, readers: &[CellReader]) -> Answer<Table> {
    let mut columns: Vec<Column> = Vec::new();
    for reader in readers {
        if let Some(array) = batch.column_by_name(&reader.name) {
            columns.push(column(array, reader)?);
        }
    }
    Ok(Table::new(columns)?)
}

fn column(array: &ArrayRef, reader: &CellReader) -> Answer<Column> {
    let mut cells = reader.cells();
    if !push_all(&mut cells, array)? {
        let (what, hint) =
            ("the column holds numbers, and a cell is none", "send numbers, null where not known");
        return Err(Fault::bad(what, hint).at("column", reader.name.as_str()));
    }
    Ok(cells.finish())
}

/// Adds all cells; false if one of them can't be one of the column.
fn push_all(cells: &mut Cells<'_>, array: &ArrayRef) -> Answer<bool> {
    Ok(match array.data_type() {
        DataType::Null => {
            (0..array.len()).for_each(|_| cells.hole());
            true
        }
        DataType::Float64 => numbers::<Float64Type>(cells, array, |value| value),
        DataType::Float32 => numbers::<Float32Type>(cells, array, f64::from),
        DataType::Int8 => numbers::<Int8Type>(cells, array, f64::from),
        DataType::Int16 => numbers::<Int16Type>(cells, array, f64::from),
        DataType::Int32 => numbers::<Int32Type>(cells, array, f64::from),
        DataType::Int64 => numbers::<Int64Type>(cells, array, |value| value as f64),
        DataType::UInt8 => numbers::<UInt8Type>(cells, array, f64::from),
        DataType::UInt16 => numbers::<UInt16Type>(cells, array, f64::from),
        DataType::UInt32 => numbers::<UInt32Type>(cells, array, f64::from),
        DataType::UInt64 => numbers::<UInt64Type>(cells, array, |value| value as f64),
        DataType::Boolean => each(cells, array.as_boolean().iter(), |cells, value| {
            cells.text(if value { "true" } else { "false" })
        }),
        DataType::Utf8 => each(cells, array.as_string::<i32>().iter(), |cells, text| cells.text(text)),
        DataType::LargeUtf8 => each(cells, array.as_string::<i64>().iter(), |cells, text| cells.text(text)),
        DataType::Utf8View => each(cells, array.as_string_view().iter(), |cells, text| cells.text(text)),
        DataType::Dictionary(key, value) if **value == DataType::Utf8 || **value == DataType::LargeUtf8 => {
            match **key {
                DataType::Int8 => dictionary::<Int8Type>(cells, array),
                DataType::Int16 => dictionary::<Int16Type>(cells, array),
                DataType::Int32 => dictionary::<Int32Type>(cells, array),
                DataType::Int64 => dictionary::<Int64Type>(cells, array),
                DataType::UInt8 => dictionary::<UInt8Type>(cells, array),
                DataType::UInt16 => dictionary::<UInt16Type>(cells, array),
                DataType::UInt32 => dictionary::<UInt32Type>(cells, array),
                _ => dictionary::<UInt64Type>(cells, array),
            }
        }
        other => {
            let what = format!("cells of the type {other} can't be read");
            let hint = "send numbers, booleans, text or a dictionary of text";
            return Err(Fault::bad(what, hint).at("column", cells.reader().name.as_str()));
        }
    })
}

fn each<T>(
    cells: &mut Cells<'_>,
    values: impl Iterator<Item = Option<T>>,
    push: impl Fn(&mut Cells<'_>, T) -> bool,
) -> bool {
    for value in values {
        let fits = match value {
            None => {
                cells.hole();
                true
            }
            Some(value) => push(cells, value),
        };
        if !fits {
            return false;
        }
    }
    true
}

fn numbers<T: ArrowPrimitiveType>(
    cells: &mut Cells<'_>,
    array: &ArrayRef,
    wide: impl Fn(T::Native) -> f64,
) -> bool {
    each(cells, array.as_primitive::<T>().iter(), |cells, value| cells.number(wide(value)))
}

fn dictionary<K: ArrowDictionaryKeyType>(cells: &mut Cells<'_>, array: &ArrayRef) -> bool {
    let dictionary = array.as_dictionary::<K>();
    let values = dictionary.values();
    let word = |place: usize| match values.data_type() {
        DataType::LargeUtf8 => values.as_string::<i64>().value(place),
        _ => values.as_string::<i32>().value(place),
    };
    let known =
        |key: Option<K::Native>| key.map(|key| key.as_usize()).filter(|place| values.is_valid(*place));
    each(cells, dictionary.keys().iter().map(known), |cells, place| cells.text(word(place)))
}

/// Writes columns as one stream.
pub struct Writer {
    writer: Option<StreamWriter<Vec<u8>>>,
}

impl Writer {
    /// Begins a stream.
    pub fn new() -> Self {
        Self { writer: None }
    }

    /// Adds rows; the first columns tell what all have.
    pub fn write(&mut self, columns: &[Column]) -> Answer<()> {
        let rows = columns.first().map_or(0, Column::rows);
        let field = |column: &Column| Field::new(&column.name, arrow_type(column), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let arrays = columns.iter().map(array).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(schema, arrays, &options);
        self.write_batch(&batch.map_err(|error| Fault::internal(error.to_string()))?)
    }

    /// Adds a batch.
    pub fn write_batch(&mut self, batch: &RecordBatch) -> Answer<()> {
        let failed = |error: ArrowError| Fault::internal(error.to_string());
        if self.writer.is_none() {
            self.writer = Some(StreamWriter::try_new(Vec::new(), &batch.schema()).map_err(failed)?);
        }
        self.writer.as_mut().map_or(Ok(()), |writer| writer.write(batch)).map_err(failed)
    }

    /// All bytes.
    pub fn finish(self) -> Answer<Vec<u8>> {
        let failed = |error: ArrowError| Fault::internal(error.to_string());
        let mut writer = match self.writer {
            Some(writer) => writer,
            None => StreamWriter::try_new(Vec::new(), &Schema::empty()).map_err(failed)?,
        };
        writer.finish().map_err(failed)?;
        writer.into_inner().map_err(failed)
    }
}

fn arrow_type(column: &Column) -> DataType {
    match &column.values {
        Values::Numbers(_) => DataType::Float64,
        Values::Codes { .. } | Values::Texts(_) => DataType::Utf8,
    }
}

fn array(column: &Column) -> ArrayRef {
    let known = |row: &usize| column.observed[*row];
    let rows = 0..column.rows();
    match &column.values {
        Values::Numbers(values) => {
            Arc::new(rows.map(|row| Some(values[row]).filter(|_| known(&row))).collect::<Float64Array>())
        }
        Values::Codes { codes, levels } => {
            let word = |row: usize| known(&row).then(|| levels[codes[row] as usize].as_str());
            Arc::new(rows.map(word).collect::<StringArray>())
        }
        Values::Texts(texts) => {
            Arc::new(rows.map(|row| known(&row).then_some(texts[row].as_str())).collect::<StringArray>())
        }
    }
}

/// The batch with the holes of its columns filled from a table of the same rows; every other cell, and the type of
/// every column, stays. Integers stay integers, as filled ones are rounded.
pub fn filled(batch: &RecordBatch, full: &Table) -> Answer<RecordBatch> {
    let mut arrays = Vec::with_capacity(batch.num_columns());
    let schema = batch.schema();
    for (field, old) in schema.fields().iter().zip(batch.columns()) {
        arrays.push(match full.column(field.name()) {
            Ok(column) => mended(old, column),
            Err(_) => Arc::clone(old),
        });
    }
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .zip(&arrays)
        .map(|(field, array)| {
            field.as_ref().clone().with_data_type(array.data_type().clone()).with_nullable(true)
        })
        .collect();
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    RecordBatch::try_new_with_options(schema, arrays, &options)
        .map_err(|error| Fault::internal(error.to_string()))
}

/// The batch behind a column with the number of a draw, where there is one.
pub fn led(batch: &RecordBatch, draw: Option<u64>) -> Answer<RecordBatch> {
    let Some(draw) = draw else { return Ok(batch.clone()) };
    let lead = Arc::new(Float64Array::from(vec![draw as f64; batch.num_rows()])) as ArrayRef;
    let schema = batch.schema();
    let fields = schema.fields().iter().map(|field| field.as_ref().clone());
    let fields: Vec<Field> =
        [Field::new("draw", DataType::Float64, true)].into_iter().chain(fields).collect();
    let arrays = [lead].into_iter().chain(batch.columns().iter().cloned()).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
        .map_err(|error| Fault::internal(error.to_string()))
}

/// Several streams as one: the batches of the first, then those of the second, and so on.
pub fn joined(writers: Vec<Writer>) -> Answer<Vec<u8>> {
    let mut all = Writer::new();
    for writer in writers {
        let mut stream = Stream::new(writer.finish()?.into())?;
        while let Some(batch) = stream.next()? {
            all.write_batch(&batch)?;
        }
    }
    all.finish()
}

fn mended(old: &ArrayRef, column: &Column) -> ArrayRef {
    match (old.data_type(), column.numbers()) {
        (DataType::Float64, Some(values)) => {
            numbers_mended::<Float64Type>(old, column, values, |value| value)
        }
        (DataType::Float32, Some(values)) => {
            numbers_mended::<Float32Type>(old, column, values, |value| value as f32)
        }
        (DataType::Int64, Some(values)) => {
            numbers_mended::<Int64Type>(old, column, values, |value| value.round() as i64)
        }
        (DataType::Int32, Some(values)) => {
            numbers_mended::<Int32Type>(old, column, values, |value| value.round() as i32)
        }
        // Of any other type the text or number that stands in the table says the same.
        (_, None) if matches!(column.values, Values::Codes { .. }) => array(column),
        (other, Some(_)) if other.is_integer() || *other == DataType::Null => array(column),
        _ => Arc::clone(old),
    }
}

fn numbers_mended<T: ArrowPrimitiveType>(
    old: &ArrayRef,
    column: &Column,
    values: &[f64],
    narrow: impl Fn(f64) -> T::Native,
) -> ArrayRef {
    let old = old.as_primitive::<T>();
    // NaN alone is not equal to itself.
    let is_known =
        |row: usize| old.is_valid(row) && old.values()[row].partial_cmp(&old.values()[row]).is_some();
    let cell = |row: usize| match is_known(row) {
        true => Some(old.value(row)),
        false => column.observed[row].then(|| narrow(values[row])),
    };
    Arc::new((0..old.len()).map(cell).collect::<PrimitiveArray<T>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use unmiss::data::{Kind, MissingTokens};

    #[test]
    fn what_is_written_is_read_back() {
        let columns = vec![
            Column::from_numbers("a", Kind::Real, &[1.5, f64::NAN, -3.0]),
            Column::from_words("b", Kind::Category, &[Some("x"), None, Some("é")]),
        ];
        let mut writer = Writer::new();
        writer.write(&columns).unwrap();
        writer.write(&columns).unwrap();
        let bytes = writer.finish().unwrap();
        let missing = MissingTokens::default();
        let readers =
            [CellReader::new("a", Kind::Real, &missing), CellReader::new("b", Kind::Category, &missing)];
        let mut stream = Stream::new(bytes.clone().into()).unwrap();
        let mut count = 0;
        while let Some(batch) = stream.next().unwrap() {
            assert_eq!(table(&batch, &readers).unwrap().columns(), columns);
            count += 1;
        }
        assert_eq!(count, 2);
        for cut in 0..bytes.len() {
            let mut stream = Stream::new(bytes[..cut].to_vec().into()).unwrap();
            while let Ok(Some(_)) = stream.next() {}
        }
    }

    #[test]
    fn holes_are_filled_and_types_stay() {
        let ages = PrimitiveArray::<Int64Type>::from(vec![Some(61), None]);
        let words = StringArray::from(vec![None, Some("m")]);
        let batch = RecordBatch::try_from_iter([
            ("age", Arc::new(ages) as ArrayRef),
            ("sex", Arc::new(words) as ArrayRef),
        ])
        .unwrap();
        let full = Table::new(vec![
            Column::from_numbers("age", Kind::Integer, &[61.0, 40.2]),
            Column::from_words("sex", Kind::Binary, &[Some("f"), Some("m")]),
        ])
        .unwrap();
        let filled = filled(&batch, &full).unwrap();
        assert_eq!(filled.column(0).as_primitive::<Int64Type>().values().to_vec(), [61, 40]);
        assert_eq!(filled.column(1).as_string::<i32>().value(0), "f");
    }
}
