//! How a server is to run: which models, where it listens, and what it allows.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::Duration;

use unmiss::error::{Error, Result};

/// How a server is to run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The models, by the names they are asked for.
    pub models: Vec<(String, PathBuf)>,
    /// Where it listens.
    pub listen: SocketAddr,
    /// What it allows.
    pub limits: Limits,
    /// The word that requests must bring as `Authorization: Bearer WORD`.
    pub token: Option<String>,
    /// Names beside those of this machine by which the server may be called where it needs no token.
    pub hosts: Vec<String>,
    /// How often model files are looked at; none: never.
    pub reload: Option<Duration>,
    /// Whether every request is told.
    pub tell_requests: bool,
    /// The seed of draws and audits whose request names none.
    pub seed: u64,
    /// Threads to compute with (0: as many as the machine has).
    pub threads: usize,
}

/// What a server allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Rows of a request, draws counted each.
    pub rows: usize,
    /// Time for a request, from its head to its answer.
    pub time: Duration,
    /// Requests worked on at the same time.
    pub requests: usize,
    /// Connections at the same time.
    pub connections: usize,
    /// Time that running requests are given when the server is told to end.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 16 << 20,
            rows: 100_000,
            time: Duration::from_secs(30),
            requests: 256,
            connections: 1024,
            grace: Duration::from_secs(10),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            models: Vec::new(),
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080),
            limits: Limits::default(),
            token: None,
            hosts: Vec::new(),
            reload: Some(Duration::from_secs(2)),
            tell_requests: false,
            seed: 0,
            threads: 0,
        }
    }
}

/// Models as typed: `FILE`, called by the file's name without its ending, or `NAME=FILE`.
///
/// # Errors
/// When two have the same name, or a name can't stand in an address.
pub fn named(typed: &[String]) -> Result<Vec<(String, PathBuf)>> {
    let mut models: Vec<(String, PathBuf)> = Vec::new();
    for text in typed {
        let (name, path) = match text.split_once('=').filter(|_| !Path::new(text).exists()) {
            Some((name, path)) => (name.to_owned(), PathBuf::from(path)),
            None => {
                let path = PathBuf::from(text);
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                (stem, path)
            }
        };
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(fits) {
            let what = format!("`{name}` can't stand in an address");
            let advice = "letters, digits, - _ and . can: say NAME=FILE, as ward=\"my ward.unmiss\"";
            return Err(Error::setting("models", what).with_hint(advice));
        }
        if models.iter().any(|(own, _)| *own == name) {
            let what = format!("two models would be called `{name}`");
            return Err(Error::setting("models", what).with_hint("say NAME=FILE for one of them"));
        }
        models.push((name, path));
    }
    Ok(models)
}

/// An address to listen at as typed: `ADDRESS:PORT`, `NAME:PORT` such as `localhost:8080`, or a port of this machine
/// alone.
///
/// # Errors
/// When it is no such thing, with what could be typed.
pub fn listen_at(typed: &str) -> std::result::Result<SocketAddr, String> {
    if let Ok(port) = typed.trim_start_matches(':').parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    let found: Vec<SocketAddr> = match typed.to_socket_addrs() {
        Ok(found) => found.collect(),
        Err(_) => Vec::new(),
    };
    // A name may have addresses of both kinds; most that ask try the older one first.
    found.iter().find(|address| address.is_ipv4()).or(found.first()).copied().ok_or_else(|| {
        format!("`{typed}` is no address with a port: say 127.0.0.1:8080, localhost:8080 or 8080 for this machine alone, \
                 0.0.0.0:8080 for every network it is in")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_may_be_names_or_ports_alone() {
        for own in ["8080", ":8080", "127.0.0.1:8080", "localhost:8080"] {
            assert_eq!(listen_at(own).unwrap().to_string(), "127.0.0.1:8080", "{own}");
        }
        assert_eq!(listen_at("[::1]:80").unwrap().to_string(), "[::1]:80");
        for wrong in ["", "127.0.0.1", "127.0.0.1:99999", "99999"] {
            assert!(listen_at(wrong).unwrap_err().contains("localhost:8080"), "{wrong}");
        }
    }

    #[test]
    fn models_are_called_by_their_files_or_as_told() {
        let typed = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let models = named(&typed(&["a/ward.unmiss", "b=c/ward.unmiss"])).unwrap();
        assert_eq!(models[0], ("ward".to_owned(), PathBuf::from("a/ward.unmiss")));
        assert_eq!(models[1], ("b".to_owned(), PathBuf::from("c/ward.unmiss")));
        for wrong in [&["a/w.unmiss", "b/w.unmiss"][..], &["my ward.unmiss"], &["a/b=x.unmiss"], &[""]] {
            assert!(named(&typed(wrong)).is_err(), "{wrong:?}");
        }
    }
}
