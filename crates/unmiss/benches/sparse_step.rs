//! Time of one epoch of AutoRec on ratings, to be compared with `benches/sparse_step.py`.
//!
//! `cargo bench -p unmiss --bench sparse_step -- SHAPE [FILE]`; `benches/sparse_step.sh` runs both sides in turn. Rows
//! are users, 500 hidden units, 512 rows in a batch, Adam on all weights. SHAPE is `1m` (6,040 x 3,706, a million
//! ratings, or the ratings of FILE) or `10m` (69,878 x 10,677, ten million; 6 of its batches are timed). Prints the
//! median seconds of five epochs. `THREADS` sets the threads (2). On a busy machine, `CLOCK=cpu THREADS=1` counts
//! processor time (Linux) instead of time on the wall.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use unmiss::data::ratings::{Compressed, RatingsOptions, read};
use unmiss::nn::optimizer::Optimizer;
use unmiss::nn::sparse::{Batch, Pattern, SparseNetwork, Squash, Trainer, Work, one_ahead};
use unmiss::rng::Stream;
use unmiss::run::Run;

const HIDDEN: usize = 500;
const ROWS: usize = 512;

/// Made ratings: few items are rated by many, few users rate much.
fn made(users: usize, items: usize, ratings: usize) -> Compressed {
    // The n-th item is chosen in proportion to 1 / (n + 50).
    let mut sums = vec![0.0];
    (0..items).for_each(|item| sums.push(sums[item] + 1.0 / (item as f64 + 50.0)));
    let mut stream = Stream::new(1, "users", 0, 0);
    let zeal: Vec<f64> = (0..users).map(|_| (1.1 * stream.normal()).exp()).collect();
    let total: f64 = zeal.iter().sum();
    let mut cells = Vec::with_capacity(ratings);
    for (user, zeal) in zeal.iter().enumerate() {
        let mut stream = Stream::new(1, "ratings", user as u64, 0);
        let count = (zeal / total * ratings as f64).round().clamp(10.0, items as f64 / 2.0) as usize;
        for _ in 0..count {
            let place = stream.uniform() * sums[items];
            let item = sums.partition_point(|sum| *sum <= place).clamp(1, items) - 1;
            cells.push((user as u32, item as u32, 1.0 + stream.below(5) as f32));
        }
    }
    Compressed::new(users, items, cells.iter().copied())
}

/// The ratings of some users as a batch that gives itself back.
fn batch(ratings: &Compressed, users: &[u32]) -> Batch {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for user in users {
        let (items, ratings) = ratings.row(*user);
        columns.extend_from_slice(items);
        values.extend_from_slice(ratings);
        starts.push(columns.len());
    }
    let pattern = Arc::new(Pattern::new(ratings.columns, starts, columns));
    Batch::new(Arc::clone(&pattern), &values, pattern, values.clone())
}

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Seconds on the wall, or with `CLOCK=cpu` those that all threads of this process spent computing.
fn clock() -> f64 {
    if std::env::var("CLOCK").is_ok_and(|clock| clock == "cpu") {
        let tasks = std::fs::read_dir("/proc/self/task").expect("Linux lists the threads here").flatten();
        let spent = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("schedstat")).ok();
        let first = |text: String| text.split(' ').next().and_then(|number| number.parse::<f64>().ok());
        return tasks.filter_map(spent).filter_map(first).sum::<f64>() * 1e-9;
    }
    START.elapsed().as_secs_f64()
}

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let shape = arguments.first().map_or("1m", String::as_str);
    let (ratings, batches) = match (shape, arguments.get(1)) {
        ("1m", Some(file)) => {
            let reading = read(file.as_ref(), &RatingsOptions::default());
            (reading.expect("the file named has ratings").ratings.by_user, usize::MAX)
        }
        ("1m", None) => (made(6_040, 3_706, 1_000_000), usize::MAX),
        _ => (made(69_878, 10_677, 10_000_000), 6),
    };
    let threads = std::env::var("THREADS").ok().and_then(|threads| threads.parse().ok()).unwrap_or(2);
    let run = Run::new(1, threads).expect("the system grants threads");
    let items = ratings.columns;
    let network = SparseNetwork::random([items, HIDDEN, items], Squash::Sigmoid, [0.03; 2], 1);
    let mut trainer = Trainer::new(network, Optimizer::default());
    let mut work = Work::default();
    let mut seconds = Vec::new();
    let mut last = 0.0;
    for epoch in 0..6 {
        let order = Stream::new(1, "shuffle", epoch, 0).permutation(ratings.rows());
        let order: Vec<u32> = order.into_iter().map(|user| user as u32).collect();
        let start = clock();
        let (mut loss, mut count) = (0.0, 0);
        // As in training: the next batch is put together while this one is learned from.
        run.compute(|| {
            one_ahead(
                order.chunks(ROWS).take(batches),
                |users| batch(&ratings, users),
                |this| {
                    trainer.network.forward(&this, &mut work);
                    work.gradients.resize(work.scores.len(), 0.0);
                    for ((score, target), gradient) in
                        work.scores.iter().zip(&this.targets).zip(&mut work.gradients)
                    {
                        *gradient = 2.0 * (score - target);
                        loss += f64::from(score - target).powi(2);
                    }
                    trainer.backward(&this, &mut work, 1e-3, [0.0; 2]);
                    count += work.scores.len();
                },
            );
        });
        // The first epoch warms up.
        if epoch > 0 {
            seconds.push(clock() - start);
        }
        last = loss / count as f64;
    }
    seconds.sort_by(f64::total_cmp);
    eprintln!("{} ratings; mean squared error of the last epoch {last:.4}", ratings.values.len());
    println!("sparse-{shape} {:.4}", seconds[seconds.len() / 2]);
}
