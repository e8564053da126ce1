//! What should keep anybody from believing the scores of a model.

use crate::encode::{TargetEncoder, Targets, Task};
use crate::metrics::class_said;

/// R2 or AUROC from which on nobody should believe it, and the fewest rows for that to be said.
const TOO_GOOD: f64 = 0.99995;
const FEWEST_FOR_TOO_GOOD: usize = 20;
/// A class is rare if it is one of so many rows.
const RARE: usize = 20;

/// How a model did on held-out rows.
pub(super) struct Judged<'a> {
    /// What is predicted.
    pub target: &'a TargetEncoder,
    /// What is true of the rows that were held out.
    pub truth: &'a Targets,
    /// `[rows, outputs]` in model units.
    pub answers: &'a [f64],
    /// R2 or AUROC.
    pub headline: f64,
    /// The chance from which on the second of two classes is said.
    pub threshold: Option<f64>,
}

impl Judged<'_> {
    /// What there is to doubt, of a table with so many rows and inputs.
    pub fn doubts(&self, rows: usize, inputs: usize) -> Vec<String> {
        let few = (rows < inputs).then(|| {
            format!(
                "there are fewer rows ({rows}) than inputs ({inputs}): chance alone finds some that fit, and scores say \
                 little"
            )
        });
        let good = too_good(&self.target.name, self.truth.task, self.headline, rows);
        few.into_iter().chain(good).chain(self.never_said()).collect()
    }

    /// A rare class that no row was said to be.
    fn never_said(&self) -> Option<String> {
        let Task::Classification { classes } = self.truth.task else { return None };
        let (mut said, mut there) = (vec![0_usize; classes], vec![0_usize; classes]);
        let rows = self.answers.chunks_exact(classes);
        rows.for_each(|chances| said[class_said(chances, self.threshold)] += 1);
        self.truth.classes.iter().for_each(|class| there[*class as usize] += 1);
        let rows = self.truth.classes.len();
        let is_rare = |class: usize| there[class] > 0 && RARE * there[class] < rows;
        let rare = (0..classes).find(|&class| said[class] == 0 && is_rare(class))?;
        let usual = (0..classes).max_by_key(|class| there[*class])?;
        let (levels, share) = (&self.target.levels, |class: usize| 100.0 * there[class] as f64 / rows as f64);
        Some(format!(
            "{:.1} % of the rows are `{}`, and none was said to be: to say `{}` always is right in {:.1} %, so accuracy \
             says nothing here; go by the chances and AUROC, or weigh the classes equally (balanced class weights)",
            share(rare),
            levels[rare],
            levels[usual],
            share(usual)
        ))
    }
}

/// A perfect answer to a question that was most likely in the table: the R2 or AUROC on so many rows.
pub(super) fn too_good(target: &str, task: Task, headline: f64, rows: usize) -> Option<String> {
    let figure = if matches!(task, Task::Regression) { "R2" } else { "AUROC" };
    (headline >= TOO_GOOD && rows >= FEWEST_FOR_TOO_GOOD).then(|| {
        format!(
            "{figure} {headline:.4} is too good to be true: most likely an input says what `{target}` is in other \
             words, or is known only after it; look at what the model goes by, and leave such columns out"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Data, Kind, Table};

    /// Doubts about answers of so many rows, of which the first few died; the chance of dying that each is given.
    fn doubts(rows: usize, dead: usize, chance: f64, threshold: Option<f64>, headline: f64) -> Vec<String> {
        let words: Vec<Option<&str>> =
            (0..rows).map(|row| Some(if row < dead { "yes" } else { "no" })).collect();
        let table = Table::new(vec![Column::from_words("died", Kind::Binary, &words)]).unwrap();
        let data = Data::from(table);
        let target = TargetEncoder::fit(&data, "died", None).unwrap();
        let truth = target.encode(&data, None, Default::default()).unwrap();
        let answers: Vec<f64> = (0..rows).flat_map(|_| [1.0 - chance, chance]).collect();
        Judged { target: &target, truth: &truth, answers: &answers, headline, threshold }.doubts(rows, 5)
    }

    #[test]
    fn a_rare_class_that_is_never_said_is_told() {
        let told = doubts(200, 4, 0.1, None, 0.7);
        assert!(
            told.len() == 1 && told[0].starts_with("2.0 % of the rows are `yes`, and none was"),
            "{told:?}"
        );
        assert!(told[0].contains("`no` always is right in 98.0 %"), "{told:?}");
        assert_eq!(doubts(200, 4, 0.1, Some(0.05), 0.7), [""; 0], "with this threshold it is said");
        assert_eq!(doubts(200, 80, 0.1, None, 0.7), [""; 0], "not rare");
    }

    #[test]
    fn what_is_perfect_or_of_few_rows_is_told() {
        let told = doubts(200, 80, 0.1, None, 1.0);
        assert!(told.len() == 1 && told[0].contains("AUROC 1.0000 is too good to be true"), "{told:?}");
        assert_eq!(doubts(12, 5, 0.1, None, 1.0), [""; 0], "of twelve rows it may be luck");
        let told = doubts(4, 2, 0.1, None, 0.7);
        assert!(told.len() == 1 && told[0].contains("fewer rows (4) than inputs (5)"), "{told:?}");
    }
}
