//! Cells as they stand in the file that a table was read from.

use super::cell::content;
use super::split::split_record;
use super::table::Table;

impl Table {
    /// The cells of a row as the file has them, without the quotes around them (`1.50` stays `1.50`), or `None`
    /// if the table did not keep its source. What was hidden or filled since does not show here.
    pub fn raw_row(&self, row: usize) -> Option<Vec<String>> {
        let source = self.source.as_ref()?;
        let &(start, end) = source.rows.get(row)?;
        let mut ends = Vec::new();
        split_record(&source.bytes[..end], start, source.delimiter, true, &mut ends).ok()?;
        let mut from = start;
        let cell = |position: usize| {
            let to = ends.get(position).map_or(end, |end| *end as usize);
            let text = String::from_utf8_lossy(&content(&source.bytes[from..to])).into_owned();
            from = (to + 1).min(end);
            text
        };
        Some((0..self.columns().len()).map(cell).collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{ReadOptions, read_bytes};

    #[test]
    fn cells_come_as_they_stand() {
        let text = b"a,b,c\n1.50,\"x, \"\"y\"\"\",\n007,NA,last\n";
        let options = ReadOptions { keep_source: true, ..ReadOptions::default() };
        let table = read_bytes("t.csv", text, &options).unwrap().table;
        assert_eq!(table.raw_row(0).unwrap(), ["1.50", "x, \"y\"", ""]);
        assert_eq!(table.raw_row(1).unwrap(), ["007", "NA", "last"]);
        assert_eq!(table.select(&[1]).raw_row(0).unwrap()[0], "007");
        assert!(table.raw_row(2).is_none());
        assert!(read_bytes("t.csv", text, &ReadOptions::default()).unwrap().table.raw_row(0).is_none());
    }
}
