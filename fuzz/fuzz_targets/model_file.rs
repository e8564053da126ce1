//! Any bytes as a model file: loaded or refused, never a panic or an allocation beyond the file's size. What
//! is loaded predicts, fills, or rates.

#![no_main]

use libfuzzer_sys::fuzz_target;
use unmiss::data::{Column, Data, Table};
use unmiss::encode::Encoder;
use unmiss::methods::{Draw, Job};
use unmiss::model::{Model, Predictions};

/// Rows with known, missing and strange cells for the columns that a file says it learned.
fn table(encoder: &Encoder) -> Option<Data> {
    let numbers = encoder.numbers.iter().map(|feature| {
        Column::from_numbers(&feature.name, feature.kind, &[feature.low, f64::NAN, 1e300])
    });
    let categories = encoder.categories.iter().map(|feature| {
        let words = [feature.levels.first().map(String::as_str), None, Some("unseen")];
        Column::from_words(&feature.name, feature.kind, &words)
    });
    // Two inputs of one name make no table.
    Table::new(numbers.chain(categories).collect()).ok().map(Data::from)
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = Model::from_bytes(bytes) else { return };
    match model.job() {
        Job::Predict => predict(&model),
        Job::Fill => fill(&model),
        Job::Rate => rate(&model),
    }
});

fn predict(model: &Model) {
    let (Ok(predicting), Ok(encoder)) = (model.predicting(), model.coder.table()) else { return };
    let Some(data) = table(encoder) else { return };
    let Ok(rows) = predicting.coder.encode(&data, |_, _| {}) else { return };
    let Ok(answers) = predicting.answers(&rows) else { return };
    let (intervals, sets) = (answers.intervals(0.9), answers.sets(0.9));
    match answers.predictions() {
        Predictions::Numbers(values) => {
            assert_eq!(values.len(), data.rows());
            assert!(intervals.is_none_or(|intervals| intervals.len() == data.rows()));
        }
        Predictions::Probabilities(chances) => {
            assert_eq!(chances.len(), data.rows() * predicting.target.levels.len());
            assert!(sets.is_none_or(|sets| sets.len() == chances.len()));
        }
    }
    let mut watch = predicting.watch();
    watch.look(&rows);
    _ = watch.shift().map(|shift| shift.words());
}

fn fill(model: &Model) {
    let (Ok(filling), Ok(encoder)) = (model.filling(), model.coder.table()) else { return };
    let Some(data) = table(encoder) else { return };
    for draw in [None, Some(Draw { seed: 1, number: 0, first_row: 0 })] {
        if let Ok(filled) = filling.fill(&data, draw, |_, _| {}) {
            assert_eq!(filled.data.rows(), data.rows());
        }
    }
}

fn rate(model: &Model) {
    let Ok(rating) = model.rating() else { return };
    let (users, items) = (rating.ratings.users.len() as u32, rating.ratings.items.len() as u32);
    if users > 0 && items > 0 {
        assert_eq!(rating.rate(&[(0, 0), (users - 1, items - 1)]).len(), 2);
        assert!(rating.top(0, 3).len() <= 3);
        assert_eq!(rating.rate_for(&[(items - 1, 3.0)], &[0]).len(), 1);
    }
}
