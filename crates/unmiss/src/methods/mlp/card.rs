//! What the method tells about itself.

use super::Settings;
use crate::data::Shape;
use crate::methods::{About, Axis, Card, Choices, Cost, Job, Setting, defaults_of};

/// The card.
pub static CARD: Card = Card {
    name: "mlp",
    does: &[(Shape::Table, Job::Predict), (Shape::Images, Job::Predict)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Plain multi-layer perceptron with Sparsity Normalization",
        idea: "A missing cell is set to 0 and the row is multiplied by K / (number of its known columns), so \
               that what the first layer sums up no longer grows with how much is known. Other treatments \
               of holes (mean, indicators) are settings. Of images, every number of a pixel is a column.",
        paper: "Yi, Lee, Kim, Hwang and Yang 2020, Why Not to Use Zero Imputation? Correcting Sparsity Bias \
                in Training Neural Networks",
        when: "To see what each treatment of holes does, other things equal; to re-run published tables.",
        when_not: "As the first choice for a prediction: `network` is the stronger network.",
    },
    settings: &[
        Setting {
            name: "missing",
            help: "What a missing cell becomes: zero, mean, observed-indicator, missing-indicator, sparsity-normalization, mean+missing-indicator or sparsity-normalization+missing-indicator.",
        },
        Setting {
            name: "k",
            help: "K of Sparsity Normalization: mean (number of known columns in training), hidden (units of the first layer), input (number of columns) or a number.",
        },
        Setting {
            name: "scale",
            help: "Scale of numbers: auto (min-max with zero and Sparsity Normalization, else standard), standard, min-max or robust; pixels are always from 0 to 1.",
        },
        Setting { name: "hidden", help: "Units of the hidden layers, such as [100, 100, 100]." },
        Setting { name: "activation", help: "relu, selu, mish, sigmoid, tanh or identity." },
        Setting {
            name: "normalize-hidden",
            help: "true: hidden layers are divided by their active units too; [1] the first of them alone.",
        },
        Setting { name: "dropout", help: "Share of hidden units left out at a step." },
        Setting {
            name: "dropout-kind",
            help: "normalized: made up for by the units kept in this row; average: by the share kept on average.",
        },
        Setting {
            name: "optimizer",
            help: "adam, adamw, sgd, rprop (for full batches) or adadelta (rate 1).",
        },
        Setting { name: "rate", help: "Learning rate." },
        Setting { name: "schedule", help: "Course of the learning rate: constant, cosine or plateau." },
        Setting { name: "weight-decay", help: "How strongly weights are pulled to 0." },
        Setting {
            name: "decay-on",
            help: "all, or after-first: the first layer's weights are left free, as K = 1 needs.",
        },
        Setting { name: "epochs", help: "Passes over the rows, at most." },
        Setting { name: "batch", help: "Rows in a batch; 0 for all." },
        Setting {
            name: "patience",
            help: "Epochs without a better validation score after which training ends; 0: never.",
        },
    ],
    space: &[
        Axis::new(
            "missing",
            Choices::Options(&[
                "mean",
                "mean+missing-indicator",
                "sparsity-normalization",
                "sparsity-normalization+missing-indicator",
            ]),
        ),
        Axis::new("hidden", Choices::Options(&["[100]", "[100, 100]", "[100, 100, 100]", "[256, 256]"])),
        Axis::new("activation", Choices::Options(&["relu", "selu", "mish"])),
        Axis::new("dropout", Choices::Uniform(0.0, 0.5)),
        Axis::new("rate", Choices::LogUniform(1e-4, 1e-2)),
        Axis::new("weight-decay", Choices::LogUniform(1e-6, 1e-2)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};
