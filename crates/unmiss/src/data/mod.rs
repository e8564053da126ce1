//! Tables with holes: values and `observed` kept apart; reading and writing files; built-in samples.
//!
//! ```
//! use unmiss::data::{Kind, ReadOptions, read_bytes};
//! let text = b"age,sex,note\n61,m,NA\n,f,\"late, by train\"\n40,m,\n";
//! let reading = read_bytes("ward.csv", text, &ReadOptions::default())?;
//! let age = reading.table.column("age")?;
//! assert_eq!(age.observed, [true, false, true]);
//! assert_eq!(reading.table.column("sex")?.kind, Kind::Binary);
//! # Ok::<(), unmiss::error::Error>(())
//! ```
//!
//! # Which files
//!
//! | what | how it is told |
//! |---|---|
//! | CSV, TSV and their like | the delimiter is the one that a first line `sep=;` names, or the one of `,` `;` TAB `\|` that occurs most often outside quotes in the header; on a tie the first of these; without any, a comma; can be given |
//! | Parquet | by its first bytes; see the table in `data/parquet` for its types |
//! | Arrow files (`.arrow`, `.feather`) | by their first bytes; types as for Parquet |
//! | workbooks (`.xlsx`) | by their first bytes; one sheet, whose numbers, dates and words become the cells of a text |
//! | lines of JSON | by the ending `.jsonl` or `.ndjson`; without an ending, by `{"` |
//! | gzip | by its first bytes; files packed in several parts are read to the end |
//! | standard input | the path `-` (Parquet is copied to a temporary file first) |
//! | a built-in sample | the path `sample:NAME`; see [`SAMPLES`] |
//!
//! [`ratings`], [`images`], [`series`] and [`counts`] have readers of their own.
//!
//! The first line names the columns, or the first one below the rows of a title; spaces around names are dropped, and
//! a name that occurs again gets a number. Text is UTF-8, with or without a byte order mark; UTF-16 with its mark is
//! decoded, and so is text whose first byte beyond ASCII begins no letter of UTF-8, as Windows-1252; another encoding
//! can be given ([`Form`]). Lines end with LF, CR LF or CR; lines without any byte are passed over, wherever they
//! stand, but in a table of one column they are its holes. Quotes follow RFC 4180: a cell that starts with `"` ends at
//! the next `"` that is not doubled, and may contain delimiters and line ends; a quote elsewhere is an ordinary
//! character.
//!
//! # What a cell becomes
//!
//! | in the file | in the table |
//! |---|---|
//! | an empty cell, also `""` or spaces only | a hole |
//! | a word for "missing" ([`MissingTokens`]; `NA`, `?`, ... unless told otherwise), also in quotes or with spaces around it | a hole |
//! | `12`, ` 12 `, `"12"`, `+12`, `-1.5e3`, `.5` | a number |
//! | `1,5`, `1.234,50`, `1 000`, `5 €`, `12 %` | a number, if all cells of the column are written in one such way and it is clear in which ([`Form`]); else a word |
//! | `12 kg`, `0x1F` | a word |
//! | `inf`, `1e999` (too large for a number) | among numbers an error, among words a word |
//! | a whole number beyond 2⁵³ (9007199254740992) | a word, so that no digit is lost |
//! | anything else | a word, without spaces around it; in text columns the cell as it stands, without its quotes |
//!
//! # What kind a column is
//!
//! Found over all rows, in this order; [`ReadOptions::kinds`] overrules it.
//!
//! | all known cells | kind |
//! |---|---|
//! | there are none | real, with a note |
//! | numbers of exactly two values | binary; `1`, `1.0` and `01` are the same level `1` |
//! | whole numbers (also written `3.0`) up to 2⁵³ | integer |
//! | numbers | real |
//! | dates of ISO 8601, times or both; `31.03.2024`, `31/03/2024` and `3/31/2024`, also with a time, if one of them tells what comes first or it is told ([`DateOrder`]) | date: predictors make inputs of it |
//! | words of exactly two values | binary |
//! | more than 2000 different words; or more than 100, and more than a fifth of the cells are different | text: predictors make inputs of it, unless it is a key |
//! | other words, or words among numbers | category; the levels in ascending order, by value if all are numbers |
//!
//! A column told to be a category keeps the cells' text as levels (`01234` stays `01234`). A column told to be
//! a number must have nothing but numbers and words for "missing".
//!
//! # What is remarked on, what is refused
//!
//! [`Reading::notes`] tells what was passed over, named or read in another way than as it stands; of columns that are
//! text or dates, empty, of one value, or look like an id; of columns that are numbers but for a few odd words (`-`,
//! `unknown`, `<0.5`), which most likely stand for holes; and of numbers far outside all others (-999).
//!
//! A row with fewer or more cells than the header, a header most of whose names are empty or without rows, bytes
//! that are not text, a quote that never closes or has text behind it, a record of more than 64 MB: each is an
//! error with file, line (counted as an editor counts) and column, and advice. Nothing is repaired silently.

mod kind;
mod largest;
mod note;
mod digits;
mod cell;
mod dates;
mod form;
mod notation;
mod options;
pub mod source;
pub mod table;
mod reading;
pub mod samples;
pub(crate) mod formula;
mod input;
mod split;
mod faults;
mod titles;
mod footers;
mod head;
mod gather;
pub(crate) mod kinds;
mod sentinels;
mod remarks;
mod memory;
mod raw;
mod notations;
mod text;
mod parquet;
mod guard;
mod text_output;
mod columnar;
mod cells;
pub mod write;
mod forms;
mod read_table;
mod batches;
mod table_writer;
pub mod ratings;
pub mod images;
pub mod series;
pub mod counts;
mod shape;
mod fingerprint;

pub use batches::Batches;
pub use cells::{CellReader, Cells};
pub use dates::DateOrder;
pub(crate) use dates::{order_of, to_iso};
pub use form::Form;
pub(crate) use gather::level;
pub use guard::guard_formulas;
pub use kind::Kind;
pub use largest::LARGEST;
pub use note::Note;
pub use options::{BatchOptions, MissingTokens, ReadOptions};
pub use read_table::{read, read_bytes};
pub use reading::Reading;
pub(crate) use remarks::is_key;
pub use samples::{SAMPLES, Sample, sample};
pub(crate) use shape::other_shape;
pub use shape::{Data, Shape};
pub use table::{Column, Table, Values};
pub use table_writer::{TableWriter, csv_text, write};
pub use write::CsvWriter;
