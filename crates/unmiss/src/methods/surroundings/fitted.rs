//! What was learned, and filling with it.

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::around::{Around, CLASSES, names};
use super::correction::Correction;
use crate::encode::{Rows, SeriesRows};
use crate::error::{Error, Result};
use crate::methods::{Draw, Imputer, Learned, Recipe};
use crate::store::Arrays;

/// Series that are guessed at a time.
const AT_ONCE: usize = 256;

/// What was learned of all variables.
pub struct Fitted {
    /// Their names.
    pub variables: Vec<String>,
    /// What was learned of each.
    pub of: Vec<OfVariable>,
}

/// What was learned of one variable.
pub struct OfVariable {
    /// How far it lies from the line; none where the line is the answer.
    pub correction: Option<Correction>,
    /// By class of a cell: errors of guesses on series set aside.
    pub errors: Vec<Vec<f32>>,
    /// The mean size of errors there, of the line and of the answer.
    pub judged: Option<[f64; 2]>,
}

impl Fitted {
    /// Puts it together again from a file's arrays.
    ///
    /// # Errors
    /// When arrays are missing or contradict each other.
    pub fn load(recipe: &Recipe, variables: Vec<String>, arrays: &Arrays) -> Result<Self> {
        let of = |variable: usize| {
            let errors_of = |class: usize| {
                let name = format!("errors {variable} {class}");
                let length = arrays.shape(&name).and_then(|shape| shape.first().copied()).unwrap_or(0);
                let kept = arrays.singles(&name, &[length])?.to_vec();
                let sound = kept.iter().all(|number| number.is_finite());
                if sound { Ok(kept) } else { Err(Error::damaged(format!("array `{name}` has no numbers"))) }
            };
            let errors = (0..CLASSES).map(errors_of).collect::<Result<_>>()?;
            let judged = arrays.doubles(&format!("judged {variable}"), &[2])?;
            let judged = judged.iter().all(|error| *error >= 0.0).then(|| [judged[0], judged[1]]);
            let correction = Correction::load(recipe, &arrays.with_prefix(&format!("{variable}/")))?;
            Ok(OfVariable { correction, errors, judged })
        };
        let of = (0..variables.len()).map(of).collect::<Result<_>>()?;
        Ok(Self { variables, of })
    }

    /// Guesses for the holes of some series, `[steps, D]` for each.
    fn guesses(&self, rows: &SeriesRows, some: &[usize], draw: Option<Draw>) -> Result<Vec<Vec<f64>>> {
        let width = self.of.len();
        let around: Vec<Around> = some
            .par_iter()
            .map(|&row| Around::new(&rows.batch(&[row]), rows.series().observed(row)))
            .collect();
        let holes = |variable: usize| {
            some.iter().enumerate().flat_map(move |(place, &row)| {
                let marks = rows.series().observed(row).iter().skip(variable).step_by(width).enumerate();
                marks.filter(|(_, known)| !**known).map(move |(step, _)| (place, step))
            })
        };
        let corrected = |variable: usize| {
            let Some(correction) = &self.of[variable].correction else { return Ok(None) };
            let numbers: Vec<f32> =
                holes(variable).flat_map(|(place, step)| around[place].numbers(step, variable)).collect();
            correction.offsets(&names(&self.variables, variable), &numbers).map(Some)
        };
        let corrections: Vec<Option<Vec<f64>>> =
            (0..width).into_par_iter().map(corrected).collect::<Result<_>>()?;
        let mut guesses: Vec<Vec<f64>> =
            some.iter().map(|&row| vec![0.0; rows.series().observed(row).len()]).collect();
        for (variable, corrections) in corrections.iter().enumerate() {
            for (hole, (place, step)) in holes(variable).enumerate() {
                let correction = corrections.as_ref().map_or(0.0, |all| all[hole]);
                guesses[place][step * width + variable] =
                    f64::from(around[place].line(step, variable)) + correction;
            }
        }
        if let Some(draw) = draw {
            for ((&row, guesses), around) in some.iter().zip(&mut guesses).zip(&around) {
                self.scatter(draw, row, rows.series().observed(row), guesses, around);
            }
        }
        Ok(guesses)
    }

    /// Adds an error made at a like distance from what is known to each guess of a series.
    fn scatter(&self, draw: Draw, row: usize, observed: &[bool], guesses: &mut [f64], around: &Around) {
        let (mut stream, width) = (draw.stream("surroundings", row), self.of.len());
        for (cell, guess) in guesses.iter_mut().enumerate().filter(|(cell, _)| !observed[*cell]) {
            let (step, variable) = (cell / width, cell % width);
            let (errors, class) = (&self.of[variable].errors, around.class(step, variable));
            // Farther ones are the next best, then nearer ones.
            let found = errors[class..].iter().chain(errors[..class].iter().rev());
            if let Some(errors) = found.into_iter().find(|errors| !errors.is_empty()) {
                *guess += f64::from(errors[stream.below(errors.len())]);
            }
        }
    }
}

impl Learned for Fitted {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        for (variable, own) in self.of.iter().enumerate() {
            for (class, errors) in own.errors.iter().enumerate() {
                arrays.put_singles(format!("errors {variable} {class}"), &[errors.len()], errors.clone());
            }
            let judged = own.judged.unwrap_or([-1.0; 2]);
            arrays.put_doubles(format!("judged {variable}"), &[2], judged.to_vec());
            if let Some(correction) = &own.correction {
                arrays.put_all(&format!("{variable}/"), correction.save());
            }
        }
        arrays
    }

    fn summary(&self) -> Value {
        let variable = |(name, own): (&String, &OfVariable)| {
            let told = json!({
                "corrected": own.correction.is_some(),
                "error of the line": own.judged.map(|judged| judged[0]),
                "error": own.judged.map(|judged| judged[1]),
            });
            (name.clone(), told)
        };
        json!({ "variables": self.variables.iter().zip(&self.of).map(variable).collect::<Map<_, _>>() })
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Fitted {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.series_mut()?;
        let all: Vec<usize> = (0..rows.len()).collect();
        let mut guesses = Vec::with_capacity(all.len());
        for some in all.chunks(AT_ONCE) {
            guesses.extend(self.guesses(rows, some, draw)?);
        }
        rows.fill_each(|row, _| guesses[row].clone());
        Ok(())
    }
}
