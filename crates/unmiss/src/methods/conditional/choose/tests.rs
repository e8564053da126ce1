use super::super::answer::Loss;
use super::super::slopes::Wanted;
use super::*;
use crate::linalg::Holes;

/// Three columns that go together and their sum; cells are missing at random or the larger the likelier.
fn made(rows: usize, hides: bool) -> (Vec<f32>, Vec<bool>, Vec<f32>, Vec<u32>) {
    let mut stream = Stream::new(5, "choose", 0, 0);
    let (mut values, mut observed) = (Vec::new(), Vec::new());
    let (mut numbers, mut classes) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let z = stream.normal();
        let row = [0, 1, 2].map(|_| z + stream.normal());
        let chance = |value: f64| if hides { 1.0 / (1.0 + (-3.0 * value).exp()) } else { 0.4 };
        observed.extend(row.map(|value| stream.uniform() >= chance(value)));
        values.extend(row.map(|value| (value / 1.4) as f32));
        let sum: f64 = row.iter().sum::<f64>() / 4.0;
        numbers.push((sum + 0.2 * stream.normal()) as f32);
        classes.push(u32::from(sum + 0.3 * stream.normal() > 0.0));
    }
    (values, observed, numbers, classes)
}

fn outcome(rows: usize, hides: bool, loss: Loss) -> Outcome {
    let (values, observed, numbers, classes) = made(rows, hides);
    let data = Holes { columns: 3, values: &values, observed: &observed };
    let mut patterns = vec![0; rows];
    let all: Vec<usize> = (0..rows).collect();
    for (number, group) in groups(data, &all).iter().enumerate() {
        group.rows.iter().for_each(|row| patterns[*row] = number as u32);
    }
    let wanted = match loss {
        Loss::Squares => Wanted { numbers: &numbers, classes: &[] },
        Loss::Chances => Wanted { numbers: &[], classes: &classes },
    };
    let sample = Sample { data, wanted, loss, outputs: 1, patterns: &patterns };
    let wish = Wish { steps: 300, rate: 0.02, ridge: None, network: Some(false), sites: None, seed: 2 };
    Learner { sample, wish, going: &|| true }.learn(&all)
}

#[test]
fn holes_speak_only_where_held_out_rows_say_so() {
    for loss in [Loss::Squares, Loss::Chances] {
        let by_chance = outcome(600, false, loss);
        assert!(by_chance.stage < Stage::Sites, "{loss:?} {:?}", by_chance.losses);
        let hiding = outcome(600, true, loss);
        assert!(hiding.stage >= Stage::Sites, "{loss:?} {:?}", hiding.losses);
    }
}

#[test]
fn few_rows_are_no_trouble() {
    let few = outcome(12, true, Loss::Chances);
    assert!(few.stage == Stage::Start && few.losses.is_empty());
    assert!(outcome(60, true, Loss::Squares).stage <= Stage::Distribution);
}
