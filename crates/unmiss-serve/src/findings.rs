//! Long looks at a whole table: `describe` tells what is missing and whether it looks random, `audit` whether the
//! model's answer drifts with how much is known. As JSON, or as a page with charts.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::json;
use unmiss::audit::{AuditSettings, audit_model};
use unmiss::data::{ReadOptions, Table, read_bytes};
use unmiss::missing::describe;
use unmiss::model::{Model, kinds_of};
use unmiss::report::{Page, sections};
use unmiss::run::Run;

use crate::app::App;
use crate::asked::Parts;
use crate::fault::{Answer, Fault};
use crate::formats::{Format, of_answer, of_body};
use crate::query::Query;
use crate::reply::Reply;
use crate::rows::check_count;

/// Parameters of an audit.
pub const AUDIT_PARAMETERS: &[&str] = &["rows", "levels", "masks", "seed"];

/// Answers a request, on a thread of its own, one at a time.
pub async fn answer(app: &Arc<App>, parts: Parts, verb: &str) -> Answer<Response> {
    let seat = Arc::clone(&app.slow).acquire_owned().await;
    let seat = seat.map_err(|_| Fault::internal("the server is about to end"))?;
    let audits = verb == "audit";
    let run = app.slow_run.afresh(parts.seed).within(parts.limits.time);
    let found = tokio::task::spawn_blocking(move || {
        // The seat is left when the work has ended, not when nobody waits for it any more.
        let _seat = seat;
        if audits { audit(parts, &run) } else { description(parts, &run) }
    });
    found.await.map_err(|_| Fault::internal("the computation failed"))?.map(IntoResponse::into_response)
}

fn description(parts: Parts, run: &Run) -> Answer<Reply> {
    Query::read(&parts.uri, &[])?;
    let format = of_answer(&parts.headers, Format::Json, &[Format::Json, Format::Html])?;
    let model = &parts.served.model;
    let table = table(&parts)?;
    let target = model.predicting().ok().map(|predicting| predicting.target.name.as_str());
    let target =
        target.filter(|name| table.column(name).is_ok_and(|column| column.missing() < column.rows()));
    let found = run.compute(|| describe(&table, target))?;
    let rows = table.rows();
    match format {
        Format::Html => {
            let size = format!(
                "{rows} rows, {} columns, {} cells missing.",
                found.columns.len(),
                found.missing_cells
            );
            let page =
                Page::new("Holes of the table").summary(size).sections(sections::describe(&table, &found)?);
            Ok(page_of(page, rows))
        }
        _ => json_of(&found, rows),
    }
}

fn audit(parts: Parts, run: &Run) -> Answer<Reply> {
    let query = Query::read(&parts.uri, AUDIT_PARAMETERS)?;
    let format = of_answer(&parts.headers, Format::Json, &[Format::Json, Format::Html])?;
    let number = |name: &str, usual: usize, most: usize| {
        let words = format!("a whole number from 1 to {most}");
        Ok::<_, Fault>(query.number(name, &words, |number| (1..=most).contains(number))?.unwrap_or(usual))
    };
    let settings = AuditSettings {
        rows: number("rows", 100, 1000)?,
        levels: number("levels", 10, 20)?.max(2),
        masks: number("masks", 20, 100)?,
        target: None,
        contrast: false,
    };
    let run = match query.number("seed", "a whole number", |_| true)? {
        Some(seed) => run.with_seed(seed),
        None => run.clone(),
    };
    let table = table(&parts)?;
    let rows = table.rows();
    let model: &Model = &parts.served.model;
    let found = audit_model(model, &table.into(), &settings, &run)?;
    match format {
        Format::Html => {
            let title = format!("Audit of {} ({})", parts.served.name, model.recipe.method.name());
            Ok(page_of(Page::new(title).sections(sections::audit(&found)?), rows))
        }
        _ => json_of(&found, rows),
    }
}

/// The whole table, its inputs read as they were in training.
fn table(parts: &Parts) -> Answer<Table> {
    if of_body(&parts.headers, &parts.body)? != Format::File {
        let hint = "send the table as text/csv or application/vnd.apache.parquet";
        return Err(Fault::bad("this needs a table with a header", hint).at("header", "Content-Type"));
    }
    let model = &parts.served.model;
    let mut options = ReadOptions { missing: model.missing.clone(), ..ReadOptions::default() };
    options.kinds.extend(kinds_of(model.coder.table()?));
    let table = read_bytes("body", &parts.body, &options)?.table;
    check_count(table.rows(), parts.limits.rows)?;
    Ok(table)
}

fn page_of(page: Page, rows: usize) -> Reply {
    Reply { format: Format::Html, bytes: page.html().into_bytes(), notes: Vec::new(), rows }
}

fn json_of(found: &impl Serialize, rows: usize) -> Answer<Reply> {
    let found = serde_json::to_value(found).map_err(|error| Fault::internal(error.to_string()))?;
    let bytes = json!({ "found": found }).to_string().into_bytes();
    Ok(Reply { format: Format::Json, bytes, notes: Vec::new(), rows })
}
