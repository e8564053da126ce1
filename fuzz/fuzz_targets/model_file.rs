//! Any bytes as a model file: loaded or refused, never a panic or an allocation beyond the file's size. What
//! is loaded predicts.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unmiss::data::{Column, Table};
use unmiss::model::{Model, Predictions};

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = Model::from_bytes(bytes) else { return };
    let numbers = model.encoder.numbers.iter().map(|feature| {
        Column::from_numbers(&feature.name, feature.kind, &[feature.low, f64::NAN, 1e300])
    });
    let categories = model.encoder.categories.iter().map(|feature| {
        let words = [feature.levels.first().map(String::as_str), None, Some("unseen")];
        Column::from_words(&feature.name, feature.kind, &words)
    });
    // Two inputs of one name make no table.
    let Ok(table) = Table::new(numbers.chain(categories).collect()) else { return };
    match model.predict(&table, |_, _| {}) {
        Ok(Predictions::Numbers { values, known }) => {
            assert_eq!((values.len(), known.len()), (table.rows(), table.rows()));
            known.iter().for_each(|known| drop(model.half_width(*known, 0.9)));
        }
        Ok(Predictions::Probabilities(chances)) => {
            assert_eq!(chances.len(), table.rows() * model.target.levels.len());
        }
        Err(_) => {}
    }
});
