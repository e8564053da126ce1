//! `unmiss score`: how plausible each row or image is, by a model that `unmiss density` made.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use unmiss::data::{CsvWriter, Data, Shape};
use unmiss::error::{Error, Result};
use unmiss::methods::Job;
use unmiss::model::{Model, Scored, Scoring};
use unmiss::run::Run;

use crate::General;
use crate::files::Files;
use crate::input::{ImageArguments, InputArguments, only_for_tables};
use crate::output::{number, wrapped};
use crate::printer::Printer;
use crate::telling::JsonArgument;

/// Rows scored at a time.
const BATCH: usize = 4_096;
/// The rarest rows that are named.
const MOST_NAMED: usize = 5;

/// Which model, which rows, where to.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model that `unmiss density` wrote
    model: PathBuf,
    /// Rows: CSV, TSV, Excel, Parquet, Arrow or lines of JSON; `-` for standard input. For a model of images: IDX,
    /// CIFAR, .npy, .npz or a folder of pictures
    data: PathBuf,
    /// Where to write the scores [default: standard output]
    #[arg(short, long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    /// Rows that are as rare as this share of the rows compared with, or rarer, are flagged
    #[arg(long, value_name = "SHARE", default_value_t = 0.01)]
    flag: f64,
    /// Columns carried over to the scores
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    id: Vec<String>,
    #[command(flatten)]
    json: JsonArgument,
    #[command(flatten)]
    input: InputArguments,
    #[command(flatten)]
    images: ImageArguments,
}

/// Runs the command.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    if !(0.0..=1.0).contains(&arguments.flag) {
        return Err(Error::setting("flag", format!("{} is not between 0 and 1", arguments.flag))
            .with_hint("say --flag 0.01 to flag rows as rare as one in a hundred"));
    }
    let Arguments { model, data, output, json, images, .. } = arguments;
    let read = Files::default().reads([model, data]).reads(images.files());
    read.tables("-o", [output]).tables("--json", json.path()).check()?;
    let model = Model::load(model)?;
    images.only_for_images(model.shape())?;
    model.check_job(Job::Density, &arguments.model)?;
    let (data, names) = arguments.read(&model)?;
    let run = printer.run(general)?.part("scoring");
    let scored = score(&model.scoring()?, &data, &run);
    printer.close();
    let scored = scored?;
    arguments.write(&model, &data, &names, &scored)?;
    json.write(&figures(&model, &names, &scored, arguments.flag))?;
    if output != Path::new("-") {
        printer.say(&format!("{} scores are in {}", number(scored.len()), output.display()));
    }
    printer.say(&wrapped(&rarest(&model, &names, &scored, arguments.flag), 0));
    if let Some(caveat) = model.scoring()?.caveat() {
        printer.say(&wrapped(caveat, 0));
    }
    Ok(())
}

/// How plausible all rows are, batch by batch.
fn score(scoring: &Scoring<'_>, data: &Data, run: &Run) -> Result<Vec<Scored>> {
    let all: Vec<usize> = (0..data.rows()).collect();
    let (mut scored, mut unseen) = (Vec::new(), BTreeMap::<String, BTreeSet<String>>::new());
    for some in all.chunks(BATCH) {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        let batch = data.select(some)?;
        let note = |column: &str, level: &str| {
            unseen.entry(column.to_owned()).or_default().insert(level.to_owned());
        };
        scored.extend(run.compute(|| scoring.score(&batch, note))?);
        run.progress(scored.len() as u64, all.len() as u64, "rows");
    }
    run.finished();
    for (column, levels) in unseen {
        let shown = levels.iter().take(3).map(|level| format!("`{level}`")).collect::<Vec<_>>().join(", ");
        let more = if levels.len() > 3 { ", ..." } else { "" };
        run.warn(format!(
            "column `{column}` has values that training never saw ({shown}{more}); they count as missing"
        ));
    }
    Ok(scored)
}

impl Arguments {
    /// The rows, and what each is called.
    fn read(&self, model: &Model) -> Result<(Data, Vec<String>)> {
        if model.shape() == Shape::Images {
            only_for_tables(Shape::Images, &[("id", !self.id.is_empty())])?;
            let images = self.images.read_for_model(&self.data, model)?;
            let numbers = || (1..=images.len()).map(|image| image.to_string()).collect();
            let names = images.names.clone().unwrap_or_else(numbers);
            return Ok((images.into(), names));
        }
        let data = self.input.read_for_model(&self.data, model)?;
        self.id.iter().try_for_each(|name| data.column(name).map(drop))?;
        let names = (1..=data.rows()).map(|row| row.to_string()).collect();
        Ok((data, names))
    }

    /// One line for each row: its number (and ids), how plausible it is, and the cell that surprises most.
    fn write(&self, model: &Model, data: &Data, names: &[String], scored: &[Scored]) -> Result<()> {
        let first = if model.shape() == Shape::Images { "image" } else { "row" };
        let own = ["log_likelihood", "known", "rarity", "flag", "surprising"].map(String::from);
        let header = [vec![first.to_owned()], self.id.clone(), own.to_vec()].concat();
        let mut writer = CsvWriter::create(&self.output, &header)?;
        let ids = self.id.iter().map(|id| data.column(id)).collect::<Result<Vec<_>>>()?;
        let inputs = model.coder.names();
        for (row, scored) in scored.iter().enumerate() {
            writer.text(&names[row]);
            for id in &ids {
                match id.cell(row) {
                    Some(cell) => writer.text(&cell),
                    None => writer.missing(),
                }
            }
            writer.number(scored.log_likelihood);
            writer.number(scored.known as f64);
            match scored.rarity {
                Some(rarity) => writer.number(rarity),
                None => writer.missing(),
            }
            writer.text(if is_flagged(scored, self.flag) { "rare" } else { "" });
            match scored.surprise {
                Some(input) => writer.text(inputs[input]),
                None => writer.missing(),
            }
            writer.end_row()?;
        }
        writer.finish()
    }
}

fn is_flagged(scored: &Scored, flag: f64) -> bool {
    scored.rarity.is_some_and(|rarity| rarity <= flag)
}

/// How many rows are rare, and which are the rarest.
fn rarest(model: &Model, names: &[String], scored: &[Scored], flag: f64) -> String {
    let rows = if model.shape() == Shape::Images { "images" } else { "rows" };
    let mut flagged: Vec<usize> = (0..scored.len()).filter(|row| is_flagged(&scored[*row], flag)).collect();
    let count = number(flagged.len());
    let share = 100.0 * flag;
    let what =
        format!("{count} of {} {rows} are as rare as {share} % of those compared with", number(scored.len()));
    if flagged.is_empty() {
        let compared = model.scoring().map_or(0, |scoring| scoring.part.known.len());
        let few = 1.0 / (1 + compared) as f64 > flag;
        let why = if few { ", as there are too few to compare with; raise --flag" } else { "" };
        return what + why + ".";
    }
    let place = |row: &usize| (scored[*row].rarity.unwrap_or(1.0), scored[*row].log_likelihood);
    flagged.sort_by(|one, other| {
        let (one, other) = (place(one), place(other));
        one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
    });
    let inputs = model.coder.names();
    let word = |row: &usize| match scored[*row].surprise {
        Some(input) => format!("{} (`{}`)", names[*row], inputs[input]),
        None => names[*row].clone(),
    };
    let named = flagged.iter().take(MOST_NAMED).map(word).collect::<Vec<_>>().join(", ");
    format!("{what}; the rarest, with what surprises most: {named}.")
}

fn figures(model: &Model, names: &[String], scored: &[Scored], flag: f64) -> Value {
    let inputs = model.coder.names();
    let row = |(name, row): (&String, &Scored)| {
        json!({
            "row": name,
            "log_likelihood": row.log_likelihood,
            "known": row.known,
            "rarity": row.rarity,
            "flagged": is_flagged(row, flag),
            "surprising": row.surprise.map(|input| inputs[input]),
        })
    };
    json!({ "flag": flag, "rows": names.iter().zip(scored).map(row).collect::<Vec<_>>() })
}
