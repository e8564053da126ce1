//! Seeded random streams, one per purpose and index.
//!
//! A stream is addressed by `(seed, purpose, first, second)`: the same address gives the same numbers
//! whatever else was drawn before, so results do not depend on the number of threads, on the order of
//! batches or on which rows are computed together.
//!
//! ```
//! use unmiss::rng::Stream;
//! let mut one = Stream::new(7, "mask", 3, 0);
//! let mut again = Stream::new(7, "mask", 3, 0);
//! assert_eq!(one.uniform(), again.uniform());
//! ```

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of random numbers at one address.
pub struct Stream {
    generator: ChaCha8Rng,
}

impl Stream {
    /// The stream for a purpose (a word, such as `"shuffle"`) and two indices (row and draw, say).
    pub fn new(seed: u64, purpose: &str, first: u64, second: u64) -> Self {
        let mut key = [0_u8; 32];
        for (place, word) in key.chunks_exact_mut(8).zip([seed, hash(purpose), first, second]) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Self { generator: ChaCha8Rng::from_seed(key) }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// Uniform in `[0, 1)`, with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Standard normal (Box-Muller, one of the pair).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Gamma of a shape of at least 1, with rate 1 (Marsaglia and Tsang 2000: a cubed normal, corrected by rejection).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        let d = shape.max(1.0) - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let normal = self.normal();
            let cube = (1.0 + c * normal).powi(3);
            let limit = 0.5 * normal * normal + d - d * cube + d * cube.ln();
            if cube > 0.0 && (1.0 - self.uniform()).ln() < limit {
                return d * cube;
            }
        }
    }

    /// Uniform in `0..bound`; 0 where `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // The high half of a 128-bit product maps 64 bits onto the range with a bias below 2^-40 for any table.
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// The position of one of some weights, each as likely as its share of their sum; `None` where that is 0.
    pub fn position(&mut self, weights: &[f64]) -> Option<usize> {
        let mut left = self.uniform() * weights.iter().sum::<f64>();
        weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        })
    }

    /// Puts the items into a random order (Fisher-Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// The numbers `0..count` in a random order.
    pub fn permutation(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        self.shuffle(&mut order);
        order
    }
}

/// FNV-1a: a fixed hash, so that streams stay the same between versions of the compiler.
pub fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// One number from many, in order: to tell data apart, not to protect it.
pub fn mix(values: impl IntoIterator<Item = u64>) -> u64 {
    values.into_iter().fold(0xcbf2_9ce4_8422_2325, |state: u64, value| {
        (state ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gammas_have_mean_and_variance_of_their_shape() {
        for shape in [1.0, 2.5, 300.0] {
            let mut stream = Stream::new(1, "gamma", 0, 0);
            let draws: Vec<f64> = (0..40_000).map(|_| stream.gamma(shape)).collect();
            let mean = draws.iter().sum::<f64>() / 40_000.0;
            let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 40_000.0;
            assert!((mean / shape - 1.0).abs() < 0.03 && (variance / shape - 1.0).abs() < 0.05, "{shape}");
        }
    }

    #[test]
    fn addresses_are_independent() {
        let draw = |purpose, first, second| Stream::new(1, purpose, first, second).bits();
        let all = [draw("a", 0, 0), draw("b", 0, 0), draw("a", 1, 0), draw("a", 0, 1)];
        for (index, value) in all.iter().enumerate() {
            assert!(!all[..index].contains(value));
        }
    }

    #[test]
    fn moments_are_right() {
        let mut stream = Stream::new(3, "moments", 0, 0);
        let count = 40_000;
        let normals: Vec<f64> = (0..count).map(|_| stream.normal()).collect();
        let mean = normals.iter().sum::<f64>() / f64::from(count);
        let variance = normals.iter().map(|x| x * x).sum::<f64>() / f64::from(count);
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{mean} {variance}");
        let uniform = (0..count).map(|_| stream.uniform()).sum::<f64>() / f64::from(count);
        assert!((uniform - 0.5).abs() < 0.006);
    }

    #[test]
    fn a_permutation_has_every_number_once() {
        let mut order = Stream::new(5, "order", 0, 0).permutation(100);
        assert_ne!(order, (0..100).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }
}
