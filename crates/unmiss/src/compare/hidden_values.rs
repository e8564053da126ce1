//! Imputers of series on hidden values: known values are hidden, filled, and held against the truth.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arena::{Arena, Outcome, repeat_seed};
use super::comparison::{Comparison, Contestant};
use super::tune::settings_for;
use crate::data::series::Series;
use crate::data::{Data, Shape};
use crate::encode::{Encoding, SeriesCoder};
use crate::error::{Error, Result};
use crate::methods::Job;
use crate::metrics::ValueError;
use crate::missing::{Mechanism, hide_values, values_to_hide};
use crate::model::{Aim, Model, Recipe};
use crate::rng::{hash, mix};
use crate::run::Run;

/// Series and the share of their known values that is hidden.
pub(super) struct HiddenValues {
    series: Arc<Series>,
    deviations: Vec<f64>,
    share: f64,
    seed: u64,
}

impl HiddenValues {
    /// Series as they are, and how their values are hidden: at random.
    pub fn new(data: &Data, how: &str, run: &Run) -> Result<Self> {
        let series = Arc::clone(data.series()?);
        let share = match how.parse()? {
            Mechanism::Mcar(rate) => rate,
            _ => {
                return Err(Error::setting("how", "values of series are hidden at random")
                    .with_hint("say mcar:0.1 to hide a tenth of them"));
            }
        };
        values_to_hide(&series, share, run.seed())?;
        let coder = SeriesCoder::fit(&series, &[], Encoding::default())?;
        let deviations = coder.variables.iter().map(|variable| variable.deviation).collect();
        Ok(Self { series, deviations, share, seed: run.seed() })
    }

    fn error(&self, recipe: &Recipe, truth: &Series, seed: u64, run: &Run) -> Result<(ValueError, Series)> {
        let places = values_to_hide(truth, self.share, seed)?;
        let holed = hide_values(truth, &places);
        let data = Data::from(holed.clone());
        let model = Model::fit(&data, &Aim::fill(), recipe, run)?;
        let filling = model.filling()?;
        let filled = run.compute(|| filling.fill(&data, None, |_, _| {}))?;
        Ok((ValueError::of(truth, filled.data.series()?, &places, &self.deviations), holed))
    }
}

impl Arena for HiddenValues {
    fn describe(&self, comparison: &mut Comparison) {
        comparison.rows_compared = self.series.len();
        comparison.test_share = self.share;
    }

    fn fit(&self, contestant: &Contestant, repeat: usize, _: usize, run: &Run) -> Result<Outcome> {
        let mut recipe = Recipe::find(&contestant.method, Shape::Series, Job::Fill)?;
        let seed = repeat_seed(self.seed, repeat);
        let run = run.with_seed(seed);
        recipe.settings = settings_for(contestant, recipe.method, self.seed, &run, |settings, run| {
            let recipe = Recipe { method: recipe.method, settings: settings.clone() };
            let places = values_to_hide(&self.series, self.share, seed)?;
            let holed = hide_values(&self.series, &places);
            Ok(self.error(&recipe, &holed, mix([run.seed(), hash("inner holdout")]), run)?.0.mae)
        })?;
        let (found, _) = self.error(&recipe, &self.series, seed, &run)?;
        let figures = BTreeMap::from([("RMSE / sd".to_owned(), Some(found.rmse))]);
        let (loss, classes, columns) = (found.mae, Vec::new(), Vec::new());
        Ok(Outcome { settings: recipe.settings, loss, figures, classes, columns })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Contest, Question, Setup};
    use super::*;
    use crate::data::series::sample;

    #[test]
    fn imputers_of_series_are_compared_on_hidden_values() {
        let run = Run::new(0, 2).unwrap();
        let some: Vec<usize> = (0..60).collect();
        let ward = Data::from(sample().unwrap().part(&some, |_| true));
        let contestants = ["last-value", "interpolation"]
            .map(|name| Contestant::new(&Recipe::named(name).unwrap(), 0))
            .into();
        let question = Question::Imputers { how: "mcar:0.2".into(), ignore: Vec::new() };
        let setup = Setup { question, contestants, repeats: 2 };
        let found = Contest::new(&ward, setup, &run).unwrap().hold(&run, |_| Ok(())).unwrap();
        assert_eq!((found.standings[0].contestant.as_str(), found.shape), ("interpolation", Shape::Series));
        assert!(found.standings[0].loss < 0.8, "{:?}", found.standings);
    }
}
