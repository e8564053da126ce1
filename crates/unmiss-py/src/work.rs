//! Long work: on a thread of its own, without the interpreter's lock. The calling thread, which is the one that Python
//! gives Ctrl-C to, waits, tells the listener what it hears, answers what the work asks of Python, and stops the work
//! when it is interrupted.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use unmiss::error::{Error, Result};
use unmiss::run::{Event, Run};

use crate::errors::exception;

/// How often signals are looked at.
const TICK: Duration = Duration::from_millis(50);

/// Threads are started once per process and number of threads. A process that was forked has none of its parent's.
static RUNS: LazyLock<Mutex<HashMap<(u32, usize), Run>>> = LazyLock::new(Mutex::default);

/// How a piece of work is done: `(seed, threads, listener)`. The listener has the methods `progress(task, done, total,
/// detail)`, `finished()`, `note(text)` and `warning(text)` and the attribute `verbose`.
pub(crate) type Manner = (u64, usize, Py<PyAny>);

/// A run with these threads, without a listener.
fn quiet(seed: u64, threads: usize) -> PyResult<Run> {
    let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (std::process::id(), threads);
    if let Some(run) = runs.get(&key) {
        return Ok(run.afresh(seed));
    }
    let run = Run::new(seed, threads).map_err(exception)?;
    runs.insert(key, run.clone());
    Ok(run.afresh(seed))
}

/// Threads that may have a pool of their own: such pools are never given back.
const MOST_OWN_POOLS: usize = 64;
static OWN_POOLS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// A pool of this very thread alone.
    static OWN_POOL: Option<rayon::ThreadPool> = own_pool();
}

fn own_pool() -> Option<rayon::ThreadPool> {
    if OWN_POOLS.fetch_add(1, Ordering::Relaxed) >= MOST_OWN_POOLS {
        return None;
    }
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok()
}

/// Does short work on this thread, without waking others.
fn here<T: Send>(job: impl FnOnce() -> T + Send) -> PyResult<T> {
    let run = quiet(0, 1)?;
    Ok(OWN_POOL.with(|pool| match pool {
        Some(pool) => pool.install(job),
        None => run.compute(job),
    }))
}

/// Rows up to which a call is so short that nobody needs to be able to stop it.
const SHORT: usize = 4096;
/// Rows up to which waking other threads would take longer than the work.
const FEW: usize = 32;

/// Does work on some rows: here, on all threads, or so that it can be stopped, whatever is quickest.
pub(crate) fn compute<T: Send>(
    py: Python<'_>,
    rows: usize,
    manner: &Manner,
    job: impl FnOnce() -> Result<T> + Send,
) -> PyResult<T> {
    if rows <= FEW {
        py.detach(|| here(job))?.map_err(exception)
    } else if rows <= SHORT {
        let run = quiet(0, manner.1)?;
        py.detach(|| run.compute(job)).map_err(exception)
    } else {
        work(py, manner, |run| run.compute(job))
    }
}

/// What the work says to the thread that waits for it.
enum Message<Q, A> {
    Heard(Event),
    Asked(Q, Sender<Result<A>>),
}

/// The way from the work to a function of Python.
pub(crate) struct Line<Q, A>(Sender<Message<Q, A>>);

impl<Q, A> Line<Q, A> {
    /// Asks the function and waits for its answer.
    ///
    /// # Errors
    /// When it failed; the exception itself is raised when the work has ended.
    pub(crate) fn ask(&self, question: Q) -> Result<A> {
        let (reply, answer) = channel();
        let hung_up = |_| Error::Stopped;
        self.0.send(Message::Asked(question, reply)).map_err(|_| Error::Stopped)?;
        answer.recv().map_err(hung_up)?
    }
}

/// Does work that asks nothing.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    manner: &Manner,
    job: impl FnOnce(&Run) -> Result<T> + Send,
) -> PyResult<T> {
    let nobody = |_: Python<'_>, (): &()| -> PyResult<()> { Ok(()) };
    conversation(py, manner, nobody, |run, _| job(run))
}

/// Does work that may ask a function of Python, which is called on this thread.
pub(crate) fn conversation<Q: Send + 'static, A: Send + 'static, T: Send>(
    py: Python<'_>,
    (seed, threads, listener): &Manner,
    answer: impl Fn(Python<'_>, &Q) -> PyResult<A> + Sync,
    job: impl FnOnce(&Run, &Line<Q, A>) -> Result<T> + Send,
) -> PyResult<T> {
    let verbose = listener.getattr(py, "verbose")?.is_truthy(py)?;
    let (seed, threads) = (*seed, *threads);
    let (result, trouble) = py.detach(|| -> PyResult<_> {
        let (tell, hear) = channel();
        let line = Line(tell.clone());
        let run = quiet(seed, threads)?.listened_by(move |event| {
            if verbose || matches!(event, Event::Warning(_)) {
                // Nobody is left to hear when the call has ended.
                let _ = tell.send(Message::Heard(event.clone()));
            }
        });
        let switch = run.stop_switch();
        Ok(std::thread::scope(|scope| {
            // Run and line move into the thread: when it ends, the last sender is gone, and so is the conversation.
            let worker = scope.spawn(move || job(&run, &line));
            let stop = || switch.store(true, Ordering::Relaxed);
            let trouble = attend(&hear, &Attendant { listener, answer: &answer, stop: &stop });
            let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (result, trouble)
        }))
    })?;
    match trouble {
        Some(trouble) => Err(trouble),
        None => result.map_err(exception),
    }
}

/// What the waiting thread works with.
struct Attendant<'a, F> {
    listener: &'a Py<PyAny>,
    answer: &'a F,
    stop: &'a dyn Fn(),
}

/// Waits until the work has ended. Gives the exception that a listener, the asked function or a signal raised.
fn attend<Q, A, F: Fn(Python<'_>, &Q) -> PyResult<A>>(
    hear: &Receiver<Message<Q, A>>,
    attendant: &Attendant<'_, F>,
) -> Option<PyErr> {
    let mut trouble = None;
    let mut looked = Instant::now();
    loop {
        let outcome = match hear.recv_timeout(TICK) {
            // What is told after an interrupt is about an end that nobody will see.
            Ok(Message::Heard(_)) if trouble.is_some() => Ok(()),
            Ok(Message::Heard(event)) => Python::attach(|py| tell(py, attendant.listener, &event)),
            Ok(Message::Asked(question, reply)) => {
                let answer = Python::attach(|py| (attendant.answer)(py, &question));
                let (answer, outcome) = match answer {
                    Ok(answer) => (Ok(answer), Ok(())),
                    Err(error) => (Err(Error::Stopped), Err(error)),
                };
                // Whoever asked may have been stopped meanwhile.
                let _ = reply.send(answer);
                outcome
            }
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => return trouble,
        };
        let outcome = match looked.elapsed() >= TICK {
            true => {
                looked = Instant::now();
                outcome.and_then(|()| Python::attach(|py| py.check_signals()))
            }
            false => outcome,
        };
        if let Err(error) = outcome {
            trouble.get_or_insert(error);
        }
        // Again and again: a choice of methods takes a first stop as a wish to go on with the best.
        if trouble.is_some() {
            (attendant.stop)();
        }
    }
}

/// Tells the listener of an event.
fn tell(py: Python<'_>, listener: &Py<PyAny>, event: &Event) -> PyResult<()> {
    match event {
        Event::Progress { task, done, total, detail } => {
            listener.call_method1(py, "progress", (task, *done, *total, detail))?;
        }
        Event::Finished { .. } => drop(listener.call_method0(py, "finished")?),
        Event::Note(text) => drop(listener.call_method1(py, "note", (text,))?),
        Event::Warning(text) => drop(listener.call_method1(py, "warning", (text,))?),
        _ => {}
    }
    Ok(())
}
