//! Eight numbers side by side: AVX2 registers, or plain code on other machines. Registers multiply and add with one
//! rounding, plain code with two: any two machines agree to rounding, any two with AVX2 to the bit.

/// Numbers in one go.
pub(in crate::nn) const LANES: usize = 8;

/// Eight numbers in registers.
pub(in crate::nn) trait Eight: Copy {
    fn splat(value: f32) -> Self;
    fn load(from: &[f32; LANES]) -> Self;
    fn store(self, to: &mut [f32; LANES]);
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// `self + factor * other`.
    fn plus_times(self, factor: Self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    /// The larger of a number and a limit; what is not a number stays so.
    fn at_least(self, limit: f32) -> Self;
    /// The number where the other is above 0, 0 elsewhere.
    fn where_positive(self, other: Self) -> Self;
    /// Rows become columns.
    fn transposed(rows: [Self; LANES]) -> [Self; LANES];
}

/// For any machine.
#[derive(Clone, Copy)]
pub(in crate::nn) struct Plain([f32; LANES]);

impl Eight for Plain {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }
    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        Self(*from)
    }
    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        *to = self.0;
    }
    #[inline(always)]
    fn plus(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
        self
    }
    #[inline(always)]
    fn times(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a *= b);
        self
    }
    #[inline(always)]
    fn plus_times(self, factor: Self, other: Self) -> Self {
        self.plus(factor.times(other))
    }
    #[inline(always)]
    fn minus(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a -= b);
        self
    }
    #[inline(always)]
    fn at_least(self, limit: f32) -> Self {
        Self(self.0.map(|value| if value < limit { limit } else { value }))
    }
    #[inline(always)]
    fn where_positive(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a = if b > 0.0 { *a } else { 0.0 });
        self
    }
    #[inline(always)]
    fn transposed(rows: [Self; LANES]) -> [Self; LANES] {
        std::array::from_fn(|column| Self(std::array::from_fn(|row| rows[row].0[column])))
    }
}

#[cfg(target_arch = "x86_64")]
pub(in crate::nn) use wide::Avx2;

#[cfg(target_arch = "x86_64")]
mod wide {
    //! Sound only where the processor has these registers: values come into being inside functions that
    //! `for_eights` lets through.

    use std::arch::x86_64::*;

    use super::{Eight, LANES};

    #[derive(Clone, Copy)]
    pub(in crate::nn) struct Avx2(__m256);

    // SAFETY of every block below: see the module; pointers come from references to eight numbers.
    impl Eight for Avx2 {
        #[inline(always)]
        fn splat(value: f32) -> Self {
            unsafe { Self(_mm256_set1_ps(value)) }
        }
        #[inline(always)]
        fn load(from: &[f32; LANES]) -> Self {
            unsafe { Self(_mm256_loadu_ps(from.as_ptr())) }
        }
        #[inline(always)]
        fn store(self, to: &mut [f32; LANES]) {
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn plus(self, other: Self) -> Self {
            unsafe { Self(_mm256_add_ps(self.0, other.0)) }
        }
        #[inline(always)]
        fn times(self, other: Self) -> Self {
            unsafe { Self(_mm256_mul_ps(self.0, other.0)) }
        }
        #[inline(always)]
        fn plus_times(self, factor: Self, other: Self) -> Self {
            unsafe { Self(_mm256_fmadd_ps(factor.0, other.0, self.0)) }
        }
        #[inline(always)]
        fn minus(self, other: Self) -> Self {
            unsafe { Self(_mm256_sub_ps(self.0, other.0)) }
        }
        #[inline(always)]
        fn at_least(self, limit: f32) -> Self {
            // Of two numbers one of which is none, the instruction gives the second.
            unsafe { Self(_mm256_max_ps(_mm256_set1_ps(limit), self.0)) }
        }
        #[inline(always)]
        fn where_positive(self, other: Self) -> Self {
            unsafe {
                let positive = _mm256_cmp_ps::<_CMP_GT_OQ>(other.0, _mm256_setzero_ps());
                Self(_mm256_and_ps(self.0, positive))
            }
        }
        #[inline(always)]
        fn transposed(rows: [Self; LANES]) -> [Self; LANES] {
            let [a, b, c, d, e, f, g, h] = rows;
            // First pairs of rows, then quarters, then halves change places.
            unsafe {
                let (a, b) = (_mm256_unpacklo_ps(a.0, b.0), _mm256_unpackhi_ps(a.0, b.0));
                let (c, d) = (_mm256_unpacklo_ps(c.0, d.0), _mm256_unpackhi_ps(c.0, d.0));
                let (e, f) = (_mm256_unpacklo_ps(e.0, f.0), _mm256_unpackhi_ps(e.0, f.0));
                let (g, h) = (_mm256_unpacklo_ps(g.0, h.0), _mm256_unpackhi_ps(g.0, h.0));
                let (a, c) = (_mm256_shuffle_ps::<0x44>(a, c), _mm256_shuffle_ps::<0xEE>(a, c));
                let (b, d) = (_mm256_shuffle_ps::<0x44>(b, d), _mm256_shuffle_ps::<0xEE>(b, d));
                let (e, g) = (_mm256_shuffle_ps::<0x44>(e, g), _mm256_shuffle_ps::<0xEE>(e, g));
                let (f, h) = (_mm256_shuffle_ps::<0x44>(f, h), _mm256_shuffle_ps::<0xEE>(f, h));
                [
                    Self(_mm256_permute2f128_ps::<0x20>(a, e)),
                    Self(_mm256_permute2f128_ps::<0x20>(c, g)),
                    Self(_mm256_permute2f128_ps::<0x20>(b, f)),
                    Self(_mm256_permute2f128_ps::<0x20>(d, h)),
                    Self(_mm256_permute2f128_ps::<0x31>(a, e)),
                    Self(_mm256_permute2f128_ps::<0x31>(c, g)),
                    Self(_mm256_permute2f128_ps::<0x31>(b, f)),
                    Self(_mm256_permute2f128_ps::<0x31>(d, h)),
                ]
            }
        }
    }
}

/// Whether the processor has the wide registers.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(in crate::nn) fn has_registers() -> bool {
    #[cfg(test)]
    if tests::PLAINLY.get() {
        return false;
    }
    std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2")
}

/// A function over `L: Eight`, compiled for every kind of registers; the best that the processor has is taken.
macro_rules! for_eights {
    ($(#[$attribute:meta])* $access:vis fn $name:ident<$L:ident>($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$attribute])*
        #[allow(clippy::too_many_arguments)]
        $access fn $name($($argument: $type),*) $(-> $result)? {
            use $crate::nn::lanes::{Eight, Plain};

            #[inline(always)]
            fn body<$L: Eight>($($argument: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($argument: $type),*) $(-> $result)? {
                    body::<$crate::nn::lanes::Avx2>($($argument),*)
                }
                if $crate::nn::lanes::has_registers() {
                    // SAFETY: the processor was just asked whether it has these registers.
                    return unsafe { wide($($argument),*) };
                }
            }
            body::<Plain>($($argument),*)
        }
    };
}
pub(in crate::nn) use for_eights;

#[cfg(test)]
pub(in crate::nn) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// Whether this thread does without wide registers.
        pub static PLAINLY: Cell<bool> = const { Cell::new(false) };
    }

    /// Does some work on two threads that do without wide registers.
    pub fn plainly<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).start_handler(|_| PLAINLY.set(true));
        pool.build().unwrap().install(work)
    }

    fn rows() -> [[f32; LANES]; LANES] {
        std::array::from_fn(|row| std::array::from_fn(|lane| (row * LANES + lane) as f32 - 20.5))
    }

    /// Every operation on the rows, written out.
    #[inline(always)]
    fn everything<L: Eight>(rows: &[[f32; LANES]; LANES], found: &mut Vec<f32>) {
        let [a, b, c, ..] = rows.each_ref().map(|row| L::load(row));
        let mut values = vec![a.plus(b), a.minus(b), a.times(b), a.plus_times(b, c)];
        values.extend([
            c.at_least(0.5),
            a.where_positive(c),
            L::splat(2.0),
            L::splat(f32::NAN).at_least(0.0),
        ]);
        values.extend(L::transposed(rows.each_ref().map(|row| L::load(row))));
        for value in values {
            let mut eight = [0.0; LANES];
            value.store(&mut eight);
            found.extend(eight);
        }
    }

    for_eights! {
        fn widest<L>(rows: &[[f32; LANES]; LANES], found: &mut Vec<f32>) {
            everything::<L>(rows, found);
        }
    }

    #[test]
    fn plain_code_and_the_widest_registers_do_the_same() {
        let (mut plain, mut wide) = (Vec::new(), Vec::new());
        everything::<Plain>(&rows(), &mut plain);
        widest(&rows(), &mut wide);
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&plain), bits(&wide), "these numbers need no rounding");
        assert!(plain[7 * LANES..8 * LANES].iter().all(|value| value.is_nan()));
        assert_eq!(plain[8 * LANES + 1], rows()[1][0]);
    }
}
