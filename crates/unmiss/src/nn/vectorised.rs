//! Element-wise loops for the widest registers of the machine, shared out among threads when long.

/// Elements one thread works on at a time; shorter slices stay on the calling thread.
pub(crate) const PIECE: usize = 1 << 15;

/// A function for the widest registers of the machine: see there.
macro_rules! vectorised {
    ($($function:tt)*) => { $crate::linalg::registers::vectorised! { $($function)* } };
}
pub(crate) use vectorised;
