//! Both parts written down as operations of a graph.

use super::parts::Fitted;
use crate::encode::{Coder, Written, WrittenImages};
use crate::error::{Error, Result};
use crate::methods::written::no_formula;
use crate::onnx::{Graph, Kind, Symbol, WrittenRows};

impl Fitted {
    /// What the predictor answers for rows that the imputer has filled.
    pub(super) fn write_both(&self, graph: &mut Graph, rows: &Written) -> Result<Symbol> {
        if self.draws > 0 {
            return Err(no_formula("its answers are means over draws"));
        }
        let (imputer, predictor) = (&self.imputer, &self.predictor);
        let none = |what: &str| Error::data(format!("its part that {what} can't do that"));
        let fills = imputer.1.imputer().ok_or_else(|| none("fills"))?;
        let filled = fills.write(graph, rows).map_err(|error| error.told_of(imputer.0.method.name()))?;
        let filled = match filled {
            Written::Table(rows) => Written::Table(self.written_whole(graph, rows)?),
            Written::Images(images) => Written::Images(known_images(graph, images)),
            Written::Series(_) => {
                return Err(no_formula("series are not filled before they are predicted from"));
            }
        };
        let predicts = predictor.1.predictor().ok_or_else(|| none("predicts"))?;
        predicts.write(graph, &filled).map_err(|error| error.told_of(predictor.0.method.name()))
    }

    /// Filled rows in the predictor's units, in which every column that training knew is known.
    fn written_whole(&self, graph: &mut Graph, mut rows: WrittenRows) -> Result<WrittenRows> {
        let columns = rows.numbers.as_ref().map_or(0, |numbers| numbers.columns);
        let (of_numbers, of_codes) = self.known.split_at(columns.min(self.known.len()));
        if let Some(numbers) = &mut rows.numbers {
            let known: Vec<i64> = of_numbers.iter().map(|known| i64::from(*known)).collect();
            let known = graph.integers(&[1, known.len()], &known);
            let known = graph.cast(&known, Kind::Mark);
            numbers.observed = graph.op("Or", &[&numbers.observed, &known]);
        }
        // Of a category that no row knew nothing can be filled in.
        for (category, _) in rows.categories.iter_mut().zip(of_codes).filter(|(_, known)| !**known) {
            let (places, hole) = (graph.integers(&[1], &[0]), graph.integers(&[1], &[category.codes as i64]));
            let zeros = graph.times(&category.place, &places);
            category.place = graph.add(&zeros, &hole);
        }
        match (&self.own, &self.common) {
            (Coder::Table(own), Coder::Table(common)) => Ok(own.write_recoded(graph, common, &rows)),
            _ => Ok(rows),
        }
    }
}

/// Images of which everything is known.
fn known_images(graph: &mut Graph, images: WrittenImages) -> WrittenImages {
    let missing = graph.op("Not", &[&images.observed]);
    WrittenImages { observed: graph.op("Or", &[&images.observed, &missing]), ..images }
}
