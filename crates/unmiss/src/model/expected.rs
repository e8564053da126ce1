//! How far off the answer for a row is to be expected by what is missing in it, as errors on held-out rows tell.
//!
//! A ratio alone misleads: where a model is hardly ever wrong, a hole makes it wrong "a hundred times as much" and it
//! is still nearly always right. So the size stands beside it, and nothing is said that no held-out row has shown.

use super::intervals::{Expected, Intervals};
use super::predicting::Predicting;
use crate::encode::Task;

/// How far off an answer is to be expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedError {
    /// How many times as far off as for a row without holes; 1 where holes cost nothing.
    pub ratio: f64,
    /// How far off, in the target's units; for classes how much of the chance the true one does not get.
    pub size: f64,
    /// Whether held-out rows have shown errors for such holes; if not, it may well be worse.
    pub is_measured: bool,
}

impl Predicting<'_> {
    /// How far off the answer for a row with these holes is to be expected: the mean of what the models' held-out
    /// errors say, within what they have shown. `None` where nothing was held out by which it could be told.
    pub fn expected_error(&self, holes: &[u32]) -> Option<ExpectedError> {
        let (own, full) = (self.told_by_folds(holes)?, self.told_by_folds(&[])?);
        // An answer can't be further off than this.
        let (unit, most) = match self.target.task {
            Task::Regression => (self.target.deviation, self.target.high - self.target.low),
            Task::Classification { .. } => (1.0, 1.0),
        };
        let mean =
            |all: &[Expected], of: fn(&Expected) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        let size = unit * mean(&own, |fold| fold.size);
        let kept = if size > most && most > 0.0 { most / size } else { 1.0 };
        let was_missing = self.coder.missing_in_training();
        let is_known = |hole: &u32| was_missing.get(*hole as usize).is_some_and(|count| *count > 0);
        Some(ExpectedError {
            ratio: kept * mean(&own, |fold| fold.spread) / mean(&full, |fold| fold.spread),
            size: kept * size,
            is_measured: kept == 1.0 && own.iter().all(|fold| fold.is_measured) && holes.iter().all(is_known),
        })
    }

    /// What the held-out errors of each fold say; `None` where there are none.
    fn told_by_folds(&self, holes: &[u32]) -> Option<Vec<Expected>> {
        let told: Vec<Expected> = match (self.intervals, self.sets) {
            (Some(Intervals::CrossValidated(own)), _) => {
                (0..own.count()).map(|fold| own.expected(fold, holes)).collect()
            }
            (_, Some(sets)) => (0..sets.count()).map(|fold| sets.expected(fold, holes)).collect(),
            _ => return None,
        };
        (!told.is_empty()).then_some(told)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::model::Model;

    fn model(name: &str) -> Model {
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files");
        Model::load(&files.join(format!("{name}.unmiss"))).unwrap()
    }

    #[test]
    fn sizes_are_in_the_target_s_units_and_never_more_than_can_be() {
        for name in ["folds-of-a-number", "folds-of-classes"] {
            let model = model(name);
            let predicting = model.predicting().unwrap();
            let target = predicting.target;
            let most = if name == "folds-of-classes" { 1.0 } else { target.high - target.low };
            let none = predicting.expected_error(&[]).unwrap();
            assert!(none.ratio == 1.0 && none.size > 0.0 && none.size < most && none.is_measured, "{none:?}");
            for holes in [&[1][..], &[0, 1, 2]] {
                let own = predicting.expected_error(holes).unwrap();
                assert!(own.size <= most, "{own:?}");
                assert!((own.ratio / (own.size / none.size) - 1.0).abs() < 0.3, "{own:?} {none:?}");
            }
        }
        let alone = model("linear-table-predict");
        assert_eq!(alone.predicting().unwrap().expected_error(&[0]), None);
    }
}
