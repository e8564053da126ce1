//! The charts: each a plain structure of what is shown, with a `draw`.

pub mod bars;
pub mod calibration;
pub mod confusion;
pub mod contact;
pub mod drift;
pub mod heat;
pub mod lines;
pub mod matrix;
pub mod pixels;
pub mod ranking;
pub mod roc;
pub mod singles;
pub mod training;
pub mod truth;
