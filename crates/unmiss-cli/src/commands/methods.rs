//! `unmiss methods [NAME]`: the list of methods, or one of them in full. All of it comes from the list.

use serde_json::{Value, json};
use unmiss::data::Shape;
use unmiss::error::Result;
use unmiss::methods::{Job, METHODS, Method, Setting, methods_for, named};

use crate::output::wrapped;
use crate::telling::JsonArgument;

/// Which method to tell about.
#[derive(clap::Args, Default)]
pub struct Arguments {
    /// A method's name; without one, all are listed
    name: Option<String>,
    #[command(flatten)]
    json: JsonArgument,
}

/// Prints the list or one entry.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.name {
        Some(name) => arguments.json.tell(&as_data(named(name)?), &entry(named(name)?)),
        None => {
            arguments.json.tell(&METHODS.iter().map(|method| as_data(*method)).collect::<Vec<_>>(), &list())
        }
    }
}

/// What the methods are listed under.
const HEADINGS: [(Shape, Job, &str); 9] = [
    (Shape::Table, Job::Predict, "Methods that learn to predict from rows with holes"),
    (Shape::Table, Job::Fill, "Methods that fill holes"),
    (Shape::Ratings, Job::Rate, "Methods that predict ratings"),
    (Shape::Images, Job::Predict, "Methods that tell the classes of images with holes"),
    (Shape::Images, Job::Fill, "Methods that fill the holes of images"),
    (Shape::Series, Job::Predict, "Methods that learn to predict from series with holes"),
    (Shape::Series, Job::Fill, "Methods that fill the holes of series"),
    (Shape::Table, Job::Density, "Methods that say how plausible rows are"),
    (Shape::Images, Job::Density, "Methods that say how plausible images are"),
];

/// All about a method, for programs.
fn as_data(method: &dyn Method) -> Value {
    let (card, defaults) = (method.card(), method.defaults());
    let does = |shape: &Shape, job: &Job| json!({ "shape": shape, "job": job });
    let setting =
        |own: &Setting| json!({ "name": own.name, "help": own.help, "default": defaults[own.name] });
    json!({
        "name": card.name,
        "title": card.about.title,
        "idea": card.about.idea,
        "paper": card.about.paper,
        "when": card.about.when,
        "when_not": card.about.when_not,
        "does": card.does.iter().map(|(shape, job)| does(shape, job)).collect::<Vec<_>>(),
        "competes": card.short_lists.iter().map(|(shape, job)| does(shape, job)).collect::<Vec<_>>(),
        "draws_are_proper": method.does(Shape::Table, Job::Fill).then(|| method.proper_draws()),
        "settings": card.settings.iter().map(setting).collect::<Vec<_>>(),
    })
}

fn list() -> String {
    let mut text = String::new();
    for (shape, job, heading) in HEADINGS {
        text.push_str(&format!("{heading}:\n\n"));
        for method in methods_for(shape, job) {
            let card = method.card();
            let mark = if card.short_lists.contains(&(shape, job)) { "*" } else { " " };
            let drawn = if job == Job::Fill && method.proper_draws() { "+" } else { " " };
            text.push_str(&format!("{mark}{drawn} {:10} {}\n", card.name, card.about.title));
        }
        text.push('\n');
    }
    text.push_str("Those marked * compete when none is named; for `impute`, `auto` lets them.\n");
    text.push_str("Draws of those marked + have parameters of their own, as Rubin's rules ask for;\n");
    text.push_str("draws of other imputers are too sure for them.\n");
    text.push_str("`unmiss methods NAME` tells all about one.\n");
    text
}

fn entry(method: &dyn Method) -> String {
    let about = method.card().about;
    let mut text = format!("{}: {}\n\n{}\n", method.name(), about.title, wrapped(about.idea, 0));
    for (heading, words) in [("Paper", about.paper), ("Use it", about.when), ("Don't use it", about.when_not)]
    {
        text.push_str(&format!("\n{heading}\n{}\n", wrapped(words, 2)));
    }
    if method.does(Shape::Table, Job::Fill) {
        let words = match method.proper_draws() {
            true => "Proper: every draw has parameters of its own, as Rubin's rules ask for.",
            false => {
                "They differ by noise alone: too sure for Rubin's rules. For multiple imputation use gaussian or chained."
            }
        };
        text.push_str(&format!("\nDraws (--draws M)\n{}\n", wrapped(words, 2)));
    }
    text.push_str("\nSettings (--set NAME=VALUE)\n");
    let defaults = method.defaults();
    for setting in method.card().settings {
        let line = format!("{} = {}", setting.name, plain(&defaults[setting.name]));
        // A long list breaks between its values.
        let line = wrapped(&line.replace("\",\"", "\", \""), 2);
        text.push_str(&format!("{line}\n{}\n", wrapped(setting.help, 6)));
    }
    text
}

/// A JSON value as a user would type it after `--set name=`.
fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
