//! Images of one size, with what is known of them marked by a mask of its own: bytes stay bytes and a mark takes a bit,
//! so that ten thousand colour pictures of 32 x 32 take 32 MB until a batch of them is needed.
//!
//! ```
//! use unmiss::data::images::{ImageOptions, read};
//! let digits = read("sample:digits".as_ref(), &ImageOptions::default())?;
//! assert_eq!((digits.len(), digits.size().to_string()), (1797, "8 x 8".to_owned()));
//! assert_eq!(digits.labels().and_then(|labels| labels.cell(4)).as_deref(), Some("4"));
//! # Ok::<(), unmiss::error::Error>(())
//! ```
//!
//! # Which files
//!
//! | what | how it is told | classes |
//! |---|---|---|
//! | IDX, the form of MNIST | by its first bytes | |
//! | the binary form of CIFAR-10: records of 3,073 bytes | the name ends in `.bin` | the first byte of each record |
//! | `.npy`: `(images, height, width)` or `(images, channels, height, width)`, bytes or numbers | by its first bytes | |
//! | `.npz`: such an array `values`, a mask `observed`, classes `labels` | by its first bytes | `labels` |
//! | a folder of PNG and JPEG pictures | it is a folder | sub-folders |
//! | a built-in sample | `sample:digits` | yes |
//!
//! IDX, CIFAR and `.npy` files may be packed with gzip. Classes may come from a file of their own
//! ([`ImageOptions::labels`]): IDX, `.npy`, or a table with a column `label`; a column `image` then tells which picture
//! a line is about.
//!
//! # What is a hole
//!
//! | in the file | |
//! |---|---|
//! | NaN in an array of numbers | a hole, of a pixel or of one of its channels |
//! | 0 or false in the array `observed` of an `.npz` file | a hole |
//! | 0 in a mask of its own ([`ImageOptions::observed`]); a dark pixel (below 128) where masks are pictures | a hole |
//! | a pixel of a picture that is more transparent than not (opacity below 128) | a hole |
//! | a pixel of the colour that stands for "missing" ([`ImageOptions::missing_colour`]) | a hole |
//!
//! Several of them together leave known what all of them leave known.
//!
//! # What is refused
//!
//! A file that is cut off or longer than its head says, a damaged picture, a picture of another size than the others, a
//! mask of another size than the images, labels that are more or fewer than the images: each is an error with the name
//! of the file. Sizes that a head tells are held against the file before memory is taken.

mod bits;
mod pixels;
mod set;
mod range;
mod told;
mod array;
mod idx;
mod cifar;
mod npy;
mod npz;
mod folder;
mod labels;
mod sample;
mod read;
mod write;

pub use bits::Bits;
pub use folder::png;
pub use pixels::{Observed, Pixels};
pub use range::MOST_LEVELS;
pub use read::{ImageOptions, from_bytes, is_images, read};
pub use sample::{SAMPLE, sample};
pub use set::{Images, LABEL, Size};
pub use write::{Form, write};

#[cfg(test)]
mod tests;
