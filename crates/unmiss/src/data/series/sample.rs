//! A made ward: patients of whom some are watched more closely than others.

use super::clock::Clock;
use super::set::{Parts, Series};
use crate::data::table::{Column, Kind};
use crate::error::Result;
use crate::rng::Stream;

/// The name of the sample of series, as in `sample:ward`.
pub const SAMPLE: &str = "ward";
/// What one would want to predict of it.
pub const TARGET: &str = "died";

const PATIENTS: usize = 300;
const HOURS: f64 = 48.0;

/// 300 made patients over 48 hours: pulse, temperature, systolic pressure and lactate at irregular times, age, sex and
/// whether they died. Illness drives pulse, lactate and death; who is ill is examined more often, as in life.
///
/// # Errors
/// Never: the parts fit each other.
pub fn sample() -> Result<Series> {
    let mut stream = Stream::new(20, "ward", 0, 0);
    let mut parts = Parts {
        clock: Clock::Hours,
        variables: ["pulse", "temperature", "pressure", "lactate"].map(str::to_owned).to_vec(),
        ..Parts::default()
    };
    let (mut ages, mut sexes, mut deaths) = (Vec::new(), Vec::new(), Vec::new());
    for patient in 0..PATIENTS {
        let age = (35.0 + 50.0 * stream.uniform()).round();
        let mut illness = stream.normal() + 0.02 * (age - 60.0);
        let trend = 0.6 * stream.normal();
        let start = illness;
        let (mut time, first) = (0.0, parts.times.len());
        loop {
            // Minutes to the next look: about two hours, fewer for the ill.
            let wait = -(1.0 - stream.uniform()).ln() * 2.0 / (0.5 * illness).exp().clamp(0.4, 3.0);
            time = ((time + wait) * 60.0).ceil() / 60.0;
            if time > HOURS {
                break;
            }
            illness = start + trend * time / HOURS + 0.15 * stream.normal();
            let rounded =
                |value: f64, digits: i32| (value * 10_f64.powi(digits)).round() / 10_f64.powi(digits);
            let values = [
                rounded(82.0 + 12.0 * illness + 4.0 * stream.normal(), 0),
                rounded(37.1 + 0.4 * illness + 0.3 * stream.normal(), 1),
                rounded(118.0 - 10.0 * illness + 7.0 * stream.normal(), 0),
                rounded((0.4 + 0.45 * illness + 0.2 * stream.normal()).exp(), 1),
            ];
            let known =
                [0.85, 0.35, 0.7, 0.06 + 0.04 * illness.max(0.0)].map(|share| stream.uniform() < share);
            if known.contains(&true) {
                parts.times.push(time);
                parts.values.extend(values);
                parts.observed.extend(known);
            }
        }
        parts.lengths.push(parts.times.len() - first);
        parts.ids.push(format!("p{:03}", patient + 1));
        let chance = 1.0 / (1.0 + (2.2 - 1.6 * (start + trend)).exp());
        deaths.push(Some(if stream.uniform() < chance { "yes" } else { "no" }));
        sexes.push((patient % 17 != 3).then(|| if stream.uniform() < 0.5 { "f" } else { "m" }));
        ages.push(if patient % 23 == 5 { f64::NAN } else { age });
    }
    parts.statics = vec![
        Column::from_numbers("age", Kind::Integer, &ages),
        Column::from_words("sex", Kind::Binary, &sexes),
        Column::from_words(TARGET, Kind::Binary, &deaths),
    ];
    Series::new(parts)
}
