//! Pages that are looked at before they are decoded: the decoder sets memory aside by what their headers say, and a
//! file of a few bytes may say anything.

use ::parquet::basic::Encoding;
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::schema::types::ColumnDescPtr;

/// A reader that gives no page whose values can't be in it.
pub(super) struct Checked {
    pages: Box<dyn PageReader>,
    column: ColumnDescPtr,
}

impl Checked {
    pub(super) fn new(pages: Box<dyn PageReader>, column: ColumnDescPtr) -> Self {
        Self { pages, column }
    }

    fn check(&self, page: &Page) -> Result<()> {
        match page {
            // Every value of a dictionary takes a byte at least.
            Page::DictionaryPage { buf, num_values, .. } => least(buf.len(), *num_values),
            Page::DataPage { buf, num_values, encoding, .. } => {
                self.check_lengths(*encoding, after_levels(buf, self.column.max_def_level()), *num_values)
            }
            Page::DataPageV2 {
                buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, ..
            } => {
                let levels = (*def_levels_byte_len as usize).saturating_add(*rep_levels_byte_len as usize);
                self.check_lengths(*encoding, buf.get(levels..), *num_values)
            }
        }
    }

    /// Strings of which the lengths come first: as many as the page has values, at most.
    fn check_lengths(&self, encoding: Encoding, values: Option<&[u8]>, num_values: u32) -> Result<()> {
        if !matches!(encoding, Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY) {
            return Ok(());
        }
        let values = values.ok_or_else(contradiction)?;
        // Size of a block, its parts, and then how many numbers there are.
        let mut bytes = values.iter().copied();
        let count = (0..3).map(|_| varint(&mut bytes)).last().flatten();
        if count.is_some_and(|count| count <= u64::from(num_values)) { Ok(()) } else { Err(contradiction()) }
    }
}

fn least(bytes: usize, values: u32) -> Result<()> {
    if values as usize <= bytes { Ok(()) } else { Err(contradiction()) }
}

fn contradiction() -> ParquetError {
    ParquetError::General("a page claims more values than it can hold".to_owned())
}

/// The values of a page, behind the marks of its holes.
fn after_levels(page: &[u8], highest: i16) -> Option<&[u8]> {
    if highest == 0 {
        return Some(page);
    }
    let (length, rest) = page.split_first_chunk::<4>()?;
    rest.get(u32::from_le_bytes(*length) as usize..)
}

/// A whole number in pieces of seven bits, the lowest first.
fn varint(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut value = 0_u64;
    for place in 0..10 {
        let byte = bytes.next()?;
        value |= u64::from(byte & 0x7f) << (7 * place).min(63);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.as_ref().map_or(Ok(()), |page| self.check(page))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}
