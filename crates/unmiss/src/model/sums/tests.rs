//! Models of the built-in samples from rows in parts.

use super::*;
use crate::data::{Data, ReadOptions, Table, read};
use crate::error::Result;
use crate::methods::Recipe;
use crate::model::{Aim, Model};
use crate::run::Run;

fn penguins() -> Table {
    read("sample:penguins".as_ref(), &ReadOptions::default()).unwrap().table
}

/// The model from the table in parts that end at these rows, whose answers but the first come in another order.
fn fitted(aim: &SumAim, method: &str, ends: &[usize]) -> Result<Model> {
    let table = penguins();
    let mut parts = Vec::new();
    let mut start = 0;
    for &end in ends {
        parts.push(table.part(&(start..end).collect::<Vec<_>>(), |_| true));
        start = end;
    }
    let ask = |question: &Question| {
        // What goes over the wire is text.
        let text = serde_json::to_string(question).unwrap();
        let question: Question = serde_json::from_str(&text).unwrap();
        let answers = parts.iter().enumerate().map(|(number, part)| answer(&question, part, number));
        let text = serde_json::to_string(&answers.collect::<Result<Vec<_>>>()?).unwrap();
        Ok(serde_json::from_str(&text).unwrap())
    };
    let recipe = Recipe::find(
        method,
        crate::data::Shape::Table,
        match aim {
            SumAim::Fill => crate::methods::Job::Fill,
            SumAim::Predict(_) => crate::methods::Job::Predict,
        },
    )?;
    fit_sums(aim, &recipe, &[], &Run::new(3, 1)?, &ask)
}

#[test]
fn however_rows_are_cut_the_model_has_the_same_bits() {
    let (all, target) = (penguins().rows(), SumAim::Predict("body_mass_g".into()));
    for (aim, method) in [(&SumAim::Fill, "mean"), (&SumAim::Fill, "gaussian"), (&target, "linear")] {
        let whole = fitted(aim, method, &[all]).unwrap().to_bytes().unwrap();
        for ends in [&[1, 1, 100, all][..], &[17, 18, 19, 200, all]] {
            assert_eq!(fitted(aim, method, ends).unwrap().to_bytes().unwrap(), whole, "{method} {ends:?}");
        }
    }
}

#[test]
fn models_from_sums_answer_as_those_of_a_table_in_memory() {
    let data = Data::from(penguins());
    let run = Run::new(3, 1).unwrap();
    let numbers = |model: &Model| -> Vec<f64> {
        let filled = model.filling().unwrap().fill(&data, None, |_, _| {}).unwrap().data;
        let column = filled.table().unwrap().column("bill_length_mm").unwrap();
        column.numbers().unwrap().to_vec()
    };
    for method in ["mean", "gaussian"] {
        let usual = Model::fit(&data, &Aim::fill(), &Recipe::named(method).unwrap(), &run).unwrap();
        let ours = fitted(&SumAim::Fill, method, &[90, data.rows()]).unwrap();
        let apart =
            numbers(&usual).iter().zip(numbers(&ours)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 0.11, "{method}: {apart}");
    }
    let aim = Aim::predict("body_mass_g");
    let usual = Model::fit(&data, &aim, &Recipe::named("linear").unwrap(), &run).unwrap();
    let ours = fitted(&SumAim::Predict("body_mass_g".into()), "linear", &[90, data.rows()]).unwrap();
    let answers = |model: &Model| {
        let predicting = model.predicting().unwrap();
        predicting.predict_rows(&predicting.coder.encode(&data, |_, _| {}).unwrap()).unwrap()
    };
    for (a, b) in answers(&usual).iter().zip(answers(&ours)) {
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
}

#[test]
fn what_is_no_sum_is_refused() {
    let told = |aim: &SumAim, method: &str| fitted(aim, method, &[5, 344]).err().unwrap().to_string();
    assert!(told(&SumAim::Fill, "chained").contains("no sum over rows"));
    assert!(told(&SumAim::Predict("species".into()), "linear").contains("logistic"));
    assert!(told(&SumAim::Predict("weight".into()), "linear").contains("weight"));
}
