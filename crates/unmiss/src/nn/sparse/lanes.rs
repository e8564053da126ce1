//! Sixteen numbers side by side, in the widest registers the machine has. Every operation is that of IEEE 754 on each
//! number, and sums have one order. Registers multiply and add in one step, with one rounding; plain code rounds twice,
//! as one step is slow without such registers. So results on any two machines agree to rounding, and on any two with
//! AVX2 to the bit.

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
pub(super) use wide::Avx2;

#[cfg(target_arch = "x86_64")]
mod wide;

/// Which registers are used. A value other than the plain one exists only on a processor that has them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Level(Registers);

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Registers {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Level {
    /// What this processor has, the widest first.
    pub(super) fn available() -> Vec<Self> {
        let mut levels = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
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
