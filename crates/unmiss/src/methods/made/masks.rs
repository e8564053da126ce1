//! Who may know of whom: the order of the features, a degree for every hidden unit, and the masks that follow.
//!
//! ```text
//! features   an order, places 0 .. D - 1            input i -> unit h    iff place(i) <= degree(h)
//! units      degrees from the smallest of the       unit  h -> unit g    iff degree(h) <= degree(g)
//!            layer before up to D - 2               unit  h -> output k  iff degree(h) < place(k)
//! ```
//!
//! So an output depends on features that come before its own, and on no others. A network of several masks is trained
//! with one after the other and averages what they say.

use super::Normalization;
use crate::error::{Error, Result};
use crate::nn::Connections;
use crate::rng::Stream;
use crate::store::Arrays;

/// An order of the features with the degrees of the hidden units.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The place of each feature.
    pub places: Vec<usize>,
    /// The degree of each unit, layer by layer.
    pub degrees: Vec<Vec<usize>>,
}

impl Order {
    /// The order of a number.
    pub fn new(features: usize, hidden: &[usize], seed: u64, number: usize) -> Self {
        let mut stream = Stream::new(seed, "made order", number as u64, 0);
        let places = stream.permutation(features);
        let (mut lowest, highest) = (0, features.saturating_sub(2));
        let mut degrees = Vec::new();
        for units in hidden {
            let own: Vec<usize> = (0..*units).map(|_| lowest + stream.below(highest - lowest + 1)).collect();
            lowest = own.iter().copied().min().unwrap_or(lowest);
            degrees.push(own);
        }
        Self { places, degrees }
    }

    /// The features, first to last.
    pub fn sequence(&self) -> Vec<usize> {
        let mut sequence = vec![0; self.places.len()];
        self.places.iter().enumerate().for_each(|(feature, place)| sequence[*place] = feature);
        sequence
    }

    /// The mask of each layer. `inputs` and `outputs` tell the feature of each.
    pub fn connections(
        &self,
        inputs: &[usize],
        outputs: &[usize],
        normalization: Normalization,
    ) -> Vec<Connections> {
        let mut masks = Vec::new();
        // With a single feature there is nothing to know of.
        let alone = self.places.len() < 2;
        let (first, last) = (&self.degrees[0], &self.degrees[self.degrees.len() - 1]);
        let reads = |input: usize, unit: usize| !alone && self.places[inputs[input]] <= first[unit];
        masks.push(Connections::new(inputs.len(), first.len(), reads));
        for pair in self.degrees.windows(2) {
            masks.push(Connections::new(pair[0].len(), pair[1].len(), |h, g| pair[0][h] <= pair[1][g]));
        }
        let says = |unit: usize, output: usize| last[unit] < self.places[outputs[output]];
        masks.push(Connections::new(last.len(), outputs.len(), says));
        match normalization {
            Normalization::PaperAll => masks.iter().map(Connections::normalised).collect(),
            _ => masks,
        }
    }
}

/// Puts orders into a file's arrays.
pub fn save(orders: &[Order], arrays: &mut Arrays) {
    let numbers = |own: &[usize]| own.iter().map(|number| *number as f64).collect::<Vec<f64>>();
    let places: Vec<f64> = orders.iter().flat_map(|order| numbers(&order.places)).collect();
    arrays.put_doubles("places", &[orders.len(), places.len() / orders.len().max(1)], places);
    let degrees: Vec<f64> = orders.iter().flat_map(|order| numbers(&order.degrees.concat())).collect();
    arrays.put_doubles("degrees", &[orders.len(), degrees.len() / orders.len().max(1)], degrees);
}

/// Reads orders of so many features and units again.
///
/// # Errors
/// When they can't be what was written.
pub fn load(count: usize, features: usize, hidden: &[usize], arrays: &Arrays) -> Result<Vec<Order>> {
    let units: usize = hidden.iter().sum();
    let places = arrays.doubles("places", &[count, features])?;
    let degrees = arrays.doubles("degrees", &[count, units])?;
    let damaged = || Error::data("an order of features can't be");
    let mut orders = Vec::new();
    for (places, degrees) in places.chunks(features.max(1)).zip(degrees.chunks(units.max(1))) {
        let places: Vec<usize> = places.iter().map(|place| *place as usize).collect();
        let mut sorted = places.clone();
        sorted.sort_unstable();
        if sorted.iter().enumerate().any(|(place, own)| place != *own) {
            return Err(damaged());
        }
        let mut rest = degrees.iter().map(|degree| *degree as usize);
        let degrees = hidden.iter().map(|units| rest.by_ref().take(*units).collect()).collect();
        orders.push(Order { places, degrees });
    }
    if orders.len() == count { Ok(orders) } else { Err(damaged()) }
}
