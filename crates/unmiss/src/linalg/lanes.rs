//! Eight small systems of the same size at once, one in each lane of wide registers: what one alone leaves idle, eight
//! together fill. Every lane is computed as if it were alone, so what stands beside it changes nothing.
//!
//! A lower triangle lies row by row, cell (i, j) at i (i + 1) / 2 + j, each cell with its eight lanes.

use super::registers::vectorised;

/// Systems side by side.
pub const LANES: usize = 8;
/// One number of each system.
pub type Lane = [f64; LANES];

/// A pivot below this is taken for it: numbers stay finite where a matrix is damaged.
const SMALLEST: f64 = 1e-12;

/// Cells of a lower triangle, which is also where its row of that number starts.
pub fn triangle(size: usize) -> usize {
    size * (size + 1) / 2
}

#[inline(always)]
fn less_product(from: &mut Lane, a: &Lane, b: &Lane) {
    for lane in 0..LANES {
        from[lane] -= a[lane] * b[lane];
    }
}

#[inline(always)]
fn add_product(to: &mut Lane, a: &Lane, b: &Lane) {
    for lane in 0..LANES {
        to[lane] += a[lane] * b[lane];
    }
}

#[inline(always)]
fn scale(of: &mut Lane, by: &Lane) {
    for lane in 0..LANES {
        of[lane] *= by[lane];
    }
}

vectorised! {
    /// Replaces the lower triangle of A by that of L with L L' = A. The diagonal holds 1 / L_ii.
    pub fn cholesky(size: usize, cells: &mut [Lane]) {
        for i in 0..size {
            let (above, own) = cells.split_at_mut(i * (i + 1) / 2);
            let mut j = 0;
            // Four columns of a row at a time: its earlier cells are loaded once for all four.
            while j + 4 <= i {
                let starts = [0, 1, 2, 3].map(|next| (j + next) * (j + next + 1) / 2);
                let mut four = [own[j], own[j + 1], own[j + 2], own[j + 3]];
                let earlier = [
                    &above[starts[0]..starts[0] + j],
                    &above[starts[1]..starts[1] + j],
                    &above[starts[2]..starts[2] + j],
                    &above[starts[3]..starts[3] + j],
                ];
                for (k, cell) in own[..j].iter().enumerate() {
                    less_product(&mut four[0], cell, &earlier[0][k]);
                    less_product(&mut four[1], cell, &earlier[1][k]);
                    less_product(&mut four[2], cell, &earlier[2][k]);
                    less_product(&mut four[3], cell, &earlier[3][k]);
                }
                for next in 0..4 {
                    let (done, rest) = four.split_at_mut(next);
                    for (k, cell) in done.iter().enumerate() {
                        less_product(&mut rest[0], cell, &above[starts[next] + j + k]);
                    }
                    scale(&mut rest[0], &above[starts[next] + j + next]);
                }
                own[j..j + 4].copy_from_slice(&four);
                j += 4;
            }
            while j < i {
                let start = j * (j + 1) / 2;
                let (done, rest) = own.split_at_mut(j);
                for (cell, other) in done.iter().zip(&above[start..start + j]) {
                    less_product(&mut rest[0], cell, other);
                }
                scale(&mut rest[0], &above[start + j]);
                j += 1;
            }
            let (done, rest) = own.split_at_mut(i);
            for cell in done.iter() {
                less_product(&mut rest[0], cell, cell);
            }
            for cell in &mut rest[0] {
                *cell = 1.0 / cell.max(SMALLEST).sqrt();
            }
        }
    }
}

vectorised! {
    /// Replaces v by L⁻¹ v.
    pub fn forward(size: usize, lower: &[Lane], v: &mut [Lane]) {
        for i in 0..size {
            scale(&mut v[i], &lower[i * (i + 1) / 2 + i]);
            let value = v[i];
            let mut at = (i + 1) * (i + 2) / 2 + i;
            for (k, rest) in v[i + 1..size].iter_mut().enumerate() {
                less_product(rest, &lower[at], &value);
                at += i + k + 2;
            }
        }
    }
}

vectorised! {
    /// Replaces v by L'⁻¹ v.
    pub fn backward(size: usize, lower: &[Lane], v: &mut [Lane]) {
        for i in (0..size).rev() {
            let start = i * (i + 1) / 2;
            scale(&mut v[i], &lower[start + i]);
            let value = v[i];
            for (rest, cell) in v[..i].iter_mut().zip(&lower[start..start + i]) {
                less_product(rest, cell, &value);
            }
        }
    }
}

vectorised! {
    /// (L L')⁻¹ = N'N with N = L⁻¹, of which the lower triangle counts: `[size, size]`, row by row, as is `half`, which
    /// takes N. The size is a multiple of 4.
    pub fn inverse(size: usize, lower: &[Lane], half: &mut [Lane], out: &mut [Lane]) {
        for i in 0..size {
            let start = i * (i + 1) / 2;
            let (above, own) = half.split_at_mut(i * size);
            // N_ij = -Σ_k L_ik N_kj / L_ii over j <= k < i, four columns at a time; N is 0 above its diagonal.
            for (fourth, own) in own[..size].as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let mut four = [[0.0; LANES]; 4];
                for k in 4 * fourth..i {
                    let cells = &above[k * size..(k + 1) * size].as_chunks::<4>().0[fourth];
                    let cell = &lower[start + k];
                    less_product(&mut four[0], cell, &cells[0]);
                    less_product(&mut four[1], cell, &cells[1]);
                    less_product(&mut four[2], cell, &cells[2]);
                    less_product(&mut four[3], cell, &cells[3]);
                }
                if fourth == i / 4 {
                    four[i % 4] = [1.0; LANES];
                }
                for sum in &mut four {
                    scale(sum, &lower[start + i]);
                }
                *own = four;
            }
        }
        for i in 0..size {
            for fourth in 0..=i / 4 {
                let mut four = [[0.0; LANES]; 4];
                for row in half[i * size..].chunks_exact(size) {
                    let cells = &row.as_chunks::<4>().0[fourth];
                    let cell = &row[i];
                    add_product(&mut four[0], cell, &cells[0]);
                    add_product(&mut four[1], cell, &cells[1]);
                    add_product(&mut four[2], cell, &cells[2]);
                    add_product(&mut four[3], cell, &cells[3]);
                }
                out[i * size..(i + 1) * size].as_chunks_mut::<4>().0[fourth] = four;
            }
        }
    }
}

vectorised! {
    /// out = M v for one full matrix M `[size, size]`, the same in all lanes.
    pub fn times(size: usize, matrix: &[f64], v: &[Lane], out: &mut [Lane]) {
        for (row, out) in matrix.chunks_exact(size).zip(out) {
            let mut sum = [0.0; LANES];
            for (cell, value) in row.iter().zip(v) {
                for lane in 0..LANES {
                    sum[lane] += cell * value[lane];
                }
            }
            *out = sum;
        }
    }
}

vectorised! {
    /// The lower triangle of D M D + E, the same M in all lanes, and diagonals D and E of its own for each.
    pub fn scaled(size: usize, matrix: &[f64], scales: &[Lane], extra: &[Lane], out: &mut [Lane]) {
        let mut at = 0;
        for i in 0..size {
            for j in 0..=i {
                let cell = matrix[i * size + j];
                for lane in 0..LANES {
                    out[at][lane] = cell * scales[i][lane] * scales[j][lane];
                }
                at += 1;
            }
            for lane in 0..LANES {
                out[at - 1][lane] += extra[i][lane];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::square::Square;
    use super::*;
    use crate::rng::Stream;

    fn positive(size: usize, stream: &mut Stream) -> Square {
        let half: Vec<f64> = (0..size * size).map(|_| stream.normal()).collect();
        let mut square = Square::identity(size);
        for i in 0..size {
            for j in 0..size {
                *square.at_mut(i, j) +=
                    (0..size).map(|k| half[i * size + k] * half[j * size + k]).sum::<f64>();
            }
        }
        square
    }

    #[test]
    fn lanes_agree_with_one_system_alone() {
        for size in [1, 3, 4, 9, 16] {
            let mut stream = Stream::new(1, "lanes", size as u64, 0);
            let each: Vec<Square> = (0..LANES).map(|_| positive(size, &mut stream)).collect();
            let mut lower = vec![[0.0; LANES]; triangle(size)];
            let mut v = vec![[0.0; LANES]; size];
            for (lane, own) in each.iter().enumerate() {
                for i in 0..size {
                    v[i][lane] = 1.0 + (i * lane) as f64;
                    (0..=i).for_each(|j| lower[triangle(i) + j][lane] = own.at(i, j));
                }
            }
            let right = v.clone();
            cholesky(size, &mut lower);
            forward(size, &lower, &mut v);
            backward(size, &lower, &mut v);
            for (lane, own) in each.iter().enumerate() {
                for (i, right) in right.iter().enumerate() {
                    let product: f64 = (0..size).map(|j| own.at(i, j) * v[j][lane]).sum();
                    assert!((product - right[lane]).abs() < 1e-8, "{size}: {product}");
                }
            }
            let (mut half, mut out) = (vec![[9.0; LANES]; size * size], vec![[9.0; LANES]; size * size]);
            if size.is_multiple_of(4) {
                inverse(size, &lower, &mut half, &mut out);
            }
            let expected = each[5].cholesky(0.0).unwrap().inverse_of_product();
            for (i, j) in (0..size).flat_map(|i| (0..=i).map(move |j| (i, j))) {
                assert!(
                    !size.is_multiple_of(4) || (out[i * size + j][5] - expected.at(i, j)).abs() < 1e-9,
                    "{size}: {i} {j}"
                );
            }
            let mut product = vec![[0.0; LANES]; size];
            times(size, &each[0].cells, &v, &mut product);
            assert!(product.iter().zip(&right).all(|(a, b)| (a[0] - b[0]).abs() < 1e-8));
        }
    }
}
