//! Formulas such as `died ~ age * sex + log(sodium)`: which columns explain which, in Wilkinson and Rogers' notation as
//! R has it.
//!
//! | written | means |
//! |---|---|
//! | `a + b` | both |
//! | `a:b` | their interaction |
//! | `a * b` | `a + b + a:b` |
//! | `(a + b + c)^2` | all three and every interaction of two |
//! | `.` | every column that is not explained |
//! | `- a` | without `a` |
//! | `0` or `-1` | no intercept |
//! | `log(x)`, `sqrt(x)`, `exp(x)`, ..., `I(x^2)` | arithmetic |
//! | `factor(x)` | numbers as categories |
//! | `died == yes ~ ...` | the chance of one level |

use crate::data::formula::{Arithmetic, Words, is_function, is_name, unknown_function};
use crate::data::{Column, Table};
use crate::error::{Error, Result};

/// Names under which filled tables carry the number of the draw and of the row: never explanations.
pub(super) const BOOKKEEPING: [&str; 5] = ["draw", ".imp", ".id", "_mi_m", "_mi_id"];

/// What a formula asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// As it was written.
    pub text: String,
    pub(super) response: Response,
    /// The explaining terms, those of fewer factors first. The intercept is not among them.
    pub(super) terms: Vec<Term>,
    /// Whether there is an intercept.
    pub intercept: bool,
}

/// What is explained.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Response {
    /// A column as it is.
    Column(String),
    /// A number made of columns.
    Number(String, Arithmetic),
    /// Whether a column has a level.
    Level(String, String),
}

/// The factors of a term: one, or several that interact.
pub(super) type Term = Vec<Factor>;

/// One factor of a term.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Factor {
    /// A column as it is: a number or a category.
    Column(String),
    /// A column as categories.
    Category(String),
    /// A number made of columns, with what it is called.
    Number(String, Arithmetic),
}

impl Factor {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Column(name) | Self::Category(name) | Self::Number(name, _) => name,
        }
    }
}

/// What a term is called.
pub(super) fn name_of(term: &[Factor]) -> String {
    term.iter().map(Factor::name).collect::<Vec<_>>().join(":")
}

impl Formula {
    /// Reads a formula over the columns of a table.
    ///
    /// # Errors
    /// When it is no formula, or names a column that is not there.
    pub fn parse(text: &str, table: &Table) -> Result<Self> {
        let mut words = Words::new(text, table)?;
        let response = response(&mut words)?;
        words.expect("~")?;
        let explained = response.columns();
        let mut terms = vec![Vec::new()];
        add_sum(&mut words, &mut terms, &explained)?;
        if !words.is_done() {
            return Err(words.wrong("`+`, `*`, `:` or an end"));
        }
        let intercept = terms.iter().any(Vec::is_empty);
        terms.retain(|term| !term.is_empty());
        // A stable sort: main effects first, then interactions, as R has them.
        terms.sort_by_key(Vec::len);
        if terms.is_empty() && !intercept {
            return Err(Error::data(format!("the formula `{text}` explains by nothing"))
                .with_hint("name columns behind `~`, or say `~ 1` for the mean alone"));
        }
        if let Some(own) =
            terms.iter().flatten().find(|factor| explained.iter().any(|name| name == factor.name()))
        {
            let what = format!("the formula `{text}` explains `{}` by itself", own.name());
            return Err(Error::data(what).with_hint("leave it out on the right side of `~`"));
        }
        Ok(Self { text: text.trim().to_owned(), response, terms, intercept })
    }

    /// Reads terms that the formula has: those of a test, such as `sodium + potassium`. Gives their places.
    ///
    /// # Errors
    /// When one is not in the formula.
    pub(super) fn places(&self, text: &str, table: &Table) -> Result<Vec<usize>> {
        let mut words = Words::new(text, table)?;
        let mut terms = Vec::new();
        add_sum(&mut words, &mut terms, &self.response.columns())?;
        if !words.is_done() {
            return Err(words.wrong("`+` or an end"));
        }
        let place = |term: &Term| {
            self.terms.iter().position(|own| same(own, term)).ok_or_else(|| {
                let what = format!("`{}` is to be tested and is no term of `{}`", name_of(term), self.text);
                let terms: Vec<String> = self.terms.iter().map(|term| name_of(term)).collect();
                Error::setting("test", what).with_hint(format!("the terms are: {}", terms.join(", ")))
            })
        };
        terms.iter().map(place).collect()
    }

    /// The columns that the formula needs.
    pub(super) fn columns(&self) -> Vec<String> {
        let mut names = self.response.columns();
        for factor in self.terms.iter().flatten() {
            match factor {
                Factor::Column(name) | Factor::Category(name) => names.push(name.clone()),
                Factor::Number(_, of) => {
                    let mut own = Vec::new();
                    of.columns(&mut own);
                    names.extend(own.into_iter().map(str::to_owned));
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Response {
    fn columns(&self) -> Vec<String> {
        match self {
            Self::Column(name) | Self::Level(name, _) => vec![name.clone()],
            Self::Number(_, of) => {
                let mut own = Vec::new();
                of.columns(&mut own);
                own.into_iter().map(str::to_owned).collect()
            }
        }
    }
}

fn response(words: &mut Words) -> Result<Response> {
    if !is_name(words.next()) {
        return Err(words.wrong("a column"));
    }
    let first = words.take();
    if words.next_is("(") {
        let (name, of) = called(&first, words)?;
        return Ok(Response::Number(name, of));
    }
    let column = words.column(&first)?;
    if words.next_is("=") {
        return Err(words.wrong("`==`"));
    }
    if !words.next_is("==") {
        return Ok(Response::Column(column));
    }
    words.take();
    let level = words.take();
    Ok(Response::Level(column, level.trim_matches(['`', '"', '\'']).to_owned()))
}

/// A function, with what it is called: as it was written, without spaces.
fn called(function: &str, words: &mut Words) -> Result<(String, Arithmetic)> {
    if !is_function(function) {
        return Err(unknown_function(function));
    }
    let start = words.place();
    let of = Arithmetic::call(function, words)?;
    let written: String = words.text[start..words.place()].split_whitespace().collect();
    Ok((format!("{function}{written}"), of))
}

/// Adds the terms of a sum; `-` takes terms away. An empty term is the intercept.
fn add_sum(words: &mut Words, terms: &mut Vec<Term>, explained: &[String]) -> Result<()> {
    let mut adds = true;
    if words.next_is("-") || words.next_is("+") {
        adds = words.take() == "+";
    }
    loop {
        let zero = words.next_is("0");
        let found = product(words, explained)?;
        // `+ 0` is `- 1`.
        for term in found {
            let present = terms.iter().position(|own| same(own, &term));
            match (present, adds != (zero && term.is_empty())) {
                (None, true) => terms.push(term),
                (Some(place), false) => drop(terms.remove(place)),
                _ => {}
            }
        }
        if !words.next_is("+") && !words.next_is("-") {
            return Ok(());
        }
        adds = words.take() == "+";
    }
}

/// Whether two terms have the same factors, in any order.
fn same(one: &[Factor], other: &[Factor]) -> bool {
    one.len() == other.len() && one.iter().all(|factor| other.contains(factor))
}

fn product(words: &mut Words, explained: &[String]) -> Result<Vec<Term>> {
    let mut left = crossing(words, explained)?;
    while words.next_is("*") {
        words.take();
        let right = crossing(words, explained)?;
        let crossed = crossed(&left, &right);
        left.extend(right);
        left.extend(crossed);
        left = distinct(left);
    }
    Ok(left)
}

fn crossing(words: &mut Words, explained: &[String]) -> Result<Vec<Term>> {
    let mut left = power(words, explained)?;
    while words.next_is(":") {
        words.take();
        left = crossed(&left, &power(words, explained)?);
    }
    Ok(left)
}

/// Every term of one side with every term of the other.
fn crossed(left: &[Term], right: &[Term]) -> Vec<Term> {
    let both = |one: &Term, other: &Term| {
        let mut all = one.clone();
        all.extend(other.iter().filter(|factor| !one.contains(factor)).cloned());
        all
    };
    distinct(left.iter().flat_map(|one| right.iter().map(move |other| both(one, other))).collect())
}

fn distinct(terms: Vec<Term>) -> Vec<Term> {
    terms.into_iter().fold(Vec::new(), |mut kept: Vec<Term>, term| {
        if !kept.iter().any(|own| same(own, &term)) {
            kept.push(term);
        }
        kept
    })
}

fn power(words: &mut Words, explained: &[String]) -> Result<Vec<Term>> {
    let grouped = words.next_is("(");
    let base = atom(words, explained)?;
    if !words.next_is("^") {
        return Ok(base);
    }
    words.take();
    let word = words.take();
    let times = word.parse::<usize>().ok().filter(|times| (1..=6).contains(times));
    match times {
        Some(times) if grouped || base.len() > 1 => {
            let step = |sum: Vec<Term>, _| {
                let crossed = crossed(&sum, &base);
                distinct(sum.into_iter().chain(crossed).collect())
            };
            Ok((1..times).fold(base.clone(), step))
        }
        _ => {
            let name = base.first().map(|term| name_of(term)).unwrap_or_default();
            Err(Error::data(format!(
                "`{name}^{word}` in a formula is an interaction of `{name}` with itself"
            ))
            .with_hint(format!(
                "say I({name}^{word}) for a power of the numbers, (a + b)^2 for interactions"
            )))
        }
    }
}

fn atom(words: &mut Words, explained: &[String]) -> Result<Vec<Term>> {
    if words.next_is("(") {
        words.take();
        let mut inner = Vec::new();
        add_sum(words, &mut inner, explained)?;
        words.expect(")")?;
        return Ok(inner);
    }
    if words.next_is("0") || words.next_is("1") {
        words.take();
        return Ok(vec![Vec::new()]);
    }
    if words.next_is(".") {
        words.take();
        let others = words.table().columns().iter().filter(|column| is_explanation(column, explained));
        return Ok(others.map(|column| vec![Factor::Column(column.name.clone())]).collect());
    }
    if !is_name(words.next()) {
        return Err(words.wrong("a column"));
    }
    let first = words.take();
    if !words.next_is("(") {
        return Ok(vec![vec![Factor::Column(words.column(&first)?)]]);
    }
    if ["factor", "C"].contains(&first.as_str()) {
        words.take();
        let name = words.take();
        let column = words.column(&name)?;
        words.expect(")")?;
        return Ok(vec![vec![Factor::Category(column)]]);
    }
    let (name, of) = called(&first, words)?;
    Ok(vec![vec![Factor::Number(name, of)]])
}

/// Whether `.` means the column too: text and dates can't explain, and numbers of rows and draws do not.
fn is_explanation(column: &Column, explained: &[String]) -> bool {
    column.is_usable() && !explained.contains(&column.name) && !BOOKKEEPING.contains(&column.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, read_bytes};

    fn table() -> Table {
        let text = b"id,y,a,b,c,blood pressure\nx1,1,2,u,3,4\nx2,2,3,v,4,5\nx3,3,5,u,1,2\n";
        read_bytes("t.csv", text, &ReadOptions::default()).unwrap().table
    }

    fn terms(text: &str) -> String {
        let formula = Formula::parse(text, &table()).unwrap();
        let mut names: Vec<String> = formula.terms.iter().map(|term| name_of(term)).collect();
        if formula.intercept {
            names.insert(0, "1".into());
        }
        names.join(" ")
    }

    #[test]
    fn formulas_mean_what_they_mean_in_r() {
        assert_eq!(terms("y ~ a + b"), "1 a b");
        assert_eq!(terms("y ~ a:b + c"), "1 c a:b");
        assert_eq!(terms("y~a*b"), "1 a b a:b");
        assert_eq!(terms("y ~ (a + b + c)^2"), "1 a b c a:b a:c b:c");
        assert_eq!(terms("y ~ a * b * c - a:b:c"), "1 a b c a:b a:c b:c");
        assert_eq!(terms("y ~ a - 1"), "a");
        assert_eq!(terms("y ~ 0 + a + a"), "a");
        assert_eq!(terms("y ~ 1"), "1");
        assert_eq!(terms("y ~ . - b - id"), "1 a c blood pressure");
        assert_eq!(terms("log(y) ~ `blood pressure` + I( a ^ 2 )"), "1 blood pressure I(a^2)");
        assert_eq!(terms("y ~ factor(a) + b:a"), "1 a b:a");
    }

    #[test]
    fn arithmetic_is_computed() {
        let formula = Formula::parse("y ~ I(-a^2 + 2 * (c - 1) / 4)", &table()).unwrap();
        let Factor::Number(_, of) = &formula.terms[0][0] else { panic!() };
        assert_eq!(of.values(&table()).unwrap(), [-3.0, -7.5, -25.0]);
        assert_eq!(formula.columns(), ["a", "c", "y"]);
    }

    #[test]
    fn what_is_no_formula_is_told_so() {
        let error = |text: &str| Formula::parse(text, &table()).unwrap_err();
        assert!(error("y ~ ag").to_string().contains("names `ag`, and there is no such column"));
        assert_eq!(
            error("y ~ `blood presure`").hint_text().split('?').next(),
            Some("did you mean `blood pressure`")
        );
        for text in [
            "y",
            "",
            "~ a",
            "y ~",
            "y ~ a +",
            "y ~ a b",
            "y ~ (a",
            "y ~ a^2",
            "y ~ lgo(a)",
            "y ~ a + y",
            "y = a",
        ] {
            error(text);
        }
        assert!(error("y ~ a^2").hint_text().contains("I(a^2)"));
        assert!(error("y ~ lgo(a)").hint_text().contains("`log`"));
        assert!(error("y ~ `a").to_string().contains("does not close"));
    }
}
