//! Distance to the best possible predictor: the published figures of NeuMiss and of its follow-up, run again.
//!
//! The worlds are those of [`simulate`](crate::simulate): correlated normal columns of which half the cells are
//! missing, a response of a known shape, and the Bayes predictor known. Each repetition is another world. Unlike the
//! authors' generator a world has one mechanism, however many rows are drawn from it.

mod published;
mod rivals;
mod worlds;
pub mod depth;

use std::time::Instant;

use crate::error::Result;
use crate::run::Run;
use crate::simulate::{Masking, Response};

use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Cell as Entry, Claim, Figure, Report, Request, Section};
use worlds::{Cell, Task};

const PAPER: &str = "Le Morvan, Josse, Moreau, Scornet and Varoquaux 2020, NeuMiss networks: differentiable programming \
                     for supervised learning with missing values";
const FOLLOW_UP: &str = "Le Morvan, Josse, Scornet and Varoquaux 2021, What's a good imputation to predict with \
                         missing values?";

/// Figures 4 and 5 and their tables: linear responses under the paper's mechanisms.
pub const BENCH: Bench = Bench {
    name: "neumiss",
    title: "Distance to the best possible predictor, linear responses",
    paper: PAPER,
    files: &[],
    parts: || parts(&LINEAR),
    run: |request, run| measure(&BENCH, &LINEAR, request, run),
};

/// Figure 6.
pub const MAR: Bench = Bench {
    name: "neumiss-mar",
    title: "Distance to the best possible predictor, holes at random given other columns",
    paper: PAPER,
    files: &[],
    parts: || parts(&AT_RANDOM),
    run: |request, run| measure(&MAR, &AT_RANDOM, request, run),
};

/// The bent responses of the follow-up.
pub const NONLINEAR: Bench = Bench {
    name: "neumiss-nonlinear",
    title: "Distance to the best possible predictor, bent responses",
    paper: FOLLOW_UP,
    files: &[],
    parts: || parts(&BENT),
    run: |request, run| measure(&NONLINEAR, &BENT, request, run),
};

/// Which worlds a bench is about; the first number of columns and of rows is run where none is named.
struct Worlds {
    maskings: &'static [Masking],
    responses: &'static [Response],
    latent: f64,
    columns: &'static [usize],
    rows: &'static [usize],
}

const LINEAR: Worlds = Worlds {
    maskings: &[Masking::Mcar, Masking::Mar, Masking::SelfGaussian, Masking::SelfProbit],
    responses: &[Response::Linear],
    latent: 0.5,
    columns: &[10, 20, 50],
    rows: &[10_000, 1000, 20_000, 100_000],
};

const AT_RANDOM: Worlds = Worlds {
    maskings: &[Masking::Mar],
    responses: &[Response::Linear],
    latent: 0.5,
    columns: &[10, 20, 50],
    rows: &[20_000, 10_000, 1000, 100_000],
};

const BENT: Worlds = Worlds {
    maskings: &[Masking::Mcar, Masking::SelfGaussian],
    responses: &[Response::Bowl, Response::Wave, Response::Break],
    latent: 0.3,
    columns: &[10, 20, 50],
    rows: &[20_000, 10_000, 1000, 100_000],
};

fn columns_name(columns: &usize) -> String {
    format!("d={columns}")
}

fn rows_name(rows: &usize) -> String {
    format!("n={rows}")
}

fn parts(worlds: &Worlds) -> Vec<Vec<String>> {
    vec![
        worlds.maskings.iter().map(|masking| masking.name().to_owned()).collect(),
        several(worlds.responses.iter().map(|response| response.name().to_owned()).collect()),
        worlds.columns.iter().map(columns_name).collect(),
        worlds.rows.iter().map(rows_name).collect(),
        rivals::all(),
    ]
}

/// Names to choose from; of one there is no choice.
fn several(names: Vec<String>) -> Vec<String> {
    if names.len() > 1 { names } else { Vec::new() }
}

/// Those that are named, or else the first: the larger ones take hours.
fn named_or_first(request: &Request, all: &[usize], name: fn(&usize) -> String) -> Vec<usize> {
    let named: Vec<usize> = all.iter().filter(|part| request.only.contains(&name(part))).copied().collect();
    if named.is_empty() { all[..1].to_vec() } else { named }
}

fn cells(worlds: &Worlds, request: &Request) -> Vec<Cell> {
    let maskings = request.chosen(worlds.maskings, |masking| masking.name().to_owned());
    let responses = request.chosen(worlds.responses, |response| response.name().to_owned());
    let mut cells = Vec::new();
    for columns in named_or_first(request, worlds.columns, columns_name) {
        for rows in named_or_first(request, worlds.rows, rows_name) {
            for &response in &responses {
                for &masking in &maskings {
                    cells.push(Cell { masking, response, latent: worlds.latent, columns, rows });
                }
            }
        }
    }
    cells
}

/// What became of one cell.
struct Outcome {
    cell: Cell,
    /// R² of the best possible answers, one for each repetition.
    bayes: Vec<f64>,
    /// For each rival, one for each repetition.
    distances: Vec<Vec<f64>>,
    seconds: Vec<Vec<f64>>,
}

fn measure(bench: &'static Bench, worlds: &Worlds, request: &Request, run: &Run) -> Result<Report> {
    let named: Vec<String> = rivals::all().into_iter().filter(|name| request.only.contains(name)).collect();
    let names = if named.is_empty() { rivals::usual() } else { named };
    let cells = cells(worlds, request);
    let mut progress = Progress::new(run, cells.len() * request.seeds * names.len());
    let mut outcomes = Vec::new();
    'all: for cell in cells {
        let mut outcome = Outcome {
            cell,
            bayes: Vec::new(),
            distances: vec![Vec::new(); names.len()],
            seconds: vec![Vec::new(); names.len()],
        };
        for repetition in 0..request.seeds {
            if run.stopped() {
                outcomes.push(outcome);
                break 'all;
            }
            let task = Task::new(&cell, &single(run, repetition))?;
            outcome.bayes.push(task.reachable());
            for (place, name) in names.iter().enumerate() {
                let start = Instant::now();
                let answers = match progress.next(&format!("{}, {name}", cell.title())) {
                    true => rivals::answers(name, &task, &single(run, repetition))?,
                    false => None,
                };
                let Some(answers) = answers else {
                    outcomes.push(outcome);
                    break 'all;
                };
                outcome.seconds[place].push(start.elapsed().as_secs_f64());
                outcome.distances[place].push(task.distance(&answers));
            }
        }
        outcomes.push(outcome);
    }
    Ok(Report {
        name: bench.name,
        title: bench.title,
        paper: bench.paper,
        settings: settings(worlds),
        sections: sections(&outcomes, &names),
        claims: outcomes.iter().flat_map(|outcome| claims(outcome, &names)).collect(),
        seed: run.seed(),
        seeds: request.seeds,
        // Every repetition is another world.
        test_share: 0.0,
        complete: progress.end(),
    })
}

fn settings(worlds: &Worlds) -> Vec<String> {
    vec![
        format!(
            "Worlds as `unmiss simulate --latent {} --rate 0.5 --snr 10` makes them, each repetition another one; \
             {} new rows of each judge the answers.",
            worlds.latent,
            worlds::TEST_ROWS
        ),
        "Distance to Bayes: how much R2 is lost against the best possible predictor, as the mean squared distance \
         from its answers over the variance of the response. For self-probit its answers are sampled; what their \
         error adds is taken off. Every method has the settings that it has without a word; mlp is given the marks. \
         Seconds of the clock are for learning and answering."
            .into(),
        "Published: differences of R2, medians over 20 repetitions, a network's size chosen on 10,000 validation \
         rows of its own; no Bayes predictor is published for self-probit."
            .into(),
    ]
}

fn sections(outcomes: &[Outcome], names: &[String]) -> Vec<Section> {
    let mut sections = Vec::new();
    if outcomes.len() > 1 {
        sections.push(overview(outcomes, names));
    }
    sections.extend(outcomes.iter().map(|outcome| section(outcome, names)));
    sections
}

/// The mean over all cells, seed by seed, and the worst cell.
fn overview(outcomes: &[Outcome], names: &[String]) -> Section {
    let row = |place: usize| {
        let rows = outcomes.iter().map(|outcome| outcome.distances[place].len()).min().unwrap_or(0);
        let mean = |seed: usize| {
            outcomes.iter().map(|outcome| outcome.distances[place][seed]).sum::<f64>() / outcomes.len() as f64
        };
        let means: Vec<f64> = (0..rows).map(mean).collect();
        let of = |outcome: &Outcome| {
            let own = &outcome.distances[place];
            own.iter().sum::<f64>() / own.len().max(1) as f64
        };
        let worst = outcomes.iter().filter(|outcome| !outcome.distances[place].is_empty());
        let worst = worst.max_by(|one, other| of(one).total_cmp(&of(other)));
        let words = |outcome: &Outcome| Entry::Words(outcome.cell.title());
        let cells = vec![
            Figure::of(&means, 0.0).into(),
            worst.map(|outcome| Figure::given(of(outcome), None)).into(),
            worst.map_or(Entry::Empty, words),
        ];
        Row { name: names[place].clone(), cells }
    };
    Section {
        title: "Distance to Bayes, mean over all worlds below".into(),
        columns: ["distance to Bayes", "in the worst", "which is"].map(str::to_owned).to_vec(),
        digits: 4,
        rows: (0..names.len()).map(row).collect(),
    }
}

fn section(outcome: &Outcome, names: &[String]) -> Section {
    let cell = &outcome.cell;
    let published = match cell.response {
        Response::Linear => published::find(cell.masking, cell.columns, cell.rows),
        _ => None,
    };
    let given = |value: Option<f64>| Entry::from(value.map(|value| Figure::given(value, None)));
    let row = |(place, name): (usize, &String)| {
        let distances = &outcome.distances[place];
        let levels: Vec<f64> =
            distances.iter().zip(&outcome.bayes).map(|(distance, bayes)| bayes - distance).collect();
        let seconds = &outcome.seconds[place];
        let mean = seconds.iter().sum::<f64>() / seconds.len().max(1) as f64;
        let gap = published.and_then(|row| row.gaps.iter().find(|(own, _)| own == name)?.1);
        let cells = vec![
            Figure::of(distances, 0.0).into(),
            Figure::of(&levels, 0.0).into(),
            given(gap),
            Entry::Words(format!("{mean:.1}")),
        ];
        Row { name: name.clone(), cells }
    };
    let bayes = Row {
        name: "Bayes".into(),
        cells: vec![
            Entry::Figure(Figure::given(0.0, None)),
            Figure::of(&outcome.bayes, 0.0).into(),
            published
                .and_then(|row| row.bayes)
                .map_or(Entry::Empty, |bayes| Entry::Words(format!("R2 {bayes}"))),
            Entry::Empty,
        ],
    };
    Section {
        title: cell.title(),
        columns: ["distance to Bayes", "R2", "published", "seconds"].map(str::to_owned).to_vec(),
        digits: 4,
        rows: std::iter::once(bayes).chain(names.iter().enumerate().map(row)).collect(),
    }
}

/// What the paper claims, and what `conditional` is made for.
fn claims(outcome: &Outcome, names: &[String]) -> Vec<Claim> {
    let distances = |name: &str| {
        let place = names.iter().position(|own| own == name);
        place.map_or(&[] as &[f64], |place| outcome.distances[place].as_slice())
    };
    let nearer = |one: &str, other: &str| {
        let words = format!("{}: `{one}` comes nearer to Bayes than `{other}`", outcome.cell.title());
        Claim::lower(words, distances(one), distances(other), 0.0)
    };
    let mut pairs = vec![
        ("neumiss", "mlp"),
        ("neumiss", "linear"),
        ("conditional", "neumiss"),
        ("conditional", "mlp"),
        ("conditional", "trees"),
    ];
    if outcome.cell.masking == Masking::SelfGaussian || outcome.cell.response != Response::Linear {
        pairs.extend([("neumiss", rivals::EM), ("conditional", rivals::EM)]);
    }
    pairs.into_iter().filter_map(|(one, other)| nearer(one, other)).collect()
}

#[cfg(test)]
mod tests;
