//! Rows in the order of a score, from which areas under curves follow for any weights of the rows.

/// Rows in descending order of a score, those of the same score together.
pub struct Ranked {
    /// Rows, the highest score first.
    rows: Vec<usize>,
    /// Behind the last row of each group of the same score.
    ends: Vec<usize>,
}

impl Ranked {
    /// Sorts rows by their scores.
    pub fn new(scores: &[f64]) -> Self {
        let mut rows: Vec<usize> = (0..scores.len()).collect();
        rows.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        let mut ends = Vec::new();
        for tied in rows.chunk_by(|a, b| scores[*a] == scores[*b]) {
            ends.push(ends.last().copied().unwrap_or(0) + tied.len());
        }
        Self { rows, ends }
    }

    /// The weights of positive and negative rows from the highest score down, a step for each score.
    pub fn steps<'a>(
        &'a self,
        positive: impl Fn(usize) -> bool + 'a,
        weight: impl Fn(usize) -> f64 + 'a,
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(move |(start, &end)| {
            self.rows[start..end].iter().fold((0.0, 0.0), |(up, down), &row| match positive(row) {
                true => (up + weight(row), down),
                false => (up, down + weight(row)),
            })
        })
    }

    /// Some row of each step of [`Ranked::steps`].
    pub fn rows_of_steps(&self) -> impl Iterator<Item = usize> + '_ {
        self.ends.iter().map(|end| self.rows[end - 1])
    }

    /// Probability that a positive row scores above a negative one, ties counted half; NaN if a side is empty.
    pub fn auroc(&self, positive: impl Fn(usize) -> bool, weight: impl Fn(usize) -> f64) -> f64 {
        let (mut above, mut area, mut negatives) = (0.0, 0.0, 0.0);
        for (up, down) in self.steps(positive, weight) {
            area += down * (above + up / 2.0);
            above += up;
            negatives += down;
        }
        area / (above * negatives)
    }

    /// The area under the curve of precision by recall: the mean of the precision at each positive row, those with the
    /// same score taken together; NaN without any.
    pub fn pr_auc(&self, positive: impl Fn(usize) -> bool, weight: impl Fn(usize) -> f64) -> f64 {
        let (mut seen, mut found, mut area) = (0.0, 0.0, 0.0);
        for (up, down) in self.steps(positive, weight) {
            (seen, found) = (seen + up + down, found + up);
            area += if up > 0.0 { up * found / seen } else { 0.0 };
        }
        area / found
    }
}
