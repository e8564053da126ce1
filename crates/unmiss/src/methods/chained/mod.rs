#![doc = include_str!("README.md")]

mod chain;
mod drawn;
mod equation;
mod keep;
mod logistic;
mod ridge;
mod rules;
mod sweep;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::each_row::for_each_row;
use super::{
    About, Axis, Card, Choices, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{Encoder, Rows, Wide};
use crate::error::{Error, Result};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use chain::{Trace, scale_reduction};
use drawn::{Drawn, Noise};
use equation::Equation;
use rules::{Rules, row_weights};
use sweep::Sweep;

/// Rounds for a row that is filled: what one hole gets depends on what the others got.
const FILL_ROUNDS: u64 = 10;
/// Chains whose potential scale reduction is below this agree.
const MOST_REDUCTION: f64 = 1.1;
/// A row whose holes move less than this is done.
const FILL_TOLERANCE: f64 = 1e-4;

/// The entry of the list.
pub struct Chained;

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Draws {
    #[default]
    Matched,
    Known,
    Normal,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Settings {
    rounds: usize,
    tolerance: f64,
    predictors: usize,
    draws: Draws,
    draw_rounds: usize,
    equations: Vec<String>,
    order: Vec<String>,
    weights: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rounds: 20,
            tolerance: 0.01,
            predictors: 100,
            draws: Draws::Matched,
            draw_rounds: 15,
            equations: Vec::new(),
            order: Vec::new(),
            weights: String::new(),
        }
    }
}

impl Settings {
    fn noise(&self) -> Noise {
        match self.draws {
            Draws::Matched => Noise::Matched,
            Draws::Known => Noise::Known,
            Draws::Normal => Noise::Normal,
        }
    }

    /// The rules for the columns of an encoder, and how many predictors an equation has at most.
    fn rules(&self, encoder: &Encoder) -> Result<(Rules, usize)> {
        Ok((Rules::new(&self.equations, &self.order, encoder)?, self.predictors))
    }

    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if settings.tolerance.is_nan() || settings.tolerance < 0.0 {
            return Err(Error::setting("tolerance", format!("{} is not 0 or above", settings.tolerance)));
        }
        let counts = [
            ("rounds", settings.rounds),
            ("predictors", settings.predictors),
            ("draw-rounds", settings.draw_rounds),
        ];
        for (name, value) in counts {
            if !(1..=10_000).contains(&value) {
                return Err(Error::setting(name, format!("{value} is not between 1 and 10000")));
            }
        }
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "chained",
    does: &[(Shape::Table, Job::Fill)],
    short_lists: &[(Shape::Table, Job::Fill)],
    cost: Cost::High,
    about: About {
        title: "Chained equations: each column from all the others",
        idea: "Round by round, each column with holes is regressed on all others, over the rows that know it, and \
               its holes are filled with what the regression says: ridge regression for numbers, logistic \
               regression for categories, within the column's limits. Every draw has a chain of its own, in which \
               the parameters of all equations are drawn too; numbers match known values of rows with a like \
               prediction.",
        paper: "van Buuren and Groothuis-Oudshoorn 2011; MacKay 1992; Little 1988",
        when: "Columns of different kinds; multiple imputation as users of chained equations know it.",
        when_not: "Where relations bend (`boosted`), or where `gaussian` says the same in less time.",
    },
    settings: &[
        Setting { name: "rounds", help: "rounds, at most" },
        Setting {
            name: "tolerance",
            help: "a round that changes no column's holes by more than this (root mean square, in standard \
               deviations) is the last",
        },
        Setting { name: "predictors", help: "columns in an equation, at most: those that go with it most" },
        Setting {
            name: "draws",
            help: "how numbers are drawn: matched (a known value of a row with a like prediction, or the line and a \
               row's residual where none is near), known (always a known value, however far) or normal",
        },
        Setting { name: "draw-rounds", help: "rounds of each draw's chain; see that the chains agree" },
        Setting {
            name: "equations",
            help: "which columns predict single ones, as [\"bmi ~ height + weight\", \"age ~ . - id\"]; all others by all",
        },
        Setting {
            name: "order",
            help: "columns to visit first, as [\"age\", \"bmi\"]; the others follow, fewest holes first",
        },
        Setting {
            name: "weights",
            help: "a column that tells what each row counts, as in a survey; empty: all the same",
        },
    ],
    space: &[
        Axis::new("rounds", Choices::Integers(2, 20)),
        Axis::new("predictors", Choices::Integers(2, 60)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Chained {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (encoder, rows) = examples.table()?;
        let settings = Settings::checked(settings)?;
        let wide = Wide::new(encoder);
        let widened = wide.widen(rows);
        let numbers = encoder.numbers.len();
        let mut sweep = Sweep::new(encoder, &wide, &widened, settings.rules(encoder)?, run.seed());
        sweep.weigh(row_weights(&settings.weights, encoder, rows)?);
        let (holed, complete) = sweep.order();
        let mut equations: Vec<Equation> =
            holed.iter().map(|&feature| sweep.equation(feature, numbers)).collect();
        let mut changes = Vec::new();
        for round in 0..settings.rounds {
            let change = sweep.round(&mut equations, run);
            changes.push(change);
            run.progress(round as u64 + 1, settings.rounds as u64, format!("change {change:.4}"));
            if change < settings.tolerance || run.stopped() {
                break;
            }
        }
        let mut rest: Vec<Equation> =
            complete.iter().map(|&feature| sweep.equation(feature, numbers)).collect();
        rest.iter_mut().for_each(|equation| sweep.fit(equation));
        equations.append(&mut rest);
        run.finished();
        let (sets, traces) = (Vec::new(), Vec::new());
        Ok(Box::new(Fitted { numbers, guess: equations, sets, traces, changes, settings, wide }))
    }

    fn proper_draws(&self) -> bool {
        true
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let encoder = layout.table()?;
        let settings = Settings::checked(settings)?;
        let wide = Wide::new(encoder);
        let numbers = encoder.numbers.len();
        let count = arrays.shape("order").and_then(|shape| shape.first().copied()).unwrap_or(0);
        let order = arrays.doubles("order", &[count])?;
        if order.iter().any(|feature| !(*feature >= 0.0 && *feature < wide.features() as f64)) {
            return Err(Error::data("array `order` names a column that is not there"));
        }
        let equation = |feature: &f64| {
            let feature = *feature as usize;
            Equation::load(&format!("guess {feature}"), feature, &wide, numbers, arrays)
        };
        let guess = order.iter().map(equation).collect::<Result<Vec<_>>>()?;
        let rounds = arrays.shape("changes").and_then(|shape| shape.first().copied()).unwrap_or(0);
        let changes = arrays.doubles("changes", &[rounds])?.to_vec();
        // Files of before have no sets.
        let (mut sets, mut traces) = (Vec::new(), Vec::new());
        if let Ok(bytes) = arrays.bytes("traces") {
            traces = serde_json::from_slice::<Vec<Trace>>(bytes)
                .map_err(|error| Error::data(format!("the traces can't be read: {error}")))?;
            let count = *arrays.doubles("sets", &[1])?.first().unwrap_or(&0.0);
            sets = keep::load(count as usize, &guess, &wide, arrays)?;
        }
        Ok(Box::new(Fitted { numbers, guess, sets, traces, changes, settings, wide }))
    }
}

struct Fitted {
    wide: Wide,
    numbers: usize,
    /// Equations in the order of a round, for best guesses.
    guess: Vec<Equation>,
    /// For each draw, the same equations with drawn parameters.
    sets: Vec<Vec<Drawn>>,
    /// How the chains went, for each column with holes.
    traces: Vec<Trace>,
    /// The change of every round.
    changes: Vec<f64>,
    settings: Settings,
}

impl Fitted {
    /// Round after round over the row's holes.
    fn guess_row(&self, holes: &[usize], line: &mut [f64]) {
        for _ in 0..FILL_ROUNDS {
            let mut moved: f64 = 0.0;
            for &place in holes {
                let equation = &self.guess[place];
                let before: Vec<f64> = line[self.wide.places(equation.feature)].to_vec();
                equation.guess(&self.wide, line);
                let after = &line[self.wide.places(equation.feature)];
                moved = before.iter().zip(after).map(|(a, b)| (a - b).abs()).fold(moved, f64::max);
            }
            if moved < FILL_TOLERANCE {
                break;
            }
        }
    }

    /// Draws a row's holes; several depend on each other and take turns.
    fn draw_row(&self, holes: &[usize], set: Option<&Vec<Drawn>>, line: &mut [f64], stream: &mut Stream) {
        for _ in 0..if holes.len() > 1 { FILL_ROUNDS } else { 1 } {
            for &place in holes {
                match set.and_then(|set| set.get(place)) {
                    Some(drawn) => drawn.draw(&self.wide, self.settings.noise(), line, stream),
                    None => self.guess[place].draw(&self.wide, line, stream),
                }
            }
        }
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let order: Vec<f64> = self.guess.iter().map(|equation| equation.feature as f64).collect();
        arrays.put_doubles("order", &[order.len()], order);
        arrays.put_doubles("changes", &[self.changes.len()], self.changes.clone());
        for equation in &self.guess {
            equation.save(&format!("guess {}", equation.feature), &mut arrays);
        }
        if !self.sets.is_empty() {
            arrays.put_doubles("sets", &[1], vec![self.sets.len() as f64]);
            // Plain data: turning it into JSON can't fail.
            arrays.put_bytes("traces", serde_json::to_vec(&self.traces).unwrap_or_default());
            keep::save(&self.sets, &mut arrays);
        }
        arrays
    }

    fn summary(&self) -> Value {
        let last = self.changes.last().copied().unwrap_or(0.0);
        let why = match last < self.settings.tolerance {
            true => format!("it changed no column by more than the tolerance {}", self.settings.tolerance),
            false => format!("{} rounds are the limit (setting `rounds`)", self.settings.rounds),
        };
        let changes: Vec<String> = self.changes.iter().map(|change| format!("{change:.3}")).collect();
        let mut sentences = vec![
            format!("Round {} was the last: {why}.", self.changes.len()),
            format!("Largest change of a column, round by round: {}.", changes.join(", ")),
        ];
        let worst = self.traces.iter().filter_map(|trace| scale_reduction(&trace.means)).fold(0.0, f64::max);
        if worst > 0.0 {
            let agree = if worst < MOST_REDUCTION { "they agree" } else { "more `draw-rounds` would help" };
            sentences.push(format!(
                "{} chains of {} rounds for the draws; potential scale reduction at most {worst:.2}: {agree}.",
                self.sets.len(),
                self.settings.draw_rounds
            ));
        }
        let traces: Vec<Value> = self
            .traces
            .iter()
            .map(|trace| {
                json!({
                    "feature": trace.feature,
                    "means": trace.means,
                    "deviations": trace.deviations,
                    "scale reduction": scale_reduction(&trace.means),
                })
            })
            .collect();
        json!({
            "rounds": self.changes.len(),
            "changes": self.changes,
            "sentences": sentences,
            "numbers": self.numbers,
            "parameter sets": self.sets.len(),
            "traces": traces,
        })
    }

    fn prepare_draws(&mut self, sets: usize, examples: Examples<'_>, run: &Run) -> Result<()> {
        let (encoder, rows) = examples.table()?;
        let widened = self.wide.widen(rows);
        let rules = self.settings.rules(encoder)?;
        let mut sweep = Sweep::new(encoder, &self.wide, &widened, rules, run.seed());
        sweep.weigh(row_weights(&self.settings.weights, encoder, rows)?);
        let (holed, _) = sweep.order();
        let equations = self.guess.split_at(holed.len().min(self.guess.len()));
        let noise = self.settings.noise();
        let chains = chain::chains(sets, self.settings.draw_rounds, (&sweep, noise), equations, run)?;
        (self.sets, self.traces) = (chains.sets, chains.traces);
        Ok(())
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn why_no_formula(&self) -> &'static str {
        "it goes over the columns in rounds until they settle"
    }

    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.table_mut()?;
        let widened = self.wide.widen(rows);
        let columns = self.wide.columns();
        let set = draw.and_then(|draw| self.sets.get(draw.set(self.sets.len())));
        for_each_row(rows, |row, mut line| {
            let cells = row * columns..(row + 1) * columns;
            let observed = &widened.observed[cells.clone()];
            let mut filled: Vec<f64> = widened.values[cells].iter().map(|value| f64::from(*value)).collect();
            let is_hole = |equation: &Equation| !observed[self.wide.places(equation.feature).start];
            let holes: Vec<usize> =
                (0..self.guess.len()).filter(|&place| is_hole(&self.guess[place])).collect();
            match draw {
                Some(draw) => self.draw_row(&holes, set, &mut filled, &mut draw.stream("chained", row)),
                None => self.guess_row(&holes, &mut filled),
            }
            self.wide.narrow(&filled, &mut line, None);
        });
        Ok(())
    }

    fn parameter_sets(&self) -> usize {
        self.sets.len()
    }
}
