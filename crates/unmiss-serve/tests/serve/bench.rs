//! What the tests share: a server in memory with small models of every kind, and a client.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, Request};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;
use unmiss::model::Model;
use unmiss_serve::{App, Settings, router};

/// A server in memory.
pub struct Bench {
    app: Arc<App>,
    runtime: tokio::runtime::Runtime,
}

/// What came back.
pub struct Reply {
    pub code: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The answer of a request that must have been good.
    pub fn good(self) -> Self {
        assert_eq!(self.code, 200, "{}", String::from_utf8_lossy(&self.body));
        self
    }
}

/// The file of a small model.
pub fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../unmiss/tests/files").join(format!("{name}.unmiss"))
}

/// A small model.
pub fn model(name: &str) -> Model {
    Model::load(&file(name)).unwrap()
}

/// Names of the models that are served, and their files.
const MODELS: [(&str, &str); 8] = [
    ("number", "folds-of-a-number"),
    ("classes", "folds-of-classes"),
    ("linear", "linear-table-predict"),
    ("fill", "gaussian-table-fill-draws"),
    ("density", "gaussian-table-density"),
    ("films", "biases-ratings-rate"),
    ("digits", "mlp-images-predict"),
    ("whole-digits", "mean-images-fill"),
];

impl Bench {
    /// A server of all models.
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    /// The same with other settings.
    pub fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let models = MODELS.map(|(name, own)| (name.to_owned(), file(own))).to_vec();
        let mut settings = Settings { models, threads: 2, ..Settings::default() };
        change(&mut settings);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { app: App::new(settings, Arc::new(|_| {})).unwrap(), runtime }
    }

    /// The server itself.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Sends a request with headers.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Reply {
        let request = Request::builder().method(method).uri(path).header("host", "localhost");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        self.reply_to(request.body(body.into()).unwrap())
    }

    /// Sends a request as it is.
    pub fn reply_to(&self, request: Request<Body>) -> Reply {
        let app = router(Arc::clone(&self.app));
        self.runtime.block_on(async move {
            let response = app.oneshot(request).await.unwrap();
            let (head, body) = response.into_parts();
            let body = body.collect().await.unwrap().to_bytes().to_vec();
            Reply { code: head.status.as_u16(), headers: head.headers, body }
        })
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], Body::empty())
    }

    /// Posts JSON.
    pub fn json(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &[("content-type", "application/json")], body.to_owned())
    }

    /// Posts CSV.
    pub fn csv(&self, path: &str, body: &str) -> Reply {
        self.send("POST", path, &[("content-type", "text/csv")], body.to_owned())
    }
}

/// Rows with holes and categories, one of which training never saw.
pub const ROWS: &str = "key,first,second,colour\n\
    a,0.5,,red\n\
    b,,1.25,green\n\
    c,-2.75,0.1,\n\
    d,,,\n\
    e,1e3,-0.0,blue\n\
    f,0.3333333333333333,NA,violet\n";

/// The same rows as JSON.
pub const JSON_ROWS: &str = r#"[
    {"key": "a", "first": 0.5, "second": null, "colour": "red"},
    {"key": "b", "second": 1.25, "colour": "green"},
    {"key": "c", "first": -2.75, "second": 0.1, "colour": ""},
    {"key": "d"},
    {"key": "e", "first": 1e3, "second": -0.0, "colour": "blue"},
    {"key": "f", "first": 0.3333333333333333, "second": "NA", "colour": "violet"}
]"#;
