//! The translation of rows written down as operations of a graph, so that other runtimes make the same numbers of the
//! same cells: what is missing is found inside the graph (NaN, an empty word), scales and codes are constants.

use super::column::{CategoryFeature, NumberFeature, Scale};
use super::features::Encoder;
use crate::data::images::Size;
use crate::data::{Kind as ColumnKind, MissingTokens, Shape, other_shape};
use crate::error::Result;
use crate::onnx::{Attribute, Graph, Kind, Symbol, WrittenCategory, WrittenNumbers, WrittenRows};

/// Rows of some shape as symbols.
#[derive(Debug, Clone)]
pub enum Written {
    /// Rows of a table.
    Table(WrittenRows),
    /// Images.
    Images(WrittenImages),
    /// Series.
    Series(WrittenSeries),
}

impl Written {
    fn shape(&self) -> Shape {
        match self {
            Self::Table(_) => Shape::Table,
            Self::Images(_) => Shape::Images,
            Self::Series(_) => Shape::Series,
        }
    }

    /// Rows of a table.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn table(&self) -> Result<&WrittenRows> {
        match self {
            Self::Table(rows) => Ok(rows),
            other => Err(other_shape(Shape::Table, other.shape())),
        }
    }

    /// Images.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn images(&self) -> Result<&WrittenImages> {
        match self {
            Self::Images(images) => Ok(images),
            other => Err(other_shape(Shape::Images, other.shape())),
        }
    }

    /// Series.
    ///
    /// # Errors
    /// When they are of another shape.
    pub fn series(&self) -> Result<&WrittenSeries> {
        match self {
            Self::Series(series) => Ok(series),
            other => Err(other_shape(Shape::Series, other.shape())),
        }
    }
}

/// Images as symbols, both `[rows, channels x height x width]`.
#[derive(Debug, Clone)]
pub struct WrittenImages {
    /// The size of each.
    pub size: Size,
    /// From 0 to 1, in single precision; 0 where not known.
    pub values: Symbol,
    /// Marks.
    pub observed: Symbol,
}

/// Series as symbols, with V variables.
#[derive(Debug, Clone)]
pub struct WrittenSeries {
    /// `[rows, steps]`: times as they come, in double precision; 0 behind the end.
    pub times: Symbol,
    /// `[rows, steps]`: marks of the steps that there are.
    pub present: Symbol,
    /// `[rows, 1]`: what times are counted from.
    pub origin: Symbol,
    /// `[rows, steps, V]`: values as they come, in double precision; 0 where not known.
    pub values: Symbol,
    /// `[rows, steps, V]`: marks.
    pub observed: Symbol,
    /// What does not change, in a model's units and as it comes.
    pub statics: Option<(WrittenRows, Given)>,
}

/// Cells as they come.
#[derive(Debug, Clone)]
pub struct Given {
    /// `[rows, columns]`: number columns in double precision, NaN where missing.
    pub numbers: Option<Symbol>,
    /// For each category column its words, or its two numbers.
    pub categories: Vec<GivenCategory>,
}

/// A category column as it comes.
#[derive(Debug, Clone)]
pub struct GivenCategory {
    /// `[rows, 1]`
    pub symbol: Symbol,
    /// The words that mean "missing".
    holes: Vec<String>,
}

impl GivenCategory {
    /// `[rows, 1]`: where one of the words stands that mean "missing".
    pub(super) fn write_missing(&self, graph: &mut Graph) -> Symbol {
        let settings = vec![
            Attribute::words("keys_strings", self.holes.iter().map(String::as_str)),
            Attribute::integers("values_int64s", vec![1; self.holes.len()]),
            Attribute::integer("default_int64", 0),
        ];
        let missing = graph.learned("LabelEncoder", &[&self.symbol], settings);
        graph.cast(&missing, Kind::Mark)
    }
}

impl CategoryFeature {
    /// The numbers that its levels are, where they are numbers: a column of two numbers.
    pub(crate) fn as_numbers(&self) -> Option<Vec<f64>> {
        let number = |word: &String| word.parse::<f64>().ok().filter(|value| value.is_finite());
        (self.kind == ColumnKind::Binary).then(|| self.levels.iter().map(number).collect())?
    }

    /// What an unseen level is: `other` if there is one, else a hole.
    fn unseen(&self) -> i64 {
        if self.has_other() { self.levels.len() as i64 } else { self.codes() as i64 }
    }

    /// The column as it comes. Some of the words for holes may be levels of training: those are none.
    fn given(&self, graph: &mut Graph, mut holes: Vec<String>) -> GivenCategory {
        holes.retain(|word| !self.levels.contains(word));
        holes.sort_unstable();
        holes.dedup();
        let (kind, about) = match self.as_numbers() {
            Some(_) => (Kind::Double, "a number; NaN is a hole"),
            None => (Kind::Word, "words; an empty one is a hole"),
        };
        let symbol = graph.input(&self.name, kind, &[None, Some(1)], about);
        GivenCategory { symbol, holes }
    }

    /// The codes of a column as it comes.
    fn coded(&self, graph: &mut Graph, given: &GivenCategory) -> WrittenCategory {
        let codes = self.codes();
        let GivenCategory { symbol: given, holes } = given;
        let place = match self.as_numbers() {
            Some(levels) => {
                let missing = graph.op("IsNaN", &[given]);
                let [hole, unseen] =
                    [codes as i64, self.unseen()].map(|place| graph.integers(&[1], &[place]));
                let mut place = graph.choose(&missing, &hole, &unseen);
                for (code, level) in levels.iter().enumerate() {
                    let (level, code) = (graph.double(*level), graph.integers(&[1], &[code as i64]));
                    let same = graph.op("Equal", &[given, &level]);
                    place = graph.choose(&same, &code, &place);
                }
                place
            }
            None => {
                let words: Vec<&str> = self.levels.iter().chain(holes).map(String::as_str).collect();
                let place = |place: usize| if place < self.levels.len() { place } else { codes } as i64;
                let settings = vec![
                    Attribute::words("keys_strings", words.iter().copied()),
                    Attribute::integers("values_int64s", (0..words.len()).map(place).collect()),
                    Attribute::integer("default_int64", self.unseen()),
                ];
                graph.learned("LabelEncoder", &[given], settings)
            }
        };
        WrittenCategory { place: graph.shaped(&place, &[-1]), codes }
    }
}

impl Encoder {
    /// The inputs of a graph and what this translation makes of them. Numbers go in with NaN for holes; words, with any
    /// of the words that meant "missing" in training.
    pub fn write(&self, graph: &mut Graph, missing: &MissingTokens) -> (WrittenRows, Given) {
        let mut parts = Vec::new();
        for feature in &self.numbers {
            let about = "a number; NaN is a hole";
            parts.push(graph.input(&feature.name, Kind::Double, &[None, Some(1)], about));
        }
        let categories = self.categories.iter().map(|feature| {
            let own = missing.columns().get(&feature.name).into_iter().flatten();
            let mut holes: Vec<String> = vec![String::new()];
            holes.extend(missing.everywhere().iter().chain(own).cloned());
            feature.given(graph, holes)
        });
        let categories = categories.collect();
        let numbers = (!parts.is_empty()).then(|| graph.beside(&parts.iter().collect::<Vec<_>>()));
        let given = Given { numbers, categories };
        (self.write_given(graph, &given), given)
    }

    /// What this translation makes of its columns as they come, in its own order.
    pub fn write_given(&self, graph: &mut Graph, given: &Given) -> WrittenRows {
        let pairs = self.categories.iter().zip(&given.categories);
        let categories: Vec<WrittenCategory> =
            pairs.map(|(feature, given)| feature.coded(graph, given)).collect();
        let numbers = given.numbers.as_ref().map(|cells| {
            let missing = graph.op("IsNaN", &[cells]);
            let observed = graph.op("Not", &[&missing]);
            let centers = self.row(graph, |feature| feature.center);
            let filled = graph.choose(&observed, cells, &centers);
            let values = self.scaled(graph, &filled);
            WrittenNumbers { values, observed, columns: self.numbers.len() }
        });
        let zero = match (&numbers, categories.first()) {
            (Some(numbers), _) => graph.columns(&numbers.observed, [0]),
            (None, Some(category)) => category.observed(graph),
            (None, None) => graph.double(0.0),
        };
        let (zero, nothing) = (graph.cast(&zero, Kind::Double), graph.double(0.0));
        let zero = graph.times(&zero, &nothing);
        WrittenRows { numbers, categories, zero }
    }

    /// `[1, number columns]`
    fn row(&self, graph: &mut Graph, of: impl Fn(&NumberFeature) -> f64) -> Symbol {
        graph.doubles(&[1, self.numbers.len()], self.numbers.iter().map(of).collect())
    }

    /// Values in double precision as a method sees them, in single precision ([`NumberFeature::scaled`]).
    fn scaled(&self, graph: &mut Graph, values: &Symbol) -> Symbol {
        let (centers, widths) = (self.row(graph, |own| own.center), self.row(graph, |own| own.width));
        let shifted = graph.subtract(values, &centers);
        let scaled = graph.divide(&shifted, &widths);
        let scaled = match NumberFeature::bounds(self.encoding.scale) {
            Some((low, high)) => graph.clamp(&scaled, low, high),
            None => {
                // x / √(1 + (x/3)²)
                let (one, three) = (graph.double(1.0), graph.double(3.0));
                let third = graph.divide(&scaled, &three);
                let square = graph.times(&third, &third);
                let below = graph.add(&one, &square);
                let below = graph.op("Sqrt", &[&below]);
                graph.divide(&scaled, &below)
            }
        };
        graph.cast(&scaled, Kind::Single)
    }

    /// The values that [`Self::scaled`] made these of ([`NumberFeature::unscaled`]).
    fn unscaled(&self, graph: &mut Graph, scaled: &Symbol) -> Symbol {
        let mut value = graph.cast(scaled, Kind::Double);
        if self.encoding.scale == Scale::Robust {
            let (one, three, least) = (graph.double(1.0), graph.double(3.0), graph.double(1e-12));
            let third = graph.divide(&value, &three);
            let square = graph.times(&third, &third);
            let left = graph.subtract(&one, &square);
            let left = graph.op("Max", &[&left, &least]);
            let root = graph.op("Sqrt", &[&left]);
            value = graph.divide(&value, &root);
        }
        let (centers, widths) = (self.row(graph, |own| own.center), self.row(graph, |own| own.width));
        let wide = graph.times(&widths, &value);
        graph.add(&centers, &wide)
    }

    /// Rows that `from` has made, in this encoder's units and codes ([`Encoder::recode`]).
    pub fn write_recoded(&self, graph: &mut Graph, from: &Self, rows: &WrittenRows) -> WrittenRows {
        let same = |(own, theirs): (&NumberFeature, &NumberFeature)| {
            self.encoding.scale == from.encoding.scale
                && (own.center, own.width) == (theirs.center, theirs.width)
        };
        let same: Vec<bool> = self.numbers.iter().zip(&from.numbers).map(same).collect();
        let numbers = rows.numbers.as_ref().map(|numbers| {
            let mut values = numbers.values.clone();
            if same.contains(&false) {
                let theirs = from.unscaled(graph, &values);
                let own = self.scaled(graph, &theirs);
                let stay: Vec<i64> = same.iter().map(|same| i64::from(*same)).collect();
                let stay = graph.integers(&[1, stay.len()], &stay);
                let stay = graph.cast(&stay, Kind::Mark);
                let both = graph.choose(&stay, &values, &own);
                let nothing = graph.single(0.0);
                values = graph.choose(&numbers.observed, &both, &nothing);
            }
            WrittenNumbers { values, observed: numbers.observed.clone(), columns: numbers.columns }
        });
        let pairs = self.categories.iter().zip(&from.categories).zip(&rows.categories);
        let categories = pairs.map(|((own, theirs), given)| {
            let hole = own.codes() as i64;
            let code = |code: &Option<u32>| code.map_or(hole, i64::from);
            let mut table: Vec<i64> = own.translation(&theirs.levels).iter().map(code).collect();
            table.resize(theirs.codes(), own.unseen());
            table.push(hole);
            let table = graph.integers(&[table.len()], &table);
            WrittenCategory { place: graph.gather(&table, &given.place, 0), codes: own.codes() }
        });
        let categories = categories.collect();
        WrittenRows { numbers, categories, zero: rows.zero.clone() }
    }
}
