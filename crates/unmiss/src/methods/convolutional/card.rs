//! What the method tells about itself.

use super::Settings;
use crate::data::Shape;
use crate::methods::{About, Axis, Card, Choices, Cost, Job, Setting, defaults_of};

/// The card.
pub static CARD: Card = Card {
    name: "convolutional",
    does: &[(Shape::Images, Job::Predict)],
    short_lists: &[(Shape::Images, Job::Predict)],
    cost: Cost::VeryHigh,
    about: About {
        title: "Convolutional network that knows which pixels are missing",
        idea: "Convolutions with batch norm, then dense layers. What becomes of a hole is a setting: zero or the mean, \
               what the most alike images or a learned density have there, the mask as a further channel, sums over \
               what is known scaled up (partial and sparsity-normalised convolutions), or the mean of the first \
               ReLU under a density of what is missing (MisConv).",
        paper: "Przewięźlikowski, Śmieja, Struski and Tabor 2021, MisConv: Convolutional Neural Networks for \
                Missing Data; Yi et al. 2020, Why Not to Use Zero Imputation?; Liu et al. 2018, Image Inpainting \
                for Irregular Holes Using Partial Convolutions; Simonyan and Zisserman 2015, Very Deep Convolutional \
                Networks",
        when: "Images, more than a few hundred of each class.",
        when_not: "A few dozen images of each class: `neighbours` needs no training.",
    },
    settings: &[
        Setting {
            name: "missing",
            help: "What becomes of a hole: zero, mean, knn (the most alike images fill it), dmfa-impute (the mean of a density that is learned first does), mask-channel, partial-conv, sn-conv, or misconv (learns a density first).",
        },
        Setting { name: "neighbours", help: "How many of the most alike images knn asks." },
        Setting {
            name: "sn-depth",
            help: "Convolutions, from the first on, that sn-conv normalises: 1 is the one that sees holes; beyond it, a 0 behind a ReLU counts as missing. More than there are: all.",
        },
        Setting {
            name: "net",
            help: "small (by the size of the images), misconv-digits and misconv-cifar (those of the paper on MisConv), or vgg-16; the next settings change it.",
        },
        Setting {
            name: "filters",
            help: "Filters of the convolutions, block by block, such as [[32], [64, 64]]; sides are halved between blocks. null: as the net has it.",
        },
        Setting {
            name: "down",
            help: "How sides are halved: stride (a convolution between blocks) or max-pool (after every block). null: as the net has it.",
        },
        Setting { name: "batch-norm", help: "none, before-relu or after-relu. null: as the net has it." },
        Setting { name: "hidden", help: "Units of the dense layers, such as [64]. null: as the net has it." },
        Setting {
            name: "dropout",
            help: "Share of the units before each dense layer that is left out at a step. null: as the net has it.",
        },
        Setting {
            name: "convolution-dropout",
            help: "Share of the numbers between convolutions that is left out at a step. null: as the net has it.",
        },
        Setting {
            name: "shift",
            help: "Pixels by which an image is moved in training, its mask with it, at most; what comes in is not known.",
        },
        Setting { name: "flip", help: "true: half of the images in training are mirrored." },
        Setting {
            name: "hide",
            help: "What more is hidden at half of the visits in training: others (what another training image lacks) or a region such as square:0.25, trapezoid:0.5 or noise:0.3. null: nothing.",
        },
        Setting {
            name: "networks",
            help: "Networks, each from other first weights, whose answers are averaged.",
        },
        Setting { name: "rate", help: "Learning rate at its highest." },
        Setting { name: "weight-decay", help: "How strongly weights are pulled to 0." },
        Setting {
            name: "epochs",
            help: "Passes over the images, at most; null: about 500,000 images in all, at most 60 passes.",
        },
        Setting { name: "batch", help: "Images in a batch; null: by their number." },
        Setting {
            name: "patience",
            help: "Epochs without a better validation score after which training ends; 0: never.",
        },
        Setting {
            name: "density-epochs",
            help: "Passes over the images by which misconv and dmfa-impute learn their density, at most; null: about 100,000 images in all.",
        },
    ],
    space: &[
        Axis::new("missing", Choices::Options(&["zero", "mean", "mask-channel", "partial-conv", "sn-conv"])),
        Axis::new("hidden", Choices::Options(&["[32]", "[64]", "[128]"])),
        Axis::new("dropout", Choices::Uniform(0.0, 0.6)),
        Axis::new("shift", Choices::Integers(0, 2)),
        Axis::new("rate", Choices::LogUniform(3e-4, 5e-3)),
        Axis::new("weight-decay", Choices::LogUniform(1e-6, 1e-2)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};
