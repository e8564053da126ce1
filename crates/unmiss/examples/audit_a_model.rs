//! Does an answer drift with how much is known? Asked of a model of ours, and of a score that anybody might write down.
//!
//! `cargo run --release -p unmiss --example audit_a_model`

use unmiss::audit::{AuditSettings, audit, audit_model};
use unmiss::data::{Data, Table, read};
use unmiss::error::Result;
use unmiss::model::{Aim, Model, Recipe};
use unmiss::run::Run;

/// A score that counts a missing cell as 0, as many do: the more is known of a penguin, the higher it is.
fn score(rows: &Table) -> Result<Vec<f64>> {
    let mut sums = vec![0.0; rows.rows()];
    for (name, usual) in [("bill_length_mm", 44.0), ("bill_depth_mm", 17.0), ("flipper_length_mm", 201.0)] {
        let column = rows.column(name)?;
        let cells = column.numbers().unwrap_or_default().iter().zip(&column.observed);
        for (sum, (value, observed)) in sums.iter_mut().zip(cells) {
            *sum += if *observed { value / usual } else { 0.0 };
        }
    }
    Ok(sums)
}

fn main() -> Result<()> {
    let run = Run::new(0, 0)?;
    let penguins = read("sample:penguins".as_ref(), &Default::default())?.table;
    let settings = AuditSettings { contrast: false, ..AuditSettings::default() };

    let inputs = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm"].map(str::to_owned);
    let found = audit(&penguins, &inputs, &score, &settings, &run)?;
    println!("The score. {}\n", found.summary[0]);

    let penguins = Data::from(penguins);
    let model = Model::fit(&penguins, &Aim::predict("body_mass_g"), &Recipe::named("linear")?, &run)?;
    let found = audit_model(&model, &penguins, &settings, &run)?;
    println!("The model. {}\n", found.summary[0]);
    println!("share known   mean answer of the model");
    for level in found.curve.iter().step_by(3) {
        println!("{:>10.0} %   {:.0} g", 100.0 * level.share, level.mean);
    }
    Ok(())
}

#[test]
fn runs() -> Result<()> {
    main()
}
