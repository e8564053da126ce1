//! A method that would take too long for a table hands over to one that does the same for many columns.

use std::borrow::Cow;

use crate::data::{Column, Data};
use crate::error::Result;
use crate::methods::Recipe;
use crate::run::Run;

/// Columns, with one for each level of a category, up to which `gaussian` learns all pairs of them: a round costs their
/// cube.
const MOST_PAIRED: usize = 600;

/// The recipe that fills these data: the one given, or `low-rank` in the place of a `gaussian` of too many columns. One
/// whose settings were changed is wanted as it is.
pub(super) fn handed_over<'a>(recipe: &'a Recipe, data: &Data, run: &Run) -> Result<Cow<'a, Recipe>> {
    let given = recipe.method.name() == "gaussian" && recipe.settings == recipe.method.defaults();
    let columns: usize = data.cell_columns().iter().filter(|column| column.is_usable()).map(wide).sum();
    if !given || columns <= MOST_PAIRED {
        return Ok(Cow::Borrowed(recipe));
    }
    run.warn(format!(
        "`gaussian` learns all pairs of {columns} columns, which would take very long: `low-rank` fills in its place \
         (with a setting of its own, such as rounds = 199, `gaussian` is fitted all the same)"
    ));
    Recipe::named("low-rank").map(Cow::Owned)
}

/// How many columns of numbers a column becomes.
fn wide(column: &Column) -> usize {
    column.codes().map_or(1, |(_, levels)| levels.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Kind, Table};

    fn table(columns: usize) -> Data {
        let cells = |column: usize| {
            let cell = |row: usize| if row == column % 6 { f64::NAN } else { (row * column % 7) as f64 };
            (0..6).map(cell).collect::<Vec<_>>()
        };
        let column = |place| Column::from_numbers(format!("c{place}"), Kind::Real, &cells(place));
        Table::new((0..columns).map(column).collect()).unwrap().into()
    }

    #[test]
    fn a_wide_table_goes_to_a_method_that_bears_it() {
        let run = Run::new(1, 1).unwrap();
        let gaussian = Recipe::named("gaussian").unwrap();
        let name = |recipe: &Recipe, columns| {
            handed_over(recipe, &table(columns), &run).unwrap().method.name().to_owned()
        };
        assert_eq!(name(&gaussian, MOST_PAIRED), "gaussian");
        assert_eq!(name(&gaussian, MOST_PAIRED + 1), "low-rank");
        assert_eq!(name(&gaussian.clone().set("rounds", "199").unwrap(), MOST_PAIRED + 1), "gaussian");
        assert_eq!(name(&Recipe::named("mean").unwrap(), MOST_PAIRED + 1), "mean");
    }
}
