//! How new rows are read for a model: its columns have the kinds, and the words for "missing", that they had in
//! training, whatever they look like now.

use std::collections::BTreeMap;

use super::group::Groups;
use super::whole::Model;
use crate::data::{BatchOptions, Kind};
use crate::encode::{Coder, Encoder};
use crate::error::{Error, Result, nearest};
use crate::methods::Job;

/// Columns told by name.
const MOST_TOLD: usize = 5;

impl Model {
    /// How a table of new rows is read, batch by batch. For a model that predicts, columns to carry along can be added
    /// as text; for one that fills, all other columns pass as they are (as dates do: with the words for "missing", so
    /// that holes in them are seen).
    ///
    /// # Errors
    /// When the model is not one of tables.
    pub fn batch_options(&self) -> Result<BatchOptions> {
        let encoder = self.coder.table()?;
        let missing = self.missing.clone();
        if self.job() != Job::Fill {
            let kinds = kinds_of(encoder).collect();
            return Ok(BatchOptions { missing, kinds, ..BatchOptions::default() });
        }
        let numbers = encoder.numbers.iter().map(|feature| (feature.name.clone(), feature.kind));
        let categories = encoder.categories.iter().map(|feature| (feature.name.clone(), feature.kind));
        let followers = self.filling()?.part.derived.iter().filter_map(|text| text.split_once('='));
        let followers = followers.map(|(name, _)| (name.trim().trim_matches('`').to_owned(), Kind::Real));
        let mut kinds: BTreeMap<String, Kind> = numbers.chain(categories).chain(followers).collect();
        // Means of groups are computed and stand in no file.
        kinds.retain(|name, _| !self.computed_inputs().contains(name));
        Ok(BatchOptions {
            missing,
            kinds,
            others: Some(Kind::Date),
            keep_source: true,
            ..BatchOptions::default()
        })
    }

    /// Inputs that are computed from others and need not be there.
    fn computed_inputs(&self) -> Vec<String> {
        let groups = self.filling().ok().and_then(|filling| filling.part.groups.as_ref());
        groups.map(Groups::inputs).unwrap_or_default()
    }

    /// The columns that new rows must have; they may be empty.
    pub fn needed_columns(&self) -> Vec<&str> {
        let computed = self.computed_inputs();
        let names: Vec<&str> = match &self.coder {
            Coder::Table(encoder) => encoder.columns().map(|(name, _)| name).collect(),
            other => other.names(),
        };
        let names = names.into_iter().filter(|name| !computed.iter().any(|own| own == name));
        let groups = self.filling().ok().and_then(|filling| filling.part.groups.as_ref());
        names.chain(groups.map(|groups| groups.column.as_str())).collect()
    }

    /// Names of columns that have a part: inputs, and for models that predict the target, its weights, what is carried
    /// along and what was left out.
    fn taken_names(&self) -> Vec<&str> {
        let mut names = self.needed_columns();
        if let Ok(predicting) = self.predicting() {
            let roles = predicting.roles;
            names.push(&roles.target);
            names.extend(roles.weight.iter().chain(&roles.id).chain(&roles.ignore).map(String::as_str));
        }
        names
    }

    /// Refuses a table of new rows, by its header, that lacks columns which were learned from.
    ///
    /// # Errors
    /// When a column is absent; the hint names the one that may be meant.
    pub fn check_header<T: AsRef<str>>(&self, header: &[T], file: &str) -> Result<()> {
        let there = || header.iter().map(AsRef::as_ref);
        let absent: Vec<&str> =
            self.needed_columns().into_iter().filter(|name| there().all(|own| own != *name)).collect();
        let Some(first) = absent.first() else { return Ok(()) };
        let shown = absent.iter().take(MOST_TOLD).map(|name| format!("`{name}`")).collect::<Vec<_>>();
        let shown = shown.join(", ");
        let more = match absent.len().checked_sub(MOST_TOLD).filter(|more| *more > 0) {
            Some(more) => format!(" and {more} more"),
            None => String::new(),
        };
        let who = if self.job() == Job::Fill { "imputer" } else { "model" };
        let what = format!("{file}: the {who} learned from columns that are not there: {shown}{more}");
        // A column that has a part of its own must keep its name, however near that is.
        let taken = self.taken_names();
        let free = there().filter(|name| !taken.contains(name));
        Err(Error::data(what).with_hint(match nearest(first, free) {
            Some(near) => format!(
                "is `{first}` now called `{near}`? Rename it; a column whose values are unknown may be empty"
            ),
            None => format!("add the column `{first}`; it may be empty if its values are unknown"),
        }))
    }
}

/// The kinds in which a model's columns are read: numbers or words, whatever they look like now.
pub fn kinds_of(encoder: &Encoder) -> impl Iterator<Item = (String, Kind)> {
    encoder.columns().map(|(name, kind)| (name.to_owned(), kind))
}

#[cfg(test)]
mod tests {
    use crate::data::{ReadOptions, read};
    use crate::methods::Recipe;
    use crate::model::{Aim, Model};
    use crate::run::Run;

    #[test]
    fn a_column_that_the_model_uses_is_never_to_be_renamed() {
        let table = read("sample:penguins".as_ref(), &ReadOptions::default()).unwrap().table;
        let header: Vec<String> = table
            .columns()
            .iter()
            .map(|column| column.name.clone())
            .filter(|name| !name.contains("depth"))
            .collect();
        let recipe = Recipe::named("linear").unwrap();
        let run = Run::new(1, 1).unwrap();
        let model = Model::fit(&table.into(), &Aim::predict("species"), &recipe, &run).unwrap();
        let hint =
            |header: &[String]| model.check_header(header, "new.csv").unwrap_err().hint_text().to_owned();
        // `bill_length_mm` is near, and has values of its own.
        assert!(hint(&header).starts_with("add the column `bill_depth_mm`"), "{}", hint(&header));
        let renamed = [header, vec!["bill_depth".to_owned()]].concat();
        assert!(hint(&renamed).contains("now called `bill_depth`?"), "{}", hint(&renamed));
    }
}
