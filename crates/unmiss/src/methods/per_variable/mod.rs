#![doc = include_str!("README.md")]

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    About, Card, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting, defaults_of, find,
    parse, short_list,
};
use crate::data::Shape;
use crate::encode::{Rows, SeriesCoder, SeriesRows};
use crate::error::{Error, Result};
use crate::missing::{ends_to_hide, values_to_hide};
use crate::run::Run;
use crate::store::Arrays;

/// The array that says what was chosen.
const CHOICE: &str = "choice";

/// The entry of the list.
pub struct PerVariable;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    /// The imputers to choose from.
    methods: Vec<String>,
    /// The share of the known values that is hidden.
    hide: f64,
    /// Whether the ends of series are hidden instead of values at random.
    ends: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let listed = short_list(Shape::Series, Job::Fill);
        Self {
            methods: listed.iter().map(|method| method.name().to_owned()).collect(),
            hide: 0.1,
            ends: false,
        }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        for name in &settings.methods {
            if name == CARD.name {
                return Err(Error::setting("methods", "it can't choose itself"));
            }
            find(name, Shape::Series, Job::Fill)?;
        }
        if settings.methods.is_empty() {
            return Err(Error::setting("methods", "there is nothing to choose from"));
        }
        if !(settings.hide > 0.0 && settings.hide < 1.0) {
            return Err(Error::setting("hide", format!("{} is not between 0 and 1", settings.hide)));
        }
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "per-variable",
    does: &[(Shape::Series, Job::Fill)],
    short_lists: &[],
    cost: Cost::Medium,
    about: About {
        title: "The best imputer for each variable, found by hiding known values",
        idea: "Known values are hidden, several imputers fill them, and each variable takes the one that came nearest to \
               the truth; those chosen then learn from all values.",
        paper: "",
        when: "Always, unless you know better: it is the default for series.",
        when_not: "When an analysis must name one method, or seconds count.",
    },
    settings: &[
        Setting { name: "methods", help: "the imputers to choose from, as [\"interpolation\", \"kalman\"]" },
        Setting { name: "hide", help: "share of the known values that is hidden to compare them" },
        Setting {
            name: "ends",
            help: "hide the ends of series and not values at random, to choose who forecasts best",
        },
    ],
    space: &[],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

/// What was found on hidden values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Choice {
    /// The imputers compared.
    methods: Vec<String>,
    /// By variable: which of them.
    best: Vec<usize>,
    /// By variable and imputer: the mean absolute error in standard deviations; none where nothing was hidden.
    errors: Vec<Vec<Option<f64>>>,
    /// Values hidden.
    hidden: usize,
}

impl Choice {
    fn needs(&self, method: usize) -> bool {
        self.best.contains(&method)
    }
}

impl Method for PerVariable {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (coder, rows) = examples.series()?;
        let settings = Settings::checked(settings)?;
        let choice = chosen(&settings, coder, rows, run)?;
        let mut members = Vec::new();
        for (place, name) in choice.methods.iter().enumerate() {
            let method = find(name, Shape::Series, Job::Fill)?;
            let part = run.part(&format!("{name}, all values"));
            members.push(match choice.needs(place) {
                true => Some(method.fit(&method.defaults(), examples, &part)?),
                false => None,
            });
        }
        let names = coder.variables.iter().map(|variable| variable.name.clone()).collect();
        Ok(Box::new(Fitted { names, ends: settings.ends, choice, members }))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let settings = Settings::checked(settings)?;
        let coder = layout.series()?;
        let damaged = |what: &str| Error::damaged(format!("what was chosen can't be read: {what}"));
        let choice: Choice =
            serde_json::from_slice(arrays.bytes(CHOICE)?).map_err(|error| damaged(&error.to_string()))?;
        let sound = choice.best.len() == coder.variables.len()
            && choice.errors.len() == coder.variables.len()
            && choice.errors.iter().all(|errors| errors.len() == choice.methods.len())
            && choice.best.iter().all(|best| *best < choice.methods.len());
        if !sound || choice.methods.iter().any(|name| name == CARD.name) {
            return Err(damaged("its parts contradict each other"));
        }
        let mut members = Vec::new();
        for (place, name) in choice.methods.iter().enumerate() {
            let method = find(name, Shape::Series, Job::Fill)?;
            members.push(match choice.needs(place) {
                true => {
                    Some(method.load(&method.defaults(), layout, &arrays.with_prefix(&format!("{name}/")))?)
                }
                false => None,
            });
        }
        let names = coder.variables.iter().map(|variable| variable.name.clone()).collect();
        Ok(Box::new(Fitted { names, ends: settings.ends, choice, members }))
    }
}

/// Hides values, has them filled by each imputer, and finds the nearest for each variable.
fn chosen(settings: &Settings, coder: &SeriesCoder, rows: &SeriesRows, run: &Run) -> Result<Choice> {
    let (methods, variables) = (settings.methods.clone(), coder.variables.len());
    // Where there is nothing to hide, the first does.
    let places = match settings.ends {
        true => ends_to_hide(rows.series(), settings.hide),
        false => values_to_hide(rows.series(), settings.hide, run.seed()).unwrap_or_default(),
    };
    let mut errors = vec![vec![None; methods.len()]; variables];
    if !places.is_empty() && methods.len() > 1 {
        let mut holed = rows.clone();
        places.iter().for_each(|&(one, step, variable)| holed.hide_value(one, step, variable));
        for (method, name) in methods.iter().enumerate() {
            let own = find(name, Shape::Series, Job::Fill)?;
            let part = run.part(&format!("{name}, hidden values"));
            let examples = Examples::Series { coder, rows: &holed, targets: None };
            let learned = own.fit(&own.defaults(), examples, &part)?;
            let mut filled = Rows::Series(holed.clone());
            learned.imputer().map_or(Ok(()), |imputer| imputer.fill(&mut filled, None))?;
            let (truth, filled) = (rows.series(), filled.series()?.series());
            let mut sums = vec![(0_usize, 0.0); variables];
            for &(one, step, variable) in &places {
                let cell = step * variables + variable;
                let error = (truth.values(one)[cell] - filled.values(one)[cell]).abs();
                sums[variable].0 += 1;
                sums[variable].1 += error / coder.variables[variable].deviation;
            }
            for (variable, (count, sum)) in sums.into_iter().enumerate().filter(|(_, (count, _))| *count > 0)
            {
                errors[variable][method] = Some(sum / count as f64);
            }
        }
    }
    let total = |method: usize| errors.iter().filter_map(|own| own[method]).sum::<f64>();
    let usual = (0..methods.len()).min_by(|a, b| total(*a).total_cmp(&total(*b))).unwrap_or(0);
    let least = |own: &Vec<Option<f64>>| {
        let known = own.iter().enumerate().filter_map(|(method, error)| error.map(|error| (method, error)));
        known.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(usual, |(method, _)| method)
    };
    Ok(Choice { best: errors.iter().map(least).collect(), methods, errors, hidden: places.len() })
}

struct Fitted {
    names: Vec<String>,
    /// Whether it was chosen by forecasts.
    ends: bool,
    choice: Choice,
    /// By imputer; none where no variable takes it.
    members: Vec<Option<Box<dyn Learned>>>,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        // Plain data: turning it into JSON can't fail.
        arrays.put_bytes(CHOICE, serde_json::to_vec(&self.choice).unwrap_or_default());
        for (name, member) in self.choice.methods.iter().zip(&self.members) {
            if let Some(member) = member {
                arrays.put_all(&format!("{name}/"), member.save());
            }
        }
        arrays
    }

    fn summary(&self) -> Value {
        let Choice { methods, best, errors, hidden } = &self.choice;
        let variable = |(place, name): (usize, &String)| {
            let all =
                methods.iter().zip(&errors[place]).map(|(method, error)| (method.clone(), json!(error)));
            let found = json!({ "method": methods[best[place]], "errors": all.collect::<Map<_, _>>() });
            (name.clone(), found)
        };
        let variables = self.names.iter().enumerate().map(variable).collect::<Map<_, _>>();
        json!({ "hidden": hidden, "ends": self.ends, "variables": variables })
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let mut fillings = Vec::new();
        for member in &self.members {
            fillings.push(match member.as_ref().and_then(|member| member.imputer()) {
                Some(imputer) => {
                    let mut own = rows.clone();
                    imputer.fill(&mut own, draw)?;
                    Some(own.series()?.series().clone())
                }
                None => None,
            });
        }
        let best = &self.choice.best;
        rows.series_mut()?.fill_each(|row, rows| {
            let variables = &rows.coder().variables;
            let cell = |cell: usize| {
                let variable = cell % best.len();
                let own = fillings[best[variable]].as_ref().map_or(0.0, |own| own.values(row)[cell]);
                (own - variables[variable].mean) / variables[variable].deviation
            };
            (0..rows.series().observed(row).len()).map(cell).collect()
        });
        Ok(())
    }
}
