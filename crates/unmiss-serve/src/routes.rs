//! What can be asked of a model, and who answers it.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use unmiss::data::Shape;
use unmiss::methods::Job;

use crate::app::{App, LARGE};
use crate::asked::{Asked, Parts};
use crate::fault::{Answer, Fault};
use crate::fill::{self, Fill};
use crate::predict::{self, Predict};
use crate::score::{self, Score};
use crate::shelf::Served;
use crate::work::{carry_out, on_threads};
use crate::{findings, pictures, ratings};

/// All that can be asked of some model.
pub const VERBS: &[&str] = &["predict", "fill", "score", "top", "describe", "audit"];

/// Answers a request about rows.
pub async fn answer(
    app: &Arc<App>,
    served: Arc<Served>,
    verb: &str,
    request: Request<Body>,
) -> Answer<Response> {
    let (head, body) = request.into_parts();
    let limits = app.settings.limits;
    let length =
        head.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > limits.body) {
        return Err(too_large(limits.body));
    }
    // A seat for large bodies is waited for before anything is read.
    let _seat = match length {
        Some(length) if length <= LARGE => None,
        _ => Some(app.large.acquire().await.map_err(|_| Fault::internal("the server is about to end"))?),
    };
    let body = collect(body, limits.body).await?;
    let (seed, uri, headers) = (app.settings.seed, head.uri, head.headers);
    let parts = Parts { served: Arc::clone(&served), uri, headers, body, limits, seed };
    let holes = served.holes(&app.metrics);
    let run = &app.run;
    Ok(match (verb, served.model.job(), served.model.shape()) {
        ("describe" | "audit", ..) => findings::answer(app, parts, verb).await?,
        (_, Job::Rate, _) => {
            let verb = verb.to_owned();
            on_threads(run, move || ratings::answer(parts, &verb)).await??.into_response()
        }
        (_, _, Shape::Images) => on_threads(run, move || pictures::answer(parts)).await??,
        (_, Job::Predict, _) => {
            let asked = Asked::new(parts, predict::PARAMETERS)?;
            carry_out(run, Predict::new(asked, holes)?).await?.into_response()
        }
        (_, Job::Fill, _) => {
            let asked = Asked::new(parts, fill::PARAMETERS)?;
            carry_out(run, Fill::new(asked, holes)?).await?.into_response()
        }
        (_, Job::Density, _) => {
            let asked = Asked::new(parts, score::PARAMETERS)?;
            carry_out(run, Score::new(asked, holes)?).await?.into_response()
        }
    })
}

async fn collect(body: Body, most: usize) -> Answer<Bytes> {
    match Limited::new(body, most).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large(most)),
        Err(_) => Err(Fault::bad("the body ended before it was whole", "send it again")),
    }
}

fn too_large(most: usize) -> Fault {
    let what = format!("a body may have {most} bytes");
    let hint = "send rows in several requests, or start the server with a larger --body";
    Fault::new(StatusCode::PAYLOAD_TOO_LARGE, what, hint)
}
