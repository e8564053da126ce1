use serde_json::json;

use super::*;
use crate::methods::made::conditional::{Conditional, log_sum};

fn network(forms: Vec<Conditional>, settings: &serde_json::Value) -> (Network, Parameters) {
    let settings = Settings::checked(settings).unwrap();
    let legal = forms.iter().map(|form| form.outputs()).collect();
    let features = Features { forms, legal, marked: settings.hide > 0.0 };
    let order = |number| Order::new(features.forms.len(), &settings.hidden, 5, number);
    let network = Network::new(&settings, features.clone(), (0..settings.masks).map(order).collect(), 3.0);
    let mut parameters = network.parameters(2);
    let mut stream = Stream::new(7, "made test", 0, 0);
    // Weights of some size, so that everything depends on everything that it may depend on.
    parameters
        .iter_mut()
        .for_each(|own| own.values.iter_mut().for_each(|value| *value = stream.normal() as f32));
    (network, parameters)
}

const MIXED: [Conditional; 5] = [
    Conditional::Normals(2),
    Conditional::Categorical(3),
    Conditional::Bernoulli,
    Conditional::Normals(1),
    Conditional::Categorical(2),
];

/// What is said of a feature changes with those before it and with no other; the published normalisation breaks that.
#[test]
fn outputs_depend_on_earlier_features_alone_but_for_the_published_normalisation() {
    for (normalization, autoregressive) in
        [("none", true), ("valid", true), ("paper", false), ("paper-all", false)]
    {
        for (hidden, hide) in [(json!([40]), 0.5), (json!([30, 30]), 0.0)] {
            let settings =
                json!({ "hidden": hidden, "masks": 2, "normalization": normalization, "hide": hide });
            let (network, parameters) = network(MIXED.to_vec(), &settings);
            let (mut earlier, mut later) = (0, 0);
            for order in 0..2 {
                let before = [0.5, 1.0, 1.0, -0.7, 1.0];
                let known = [true; 5];
                let said = network.said(&parameters, order, &[(&before, &known)]);
                for changed in 0..5 {
                    // Another value, and none at all.
                    let (mut values, mut marks) = (before, known);
                    (values[changed], marks[changed]) = (0.0, changed % 2 == 0);
                    let moved = network.said(&parameters, order, &[(&values, &marks)]);
                    let places = &network.orders[order].places;
                    for feature in 0..5 {
                        let differs = network.part(&said, feature) != network.part(&moved, feature);
                        let is_earlier = places[changed] < places[feature];
                        earlier += usize::from(differs && is_earlier);
                        later += usize::from(differs && !is_earlier);
                    }
                }
            }
            assert!(earlier >= 14, "{normalization}: what comes before is heard ({earlier} of 20)");
            assert_eq!(later == 0, autoregressive, "{normalization}: {later} hear what comes after");
        }
    }
}

/// All 2¹⁰ rows of ten binary features.
#[test]
fn probabilities_of_all_binary_rows_add_up_to_one() {
    for (normalization, sums_to_one) in [("none", true), ("valid", true), ("paper", false)] {
        let settings = json!({ "hidden": [20], "masks": 3, "normalization": normalization, "hide": 0.0 });
        let (network, parameters) = network(vec![Conditional::Bernoulli; 10], &settings);
        let rows: Vec<Vec<f32>> =
            (0..1024_u32).map(|bits| (0..10).map(|bit| (bits >> bit & 1) as f32).collect()).collect();
        let known = [true; 10];
        let lines: Vec<(&[f32], &[bool])> = rows.iter().map(|row| (row.as_slice(), &known[..])).collect();
        let logs: Vec<Vec<f64>> = (0..3)
            .map(|order| {
                let said = network.said(&parameters, order, &lines);
                let row = |(row, said): (&Vec<f32>, &[f32])| network.log_density(said, row, &known);
                rows.iter().zip(said.chunks_exact(10)).map(row).collect()
            })
            .collect();
        let total: f64 = (0..1024)
            .map(|row| (log_sum(&[logs[0][row], logs[1][row], logs[2][row]]) - 3.0_f64.ln()).exp())
            .sum();
        assert_eq!((total - 1.0).abs() < 1e-5, sums_to_one, "{normalization}: {total}");
    }
}

#[test]
fn hidden_units_never_reach_beyond_the_order() {
    let order = Order::new(6, &[50, 40], 1, 0);
    assert!(order.degrees.iter().flatten().all(|degree| *degree <= 4));
    let lowest = order.degrees[0].iter().min().unwrap();
    assert!(order.degrees[1].iter().all(|degree| degree >= lowest));
    let mut sequence = order.sequence();
    assert!(sequence.iter().enumerate().all(|(place, feature)| order.places[*feature] == place));
    sequence.sort_unstable();
    assert_eq!(sequence, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn the_scale_of_the_valid_form_counts_what_a_unit_may_know_of() {
    let settings = json!({ "hidden": [8], "masks": 1, "normalization": "valid", "hide": 0.0 });
    let (network, _) = network(vec![Conditional::Bernoulli; 4], &settings);
    let order = &network.orders[0];
    let line = [1.0, 0.0, 1.0, 1.0];
    let counts: Vec<f32> = network.counts(&line, &network.masks[0][0]).collect();
    for (unit, count) in counts.iter().enumerate() {
        let seen =
            (0..4).filter(|input| order.places[*input] <= order.degrees[0][unit] && line[*input] > 0.0);
        assert_eq!(*count, seen.count() as f32);
    }
}
