//! What the method tells about itself.

use super::Settings;
use crate::data::Shape;
use crate::methods::{About, Axis, Card, Choices, Cost, Job, Setting, defaults_of};

/// The card.
pub static CARD: Card = Card {
    name: "bidirectional",
    does: &[(Shape::Series, Job::Fill)],
    short_lists: &[],
    cost: Cost::VeryHigh,
    about: About {
        title: "Two recurrent networks correct a straight line from both ends",
        idea: "What was before and what comes after a hole, of all variables, corrects linear interpolation. It is \
               learned by hiding known values, few or many at a time, and guessing them.",
        paper: "After Cao et al. 2018, BRITS (two directions), and Du et al. 2023, SAITS (learning by hiding)",
        when: "Hundreds of series or more, and variables that have to do with each other.",
        when_not: "Few series: `interpolation` is then as good and takes no time.",
    },
    settings: &[
        Setting { name: "cell", help: "What a unit does at a step: gru or lstm." },
        Setting { name: "units", help: "Units of the state, in each direction." },
        Setting {
            name: "error",
            help: "The error that is kept small: absolute (guesses are medians) or squared (means).",
        },
        Setting {
            name: "hide",
            help: "The largest share of the known values of a series that is hidden to learn from.",
        },
        Setting { name: "dropout", help: "Share of the states left out at a step of training." },
        Setting { name: "rate", help: "Learning rate." },
        Setting { name: "epochs", help: "Passes over the series, at most." },
        Setting { name: "batch", help: "Series in a batch; 0 for all." },
        Setting {
            name: "patience",
            help: "Epochs without a smaller error after which training ends; 0: never.",
        },
    ],
    space: &[
        Axis::new("units", Choices::Integers(32, 160)),
        Axis::new("dropout", Choices::Uniform(0.0, 0.3)),
        Axis::new("rate", Choices::LogUniform(5e-4, 5e-3)),
    ],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};
