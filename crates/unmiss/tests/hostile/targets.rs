//! What is done with any bytes: they are read or refused, and what is read can be used. The fuzz targets in `fuzz/` and
//! the test beside this file share it.

use unmiss::data::{
    Column, Data, Kind, MissingTokens, ReadOptions, Shape, Table, images, ratings, read_bytes,
};
use unmiss::encode::Encoder;
use unmiss::methods::{Draw, Job};
use unmiss::model::{Model, Predictions};

/// Bytes as a text table. The first byte chooses the options, the rest is the file.
pub fn csv(input: &[u8]) {
    let Some((choice, bytes)) = input.split_first() else { return };
    let mut options = ReadOptions { keep_source: choice & 1 == 1, ..ReadOptions::default() };
    options.delimiter = match choice >> 1 & 3 {
        1 => Some(b';'),
        2 => Some(b'\t'),
        _ => None,
    };
    if choice & 8 > 0 {
        options.missing = MissingTokens::new(["-"]);
        options.missing.add_for("a", "-999");
    }
    let kind = match choice >> 4 & 7 {
        1 => Some(Kind::Real),
        2 => Some(Kind::Integer),
        3 => Some(Kind::Binary),
        4 => Some(Kind::Category),
        5 => Some(Kind::Date),
        6 => Some(Kind::Text),
        _ => None,
    };
    options.kinds.extend(kind.map(|kind| ("a".to_owned(), kind)));
    if let Ok(reading) = read_bytes("fuzz.csv", bytes, &options) {
        check(&reading.table);
    }
}

/// Bytes as a Parquet file.
pub fn parquet(bytes: &[u8]) {
    if let Ok(reading) = read_bytes("fuzz.parquet", bytes, &ReadOptions::default()) {
        check(&reading.table);
    }
}

/// Bytes as a workbook, lines of JSON or an Arrow file. The first byte chooses the ending of the name.
#[allow(dead_code, reason = "the fuzzer has no target of its own for it")]
pub fn other_table(input: &[u8]) {
    let Some((choice, bytes)) = input.split_first() else { return };
    let name = ["fuzz.xlsx", "fuzz.jsonl", "fuzz.arrow"][*choice as usize % 3];
    if let Ok(reading) = read_bytes(name, bytes, &ReadOptions::default()) {
        check(&reading.table);
    }
}

/// Bytes as ratings.
pub fn rating_file(bytes: &[u8]) {
    if let Ok(reading) = ratings::read_bytes("fuzz.csv", bytes, &Default::default()) {
        assert!(reading.ratings.iter().all(|rating| rating.value.is_finite()));
    }
}

/// Bytes as images. The first byte chooses the ending of the name, by which CIFAR's form is told.
pub fn image_file(input: &[u8]) {
    let Some((choice, bytes)) = input.split_first() else { return };
    let name = ["fuzz.npy", "fuzz.npz", "fuzz.idx", "data_batch_1.bin"][*choice as usize % 4];
    if let Ok(images) = images::from_bytes(name, bytes.to_vec()) {
        let cells = images.size().cells();
        assert!(
            (0..images.len().min(3))
                .all(|image| (0..cells).all(|cell| images.value(image, cell).is_finite()))
        );
    }
}

/// Bytes as a model file. What is loaded predicts, fills, rates or scores.
pub fn model(bytes: &[u8]) {
    let Ok(model) = Model::from_bytes(bytes) else { return };
    let data = match model.shape() {
        Shape::Table => model.coder.table().ok().and_then(rows).map(Data::from),
        _ => None,
    };
    match (model.job(), data) {
        (Job::Predict, Some(data)) => predict(&model, &data),
        (Job::Fill, Some(data)) => fill(&model, &data),
        (Job::Density, Some(data)) => score(&model, &data),
        (Job::Rate, _) => rate(&model),
        _ => {}
    }
}

/// Every known cell can be written down.
fn check(table: &Table) {
    for column in table.columns() {
        assert_eq!(column.rows(), table.rows());
        for row in 0..table.rows() {
            assert_eq!(column.cell(row).is_some(), column.observed[row]);
        }
    }
}

/// Rows with known, missing and strange cells for the columns that a file says it learned.
fn rows(encoder: &Encoder) -> Option<Table> {
    let numbers = encoder
        .numbers
        .iter()
        .map(|feature| Column::from_numbers(&feature.name, feature.kind, &[feature.low, f64::NAN, 1e99]));
    let categories = encoder.categories.iter().map(|feature| {
        let words = [feature.levels.first().map(String::as_str), None, Some("unseen")];
        Column::from_words(&feature.name, feature.kind, &words)
    });
    // Two inputs of one name make no table.
    Table::new(numbers.chain(categories).collect()).ok()
}

fn predict(model: &Model, data: &Data) {
    let Ok(predicting) = model.predicting() else { return };
    let Ok(rows) = predicting.coder.encode(data, |_, _| {}) else { return };
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

fn fill(model: &Model, data: &Data) {
    let Ok(filling) = model.filling() else { return };
    for draw in [None, Some(Draw { seed: 1, number: 0, first_row: 0 })] {
        if let Ok(filled) = filling.fill(data, draw, |_, _| {}) {
            assert_eq!(filled.data.rows(), data.rows());
        }
    }
}

fn score(model: &Model, data: &Data) {
    let Ok(scoring) = model.scoring() else { return };
    if let Ok(scored) = scoring.score(data, |_, _| {}) {
        assert_eq!(scored.len(), data.rows());
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
