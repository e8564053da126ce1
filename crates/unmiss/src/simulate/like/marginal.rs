//! One column's values as numbers of a standard normal, and back.
//!
//! Values that hardly repeat stand for their rank: z = Φ⁻¹((rank + 1/2) / n), and back between neighbours, with as many
//! decimals as the column has. Levels, and numbers that repeat, stand for pieces of the line: a value of share p takes
//! the next piece of probability p, and its score is the mean of the piece, s = (φ(a) - φ(b)) / p.
//!
//! Scores of pieces scatter less than z, so columns in pieces seem less correlated than the z behind them. How much
//! less is known: with hₖ the normed Hermite polynomials and aₖ = E\[s(Z) hₖ(Z)\],
//!
//! ```text
//! Cov(s₁(Z₁), s₂(Z₂)) = Σₖ a₁ₖ a₂ₖ ρᵏ,    aₖ = Σ over pieces of s (h₍ₖ₋₁₎(a) φ(a) - h₍ₖ₋₁₎(b) φ(b)) / √k
//! ```

use crate::data::{Column, Kind, Values};
use crate::missing::{normal_cdf, normal_quantile};

/// Terms of a series.
pub(super) const TERMS: usize = 40;
/// Digits behind the point that are looked for.
const MOST_DECIMALS: i32 = 9;
/// A number is in pieces where its values occur so often on average.
const REPEATS: usize = 5;

/// How a column's values and normal numbers belong together.
pub(super) struct Marginal {
    pub name: String,
    pub kind: Kind,
    form: Form,
    /// The standard deviation of the scores.
    pub deviation: f64,
    /// aₖ of the scores, from k = 1, in units of their deviation.
    pub series: [f64; TERMS],
}

enum Form {
    /// Nothing is known.
    Empty,
    /// The known values in ascending order, and how many digits they have behind the point.
    Between { sorted: Vec<f64>, decimals: Option<i32> },
    /// Values in pieces.
    Pieces { values: Pieces, ends: Vec<f64>, scores: Vec<f64> },
}

/// What the pieces stand for, in their order on the line.
enum Pieces {
    Numbers(Vec<f64>),
    Codes { order: Vec<u32>, levels: Vec<String> },
}

impl Marginal {
    /// Learns from a column of numbers or levels. `order` puts levels on a line.
    pub(super) fn new(column: &Column, order: Option<Vec<u32>>) -> Self {
        let known = || (0..column.rows()).filter(|&row| column.observed[row]);
        let form = match &column.values {
            _ if known().next().is_none() => Form::Empty,
            Values::Numbers(numbers) => {
                let mut sorted: Vec<f64> = known().map(|row| numbers[row]).collect();
                sorted.sort_by(f64::total_cmp);
                let mut distinct = sorted.clone();
                distinct.dedup();
                if distinct.len() <= 2 || distinct.len() * REPEATS <= sorted.len() {
                    let count = |value: &f64| {
                        let end = sorted.partition_point(|own| own <= value);
                        end - sorted.partition_point(|own| own < value)
                    };
                    let counts: Vec<usize> = distinct.iter().map(count).collect();
                    pieces(Pieces::Numbers(distinct), &counts)
                } else {
                    let decimals = decimals(&distinct);
                    Form::Between { sorted, decimals }
                }
            }
            Values::Codes { codes, levels } => {
                let order = order.unwrap_or_else(|| (0..levels.len() as u32).collect());
                let mut counts = vec![0; levels.len()];
                known().for_each(|row| counts[codes[row] as usize] += 1);
                let order: Vec<u32> = order.into_iter().filter(|code| counts[*code as usize] > 0).collect();
                let counts: Vec<usize> = order.iter().map(|code| counts[*code as usize]).collect();
                pieces(Pieces::Codes { order, levels: levels.clone() }, &counts)
            }
            Values::Texts(_) => Form::Empty,
        };
        let (deviation, series) = form.series();
        Self { name: column.name.clone(), kind: column.kind, form, deviation, series }
    }

    /// Whether values stand for pieces of the line.
    pub(super) fn in_pieces(&self) -> bool {
        matches!(self.form, Form::Pieces { .. })
    }

    /// The scores of a column, with a deviation of about 1; 0 where nothing is known.
    pub(super) fn scores(&self, column: &Column) -> Vec<f64> {
        let score = |row: usize| match (&self.form, &column.values) {
            _ if !column.observed[row] => 0.0,
            (Form::Between { sorted, .. }, Values::Numbers(numbers)) => {
                let (below, within) = (
                    sorted.partition_point(|own| *own < numbers[row]),
                    sorted.partition_point(|own| *own <= numbers[row]),
                );
                normal_quantile((below + within).max(1) as f64 / 2.0 / sorted.len() as f64)
            }
            (Form::Pieces { values: Pieces::Numbers(values), scores, .. }, Values::Numbers(numbers)) => {
                scores[values.partition_point(|own| *own < numbers[row])]
            }
            (
                Form::Pieces { values: Pieces::Codes { order, .. }, scores, .. },
                Values::Codes { codes, .. },
            ) => order.iter().position(|own| *own == codes[row]).map_or(0.0, |place| scores[place]),
            _ => 0.0,
        };
        (0..column.rows()).map(|row| score(row) / self.deviation).collect()
    }

    /// The score of a normal number, as [`scores`](Self::scores) would give it to the value it stands for.
    pub(super) fn score(&self, z: f64) -> f64 {
        match &self.form {
            Form::Empty => 0.0,
            Form::Between { .. } => z,
            Form::Pieces { ends, scores, .. } => scores[place(ends, z)] / self.deviation,
        }
    }

    /// The column that normal numbers stand for, known where marked.
    pub(super) fn column(&self, z: &[f64], observed: Vec<bool>) -> Column {
        let blank = |row: usize| !observed[row];
        let values = match &self.form {
            Form::Empty if self.kind == Kind::Real || self.kind == Kind::Integer => {
                Values::Numbers(vec![0.0; z.len()])
            }
            Form::Empty => Values::Codes { codes: vec![0; z.len()], levels: Vec::new() },
            Form::Between { sorted, decimals } => {
                let value = |row: usize| if blank(row) { 0.0 } else { between(sorted, *decimals, z[row]) };
                Values::Numbers((0..z.len()).map(value).collect())
            }
            Form::Pieces { values: Pieces::Numbers(values), ends, .. } => {
                let value = |row: usize| if blank(row) { 0.0 } else { values[place(ends, z[row])] };
                Values::Numbers((0..z.len()).map(value).collect())
            }
            Form::Pieces { values: Pieces::Codes { order, levels }, ends, .. } => {
                let code = |row: usize| if blank(row) { 0 } else { order[place(ends, z[row])] };
                Values::Codes { codes: (0..z.len()).map(code).collect(), levels: levels.clone() }
            }
        };
        Column { name: self.name.clone(), kind: self.kind, values, observed }
    }
}

/// The piece in which a number lies.
fn place(ends: &[f64], z: f64) -> usize {
    ends.partition_point(|end| *end < z)
}

/// The value at a normal number: between the two known ones next to it.
fn between(sorted: &[f64], decimals: Option<i32>, z: f64) -> f64 {
    let last = sorted.len() - 1;
    let position = (normal_cdf(z) * sorted.len() as f64 - 0.5).clamp(0.0, last as f64);
    let (low, share) = (position.floor() as usize, position.fract());
    let value = sorted[low] + share * (sorted[(low + 1).min(last)] - sorted[low]);
    let rounded =
        decimals.map_or(value, |decimals| (value * 10_f64.powi(decimals)).round() / 10_f64.powi(decimals));
    rounded.clamp(sorted[0], sorted[last])
}

/// The digits behind the point that are enough for all values; `None` where nine are not.
fn decimals(values: &[f64]) -> Option<i32> {
    let enough = |decimals: &i32| {
        let scale = 10_f64.powi(*decimals);
        values.iter().all(|value| (value * scale).round() / scale == *value)
    };
    (0..=MOST_DECIMALS).find(enough)
}

fn density(z: f64) -> f64 {
    if z.is_infinite() { 0.0 } else { (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() }
}

/// Ends of all pieces but the last, and the score of each.
fn pieces(values: Pieces, counts: &[usize]) -> Form {
    let total = counts.iter().sum::<usize>() as f64;
    let mut seen = 0;
    let mut ends = Vec::with_capacity(counts.len());
    for count in counts {
        seen += count;
        ends.push(if seen as f64 >= total { f64::INFINITY } else { normal_quantile(seen as f64 / total) });
    }
    let start = |piece: usize| if piece == 0 { f64::NEG_INFINITY } else { ends[piece - 1] };
    let score = |piece: usize| (density(start(piece)) - density(ends[piece])) * total / counts[piece] as f64;
    let scores = (0..counts.len()).map(score).collect();
    ends.pop();
    Form::Pieces { values, ends, scores }
}

impl Form {
    /// The deviation of the scores and their series.
    fn series(&self) -> (f64, [f64; TERMS]) {
        let mut series = [0.0; TERMS];
        let Self::Pieces { ends, scores, .. } = self else {
            series[0] = 1.0;
            return (1.0, series);
        };
        // h₍ₖ₋₁₎(end) φ(end) for every end and k; 0 at both infinities.
        let edge = |end: f64| -> [f64; TERMS] {
            let mut terms = [0.0; TERMS];
            let (mut before, mut now) = (0.0, 1.0);
            for (k, term) in terms.iter_mut().enumerate() {
                *term = now * density(end);
                let k = k as f64;
                (before, now) = (now, (end * now - k.sqrt() * before) / (k + 1.0).sqrt());
            }
            terms
        };
        for (piece, end) in ends.iter().enumerate() {
            // The piece before the end loses what the piece behind it gains.
            for (k, term) in edge(*end).into_iter().enumerate() {
                series[k] += (scores[piece + 1] - scores[piece]) * term / (k as f64 + 1.0).sqrt();
            }
        }
        let shares = (0..scores.len()).map(|piece| {
            let start = if piece == 0 { 0.0 } else { normal_cdf(ends[piece - 1]) };
            ends.get(piece).map_or(1.0, |end| normal_cdf(*end)) - start
        });
        let variance: f64 = shares.zip(scores).map(|(share, score)| share * score * score).sum();
        // A column of one value has no scatter: any unit will do.
        let deviation = if variance > 1e-12 { variance.sqrt() } else { 1.0 };
        series.iter_mut().for_each(|term| *term /= deviation);
        (deviation, series)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn a_marginal_gives_back_what_it_was_made_from() {
        let mut stream = Stream::new(1, "marginal", 0, 0);
        let numbers: Vec<f64> = (0..400).map(|_| (stream.normal().exp() * 100.0).round() / 100.0).collect();
        let column = Column::from_numbers("dose", Kind::Real, &numbers);
        let marginal = Marginal::new(&column, None);
        let back = marginal.column(&marginal.scores(&column), vec![true; 400]);
        for (own, back) in numbers.iter().zip(back.numbers().unwrap()) {
            assert!((own - back).abs() < 0.011, "{own} {back}");
        }
        let words: Vec<Option<&str>> = (0..90).map(|row| Some(["a", "b", "c"][row % 3])).collect();
        let column = Column::from_words("group", Kind::Category, &words);
        let marginal = Marginal::new(&column, Some(vec![1, 2, 0]));
        let z: Vec<f64> = marginal.scores(&column).iter().map(|score| score * marginal.deviation).collect();
        assert_eq!(marginal.column(&z, vec![true; 90]).codes(), column.codes());
    }

    /// The series says the correlation of scores, against sampling.
    #[test]
    fn the_series_says_what_pieces_take_from_a_correlation() {
        let binary: Vec<Option<&str>> = (0..100).map(|row| Some(if row < 20 { "a" } else { "b" })).collect();
        let one = Marginal::new(&Column::from_words("one", Kind::Binary, &binary), None);
        let numbers: Vec<f64> = (0..100).map(|row| f64::from(row % 4)).collect();
        let two = Marginal::new(&Column::from_numbers("two", Kind::Integer, &numbers), None);
        assert!(one.in_pieces() && two.in_pieces());
        for correlation in [-0.8, 0.3, 0.7_f64] {
            let terms = one.series.iter().zip(&two.series).enumerate();
            let said: f64 = terms.map(|(k, (a, b))| a * b * correlation.powi(k as i32 + 1)).sum();
            let mut stream = Stream::new(4, "pieces", 0, 0);
            let mut sum = 0.0;
            for _ in 0..100_000 {
                let (a, noise) = (stream.normal(), stream.normal());
                let b = correlation * a + (1.0 - correlation * correlation).sqrt() * noise;
                sum += one.score(a) * two.score(b) / 1e5;
            }
            assert!((sum - said).abs() < 0.015, "{correlation}: {sum} {said}");
        }
    }

    #[test]
    fn digits_and_ranges_stay() {
        assert_eq!(decimals(&[1.0, 20.0]), Some(0));
        assert_eq!(decimals(&[1.25, 0.1]), Some(2));
        assert_eq!(decimals(&[std::f64::consts::PI]), None);
        let numbers: Vec<f64> = (0..50).map(|row| f64::from(row) * 0.5 - 3.0).collect();
        let marginal = Marginal::new(&Column::from_numbers("a", Kind::Real, &numbers), None);
        let made = marginal.column(&[-40.0, 0.011, 40.0], vec![true; 3]);
        assert_eq!((made.numbers().unwrap()[0], made.numbers().unwrap()[2]), (-3.0, 21.5));
        assert_eq!((made.numbers().unwrap()[1] * 10.0).fract(), 0.0);
    }
}
