#![doc = include_str!("README.md")]

mod learn;
mod model;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::over_time::known_of;
use super::{
    About, Card, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Rows, SeriesRows};
use crate::error::{Error, Result};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use learn::fitted;
use model::{Kind, StateSpace};

/// Numbers kept of a variable.
const KEPT: usize = 4;

/// The entry of the list.
pub struct Kalman;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// How the level moves; none: as fits best.
    model: Option<Kind>,
    /// Series that parameters are learned from, at most.
    series: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { model: None, series: 1000 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        match settings.series {
            0 => Err(Error::setting("series", "there is nothing to learn from")),
            _ => Ok(settings),
        }
    }
}

static CARD: Card = Card {
    name: "kalman",
    does: &[(Shape::Series, Job::Fill)],
    short_lists: &[(Shape::Series, Job::Fill)],
    cost: Cost::Low,
    about: About {
        title: "A hidden level that wanders, measured with an error",
        idea: "Every variable has a hidden level that wanders, reverts or has a slope, by what fits best (BIC); holes get \
               the level smoothed from before and after, draws are paths of it with errors of measurement.",
        paper: "Kalman 1960; Rauch, Tung, Striebel 1965; Carter, Kohn 1994 (draws)",
        when: "Noisy values, long gaps, forecasts, and bands that grow with the distance from what is known.",
        when_not: "Where other variables tell more than the past of the same one.",
    },
    settings: &[
        Setting { name: "model", help: "how the level moves: level, reverting or trend; null: as fits best" },
        Setting { name: "series", help: "series that parameters are learned from, at most" },
    ],
    space: &[],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Kalman {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (coder, rows) = examples.series()?;
        let settings = Settings::checked(settings)?;
        let mut some = Stream::new(run.seed(), "series learned from", 0, 0).permutation(rows.len());
        some.truncate(settings.series);
        some.sort_unstable();
        let kinds = settings.model.map_or(vec![Kind::Level, Kind::Reverting, Kind::Trend], |kind| vec![kind]);
        let mut fit = Fitted { names: Vec::new(), gap: coder.gap, models: Vec::new() };
        for (variable, own) in coder.variables.iter().enumerate() {
            if run.stopped() {
                return Err(Error::Stopped);
            }
            let in_gaps =
                |known: Vec<(f64, f64)>| known.into_iter().map(|(time, y)| (time / coder.gap, y)).collect();
            let known: Vec<Vec<(f64, f64)>> =
                some.iter().map(|&row| in_gaps(known_of(rows, row, variable))).collect();
            let best = kinds.iter().map(|kind| fitted(*kind, &known)).min_by(|a, b| a.1.total_cmp(&b.1));
            let unknown = StateSpace { kind: Kind::Level, q: 1.0, r: 1.0, theta: 0.0 };
            fit.models.push(best.filter(|_| own.known > 0).map_or(unknown, |(model, _)| model));
            fit.names.push(own.name.clone());
            run.progress(variable as u64 + 1, coder.variables.len() as u64, "variables");
        }
        run.finished();
        Ok(Box::new(fit))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        Settings::checked(settings)?;
        let coder = layout.series()?;
        let numbers = arrays.doubles("models", &[coder.variables.len(), KEPT])?;
        let model = |own: &[f64]| {
            let kind = [Kind::Level, Kind::Reverting, Kind::Trend].get(own[0] as usize).copied();
            let sound = own.iter().all(|number| number.is_finite() && *number >= 0.0) && own[2] > 0.0;
            let kind = kind.filter(|_| sound).ok_or_else(|| Error::damaged("its variances can't be such"))?;
            Ok(StateSpace { kind, q: own[1], r: own[2], theta: own[3] })
        };
        let models = numbers.chunks_exact(KEPT).map(model).collect::<Result<Vec<_>>>()?;
        let names = coder.variables.iter().map(|variable| variable.name.clone()).collect();
        Ok(Box::new(Fitted { names, gap: coder.gap, models }))
    }
}

struct Fitted {
    names: Vec<String>,
    gap: f64,
    /// By variable.
    models: Vec<StateSpace>,
}

impl Fitted {
    /// Every cell of a series.
    fn levels(&self, rows: &SeriesRows, row: usize, draw: Option<Draw>) -> Vec<f64> {
        let (series, width) = (rows.series(), self.models.len());
        let times: Vec<f64> = series.times(row).iter().map(|time| time / self.gap).collect();
        let mut filled = vec![0.0; times.len() * width];
        for (variable, model) in self.models.iter().enumerate() {
            let mut values = vec![None; times.len()];
            let scale = &rows.coder().variables[variable];
            series.known(row, variable).for_each(|(step, _, value)| values[step] = Some(scale.scaled(value)));
            let address = |draw: Draw| {
                let number = draw.number * width as u64 + variable as u64;
                Draw { number, ..draw }.stream("kalman", row)
            };
            let mut stream = draw.map(address);
            let levels = model.smoothed(&times, &values, stream.as_mut());
            levels.iter().enumerate().for_each(|(step, level)| filled[step * width + variable] = *level);
        }
        filled
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let numbers = |model: &StateSpace| [f64::from(model.kind as u8), model.q, model.r, model.theta];
        let mut arrays = Arrays::default();
        arrays.put_doubles(
            "models",
            &[self.models.len(), KEPT],
            self.models.iter().flat_map(numbers).collect(),
        );
        arrays
    }

    fn summary(&self) -> Value {
        let model = |(name, own): (&String, &StateSpace)| {
            (name.clone(), json!({ "model": own.kind, "q": own.q, "r": own.r, "theta": own.theta }))
        };
        json!({ "variables": self.names.iter().zip(&self.models).map(model).collect::<Map<_, _>>() })
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        rows.series_mut()?.fill_each(|row, rows| self.levels(rows, row, draw));
        Ok(())
    }
}
