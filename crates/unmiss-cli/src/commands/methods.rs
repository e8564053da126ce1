//! `unmiss methods [NAME]`: the list of methods, or one of them in full. All of it comes from the list.

use unmiss::error::Result;
use unmiss::methods::{Described, IMPUTERS, METHODS, RECOMMENDERS, find, find_imputer, find_recommender};

use crate::output::{print, wrapped};

/// Which method to tell about.
#[derive(clap::Args, Default)]
pub struct Arguments {
    /// A method's name; without one, all are listed
    name: Option<String>,
}

/// Prints the list or one entry.
pub fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.name {
        Some(name) => match (find_imputer(name), find_recommender(name)) {
            (Ok(imputer), _) => print(&entry(imputer)),
            (_, Ok(recommender)) => print(&entry(recommender)),
            _ => print(&entry(find(name)?)),
        },
        None => print(&list()),
    }
}

fn list() -> String {
    let mut text = String::from("Methods that learn to predict from rows with holes:\n\n");
    for method in METHODS {
        text.push_str(&format!("  {:10} {}\n", method.name(), method.about().title));
    }
    text.push_str("\nMethods that fill holes:\n\n");
    for imputer in IMPUTERS {
        text.push_str(&format!("  {:10} {}\n", imputer.name(), imputer.about().title));
    }
    text.push_str("\nMethods that predict ratings (unmiss recommend):\n\n");
    for recommender in RECOMMENDERS {
        text.push_str(&format!("  {:10} {}\n", recommender.name(), recommender.about().title));
    }
    text.push_str("\n`unmiss methods NAME` tells all about one.\n");
    text.push_str("`unmiss fit` chooses by cross-validation.\n");
    text
}

fn entry(method: &dyn Described) -> String {
    let about = method.about();
    let mut text = format!("{}: {}\n\n{}\n", method.name(), about.title, wrapped(about.idea, 0));
    for (heading, words) in [("Paper", about.paper), ("Use it", about.when), ("Don't use it", about.when_not)]
    {
        text.push_str(&format!("\n{heading}\n{}\n", wrapped(words, 2)));
    }
    text.push_str("\nSettings (--set NAME=VALUE)\n");
    let defaults = method.defaults();
    for setting in method.settings() {
        text.push_str(&format!(
            "  {} = {}\n{}\n",
            setting.name,
            plain(&defaults[setting.name]),
            wrapped(setting.help, 6)
        ));
    }
    text
}

/// A JSON value as a user would type it after `--set name=`.
fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
