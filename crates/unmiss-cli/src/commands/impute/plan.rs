//! What the user wants respected while holes are filled: who predicts whom, what follows from what, which holes stay.

use std::borrow::Cow;

use unmiss::data::{Column, Data, Kind, Table};
use unmiss::error::{Error, Result};
use unmiss::model::{FillPlan, Filling, Limits, Recipe};

/// What to respect on the way.
#[derive(clap::Args)]
#[command(next_help_heading = "What to respect")]
pub struct PlanArguments {
    /// Which columns predict one, as 'bmi ~ height + weight', 'bmi ~ . - weight' for all but some or 'bmi ~ 1' for none
    /// (repeatable; for --method chained)
    #[arg(long, value_name = "EQUATION", conflicts_with = "with")]
    predictors: Vec<String>,
    /// Columns to visit first in a round, in this order; the others follow, fewest holes first (for --method chained)
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "with")]
    order: Vec<String>,
    /// A column that tells what each row counts, as in a survey (for --method chained)
    #[arg(long, value_name = "COLUMN", conflicts_with = "with")]
    weights: Option<String>,
    /// A column that follows from others, as 'bmi = weight / (height / 100)^2': true in every filled table (repeatable)
    #[arg(long, value_name = "FORMULA", conflicts_with = "with")]
    derive: Vec<String>,
    /// Holes that stand for nothing and stay, as 'pregnancies where sex = male' (repeatable)
    #[arg(long, value_name = "RULE", conflicts_with = "with")]
    leave: Vec<String>,
    /// A column that tells which rows belong together, as a clinic: the means of its groups help to fill
    #[arg(long, value_name = "COLUMN", conflicts_with = "with")]
    group: Option<String>,
    /// The outcome of a later analysis: draws use and fill it, best guesses leave it alone, as those for prediction
    /// must
    #[arg(long, value_name = "COLUMN", conflicts_with = "with")]
    target: Option<String>,
    /// Add a column NAME_missing for each column with holes: 1 where a cell was missing, else 0
    #[arg(long)]
    pub indicators: bool,
}

impl PlanArguments {
    /// The imputer: equations need the one that has them.
    pub fn recipe(&self, method: Option<&str>, find: impl Fn(&str) -> Result<Recipe>) -> Result<Recipe> {
        if self.predictors.is_empty() && self.order.is_empty() && self.weights.is_none() {
            return find(method.unwrap_or("auto"));
        }
        match method {
            None | Some("chained") => {
                let list = |words: &[String]| serde_json::json!(words).to_string();
                let weights = serde_json::json!(self.weights.as_deref().unwrap_or_default()).to_string();
                let changes = [
                    ("equations", list(&self.predictors)),
                    ("order", list(&self.order)),
                    ("weights", weights),
                ];
                find("chained")?.set_all(changes.iter().map(|(name, value)| (*name, value.as_str())))
            }
            Some(other) => {
                let name = match self.weights {
                    Some(_) => "weights",
                    None if self.predictors.is_empty() => "order",
                    None => "predictors",
                };
                let what = format!("`{other}` has no equations of single columns");
                Err(Error::setting(name, what).with_hint("say --method chained, or name no method"))
            }
        }
    }

    /// What is to be filled.
    pub fn plan(&self, ignored: &[String], limits: Limits, draws: Option<u16>, sets: usize) -> FillPlan {
        // What a prediction is made from must not have seen the answer; what an analysis is made from must.
        let outcome = self.target.iter().filter(|_| draws.is_none());
        FillPlan {
            ignored: ignored.iter().chain(outcome).cloned().collect(),
            limits,
            draws: sets,
            derived: self.derive.clone(),
            left: self.leave.clone(),
            group: self.group.clone(),
        }
    }

    /// Whether anything is asked that only learning from a table can do.
    pub fn given(&self) -> [(&'static str, bool); 8] {
        [
            ("predictors", !self.predictors.is_empty()),
            ("order", !self.order.is_empty()),
            ("weights", self.weights.is_some()),
            ("derive", !self.derive.is_empty()),
            ("leave", !self.leave.is_empty()),
            ("group", self.group.is_some()),
            ("target", self.target.is_some()),
            ("indicators", self.indicators),
        ]
    }

    /// The filled table, with indicators of what was missing `before` if they are wanted: for columns that had holes
    /// when the imputer learned.
    ///
    /// # Errors
    /// When an indicator has the name of a column.
    pub fn marked<'a>(
        &self,
        filling: &Filling<'_>,
        before: &Data,
        after: &'a Table,
    ) -> Result<Cow<'a, Table>> {
        if !self.indicators {
            return Ok(Cow::Borrowed(after));
        }
        let holes = filling.coder.names().into_iter().zip(filling.coder.missing_in_training());
        let holed: Vec<&str> = holes.filter(|(_, missing)| *missing > 0).map(|(name, _)| name).collect();
        let mut columns = after.columns().to_vec();
        for column in before.columns().iter().filter(|column| holed.contains(&column.name.as_str())) {
            let name = format!("{}_missing", column.name);
            if columns.iter().any(|own| own.name == name) {
                let what = format!("there is a column `{name}` already");
                return Err(Error::setting("indicators", what).with_hint("rename it in the data"));
            }
            let cells: Vec<f64> = column.observed.iter().map(|known| f64::from(u8::from(!known))).collect();
            columns.push(Column::from_numbers(name, Kind::Integer, &cells));
        }
        Ok(Cow::Owned(Table::new(columns)?))
    }
}
