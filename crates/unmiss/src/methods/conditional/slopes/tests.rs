use super::super::head::Head;
use super::super::joint::Joint;
use super::*;
use crate::rng::Stream;

const COLUMNS: usize = 5;
const ROWS: usize = 44;

struct Made {
    values: Vec<f32>,
    observed: Vec<bool>,
    numbers: Vec<f32>,
    classes: Vec<u32>,
    patterns: Vec<u32>,
}

/// Rows with holes, two of each pattern in a row.
fn made() -> Made {
    let mut stream = Stream::new(1, "slopes", 0, 0);
    let values = (0..ROWS * COLUMNS).map(|_| stream.normal() as f32).collect();
    let halves: Vec<bool> = (0..ROWS / 2 * COLUMNS).map(|_| stream.uniform() < 0.6).collect();
    let observed = halves.chunks(COLUMNS).flat_map(|marks| [marks, marks].concat()).collect();
    let numbers = (0..ROWS).map(|_| stream.normal() as f32).collect();
    let classes = (0..ROWS).map(|_| stream.below(3) as u32).collect();
    Made { values, observed, numbers, classes, patterns: (0..ROWS as u32).map(|row| row / 2).collect() }
}

/// A predictor with some numbers everywhere; the last column has no site.
fn answer(loss: Loss, outputs: usize, network: bool) -> Answer {
    let mut stream = Stream::new(2, "slopes", outputs as u64, u64::from(network));
    let mut some = |count: usize, deviation: f64| -> Vec<f64> {
        (0..count).map(|_| deviation * stream.normal()).collect()
    };
    let half = some(COLUMNS * COLUMNS, 0.6);
    let mut covariance = vec![0.0; COLUMNS * COLUMNS];
    add_product(
        &mut covariance,
        (&half, COLUMNS),
        (&crate::linalg::Square::identity(COLUMNS).cells, COLUMNS),
    );
    let lower = covariance.clone();
    covariance.fill(0.0);
    for i in 0..COLUMNS {
        for j in 0..COLUMNS {
            covariance[i * COLUMNS + j] =
                (0..COLUMNS).map(|k| lower[i * COLUMNS + k] * lower[j * COLUMNS + k]).sum();
        }
        covariance[i * COLUMNS + i] += 0.3;
    }
    let directions = outputs + if network { 2 } else { 0 };
    let head = network.then(|| {
        let head = Head { inputs: Answer::inputs(COLUMNS, directions), outputs };
        (head, some(head.len(), 0.3))
    });
    let (mut tilt, mut precision) = (some(COLUMNS, 0.5), some(COLUMNS, 0.5));
    precision.iter_mut().for_each(|precision| *precision = precision.exp());
    (tilt[COLUMNS - 1], precision[COLUMNS - 1]) = (0.0, 0.0);
    let joint =
        Joint::new(some(COLUMNS, 0.5), covariance, (tilt, precision), some(directions * COLUMNS, 0.7));
    Answer { joint, bias: some(outputs, 0.3), marks: some(outputs * COLUMNS, 0.3), head, loss }
}

fn rebuilt(answer: &Answer, change: impl Fn(&mut Answer)) -> Answer {
    let joint = &answer.joint;
    let mut copy = Answer {
        joint: Joint::new(
            joint.mean.clone(),
            joint.covariance.clone(),
            (joint.tilt.clone(), joint.precision.clone()),
            joint.weights.clone(),
        ),
        bias: answer.bias.clone(),
        marks: answer.marks.clone(),
        head: answer.head.clone(),
        loss: answer.loss,
    };
    change(&mut copy);
    let Joint { mean, covariance, tilt, precision, weights, .. } = copy.joint;
    copy.joint = Joint::new(mean, covariance, (tilt, precision), weights);
    copy
}

#[test]
fn slopes_are_those_of_the_loss() {
    let made = made();
    let data = Holes { columns: COLUMNS, values: &made.values, observed: &made.observed };
    let wanted = Wanted { numbers: &made.numbers, classes: &made.classes };
    let rows: Vec<usize> = (0..ROWS).collect();
    for (loss, outputs) in [(Loss::Squares, 1), (Loss::Chances, 1), (Loss::Chances, 3)] {
        for network in [false, true] {
            let answer = answer(loss, outputs, network);
            let value = |answer: &Answer| answer.slopes(data, wanted, &rows, &made.patterns).loss;
            let check = |name: &str, slope: f64, change: &dyn Fn(&mut Answer, f64)| {
                let at = |step: f64| value(&rebuilt(&answer, |answer| change(answer, step)));
                let expected = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!(
                    (slope - expected).abs() < 1e-6,
                    "{loss:?} {outputs} {network} {name}: {slope} {expected}"
                );
            };
            let slopes = answer.slopes(data, wanted, &rows, &made.patterns);
            for i in 0..COLUMNS {
                check("mean", slopes.mean[i], &|answer, step| answer.joint.mean[i] += step);
                if i + 1 < COLUMNS {
                    check("tilt", slopes.tilt[i], &|answer, step| answer.joint.tilt[i] += step);
                    check("precision", slopes.precision[i], &|answer, step| {
                        answer.joint.precision[i] *= step.exp()
                    });
                }
                for j in 0..=i {
                    let own = slopes.covariance[i * COLUMNS + j] * if i == j { 1.0 } else { 2.0 };
                    check("covariance", own, &|answer, step| {
                        answer.joint.covariance[i * COLUMNS + j] += step;
                        if i != j {
                            answer.joint.covariance[j * COLUMNS + i] += step;
                        }
                    });
                }
            }
            for at in 0..answer.joint.weights.len() {
                check("weights", slopes.weights[at], &|answer, step| answer.joint.weights[at] += step);
            }
            check("bias", slopes.bias[outputs - 1], &|answer, step| answer.bias[outputs - 1] += step);
            for at in 0..outputs * COLUMNS {
                check("marks", slopes.marks[at], &|answer, step| answer.marks[at] += step);
            }
            for at in (0..slopes.head.len()).step_by(97) {
                check("head", slopes.head[at], &|answer, step| {
                    if let Some((_, own)) = &mut answer.head {
                        own[at] += step;
                    }
                });
            }
        }
    }
}

/// Rows with the same holes give the same together as each alone, and threads change nothing.
#[test]
fn patterns_and_threads_change_nothing() {
    let made = made();
    let data = Holes { columns: COLUMNS, values: &made.values, observed: &made.observed };
    let wanted = Wanted { numbers: &made.numbers, classes: &made.classes };
    let rows: Vec<usize> = (0..ROWS).collect();
    let answer = answer(Loss::Squares, 1, false);
    let together = answer.slopes(data, wanted, &rows, &made.patterns);
    let apart = answer.slopes(data, wanted, &rows, &(0..ROWS as u32).collect::<Vec<_>>());
    let pairs = together.covariance.iter().zip(&apart.covariance);
    pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-12));
    let of = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| answer.slopes(data, wanted, &rows, &made.patterns).covariance)
    };
    assert_eq!(of(1), of(3));
}
