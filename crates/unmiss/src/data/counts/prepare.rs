//! From counts to a table: the preparation of AutoImpute (Talwar et al. 2018), each step of which can be left out.
//!
//! ```text
//! 1  keep genes counted more than 2 times in more than 3 cells
//! 2  divide every cell by its sum over the median sum of all cells
//! 3  keep the 1,000 genes whose dispersion, variance / mean, is furthest from that of genes of like mean:
//!    |dispersion - median| / (1.4826 median |dispersion - median|), in bins of the mean at its quantiles
//!    .10, .15, ... 1
//! 4  log2(x + 1)
//! ```

use super::matrix::Counts;
use crate::data::{Column, Kind, Table, Values};
use crate::error::{Error, Result};

/// Digits behind the point that a prepared number keeps: files would else have seventeen of each.
const KEPT: f64 = 1e6;
/// What makes a median of absolute deviations a standard deviation of normal numbers.
const NORMAL: f64 = 1.4826;

/// What a zero is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Zeros {
    /// A count like any other.
    #[default]
    Known,
    /// A hole.
    Missing,
}

/// What is done to counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preparation {
    /// A gene is kept if it is counted more often than this
    pub least_count: f64,
    /// in more cells than this; none: every gene is kept.
    pub least_cells: Option<usize>,
    /// Whether cells are made of one size.
    pub normalize: bool,
    /// Genes kept for their dispersion; none: all.
    pub genes: Option<usize>,
    /// Whether the logarithm is taken.
    pub log: bool,
    /// What a zero is.
    pub zeros: Zeros,
}

impl Default for Preparation {
    fn default() -> Self {
        Self {
            least_count: 2.0,
            least_cells: Some(3),
            normalize: true,
            genes: Some(1000),
            log: true,
            zeros: Zeros::Known,
        }
    }
}

/// A table of cells and genes, and how it came about.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// A column `cell` of names, then a column for each gene that was kept.
    pub table: Table,
    /// Genes that were there.
    pub genes: usize,
    /// Genes counted often enough.
    pub counted: usize,
    /// Cells without any count, which are left out.
    pub empty: usize,
    /// Zeros in the table.
    pub zeros: usize,
    /// What about the counts may not be as it was meant, in sentences.
    pub notes: Vec<String>,
}

impl Preparation {
    /// Makes a table of counts.
    ///
    /// # Errors
    /// When no gene or no cell is left.
    pub fn prepare(&self, counts: &Counts) -> Result<Prepared> {
        let counted = self.counted(counts);
        if counted.is_empty() {
            let what = format!(
                "no gene is counted more than {} times in more than {} cells",
                self.least_count,
                self.least_cells.unwrap_or(0)
            );
            return Err(Error::data(what).with_hint("are genes and cells the other way round (--transpose)?"));
        }
        let mut place = vec![None; counts.genes.len()];
        counted.iter().enumerate().for_each(|(own, gene)| place[*gene] = Some(own));
        let kept = |cell: usize| {
            counts.rows[cell].iter().filter_map(|(gene, count)| Some((place[*gene as usize]?, *count)))
        };
        let sums: Vec<f64> =
            (0..counts.cells.len()).map(|cell| kept(cell).map(|entry| entry.1).sum()).collect();
        let cells: Vec<usize> = (0..counts.cells.len()).filter(|cell| sums[*cell] > 0.0).collect();
        let middle = median(&mut cells.iter().map(|cell| sums[*cell]).collect::<Vec<_>>());
        // [cells, counted genes], gene by gene.
        let mut columns = vec![vec![0.0; cells.len()]; counted.len()];
        for (row, cell) in cells.iter().enumerate() {
            let factor = if self.normalize { middle / sums[*cell] } else { 1.0 };
            kept(*cell).for_each(|(gene, count)| columns[gene][row] = factor * count);
        }
        let chosen = self.genes.filter(|most| *most < counted.len());
        let chosen =
            chosen.map_or_else(|| (0..counted.len()).collect(), |most| most_dispersed(&columns, most));
        let zeros = chosen.iter().flat_map(|gene| &columns[*gene]).filter(|value| **value == 0.0).count();
        let names: Vec<&str> = chosen.iter().map(|gene| counts.genes[counted[*gene]].as_str()).collect();
        let genes =
            chosen.iter().zip(distinct(&names)).map(|(gene, name)| self.column(name, &columns[*gene]));
        let texts: Vec<String> = cells.iter().map(|cell| counts.cells[*cell].clone()).collect();
        let observed = vec![true; texts.len()];
        let first = Column { name: "cell".into(), kind: Kind::Text, values: Values::Texts(texts), observed };
        let table = Table::new(std::iter::once(first).chain(genes).collect())?;
        let empty = counts.cells.len() - cells.len();
        let notes = self.notes(counts);
        Ok(Prepared { table, genes: counts.genes.len(), counted: counted.len(), empty, zeros, notes })
    }

    fn notes(&self, counts: &Counts) -> Vec<String> {
        let mut notes = Vec::new();
        if counts.unnamed {
            notes.push("no column names the rows: the first one holds counts, and rows are numbered".into());
        }
        if counts.look_like_logarithms() && (self.normalize || self.log) {
            notes.push(
                "the numbers are small and not whole, as logarithms are: if these were taken already, say \
                 --no-normalize --no-log"
                    .into(),
            );
        }
        notes
    }

    /// Genes that are counted often enough.
    fn counted(&self, counts: &Counts) -> Vec<usize> {
        let mut cells = vec![0_usize; counts.genes.len()];
        let all = counts.rows.iter().flatten();
        all.filter(|entry| entry.1 > self.least_count).for_each(|entry| cells[entry.0 as usize] += 1);
        let enough = |gene: &usize| self.least_cells.is_none_or(|least| cells[*gene] > least);
        (0..cells.len()).filter(enough).collect()
    }

    fn column(&self, name: String, values: &[f64]) -> Column {
        let number = |value: &f64| {
            let value = if self.log { (value + 1.0).log2() } else { *value };
            (value * KEPT).round() / KEPT
        };
        let observed = values.iter().map(|value| self.zeros == Zeros::Known || *value != 0.0).collect();
        let values = Values::Numbers(values.iter().map(number).collect());
        Column { name, kind: Kind::Real, values, observed }
    }
}

/// The genes furthest from what genes of like mean have, in the order in which they came.
fn most_dispersed(columns: &[Vec<f64>], most: usize) -> Vec<usize> {
    let scores = dispersion_scores(columns);
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    order.truncate(most);
    order.sort_unstable();
    order
}

/// How far every gene's dispersion is from that of genes of like mean.
fn dispersion_scores(columns: &[Vec<f64>]) -> Vec<f64> {
    let moments = |values: &Vec<f64>| {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        (mean, squares / (count - 1.0).max(1.0) / mean.max(f64::MIN_POSITIVE))
    };
    let (means, dispersions): (Vec<f64>, Vec<f64>) = columns.iter().map(moments).unzip();
    let mut sorted = means.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let edges: Vec<f64> = (2..=20).map(|step| quantile(&sorted, f64::from(step) / 20.0)).collect();
    let bin = |mean: f64| edges.iter().filter(|edge| mean > **edge).count();
    let mut bins = vec![Vec::new(); edges.len() + 1];
    means.iter().enumerate().for_each(|(gene, mean)| bins[bin(*mean)].push(gene));
    let mut scores = vec![0.0; columns.len()];
    for genes in bins {
        let middle = median(&mut genes.iter().map(|gene| dispersions[*gene]).collect::<Vec<_>>());
        let away = |gene: &usize| (dispersions[*gene] - middle).abs();
        let spread = NORMAL * median(&mut genes.iter().map(away).collect::<Vec<_>>());
        for gene in &genes {
            // Where most are alike, whoever is not stands out most.
            scores[*gene] = if away(gene) > 0.0 { away(gene) / spread } else { 0.0 };
        }
    }
    scores
}

/// The quantile of sorted numbers, between two of them by their distance.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len().saturating_sub(1)) as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    match (sorted.get(low), sorted.get(high)) {
        (Some(below), Some(above)) => below + (above - below) * place.fract(),
        _ => 0.0,
    }
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    quantile(numbers, 0.5)
}

/// Names of which none occurs twice, nor is that of the column of cells: a second `A` becomes `A (2)`.
fn distinct(names: &[&str]) -> Vec<String> {
    let mut taken = std::collections::HashSet::from(["cell".to_owned()]);
    let one = |name: &&str| {
        let plain = if name.is_empty() { "unnamed" } else { name };
        let free = std::iter::once(plain.to_owned())
            .chain((2..).map(|number: u64| format!("{plain} ({number})")))
            .find(|name| !taken.contains(name))
            .unwrap_or_default();
        taken.insert(free.clone());
        free
    };
    names.iter().map(one).collect()
}
