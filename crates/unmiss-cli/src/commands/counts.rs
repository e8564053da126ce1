//! `unmiss counts`: make a table of the counts of genes in single cells.

use std::path::PathBuf;

use unmiss::data::counts::{self, CountsOptions, Preparation, Prepared, Zeros};
use unmiss::data::write;
use unmiss::error::Result;
use unmiss::store::is_standard_output;

use crate::files::Files;
use crate::output::{number, wrapped};
use crate::printer::Printer;

/// What to read, how to prepare it, and where to.
#[derive(clap::Args)]
pub struct Arguments {
    /// Counts: Matrix Market .mtx, a folder of 10x Genomics, or CSV or TSV with a name in front of each row; plain or
    /// .gz
    data: PathBuf,
    /// Where to write the table: a column `cell`, then one for each gene that is kept
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Genes are the columns of a .mtx file, or the rows of a CSV file [default: the other way round]
    #[arg(long)]
    transpose: bool,
    /// What a zero is: known, a count like any other, or missing, a hole to be filled
    #[arg(long, value_name = "WHAT", default_value = "known")]
    zeros: ZerosArgument,
    /// Columns (with --transpose, rows) of a CSV file that are no counts
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    ignore: Vec<String>,
    /// How many genes to keep, those whose dispersion stands out most among genes of like mean; 0: all
    #[arg(long, value_name = "N", default_value_t = 1000)]
    genes: usize,
    /// Keep only genes counted more often than this in more than --least-cells cells
    #[arg(long, value_name = "COUNT", default_value_t = 2.0)]
    least_count: f64,
    /// See --least-count
    #[arg(long, value_name = "CELLS", default_value_t = 3)]
    least_cells: usize,
    /// Keep all genes, however seldom they are counted
    #[arg(long, conflicts_with_all = ["least_count", "least_cells"])]
    no_filter: bool,
    /// Leave cells as large as they are, instead of dividing each by its sum over the median sum
    #[arg(long)]
    no_normalize: bool,
    /// Leave counts as they are, instead of log2(x + 1)
    #[arg(long)]
    no_log: bool,
}

/// What a zero is.
#[derive(Clone, Copy, clap::ValueEnum)]
enum ZerosArgument {
    Known,
    Missing,
}

/// Reads, prepares, writes, and tells what was done.
pub fn run(arguments: &Arguments, printer: &Printer) -> Result<()> {
    let read = counts::files(&arguments.data);
    Files::default().reads([&arguments.data]).reads(&read).tables("-o", [&arguments.output]).check()?;
    let options = CountsOptions { transposed: arguments.transpose, ignored: arguments.ignore.clone() };
    let preparation = Preparation {
        least_count: arguments.least_count,
        least_cells: (!arguments.no_filter).then_some(arguments.least_cells),
        normalize: !arguments.no_normalize,
        genes: (arguments.genes > 0).then_some(arguments.genes),
        log: !arguments.no_log,
        zeros: match arguments.zeros {
            ZerosArgument::Known => Zeros::Known,
            ZerosArgument::Missing => Zeros::Missing,
        },
    };
    let prepared = preparation.prepare(&counts::read(&arguments.data, &options)?)?;
    write(&prepared.table, &arguments.output)?;
    prepared.notes.iter().for_each(|note| printer.say(note));
    let text = summary(&prepared, arguments);
    printer.tell_of(&arguments.output, &text)
}

fn summary(prepared: &Prepared, arguments: &Arguments) -> String {
    let Prepared { table, genes, counted, empty, zeros, .. } = prepared;
    let (cells, kept) = (table.rows(), table.columns().len() - 1);
    let mut sentences = vec![format!("{} cells and {} genes", number(cells), number(*genes))];
    if !arguments.no_filter {
        sentences.push(format!(
            "{} genes are counted more than {} times in more than {} cells",
            number(*counted),
            arguments.least_count,
            arguments.least_cells
        ));
    }
    if kept < *counted {
        sentences.push(format!("{} of them are kept for their dispersion", number(kept)));
    }
    if *empty > 0 {
        sentences.push(format!("{} cells without any of these genes are left out", number(*empty)));
    }
    let share = 100.0 * *zeros as f64 / ((cells * kept).max(1) as f64);
    sentences.push(match arguments.zeros {
        ZerosArgument::Missing => format!("{share:.1} % of the table is zero, and a hole"),
        ZerosArgument::Known => {
            format!("{share:.1} % of the table is zero, which counts as known (--zeros missing: as a hole)")
        }
    });
    let mut text: String =
        sentences.iter().map(|line| format!("{}\n", wrapped(&format!("{line}."), 0))).collect();
    if !is_standard_output(&arguments.output) {
        text.push_str(&format!("\nThe table is in {}.\n", arguments.output.display()));
    }
    text
}
