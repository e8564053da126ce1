//! How the learning rate changes in the course of training: a factor on the rate.

use serde::{Deserialize, Serialize};

/// The course of a factor, with `t` the share of training done.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// 1.
    #[default]
    Constant,
    /// `(1 + cos πt) / 2`: from 1 down to 0.
    Cosine,
    /// Times `factor` after every so many epochs.
    Step {
        /// Epochs between two changes.
        every: usize,
        /// The factor.
        factor: f64,
    },
    /// Linearly up over the first part of training, then the cosine to 0.
    Warmup {
        /// The first part, as a share of training.
        share: f64,
    },
    /// Times `factor` whenever the score has not got better for more than `patience` epochs.
    Plateau {
        /// The factor.
        factor: f64,
        /// Epochs without improvement that are borne.
        patience: usize,
        /// What counts as better: lower by this share of the best score.
        threshold: f64,
        /// The smallest factor in all.
        minimum: f64,
    },
}

/// A schedule under way: what it has seen so far.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    schedule: Schedule,
    lowered: f64,
    best: Option<f64>,
    waited: usize,
}

impl Pace {
    /// A schedule at its start.
    pub fn new(schedule: Schedule) -> Self {
        Self { schedule, lowered: 1.0, best: None, waited: 0 }
    }

    /// The factor in an epoch (from 0) when a share of the training is done.
    pub fn factor(&self, epoch: usize, share: f64) -> f64 {
        use std::f64::consts::PI;
        let cosine = |t: f64| 0.5 * (1.0 + (PI * t.clamp(0.0, 1.0)).cos());
        match self.schedule {
            Schedule::Constant => 1.0,
            Schedule::Cosine => cosine(share),
            Schedule::Step { every, factor } => factor.powf((epoch / every.max(1)) as f64),
            Schedule::Warmup { share: part } if share < part => share / part,
            Schedule::Warmup { share: part } => cosine((share - part) / (1.0 - part).max(f64::EPSILON)),
            Schedule::Plateau { .. } => self.lowered,
        }
    }

    /// Tells the score of an epoch (lower is better).
    pub fn tell(&mut self, score: f64) {
        let Schedule::Plateau { factor, patience, threshold, minimum } = self.schedule else { return };
        match self.best {
            Some(best) if score >= best - threshold * best.abs() => self.waited += 1,
            _ => {
                self.best = Some(score);
                self.waited = 0;
            }
        }
        if self.waited > patience {
            self.lowered = (self.lowered * factor).max(minimum);
            self.waited = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(schedule: Schedule, share: f64) -> f64 {
        Pace::new(schedule).factor(0, share)
    }

    #[test]
    fn courses_pass_through_their_marks() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        near(at(Schedule::Cosine, 0.0), 1.0);
        near(at(Schedule::Cosine, 0.5), 0.5);
        near(at(Schedule::Cosine, 1.0), 0.0);
        near(at(Schedule::Warmup { share: 0.1 }, 0.05), 0.5);
        near(at(Schedule::Warmup { share: 0.1 }, 0.1), 1.0);
        near(at(Schedule::Warmup { share: 0.1 }, 1.0), 0.0);
        let step = Pace::new(Schedule::Step { every: 10, factor: 0.1 });
        near(step.factor(9, 0.0), 1.0);
        near(step.factor(25, 0.0), 0.01);
    }

    #[test]
    fn a_plateau_lowers_the_rate_down_to_its_minimum() {
        let schedule = Schedule::Plateau { factor: 0.5, patience: 1, threshold: 0.01, minimum: 0.2 };
        let mut pace = Pace::new(schedule);
        // Better by less than 1 % is not better: the second such epoch is one too many.
        let factors: Vec<f64> = [1.0, 0.5, 0.499, 0.498, 0.497, 0.3, 0.3, 0.3, 0.3, 0.3]
            .iter()
            .map(|score| {
                pace.tell(*score);
                pace.factor(0, 0.0)
            })
            .collect();
        assert_eq!(factors, [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.2]);
    }

    #[test]
    fn settings_read_as_plain_words() {
        let read = |text| serde_json::from_str::<Schedule>(text);
        assert_eq!(read("\"cosine\"").unwrap(), Schedule::Cosine);
        assert_eq!(read(r#"{"warmup": {"share": 0.1}}"#).unwrap(), Schedule::Warmup { share: 0.1 });
        assert!(read(r#"{"warmup": {"part": 0.1}}"#).is_err());
    }
}
