//! Matrix products on plain slices, threaded when they are large enough, with the same bits for any number
//! of threads.

#[cfg(feature = "gpu")]
mod card;

use gemm::Parallelism;

/// Multiplications below which a product stays on one thread: waking another costs more.
const THREADED: usize = 1 << 20;

/// A matrix somewhere in memory, row by row or (transposed) column by column.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// `[rows, columns]`, row by row.
    ///
    /// # Panics
    /// When there are not `rows x columns` values: the memory safety of products rests on it.
    pub fn new(values: &'a [f32], rows: usize, columns: usize) -> Self {
        assert_eq!(values.len(), rows * columns, "a matrix of {rows} x {columns}");
        Self { values, rows, columns, row_stride: columns, column_stride: 1 }
    }

    /// The same memory read as the transposed matrix.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self {
            values: self.values,
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
        }
    }

    /// How many rows.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// How many columns.
    pub fn columns(self) -> usize {
        self.columns
    }

    /// The memory behind it.
    pub fn values(self) -> &'a [f32] {
        self.values
    }

    /// The pointer to the element `[row, column]`, or just past the end.
    fn pointer(self, row: usize, column: usize) -> *const f32 {
        self.values.as_ptr().wrapping_add(row * self.row_stride + column * self.column_stride)
    }
}

/// `left right`, row by row, in a fresh vector whose memory is written once.
pub fn product(left: Matrix<'_>, right: Matrix<'_>) -> Vec<f32> {
    let length = left.rows * right.columns;
    let mut output: Vec<f32> = Vec::with_capacity(length);
    let work = length.saturating_mul(left.columns);
    #[cfg(feature = "gpu")]
    if let Some(output) = card::product(left, right, work) {
        return output;
    }
    let threads = if work >= THREADED { rayon::current_num_threads() } else { 1 };
    // SAFETY: the vector has room for `length` elements, and the product writes all of them.
    unsafe {
        write_product(left, right, 0..left.columns, output.as_mut_ptr(), false, threads);
        output.set_len(length);
    }
    output
}

/// Depth that is summed in one go; longer sums are added up piece by piece in this order.
const DEPTH: usize = 512;

/// `output = left right` on the calling thread, such that a row of the result has the same bits whatever
/// other rows are in `left` and wherever it stands among them.
///
/// With one output column or a depth of 1 or 2 the library would choose other summation orders for other
/// numbers of rows, so these are summed here; everything else takes its one general kernel, which adds up
/// each element in the order of the depth.
pub(crate) fn product_by_row(left: Matrix<'_>, right: Matrix<'_>, output: &mut [f32]) {
    assert_eq!(output.len(), left.rows * right.columns);
    assert_eq!((left.column_stride, right.column_stride), (1, 1), "rows lie one after the other");
    if right.columns == 1 {
        single_column(left.values, right.values, output);
    } else if left.columns <= 2 {
        shallow(left.values, right.values, left.columns, right.columns, output);
    } else if left.rows == 1 {
        // One row alone would take a matrix-vector kernel: give it company.
        let twice = [left.values, left.values].concat();
        let mut both = vec![0.0; 2 * right.columns];
        product_by_row(Matrix::new(&twice, 2, left.columns), right, &mut both);
        output.copy_from_slice(&both[..right.columns]);
    } else {
        // Pieces of equal length: a short rest would be shallow again.
        let piece = left.columns.div_ceil(left.columns.div_ceil(DEPTH));
        for start in (0..left.columns).step_by(piece) {
            let depth = start..left.columns.min(start + piece);
            // SAFETY: `output` has the product's size, as asserted above.
            unsafe { write_product(left, right, depth, output.as_mut_ptr(), start > 0, 1) };
        }
    }
}

/// Writes (or with `add`, adds) the part of the product that comes from a range of the depth.
///
/// # Safety
/// `output` must have room for `left.rows x right.columns` elements, initialised if `add`.
unsafe fn write_product(
    left: Matrix<'_>,
    right: Matrix<'_>,
    depth: std::ops::Range<usize>,
    output: *mut f32,
    add: bool,
    threads: usize,
) {
    assert_eq!(left.columns, right.rows, "the inner sizes of a product");
    assert!(depth.start <= depth.end && depth.end <= left.columns);
    let parallelism = if threads > 1 { Parallelism::Rayon(threads) } else { Parallelism::None };
    // SAFETY: `Matrix` guarantees that shapes and strides stay inside its slice; the caller answers for
    // the output.
    unsafe {
        gemm::gemm(
            left.rows,
            right.columns,
            depth.len(),
            output,
            1,
            right.columns as isize,
            add,
            left.pointer(0, depth.start),
            left.column_stride as isize,
            left.row_stride as isize,
            right.pointer(depth.start, 0),
            right.column_stride as isize,
            right.row_stride as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            parallelism,
        );
    }
}

vectorised! {
    /// Each row of `left` times the one column `right`, in 16 running sums.
    fn single_column(left: &[f32], right: &[f32], output: &mut [f32]) {
        let (right_chunks, right_rest) = right.as_chunks::<16>();
        for (row, output) in left.chunks_exact(right.len().max(1)).zip(output) {
            let (chunks, rest) = row.as_chunks::<16>();
            let mut sums = [0.0_f32; 16];
            for (a, b) in chunks.iter().zip(right_chunks) {
                for lane in 0..16 {
                    sums[lane] += a[lane] * b[lane];
                }
            }
            let mut total = 0.0;
            for sum in sums {
                total += sum;
            }
            for (a, b) in rest.iter().zip(right_rest) {
                total += a * b;
            }
            *output = total;
        }
    }
}

vectorised! {
    /// A product of depth 0, 1 or 2.
    fn shallow(left: &[f32], right: &[f32], depth: usize, columns: usize, output: &mut [f32]) {
        for (index, row) in output.chunks_exact_mut(columns.max(1)).enumerate() {
            match left.get(index * depth..(index + 1) * depth) {
                Some(&[a, b]) => {
                    let (first, second) = right.split_at(columns);
                    for ((value, x), y) in row.iter_mut().zip(first).zip(second) {
                        *value = a * x + b * y;
                    }
                }
                Some(&[a]) => {
                    for (value, x) in row.iter_mut().zip(right) {
                        *value = a * x;
                    }
                }
                _ => row.fill(0.0),
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::rng::Stream;
    use crate::run::Run;

    pub(crate) fn random(length: usize, purpose: &str) -> Vec<f32> {
        let mut stream = Stream::new(11, purpose, length as u64, 0);
        (0..length).map(|_| stream.normal() as f32).collect()
    }

    fn naive(left: Matrix<'_>, right: Matrix<'_>) -> Vec<f64> {
        let at = |m: Matrix<'_>, i, j| f64::from(m.values[i * m.row_stride + j * m.column_stride]);
        let cell = |i, j| (0..left.columns).map(|k| at(left, i, k) * at(right, k, j)).sum();
        (0..left.rows).flat_map(|i| (0..right.columns).map(move |j| cell(i, j))).collect()
    }

    #[test]
    fn products_are_right_in_all_orientations() {
        for (m, n, k) in
            [(1, 1, 1), (3, 5, 7), (32, 100, 13), (17, 1, 100), (1, 9, 33), (4, 6, 0), (65, 70, 600)]
        {
            let (a, b) = (random(m * k, "a"), random(k * n, "b"));
            let lefts = [Matrix::new(&a, m, k), Matrix::new(&a, k, m).transposed()];
            let rights = [Matrix::new(&b, k, n), Matrix::new(&b, n, k).transposed()];
            for (left, right) in lefts.iter().flat_map(|l| rights.iter().map(move |r| (*l, *r))) {
                for (ours, truth) in product(left, right).iter().zip(naive(left, right)) {
                    assert!((f64::from(*ours) - truth).abs() < 1e-4, "{m} {n} {k}: {ours} {truth}");
                }
            }
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        for (m, n, k) in [(128, 512, 784), (784, 512, 128), (300, 301, 1500), (2000, 1, 700), (1000, 3, 1000)]
        {
            let (a, b) = (random(m * k, "a"), random(k * n, "b"));
            let (left, right) = (Matrix::new(&a, m, k), Matrix::new(&b, k, n));
            let with = |threads| Run::new(1, threads).unwrap().compute(|| product(left, right));
            assert_eq!(with(1), with(2), "{m} {n} {k}");
            assert_eq!(with(1), with(3), "{m} {n} {k}");
        }
    }
}
