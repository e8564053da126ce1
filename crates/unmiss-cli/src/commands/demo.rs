//! `unmiss demo`: the tour on built-in data. It describes, fits, and predicts rows with more and more holes.

use std::path::Path;

use unmiss::audit::{AuditSettings, audit_model};
use unmiss::data::{self, Column, Data, Shape, Table};
use unmiss::error::Result;
use unmiss::methods::Job;
use unmiss::missing::describe;
use unmiss::model::{Aim, Model, Predictions, Recipe, Roles};
use unmiss::report::{Page, sections};

use super::fit::{fit_table, page_sections, report};
use crate::General;
use crate::output::{print, wrapped};
use crate::printer::Printer;

const SAMPLE: &str = "sample:horse-colic";
const TARGET: &str = "surgical_lesion";

/// The page that the tour leaves in the current folder.
const PAGE: &str = "unmiss-demo.html";

const STORY: &str = "300 horses with colic, examined in a clinic: pulse, temperature, pain and so on. A quarter of \
                     the cells is empty, and only a handful of horses have all of them. The question: will \
                     surgery find a lesion?";

/// Columns known only after the operation, which would give the answer away.
const AFTERWARDS: [&str; 6] =
    ["outcome", "lesion_type1", "lesion_type2", "lesion_type3", "cp_data", "hospital_number"];

/// Runs the command.
pub fn run(general: &General, printer: &Printer) -> Result<()> {
    heading("1. A table with holes")?;
    say(STORY)?;
    let table = data::read(Path::new(SAMPLE), &data::ReadOptions::default())?.table;
    print(&format!("  $ unmiss describe {SAMPLE} --target {TARGET}\n\n"))?;
    print(&holes(&table))?;

    heading("2. Fit a predictor that takes the holes as they are")?;
    let (first, rest) = AFTERWARDS.split_at(3);
    print(&format!(
        "  $ unmiss fit {SAMPLE} --target {TARGET} -o colic.unmiss \\\n      --ignore {} \\\n      --ignore {}\n\n",
        first.join(","),
        rest.join(",")
    ))?;
    let ignore = AFTERWARDS.iter().filter(|name| table.column(name).is_ok()).map(|name| (*name).to_owned());
    let roles = Roles { ignore: ignore.collect(), ..Roles::target(TARGET) };
    let run = printer.run(general)?;
    let data = Data::from(table.clone());
    let recipes = Recipe::usual(Shape::Table, Job::Predict);
    let (model, choice) = fit_table(&data, &roles, &recipes, Some(5).into(), &run, printer)?;
    print(&report(&data, &model, &choice))?;

    heading("3. Predict, with less and less known")?;
    say(
        "The same horse, with its cells taken away one after the other. A hole is never an error, not even when \
         all cells are holes; watch how the answer moves.",
    )?;
    print(&fading(&table, &model)?)?;

    heading("4. Does the answer drift with how much is known?")?;
    print("  $ unmiss audit colic.unmiss horses.csv\n\n")?;
    let settings = AuditSettings { rows: 60, contrast: false, ..AuditSettings::default() };
    let found = audit_model(&model, &data, &settings, &run)?;
    printer.close();
    found.summary.iter().try_for_each(|sentence| say(sentence))?;

    heading("5. Fill the holes")?;
    print(&format!("  $ unmiss impute {SAMPLE} -o full.csv --method gaussian\n\n"))?;
    let filler = Model::fit(&data, &Aim::fill(), &Recipe::named("gaussian")?, &run)?;
    let filling = filler.filling()?;
    let filled = run.compute(|| filling.fill(&data, None, |_, _| {}))?;
    printer.close();
    let cells: usize = filled.counts.iter().map(|(_, count)| count).sum();
    say(&format!(
        "{cells} cells are filled, each with its mean given what is known of the horse. Without --method, every \
         column gets the imputer that does best on cells that were hidden from it; --draws 20 fills in twenty \
         plausible ways, for multiple imputation."
    ))?;

    heading("6. The same as a page")?;
    let description = run.compute(|| describe(&table, Some(TARGET)))?;
    Page::new("A tour on 300 horses with colic")
        .summary(STORY)
        .sections(sections::describe(&table, &description)?)
        .sections(page_sections(&data, &model, &choice)?)
        .sections(sections::audit(&found)?)
        .sections(sections::impute(&filler, &table, std::slice::from_ref(&filled))?)
        .write(Path::new(PAGE))?;
    say(&format!(
        "All of this with charts is now in the file {PAGE} in this folder: open it in a browser. `describe`, \
         `fit`, `audit`, `compare` and `impute` write such a page with --html FILE."
    ))?;

    heading("What next")?;
    say(
        "Your own table: `unmiss describe FILE`, `unmiss fit FILE --target COLUMN`, `unmiss predict MODEL FILE`, \
         `unmiss impute FILE -o FULL`. `unmiss methods` lists the methods, `unmiss --help` everything else.",
    )
}

fn heading(text: &str) -> Result<()> {
    print(&format!("\n{text}\n{}\n\n", "=".repeat(text.chars().count())))
}

fn say(text: &str) -> Result<()> {
    print(&format!("{}\n\n", wrapped(text, 0)))
}

fn holes(table: &Table) -> String {
    let mut columns: Vec<&Column> = table.columns().iter().collect();
    columns.sort_by_key(|column| std::cmp::Reverse(column.missing()));
    let mut text = String::from("  the columns with most holes:\n");
    for column in columns.iter().take(6) {
        let share = column.missing() as f64 / column.rows() as f64;
        let bar = crate::output::bar(share, 30);
        text.push_str(&format!(
            "  {:32} {:>5.1} %  {bar}\n",
            crate::output::cut(&column.name, 32),
            100.0 * share
        ));
    }
    text
}

/// The prediction for the best-known horse as its cells are hidden, input by input.
fn fading(table: &Table, model: &Model) -> Result<String> {
    let (names, predicting) = (model.coder.names(), model.predicting()?);
    let known = |row: usize| {
        names.iter().filter(|name| table.column(name).is_ok_and(|column| column.observed[row])).count()
    };
    let row = (0..table.rows()).max_by_key(|&row| known(row)).unwrap_or(0);
    let mut text = String::from("  known cells   chance of a surgical lesion\n");
    for left in [known(row), 12, 8, 4, 2, 0] {
        let mut horse = table.select(&[row]);
        let mut kept = 0;
        for column in horse.columns_mut().iter_mut().filter(|column| names.contains(&column.name.as_str())) {
            if column.observed[0] {
                kept += 1;
                column.observed[0] = kept <= left;
            }
        }
        if let Predictions::Probabilities(chances) = predicting.predict(&horse.into(), |_, _| {})? {
            let yes =
                predicting.target.levels.iter().position(|level| level == "yes" || level == "1").unwrap_or(0);
            let chance = chances[yes];
            text.push_str(&format!(
                "  {left:>11}   {:>5.1} %  {}\n",
                100.0 * chance,
                crate::output::bar(chance, 30)
            ));
        }
    }
    text.push('\n');
    Ok(text)
}
