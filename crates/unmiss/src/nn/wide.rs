//! As many numbers side by side as the registers hold: sixteen, or [`Eight`]. An element's sum is made by the same
//! additions in the same order whichever it is, so machines with sixteen and with eight agree to the bit.

use crate::nn::lanes::Eight;

/// Numbers in one register, and the largest tile of sums that stays in registers.
pub(in crate::nn) trait Wide: Copy {
    /// Numbers in a register.
    const LANES: usize;
    /// Rows of a tile.
    const ROWS: usize;
    /// Registers of a tile's row.
    const COLUMNS: usize;

    fn splat(value: f32) -> Self;
    /// # Safety
    /// There must be as many numbers as a register holds.
    unsafe fn load(from: *const f32) -> Self;
    /// # Safety
    /// There must be room for them, which nobody else holds.
    unsafe fn store(self, to: *mut f32);
    /// `self + factor * other`.
    fn plus_times(self, factor: Self, other: Self) -> Self;
    /// The larger of a number and a limit; what is not a number stays so.
    fn at_least(self, limit: f32) -> Self;
}

impl<L: Eight> Wide for L {
    const LANES: usize = crate::nn::lanes::LANES;
    // Twelve of sixteen registers hold sums.
    const ROWS: usize = 4;
    const COLUMNS: usize = 3;

    #[inline(always)]
    fn splat(value: f32) -> Self {
        <L as Eight>::splat(value)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: the caller answers for it; an array asks for no more alignment than its numbers.
        <L as Eight>::load(unsafe { &*from.cast() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: the caller answers for it.
        <L as Eight>::store(self, unsafe { &mut *to.cast() });
    }
    #[inline(always)]
    fn plus_times(self, factor: Self, other: Self) -> Self {
        <L as Eight>::plus_times(self, factor, other)
    }
    #[inline(always)]
    fn at_least(self, limit: f32) -> Self {
        <L as Eight>::at_least(self, limit)
    }
}

#[cfg(target_arch = "x86_64")]
pub(in crate::nn) use sixteen::Avx512;

#[cfg(target_arch = "x86_64")]
mod sixteen {
    //! Sound only where the processor has these registers: values come into being inside functions that `for_widest`
    //! lets through.

    use std::arch::x86_64::*;

    use super::Wide;

    #[derive(Clone, Copy)]
    pub(in crate::nn) struct Avx512(__m512);

    // SAFETY of every block below: see the module; the caller answers for pointers.
    impl Wide for Avx512 {
        const LANES: usize = 16;
        // Twenty-four of thirty-two registers hold sums.
        const ROWS: usize = 6;
        const COLUMNS: usize = 4;

        #[inline(always)]
        fn splat(value: f32) -> Self {
            unsafe { Self(_mm512_set1_ps(value)) }
        }
        #[inline(always)]
        unsafe fn load(from: *const f32) -> Self {
            unsafe { Self(_mm512_loadu_ps(from)) }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            unsafe { _mm512_storeu_ps(to, self.0) }
        }
        #[inline(always)]
        fn plus_times(self, factor: Self, other: Self) -> Self {
            unsafe { Self(_mm512_fmadd_ps(factor.0, other.0, self.0)) }
        }
        #[inline(always)]
        fn at_least(self, limit: f32) -> Self {
            // Of two numbers one of which is none, the instruction gives the second.
            unsafe { Self(_mm512_max_ps(_mm512_set1_ps(limit), self.0)) }
        }
    }
}

/// Whether the processor has registers of sixteen numbers.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(in crate::nn) fn has_sixteen() -> bool {
    #[cfg(test)]
    if tests::NARROWLY.get() {
        return false;
    }
    crate::nn::lanes::has_registers() && std::arch::is_x86_feature_detected!("avx512f")
}

/// A function over `L: Wide`, compiled for every kind of registers; the widest that the processor has are taken.
macro_rules! for_widest {
    ($(#[$attribute:meta])* $access:vis fn $name:ident<$L:ident>($($argument:ident: $type:ty),* $(,)?) $body:block) => {
        $(#[$attribute])*
        $access fn $name($($argument: $type),*) {
            use $crate::nn::wide::Wide;

            #[inline(always)]
            fn body<$L: Wide>($($argument: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx2,fma")]
                fn widest($($argument: $type),*) {
                    body::<$crate::nn::wide::Avx512>($($argument),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn wide($($argument: $type),*) {
                    body::<$crate::nn::lanes::Avx2>($($argument),*)
                }
                if $crate::nn::wide::has_sixteen() {
                    // SAFETY: the processor was just asked whether it has these registers.
                    return unsafe { widest($($argument),*) };
                }
                if $crate::nn::lanes::has_registers() {
                    // SAFETY: as above.
                    return unsafe { wide($($argument),*) };
                }
            }
            body::<$crate::nn::lanes::Plain>($($argument),*)
        }
    };
}
pub(in crate::nn) use for_widest;

/// A function element by element, compiled for every width of registers. Nothing is fused, so the width changes no bit.
macro_rules! widened {
    ($(#[$attribute:meta])* $access:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block) => {
        $(#[$attribute])*
        $access fn $name($($argument: $type),*) {
            #[inline(always)]
            fn body($($argument: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f")]
                fn widest($($argument: $type),*) {
                    body($($argument),*)
                }
                #[target_feature(enable = "avx2")]
                fn wide($($argument: $type),*) {
                    body($($argument),*)
                }
                if $crate::nn::wide::has_sixteen() {
                    // SAFETY: the processor was just asked whether it has these registers.
                    return unsafe { widest($($argument),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: as above.
                    return unsafe { wide($($argument),*) };
                }
            }
            body($($argument),*)
        }
    };
}
pub(in crate::nn) use widened;

#[cfg(test)]
pub(in crate::nn) mod tests {
    use std::cell::Cell;

    thread_local! {
        /// Whether this thread does with registers of eight.
        pub static NARROWLY: Cell<bool> = const { Cell::new(false) };
    }

    /// Does some work on two threads that do with registers of eight.
    pub fn narrowly<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).start_handler(|_| NARROWLY.set(true));
        pool.build().unwrap().install(work)
    }
}
