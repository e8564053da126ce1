//! The page for people, and what it needs: no framework, nothing from elsewhere.

use axum::http::{HeaderName, header};
use axum::response::{IntoResponse, Response};

/// Scripts and styles of this server alone; frames hold findings, which have styles inside and no script.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
                      img-src 'self' data:; frame-src 'self'; form-action 'none'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// The page.
pub async fn html() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (HeaderName::from_static("content-security-policy"), POLICY),
        (HeaderName::from_static("referrer-policy"), "no-referrer"),
    ];
    (headers, include_str!("page/page.html")).into_response()
}

/// Its style.
pub async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], include_str!("page/page.css")).into_response()
}

/// Its script.
pub async fn script() -> Response {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("page/page.js")).into_response()
}
