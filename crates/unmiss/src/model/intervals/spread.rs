//! How far off answers are where a column is missing: the mean error as a linear function of which cells are holes.
//!
//! Errors grow when something is missing, most when it is a column that matters. With e_i the absolute errors of rows a
//! model did not see and h_ic = 1 where column c of row i is a hole, the spread is s(h) = a + Σ_c b_c h_c + b |h| / C,
//! by least squares with a small penalty: a column that is missing in two rows is believed half. Eighty rows are enough
//! for it, where groups of rows with the same holes would have a handful of rows each.

use serde::{Deserialize, Serialize};

use crate::encode::Rows;
use crate::linalg::{Mat, solve};
use crate::onnx::{Graph, Kind, Symbol};

/// The penalty on a column's part, in rows: so many rows with the hole make it half of what they say.
const PENALTY: f64 = 2.0;
/// The penalty on the part of the share of holes.
const SHARE_PENALTY: f64 = 0.4;
/// A spread is at least this much of the mean one: least squares could go below 0.
const SMALLEST: f64 = 0.3;
/// Columns with holes beyond which only their share counts.
const MOST_COLUMNS: usize = 300;

/// Errors to be expected by what is missing, relative to the mean error of all rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Of a row without holes.
    start: f64,
    /// What a hole in a column adds: (position, addition).
    columns: Vec<(u32, f64)>,
    /// What the share of holes adds.
    share: f64,
    /// The smallest and the largest spread of the rows that it was learned from: beyond, nothing was measured. Older
    /// files do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    measured: Option<(f64, f64)>,
}

impl Spread {
    /// Learns from rows that a model did not see (as the positions of their holes, among so many inputs) and how far
    /// off its answers were.
    pub fn learn(holes: &[Vec<u32>], inputs: usize, errors: &[f64]) -> Self {
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        let even = Self { start: 1.0, columns: Vec::new(), share: 0.0, measured: None };
        if !(mean > 0.0 && mean.is_finite()) {
            return even;
        }
        let mut counts = vec![0_usize; inputs];
        holes.iter().flatten().for_each(|&input| counts[input as usize] += 1);
        let mut columns: Vec<u32> = (0..inputs as u32).filter(|&input| counts[input as usize] > 0).collect();
        if columns.is_empty() {
            return even;
        }
        if columns.len() > MOST_COLUMNS {
            columns.clear();
        }
        let mut found = least_squares(holes, inputs, errors, mean, columns).unwrap_or(even);
        let spreads = holes.iter().map(|own| found.of(own, inputs));
        found.measured = spreads.fold(None, |range, own| {
            let (low, high) = range.unwrap_or((own, own));
            Some((own.min(low), own.max(high)))
        });
        found
    }

    /// The spread of a row, kept within those that were measured, and whether it was within them.
    pub fn measured(&self, holes: &[u32], inputs: usize) -> (f64, bool) {
        let own = self.of(holes, inputs);
        let (low, high) = self.measured.unwrap_or((own, own));
        (own.clamp(low, high), (low..=high).contains(&own))
    }

    /// The spread of a row with these holes among so many inputs.
    pub fn of(&self, holes: &[u32], inputs: usize) -> f64 {
        let mut sum = self.start + self.share * holes.len() as f64 / inputs.max(1) as f64;
        // Both lists ascend.
        let mut columns = self.columns.iter().peekable();
        for hole in holes {
            while columns.next_if(|(column, _)| column < hole).is_some() {}
            sum += columns.next_if(|(column, _)| column == hole).map_or(0.0, |(_, addition)| *addition);
        }
        sum.max(SMALLEST)
    }

    /// `[rows, 1]`: the spreads of rows from their marks `[rows, inputs]`, as operations of a graph.
    pub fn write(&self, graph: &mut Graph, marks: &Symbol, inputs: usize) -> Symbol {
        let mut additions = vec![self.share / inputs.max(1) as f64; inputs];
        self.columns.iter().for_each(|(column, addition)| additions[*column as usize] += addition);
        let missing = graph.op("Not", &[marks]);
        let missing = graph.cast(&missing, Kind::Double);
        let additions = graph.doubles(&[inputs, 1], additions);
        let (start, least) = (graph.double(self.start), graph.double(SMALLEST));
        let added = graph.product(&missing, &additions);
        let sum = graph.add(&start, &added);
        graph.op("Max", &[&sum, &least])
    }

    /// Whether all numbers can be used.
    pub fn is_sound(&self) -> bool {
        let mut all = self.columns.iter().map(|(_, addition)| addition).chain([&self.start, &self.share]);
        let is_range =
            self.measured.is_none_or(|(low, high)| low <= high && low.is_finite() && high.is_finite());
        all.all(|number| number.is_finite())
            && is_range
            && self.columns.is_sorted_by_key(|(column, _)| *column)
    }
}

/// Solves (F'F + penalties) b = F'(e / mean - 1), F being centred: the columns' holes, then their share.
fn least_squares(
    holes: &[Vec<u32>],
    inputs: usize,
    errors: &[f64],
    mean: f64,
    columns: Vec<u32>,
) -> Option<Spread> {
    let size = columns.len() + 1;
    let place: Vec<Option<usize>> =
        (0..inputs as u32).map(|input| columns.binary_search(&input).ok()).collect();
    let (mut products, mut right, mut sums) =
        (Mat::<f64>::zeros(size, size), vec![0.0; size], vec![0.0; size]);
    for (holes, error) in holes.iter().zip(errors) {
        let own: Vec<usize> = holes.iter().filter_map(|&hole| place[hole as usize]).collect();
        let (share, error) = (holes.len() as f64 / inputs as f64, error / mean - 1.0);
        for (at, &one) in own.iter().enumerate() {
            own[..=at].iter().for_each(|&other| products[(one, other)] += 1.0);
            products[(size - 1, one)] += share;
            right[one] += error;
            sums[one] += 1.0;
        }
        products[(size - 1, size - 1)] += share * share;
        right[size - 1] += share * error;
        sums[size - 1] += share;
    }
    // The right side needs no centring: the errors already have mean 0.
    let rows = errors.len() as f64;
    for one in 0..size {
        (0..=one).for_each(|other| products[(one, other)] -= sums[one] * sums[other] / rows);
        products[(one, one)] += if one + 1 == size { SHARE_PENALTY } else { PENALTY };
    }
    let found = solve(products, &right)?;
    let start = 1.0 - found.iter().zip(&sums).map(|(addition, sum)| addition * sum / rows).sum::<f64>();
    let share = found[size - 1];
    Some(Spread { start, columns: columns.into_iter().zip(found).collect(), share, measured: None })
}

/// The positions of each row's holes, ascending.
pub fn holes_of(rows: &Rows) -> Vec<Vec<u32>> {
    (0..rows.len()).map(|row| rows.holes(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn what_a_hole_costs_is_found_and_little_evidence_is_half_believed() {
        let mut stream = Stream::new(1, "spread", 0, 0);
        // Column 1 triples the error, column 0 changes nothing, column 2 is missing twice.
        let holes: Vec<Vec<u32>> = (0..4000)
            .map(|row| {
                let mut own: Vec<u32> = (0..2).filter(|_| stream.uniform() < 0.3).collect();
                own.extend((row < 2).then_some(2));
                own
            })
            .collect();
        let scale = |own: &Vec<u32>| if own.contains(&1) { 3.0 } else { 1.0 };
        let errors: Vec<f64> = holes.iter().map(|own| scale(own) * stream.normal().abs()).collect();
        let spread = Spread::learn(&holes, 4, &errors);
        let ratio = spread.of(&[1], 4) / spread.of(&[], 4);
        assert!((ratio - 3.0).abs() < 0.25, "{ratio}");
        assert!((spread.of(&[0], 4) / spread.of(&[], 4) - 1.0).abs() < 0.1);
        let far: Vec<f64> =
            errors.iter().enumerate().map(|(row, e)| if row < 2 { 10.0 } else { *e }).collect();
        let far = Spread::learn(&holes, 4, &far);
        let mean = errors.iter().sum::<f64>() / 4000.0;
        let believed = far.of(&[2], 4) * mean;
        assert!((3.0..8.0).contains(&believed), "{believed}");
    }

    #[test]
    fn what_was_never_measured_is_not_extrapolated() {
        // One of two columns is missing at a time, and each hole triples the error.
        let holes: Vec<Vec<u32>> =
            (0..300).map(|row| Vec::from_iter((row % 3 < 2).then_some(row % 3))).collect();
        let errors: Vec<f64> = holes.iter().map(|own| if own.is_empty() { 1.0 } else { 3.0 }).collect();
        let spread = Spread::learn(&holes, 2, &errors);
        let (one, is_measured) = spread.measured(&[1], 2);
        assert!(is_measured && one == spread.of(&[1], 2));
        let (both, is_measured) = spread.measured(&[0, 1], 2);
        assert!(!is_measured && both < spread.of(&[0, 1], 2) && (both - one).abs() < 0.1, "{both} {one}");
    }

    #[test]
    fn without_holes_or_errors_all_rows_are_alike() {
        assert_eq!(Spread::learn(&vec![vec![]; 5], 3, &[1.0; 5]).of(&[], 3), 1.0);
        assert_eq!(Spread::learn(&vec![vec![0]; 5], 3, &[0.0; 5]).of(&[0], 3), 1.0);
        assert_eq!(Spread::learn(&[], 3, &[]).of(&[1], 3), 1.0);
    }
}
