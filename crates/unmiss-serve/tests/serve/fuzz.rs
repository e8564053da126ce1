//! Bodies of any kind are answered or refused, and the server goes on.

use proptest::prelude::*;

use crate::bench::{Bench, JSON_ROWS, ROWS};

/// Routes with a body that is good for each.
const GOOD: [(&str, &str, &str); 8] = [
    ("/models/number/predict?level=0.9", "application/json", JSON_ROWS),
    ("/models/classes/predict", "text/csv", ROWS),
    ("/models/fill/fill?draws=2", "application/json", JSON_ROWS),
    ("/models/fill/fill", "text/csv", "key,first,second,colour,target\n1,,2,red,\n"),
    ("/models/density/score", "text/csv", "first,second,colour,target\n1,,red,\n"),
    ("/models/films/predict", "application/json", r#"[{"user": "user-001", "item": "x"}]"#),
    ("/models/films/top", "application/json", r#"{"users": ["user-001"], "ratings": []}"#),
    ("/models/number/describe", "text/csv", ROWS),
];

/// A good body with some of its bytes changed, cut out or doubled.
fn mutated(good: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), any::<u8>(), 0..4_u8);
    prop::collection::vec(change, 0..6).prop_map(move |changes| {
        let mut body = good.as_bytes().to_vec();
        for (place, byte, how) in changes {
            if body.is_empty() {
                break;
            }
            let place = place.index(body.len());
            match how {
                0 => body[place] = byte,
                1 => drop(body.remove(place)),
                2 => body.insert(place, byte),
                _ => body.truncate(place),
            }
        }
        body
    })
}

fn request() -> impl Strategy<Value = (&'static str, &'static str, Vec<u8>)> {
    (0..GOOD.len()).prop_flat_map(|place| {
        let (path, kind, good) = GOOD[place];
        let kinds = prop::sample::select(vec![
            kind,
            kind,
            kind,
            "application/octet-stream",
            "application/vnd.apache.arrow.stream",
            "application/vnd.apache.parquet",
        ]);
        (Just(path), kinds, prop_oneof![4 => mutated(good), 1 => prop::collection::vec(any::<u8>(), 0..200)])
    })
}

#[test]
fn any_body_is_answered_or_refused() {
    let bench = Bench::new();
    proptest!(ProptestConfig::with_cases(300), |((path, kind, body) in request())| {
        let reply = bench.send("POST", path, &[("content-type", kind)], body);
        prop_assert!([200, 400, 413, 415].contains(&reply.code), "{} {}", reply.code, reply.text());
        if reply.code != 200 {
            prop_assert!(reply.json()["error"]["what"].is_string());
        }
    });
    bench.json("/models/number/predict", JSON_ROWS).good();
}

/// Streams of Arrow with single bytes changed must not panic, nor take memory that is not there.
#[test]
fn changed_arrow_is_refused_or_read() {
    let bench = Bench::new();
    const ARROW: &str = "application/vnd.apache.arrow.stream";
    let headers = [("content-type", "application/json"), ("accept", ARROW)];
    let good = bench.send("POST", "/models/fill/fill", &headers, JSON_ROWS).good().body;
    proptest!(ProptestConfig::with_cases(200), |(place in any::<prop::sample::Index>(), byte in any::<u8>())| {
        let mut body = good.clone();
        let place = place.index(body.len());
        body[place] = byte;
        let reply = bench.send("POST", "/models/fill/fill", &[("content-type", ARROW)], body);
        prop_assert!([200, 400, 500].contains(&reply.code), "{} {}", reply.code, place);
    });
    bench.send("POST", "/models/fill/fill", &[("content-type", ARROW)], good).good();
}
