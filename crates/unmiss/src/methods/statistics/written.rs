//! The statistics written down as operations of a graph.

use super::features::Statistic;
use crate::encode::{KnownValues, WrittenSeries};
use crate::onnx::{Graph, Kind, Symbol};

/// What statistics of known values are made of, each `[rows, 1, V]` in double precision, and what leads to it.
struct Parts<'a> {
    series: &'a WrittenSeries,
    known: KnownValues,
    /// `[rows, steps, V]`
    times: Symbol,
    count: Symbol,
}

impl Parts<'_> {
    /// Mean and standard deviation of numbers under marks, so many; NaN of none.
    fn moments(
        &self,
        graph: &mut Graph,
        numbers: &Symbol,
        marks: &Symbol,
        count: &Symbol,
    ) -> (Symbol, Symbol) {
        let nothing = graph.double(0.0);
        let total = |graph: &mut Graph, numbers: &Symbol| {
            let marked = graph.choose(marks, numbers, &nothing);
            let sum = graph.sum(&marked, 1);
            graph.divide(&sum, count)
        };
        let mean = total(graph, numbers);
        let apart = graph.subtract(numbers, &mean);
        let square = graph.times(&apart, &apart);
        let variance = total(graph, &square);
        (mean, graph.op("Sqrt", &[&variance]))
    }

    /// The changes from one known value to the next, the marks under which they stand, and how many there are.
    fn changes(&self, graph: &mut Graph) -> (Symbol, Symbol, Symbol) {
        let (values, nothing) = (&self.series.values, graph.double(0.0));
        let before = self.known.at(graph, values, &self.known.before, &nothing);
        let change = graph.subtract(values, &before);
        let none = graph.integers(&[1], &[0]);
        let has_before = graph.op("Greater", &[&self.known.before, &none]);
        let marks = graph.op("And", &[&self.series.observed, &has_before]);
        let one = graph.double(1.0);
        let fewer = graph.subtract(&self.count, &one);
        let count = graph.op("Max", &[&fewer, &nothing]);
        (change, marks, count)
    }

    /// The slope of the line that errs least.
    fn trend(&self, graph: &mut Graph) -> Symbol {
        let (values, marks) = (&self.series.values, &self.series.observed);
        let (time, _) = self.moments(graph, &self.times, marks, &self.count);
        let (value, _) = self.moments(graph, values, marks, &self.count);
        let nothing = graph.double(0.0);
        let (late, high) = (graph.subtract(&self.times, &time), graph.subtract(values, &value));
        let late = graph.choose(marks, &late, &nothing);
        let (together, alone) = (graph.times(&late, &high), graph.times(&late, &late));
        let together = graph.choose(marks, &together, &nothing);
        let (together, alone) = (graph.sum(&together, 1), graph.sum(&alone, 1));
        graph.divide(&together, &alone)
    }

    fn write(&self, graph: &mut Graph, statistic: Statistic, end: &Symbol) -> Symbol {
        let (values, marks) = (&self.series.values, &self.series.observed);
        let (none, one) = (graph.double(f64::NAN), graph.integers(&[1], &[1]));
        match statistic {
            Statistic::Count => self.count.clone(),
            Statistic::Mean => self.moments(graph, values, marks, &self.count).0,
            Statistic::Deviation => self.moments(graph, values, marks, &self.count).1,
            Statistic::Change | Statistic::ChangeDeviation => {
                let (changes, marks, count) = self.changes(graph);
                let (mean, deviation) = self.moments(graph, &changes, &marks, &count);
                if statistic == Statistic::Change { mean } else { deviation }
            }
            Statistic::First => {
                let any = graph.op("Min", &[&self.known.count, &one]);
                self.known.at(graph, values, &any, &none)
            }
            Statistic::Last => self.known.at(graph, values, &self.known.count, &none),
            Statistic::Low | Statistic::High => {
                let (name, far) = match statistic {
                    Statistic::Low => ("ReduceMin", f64::INFINITY),
                    _ => ("ReduceMax", f64::NEG_INFINITY),
                };
                let far = graph.double(far);
                let known = graph.choose(marks, values, &far);
                graph.extreme(name, &known, 1)
            }
            Statistic::Trend => self.trend(graph),
            Statistic::Since => {
                let last = self.known.at(graph, &self.times, &self.known.count, &none);
                let end = graph.shaped(end, &[-1, 1, 1]);
                graph.subtract(&end, &last)
            }
        }
    }
}

/// `[rows, 2 + V statistics]`: what [`features`](super::features) gives beside what does not change, in its order.
pub fn write_features(
    graph: &mut Graph,
    series: &WrittenSeries,
    variables: usize,
    statistics: &[Statistic],
) -> Symbol {
    let (known, times) = (series.known(graph), series.wide_times(graph));
    let count = graph.cast(&known.count, Kind::Double);
    let far = graph.double(f64::NEG_INFINITY);
    let end = graph.choose(&series.present, &series.times, &far);
    let end = graph.extreme("ReduceMax", &end, 1);
    // A series without steps ends where it begins.
    let end = graph.op("Max", &[&end, &series.origin]);
    let length = graph.subtract(&end, &series.origin);
    let steps = series.lengths(graph);
    let steps = graph.cast(&steps, Kind::Double);
    let steps = graph.shaped(&steps, &[-1, 1]);
    let parts = Parts { series, known, times, count };
    let own: Vec<Symbol> = statistics.iter().map(|statistic| parts.write(graph, *statistic, &end)).collect();
    // [rows, statistics, V], and then variable by variable.
    let all = graph.joined(&own.iter().collect::<Vec<_>>(), 1);
    let swap = vec![crate::onnx::Attribute::integers("perm", vec![0, 2, 1])];
    let all = graph.op_with("Transpose", &[&all], swap);
    let all = graph.shaped(&all, &[-1, (variables * statistics.len()) as i64]);
    let all = graph.beside(&[&steps, &length, &all]);
    // What overflows says nothing.
    let (endless, none) = (graph.op("IsInf", &[&all]), graph.double(f64::NAN));
    graph.choose(&endless, &none, &all)
}
