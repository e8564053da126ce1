//! The missing part of a row given its known part, written down as operations of a graph.
//!
//! A graph has no operation that solves another system for every pattern of holes. But a normal distribution can be
//! told of one cell after the other, and that is the same for all patterns: with gain k = Σ_j / Σ_jj where cell j is
//! known and 0 where it is not,
//!
//! ```text
//! μ <- μ + k (x_j - μ_j)        Σ <- Σ - k Σ_j'        for j = 1, 2, .. in turn
//! ```
//!
//! after which μ is the mean, and Σ the covariance, of the row given all that is known of it. A hole may be told too,
//! as an observation of value t_j with precision τ_j: then k = τ_j Σ_j / (τ_j Σ_jj + 1).

use super::normal::Normal;
use crate::onnx::{Graph, Symbol};

/// What holes say of what they hide, `[columns]` each: values t and precisions τ.
pub struct Sites<'a> {
    /// t.
    pub values: &'a [f64],
    /// τ, 0 where a hole says nothing.
    pub precisions: &'a [f64],
}

/// Mean `[rows, columns]` and covariance `[rows, columns, columns]` of rows given what is known of them: `values`
/// where `observed` (both `[rows, columns]`, the second as marks), in double precision.
pub fn given_known(
    graph: &mut Graph,
    normal: &Normal,
    (values, observed): (&Symbol, &Symbol),
    sites: Option<&Sites<'_>>,
) -> (Symbol, Symbol) {
    let (start, cells) = normal.parts();
    let columns = start.len();
    let mut mean = graph.doubles(&[1, columns], start.to_vec());
    let mut covariance = graph.doubles(&[1, columns, columns], cells.to_vec());
    let (zero, one) = (graph.double(0.0), graph.double(1.0));
    for column in 0..columns {
        let own = graph.integers(&[1], &[column as i64]);
        let line = graph.gather(&covariance, &own, 1); // [rows, 1, columns]
        let known = graph.gather(observed, &own, 1); // [rows, 1]
        let mut value = graph.gather(values, &own, 1);
        let variance = graph.gather(&line, &own, 2);
        let variance = graph.shaped(&variance, &[-1, 1]);
        let mut factor = graph.divide(&one, &variance);
        let said = sites.map_or((0.0, 0.0), |sites| (sites.values[column], sites.precisions[column]));
        if said.1 > 0.0 {
            // τ / (τ Σ_jj + 1)
            let (told, precision) = (graph.double(said.0), graph.double(said.1));
            let below = graph.times(&precision, &variance);
            let below = graph.add(&below, &one);
            let weak = graph.divide(&precision, &below);
            factor = graph.choose(&known, &factor, &weak);
            value = graph.choose(&known, &value, &told);
        } else {
            factor = graph.choose(&known, &factor, &zero);
        }
        let expected = graph.gather(&mean, &own, 1);
        let surprise = graph.subtract(&value, &expected); // [rows, 1]
        let flat = graph.shaped(&line, &[-1, columns as i64]); // [rows, columns]
        let gain = graph.times(&flat, &factor);
        let moved = graph.times(&gain, &surprise);
        mean = graph.add(&mean, &moved);
        let upright = graph.shaped(&gain, &[-1, columns as i64, 1]);
        let told = graph.times(&upright, &line);
        covariance = graph.subtract(&covariance, &told);
    }
    (mean, covariance)
}
