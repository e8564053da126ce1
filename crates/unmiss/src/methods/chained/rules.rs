//! Which columns an equation may use, and in which order columns are visited, where the user says so.
//!
//! `bmi ~ height + weight` names all predictors of a column, `bmi ~ . - weight` all but some, `bmi ~ 1` none. Names
//! with signs or spaces stand between backticks.

use std::collections::BTreeMap;

use crate::encode::{Encoded, Encoder};
use crate::error::{Error, Result, nearest};

/// The user's rules, in features of an encoder: numbers first, then categories.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rules {
    predictors: BTreeMap<usize, Vec<usize>>,
    order: Vec<usize>,
}

impl Rules {
    /// Reads equations and an order of visits.
    ///
    /// # Errors
    /// When one can't be read, or names a column that is not there.
    pub fn new(equations: &[String], order: &[String], encoder: &Encoder) -> Result<Self> {
        let names: Vec<&str> = encoder
            .numbers
            .iter()
            .map(|feature| feature.name.as_str())
            .chain(encoder.categories.iter().map(|feature| feature.name.as_str()))
            .collect();
        let find = |setting: &str, name: &str| {
            names.iter().position(|own| *own == name).ok_or_else(|| {
                let hint = match nearest(name, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the columns that can be filled are: {}", names.join(", ")),
                };
                Error::setting(setting, format!("there is no column `{name}` to fill from or to"))
                    .with_hint(hint)
            })
        };
        let mut rules = Self::default();
        for text in equations {
            let (target, terms) = parse(text)?;
            let target = find("equations", &target)?;
            let mut taken: Vec<usize> = Vec::new();
            for (sign, name) in terms {
                let own: Vec<usize> = match name.as_str() {
                    "." => (0..names.len()).filter(|feature| *feature != target).collect(),
                    "1" => Vec::new(),
                    name => vec![find("equations", name)?],
                };
                if own.contains(&target) {
                    let what = format!("`{text}`: a column can't predict itself");
                    return Err(Error::setting("equations", what));
                }
                taken.retain(|feature| !own.contains(feature));
                if sign {
                    taken.extend(own);
                }
            }
            taken.sort_unstable();
            rules.predictors.insert(target, taken);
        }
        rules.order = order.iter().map(|name| find("order", name)).collect::<Result<_>>()?;
        Ok(rules)
    }

    /// The features that an equation may use; `None`: all others.
    pub fn predictors(&self, feature: usize) -> Option<&[usize]> {
        self.predictors.get(&feature).map(Vec::as_slice)
    }

    /// Puts features into the order of visits: those named first, the others as they stand.
    pub fn sort(&self, features: &mut [usize]) {
        let place = |feature: &usize| self.order.iter().position(|own| own == feature).unwrap_or(usize::MAX);
        features.sort_by_key(place);
    }
}

/// What each row counts: 1, or the column of weights, so that all together count as many rows as equally weighted ones
/// that tell as much, (Σ w)² / Σ w².
///
/// # Errors
/// When there is no such column of numbers, or a weight is missing or not above 0.
pub fn row_weights(column: &str, encoder: &Encoder, rows: &Encoded) -> Result<Vec<f64>> {
    if column.is_empty() {
        return Ok(vec![1.0; rows.rows]);
    }
    let Some(place) = encoder.numbers.iter().position(|feature| feature.name == column) else {
        let names = || encoder.numbers.iter().map(|feature| feature.name.as_str());
        let hint = match nearest(column, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the columns of numbers are: {}", names().collect::<Vec<_>>().join(", ")),
        };
        return Err(
            Error::setting("weights", format!("there is no column of numbers `{column}`")).with_hint(hint)
        );
    };
    let (feature, width) = (&encoder.numbers[place], encoder.numbers.len());
    let cells = (0..rows.rows).map(|row| row * width + place);
    let weights: Vec<f64> = cells
        .map(|cell| match rows.numbers_observed[cell] {
            true => feature.decoded(f64::from(rows.numbers[cell])),
            false => f64::NAN,
        })
        .collect();
    if let Some(row) = weights.iter().position(|weight| weight.is_nan() || *weight <= 0.0) {
        let what = format!("row {} of `{column}` has no weight above 0", row + 1);
        return Err(Error::setting("weights", what)
            .with_hint("every row needs one; drop rows that count for nothing"));
    }
    let (sum, squares) =
        (weights.iter().sum::<f64>(), weights.iter().map(|weight| weight * weight).sum::<f64>());
    Ok(weights.iter().map(|weight| weight * sum / squares).collect())
}

/// The target, and each term with whether it is added.
fn parse(text: &str) -> Result<(String, Vec<(bool, String)>)> {
    let refuse = || {
        Error::setting("equations", format!("`{text}` is not of the form COLUMN ~ COLUMN + COLUMN"))
            .with_hint(
                "say for example bmi ~ height + weight, bmi ~ . - weight for all but one, bmi ~ 1 for none",
            )
    };
    let (mut words, mut quoted) = (vec![String::new()], false);
    let mut signs = Vec::new();
    for letter in text.chars() {
        match letter {
            '`' => quoted = !quoted,
            '~' | '+' | '-' if !quoted => {
                signs.push(letter);
                words.push(String::new());
            }
            _ => words.last_mut().into_iter().for_each(|word| word.push(letter)),
        }
    }
    let mut words = words.into_iter().map(|word| word.trim().to_owned());
    let target = words.next().unwrap_or_default();
    let terms: Vec<(bool, String)> = signs.iter().map(|sign| *sign != '-').zip(words).collect();
    let well_formed = signs.first() == Some(&'~') && !signs[1..].contains(&'~');
    match !quoted && well_formed && !target.is_empty() && terms.iter().all(|(_, name)| !name.is_empty()) {
        true => Ok((target, terms)),
        false => Err(refuse()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Kind, Table};
    use crate::encode::Encoding;
    use crate::methods::{Examples, named};
    use crate::run::Run;

    /// A row that counts twice fills like two rows.
    #[test]
    fn weights_count_like_copies() {
        let (mut x, mut y, mut weight) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..60 {
            let own = f64::from(row * 37 % 59) / 10.0;
            x.push(own);
            y.push(if row % 6 == 1 { f64::NAN } else { 2.0 * own + f64::from(row * row % 7) });
            weight.push(if row % 2 == 0 { 2.0 } else { 1.0 });
        }
        let fill = |copies: bool, weights: &str| {
            let rows: Vec<usize> =
                (0..60).flat_map(|row| vec![row; if copies { weight[row] as usize } else { 1 }]).collect();
            let column = |name: &str, cells: &[f64]| {
                Column::from_numbers(
                    name,
                    Kind::Real,
                    &rows.iter().map(|&row| cells[row]).collect::<Vec<_>>(),
                )
            };
            let table = Table::new(vec![column("x", &x), column("y", &y), column("w", &weight)]).unwrap();
            let encoder =
                Encoder::fit(&table, &["x", "y", "w"].map(String::from), Encoding::default()).unwrap();
            let encoded = encoder.encode(&table, |_, _| {}).unwrap();
            let examples = Examples::Table { encoder: &encoder, rows: &encoded, targets: None };
            let settings = serde_json::json!({ "weights": weights, "equations": ["y ~ x"] });
            let learned =
                named("chained").unwrap().fit(&settings, examples, &Run::new(1, 1).unwrap()).unwrap();
            let mut full = encoded.clone().into();
            learned.imputer().unwrap().fill(&mut full, None).unwrap();
            let place = rows.iter().position(|row| *row == 7).unwrap();
            encoder.numbers[1].decoded(f64::from(full.table().unwrap().numbers[place * 3 + 1]))
        };
        let (copied, weighted, plain) = (fill(true, ""), fill(false, "w"), fill(false, ""));
        assert!((copied - weighted).abs() < 0.3 * (copied - plain).abs(), "{copied} {weighted} {plain}");
    }

    #[test]
    fn equations_are_read() {
        let read = |text: &str| parse(text).unwrap();
        let term = |sign: bool, name: &str| (sign, name.to_owned());
        assert_eq!(
            read("bmi ~ height + weight"),
            ("bmi".into(), vec![term(true, "height"), term(true, "weight")])
        );
        assert_eq!(read("`b-m ~i`~.-a"), ("b-m ~i".into(), vec![term(true, "."), term(false, "a")]));
        for wrong in ["", "bmi", "bmi = a", "bmi ~", "~ a", "bmi ~ a +", "a ~ b ~ c", "`a ~ b"] {
            let error = parse(wrong).unwrap_err().to_string();
            assert!(error.contains("is not of the form"), "{wrong}: {error}");
        }
    }
}
