//! Who may ask, and how much.

use std::time::Duration;

use crate::bench::{Bench, JSON_ROWS, ROWS};

const TOKEN: &str = "a-token-of-some-length";

#[test]
fn a_token_is_asked_for_and_must_be_right() {
    let bench = Bench::with(|settings| settings.token = Some(TOKEN.to_owned()));
    for path in ["/", "/page.js", "/health", "/ready"] {
        bench.get(path).good();
    }
    for path in ["/models", "/metrics", "/openapi.json", "/models/number", "/nowhere"] {
        let refused = bench.get(path);
        assert_eq!(
            (refused.code, refused.headers["www-authenticate"].to_str().unwrap()),
            (401, "Bearer"),
            "{path}"
        );
    }
    let with = |token: &str| {
        let header = format!("Bearer {token}");
        bench.send("GET", "/models", &[("authorization", &header)], "").code
    };
    assert_eq!(with(TOKEN), 200);
    let lower = format!("bearer {TOKEN}");
    assert_eq!(bench.send("GET", "/models", &[("authorization", &lower)], "").code, 200);
    assert_eq!(bench.send("GET", "/models", &[("authorization", TOKEN)], "").code, 401);
    for wrong in ["", "a-token-of-some-lengtH", "a-token-of-some-lengt", "a-token-of-some-length1"] {
        assert_eq!(with(wrong), 401, "{wrong}");
    }
}

#[test]
fn without_a_token_only_names_of_this_machine_are_answered() {
    let bench = Bench::with(|settings| settings.hosts = vec!["models.example".to_owned()]);
    let of = |host: &str| {
        let request = axum::http::Request::builder().uri("/models").header("host", host);
        let request = request.body(axum::body::Body::empty()).unwrap();
        bench.reply_to(request).code
    };
    for good in ["localhost", "localhost:8080", "127.0.0.1:80", "[::1]:8080", "models.example"] {
        assert_eq!(of(good), 200, "{good}");
    }
    for bad in ["evil.example", "localhost.evil.example", "10.0.0.1", ""] {
        assert_eq!(of(bad), 403, "{bad}");
    }
}

#[test]
fn bodies_and_rows_beyond_the_limits_are_refused() {
    let bench = Bench::with(|settings| {
        settings.limits.body = 1000;
        settings.limits.rows = 5;
    });
    assert_eq!(bench.csv("/models/number/predict", ROWS).code, 413);
    assert_eq!(bench.json("/models/number/predict", JSON_ROWS).code, 413);
    assert_eq!(bench.json("/models/fill/fill?draws=6", r#"{"first": 1}"#).code, 413);
    bench.json("/models/fill/fill?draws=5", r#"{"first": 1}"#).good();
    let large = format!("[{}]", vec![r#"{"first":1}"#; 100].join(","));
    assert_eq!(bench.json("/models/number/predict", &large).code, 413);
    // The length that is told is held against what comes.
    let chunks = axum::body::Body::from_stream(Chunks(20));
    assert_eq!(bench.send("POST", "/models/number/predict", &[], chunks).code, 413);
}

/// A body without an end in sight.
struct Chunks(usize);

impl futures_core::Stream for Chunks {
    type Item = Result<bytes::Bytes, std::convert::Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0 = self.0.saturating_sub(1);
        std::task::Poll::Ready((self.0 > 0).then(|| Ok(bytes::Bytes::from_static(&[b'['; 100]))))
    }
}

#[test]
fn what_takes_too_long_or_finds_no_seat_is_told_so() {
    let bench = Bench::with(|settings| settings.limits.time = Duration::from_nanos(1));
    let rows = format!("[{}]", vec![r#"{"first":1}"#; 5000].join(","));
    assert_eq!(bench.json("/models/number/predict", &rows).code, 504);
    let bench = Bench::with(|settings| settings.limits.requests = 0);
    let refused = bench.get("/models");
    assert_eq!((refused.code, refused.headers["retry-after"].to_str().unwrap()), (503, "1"));
    bench.get("/health").good();
    bench.app().drain();
    assert_eq!(bench.get("/ready").code, 503);
}

#[test]
fn what_is_counted_says_nothing_of_the_rows() {
    let bench = Bench::new();
    bench.json("/models/number/predict?id=key", JSON_ROWS).good();
    bench.json("/models/secret-name/predict", JSON_ROWS);
    bench.get("/secret-path");
    let text = bench.get("/metrics").good().text();
    for line in [
        "unmiss_requests_total{route=\"predict\",model=\"number\",code=\"200\"} 1",
        "unmiss_requests_total{route=\"other\",model=\"\",code=\"404\"} 1",
        "unmiss_rows_total{model=\"number\"} 6",
        "unmiss_cells_total{model=\"number\"} 18",
        "unmiss_missing_cells_total{model=\"number\",column=\"second\"} 3",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    for secret in ["secret", "violet", "0.3333"] {
        assert!(!text.contains(secret), "{secret}");
    }
}

#[test]
fn the_description_names_what_there_is() {
    let bench = Bench::new();
    let document = bench.get("/openapi.json").good().json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().unwrap();
    let models = bench.get("/models").good().json();
    for route in
        models["models"].as_array().unwrap().iter().flat_map(|model| model["routes"].as_array().unwrap())
    {
        assert!(paths.contains_key(route.as_str().unwrap()), "{route}");
    }
    let parameters = |path: &str| paths[path]["post"]["parameters"].to_string();
    // Without held-out rows there are no intervals, and a level would be refused.
    assert!(parameters("/models/number/predict").contains("\"level\""));
    assert!(!parameters("/models/linear/predict").contains("\"level\""));
    let row =
        &paths["/models/number/predict"]["post"]["requestBody"]["content"]["application/json"]["schema"];
    assert!(row["oneOf"][1]["properties"]["first"]["type"][0] == "number", "{row}");
}
