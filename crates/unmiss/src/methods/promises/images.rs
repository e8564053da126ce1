//! Cases of images, to be filled or told apart, and what only they promise.

use serde_json::{Value, json};

use super::Case;
use crate::data::images::{Bits, Images, LABEL, Observed, Pixels, Size};
use crate::data::{Column, Data, Kind, Shape};
use crate::encode::{ClassWeights, Coder, Encoding, Rows, TargetEncoder, Targets, Task};
use crate::methods::{Draw, Job, Learned, Method, methods_for};
use crate::rng::Stream;

const DRAW: Draw = Draw { seed: 1, number: 2, first_row: 0 };

/// Bytes of one channel with holes of whole pixels, and numbers of two channels with holes in either; small ones down
/// to a single image.
pub(super) fn cases(method: &dyn Method, job: Job, small: bool) -> Vec<Case> {
    let sizes: &[usize] = if small { &[1, 2, 7] } else { &[60] };
    let form = |settings: Value| {
        let both = |count: &usize| [true, false].map(|bytes| case(*count, bytes, job, settings.clone()));
        sizes.iter().flat_map(both).collect::<Vec<_>>()
    };
    forms(method).into_iter().flat_map(form).collect()
}

/// Small networks, briefly trained, with every treatment of holes that a method has.
fn forms(method: &dyn Method) -> Vec<Value> {
    match method.name() {
        "convolutional" => {
            let ways = "zero mean knn dmfa-impute mask-channel partial-conv sn-conv misconv".split(' ');
            let small = |missing: &str| {
                json!({ "missing": missing, "filters": [[3], [4]], "hidden": [5], "epochs": 2, "shift": 1,
                        "density-epochs": 1 })
            };
            let deep = |missing: &str, norm: &str| {
                json!({ "missing": missing, "net": "vgg-16", "filters": [[3], [4, 4]], "hidden": [5], "epochs": 2,
                        "sn-depth": 3, "batch-norm": norm, "hide": "others", "networks": 2 })
            };
            ways.map(small).chain([deep("sn-conv", "none"), deep("partial-conv", "before-relu")]).collect()
        }
        "mlp" => ["sparsity-normalization", "mean+missing-indicator"]
            .map(|missing| json!({ "missing": missing, "hidden": [6, 5], "normalize-hidden": [1], "epochs": 2 }))
            .to_vec(),
        "dmfa" => vec![json!({ "filters": [4, 6], "factors": 2, "epochs": 2 })],
        "wae" => vec![
            json!({ "filters": [3, 4], "latent": 3, "epochs": 2 }),
            json!({ "filters": [], "hidden": [8], "latent": 3, "epochs": 2, "hide": 0.0 }),
        ],
        "dvae" => vec![
            json!({ "hidden": [8], "latent": 3, "epochs": 2 }),
            json!({ "filters": [3, 4], "latent": 3, "epochs": 2, "importance": 3, "samples": 5 }),
            json!({ "hidden": [8], "latent": 3, "epochs": 2, "likelihood": "gaussian", "prior": "mixture" }),
        ],
        "made" => vec![json!({ "hidden": [12], "masks": 2, "epochs": 2 })],
        _ => vec![json!({})],
    }
}

/// Small networks, trained for long enough to learn what there is.
fn learning(method: &dyn Method) -> Value {
    match method.name() {
        "convolutional" => {
            json!({ "filters": [[8], [8]], "hidden": [16], "epochs": 15, "batch": 8, "rate": 0.01 })
        }
        "dvae" => {
            json!({ "hidden": [32], "latent": 4, "epochs": 60, "batch": 8, "rate": 0.005, "patience": 0 })
        }
        "mlp" => json!({ "missing": "mean", "hidden": [32], "epochs": 60, "batch": 8 }),
        "impute-then-predict" => json!({
            "imputer": "mean",
            "predictor": "mlp",
            "predictor-settings": { "hidden": [32], "epochs": 60, "batch": 8 },
            "draws": 2,
        }),
        "dmfa" => json!({ "filters": [8, 16], "epochs": 60, "batch": 8, "rate": 0.005, "patience": 0 }),
        _ => json!({}),
    }
}

/// Stripes, of which every second image has upright ones; a third of the pixels is missing.
fn images(count: usize, bytes: bool) -> Images {
    let size = Size { channels: if bytes { 1 } else { 2 }, height: 6, width: 5 };
    let mut stream = Stream::new(4, "images promises", count as u64, u64::from(bytes));
    let value = |mark: usize, stream: &mut Stream| {
        let (image, pixel) = (mark / size.cells(), mark % size.pixels());
        let place = if image.is_multiple_of(2) { pixel / size.width } else { pixel % size.width };
        let bright = if (place + image / 2).is_multiple_of(2) { 0.8 } else { 0.2 };
        (bright + 0.1 * stream.normal()).clamp(0.0, 1.0)
    };
    let values: Vec<f64> = (0..count * size.cells()).map(|mark| value(mark, &mut stream)).collect();
    let each = if bytes { size.pixels() } else { size.cells() };
    let marks = Bits::from_marks((0..count * each).map(|mark| mark == 0 || stream.uniform() > 0.35));
    let (values, marks) = match bytes {
        true => {
            let values = values.iter().map(|value| (255.0 * value) as u8).collect();
            (Pixels::Bytes(values), Observed::Pixels(marks))
        }
        false => {
            let values = values.iter().map(|value| (4.0 * value - 2.0) as f32).collect();
            (Pixels::Numbers(values), Observed::Cells(marks))
        }
    };
    let words: Vec<Option<&str>> = (0..count).map(|image| Some(["across", "upright"][image % 2])).collect();
    let labels = Column::from_words(LABEL, Kind::Category, &words);
    Images::new(size, values, marks).unwrap().with_labels(Some(labels)).unwrap()
}

fn case(count: usize, bytes: bool, job: Job, settings: Value) -> Case {
    let data = Data::from(images(count, bytes));
    let coder = Coder::fit(&data, &[], Encoding::default()).unwrap();
    let rows = coder.encode(&data, |_, _| {}).unwrap();
    let targets = (job == Job::Predict).then(|| match count {
        1 => Targets {
            task: Task::Classification { classes: 2 },
            numbers: vec![],
            classes: vec![1],
            weights: vec![1.0],
        },
        _ => {
            let target = TargetEncoder::fit(&data, LABEL, None).unwrap();
            target.encode(&data, None, ClassWeights::Equal).unwrap()
        }
    });
    let answers = match job {
        Job::Predict => predicted,
        Job::Density => super::density::answers,
        _ => filled_cells,
    };
    Case { coder, rows, targets, settings, answers }
}

fn predicted(learned: &dyn Learned, rows: &Rows, _first_row: usize) -> Vec<f64> {
    learned.predictor().unwrap().predict(rows).unwrap()
}

/// Image by image, every cell of the best guess and of a draw.
fn filled_cells(learned: &dyn Learned, rows: &Rows, first_row: usize) -> Vec<f64> {
    let draw = Draw { first_row: first_row as u64, ..DRAW };
    let (guess, drawn) = (filled(learned, rows, None), filled(learned, rows, Some(draw)));
    let cells = guess.size().cells();
    let image = |image: usize| {
        let of =
            |images: &Images| (0..cells).map(|cell| f64::from(images.value(image, cell))).collect::<Vec<_>>();
        [of(&guess), of(&drawn)].concat()
    };
    (0..rows.len()).flat_map(image).collect()
}

fn filled(learned: &dyn Learned, rows: &Rows, draw: Option<Draw>) -> Images {
    let mut rows = rows.clone();
    learned.imputer().unwrap().fill(&mut rows, draw).unwrap();
    rows.images().unwrap().images().as_ref().clone()
}

#[test]
fn known_pixels_stay_and_every_hole_gets_a_value_of_the_range() {
    for method in methods_for(Shape::Images, Job::Fill) {
        for case in [1, 2, 60].into_iter().flat_map(|count| {
            [true, false].map(|bytes| case(count, bytes, Job::Fill, forms(method).remove(0)))
        }) {
            let learned = case.fit(method, 1);
            let coder = case.coder.images().unwrap();
            let before = case.rows.images().unwrap().images();
            for draw in [None, Some(DRAW)] {
                let after = filled(&*learned, &case.rows, draw);
                assert_eq!(after.observed(), before.observed(), "{}", method.name());
                for (image, cell) in
                    (0..before.len()).flat_map(|i| (0..before.size().cells()).map(move |c| (i, c)))
                {
                    let value = after.value(image, cell);
                    assert!((coder.low..=coder.high).contains(&value), "{} {value}", method.name());
                    assert!(!before.is_known(image, cell) || value == before.value(image, cell));
                }
            }
            let again = |number| filled(&*learned, &case.rows, Some(Draw { number, ..DRAW }));
            assert_eq!(again(2), again(2), "{}", method.name());
            if before.len() > 20 {
                assert_ne!(again(2), again(3), "{}: draws differ", method.name());
            }
        }
    }
}

/// Stripes tell the pixels between them: every imputer must see it but the mean, and the one that sees no stripes but
/// what surrounds a pixel.
#[test]
fn imputers_of_images_learn_from_the_other_pixels() {
    for method in
        methods_for(Shape::Images, Job::Fill).filter(|method| !["mean", "harmonic"].contains(&method.name()))
    {
        let mut case = case(60, true, Job::Fill, learning(method));
        let truth = case.rows.images().unwrap().images().clone();
        let hidden: Vec<(usize, usize)> = (0..60)
            .map(|image| (image, image * 7 % 30))
            .filter(|(i, p)| truth.is_pixel_known(*i, *p))
            .collect();
        hidden.iter().for_each(|(image, pixel)| case.rows.hide(*image, *pixel).unwrap());
        let after = filled(&*case.fit(method, 2), &case.rows, None);
        let error = |value: f32, (image, pixel): &(usize, usize)| {
            f64::from(value - truth.value(*image, *pixel)).powi(2)
        };
        let own: f64 = hidden.iter().map(|cell| error(after.value(cell.0, cell.1), cell)).sum();
        let flat: f64 = hidden.iter().map(|cell| error(127.5, cell)).sum();
        assert!(own < 0.3 * flat, "{}: {own} of {flat}", method.name());
    }
}

#[test]
fn chances_of_images_add_up_to_one_and_tell_stripes_apart() {
    for method in methods_for(Shape::Images, Job::Predict) {
        let case = case(60, true, Job::Predict, learning(method));
        let chances = case.answers(&*case.fit(method, 1));
        let right = chances.chunks(2).enumerate().filter(|(image, row)| {
            assert!((row[0] + row[1] - 1.0).abs() < 1e-9, "{} {row:?}", method.name());
            (row[1] > row[0]) == (image % 2 == 1)
        });
        assert!(right.count() > 50, "{}", method.name());
    }
}

/// Nothing is known of any image.
pub(super) fn emptied(rows: &Rows) -> Rows {
    let mut empty = rows.clone();
    for row in 0..rows.len() {
        rows.images().map(|own| own.size().pixels()).into_iter().for_each(|pixels| {
            (0..pixels).for_each(|pixel| empty.hide(row, pixel).unwrap());
        });
    }
    empty
}
