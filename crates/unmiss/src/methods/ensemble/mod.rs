#![doc = include_str!("README.md")]

mod plan;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::folds::{FoldModel, FoldModels, Folds, Splits, Ties, cross_validate, learn_from_all};
use super::{
    About, Card, Cost, Examples, Job, Layout, Learned, Method, Recipe, Setting, defaults_of, find, parse,
};
use crate::data::Shape;
use crate::encode::{Coder, Encoding, Targets};
use crate::error::{Error, Result};
use crate::run::Run;
use crate::store::Arrays;
pub use plan::{Effort, Size};

/// Rows below which nothing can be held out.
const FEWEST_ROWS: usize = 4;

/// The entry of the list.
pub struct Ensemble;

/// The settings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// How much is tried.
    pub effort: Effort,
    /// The methods that take part, with their default settings; none: those of the effort.
    pub methods: Option<Vec<String>>,
}

impl Settings {
    /// Settings that are sound.
    ///
    /// # Errors
    /// When one has a value it can't have.
    pub fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        for name in settings.methods.iter().flatten() {
            if name == CARD.name {
                return Err(Error::setting("methods", "`ensemble` can't be part of itself"));
            }
            find(name, Shape::Table, Job::Predict)?;
        }
        if settings.methods.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::setting("methods", "there is nothing to put together"));
        }
        Ok(settings)
    }

    /// The methods, cheap ones first.
    ///
    /// # Errors
    /// When there is no method of a name.
    pub fn members(&self, size: Size) -> Result<Vec<Recipe>> {
        let Some(names) = &self.methods else { return self.effort.members(size) };
        let mut members = names.iter().map(|name| Recipe::named(name)).collect::<Result<Vec<_>>>()?;
        members.sort_by_key(|member| member.method.card().cost);
        Ok(members)
    }

    /// The rows dealt into folds: as many as wanted, or as the effort has.
    pub fn deal(&self, targets: &Targets, ties: &Ties, wanted: Option<usize>, seed: u64) -> Folds {
        let count = wanted.unwrap_or_else(|| self.effort.folds(targets));
        ties.deal(targets, count, self.effort.most_rows(), seed)
    }
}

static CARD: Card = Card {
    name: "ensemble",
    does: &[(Shape::Table, Job::Predict)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Several methods as one, weighted by what they get right",
        idea: "Every method learns without each of some folds in turn and answers for the rows of that fold. On \
               these answers weights are found with which the mean errs least; the models that were so measured, \
               and no others, are the model. A share of the weight may go to the plain mean of the target, which \
               keeps answers from few rows modest.",
        paper: "Wolpert 1992, Breiman 1996 (stacking); Barber, Candes, Ramdas, Tibshirani 2021 (fold models and their \
                intervals)",
        when: "Always, unless you know better: it is the default.",
        when_not: "When one method must be read or explained as a formula: say `--single`, or name the method.",
    },
    settings: &[
        Setting { name: "effort", help: "How much is tried: quick, normal or best." },
        Setting {
            name: "methods",
            help: "The methods that take part, as [\"linear\", \"trees\"]; null: those of the effort.",
        },
    ],
    space: &[],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};

impl Method for Ensemble {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// The rows in plain units, from which each method's own encoding is made.
    fn encoding(&self, settings: &Value) -> Result<Encoding> {
        Settings::checked(settings).map(|_| Encoding::default())
    }

    fn fit(&self, settings: &Value, examples: Examples<'_>, run: &Run) -> Result<Box<dyn Learned>> {
        let training = examples.training()?;
        let own = Settings::checked(settings)?;
        let (targets, task) = (training.targets, training.targets.task);
        let common = Coder::Table(training.encoder.clone());
        if targets.rows() < FEWEST_ROWS {
            return Ok(Box::new(FoldModels::new(
                common,
                task,
                Vec::new(),
                vec![FoldModel::mean_of(targets)],
            )));
        }
        let folds = own.deal(targets, &Ties::Free, None, run.seed());
        let splits = Splits::new(training, targets, &folds);
        let members = own.members(Size::of(targets, training.encoder))?;
        let recipe = Recipe { method: &Ensemble, settings: settings.clone() };
        let mut validated = cross_validate(&splits, &members, Some(&recipe), run)?;
        let from_all = match folds.apart.is_empty() {
            true => None,
            false => learn_from_all(&splits, &validated, run)?,
        };
        if let Some((model, _)) = from_all {
            validated.models = vec![model];
        }
        let members = validated.members.into_iter().map(|(member, _)| member).collect();
        Ok(Box::new(FoldModels::new(common, task, members, validated.models)))
    }

    fn load(&self, settings: &Value, layout: Layout<'_>, arrays: &Arrays) -> Result<Box<dyn Learned>> {
        let recipe = Recipe { method: &Ensemble, settings: settings.clone() };
        let models = FoldModels::load(&recipe, layout, arrays)?;
        Ok(Box::new(models.ok_or_else(|| Error::damaged("its fold models are absent"))?))
    }
}
