//! Why a regression has no answer, in words: what, in which table, and what to do about it.

use super::design::Design;
use super::regression::Fault;
use crate::error::Error;

/// Columns named at most.
const NAMED: usize = 4;

/// The error for a fault in a table of a name with so many rows.
pub(super) fn error(fault: &Fault, design: &Design, table: &str, rows: usize) -> Error {
    let response = &design.response_name;
    match fault {
        Fault::TooFewRows => {
            let what = format!("{table}: {rows} rows are too few for {} coefficients", design.names.len());
            Error::data(what).with_hint("leave terms out of the formula")
        }
        Fault::OneOutcome => Error::data(format!("{table}: `{response}` is the same in all rows"))
            .with_hint("there is nothing to explain: name another column in front of `~`"),
        Fault::Dependent(dependent) => {
            let column = &design.names[dependent.column];
            let on: Vec<String> =
                dependent.on.iter().take(NAMED).map(|place| format!("`{}`", design.names[*place])).collect();
            let more = if dependent.on.len() > NAMED { " and others" } else { "" };
            let intercept = dependent.on == [0] && design.intercept;
            let what = match on.as_slice() {
                [] => format!("{table}: `{column}` is 0 in all rows"),
                _ if intercept => format!("{table}: `{column}` is the same in all rows"),
                _ => format!("{table}: `{column}` follows from {}{more} without error", on.join(", ")),
            };
            Error::data(what).with_hint(format!(
                "the columns are collinear, so nobody can tell their coefficients apart: leave `{}` out",
                design.term_of(dependent.column)
            ))
        }
        Fault::Separated(place) => {
            let term = design.term_of(*place);
            let what = format!(
                "{table}: logistic regression has no finite answer, as `{}` (perhaps with others) tells `{response}` \
                 without error",
                design.names[*place]
            );
            Error::data(what).with_hint(format!(
                "such separation comes from few rows or rare levels: leave `{term}` out, join levels, or explain by \
                 fewer terms"
            ))
        }
    }
}

impl Design {
    /// The term that a column of X belongs to.
    fn term_of(&self, column: usize) -> &str {
        let term = self.terms.iter().find(|term| term.columns.contains(&column));
        term.map_or("the intercept", |term| &term.name)
    }
}
