//! Back to the user's units as operations of a graph.

use super::units;
use crate::data::Kind as ColumnKind;
use crate::encode::column::NumberFeature;
use crate::encode::features::Encoder;
use crate::encode::written::Given;
use crate::onnx::{Graph, Kind, Symbol, WrittenRows};

/// Nearest whole numbers, halves away from 0, as operations of a graph.
fn write_rounded(graph: &mut Graph, values: &Symbol) -> Symbol {
    let (sign, size, half) = (graph.op("Sign", &[values]), graph.op("Abs", &[values]), graph.double(0.5));
    let above = graph.add(&size, &half);
    let whole = graph.op("Floor", &[&above]);
    graph.times(&sign, &whole)
}

/// Outputs of a graph, one for each column: what `fill_table` gives for filled rows and the cells that were given.
pub fn write_filled(encoder: &Encoder, graph: &mut Graph, rows: &WrittenRows, given: &Given) {
    if let (Some(numbers), Some(cells)) = (&rows.numbers, &given.numbers) {
        let columns = encoder.numbers.len();
        let of = |graph: &mut Graph, value: &dyn Fn(&NumberFeature) -> f64| {
            graph.doubles(&[1, columns], encoder.numbers.iter().map(value).collect())
        };
        let (centers, widths) = (of(graph, &|own| own.center), of(graph, &|own| own.width));
        let (lows, highs) = (of(graph, &|own| own.allowed().0), of(graph, &|own| own.allowed().1));
        let scaled = graph.cast(&numbers.values, Kind::Double);
        let wide = graph.times(&widths, &scaled);
        let value = graph.add(&centers, &wide);
        let units = of(graph, &units);
        let many = graph.times(&value, &units);
        let rounded = write_rounded(graph, &many);
        let value = graph.divide(&rounded, &units);
        let value = graph.op("Max", &[&value, &lows]);
        let value = graph.op("Min", &[&value, &highs]);
        for (place, feature) in encoder.numbers.iter().enumerate() {
            let mut own = graph.columns(&value, [place]);
            if feature.kind == ColumnKind::Integer {
                let (low, high) = (feature.allowed().0.ceil(), feature.allowed().1.floor());
                let whole = write_rounded(graph, &own);
                own = graph.clamp(&whole, low, high.max(low));
            }
            let (known, cell) = (graph.columns(&numbers.observed, [place]), graph.columns(cells, [place]));
            let filled = graph.choose(&known, &cell, &own);
            let about = "the number, or what fills its hole";
            graph.output(&filled_name(&feature.name), &filled, Kind::Double, &[None, Some(1)], about);
        }
    }
    let categories = encoder.categories.iter().zip(&rows.categories).zip(&given.categories);
    for ((feature, category), cell) in categories {
        let place = graph.shaped(&category.place, &[-1, 1]);
        // Places beyond the levels (`other`) are those of cells that were given.
        let room = feature.codes() + 1;
        let (filled, missing, kind) = match feature.as_numbers() {
            Some(mut numbers) => {
                numbers.resize(room, 0.0);
                let levels = graph.doubles(&[room], numbers);
                (graph.gather(&levels, &place, 0), graph.op("IsNaN", &[&cell.symbol]), Kind::Double)
            }
            None => {
                let mut levels = feature.levels.clone();
                levels.resize(room, String::new());
                let (levels, missing) = (graph.words(&levels), cell.write_missing(graph));
                (graph.gather(&levels, &place, 0), missing, Kind::Word)
            }
        };
        let filled = graph.choose(&missing, &filled, &cell.symbol);
        let about = "the word, or what fills its hole";
        graph.output(&filled_name(&feature.name), &filled, kind, &[None, Some(1)], about);
    }
}

/// What the column without holes is called in a graph, where the one with holes has the name itself.
fn filled_name(name: &str) -> String {
    format!("filled_{name}")
}
