//! Sixteen numbers side by side, in the widest registers the machine has. Every operation is that of IEEE 754 on each
//! number, and sums have one order. Registers multiply and add in one step, with one rounding; plain code rounds twice,
//! as one step is slow without such registers. So results on any two machines agree to rounding, and those of AVX2 and
//! AVX-512 to the bit.

/// Numbers in one go.
pub(super) const LANES: usize = 16;

/// Sixteen numbers in memory, as a whole cache line: loads and stores never straddle two.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Sixteen(pub [f32; LANES]);

/// Sixteen numbers in registers.
pub(super) trait Lanes: Copy {
    fn splat(value: f32) -> Self;
    fn load(from: &Sixteen) -> Self;
    fn store(self, to: &mut Sixteen);
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn over(self, other: Self) -> Self;
    fn root(self) -> Self;
    fn least(self, other: Self) -> Self;
    fn most(self, other: Self) -> Self;
    /// `2^n` from `1.5 * 2^23 + 127 + n`, in whose bits `127 + n` stands last, ready to become an exponent.
    fn power_of_two(shifted: Self) -> Self;
    /// The sum of each of four: within each quarter (0 + 2) + (1 + 3), then quarters (0 + 2) + (1 + 3).
    fn sums(four: [Self; 4]) -> [f32; 4];

    /// `self + factor * other`, rounded once or twice.
    fn plus_times(self, factor: Self, other: Self) -> Self;

    /// e^x to about 1e-7 of its size, by a polynomial on [-ln 2 / 2, ln 2 / 2].
    #[inline(always)]
    fn exponential(self) -> Self {
        let magic = Self::splat(12_582_912.0 + 127.0);
        let x = self.least(Self::splat(87.0)).most(Self::splat(-87.0));
        let shifted = magic.plus_times(x, Self::splat(std::f32::consts::LOG2_E));
        let n = shifted.minus(magic);
        // ln 2 in two parts, so that n ln 2 is exact enough.
        let r = x.minus(n.times(Self::splat(0.693_359_4))).minus(n.times(Self::splat(-2.121_944_4e-4)));
        let mut p = Self::splat(1.987_569_1e-4);
        for c in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
            p = Self::splat(c).plus_times(p, r);
        }
        let p = r.plus_times(p, r.times(r)).plus(Self::splat(1.0));
        p.times(Self::power_of_two(shifted))
    }
}

/// For any machine.
#[derive(Clone, Copy)]
pub(super) struct Plain([f32; LANES]);

impl Plain {
    #[inline(always)]
    fn each(mut self, change: impl Fn(&mut f32, usize)) -> Self {
        self.0.iter_mut().enumerate().for_each(|(lane, value)| change(value, lane));
        self
    }
}

impl Lanes for Plain {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }
    #[inline(always)]
    fn load(from: &Sixteen) -> Self {
        Self(from.0)
    }
    #[inline(always)]
    fn store(self, to: &mut Sixteen) {
        to.0 = self.0;
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.each(|value, lane| *value += other.0[lane])
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.each(|value, lane| *value -= other.0[lane])
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self.each(|value, lane| *value *= other.0[lane])
    }
    #[inline(always)]
    fn over(self, other: Self) -> Self {
        self.each(|value, lane| *value /= other.0[lane])
    }
    #[inline(always)]
    fn plus_times(self, factor: Self, other: Self) -> Self {
        self.plus(factor.times(other))
    }
    #[inline(always)]
    fn root(self) -> Self {
        self.each(|value, _| *value = value.sqrt())
    }
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        self.each(|value, lane| *value = if *value < other.0[lane] { *value } else { other.0[lane] })
    }
    #[inline(always)]
    fn most(self, other: Self) -> Self {
        self.each(|value, lane| *value = if *value > other.0[lane] { *value } else { other.0[lane] })
    }
    #[inline(always)]
    fn power_of_two(shifted: Self) -> Self {
        shifted.each(|value, _| *value = f32::from_bits(value.to_bits() << 23))
    }
    #[inline(always)]
    fn sums(four: [Self; 4]) -> [f32; 4] {
        four.map(|Self(x)| {
            let quarter = |q: usize| (x[4 * q] + x[4 * q + 2]) + (x[4 * q + 1] + x[4 * q + 3]);
            (quarter(0) + quarter(2)) + (quarter(1) + quarter(3))
        })
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use wide::{Avx2, Avx512};

/// Registers of x86-64. The operations are sound only where the processor has them: values of these types come into
/// being inside functions that [`Level`] lets through.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    use super::{Lanes, Sixteen};

    /// Two registers of eight.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx2(__m256, __m256);
    /// One register of sixteen.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Avx512(__m512);

    macro_rules! operations {
        ($($name:ident $eight:ident $sixteen:ident),*; $for:ident) => { operations!(@ $for $($name $eight $sixteen),*); };
        (@ Avx2 $($name:ident $eight:ident $sixteen:ident),*) => {
            $(#[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: see the module.
                unsafe { Self($eight(self.0, other.0), $eight(self.1, other.1)) }
            })*
        };
        (@ Avx512 $($name:ident $eight:ident $sixteen:ident),*) => {
            $(#[inline(always)]
            fn $name(self, other: Self) -> Self {
                // SAFETY: see the module.
                unsafe { Self($sixteen(self.0, other.0)) }
            })*
        };
    }

    macro_rules! all_operations {
        ($for:ident) => {
            operations!(plus _mm256_add_ps _mm512_add_ps, minus _mm256_sub_ps _mm512_sub_ps,
                        times _mm256_mul_ps _mm512_mul_ps, over _mm256_div_ps _mm512_div_ps,
                        least _mm256_min_ps _mm512_min_ps, most _mm256_max_ps _mm512_max_ps; $for);
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
        all_operations!(Avx2);
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

    impl Lanes for Avx512 {
        all_operations!(Avx512);
        #[inline(always)]
        fn splat(value: f32) -> Self {
            unsafe { Self(_mm512_set1_ps(value)) }
        }
        #[inline(always)]
        fn load(from: &Sixteen) -> Self {
            unsafe { Self(_mm512_load_ps(from.0.as_ptr())) }
        }
        #[inline(always)]
        fn store(self, to: &mut Sixteen) {
            unsafe { _mm512_store_ps(to.0.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn plus_times(self, factor: Self, other: Self) -> Self {
            unsafe { Self(_mm512_fmadd_ps(factor.0, other.0, self.0)) }
        }
        #[inline(always)]
        fn root(self) -> Self {
            unsafe { Self(_mm512_sqrt_ps(self.0)) }
        }
        #[inline(always)]
        fn power_of_two(shifted: Self) -> Self {
            unsafe { Self(_mm512_castsi512_ps(_mm512_slli_epi32::<23>(_mm512_castps_si512(shifted.0)))) }
        }
        #[inline(always)]
        fn sums([a, b, c, d]: [Self; 4]) -> [f32; 4] {
            unsafe {
                let x = _mm512_add_ps(_mm512_unpacklo_ps(a.0, b.0), _mm512_unpackhi_ps(a.0, b.0));
                let y = _mm512_add_ps(_mm512_unpacklo_ps(c.0, d.0), _mm512_unpackhi_ps(c.0, d.0));
                let (x, y) = (_mm512_castps_pd(x), _mm512_castps_pd(y));
                let quarters = _mm512_add_ps(
                    _mm512_castpd_ps(_mm512_unpacklo_pd(x, y)),
                    _mm512_castpd_ps(_mm512_unpackhi_pd(x, y)),
                );
                let upper = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(quarters)));
                let halves = _mm256_add_ps(_mm512_castps512_ps256(quarters), upper);
                let all = _mm_add_ps(_mm256_castps256_ps128(halves), _mm256_extractf128_ps::<1>(halves));
                let mut sums = [0.0; 4];
                _mm_storeu_ps(sums.as_mut_ptr(), all);
                sums
            }
        }
    }
}

/// Which registers are used. A value other than the plain one exists only on a processor that has them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level(Registers);

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Registers {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// What this processor has, the widest first.
    pub(super) fn available() -> Vec<Self> {
        let mut levels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f") {
                levels.push(Self(Registers::Avx512));
            }
            let fused = std::arch::is_x86_feature_detected!("fma");
            if fused && std::arch::is_x86_feature_detected!("avx2") {
                levels.push(Self(Registers::Avx2));
            }
        }
        levels.push(Self(Registers::Plain));
        levels
    }

    /// The widest.
    pub(super) fn best() -> Self {
        Self::available()[0]
    }

    pub(super) fn registers(self) -> Registers {
        self.0
    }
}

/// A function over `L: Lanes`, compiled for every kind of registers; the first argument says which to take.
macro_rules! for_lanes {
    ($(#[$attribute:meta])* $access:vis fn $name:ident<$L:ident>($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$attribute])*
        #[allow(clippy::too_many_arguments)]
        $access fn $name(level: $crate::nn::sparse::lanes::Level, $($argument: $type),*) $(-> $result)? {
            use $crate::nn::sparse::lanes::{Lanes, Plain, Registers};

            #[inline(always)]
            fn body<$L: Lanes>($($argument: $type),*) $(-> $result)? $body

            match level.registers() {
                Registers::Plain => body::<Plain>($($argument),*),
                #[cfg(target_arch = "x86_64")]
                Registers::Avx2 => {
                    #[target_feature(enable = "avx2,fma")]
                    fn wide($($argument: $type),*) $(-> $result)? {
                        body::<$crate::nn::sparse::lanes::Avx2>($($argument),*)
                    }
                    // SAFETY: such a level exists only on a processor with these registers.
                    unsafe { wide($($argument),*) }
                }
                #[cfg(target_arch = "x86_64")]
                Registers::Avx512 => {
                    #[target_feature(enable = "avx512f")]
                    fn wide($($argument: $type),*) $(-> $result)? {
                        body::<$crate::nn::sparse::lanes::Avx512>($($argument),*)
                    }
                    // SAFETY: such a level exists only on a processor with these registers.
                    unsafe { wide($($argument),*) }
                }
            }
        }
    };
}
pub(super) use for_lanes;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::product::tests::random;

    for_lanes! {
        fn all_operations<L>(left: &Sixteen, right: &Sixteen) -> Vec<f32> {
            let (a, b) = (L::load(left), L::load(right));
            let results = [
                a.plus(b), a.minus(b), a.times(b), a.over(b), a.times(a).root(), a.least(b), a.most(b),
                a.exponential(), a.plus_times(a, b), L::splat(left.0[3]),
            ];
            let mut all = Vec::new();
            for result in results {
                let mut numbers = Sixteen([0.0; LANES]);
                result.store(&mut numbers);
                all.extend_from_slice(&numbers.0);
            }
            all.extend_from_slice(&L::sums([a, b, a.times(b), a.minus(b)]));
            all
        }
    }

    #[test]
    fn all_registers_agree() {
        for round in 0..50 {
            let numbers = random(2 * LANES, &format!("lanes {round}"));
            let sixteen = |part: &[f32]| Sixteen(part.try_into().unwrap());
            let (left, right) = (&sixteen(&numbers[..LANES]), &sixteen(&numbers[LANES..]));
            let plain = all_operations(Level(Registers::Plain), left, right);
            for level in Level::available() {
                for (place, (ours, plain)) in
                    all_operations(level, left, right).iter().zip(&plain).enumerate()
                {
                    assert!(
                        (ours - plain).abs() <= 1e-6 * plain.abs().max(1.0),
                        "{level:?} {place}: {ours} {plain}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_exponential_is_one() {
        for step in -870..=870 {
            let x = step as f32 / 10.0;
            let Plain(ours) = Plain::splat(x).exponential();
            let truth = f64::from(x).exp();
            assert!((f64::from(ours[0]) / truth - 1.0).abs() < 3e-7, "{x}: {} {truth}", ours[0]);
        }
    }
}
