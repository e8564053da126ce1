//! Connections: taken as long as there is room, ended gracefully when the server is told to end.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use unmiss::error::{Error, Result};

use crate::app::{App, Log, router};
use crate::settings::Settings;
use crate::shelf::watch;

/// Time in which the head of a request must come, and for which a connection may be idle.
const HEAD: Duration = Duration::from_secs(30);
/// Rest after the system refused a connection, as when there are too many open files.
const REST: Duration = Duration::from_millis(100);

/// Serves models until the program is told to end (Ctrl-C, SIGTERM). `started` hears the address; `log` what happens.
///
/// # Errors
/// When a model can't be loaded, or the address can't be listened at.
pub fn serve(settings: Settings, started: impl FnOnce(SocketAddr), log: Log) -> Result<()> {
    let app = App::new(settings, log)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(app.run.threads().clamp(1, 4))
        .enable_all()
        .build()
        .map_err(|error| Error::setting("threads", error.to_string()))?;
    runtime.block_on(async {
        let listen = app.settings.listen;
        let refused = |error: std::io::Error| {
            Error::setting("listen", format!("{listen} can't be listened at: {error}"))
                .with_hint("name another address, as --listen 127.0.0.1:8081; port 0 takes any that is free")
        };
        let listener = TcpListener::bind(listen).await.map_err(refused)?;
        started(listener.local_addr().map_err(refused)?);
        accept(Arc::clone(&app), listener, told_to_end()).await;
        Ok(())
    })?;
    // What still computes for requests that were cut off ends with the program.
    runtime.shutdown_background();
    Ok(())
}

/// Ends when the program is told to.
async fn told_to_end() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    // A signal that can't be heard never comes.
    drop(interrupted.await);
}

/// Takes connections until `end` comes, then lets running requests finish.
pub async fn accept(app: Arc<App>, listener: TcpListener, end: impl Future<Output = ()>) {
    if let Some(every) = app.settings.reload {
        let teller = Arc::clone(&app);
        tokio::spawn(watch(Arc::clone(&app.shelf), every, move |new| teller.refreshed(new)));
    }
    let service = TowerToHyperService::new(router(Arc::clone(&app)));
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(app.settings.limits.connections));
    tokio::pin!(end);
    loop {
        // Where there is no room, whoever comes waits in the system's queue.
        let seat = tokio::select! {
            seat = Arc::clone(&room).acquire_owned() => seat,
            () = &mut end => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut end => break,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(REST).await;
            continue;
        };
        // Small answers must not wait for more to come.
        drop(stream.set_nodelay(true));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .serve_connection(TokioIo::new(stream), service.clone());
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _seat = seat;
            // A client that goes away is no fault of the server.
            drop(connection.await);
        });
    }
    app.drain();
    drop(listener);
    let grace = app.settings.limits.grace;
    app.say("the server ends: running requests are finished, no new ones taken");
    if tokio::time::timeout(grace, graceful.shutdown()).await.is_err() {
        app.say("requests that were still running have been cut off");
    }
}
