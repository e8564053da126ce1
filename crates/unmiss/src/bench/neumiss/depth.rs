//! Figures 3 to 5: how deep must the network be? Learned ones, and the series with the true covariance.

use crate::error::{Error, Result};
use crate::methods::named;
use crate::model::Recipe;
use crate::run::Run;
use crate::simulate::{Masking, Response};

use super::super::repeat::{Progress, single};
use super::super::report::Row;
use super::super::{Bench, Cell as Entry, Claim, Figure, Report, Request, Section};
use super::published::{ANALYTIC, DEPTH_BAYES, LEARNED};
use super::rivals::fitted;
use super::worlds::{Cell, Task};
use super::{PAPER, columns_name, named_or_first, rows_name};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "neumiss-depth",
    title: "Distance to the best possible predictor by depth, learned and by the true covariance",
    paper: PAPER,
    files: &[],
    parts: || {
        vec![
            MASKINGS.iter().map(|masking| masking.name().to_owned()).collect(),
            COLUMNS.iter().map(columns_name).collect(),
            ROWS.iter().map(rows_name).collect(),
            vec![ANALYTIC_ONLY.to_owned(), LEARNED_ONLY.to_owned()],
        ]
    },
    run: measure,
};

const MASKINGS: [Masking; 3] = [Masking::Mcar, Masking::SelfGaussian, Masking::SelfProbit];
const COLUMNS: [usize; 3] = [20, 10, 50];
const ROWS: [usize; 3] = [10_000, 20_000, 100_000];
const ANALYTIC_ONLY: &str = "analytic";
const LEARNED_ONLY: &str = "learned";

/// What one cell came to: for each depth, one distance for each repetition.
struct Outcome {
    cell: Cell,
    learned: Vec<Vec<f64>>,
    analytic: Vec<Vec<f64>>,
}

fn measure(request: &Request, run: &Run) -> Result<Report> {
    let kinds = request.chosen(&[ANALYTIC_ONLY, LEARNED_ONLY], |kind| (*kind).to_owned());
    let learns = kinds.contains(&LEARNED_ONLY);
    if learns && named("neumiss").is_err() {
        return Err(Error::setting("only", "there is no method `neumiss`"));
    }
    let maskings = match MASKINGS.iter().any(|masking| request.only.contains(&masking.name().to_owned())) {
        true => request.chosen(&MASKINGS, |masking| masking.name().to_owned()),
        false => vec![Masking::Mcar],
    };
    let mut cells = Vec::new();
    for columns in named_or_first(request, &COLUMNS, columns_name) {
        for rows in named_or_first(request, &ROWS, rows_name) {
            let cell = |masking: &Masking| Cell {
                masking: *masking,
                response: Response::Linear,
                latent: 0.5,
                columns,
                rows,
            };
            cells.extend(maskings.iter().map(cell));
        }
    }
    let each = if learns { LEARNED.len() } else { 1 };
    let mut progress = Progress::new(run, cells.len() * request.seeds * each);
    let mut outcomes = Vec::new();
    for cell in cells {
        let mut outcome = Outcome {
            cell,
            learned: vec![Vec::new(); LEARNED.len()],
            analytic: vec![Vec::new(); ANALYTIC.len()],
        };
        for repetition in 0..request.seeds {
            outcome.repeat(learns, &kinds, &single(run, repetition), &mut progress)?;
        }
        outcomes.push(outcome);
    }
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![
            "Worlds as in the table `neumiss`. Learned: the method `neumiss` with its depth set, everything else as \
             it is without a word. Analytic: so many steps of the series from the identity, with the world's own \
             mean, covariance and weights; it knows nothing of self-masking."
                .into(),
            format!(
                "Published: R2 at mcar, 20 columns, 100,000 rows, medians over 20 repetitions, as their difference \
                 from the {DEPTH_BAYES} of Bayes."
            ),
        ],
        sections: outcomes.iter().flat_map(|outcome| sections(outcome, learns)).collect(),
        claims: outcomes.iter().flat_map(claims).collect(),
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

impl Outcome {
    fn repeat(&mut self, learns: bool, kinds: &[&str], run: &Run, progress: &mut Progress<'_>) -> Result<()> {
        if run.stopped() {
            return Ok(());
        }
        let task = Task::new(&self.cell, run)?;
        if kinds.contains(&ANALYTIC_ONLY) {
            for (own, (steps, _)) in self.analytic.iter_mut().zip(ANALYTIC) {
                own.push(task.distance(&run.compute(|| task.world.neumann(&task.test, steps))?));
            }
        }
        if !learns {
            progress.next(&self.cell.title());
            return Ok(());
        }
        for depth in 0..LEARNED.len() {
            if !progress.next(&format!("{}, depth {depth}", self.cell.title())) {
                return Ok(());
            }
            let recipe = Recipe::named("neumiss")?.set("depth", &depth.to_string())?;
            let Some(answers) = fitted(&recipe, &task, run)? else { return Ok(()) };
            self.learned[depth].push(task.distance(&answers));
        }
        Ok(())
    }
}

fn sections(outcome: &Outcome, learns: bool) -> Vec<Section> {
    let compared = outcome.cell.masking == Masking::Mcar && outcome.cell.columns == 20;
    let row = |depth: usize, distances: &[f64], published: f64| {
        let given = Figure::given(DEPTH_BAYES - published, None);
        let cells = vec![
            Figure::of(distances, 0.0).into(),
            if compared { Entry::Figure(given) } else { Entry::Empty },
        ];
        Row { name: format!("depth {depth}"), cells }
    };
    let section = |what: &str, rows: Vec<Row>| Section {
        title: format!("{}, {what}", outcome.cell.title()),
        columns: ["distance to Bayes", "published, n = 100000"].map(str::to_owned).to_vec(),
        digits: 4,
        rows,
    };
    let analytic = outcome.analytic.iter().zip(ANALYTIC).map(|(own, (depth, r2))| row(depth, own, r2));
    let learned =
        outcome.learned.iter().zip(LEARNED).enumerate().map(|(depth, (own, r2))| row(depth, own, r2));
    let mut sections = Vec::new();
    if learns {
        sections.push(section("learned", learned.collect()));
    }
    if outcome.analytic.iter().any(|own| !own.is_empty()) {
        sections.push(section("by the true covariance", analytic.collect()));
    }
    sections
}

fn claims(outcome: &Outcome) -> Vec<Claim> {
    let title = outcome.cell.title();
    let (learned, analytic) = (&outcome.learned, &outcome.analytic);
    let lower =
        |words: &str, low: &[f64], high: &[f64]| Claim::lower(format!("{title}: {words}"), low, high, 0.0);
    let claims = [
        lower("learned depth 3 comes nearer than depth 0", &learned[3], &learned[0]),
        lower(
            "learned depth 5 comes nearer than 20 steps with the true covariance",
            &learned[5],
            &analytic[6],
        ),
        lower("100 steps with the true covariance come nearer than 10", &analytic[8], &analytic[5]),
    ];
    claims.into_iter().flatten().collect()
}
