//! A model as a graph of the Open Neural Network Exchange format, for other runtimes.
//!
//! Every column is an input of its own, `[rows, 1]`: numbers in double precision with NaN for holes, categories as
//! words with an empty one for holes. All that the model does with them is inside the graph, from scales and codes to
//! the user's units.

use std::path::Path;

use serde_json::json;

use super::intervals::Intervals;
use super::parts::{Fill, Part, Prediction};
use super::whole::Model;
use crate::data::Shape;
use crate::data::images::Size;
use crate::encode::{Coder, Task, Written, write_filled};
use crate::error::{Error, Result};
use crate::methods::folds::FoldModels;
use crate::onnx::{Attribute, Graph, Kind, Port, Symbol};
use crate::store::write_whole;

/// What a graph takes and gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// What goes in.
    pub inputs: Vec<Port>,
    /// What comes out.
    pub outputs: Vec<Port>,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

impl Exported {
    /// Writes the file, all or nothing.
    ///
    /// # Errors
    /// When it can't be written; then whatever stood at the path before stays.
    pub fn save(&self, path: &Path) -> Result<()> {
        write_whole(path, &self.bytes)
    }
}

impl Model {
    /// The model as a graph. With a level, numbers come with the ends of their interval at it.
    ///
    /// # Errors
    /// When its method is no formula of a row, with the reason, or it has no intervals.
    pub fn export(&self, level: Option<f64>) -> Result<Exported> {
        self.written(level).map_err(|error| match (error.hint(), self.others()) {
            (None, Some(hint)) => error.with_hint(hint),
            _ => error,
        })
    }

    /// What could be exported for the same job, where anything could.
    fn others(&self) -> Option<String> {
        let methods = match (&self.part, self.coder.shape()) {
            (Part::Predict(_), Shape::Table) => {
                "`ensemble`, `linear`, `additive`, `conditional`, `kernel`, `trees`, `forest`, `mlp`, `network` or \
                 `neumiss`"
            }
            (Part::Predict(_), Shape::Images) => {
                "`mlp`, or `convolutional` with missing=zero, mean, mask-channel, partial-conv or sn-conv"
            }
            (Part::Predict(_), Shape::Series) => {
                "`recurrent`, or `statistics` with a method that is exported"
            }
            (Part::Fill(_), Shape::Table) => "`mean`, `gaussian`, `low-rank` or `autoencoder`",
            (Part::Fill(_), Shape::Images) => "`mean`",
            _ => return None,
        };
        Some(format!("fit another method for that ({methods}), or use the model file itself"))
    }

    fn written(&self, level: Option<f64>) -> Result<Exported> {
        let mut graph = Graph::default();
        match (&self.part, &self.coder) {
            (Part::Predict(part), _) => self.write_predictions(&mut graph, part, level)?,
            (Part::Fill(part), Coder::Table(_)) => self.write_fill(&mut graph, part)?,
            (Part::Fill(_), Coder::Images(coder)) => {
                let (rows, given) = coder.write(&mut graph);
                let filled = self.write_imputer(&mut graph, Written::Images(rows))?;
                let filled = coder.write_filled(&mut graph, filled.images()?, &given);
                let Size { channels, height, width } = coder.size;
                let shape = [None, Some(channels), Some(height), Some(width)];
                graph.output("filled", &filled, Kind::Single, &shape, "the images without holes");
            }
            (Part::Fill(_), Coder::Series(_)) => {
                return Err(self.can_not("how many steps are filled differs from series to series"));
            }
            (Part::Density(_), _) => {
                return Err(
                    self.can_not("every pattern of holes has a density of its own, over other columns")
                );
            }
            _ => return Err(self.can_not("users and items are looked up by their ids")),
        }
        let (inputs, outputs) = graph.signature();
        let (inputs, outputs) = (inputs.to_vec(), outputs.to_vec());
        let bytes = graph.to_bytes(&self.about(), &self.told(&inputs, &outputs));
        Ok(Exported { inputs, outputs, bytes })
    }

    fn can_not(&self, why: &str) -> Error {
        let what = format!("a model that {} can't be exported: {why}", self.job().words());
        Error::method(self.recipe.method.name(), what)
    }

    fn write_predictions(&self, graph: &mut Graph, part: &Prediction, level: Option<f64>) -> Result<()> {
        let rows = match &self.coder {
            Coder::Table(encoder) if !encoder.made.is_empty() => {
                return Err(self
                    .can_not("inputs are made of dates, text or an order, which is no formula of a cell")
                    .with_hint("leave these columns out with --ignore, or use the model file itself"));
            }
            Coder::Table(encoder) => Written::Table(encoder.write(graph, &self.missing).0),
            Coder::Images(coder) => Written::Images(coder.write(graph).0),
            Coder::Ratings(_) => return Err(self.can_not("users and items are looked up by their ids")),
            Coder::Series(coder) if coder.step.is_some() => {
                let why = "its series are put in bins of equal width before it sees them";
                return Err(self.can_not(why).with_hint("fit without --step"));
            }
            Coder::Series(coder) => Written::Series(coder.write(graph, &self.missing)),
        };
        let mut ends = None;
        let answers = match (self.learned.fold_models(), &rows) {
            (Some(models), Written::Table(rows)) => {
                let folds = models
                    .write_each(graph, rows)
                    .map_err(|error| error.told_of(self.recipe.method.name()))?;
                if let (Some(level), Some(Intervals::CrossValidated(own))) = (level, &part.intervals) {
                    let answers: Vec<Symbol> = folds.iter().map(|fold| fold.answers.clone()).collect();
                    let marks: Vec<Symbol> = folds.iter().map(|fold| fold.rows.observed(graph)).collect();
                    ends = Some(own.write(graph, &answers, &marks, level));
                }
                FoldModels::write_mean(graph, &folds)?
            }
            _ => {
                let predictor = self.predicting()?.predictor();
                predictor.write(graph, &rows).map_err(|error| error.told_of(self.recipe.method.name()))?
            }
        };
        let target = &part.target;
        if level.is_some() && ends.is_none() {
            return Err(self.can_not("it has no intervals that are a formula").with_hint(
                "export without a level; numbers have intervals where their model was fitted by folds",
            ));
        }
        if let Task::Classification { .. } = target.task {
            let settings = vec![Attribute::integer("axis", 1), Attribute::integer("keepdims", 0)];
            let best = graph.op_with("ArgMax", &[&answers], settings);
            let levels = graph.words(&target.levels);
            let class = graph.gather(&levels, &best, 0);
            self.output(graph, "class", &class, (Kind::Word, &[None]), "the most probable class");
            let shape = [None, Some(target.levels.len())];
            let about = format!("of the classes {}", target.levels.join(", "));
            self.output(graph, "probabilities", &answers, (Kind::Double, &shape), &about);
            return Ok(());
        }
        let (mean, deviation) = (graph.double(target.mean), graph.double(target.deviation));
        let decoded = |graph: &mut Graph, standardised: &Symbol| {
            let wide = graph.times(&deviation, standardised);
            let number = graph.add(&mean, &wide);
            graph.shaped(&number, &[-1])
        };
        let number = decoded(graph, &answers);
        let number = graph.clamp(&number, target.low, target.high);
        self.output(graph, "prediction", &number, (Kind::Double, &[None]), &format!("of `{}`", target.name));
        for (name, end, nearest) in
            ends.iter().flat_map(|(lower, upper)| [("lower", lower, "Min"), ("upper", upper, "Max")])
        {
            let end = decoded(graph, end);
            // Answers stay in the range of the known target, ends need not.
            let end = graph.op(nearest, &[&end, &number]);
            let about =
                format!("end of the interval that holds in {} % of cases", 100.0 * level.unwrap_or(0.0));
            self.output(graph, name, &end, (Kind::Double, &[None]), &about);
        }
        Ok(())
    }

    /// An output, under its name or, where a column has that, one with a line behind it.
    fn output(
        &self,
        graph: &mut Graph,
        name: &str,
        symbol: &Symbol,
        (kind, shape): (Kind, &[Option<usize>]),
        about: &str,
    ) {
        let mut name = name.to_owned();
        while self.coder.names().contains(&name.as_str()) {
            name.push('_');
        }
        graph.output(&name, symbol, kind, shape, about);
    }

    fn write_fill(&self, graph: &mut Graph, part: &Fill) -> Result<()> {
        let extras = [
            (!part.derived.is_empty(), "columns that follow from others are computed beside the graph"),
            (!part.left.is_empty(), "holes that stay are told by rules beside the graph"),
            (part.groups.is_some(), "the means of groups are looked up by the group's name"),
        ];
        if let Some((_, why)) = extras.iter().find(|(there, _)| *there) {
            return Err(self.can_not(why).with_hint("use the model file itself"));
        }
        let encoder = self.coder.table()?;
        let (rows, given) = encoder.write(graph, &self.missing);
        let filled = self.write_imputer(graph, Written::Table(rows))?;
        write_filled(encoder, graph, filled.table()?, &given);
        Ok(())
    }

    fn write_imputer(&self, graph: &mut Graph, rows: Written) -> Result<Written> {
        let imputer = self.filling()?.imputer();
        imputer.write(graph, &rows).map_err(|error| error.told_of(self.recipe.method.name()))
    }

    /// The model in a sentence.
    fn about(&self) -> String {
        let what = match &self.part {
            Part::Predict(part) => format!("predicts `{}`", part.target.name),
            _ => self.job().words().to_owned(),
        };
        let rows = self.summary.rows;
        format!("A model that {what}, learned by `{}` from {rows} rows.", self.recipe.method.name())
    }

    /// What the file tells of where it comes from and how it is used.
    fn told(&self, inputs: &[Port], outputs: &[Port]) -> Vec<(String, String)> {
        let port = |port: &Port| json!({ "name": port.name, "type": port.kind.name(), "shape": port.shape, "about": port.about });
        let lines = |ports: &[Port]| ports.iter().map(port).collect::<Vec<_>>();
        let mut told = vec![
            ("unmiss.version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("unmiss.job".to_owned(), self.job().words().to_owned()),
            ("unmiss.method".to_owned(), self.recipe.method.name().to_owned()),
            ("unmiss.settings".to_owned(), self.recipe.settings.to_string()),
            ("unmiss.rows".to_owned(), self.summary.rows.to_string()),
            ("unmiss.missing_share".to_owned(), self.summary.missing_share.to_string()),
            ("unmiss.seed".to_owned(), self.summary.seed.to_string()),
            ("unmiss.notes".to_owned(), self.summary.notes.join(" ")),
            (
                "unmiss.signature".to_owned(),
                json!({ "inputs": lines(inputs), "outputs": lines(outputs) }).to_string(),
            ),
        ];
        if let Part::Predict(part) = &self.part {
            told.push(("unmiss.target".to_owned(), part.target.name.clone()));
            told.push(("unmiss.classes".to_owned(), json!(part.target.levels).to_string()));
        }
        told
    }
}
