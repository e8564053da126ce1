//! How a file of ratings is laid out: a line of names, or one of the forms without.

use super::RatingsOptions;
use crate::data::cell::{Number, number, word};
use crate::data::head::head;
use crate::data::options::check_names;
use crate::data::split::split_record;
use crate::error::{Act, Error, Place, Result};

/// Where in a row the fields stand.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub user: usize,
    pub item: usize,
    pub rating: Option<usize>,
    pub time: Option<usize>,
}

const USERS: &[&str] = &["user", "userid", "uid", "customer", "customerid", "reviewerid"];
const ITEMS: &[&str] =
    &["item", "itemid", "iid", "movie", "movieid", "film", "product", "productid", "book", "bookid", "asin"];
const RATINGS: &[&str] = &["rating", "score", "stars", "overall"];
const TIMES: &[&str] = &["time", "timestamp", "date", "unixreviewtime"];

impl Places {
    pub fn find(file: &str, names: &[String], options: &RatingsOptions, rated: bool) -> Result<Self> {
        let needed = |given: &Option<String>, usual: &[&str], what: &'static str| {
            find_column(names, given.as_ref(), usual)?.ok_or_else(|| {
                let what_is = format!("no column is called `{what}` or the like");
                Error::input(Place::file(file).at_line(1), what_is)
                    .with_hint(Act::NameColumn { what, columns: names.to_vec() })
            })
        };
        Ok(Self {
            user: needed(&options.user, USERS, "user")?,
            item: needed(&options.item, ITEMS, "item")?,
            rating: if rated { Some(needed(&options.rating, RATINGS, "rating")?) } else { None },
            time: if rated { find_column(names, options.time.as_ref(), TIMES)? } else { None },
        })
    }
}

/// The column that was named, or else the first with a usual name.
fn find_column(names: &[String], given: Option<&String>, usual: &[&str]) -> Result<Option<usize>> {
    if let Some(name) = given {
        check_names(names, std::iter::once(name))?;
        return Ok(names.iter().position(|own| own == name));
    }
    let plain = |name: &String| name.to_lowercase().replace(['_', ' ', '-'], "");
    Ok(names.iter().position(|name| usual.contains(&plain(name).as_str())))
}

/// The form of a text: its names, delimiter, first row, and where the fields stand.
pub(super) struct Form {
    pub names: Vec<String>,
    pub delimiter: u8,
    pub start: usize,
    pub places: Places,
}

/// Tells apart text with a line of names and the two forms without.
pub(super) fn form(file: &str, bytes: &[u8], options: &RatingsOptions, rated: bool) -> Result<Form> {
    if let Some(form) = unnamed(bytes, options, rated) {
        return Ok(form);
    }
    let head = head(file, bytes, true, options.delimiter, &Default::default())?
        .ok_or_else(|| Error::input(Place::file(file), "the header is not complete"))?;
    let places = Places::find(file, &head.names, options, rated)?;
    Ok(Form { names: head.names, delimiter: head.delimiter, start: head.end, places })
}

/// The form of a text without a line of names: the third field of its first line is a number.
pub(super) fn unnamed(bytes: &[u8], options: &RatingsOptions, rated: bool) -> Option<Form> {
    let mark = if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 };
    let blank = bytes[mark..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    let start = mark + blank;
    let line_end = bytes[start..].iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    let line = &bytes[start..line_end.map_or(bytes.len(), |length| start + length)];
    let doubled =
        options.delimiter.is_none_or(|byte| byte == b':') && line.windows(2).any(|two| two == b"::");
    // Between doubled colons lies an empty field: every second one counts.
    let (delimiter, step) = if doubled { (Some(b':'), 2) } else { (options.delimiter, 1) };
    let guesses = delimiter.map_or(vec![b'\t', b',', b';', b'|'], |byte| vec![byte]);
    if [&options.user, &options.item, &options.rating].iter().any(|name| name.is_some()) {
        return None;
    }
    for delimiter in guesses {
        let mut ends = Vec::new();
        let cells = split_record(line, 0, delimiter, true, &mut ends).map_or(0, |_| ends.len());
        let third = ends.get(2 * step).map(|end| &line[ends[2 * step - 1] as usize + 1..*end as usize]);
        let is_number = third.is_some_and(|cell| matches!(number(word(cell).as_bytes()), Number::Finite(_)));
        if is_number {
            let fields = ["user", "item", "rating", "time"];
            let field = |cell: usize| match fields.get(cell / step).filter(|_| cell.is_multiple_of(step)) {
                Some(name) => (*name).to_owned(),
                None => (cell + 1).to_string(),
            };
            let names = (0..cells).map(field).collect();
            let time = Some(3 * step).filter(|time| *time < cells && rated);
            let places = Places { user: 0, item: step, rating: Some(2 * step).filter(|_| rated), time };
            return Some(Form { names, delimiter, start, places });
        }
    }
    None
}
