//! What a request is refused with: JSON that says what is wrong, where, and what to do about it.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value, json};
use unmiss::error::{Act, Error, Place};

/// What can be done where an error has no better advice.
const USUAL_HINT: &str = "GET /models/NAME tells which columns the model takes, and in which range they were";

/// Why a request is not answered.
#[derive(Debug)]
pub struct Fault {
    status: StatusCode,
    what: String,
    /// Parts of the request: `body`, `row`, `line`, `column`, `parameter`, `header`.
    place: Map<String, Value>,
    hint: String,
}

/// Shorthand for what may be refused.
pub type Answer<T> = std::result::Result<T, Fault>;

impl Fault {
    /// A fault with advice.
    pub fn new(status: StatusCode, what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { status, what: what.into(), place: Map::new(), hint: hint.into() }
    }

    /// A request that can't be understood.
    pub fn bad(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, what, hint)
    }

    /// Something in here that should not have happened.
    pub fn internal(what: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, what, "the server goes on; please report what was sent")
    }

    /// The same with a part of its place.
    #[must_use]
    pub fn at(mut self, part: &str, place: impl Into<Value>) -> Self {
        self.place.insert(part.to_owned(), place.into());
        self
    }

    /// The same with other advice.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let hint = error.hint().map(|hint| hint.worded(words)).unwrap_or_else(|| USUAL_HINT.to_owned());
        let fault = |what: &str| Self::bad(what, hint.clone());
        match &error {
            Error::Input { place: Place { line, column, .. }, what, .. } => {
                let fault = line.iter().fold(fault(what), |fault, line| fault.at("line", *line));
                column.iter().fold(fault, |fault, column| fault.at("column", column.as_str()))
            }
            Error::Setting { name, what, .. } => fault(what).at("parameter", name.as_str()),
            Error::Data { what, .. } => fault(what),
            Error::Stopped => Self::new(
                StatusCode::GATEWAY_TIMEOUT,
                "the time for a request was over before there was an answer",
                "send fewer rows, or start the server with a longer --time",
            ),
            Error::Io { .. } | Error::Model { .. } | Error::Method { .. } => {
                Self::internal(error.to_string())
            }
            _ => Self::internal(error.to_string()),
        }
    }
}

/// What can be done about something, in the words of a client.
fn words(act: &Act) -> String {
    match act {
        Act::ReadAsCategory { column } | Act::ReadAsNumber { column } => {
            format!("send `{column}` as it was when the model learned")
        }
        Act::NameMissing { column, words } => {
            let words = words.join("`, `");
            format!("if `{words}` in `{column}` stands for a missing value, send null or an empty cell")
        }
        Act::NameColumn { what, columns } => {
            format!("call the column `{what}`; the columns are: {}", columns.join(", "))
        }
        Act::ShowModel => "send rows, not a model".to_owned(),
        Act::UsePredictor | Act::UseImputer | Act::UseRecommender | Act::UseDensity => {
            "GET /models tells what each model is for".to_owned()
        }
        other => format!("{other:?}"),
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let Self { status, what, place, hint } = self;
        let body = json!({ "error": { "what": what, "where": place, "hint": hint } }).to_string();
        let mut response = (status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        let headers = response.headers_mut();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
