//! What the method tells about itself.

use super::Settings;
use crate::data::Shape;
use crate::methods::{About, Axis, Card, Choices, Cost, Job, Setting, defaults_of};

/// The card.
pub static CARD: Card = Card {
    name: "recurrent",
    does: &[(Shape::Series, Job::Predict)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Recurrent network (LSTM, GRU, GRU-D) that reads step by step",
        idea: "The state after the last step gives the answer. What a missing value becomes is a setting: zero, a \
               mean, the last value, the last value with mask and age, Sparsity Normalization of each step or of the \
               series, or a decay that is learned.",
        paper: "Che et al. 2018, Recurrent Neural Networks for Multivariate Time Series with Missing Values; Yi et al. \
                2020, Why Not to Use Zero Imputation?",
        when: "Thousands of series in which the order of events matters.",
        when_not: "First: `statistics` takes seconds and is often as good.",
    },
    settings: &[
        Setting { name: "cell", help: "What a unit does at a step: gru or lstm." },
        Setting {
            name: "missing",
            help: "What a missing value becomes: zero, mean, forward-fill, mask, sn-step, sn-series or decay.",
        },
        Setting { name: "units", help: "Units of the state." },
        Setting { name: "dropout", help: "Share of the last state left out at a step of training." },
        Setting { name: "stop", help: "What tells when to stop: auroc or loss." },
        Setting { name: "rate", help: "Learning rate." },
        Setting { name: "weight-decay", help: "How strongly weights are pulled to 0." },
        Setting { name: "epochs", help: "Passes over the series, at most." },
        Setting { name: "batch", help: "Series in a batch; 0 for all." },
        Setting {
            name: "patience",
            help: "Epochs without a better score after which training ends; 0: never.",
        },
    ],
    space: &[
        Axis::new("cell", Choices::Options(&["gru", "lstm"])),
        Axis::new("missing", Choices::Options(&["forward-fill", "mask", "decay"])),
        Axis::new("units", Choices::Integers(16, 128)),
        Axis::new("dropout", Choices::Uniform(0.0, 0.5)),
        Axis::new("rate", Choices::LogUniform(2e-4, 5e-3)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};
