use super::*;

use serde_json::json;

use crate::data::{Column, Data, Kind, Table};
use crate::encode::{ClassWeights, Coder, Rows, TargetEncoder, Targets};
use crate::rng::Stream;

/// y = 2a + noise, b = a + noise; where a is missing, b tells it.
fn data(rows: usize) -> (Coder, Rows, Targets) {
    let mut stream = Stream::new(1, "impute then predict", 0, 0);
    let mut lines = Vec::new();
    for row in 0..rows {
        let a = 3.0 + stream.normal();
        let missing = row % 3 == 1;
        let b = a + 0.1 * stream.normal();
        lines.push((if missing { f64::NAN } else { a }, b, 2.0 * a + 0.1 * stream.normal()));
    }
    let column = |name: &str, of: fn(&(f64, f64, f64)) -> f64| {
        Column::from_numbers(name, Kind::Real, &lines.iter().map(of).collect::<Vec<_>>())
    };
    let columns = vec![column("a", |line| line.0), column("b", |line| line.1), column("y", |line| line.2)];
    let data = Data::from(Table::new(columns).unwrap());
    let encoding = ImputeThenPredict.encoding(&Value::Null).unwrap();
    let coder = Coder::fit(&data, &["a".into(), "b".into()], encoding).unwrap();
    let encoded = coder.encode(&data, |_, _| {}).unwrap();
    let target = TargetEncoder::fit(&data, "y", None).unwrap();
    let targets = target.encode(&data, None, ClassWeights::Equal).unwrap();
    (coder, encoded, targets)
}

fn error(settings: &Value) -> f64 {
    let (coder, rows, targets) = data(150);
    let run = Run::new(1, 1).unwrap();
    let examples = Examples::new(&coder, &rows, Some(&targets)).unwrap();
    let learned = run.compute(|| ImputeThenPredict.fit(settings, examples, &run)).unwrap();
    let answers = learned.predictor().unwrap().predict(&rows).unwrap();
    let squares = answers.iter().zip(&targets.numbers).map(|(a, t)| (a - f64::from(*t)).powi(2));
    (squares.sum::<f64>() / answers.len() as f64).sqrt()
}

#[test]
fn a_better_imputer_makes_better_predictions() {
    // With the mean in place of a, a third of the rows is told by b alone, whose slope the others pull away.
    let (mean, gaussian) = (error(&json!({ "imputer": "mean" })), error(&json!({})));
    assert!(gaussian < 0.12 && gaussian < 0.9 * mean, "{gaussian} {mean}");
    let drawn = error(&json!({ "draws": 10 }));
    assert!(drawn < 0.15, "{drawn}");
}

#[test]
fn trees_take_filled_rows_in_units_of_their_own() {
    let settings = json!({ "predictor": "forest", "predictor-settings": { "trees": 30 } });
    assert!(error(&settings) < 0.25, "{}", error(&settings));
}

#[test]
fn names_that_do_not_fit_are_refused_with_those_that_do() {
    let refused = |settings: Value| ImputeThenPredict.check(&settings).unwrap_err();
    let error = refused(json!({ "imputer": "linear" }));
    assert!(error.to_string().contains("`linear` is no method that fills holes"), "{error}");
    assert!(error.hint_text().contains("gaussian"), "{}", error.hint_text());
    let error = refused(json!({ "predictor": "impute-then-predict" }));
    assert!(error.to_string().contains("is no method that predicts"), "{error}");
    let error = refused(json!({ "imputer": "dvae", "imputer-settings": { "latnt": 3 } }));
    assert!(error.to_string().contains("latnt") && error.hint_text().contains("latent"), "{error}");
    assert!(ImputeThenPredict.check(&json!({ "imputer": "dvae", "predictor": "mlp", "draws": 5 })).is_ok());
}
