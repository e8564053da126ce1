//! The parameters as they are learned. The covariance is Σ = L (1 + E)(1 + E)' L' with L the Cholesky triangle of the
//! start and E a lower triangle from 0: steps of E have the same size whatever the columns have to do with each other.
//! A site is (η, log τ).

use super::answer::{Answer, Loss};
use super::head::Head;
use super::joint::Joint;
use super::slopes::Slopes;
use crate::linalg::{Square, add_crossed, add_product};
use crate::rng::Stream;

/// τ of a site before it is learned: nearly silent.
const FIRST_PRECISION: f64 = 0.01;
/// Directions beside the outputs' that a network reads.
const DIRECTIONS: usize = 4;
/// Bounds of log τ: below, a hole says nothing; above, it says all.
const PRECISIONS: (f64, f64) = (-16.0, 7.0);

/// Parts of the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Part {
    /// μ.
    Mean,
    /// E, `[columns, columns]`, of which the lower triangle counts.
    Spread,
    /// η.
    Tilt,
    /// log τ.
    Precision,
    /// β and other directions.
    Weights,
    /// b.
    Bias,
    /// γ.
    Marks,
    /// The network's.
    Head,
}

/// How many parts there are.
pub const PARTS: usize = 8;

/// A place on the way of learning.
#[derive(Clone)]
pub struct Point {
    /// L.
    lower: Square,
    /// Which columns have a site.
    sites: Vec<bool>,
    /// μ where learning started.
    pub first_mean: Vec<f64>,
    head: Option<Head>,
    loss: Loss,
    /// Whether sites speak at all.
    speak: bool,
    /// All parameters, by [`Part`].
    pub parts: [Vec<f64>; PARTS],
}

impl Point {
    /// From an answer without sites and network, with the columns that may get a site.
    pub fn new(answer: Answer, sites: Vec<bool>) -> Self {
        let columns = answer.joint.columns;
        let covariance = Square { size: columns, cells: answer.joint.covariance };
        let lower = covariance.cholesky(0.0).unwrap_or_else(|_| Square::identity(columns));
        let parts = [
            answer.joint.mean.clone(),
            vec![0.0; columns * columns],
            vec![0.0; columns],
            vec![FIRST_PRECISION.ln(); columns],
            answer.joint.weights,
            answer.bias,
            answer.marks,
            Vec::new(),
        ];
        let (first_mean, loss) = (answer.joint.mean, answer.loss);
        Self { lower, sites, first_mean, head: None, loss, speak: false, parts }
    }

    /// One of the parts.
    pub fn part(&self, part: Part) -> &[f64] {
        &self.parts[part as usize]
    }

    /// Lets the sites speak.
    pub fn speaking(mut self) -> Self {
        self.speak = true;
        self
    }

    /// Whether any column has a site.
    pub fn has_sites(&self) -> bool {
        self.sites.contains(&true)
    }

    /// Whether it answers with chances of classes.
    pub fn is_of_chances(&self) -> bool {
        self.loss == Loss::Chances
    }

    /// With a network that starts as nothing, and directions beside the outputs' for it to read, at random first.
    pub fn with_network(mut self, stream: &mut Stream) -> Self {
        let (columns, outputs) = (self.lower.size, self.parts[Part::Bias as usize].len());
        let deviation = (1.0 / columns.max(1) as f64).sqrt();
        let more = (0..DIRECTIONS * columns).map(|_| deviation * stream.normal());
        self.parts[Part::Weights as usize].extend(more);
        let head = Head { inputs: Answer::inputs(columns, outputs + DIRECTIONS), outputs };
        self.parts[Part::Head as usize] = head.start(stream);
        self.head = Some(head);
        self
    }

    /// L (1 + E).
    fn spread_lower(&self) -> Vec<f64> {
        let size = self.lower.size;
        let mut lower = self.lower.cells.clone();
        add_product(&mut lower, (&self.lower.cells, size), (self.part(Part::Spread), size));
        lower
    }

    /// The predictor with these parameters.
    pub fn answer(&self) -> Answer {
        let size = self.lower.size;
        let lower = self.spread_lower();
        // L L' of a row-major triangle: its transpose crossed with itself.
        let upper: Vec<f64> = (0..size * size).map(|at| lower[at % size * size + at / size]).collect();
        let mut covariance = vec![0.0; size * size];
        add_crossed(&mut covariance, (&upper, size), (&upper, size), 1.0);
        let (mut tilt, mut precision) = (vec![0.0; size], vec![0.0; size]);
        for column in (0..size).filter(|column| self.speak && self.sites[*column]) {
            tilt[column] = self.part(Part::Tilt)[column];
            precision[column] = self.part(Part::Precision)[column].exp();
        }
        let mean = self.part(Part::Mean).to_vec();
        Answer {
            joint: Joint::new(mean, covariance, (tilt, precision), self.part(Part::Weights).to_vec()),
            bias: self.part(Part::Bias).to_vec(),
            marks: self.part(Part::Marks).to_vec(),
            head: self.head.map(|head| (head, self.part(Part::Head).to_vec())),
            loss: self.loss,
        }
    }

    /// Slopes in the parameters from those in what they make: with G in Σ, those in E are L' 2 G L (1 + E).
    pub fn slopes(&self, slopes: Slopes) -> [Vec<f64>; PARTS] {
        let size = self.lower.size;
        let mut in_lower = vec![0.0; size * size];
        add_product(&mut in_lower, (&slopes.covariance, size), (&self.spread_lower(), size));
        let mut in_spread = vec![0.0; size * size];
        add_crossed(&mut in_spread, (&self.lower.cells, size), (&in_lower, size), 2.0);
        for row in 0..size {
            in_spread[row * size + row + 1..(row + 1) * size].fill(0.0);
        }
        let Slopes { mean, tilt, precision, weights, bias, marks, head, .. } = slopes;
        [mean, in_spread, tilt, precision, weights, bias, marks, head]
    }

    /// Keeps sites within bounds.
    pub fn bound(&mut self) {
        for precision in &mut self.parts[Part::Precision as usize] {
            *precision = precision.clamp(PRECISIONS.0, PRECISIONS.1);
        }
    }
}
