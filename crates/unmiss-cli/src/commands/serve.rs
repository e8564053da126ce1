//! `unmiss serve`: models behind HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use unmiss::error::{Error, Result};
use unmiss_serve::{Limits, Settings, listen_at, named, serve};

use crate::General;
use crate::printer::Printer;

/// The variable that may hold the token.
const TOKEN: &str = "UNMISS_TOKEN";
/// Letters that a token must have at least: what is short can be guessed.
const SHORTEST_TOKEN: usize = 16;

/// Which models, where, and what is allowed.
#[derive(clap::Args)]
pub struct Arguments {
    /// Models that `fit`, `impute --save` or `density` wrote: FILE, called by its name without the ending, or NAME=FILE
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<String>,
    /// Where to listen; 127.0.0.1 (or a port alone) is this machine alone, 0.0.0.0 every network it is in
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080", value_parser = listen_at)]
    listen: SocketAddr,
    /// A file with the token that requests must bring as `Authorization: Bearer TOKEN` [default: the variable
    /// UNMISS_TOKEN; without either, no token is needed]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// A further name by which the server may be asked for where no token is needed, as behind a proxy (repeatable)
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Bytes that the body of a request may have
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().body, help_heading = "Limits")]
    body: usize,
    /// Rows that a request may have, each draw counted
    #[arg(long, value_name = "N", default_value_t = Limits::default().rows, help_heading = "Limits")]
    rows: usize,
    /// Seconds that a request may take
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = crate::seconds, help_heading = "Limits")]
    time: Duration,
    /// Requests that are worked on at the same time; others are told to come again
    #[arg(long, value_name = "N", default_value_t = Limits::default().requests, help_heading = "Limits")]
    requests: usize,
    /// Connections at the same time; others wait
    #[arg(long, value_name = "N", default_value_t = Limits::default().connections, help_heading = "Limits")]
    connections: usize,
    /// Seconds that running requests are given when the server is told to end
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = crate::seconds, help_heading = "Limits")]
    grace: Duration,
    /// Seconds between two looks at the model files: one that was replaced is loaded, a damaged one leaves the old
    /// model where it is
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = crate::seconds)]
    reload: Duration,
    /// Do not look at the model files again
    #[arg(long, conflicts_with = "reload")]
    no_reload: bool,
    /// Tell every request: route, model, code, rows, time; never what rows hold
    #[arg(long)]
    log_requests: bool,
}

/// Serves until told to end.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let Arguments { body, rows, time, requests, connections, grace, .. } = *arguments;
    for (name, value) in
        [("body", body), ("rows", rows), ("requests", requests), ("connections", connections)]
    {
        if value == 0 {
            return Err(Error::setting(name, "0 would allow nothing").with_hint("name a number above 0"));
        }
    }
    let settings = Settings {
        models: named(&arguments.models)?,
        listen: arguments.listen,
        limits: Limits { body, rows, time, requests, connections, grace },
        token: token(arguments)?,
        hosts: arguments.host.clone(),
        reload: (!arguments.no_reload).then_some(arguments.reload),
        tell_requests: arguments.log_requests,
        seed: general.seed,
        threads: general.threads,
    };
    if settings.token.is_none() && !settings.listen.ip().is_loopback() {
        printer.say(
            "warning: whoever reaches this address can ask the models; say --token-file FILE, or listen at 127.0.0.1",
        );
    }
    let names = settings.models.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    let started = |address: SocketAddr| printer.say(&format!("serving {names} at http://{address}"));
    printer.leaves_the_first_signal();
    let teller = printer.clone();
    serve(settings, started, Arc::new(move |text: &str| teller.tell(text)))
}

/// The token from its file or its variable.
fn token(arguments: &Arguments) -> Result<Option<String>> {
    let token = match &arguments.token_file {
        Some(path) => Some(std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?),
        None => std::env::var(TOKEN).ok(),
    };
    let Some(token) = token.map(|token| token.trim().to_owned()) else { return Ok(None) };
    let plain = token.bytes().all(|byte| byte.is_ascii_graphic());
    if token.len() < SHORTEST_TOKEN || !plain {
        let what = format!("a token needs {SHORTEST_TOKEN} letters, digits or signs at least, and no spaces");
        return Err(Error::setting("token-file", what)
            .with_hint("make one with: head -c 24 /dev/urandom | base64 > token.txt"));
    }
    Ok(Some(token))
}
