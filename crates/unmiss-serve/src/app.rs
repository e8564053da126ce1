//! The routes, and the guard that every request passes: who may ask, how many at a time, how long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::{Value, json};
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;
use unmiss::error::Result;
use unmiss::run::Run;

use crate::fault::{Answer, Fault};
use crate::metrics::Metrics;
use crate::moment::moment;
use crate::reply::Answered;
use crate::settings::Settings;
use crate::shelf::{Refreshed, Shelf, Slot};
use crate::{facts, openapi, page, routes};

/// Bodies above this many bytes are large: a few at a time are read.
pub const LARGE: usize = 64 << 10;
/// Large bodies at the same time: each may take several times its size in memory.
const LARGE_AT_ONCE: usize = 4;
/// Descriptions and audits at the same time: they are long, and have a thread of their own.
const SLOW_AT_ONCE: usize = 1;

/// Tells what happens, a line at a time. Never what rows hold.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// What all requests share.
pub struct App {
    /// The models.
    pub shelf: Arc<Shelf>,
    /// How the server is to run.
    pub settings: Settings,
    /// What is counted.
    pub metrics: Metrics,
    /// The computing threads.
    pub run: Run,
    /// A thread of its own for long work.
    pub slow_run: Run,
    /// Seats for large bodies.
    pub large: Semaphore,
    /// Seats for long work.
    pub slow: Arc<Semaphore>,
    seats: Semaphore,
    draining: AtomicBool,
    log: Log,
}

impl App {
    /// Loads the models.
    ///
    /// # Errors
    /// When one can't be loaded, or there are no threads to be had.
    pub fn new(settings: Settings, log: Log) -> Result<Arc<Self>> {
        let shelf = Arc::new(Shelf::load(&settings.models)?);
        Ok(Arc::new(Self {
            metrics: Metrics::new(&shelf),
            run: Run::new(settings.seed, settings.threads)?,
            slow_run: Run::new(settings.seed, 1)?,
            large: Semaphore::new(LARGE_AT_ONCE),
            slow: Arc::new(Semaphore::new(SLOW_AT_ONCE)),
            seats: Semaphore::new(settings.limits.requests),
            draining: AtomicBool::new(false),
            shelf,
            settings,
            log,
        }))
    }

    /// Says something to whoever runs the server.
    pub fn say(&self, text: &str) {
        (self.log)(text);
    }

    /// From now on the server is not ready: it finishes what it has.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Counts and tells a model file that was replaced.
    pub fn refreshed(&self, new: &Refreshed) {
        self.metrics.refreshed(new, &self.shelf);
        match &new.kept {
            None => self.say(&format!("model `{}` was replaced by its new file", new.name)),
            Some(why) => self.say(&format!("model `{}` stays as it was: {why}", new.name)),
        }
    }

    /// The place of a model.
    pub fn slot(&self, name: &str) -> Answer<&Slot> {
        self.shelf.find(name).ok_or_else(|| {
            let names: Vec<&str> = self.shelf.slots.iter().map(|slot| slot.name.as_str()).collect();
            let hint = format!("there are: {}", names.join(", "));
            Fault::new(StatusCode::NOT_FOUND, format!("there is no model `{name}`"), hint).at("path", name)
        })
    }
}

/// The routes.
pub fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/", get(page::html))
        .route("/page.css", get(page::style))
        .route("/page.js", get(page::script))
        .route("/health", get(|| async { told(json!({ "status": "alive" })) }))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics))
        .route(
            "/openapi.json",
            get(|State(app): State<Arc<App>>| async move { told(openapi::document(&app)) }),
        )
        .route("/models", get(models))
        .route("/models/{name}", get(model))
        .route("/models/{name}/{verb}", post(verb))
        .fallback(nowhere)
        .method_not_allowed_fallback(other_method)
        .layer(from_fn_with_state(Arc::clone(&app), guard))
        .with_state(app)
}

/// JSON as a response.
pub fn told(value: Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

async fn ready(State(app): State<Arc<App>>) -> Response {
    match app.draining.load(Ordering::Relaxed) {
        false => told(json!({ "status": "ready", "models": app.shelf.slots.len() })),
        true => Fault::new(StatusCode::SERVICE_UNAVAILABLE, "the server is about to end", "ask another one")
            .into_response(),
    }
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    let media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, media_type)], app.metrics.text()).into_response()
}

async fn models(State(app): State<Arc<App>>) -> Response {
    told(json!({ "models": app.shelf.slots.iter().map(Slot::facts).collect::<Vec<_>>() }))
}

async fn model(State(app): State<Arc<App>>, Path(name): Path<String>) -> Answer<Response> {
    let slot = app.slot(&name)?;
    Ok(told(facts::of(slot)))
}

async fn verb(
    State(app): State<Arc<App>>,
    Path((name, verb)): Path<(String, String)>,
    request: Request<Body>,
) -> Answer<Response> {
    let served = app.slot(&name)?.model();
    if !routes::VERBS.contains(&verb.as_str()) {
        let hint = format!("there are: {}", routes::VERBS.join(", "));
        return Err(Fault::new(StatusCode::NOT_FOUND, format!("nothing can be asked by `{verb}`"), hint));
    }
    if !served.routes().contains(&verb.as_str()) {
        let what = format!("the model `{name}` {}: it has no `{verb}`", served.model.job().words());
        let hint = format!("it has: {}", served.routes().join(", "));
        return Err(Fault::new(StatusCode::CONFLICT, what, hint).at("path", verb));
    }
    routes::answer(&app, served, &verb, request).await
}

async fn nowhere() -> Fault {
    Fault::new(
        StatusCode::NOT_FOUND,
        "there is nothing at this address",
        "GET /openapi.json tells what there is",
    )
}

async fn other_method(method: Method) -> Fault {
    let what = format!("{method} can't be used here");
    Fault::new(StatusCode::METHOD_NOT_ALLOWED, what, "GET /openapi.json tells what can be used where")
}

/// Routes that anybody may use, at any time: they tell nothing of the models.
fn is_open(path: &str) -> bool {
    matches!(path, "/" | "/page.css" | "/page.js" | "/health" | "/ready")
}

/// What every request passes.
async fn guard(State(app): State<Arc<App>>, request: Request<Body>, next: Next) -> Response {
    let start = Instant::now();
    let path = request.uri().path().to_owned();
    let matched = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let method = request.method().clone();
    app.metrics.begin();
    let mut response = match admitted(&app, &path, request.headers()) {
        Err(fault) => fault.into_response(),
        Ok(()) => seated(&app, &path, request, next).await,
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    let (route, model) = labels(&app, matched.as_deref(), &path);
    let rows = response.extensions().get::<Answered>().map_or(0, |answered| answered.0);
    let (code, time) = (response.status().as_u16(), start.elapsed());
    app.metrics.end(&route, &model, code, rows, time);
    if app.settings.tell_requests {
        let milliseconds = 1e3 * time.as_secs_f64();
        let now = moment(SystemTime::now());
        app.say(&format!("{now} {method} {route} {model} {code} {rows} rows {milliseconds:.1} ms"));
    }
    response
}

/// What a request is counted under: the form of its address and its model, never what somebody made up.
fn labels(app: &App, matched: Option<&str>, path: &str) -> (String, String) {
    let mut parts = path.split('/').skip(1);
    let (first, name, verb) =
        (parts.next(), parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let model = if first == Some("models") && app.shelf.find(name).is_some() { name } else { "" };
    let route = match matched {
        None => "other",
        Some("/models/{name}/{verb}") if routes::VERBS.contains(&verb) => verb,
        Some(matched) => matched,
    };
    (route.to_owned(), model.to_owned())
}

async fn seated(app: &App, path: &str, request: Request<Body>, next: Next) -> Response {
    let _seat = match (is_open(path), app.seats.try_acquire()) {
        (true, _) => None,
        (false, Ok(seat)) => Some(seat),
        (false, Err(_)) => {
            let what = format!("{} requests are being worked on", app.settings.limits.requests);
            return Fault::new(StatusCode::SERVICE_UNAVAILABLE, what, "ask again in a moment")
                .into_response();
        }
    };
    match tokio::time::timeout(app.settings.limits.time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Fault::from(unmiss::error::Error::Stopped).into_response(),
    }
}

/// Whether whoever asks may.
fn admitted(app: &App, path: &str, headers: &HeaderMap) -> Answer<()> {
    let Some(token) = &app.settings.token else { return check_host(app, headers) };
    if is_open(path) {
        return Ok(());
    }
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    // The name of the scheme may be written in any case.
    let given = given.and_then(|value| value.split_once(' '));
    let given = given.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer"));
    let given = given.map_or("", |(_, token)| token.trim_start());
    // All letters are compared, so that the time taken does not tell how many were right.
    if bool::from(given.as_bytes().ct_eq(token.as_bytes())) {
        return Ok(());
    }
    let hint = "send the header `Authorization: Bearer TOKEN`";
    Err(Fault::new(StatusCode::UNAUTHORIZED, "a token is needed, and it must be the right one", hint)
        .at("header", "Authorization"))
}

/// A server for this machine alone answers under this machine's names alone: a web page elsewhere could have a name of
/// its own lead here, and ask in the name of whoever looks at it.
fn check_host(app: &App, headers: &HeaderMap) -> Answer<()> {
    if !app.settings.listen.ip().is_loopback() {
        return Ok(());
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let is_own = name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    if is_own || app.settings.hosts.iter().any(|own| own.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    let hint = "ask for localhost, or start the server with --host NAME or with a token";
    Err(Fault::new(StatusCode::FORBIDDEN, "the server is not known by this name", hint).at("header", "Host"))
}
