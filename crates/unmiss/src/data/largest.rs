//! How large a number may be, and what is said of one that is larger.

/// The largest number that a column may hold: products of three such numbers are finite. What is larger is no
/// measurement but a word for "missing", or a fault.
pub const LARGEST: f64 = 1e100;

/// What is said of a number that can't be computed with.
pub(crate) fn too_large(number: &str) -> String {
    match number.parse::<f64>() {
        Ok(value) if value.is_finite() => format!("`{number}` is too large a number to compute with"),
        _ => format!("`{number}` is not a finite number"),
    }
}
