//! Square matrices of doubles, row by row, and their triangles.
//!
//! Small ones are factorised here, which costs least for the many small systems of rows with holes and can say which
//! column is to blame; large ones by faer.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, MatMut, MatRef, Par};

use super::products::add_crossed;

/// Matrices larger than this go to the linear algebra library.
const BLOCKED: usize = 96;

/// A square matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Square {
    pub size: usize,
    pub cells: Vec<f64>,
}

impl Square {
    pub fn zero(size: usize) -> Self {
        Self { size, cells: vec![0.0; size * size] }
    }

    pub fn identity(size: usize) -> Self {
        let mut square = Self::zero(size);
        (0..size).for_each(|i| *square.at_mut(i, i) = 1.0);
        square
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub fn at_mut(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.cells[row * self.size + column]
    }

    /// The part with the given rows and columns.
    pub fn part(&self, positions: &[usize]) -> Self {
        let cells = positions.iter().flat_map(|&i| positions.iter().map(move |&j| self.at(i, j)));
        Self { size: positions.len(), cells: cells.collect() }
    }

    /// The lower triangle L with L L' = self, or the first position whose variance given the earlier ones is
    /// at most `smallest`.
    pub fn cholesky(&self, smallest: f64) -> Result<Self, usize> {
        if self.size > BLOCKED && smallest == 0.0 {
            return self.blocked_cholesky().ok_or(0);
        }
        let mut lower = Self::zero(self.size);
        for i in 0..self.size {
            for j in 0..=i {
                let rest = self.at(i, j) - dot(&lower.row(i)[..j], &lower.row(j)[..j]);
                if i == j {
                    if rest <= smallest || rest.is_nan() {
                        return Err(i);
                    }
                    *lower.at_mut(i, i) = rest.sqrt();
                } else {
                    *lower.at_mut(i, j) = rest / lower.at(j, j);
                }
            }
        }
        Ok(lower)
    }

    /// The same by the linear algebra library, whose blocks pay off for large matrices.
    fn blocked_cholesky(&self) -> Option<Self> {
        let size = self.size;
        let mut lower = Mat::from_fn(size, size, |i, j| if j <= i { self.at(i, j) } else { 0.0 });
        let scratch = llt::factor::cholesky_in_place_scratch::<f64>(size, Par::Seq, Default::default());
        let (regularization, settings) = (Default::default(), Default::default());
        let stack = &mut MemBuffer::new(scratch);
        llt::factor::cholesky_in_place(
            lower.as_mut(),
            regularization,
            Par::Seq,
            MemStack::new(stack),
            settings,
        )
        .ok()?;
        let cells = (0..size * size).map(|cell| {
            let (i, j) = (cell / size, cell % size);
            if j <= i { lower[(i, j)] } else { 0.0 }
        });
        let lower = Self { size, cells: cells.collect() };
        (0..size).all(|i| lower.at(i, i) > 0.0).then_some(lower)
    }

    /// L^-1 B for a lower triangle L, B having as many rows: `[size, columns]`, row by row.
    pub fn forward_all(&self, right: &mut [f64], columns: usize) {
        let lower = MatRef::from_row_major_slice(&self.cells, self.size, self.size);
        let right = MatMut::from_row_major_slice_mut(right, self.size, columns);
        solve_lower_triangular_in_place(lower, right, Par::Seq);
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.size..(row + 1) * self.size]
    }

    /// Replaces v by L^-1 v, for a lower triangle.
    pub fn forward(&self, v: &mut [f64]) {
        for i in 0..self.size {
            let known = dot(&self.row(i)[..i], &v[..i]);
            v[i] = (v[i] - known) / self.at(i, i);
        }
    }

    /// L v, for a lower triangle.
    pub fn times(&self, v: &[f64]) -> Vec<f64> {
        (0..self.size).map(|i| dot(&self.row(i)[..=i], &v[..=i])).collect()
    }

    /// (L L')^-1, for a lower triangle.
    pub fn inverse_of_product(&self) -> Self {
        let size = self.size;
        if size > BLOCKED {
            // H = L^-1, and the inverse is H' H.
            let mut half = Self::identity(size);
            self.forward_all(&mut half.cells, size);
            let mut inverse = Self::zero(size);
            add_crossed(&mut inverse.cells, (&half.cells, size), (&half.cells, size), 1.0);
            return inverse;
        }
        // Rows of M = L^-1 transposed: column j of L^-1 solves L x = e_j and starts at j.
        let mut columns = Self::zero(size);
        for j in 0..size {
            let column = &mut columns.cells[j * size..(j + 1) * size];
            column[j] = 1.0 / self.at(j, j);
            for i in j + 1..size {
                column[i] = -dot(&self.row(i)[j..i], &column[j..i]) / self.at(i, i);
            }
        }
        let mut inverse = Self::zero(size);
        for i in 0..size {
            for j in 0..=i {
                let product = dot(&columns.row(i)[i..], &columns.row(j)[i..]);
                (*inverse.at_mut(i, j), *inverse.at_mut(j, i)) = (product, product);
            }
        }
        inverse
    }

    /// Replaces v by L'^-1 v, for a lower triangle.
    pub fn backward(&self, v: &mut [f64]) {
        for i in (0..self.size).rev() {
            v[i] /= self.at(i, i);
            let value = v[i];
            v[..i].iter_mut().zip(self.row(i)).for_each(|(rest, cell)| *rest -= value * cell);
        }
    }
}

/// Cells of a lower triangle.
pub fn pairs(size: usize) -> usize {
    size * (size + 1) / 2
}

/// A lower triangle, row by row, as a symmetric matrix.
pub fn unpack(packed: &[f64], size: usize) -> Square {
    let mut square = Square::zero(size);
    let mut cells = packed.iter();
    for i in 0..size {
        for (j, cell) in cells.by_ref().take(i + 1).enumerate() {
            (*square.at_mut(i, j), *square.at_mut(j, i)) = (*cell, *cell);
        }
    }
    square
}

/// The inner product, summed in four lanes so that the compiler can use wide registers.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_lanes, a_rest) = a.as_chunks::<4>();
    let (b_lanes, b_rest) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_solve() {
        let matrix = Square { size: 3, cells: vec![4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 3.0] };
        let lower = matrix.cholesky(0.0).unwrap();
        let mut v = vec![1.0, -2.0, 0.5];
        lower.forward(&mut v);
        lower.backward(&mut v);
        for (row, expected) in [1.0, -2.0, 0.5].iter().enumerate() {
            let product: f64 = (0..3).map(|column| matrix.at(row, column) * v[column]).sum();
            assert!((product - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn the_column_to_blame_is_named() {
        let copied = Square { size: 3, cells: vec![1.0, 0.2, 1.0, 0.2, 1.0, 0.2, 1.0, 0.2, 1.0] };
        assert_eq!(copied.cholesky(1e-9).err(), Some(2));
    }

    /// Both sizes of the inverse, small and by the library.
    #[test]
    fn a_triangle_gives_the_inverse() {
        for size in [5, BLOCKED + 3] {
            let cell =
                |i: usize, j: usize| if i == j { 3.0 } else { 1.0 / (1.0 + i.abs_diff(j) as f64).powi(2) };
            let cells = (0..size * size).map(|at| cell(at / size, at % size)).collect();
            let matrix = Square { size, cells };
            let inverse = matrix.cholesky(0.0).unwrap().inverse_of_product();
            for i in 0..size {
                let product: f64 = (0..size).map(|k| matrix.at(i, k) * inverse.at(k, 2)).sum();
                assert!((product - f64::from(u8::from(i == 2))).abs() < 1e-12, "{size}: {product}");
            }
        }
    }
}
