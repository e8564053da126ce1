//! What the user sees while work goes on: a bar with the time left on a terminal, plain lines otherwise,
//! nothing when asked to be quiet.

use std::collections::HashSet;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use unmiss::error::{Error, Result};
use unmiss::run::{Event, Run};
use unmiss::store::is_standard_output;

use crate::General;
use crate::advice::words;
use crate::output::{folded, harmless, print};
use crate::signals::Signals;

/// How often a plain line is written when standard error is not a terminal.
const PLAIN_EVERY: Duration = Duration::from_secs(10);

/// Prints events to standard error. Clones share the bar.
#[derive(Clone)]
pub struct Printer {
    quiet: bool,
    state: Arc<Mutex<State>>,
    signals: Signals,
}

struct State {
    bar: Option<(String, ProgressBar)>,
    last_line: Instant,
    /// Notes and warnings of runs that were told: each training of many may have the same to tell.
    told: HashSet<String>,
}

impl Printer {
    /// A printer for this terminal, and an ear for signals.
    pub fn new(quiet: bool) -> Self {
        let state =
            Arc::new(Mutex::new(State { bar: None, last_line: Instant::now(), told: HashSet::new() }));
        let silent = Self { quiet, state, signals: Signals::default() };
        let speaker = silent.clone();
        Self { signals: Signals::listen(move |words| speaker.say(words)), ..silent }
    }

    /// A run whose events are printed here and that Ctrl-C stops (a second Ctrl-C ends the program).
    pub fn run(&self, general: &General) -> Result<Run> {
        let run = self.passing_run(general)?;
        self.signals.stops(run.stop_switch());
        Ok(run)
    }

    /// Leaves the first signal to whoever listens besides, as a server does that ends by itself.
    #[cfg(feature = "serve")]
    pub fn leaves_the_first_signal(&self) {
        self.signals.leave_the_first();
    }

    /// The same for work that keeps nothing when it is stopped, as rows that come in and go out: Ctrl-C ends the
    /// program at once, also while it waits for a row.
    pub fn passing_run(&self, general: &General) -> Result<Run> {
        let printer = self.clone();
        let run = Run::new(general.seed, general.threads)?.listened_by(move |event| printer.hear(event));
        Ok(general.budget.map_or_else(|| run.clone(), |budget| run.clone().within(budget)))
    }

    /// Writes a line to standard error, above the bar if there is one.
    pub fn say(&self, text: &str) {
        if self.quiet {
            return;
        }
        let text = folded(text);
        let state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match &state.bar {
            Some((_, bar)) if !bar.is_hidden() => bar.suspend(|| write_line(&text)),
            _ => write_line(&text),
        }
    }

    /// The same, unless it was said this way before.
    fn say_once(&self, text: String) {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let new = state.told.insert(text.clone());
        drop(state);
        if new {
            self.say(&text);
        }
    }

    /// Tells what was written to an output: on standard output, or on standard error where the output itself went
    /// there. Nothing when quiet.
    pub fn tell_of(&self, output: &Path, text: &str) -> Result<()> {
        match (self.quiet, is_standard_output(output)) {
            (true, _) => Ok(()),
            (false, true) => {
                self.say(text.trim_end());
                Ok(())
            }
            (false, false) => print(text),
        }
    }

    /// Writes a line of a log to standard error as it is.
    #[cfg(feature = "serve")]
    pub fn tell(&self, line: &str) {
        if !self.quiet {
            eprintln!("{line}");
        }
    }

    /// Writes an error and its advice to standard error, also when quiet.
    pub fn error(&self, error: &Error) {
        self.close();
        let mut text = folded(&format!("error: {error}"));
        if let Some(hint) = error.hint() {
            text.push_str(&format!("\n\n{}", folded(&format!("hint: {}", hint.worded(words)))));
        }
        write_line(&text);
    }

    /// Takes the bar away.
    pub fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, bar)) = state.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn hear(&self, event: &Event) {
        match event {
            Event::Progress { task, done, total, detail } if !self.quiet => {
                self.progress(task, *done, *total, detail);
            }
            Event::Finished { .. } => self.close(),
            Event::Note(text) => self.say_once(format!("note: {text}")),
            Event::Warning(text) => self.say_once(format!("warning: {text}")),
            _ => {}
        }
    }

    fn progress(&self, task: &str, done: u64, total: u64, detail: &str) {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !std::io::stderr().is_terminal() {
            if state.last_line.elapsed() >= PLAIN_EVERY {
                write_line(&plain(task, done, total, detail));
                state.last_line = Instant::now();
            }
            return;
        }
        if state.bar.as_ref().is_none_or(|(name, _)| name != task) {
            if let Some((_, old)) = state.bar.take() {
                old.finish_and_clear();
            }
            state.bar = Some((task.to_owned(), bar(task, total)));
        }
        if let Some((_, bar)) = &state.bar {
            bar.set_length(total);
            bar.set_position(done);
            bar.set_message(detail.to_owned());
        }
    }
}

/// A line of progress where there is no bar; not everything has more to say than how far it is.
fn plain(task: &str, done: u64, total: u64, detail: &str) -> String {
    let far = format!("{task}: {done} of {total}");
    if detail.is_empty() { far } else { format!("{far}, {detail}") }
}

/// Writes to standard error. Nobody is left to tell if that is closed, and work goes on without.
fn write_line(text: &str) {
    let _ = std::io::stderr().write_all(format!("{}\n", harmless(text)).as_bytes());
}

fn bar(task: &str, total: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
    let template = "{prefix} [{bar:24}] {pos}/{len}, {eta} left  {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(task.to_owned());
    bar
}
