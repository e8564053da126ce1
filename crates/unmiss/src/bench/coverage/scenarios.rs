//! Made tables with known answers: how rows are drawn, which cells are hidden, and what is asked of them.

use crate::data::{Column, Kind, Table};
use crate::error::Result;
use crate::rng::Stream;

/// One kind of table.
pub struct Scenario {
    /// Its name as a part of the bench.
    pub name: &'static str,
    /// What it is like.
    pub title: &'static str,
    /// How many rows it has.
    pub rows: usize,
    /// The two questions, in words.
    pub questions: [&'static str; 2],
    /// The true answers.
    pub truth: [f64; 2],
    make: fn(&mut Stream, usize) -> Made,
}

/// Columns of numbers, a category if there is one, and which cells are hidden.
struct Made {
    numbers: Vec<(&'static str, Vec<f64>, Vec<bool>)>,
    category: Option<(&'static str, Vec<usize>, Vec<bool>)>,
}

/// A drawn table before and after cells were hidden.
pub struct Tables {
    /// All cells known.
    pub whole: Table,
    /// With holes.
    pub holed: Table,
}

const LEVELS: [&str; 3] = ["a", "b", "c"];

/// All scenarios.
pub const SCENARIOS: [Scenario; 6] = [
    Scenario {
        name: "two-holed",
        title: "three columns: y 50 % and z 30 % missing, depending on x",
        rows: 200,
        questions: ["mean of y", "slope of y on x"],
        truth: [0.0, 0.85],
        make: two_holed,
    },
    Scenario {
        name: "ten-columns",
        title: "ten columns, y alone 70 % missing, depending on one of the others",
        rows: 200,
        questions: ["mean of y", "slope of y on x"],
        truth: [0.0, 1.02],
        make: ten_columns,
    },
    Scenario {
        name: "at-random",
        title: "three columns, y 40 % missing completely at random",
        rows: 200,
        questions: ["mean of y", "slope of y on x"],
        truth: [0.0, 0.85],
        make: |stream, rows| hidden(stream, rows, |_, _| [0.4, 0.0]),
    },
    Scenario {
        name: "strongly",
        title: "three columns, y 50 % missing, almost told by x (logit of standard deviation 3)",
        rows: 200,
        questions: ["mean of y", "slope of y on x"],
        truth: [0.0, 0.85],
        make: |stream, rows| hidden(stream, rows, |x, _| [chance(3.0 * x), 0.0]),
    },
    Scenario {
        name: "categories",
        title: "a category of three levels (35 % missing) and y (30 % missing), depending on x",
        rows: 300,
        questions: ["share of level b", "effect of level b on y, given x"],
        truth: [0.0, 0.8],
        make: categories,
    },
    Scenario {
        name: "many-rows",
        title: "5,000 rows of three columns, 10 % of all cells missing completely at random",
        rows: 5000,
        questions: ["mean of y", "slope of y on x"],
        truth: [0.0, 0.85],
        make: many_rows,
    },
];

fn chance(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// x, z and y with correlations .85, .5 and so on; y = .6 x + .5 z + noise, z = .5 x + noise.
fn three(stream: &mut Stream, rows: usize) -> [Vec<f64>; 3] {
    let mut columns = [const { Vec::new() }; 3];
    for _ in 0..rows {
        let x = stream.normal();
        let z = 0.5 * x + 0.75_f64.sqrt() * stream.normal();
        let y = 0.6 * x + 0.5 * z + 0.7 * stream.normal();
        [x, z, y].into_iter().zip(&mut columns).for_each(|(value, column)| column.push(value));
    }
    columns
}

/// The three columns with y and z hidden by chances that x and z tell.
fn hidden(stream: &mut Stream, rows: usize, chances: impl Fn(f64, f64) -> [f64; 2]) -> Made {
    let [x, z, y] = three(stream, rows);
    let marks: Vec<[bool; 2]> =
        (0..rows).map(|row| chances(x[row], z[row]).map(|chance| stream.uniform() < chance)).collect();
    let of = |place: usize| marks.iter().map(|marks| marks[place]).collect();
    Made { numbers: vec![("x", x, vec![false; rows]), ("z", z, of(1)), ("y", y, of(0))], category: None }
}

fn two_holed(stream: &mut Stream, rows: usize) -> Made {
    // Chances of 50 % and 30 % on average.
    hidden(stream, rows, |x, _| [chance(1.5 * x), chance(1.2 * x - 1.07)])
}

fn many_rows(stream: &mut Stream, rows: usize) -> Made {
    let mut made = hidden(stream, rows, |_, _| [0.1, 0.1]);
    made.numbers[0].2 = (0..rows).map(|_| stream.uniform() < 0.1).collect();
    made
}

/// Nine columns that go together (.3 each), and y, their weighted sum with noise.
fn ten_columns(stream: &mut Stream, rows: usize) -> Made {
    const NAMES: [&str; 9] = ["x", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9"];
    let mut columns = vec![Vec::new(); 9];
    let (mut y, mut holes) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let common = stream.normal();
        let line: Vec<f64> =
            (0..9).map(|_| 0.3_f64.sqrt() * common + 0.7_f64.sqrt() * stream.normal()).collect();
        y.push(0.3 * line.iter().sum::<f64>() + stream.normal());
        holes.push(stream.uniform() < chance(line[0] + 1.0));
        line.into_iter().zip(&mut columns).for_each(|(value, column)| column.push(value));
    }
    let known = vec![false; rows];
    let mut numbers: Vec<_> =
        NAMES.into_iter().zip(columns).map(|(name, column)| (name, column, known.clone())).collect();
    numbers.push(("y", y, holes));
    Made { numbers, category: None }
}

/// x, a category that x makes likelier, and y that both tell.
fn categories(stream: &mut Stream, rows: usize) -> Made {
    let (mut x, mut y, mut g) = (Vec::new(), Vec::new(), Vec::new());
    let (mut y_holes, mut g_holes) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let own = stream.normal();
        // Level b against the others, then c against a: logits linear in x.
        let level = match stream.uniform() {
            u if u < chance(0.8 * own - 0.6) => 1,
            _ if stream.uniform() < chance(-0.5 * own) => 2,
            _ => 0,
        };
        y.push(0.5 * own + [0.0, 0.8, -0.5][level] + stream.normal());
        g_holes.push(stream.uniform() < chance(own - 0.75));
        y_holes.push(stream.uniform() < chance(own - 1.0));
        x.push(own);
        g.push(level);
    }
    let numbers = vec![("x", x, vec![false; rows]), ("y", y, y_holes)];
    Made { numbers, category: Some(("g", g, g_holes)) }
}

impl Scenario {
    /// A table of its kind, another for every repetition.
    ///
    /// # Errors
    /// Never: the columns are of one length.
    pub fn tables(&self, seed: u64, repetition: u64) -> Result<Tables> {
        let mut stream = Stream::new(seed, self.name, repetition, 0);
        let made = (self.make)(&mut stream, self.rows);
        let build = |holed: bool| {
            let number = |(name, values, holes): &(&str, Vec<f64>, Vec<bool>)| {
                let cells = values.iter().zip(holes);
                let cells = cells.map(|(value, hole)| if holed && *hole { f64::NAN } else { *value });
                Column::from_numbers(*name, Kind::Real, &cells.collect::<Vec<_>>())
            };
            let mut columns: Vec<Column> = made.numbers.iter().map(number).collect();
            if let Some((name, levels, holes)) = &made.category {
                let cells = levels.iter().zip(holes);
                let cells = cells.map(|(level, hole)| (!(holed && *hole)).then_some(LEVELS[*level]));
                columns.push(Column::from_words(*name, Kind::Category, &cells.collect::<Vec<_>>()));
            }
            Table::new(columns)
        };
        Ok(Tables { whole: build(false)?, holed: build(true)? })
    }

    /// The true answers; the share of a level has no formula and is found from many rows.
    pub fn answers(&self) -> [f64; 2] {
        if self.name != "categories" {
            return self.truth;
        }
        let made = categories(&mut Stream::new(0, "truth", 0, 0), 4_000_000);
        let share = made.category.map_or(0.0, |(_, levels, _)| {
            levels.iter().filter(|level| **level == 1).count() as f64 / levels.len() as f64
        });
        [share, self.truth[1]]
    }
}
