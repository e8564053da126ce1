//! Models of images: a set of them comes as the bytes of an `.npy`, `.npz` or IDX file. Predictions and scores go out
//! as rows, filled images as an `.npz` file.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use unmiss::data::images::{Images, from_bytes, write};
use unmiss::data::{Column, Data, Kind};
use unmiss::error::Error;
use unmiss::methods::Job;
use unmiss::model::Model;

use crate::asked::Parts;
use crate::fault::{Answer, Fault};
use crate::formats::{Format, TABLES, of_answer};
use crate::query::Query;
use crate::reply::{Answered, Notes, Out};
use crate::rows::check_count;

/// The media type of filled images.
pub const NPZ: &str = "application/zip";

/// Answers a request.
pub fn answer(parts: Parts) -> Answer<Response> {
    let model = &parts.served.model;
    let job = model.job();
    let query = Query::read(&parts.uri, if job == Job::Predict { &["level"] } else { &[] })?;
    let images = from_bytes("body", parts.body.to_vec())?;
    check_count(images.len(), parts.limits.rows)?;
    if model.coder.images()?.size != images.size() {
        let wanted = model.coder.images()?.size;
        let what = format!("the images are {}, and the model is for {wanted}", images.size());
        return Err(Fault::bad(what, "send images of the size that the model learned from"));
    }
    if job == Job::Fill {
        return fill(model, images);
    }
    let level = query.number("level", "a number between 0 and 1", |level| *level > 0.0 && *level < 1.0)?;
    let format = of_answer(&parts.headers, Format::Json, TABLES)?;
    let rows = images.len();
    let places: Vec<f64> = (1..=rows).map(|place| place as f64).collect();
    let mut columns = vec![Column::from_numbers("image", Kind::Integer, &places)];
    let data = Data::from(images);
    match job {
        Job::Density => {
            let scored = model.scoring()?.score(&data, |_, _| {})?;
            let numbers = |name: &str, cells: Vec<f64>| Column::from_numbers(name, Kind::Real, &cells);
            columns.push(numbers("log_likelihood", scored.iter().map(|row| row.log_likelihood).collect()));
            let rarity = scored.iter().map(|row| row.rarity.unwrap_or(f64::NAN)).collect();
            columns.push(numbers("rarity", rarity));
        }
        _ => {
            let predicting = model.predicting()?;
            let encoded = predicting.coder.encode(&data, |_, _| {})?;
            columns.extend(predicting.answers(&encoded)?.written(level));
        }
    }
    let header: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let mut out = Out::new(format, &parts.served.name, &header)?;
    out.push(&columns)?;
    Ok(out.finish(rows, &Notes::default())?.into_response())
}

fn fill(model: &Model, images: Images) -> Answer<Response> {
    let rows = images.len();
    let filled = model.filling()?.fill(&images.into(), None, |_, _| {})?;
    // A zip file is written by places, so it is made beside and read back.
    let failed = |error: std::io::Error| Fault::from(Error::io(&std::env::temp_dir(), error));
    let folder = tempfile::tempdir().map_err(failed)?;
    let path = folder.path().join("filled.npz");
    write(filled.data.images()?, &path)?;
    let bytes = std::fs::read(&path).map_err(failed)?;
    let mut response = (StatusCode::OK, [(header::CONTENT_TYPE, NPZ)], bytes).into_response();
    response.extensions_mut().insert(Answered(rows));
    Ok(response)
}
