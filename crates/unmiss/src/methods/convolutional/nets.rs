//! Networks that can be asked for by name.
//!
//! With conv a convolution of 3 x 3, down one of stride 2, pool the largest of 2 x 2 and lin a dense layer:
//!
//! ```text
//! small            conv32, down, conv64, conv64, lin64; larger images: down, conv64 until 16 pixels are left
//! misconv-digits   conv32, down, conv64, conv64, lin20
//! misconv-cifar    conv32, conv32, down, conv64, conv64, conv64, lin128, with dropout between all of them
//! vgg-16           conv64 x 2, pool, conv128 x 2, pool, conv256 x 3, pool, conv512 x 3, pool, conv512 x 3, pool,
//!                  lin512, lin512
//! ```

use serde::{Deserialize, Serialize};

use crate::data::images::Size;

/// From this side on, images are made smaller by one more block.
const LARGE: usize = 16;

/// A network by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Net {
    /// A few convolutions, by the size of the images.
    Small,
    /// The classifier of MNIST and SVHN in the paper on MisConv.
    MisconvDigits,
    /// The classifier of CIFAR-10 in the paper on MisConv.
    MisconvCifar,
    /// Thirteen convolutions in five blocks (Simonyan and Zisserman 2015), with the two dense layers of 512 units that
    /// it has for images of 32 x 32.
    #[serde(rename = "vgg-16")]
    Vgg16,
}

/// How images are made smaller from block to block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Down {
    /// By a convolution of stride 2 before every block but the first.
    Stride,
    /// By the largest of 2 x 2 pixels after every block, as long as there are two of them.
    MaxPool,
}

/// Where batch norm stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BatchNorm {
    /// Nowhere.
    None,
    /// Between a convolution and its ReLU.
    BeforeRelu,
    /// After the ReLU.
    AfterRelu,
}

/// A network but for what it makes of holes.
#[derive(Debug, Clone, PartialEq)]
pub struct Architecture {
    /// Filters of the convolutions, block by block.
    pub blocks: Vec<Vec<usize>>,
    /// How images are made smaller between blocks.
    pub down: Down,
    /// Where batch norm stands.
    pub batch_norm: BatchNorm,
    /// Units of the dense layers.
    pub hidden: Vec<usize>,
    /// Share of the units before each dense layer that is left out at a step.
    pub dropout: f64,
    /// Share of the numbers between convolutions that is left out at a step.
    pub convolution_dropout: f64,
}

impl Net {
    /// The network for images of a size.
    pub fn architecture(self, size: Size) -> Architecture {
        let small = Architecture {
            blocks: by_size(size),
            down: Down::Stride,
            batch_norm: BatchNorm::AfterRelu,
            hidden: vec![64],
            dropout: 0.3,
            convolution_dropout: 0.0,
        };
        match self {
            Self::Small => small,
            Self::MisconvDigits => {
                Architecture { blocks: vec![vec![32], vec![64, 64]], hidden: vec![20], dropout: 0.0, ..small }
            }
            Self::MisconvCifar => Architecture {
                blocks: vec![vec![32; 2], vec![64; 3]],
                hidden: vec![128],
                convolution_dropout: 0.3,
                ..small
            },
            Self::Vgg16 => Architecture {
                blocks: vec![vec![64; 2], vec![128; 2], vec![256; 3], vec![512; 3], vec![512; 3]],
                down: Down::MaxPool,
                batch_norm: BatchNorm::BeforeRelu,
                hidden: vec![512; 2],
                dropout: 0.5,
                ..small
            },
        }
    }
}

/// The blocks of a small network: those of the paper for up to 32 x 32, more for larger ones.
fn by_size(size: Size) -> Vec<Vec<usize>> {
    let mut blocks = vec![vec![32], vec![64, 64]];
    let mut side = size.height.min(size.width).div_ceil(2);
    while side > LARGE {
        blocks.push(vec![64]);
        side = side.div_ceil(2);
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_images_get_more_blocks() {
        let side = |side| by_size(Size { channels: 1, height: side, width: side + 5 }).len();
        assert_eq!([side(8), side(28), side(32), side(33), side(64), side(65)], [2, 2, 2, 3, 3, 4]);
    }
}
