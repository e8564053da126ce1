//! The audit: does a model's answer drift with HOW MUCH is known (the variable sparsity problem)?
//!
//! For a sample of rows, known cells are hidden at random until 5 %, 10 %, ... 100 % of them are left, many masks
//! each, and the model answers for all of them (Yi et al. 2020, Figure 1). Cells hidden at random carry no
//! information: the mean answer of a sound model stays where it is, the answer of a model with a sparsity bias
//! drifts. [`Figures`] measure it, [`Verdict`] says it in a word, [`ColumnEffect`] tells which single column is
//! missed most. Anything that maps a table to numbers can be audited:
//!
//! ```
//! use unmiss::audit::{AuditSettings, Verdict, audit};
//! use unmiss::data::{Column, Kind, Table};
//! use unmiss::run::Run;
//! let numbers = |j: usize| (0..40).map(|i| ((i * (j + 3)) % 7 + 1) as f64).collect::<Vec<_>>();
//! let names: Vec<String> = (0..6).map(|j| format!("x{j}")).collect();
//! let columns = names.iter().enumerate().map(|(j, name)| Column::from_numbers(name, Kind::Real, &numbers(j)));
//! let rows = Table::new(columns.collect())?;
//! // A sum in which a missing cell counts 0: the less is known, the smaller it is.
//! let sum = |table: &Table| -> unmiss::error::Result<Vec<f64>> {
//!     let cell = |column: &Column, row: usize| column.cell(row).map_or(0.0, |text| text.parse().unwrap_or(0.0));
//!     Ok((0..table.rows()).map(|row| table.columns().iter().map(|column| cell(column, row)).sum()).collect())
//! };
//! let found = audit(&rows, &names, &sum, &AuditSettings::default(), &Run::new(0, 0)?)?;
//! assert_eq!(found.verdict, Verdict::StrongDrift);
//! assert!(found.figures.share > 0.7 && found.figures.spearman == 1.0);
//! # Ok::<(), unmiss::error::Error>(())
//! ```

mod subject;
mod examinations;
mod plan;
mod collect;
mod degree;
mod verdict;
mod curve;
mod columns;
mod known;
mod contrast;
mod found;
mod words;
mod ratings;
#[cfg(test)]
mod tests;

use crate::data::{Column, Data, Shape, Table};
use crate::error::{Error, Result};
use crate::model::{Model, Predicting};
use crate::run::Run;
use collect::{Answers, collect};
use degree::{Units, figures};
use examinations::Examinations;
use plan::Plan;
use subject::{Foreign, Own, Subject};

pub use columns::ColumnEffect;
pub use contrast::{Contrast, Treated};
pub use curve::{Example, ExampleLevel, Level};
pub use degree::{Bounds, Figures};
pub use found::{Audit, AuditSettings, ClassFigures, HolesThenAndNow};
pub use known::DataSays;
pub use ratings::{RatingAudit, audit_ratings};
pub use subject::Predict;
pub use verdict::{MILD, STRONG, Verdict};

/// Audits any predictor. `inputs` are the columns whose cells are hidden; `predict` is given tables with all
/// columns of `rows` but the target, and gives one number per row, or several per row (chances of classes, in
/// ascending order of the classes).
///
/// # Errors
/// When a column is absent, no row has two known inputs, the predictor fails, or the run was stopped early.
pub fn audit(
    rows: &Table,
    inputs: &[String],
    predict: &Predict<'_>,
    settings: &AuditSettings,
    run: &Run,
) -> Result<Audit> {
    let target = settings.target.as_deref();
    let subject = Foreign::new(rows, inputs, target, predict)?;
    let truth = target.map(|name| rows.column(name)).transpose()?;
    let levels = truth.and_then(|column| column.codes());
    let classes = levels.map(|(_, levels)| levels.to_vec()).unwrap_or_default();
    let question = Question {
        rows: rows.rows(),
        truth,
        inputs,
        complete: None,
        classes: &classes,
        subject: &subject,
        own: None,
        single: true,
    };
    question.examine(settings, run)
}

/// Audits one of our own models that predict, on data that have its inputs and perhaps its target.
///
/// # Errors
/// When the model does not predict, an input is absent, no row has two known inputs, or the run was stopped early.
pub fn audit_model(model: &Model, data: &Data, settings: &AuditSettings, run: &Run) -> Result<Audit> {
    let predicting = model.predicting()?;
    let columns = model.coder.by_column();
    let inputs: Vec<String> = columns.iter().map(|source| source.column.clone()).collect();
    let mut unseen = Vec::new();
    let note = |column: &str, level: &str| unseen.push(format!("`{level}` in `{column}`"));
    let subject = Own::new(predicting, data, &inputs, note, run)?;
    if !unseen.is_empty() {
        let more = if unseen.len() > 3 { ", ..." } else { "" };
        unseen.truncate(3);
        run.note(format!("values that training never saw count as missing: {}{more}", unseen.join(", ")));
    }
    let missing = model.coder.missing_in_training();
    let complete: Vec<bool> =
        columns.iter().map(|source| source.inputs.iter().all(|&input| missing[input] == 0)).collect();
    let truth = data.column(&predicting.target.name).ok();
    let settings = AuditSettings { target: truth.map(|column| column.name.clone()), ..settings.clone() };
    let question = Question {
        rows: data.rows(),
        truth,
        inputs: &inputs,
        complete: Some(&complete),
        classes: &predicting.target.levels,
        subject: &subject,
        own: Some((model, data)),
        single: true,
    };
    if data.shape() == Shape::Series {
        return audit_series(question, predicting, data, &settings, run);
    }
    let mut watch = predicting.watch();
    watch.look(&predicting.coder.encode(data, |_, _| {})?);
    let holes = Some(HolesThenAndNow { columns: watch.columns(), shift: watch.shift() });
    Ok(Audit { holes, ..question.examine(&settings, run)? })
}

/// The audit of a model of series: values are hidden one by one, and whole variables to see which is missed most.
fn audit_series(
    variables: Question<'_>,
    model: Predicting<'_>,
    data: &Data,
    settings: &AuditSettings,
    run: &Run,
) -> Result<Audit> {
    let subject = Examinations::new(model, data, run)?;
    let values: Vec<String> = (1..=subject.most).map(|value| format!("value {value}")).collect();
    let settings = AuditSettings { contrast: false, ..settings.clone() };
    let question = Question {
        inputs: &values,
        complete: None,
        subject: &subject,
        own: None,
        single: false,
        ..variables
    };
    let mut audit = question.examine(&settings, run)?;
    let few = AuditSettings { masks: 1, levels: 2, ..settings };
    audit.columns = Question { own: None, ..variables }.examine(&few, run)?.columns;
    let mut watch = model.watch();
    watch.look(&model.coder.encode(data, |_, _| {})?);
    audit.holes = Some(HolesThenAndNow { columns: watch.columns(), shift: watch.shift() });
    audit.shape = Shape::Series;
    audit.summary.iter_mut().chain(&mut audit.warnings).for_each(|said| *said = words::of_series(said));
    Ok(audit)
}

/// What is audited, on what.
#[derive(Clone, Copy)]
struct Question<'a> {
    /// How many rows there are.
    rows: usize,
    /// What should be answered, where the data say it.
    truth: Option<&'a Column>,
    inputs: &'a [String],
    /// Which inputs had no hole in training.
    complete: Option<&'a [bool]>,
    classes: &'a [String],
    subject: &'a dyn Subject,
    /// The model, if it is one of ours, and the data.
    own: Option<(&'a Model, &'a Data)>,
    /// Whether single inputs are hidden too.
    single: bool,
}

impl Question<'_> {
    fn examine(&self, settings: &AuditSettings, run: &Run) -> Result<Audit> {
        settings.check()?;
        let Self { rows, inputs, subject, .. } = self;
        let size = (settings.rows, settings.levels, settings.masks);
        let plan = Plan::new(*rows, |row| subject.known(row), inputs.len(), size, run.seed());
        if plan.rows.is_empty() {
            return Err(Error::data(
                "no row has two known inputs, so no cell can be hidden and another left",
            )
            .with_hint("an audit needs rows of which something is known"));
        }
        let counts: Vec<u32> = (0..*rows).map(|row| subject.known(row).len() as u32).collect();
        let data = known::look(&counts, inputs.len(), self.truth)?;
        let answers = collect(&plan, *subject, &run.part("audit"))?;
        let deviations = known::target_deviations(self.truth, self.classes, answers.outputs);
        let outputs: Vec<Output> = audited_outputs(&answers)
            .into_iter()
            .map(|output| {
                let units = Units::new(&answers, output, deviations[output]);
                Output { output, units, figures: figures(&plan, &answers, output, units, run.seed()) }
            })
            .collect();
        // Of equals the first: a model that never drifts is told of by its first class.
        let headline = outputs.iter().reduce(|most, other| {
            if other.figures.drift.abs() > most.figures.drift.abs() { other } else { most }
        });
        let Some(&Output { output, units, figures }) = headline else { return Err(Error::Stopped) };
        let part = run.part("single columns");
        let effects = match self.single {
            false => Vec::new(),
            true => {
                columns::effects(&plan, &answers, (inputs, self.complete), (output, units), *subject, &part)?
            }
        };
        let mut audit = Audit {
            shape: Shape::Table,
            verdict: Verdict::of(&figures),
            summary: Vec::new(),
            warnings: Vec::new(),
            figures,
            class: self.class(output, answers.outputs),
            curve: curve::curve(&plan, &answers, output),
            per_class: self.per_class(&outputs, &plan, &answers),
            examples: curve::examples(&plan, &answers, output),
            columns: effects,
            data,
            holes: None,
            contrast: None,
            contrast_note: None,
            rows: answers.rows(),
            answers: answers.count(),
            answer_deviation: units.answers,
            target_deviation: units.target,
            settings: settings.clone(),
        };
        if let Some((model, data)) = self.own.filter(|_| settings.contrast && !run.stopped()) {
            let output = (output, deviations[output]);
            let before = contrast::Before { model, data, inputs, output, figures: &figures };
            match contrast::contrast(&before, &plan, run) {
                Ok(contrast) => audit.contrast = Some(contrast),
                Err(reason) => audit.contrast_note = Some(reason),
            }
        }
        audit.summary = words::summary(&audit);
        audit.warnings = words::warnings(&audit);
        Ok(audit)
    }

    /// The name of an output, where there are several.
    fn class(&self, output: usize, outputs: usize) -> Option<String> {
        let name = || self.classes.get(output).filter(|_| self.classes.len() == outputs).cloned();
        (outputs > 1).then(|| name().unwrap_or_else(|| format!("output {}", output + 1)))
    }

    fn per_class(&self, outputs: &[Output], plan: &Plan, answers: &Answers) -> Vec<ClassFigures> {
        let one = |of: &Output| {
            let class = self.class(of.output, answers.outputs)?;
            let curve = curve::curve(plan, answers, of.output);
            Some(ClassFigures { class, verdict: Verdict::of(&of.figures), figures: of.figures, curve })
        };
        outputs.iter().filter_map(one).collect()
    }
}

/// One audited output.
struct Output {
    output: usize,
    units: Units,
    figures: Figures,
}

/// All outputs; of two chances that add up to 1 the last, since the first says the same.
fn audited_outputs(answers: &Answers) -> Vec<usize> {
    let adds_up = |row: usize| (answers.full(row, 0) + answers.full(row, 1) - 1.0).abs() < 1e-3;
    if answers.outputs == 2 && (0..answers.rows()).all(adds_up) {
        return vec![1];
    }
    (0..answers.outputs).collect()
}
