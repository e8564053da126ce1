//! Comparisons on the built-in samples, with quick methods.

use super::*;
use crate::compare::Division;
use crate::data::{ReadOptions, read};
use crate::model::{Recipe, Roles};

fn table(name: &str) -> Data {
    read(Path::new(name), &ReadOptions::default()).unwrap().table.into()
}

fn predictors(names: &[&str], draws: usize, repeats: usize) -> Setup {
    let one = |name: &&str| Contestant::new(&Recipe::named(name).unwrap(), draws);
    Setup {
        question: Question::Predictors {
            roles: Roles::target("species"),
            folds: 3,
            division: Division::Free,
        },
        contestants: names.iter().map(one).collect(),
        repeats,
    }
}

fn imputers(names: &[&str], draws: usize, repeats: usize) -> Setup {
    let one = |name: &&str| Contestant::new(&Recipe::named(name).unwrap(), draws);
    Setup {
        question: Question::Imputers { how: "mcar:0.2".into(), ignore: vec![] },
        contestants: names.iter().map(one).collect(),
        repeats,
    }
}

fn held(setup: Setup, run: &Run) -> Comparison {
    Contest::new(&table("sample:penguins"), setup, run).unwrap().hold(run, |_| Ok(())).unwrap()
}

/// The comparison without what differs from run to run.
fn timeless(mut comparison: Comparison) -> Comparison {
    for fit in &mut comparison.fits {
        (fit.seconds, fit.memory) = (0.0, None);
    }
    for standing in &mut comparison.standings {
        (standing.seconds, standing.memory) = (0.0, None);
    }
    comparison.fits.sort_by_key(|fit| (fit.repeat, fit.fold, fit.contestant.clone()));
    comparison
}

#[test]
fn every_fit_is_kept_and_a_file_with_half_of_them_comes_to_the_same() {
    let run = Run::new(4, 2).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("comparison.json");
    let contest =
        Contest::new(&table("sample:penguins"), predictors(&["linear", "trees"], 0, 1), &run).unwrap();
    let mut counts = Vec::new();
    let whole = contest
        .hold(&run, |so_far| {
            counts.push(so_far.fits.len());
            so_far.write(&path)
        })
        .unwrap();
    assert_eq!(counts, [1, 2, 3, 4, 5, 6, 6]);
    let mut half = Comparison::read(&path).unwrap();
    assert_eq!(half, whole, "what is read is what was written");
    let mut place = 0;
    half.fits.retain(|_| {
        place += 1;
        place % 2 == 0
    });
    let kept = half.fits.clone();
    // Nobody is named: the file's methods go on.
    let mut contest = Contest::new(&table("sample:penguins"), predictors(&[], 0, 1), &run).unwrap();
    contest.resume(half, &path).unwrap();
    let mut fitted = 0;
    let again = contest
        .hold(&run, |_| {
            fitted += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(fitted, 3 + 1, "the fits that were deleted, and the end");
    assert!(kept.iter().all(|fit| again.fits.contains(fit)), "kept fits are not made again");
    assert_eq!(timeless(again), timeless(whole));
}

#[test]
fn fits_made_one_by_one_come_to_the_same() {
    let run = Run::new(4, 2).unwrap();
    let penguins = table("sample:penguins");
    // The second can't be fitted: what it fails on is told once.
    let setup = || {
        let mut setup = predictors(&["linear", "trees"], 0, 1);
        setup.contestants[1].settings["leaves"] = 0.into();
        setup
    };
    let contest = || Contest::new(&penguins, setup(), &run).unwrap();
    let whole = contest().hold(&run, |_| Ok(())).unwrap();
    let tasks = contest().tasks();
    assert_eq!(tasks.len(), 6);
    let made: Vec<Comparison> = tasks.iter().map(|task| contest().hold_one(*task, &run).unwrap()).collect();
    let joined = contest().join(made.clone()).unwrap();
    assert_eq!(joined.failures.len(), 1);
    assert_eq!(timeless(joined), timeless(whole));
    let other = Contest::new(&penguins, setup(), &Run::new(5, 1).unwrap()).unwrap();
    assert!(other.join(made).unwrap_err().to_string().contains("another seed"));
}

#[test]
fn a_file_of_other_work_is_refused() {
    let run = Run::new(4, 2).unwrap();
    let path = Path::new("kept.json");
    let earlier = held(imputers(&["mean"], 0, 1), &run);
    let resume = |table: &Data, setup: Setup, seed: u64| {
        let run = Run::new(seed, 1).unwrap();
        Contest::new(table, setup, &run).unwrap().resume(earlier.clone(), path).unwrap_err().to_string()
    };
    let penguins = table("sample:penguins");
    let fewer = penguins.select(&(1..penguins.rows()).collect::<Vec<_>>()).unwrap();
    assert_eq!(resume(&fewer, imputers(&["mean"], 0, 1), 4), "kept.json: this is a comparison of other data");
    assert!(resume(&penguins, predictors(&["linear"], 0, 1), 4).contains("another question"));
    assert!(resume(&penguins, imputers(&["mean"], 0, 1), 5).contains("another seed"));
}

#[test]
fn more_methods_and_repeats_join_an_earlier_comparison() {
    let run = Run::new(4, 2).unwrap();
    let earlier = held(imputers(&["mean"], 0, 1), &run);
    let mut contest =
        Contest::new(&table("sample:penguins"), imputers(&["gaussian", "mean"], 0, 2), &run).unwrap();
    contest.resume(earlier, Path::new("kept.json")).unwrap();
    let joined = contest.hold(&run, |_| Ok(())).unwrap();
    let labels: Vec<&str> = joined.contestants.iter().map(|one| one.label.as_str()).collect();
    assert_eq!((labels, joined.fits.len()), (vec!["mean", "gaussian"], 4));
    let mut fresh = held(imputers(&["mean", "gaussian"], 0, 2), &run);
    fresh = timeless(fresh);
    assert_eq!(timeless(joined), fresh);
    assert_eq!(fresh.standings[0].contestant, "gaussian");
    let against = fresh.standings[1].against_best.as_ref().unwrap();
    assert!(against.test.difference > 0.0 && against.rows.is_none());
    assert!(!fresh.standings[0].columns.is_empty());
}

#[test]
fn a_method_that_fails_does_not_end_the_others() {
    let run = Run::new(4, 2).unwrap();
    let mut setup = predictors(&["linear"], 0, 1);
    let mut broken = setup.contestants[0].clone();
    broken.label = "broken".into();
    broken.settings["strength"] = serde_json::json!(-1);
    setup.contestants.insert(0, broken);
    let comparison = held(setup, &run);
    assert_eq!((comparison.fits.len(), comparison.failures.len(), comparison.standings.len()), (3, 1, 1));
    assert_eq!(comparison.progress(), (3, 3));
    let last = comparison.words.last().unwrap();
    assert!(last.starts_with("`broken` failed:") && last.contains("strength"), "{last}");
}

#[test]
fn classes_are_tested_on_each_row_once() {
    let run = Run::new(4, 2).unwrap();
    let comparison = held(predictors(&["linear", "trees"], 0, 2), &run);
    let truth: usize = comparison.parts.iter().filter(|p| p.repeat == 0).map(|p| p.truth.len()).sum();
    assert_eq!((truth, comparison.rows_compared), (344, 344));
    // By hand from the fits of the first repeat.
    let said = |place: usize| -> Vec<u32> {
        let label = &comparison.standings[place].contestant;
        (0..3).flat_map(|fold| comparison.fit(label, 0, fold).unwrap().classes.clone()).collect()
    };
    let differ = said(0).iter().zip(&said(1)).filter(|(one, other)| one != other).count();
    let rows = comparison.standings[1].against_best.as_ref().unwrap().rows.unwrap();
    assert_eq!(rows.rows, differ);
    let ranks: f64 = comparison.standings.iter().map(|standing| standing.rank).sum();
    assert!((ranks - 3.0).abs() < 1e-12, "two methods share the ranks 1 and 2");
    let words = comparison.words.join(" ");
    assert!(words.contains("is best: mean log-loss"), "{words}");
}

#[test]
fn what_a_search_chose_is_told() {
    let run = Run::new(4, 2).unwrap();
    let comparison = held(predictors(&["linear"], 2, 1), &run);
    assert_eq!(comparison.standings[0].contestant, "linear (tuned)");
    assert!(comparison.standings[0].chosen.as_ref().unwrap().times >= 1);
    assert!(comparison.words.iter().any(|words| words.starts_with("`linear (tuned)` chose most often")));
}

#[test]
fn imputers_are_tuned_on_further_holes() {
    let run = Run::new(4, 2).unwrap();
    let comparison = held(imputers(&["neighbours"], 3, 2), &run);
    assert_eq!(comparison.contestants[0].label, "neighbours (tuned)");
    assert_eq!(comparison.fits.len(), 2);
    assert!(comparison.fits.iter().all(|fit| fit.settings["k"].is_u64()));
}

#[test]
fn stopped_work_gives_what_is_done() {
    let run = Run::new(4, 2).unwrap();
    let switch = run.stop_switch();
    let contest =
        Contest::new(&table("sample:penguins"), predictors(&["linear", "trees"], 0, 2), &run).unwrap();
    let comparison = contest
        .hold(&run, |so_far| {
            switch.store(so_far.fits.len() == 5, std::sync::atomic::Ordering::Relaxed);
            Ok(())
        })
        .unwrap();
    assert_eq!(comparison.progress(), (5, 12));
    assert_eq!(comparison.standings[0].parts, 2, "the parts that both have done");
}

#[test]
fn labels_stay_apart() {
    let run = Run::new(4, 1).unwrap();
    let mut setup = predictors(&["linear", "linear"], 0, 1);
    let other = Recipe::named("linear").unwrap().set("missing", "mean").unwrap();
    setup.contestants.push(Contestant::new(&other, 0));
    let contest = Contest::new(&table("sample:penguins"), setup, &run).unwrap();
    let labels: Vec<&str> = contest.comparison.contestants.iter().map(|one| one.label.as_str()).collect();
    assert_eq!(labels, ["linear", "linear #2"]);
}
