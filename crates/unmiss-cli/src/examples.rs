//! What each command is for, by example: shown below its help and on its manual page.

use clap::{Command, CommandFactory};

use crate::Arguments;

/// Commands with what to type.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("demo", &["unmiss demo"]),
    ("describe", &["unmiss describe ward.csv --target died --html holes.html"]),
    (
        "fit",
        &[
            "unmiss fit ward.csv --target died -o ward.unmiss",
            "unmiss fit ward.csv --target died --group patient --metric f1",
            "unmiss fit ward.csv --target days --time admitted --test later.csv",
            "unmiss fit ward.csv --target died --methods linear,trees --json -",
        ],
    ),
    (
        "predict",
        &[
            "unmiss predict ward.unmiss new.csv -o out.csv",
            "unmiss predict ward.unmiss new.csv --append --level 0.8 -o out.csv",
        ],
    ),
    ("evaluate", &["unmiss evaluate ward.unmiss later.csv --group patient --html right.html"]),
    (
        "impute",
        &[
            "unmiss impute ward.csv -o full.csv --mark cells.csv",
            "unmiss impute ward.csv -o full.csv --draws 20 --method chained",
        ],
    ),
    ("density", &["unmiss density ward.csv -o usual.unmiss"]),
    ("score", &["unmiss score usual.unmiss new.csv -o rare.csv --flag 0.01"]),
    ("analyse", &["unmiss analyse 'died ~ age + lactate' full-*.csv --family logistic"]),
    ("pool", &["unmiss pool estimates-*.csv"]),
    ("audit", &["unmiss audit ward.unmiss ward.csv --html audit.html"]),
    ("compare", &["unmiss compare ward.csv --target died --tune 10 -o best.unmiss"]),
    ("recommend", &["unmiss recommend top films.unmiss 10 --for user-007"]),
    ("serve", &["unmiss serve ward.unmiss"]),
    ("show", &["unmiss show ward.unmiss --json -", "unmiss show ward.unmiss --explain"]),
    ("export", &["unmiss export ward.unmiss -o ward.onnx"]),
    ("hide", &["unmiss hide ward.csv --how mcar:0.2 -o holed.csv --truth truth.csv"]),
    ("counts", &["unmiss counts filtered_feature_bc_matrix -o cells.parquet"]),
    ("simulate", &["unmiss simulate --like ward.csv -o made.csv"]),
    ("methods", &["unmiss methods", "unmiss methods trees"]),
    ("bench", &["unmiss bench", "unmiss bench imputation --data sets"]),
    ("completions", &["unmiss completions zsh > _unmiss"]),
    ("man", &["unmiss man fit | man -l -"]),
];

/// The program's commands, each with its examples.
pub fn command_with_examples() -> Command {
    EXAMPLES.iter().fold(Arguments::command(), |all, (name, lines)| {
        if all.find_subcommand(name).is_none() {
            return all;
        }
        let title = if lines.len() == 1 { "Example" } else { "Examples" };
        let lines: String = lines.iter().map(|line| format!("\n  {line}")).collect();
        all.mut_subcommand(name, |own| own.after_help(format!("{title}:{lines}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn every_command_has_an_example_that_is_understood() {
        let all = Arguments::command();
        for command in all.get_subcommands() {
            let own = EXAMPLES.iter().find(|(name, _)| *name == command.get_name());
            let lines = own.unwrap_or_else(|| panic!("`{}` has no example", command.get_name())).1;
            for line in lines {
                let typed = line.split(" | ").next().unwrap().split(" > ").next().unwrap();
                let words: Vec<&str> = match typed.split_once('\'') {
                    Some((before, rest)) => {
                        let (formula, after) = rest.split_once('\'').unwrap();
                        before.split_whitespace().chain([formula]).chain(after.split_whitespace()).collect()
                    }
                    None => typed.split_whitespace().collect(),
                };
                if let Err(error) = Arguments::try_parse_from(&words) {
                    panic!("{line}\n{error}");
                }
                assert!(line.len() <= 78, "{line}");
            }
        }
    }
}
