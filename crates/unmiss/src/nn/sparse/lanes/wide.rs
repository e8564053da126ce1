//! Registers of x86-64. The operations are sound only where the processor has them: values of these types come into
//! being inside functions that [`Level`](super::Level) lets through.

use std::arch::x86_64::*;

use super::{Lanes, Sixteen};

/// Two registers of eight.
#[derive(Clone, Copy)]
pub(in crate::nn::sparse) struct Avx2(__m256, __m256);

/// Operations on two numbers, each by one instruction on eight.
macro_rules! operations {
    ($($name:ident $eight:ident),*) => {
        $(#[inline(always)]
        fn $name(self, other: Self) -> Self {
            // SAFETY: see the module.
            unsafe { Self($eight(self.0, other.0), $eight(self.1, other.1)) }
        })*
    };
}

/// The bits of eight numbers, moved by the width of a mantissa.
#[inline(always)]
fn shift_left(x: __m256) -> __m256 {
    // SAFETY: see the module.
    unsafe { _mm256_castsi256_ps(_mm256_slli_epi32::<23>(_mm256_castps_si256(x))) }
}

/// The sums of the two quarters of each of four: `[a b c d a b c d]`.
#[inline(always)]
fn quarters(a: __m256, b: __m256, c: __m256, d: __m256) -> __m256 {
    // SAFETY: see the module.
    unsafe {
        let x = _mm256_add_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        let y = _mm256_add_ps(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
        let (x, y) = (_mm256_castps_pd(x), _mm256_castps_pd(y));
        let (low, high) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y));
        _mm256_add_ps(_mm256_castpd_ps(low), _mm256_castpd_ps(high))
    }
}

// SAFETY of every block below: see the module; pointers come from references to sixteen numbers at the
// start of a cache line.
impl Lanes for Avx2 {
    operations!(plus _mm256_add_ps, minus _mm256_sub_ps, times _mm256_mul_ps, over _mm256_div_ps,
                least _mm256_min_ps, most _mm256_max_ps);
    #[inline(always)]
    fn splat(value: f32) -> Self {
        unsafe { Self(_mm256_set1_ps(value), _mm256_set1_ps(value)) }
    }
    #[inline(always)]
    fn load(from: &Sixteen) -> Self {
        unsafe { Self(_mm256_load_ps(from.0.as_ptr()), _mm256_load_ps(from.0.as_ptr().add(8))) }
    }
    #[inline(always)]
    fn store(self, to: &mut Sixteen) {
        unsafe {
            _mm256_store_ps(to.0.as_mut_ptr(), self.0);
            _mm256_store_ps(to.0.as_mut_ptr().add(8), self.1);
        }
    }
    #[inline(always)]
    fn plus_times(self, factor: Self, other: Self) -> Self {
        unsafe {
            let first = _mm256_fmadd_ps(factor.0, other.0, self.0);
            Self(first, _mm256_fmadd_ps(factor.1, other.1, self.1))
        }
    }
    #[inline(always)]
    fn root(self) -> Self {
        unsafe { Self(_mm256_sqrt_ps(self.0), _mm256_sqrt_ps(self.1)) }
    }
    #[inline(always)]
    fn power_of_two(shifted: Self) -> Self {
        Self(shift_left(shifted.0), shift_left(shifted.1))
    }
    #[inline(always)]
    fn sums([a, b, c, d]: [Self; 4]) -> [f32; 4] {
        unsafe {
            let halves = _mm256_add_ps(quarters(a.0, b.0, c.0, d.0), quarters(a.1, b.1, c.1, d.1));
            let all = _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps::<1>(halves));
            let mut sums = [0.0; 4];
            _mm_storeu_ps(sums.as_mut_ptr(), all);
            sums
        }
    }
}
