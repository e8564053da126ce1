//! Series written down as operations of a graph: an input of times, one of values, one for each column that does not
//! change. Series are as long as the longest of them; behind its end a series has no times.
//!
//! What a step knows of the steps before it is found without going from step to step: the known values of a variable
//! are put in order, one behind the other, and how many of them there are up to a step says which is the last.

use super::{FARTHEST, SeriesCoder};
use crate::data::MissingTokens;
use crate::data::series::Clock;
use crate::encode::written::WrittenSeries;
use crate::onnx::{Attribute, Graph, Kind, Symbol};

/// The known values of each variable of each series, in the order of time.
#[derive(Debug, Clone)]
pub struct KnownValues {
    /// `[rows, steps, V]`: where the first known one stands, then the second, ...
    order: Symbol,
    /// `[rows, steps, V]`: how many are known up to a step, itself included.
    pub up_to: Symbol,
    /// `[rows, steps, V]`: how many are known before a step.
    pub before: Symbol,
    /// `[rows, 1, V]`: how many are known.
    pub count: Symbol,
}

impl SeriesCoder {
    /// The inputs of a graph: times, values with NaN for holes, and what does not change.
    pub fn write(&self, graph: &mut Graph, missing: &MissingTokens) -> WrittenSeries {
        let taken: Vec<&str> = self.statics.iter().flat_map(|encoder| encoder.names()).collect();
        let free = |name: &str| {
            let mut name = name.to_owned();
            while taken.contains(&name.as_str()) {
                name.push('_');
            }
            name
        };
        let unit = match self.clock {
            Clock::Numbers | Clock::Points => "as in training",
            Clock::Hours => "in hours",
            Clock::Dates => "in hours since 1970",
        };
        let about = format!("times of the steps {unit}, ascending; NaN behind the end of a series");
        let times = graph.input(&free("times"), Kind::Double, &[None, None], &about);
        let names: Vec<&str> = self.variables.iter().map(|variable| variable.name.as_str()).collect();
        let about = format!("{}; NaN is a hole", names.join(", "));
        let values = graph.input(&free("values"), Kind::Double, &[None, None, Some(names.len())], &about);
        let nothing = graph.double(0.0);
        let absent = graph.op("IsNaN", &[&times]);
        let present = graph.op("Not", &[&absent]);
        let times = graph.choose(&present, &times, &nothing);
        let missing_values = graph.op("IsNaN", &[&values]);
        let known = graph.op("Not", &[&missing_values]);
        let steps = graph.shaped(&present, &[0, 0, 1]);
        let observed = graph.op("And", &[&known, &steps]);
        let values = graph.choose(&observed, &values, &nothing);
        let first = graph.columns(&times, [0]);
        let origin = if self.clock.counts_from_first() { first } else { graph.times(&first, &nothing) };
        let statics = self.statics.as_ref().map(|encoder| encoder.write(graph, missing));
        WrittenSeries { times, present, origin, values, observed, statics }
    }

    /// `[rows, steps, V]`: values in a model's units, in single precision; 0 where not known
    /// ([`SeriesRows::batch`](super::SeriesRows::batch)).
    pub fn write_scaled(&self, graph: &mut Graph, series: &WrittenSeries) -> Symbol {
        let width = self.variables.len();
        let means = graph.doubles(&[1, 1, width], self.variables.iter().map(|own| own.mean).collect());
        let deviations =
            graph.doubles(&[1, 1, width], self.variables.iter().map(|own| own.deviation).collect());
        let shifted = graph.subtract(&series.values, &means);
        let scaled = graph.divide(&shifted, &deviations);
        let scaled = graph.clamp(&scaled, -FARTHEST, FARTHEST);
        let nothing = graph.double(0.0);
        let scaled = graph.choose(&series.observed, &scaled, &nothing);
        graph.cast(&scaled, Kind::Single)
    }

    /// `[rows, steps, V]`: usual gaps since a variable was last seen before a step, or since the first step.
    pub fn write_since(&self, graph: &mut Graph, series: &WrittenSeries, known: &KnownValues) -> Symbol {
        let times = series.wide_times(graph);
        let first = graph.columns(&series.times, [0]);
        let first = graph.shaped(&first, &[-1, 1, 1]);
        let seen = known.at(graph, &times, &known.before, &first);
        let (passed, gap, nothing) =
            (graph.subtract(&times, &seen), graph.double(self.gap), graph.double(0.0));
        let since = graph.divide(&passed, &gap);
        // Behind the end of a series there are no times.
        let since = graph.op("Max", &[&since, &nothing]);
        graph.cast(&since, Kind::Single)
    }
}

impl WrittenSeries {
    /// `[rows]`: how many steps there are.
    pub fn lengths(&self, graph: &mut Graph) -> Symbol {
        let steps = graph.cast(&self.present, Kind::Count);
        let count = graph.sum(&steps, 1);
        graph.shaped(&count, &[-1])
    }

    /// `[rows, steps, V]`: the time of each value.
    pub fn wide_times(&self, graph: &mut Graph) -> Symbol {
        let (times, shape) = (graph.shaped(&self.times, &[0, 0, 1]), graph.op("Shape", &[&self.values]));
        graph.op("Expand", &[&times, &shape])
    }

    /// The order of what is known.
    pub fn known(&self, graph: &mut Graph) -> KnownValues {
        // 1, 2, 3, ... along the steps; what is missing comes behind all that is known.
        let (places, nothing, one) =
            (graph.cast(&self.present, Kind::Double), graph.double(0.0), graph.double(1.0));
        let places = graph.times(&places, &nothing);
        let places = graph.add(&places, &one);
        let axis = graph.integers(&[], &[1]);
        let places = graph.op("CumSum", &[&places, &axis]);
        let places = graph.shaped(&places, &[0, 0, 1]);
        let far = graph.double(1e9);
        let behind = graph.add(&places, &far);
        let keys = graph.choose(&self.observed, &places, &behind);
        let (shape, second) = (graph.op("Shape", &[&self.values]), graph.integers(&[1], &[1]));
        let steps = graph.gather(&shape, &second, 0);
        let settings = vec![Attribute::integer("axis", 1), Attribute::integer("largest", 0)];
        let (_, order) = graph.two("TopK", &[&keys, &steps], settings);
        let marks = graph.cast(&self.observed, Kind::Integer);
        let up_to = graph.op("CumSum", &[&marks, &axis]);
        let (before, count) = (graph.subtract(&up_to, &marks), graph.sum(&marks, 1));
        KnownValues { order, up_to, before, count }
    }
}

impl KnownValues {
    /// `[rows, steps or 1, V]`: of so many known values the last, or `nothing` of none.
    pub fn at(&self, graph: &mut Graph, values: &Symbol, how_many: &Symbol, nothing: &Symbol) -> Symbol {
        let along = || vec![Attribute::integer("axis", 1)];
        let (zero, one) = (graph.integers(&[1], &[0]), graph.integers(&[1], &[1]));
        let ordered = graph.op_with("GatherElements", &[values, &self.order], along());
        let place = graph.subtract(how_many, &one);
        let place = graph.op("Max", &[&place, &zero]);
        let found = graph.op_with("GatherElements", &[&ordered, &place], along());
        let any = graph.op("Greater", &[how_many, &zero]);
        graph.choose(&any, &found, nothing)
    }
}
