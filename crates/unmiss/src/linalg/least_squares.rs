//! Least squares by Householder's reflections, which lose no digits to products of columns with themselves and can say
//! which column is a sum of others.

use super::square::{Square, dot};

/// A column is a sum of earlier ones if less than this share of its length is left without them.
const SMALLEST: f64 = 1e-7;

/// The solution of min |y - X b|².
#[derive(Debug, Clone)]
pub struct LeastSquares {
    /// b.
    pub coefficients: Vec<f64>,
    /// (X'X)^-1.
    pub inverse: Square,
    /// |y - X b|².
    pub squares: f64,
}

/// A column that is a sum of earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependent {
    /// Its place.
    pub column: usize,
    /// The earlier ones that it is made of; none if it is zero.
    pub on: Vec<usize>,
}

impl LeastSquares {
    /// Solves for X given column by column, all of the length of y.
    ///
    /// # Errors
    /// When a column is a sum of earlier ones.
    pub fn solve(columns: &[Vec<f64>], y: &[f64]) -> Result<Self, Dependent> {
        let (width, mut y) = (columns.len(), y.to_vec());
        let mut columns = columns.to_vec();
        // R of X = QR, row by row; below row `place` the columns hold what is left of them.
        let mut triangle = Square::zero(width);
        for place in 0..width {
            let whole = columns[place].iter().map(|value| value * value).sum::<f64>().sqrt();
            let rest = columns[place].get(place..).unwrap_or_default();
            let left = rest.iter().map(|value| value * value).sum::<f64>().sqrt();
            if left <= SMALLEST * whole {
                return Err(Dependent { column: place, on: parts(&triangle, &columns[place], place, whole) });
            }
            // The reflection 1 - 2 v v' / |v|² turns the rest of the column into (∓left, 0, ...).
            let mut mirror = rest.to_vec();
            let corner = if mirror[0] > 0.0 { -left } else { left };
            mirror[0] -= corner;
            let length = dot(&mirror, &mirror);
            let reflect = |values: &mut [f64]| {
                let share = 2.0 * dot(&mirror, values) / length;
                values.iter_mut().zip(&mirror).for_each(|(value, mirror)| *value -= share * mirror);
            };
            columns[place + 1..].iter_mut().for_each(|column| reflect(&mut column[place..]));
            reflect(&mut y[place..]);
            for (row, value) in columns[place][..place].iter().enumerate() {
                *triangle.at_mut(row, place) = *value;
            }
            *triangle.at_mut(place, place) = corner;
        }
        let squares = y[width..].iter().map(|value| value * value).sum();
        let coefficients = backward(&triangle, &y[..width]);
        Ok(Self { coefficients, inverse: inverse(&triangle), squares })
    }
}

/// Solves R b = right for the leading part of an upper triangle.
fn backward(triangle: &Square, right: &[f64]) -> Vec<f64> {
    let mut solution = right.to_vec();
    for row in (0..solution.len()).rev() {
        let known: f64 =
            (row + 1..solution.len()).map(|column| triangle.at(row, column) * solution[column]).sum();
        solution[row] = (solution[row] - known) / triangle.at(row, row);
    }
    solution
}

/// (R'R)^-1 = R^-1 R^-1'.
fn inverse(triangle: &Square) -> Square {
    let size = triangle.size;
    let unit = |place: usize| (0..size).map(|row| f64::from(u8::from(row == place))).collect::<Vec<_>>();
    let columns: Vec<Vec<f64>> = (0..size).map(|place| backward(triangle, &unit(place))).collect();
    let mut inverse = Square::zero(size);
    for row in 0..size {
        for column in 0..size {
            *inverse.at_mut(row, column) = (0..size).map(|k| columns[k][row] * columns[k][column]).sum();
        }
    }
    inverse
}

/// The earlier columns that one is made of, told by what they contribute to its length.
fn parts(triangle: &Square, column: &[f64], place: usize, whole: f64) -> Vec<usize> {
    let weights = backward(triangle, &column[..place.min(column.len())]);
    let length = |other: usize| (0..=other).map(|row| triangle.at(row, other).powi(2)).sum::<f64>().sqrt();
    (0..weights.len()).filter(|&other| weights[other].abs() * length(other) > 1e-6 * whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_agree_with_the_hand() {
        // y = 1 + 2 x for three of four rows.
        let columns = [vec![1.0; 4], vec![0.0, 1.0, 2.0, 3.0]];
        let found = LeastSquares::solve(&columns, &[1.0, 3.0, 5.0, 8.0]).unwrap();
        assert!((found.coefficients[0] - 0.8).abs() < 1e-12 && (found.coefficients[1] - 2.3).abs() < 1e-12);
        assert!((found.squares - 0.3).abs() < 1e-12);
        assert!((found.inverse.at(1, 1) - 0.2).abs() < 1e-12 && (found.inverse.at(0, 1) + 0.3).abs() < 1e-12);
    }

    #[test]
    fn sums_of_columns_are_told() {
        let (one, x, z) = (vec![1.0; 5], vec![1.0, 2.0, 4.0, 8.0, 16.0], vec![3.0, 1.0, 4.0, 1.0, 5.0]);
        let sum: Vec<f64> = x.iter().map(|x| 3.0 * x - 7.0).collect();
        let found = LeastSquares::solve(&[one.clone(), z, x, sum], &[0.0; 5]).unwrap_err();
        assert_eq!(found, Dependent { column: 3, on: vec![0, 2] });
        let found = LeastSquares::solve(&[one, vec![0.0; 5]], &[0.0; 5]).unwrap_err();
        assert_eq!(found, Dependent { column: 1, on: Vec::new() });
    }
}
