//! What a column holds, in short.

use std::collections::HashSet;

use crate::data::table::format_number;
use crate::data::{Column, Kind, Values};

/// Words that are named.
const NAMED: usize = 3;

/// The range and the median of numbers, the first and the last date, the most frequent words.
pub(super) fn in_short(column: &Column) -> String {
    let known = || (0..column.rows()).filter(|row| column.observed[*row]);
    if known().next().is_none() {
        return "nothing known".to_owned();
    }
    match &column.values {
        Values::Numbers(values) => {
            let mut sorted: Vec<f64> = known().map(|row| values[row]).collect();
            sorted.sort_unstable_by(f64::total_cmp);
            let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
            let median = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
            if low == high {
                return format!("always {}", number(low));
            }
            format!("{} to {}, median {}", number(low), number(high), number(median))
        }
        Values::Codes { codes, levels } => {
            let mut counts = vec![0_usize; levels.len()];
            known().for_each(|row| counts[codes[row] as usize] += 1);
            words(levels, &counts)
        }
        Values::Texts(texts) if column.kind == Kind::Date => {
            let first = known().map(|row| texts[row].as_str()).min().unwrap_or_default();
            let last = known().map(|row| texts[row].as_str()).max().unwrap_or_default();
            if first == last { format!("always {first}") } else { format!("{first} to {last}") }
        }
        Values::Texts(texts) => {
            let different: HashSet<&str> = known().map(|row| texts[row].as_str()).collect();
            format!("{} different", different.len())
        }
    }
}

/// The most frequent words with their shares.
fn words(levels: &[String], counts: &[usize]) -> String {
    let all: usize = counts.iter().sum();
    let mut order: Vec<usize> = (0..levels.len()).filter(|level| counts[*level] > 0).collect();
    order.sort_by_key(|level| std::cmp::Reverse(counts[*level]));
    let share = |level: &usize| {
        let percent = match 100.0 * counts[*level] as f64 / all as f64 {
            small if small < 1.0 => "< 1".to_owned(),
            large if large > 99.0 && large < 100.0 => "> 99".to_owned(),
            other => format!("{other:.0}"),
        };
        format!("{} {percent} %", levels[*level])
    };
    let named: Vec<String> = order.iter().take(NAMED).map(share).collect();
    let more = order.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    named.join(", ") + &rest
}

/// A number with no more digits than tell values apart.
fn number(value: f64) -> String {
    let digits = (4.0 - value.abs().max(1e-300).log10().floor()).clamp(0.0, 15.0);
    let unit = 10_f64.powf(digits);
    let rounded = (value * unit).round() / unit;
    format_number(if rounded.is_finite() { rounded } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_told_in_short() {
        let numbers = |values: &[f64]| in_short(&Column::from_numbers("x", Kind::Real, values));
        assert_eq!(numbers(&[3.0, 1.0, f64::NAN, 2.123_456_7]), "1 to 3, median 2.1235");
        assert_eq!(numbers(&[2.5, 2.5]), "always 2.5");
        assert_eq!(numbers(&[f64::NAN]), "nothing known");
        let words = [Some("m"), Some("f"), None, Some("m"), Some("x"), Some("y"), Some("m")];
        let column = Column::from_words("x", Kind::Category, &words);
        assert_eq!(in_short(&column), "m 50 %, f 17 %, x 17 % and 1 more");
    }
}
