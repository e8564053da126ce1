//! Sums over items that give the same bits for any number of threads.

use std::ops::Range;

use rayon::prelude::*;

/// Rows below which a chunk is not worth a thread.
const SMALLEST_CHUNK: usize = 2048;
/// Chunks at most: enough for any desktop, few enough to add up quickly.
const MOST_CHUNKS: usize = 16;
/// Numbers that all chunk sums may hold together (512 MB).
const MOST_NUMBERS: usize = 64 << 20;

/// Sums `width` numbers over `count` items: `add(items, sum)` adds a range of items to a sum.
pub fn sum_over(count: usize, width: usize, add: impl Fn(Range<usize>, &mut [f64]) + Sync) -> Vec<f64> {
    let chunks = (count / SMALLEST_CHUNK).clamp(1, MOST_CHUNKS).min((MOST_NUMBERS / width.max(1)).max(1));
    let size = count.div_ceil(chunks).max(1);
    let sums: Vec<Vec<f64>> = (0..chunks)
        .into_par_iter()
        .map(|chunk| {
            let mut sum = vec![0.0; width];
            add((chunk * size).min(count)..((chunk + 1) * size).min(count), &mut sum);
            sum
        })
        .collect();
    let add_up = |mut total: Vec<f64>, sum: Vec<f64>| {
        total.iter_mut().zip(sum).for_each(|(total, value)| *total += value);
        total
    };
    sums.into_iter().reduce(add_up).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_threads() {
        let sum = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                sum_over(100_000, 1, |items, sum| items.for_each(|i| sum[0] += 1.0 / (1.0 + i as f64)))
            })
        };
        assert_eq!(sum(1), sum(3));
        assert!((sum(2)[0] - 12.090_146).abs() < 1e-5);
        assert_eq!(sum_over(0, 2, |_, _| {}), [0.0, 0.0]);
    }
}
