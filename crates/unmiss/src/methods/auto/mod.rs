#![doc = include_str!("README.md")]

mod contest;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    About, Card, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting, defaults_of, find,
    parse, short_list,
};
use crate::data::Shape;
use crate::encode::{Encoder, Rows, Written};
use crate::error::{Error, Result};
use crate::onnx::{Graph, Symbol};
use crate::run::Run;
use crate::store::Arrays;
use contest::Verdict;

/// The entry of the list.
pub struct Auto;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    methods: Vec<String>,
    hide: f64,
    rows: usize,
}

impl Default for Settings {
    fn default() -> Self {
        let methods = short_list(Shape::Table, Job::Fill);
        let methods = methods.iter().map(|method| method.name().to_owned()).collect();
        Self { methods, hide: 0.15, rows: 5000 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        for name in &settings.methods {
            if name == "auto" {
                return Err(Error::setting("methods", "`auto` can't choose itself"));
            }
            find(name, Shape::Table, Job::Fill)?;
        }
        if settings.methods.is_empty() {
            return Err(Error::setting("methods", "there is nothing to choose from"));
        }
        if !(settings.hide > 0.0 && settings.hide < 1.0) {
            return Err(Error::setting("hide", format!("{} is not between 0 and 1", settings.hide)));
        }
        if settings.rows < 10 {
            return Err(Error::setting("rows", format!("{} is not 10 or more", settings.rows)));
        }
        Ok(settings)
    }
}

static CARD: Card = Card {
    name: "auto",
    does: &[(Shape::Table, Job::Fill)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "The best imputer for each column, found by hiding known cells",
        idea: "Known cells are hidden, several imputers fill them, and each column takes the one, or the blend, \
               that came nearest to the truth: never worse than the mean on these cells.",
        paper: "Breiman 1996 (weights of a blend); Akaike 1974 (who gets one)",
        when: "Always, unless you know better: it is the default.",
        when_not: "When seconds count, or when an analysis must name one method.",
    },
    settings: &[
        Setting { name: "methods", help: "the imputers to choose from, as [\"mean\", \"gaussian\"]" },
        Setting { name: "hide", help: "share of the known cells that are hidden to compare them" },
        Setting { name: "rows", help: "rows on which they are compared, at most" },
    ],
    space: &[],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Auto {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (encoder, rows) = examples.table()?;
        let settings = Settings::checked(settings)?;
        let (names, left_out) = contest::affordable(&settings.methods, encoder, rows);
        let verdict = contest::hold(&names, encoder, rows, settings.hide, settings.rows, run)?;
        // What was stopped is the comparison; those that came nearest are learned to their end.
        let mut run = if verdict.cut_off { run.to_the_end() } else { run.clone() };
        let mut late = false;
        let mut members = Vec::new();
        for (place, name) in verdict.names.iter().enumerate().filter(|(place, _)| verdict.needs(*place)) {
            let task = format!("{name}, all rows");
            let method = find(name, Shape::Table, Job::Fill)?;
            let learn = |run: &Run| method.fit(&verdict.settings[place], examples, &run.part(&task));
            let mut learned = learn(&run);
            if run.stopped() {
                (run, late) = (run.to_the_end(), true);
                learned = learn(&run);
            }
            let learned = learned?;
            members.push(Member { name: name.clone(), place, learned });
        }
        Ok(Box::new(Fitted { late, ..Fitted::new(encoder, members, verdict, left_out) }))
    }

    fn proper_draws(&self) -> bool {
        true
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let encoder = layout.table()?;
        self.check(settings)?;
        let damaged = |what: &str| Error::data(format!("what `auto` chose can't be read: {what}"));
        let verdict: Verdict =
            serde_json::from_slice(arrays.bytes("verdict")?).map_err(|error| damaged(&error.to_string()))?;
        let left_out: Vec<String> =
            serde_json::from_slice(arrays.bytes("left out")?).map_err(|error| damaged(&error.to_string()))?;
        verdict.check(encoder.width()).map_err(damaged)?;
        let mut members = Vec::new();
        for (place, name) in verdict.names.iter().enumerate().filter(|(place, _)| verdict.needs(*place)) {
            if name == "auto" {
                return Err(damaged("it holds itself"));
            }
            let own = arrays.with_prefix(&format!("{name}/"));
            let learned =
                find(name, Shape::Table, Job::Fill)?.load(&verdict.settings[place], layout, &own)?;
            members.push(Member { name: name.clone(), place, learned });
        }
        Ok(Box::new(Fitted::new(encoder, members, verdict, left_out)))
    }
}

/// An imputer that at least one column, or the draws, need.
struct Member {
    name: String,
    /// Its place among those that were compared.
    place: usize,
    learned: Box<dyn Learned>,
}

impl Member {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        self.learned.imputer().map_or(Ok(()), |imputer| imputer.fill(rows, draw))
    }
}

struct Fitted {
    /// Names of the features: numbers, then categories.
    features: Vec<String>,
    numbers: usize,
    members: Vec<Member>,
    verdict: Verdict,
    /// Imputers that were not compared, each with the reason.
    left_out: Vec<String>,
    /// Whether it was stopped after the comparison; a file does not say it again.
    late: bool,
}

impl Fitted {
    fn new(encoder: &Encoder, members: Vec<Member>, verdict: Verdict, left_out: Vec<String>) -> Self {
        let numbers = encoder.numbers.iter().map(|feature| feature.name.clone());
        let features = numbers.chain(encoder.categories.iter().map(|feature| feature.name.clone())).collect();
        Self { features, numbers: encoder.numbers.len(), members, verdict, left_out, late: false }
    }

    /// The weighted sum of what the members say.
    fn blend(&self, rows: &mut Rows) -> Result<()> {
        let given = rows.table()?;
        let mut blended = given.clone();
        let numbers = self.numbers;
        let categories = self.features.len() - numbers;
        let hidden: Vec<usize> =
            (0..given.numbers.len()).filter(|&cell| !given.numbers_observed[cell]).collect();
        hidden.iter().for_each(|&cell| blended.numbers[cell] = 0.0);
        for member in &self.members {
            let mut own = rows.clone();
            member.fill(&mut own, None)?;
            let own = own.table()?;
            for &cell in &hidden {
                let weight = self.verdict.weights[cell % numbers][member.place];
                if weight > 0.0 {
                    blended.numbers[cell] += weight as f32 * own.numbers[cell];
                }
            }
            for cell in (0..given.codes.len()).filter(|&cell| !given.codes_observed[cell]) {
                if self.verdict.weights[numbers + cell % categories][member.place] > 0.0 {
                    blended.codes[cell] = own.codes[cell];
                }
            }
        }
        *rows = blended.into();
        Ok(())
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        for member in &self.members {
            arrays.put_all(&format!("{}/", member.name), member.learned.save());
        }
        // Plain data: turning it into JSON can't fail.
        arrays.put_bytes("verdict", serde_json::to_vec(&self.verdict).unwrap_or_default());
        arrays.put_bytes("left out", serde_json::to_vec(&self.left_out).unwrap_or_default());
        arrays
    }

    fn summary(&self) -> Value {
        let columns = self.features.iter().enumerate().map(|(feature, name)| {
            let kind = if feature < self.numbers {
                "root mean square error in standard deviations"
            } else {
                "share of wrong levels"
            };
            let how = json!({
                "how": self.verdict.words(feature),
                "weights": self.verdict.weights_by_name(feature),
                "error": self.verdict.errors[feature],
                "error of": kind,
                "errors": self.verdict.errors_by_name(feature),
            });
            (name.clone(), how)
        });
        let mut sentences = self.verdict.sentences();
        sentences.extend(self.left_out.iter().cloned());
        let columns = Value::Object(columns.collect::<Map<_, _>>());
        let mut summary = json!({ "columns": columns, "sentences": sentences });
        let joint = self.members.iter().find(|member| member.place == self.verdict.joint);
        if let Some(joint) = joint.filter(|_| self.parameter_sets() > 0) {
            summary["draws"] = joint.learned.summary();
        }
        if self.late {
            summary["cut off"] =
                "The comparison was done when it was stopped; what was chosen was learned to its end.".into();
        }
        if self.verdict.cut_off {
            let names = self.verdict.names.join(", ");
            summary["cut off"] = format!("The comparison was stopped when {names} had been compared.").into();
        }
        summary
    }

    fn prepare_draws(&mut self, sets: usize, examples: Examples<'_>, run: &Run) -> Result<()> {
        // A comparison that was cut off has chosen; what it chose is learned to its end.
        let run = if self.verdict.cut_off || self.late { run.to_the_end() } else { run.clone() };
        let joint = self.members.iter_mut().find(|member| member.place == self.verdict.joint);
        joint.map_or(Ok(()), |joint| joint.learned.prepare_draws(sets, examples, &run))
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn write(&self, graph: &mut Graph, rows: &Written) -> Result<Written> {
        let given = rows.table()?;
        let mut blended = given.clone();
        let mut sum: Option<Symbol> = None;
        for member in &self.members {
            let Some(imputer) = member.learned.imputer() else { continue };
            let own = imputer.write(graph, rows).map_err(|error| error.told_of(&member.name))?;
            let own = own.table()?;
            let weight = |feature: usize| self.verdict.weights[feature][member.place];
            if let Some(numbers) = &own.numbers {
                let weights: Vec<f32> =
                    (0..self.numbers).map(|column| weight(column).max(0.0) as f32).collect();
                let weights = graph.singles(&[1, weights.len()], &weights);
                let part = graph.times(&weights, &numbers.values);
                sum = Some(sum.map_or_else(|| part.clone(), |sum| graph.add(&sum, &part)));
            }
            let categories = blended.categories.iter_mut().zip(&own.categories).enumerate();
            let chosen = categories.filter(|(place, _)| weight(self.numbers + place) > 0.0);
            chosen.for_each(|(_, (category, own))| category.place = own.place.clone());
        }
        if let (Some(numbers), Some(sum)) = (&mut blended.numbers, &sum) {
            numbers.values = graph.choose(&numbers.observed, &numbers.values, sum);
        }
        Ok(Written::Table(blended))
    }

    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        match self.members.iter().find(|member| member.place == self.verdict.joint) {
            Some(joint) if draw.is_some() => joint.fill(rows, draw),
            _ => self.blend(rows),
        }
    }

    fn parameter_sets(&self) -> usize {
        let joint = self.members.iter().find(|member| member.place == self.verdict.joint);
        joint.and_then(|joint| joint.learned.imputer()).map_or(0, Imputer::parameter_sets)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::data::{Column, Kind, Table};
    use crate::encode::Encoding;
    use crate::run::Event;

    /// Two columns with holes.
    fn small() -> (Encoder, crate::encode::Encoded) {
        let cells = |slope: f64| -> Vec<f64> {
            let value = |row: u32| f64::from(row * 7 % 31) * slope + f64::from(row * row % 5);
            (0..60)
                .map(|row| if (row + slope as u32).is_multiple_of(4) { f64::NAN } else { value(row) })
                .collect()
        };
        let columns = [("a", cells(1.0)), ("b", cells(2.0))];
        let columns = columns.map(|(name, cells)| Column::from_numbers(name, Kind::Real, &cells)).to_vec();
        let table = Table::new(columns).unwrap();
        let encoder = Encoder::fit(&table, &["a".into(), "b".into()], Encoding::default()).unwrap();
        let rows = encoder.encode(&table, |_, _| {}).unwrap();
        (encoder, rows)
    }

    /// Who is stopped when all is compared has what came nearest, learned to its end.
    #[test]
    fn a_stop_after_the_comparison_loses_nothing() {
        let (encoder, rows) = small();
        let examples = Examples::Table { encoder: &encoder, rows: &rows, targets: None };
        let settings = json!({ "methods": ["gaussian"] });
        let run = Run::new(1, 1).unwrap();
        let whole = Auto.fit(&settings, examples, &run).unwrap();
        let stop = run.stop_switch();
        let run = run.listened_by(move |event| {
            if let Event::Progress { task, .. } | Event::Finished { task } = event
                && task.contains("all rows")
            {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let late = Auto.fit(&settings, examples, &run).unwrap();
        assert!(run.stopped() && whole.save() == late.save());
        assert!(
            late.summary()["cut off"].as_str().is_some_and(|words| words.contains("comparison was done"))
        );
        assert_eq!(whole.summary()["cut off"], Value::Null);
    }

    /// A member is what it was when it was fitted, whatever the defaults have become by the time its file is read.
    #[test]
    fn members_keep_their_settings() {
        let (encoder, rows) = small();
        let coder = crate::encode::Coder::Table(encoder.clone());
        let settings = json!({ "methods": ["chained"] });
        let fitted = {
            let examples = Examples::Table { encoder: &encoder, rows: &rows, targets: None };
            let run = Run::new(1, 1).unwrap();
            let mut fitted = Auto.fit(&settings, examples, &run).unwrap();
            fitted.prepare_draws(1, examples, &run).unwrap();
            fitted
        };
        let drawn = |arrays: &Arrays| {
            let learned = Auto.load(&settings, Layout { coder: &coder, task: None }, arrays).unwrap();
            let mut rows = Rows::Table(rows.clone());
            let draw = Some(Draw { seed: 1, number: 1, first_row: 0 });
            learned.imputer().unwrap().fill(&mut rows, draw).unwrap();
            rows
        };
        let mut arrays = fitted.save();
        let matched = drawn(&arrays);
        let mut verdict: Verdict = serde_json::from_slice(arrays.bytes("verdict").unwrap()).unwrap();
        assert_eq!(verdict.settings, [crate::methods::named("chained").unwrap().defaults()]);
        verdict.settings[0]["draws"] = json!("normal");
        arrays.put_bytes("verdict", serde_json::to_vec(&verdict).unwrap());
        assert_ne!(drawn(&arrays), matched);
    }
}
