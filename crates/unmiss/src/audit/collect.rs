//! Asking the subject, in pieces of bounded size, and keeping what it answered.

use super::plan::Plan;
use super::subject::{Cases, Subject};
use crate::error::{Error, Result};
use crate::run::Run;

/// Input cells asked about at a time, at most.
const MOST_CELLS: usize = 4_000_000;
/// Rows that a stopped audit must have to be worth something.
const FEWEST_ROWS: usize = 20;

/// All answers, row by row in the order of the plan. A stopped audit has the first rows only.
pub(super) struct Answers {
    /// Numbers per case.
    pub outputs: usize,
    /// Masks per level.
    masks: usize,
    /// Per row `[1 + masks x smaller counts, outputs]`.
    rows: Vec<Vec<f64>>,
}

impl Answers {
    /// How many rows were answered for.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The answer for a row as it is.
    pub fn full(&self, row: usize, output: usize) -> f64 {
        self.rows[row][output]
    }

    /// The answers for a row at one of its counts. With everything known there is one mask, hence one answer.
    pub fn at(&self, row: usize, level: usize, output: usize) -> impl Iterator<Item = f64> + '_ {
        let answers = &self.rows[row];
        let levels = (answers.len() / self.outputs - 1) / self.masks;
        let (start, count) = if level == levels { (0, 1) } else { (1 + level * self.masks, self.masks) };
        (start..start + count).map(move |case| answers[case * self.outputs + output])
    }

    /// Numbers in all.
    pub fn count(&self) -> usize {
        self.rows.iter().map(|row| row.len() / self.outputs).sum()
    }
}

/// Asks about every case of the plan.
///
/// # Errors
/// When the subject fails or answers nonsense, or the run was stopped before enough rows were done.
pub(super) fn collect(plan: &Plan, subject: &dyn Subject, run: &Run) -> Result<Answers> {
    let mut answers = Answers { outputs: 0, masks: plan.masks, rows: Vec::with_capacity(plan.rows.len()) };
    let most = most_cases(plan, subject);
    let mut start = 0;
    while start < plan.rows.len() && !run.stopped() {
        let (mut end, mut cases) = (start, 0);
        while end < plan.rows.len() && (end == start || cases + plan.rows[end].cases(plan.masks) <= most) {
            cases += plan.rows[end].cases(plan.masks);
            end += 1;
        }
        let rows = &plan.rows[start..end];
        let asked = run.compute(|| plan.cases(rows));
        let Some(given) = ask(subject, &asked, &mut answers.outputs, run)? else { break };
        let mut rest = given.as_slice();
        for row in rows {
            let (own, others) = rest.split_at(row.cases(plan.masks) * answers.outputs);
            answers.rows.push(own.to_vec());
            rest = others;
        }
        start = end;
        run.progress(start as u64, plan.rows.len() as u64, "rows");
    }
    run.finished();
    if answers.rows.is_empty() || answers.rows.len() < plan.rows.len().min(FEWEST_ROWS) {
        return Err(Error::Stopped);
    }
    Ok(answers)
}

/// Answers for every row with one of its known cells hidden: per row `[known inputs, outputs]`; `None` when the
/// run was stopped.
///
/// # Errors
/// When the subject fails or answers nonsense.
pub(super) fn collect_single(
    plan: &Plan,
    rows: usize,
    subject: &dyn Subject,
    run: &Run,
) -> Result<Option<Vec<Vec<f64>>>> {
    let most = most_cases(plan, subject);
    let mut outputs = 0;
    let mut all = Vec::with_capacity(rows);
    let mut start = 0;
    while start < rows {
        if run.stopped() {
            return Ok(None);
        }
        let mut asked = Cases { rows: Vec::new(), observed: Vec::new() };
        let mut end = start;
        while end < rows && (end == start || asked.rows.len() + plan.rows[end].known.len() <= most) {
            let row = &plan.rows[end];
            for hidden in &row.known {
                let first = asked.observed.len();
                asked.observed.resize(first + plan.inputs, false);
                let left = row.known.iter().filter(|place| *place != hidden);
                left.for_each(|place| asked.observed[first + place] = true);
                asked.rows.push(row.row);
            }
            end += 1;
        }
        let Some(given) = ask(subject, &asked, &mut outputs, run)? else { return Ok(None) };
        let mut rest = given.as_slice();
        for row in &plan.rows[start..end] {
            let (own, others) = rest.split_at(row.known.len() * outputs);
            all.push(own.to_vec());
            rest = others;
        }
        start = end;
        run.progress(start as u64, rows as u64, "rows");
    }
    run.finished();
    Ok(Some(all))
}

fn most_cases(plan: &Plan, subject: &dyn Subject) -> usize {
    (MOST_CELLS / plan.inputs.max(1)).min(subject.most_cases())
}

/// One call, its answer checked; `None` when it failed because the run was stopped (Ctrl-C reaches a foreign
/// program too).
fn ask(subject: &dyn Subject, cases: &Cases, outputs: &mut usize, run: &Run) -> Result<Option<Vec<f64>>> {
    let answers = match subject.answer(cases) {
        Err(_) if run.stopped() => return Ok(None),
        answers => answers?,
    };
    let rows = cases.rows.len();
    let found = answers.len() / rows;
    if found == 0 || answers.len() % rows != 0 {
        let what = format!("the model gave {} numbers for {rows} rows", answers.len());
        return Err(Error::data(what).with_hint("it must give one number per row, or several for each row"));
    }
    if *outputs != 0 && *outputs != found {
        let what = format!("the model gave {outputs} numbers per row, and later {found}");
        return Err(Error::data(what).with_hint("it must give equally many for every row"));
    }
    if let Some(place) = answers.iter().position(|answer| !answer.is_finite()) {
        let what = format!("the model answered {} for a row with hidden cells", answers[place]);
        return Err(Error::data(what).with_hint("it must answer with a finite number whatever is missing"));
    }
    *outputs = found;
    Ok(Some(answers))
}
