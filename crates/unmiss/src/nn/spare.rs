//! Buffers used again from step to step: memory stays mapped, and no step pays for fresh pages.

use std::sync::{Mutex, PoisonError};

/// Buffers that nobody needs: a step of training takes its own from here and gives them back.
#[derive(Debug, Default)]
pub struct Spare(Mutex<Vec<Vec<f32>>>);

impl Spare {
    /// A buffer of a length; what stands in it is of no meaning.
    pub(in crate::nn) fn take(&self, length: usize) -> Vec<f32> {
        let mut buffer = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        buffer.resize(length, 0.0);
        buffer
    }

    /// Takes a buffer back.
    pub(in crate::nn) fn give(&self, buffer: Vec<f32>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}
