//! The bound against a likelihood that is known, and what is learned from made data.

use serde_json::json;

use super::layout::{Layout, Visit};
use super::posterior::bounds;
use super::*;
use crate::data::{Column, Data, Kind, Table};
use crate::encode::{Coder, Encoding, Rows};
use crate::methods::generative::Cells;
use crate::methods::{Draw, Imputer};
use crate::rng::Stream;

/// Rows of numbers that hang together; the last column is lost where `lost` says so of its value and a chance.
fn table(rows: usize, lost: impl Fn(f64, f64) -> bool) -> (Coder, Rows, Vec<f64>) {
    let mut stream = Stream::new(5, "dvae table", 0, 0);
    let (mut columns, mut truth) = (vec![Vec::new(); 3], Vec::new());
    for _ in 0..rows {
        let z = stream.normal();
        let noise = |stream: &mut Stream| 0.4 * stream.normal();
        columns[0].push(z + noise(&mut stream));
        columns[1].push(noise(&mut stream) - z);
        truth.push(z + noise(&mut stream));
        let value = truth[truth.len() - 1];
        columns[2].push(if lost(value, stream.uniform()) { f64::NAN } else { value });
    }
    let names = ["a", "b", "c"];
    let columns = names.iter().zip(&columns).map(|(name, own)| Column::from_numbers(*name, Kind::Real, own));
    let data = Data::from(Table::new(columns.collect()).unwrap());
    let coder = Coder::fit(&data, &names.map(String::from), Encoding::default()).unwrap();
    let rows = coder.encode(&data, |_, _| {}).unwrap();
    (coder, rows, truth)
}

fn fitted(coder: &Coder, rows: &Rows, settings: &Value) -> Variational {
    let settings = Settings::checked(settings).unwrap();
    let examples = Examples::new(coder, rows, None).unwrap();
    Variational::fit(&settings, examples, &Run::new(1, 1).unwrap()).unwrap()
}

/// The last column after filling, in the user's units.
fn last_column(model: &Variational, coder: &Coder, rows: &Rows, draw: Option<Draw>) -> Vec<f64> {
    let mut rows = rows.clone();
    model.imputer().unwrap().fill(&mut rows, draw).unwrap();
    let feature = &coder.table().unwrap().numbers[2];
    let cells = &rows.table().unwrap().numbers;
    cells.iter().skip(2).step_by(3).map(|cell| feature.decoded(f64::from(*cell))).collect()
}

/// Where the decoder is a line and the deviations are fixed, a row has a normal distribution, N(b, W Wᵀ + σ² I): the
/// bound lies below its log-density, rises with the number of latents and comes near.
#[test]
fn the_bound_lies_below_the_exact_likelihood_and_rises_with_latents() {
    let (coder, _, _) = table(10, |_, _| false);
    let settings = Settings { latent: Some(1), hidden: Some(vec![]), ..Settings::default() };
    let features = table_features(&settings, coder.table().unwrap()).unwrap();
    let layout = Layout::new(&settings, Shape::Table, features, None, vec![]).unwrap();
    let mut parameters = layout.parameters(1);
    // Encoder: 6 inputs to (μ, s). Decoder: 1 latent to 3 means and 3 deviations; softplus(0.5) + 0.03 = 1.004.
    parameters[0].values = vec![0.3, 0.0, -0.2, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    parameters[1].values = vec![0.6, -0.5];
    parameters[2].values = vec![1.0, -0.8, 0.5, 0.0, 0.0, 0.0];
    parameters[3].values = vec![0.2, 0.0, -0.1, 0.5, 0.5, 0.5];
    // The second number is missing: x = (1, ., -0.5) ~ N((0.2, -0.1), ((1 + v, 0.5), (0.5, 0.25 + v))).
    let v = (0.03 + 0.5_f64.exp().ln_1p()).powi(2);
    let (a, b, c) = (1.0 + v, 0.5, 0.25 + v);
    let (r, t) = (1.0 - 0.2, -0.5 + 0.1);
    let determinant = a * c - b * b;
    let square = (c * r * r - 2.0 * b * r * t + a * t * t) / determinant;
    let exact = -0.5 * (square + determinant.ln()) - (2.0 * std::f64::consts::PI).ln();
    let repeats = 2000;
    let cells = Cells {
        rows: repeats,
        values: [1.0, 0.0, -0.5].repeat(repeats),
        observed: [true, false, true].repeat(repeats),
    };
    let mean = |per_row: usize, elbo: bool| {
        let mut stream = Stream::new(1, "bound", per_row as u64, 0);
        let noise = (0..repeats * per_row).map(|_| stream.normal() as f32).collect();
        let visit = Visit { cells: &cells, seen: &cells.observed, per_row, noise, cell_noise: vec![] };
        bounds(&layout, &parameters, visit, elbo).iter().sum::<f64>() / repeats as f64
    };
    let found = [mean(1, true), mean(1, false), mean(5, false), mean(50, false)];
    assert!((found[0] - found[1]).abs() < 0.05, "closed and sampled divergence: {found:?}");
    assert!(found[1] < found[2] - 0.05 && found[2] < found[3] - 0.01, "{found:?}");
    assert!(found[3] < exact + 0.005 && found[3] > exact - 0.02, "{found:?} {exact}");
}

/// What training takes the gradient of is what filling calls the bound.
#[test]
fn the_loss_is_minus_the_bound() {
    let (coder, rows, _) = table(30, |_, chance| chance < 0.3);
    let mixed = json!({ "prior": "mixture", "components": 3, "importance": 4 });
    let itself = json!({ "missing-depends": "itself", "importance": 3, "direction": "high" });
    for settings in [
        json!({ "importance": 1 }),
        json!({ "importance": 5, "beta": 0.5 }),
        mixed,
        itself,
        json!({ "prior": "mixture", "importance": 1 }),
    ] {
        let settings = Settings::checked(&settings).unwrap();
        let per_row = settings.latents_of_a_row(Shape::Table);
        let encoder = coder.table().unwrap();
        let features = table_features(&settings, encoder).unwrap();
        let layout = Layout::new(&settings, Shape::Table, features, None, vec![0.0, 0.0, 0.3]).unwrap();
        let parameters = layout.parameters(2);
        let cells = TableCells::new(encoder, rows.table().unwrap()).cells(&[0, 3, 4, 8]);
        let visit = || {
            let mut stream = Stream::new(1, "visit", 0, 0);
            let mut noise = |each: usize| (0..4 * per_row * each).map(|_| stream.normal() as f32).collect();
            let (noise, cell_noise) = (noise(layout.latent), noise(3));
            Visit { cells: &cells, seen: &cells.observed, per_row, noise, cell_noise }
        };
        let moment = crate::nn::train::Moment { seed: 1, epoch: 0, step: 0, share: 0.0 };
        let lent = parameters.tensors();
        let mut engine = crate::nn::Taped::new(&lent, &moment);
        let loss = f64::from(layout.loss(&mut engine, &lent, visit()).into_scalar::<f32>());
        let all = bounds(&layout, &parameters, visit(), per_row == 1);
        let bound = all.iter().sum::<f64>() / 4.0;
        assert!((loss + bound).abs() < 1e-4 * (1.0 + loss.abs()), "{settings:?}: {loss} {bound}");
    }
}

/// ELBO, importance weights, Student's t and a mixture as prior: all fill better than the mean, and their draws
/// scatter about as much as the truth does around the guess.
#[test]
fn holes_are_filled_better_than_with_the_mean_and_draws_are_plausible() {
    let (coder, rows, truth) = table(300, |_, chance| chance < 0.3);
    let missing: Vec<usize> =
        (0..300).filter(|row| !rows.table().unwrap().numbers_observed[3 * row + 2]).collect();
    let small = |more: Value| {
        let mut settings = json!({ "hidden": [16], "latent": 2, "epochs": 60, "rate": 0.01, "samples": 50 });
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        settings
    };
    let forms = [
        json!({ "importance": 1 }),
        json!({ "importance": 5 }),
        json!({ "likelihood": "student-t", "prior": "mixture" }),
    ];
    for settings in forms.map(small) {
        let model = fitted(&coder, &rows, &settings);
        let guess = last_column(&model, &coder, &rows, None);
        let error = |said: &dyn Fn(usize) -> f64| {
            missing.iter().map(|&row| (said(row) - truth[row]).powi(2)).sum::<f64>() / missing.len() as f64
        };
        let (own, flat) = (error(&|row| guess[row]), error(&|_| 0.0));
        assert!(own < 0.4 * flat, "{settings}: {own} of {flat}");
        let draws: Vec<Vec<f64>> = (0..20)
            .map(|number| {
                let draw = Draw { seed: 1, number, first_row: 0 };
                last_column(&model, &coder, &rows, Some(draw))
            })
            .collect();
        assert_ne!(draws[0], draws[1]);
        let spread =
            draws.iter().map(|draw| error(&|row| draw[row] - guess[row] + truth[row])).sum::<f64>() / 20.0;
        assert!((0.3..3.0).contains(&(spread / own)), "{settings}: {spread} {own}");
    }
}

/// Large values tend to be missing: a model that is told so fills in larger ones, and says which column it is.
#[test]
fn numbers_that_hide_themselves_are_filled_with_larger_ones() {
    let (coder, rows, truth) =
        table(400, |value, chance| chance < 1.0 / (1.0 + (-3.0 * (value - 0.8)).exp()));
    let missing: Vec<usize> =
        (0..400).filter(|row| !rows.table().unwrap().numbers_observed[3 * row + 2]).collect();
    let mean = |values: &[f64]| missing.iter().map(|&row| values[row]).sum::<f64>() / missing.len() as f64;
    let of = |depends: &str| {
        let settings = json!({ "hidden": [16], "latent": 2, "epochs": 60, "rate": 0.01, "samples": 100,
                               "importance": 5, "missing-depends": depends, "direction": "high" });
        let model = fitted(&coder, &rows, &settings);
        (mean(&last_column(&model, &coder, &rows, None)), model.summary().to_string())
    };
    let (ignorant, told) = (of("nothing"), of("itself"));
    let wanted = mean(&truth);
    assert!(ignorant.0 < wanted - 0.05, "{ignorant:?} {wanted}");
    assert!((told.0 - wanted).abs() < (ignorant.0 - wanted).abs(), "{told:?} {ignorant:?} {wanted}");
    assert!(told.1.contains("hide themselves: `c` (large ones)") && !ignorant.1.contains("hide"), "{told:?}");
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let refused = |settings: Value, words: &str| {
        let error = Settings::checked(&settings).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(json!({ "free-bits": 0.1, "importance": 2 }), "ELBO");
    let free = Settings::checked(&json!({ "free-bits": 0.1 })).unwrap();
    assert!(free.kind(Shape::Images).is_ok(), "images have one latent each where nothing else is said");
    assert!(free.kind(Shape::Table).err().unwrap().to_string().contains("ELBO"));
    refused(json!({ "missing-depends": "itself", "likelihood": "student-t" }), "normal likelihood");
    refused(json!({ "hide": 1.0 }), "from 0 to below 1");
    refused(json!({ "importance": 0 }), "not from 1");
    let (coder, rows, _) = table(10, |_, _| false);
    let examples = Examples::new(&coder, &rows, None).unwrap();
    let run = Run::new(1, 1).unwrap();
    for settings in [json!({ "filters": [4] }), json!({ "likelihood": "bernoulli" })] {
        assert!(Dvae.fit(&settings, examples, &run).err().unwrap().to_string().contains("for images"));
    }
}

#[test]
fn likelihoods_of_rows_are_higher_where_rows_are_like_others() {
    let (coder, rows, _) = table(200, |_, _| false);
    let settings = json!({ "hidden": [16], "latent": 2, "epochs": 40, "rate": 0.01 });
    let model = fitted(&coder, &rows, &settings);
    assert!(model.summary().to_string().contains("clean data"));
    let mut odd = rows.clone();
    // The second column goes down as the first goes up: not here.
    let cells = &mut odd.table_mut().unwrap().numbers;
    cells.chunks_mut(3).for_each(|row| row[1] = -row[1]);
    let mean = |rows: &Rows| model.log_likelihoods(rows, 20).unwrap().iter().sum::<f64>() / 200.0;
    assert!(mean(&rows) > mean(&odd) + 1.0, "{} {}", mean(&rows), mean(&odd));
}

#[test]
fn what_is_hidden_by_itself_follows_the_share_of_holes() {
    let usual = Settings::checked(&json!({})).unwrap();
    for (shape, missing, hides, patience) in
        [(Shape::Table, 0.0, 0.5, 40), (Shape::Table, 0.3, 0.0, 0), (Shape::Images, 0.3, 0.5, 40)]
    {
        assert_eq!((usual.hides(shape, missing), usual.patience(shape, missing)), (hides, patience));
        assert_eq!(usual.plan(shape, 640, missing).patience, Some(patience).filter(|own| *own > 0));
    }
    let set = Settings::checked(&json!({ "hide": 0.3, "patience": 7 })).unwrap();
    assert_eq!((set.hides(Shape::Table, 0.3), set.patience(Shape::Table, 0.3)), (0.3, 7));
    let masks = Settings::checked(&json!({ "masks": "uniform" })).unwrap();
    assert_eq!(masks.hides(Shape::Table, 0.3), 0.5, "a kind of mask is named to be used");
}

/// What several draws begin with is done once, and changes nothing.
#[test]
fn draws_handed_over_together_are_those_asked_for_one_by_one() {
    let (coder, rows, _) = table(60, |_, chance| chance < 0.3);
    for importance in [1, 3] {
        let settings = json!({ "hidden": [8], "latent": 2, "epochs": 2, "importance": importance });
        let model = fitted(&coder, &rows, &settings);
        let draws: Vec<Option<Draw>> = std::iter::once(None)
            .chain((1..4).map(|number| Some(Draw { seed: 1, number, first_row: 0 })))
            .collect();
        let mut together = Vec::new();
        let mut take = |filled| {
            together.push(filled);
            Ok(())
        };
        model.fill_by_draws(&rows, &draws, &mut take).unwrap();
        for (draw, filled) in draws.iter().zip(&together) {
            let mut own = rows.clone();
            model.fill(&mut own, *draw).unwrap();
            assert_eq!(own.table().unwrap().numbers, filled.table().unwrap().numbers, "{importance}");
        }
    }
}
