use super::*;
use crate::nn::product::tests::random;
use crate::run::Run;

/// Made by `tests/golden/optimizers.py`.
const GOLDEN: &str = include_str!("../../../tests/golden/optimizers.json");

#[derive(Deserialize)]
struct Golden {
    start: Vec<f32>,
    gradients: Vec<Vec<f32>>,
    cases: std::collections::BTreeMap<String, Vec<Vec<f32>>>,
}

fn case(name: &str) -> (Optimizer, f32, f32) {
    let rprop = Optimizer::Rprop { shrink: 0.5, grow: 1.2, smallest: 1e-6, largest: 50.0 };
    match name {
        "sgd" => (Optimizer::Sgd { momentum: 0.0, nesterov: false }, 0.1, 0.0),
        "sgd-momentum" => (Optimizer::Sgd { momentum: 0.9, nesterov: false }, 0.05, 0.01),
        "sgd-nesterov" => (Optimizer::Sgd { momentum: 0.8, nesterov: true }, 0.05, 0.0),
        "adam" => (Optimizer::default(), 0.01, 0.0),
        "adam-decay" => (Optimizer::Adam { beta1: 0.9, beta2: 0.95, epsilon: 1e-8 }, 0.04, 0.02),
        "adam-w" => (Optimizer::adam_w(), 0.02, 0.1),
        "rprop" => (rprop, 0.01, 0.0),
        "adadelta" => (Optimizer::Adadelta { rho: 0.9, epsilon: 1e-6 }, 1.0, 0.0),
        "adadelta-decay" => (Optimizer::Adadelta { rho: 0.95, epsilon: 1e-6 }, 0.5, 0.01),
        "rms-prop" => (Optimizer::rms_prop(), 0.02, 0.0),
        "rms-prop-decay" => (Optimizer::RmsProp { rho: 0.99, epsilon: 1e-8 }, 0.01, 0.05),
        other => panic!("no case {other}"),
    }
}

#[test]
fn every_step_is_the_reference_implementation_s() {
    let golden: Golden = serde_json::from_str(GOLDEN).unwrap();
    assert_eq!(golden.cases.len(), 11);
    for (name, course) in &golden.cases {
        let (optimizer, rate, decay) = case(name);
        let mut weights = golden.start.clone();
        let mut state = optimizer.state(weights.len());
        for (index, (gradient, truth)) in golden.gradients.iter().zip(course).enumerate() {
            // Half the gradient at twice the scale: clipping's factor is part of the rule.
            let half: Vec<f32> = gradient.iter().map(|g| g * 0.5).collect();
            let step = Step { number: index as u64 + 1, rate, decay, scale: 2.0 };
            optimizer.update(step, &mut weights, &half, &mut state);
            for (ours, theirs) in weights.iter().zip(truth) {
                let error = (ours - theirs).abs();
                assert!(error < 2e-6 * theirs.abs().max(1.0), "{name}, step {index}: {ours} {theirs}");
            }
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let golden: Golden = serde_json::from_str(GOLDEN).unwrap();
    let length = 3 * PIECE + 17;
    let (start, gradient) = (random(length, "start"), random(length, "gradient"));
    for name in golden.cases.keys() {
        let (optimizer, rate, decay) = case(name);
        let work = || {
            let (mut weights, mut state) = (start.clone(), optimizer.state(length));
            for number in 1..4 {
                let step = Step { number, rate, decay, scale: 0.5 };
                optimizer.update(step, &mut weights, &gradient, &mut state);
            }
            weights
        };
        let with = |threads| Run::new(1, threads).unwrap().compute(work);
        assert_eq!(with(1), with(2), "{name}");
    }
}

#[test]
fn settings_may_leave_out_the_usual_numbers() {
    let read = |text| serde_json::from_str::<Optimizer>(text).unwrap();
    assert_eq!(read(r#"{"adam": {}}"#), Optimizer::default());
    assert_eq!(read(r#"{"adam-w": {"beta2": 0.999}}"#), Optimizer::adam_w());
    assert!(serde_json::from_str::<Optimizer>(r#"{"adam": {"beta3": 1}}"#).is_err());
}

#[test]
fn the_norm_is_that_of_all_gradients_together() {
    let parts = [vec![3.0; 2000], vec![4.0; 1125]];
    let norm = square_norm(parts.iter().map(Vec::as_slice)).sqrt();
    assert!((norm - (9.0 * 2000.0 + 16.0 * 1125.0_f64).sqrt()).abs() < 1e-9);
    assert!(square_norm([&[f32::NAN][..]].into_iter()).is_nan());
}
