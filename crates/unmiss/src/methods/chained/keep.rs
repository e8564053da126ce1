//! Sets of drawn equations as arrays of a file, and back.

use super::drawn::{Drawn, Form};
use super::equation::Equation;
use super::ridge::Line;
use crate::encode::Wide;
use crate::error::{Error, Result};
use crate::store::Arrays;

/// Puts all sets into arrays.
pub fn save(sets: &[Vec<Drawn>], arrays: &mut Arrays) {
    for (number, set) in sets.iter().enumerate() {
        for drawn in set {
            let name = |part: &str| format!("set {number} {}/{part}", drawn.feature);
            match &drawn.form {
                Form::Number { line, scale, range, donors } => {
                    let head = vec![line.bias, line.noise, *scale, range.0, range.1];
                    arrays.put_doubles(name("line"), &[5], head);
                    arrays.put_doubles(name("weights"), &[line.weights.len()], line.weights.clone());
                    let pairs = donors.iter().flat_map(|(own, value)| [*own as f32, *value as f32]).collect();
                    arrays.put_singles(name("donors"), &[donors.len(), 2], pairs);
                }
                Form::Category(questions) => {
                    let size = drawn.predictors.len() + 1;
                    arrays.put_doubles(name("questions"), &[questions.len(), size], questions.concat());
                }
            }
        }
    }
}

/// Reads `count` sets for the features of the given equations, whose predictors they share.
///
/// # Errors
/// When arrays are missing or do not fit.
pub fn load(count: usize, equations: &[Equation], wide: &Wide, arrays: &Arrays) -> Result<Vec<Vec<Drawn>>> {
    let set = |number| equations.iter().map(move |equation| one(number, equation, wide, arrays)).collect();
    (0..count).map(set).collect()
}

fn one(number: usize, equation: &Equation, wide: &Wide, arrays: &Arrays) -> Result<Drawn> {
    let name = |part: &str| format!("set {number} {}/{part}", equation.feature);
    let length = |part: &str| arrays.shape(&name(part)).and_then(|shape| shape.first().copied()).unwrap_or(0);
    let size = equation.predictors.len();
    let form = if equation.feature < wide.numbers() {
        let head = arrays.doubles(&name("line"), &[5])?;
        let weights = arrays.doubles(&name("weights"), &[size])?.to_vec();
        let pairs = arrays.singles(&name("donors"), &[length("donors"), 2])?;
        let donors = pairs.chunks(2).map(|pair| (f64::from(pair[0]), f64::from(pair[1]))).collect();
        let line = Line { weights, bias: head[0], noise: head[1] };
        Form::Number { line, scale: head[2], range: (head[3], head[4]), donors }
    } else {
        let questions = arrays.doubles(&name("questions"), &[length("questions"), size + 1])?;
        Form::Category(questions.chunks(size + 1).map(<[f64]>::to_vec).collect())
    };
    let drawn = Drawn { feature: equation.feature, predictors: equation.predictors.clone(), form };
    match is_sound(&drawn) {
        true => Ok(drawn),
        false => Err(Error::data(format!("the set `{}` has numbers that can't be", name("")))),
    }
}

fn is_sound(drawn: &Drawn) -> bool {
    let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
    match &drawn.form {
        Form::Number { line, scale, range, donors } => {
            finite(&line.weights)
                && finite(&[line.bias, line.noise, *scale, range.0, range.1])
                && range.0 <= range.1
                && donors.iter().all(|(own, value)| finite(&[*own, *value]))
                && donors.is_sorted_by(|a, b| a.0 <= b.0)
        }
        Form::Category(questions) => questions.iter().all(|weights| finite(weights)),
    }
}
