//! Eight numbers side by side: AVX2 registers, or plain code on other machines. Registers multiply and add with one
//! rounding, plain code with two: any two machines agree to rounding, any two with AVX2 to the bit.

/// Numbers in one go.
pub(super) const LANES: usize = 8;

/// Eight numbers in registers.
pub(super) trait Eight: Copy {
    fn splat(value: f32) -> Self;
    fn load(from: &[f32; LANES]) -> Self;
    fn store(self, to: &mut [f32; LANES]);
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// `self + factor * other`.
    fn plus_times(self, factor: Self, other: Self) -> Self;
}

/// For any machine.
#[derive(Clone, Copy)]
pub(super) struct Plain([f32; LANES]);

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
}

#[cfg(target_arch = "x86_64")]
pub(super) use wide::Avx2;

#[cfg(target_arch = "x86_64")]
mod wide {
    //! Sound only where the processor has these registers: values come into being inside functions that
    //! `for_eights` lets through.

    use std::arch::x86_64::*;

    use super::{Eight, LANES};

    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256);

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
    }
}

/// A function over `L: Eight`, compiled for every kind of registers; the best that the processor has is taken.
macro_rules! for_eights {
    ($(#[$attribute:meta])* $access:vis fn $name:ident<$L:ident>($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$attribute])*
        #[allow(clippy::too_many_arguments)]
        $access fn $name($($argument: $type),*) $(-> $result)? {
            use super::lanes::{Eight, Plain};

            #[inline(always)]
            fn body<$L: Eight>($($argument: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn wide($($argument: $type),*) $(-> $result)? {
                    body::<super::lanes::Avx2>($($argument),*)
                }
                if std::arch::is_x86_feature_detected!("fma") && std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor was just asked whether it has these registers.
                    return unsafe { wide($($argument),*) };
                }
            }
            body::<Plain>($($argument),*)
        }
    };
}
pub(super) use for_eights;
