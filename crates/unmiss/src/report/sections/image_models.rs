//! Models of images as sections of a page: methods side by side, which classes are taken for which, how filled pixels
//! look beside the truth.

use super::fit::calibration;
use crate::compare::{MeasuredOnPixels, MeasuredOnce, PixelChoice, SplitChoice};
use crate::data::Shape;
use crate::data::images::Images;
use crate::encode::Task;
use crate::error::Result;
use crate::methods::Recipe;
use crate::metrics::{Score, most_probable};
use crate::missing::Cover;
use crate::missing::words::{count, number};
use crate::model::Model;
use crate::report::{Chart, Confusion, ContactSheet, Form, Grid, Marks, Ranked, Ranking, Section, Words};

/// Images told wrong that are shown.
const SHOWN_WRONG: usize = 24;
/// Images shown before and after they were filled.
const SHOWN_FILLED: usize = 20;
/// Fillings of an image that are shown side by side, at most.
const MOST_FILLINGS: usize = 6;
/// Classes up to which a table of them can be read.
const MOST_CLASSES: usize = 40;

/// How methods told the classes of images that were held out. `learned` says in sentences what was learned from.
///
/// # Errors
/// When a chart can't be drawn.
pub fn fit_images(
    model: &Model,
    images: &Images,
    choice: Option<&SplitChoice>,
    learned: &[String],
) -> Result<Vec<Section>> {
    let mut methods = Section::new("Methods side by side").list(learned);
    let Some((choice, best)) = choice.and_then(|choice| Some((choice, choice.entries.first()?))) else {
        return Ok(vec![methods.text("Nothing was held out to measure by.")]);
    };
    methods = methods.chart(losses(choice)?).table("All figures", figures(choice)).careful(&choice.failures);
    let target = model.predicting()?.target;
    let (Task::Classification { classes }, levels) = (target.task, &target.levels) else {
        return Ok(vec![methods]);
    };
    let told: Vec<u32> =
        best.predictions.chunks_exact(classes).map(|chances| most_probable(chances) as u32).collect();
    let name = best.recipe.method.name();
    let mut section = Section::new(format!("How right `{name}` is on images it did not see"));
    if classes <= MOST_CLASSES {
        section = section.chart(confusion(levels, choice, &told)?);
    }
    section = section.chart(calibration(levels, &choice.truth.classes, &best.predictions)?);
    section = section.table("Class by class", by_class(levels, &choice.truth.classes, &told));
    let mut sections = vec![methods, section];
    if let Some(chart) = wrong(images, levels, choice, &told)? {
        sections.push(Section::new("What it got wrong").chart(chart));
    }
    Ok(sections)
}

pub(super) fn losses(choice: &SplitChoice) -> Result<Chart> {
    let row = |entry: &MeasuredOnce| Ranked {
        name: entry.recipe.method.name().to_owned(),
        value: entry.score.loss(),
        interval: None,
    };
    let loss = match choice.entries.first().map(|entry| entry.score) {
        Some(Score::Regression { .. }) => "RMSE / sd",
        _ => "log-loss",
    };
    let seen = format!(
        "Each method's {loss} on {} that were held out; further left is better.",
        match choice.shape {
            Shape::Series => format!("{} series", number(choice.held_out.len())),
            _ => count(choice.held_out.len(), "image"),
        }
    );
    let best = choice.entries.first().map_or("", |entry| entry.recipe.method.name());
    let meaning = format!("`{best}` was then learned from all.");
    Ranking {
        words: Words::new("Methods compared", seen, meaning),
        names: "method".into(),
        values: format!("{loss} (lower is better)"),
        form: Form::Places(4),
        marks: Marks::Dots,
        rows: choice.entries.iter().map(row).collect(),
    }
    .draw()
}

pub(super) fn figures(choice: &SplitChoice) -> Grid {
    let mut grid = Grid::new(["method", "loss", "accuracy", "AUROC", "seconds"]);
    for MeasuredOnce { recipe: Recipe { method, .. }, score, seconds, .. } in &choice.entries {
        let (accuracy, auroc) = match score {
            Score::Classification { accuracy, auroc, .. } => {
                (format!("{accuracy:.4}"), format!("{auroc:.4}"))
            }
            Score::Regression { .. } => ("-".to_owned(), "-".to_owned()),
        };
        let (loss, seconds) = (format!("{:.4}", score.loss()), format!("{seconds:.1}"));
        grid = grid.row([method.name().to_owned(), loss, accuracy, auroc, seconds]);
    }
    grid
}

fn confusion(levels: &[String], choice: &SplitChoice, told: &[u32]) -> Result<Chart> {
    let truth = &choice.truth.classes;
    let right = truth.iter().zip(told).filter(|(truth, told)| truth == told).count();
    let seen = "How many held-out images of each class were told to be of which; the ink is stronger the larger their \
                share of the true class.";
    let meaning = format!("{} of {} are right.", number(right), count(truth.len(), "image"));
    Confusion::of(Words::new("Which class is taken for which", seen, meaning), levels, truth, told).draw()
}

/// How often each class is there and how often it is told, and of what is there how much is found.
fn by_class(levels: &[String], truth: &[u32], told: &[u32]) -> Grid {
    let mut grid = Grid::new(["class", "images", "told", "found"]);
    for (class, level) in levels.iter().enumerate() {
        let is = |own: &&u32| **own as usize == class;
        let (there, told_so) = (truth.iter().filter(is).count(), told.iter().filter(is).count());
        let found = truth.iter().zip(told).filter(|(truth, told)| is(truth) && is(told)).count();
        let share =
            if there > 0 { format!("{:.1} %", 100.0 * found as f64 / there as f64) } else { String::new() };
        grid = grid.row([level.clone(), number(there), number(told_so), share]);
    }
    grid
}

/// Held-out images whose class was told wrong; none where there is none.
fn wrong(images: &Images, levels: &[String], choice: &SplitChoice, told: &[u32]) -> Result<Option<Chart>> {
    let truth = &choice.truth.classes;
    let places: Vec<usize> = (0..told.len()).filter(|&place| told[place] != truth[place]).collect();
    if places.is_empty() {
        return Ok(None);
    }
    let shown: Vec<usize> = places.iter().take(SHOWN_WRONG).copied().collect();
    let name = |class: u32| levels.get(class as usize).map_or("", String::as_str);
    let pairs: Vec<String> =
        shown.iter().map(|&place| format!("{} for {}", name(told[place]), name(truth[place]))).collect();
    let seen = format!("{} of {} that were told wrong; holes are pink.", shown.len(), number(places.len()));
    let meaning = format!("Row by row, what was told for what is true: {}.", pairs.join(", "));
    let shown = shown.iter().map(|&place| (0, choice.held_out[place])).collect();
    let words = Words::new("Held-out images told wrong", seen, meaning);
    ContactSheet { words, sets: vec![images], shown, across: None }.draw().map(Some)
}

/// What an imputer filled into images, once or in several draws, and how the methods did on hidden pixels, where one
/// was chosen by that.
///
/// # Errors
/// When a chart can't be drawn.
pub fn impute_images(
    model: &Model,
    holed: &Images,
    fillings: &[&Images],
    choice: Option<&PixelChoice>,
) -> Result<Vec<Section>> {
    let method = model.recipe.method;
    let missing: usize =
        (0..holed.len()).map(|image| holed.size().pixels() - holed.known_pixels(image)).sum();
    let mut first = Section::new("What was filled").text(format!(
        "{} of {} were filled by `{}` ({}).",
        count(missing, "pixel"),
        count(holed.len(), "image"),
        method.name(),
        method.card().about.title
    ));
    if fillings.len() > 1 && !method.proper_draws() {
        first = first.careful(&[format!(
            "Draws of `{}` differ by noise alone: what is pooled from them is too sure for Rubin's rules.",
            method.name()
        )]);
    }
    let mut sections = vec![first.chart(before_and_after(holed, fillings)?)];
    if let Some(choice) = choice.filter(|choice| !choice.entries.is_empty()) {
        let section = Section::new("How near the filled pixels come").chart(errors(choice)?);
        let section = section.table("All figures", hidden_figures(choice)).careful(&choice.failures);
        sections.push(section.chart(beside_the_truth(choice)?));
    }
    Ok(sections)
}

/// Images with holes, each beside what became of it.
fn before_and_after(holed: &Images, fillings: &[&Images]) -> Result<Chart> {
    let with_holes: Vec<usize> =
        (0..holed.len()).filter(|&image| holed.known_pixels(image) < holed.size().pixels()).collect();
    let shown_fillings = fillings.len().min(MOST_FILLINGS);
    let each = 1 + shown_fillings;
    let images = with_holes.len().min((SHOWN_FILLED / each).max(6));
    let chosen = (0..images).map(|place| with_holes[place * with_holes.len() / images.max(1)]);
    let shown = chosen.flat_map(|image| (0..each).map(move |set| (set, image))).collect();
    let sets = std::iter::once(holed).chain(fillings.iter().take(shown_fillings).copied()).collect();
    let what = if fillings.len() > 1 { "in several plausible ways" } else { "with the best guess" };
    let seen = format!("Images with holes (pink), each followed on its right by the same filled {what}.");
    let words = Words::new("Before and after", seen, String::new());
    // As many groups in a row as fit.
    let across = each * (8 / each).max(1);
    ContactSheet { words, sets, shown, across: Some(across) }.draw()
}

fn errors(choice: &PixelChoice) -> Result<Chart> {
    let row = |entry: &MeasuredOnPixels| Ranked {
        name: entry.recipe.method.name().to_owned(),
        value: entry.error.relative(),
        interval: None,
    };
    let seen = format!(
        "Error on known pixels of {} that were hidden ({}), in standard deviations of the truth.",
        count(choice.images, "image"),
        match choice.how {
            Cover::Others => "the holes of other images".to_owned(),
            Cover::Region(region) => region.to_string(),
        }
    );
    let best = choice.entries.first().map_or("", |entry| entry.recipe.method.name());
    let meaning = format!("`{best}` came nearest and was taken. At 1 nothing is known but the mean of all.");
    Ranking {
        words: Words::new("Methods on hidden pixels", seen, meaning),
        names: "method".into(),
        values: "RMSE / sd".into(),
        form: Form::Places(3),
        marks: Marks::Bars,
        rows: choice.entries.iter().map(row).collect(),
    }
    .draw()
}

fn hidden_figures(choice: &PixelChoice) -> Grid {
    let mut grid = Grid::new(["method", "RMSE / sd", "RMSE", "PSNR", "seconds"]);
    for entry in &choice.entries {
        grid = grid.row([
            entry.recipe.method.name().to_owned(),
            format!("{:.4}", entry.error.relative()),
            format!("{:.4}", entry.error.rmse),
            format!("{:.2} dB", entry.error.psnr()),
            format!("{:.1}", entry.seconds),
        ]);
    }
    grid
}

/// The truth, what was left of it, and what each of the best methods made of that.
fn beside_the_truth(choice: &PixelChoice) -> Result<Chart> {
    let [truth, holed] = &choice.first;
    let best: Vec<&MeasuredOnPixels> = choice.entries.iter().take(2).collect();
    let sets: Vec<&Images> =
        [truth, holed].into_iter().chain(best.iter().map(|entry| &entry.filled)).collect();
    let shown = (0..truth.len()).flat_map(|image| (0..sets.len()).map(move |set| (set, image))).collect();
    let names: Vec<String> =
        best.iter().map(|entry| format!("as `{}` fills it", entry.recipe.method.name())).collect();
    let seen = format!(
        "From left to right each image as it is, with the pixels that were hidden, and {}.",
        names.join(" and ")
    );
    let words = Words::new("Beside the truth", seen, String::new());
    let across = sets.len() * (8 / sets.len()).max(1);
    ContactSheet { words, sets, shown, across: Some(across) }.draw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{choose_filling, fit_best_on_split};
    use crate::data::Data;
    use crate::data::images::{LABEL, sample};
    use crate::missing::{Region, hide_region};
    use crate::model::{Aim, Roles};
    use crate::report::Page;
    use crate::run::Run;

    fn digits() -> Data {
        let some: Vec<usize> = (0..300).collect();
        hide_region(sample().unwrap().select(&some), &Region::Square(0.25), 1).into()
    }

    #[test]
    fn a_fit_shows_which_class_is_taken_for_which() {
        let (data, run) = (digits(), Run::new(0, 2).unwrap());
        let recipes = [Recipe::named("neighbours").unwrap()];
        let (model, choice) = fit_best_on_split(&data, &Roles::target(LABEL), &recipes, 0.2, &run).unwrap();
        let sections = fit_images(&model, data.images().unwrap(), choice.as_ref(), &[]).unwrap();
        let html = Page::new("fit").sections(sections).html();
        for part in
            ["Which class is taken for which", "Held-out images told wrong", "log-loss", "Class by class"]
        {
            assert!(html.contains(part), "{part}");
        }
    }

    #[test]
    fn classes_are_counted_as_they_are_and_as_they_are_told() {
        let grid = by_class(&["a", "b", "c"].map(str::to_owned), &[0, 0, 0, 1], &[0, 1, 1, 1]);
        let rows: Vec<String> = grid.rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(rows, ["a 3 1 33.3 %", "b 1 3 100.0 %", "c 0 0 "]);
    }

    #[test]
    fn a_filling_shows_images_before_and_after() {
        let (data, run) = (digits(), Run::new(0, 2).unwrap());
        let recipes = ["neighbours", "mean"].map(|name| Recipe::named(name).unwrap());
        let choice = choose_filling(&data, &recipes, &run).unwrap();
        let model = Model::fit(&data, &Aim::draw(0), &choice.entries[0].recipe, &run).unwrap();
        let filled = model.filling().unwrap().fill(&data, None, |_, _| {}).unwrap().data;
        let (holed, filled) = (data.images().unwrap(), filled.images().unwrap());
        let sections = impute_images(&model, holed, &[&**filled], Some(&choice)).unwrap();
        let html = Page::new("impute").sections(sections).html();
        for part in ["Before and after", "Beside the truth", "came nearest", "(the holes of other images)"] {
            assert!(html.contains(part), "{part}");
        }
    }
}
