//! A fit as sections of a page: methods side by side, held-out predictions, training.

use super::evaluation::{charts, figures as figures_of};
use super::explain::explain;
use crate::compare::{Choice, Entry};
use crate::encode::Task;
use crate::error::Result;
use crate::metrics::{CalibrationPoint, ClassCalibration, Score};
use crate::missing::words::{count, number};
use crate::model::Model;
use crate::report::{Calibration, Chart, Form, Grid, Marks, Ranked, Ranking, Section, Training, Words};
use crate::run::Curve;

/// Classes whose calibration is shown, at most.
const MOST_CLASSES: usize = 4;

/// How the methods did, how right the best one was, and how its training went. `learned` says in sentences
/// what was learned from, `promises` what intervals promise.
///
/// # Errors
/// When a chart can't be drawn.
pub fn fit(model: &Model, choice: &Choice, learned: &[String], promises: &[String]) -> Result<Vec<Section>> {
    let mut methods = Section::new("Methods side by side").list(learned).list(&choice.left_out);
    if !choice.entries.is_empty() {
        methods = methods
            .chart(comparison(choice)?)
            .table("All scores (mean ± half the 95 % interval)", scores(choice));
    }
    if !choice.weights.is_empty() {
        methods = methods.chart(weights(choice)?);
    }
    let mut sections = vec![methods.careful(&choice.failures)];
    if let Some(best) = choice.entries.first() {
        let name = best.recipe.method.name();
        let held_out = Section::new(format!("How right `{name}` is on rows it did not see"));
        let held_out = charts(&choice.evaluation, held_out)?;
        let all = figures_of(&choice.evaluation);
        sections.push(held_out.table("All figures, with 95 % intervals", all).list(promises));
    }
    if let Some(found) = &model.summary.explanation {
        sections.extend(explain(found)?);
    }
    let steps = |curve: &Curve| curve.validation.len().max(curve.training.len());
    if choice.curves.iter().any(|curve| steps(curve) > 1) {
        let name = model.recipe.method.name();
        sections
            .push(Section::new(format!("How the training of `{name}` went")).chart(training(model, choice)?));
    }
    Ok(sections)
}

/// What the scores of a choice are called: chosen by, asked for, third.
fn figures(choice: &Choice) -> [&'static str; 3] {
    match choice.entries.first().and_then(|entry| entry.scores.first()) {
        Some(Score::Regression { .. }) => ["RMSE / sd", "R2", "MAE / sd"],
        _ => ["log-loss", "AUROC", "accuracy"],
    }
}

fn comparison(choice: &Choice) -> Result<Chart> {
    let [loss, ..] = figures(choice);
    let share = choice.test_share();
    let row = |entry: &Entry| {
        let (mean, half) = entry.mean(Score::loss, share);
        Ranked {
            name: entry.recipe.method.name().to_owned(),
            value: mean,
            // No loss is below 0, whatever the folds differ by.
            interval: Some(((mean - half).max(0.0), mean + half)),
        }
    };
    let rows = if choice.rows.len() < choice.all_rows {
        format!("{} of the {}", number(choice.rows.len()), count(choice.all_rows, "row"))
    } else {
        format!("all {}", count(choice.rows.len(), "row"))
    };
    let seen = format!(
        "Each method's {loss} in {}-fold cross-validation on {rows}, with 95 % intervals; further left is better.",
        choice.folds
    );
    Ranking {
        words: Words::new("Methods compared", seen, choice.words().join(" ")),
        names: "method".into(),
        values: format!("{loss} (lower is better)"),
        form: Form::Places(4),
        marks: Marks::Dots,
        rows: choice.entries.iter().map(row).collect(),
    }
    .draw()
}

/// What each method counts in the mean that the model is.
fn weights(choice: &Choice) -> Result<Chart> {
    let rest = 1.0 - choice.weights.iter().map(|(_, weight)| weight).sum::<f64>();
    let named = choice.weights.iter().map(|(name, weight)| ((*name).to_owned(), *weight));
    let rows = named.chain((rest >= 0.005).then(|| ("no method: the average".to_owned(), rest)));
    let row = |(name, value)| Ranked { name, value, interval: None };
    let most = choice.weights.first().map_or("", |(name, _)| name);
    Ranking {
        words: Words::new(
            "What each method counts",
            "The weights with which the held-out answers err least, on average over the folds; each fold has those \
             that the other folds' rows gave.",
            format!("`{most}` counts most. What counts nothing is not in the model."),
        ),
        names: "method".into(),
        values: "weight".into(),
        form: Form::Percent,
        marks: Marks::Bars,
        rows: rows.map(row).collect(),
    }
    .draw()
}

fn scores(choice: &Choice) -> Grid {
    let [first, second, third] = figures(choice);
    let share = choice.test_share();
    let other = |score: &Score| match score {
        Score::Regression { mae, .. } => *mae,
        Score::Classification { accuracy, .. } => *accuracy,
    };
    let pair = |(mean, half): (f64, f64)| format!("{mean:.4} ± {half:.4}");
    let mut grid = Grid::new(["method", first, second, third, "seconds"]);
    for entry in &choice.entries {
        grid = grid.row([
            entry.recipe.method.name().to_owned(),
            pair(entry.mean(Score::loss, share)),
            pair(entry.mean(Score::headline, share)),
            format!("{:.4}", entry.mean(other, share).0),
            format!("{:.1}", entry.seconds),
        ]);
    }
    grid
}

/// How right the chances of classes are: `truth` is the class of each held-out row, `predictions` `[rows, classes]`.
pub(super) fn calibration(levels: &[String], truth: &[u32], predictions: &[f64]) -> Result<Chart> {
    let classes = levels.len();
    let rows_of = |class: usize| truth.iter().filter(|truth| **truth as usize == class).count();
    let shown: Vec<usize> = match classes {
        0..=2 => vec![classes.saturating_sub(1)],
        _ => {
            let mut order: Vec<usize> = (0..classes).collect();
            order.sort_by_key(|&class| std::cmp::Reverse(rows_of(class)));
            order.truncate(MOST_CLASSES);
            order
        }
    };
    let one = |&class: &usize| {
        let probabilities: Vec<f64> = predictions.iter().skip(class).step_by(classes).copied().collect();
        let is_class: Vec<bool> = truth.iter().map(|truth| *truth as usize == class).collect();
        let name = levels.get(class).cloned().unwrap_or_default();
        ClassCalibration::of(name, &probabilities, &is_class)
    };
    let found: Vec<ClassCalibration> = shown.iter().map(one).collect();
    let which = match found.as_slice() {
        [only] => format!("the probability of `{}`", only.name),
        _ if shown.len() < classes => {
            format!("the probabilities of the {} most frequent classes", shown.len())
        }
        _ => "the probabilities of all classes".to_owned(),
    };
    let seen = format!(
        "Groups of held-out rows by {which}, and the share of each group for which it came true, with 95 % \
         intervals; on the line, probabilities are right."
    );
    let words = Words::new("Predicted and true probability", seen, verdict(&found));
    Calibration { words, classes: found }.draw()
}

/// Whether the probabilities can be right: then about 19 of 20 intervals hold the one that was predicted.
fn verdict(classes: &[ClassCalibration]) -> String {
    let points = || classes.iter().flat_map(|class| &class.points);
    let holds = |point: &&CalibrationPoint| (point.interval.0..=point.interval.1).contains(&point.predicted);
    let (held, all) = (points().filter(holds).count(), points().count());
    // Two standard deviations more misses than chance explains.
    let most_misses = 0.05 * all as f64 + 2.0 * (0.05 * 0.95 * all as f64).sqrt();
    let judgement = match ((all - held) as f64) < most_misses {
        true => "nothing speaks against taking them at their word",
        false => "they are not quite right, so take them with care",
    };
    format!("The intervals of {held} of {all} groups hold the predicted probability: {judgement}.")
}

fn training(model: &Model, choice: &Choice) -> Result<Chart> {
    let (loss, squared) = match model.predicting()?.target.task {
        Task::Regression => ("RMSE / sd", true),
        Task::Classification { .. } => ("log-loss", false),
    };
    let mut curves = choice.curves.clone();
    for curve in &mut curves {
        // Squared errors are learned from; their root is in the unit of the score beside it.
        if squared {
            curve.training.iter_mut().for_each(|loss| *loss = loss.sqrt());
        }
        curve.task = curve.task.rsplit(", ").next().unwrap_or_default().to_owned();
    }
    let step = curves.first().map_or("step", |curve| curve.step);
    let trainings = match curves.len() {
        1 => "The loss".to_owned(),
        several => format!("The loss of each of {several} trainings, which are averaged,"),
    };
    let seen = format!(
        "{trainings} after each {step}, on the rows set aside to judge it{}; the ring marks the {step} whose result was kept.",
        if curves.iter().any(|curve| !curve.training.is_empty()) {
            " and on the rows learned from"
        } else {
            ""
        }
    );
    let early = curves.iter().filter(|curve| curve.best < curve.validation.len()).count();
    let meaning = match (early, curves.iter().all(|curve| curve.best == 0)) {
        (_, true) => format!("No {step} improved on the start, which was kept."),
        (0, _) => format!("The last {step} was the best: more of them might help."),
        _ => "What came after the ring did no better on the rows set aside, and was not kept.".to_owned(),
    };
    Training { words: Words::new("Training", seen, meaning), loss: loss.into(), curves }.draw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::fit_best;
    use crate::data::{ReadOptions, read};
    use crate::model::{Recipe, Roles};
    use crate::report::Page;
    use crate::run::Run;

    fn fitted(sample: &str, roles: &Roles, methods: &[&str]) -> (Model, Choice) {
        let table = read(sample.as_ref(), &ReadOptions::default()).unwrap().table;
        let recipes: Vec<Recipe> = methods.iter().map(|name| Recipe::named(name).unwrap()).collect();
        fit_best(&table.into(), roles, &recipes, Some(3), &Run::new(1, 2).unwrap()).unwrap()
    }

    #[test]
    fn a_few_misses_are_chance_and_many_are_not() {
        let point =
            |predicted: f64| CalibrationPoint { predicted, came_true: 0.5, interval: (0.4, 0.6), rows: 20 };
        let class = |misses: usize| {
            let points = (0..10).map(|index| point(if index < misses { 0.7 } else { 0.45 })).collect();
            [ClassCalibration { name: "yes".into(), points }]
        };
        assert!(verdict(&class(1)).starts_with("The intervals of 9 of 10 groups hold"));
        assert!(verdict(&class(1)).contains("nothing speaks against"));
        assert!(verdict(&class(3)).contains("take them with care"));
    }

    #[test]
    fn a_number_has_predictions_beside_the_truth() {
        let (model, choice) = fitted("sample:penguins", &Roles::target("body_mass_g"), &["linear"]);
        let html = Page::new("fit").sections(fit(&model, &choice, &[], &[]).unwrap()).html();
        assert!(html.contains("RMSE / sd") && html.contains("Predicted and true") && !html.contains("NaN"));
    }

    #[test]
    fn classes_have_a_calibration_and_trees_a_course() {
        let (model, choice) = fitted("sample:penguins", &Roles::target("species"), &["trees", "linear"]);
        let sections = fit(&model, &choice, &["Learned.".to_owned()], &[]).unwrap();
        let best = &choice.entries[0];
        let levels = &model.predicting().unwrap().target.levels;
        let Chart { numbers, .. } = calibration(levels, &choice.truth.classes, &best.predictions).unwrap();
        let rows: usize = numbers.rows.iter().map(|row| row[5].parse::<usize>().unwrap()).sum();
        assert_eq!(rows, 3 * choice.rows.len());
        let (mean, half) = best.mean(Score::loss, choice.test_share());
        assert_eq!(scores(&choice).rows[0][1], format!("{mean:.4} ± {half:.4}"));
        assert!(sections.len() >= 2);
        let (_, alone) = fitted("sample:penguins", &Roles::target("species"), &["trees"]);
        assert!(
            alone.curves.len() > 1 && alone.curves.iter().all(|curve| curve.best <= curve.validation.len())
        );
    }
}
