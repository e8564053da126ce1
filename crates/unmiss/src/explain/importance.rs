//! Permutation importance with holes (Breiman 2001; Fisher, Rudin and Dominici 2019): by how much does the loss rise
//! when a column's cells change places between rows, holes and all?
//!
//! With loss L, answer f, row x and x[j <- z] the row whose cell j is that of row z:
//!
//! ```text
//! importance of j = mean over rows of  L(y, f(x[j <- z])) - L(y, f(x)),     z: another row
//! of its values   = the same, with z another row in which j is known, for rows in which j is known
//! from its holes  = 1 - of its values / importance
//! ```
//!
//! Hiding is simpler: x[j <- hole] for rows in which j is known.

use super::subject::{Case, Change, MOST_CASES, Subject};
use crate::error::Result;
use crate::model::{ColumnImportance, Estimate, Hidden};
use crate::rng::Stream;

/// How thorough it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Times that cells change places in the columns that matter most.
    pub repeats: usize,
    /// How many columns these are; in others they do once.
    pub repeated: usize,
}

/// What a case is asked for.
#[derive(Clone, Copy, PartialEq)]
enum Question {
    /// Any two cells changed places.
    Places,
    /// Two known cells did.
    Values,
    /// A known cell was hidden.
    Hidden,
}

/// What was answered about a column, as sums over repeats for each row.
struct Heard {
    /// What the loss rose by.
    loss: Vec<f64>,
    /// What it rose by where known values changed places among themselves.
    values: Vec<f64>,
    /// How far answers moved.
    moved: Vec<f64>,
    repeats: usize,
    /// Rows whose known cell was hidden.
    hidden: Vec<usize>,
    /// `[rows, outputs]`: what their answers changed by.
    changes: Vec<f64>,
    /// What their loss rose by.
    rises: Vec<f64>,
}

/// Rows as they are answered for.
struct Before {
    answers: Vec<f64>,
    losses: Option<Vec<f64>>,
}

/// The mean loss of the rows as they are, and every column, the most important first.
pub(super) fn importance(
    subject: &Subject<'_>,
    effort: Effort,
) -> Result<(Option<f64>, Vec<ColumnImportance>)> {
    let count = subject.rows.rows;
    let as_they_are: Vec<Case> = (0..count).map(|row| Case { row, change: None }).collect();
    let answers = subject.answers(&as_they_are)?;
    let loss = |row: usize| subject.loss(row, output_of(&answers, row, subject.outputs()));
    let before = Before { losses: (0..count).map(loss).collect(), answers };
    let by_loss = before.losses.is_some();
    let columns = &subject.columns;
    let mut heard: Vec<Heard> = columns.iter().map(|_| Heard::new(count)).collect();
    let mut order: Vec<usize> = (0..columns.len()).collect();
    ask(subject, &before, &order, true, &mut heard)?;
    let rank = |heard: &Heard| heard.rank(subject, by_loss);
    order.sort_by(|&a, &b| rank(&heard[b]).total_cmp(&rank(&heard[a])));
    for _ in 1..effort.repeats {
        ask(subject, &before, &order[..effort.repeated.min(order.len())], false, &mut heard)?;
    }
    order.sort_by(|&a, &b| rank(&heard[b]).total_cmp(&rank(&heard[a])));
    let training = subject.model.coder.missing_in_training();
    let learned_from = subject.model.learned_from().max(1) as f64;
    let column = |&place: &usize| ColumnImportance {
        column: columns[place].column.clone(),
        missing_in_training: training[columns[place].inputs[0]] as f64 / learned_from,
        ..heard[place].found(subject, by_loss)
    };
    subject.run.finished();
    let loss = before.losses.as_ref().map(|losses| Estimate::of(losses, &subject.weights).mean);
    Ok((loss, order.iter().map(column).collect()))
}

/// Lets the cells of columns change places once more and, where asked, hides them. Columns are asked about together:
/// a call costs more than a case.
fn ask(
    subject: &Subject<'_>,
    before: &Before,
    columns: &[usize],
    hides: bool,
    heard: &mut [Heard],
) -> Result<()> {
    let at_once = (MOST_CASES / (3 * subject.rows.rows)).max(1);
    for (piece, some) in columns.chunks(at_once).enumerate() {
        let mut asked: Vec<(usize, Question)> = Vec::new();
        let mut cases: Vec<Case> = Vec::new();
        for &column in some {
            for (question, own) in questions(subject, column, heard[column].repeats, hides) {
                asked.extend(own.iter().map(|_| (column, question)));
                cases.extend(own);
            }
        }
        let answers = subject.answers(&cases)?;
        let answers = answers.chunks_exact(subject.outputs());
        for (((column, question), case), answer) in asked.into_iter().zip(&cases).zip(answers) {
            heard[column].hear(subject, before, question, case.row, answer);
        }
        some.iter().for_each(|&column| heard[column].repeats += 1);
        subject.run.progress((piece * at_once + some.len()) as u64, columns.len() as u64, "columns");
    }
    Ok(())
}

/// The cases of a column.
fn questions(subject: &Subject<'_>, column: usize, repeat: usize, hides: bool) -> Vec<(Question, Vec<Case>)> {
    let all: Vec<usize> = (0..subject.rows.rows).collect();
    let known: Vec<usize> = all.iter().copied().filter(|&row| subject.is_known(row, column)).collect();
    let mut stream = Stream::new(subject.run.seed(), "change places", column as u64, repeat as u64);
    let mut questions = vec![(Question::Places, moved(column, &all, &mut stream))];
    if known.len() > 1 && known.len() < all.len() {
        questions.push((Question::Values, moved(column, &known, &mut stream)));
    }
    if hides {
        let hidden = |&row: &usize| Case { row, change: Some((column, Change::Hidden)) };
        questions.push((Question::Hidden, known.iter().map(hidden).collect()));
    }
    questions
}

/// Rows that take a cell from one another, in a circle through all of them in random order: none keeps its own.
fn moved(column: usize, rows: &[usize], stream: &mut Stream) -> Vec<Case> {
    let circle: Vec<usize> = stream.permutation(rows.len()).into_iter().map(|place| rows[place]).collect();
    let next = circle.iter().cycle().skip(1);
    let case = |(&row, &giver): (&usize, &usize)| Case { row, change: Some((column, Change::Row(giver))) };
    circle.iter().zip(next).map(case).collect()
}

fn output_of(answers: &[f64], row: usize, outputs: usize) -> &[f64] {
    &answers[row * outputs..(row + 1) * outputs]
}

impl Before {
    /// By how much the loss of a row rises with another answer; 0 where no truth is known.
    fn rise(&self, subject: &Subject<'_>, row: usize, answer: &[f64]) -> f64 {
        let now = subject.loss(row, answer);
        now.zip(self.losses.as_ref()).map_or(0.0, |(now, losses)| now - losses[row])
    }
}

impl Heard {
    fn new(rows: usize) -> Self {
        let [loss, values, moved] = [(); 3].map(|()| vec![0.0; rows]);
        let (hidden, changes, rises) = (Vec::new(), Vec::new(), Vec::new());
        Self { loss, values, moved, repeats: 0, hidden, changes, rises }
    }

    fn hear(
        &mut self,
        subject: &Subject<'_>,
        before: &Before,
        question: Question,
        row: usize,
        answer: &[f64],
    ) {
        let (rise, was) = (before.rise(subject, row, answer), output_of(&before.answers, row, answer.len()));
        match question {
            Question::Places => {
                self.loss[row] += rise;
                self.moved[row] += subject.distance(answer, was);
            }
            Question::Values => self.values[row] += rise,
            Question::Hidden => {
                self.hidden.push(row);
                self.changes.extend(answer.iter().zip(was).map(|(now, was)| now - was));
                self.rises.push(rise);
            }
        }
    }

    fn mean(&self, sums: &[f64], weights: &[f64]) -> Estimate {
        let means: Vec<f64> = sums.iter().map(|sum| sum / self.repeats.max(1) as f64).collect();
        Estimate::of(&means, weights)
    }

    /// What columns are put in order by.
    fn rank(&self, subject: &Subject<'_>, by_loss: bool) -> f64 {
        self.mean(if by_loss { &self.loss } else { &self.moved }, &subject.weights).mean
    }

    fn found(&self, subject: &Subject<'_>, by_loss: bool) -> ColumnImportance {
        let importance = by_loss.then(|| self.mean(&self.loss, &subject.weights));
        let values = self.mean(&self.values, &subject.weights).mean;
        let has_holes = self.hidden.len() < subject.rows.rows;
        let from_holes = importance
            .filter(|all| has_holes && all.is_above_noise())
            .map(|all| (1.0 - values / all.mean).clamp(0.0, 1.0));
        ColumnImportance {
            column: String::new(),
            importance,
            repeats: self.repeats,
            moves: self.mean(&self.moved, &subject.weights),
            from_holes,
            hidden: self.hidden(subject, by_loss),
            missing_in_training: 0.0,
        }
    }

    fn hidden(&self, subject: &Subject<'_>, by_loss: bool) -> Option<Hidden> {
        if self.hidden.is_empty() {
            return None;
        }
        let weights: Vec<f64> = self.hidden.iter().map(|&row| subject.weights[row]).collect();
        let change = |output: usize| {
            let changes: Vec<f64> =
                self.changes.iter().skip(output).step_by(subject.outputs()).copied().collect();
            Estimate::of(&changes, &weights)
        };
        Some(Hidden {
            rows: self.hidden.len(),
            answer: subject.told().into_iter().map(change).collect(),
            loss: by_loss.then(|| Estimate::of(&self.rises, &weights)),
        })
    }
}
