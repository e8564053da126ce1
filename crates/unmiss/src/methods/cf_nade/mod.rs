#![doc = include_str!("README.md")]

mod fitted;
mod learner;
mod loss;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::vectors::{DecayOn, Vectors, mean_known};
use super::{
    About, Axis, Card, Choices, Cost, Examples, Job, Layout, Learned, Method, Setting, defaults_of, parse,
};
use crate::data::Shape;
use crate::data::ratings::{Compressed, Ratings};
use crate::error::{Error, Result};
use crate::nn::optimizer::Optimizer;
use crate::nn::schedule::Schedule;
use crate::nn::sparse::{SparseNetwork, SparseSettings, Squash, train_sparse};
use crate::nn::sparsity::Constant;
use crate::run::Run;
use crate::store::Arrays;
use fitted::{Fit, Fitted};
use learner::{Coding, Rows};

/// Rating levels at most.
const MOST_LEVELS: usize = 20;

/// The entry of the list.
pub struct CfNade;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// What a row is.
    pub vectors: Vectors,
    /// Whether inputs are divided by their number.
    pub normalize: bool,
    /// K of Sparsity Normalization.
    pub k: Constant,
    /// Hidden units.
    pub hidden: usize,
    /// How much the ordinal loss counts, from 0 to 1; the rest is the usual log-loss.
    pub ordinal: f64,
    /// Whether a level's weights are the sum of those up to it.
    pub sharing: bool,
    /// Weight decay.
    pub decay: f64,
    /// Which weights decay.
    pub decay_on: DecayOn,
    /// Learning rate.
    pub rate: f64,
    /// Epochs without a better validation score after which the rate is quartered; 0: never.
    pub plateau: usize,
    /// How much of the running mean of the weights each step keeps, the answer being that of the mean; 0: no mean.
    pub averaging: f64,
    /// Rows in a batch; 0 for all.
    pub batch: usize,
    /// Passes over the rows, at most.
    pub epochs: usize,
    /// Epochs without a better validation score after which training ends; 0: never.
    pub patience: usize,
    /// Share of the ratings set aside to tell when to stop.
    pub validation: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            vectors: Vectors::Item,
            normalize: true,
            k: Constant::default(),
            hidden: 500,
            ordinal: 1.0,
            sharing: false,
            decay: 0.02,
            decay_on: DecayOn::Both,
            rate: 1e-3,
            plateau: 0,
            averaging: 0.0,
            batch: 512,
            epochs: 500,
            patience: 30,
            validation: 0.05,
        }
    }
}

impl Settings {
    fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        settings.k.check()?;
        if !(1..=8192).contains(&settings.hidden) {
            return Err(Error::setting("hidden", "1 to 8192 units are possible"));
        }
        if !(0.0..=1.0).contains(&settings.ordinal) {
            return Err(Error::setting("ordinal", format!("{} is not between 0 and 1", settings.ordinal)));
        }
        if !(settings.decay >= 0.0 && settings.decay.is_finite()) {
            return Err(Error::setting("decay", format!("{} is not 0 or more", settings.decay)));
        }
        if !(settings.rate > 0.0 && settings.rate.is_finite()) {
            return Err(Error::setting("rate", format!("{} is not a positive number", settings.rate)));
        }
        if !(0.0..1.0).contains(&settings.averaging) {
            let what = format!("{} is not 0 or more and below 1", settings.averaging);
            return Err(Error::setting("averaging", what));
        }
        if settings.epochs == 0 {
            return Err(Error::setting("epochs", "at least one epoch is needed"));
        }
        if !(0.0..=0.5).contains(&settings.validation) {
            return Err(Error::setting("validation", "a share from 0 to 0.5 can be set aside"));
        }
        Ok(settings)
    }

    /// A quarter of the rate on every plateau, down to a hundredth of the first (Zheng et al.'s code: 1e-5 of 1e-3).
    fn schedule(&self) -> Schedule {
        match self.plateau {
            0 => Schedule::Constant,
            epochs => Schedule::Plateau { factor: 0.25, patience: epochs - 1, threshold: 0.0, minimum: 0.01 },
        }
    }

    fn coding(&self, levels: Vec<f32>, k: f32) -> Coding {
        Coding { levels, k, normalize: self.normalize, sharing: self.sharing }
    }
}

/// The levels of ratings, if there are few enough.
fn levels_of(ratings: &Ratings) -> Result<Vec<f32>> {
    ratings.levels(MOST_LEVELS).ok_or_else(|| {
        Error::method("cf-nade", format!("there are more than {MOST_LEVELS} different ratings"))
            .with_hint("use `autorec` or `factors`, or round the ratings")
    })
}

static CARD: Card = Card {
    name: "cf-nade",
    does: &[(Shape::Ratings, Job::Rate)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Chances of every rating level from some of the others",
        idea: "Some of a row's ratings, chosen anew at every visit, tell the chances of each level of the others; \
               the loss knows that levels have an order. Inputs are divided by their number, so that a row with \
               many ratings is read like one with few.",
        paper: "Zheng, Tang, Ding and Zhou 2016, A neural autoregressive approach to collaborative filtering",
        when: "Where ratings have few levels, up to 20.",
        when_not: "Fine scales, or a short time to train: `autorec` is as accurate and quicker.",
    },
    settings: &[
        Setting { name: "vectors", help: "What a row is: item (its ratings by users) or user." },
        Setting {
            name: "normalize",
            help: "Sparsity Normalization: divide the sum over inputs by the number of input ratings.",
        },
        Setting {
            name: "k",
            help: "K of Sparsity Normalization: mean (number of known ratings), hidden, input, or a number.",
        },
        Setting { name: "hidden", help: "Units of the hidden layer." },
        Setting { name: "ordinal", help: "How much the order of levels counts in the loss, 0 to 1." },
        Setting { name: "sharing", help: "Whether a level's weights are the sum of those up to it." },
        Setting { name: "decay", help: "How strongly weights are pulled to 0." },
        Setting { name: "decay-on", help: "Weights that are pulled: both (layers) or output (alone)." },
        Setting { name: "rate", help: "Learning rate." },
        Setting {
            name: "plateau",
            help: "Epochs without a better score of what was set aside after which the rate is quartered; 0: never.",
        },
        Setting {
            name: "averaging",
            help: "How much of the running mean of the weights each step keeps, such as 0.995; 0: no mean.",
        },
        Setting { name: "batch", help: "Rows in a batch; 0 for all." },
        Setting { name: "epochs", help: "Passes over the ratings, at most." },
        Setting {
            name: "patience",
            help: "Epochs without a better score of what was set aside after which training ends; 0: never.",
        },
        Setting {
            name: "validation",
            help: "Share of the ratings set aside to tell when to stop; 0: all epochs are done.",
        },
    ],
    space: &[
        Axis::new("decay", Choices::LogUniform(0.003, 0.1)),
        Axis::new("ordinal", Choices::Options(&["1.0", "0.5"])),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for CfNade {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let ratings = examples.ratings()?;
        let settings = Settings::checked(settings)?;
        let levels = levels_of(ratings)?;
        let (learning, held) = ratings.split(settings.validation, run.seed());
        let rows = settings.vectors.of(&learning);
        let known = mean_known((0..rows.rows() as u32).map(|row| rows.count(row)));
        let k = settings.k.number(known, settings.hidden, rows.columns) as f32;
        let coding = settings.coding(levels, k);
        let width = rows.columns * coding.levels.len();
        let deviation = (2.0 / (rows.columns + settings.hidden) as f64).sqrt();
        let mut network =
            SparseNetwork::random([width, settings.hidden, width], Squash::Tanh, [deviation; 2], run.seed());
        network.output_bias_mut().copy_from_slice(&starting_biases(&rows.transposed(), &coding));
        let used = rows.starts.windows(2).filter(|ends| ends[0] < ends[1]).count();
        let plan = SparseSettings {
            epochs: settings.epochs,
            batch: settings.batch,
            optimizer: Optimizer::default(),
            rate: settings.rate,
            // The setting stands beside the mean loss of a row and has no ½.
            decay: settings.decay_on.decays(2.0 * settings.decay * used as f64),
            patience: settings.patience,
            schedule: settings.schedule(),
            averaging: settings.averaging,
        };
        let trained = train_sparse(&Rows::new(&learning, &held, &settings, &coding), network, &plan, run)?;
        let fit =
            Fit { best_epoch: trained.best_epoch, epochs: trained.epochs, validation: trained.validation };
        Ok(Box::new(Fitted::new(settings.vectors, coding, fit, trained.network.into(), ratings)))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let ratings = layout.ratings()?;
        let settings = Settings::checked(settings)?;
        let coding = settings.coding(levels_of(ratings)?, arrays.finite_single("k")?);
        Ok(Box::new(Fitted::load(&settings, coding, ratings, arrays)?))
    }
}

/// The logarithm of each level's share of a column's ratings; with sharing, its rise over the level before.
fn starting_biases(columns: &Compressed, coding: &Coding) -> Vec<f32> {
    let levels = coding.levels.len();
    let mut everywhere = vec![0.0_f64; levels];
    columns.values.iter().for_each(|value| everywhere[coding.level(*value)] += 1.0);
    let total: f64 = everywhere.iter().sum();
    let column = |column: usize| {
        // One rating's worth of the overall shares, so that no level is impossible.
        let mut counts: Vec<f64> = everywhere.iter().map(|count| (count + 0.01) / (total + 0.01)).collect();
        columns.row(column as u32).1.iter().for_each(|value| counts[coding.level(*value)] += 1.0);
        let sum: f64 = counts.iter().sum();
        let logs: Vec<f32> = counts.iter().map(|count| (count / sum).ln() as f32).collect();
        let before = |level: usize| if coding.sharing && level > 0 { logs[level - 1] } else { 0.0 };
        (0..levels).map(|level| logs[level] - before(level)).collect::<Vec<_>>()
    };
    (0..columns.rows()).flat_map(column).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, OnceLock};

    use serde_json::json;

    use super::*;
    use crate::data::ratings::sample;
    use crate::methods::biases::{Biases, Settings as Damping};
    use crate::run::Event;

    #[test]
    fn every_form_learns_tastes() {
        let (learning, test) = sample().split(0.1, 1);
        let pairs: Vec<(u32, u32)> = test.iter().map(|rating| (rating.user, rating.item)).collect();
        let rmse = |answers: Vec<f32>| {
            let error =
                |(answer, rating): (&f32, &crate::data::ratings::Rating)| f64::from(answer - rating.value);
            let squares: f64 = answers.iter().zip(&test).map(error).map(|error| error * error).sum();
            (squares / test.len() as f64).sqrt()
        };
        let yardstick =
            rmse(crate::methods::Recommender::rate(&Biases::fit(&learning, &Damping::default()), &pairs));
        for settings in [
            json!({ "hidden": 30, "epochs": 60, "rate": 0.01, "batch": 64, "vectors": "user" }),
            json!({
                "hidden": 30, "epochs": 60, "rate": 0.01, "batch": 64, "vectors": "user",
                "plateau": 10, "averaging": 0.9, "decay-on": "output"
            }),
            json!({ "hidden": 30, "epochs": 60, "rate": 0.01, "batch": 64, "sharing": true, "ordinal": 0.5 }),
        ] {
            let fitted =
                CfNade.fit(&settings, Examples::Ratings(&learning), &Run::new(1, 2).unwrap()).unwrap();
            let ours = rmse(fitted.rate(&pairs));
            assert!(ours < 0.95 * yardstick, "{settings}: {ours} {yardstick} {}", fitted.summary());
        }
    }

    #[test]
    fn a_stopped_training_goes_on_where_it_was() {
        let ratings = sample();
        let form = json!({ "hidden": 20, "epochs": 3, "batch": 64 });
        let whole = CfNade.fit(&form, Examples::Ratings(&ratings), &Run::new(1, 2).unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        // The first step is told, and stops it.
        let switch: Arc<OnceLock<Arc<AtomicBool>>> = Arc::default();
        let ears = Arc::clone(&switch);
        let run = Run::new(1, 2).unwrap().checkpoints_in(folder.path()).listened_by(move |event| {
            if matches!(event, Event::Progress { .. }) {
                ears.get().unwrap().store(true, Ordering::Relaxed);
            }
        });
        switch.set(run.stop_switch()).unwrap();
        let cut = CfNade.fit(&form, Examples::Ratings(&ratings), &run).unwrap();
        assert_eq!(cut.summary()["epochs"], 0);
        let again = Run::new(1, 1).unwrap().checkpoints_in(folder.path());
        assert_eq!(CfNade.fit(&form, Examples::Ratings(&ratings), &again).unwrap().save(), whole.save());
    }

    #[test]
    fn levels_are_found_and_limited() {
        let settings = Settings::default();
        let coding = settings.coding(vec![1.0, 2.0, 4.0], 1.0);
        assert_eq!([0.0, 1.4, 1.6, 2.9, 3.1, 9.0].map(|value| coding.level(value)), [0, 0, 1, 1, 2, 2]);
        let ids =
            |count: usize| crate::data::ratings::Ids::new((0..count).map(|id| id.to_string()).collect());
        let fine: Vec<_> =
            (0..30).map(|item| crate::data::ratings::Rating { user: 0, item, value: item as f32 }).collect();
        let ratings = Ratings::new(ids(1), ids(30), fine).unwrap();
        let error =
            CfNade.fit(&Value::Null, Examples::Ratings(&ratings), &Run::new(1, 1).unwrap()).err().unwrap();
        assert!(error.to_string().contains("more than 20 different ratings"));
    }
}
