//! Arrow files (`.arrow`, `.feather`), copied batch by batch to a temporary Parquet file, whose reader knows what the
//! types mean.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::parquet::arrow::ArrowWriter;
use arrow_ipc::reader::FileReader;

use super::super::input::{Stream, spool};
use super::super::parquet::quietly;
use crate::error::{Error, Place, Result};

/// The file as Parquet; it vanishes by itself.
pub(super) fn parquet(stream: Stream) -> Result<File> {
    let file = stream.file.clone();
    let arrow = spool(stream)?;
    let damaged = |what: &dyn std::fmt::Display| {
        Error::input(Place::file(&file), format!("the Arrow file is damaged or of an unknown make ({what})"))
            .with_hint("get or make the file again")
    };
    quietly(|| catch_unwind(AssertUnwindSafe(|| copy(arrow, &damaged))))
        .unwrap_or_else(|_| Err(damaged(&"its contents contradict each other")))
}

/// Bytes, or cells, up to which no file is refused, and how many times its size they may be beyond that.
const MOST: u64 = 256 << 20;
const MOST_TIMES: u64 = 2000;

/// Refuses a file of a few bytes that says it has far more in it: what it claims is set aside before it is read.
fn refuse_bomb(file: &mut File, damaged: &dyn Fn(&dyn std::fmt::Display) -> Error) -> Result<()> {
    let claimed = claims(file).map_err(|error| damaged(&error))?;
    let length = file.metadata().map_or(0, |about| about.len());
    if claimed > MOST && claimed / MOST_TIMES > length {
        return Err(damaged(&format!("{length} bytes claim to hold {claimed}")));
    }
    file.rewind().map_err(|error| damaged(&error))
}

/// How many bytes the packed parts of a file claim to be, or how many cells it has if these are more.
fn claims(file: &mut File) -> std::io::Result<u64> {
    let bad = |what: &str| std::io::Error::other(what.to_owned());
    let mut end = [0; 10];
    file.seek(SeekFrom::End(-10))?;
    file.read_exact(&mut end)?;
    let length = u32::from_le_bytes([end[0], end[1], end[2], end[3]]);
    let mut footer = Vec::new();
    file.seek(SeekFrom::End(-10 - i64::from(length)))?;
    file.take(u64::from(length)).read_to_end(&mut footer)?;
    let footer = arrow_ipc::root_as_footer(&footer).map_err(|error| bad(&error.to_string()))?;
    let width = footer.schema().and_then(|schema| schema.fields()).map_or(0, |fields| fields.len() as u64);
    let (mut bytes, mut cells) = (0_u64, 0_u64);
    for block in footer.recordBatches().iter().flatten().chain(footer.dictionaries().iter().flatten()) {
        let (start, length) = (block.offset().unsigned_abs(), block.metaDataLength().unsigned_abs());
        let mut head = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.take(u64::from(length)).read_to_end(&mut head)?;
        let head = head.strip_prefix(&[0xff; 4]).unwrap_or(&head);
        let message = head.get(4..).ok_or_else(|| bad("a part is too short"))?;
        let message = arrow_ipc::root_as_message(message).map_err(|error| bad(&error.to_string()))?;
        let batch = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
        let Some(batch) = message.header_as_record_batch().or(batch) else { continue };
        cells = cells.saturating_add(batch.length().unsigned_abs().saturating_mul(width));
        for buffer in batch.buffers().iter().flatten().filter(|_| batch.compression().is_some()) {
            let mut claim = [0; 8];
            if buffer.length() >= 8 {
                file.seek(SeekFrom::Start(start + u64::from(length) + buffer.offset().unsigned_abs()))?;
                file.read_exact(&mut claim)?;
                bytes = bytes.saturating_add(u64::try_from(i64::from_le_bytes(claim)).unwrap_or(0));
            }
        }
    }
    Ok(bytes.max(cells))
}

fn copy(mut arrow: File, damaged: &dyn Fn(&dyn std::fmt::Display) -> Error) -> Result<File> {
    let folder = std::env::temp_dir();
    let io = |error| Error::io(&folder, error);
    refuse_bomb(&mut arrow, damaged)?;
    let mut reader = FileReader::try_new(BufReader::new(arrow), None).map_err(|error| damaged(&error))?;
    let mut file = tempfile::tempfile().map_err(io)?;
    let copy = file.try_clone().map_err(io)?;
    let mut writer = ArrowWriter::try_new(copy, reader.schema(), None).map_err(|error| damaged(&error))?;
    for batch in &mut reader {
        let batch = batch.map_err(|error| damaged(&error))?;
        writer.write(&batch).map_err(|error| damaged(&error))?;
    }
    writer.close().map_err(|error| damaged(&error))?;
    file.flush().map_err(io)?;
    file.rewind().map_err(io)?;
    Ok(file)
}
