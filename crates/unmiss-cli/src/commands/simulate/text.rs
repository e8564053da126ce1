//! What was made, in words.

use std::path::Path;

use unmiss::simulate::{Made, Masking, Reached, TARGET, World};
use unmiss::store::is_standard_output;

use super::Arguments;
use crate::output::{number, wrapped};

/// A world's table.
pub fn world(made: &Made, world: &World, arguments: &Arguments, seed: u64) -> String {
    let settings = &world.settings;
    let columns = match settings.columns {
        1 => "one normal column x1".to_owned(),
        count => format!("{} correlated normal columns x1 to x{count}", number(count)),
    };
    let skipped = match arguments.skip {
        0 => String::new(),
        skip => format!(", rows {} on", number(skip + 1)),
    };
    let head = format!(
        "Made {} rows: {columns} and the response {TARGET}, {} in them (seed {seed}{skipped}).",
        number(made.rows),
        shape(world)
    );
    let mut text = format!("{}\n\n{}\n", wrapped(&head, 0), wrapped(&holes(made, world), 0));
    if let Some(reached) = &made.reached {
        text.push_str(&reachable(reached, made.rows));
    }
    text.push_str(&files(arguments));
    text + &next(made, arguments, seed)
}

fn shape(world: &World) -> String {
    let response = world.settings.response;
    match response.name() {
        "linear" => "linear".to_owned(),
        name => format!("a {name}"),
    }
}

fn holes(made: &Made, world: &World) -> String {
    let touched: Vec<f64> = made.missing.iter().copied().filter(|share| *share > 0.0).collect();
    let whole = made.missing.iter().sum::<f64>() / made.missing.len().max(1) as f64;
    let (low, high) =
        touched.iter().fold((1.0_f64, 0.0_f64), |(low, high), share| (low.min(*share), high.max(*share)));
    let why = match world.settings.masking {
        Masking::Mcar => "completely at random",
        Masking::Mar => "at random, driven by columns without a hole",
        Masking::SelfGaussian => "not at random: values two deviations above the mean hide most",
        Masking::SelfProbit => "not at random: larger values hide more",
        Masking::Mnar => "not at random: driven by all columns, known or not",
        Masking::MnarUniform => "not at random: driven by columns that have holes themselves",
    };
    let mut text = format!(
        "{:.1} % of the cells are missing, {why} ({}); {TARGET} is complete.",
        100.0 * whole,
        world.settings.masking
    );
    if touched.len() > 1 {
        text.push_str(&format!(" A column with holes misses {:.1} to {:.1} %.", 100.0 * low, 100.0 * high));
    }
    let complete: Vec<String> = (0..made.missing.len())
        .filter(|&column| made.missing[column] == 0.0)
        .map(|column| format!("x{}", column + 1))
        .collect();
    if !complete.is_empty() && complete.len() <= 12 {
        text.push_str(&format!(" Without a hole: {}.", complete.join(", ")));
    }
    text
}

fn reachable(reached: &Reached, rows: usize) -> String {
    let of = match reached.rows < rows {
        true => format!(", by the first {} rows", number(reached.rows)),
        false => String::new(),
    };
    let mut text = format!("\nHow much of {TARGET} can be known (R2{of}):\n");
    text.push_str(&format!("  with every cell known: the noise floor        {:.4}\n", reached.complete));
    text.push_str(&format!("  from the known cells: the best possible       {:.4}\n", reached.bayes));
    if let Some(error) = reached.error {
        let words = format!(
            "The best answers are sampled: each has a standard error of {error:.3} (root mean square), which lowers \
             their R2 by about {:.4}. More --sweeps lower it.",
            reached.lowered
        );
        text.push_str(&format!("{}\n", wrapped(&words, 0)));
    }
    text
}

fn files(arguments: &Arguments) -> String {
    let mut parts = Vec::new();
    let mut tell = |path: Option<&Path>, what: &str| {
        if let Some(path) = path.filter(|path| !is_standard_output(path)) {
            parts.push(format!("{} has {what}", path.display()));
        }
    };
    tell(Some(&arguments.output), "the table");
    tell(arguments.truth.as_deref(), "the same rows without holes");
    tell(arguments.bayes.as_deref(), "the best answer for every row");
    match parts.is_empty() {
        true => String::new(),
        false => format!("\n{}.\n", wrapped(&parts.join("; "), 0)),
    }
}

fn next(made: &Made, arguments: &Arguments, seed: u64) -> String {
    if is_standard_output(&arguments.output) || arguments.skip > 0 {
        return String::new();
    }
    let table = arguments.output.display();
    let goal = made.reached.as_ref().map_or(String::new(), |reached| format!(" ({:.4})", reached.bayes));
    let mut text = format!(
        "\n{}\n\n  unmiss fit {table} --target {TARGET} -o model.unmiss\n",
        wrapped(&format!("How near can a method come to the best possible{goal}?"), 0)
    );
    let words = format!(
        "New rows of the same world: the same command with --seed {seed} --skip {} and another -o.",
        made.rows
    );
    text.push_str(&format!("\n{}\n", wrapped(&words, 0)));
    text
}
