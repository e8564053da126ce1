//! What a long computation is given (seed, threads, time, a way to stop, a place for checkpoints) and what it
//! tells (events). The library never prints: the program and the Python package listen.

mod checkpoints;
mod device;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use checkpoints::Checkpoints;
pub use device::Device;
#[cfg(feature = "gpu")]
pub(crate) use device::chosen_card;

/// Something a long computation tells whoever started it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Work goes on: `done` of `total` steps of a named task, with a short word on how it stands.
    Progress {
        /// The task, such as `mlp, fold 2 of 5`.
        task: String,
        /// Steps done so far.
        done: u64,
        /// Steps in all; the task may end earlier.
        total: u64,
        /// How it stands, such as `validation loss 0.412`.
        detail: String,
    },
    /// A task has ended (early or not); a progress line can be closed.
    Finished {
        /// The task's name as in its progress events.
        task: String,
    },
    /// A training has ended: how it went.
    Trained(Curve),
    /// Something worth telling.
    Note(String),
    /// Something the user should know because it may change what they do.
    Warning(String),
}

/// How a training went, step by step.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The task's name as in its progress events.
    pub task: String,
    /// What a step is: `epoch` or `round`.
    pub step: &'static str,
    /// Mean loss of the rows learned from at each step (squared error or log-loss); empty where not kept.
    pub training: Vec<f64>,
    /// Score of the rows set aside after each step (root mean squared error or log-loss); empty without any.
    pub validation: Vec<f64>,
    /// The step whose result was kept, from 1; 0: the start.
    pub best: usize,
}

/// Why a run is to end before its work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// Somebody asked for it.
    Asked,
    /// Its time is over.
    OutOfTime,
}

/// The most threads that a run may have.
pub const MOST_THREADS: usize = 1024;

type Listener = Arc<dyn Fn(&Event) + Send + Sync>;

/// The surroundings of a computation. Cheap to clone: clones share the stop switch and the listener.
#[derive(Clone)]
pub struct Run {
    seed: u64,
    pool: Arc<rayon::ThreadPool>,
    stop: Arc<AtomicBool>,
    deadline: Option<Instant>,
    listener: Listener,
    task: String,
    checkpoints: Option<Arc<Checkpoints>>,
    /// Whether what was kept by an earlier run is left aside.
    anew: bool,
}

impl Run {
    /// A quiet run with a seed and a number of threads (0: as many as the machine has).
    ///
    /// # Errors
    /// When there are more than [`MOST_THREADS`], or the operating system grants none.
    pub fn new(seed: u64, threads: usize) -> Result<Self> {
        if threads > MOST_THREADS {
            let what = format!("{threads} are more than {MOST_THREADS}, the most there can be");
            return Err(Error::setting("threads", what)
                .with_hint("more threads than the machine has cores make nothing faster; 0 takes as many"));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| Error::setting("threads", error.to_string()))?;
        Ok(Self {
            seed,
            pool: Arc::new(pool),
            stop: Arc::default(),
            deadline: None,
            listener: Arc::new(|_| {}),
            task: String::new(),
            checkpoints: None,
            anew: false,
        })
    }

    /// The same threads for other work: with a stop switch of its own, and nobody listening. Cheap, where a new run
    /// would start its threads anew.
    #[must_use]
    pub fn afresh(&self, seed: u64) -> Self {
        Self {
            seed,
            pool: Arc::clone(&self.pool),
            stop: Arc::default(),
            deadline: None,
            listener: Arc::new(|_| {}),
            task: String::new(),
            checkpoints: None,
            anew: false,
        }
    }

    /// The same run with somebody listening to its events.
    #[must_use]
    pub fn listened_by(mut self, listener: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.listener = Arc::new(listener);
        self
    }

    /// The same run with one more listener, beside the one it has.
    #[must_use]
    pub fn also_heard_by(&self, listener: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        let first = Arc::clone(&self.listener);
        self.clone().listened_by(move |event| {
            first(event);
            listener(event);
        })
    }

    /// The same run keeping unfinished work in a folder, from which a later run goes on. The folder is made when there
    /// is something to keep; several runs can share it.
    #[must_use]
    pub fn checkpoints_in(mut self, folder: &Path) -> Self {
        self.checkpoints = Some(Arc::new(Checkpoints::new(folder)));
        self
    }

    /// The same run, which goes on from nothing that was kept by an earlier one.
    #[must_use]
    pub fn anew(mut self) -> Self {
        self.anew = true;
        self
    }

    /// The same run with so much time from now on; a nearer end that it has already stays. When the time is over, long
    /// loops end as if somebody had asked them to.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        // An end too far away to be told is none.
        let end = Instant::now().checked_add(time);
        self.deadline = self.deadline.into_iter().chain(end).min();
        self
    }

    /// The same run for a named part of the work. Names nest: `fit` / `mlp` / `fold 2`.
    #[must_use]
    pub fn part(&self, name: &str) -> Self {
        let task = if self.task.is_empty() { name.to_owned() } else { format!("{}, {name}", self.task) };
        Self { task, ..self.clone() }
    }

    /// The same run with another seed, for work that is repeated.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Self {
        Self { seed, ..self.clone() }
    }

    /// The same run with a stop switch of its own and no deadline: what was stopped is over, and this is to be
    /// finished.
    #[must_use]
    pub fn to_the_end(&self) -> Self {
        Self { stop: Arc::default(), deadline: None, ..self.clone() }
    }

    /// The seed that every random stream of this run starts from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many threads the run uses.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// The name of this part of the work.
    pub fn task(&self) -> &str {
        &self.task
    }

    /// The file that an earlier run kept of a piece of work of this part, if there is one. `work` names the work: it
    /// changes with the data, the settings and the seed.
    pub fn kept(&self, work: &str, ending: &str) -> Option<PathBuf> {
        let path = self.checkpoints.as_ref()?.file(&self.task, work, ending);
        (!self.anew && path.exists()).then_some(path)
    }

    /// Writes what a later run would need to go on with a piece of work, if checkpoints are kept. Work goes on where
    /// that fails, with a word.
    pub fn keep(&self, work: &str, ending: &str, write: impl FnOnce(&Path) -> Result<()>) {
        let Some(checkpoints) = &self.checkpoints else { return };
        let path = checkpoints.file(&self.task, work, ending);
        let kept = checkpoints.make().map_err(|error| Error::io(&path, error)).and_then(|()| write(&path));
        if let Err(error) = kept
            && checkpoints.tells_first()
        {
            self.warn(format!("this work could not be resumed if it were cut off: {error}"));
        }
    }

    /// Takes away what was kept of parts of this work, which is done and kept as a whole.
    pub fn forget_parts(&self, ending: &str) {
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.forget(&self.task, ending);
        }
    }

    /// Whether checkpoints are kept at all.
    pub fn keeps_checkpoints(&self) -> bool {
        self.checkpoints.is_some()
    }

    /// Takes away the checkpoints that this run has used, after the work is done. Those of other runs stay.
    pub fn clear_checkpoints(&self) {
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.clear();
        }
    }

    /// Does the work with this run's threads: every `rayon` call inside, ours or a library's, uses them.
    pub fn compute<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// Begins work on one of this run's threads and returns at once. The work must not panic.
    pub fn begin(&self, work: impl FnOnce() + Send + 'static) {
        self.pool.spawn_fifo(work);
    }

    /// A switch that stops the run from elsewhere (Ctrl-C, a button).
    pub fn stop_switch(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Whether the run is to stop. Long loops look at every step and keep the best so far.
    pub fn stopped(&self) -> bool {
        self.stop_reason().is_some()
    }

    /// Why the run is to stop, if it is.
    pub fn stop_reason(&self) -> Option<StopReason> {
        if self.stop.load(Ordering::Relaxed) {
            return Some(StopReason::Asked);
        }
        self.deadline.filter(|end| Instant::now() >= *end).map(|_| StopReason::OutOfTime)
    }

    /// Tells an event.
    pub fn tell(&self, event: &Event) {
        (self.listener)(event);
    }

    /// Tells how far this part is.
    pub fn progress(&self, done: u64, total: u64, detail: impl Into<String>) {
        self.tell(&Event::Progress { task: self.task.clone(), done, total, detail: detail.into() });
    }

    /// Tells that this part has ended.
    pub fn finished(&self) {
        self.tell(&Event::Finished { task: self.task.clone() });
    }

    /// Tells something worth knowing.
    pub fn note(&self, text: impl Into<String>) {
        self.tell(&Event::Note(text.into()));
    }

    /// Tells something the user should act on.
    pub fn warn(&self, text: impl Into<String>) {
        self.tell(&Event::Warning(text.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn parts_nest_and_share_the_switch() {
        let run = Run::new(1, 2).unwrap();
        let part = run.part("mlp").part("fold 2");
        assert_eq!(part.task(), "mlp, fold 2");
        run.stop_switch().store(true, Ordering::Relaxed);
        assert!(part.stopped());
    }

    #[test]
    fn kept_work_is_found_by_its_name_unless_all_is_to_begin_anew() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("kept");
        let run = Run::new(1, 1).unwrap().checkpoints_in(&folder).part("mlp").part("fold 2");
        let write = |path: &Path| std::fs::write(path, "work").map_err(|error| Error::io(path, error));
        assert_eq!(run.kept("17", "fold"), None);
        run.keep("17", "fold", write);
        assert_eq!(run.kept("17", "fold"), Some(folder.join("mlp--fold-2-17.fold")));
        assert_eq!((run.kept("18", "fold"), run.clone().anew().kept("17", "fold")), (None, None));
        run.clear_checkpoints();
        assert!(!folder.exists());
    }

    #[test]
    fn work_that_cannot_be_kept_is_told_once() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        std::fs::write(&file, "mine").unwrap();
        let heard = Arc::new(Mutex::new(0));
        let ears = Arc::clone(&heard);
        let run =
            Run::new(1, 1).unwrap().checkpoints_in(&file).listened_by(move |_| *ears.lock().unwrap() += 1);
        for work in ["1", "2"] {
            run.keep(work, "fold", |_| panic!("there is no folder to write to"));
        }
        run.clear_checkpoints();
        assert_eq!((*heard.lock().unwrap(), std::fs::read_to_string(&file).unwrap()), (1, "mine".into()));
    }

    #[test]
    fn time_runs_out_for_all_parts_and_is_told_from_a_request() {
        let run = Run::new(1, 1).unwrap();
        let (hour, ages) = (Duration::from_secs(3600), Duration::MAX);
        assert_eq!(run.clone().within(hour).within(ages).stop_reason(), None);
        let over = run.clone().within(Duration::ZERO).within(hour).part("mlp");
        assert_eq!((over.stopped(), over.stop_reason()), (true, Some(StopReason::OutOfTime)));
        assert!(!run.stopped() && !over.afresh(2).stopped());
        run.stop_switch().store(true, Ordering::Relaxed);
        assert_eq!(over.stop_reason(), Some(StopReason::Asked));
    }

    #[test]
    fn work_afresh_shares_threads_and_nothing_else() {
        let run = Run::new(1, 2).unwrap().listened_by(|event| panic!("{event:?}")).part("old");
        run.stop_switch().store(true, Ordering::Relaxed);
        let other = run.afresh(5);
        other.warn("nobody hears this");
        assert_eq!((other.seed(), other.threads(), other.task(), other.stopped()), (5, 2, "", false));
    }

    #[test]
    fn events_reach_the_listener() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        let run = Run::new(1, 1).unwrap().listened_by(move |event| ears.lock().unwrap().push(event.clone()));
        run.warn("careful");
        assert_eq!(*heard.lock().unwrap(), [Event::Warning("careful".into())]);
        let (twice, ears) = (Arc::new(Mutex::new(0)), Arc::clone(&heard));
        let counter = Arc::clone(&twice);
        run.also_heard_by(move |_| *counter.lock().unwrap() += 1).note("seen");
        assert_eq!((ears.lock().unwrap().len(), *twice.lock().unwrap()), (2, 1));
    }

    #[test]
    fn work_sees_the_threads_asked_for() {
        assert_eq!(Run::new(1, 2).unwrap().compute(rayon::current_num_threads), 2);
        assert!(Run::new(1, 100_000).is_err_and(|error| error.hint().is_some()));
    }
}
