//! A folder of 10x Genomics: `matrix.mtx`, genes in its rows, with the names of genes and cells beside it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::matrix::Counts;
use super::{CountsOptions, market};
use crate::data::input;
use crate::error::{Error, Place, Result};

const MATRIX: &str = "matrix.mtx";
const GENES: [&str; 2] = ["features.tsv", "genes.tsv"];
const CELLS: [&str; 1] = ["barcodes.tsv"];

/// Reads a folder.
///
/// # Errors
/// When there is no matrix in it, or what is in it does not fit together.
pub fn read(path: &Path, options: &CountsOptions) -> Result<Counts> {
    let Some(matrix) = there(path, "", MATRIX) else {
        let what = format!("there is no {MATRIX} in this folder, nor {MATRIX}.gz");
        return Err(Error::input(Place::file(path.display().to_string()), what).with_hint(
            "a folder of 10x Genomics has matrix.mtx, barcodes.tsv and genes.tsv or features.tsv",
        ));
    };
    let (file, bytes) = input::whole(&matrix)?;
    if !market::is_market(&bytes) {
        return Err(Error::input(Place::file(file), "this is not Matrix Market, though its name ends so"));
    }
    Ok(named(market::read(&file, &bytes)?, &matrix)?.turned(!options.transposed))
}

/// The files that are read of a path: the matrix of a folder, and names beside a matrix.
pub fn files(path: &Path) -> Vec<PathBuf> {
    let matrix = if path.is_dir() { there(path, "", MATRIX) } else { Some(path.to_owned()) };
    let Some(matrix) = matrix else { return Vec::new() };
    let names = beside(&matrix).into_iter().flatten().collect::<Vec<_>>();
    std::iter::once(matrix).chain(names).collect()
}

/// Names of genes and of cells beside a matrix.
fn beside(matrix: &Path) -> [Option<PathBuf>; 2] {
    let folder = matrix.parent().unwrap_or(Path::new(""));
    let name = matrix.file_name().unwrap_or_default().to_string_lossy();
    let Some(prefix) = name.trim_end_matches(".gz").strip_suffix(MATRIX) else { return [None, None] };
    [&GENES[..], &CELLS].map(|names| names.iter().find_map(|name| there(folder, prefix, name)))
}

/// The matrix with the names that stand beside it, `PREFIX_genes.tsv` beside `PREFIX_matrix.mtx`: those of its rows,
/// which are genes, and of its columns.
///
/// # Errors
/// When there are more or fewer names than rows or columns.
pub fn named(mut counts: Counts, matrix: &Path) -> Result<Counts> {
    let [genes, cells] = beside(matrix);
    for (found, own) in [(genes, &mut counts.cells), (cells, &mut counts.genes)] {
        let Some(path) = found else { continue };
        let names = names_of(&path)?;
        if names.len() != own.len() {
            let what = format!("there are {} names, and {} in {}", names.len(), own.len(), matrix.display());
            return Err(Error::input(Place::file(path.display().to_string()), what)
                .with_hint("the two files are not of one matrix, or one is cut off"));
        }
        *own = names;
    }
    Ok(counts)
}

/// A file of that name, plain or gzipped.
fn there(folder: &Path, prefix: &str, name: &str) -> Option<PathBuf> {
    let all = [format!("{prefix}{name}"), format!("{prefix}{name}.gz")];
    all.into_iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// One name a line: of an id and a symbol the symbol, where it is the only one of its kind, else the id.
fn names_of(path: &Path) -> Result<Vec<String>> {
    let (file, bytes) = input::whole(path)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::input(Place::file(file), "these names are not UTF-8 text"))?;
    let lines: Vec<(&str, &str)> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let mut words = line.split('\t').map(str::trim);
            let id = words.next().unwrap_or("");
            (id, words.next().filter(|symbol| !symbol.is_empty()).unwrap_or(id))
        })
        .collect();
    let mut times: HashMap<&str, usize> = HashMap::new();
    lines.iter().for_each(|(_, symbol)| *times.entry(symbol).or_default() += 1);
    Ok(lines.iter().map(|(id, symbol)| if times[symbol] == 1 { *symbol } else { *id }.to_owned()).collect())
}
