//! Recurrent layers, one operation each with a backward pass through time of its own: a long short-term memory
//! (Hochreiter & Schmidhuber 1997) and a gated recurrent unit (Cho et al. 2014), as PyTorch defines them.
//!
//! ```text
//! sums   [i f g o] = x W + h U + b           (LSTM)    [n r z] = x W + b,  [r z m] += h U     (GRU)
//! then   see `cell`; with a decay d, h is d ⊙ h before it is used                             (GRU-D)
//! ```
//!
//! A batch holds the steps of series of different lengths ([`Steps`]), and no work is done for a series that is over.
//! Threads share out blocks of series, each of which is taken from its first step to its last and back while its
//! weights and sums stay in the cache: no thread waits for another between steps. Every sum has one order, so the bits
//! are the same for any number of threads, and in prediction for any company of series.
//!
//! ```
//! use std::sync::Arc;
//! use unmiss::nn::{Cell, Engine, Give, Parameters, Plain, Recurrent, Steps};
//!
//! let layer = Arc::new(Recurrent::new(Cell::Lstm, 1, 2));
//! let mut parameters = Parameters::new();
//! layer.add_parameters(&mut parameters, "memory", || 0.5);
//! let mut engine = Plain::new(&parameters);
//! let steps = Arc::new(Steps::new(vec![2, 1]));
//! let input = engine.input(vec![1.0, -1.0, 0.5], 3);   // both first steps, then the second of the longer series
//! let last = engine.recurrent(input, None, &layer, &steps, 0, Give::Last);
//! assert_eq!(last.values().len(), 4);
//! ```

mod kernel;
mod cell;
mod steps;
mod layer;
mod forward;
mod backward;
mod operation;
mod written;

pub use layer::{Cell, Give, RECURRENT_PARAMETERS, Recurrent, Weights};
pub use steps::Steps;

#[cfg(test)]
mod tests;
