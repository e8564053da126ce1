//! Who takes part: the methods named, or all, with their settings, as they are and tuned.

use unmiss::compare::Contestant;
use unmiss::data::Shape;
use unmiss::error::{Error, Result};
use unmiss::methods::{Job, methods_for};
use unmiss::model::Recipe;

use super::Arguments;

/// The contestants in order. With a file to go on from, its methods are enough: none needs to be named.
pub fn list(arguments: &Arguments, shape: Shape, job: Job, resumes: bool) -> Result<Vec<Contestant>> {
    let names = match (arguments.methods.is_empty(), resumes && arguments.set.is_empty()) {
        (true, true) if arguments.tune == 0 => return Ok(Vec::new()),
        (true, _) => all(shape, job),
        (false, _) => arguments.methods.clone(),
    };
    let settings = settings(&arguments.set, &names)?;
    let mut contestants = Vec::new();
    for name in &names {
        let own =
            settings.iter().filter(|(method, ..)| method == name).map(|(_, name, value)| (&**name, &**value));
        let recipe = Recipe::find(name, shape, job)?.set_all(own)?;
        contestants.push(Contestant::new(&recipe, 0));
        // A method without a search space is what it is.
        if arguments.tune > 0 && !recipe.method.card().space.is_empty() {
            contestants.push(Contestant::new(&recipe, usize::from(arguments.tune)));
        }
    }
    Ok(contestants)
}

/// Every method of the list; those that try others themselves come last.
fn all(shape: Shape, job: Job) -> Vec<String> {
    let mut names: Vec<String> = methods_for(shape, job).map(|method| method.name().to_owned()).collect();
    names.sort_by_key(|name| ["auto", "blend", "ensemble"].contains(&name.as_str()));
    names
}

/// (method, setting, value) of each `METHOD.NAME=VALUE`.
fn settings(typed: &[String], names: &[String]) -> Result<Vec<(String, String, String)>> {
    let parse = |typed: &String| {
        let parts = typed.split_once('=').and_then(|(place, value)| Some((place.split_once('.')?, value)));
        let Some(((method, name), value)) = parts else {
            return Err(Error::setting("set", format!("`{typed}` is not of the form METHOD.NAME=VALUE"))
                .with_hint("say for example --set trees.leaves=15"));
        };
        if !names.iter().any(|known| known == method) {
            return Err(Error::setting("set", format!("the method `{method}` does not take part"))
                .with_hint(format!("the methods are: {}", names.join(", "))));
        }
        Ok((method.to_owned(), name.to_owned(), value.to_owned()))
    };
    typed.iter().map(parse).collect()
}
