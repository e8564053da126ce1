//! A chain: the table is filled with draws round after round, every equation's parameters drawn anew each time. What
//! the last round drew is one set of parameters; every set has a chain of its own, from its own random start.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::drawn::{Drawn, Noise};
use super::equation::Equation;
use super::sweep::Sweep;
use crate::error::{Error, Result};
use crate::rng::{Stream, mix};
use crate::run::Run;

/// A variance of a chain, in standard deviations of its column, up to which it stands still.
const STILL: f64 = 1e-12;

/// How the chains of one column went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Numbers first, then categories.
    pub feature: usize,
    /// `[chains][rounds]`: mean of what was filled in, in standard deviations from the known mean.
    pub means: Vec<Vec<f64>>,
    /// `[chains][rounds]`: its standard deviation.
    pub deviations: Vec<Vec<f64>>,
}

/// Parameter sets, each an equation for every feature in the order of a round, and the traces of the holed features.
pub struct Chains {
    /// `[sets][features]`.
    pub sets: Vec<Vec<Drawn>>,
    /// One for each feature with holes.
    pub traces: Vec<Trace>,
}

/// Runs a chain for each set. `holed` and `complete` are the guess's equations, whose predictors are used.
///
/// # Errors
/// When the run was stopped.
pub fn chains(
    count: usize,
    rounds: usize,
    (sweep, noise): (&Sweep<'_>, Noise),
    (holed, complete): (&[Equation], &[Equation]),
    run: &Run,
) -> Result<Chains> {
    let one = |number: usize| chain(sweep.clone(), number as u64, rounds, noise, (holed, complete), run);
    let done: Vec<Option<(Vec<Drawn>, Vec<Path>)>> = (0..count).into_par_iter().map(one).collect();
    run.finished();
    let done = done.into_iter().collect::<Option<Vec<_>>>().ok_or(Error::Stopped)?;
    let (sets, paths): (Vec<_>, Vec<_>) = done.into_iter().unzip();
    let trace = |(place, equation): (usize, &Equation)| Trace {
        feature: equation.feature,
        means: paths.iter().map(|paths| paths[place].iter().map(|at| at.0).collect()).collect(),
        deviations: paths.iter().map(|paths| paths[place].iter().map(|at| at.1).collect()).collect(),
    };
    let traces = holed.iter().enumerate().map(trace).collect();
    Ok(Chains { sets, traces })
}

/// Mean and deviation of a feature's filled cells, round by round.
type Path = Vec<(f64, f64)>;

fn chain(
    mut sweep: Sweep<'_>,
    number: u64,
    rounds: usize,
    noise: Noise,
    (holed, complete): (&[Equation], &[Equation]),
    run: &Run,
) -> Option<(Vec<Drawn>, Vec<Path>)> {
    let seed = run.seed();
    let wide = sweep.wide;
    sweep.scatter_holes(number);
    let mut paths = vec![Vec::new(); holed.len()];
    let mut starts = vec![Vec::new(); holed.len()];
    let mut drawn = Vec::new();
    for round in 0..rounds {
        drawn.clear();
        for (place, equation) in holed.iter().enumerate() {
            if run.stopped() {
                return None;
            }
            let purpose = mix([equation.feature as u64, round as u64]);
            let mut stream = Stream::new(seed, "chained parameters", number, purpose);
            let own =
                Drawn::new(&sweep, equation.feature, &equation.predictors, &mut starts[place], &mut stream);
            sweep.refill(equation.feature, |row, line| {
                let mut stream = Stream::new(seed, "chained noise", row as u64, mix([number, purpose]));
                own.draw(wide, noise, line, &mut stream);
            });
            paths[place].push(sweep.spread_of_holes(equation.feature));
            drawn.push(own);
        }
    }
    // Columns without holes here may have some in new rows.
    for equation in complete {
        let mut stream =
            Stream::new(seed, "chained parameters", number, mix([equation.feature as u64, u64::MAX]));
        drawn.push(Drawn::new(&sweep, equation.feature, &equation.predictors, &mut Vec::new(), &mut stream));
    }
    Some((drawn, paths))
}

/// The potential scale reduction of several chains (Gelman and Rubin 1992), over the second half of their rounds: near
/// 1 where they agree. None where there are too few rounds or chains to tell, or most chains stand still, as those of
/// one or two holes do: what is left of their movement is rounding.
pub fn scale_reduction(chains: &[Vec<f64>]) -> Option<f64> {
    let rounds = chains.first()?.len();
    let half = rounds / 2;
    let (m, n) = (chains.len() as f64, (rounds - half) as f64);
    if chains.len() < 2 || rounds - half < 2 {
        return None;
    }
    let means: Vec<f64> = chains.iter().map(|chain| chain[half..].iter().sum::<f64>() / n).collect();
    let all = means.iter().sum::<f64>() / m;
    let between = means.iter().map(|mean| (mean - all).powi(2)).sum::<f64>() / (m - 1.0);
    let inside = |(chain, mean): (&Vec<f64>, &f64)| {
        chain[half..].iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)
    };
    let insides: Vec<f64> = chains.iter().zip(&means).map(inside).collect();
    let moving = insides.iter().filter(|variance| **variance > STILL).count();
    let within = insides.iter().sum::<f64>() / m;
    (2 * moving > chains.len()).then(|| ((n - 1.0) / n + between / within).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_that_agree_reduce_to_one() {
        let mut stream = Stream::new(1, "scale reduction", 0, 0);
        let mut chains: Vec<Vec<f64>> =
            (0..10).map(|_| (0..200).map(|_| stream.normal()).collect()).collect();
        let together = scale_reduction(&chains).unwrap();
        assert!((together - 1.0).abs() < 0.02, "{together}");
        chains[3].iter_mut().for_each(|value| *value += 4.0);
        assert!(scale_reduction(&chains).unwrap() > 1.3);
        assert_eq!(scale_reduction(&chains[..1]), None);
        assert_eq!(scale_reduction(&[vec![1.0; 9], vec![1.0; 9]]), None, "nothing moves");
        let noise =
            |level: f64| (0..9).map(|round| level + 1e-16 * f64::from(round % 2)).collect::<Vec<f64>>();
        assert_eq!(scale_reduction(&[noise(0.1), noise(0.7), noise(0.1)]), None, "rounding alone moves");
        let moving = (0..9).map(f64::from).collect();
        assert_eq!(scale_reduction(&[noise(0.1), noise(0.7), moving]), None, "one of three moves");
    }
}
