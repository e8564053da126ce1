//! Fills a table in twenty plausible ways, does the same analysis on each, and joins the twenty answers by Rubin's
//! rules.
//!
//! `cargo run --release -p unmiss --example fill_and_pool`

use unmiss::data::{Column, Data, read};
use unmiss::error::Result;
use unmiss::methods::Draw;
use unmiss::model::{Aim, Model, Recipe};
use unmiss::pool::{Estimate, pool};
use unmiss::run::Run;

/// The analysis: the mean of a column's known values, with its squared standard error.
fn mean(column: &Column) -> Estimate {
    let numbers = column.numbers().unwrap_or_default();
    let known = numbers.iter().zip(&column.observed).filter(|(_, observed)| **observed);
    let values: Vec<f64> = known.map(|(value, _)| *value).collect();
    let count = values.len() as f64;
    let value = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|one| (one - value).powi(2)).sum();
    Estimate { value, variance: squares / (count - 1.0) / count }
}

fn main() -> Result<()> {
    let horses: Data = read("sample:horse-colic".as_ref(), &Default::default())?.table.into();
    let column = "abdominocentesis_total_protein"; // two thirds of it are missing
    let model = Model::fit(&horses, &Aim::fill(), &Recipe::named("gaussian")?, &Run::new(0, 0)?)?;
    let filling = model.filling()?;
    let say = |what: &str, value: f64, error: f64| println!("{what:<32} {value:.2} +- {error:.2}");

    let known = mean(horses.column(column)?);
    say("known cells only", known.value, known.variance.sqrt());

    // One best guess for each hole: the table looks complete, and the mean looks surer than it is.
    let once = mean(filling.fill(&horses, None, |_, _| {})?.data.column(column)?);
    say("filled once, taken for known", once.value, once.variance.sqrt());

    let draws: Vec<Estimate> = (0..20)
        .map(|number| {
            let draw = Draw { seed: 0, number, first_row: 0 };
            Ok(mean(filling.fill(&horses, Some(draw), |_, _| {})?.data.column(column)?))
        })
        .collect::<Result<_>>()?;
    let pooled = pool(&draws, Some(horses.rows() as f64 - 1.0), 0.95)?;
    say("20 draws, pooled", pooled.estimate, pooled.standard_error);
    println!("{:.0} % of that variance is due to the holes", 100.0 * pooled.share_of_holes);
    Ok(())
}

#[test]
fn runs() -> Result<()> {
    main()
}
