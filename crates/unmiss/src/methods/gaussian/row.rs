//! How the holes of a row are drawn: missing categories one after the other, each given all that is known and what was
//! drawn before it, then all missing numbers together. So a drawn number belongs to the drawn category beside it.

use crate::encode::Wide;
use crate::linalg::{Conditional, Pattern};
use crate::rng::Stream;

/// The steps for all rows with the same holes.
pub struct Steps {
    /// Missing categories, each with the pattern of what is known when its turn comes.
    categories: Vec<(usize, Pattern)>,
    /// The missing numbers, once all categories are known.
    numbers: Option<Pattern>,
}

impl Steps {
    /// The steps for a pattern of holes.
    pub fn new(wide: &Wide, conditional: &Conditional<'_>, observed: &[bool]) -> Self {
        let (mut known, mut categories) = (observed.to_vec(), Vec::new());
        for feature in wide.numbers()..wide.features() {
            let places = wide.places(feature);
            if known[places.clone()].contains(&false) {
                categories.push((feature, conditional.pattern(&known)));
                known[places].fill(true);
            }
        }
        let numbers = known.contains(&false).then(|| conditional.pattern(&known));
        Self { categories, numbers }
    }

    /// Draws a row: `deviations` from the mean where known, 0 elsewhere, become deviations everywhere.
    pub fn draw(
        &self,
        wide: &Wide,
        conditional: &Conditional<'_>,
        deviations: &mut [f64],
        stream: &mut Stream,
    ) {
        let mean = conditional.mean();
        for (feature, pattern) in &self.categories {
            // A level's chance is its expected indicator.
            let mut line = deviations.to_vec();
            pattern.fill(conditional, &mut line);
            line.iter_mut().zip(mean).for_each(|(value, mean)| *value += mean);
            wide.draw_level(*feature, &mut line, stream);
            wide.places(*feature).for_each(|column| deviations[column] = line[column] - mean[column]);
        }
        if let Some(pattern) = &self.numbers {
            pattern.fill(conditional, deviations);
            pattern.add_noise(conditional, deviations, stream);
        }
    }
}
