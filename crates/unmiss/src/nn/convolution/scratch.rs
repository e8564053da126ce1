//! Buffers of one convolution, used again from call to call: memory stays mapped and warm, and the zeros around an
//! image, which nobody writes to, stay zeros.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// The buffers of one thread; every one belongs to one use, so that its border keeps its meaning.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The copy of an image.
    pub image: Vec<f32>,
    /// The copy of a result's gradient.
    pub gradient: Vec<f32>,
    /// Results in blocks.
    pub result: Vec<f32>,
    /// Tiles (see `winograd`).
    pub tiles: Vec<f32>,
}

/// What nobody uses at the moment.
#[derive(Debug, Default)]
pub(super) struct Spare {
    scratch: Mutex<Vec<Scratch>>,
    sums: Mutex<Vec<Vec<f32>>>,
}

impl Spare {
    /// Buffers, until dropped.
    pub fn lend(&self) -> Lend<'_> {
        let own = self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        Lend { own, spare: self }
    }

    /// So many zeros.
    pub fn sums(&self, length: usize) -> Vec<f32> {
        let mut sums = self.any(0);
        sums.clear();
        sums.resize(length, 0.0);
        sums
    }

    /// So many numbers that mean nothing.
    pub fn any(&self, length: usize) -> Vec<f32> {
        let mut sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        sums.resize(length.max(sums.len()), 0.0);
        sums
    }

    /// Takes sums back.
    pub fn keep_sums(&self, sums: Vec<f32>) {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner).push(sums);
    }
}

/// So many numbers of a buffer, which grows if it has to; new ones are zeros.
pub(super) fn room(buffer: &mut Vec<f32>, length: usize) -> &mut [f32] {
    if buffer.len() < length {
        buffer.resize(length, 0.0);
    }
    &mut buffer[..length]
}

/// Buffers that go back when dropped.
pub(super) struct Lend<'a> {
    own: Scratch,
    spare: &'a Spare,
}

impl Deref for Lend<'_> {
    type Target = Scratch;
    fn deref(&self) -> &Scratch {
        &self.own
    }
}

impl DerefMut for Lend<'_> {
    fn deref_mut(&mut self) -> &mut Scratch {
        &mut self.own
    }
}

impl Drop for Lend<'_> {
    fn drop(&mut self) {
        let own = std::mem::take(&mut self.own);
        self.spare.scratch.lock().unwrap_or_else(PoisonError::into_inner).push(own);
    }
}
