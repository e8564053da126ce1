//! The contest: known cells are hidden, every imputer fills them, the truth decides column by column.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::data::Shape;
use crate::encode::{Encoded, Encoder, Rows, Wide};
use crate::error::{Error, Result};
use crate::methods::weights::weights;
use crate::methods::{Cost, Examples, Job, find, named};
use crate::metrics::ranked;
use crate::rng::Stream;
use crate::run::Run;

/// Hidden cells from which one contest says enough; with fewer, several are held.
const ENOUGH_CELLS: usize = 5_000;
/// Contests held, at most.
const MOST_CONTESTS: usize = 5;
/// Rows that imputers with trees of their own for every column learn from, at most.
const MOST_ROWS_OF_TREES: usize = 20_000;
/// Rows below which trees take no less time.
const FEWEST_ROWS_OF_TREES: usize = 100;
/// Work (cells x columns with holes) beyond which `boosted` takes many minutes,
const MOST_BOOSTED_WORK: f64 = 1.2e7;
/// and beyond which a forest for each column does.
const MOST_FOREST_WORK: f64 = 4e6;
/// Rows that `neighbours` asks, at most.
const MOST_DONORS: usize = 20_000;
/// Differences of cells (rows x rows that are asked x columns) beyond which `neighbours` takes minutes.
const MOST_DIFFERENCES: f64 = 1e11;

/// What the contest found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Who took part.
    pub names: Vec<String>,
    /// `[names]`: all settings of each, as they were when it was fitted.
    pub settings: Vec<Value>,
    /// `[features][names]`: weights of the blend (numbers) or 1 for the chosen one (categories).
    pub weights: Vec<Vec<f64>>,
    /// `[features]`: error of what was chosen, on the hidden cells; none where no cell was hidden.
    pub errors: Vec<Option<f64>>,
    /// `[features][names]`: error of each alone.
    pub alone: Vec<Vec<Option<f64>>>,
    /// The one whose draws are taken: of those whose draws are proper (of all, where none is) the smallest error over
    /// all columns.
    pub joint: usize,
    /// Cells that were hidden in all contests.
    pub cells: usize,
    /// How often cells were hidden.
    pub contests: usize,
    /// Whether it was stopped before all imputers were compared in all contests.
    pub cut_off: bool,
}

/// Columns of the plain layout beyond which imputers that know every pair of them take many minutes.
const MOST_PAIRED_COLUMNS: usize = 300;

/// Who can take part in reasonable time, the cheap first, and sentences about those who can't.
pub fn affordable(names: &[String], encoder: &Encoder, rows: &Encoded) -> (Vec<String>, Vec<String>) {
    let size = Size::new(encoder, rows.rows);
    let (mut taken, mut left_out) = (Vec::new(), Vec::new());
    for name in names {
        match size.too_much_for(name) {
            Some(why) => {
                left_out.push(format!("`{name}` was left out: {why} (name it as the method to have it)."))
            }
            None => taken.push(name.clone()),
        }
    }
    if taken.is_empty() {
        // Whoever names none but these wants to wait for them.
        (taken, left_out) = (names.to_vec(), Vec::new());
    }
    taken.sort_by_key(|name| turn(name));
    (taken, left_out)
}

/// Whose turn it is: who is stopped late has compared many.
fn turn(name: &str) -> Cost {
    match named(name) {
        // Its card speaks of one forest; here there is one for each column with holes.
        _ if name == "forest" => Cost::VeryHigh,
        Ok(method) => method.card().cost,
        Err(_) => Cost::VeryHigh,
    }
}

/// What makes a table large for one imputer or another.
struct Size {
    rows: usize,
    /// Columns as the user knows them.
    features: usize,
    /// Those of them that have holes.
    holed: usize,
    /// Columns of the plain layout.
    columns: usize,
}

impl Size {
    fn new(encoder: &Encoder, rows: usize) -> Self {
        let holed = encoder.numbers.iter().filter(|feature| feature.missing > 0).count()
            + encoder.categories.iter().filter(|feature| feature.missing > 0).count();
        Self { rows, features: encoder.width(), holed, columns: Wide::new(encoder).columns() }
    }

    /// Why an imputer would take too long.
    fn too_much_for(&self, name: &str) -> Option<String> {
        let Self { rows, features, holed, columns } = *self;
        let work_of_trees =
            (rows.clamp(FEWEST_ROWS_OF_TREES, MOST_ROWS_OF_TREES) * features) as f64 * holed as f64;
        let differences = rows as f64 * rows.min(MOST_DONORS) as f64 * columns as f64;
        match name {
            // Trees too begin with what the joint normal distribution says.
            "gaussian" | "chained" | "forest" | "boosted" if columns > MOST_PAIRED_COLUMNS => {
                Some(format!("all pairs of {columns} columns take it long"))
            }
            "forest" if work_of_trees > MOST_FOREST_WORK => {
                Some(format!("{holed} columns with holes would need a forest each"))
            }
            "boosted" if work_of_trees > MOST_BOOSTED_WORK => {
                Some(format!("{holed} columns with holes would need their own trees"))
            }
            "neighbours" if differences > MOST_DIFFERENCES => {
                Some(format!("{rows} rows would each be held against {}", rows.min(MOST_DONORS)))
            }
            _ => None,
        }
    }
}

/// Squares and misses at the hidden cells of one feature, for every imputer.
#[derive(Default, Clone)]
struct Answers {
    /// The truth at each hidden cell.
    truth: Vec<f64>,
    /// `[names][cells]`.
    said: Vec<Vec<f64>>,
}

/// Holds as many contests as the table needs and decides.
///
/// # Errors
/// When an imputer can't learn from the rows.
pub fn hold(
    names: &[String],
    encoder: &Encoder,
    rows: &Encoded,
    share: f64,
    most_rows: usize,
    run: &Run,
) -> Result<Verdict> {
    let methods = names.iter().map(|name| find(name, Shape::Table, Job::Fill)).collect::<Result<Vec<_>>>()?;
    let settings: Vec<Value> = methods.iter().map(|method| method.defaults()).collect();
    let features = encoder.width();
    let mut answers = vec![Answers { truth: Vec::new(), said: vec![Vec::new(); names.len()] }; features];
    let known = rows.numbers_observed.iter().chain(&rows.codes_observed).filter(|mark| **mark).count();
    let cells_each = (known as f64 * share * (most_rows as f64 / rows.rows.max(1) as f64).min(1.0)).max(1.0);
    let contests = ((ENOUGH_CELLS as f64 / cells_each).ceil() as usize).clamp(1, MOST_CONTESTS);
    let mut done = contests;
    let mut compared = names.len();
    'contests: for contest in 0..contests {
        let sample = sampled(rows, most_rows, run.seed(), contest as u64);
        let (holed, hidden) = hide(&sample, encoder, share, run.seed(), contest as u64);
        // Scales, ranges and shares are learned anew: those of the encoder know the hidden cells.
        let (blind, holed) = encoder.relearned(&holed);
        let sizes: Vec<usize> =
            answers.iter().map(|answer| if contest > 0 { answer.truth.len() } else { usize::MAX }).collect();
        for (place, name) in names.iter().enumerate() {
            let part = run
                .part(&format!("contest {} of {contests}, {name}", contest + 1))
                .with_seed(run.seed() + contest as u64);
            let examples = Examples::Table { encoder: &blind, rows: &holed, targets: None };
            let learned = methods[place].fit(&settings[place], examples, &part);
            if run.stopped() {
                // What is finished counts: whole contests, or in the first one the imputers that are through.
                (done, compared) = if contest > 0 { (contest, names.len()) } else { (1, place) };
                cut_back(&mut answers, &sizes, compared);
                break 'contests;
            }
            let learned = learned?;
            let mut filled = Rows::Table(holed.clone());
            learned.imputer().map_or(Ok(()), |imputer| imputer.fill(&mut filled, None))?;
            collect(&mut answers, (encoder, &sample), (&blind, filled.table()?), &hidden, place);
        }
    }
    if compared == 0 {
        return Err(Error::Stopped);
    }
    let mut verdict = decide(&names[..compared], settings[..compared].to_vec(), encoder, &answers, done);
    verdict.cut_off = run.stopped();
    Ok(verdict)
}

/// Forgets what a contest that was stopped had begun, and the imputers that were not through.
fn cut_back(answers: &mut [Answers], sizes: &[usize], compared: usize) {
    for (answer, size) in answers.iter_mut().zip(sizes) {
        answer.truth.truncate(*size);
        answer.said.truncate(compared);
        answer.said.iter_mut().for_each(|said| said.truncate(*size));
    }
}

fn sampled(rows: &Encoded, most: usize, seed: u64, contest: u64) -> Encoded {
    let mut picked = Stream::new(seed, "contest rows", contest, 0).permutation(rows.rows);
    picked.truncate(most);
    rows.select(&picked)
}

/// Hides a share of each feature's known cells, never all of them; returns the rows and (row, feature) of the cells.
fn hide(
    rows: &Encoded,
    encoder: &Encoder,
    share: f64,
    seed: u64,
    contest: u64,
) -> (Encoded, Vec<(usize, usize)>) {
    let (numbers, categories) = (encoder.numbers.len(), encoder.categories.len());
    let (mut holed, mut hidden) = (rows.clone(), Vec::new());
    for feature in 0..numbers + categories {
        let marks = if feature < numbers { &mut holed.numbers_observed } else { &mut holed.codes_observed };
        let cell = |row: usize| {
            if feature < numbers { row * numbers + feature } else { row * categories + feature - numbers }
        };
        let mut known: Vec<usize> = (0..rows.rows).filter(|&row| marks[cell(row)]).collect();
        Stream::new(seed, "contest cells", feature as u64, contest).shuffle(&mut known);
        let count = ((known.len() as f64 * share).round() as usize).min(known.len().saturating_sub(2));
        for &row in &known[..count] {
            marks[cell(row)] = false;
            hidden.push((row, feature));
        }
    }
    (holed, hidden)
}

/// What an imputer filled into the hidden cells, held against the truth in the units of the truth's encoder.
fn collect(
    answers: &mut [Answers],
    (encoder, truth): (&Encoder, &Encoded),
    (blind, filled): (&Encoder, &Encoded),
    hidden: &[(usize, usize)],
    place: usize,
) {
    let (numbers, categories) = (encoder.numbers.len(), encoder.categories.len());
    for &(row, feature) in hidden {
        let value = |rows: &Encoded| match feature.checked_sub(numbers) {
            None => f64::from(rows.numbers[row * numbers + feature]),
            Some(category) => f64::from(rows.codes[row * categories + category]),
        };
        let answer = &mut answers[feature];
        if place == 0 {
            answer.truth.push(value(truth));
        }
        let said = value(filled);
        answer.said[place].push(match blind.numbers.get(feature) {
            // As the table will be filled: within the limits.
            Some(own) => {
                let (low, high) = own.allowed();
                encoder.numbers[feature].encoded(own.decoded(said).clamp(low, high))
            }
            None => said,
        });
    }
}

fn decide(
    names: &[String],
    settings: Vec<Value>,
    encoder: &Encoder,
    answers: &[Answers],
    contests: usize,
) -> Verdict {
    let numbers = encoder.numbers.len();
    let mut verdict = Verdict {
        names: names.to_vec(),
        settings,
        weights: Vec::new(),
        errors: Vec::new(),
        alone: Vec::new(),
        joint: 0,
        cut_off: false,
        cells: answers.iter().map(|answer| answer.truth.len()).sum(),
        contests,
    };
    let mut totals = vec![0.0; names.len()];
    for (feature, answer) in answers.iter().enumerate() {
        let is_number = feature < numbers;
        let cells = answer.truth.len();
        let alone: Vec<f64> = answer.said.iter().map(|said| error(said, &answer.truth, is_number)).collect();
        let (weights, error) = if cells == 0 {
            // Nothing could be hidden: the first but the mean, which then stands for nothing better known.
            let place = names.iter().position(|name| name == "gaussian").unwrap_or(0);
            ((0..names.len()).map(|own| f64::from(u8::from(own == place))).collect(), None)
        } else if is_number {
            let (weights, error) = blend(&answer.said, &answer.truth);
            (weights, Some(error))
        } else {
            let best = best_of(&alone);
            ((0..names.len()).map(|own| f64::from(u8::from(own == best))).collect(), Some(alone[best]))
        };
        totals.iter_mut().zip(&alone).for_each(|(total, error)| *total += error * error * cells as f64);
        verdict.weights.push(weights);
        verdict.errors.push(error);
        verdict.alone.push(alone.into_iter().map(|error| (cells > 0).then_some(error)).collect());
    }
    let proper = |name: &String| named(name).is_ok_and(|method| method.proper_draws());
    if names.iter().any(proper) {
        let others = totals.iter_mut().zip(names).filter(|(_, name)| !proper(name));
        others.for_each(|(total, _)| *total = f64::INFINITY);
    }
    verdict.joint = best_of(&totals);
    verdict
}

fn best_of(errors: &[f64]) -> usize {
    let best = errors.iter().enumerate().min_by(|a, b| ranked(*a.1).total_cmp(&ranked(*b.1)));
    best.map_or(0, |(place, _)| place)
}

/// Root mean square error of numbers, share of misses of categories; 0 without cells.
fn error(said: &[f64], truth: &[f64], is_number: bool) -> f64 {
    let count = truth.len().max(1) as f64;
    let pairs = said.iter().zip(truth);
    match is_number {
        true => (pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>() / count).sqrt(),
        false => pairs.filter(|(a, b)| a != b).count() as f64 / count,
    }
}

/// The weights of the mean that errs least, and its error.
fn blend(said: &[Vec<f64>], truth: &[f64]) -> (Vec<f64>, f64) {
    let weights = weights(said.len(), truth.len(), |place, cell| said[place][cell] - truth[cell]);
    let mean = |cell: usize| weights.iter().zip(said).map(|(weight, own)| weight * own[cell]).sum::<f64>();
    let mean: Vec<f64> = (0..truth.len()).map(mean).collect();
    let error = error(&mean, truth, true);
    (weights, error)
}

impl Verdict {
    /// Whether an imputer is needed: by a column, or for draws.
    pub fn needs(&self, place: usize) -> bool {
        place == self.joint
            || self.weights.iter().any(|weights| weights.get(place).is_some_and(|weight| *weight > 0.0))
    }

    /// Refuses what can't be a verdict over so many features.
    pub fn check(&self, features: usize) -> std::result::Result<(), &'static str> {
        let count = self.names.len();
        let sound =
            |weights: &Vec<f64>| weights.len() == count && weights.iter().all(|w| (0.0..=1.0).contains(w));
        if self.weights.len() != features || !self.weights.iter().all(sound) {
            return Err("weights");
        }
        if self.settings.len() != count {
            return Err("settings");
        }
        if self.errors.len() != features || self.alone.len() != features || self.joint >= count {
            return Err("errors");
        }
        Ok(())
    }

    /// What a column takes, in a few words.
    pub fn words(&self, feature: usize) -> String {
        let mut parts: Vec<(f64, &str)> = self.weights[feature]
            .iter()
            .zip(&self.names)
            .filter(|(weight, _)| **weight > 0.0)
            .map(|(weight, name)| (*weight, name.as_str()))
            .collect();
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        match parts.as_slice() {
            [(_, name)] if self.errors[feature].is_none() => format!("{name} (not compared)"),
            [(_, name)] => (*name).to_owned(),
            several => {
                let part = |(weight, name): &(f64, &str)| format!("{name} {:.0} %", 100.0 * weight);
                several.iter().map(part).collect::<Vec<_>>().join(", ")
            }
        }
    }

    /// Weights above 0, by name.
    pub fn weights_by_name(&self, feature: usize) -> Value {
        let pairs = self.names.iter().zip(&self.weights[feature]).filter(|(_, weight)| **weight > 0.0);
        Value::Object(pairs.map(|(name, weight)| (name.clone(), json!(weight))).collect::<Map<_, _>>())
    }

    /// Errors of each imputer alone, by name.
    pub fn errors_by_name(&self, feature: usize) -> Value {
        let pairs = self.names.iter().zip(&self.alone[feature]);
        Value::Object(pairs.map(|(name, error)| (name.clone(), json!(error))).collect::<Map<_, _>>())
    }

    fn about_draws(&self) -> String {
        let name = &self.names[self.joint];
        match named(name).is_ok_and(|method| method.proper_draws()) {
            true => format!("Draws come from `{name}`, the best of those whose draws are proper."),
            false => format!(
                "Draws would come from `{name}`: they differ by noise alone, too little for Rubin's rules."
            ),
        }
    }

    /// What was done, in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let times = if self.contests == 1 { String::new() } else { format!(" in {} rounds", self.contests) };
        vec![
            format!(
                "{} known cells were hidden{times} and filled by {}; each column takes what came nearest.",
                self.cells,
                self.names.join(", ")
            ),
            self.about_draws(),
        ]
    }
}

#[cfg(test)]
mod tests;
