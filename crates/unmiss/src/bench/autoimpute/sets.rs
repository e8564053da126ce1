//! The sets of single cells: what is in their files, and how the table of up to a thousand genes is made of it.

use std::path::Path;

use crate::bench::folder::find_file;
use crate::data::Table;
use crate::data::counts::{self, Counts, CountsOptions, Preparation, Zeros};
use crate::error::Result;

/// What the numbers of a file are.
#[derive(Clone, Copy)]
enum Numbers {
    /// Counts, prepared as the paper does.
    Counts,
    /// Logarithms that are ready; genes are chosen by their dispersion where there are more than a thousand.
    Logarithms,
}

/// A set.
#[derive(Clone, Copy)]
pub struct Set {
    pub name: &'static str,
    pub file: &'static str,
    numbers: Numbers,
    ignored: &'static [&'static str],
}

pub const SETS: [Set; 6] = [
    Set { name: "blakeley", file: "scrna/blakeley_1000.csv.gz", numbers: Numbers::Logarithms, ignored: &[] },
    Set { name: "pollen", file: "scrna/pollen.csv.gz", numbers: Numbers::Logarithms, ignored: &["label"] },
    Set { name: "mecs", file: "scrna/mecs.csv.gz", numbers: Numbers::Logarithms, ignored: &["label"] },
    Set { name: "grun", file: "scrna/grun_mesc.csv.gz", numbers: Numbers::Counts, ignored: &[] },
    Set { name: "zeisel", file: "scrna/zeisel_subset.csv.gz", numbers: Numbers::Counts, ignored: &[] },
    Set { name: "bmmc", file: "scrna/bmmc_donor1_matrix.mtx.gz", numbers: Numbers::Counts, ignored: &[] },
];

impl Set {
    /// Cells and genes without names, zeros as holes.
    ///
    /// # Errors
    /// When the file is absent or can't be read.
    pub fn read(&self, folder: &Path) -> Result<Table> {
        let plain = self.file.trim_end_matches(".gz");
        let path = find_file(folder, plain, "counts of genes in single cells")?;
        let ignored = self.ignored.iter().map(|name| (*name).to_owned()).collect();
        let counts = counts::read(&path, &CountsOptions { transposed: false, ignored })?;
        self.prepared(&counts)
    }

    fn prepared(&self, counts: &Counts) -> Result<Table> {
        let usual = Preparation { zeros: Zeros::Missing, ..Preparation::default() };
        let preparation = match self.numbers {
            Numbers::Counts => usual,
            Numbers::Logarithms => Preparation { least_cells: None, normalize: false, log: false, ..usual },
        };
        let table = preparation.prepare(counts)?.table;
        let everyone: Vec<usize> = (0..table.rows()).collect();
        Ok(table.part(&everyone, |column| column.name != "cell"))
    }
}
