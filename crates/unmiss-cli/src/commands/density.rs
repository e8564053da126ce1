//! `unmiss density`: learn how plausible rows or images are, measure it on what is held out, save the model.

use std::path::PathBuf;

use unmiss::data::{Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::model::{Aim, DensityPlan, Model, Recipe};

use super::Ended;
use crate::General;
use crate::files::Files;
use crate::input::{ImageArguments, InputArguments, ShapeArgument, only_for_tables, settings, shape_of};
use crate::output::{number, wrapped};
use crate::printer::Printer;
use crate::provenance;
use crate::telling::JsonArgument;

/// From what to learn, how, and where to put it.
#[derive(clap::Args)]
pub struct Arguments {
    /// A table: CSV, TSV, Excel, Parquet, Arrow or lines of JSON; images: IDX, CIFAR, .npy, .npz or a folder of
    /// pictures; `-` for standard input, or a built-in sample: sample:horse-colic, sample:penguins, sample:digits
    data: PathBuf,
    /// Where to write the model
    #[arg(short, long, value_name = "FILE", default_value = "density.unmiss")]
    output: PathBuf,
    /// The method [default: gaussian for tables, dmfa with hidden=any for images]
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
    /// Change a setting of the method, as NAME=VALUE; `unmiss methods NAME` lists them (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Columns to leave out, such as ids
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    ignore: Vec<String>,
    /// The share of the rows held out to measure with and to compare with; the saved model learns from all. 0: rows are
    /// compared with those learned from
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    test: f64,
    #[command(flatten)]
    json: JsonArgument,
    /// How the data are laid out [default: seen from the file]
    #[arg(long, value_name = "SHAPE")]
    shape: Option<ShapeArgument>,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    images: ImageArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<Ended> {
    let Arguments { data, output, json, images, .. } = arguments;
    let read = Files::default().reads([data]).reads(images.files());
    read.file("-o", [output]).tables("--json", json.path()).check()?;
    let shape = match arguments.shape {
        Some(ShapeArgument::Ratings) => Shape::Ratings,
        told => shape_of(told, data),
    };
    images.only_for_images(shape)?;
    let recipe = arguments.recipe(shape)?;
    let data: Data = match shape {
        Shape::Images => {
            let given = [
                ("ignore", !arguments.ignore.is_empty()),
                ("categorical or --numeric", arguments.input.tells_kinds()),
            ];
            only_for_tables(shape, &given)?;
            images.read(data)?.into()
        }
        _ => arguments.input.read(data, false, printer)?.into(),
    };
    let run = printer.run(general)?;
    let plan = DensityPlan { ignored: arguments.ignore.clone(), test: arguments.test };
    let fitted = Model::fit(&data, &Aim::Density(plan), &recipe, &run);
    printer.close();
    let mut model = fitted?;
    if run.stopped() && model.summary.cut_off.is_none() {
        return Err(Error::Stopped);
    }
    model.missing = arguments.input.options()?.missing;
    images.note_in(&mut model);
    provenance::note(&mut model, &arguments.data, &data);
    model.save(output)?;
    let text = format!("{}The model is in {}.\n", report(&model)?, output.display());
    json.tell_of(output, &figures(&model)?, &text, printer)?;
    Ok(Ended::of(&model, &run))
}

impl Arguments {
    /// The method named, with the settings given, or the usual one.
    fn recipe(&self, shape: Shape) -> Result<Recipe> {
        let recipe = match &self.method {
            Some(name) => Recipe::find(name, shape, Job::Density)?,
            None => Recipe::usual(shape, Job::Density)
                .into_iter()
                .next()
                .ok_or_else(|| Error::data(format!("there is no method for the plausibility of {shape}")))?,
        };
        recipe.set_all(settings(&self.set)?)
    }
}

/// What was learned from and how likely what was held out is.
fn report(model: &Model) -> Result<String> {
    let (summary, part) = (&model.summary, model.scoring()?.part);
    let (rows, cells) = if model.shape() == Shape::Images { ("images", "pixels") } else { ("rows", "cells") };
    let mut sentences = vec![format!(
        "Learned from {} {rows} and {} inputs by the method `{}`; {:.1} % of the {cells} are missing.",
        number(summary.rows),
        number(model.coder.names().len()),
        model.recipe.method.name(),
        100.0 * summary.missing_share
    )];
    sentences.extend(part.ignored.iter().map(|(name, reason)| format!("`{name}` is left out: {reason}.")));
    let mean = part.mean_log_likelihood;
    sentences.push(match part.held_out {
        0 => {
            format!("Mean log-likelihood of the {rows} learned from: {mean:.4} nats (nothing was held out).")
        }
        count => {
            format!("Mean log-likelihood of {} {rows} that were held out: {mean:.4} nats.", number(count))
        }
    });
    sentences.extend(model.scoring()?.caveat().map(str::to_owned));
    sentences.extend(summary.cut_off.clone());
    Ok(sentences.iter().map(|sentence| wrapped(sentence, 0) + "\n").collect())
}

fn figures(model: &Model) -> Result<serde_json::Value> {
    let part = model.scoring()?.part;
    Ok(serde_json::json!({
        "method": model.recipe.method.name(),
        "settings": model.recipe.settings,
        "rows": model.summary.rows,
        "inputs": model.coder.names(),
        "left_out": part.ignored,
        "missing_share": model.summary.missing_share,
        "held_out": part.held_out,
        "mean_log_likelihood": part.mean_log_likelihood,
        "fit": model.summary.method,
    }))
}
