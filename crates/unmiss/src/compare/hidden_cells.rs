//! Imputers on hidden cells: known cells are hidden, filled, and held against the truth.

use std::collections::BTreeMap;

use super::arena::{Arena, Outcome, repeat_seed};
use super::comparison::{Comparison, Contestant};
use super::tune::settings_for;
use crate::data::Data;
use crate::error::{Act, Error, Result};
use crate::methods::Job;
use crate::methods::folds::MOST_ROWS_COMPARED;
use crate::metrics::{ColumnError, fill_errors};
use crate::missing::{HiddenData, Mechanism, hide_data};
use crate::model::{Aim, FillPlan, Model, Recipe};
use crate::rng::{Stream, hash, mix};
use crate::run::Run;

/// Data and how their cells are hidden.
pub(super) struct HiddenCells {
    data: Data,
    how: Mechanism,
    ignore: Vec<String>,
    seed: u64,
}

impl HiddenCells {
    /// Takes the data, or a sample of large ones, and tries whether cells can be hidden that way.
    pub fn new(data: &Data, how: Mechanism, ignore: &[String], run: &Run) -> Result<Self> {
        for name in ignore {
            data.column(name)?;
        }
        let mut rows = Stream::new(run.seed(), "sample for comparison", 0, 0).permutation(data.rows());
        rows.truncate(MOST_ROWS_COMPARED);
        rows.sort_unstable();
        let cells = Self { data: data.select(&rows)?, how, ignore: ignore.to_vec(), seed: run.seed() };
        cells.hide(&cells.data, cells.seed)?;
        Ok(cells)
    }

    fn hide(&self, data: &Data, seed: u64) -> Result<HiddenData> {
        hide_data(data, &self.how, &self.ignore, seed)
    }

    /// The loss of a recipe on further cells hidden in data whose held-out cells are holes already.
    fn inner_loss(&self, recipe: &Recipe, holed: &Data, run: &Run) -> Result<f64> {
        let inner = self.hide(holed, mix([run.seed(), hash("inner holdout")]))?;
        mean(&self.errors(recipe, holed, &inner, run)?, |_| true).ok_or_else(nothing_hidden)
    }

    /// Errors on the hidden cells, column by column.
    fn errors(
        &self,
        recipe: &Recipe,
        truth: &Data,
        holes: &HiddenData,
        run: &Run,
    ) -> Result<Vec<ColumnError>> {
        let aim = Aim::Fill(FillPlan { ignored: self.ignore.clone(), ..FillPlan::default() });
        let model = Model::fit(&holes.data, &aim, recipe, run)?;
        let filling = model.filling()?;
        let filled = run.compute(|| filling.fill(&holes.data, None, |_, _| {}))?;
        Ok(fill_errors(truth, &filled.data, &holes.hidden))
    }
}

impl Arena for HiddenCells {
    fn describe(&self, comparison: &mut Comparison) {
        comparison.rows_compared = self.data.rows();
        comparison.test_share = self.how.rate();
    }

    /// Fits a contestant on the data with the hidden cells of a repeat and scores what it fills into them.
    fn fit(&self, contestant: &Contestant, repeat: usize, _: usize, run: &Run) -> Result<Outcome> {
        let mut recipe = Recipe::find(&contestant.method, self.data.shape(), Job::Fill)?;
        let seed = repeat_seed(self.seed, repeat);
        let run = run.with_seed(seed);
        let holes = self.hide(&self.data, seed)?;
        recipe.settings = settings_for(contestant, recipe.method, self.seed, &run, |settings, run| {
            let recipe = Recipe { method: recipe.method, settings: settings.clone() };
            self.inner_loss(&recipe, &holes.data, run)
        })?;
        let columns = self.errors(&recipe, &self.data, &holes, &run)?;
        let loss = mean(&columns, |_| true).ok_or_else(nothing_hidden)?;
        let figures = BTreeMap::from([
            ("RMSE / sd".to_owned(), mean(&columns, ColumnError::is_number)),
            ("wrong".to_owned(), mean(&columns, |column| !column.is_number())),
        ]);
        Ok(Outcome { settings: recipe.settings, loss, figures, classes: Vec::new(), columns })
    }
}

fn mean(columns: &[ColumnError], wanted: impl Fn(&ColumnError) -> bool) -> Option<f64> {
    let errors: Vec<f64> =
        columns.iter().filter(|column| wanted(column)).map(|column| column.error).collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

fn nothing_hidden() -> Error {
    Error::data("no cell was hidden in a column whose values differ").with_hint(Act::HideMore)
}
