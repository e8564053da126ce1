//! One file per command. A command reads its options, calls the library, and prints what came out.

mod analyse;
mod audit;
mod compare;
mod bench;
mod bench_text;
mod counts;
mod demo;
mod density;
mod evaluate;
mod export;
mod fit;
mod describe;
mod hide;
mod impute;
mod manual;
mod methods;
mod pool;
mod predict;
mod recommend;
mod score;
#[cfg(feature = "serve")]
mod serve;
mod show;
mod simulate;

use clap::Subcommand;
use unmiss::error::Result;
use unmiss::model::Model;
use unmiss::run::{Run, StopReason};

use crate::General;
use crate::printer::Printer;

/// What the program can do.
#[derive(Subcommand)]
pub enum Command {
    /// The tour: describe, fit and predict on a built-in table
    Demo,
    /// Learn to predict a column, or ratings, holes and all, and save the model
    Fit(Box<fit::Arguments>),
    /// Predict new rows, or pairs of users and items, with a saved model
    Predict(predict::Arguments),
    /// Judge a saved model on rows whose truth is known: every figure with its interval, calibration, coverage
    Evaluate(Box<evaluate::Arguments>),
    /// Fill the holes of a table or of ratings, once or as many plausible ways as asked
    Impute(Box<impute::Arguments>),
    /// Learn how plausible rows or images are, and save the model
    Density(Box<density::Arguments>),
    /// Say how plausible each row or image is, and which are the rarest, with a model that `density` saved
    Score(Box<score::Arguments>),
    /// Fit a regression to every filled table and pool by Rubin's rules, from a formula to a table for a paper
    Analyse(Box<analyse::Arguments>),
    /// Combine the same analysis of several filled tables by Rubin's rules
    Pool(pool::Arguments),
    /// Find out whether a model's answer drifts with how much is known
    Audit(Box<audit::Arguments>),
    /// Compare methods on held-out rows, hidden cells or held-out ratings, with significance
    Compare(Box<compare::Arguments>),
    /// Ratings of items by users: list the best; fit, predict and audit as above
    #[command(subcommand)]
    Recommend(recommend::Command),
    /// Serve models over HTTP: predictions, fills, scores and lists for programs, and a page for people
    #[cfg(feature = "serve")]
    Serve(Box<serve::Arguments>),
    /// Tell what is in a model file, and what the model goes by
    Show(Box<show::Arguments>),
    /// Write a model as a graph (ONNX) that other runtimes take, holes and all
    Export(export::Arguments),
    /// Say what is missing, where, together with what, and whether it looks random
    Describe(describe::Arguments),
    /// Hide known cells by a mechanism, to try methods on holes whose truth is known
    Hide(hide::Arguments),
    /// Make a table of counts of genes in single cells: .mtx, a 10x folder or CSV, filtered, normalised, logged
    Counts(counts::Arguments),
    /// Make a table whose best possible predictor is known, or one like a table that is there
    Simulate(Box<simulate::Arguments>),
    /// List the methods, or tell all about one: idea, paper, settings, when to use it
    Methods(methods::Arguments),
    /// Re-run a published table and print it beside the published figures
    Bench(bench::Arguments),
    /// Print what completes commands, options and values in a shell
    Completions(manual::Completions),
    /// Print the manual page of the program or of a command, for `man -l -`
    Man(manual::Man),
}

impl Command {
    /// What runs when no command is given.
    pub fn demo() -> Self {
        Self::Demo
    }

    /// Runs the command.
    pub fn run(self, general: &General, printer: &Printer) -> Result<Ended> {
        let done = match self {
            Self::Fit(arguments) => return fit::run(&arguments, general, printer),
            Self::Density(arguments) => return density::run(&arguments, general, printer),
            Self::Recommend(command) => return command.run(general, printer),
            Self::Demo => demo::run(general, printer),
            Self::Predict(arguments) => predict::run(&arguments, general, printer),
            Self::Evaluate(arguments) => evaluate::run(&arguments, general, printer),
            Self::Score(arguments) => score::run(&arguments, general, printer),
            Self::Impute(arguments) => return impute::run(&arguments, general, printer),
            Self::Analyse(arguments) => analyse::run(&arguments, general, printer),
            Self::Pool(arguments) => pool::run(&arguments, printer),
            Self::Audit(arguments) => audit::run(&arguments, general, printer),
            Self::Compare(arguments) => compare::run(&arguments, general, printer),
            #[cfg(feature = "serve")]
            Self::Serve(arguments) => serve::run(&arguments, general, printer),
            Self::Show(arguments) => show::run(&arguments, general, printer),
            Self::Export(arguments) => export::run(&arguments, printer),
            Self::Describe(arguments) => describe::run(&arguments, general, printer),
            Self::Hide(arguments) => hide::run(&arguments, general, printer),
            Self::Simulate(arguments) => simulate::run(&arguments, general, printer),
            Self::Counts(arguments) => counts::run(&arguments, printer),
            Self::Methods(arguments) => methods::run(&arguments),
            Self::Completions(arguments) => manual::completions(&arguments),
            Self::Man(arguments) => manual::man(&arguments),
            Self::Bench(arguments) => bench::run(&arguments, general, printer),
        };
        done.map(|()| Ended::Done)
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Everything was done.
    Done,
    /// It was stopped, and what was finished until then is kept.
    CutOff,
}

impl Ended {
    /// How a fit ended. One that ran out of the time it was given did what was asked.
    pub fn of(model: &Model, run: &Run) -> Self {
        let asked = run.stop_reason() == Some(StopReason::Asked);
        if model.summary.cut_off.is_some() && asked { Self::CutOff } else { Self::Done }
    }
}
