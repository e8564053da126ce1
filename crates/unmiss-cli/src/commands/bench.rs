//! `unmiss bench [NAME]`: re-run a published table and print it beside the published figures.

use std::path::{Path, PathBuf};
use std::time::Instant;

use unmiss::bench::{BENCHES, Bench, Request, find};
use unmiss::error::{Error, Result};

use super::bench_text::page;
use crate::General;
use crate::files::Files;
use crate::output::{print, wrapped};
use crate::printer::Printer;
use crate::telling::JsonArgument;

/// Which table to run, and on what.
#[derive(clap::Args)]
pub struct Arguments {
    /// The table's name; without one, all are listed
    name: Option<String>,
    /// The folder with the data sets
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// How often everything is repeated; the first repetition has the seed of --seed, the others follow
    #[arg(long, value_name = "N", default_value_t = 5)]
    seeds: usize,
    /// Run only these parts (data sets, methods, ...); give it once for each part
    #[arg(long, value_name = "PART")]
    only: Vec<String>,
    #[command(flatten)]
    json: JsonArgument,
    /// Write a page with charts to an HTML file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Lists the tables, or runs one.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let Some(name) = &arguments.name else { return print(&list()) };
    let bench = find(name)?;
    let request =
        Request { data: folder(bench, arguments)?, seeds: arguments.seeds, only: arguments.only.clone() };
    let sets: Vec<PathBuf> = sets(bench, &request.data);
    Files::default()
        .reads(&sets)
        .tables("--json", arguments.json.path())
        .file("--html", &arguments.html)
        .check()?;
    let start = Instant::now();
    let report = bench.run(&request, &printer.run(general)?)?;
    printer.close();
    if let Some(path) = &arguments.html {
        report.page()?.write(path)?;
    }
    arguments.json.tell(&report, &page(&report))?;
    printer.say(&format!("{:.0} seconds", start.elapsed().as_secs_f64()));
    Ok(())
}

fn list() -> String {
    let mut text = String::from("Published tables that can be run again:\n");
    for bench in BENCHES {
        text.push_str(&format!("\n  {}\n{}\n", bench.name, wrapped(bench.title, 6)));
        let files = if bench.files.is_empty() { "none".into() } else { bench.files.join(", ") };
        text.push_str(&format!("{}\n", wrapped(&format!("reads: {files}"), 6)));
        let kinds = (bench.parts)().into_iter().filter(|kind| !kind.is_empty());
        let parts: Vec<String> = kinds.map(|kind| kind.join("; ")).collect();
        text.push_str(&format!("{}\n", wrapped(&format!("parts: {}", parts.join("; ")), 6)));
    }
    text.push_str("\n`unmiss bench NAME --data DIR` runs one on the files of a folder; a file may end\n");
    text.push_str("in .gz. `--only PART` runs a part, for example --only boston --only r=100.\n");
    text
}

/// The files that a table is made from, plain and packed.
fn sets(bench: &Bench, folder: &Path) -> Vec<PathBuf> {
    let names = bench.files.iter().flat_map(|file| [(*file).to_owned(), format!("{file}.gz")]);
    names.map(|name| folder.join(name)).collect()
}

fn folder(bench: &Bench, arguments: &Arguments) -> Result<PathBuf> {
    match &arguments.data {
        Some(folder) => Ok(folder.clone()),
        None if bench.files.is_empty() => Ok(PathBuf::new()),
        None => Err(Error::setting("data", format!("`{}` needs a folder with data sets", bench.name))
            .with_hint(format!("give it with --data; it reads {}", bench.files.join(", ")))),
    }
}
