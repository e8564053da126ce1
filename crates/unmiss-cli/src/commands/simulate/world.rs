//! A table of a world, made and written piece by piece: memory does not grow with the rows.

use unmiss::data::{CsvWriter, TableWriter};
use unmiss::error::{Error, Result};
use unmiss::run::Run;
use unmiss::simulate::{Bayes, Drawn, Settings, Tally, Way, World};

use super::{Arguments, text};
use crate::General;
use crate::files::Files;
use crate::printer::Printer;

/// Rows of a piece.
const PIECE: usize = 4096;
/// Rows where nothing else is asked for.
const ROWS: usize = 10_000;
/// Rows by which what can be reached is told where answers must be sampled and nobody asked for them.
const SAMPLED: usize = 2000;

/// Makes, writes, and tells what was made.
pub fn run(arguments: &Arguments, general: &General, printer: &Printer) -> Result<()> {
    let Arguments { output, truth, bayes, .. } = arguments;
    Files::default().tables("-o", [output]).tables("--truth", truth).tables("--bayes", bayes).check()?;
    let rows = arguments.rows.unwrap_or(ROWS);
    if rows == 0 {
        return Err(Error::setting("rows", "at least one row is needed"));
    }
    let world = World::new(&arguments.settings(), general.seed)?;
    // What can't be is said before anything is made.
    world.bayes(&world.draw(0, 0), arguments.sweeps)?;
    let run = printer.run(general)?.part("simulate");
    let tally = make(arguments, &world, rows, &run)?;
    printer.close();
    let text = text::world(&tally.made(), &world, arguments, general.seed);
    printer.tell_of(output, &text)
}

impl Arguments {
    fn settings(&self) -> Settings {
        Settings {
            columns: self.columns,
            latent: self.latent,
            response: self.response,
            masking: self.mechanism,
            rate: self.rate,
            snr: self.snr,
            weights: self.weights.clone(),
        }
    }
}

fn make(arguments: &Arguments, world: &World, rows: usize, run: &Run) -> Result<Tally> {
    let mut table = TableWriter::create(&arguments.output, None)?;
    let mut truth = arguments.truth.as_deref().map(|path| TableWriter::create(path, None)).transpose()?;
    let sampled = world.settings.masking.way() == Way::Sampled;
    let head: &[&str] =
        if sampled { &["bayes", "noiseless", "bayes_error"] } else { &["bayes", "noiseless"] };
    let mut best = arguments.bayes.as_deref().map(|path| CsvWriter::create(path, head)).transpose()?;
    let judged = if sampled && best.is_none() { SAMPLED.min(rows) } else { rows };
    let mut tally = Tally::new(world);
    for start in (0..rows).step_by(PIECE) {
        if run.stopped() {
            return Err(Error::Stopped);
        }
        run.progress(start as u64, rows as u64, "rows");
        let count = PIECE.min(rows - start);
        let drawn = run.compute(|| world.draw(arguments.skip + start, count));
        table.write(&drawn.table()?, "")?;
        if let Some(truth) = &mut truth {
            truth.write(&drawn.full()?, "")?;
        }
        let few = count.min(judged.saturating_sub(start));
        let answers = match few {
            0 => None,
            few => {
                let few = run.compute(|| world.draw(arguments.skip + start, few));
                Some(run.compute(|| world.bayes(&few, arguments.sweeps))?)
            }
        };
        if let (Some(best), Some(answers)) = (&mut best, &answers) {
            write_answers(best, &drawn, answers)?;
        }
        tally.add(&drawn, answers.as_ref());
    }
    run.finished();
    // The table last: who finds it finds the rest.
    best.map_or(Ok(()), CsvWriter::finish)?;
    truth.map_or(Ok(()), TableWriter::finish)?;
    table.finish()?;
    Ok(tally)
}

fn write_answers(best: &mut CsvWriter, drawn: &Drawn, answers: &Bayes) -> Result<()> {
    for (row, answer) in answers.answers.iter().enumerate() {
        best.number(*answer);
        best.number(drawn.noiseless[row]);
        if let Some(errors) = &answers.errors {
            best.number(errors[row]);
        }
        best.end_row()?;
    }
    Ok(())
}
