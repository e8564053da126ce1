//! Products of matrices that lie row by row in slices, by faer: on one thread, so that no number of threads changes a
//! bit. Who has much to multiply cuts it into fixed pieces and adds their products in order.

use faer::linalg::matmul::matmul;
use faer::traits::ComplexField;
use faer::{Accum, MatMut, MatRef, Par};

/// into += left right. Each matrix comes with its columns; `into` has the rows of left and the columns of right.
pub fn add_product<T: ComplexField>(into: &mut [T], left: (&[T], usize), right: (&[T], usize)) {
    let rows = into.len().checked_div(right.1).unwrap_or(0);
    let (left, right) = (view(left, rows), view(right, left.1));
    let into = MatMut::from_row_major_slice_mut(into, rows, right.ncols());
    matmul(into, Accum::Add, left, right, T::one_impl(), Par::Seq);
}

/// into += scale left' right. Each matrix comes with its columns; both have the same rows.
pub fn add_crossed<T: ComplexField>(into: &mut [T], left: (&[T], usize), right: (&[T], usize), scale: T) {
    let rows = left.0.len().checked_div(left.1).unwrap_or(0);
    let (left, right) = (view(left, rows), view(right, rows));
    let into = MatMut::from_row_major_slice_mut(into, left.ncols(), right.ncols());
    matmul(into, Accum::Add, left.transpose(), right, scale, Par::Seq);
}

fn view<T>((cells, columns): (&[T], usize), rows: usize) -> MatRef<'_, T> {
    MatRef::from_row_major_slice(cells, rows, columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_the_hand() {
        // [1 2; 3 4; 5 6] and its products.
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, -1.0, 2.0]);
        let mut into = [10.0; 6];
        add_product(&mut into, (&a, 2), (&b, 2));
        assert_eq!(into, [9.0, 14.0, 9.0, 18.0, 9.0, 22.0]);
        let mut into = [0.0_f32; 4];
        let a = a.map(|x| x as f32);
        add_crossed(&mut into, (&a, 2), (&a, 2), -1.0);
        assert_eq!(into, [-35.0, -44.0, -44.0, -56.0]);
        add_crossed(&mut [0.0_f64; 0], (&[], 0), (&[], 0), 1.0);
    }
}
