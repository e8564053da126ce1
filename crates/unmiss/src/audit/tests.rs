//! Audits of functions whose figures are known, and of small networks.

use super::*;
use crate::data::{Column, Kind};
use crate::model::{Aim, Recipe};
use crate::rng::Stream;

const COLUMNS: usize = 20;

/// Positive numbers without holes, and a target that is their mean with noise.
fn positive(rows: usize) -> (Table, Vec<String>) {
    let draw = |row: usize, column: usize| Stream::new(5, "audit test", row as u64, column as u64).uniform();
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("x{column}")).collect();
    let numbers = |column| (0..rows).map(|row| draw(row, column)).collect::<Vec<f64>>();
    let mut columns: Vec<Column> = names
        .iter()
        .enumerate()
        .map(|(place, name)| Column::from_numbers(name, Kind::Real, &numbers(place)))
        .collect();
    let target: Vec<f64> = (0..rows)
        .map(|row| (0..6).map(|column| draw(row, column)).sum::<f64>() + 0.1 * draw(row, 99))
        .collect();
    columns.push(Column::from_numbers("y", Kind::Real, &target));
    (Table::new(columns).unwrap(), names)
}

fn settings() -> AuditSettings {
    AuditSettings { rows: 60, levels: 10, masks: 20, target: Some("y".into()), contrast: false }
}

/// The sum of the known cells, to which a missing one adds nothing.
fn zero_filled_sum(table: &Table) -> Result<Vec<f64>> {
    let cell =
        |column: &Column, row: usize| if column.observed[row] { column.numbers().unwrap()[row] } else { 0.0 };
    Ok((0..table.rows()).map(|row| table.columns().iter().map(|column| cell(column, row)).sum()).collect())
}

#[test]
fn a_sum_of_known_cells_has_the_figures_computed_by_hand() {
    // Every cell is 1.5 but for the first, by which rows differ: 1.5 + row / 1000.
    let cell = |row: usize, column: usize| if column == 0 { 1.5 + row as f64 / 1000.0 } else { 1.5 };
    let rows = 50;
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("x{column}")).collect();
    let columns = names.iter().enumerate().map(|(place, name)| {
        Column::from_numbers(name, Kind::Real, &(0..rows).map(|row| cell(row, place)).collect::<Vec<_>>())
    });
    let mut columns: Vec<Column> = columns.collect();
    let target: Vec<f64> = (0..rows).map(|row| row as f64 + 0.5).collect();
    columns.push(Column::from_numbers("y", Kind::Real, &target));
    let table = Table::new(columns).unwrap();
    let found = audit(&table, &names, &zero_filled_sum, &settings(), &Run::new(1, 2).unwrap()).unwrap();
    // Level means are 30 k / n but for the first cell's small part, so the slope is 30 / sd of the answers. The
    // answers differ by row / 1000 with rows 0..50: sd = sqrt((50^2 - 1) / 12) / 1000.
    let deviation = (2499.0_f64 / 12.0).sqrt() / 1000.0;
    assert!((found.answer_deviation - deviation).abs() < 1e-9);
    assert!((found.figures.slope * deviation - 30.0).abs() < 0.05, "{}", found.figures.slope * deviation);
    assert!(found.figures.share > 0.999, "{}", found.figures.share);
    assert_eq!(found.figures.spearman, 1.0);
    // From 1 to 20 known cells the sum goes from 1.5 to 30; the targets' sd is 1000 times that of the answers.
    assert!((found.target_deviation - 1000.0 * deviation).abs() < 1e-6);
    assert!((found.figures.range - 28.5 / (1000.0 * deviation)).abs() < 0.005, "{}", found.figures.range);
    assert!((found.figures.drift_in_units + 28.5).abs() < 0.05 && found.figures.drift_at == 0.05);
    assert_eq!(found.verdict, Verdict::StrongDrift);
    assert!((found.curve[0].mean - 1.5).abs() < 0.05 && (found.curve[9].mean - 30.0).abs() < 0.05);
    // Without its cell the answer falls by 1.5.
    for effect in &found.columns {
        assert!((effect.mean_change * deviation + 1.5).abs() < 0.06, "{effect:?}");
        assert!(effect.rows == rows && !effect.alarming && effect.complete_in_training.is_none());
    }
    assert_eq!(found.data.coefficient_of_variation, 0.0);
}

#[test]
fn a_constant_answer_is_flat_in_every_figure() {
    let (table, names) = positive(30);
    let constant = |table: &Table| -> Result<Vec<f64>> { Ok(vec![0.1; table.rows()]) };
    let found = audit(&table, &names, &constant, &settings(), &Run::new(1, 1).unwrap()).unwrap();
    let Figures { slope, share, range, spearman, drift, intervals, .. } = found.figures;
    assert_eq!([slope, share, range, spearman, drift], [0.0; 5]);
    assert_eq!(intervals.slope, [0.0; 2]);
    assert_eq!(found.verdict, Verdict::Flat);
    assert!(found.columns.iter().all(|effect| effect.mean_absolute_change == 0.0));
    let json = serde_json::to_string(&found).unwrap();
    assert!(!json.contains("null,\"share\"") && json.contains("\"slope\":0.0"), "{json}");
}

#[test]
fn an_honest_answer_that_falls_back_to_the_mean_is_flat() {
    // E(y | known cells) of y = sum of 20 cells, each uniform: a missing cell counts its mean 1/2.
    let (table, names) = positive(400);
    let fallback = |table: &Table| -> Result<Vec<f64>> {
        let missing =
            |row: usize| table.columns().iter().filter(|column| !column.observed[row]).count() as f64;
        let sums = zero_filled_sum(table)?;
        Ok(sums.into_iter().enumerate().map(|(row, sum)| sum + 0.5 * missing(row)).collect())
    };
    let settings = AuditSettings { rows: 300, ..settings() };
    let found = audit(&table, &names, &fallback, &settings, &Run::new(2, 2).unwrap()).unwrap();
    assert_eq!(found.verdict, Verdict::Flat, "{:?}", found.figures);
    // Single rows do move, each towards the mean: that is no fault.
    assert!(found.figures.range > 0.1, "{:?}", found.figures);
}

#[test]
fn a_normalised_sum_is_flat_where_the_plain_one_drifts() {
    // E[K/k sum of k cells drawn at random] = K mean(cells), whatever k is.
    let (table, names) = positive(200);
    let normalised = |table: &Table| -> Result<Vec<f64>> {
        let known = |row: usize| table.columns().iter().filter(|column| column.observed[row]).count();
        let factor = |row: usize| COLUMNS as f64 / known(row).max(1) as f64;
        Ok(zero_filled_sum(table)?.into_iter().enumerate().map(|(row, sum)| factor(row) * sum).collect())
    };
    let run = Run::new(4, 2).unwrap();
    let plain = audit(&table, &names, &zero_filled_sum, &settings(), &run).unwrap();
    let flat = audit(&table, &names, &normalised, &settings(), &run).unwrap();
    assert_eq!((plain.verdict, flat.verdict), (Verdict::StrongDrift, Verdict::Flat), "{:?}", flat.figures);
    // Its scatter shrinks as more is known.
    assert!(flat.curve.windows(2).all(|pair| pair[0].scatter > pair[1].scatter), "{:?}", flat.curve);
}

#[test]
fn hidden_values_can_not_be_read() {
    let (table, names) = positive(30);
    let peeking = |table: &Table| -> Result<Vec<f64>> {
        let read = |column: &Column, row: usize| column.numbers().unwrap()[row];
        Ok((0..table.rows())
            .map(|row| table.columns().iter().map(|column| read(column, row)).sum())
            .collect())
    };
    let run = Run::new(1, 1).unwrap();
    let peeked = audit(&table, &names, &peeking, &settings(), &run).unwrap();
    assert_eq!(peeked, audit(&table, &names, &zero_filled_sum, &settings(), &run).unwrap());
}

/// A perceptron on min-max data with positive numbers: zero imputation, and the contrast with normalisation.
///
/// Nothing is asserted of which of the two is flatter: for trained networks it differs from table to table and
/// from seed to seed, which is why the audit measures it.
#[test]
fn a_perceptron_is_contrasted_with_its_normalised_twin_for_any_number_of_threads() {
    let (complete, names) = positive(400);
    let mechanism = crate::missing::Mechanism::Mcar(0.1);
    let table = crate::missing::hide(&complete, &mechanism, &names, 1).unwrap().table;
    let data = Data::from(table.clone());
    let recipe = Recipe::named("mlp").unwrap();
    let recipe = recipe.set("missing", "zero").unwrap().set("scale", "min-max").unwrap();
    let recipe =
        recipe.set("hidden", "[16]").unwrap().set("epochs", "40").unwrap().set("batch", "32").unwrap();
    let run = Run::new(3, 1).unwrap();
    let model = Model::fit(&data, &Aim::predict("y"), &recipe, &run).unwrap();
    let settings = AuditSettings { contrast: true, ..settings() };
    let found = audit_model(&model, &data, &settings, &run).unwrap();
    let contrast = found.contrast.as_ref().expect("a perceptron can be normalised");
    assert!(found.figures.drift.abs() > STRONG, "{:?}", found.figures);
    assert!(contrast.with.figures != found.figures && contrast.with.curve.len() == found.curve.len());
    assert_eq!(contrast.with.changed, "missing=sparsity-normalization");
    assert_eq!(found.settings.target.as_deref(), Some("y"));
    assert!(found.columns.iter().all(|effect| effect.complete_in_training == Some(false)));
    assert!(found.summary.last().unwrap().contains("instead of"), "{:?}", found.summary);

    let again = audit_model(&model, &data, &settings, &Run::new(3, 2).unwrap()).unwrap();
    assert_eq!(found, again);
    // The same model through tables instead of encoded rows gives the same curve.
    let through_tables = |rows: &Table| match model.predicting()?.predict(&rows.clone().into(), |_, _| {})? {
        crate::model::Predictions::Numbers(values) => Ok(values),
        crate::model::Predictions::Probabilities(values) => Ok(values),
    };
    let foreign = audit(&table, &names, &through_tables, &settings, &run).unwrap();
    assert_eq!(foreign.curve, found.curve);
    assert_eq!(foreign.figures, found.figures);
}

#[test]
fn classes_are_told_apart_and_columns_the_model_never_missed_are_warned_of() {
    let (table, names) = positive(300);
    let sums = table.column("y").unwrap().numbers().unwrap().to_vec();
    let word = |sum: f64| {
        Some(if sum < 2.6 {
            "a"
        } else if sum < 3.4 {
            "b"
        } else {
            "c"
        })
    };
    let words: Vec<Option<&str>> = sums.iter().map(|sum| word(*sum)).collect();
    let mut columns: Vec<Column> = table.columns()[..COLUMNS].to_vec();
    columns.push(Column::from_words("class", Kind::Category, &words));
    let data = Data::from(Table::new(columns).unwrap());
    let run = Run::new(1, 2).unwrap();
    let recipe = Recipe::named("linear").unwrap().set("missing", "sparsity-normalization").unwrap();
    let model = Model::fit(&data, &Aim::predict("class"), &recipe, &run).unwrap();
    let found = audit_model(&model, &data, &settings(), &run).unwrap();
    assert_eq!(found.per_class.iter().map(|one| one.class.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    let most = found.per_class.iter().map(|one| one.figures.drift.abs()).fold(0.0, f64::max);
    assert_eq!(found.figures.drift.abs(), most);
    assert!(found.class.is_some() && found.contrast.is_none());
    assert!(found.columns.iter().all(|effect| effect.complete_in_training == Some(true)));
    assert_eq!(found.warnings.len(), found.columns.iter().filter(|effect| effect.alarming).count());
    assert!(names.contains(&found.columns[0].column));
    assert_eq!(found.examples.len(), 5);
    assert!(found.examples.windows(2).all(|pair| pair[0].answer <= pair[1].answer));
}

#[test]
fn bad_answers_and_bad_settings_are_refused() {
    let (table, names) = positive(30);
    let run = Run::new(1, 1).unwrap();
    let fails =
        |predict: &Predict<'_>| audit(&table, &names, predict, &settings(), &run).unwrap_err().to_string();
    assert!(fails(&|_| Ok(vec![1.0])).contains("gave 1 numbers"));
    assert!(fails(&|table| Ok(vec![f64::NAN; table.rows()])).contains("answered NaN"));
    assert!(fails(&|_| Err(Error::data("out of order"))).contains("out of order"));
    for wrong in [
        AuditSettings { rows: 0, ..settings() },
        AuditSettings { levels: 1, ..settings() },
        AuditSettings { masks: 0, ..settings() },
        AuditSettings { rows: 1_000_000, masks: 1000, ..settings() },
    ] {
        assert!(audit(&table, &names, &zero_filled_sum, &wrong, &run).is_err(), "{wrong:?}");
    }
    let sparse = Table::new(vec![Column::from_numbers("x0", Kind::Real, &[1.5, f64::NAN])]).unwrap();
    let error =
        audit(&sparse, &["x0".into()], &zero_filled_sum, &AuditSettings::default(), &run).unwrap_err();
    assert!(error.to_string().contains("two known inputs"));
}

#[test]
fn a_stopped_audit_says_so_or_gives_what_it_has() {
    let (table, names) = positive(60);
    let run = Run::new(1, 1).unwrap();
    let stop = run.stop_switch();
    let stopping = |table: &Table| {
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        zero_filled_sum(table)
    };
    // The one call answers for all 60 rows: enough for the curve, while single columns are left out.
    let found = audit(&table, &names, &stopping, &settings(), &run).unwrap();
    assert!(found.rows == 60 && found.columns.is_empty());
    assert!(matches!(audit(&table, &names, &stopping, &settings(), &run), Err(Error::Stopped)));
}

#[test]
fn all_that_is_made_of_a_column_is_hidden_together() {
    let (table, _) = positive(60);
    let dates = (0..60).map(|row| format!("2024-0{}-{:02}", 1 + row / 28, 1 + row % 28)).collect();
    let dates = Column {
        name: "came".into(),
        kind: Kind::Date,
        values: crate::data::Values::Texts(dates),
        observed: vec![true; 60],
    };
    let wanted = ["x0", "x1", "y"].map(|name| table.column(name).unwrap().clone());
    let data = Data::from(Table::new([vec![dates], wanted.to_vec()].concat()).unwrap());
    let run = Run::new(1, 2).unwrap();
    let model = Model::fit(&data, &Aim::predict("y"), &Recipe::named("linear").unwrap(), &run).unwrap();
    assert!(model.coder.names().len() > 3);
    let found = audit_model(&model, &data, &settings(), &run).unwrap();
    assert_eq!(found.data.known_cells.median, 3);
    assert_eq!(found.columns.len(), 3);
    assert!(found.columns.iter().any(|effect| effect.column == "came"));
}
