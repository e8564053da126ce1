//! Filling holes by what comes before and after them in the order.
//!
//! A hole is drawn given the features before it; the known features after it then say how well that fits. So several
//! particles are drawn, each weighs as much as it makes the known features likely, and
//!
//! ```text
//! a draw     is one of the particles, by weight
//! a guess    is the weighted mean of what was said of the hole before it was drawn
//! ```

use super::Fitted;
use super::cells::Cells;
use super::conditional::Conditional;
use crate::encode::Rows;
use crate::encode::wide::pick;
use crate::error::Result;
use crate::methods::each_row::for_each_row;
use crate::methods::{Draw, Imputer};
use crate::rng::Stream;

/// Particles of a row, shared out among the masks.
const PARTICLES: usize = 48;

/// A row with its holes drawn.
struct Particle {
    values: Vec<f32>,
    /// What was said of each hole before it was drawn; empty where known.
    said: Vec<Vec<f64>>,
    log_weight: f64,
}

impl Imputer for Fitted {
    fn fill(&self, rows: &mut Rows, draw: Option<Draw>) -> Result<()> {
        let cells = Cells::new(rows, self.threshold)?;
        let rows = rows.table_mut()?;
        for_each_row(rows, |row, line| {
            let (values, known) = cells.row(row);
            // Guesses of all rows come from the same stream: a row's own place must not matter.
            let mut stream =
                draw.map_or_else(|| Stream::new(0, "made guess", 0, 0), |draw| draw.stream("made", row));
            let particles = self.particles(values, known, &mut stream);
            let highest = particles.iter().map(|own| own.log_weight).fold(f64::NEG_INFINITY, f64::max);
            let weights: Vec<f64> = particles.iter().map(|own| (own.log_weight - highest).exp()).collect();
            let chosen = draw.and_then(|_| pick(&weights, Some(&mut stream)));
            let numbers = line.numbers.len();
            for feature in (0..known.len()).filter(|feature| !known[*feature]) {
                let value = match chosen {
                    Some(place) => particles[place].values[feature],
                    None => self.guess(&particles, &weights, feature),
                };
                match feature.checked_sub(numbers) {
                    None => line.numbers[feature] = value,
                    Some(category) => line.codes[category] = value as u32,
                }
            }
        });
        Ok(())
    }
}

impl Fitted {
    /// Rows whose holes are drawn one after the other.
    fn particles(&self, values: &[f32], known: &[bool], stream: &mut Stream) -> Vec<Particle> {
        let (network, mut all) = (&self.network, Vec::new());
        for (number, order) in network.orders.iter().enumerate() {
            let count = PARTICLES.div_ceil(network.orders.len());
            let new = |_| Particle {
                values: values.to_vec(),
                said: vec![Vec::new(); known.len()],
                log_weight: 0.0,
            };
            let (mut own, mut marks): (Vec<Particle>, _) = ((0..count).map(new).collect(), known.to_vec());
            for feature in order.sequence().into_iter().filter(|feature| !known[*feature]) {
                let (form, said) = (network.features.forms[feature], self.said_to(number, &own, &marks));
                for (particle, said) in own.iter_mut().zip(&said) {
                    let part = &network.part(said, feature)[..network.features.legal[feature]];
                    particle.said[feature] = form.expected(part);
                    particle.values[feature] = form.draw(part, stream);
                }
                marks[feature] = true;
            }
            let said = self.said_to(number, &own, &marks);
            for (particle, said) in own.iter_mut().zip(&said) {
                particle.log_weight = network.log_density(said, &particle.values, known);
            }
            all.extend(own);
        }
        all
    }

    /// What the network says of all features of each particle, given those that are marked.
    fn said_to(&self, order: usize, particles: &[Particle], marks: &[bool]) -> Vec<Vec<f32>> {
        let lines: Vec<(&[f32], &[bool])> =
            particles.iter().map(|particle| (particle.values.as_slice(), marks)).collect();
        let said = self.network.said(&self.parameters, order, &lines);
        said.chunks(said.len() / lines.len()).map(<[f32]>::to_vec).collect()
    }

    /// The weighted mean of a number, or the code that is likeliest by the weighted chances.
    fn guess(&self, particles: &[Particle], weights: &[f64], feature: usize) -> f32 {
        let mut mean = vec![0.0; particles[0].said[feature].len()];
        for (particle, weight) in particles.iter().zip(weights) {
            mean.iter_mut().zip(&particle.said[feature]).for_each(|(sum, said)| *sum += weight * said);
        }
        match self.network.features.forms[feature] {
            Conditional::Categorical(_) => pick(&mean, None).unwrap_or(0) as f32,
            _ => (mean[0] / weights.iter().sum::<f64>()) as f32,
        }
    }
}
