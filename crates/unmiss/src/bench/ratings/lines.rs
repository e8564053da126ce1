//! The lines of the tables: a method, its settings, what it searches over, and what was published.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::sets::Set;
use crate::data::Data;
use crate::data::ratings::Ratings;
use crate::error::{Error, Result};
use crate::model::{Aim, Model, Recipe};
use crate::run::Run;

/// One line of the table.
pub(super) struct Line {
    pub name: &'static str,
    pub method: &'static str,
    settings: &'static [(&'static str, &'static str)],
    grid: Grid,
    /// Published mean and half width (0: not told) on MovieLens 100K, 1M and 10M.
    paper: Option<[(f64, f64); 3]>,
}

/// What a line searches over, by the ratings that a fit sets aside.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Grid {
    Nothing,
    /// The weight decay, for inputs as they are.
    Decay,
    /// The weight decay, for the larger inputs of K = 500.
    LargeDecay,
    Values(&'static str, &'static [f64]),
}

const fn autorec(
    name: &'static str,
    settings: &'static [(&'static str, &'static str)],
    grid: Grid,
    paper: Option<[(f64, f64); 3]>,
) -> Line {
    Line { name, method: "autorec", settings, grid, paper }
}

const fn nade(
    name: &'static str,
    settings: &'static [(&'static str, &'static str)],
    paper: Option<[(f64, f64); 3]>,
) -> Line {
    let grid = Grid::Values("decay", &[0.01, 0.02]);
    Line { name, method: "cf-nade", settings, grid, paper }
}

/// Small inputs need large weights, which take long to grow: nothing is gained for many epochs.
const LONG: (&str, &str) = ("patience", "100");

/// No figure was published.
const NONE: (f64, f64) = (f64::NAN, 0.0);

// One of the published errors looks like a quarter of pi to a lint.
#[allow(clippy::approx_constant)]
pub(super) const LINES: [Line; 29] = [
    autorec(
        "U-AutoRec",
        &[("vectors", "user"), ("normalize", "false")],
        Grid::Decay,
        Some([(0.9346, 0.0007), (0.8831, 0.0002), (0.8859, 0.0014)]),
    ),
    autorec(
        "U-AutoRec, SN K=500",
        &[("vectors", "user"), ("k", "500")],
        Grid::LargeDecay,
        Some([(0.9208, 0.0023), (0.8742, 0.0003), (0.8462, 0.0005)]),
    ),
    autorec("U-AutoRec, SN K=mean", &[("vectors", "user"), ("k", "mean")], Grid::Decay, None),
    autorec(
        "I-AutoRec",
        &[("normalize", "false")],
        Grid::Decay,
        Some([(0.8835, 0.0003), (0.8320, 0.0003), (0.7807, 0.0017)]),
    ),
    autorec(
        "I-AutoRec, SN K=500",
        &[("k", "500")],
        Grid::LargeDecay,
        Some([(0.8809, 0.0011), (0.8294, 0.0004), (0.7706, 0.0023)]),
    ),
    autorec("I-AutoRec, SN K=mean", &[("k", "mean")], Grid::Decay, None),
    autorec(
        "I-AutoRec, SN, 1000 units",
        &[("k", "500"), ("hidden", "1000")],
        Grid::LargeDecay,
        Some([(0.8816, 0.0087), (0.8260, 0.0023), (0.7690, 0.0023)]),
    ),
    autorec(
        "I-AutoRec, SN, 5 networks",
        &[("k", "500"), ("decay", "200"), ("members", "5")],
        Grid::Nothing,
        None,
    ),
    autorec(
        "U-AutoRec, RProp",
        &[("vectors", "user"), ("normalize", "false"), ("optimizer", "rprop"), ("batch", "0")],
        Grid::Decay,
        Some([(0.9437, 0.0), (0.8804, 0.0), (0.867, 0.0)]),
    ),
    autorec(
        "I-AutoRec, RProp",
        &[("normalize", "false"), ("optimizer", "rprop"), ("batch", "0")],
        Grid::Decay,
        Some([(0.8861, 0.0), (0.8358, 0.0), (0.782, 0.0)]),
    ),
    autorec(
        "U-AutoRec, decay on W",
        &[("vectors", "user"), ("normalize", "false"), ("decay-on", "output")],
        Grid::Decay,
        Some([(0.9171, 0.0), (0.8612, 0.0), (0.8564, 0.0)]),
    ),
    autorec(
        "U-AutoRec, SN K=1, decay on W",
        &[("vectors", "user"), ("k", "1"), ("decay-on", "output"), LONG],
        Grid::Decay,
        Some([(0.9266, 0.0), (0.8581, 0.0), (0.8241, 0.0)]),
    ),
    autorec(
        "I-AutoRec, decay on W",
        &[("normalize", "false"), ("decay-on", "output")],
        Grid::Decay,
        Some([(0.8838, 0.0), (0.8365, 0.0), (0.7915, 0.0)]),
    ),
    autorec(
        "I-AutoRec, SN K=1, decay on W",
        &[("k", "1"), ("decay-on", "output"), LONG],
        Grid::Decay,
        Some([(0.8798, 0.0), (0.8271, 0.0), (0.7711, 0.0)]),
    ),
    nade(
        "U-CF-NADE",
        &[("vectors", "user"), ("normalize", "false")],
        Some([(0.9253, 0.0010), (0.8530, 0.0006), (0.8113, 0.0058)]),
    ),
    nade(
        "U-CF-NADE, SN K=500",
        &[("vectors", "user"), ("k", "500")],
        Some([(0.9231, 0.0012), (0.8525, 0.0006), (0.7854, 0.0006)]),
    ),
    nade("I-CF-NADE", &[("normalize", "false")], Some([(0.8982, 0.0005), (0.8405, 0.0007), NONE])),
    nade("I-CF-NADE, SN K=500", &[("k", "500")], Some([(0.8900, 0.0018), (0.8366, 0.0008), NONE])),
    // Appendix C.6 of the first version tells of these without figures.
    nade(
        "U-CF-NADE, decay on W",
        &[("vectors", "user"), ("normalize", "false"), ("decay-on", "output")],
        None,
    ),
    nade(
        "U-CF-NADE, SN K=1, decay on W",
        &[("vectors", "user"), ("k", "1"), ("decay-on", "output"), LONG],
        None,
    ),
    nade("I-CF-NADE, decay on W", &[("normalize", "false"), ("decay-on", "output")], None),
    nade("I-CF-NADE, SN K=1, decay on W", &[("k", "1"), ("decay-on", "output"), LONG], None),
    // What Zheng et al.'s code does besides.
    nade("I-CF-NADE, SN, rate/4", &[("k", "500"), ("plateau", "15"), ("patience", "60")], None),
    nade("I-CF-NADE, SN, mean weights", &[("k", "500"), ("averaging", "0.995")], None),
    nade(
        "I-CF-NADE, SN, both",
        &[("k", "500"), ("plateau", "15"), ("patience", "60"), ("averaging", "0.995")],
        None,
    ),
    Line { name: "factors", method: "factors", settings: &[], grid: Grid::Nothing, paper: None },
    Line {
        name: "factors, least squares",
        method: "factors",
        settings: &[("draws", "0"), ("factors", "20")],
        grid: Grid::Values("penalty", &[0.05, 0.08, 0.13]),
        paper: None,
    },
    Line { name: "blend", method: "blend", settings: &[], grid: Grid::Nothing, paper: None },
    Line { name: "biases", method: "biases", settings: &[], grid: Grid::Nothing, paper: None },
];

/// A fit with the value chosen for it and the seconds of its training.
pub(super) struct Chosen {
    pub model: Model,
    pub value: Option<f64>,
    pub seconds: f64,
}

impl Line {
    /// What was published on a set.
    pub fn paper(&self, set: &Set) -> Option<(f64, Option<f64>)> {
        let (mean, half) = self.paper?[set.published?];
        (!mean.is_nan()).then_some((mean, (half > 0.0).then_some(half)))
    }

    fn values(&self, set: &Set) -> Vec<Option<f64>> {
        match self.grid {
            Grid::Nothing => vec![None],
            Grid::Decay => set.decays[0].iter().copied().map(Some).collect(),
            Grid::LargeDecay => set.decays[1].iter().copied().map(Some).collect(),
            Grid::Values(_, values) => values.iter().copied().map(Some).collect(),
        }
    }

    /// Fits every value of the grid and keeps the one that does best on what the fit set aside. `None` when the run was
    /// stopped.
    pub fn fit(
        &self,
        set: &Set,
        learning: &Arc<Ratings>,
        smaller: &Value,
        run: &Run,
    ) -> Result<Option<Chosen>> {
        let mut best: Option<Chosen> = None;
        for value in self.values(set) {
            let recipe = self.recipe(set, value, smaller)?;
            let start = Instant::now();
            let model = match Model::fit(&Data::Ratings(Arc::clone(learning)), &Aim::Rate, &recipe, run) {
                // A training that was cut off is no figure.
                Ok(_) | Err(Error::Stopped) if run.stopped() => return Ok(None),
                fitted => fitted?,
            };
            let seconds = start.elapsed().as_secs_f64();
            let score = |model: &Model| model.summary.method["validation_rmse"].as_f64().unwrap_or(f64::MAX);
            if best.as_ref().is_none_or(|least| score(&model) < score(&least.model)) {
                best = Some(Chosen { model, value, seconds });
            }
        }
        Ok(best)
    }

    fn recipe(&self, set: &Set, value: Option<f64>, smaller: &Value) -> Result<Recipe> {
        let mut recipe = Recipe::named(self.method)?;
        // RProp has neither a rate nor batches to be told.
        let rprop = self.settings.contains(&("optimizer", "rprop"));
        if self.method == "autorec" && !rprop {
            recipe = recipe.set_all(set.autorec.iter().copied())?;
        }
        recipe = recipe.set_all(self.settings.iter().copied())?;
        let name = match self.grid {
            Grid::Values(name, _) => name,
            _ => "decay",
        };
        if let Some(value) = value {
            recipe = recipe.set(name, &json!(value).to_string())?;
        }
        for (name, value) in smaller.as_object().into_iter().flatten() {
            if recipe.settings.get(name).is_some() {
                recipe = recipe.set(name, &value.to_string())?;
            }
        }
        Ok(recipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::ratings::sets;

    #[test]
    fn ten_million_ratings_are_trained_on_as_published() {
        let settings = |name: &str, set: &Set| {
            let line = LINES.iter().find(|line| line.name == name).unwrap();
            let recipe = line.recipe(set, None, &Value::Null).unwrap();
            (recipe.settings["rate"].as_f64(), recipe.settings["batch"].as_u64())
        };
        assert_eq!(settings("I-AutoRec, SN K=500", &sets::LARGE), (Some(1e-4), Some(1000)));
        assert_eq!(settings("I-AutoRec, SN K=500", &sets::SMALL), (Some(1e-3), Some(512)));
        assert_eq!(settings("U-CF-NADE", &sets::LARGE), (Some(1e-3), Some(512)));
        assert_eq!(settings("U-AutoRec, RProp", &sets::LARGE).1, Some(0), "all rows at once");
    }
}
