//! What is counted, in the form of Prometheus. Nothing of what rows hold is counted, only how many cells are missing.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use unmiss::encode::Rows;

use crate::shelf::{Refreshed, Served, Shelf};

/// Columns whose holes are counted one by one; of a wider model all together are.
const MOST_COLUMNS: usize = 200;
/// Upper ends of the classes of seconds.
const SECONDS: [f64; 13] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

type Labels = Vec<(&'static str, String)>;

/// Everything that is counted.
pub struct Metrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    seconds: Family<Labels, Histogram>,
    rows: Family<Labels, Counter>,
    cells: Family<Labels, Counter>,
    missing: Family<Labels, Counter>,
    loads: Family<Labels, Counter>,
    loaded: Family<Labels, Gauge>,
    running: Gauge,
    memory: Gauge<u64, AtomicU64>,
}

impl Metrics {
    /// Begins to count.
    pub fn new(shelf: &Shelf) -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(SECONDS);
        let mut metrics = Self {
            registry: Registry::with_prefix("unmiss"),
            requests: Family::default(),
            seconds: Family::new_with_constructor(histogram),
            rows: Family::default(),
            cells: Family::default(),
            missing: Family::default(),
            loads: Family::default(),
            loaded: Family::default(),
            running: Gauge::default(),
            memory: Gauge::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("requests", "Requests that were answered", metrics.requests.clone());
        registry.register(
            "request_seconds",
            "Time from a request's head to its answer",
            metrics.seconds.clone(),
        );
        registry.register("rows", "Rows that were answered for", metrics.rows.clone());
        registry.register("cells", "Cells of the inputs that came", metrics.cells.clone());
        registry.register("missing_cells", "Cells of the inputs that were missing", metrics.missing.clone());
        registry.register(
            "model_loads",
            "Model files that were replaced while serving",
            metrics.loads.clone(),
        );
        registry.register(
            "model_loaded_seconds",
            "When the model was loaded, since 1970",
            metrics.loaded.clone(),
        );
        registry.register("running_requests", "Requests that are worked on", metrics.running.clone());
        registry.register("resident_memory_bytes", "Memory that the server takes", metrics.memory.clone());
        shelf.slots.iter().for_each(|slot| metrics.note_loaded(&slot.model()));
        metrics
    }

    /// Counts a request that begins.
    pub fn begin(&self) {
        self.running.inc();
    }

    /// Counts a request that has ended.
    pub fn end(&self, route: &str, model: &str, code: u16, rows: usize, time: Duration) {
        self.running.dec();
        let labels = |further: Option<(&'static str, String)>| {
            let own = [("route", route.to_owned()), ("model", model.to_owned())];
            own.into_iter().chain(further).collect::<Labels>()
        };
        self.requests.get_or_create(&labels(Some(("code", code.to_string())))).inc();
        self.seconds.get_or_create(&labels(None)).observe(time.as_secs_f64());
        if rows > 0 {
            self.rows.get_or_create(&vec![("model", model.to_owned())]).inc_by(rows as u64);
        }
    }

    /// Counts a model file that was replaced.
    pub fn refreshed(&self, new: &Refreshed, shelf: &Shelf) {
        let outcome = if new.kept.is_some() { "kept the old model" } else { "loaded" };
        let labels = vec![("model", new.name.clone()), ("outcome", outcome.to_owned())];
        self.loads.get_or_create(&labels).inc();
        if let Some(slot) = shelf.find(&new.name) {
            self.note_loaded(&slot.model());
        }
    }

    fn note_loaded(&self, served: &Served) {
        let labels = vec![("model", served.name.clone())];
        self.loaded.get_or_create(&labels).set(served.loaded() as i64);
    }

    /// Counters for the holes of a model's rows.
    pub fn holes(&self, served: &Served) -> Holes {
        let model = || vec![("model", served.name.clone())];
        let names = served.model.coder.names();
        let missing = match names.len() <= MOST_COLUMNS {
            true => names
                .iter()
                .map(|name| {
                    let labels = [model(), vec![("column", (*name).to_owned())]].concat();
                    self.missing.get_or_create_owned(&labels)
                })
                .collect(),
            false => vec![self.missing.get_or_create_owned(&model())],
        };
        let cells = self.cells.get_or_create_owned(&model());
        Holes(Arc::new(Counters { inputs: names.len() as u64, cells, missing }))
    }

    /// The counts as text.
    pub fn text(&self) -> String {
        self.memory.set(resident());
        let mut text = String::new();
        // Writing to a string can't fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// Counters for the holes of one model's rows.
#[derive(Clone)]
pub struct Holes(Arc<Counters>);

struct Counters {
    inputs: u64,
    cells: Counter,
    /// For each input, or one for all.
    missing: Vec<Counter>,
}

impl Holes {
    /// Counts the holes of rows.
    pub fn count(&self, rows: &Rows) {
        let Counters { inputs, cells, missing } = &*self.0;
        cells.inc_by(rows.len() as u64 * inputs);
        for row in 0..rows.len() {
            for hole in rows.holes(row) {
                if let Some(counter) = missing.get(hole as usize).or(missing.first()) {
                    counter.inc();
                }
            }
        }
    }
}

/// Memory that the process takes, where the system tells it.
pub fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    pages.map_or(0, |pages| pages * 4096)
}
