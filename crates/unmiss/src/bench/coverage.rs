//! Whether pooled intervals hold what they promise: made tables with known answers, cells hidden at random, filled in
//! twenty plausible ways, analysed and pooled by Rubin's rules, hundreds of times over.
//!
//! An interval of 95 % should hold the truth in 95 of 100 tables. Beside the imputers stand the same analysis before
//! anything was hidden, that of the complete rows alone, and, where R is installed, that of its package mice on the
//! very same tables.

mod analysis;
mod mice;
mod scenarios;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Cell, Claim, Figure, Report, Request, Section, Verdict};
use crate::data::{Data, Table};
use crate::error::Result;
use crate::methods::Draw;
use crate::model::{Aim, Model, Recipe};
use crate::pool::{Estimate, pool, quantile};
use crate::run::Run;
use scenarios::{SCENARIOS, Scenario, Tables};

/// Draws of a table.
const DRAWS: usize = 20;
const LEVEL: f64 = 0.95;
/// Between these a coverage is as it should be, in per cent.
const GOAL: (f64, f64) = (93.0, 97.0);

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "coverage",
    title: "How often pooled 95 % intervals of filled tables hold the truth",
    paper: "Rubin 1987; van Buuren 2018, Flexible Imputation of Missing Data, chapter 2",
    files: &[],
    parts: || {
        let scenarios = SCENARIOS.iter().map(|scenario| scenario.name.to_owned()).collect();
        vec![scenarios, WAYS.iter().map(|way| way.name.to_owned()).collect()]
    },
    run: measure,
};

/// A way from a table with holes to two intervals.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    how: How,
    /// Whether its intervals ought to hold what they promise.
    proper: bool,
}

#[derive(Clone, Copy)]
enum How {
    /// Nothing is hidden.
    Whole,
    /// Rows with a hole are left out.
    CompleteRows,
    /// An imputer, with settings.
    Imputer(&'static str, &'static [(&'static str, &'static str)]),
    /// R's mice.
    Mice,
}

const fn imputer(name: &'static str, proper: bool) -> Way {
    Way { name, how: How::Imputer(name, &[]), proper }
}

const WAYS: [Way; 16] = [
    Way { name: "nothing hidden", how: How::Whole, proper: false },
    Way { name: "complete rows", how: How::CompleteRows, proper: false },
    imputer("gaussian", true),
    imputer("chained", true),
    Way { name: "chained normal", how: How::Imputer("chained", &[("draws", "normal")]), proper: true },
    imputer("auto", true),
    imputer("low-rank", false),
    imputer("boosted", false),
    imputer("forest", false),
    imputer("neighbours", false),
    imputer("self-masking", false),
    imputer("autoencoder", false),
    Way { name: "autoimpute", how: How::Imputer("autoimpute", &[("units", "column")]), proper: false },
    imputer("dvae", false),
    imputer("made", false),
    Way { name: "R mice", how: How::Mice, proper: false },
];

/// The interval of one answer in one table.
#[derive(Clone, Copy)]
struct Interval {
    estimate: f64,
    low: f64,
    high: f64,
}

fn measure(request: &Request, run: &Run) -> Result<Report> {
    let names = request.chosen(&SCENARIOS.map(|scenario| scenario.name), |name| (*name).to_owned());
    let ways = request.chosen(&WAYS, |way| way.name.to_owned());
    let mut progress = Progress::new(run, names.len() * ways.len());
    let (mut sections, mut claims) = (Vec::new(), Vec::new());
    'all: for scenario in SCENARIOS.iter().filter(|scenario| names.contains(&scenario.name)) {
        let tables = (0..request.seeds as u64).map(|number| scenario.tables(run.seed(), number));
        let tables = tables.collect::<Result<Vec<Tables>>>()?;
        let truth = scenario.answers();
        let mut found = Vec::new();
        for way in &ways {
            if !progress.next(&format!("{}, {}", scenario.name, way.name)) {
                break 'all;
            }
            found.push(way.intervals(&tables, run)?);
        }
        sections.push(section(scenario, &ways, &found, truth));
        claims.extend(claims_of(scenario, &ways, &found, truth));
    }
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![
            format!(
                "{} made tables of each kind; {DRAWS} draws of each, pooled by Rubin's rules with Barnard and Rubin's \
                 degrees of freedom at the level {LEVEL}.",
                request.seeds
            ),
            "Bias: mean distance of the estimate from the truth. Coverage: per cent of the intervals that hold the \
             truth. Width: of the interval, in parts of that before anything was hidden."
                .into(),
        ],
        sections,
        claims,
        seed: run.seed(),
        seeds: request.seeds,
        // Every data set is made anew.
        test_share: 0.0,
        complete: progress.end(),
    })
}

impl Way {
    /// Two intervals for every table; none where it could not be measured.
    fn intervals(&self, tables: &[Tables], run: &Run) -> Result<Vec<[Interval; 2]>> {
        type One<'a> = &'a (dyn Fn(usize, &Tables) -> Result<[Interval; 2]> + Sync);
        let each = |one: One<'_>| -> Result<Vec<[Interval; 2]>> {
            let all = tables.par_iter().enumerate().map(|(number, tables)| one(number, tables));
            run.compute(|| all.collect())
        };
        match self.how {
            How::Whole => {
                each(&|_, tables| plain(&tables.whole, &(0..tables.whole.rows()).collect::<Vec<_>>()))
            }
            How::CompleteRows => each(&|_, tables| plain(&tables.holed, &complete_rows(&tables.holed))),
            How::Imputer(name, settings) => {
                each(&|number, tables| pooled(&tables.holed, name, settings, &single(run, number)))
            }
            How::Mice => Ok(mice::intervals(tables, DRAWS, LEVEL, run)),
        }
    }
}

fn complete_rows(table: &Table) -> Vec<usize> {
    let known = |row: &usize| table.columns().iter().all(|column| column.observed[*row]);
    (0..table.rows()).filter(known).collect()
}

/// The intervals of one table without holes in the given rows.
fn plain(table: &Table, rows: &[usize]) -> Result<[Interval; 2]> {
    let interval = |(estimate, degrees): (Estimate, f64)| {
        let half = quantile(degrees, 0.5 + LEVEL / 2.0) * estimate.variance.sqrt();
        Interval { estimate: estimate.value, low: estimate.value - half, high: estimate.value + half }
    };
    Ok(analysis::answers(table, rows)?.map(interval))
}

/// The pooled intervals of a table filled by an imputer.
fn pooled(holed: &Table, name: &str, settings: &[(&str, &str)], run: &Run) -> Result<[Interval; 2]> {
    let data = Data::from(holed.clone());
    let recipe = Recipe::named(name)?.set_all(settings.iter().copied())?;
    let model = Model::fit(&data, &Aim::draw(DRAWS), &recipe, run)?;
    let filling = model.filling()?;
    let rows = filling.encode(&data, |_, _| {})?;
    let all: Vec<usize> = (0..holed.rows()).collect();
    let mut answers = Vec::new();
    for number in 1..=DRAWS as u64 {
        let draw = Draw { seed: run.seed(), number, first_row: 0 };
        let filled = filling.fill_rows(&data, &rows, Some(draw))?;
        answers.push(analysis::answers(filled.data.table()?, &all)?);
    }
    let interval = |place: usize| {
        let estimates: Vec<Estimate> = answers.iter().map(|answer| answer[place].0).collect();
        let pooled = pool(&estimates, Some(answers[0][place].1), LEVEL)?;
        Ok(Interval { estimate: pooled.estimate, low: pooled.low, high: pooled.high })
    };
    Ok([interval(0)?, interval(1)?])
}

/// 100 where an interval holds the truth, else 0.
fn held(intervals: &[[Interval; 2]], place: usize, truth: f64) -> Vec<f64> {
    let holds = |own: &[Interval; 2]| own[place].low <= truth && truth <= own[place].high;
    intervals.iter().map(|own| if holds(own) { 100.0 } else { 0.0 }).collect()
}

fn section(scenario: &Scenario, ways: &[Way], found: &[Vec<[Interval; 2]>], truth: [f64; 2]) -> Section {
    let width = |intervals: &[[Interval; 2]], place: usize| {
        intervals.iter().map(|own| own[place].high - own[place].low).sum::<f64>()
            / intervals.len().max(1) as f64
    };
    let whole = ways.iter().position(|way| matches!(way.how, How::Whole));
    let cells = |intervals: &Vec<[Interval; 2]>| -> Vec<Cell> {
        let both = [0, 1].into_iter().flat_map(|place| {
            let errors: Vec<f64> = intervals.iter().map(|own| own[place].estimate - truth[place]).collect();
            let relative = whole.map(|whole| width(intervals, place) / width(&found[whole], place));
            let relative = relative.filter(|_| !intervals.is_empty());
            [
                Figure::of(&errors, 0.0).map(|figure| Figure::given(figure.mean, figure.half_width)).into(),
                coverage(&held(intervals, place, truth[place])).into(),
                relative.map(|relative| Figure::given(relative, None)).into(),
            ]
        });
        both.collect()
    };
    let rows = ways.iter().zip(found).map(|(way, own)| Row { name: way.name.to_owned(), cells: cells(own) });
    let columns = scenario
        .questions
        .iter()
        .flat_map(|question| ["bias", "coverage %", "width"].map(|figure| format!("{question}: {figure}")));
    let title = format!("{}: {} ({} rows)", scenario.name, scenario.title, scenario.rows);
    Section { title, columns: columns.collect(), digits: 3, rows: rows.collect() }
}

/// The share of intervals that hold the truth, with its own interval.
fn coverage(held: &[f64]) -> Option<Figure> {
    Figure::of(held, 0.0).map(|figure| Figure::given(figure.mean, figure.half_width))
}

/// That the proper ones hold what they promise.
fn claims_of(scenario: &Scenario, ways: &[Way], found: &[Vec<[Interval; 2]>], truth: [f64; 2]) -> Vec<Claim> {
    let judged = ways.iter().zip(found).filter(|(way, _)| way.proper);
    let claim = |(way, intervals): (&Way, &Vec<[Interval; 2]>), place: usize| {
        let figure = coverage(&held(intervals, place, truth[place]))?;
        let half = figure.half_width.unwrap_or(f64::INFINITY);
        let (low, high) = (figure.mean - half, figure.mean + half);
        let verdict = match (GOAL.0..=GOAL.1).contains(&figure.mean) {
            true => Verdict::Holds,
            false if high >= GOAL.0 && low <= GOAL.1 => Verdict::NotShown,
            false => Verdict::DoesNotHold,
        };
        let words = format!(
            "{}, {}: `{}` covers between {} and {} % ({:.1} measured)",
            scenario.name, scenario.questions[place], way.name, GOAL.0, GOAL.1, figure.mean
        );
        Some(Claim { words, verdict, difference: None })
    };
    judged.flat_map(|own| [claim(own, 0), claim(own, 1)]).flatten().collect()
}
