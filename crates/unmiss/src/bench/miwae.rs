//! Half of all cells hidden: the mean squared error of variational autoencoders on the tables of the MIWAE paper.
//!
//! Every column is standardised over all rows before anything is hidden; then every cell is hidden with a chance of one
//! half, and imputers learn from all rows and fill them. `miwae` is `dvae` with the paper's settings: 20 latents of
//! each row, Student's t, nothing hidden beside what is missing, two layers of 128 units, 10 numbers of a latent, 500
//! epochs. The published figures are those the paper is remembered for; they were not held against a copy of it. Yeast,
//! its sixth table, is left out.

use crate::data::{Column, Kind, Table};
use crate::error::Result;
use crate::missing::{Mechanism, hide, hideable};
use crate::model::{Aim, Model, Recipe};
use crate::run::Run;

use super::folder::Wanted;
use super::imputation::{Part, deviation, wanted};
use super::repeat::{Progress, single};
use super::report::Row;
use super::{Bench, Cell, Claim, Figure, Report, Request, Section};

/// The entry of the list.
pub const BENCH: Bench = Bench {
    name: "miwae",
    title: "Half of the cells hidden: variational autoencoders, mean squared error of standardised columns",
    paper: "Mattei and Frellsen 2019, MIWAE: Deep Generative Modelling and Imputation of Incomplete Data Sets",
    files: &[
        "complete/banknote.csv",
        "complete/breast_cancer_wdbc.csv",
        "complete/concrete.csv",
        "complete/wine_quality_red.csv",
        "complete/wine_quality_white.csv",
    ],
    parts: || {
        let tables = TABLES.iter().map(|table| table.name.to_owned()).collect();
        vec![tables, LINES.iter().map(|line| line.name.to_owned()).collect()]
    },
    run: |request, run| measure(request, &[], run),
};

/// A table, and the published errors of MIWAE and missForest on it.
struct Published {
    name: &'static str,
    file: Wanted,
    miwae: f64,
    forest: f64,
}

const TABLES: [Published; 5] = [
    table("banknote", wanted("complete/banknote.csv", "class", true), 0.446, 0.676),
    table("breast", wanted("complete/breast_cancer_wdbc.csv", "class", true), 0.280, 0.291),
    table("concrete", wanted("complete/concrete.csv", "strength", false), 0.501, 0.510),
    table("red wine", wanted("complete/wine_quality_red.csv", "quality", false), 0.643, 0.697),
    table("white wine", wanted("complete/wine_quality_white.csv", "quality", false), 0.735, 0.798),
];

const fn table(name: &'static str, file: Wanted, miwae: f64, forest: f64) -> Published {
    Published { name, file, miwae, forest }
}

/// An imputer with settings.
#[derive(Clone, Copy)]
struct Line {
    name: &'static str,
    method: &'static str,
    settings: &'static [(&'static str, &'static str)],
}

/// The paper's settings.
const MIWAE: [(&str, &str); 7] = [
    ("importance", "20"),
    ("likelihood", "student-t"),
    ("hide", "0"),
    ("latent", "10"),
    ("samples", "1000"),
    ("patience", "0"),
    ("epochs", "500"),
];

const LINES: [Line; 5] = [
    Line { name: "mean", method: "mean", settings: &[] },
    Line { name: "gaussian", method: "gaussian", settings: &[] },
    Line { name: "boosted", method: "boosted", settings: &[] },
    Line { name: "dvae", method: "dvae", settings: &[] },
    Line { name: "miwae", method: "dvae", settings: &MIWAE },
];

/// `smaller` is what tests change of the networks.
fn measure(request: &Request, smaller: &[(&str, &str)], run: &Run) -> Result<Report> {
    let all: Vec<usize> = (0..TABLES.len()).collect();
    let tables = request.chosen(&all, |place| TABLES[*place].name.to_owned());
    let lines = request.chosen(&LINES, |line| line.name.to_owned());
    let mut progress = Progress::new(run, tables.len() * lines.len() * request.seeds);
    let (mut sections, mut claims) = (Vec::new(), Vec::new());
    'all: for place in tables {
        let truth = read(&TABLES[place].file, request)?;
        let mut errors = vec![Vec::new(); lines.len()];
        for repetition in 0..request.seeds {
            let own = single(run, repetition);
            let holes = hide(&truth, &Mechanism::Mcar(0.5), &hideable(&truth, &[]), own.seed())?;
            let part = Part::new(&truth, &holes, &(0..truth.rows()).collect::<Vec<_>>());
            for (line, errors) in lines.iter().zip(&mut errors) {
                if !progress.next(&format!("{}, {}", TABLES[place].name, line.name)) {
                    break 'all;
                }
                errors.push(error(line, smaller, &part, &own)?);
            }
        }
        sections.push(section(&TABLES[place], &lines, &errors));
        claims.extend(claims_of(&TABLES[place], &lines, &errors));
    }
    Ok(Report {
        name: BENCH.name,
        title: BENCH.title,
        paper: BENCH.paper,
        settings: vec![
            "All rows of each table without its target, columns standardised, every cell hidden with a chance of 0.5; \
             imputers learn from all rows and fill them. Mean squared error over hidden cells."
                .into(),
            "miwae: dvae with importance=20, likelihood=student-t, hide=0, latent=10, samples=1000, patience=0, epochs=500. The published \
             figures were not held against a copy of the paper."
                .into(),
        ],
        sections,
        claims,
        seed: run.seed(),
        seeds: request.seeds,
        test_share: 0.0,
        complete: progress.end(),
    })
}

/// The inputs of a table, standardised.
fn read(wanted: &Wanted, request: &Request) -> Result<Table> {
    let column = |(name, numbers): &(String, Vec<f64>)| {
        let plain = Column::from_numbers(name, Kind::Real, numbers);
        let mean = numbers.iter().sum::<f64>() / numbers.len().max(1) as f64;
        let deviation = deviation(&plain);
        let scaled: Vec<f64> = numbers.iter().map(|number| (number - mean) / deviation).collect();
        Column::from_numbers(name, Kind::Real, &scaled)
    };
    Table::new(wanted.numbers(&request.data)?.iter().map(column).collect())
}

fn error(line: &Line, smaller: &[(&str, &str)], part: &Part, run: &Run) -> Result<f64> {
    let changed = if line.method == "dvae" { smaller } else { &[] };
    let recipe = Recipe::named(line.method)?.set_all(line.settings.iter().chain(changed).copied())?;
    let model = Model::fit(&part.holed, &Aim::fill(), &recipe, run)?;
    let filled = run.compute(|| model.filling()?.fill(&part.holed, None, |_, _| {}))?;
    let filled = filled.data.table()?;
    Ok(part.error(filled, &vec![1.0; filled.columns().len()]).powi(2))
}

fn section(table: &Published, lines: &[Line], errors: &[Vec<f64>]) -> Section {
    let given = [("published: miwae", table.miwae), ("published: missForest", table.forest)];
    let given = given.map(|(name, error)| Row {
        name: name.into(),
        cells: vec![Cell::Figure(Figure::given(error, None))],
    });
    let ours = lines.iter().zip(errors).map(|(line, errors)| Row {
        name: line.name.to_owned(),
        cells: vec![Figure::of(errors, 0.0).into()],
    });
    Section {
        title: table.name.to_owned(),
        columns: vec!["mean squared error".to_owned()],
        digits: 3,
        rows: given.into_iter().chain(ours).collect(),
    }
}

/// Both autoencoders err less than the mean.
fn claims_of(table: &Published, lines: &[Line], errors: &[Vec<f64>]) -> Vec<Claim> {
    let own = |name: &str| {
        let found = lines.iter().position(|line| line.name == name);
        found.map_or(&[] as &[f64], |found| errors[found].as_slice())
    };
    let pairs = [("dvae", "mean"), ("miwae", "mean"), ("miwae", "gaussian"), ("miwae", "dvae")];
    let claim = |(one, other): (&str, &str)| {
        let words = format!("{}: {one} errs less than {other}", table.name);
        Claim::lower(words, own(one), own(other), 0.0)
    };
    pairs.into_iter().filter_map(claim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::rng::Stream;

    #[test]
    fn a_small_run_stands_beside_what_was_published() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("complete")).unwrap();
        let mut stream = Stream::new(1, "notes", 0, 0);
        let lines: String = (0..150)
            .map(|row| {
                let size = stream.normal();
                let near = |stream: &mut Stream| size + 0.2 * stream.normal();
                let (a, b, c) = (near(&mut stream), near(&mut stream), near(&mut stream));
                format!("{a},{b},{c},{size},{}\n", row % 2)
            })
            .collect();
        let file = folder.path().join("complete/banknote.csv");
        std::fs::write(file, format!("a,b,c,d,class\n{lines}")).unwrap();
        let only = ["banknote", "mean", "dvae", "miwae"].map(String::from).to_vec();
        let request = Request { data: folder.path().to_owned(), seeds: 1, only };
        let smaller =
            [("hidden", "[16]"), ("epochs", "40"), ("rate", "0.01"), ("samples", "20"), ("importance", "4")];
        let report = measure(&request, &smaller, &Run::new(0, 1).unwrap()).unwrap();
        assert!(report.complete);
        let rows = &report.sections[0].rows;
        let of = |place: usize| match &rows[place].cells[0] {
            Cell::Figure(figure) => figure.mean,
            other => panic!("{other:?}"),
        };
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["published: miwae", "published: missForest", "mean", "dvae", "miwae"]);
        assert_eq!(of(0), 0.446);
        assert!((of(2) - 1.0).abs() < 0.3 && of(3) < 0.6 * of(2) && of(4) < 0.6 * of(2), "{rows:?}");
    }
}
