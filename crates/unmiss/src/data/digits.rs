//! Numbers as text.

/// The shortest decimal form that reads back to the same number; whole numbers without a point.
pub fn format_number(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 {
        // `+ 0.0` turns -0.0, which would print as "-0", into 0.
        format!("{}", value + 0.0)
    } else {
        ryu::Buffer::new().format_finite(value).to_owned()
    }
}
