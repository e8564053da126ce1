//! The sum of any numbers in double precision, exact until it is asked for: every bit that a number can have is counted
//! where it stands.

use serde::{Deserialize, Serialize};

/// Bits of a limb.
const BITS: usize = 32;
/// Limbs for the bits from 2⁻¹⁰⁷⁴ to 2¹⁰²³, and for what is carried beyond.
const LIMBS: usize = 70;

/// An exact sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Total {
    /// From the lowest; each may hold more than its bits until it is carried.
    limbs: Vec<i64>,
    /// Numbers added since limbs were carried.
    added: u32,
}

impl Default for Total {
    fn default() -> Self {
        Self { limbs: vec![0; LIMBS], added: 0 }
    }
}

impl Total {
    /// Adds a finite number.
    pub fn add(&mut self, number: f64) {
        let bits = number.to_bits();
        let (exponent, fraction) = ((bits >> 52) as usize & 0x7ff, bits & ((1 << 52) - 1));
        if exponent == 0x7ff {
            return;
        }
        let (place, whole) = if exponent == 0 { (0, fraction) } else { (exponent - 1, fraction | (1 << 52)) };
        let mut shifted = u128::from(whole) << (place % BITS);
        for limb in &mut self.limbs[place / BITS..place / BITS + 3] {
            let own = (shifted & 0xffff_ffff) as i64;
            *limb += if number < 0.0 { -own } else { own };
            shifted >>= BITS;
        }
        self.added += 1;
        if self.added == 1 << 30 {
            self.carry();
        }
    }

    /// Adds another sum.
    pub fn join(&mut self, other: &Self) {
        self.carry();
        let mut other = other.clone();
        other.carry();
        self.limbs.iter_mut().zip(&other.limbs).for_each(|(own, other)| *own += other);
        self.carry();
    }

    /// Leaves every limb its bits, but the highest, which has the sign.
    fn carry(&mut self) {
        let mut carried = 0;
        for limb in &mut self.limbs[..LIMBS - 1] {
            let all = *limb + carried;
            (*limb, carried) = (all & 0xffff_ffff, all >> BITS);
        }
        self.limbs[LIMBS - 1] += carried;
        self.added = 0;
    }

    /// The nearest number in double precision (or one beside it).
    pub fn value(&self) -> f64 {
        let mut all = self.clone();
        all.carry();
        let negative = all.limbs[LIMBS - 1] < 0;
        if negative {
            all.limbs.iter_mut().for_each(|limb| *limb = -*limb);
            all.carry();
        }
        let Some(top) = all.limbs.iter().rposition(|limb| *limb != 0) else { return 0.0 };
        let digits = (top.saturating_sub(3)..=top).rev();
        let mut whole = 0_u128;
        digits.clone().for_each(|place| whole = (whole << BITS) | all.limbs[place] as u128);
        let lowest = top.saturating_sub(3) * BITS;
        // In two steps, neither of which leaves the range before the other.
        let exponent = lowest as i32 - 1074;
        let (half, rest) = (exponent / 2, exponent - exponent / 2);
        let size = whole as f64 * 2.0_f64.powi(half) * 2.0_f64.powi(rest);
        if negative { -size } else { size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: &[f64]) -> Total {
        let mut total = Total::default();
        numbers.iter().for_each(|number| total.add(*number));
        total
    }

    #[test]
    fn sums_are_exact_in_any_order() {
        let numbers = [1e100, 1.0, -1e100, 1e-300, -0.1, 0.3, 5e-324, -7.0];
        let whole = of(&numbers);
        assert!((whole.value() - -5.8).abs() < 1e-15);
        let (first, second) = numbers.split_at(3);
        let mut joined = of(second);
        joined.join(&of(first));
        assert_eq!(joined.value().to_bits(), whole.value().to_bits());
        assert_eq!(of(&[1e100, -1e100]).value(), 0.0);
        assert_eq!(of(&[-2.5, 0.0]).value(), -2.5);
        assert_eq!(of(&[5e-324]).value(), 5e-324);
        assert_eq!(of(&[1e300, 1e300]).value(), 2e300);
    }
}
