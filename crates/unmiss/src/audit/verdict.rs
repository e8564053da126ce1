//! What a drift comes to, in a word.

use serde::Serialize;

use super::degree::Figures;

/// Below this drift (in standard deviations of the answers) a model counts as flat.
pub const MILD: f64 = 0.1;
/// From this drift on it is strong.
pub const STRONG: f64 = 0.5;
/// Whether the mean answer moves when cells are hidden at random.
///
/// | verdict | drift, in standard deviations of the answers |
/// |---|---|
/// | flat | below [`MILD`], or its interval holds 0 and stays within [`STRONG`] |
/// | mild | from [`MILD`] to [`STRONG`] |
/// | strong | [`STRONG`] or more |
/// | unclear | its interval holds 0 and reaches beyond [`STRONG`]: too few rows |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The mean answer stays where it is.
    Flat,
    /// It moves a little.
    MildDrift,
    /// It moves much.
    StrongDrift,
    /// Too few rows to tell.
    Unclear,
}

impl Verdict {
    /// The verdict on a drift.
    pub fn of(figures: &Figures) -> Self {
        let [low, high] = figures.intervals.drift;
        let size = figures.drift.abs();
        match low <= 0.0 && high >= 0.0 {
            true if low.abs().max(high.abs()) >= STRONG && size >= MILD => Self::Unclear,
            true => Self::Flat,
            false if size < MILD => Self::Flat,
            false if size < STRONG => Self::MildDrift,
            false => Self::StrongDrift,
        }
    }

    /// What it means and what to do, in sentences.
    pub fn advice(self) -> Vec<String> {
        let first = match self {
            Self::Flat => {
                "The average answer stays where it is, however little is known of a row: answers for rows of which much \
                 and of which little is known can be compared."
            }
            Self::MildDrift => {
                "The average answer moves a little when less is known: compare rows of which about as much is known, or \
                 try the treatment of holes that the contrast below shows, if it predicts as well."
            }
            Self::StrongDrift => {
                "The answer says how much is known as well as what is known: do not compare rows of which more and less is \
                 known by it, fit again with another treatment of holes (the contrast below shows one), or see that the \
                 columns that are missed most are known."
            }
            Self::Unclear => "There are too few rows to tell: audit more of them before relying on either.",
        };
        let second = "Cells are hidden here completely at random (MCAR: for no reason at all). Where cells are missing for \
                      reasons that are known of the row (MAR), or because of the value itself (not at random, MNAR), a \
                      model may do worse than this page shows, and how much is known may rightly move its answer.";
        vec![first.to_owned(), second.to_owned()]
    }

    /// The verdict in a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::MildDrift => "mild drift",
            Self::StrongDrift => "strong drift",
            Self::Unclear => "unclear",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::degree::Bounds;
    use super::*;

    #[test]
    fn verdicts_follow_drift_and_interval() {
        let verdict = |drift: f64, interval: [f64; 2]| {
            let none = [0.0; 2];
            let intervals = Bounds { slope: none, share: none, range: none, spearman: none, drift: interval };
            let (slope, share, range, spearman) = (0.0, 0.0, 0.0, 0.0);
            let (drift_in_units, drift_at) = (drift, 0.05);
            Verdict::of(&Figures {
                slope,
                share,
                range,
                spearman,
                drift,
                drift_in_units,
                drift_at,
                intervals,
            })
        };
        assert_eq!(verdict(0.0, [0.0, 0.0]), Verdict::Flat);
        assert_eq!(verdict(0.08, [0.05, 0.1]), Verdict::Flat);
        assert_eq!(verdict(0.2, [-0.1, 0.45]), Verdict::Flat);
        assert_eq!(verdict(-0.3, [-0.9, 0.3]), Verdict::Unclear);
        assert_eq!(verdict(-0.3, [-0.4, -0.2]), Verdict::MildDrift);
        assert_eq!(verdict(-0.7, [-0.9, -0.5]), Verdict::StrongDrift);
    }
}
