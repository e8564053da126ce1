//! Ctrl-C, a request to end (SIGTERM) and a terminal that goes away (SIGHUP): the first stops the work at its next
//! step, a second ends the program, and neither leaves half a file behind.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use unmiss::store::take_away_unfinished;

/// The switches of the work that signals stop. Clones share them.
#[derive(Clone, Default)]
pub struct Signals {
    switches: Arc<Mutex<Vec<Arc<AtomicBool>>>>,
    /// Whether somebody else listens too, who says what the first signal does.
    shared: Arc<AtomicBool>,
}

impl Signals {
    /// Listens from now on; `say` tells what a signal does.
    pub fn listen(say: impl Fn(&str) + Send + 'static) -> Self {
        let signals = Self::default();
        let (own, pressed) = (signals.clone(), AtomicBool::new(false));
        let handler = move || {
            if pressed.swap(true, Ordering::Relaxed) || !own.stop() {
                take_away_unfinished();
                std::process::exit(i32::from(crate::STOPPED));
            }
            if own.shared.load(Ordering::Relaxed) {
                return;
            }
            say("stopping at the next step; what is finished is kept (Ctrl-C again ends at once)");
        };
        let keeps = ignores_hangup();
        // Without a handler the system ends the program, as it would any other.
        let _ = ctrlc::set_handler(handler);
        if keeps {
            ignore_hangup();
        }
        signals
    }

    /// From now on signals stop this work.
    pub fn stops(&self, switch: Arc<AtomicBool>) {
        self.switches.lock().unwrap_or_else(PoisonError::into_inner).push(switch);
    }

    /// Leaves the first signal to whoever listens besides, and says nothing of it.
    #[cfg(feature = "serve")]
    pub fn leave_the_first(&self) {
        self.shared.store(true, Ordering::Relaxed);
        self.stops(Arc::default());
    }

    /// Stops all work; false where there is none that could be stopped.
    fn stop(&self) -> bool {
        let switches = self.switches.lock().unwrap_or_else(PoisonError::into_inner);
        switches.iter().for_each(|switch| switch.store(true, Ordering::Relaxed));
        !switches.is_empty()
    }
}

/// Whether whoever started the program said that it is to outlive its terminal, as `nohup` does.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    // SAFETY: an action that is all zeros is a valid one to be overwritten, and nothing is changed by asking.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut action) == 0
            && action.sa_sigaction == libc::SIG_IGN
    }
}

#[cfg(unix)]
fn ignore_hangup() {
    // SAFETY: to ignore a signal is always allowed, and takes no handler that could outlive anything.
    unsafe {
        libc::signal(libc::SIGHUP, libc::SIG_IGN);
    }
}

#[cfg(not(unix))]
fn ignores_hangup() -> bool {
    false
}

#[cfg(not(unix))]
fn ignore_hangup() {}
