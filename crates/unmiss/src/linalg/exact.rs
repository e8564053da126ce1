//! Sums that come out the same, bit for bit, in any order and from any parts of the rows: of whole numbers.
//!
//! A number is counted in units of 2⁻³², which is less than what single precision tells apart near 1, and a product in
//! units of 2⁻⁶⁴. Whole numbers of 128 bits hold the sums of 10¹¹ rows of numbers up to 4096.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::conditional::Conditional;
use super::holes::{Holes, groups};
use super::normal::Normal;
use super::square::Square;

/// Units of 1.
const UNITS: f64 = 4_294_967_296.0;
/// Numbers beyond count as this.
const FARTHEST: f64 = 4096.0;

/// Sums of rows and of the products of their numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExactSums {
    /// How many rows.
    pub count: u64,
    columns: usize,
    /// `[columns]`
    #[serde(with = "Coded")]
    sums: Vec<i128>,
    /// The lower triangle, row by row.
    #[serde(with = "Coded")]
    products: Vec<i128>,
}

/// Whole numbers as text.
struct Coded;

impl Coded {
    fn serialize<S: Serializer>(numbers: &[i128], serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        serializer.serialize_str(&STANDARD.encode(bytes))
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i128>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(serde::de::Error::custom)?;
        Ok(bytes.as_chunks().0.iter().map(|number| i128::from_le_bytes(*number)).collect())
    }
}

/// A number in units.
fn counted(value: f64) -> i64 {
    (value.clamp(-FARTHEST, FARTHEST) * UNITS).round() as i64
}

impl ExactSums {
    /// Of no rows yet.
    pub fn new(columns: usize) -> Self {
        Self { count: 0, columns, sums: vec![0; columns], products: vec![0; columns * (columns + 1) / 2] }
    }

    /// Adds a row.
    pub fn add_row(&mut self, row: &[f64]) {
        let units: Vec<i64> = row.iter().map(|value| counted(*value)).collect();
        self.count += 1;
        self.sums.iter_mut().zip(&units).for_each(|(sum, value)| *sum += i128::from(*value));
        let mut products = self.products.iter_mut();
        for (place, &a) in units.iter().enumerate() {
            for (&b, product) in units[..=place].iter().zip(&mut products) {
                *product += i128::from(a) * i128::from(b);
            }
        }
    }

    /// Adds a matrix so many times to the products.
    fn add_products(&mut self, times: usize, of: impl Fn(usize, usize) -> f64) {
        let mut products = self.products.iter_mut();
        for i in 0..self.columns {
            for (j, product) in (0..=i).zip(&mut products) {
                *product += times as i128 * (of(i, j) * UNITS * UNITS).round() as i128;
            }
        }
    }

    /// Adds the sums of other rows; of other columns there is nothing to add.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, own)| *sum += own);
        self.products.iter_mut().zip(&other.products).for_each(|(sum, own)| *sum += own);
    }

    /// How many columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The sum of a column.
    pub fn sum(&self, column: usize) -> f64 {
        self.sums[column] as f64 / UNITS
    }

    /// The sum of the products of two columns.
    pub fn product(&self, a: usize, b: usize) -> f64 {
        let (high, low) = (a.max(b), a.min(b));
        self.products[high * (high + 1) / 2 + low] as f64 / UNITS / UNITS
    }

    /// All sums of products.
    pub fn square(&self) -> Square {
        let mut square = Square::zero(self.columns);
        for a in 0..self.columns {
            for b in 0..self.columns {
                *square.at_mut(a, b) = self.product(a, b);
            }
        }
        square
    }
}

/// What rows with holes add to a round of expectation-maximisation: t as the sums, T as the products.
pub fn expect_exactly(data: Holes<'_>, normal: &Normal) -> ExactSums {
    let (columns, conditional) = (data.columns, Conditional::new(normal));
    let mut sums = ExactSums::new(columns);
    let all: Vec<usize> = (0..data.rows()).collect();
    for group in groups(data, &all) {
        let pattern = conditional.pattern(&group.observed);
        for &row in &group.rows {
            let mut deviations = vec![0.0; columns];
            data.deviations(row, conditional.mean(), &mut deviations);
            pattern.fill(&conditional, &mut deviations);
            sums.add_row(&deviations);
        }
        let mut open = Square::zero(columns);
        pattern.add_open(&conditional, 1.0, &mut open);
        sums.add_products(group.rows.len(), |i, j| open.at(i, j));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_parts_change_no_bit() {
        let rows: Vec<[f64; 2]> =
            (0..40).map(|row| [(row as f64).sin() * 7.3, 1.0 / f64::from(row + 1)]).collect();
        let of = |rows: &[[f64; 2]]| {
            let mut sums = ExactSums::new(2);
            rows.iter().for_each(|row| sums.add_row(row));
            sums
        };
        let whole = of(&rows);
        let mut turned = of(&rows[25..]);
        turned.add(&of(&rows[..25]));
        assert_eq!(turned, whole);
        let text = serde_json::to_string(&whole).unwrap();
        assert_eq!(serde_json::from_str::<ExactSums>(&text).unwrap(), whole);
        let sum: f64 = rows.iter().map(|row| row[0] * row[1]).sum();
        assert!((whole.product(1, 0) - sum).abs() < 1e-8 && (whole.sum(1) - 4.278_543).abs() < 1e-6);
    }
}
