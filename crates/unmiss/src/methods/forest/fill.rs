//! Forests that fill holes: column after column, each from the others, round by round (Stekhoven and Bühlmann 2012).

use serde_json::{Value, json};

use super::stored::Forest;
use super::{Fitted, Settings, check_width, outputs};
use crate::encode::wide::pick;
use crate::encode::{Encoded, Encoder, Rows, Targets, Task, Wide};
use crate::error::{Error, Result};
use crate::linalg::Normal;
use crate::methods::gaussian::learn_default;
use crate::methods::learned::with_cut_off;
use crate::methods::round_robin::{Start, holed, inputs, is_known, levels, ranges, sampled};
use crate::methods::{Draw, Imputer, Learned};
use crate::rng::Stream;
use crate::run::Run;
use crate::store::Arrays;

/// How often each column is learned.
const ROUNDS: usize = 2;
/// Trees of a column where nothing else is said,
const TREES: usize = 100;
/// and of the forest of half of the rows whose errors draws take.
const TREES_OF_HALF: usize = 50;
/// Rows that are learned from, at most.
const MOST_ROWS: usize = 20_000;
/// Trees from which these errors are taken after a stop, when no time is left: they come out a little too large.
const TREES_AFTER_STOP: usize = 10;
/// Errors kept for draws.
const KEPT: usize = 1000;

/// A forest for each column with holes.
pub struct Filler {
    wide: Wide,
    normal: Normal,
    /// In the order of a round.
    columns: Vec<Column>,
    ranges: Vec<(f32, f32)>,
    /// Why the fit was ended before it was done, if it was; a file does not say it again.
    cut_off: Option<String>,
}

/// The forest of a column.
struct Column {
    /// Numbers first, then categories.
    feature: usize,
    /// Codes that stand for a level (categories).
    levels: usize,
    forest: Fitted,
    /// What a forest of half of the rows left at the others (numbers).
    errors: Vec<f32>,
}

impl Filler {
    /// Learns from rows with holes. A stop in a later round leaves the columns that are not done what they had in the
    /// round before.
    ///
    /// # Errors
    /// When there are too many columns, or it was stopped in the first round.
    pub fn fit(settings: &Settings, encoder: &Encoder, rows: &Encoded, run: &Run) -> Result<Self> {
        check_width(encoder)?;
        let sample = sampled(rows, MOST_ROWS, "forest rows", run.seed());
        let rows = sample.as_ref().unwrap_or(rows);
        let wide = Wide::new(encoder);
        let normal = learn_default(&wide.widen(rows), run);
        let mut filled = Start::new(&wide, &normal, rows).filled;
        let order = holed(encoder, rows);
        let settings = Settings { trees: settings.trees.or(Some(TREES)), ..*settings };
        let mut filler = Self { wide, normal, columns: Vec::new(), ranges: ranges(encoder), cut_off: None };
        let total = (ROUNDS * order.len()) as u64;
        for round in 0..ROUNDS {
            let last = round + 1 == ROUNDS;
            let mut before = std::mem::take(&mut filler.columns).into_iter();
            for (place, &feature) in order.iter().enumerate() {
                let lesson = Lesson::new(encoder, feature, rows, &filled);
                let mut column = lesson.learn(&settings, last, run);
                if run.stopped() {
                    // Few trees of the moment are no match for all that are finished.
                    column = before.next().ok_or(Error::Stopped)?;
                    column.errors = lesson.errors(&settings, TREES_AFTER_STOP, &run.to_the_end());
                    filler.cut_off.get_or_insert_with(|| {
                        format!("It was stopped in round {}: {place} columns were learned in it.", round + 1)
                    });
                } else {
                    before.next();
                }
                column.fill(rows, &mut filled, &filler.ranges, None);
                filler.columns.push(column);
                run.progress((round * order.len() + place) as u64 + 1, total, format!("round {}", round + 1));
            }
        }
        run.finished();
        Ok(filler)
    }

    /// Puts it together again from a file's arrays.
    ///
    /// # Errors
    /// When arrays are missing or do not fit.
    pub fn load(encoder: &Encoder, arrays: &Arrays) -> Result<Self> {
        let wide = Wide::new(encoder);
        let width = wide.columns();
        let mean = arrays.doubles("mean", &[width])?.to_vec();
        let covariance = arrays.doubles("covariance", &[width, width])?.to_vec();
        if !mean.iter().chain(&covariance).all(|value| value.is_finite()) {
            return Err(Error::data("an array has a number that is not finite"));
        }
        let count = arrays.shape("order").and_then(|shape| shape.first().copied()).unwrap_or(0);
        let load = |feature: &f64| Column::load(encoder, *feature, arrays);
        let columns = arrays.doubles("order", &[count])?.iter().map(load).collect::<Result<_>>()?;
        let normal = Normal::from_parts(mean, covariance);
        Ok(Self { wide, normal, columns, ranges: ranges(encoder), cut_off: None })
    }
}

/// The known cells of a column, and what the other, filled, columns say beside them.
struct Lesson<'a> {
    encoder: &'a Encoder,
    feature: usize,
    inputs: Encoded,
    targets: Targets,
}

impl<'a> Lesson<'a> {
    fn new(encoder: &'a Encoder, feature: usize, rows: &Encoded, filled: &Encoded) -> Self {
        let numbers = encoder.numbers.len();
        let known: Vec<usize> = (0..rows.rows).filter(|&row| is_known(rows, numbers, feature, row)).collect();
        let inputs = inputs(filled, numbers, feature, &known);
        Self { encoder, feature, inputs, targets: targets(encoder, feature, rows, &known) }
    }

    fn grow(&self, settings: &Settings, rows: &[u32], run: &Run) -> Fitted {
        // Every column has its own trees; their progress would only flicker.
        let quiet = run.clone().listened_by(|_| {});
        run.compute(|| Fitted::fit(settings, self.encoder, &self.inputs, &self.targets, rows, &quiet))
    }

    /// The column's forest; in the last round with what draws need.
    fn learn(&self, settings: &Settings, last: bool, run: &Run) -> Column {
        let all: Vec<u32> = (0..self.inputs.rows as u32).collect();
        let forest = self.grow(settings, &all, run);
        let errors = if last { self.errors(settings, TREES_OF_HALF, run) } else { vec![0.0] };
        Column { feature: self.feature, levels: levels(self.encoder, self.feature), forest, errors }
    }

    /// What a forest of half of the rows leaves at the others (numbers).
    fn errors(&self, settings: &Settings, most_trees: usize, run: &Run) -> Vec<f32> {
        if self.targets.task != Task::Regression {
            return Vec::new();
        }
        let order =
            Stream::new(run.seed(), "forest halves", self.feature as u64, 0).permutation(self.inputs.rows);
        let (half, others) = order.split_at(self.inputs.rows.div_ceil(2));
        let mut half: Vec<u32> = half.iter().map(|&row| row as u32).collect();
        half.sort_unstable();
        let fewer = Settings { trees: settings.trees.map(|trees| trees.min(most_trees)), ..*settings };
        let answers = self.grow(&fewer, &half, run).answers(&self.inputs);
        let left = |&row: &usize| self.targets.numbers[row] - answers[row] as f32;
        let errors: Vec<f32> = others.iter().take(KEPT).map(left).collect();
        if errors.is_empty() { vec![0.0] } else { errors }
    }
}

impl Column {
    /// Fills the column's holes from the other, filled, columns; with a draw and a round, by plausible values.
    fn fill(&self, rows: &Encoded, filled: &mut Encoded, ranges: &[(f32, f32)], draw: Option<(Draw, u64)>) {
        let numbers = ranges.len();
        let holes: Vec<usize> =
            (0..rows.rows).filter(|&row| !is_known(rows, numbers, self.feature, row)).collect();
        if holes.is_empty() {
            return;
        }
        let answers = self.forest.answers(&inputs(filled, numbers, self.feature, &holes));
        let stream = |row: usize| {
            draw.map(|(draw, round)| {
                let mut stream = draw.stream("forest", row);
                // One stream a cell: columns and rounds start at different places of the row's.
                Stream::new(stream.bits(), "forest cell", self.feature as u64, round)
            })
        };
        match self.feature.checked_sub(numbers) {
            None => {
                let (low, high) = ranges[self.feature];
                for (&row, answer) in holes.iter().zip(&answers) {
                    let noise = stream(row).map_or(0.0, |mut own| self.errors[own.below(self.errors.len())]);
                    let value = (*answer as f32 + noise).clamp(low, high);
                    filled.numbers[row * numbers + self.feature] = value;
                }
            }
            Some(category) => {
                let width = filled.codes.len() / filled.rows;
                let classes = answers.len() / holes.len();
                for (&row, chances) in holes.iter().zip(answers.chunks_exact(classes)) {
                    let code = pick(&chances[..self.levels.min(classes)], stream(row).as_mut());
                    filled.codes[row * width + category] = code.unwrap_or(0) as u32;
                }
            }
        }
    }

    fn save(&self, arrays: &mut Arrays) {
        let prefix = format!("column {}/", self.feature);
        arrays.put_all(&prefix, self.forest.save());
        arrays.put_singles(format!("{prefix}errors"), &[self.errors.len()], self.errors.clone());
    }

    fn load(encoder: &Encoder, feature: f64, arrays: &Arrays) -> Result<Self> {
        if !(feature >= 0.0 && feature < encoder.width() as f64) {
            return Err(Error::data("array `order` names a column that is not there"));
        }
        let feature = feature as usize;
        let own = arrays.with_prefix(&format!("column {feature}/"));
        let task = task(encoder, feature);
        let forest = Fitted::new(encoder, task, Forest::load(&own, encoder, outputs(task))?);
        let kept = own.shape("errors").and_then(|shape| shape.first().copied()).unwrap_or(0);
        let errors = own.singles("errors", &[kept])?.to_vec();
        if !errors.iter().all(|value| value.is_finite()) || (task == Task::Regression && kept == 0) {
            return Err(Error::data(format!("the errors of column {feature} can't be")));
        }
        Ok(Self { feature, levels: levels(encoder, feature), forest, errors })
    }
}

fn task(encoder: &Encoder, feature: usize) -> Task {
    match feature.checked_sub(encoder.numbers.len()) {
        None => Task::Regression,
        Some(place) => Task::Classification { classes: encoder.categories[place].codes().max(2) },
    }
}

/// The known cells of a column as what is to be predicted.
fn targets(encoder: &Encoder, feature: usize, rows: &Encoded, known: &[usize]) -> Targets {
    let (numbers, width) = (encoder.numbers.len(), encoder.categories.len());
    let mut targets = Targets {
        task: task(encoder, feature),
        numbers: Vec::new(),
        classes: Vec::new(),
        weights: vec![1.0; known.len()],
    };
    match feature.checked_sub(numbers) {
        None => targets.numbers = known.iter().map(|&row| rows.numbers[row * numbers + feature]).collect(),
        Some(place) => targets.classes = known.iter().map(|&row| rows.codes[row * width + place]).collect(),
    }
    targets
}

impl Learned for Filler {
    fn save(&self) -> Arrays {
        let mut arrays = Arrays::default();
        let (mean, covariance) = self.normal.parts();
        arrays.put_doubles("mean", &[mean.len()], mean.to_vec());
        arrays.put_doubles("covariance", &[mean.len(), mean.len()], covariance.to_vec());
        let order: Vec<f64> = self.columns.iter().map(|column| column.feature as f64).collect();
        arrays.put_doubles("order", &[order.len()], order);
        self.columns.iter().for_each(|column| column.save(&mut arrays));
        arrays
    }

    fn summary(&self) -> Value {
        let trees: usize = self.columns.iter().map(|column| column.forest.forest.trees.len()).sum();
        let words = format!("{trees} trees for {} columns, after {ROUNDS} rounds.", self.columns.len());
        with_cut_off(json!({ "trees": trees, "sentences": [words] }), self.cut_off.as_ref())
    }

    fn imputer(&self) -> Option<&dyn Imputer> {
        Some(self)
    }
}

impl Imputer for Filler {
    fn why_no_formula(&self) -> &'static str {
        "it goes over the columns in rounds, a forest for each"
    }

    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let rows = rows.table_mut()?;
        if rows.rows == 0 {
            return Ok(());
        }
        let mut filled = Start::new(&self.wide, &self.normal, rows).filled;
        for round in 0..ROUNDS {
            for column in &self.columns {
                column.fill(rows, &mut filled, &self.ranges, draw.map(|draw| (draw, round as u64)));
            }
        }
        (rows.numbers, rows.codes) = (filled.numbers, filled.codes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::data::{Column as Cells, Kind, Table};
    use crate::methods::Examples;
    use crate::methods::{Method, forest::RandomForest};
    use crate::run::Event;

    /// y bends with x, and a word says on which side of 0 x lies.
    fn bent() -> (Table, Table) {
        let mut stream = Stream::new(1, "test", 0, 0);
        let x: Vec<f64> = (0..600).map(|_| stream.normal()).collect();
        let y: Vec<f64> = x.iter().map(|x| x * x + 0.1 * stream.normal()).collect();
        let word = |x: &f64| Some(if *x > 0.0 { "right" } else { "left" }.to_owned());
        let words: Vec<Option<String>> = x.iter().map(word).collect();
        let table = |y: Vec<f64>, words: Vec<Option<String>>| {
            let numbers = |name: &str, cells: &[f64]| Cells::from_numbers(name, Kind::Real, cells);
            let words = Cells::from_words("side", Kind::Category, &words);
            Table::new(vec![numbers("x", &x), numbers("y", &y), words]).unwrap()
        };
        let full = table(y.clone(), words.clone());
        let holed = |row: usize| row.is_multiple_of(4);
        let y = y.iter().enumerate().map(|(row, y)| if holed(row) { f64::NAN } else { *y }).collect();
        let words = words.into_iter().enumerate().map(|(row, word)| word.filter(|_| !holed(row + 1)));
        (full, table(y, words.collect()))
    }

    #[test]
    fn bent_relations_are_followed_and_draws_vary_as_the_truth_does() {
        let (full, holed) = bent();
        let names = ["x", "y", "side"].map(str::to_owned);
        let encoder = Encoder::fit(&holed, &names, RandomForest.encoding(&Value::Null).unwrap()).unwrap();
        let rows = encoder.encode(&holed, |_, _| {}).unwrap();
        let truth = encoder.encode(&full, |_, _| {}).unwrap();
        let examples = Examples::Table { encoder: &encoder, rows: &rows, targets: None };
        let run = Run::new(0, 2).unwrap();
        let learned = RandomForest.fit(&json!({ "trees": 30 }), examples, &run).unwrap();
        let fill = |draw: Option<Draw>| {
            let mut filled = Rows::Table(rows.clone());
            learned.imputer().unwrap().fill(&mut filled, draw).unwrap();
            filled.table().unwrap().clone()
        };
        let error = |filled: &Encoded| {
            let holes = (0..600).filter(|row| row % 4 == 0);
            let squares = holes.map(|row| (filled.numbers[row * 2 + 1] - truth.numbers[row * 2 + 1]).powi(2));
            (squares.sum::<f32>() / 150.0).sqrt()
        };
        let guess = fill(None);
        assert!(error(&guess) < 0.35, "{}", error(&guess));
        let right = (0..600).filter(|row| row % 4 == 3 && guess.codes[*row] == truth.codes[*row]).count();
        assert!(right > 140, "{right} of 150 words");
        let draw = |number| fill(Some(Draw { seed: 1, number, first_row: 0 }));
        let (first, second) = (draw(1), draw(2));
        assert_ne!(first.numbers, second.numbers);
        assert!(error(&first) > error(&guess) && error(&first) < 0.8, "{}", error(&first));
        let again = RandomForest.load(
            &json!({ "trees": 30 }),
            crate::methods::Layout { coder: &crate::encode::Coder::Table(encoder.clone()), task: None },
            &learned.save(),
        );
        let mut other = Rows::Table(rows.clone());
        again.unwrap().imputer().unwrap().fill(&mut other, None).unwrap();
        assert_eq!(other.table().unwrap().numbers, guess.numbers);
    }

    /// Learns from two columns with holes, and is stopped after the first of a round.
    fn stopped_in(round: &'static str) -> Result<Value> {
        let (_, holed) = bent();
        let names = ["x", "y", "side"].map(str::to_owned);
        let encoder = Encoder::fit(&holed, &names, RandomForest.encoding(&Value::Null)?)?;
        let rows = encoder.encode(&holed, |_, _| {})?;
        let run = Run::new(0, 2)?;
        let stop = run.stop_switch();
        let run = run.listened_by(move |event| {
            if matches!(event, Event::Progress { detail, .. } if detail == round) {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let settings = Settings { trees: Some(12), ..Settings::default() };
        let filler = Filler::fit(&settings, &encoder, &rows, &run)?;
        assert!(filler.columns.iter().all(|column| column.feature > 1 || column.errors.len() > 100));
        Ok(filler.summary())
    }

    #[test]
    fn a_stop_keeps_the_last_whole_round() {
        assert!(matches!(stopped_in("round 1"), Err(Error::Stopped)));
        let summary = stopped_in("round 2").unwrap();
        assert_eq!(summary["trees"], json!(24));
        assert!(
            summary["cut off"].as_str().unwrap().contains("round 2: 1 columns were learned"),
            "{summary}"
        );
    }
}
