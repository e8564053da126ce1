//! The intervals of model files that were written before CV+: held-out residuals around a model that was fitted again
//! on all rows, by the number of known inputs. They are read and answer as they did; nothing new is made of this
//! kind.

use serde::{Deserialize, Serialize};

/// Held-out absolute residuals in model units, by number of known inputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grouped {
    groups: Vec<Group>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Group {
    /// Rows with at most this many known inputs belong here (the last group takes all others).
    most_known: usize,
    /// How many residuals there were.
    count: usize,
    /// Ascending |residual|s, thinned evenly if there were many.
    residuals: Vec<f32>,
}

impl Grouped {
    /// Half the width of the interval for a row with so many known inputs.
    pub fn half_width(&self, known: usize, level: f64) -> f64 {
        let group = self.groups.iter().find(|group| known <= group.most_known).or(self.groups.last());
        group.map_or(f64::INFINITY, |group| group.quantile(level))
    }
}

impl Group {
    fn quantile(&self, level: f64) -> f64 {
        let rank = ((self.count as f64 + 1.0) * level).ceil();
        if rank > self.count as f64 {
            return f64::INFINITY;
        }
        let position = (rank / self.count as f64 * self.residuals.len() as f64).ceil() as usize;
        self.residuals.get(position.saturating_sub(1)).map_or(f64::INFINITY, |r| f64::from(*r))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_older_programs_answer_as_they_did() {
        let residuals: Vec<f32> = (0..20_u8).map(f32::from).collect();
        let twenty = Grouped { groups: vec![Group { most_known: 3, count: 20, residuals }] };
        assert_eq!(twenty.half_width(1, 0.9), 18.0);
        assert_eq!(twenty.half_width(9, 0.9), 18.0);
        assert_eq!(twenty.half_width(1, 0.99), f64::INFINITY);
    }
}
