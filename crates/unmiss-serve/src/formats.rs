//! In which form rows come, and in which answers go: told by `Content-Type` and `Accept`.

use axum::http::{HeaderMap, StatusCode, header};

use crate::fault::{Answer, Fault};

/// A form of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An array of objects, or one object.
    Json,
    /// CSV or its like, Parquet or either packed with gzip: the reader of files tells them apart by their bytes.
    File,
    /// A stream of Arrow record batches.
    Arrow,
    /// A page; answers only.
    Html,
}

/// The media type of Arrow streams.
pub const ARROW: &str = "application/vnd.apache.arrow.stream";
/// What the answer of most routes can be.
pub const TABLES: &[Format] = &[Format::Json, Format::File, Format::Arrow];

impl Format {
    /// The media type of answers.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::File => "text/csv; charset=utf-8",
            Self::Arrow => ARROW,
            Self::Html => "text/html; charset=utf-8",
        }
    }

    fn accepted(media_type: &str) -> Option<Self> {
        match media_type {
            "application/json" | "application/*" => Some(Self::Json),
            "text/csv" | "text/*" => Some(Self::File),
            ARROW => Some(Self::Arrow),
            "text/html" => Some(Self::Html),
            _ => None,
        }
    }
}

/// The form of a body. A body that does not say it (or says what senders of forms say of everything) is looked at.
pub fn of_body(headers: &HeaderMap, body: &[u8]) -> Answer<Format> {
    if headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        let what = "bodies with a Content-Encoding are not unpacked";
        let hint = "send it plain; CSV may be packed by itself, as a file would be";
        return Err(
            Fault::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, what, hint).at("header", "Content-Encoding")
        );
    }
    let told = headers.get(header::CONTENT_TYPE).and_then(|told| told.to_str().ok()).unwrap_or_default();
    let media_type = told.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match media_type.as_str() {
        "application/json" => Ok(Format::Json),
        "text/csv"
        | "text/tab-separated-values"
        | "application/gzip"
        | "application/vnd.apache.parquet"
        | "application/x-parquet" => Ok(Format::File),
        ARROW => Ok(Format::Arrow),
        "" | "application/x-www-form-urlencoded" | "application/octet-stream" | "text/plain" => {
            Ok(look_at(body))
        }
        other => {
            let what = format!("rows of the type `{other}` can't be read");
            let hint = format!("send application/json, text/csv, application/vnd.apache.parquet or {ARROW}");
            Err(Fault::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, what, hint).at("header", "Content-Type"))
        }
    }
}

fn look_at(body: &[u8]) -> Format {
    let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
    match first {
        Some(b'[' | b'{') => Format::Json,
        // The mark in front of a message of a stream.
        _ if body.starts_with(&[0xff; 4]) => Format::Arrow,
        _ => Format::File,
    }
}

/// The form of the answer: the one that is asked for first among those that can be given, else the usual one.
pub fn of_answer(headers: &HeaderMap, usual: Format, possible: &[Format]) -> Answer<Format> {
    let told: Vec<&str> =
        headers.get_all(header::ACCEPT).iter().filter_map(|told| told.to_str().ok()).collect();
    let mut wanted: Vec<(f32, String)> = Vec::new();
    for part in told.iter().flat_map(|told| told.split(',')) {
        let mut pieces = part.split(';').map(str::trim);
        let media_type = pieces.next().unwrap_or_default().to_ascii_lowercase();
        let weight = pieces.find_map(|piece| piece.strip_prefix("q=")).and_then(|text| text.parse().ok());
        wanted.push((weight.unwrap_or(1.0), media_type));
    }
    if wanted.is_empty() {
        return Ok(usual);
    }
    // Stable: of equals the one that stands first.
    wanted.sort_by(|one, other| other.0.total_cmp(&one.0));
    let can = |media_type: &str| match media_type {
        "*/*" | "" => Some(usual),
        other => Format::accepted(other).filter(|format| possible.contains(format)),
    };
    wanted.iter().filter(|(weight, _)| *weight > 0.0).find_map(|(_, name)| can(name)).ok_or_else(|| {
        let names: Vec<&str> = possible.iter().map(|format| format.media_type()).collect();
        let hint = format!("accept one of: {}", names.join(", "));
        Fault::new(StatusCode::NOT_ACCEPTABLE, "the answer can't be given in that form", hint)
            .at("header", "Accept")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        [(name, value.parse().unwrap())].into_iter().collect()
    }

    #[test]
    fn bodies_are_told_by_their_type_or_looked_at() {
        let of = |told: &str, body: &[u8]| of_body(&headers(header::CONTENT_TYPE, told), body).ok();
        assert_eq!(of("application/json; charset=utf-8", b""), Some(Format::Json));
        assert_eq!(of("text/csv", b"[x]\n1\n"), Some(Format::File));
        assert_eq!(of("application/x-www-form-urlencoded", b" [{}]"), Some(Format::Json));
        assert_eq!(of("", b"a,b\n1,2\n"), Some(Format::File));
        assert_eq!(of("image/png", b""), None);
        assert!(of_body(&headers(header::CONTENT_ENCODING, "br"), b"").is_err());
    }

    #[test]
    fn answers_are_what_is_accepted_most() {
        let of = |told: &str| of_answer(&headers(header::ACCEPT, told), Format::Json, TABLES).ok();
        assert_eq!(of("*/*"), Some(Format::Json));
        assert_eq!(of("text/html, text/csv;q=0.9, application/json;q=0.5"), Some(Format::File));
        assert_eq!(of(ARROW), Some(Format::Arrow));
        assert_eq!(of("image/png"), None);
        assert_eq!(of("application/json;q=0"), None);
        assert_eq!(of_answer(&HeaderMap::new(), Format::File, TABLES).ok(), Some(Format::File));
    }
}
