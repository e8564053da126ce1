//! What a forest learns: sums of the response over rows, and how much two sides differ by them.
//!
//! A number (and the chance of the second of two classes, which is one) is rounded to whole units, so that the rows of
//! a side are summed with vector instructions: see `trees::histogram`. Of more classes, each has its weight.

use super::super::trees::histogram::{self, BLOCK, Cell, Derivatives};
use crate::encode::{Targets, Task};
use crate::nn::vectorised::vectorised;

/// Rows up to which sums by bin are made row by row: fewer than there are bins.
const FEW: usize = 256;

/// The response of all rows.
pub enum Response {
    /// One number a row: packed weight times response and weight, and the same as they are.
    Number { packed: Vec<u64>, exact: Vec<Derivatives> },
    /// The class of each row and its weight.
    Class { classes: usize, own: Vec<u32>, weights: Vec<f32> },
}

/// The response of the rows of a node, gathered: the same order as its rows.
#[derive(Default)]
pub struct Gathered {
    packed: Vec<u64>,
    classes: Vec<u32>,
    weights: Vec<f32>,
}

impl Response {
    /// The response of targets; `rows` are those that may be learned from.
    pub fn new(targets: &Targets, rows: &[u32]) -> Self {
        let number = |row: usize, y: f32| [targets.weights[row] * y, targets.weights[row]];
        let exact: Vec<Derivatives> = match targets.task {
            Task::Classification { classes } if classes > 2 => {
                let (own, weights) = (targets.classes.clone(), targets.weights.clone());
                return Self::Class { classes, own, weights };
            }
            Task::Classification { .. } => {
                targets.classes.iter().enumerate().map(|(row, &class)| number(row, class as f32)).collect()
            }
            Task::Regression => targets.numbers.iter().enumerate().map(|(row, &y)| number(row, y)).collect(),
        };
        let mut packed = Vec::new();
        histogram::pack(&exact, rows, &mut packed);
        Self::Number { packed, exact }
    }

    /// Figures of a sum: those that are compared, then how many rows there are.
    pub fn width(&self) -> usize {
        match self {
            Self::Number { .. } => 3,
            Self::Class { classes, .. } => classes + 1,
        }
    }

    /// Gathers the response of a node's rows; says whether they differ at all.
    pub fn gather(&self, rows: &[u32], into: &mut Gathered) -> bool {
        match self {
            Self::Number { packed, .. } => {
                into.packed.clear();
                into.packed.extend(rows.iter().map(|&row| packed[row as usize]));
                into.packed.iter().any(|row| *row != into.packed[0])
            }
            Self::Class { own, weights, .. } => {
                into.classes.clear();
                into.weights.clear();
                into.classes.extend(rows.iter().map(|&row| own[row as usize]));
                into.weights.extend(rows.iter().map(|&row| weights[row as usize]));
                into.classes.iter().any(|class| *class != into.classes[0])
            }
        }
    }

    /// Adds the sum of all rows of a node to `sum`.
    pub fn add_all(&self, gathered: &Gathered, sum: &mut [f64]) {
        match self {
            Self::Number { .. } => add_cell(histogram::total(&gathered.packed), sum),
            Self::Class { classes, .. } => {
                for (&class, &weight) in gathered.classes.iter().zip(&gathered.weights) {
                    sum[class as usize] += f64::from(weight);
                    sum[*classes] += 1.0;
                }
            }
        }
    }

    /// The sum of the rows whose bin lies in `first..=last`, added to `sum`.
    pub fn add_between(&self, gathered: &Gathered, bins: &[u8], (first, last): (u8, u8), sum: &mut [f64]) {
        match self {
            Self::Number { .. } => add_cell(between(&gathered.packed, bins, first, last), sum),
            Self::Class { classes, .. } => {
                for ((&bin, &class), &weight) in bins.iter().zip(&gathered.classes).zip(&gathered.weights) {
                    if first <= bin && bin <= last {
                        sum[class as usize] += f64::from(weight);
                        sum[*classes] += 1.0;
                    }
                }
            }
        }
    }

    /// Sums by bin: `[256, width]`, which were 0, for the bins that are there. These are put into `there`, ascending.
    pub fn add_by_bin(&self, gathered: &Gathered, bins: &[u8], sums: &mut [f64], there: &mut Vec<u8>) {
        let width = self.width();
        there.clear();
        match self {
            Self::Number { .. } if bins.len() > FEW => {
                for (bins, packed) in bins.chunks(BLOCK).zip(gathered.packed.chunks(BLOCK)) {
                    let mut narrow = [0_u64; 256];
                    for (&bin, &packed) in bins.iter().zip(packed) {
                        narrow[usize::from(bin)] = narrow[usize::from(bin)].wrapping_add(packed);
                    }
                    for (sum, &narrow) in
                        sums.chunks_exact_mut(width).zip(&narrow).filter(|(_, own)| **own != 0)
                    {
                        add_cell(histogram::unpacked(narrow), sum);
                    }
                }
                there.extend((0..=u8::MAX).filter(|bin| sums[usize::from(*bin) * width + width - 1] > 0.0));
                return;
            }
            Self::Number { .. } => {
                for (&bin, &packed) in bins.iter().zip(&gathered.packed) {
                    let sum = &mut sums[usize::from(bin) * width..][..width];
                    if sum[width - 1] == 0.0 {
                        there.push(bin);
                    }
                    add_cell(histogram::unpacked(packed), sum);
                }
            }
            Self::Class { classes, .. } => {
                for ((&bin, &class), &weight) in bins.iter().zip(&gathered.classes).zip(&gathered.weights) {
                    let sum = &mut sums[usize::from(bin) * width..][..width];
                    if sum[*classes] == 0.0 {
                        there.push(bin);
                    }
                    sum[class as usize] += f64::from(weight);
                    sum[*classes] += 1.0;
                }
            }
        }
        there.sort_unstable();
    }

    /// How much is known of a side by its sum: the larger over both sides, the better they differ. Squares of sums over
    /// weights; for classes that is Gini's measure.
    pub fn score(&self, sum: &[f64]) -> f64 {
        match self {
            Self::Number { .. } => {
                if sum[1] > 0.0 {
                    sum[0] * sum[0] / sum[1]
                } else {
                    0.0
                }
            }
            Self::Class { classes, .. } => {
                let weight: f64 = sum[..*classes].iter().sum();
                let squares: f64 = sum[..*classes].iter().map(|own| own * own).sum();
                if weight > 0.0 { squares / weight } else { 0.0 }
            }
        }
    }

    /// By what categories are put in order: the mean response, or the share of one class.
    pub fn key(&self, sum: &[f64], class: usize) -> f64 {
        match self {
            Self::Number { .. } => sum[0] / sum[1],
            Self::Class { classes, .. } => sum[class] / sum[..*classes].iter().sum::<f64>(),
        }
    }

    /// The mean response of a leaf's rows: a number, or the shares of classes.
    pub fn mean(&self, rows: &[u32], answer: &mut Vec<f32>) {
        answer.clear();
        match self {
            Self::Number { exact, .. } => {
                let (mut sum, mut weight) = (0.0, 0.0);
                for &row in rows {
                    sum += f64::from(exact[row as usize][0]);
                    weight += f64::from(exact[row as usize][1]);
                }
                answer.push((sum / weight) as f32);
            }
            Self::Class { classes, own, weights } => {
                answer.resize(*classes, 0.0);
                rows.iter().for_each(|&row| answer[own[row as usize] as usize] += weights[row as usize]);
                let total: f32 = answer.iter().sum();
                answer.iter_mut().for_each(|share| *share /= total);
            }
        }
    }
}

fn add_cell(cell: Cell, sum: &mut [f64]) {
    let (response, weight) = cell.sums();
    sum[0] += response;
    sum[1] += weight;
    sum[2] += f64::from(cell.rows());
}

vectorised! {
    /// The sum of the packed rows whose bin lies in `first..=last`.
    fn between(packed: &[u64], bins: &[u8], first: u8, last: u8) -> Cell {
        let mut sum = Cell::default();
        for (packed, bins) in packed.chunks(BLOCK).zip(bins.chunks(BLOCK)) {
            let mut narrow = 0_u64;
            for (packed, bin) in packed.iter().zip(bins) {
                let inside = u64::from((first <= *bin) & (*bin <= last));
                narrow = narrow.wrapping_add(packed & inside.wrapping_neg());
            }
            sum = sum.plus(histogram::unpacked(narrow));
        }
        sum
    }
}
