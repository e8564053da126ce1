//! Arithmetic of columns inside a formula: `log(x)`, `I(x^2)`, `I(weight / height^2)`.

use super::words::{Words, is_name};
use crate::data::{Column, Table, Values};
use crate::error::{Error, Result, nearest};

type Function = fn(f64) -> f64;

/// Functions of one number that a formula may use.
const FUNCTIONS: [(&str, Function); 7] = [
    ("log", f64::ln),
    ("log2", f64::log2),
    ("log10", f64::log10),
    ("log1p", f64::ln_1p),
    ("exp", f64::exp),
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
];

/// A number made of columns, row by row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Arithmetic {
    Constant(f64),
    Column(String),
    /// A function by its name.
    Call(&'static str, Box<Arithmetic>),
    /// One of `+ - * / ^`.
    Pair(char, Box<(Arithmetic, Arithmetic)>),
}

/// Whether a name in front of `(` is one that stands for arithmetic.
pub(crate) fn is_function(name: &str) -> bool {
    name == "I" || FUNCTIONS.iter().any(|(own, _)| *own == name)
}

impl Arithmetic {
    /// Reads `name(...)`, from the parenthesis on.
    pub fn call(name: &str, words: &mut Words) -> Result<Self> {
        words.expect("(")?;
        let inner = Self::sum(words)?;
        words.expect(")")?;
        match FUNCTIONS.iter().find(|(own, _)| *own == name) {
            Some((own, _)) => Ok(Self::Call(own, Box::new(inner))),
            None => Ok(inner),
        }
    }

    /// Reads a whole formula, as `weight / (height / 100)^2`.
    pub fn whole(words: &mut Words) -> Result<Self> {
        let read = Self::sum(words)?;
        if words.is_done() { Ok(read) } else { Err(words.wrong("a sign or its end")) }
    }

    fn sum(words: &mut Words) -> Result<Self> {
        Self::chain(words, &["+", "-"], Self::product)
    }

    fn product(words: &mut Words) -> Result<Self> {
        Self::chain(words, &["*", "/"], Self::sign)
    }

    fn chain(words: &mut Words, signs: &[&str], part: fn(&mut Words) -> Result<Self>) -> Result<Self> {
        let mut left = part(words)?;
        while let Some(sign) = signs.iter().find(|sign| words.next_is(sign)) {
            words.take();
            let sign = sign.chars().next().unwrap_or('+');
            left = Self::Pair(sign, Box::new((left, part(words)?)));
        }
        Ok(left)
    }

    /// A sign binds less than a power: -2^2 is -4.
    fn sign(words: &mut Words) -> Result<Self> {
        if words.next_is("-") {
            words.take();
            return Ok(Self::Pair('-', Box::new((Self::Constant(0.0), Self::sign(words)?))));
        }
        let base = Self::atom(words)?;
        if !words.next_is("^") {
            return Ok(base);
        }
        words.take();
        Ok(Self::Pair('^', Box::new((base, Self::sign(words)?))))
    }

    fn atom(words: &mut Words) -> Result<Self> {
        if words.next_is("(") {
            words.take();
            let inner = Self::sum(words)?;
            words.expect(")")?;
            return Ok(inner);
        }
        let word = words.take();
        if let Ok(number) = word.parse::<f64>() {
            return Ok(Self::Constant(number));
        }
        match words.next_is("(") {
            true if is_function(&word) => Self::call(&word, words),
            true => Err(unknown_function(&word)),
            false if is_name(&word) => Ok(Self::Column(words.column(&word)?)),
            false => Err(words.wrong("a column, a number or a function")),
        }
    }

    /// The columns that it is made of.
    pub fn columns<'a>(&'a self, into: &mut Vec<&'a str>) {
        match self {
            Self::Constant(_) => {}
            Self::Column(name) => into.push(name),
            Self::Call(_, inner) => inner.columns(into),
            Self::Pair(_, pair) => [&pair.0, &pair.1].into_iter().for_each(|part| part.columns(into)),
        }
    }

    /// The number that it comes to where columns have the given values.
    pub fn value(&self, of: &impl Fn(&str) -> f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Column(name) => of(name),
            Self::Call(name, inner) => function(name)(inner.value(of)),
            Self::Pair(sign, pair) => joined(*sign, pair.0.value(of), pair.1.value(of)),
        }
    }

    /// The number of every row.
    pub fn values(&self, table: &Table) -> Result<Vec<f64>> {
        Ok(match self {
            Self::Constant(value) => vec![*value; table.rows()],
            Self::Column(name) => numbers(table.column(name)?)?,
            Self::Call(name, inner) => inner.values(table)?.into_iter().map(function(name)).collect(),
            Self::Pair(sign, pair) => {
                let (left, right) = (pair.0.values(table)?, pair.1.values(table)?);
                let both = left.into_iter().zip(right);
                both.map(|(left, right)| joined(*sign, left, right)).collect()
            }
        })
    }
}

/// A function by its name; only names of the list are read.
fn function(name: &str) -> Function {
    FUNCTIONS.iter().find(|(own, _)| *own == name).map_or(f64::abs as Function, |(_, function)| *function)
}

fn joined(sign: char, left: f64, right: f64) -> f64 {
    match sign {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '/' => left / right,
        _ => left.powf(right),
    }
}

/// A column's numbers. Two different numbers are read as two levels, and are numbers all the same.
pub(crate) fn numbers(column: &Column) -> Result<Vec<f64>> {
    match &column.values {
        Values::Numbers(values) => Ok(values.clone()),
        Values::Codes { codes, levels } => {
            let values: Option<Vec<f64>> = levels.iter().map(|level| level.parse().ok()).collect();
            let values = values.ok_or_else(|| not_numbers(&column.name))?;
            Ok(codes.iter().map(|code| values.get(*code as usize).copied().unwrap_or(0.0)).collect())
        }
        Values::Texts(_) => Err(not_numbers(&column.name)),
    }
}

fn not_numbers(name: &str) -> Error {
    Error::data(format!("the formula computes with `{name}`, which does not hold numbers"))
}

/// An error about something that looks like a function and is none.
pub(crate) fn unknown_function(name: &str) -> Error {
    let known = || FUNCTIONS.iter().map(|(own, _)| *own).chain(["I", "factor"]);
    Error::data(format!("the formula calls `{name}(...)`, which it can't")).with_hint(
        match nearest(name, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it can call {}", known().collect::<Vec<_>>().join(", ")),
        },
    )
}
