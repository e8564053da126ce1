#![doc = include_str!("README.md")]

mod learn;
mod mixture;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    About, Axis, Card, Choices, Cost, Draw, Examples, Imputer, Job, Layout, Learned, Method, Setting,
    defaults_of, parse,
};
use crate::data::Shape;
use crate::encode::{ImageRows, Rows};
use crate::error::{Error, Result};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;
use learn::{Plan, learn};
use mixture::{Analyser, Known, filled};

/// Images filled at a time.
const AT_ONCE: usize = 128;
/// Images for each group, about, where their number is not said.
const IMAGES_IN_GROUP: usize = 100;
/// Groups, at most, where their number is not said.
const MOST_GROUPS: usize = 20;
/// Numbers of all images that are learned from, at most: of more a random choice.
const MOST_CELLS: usize = 8 << 20;
/// The gain of a known number's mean log-likelihood below which learning ends.
const TOLERANCE: f64 = 1e-3;

/// The entry of the list.
pub struct Mfa;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Groups of images; none: by the number of images.
    pub groups: Option<usize>,
    /// Factors of each group.
    pub factors: usize,
    /// Images' worth of belief in the mean image.
    pub ridge: f64,
    /// Rounds of expectation-maximisation, at most.
    pub rounds: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { groups: None, factors: 12, ridge: 4.0, rounds: 30 }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        if settings.groups.is_some_and(|groups| !(1..=500).contains(&groups)) {
            return Err(Error::setting("groups", "there are 1 to 500 groups"));
        }
        if !(1..=64).contains(&settings.factors) {
            return Err(Error::setting("factors", format!("{} is not between 1 and 64", settings.factors)));
        }
        if !(settings.ridge > 0.0 && settings.ridge.is_finite()) {
            return Err(Error::setting("ridge", format!("{} is not above 0", settings.ridge)));
        }
        if settings.rounds == 0 {
            return Err(Error::setting("rounds", "at least one round is needed"));
        }
        Ok(settings)
    }

    /// The course of learning from so many images of so many numbers.
    fn plan(&self, images: usize, cells: usize) -> Plan {
        let usual = (images / IMAGES_IN_GROUP).clamp(1, MOST_GROUPS);
        Plan {
            groups: self.groups.unwrap_or(usual).min(images).max(1),
            factors: self.factors.min(cells),
            ridge: self.ridge,
            rounds: self.rounds,
            tolerance: TOLERANCE,
        }
    }
}

static CARD: Card = Card {
    name: "mfa",
    does: &[(Shape::Images, Job::Fill)],
    short_lists: &[(Shape::Images, Job::Fill)],
    cost: Cost::Medium,
    about: About {
        title: "Mixture of factor analysers for images",
        idea: "Each of a few groups of images has a mean image and some factors by which its pixels move together. \
               What is known of an image says how likely each group is and where its factors stand, in closed form; \
               expectation-maximisation learns all of it from known pixels alone.",
        paper: "Ghahramani and Hinton 1996, The EM Algorithm for Mixtures of Factor Analyzers; Ghahramani and Jordan \
                1994, Supervised learning from incomplete data via an EM approach",
        when: "Small images that stand alike in their frame, such as digits, faces or scans.",
        when_not: "Photographs of anything anywhere, where only a pixel's surroundings tell: `dmfa`.",
    },
    settings: &[
        Setting { name: "groups", help: "Groups of images; null: one for each hundred images, 20 at most." },
        Setting { name: "factors", help: "Factors by which the pixels of a group move together." },
        Setting {
            name: "ridge",
            help: "How many images' worth of belief there is in the mean image and in pixels that do not move.",
        },
        Setting { name: "rounds", help: "Rounds of expectation-maximisation, at most." },
    ],
    space: &[
        Axis::new("groups", Choices::Integers(1, 40)),
        Axis::new("factors", Choices::Integers(2, 24)),
        Axis::new("ridge", Choices::LogUniform(0.5, 20.0)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Mfa {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let (coder, rows) = examples.images()?;
        let settings = Settings::checked(settings)?;
        let cells = coder.size.cells();
        let mut chosen = Stream::new(run.seed(), "images learned from", 0, 0).permutation(rows.len());
        chosen.truncate((MOST_CELLS / cells).max(100));
        chosen.sort_unstable();
        let known = known(rows, &chosen);
        let plan = settings.plan(chosen.len(), cells);
        let mut rounds = 0;
        let groups = run.compute(|| {
            learn(&known, plan, run.seed(), |round, likelihood| {
                rounds = round;
                run.progress(round as u64, plan.rounds as u64, format!("log-likelihood {likelihood:.1}"));
                !run.stopped()
            })
        });
        run.finished();
        match run.stopped() && rounds < 2 {
            true => Err(Error::Stopped),
            false => Ok(Box::new(Fitted { groups, rounds })),
        }
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let (settings, cells) = (Settings::checked(settings)?, layout.images()?.size.cells());
        let factors = settings.factors.min(cells);
        let (count, rounds) = match arrays.doubles("counts", &[2])? {
            [count, rounds] if (1.0..=1e6).contains(count) => (*count as usize, *rounds as usize),
            _ => return Err(Error::damaged("it does not say how many groups there are")),
        };
        let shares = arrays.doubles("shares", &[count])?;
        let means = arrays.doubles("means", &[count, cells])?;
        let loadings = arrays.doubles("loadings", &[count, cells, factors])?;
        let noises = arrays.doubles("noises", &[count, cells])?;
        let finite = means.iter().chain(loadings).all(|value| value.is_finite());
        if !finite || !shares.iter().chain(noises).all(|value| *value > 0.0 && value.is_finite()) {
            return Err(Error::damaged("its groups can't be those of images"));
        }
        let group = |group: usize| Analyser {
            share: shares[group],
            mean: means[group * cells..(group + 1) * cells].to_vec(),
            loadings: loadings[group * cells * factors..(group + 1) * cells * factors].to_vec(),
            noise: noises[group * cells..(group + 1) * cells].to_vec(),
        };
        Ok(Box::new(Fitted { groups: (0..count).map(group).collect(), rounds }))
    }
}

/// Some images as the mixture sees them.
fn known(rows: &ImageRows, some: &[usize]) -> Known {
    let batch = rows.batch(some);
    Known {
        values: batch.values.iter().map(|value| f64::from(*value)).collect(),
        marks: batch.observed.iter().map(|mark| f64::from(*mark)).collect(),
        cells: batch.size.cells(),
    }
}

struct Fitted {
    groups: Vec<Analyser>,
    rounds: usize,
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let count = self.groups.len();
        let cells = self.groups.first().map_or(0, |group| group.mean.len());
        let factors = self.groups.first().map_or(0, Analyser::factors);
        let all = |of: fn(&Analyser) -> &Vec<f64>| self.groups.iter().flat_map(of).copied().collect();
        arrays.put_doubles("counts", &[2], vec![count as f64, self.rounds as f64]);
        arrays.put_doubles("shares", &[count], self.groups.iter().map(|group| group.share).collect());
        arrays.put_doubles("means", &[count, cells], all(|group| &group.mean));
        arrays.put_doubles("loadings", &[count, cells, factors], all(|group| &group.loadings));
        arrays.put_doubles("noises", &[count, cells], all(|group| &group.noise));
        arrays
    }

    fn summary(&self) -> Value {
        json!({ "groups": self.groups.len(), "rounds": self.rounds })
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.images_mut()?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let block = |some: &[usize]| {
            let known = known(rows, some);
            let mut streams: Option<Vec<Stream>> =
                draw.map(|draw| some.iter().map(|&row| draw.stream("mfa", row)).collect());
            filled(&self.groups, &known, streams.as_deref_mut())
        };
        let blocks: Vec<Vec<f64>> = all.par_chunks(AT_ONCE).map(block).collect();
        for (some, values) in all.chunks(AT_ONCE).zip(&blocks) {
            for (&row, values) in some.iter().zip(values.chunks_exact(rows.size().cells())) {
                let values: Vec<f32> = values.iter().map(|value| *value as f32).collect();
                rows.fill(row, &values);
            }
        }
        Ok(())
    }
}
