//! The plain account of a bench: tables of figures with their 95 % intervals, and a verdict on each claim.

use serde::Serialize;

use crate::metrics::mean_over_folds;

/// A mean with the half width of its 95 % interval over repetitions (Student's t).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// The mean.
    pub mean: f64,
    /// Half the width of the interval; unknown for a single value and where none was published.
    pub half_width: Option<f64>,
    /// The single values, one per seed; none for published figures.
    pub values: Vec<f64>,
}

impl Figure {
    /// The figure of some repetitions; `None` if there are none. `test_share` is the share of one and the same table
    /// that each repetition tests on, drawn anew: such splits share rows, so their scatter alone would promise too
    /// much (Nadeau and Bengio 2003, as in `compare`). It is 0 where nothing is split anew.
    pub fn of(values: &[f64], test_share: f64) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let (mean, half) = mean_over_folds(values, test_share);
        Some(Self { mean, half_width: half.is_finite().then_some(half), values: values.to_vec() })
    }

    /// A figure somebody else gave.
    pub fn given(mean: f64, half_width: Option<f64>) -> Self {
        Self { mean, half_width, values: Vec::new() }
    }
}

/// One cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A figure.
    Figure(Figure),
    /// Words.
    Words(String),
    /// Nothing is known.
    Empty,
}

impl From<Option<Figure>> for Cell {
    fn from(figure: Option<Figure>) -> Self {
        figure.map_or(Self::Empty, Self::Figure)
    }
}

impl Cell {
    /// The cell as a table shows it: a mean, with half its interval where that is known.
    pub fn written(&self, digits: usize) -> String {
        match self {
            Self::Figure(Figure { mean, half_width: Some(half), .. }) => {
                format!("{}±{}", short(*mean, digits), short(*half, digits))
            }
            Self::Figure(figure) => short(figure.mean, digits),
            Self::Words(words) => words.clone(),
            Self::Empty => "-".into(),
        }
    }
}

/// Without the zero before the point, as published tables have it.
fn short(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix("0.").map(|rest| format!(".{rest}")) {
        Some(short) => short,
        None => text.strip_prefix("-0.").map_or(text.clone(), |rest| format!("-.{rest}")),
    }
}

/// One row of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// What the row is about.
    pub name: String,
    /// One cell for each column.
    pub cells: Vec<Cell>,
}

/// One table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// What it shows.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Digits after the point.
    pub digits: usize,
    /// The rows.
    pub rows: Vec<Row>,
}

/// How a published claim fares here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval is on the claimed side.
    Holds,
    /// The interval has both sides in it.
    NotShown,
    /// The interval is on the other side.
    DoesNotHold,
}

impl Verdict {
    /// All of them, in the order in which a report tells them.
    pub const ALL: [Self; 3] = [Self::Holds, Self::DoesNotHold, Self::NotShown];

    /// What stands above the claims of this verdict.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Holds => "Claims that hold here",
            Self::DoesNotHold => "Claims that do NOT hold here (the opposite was measured)",
            Self::NotShown => "Claims that these seeds neither show nor refute",
        }
    }
}

/// A claim and its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Claim {
    /// What is claimed.
    pub words: String,
    /// How it fares.
    pub verdict: Verdict,
    /// The difference by which it was judged, seed by seed.
    pub difference: Option<Figure>,
}

impl Claim {
    /// The claim that one figure is lower than another, judged by the differences seed by seed. `None` if
    /// one of them was not measured. `test_share` as in [`Figure::of`].
    pub fn lower(words: impl Into<String>, low: &[f64], high: &[f64], test_share: f64) -> Option<Self> {
        Self::judge(words.into(), low, high, -1.0, test_share)
    }

    /// The claim that one figure is higher than another.
    pub fn higher(words: impl Into<String>, high: &[f64], low: &[f64], test_share: f64) -> Option<Self> {
        Self::judge(words.into(), high, low, 1.0, test_share)
    }

    /// The claim with the difference by which it was judged.
    pub fn sentence(&self) -> String {
        let difference = self.difference.as_ref().map_or(String::new(), |figure| {
            // Three digits that count, whatever the unit.
            let digits = (2 - figure.mean.abs().max(1e-4).log10().floor() as i32).clamp(0, 4) as usize;
            format!(" (difference {})", Cell::Figure(figure.clone()).written(digits))
        });
        format!("{}{difference}", self.words)
    }

    /// Whether the differences `one - other` have the claimed sign.
    fn judge(words: String, one: &[f64], other: &[f64], sign: f64, test_share: f64) -> Option<Self> {
        let differences: Vec<f64> = one.iter().zip(other).map(|(one, other)| one - other).collect();
        let difference = Figure::of(&differences, test_share)?;
        let claimed = sign * difference.mean;
        let verdict = match difference.half_width {
            Some(half) if claimed > half => Verdict::Holds,
            Some(half) if claimed < -half => Verdict::DoesNotHold,
            _ => Verdict::NotShown,
        };
        Some(Self { words, verdict, difference: Some(difference) })
    }
}

/// What a bench found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The bench's name.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Where it was published.
    pub paper: &'static str,
    /// The settings, in plain words.
    pub settings: Vec<String>,
    /// The tables.
    pub sections: Vec<Section>,
    /// The claims.
    pub claims: Vec<Claim>,
    /// The seed of the first repetition; the others follow one by one.
    pub seed: u64,
    /// Repetitions asked for.
    pub seeds: usize,
    /// The share of a table that each repetition tests on, drawn anew; 0 where nothing is split anew.
    pub test_share: f64,
    /// Whether everything asked for was done.
    pub complete: bool,
}

impl Report {
    /// Which seeds there were, and what stands behind a ±.
    pub fn repetitions(&self) -> String {
        let repeated = |cell: &Cell| matches!(cell, Cell::Figure(figure) if !figure.values.is_empty());
        let mut cells = self.sections.iter().flat_map(|part| part.rows.iter().flat_map(|row| &row.cells));
        let intervals = match (cells.any(repeated), self.test_share > 0.0) {
            (false, _) => "",
            (true, false) => "; ± is half a 95 % interval over seeds",
            (true, true) => {
                "; ± is half a 95 % interval over seeds, corrected for the rows that splits share"
            }
        };
        format!("Seeds {} to {}{intervals}.", self.seed, self.seed + self.seeds as u64 - 1)
    }

    /// The claims of a verdict.
    pub fn judged(&self, verdict: Verdict) -> Vec<&Claim> {
        self.claims.iter().filter(|claim| claim.verdict == verdict).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_judged_by_paired_differences() {
        // The two overlap widely; seed by seed the first is lower every time.
        let (low, high) = ([1.0, 5.0, 9.0], [1.5, 5.6, 9.4]);
        assert_eq!(Claim::lower("a", &low, &high, 0.0).unwrap().verdict, Verdict::Holds);
        assert_eq!(Claim::lower("a", &high, &low, 0.0).unwrap().verdict, Verdict::DoesNotHold);
        assert_eq!(Claim::lower("a", &[1.0, 2.0], &[2.0, 1.0], 0.0).unwrap().verdict, Verdict::NotShown);
        assert_eq!(Claim::lower("a", &[1.0], &[2.0], 0.0).unwrap().verdict, Verdict::NotShown, "one seed");
        assert_eq!(Claim::lower("a", &[], &[2.0], 0.0), None);
        let higher = Claim::higher("a", &high, &low, 0.0).unwrap();
        assert_eq!(higher.verdict, Verdict::Holds);
        assert!(higher.difference.unwrap().mean > 0.0);
    }

    #[test]
    fn figures_are_written_as_published() {
        let figure = |mean, half| Cell::Figure(Figure::given(mean, half)).written(3);
        assert_eq!(figure(9.7821, Some(1.627)), "9.782±1.627");
        assert_eq!(figure(0.32, None), ".320");
        assert_eq!(figure(-0.05, Some(10.0)), "-.050±10.000");
        assert_eq!(Cell::Empty.written(3), "-");
    }

    #[test]
    fn intervals_are_students() {
        // t(0.975, 4) = 2.7764451052, deviation sqrt(2.5), root of five.
        let figure = Figure::of(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.0).unwrap();
        assert!((figure.half_width.unwrap() - 2.776_445_105 * 0.5_f64.sqrt()).abs() < 1e-6);
        assert_eq!(Figure::of(&[7.0], 0.2).unwrap().half_width, None);
    }

    #[test]
    fn splits_of_one_table_have_wider_intervals() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        let half = |share| Figure::of(&values, share).unwrap().half_width.unwrap();
        // sqrt((1/5 + test/train) / (1/5)).
        for (share, factor) in [(0.1, 1.2472), (0.2, 1.5), (0.25, 1.6330)] {
            assert!((half(share) / half(0.0) - factor).abs() < 1e-4, "{share}");
        }
        // Differences of -1.5, -.5, -1.5, -.5, -1.5: below 0 by their scatter alone, not once splits share rows.
        let (low, high) = ([0.0; 5], [1.5, 0.5, 1.5, 0.5, 1.5]);
        assert_eq!(Claim::lower("a", &low, &high, 0.0).unwrap().verdict, Verdict::Holds);
        assert_eq!(Claim::lower("a", &low, &high, 0.4).unwrap().verdict, Verdict::NotShown);
    }
}
