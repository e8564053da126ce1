//! Compares two methods on rows with holes, fits the better one, and predicts a horse of which less and less is known.
//!
//! `cargo run --release -p unmiss --example predict_with_holes`

use unmiss::compare::fit_best;
use unmiss::data::{Column, Data, read};
use unmiss::error::Result;
use unmiss::model::{Predictions, Recipe, Roles};
use unmiss::run::Run;

fn main() -> Result<()> {
    // A quarter of the cells is missing. Nothing is filled, encoded or scaled.
    let horses = read("sample:horse-colic".as_ref(), &Default::default())?.table;
    // What became known only after the operation must not be learned from.
    let after = ["outcome", "lesion_type1", "lesion_type2", "lesion_type3", "cp_data", "hospital_number"];
    let ignore = after.map(str::to_owned).to_vec();
    let roles = Roles { ignore, ..Roles::target("surgical_lesion") };

    let recipes = [Recipe::named("linear")?, Recipe::named("trees")?];
    let (model, choice) = fit_best(&horses.clone().into(), &roles, &recipes, Some(5), &Run::new(0, 0)?)?;
    println!("{}\n", choice.words().join("\n"));

    let predicting = model.predicting()?;
    let inputs = predicting.coder.names();
    let mut horse = horses.select(&[0]);
    println!("known cells   chance of each class {:?}", predicting.target.levels);
    loop {
        let of_use = |column: &Column| column.observed[0] && inputs.contains(&column.name.as_str());
        let known = horse.columns().iter().filter(|column| of_use(column)).count();
        // What is told of unseen categories is of no interest here: there are none.
        let answer = predicting.predict(&Data::from(horse.clone()), |_, _| {})?;
        if let Predictions::Probabilities(chances) = answer {
            println!("{known:>11}   {chances:.2?}");
        }
        // Forget half of what is known; a row of holes only is a row like any other.
        let seen = horse.columns_mut().iter_mut().filter(|column| of_use(column));
        seen.take(known.div_ceil(2)).for_each(|column| column.observed[0] = false);
        if known == 0 {
            return Ok(());
        }
    }
}

#[test]
fn runs() -> Result<()> {
    main()
}
