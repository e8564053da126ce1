//! The first weights: drawn, or such that the untrained network already is the conditional mean, nearly.
//!
//! With μ and Σ of the columns, h has to solve `Σ_oo h = v` on the known columns, and `Σ h + μ` then is E\[x | known\].
//! Every eigenvalue of every Σ_oo lies between the least and the largest of Σ, so steps of the lengths 1 / root of a
//! Chebyshev polynomial over that range are the best that as many steps can do for any row (Richardson 1910, Young
//! 1953). A range cut from below, at L / κ with κ = depth² / 3, leaves alone what these few steps can't reach: columns
//! that nearly repeat each other.
//!
//! ```text
//! steps      W = Σ,                        γ_l = 1 / root_l,  W_mix = Σ
//! original   W_1 = γ_1 I, W_l = I - γ_l Σ, γ_l = 1 / root_l,  W_mix = Σ      accelerated
//!            W_1 = I,     W_l = I - Σ / L, γ_l = 1,           W_mix = Σ / L  Neumann's series
//! shared     W = I - Σ / L,                γ_l = 1;           h is L times the solution
//! ```
//!
//! With 2 / L in place of 1 / L, as in public code, rows without holes would never converge.

use super::settings::{Settings, StartName};
use crate::encode::{Targets, Task};
use crate::linalg::{Course, Holes, Mat, Normal, eigen, solve};
use crate::nn::neumann::{Form, Neumann, Values};
use crate::rng::Stream;
use crate::run::Run;

/// Expectation-maximisation: a light ridge, as the least eigenvalues matter most here.
const COURSE: Course = Course { ridge: 1e-4, rounds: 100, tolerance: 1e-3 };
/// Work of a round of it, in rows x columns³: more rows are sampled.
const MOST_WORK: f64 = 1e10;
/// Rows worth learning from, at most, and columns, beyond which pairs of them have to do.
const MOST_ROWS: usize = 20_000;
const MOST_COLUMNS: usize = 128;
/// The least eigenvalue that pairs of columns may be said to have, as a share of the largest.
const LEAST_SHARE: f64 = 1e-4;

/// What is known of the columns before training.
pub struct Start {
    /// Mean and covariance of the columns, `[d]` and `[d, d]`; `None`: weights are drawn.
    moments: Option<(Vec<f64>, Vec<f64>)>,
    /// The least and the largest eigenvalue.
    ends: (f64, f64),
    /// Covariance of each column with a number that is to be predicted, and that number's mean.
    target: Option<(Vec<f64>, f64)>,
}

/// First weights of the straight way: those of the block's columns, and the bias.
#[derive(Clone)]
pub struct Head {
    /// `[d, 1]`.
    pub weights: Vec<f32>,
    /// `[1]`.
    pub bias: Vec<f32>,
}

impl Start {
    /// Nothing is known: for layouts whose weights come from elsewhere.
    pub fn drawn() -> Self {
        Self { moments: None, ends: (1.0, 1.0), target: None }
    }

    /// From mean and covariance of the columns, the least and the largest eigenvalue, and what there is to know of a
    /// target.
    #[cfg(test)]
    pub fn known(
        mean: Vec<f64>,
        covariance: Vec<f64>,
        ends: (f64, f64),
        target: Option<(Vec<f64>, f64)>,
    ) -> Self {
        Self { moments: Some((mean, covariance)), ends, target }
    }

    /// Learns mean and covariance from the given rows.
    pub fn learn(data: Holes<'_>, targets: &Targets, rows: &[usize], settings: &Settings, run: &Run) -> Self {
        let columns = data.columns;
        if columns == 0 || rows.is_empty() || matches!(settings.start, StartName::Normal | StartName::Uniform)
        {
            return Self::drawn();
        }
        let joint = Joint::new(data, targets, rows);
        let (mean, covariance) = match settings.start {
            StartName::Em if joint.columns <= MOST_COLUMNS => joint.likely(run),
            _ => joint.pairwise(),
        };
        let at = |i: usize, j: usize| covariance[i * joint.columns + j];
        let own: Vec<f64> = (0..columns * columns).map(|cell| at(cell / columns, cell % columns)).collect();
        let Some((ends, own)) = sound(own, columns) else { return Self::drawn() };
        let with_target = joint.columns > columns;
        let target = with_target.then(|| ((0..columns).map(|i| at(i, columns)).collect(), mean[columns]));
        Self { moments: Some((mean[..columns].to_vec(), own)), ends, target }
    }

    /// First weights of the block.
    pub fn block(&self, layout: Neumann, settings: &Settings, stream: &mut Stream) -> Values {
        match &self.moments {
            Some((mean, covariance)) => self.solving(layout, settings, mean, covariance),
            None => drawn(layout, settings, stream),
        }
    }

    /// The lengths of steps, in an order in which no part of the error grows large on the way.
    fn steps(&self, depth: usize) -> Vec<f64> {
        let (least, largest) = self.ends;
        let least = least.max(3.0 * largest / (depth * depth).max(3) as f64);
        let root = |k: usize| {
            let angle = std::f64::consts::PI * (2 * k + 1) as f64 / (2 * depth) as f64;
            0.5 * (largest + least) + 0.5 * (largest - least) * angle.cos()
        };
        let mut left: Vec<f64> = (0..depth).map(root).collect();
        let mut taken: Vec<f64> = Vec::with_capacity(depth);
        // Leja's order: next comes the root that is farthest from those before it.
        let far = |root: f64, taken: &[f64]| taken.iter().map(|own| (root - own).abs().ln()).sum::<f64>();
        while !left.is_empty() {
            let best = (0..left.len()).max_by(|a, b| far(left[*a], &taken).total_cmp(&far(left[*b], &taken)));
            taken.push(left.remove(best.unwrap_or(0)));
        }
        taken.into_iter().map(|root| 1.0 / root).collect()
    }

    fn solving(&self, layout: Neumann, settings: &Settings, mean: &[f64], covariance: &[f64]) -> Values {
        let Neumann { columns, depth, form, mixed } = layout;
        let single = |values: &[f64]| -> Vec<f32> { values.iter().map(|value| *value as f32).collect() };
        // I - step Σ, and step I
        let identity = |cell: usize| f64::from(u8::from(cell / columns == cell % columns));
        let less = |step: f64| -> Vec<f32> {
            let cells = covariance.iter().enumerate();
            cells.map(|(cell, value)| (identity(cell) - step * value) as f32).collect()
        };
        let times = |step: f64| (0..columns * columns).map(move |cell| (step * identity(cell)) as f32);
        let (chebyshev, even) = (self.steps(depth), vec![1.0 / self.ends.1; depth]);
        let series = form == Form::Own && !(settings.accelerated && settings.residual);
        let steps = if form == Form::Shared || series { &even } else { &chebyshev };
        let (matrices, residuals): (Vec<f32>, Vec<f32>) = match form {
            Form::Steps if depth > 0 => (single(covariance), single(steps)),
            Form::Shared if depth > 0 => (less(steps[0]), vec![1.0; depth]),
            Form::Own => {
                let own = |l: usize| match l {
                    0 => times(if series { 1.0 } else { steps[0] }).collect(),
                    _ if settings.residual => less(steps[l]),
                    _ => times(1.0).collect::<Vec<f32>>(),
                };
                let factor = |l: usize| match l {
                    0 => 0.0,
                    _ if !settings.residual => 0.0,
                    _ if series => 1.0,
                    _ => steps[l] as f32,
                };
                ((0..depth).flat_map(own).collect(), (0..depth).map(factor).collect())
            }
            Form::Steps | Form::Shared => (Vec::new(), Vec::new()),
        };
        // What the series gives, and v alone, is L times too large.
        let share = if series || depth == 0 { 1.0 / self.ends.1 } else { 1.0 };
        let mix =
            if mixed { covariance.iter().map(|value| (share * value) as f32).collect() } else { Vec::new() };
        Values { mean: single(mean), matrices, mix, residuals }
    }

    /// First weights of the straight way, where there is a number to predict: the regression on the filled columns, or
    /// their covariance with the target on what a block without W_mix gives.
    pub fn head(&self, layout: Neumann) -> Option<Head> {
        let ((mean, covariance), (crossed, level)) = (self.moments.as_ref()?, self.target.as_ref()?);
        let columns = layout.columns;
        let (weights, bias) = if layout.mixed {
            let weights = solve(Mat::from_fn(columns, columns, |i, j| covariance[i * columns + j]), crossed)?;
            let bias = level - weights.iter().zip(mean).map(|(weight, mean)| weight * mean).sum::<f64>();
            (weights, bias)
        } else {
            let share =
                if layout.form == Form::Shared || layout.depth == 0 { 1.0 / self.ends.1 } else { 1.0 };
            (crossed.iter().map(|value| share * value).collect(), *level)
        };
        Some(Head { weights: weights.iter().map(|weight| *weight as f32).collect(), bias: vec![bias as f32] })
    }
}

/// Weights that know nothing: as published, μ and factors included.
fn drawn(layout: Neumann, settings: &Settings, stream: &mut Stream) -> Values {
    let Neumann { columns, depth, form, mixed } = layout;
    let size = columns * columns;
    let uniform = settings.start == StartName::Uniform;
    let inputs = columns.max(1) as f64;
    let mut draw = |matrix: bool| {
        let value = match (uniform, matrix) {
            (true, _) => (2.0 * stream.uniform() - 1.0) / inputs.sqrt(),
            (false, true) => stream.normal() / inputs.sqrt(),
            (false, false) => stream.normal(),
        };
        value as f32
    };
    let mean = (0..columns).map(|_| draw(false)).collect();
    let matrices = if form == Form::Own { depth } else { depth.min(1) };
    let factor = |l: usize| f32::from(u8::from(form != Form::Own || (settings.residual && l > 0)));
    // Steps along a matrix that is no covariance lead ever further away: there the identity, a little shaken, is begun
    // with, and steps of half the length.
    let steps = form == Form::Steps;
    let step = if steps { 0.5 } else { 1.0 };
    let identity = |cell: usize| f32::from(u8::from(cell / columns == cell % columns));
    let mut matrix = |cell: usize| if steps { identity(cell) + 0.1 * draw(true) } else { draw(true) };
    Values {
        mean,
        matrices: (0..matrices * size).map(&mut matrix).collect(),
        mix: (0..if mixed { size } else { 0 }).map(&mut matrix).collect(),
        residuals: (0..depth).map(|l| step * factor(l)).collect(),
    }
}

/// The columns and, where a number is to be predicted, that number beside them.
struct Joint {
    columns: usize,
    values: Vec<f32>,
    observed: Vec<bool>,
}

impl Joint {
    fn new(data: Holes<'_>, targets: &Targets, rows: &[usize]) -> Self {
        let with_target = targets.task == Task::Regression;
        let columns = data.columns + usize::from(with_target);
        let (mut values, mut observed) = (Vec::new(), Vec::new());
        for &row in rows {
            values.extend_from_slice(&data.values[row * data.columns..(row + 1) * data.columns]);
            observed.extend_from_slice(data.marks(row));
            if with_target {
                values.push(targets.numbers[row]);
                observed.push(true);
            }
        }
        Self { columns, values, observed }
    }

    fn holes(&self) -> Holes<'_> {
        Holes { columns: self.columns, values: &self.values, observed: &self.observed }
    }

    /// By expectation-maximisation.
    fn likely(&self, run: &Run) -> (Vec<f64>, Vec<f64>) {
        let affordable = (MOST_WORK / (self.columns as f64).powi(3)) as usize;
        let mut sample = Stream::new(run.seed(), "neumiss start", 0, 0).permutation(self.holes().rows());
        sample.truncate(affordable.clamp(1000, MOST_ROWS));
        let normal = Normal::fit(self.holes(), &sample, COURSE, |_, _| !run.stopped());
        let (mean, covariance) = normal.parts();
        (mean.to_vec(), covariance.to_vec())
    }

    /// From each pair of columns, where both are known.
    fn pairwise(&self) -> (Vec<f64>, Vec<f64>) {
        let columns = self.columns;
        let mean =
            Normal::start(self.holes(), &(0..self.holes().rows()).collect::<Vec<_>>()).parts().0.to_vec();
        let (mut sums, mut counts) = (vec![0.0; columns * columns], vec![0.0; columns * columns]);
        for (values, observed) in self.values.chunks(columns).zip(self.observed.chunks(columns)) {
            let known: Vec<usize> = (0..columns).filter(|&place| observed[place]).collect();
            for &i in &known {
                let own = f64::from(values[i]) - mean[i];
                for &j in &known {
                    sums[i * columns + j] += own * (f64::from(values[j]) - mean[j]);
                    counts[i * columns + j] += 1.0;
                }
            }
        }
        let covariance = sums.iter().zip(counts).enumerate().map(|(cell, (sum, count))| match count > 1.0 {
            true => sum / count,
            false => f64::from(u8::from(cell / columns == cell % columns)),
        });
        (mean, covariance.collect())
    }
}

/// The least and the largest eigenvalue, and a covariance whose least is not below a share of its largest; `None` where
/// the numbers are of no use.
pub(super) fn sound(covariance: Vec<f64>, columns: usize) -> Option<((f64, f64), Vec<f64>)> {
    let (values, vectors) = eigen(&Mat::from_fn(columns, columns, |i, j| covariance[i * columns + j]))?;
    let (least, largest) = (*values.first()?, *values.last()?);
    if !(largest.is_finite() && largest > 0.0 && least.is_finite()) {
        return None;
    }
    let floor = LEAST_SHARE * largest;
    if least >= floor {
        return Some(((least, largest), covariance));
    }
    let cell = |i: usize, j: usize| -> f64 {
        let parts = values.iter().enumerate();
        parts.map(|(k, value)| value.max(floor) * vectors[(i, k)] * vectors[(j, k)]).sum()
    };
    let raised = (0..columns * columns).map(|at| cell(at / columns, at % columns)).collect();
    Some(((floor, largest), raised))
}
