//! Any bytes as a model file: loaded or refused, never a panic or an allocation beyond the file's size. What
//! is loaded predicts, fills, or rates.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unmiss::data::{Column, Table};
use unmiss::encode::Encoder;
use unmiss::methods::Draw;
use unmiss::model::{Filler, Model, Predictions, RatingModel};

/// Rows with known, missing and strange cells for the columns that a file says it learned.
fn table(encoder: &Encoder) -> Option<Table> {
    let numbers = encoder.numbers.iter().map(|feature| {
        Column::from_numbers(&feature.name, feature.kind, &[feature.low, f64::NAN, 1e300])
    });
    let categories = encoder.categories.iter().map(|feature| {
        let words = [feature.levels.first().map(String::as_str), None, Some("unseen")];
        Column::from_words(&feature.name, feature.kind, &words)
    });
    // Two inputs of one name make no table.
    Table::new(numbers.chain(categories).collect()).ok()
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(filler) = Filler::from_bytes(bytes) {
        let Some(table) = table(&filler.encoder) else { return };
        for draw in [None, Some(Draw { seed: 1, number: 0, first_row: 0 })] {
            if let Ok(filled) = filler.fill(&table, draw, |_, _| {}) {
                assert_eq!(filled.table.rows(), table.rows());
            }
        }
        return;
    }
    if let Ok(model) = RatingModel::from_bytes(bytes) {
        let (users, items) = (model.ratings.users.len() as u32, model.ratings.items.len() as u32);
        if users > 0 && items > 0 {
            assert_eq!(model.rate(&[(0, 0), (users - 1, items - 1)]).len(), 2);
            assert!(model.top(0, 3).len() <= 3);
            assert_eq!(model.rate_for(&[(items - 1, 3.0)], &[0]).len(), 1);
        }
        return;
    }
    let Ok(model) = Model::from_bytes(bytes) else { return };
    let Some(table) = table(&model.encoder) else { return };
    match model.predict(&table, |_, _| {}) {
        Ok(Predictions::Numbers { values, known }) => {
            assert_eq!((values.len(), known.len()), (table.rows(), table.rows()));
            known.iter().for_each(|known| _ = model.half_width(*known, 0.9));
        }
        Ok(Predictions::Probabilities(chances)) => {
            assert_eq!(chances.len(), table.rows() * model.target.levels.len());
        }
        Err(_) => {}
    }
});
