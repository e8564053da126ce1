//! What the method tells about itself.

use super::Settings;
use crate::data::Shape;
use crate::methods::{About, Card, Cost, Job, Setting, defaults_of};

/// The card.
pub static CARD: Card = Card {
    name: "surroundings",
    does: &[(Shape::Series, Job::Fill)],
    short_lists: &[(Shape::Series, Job::Fill)],
    cost: Cost::High,
    about: About {
        title: "Boosted trees over what stands around a hole, of all variables",
        idea: "The line between the known values of a variable, the two before and the two after, and level and change \
               of every other variable at that time tell a predictor of tables how far a value lies from the line. It \
               is learned by hiding known values: alone, with others, and in stretches of time.",
        paper: "Du et al. 2023, SAITS (learning by hiding); the numbers and the trees are our own",
        when: "Hundreds of series or more, and variables that have to do with each other.",
        when_not: "A few series: `interpolation`; forecasts far ahead with bands that grow: `kalman`.",
    },
    settings: &[
        Setting {
            name: "predictor",
            help: "the predictor of tables that learns how far values lie from the line, as `linear`",
        },
        Setting {
            name: "with",
            help: "its settings, as {\"rounds\": 500}; trees have 1 member and 200 rounds here",
        },
        Setting { name: "examples", help: "known values of each variable that are learned from, at most" },
    ],
    space: &[],
    defaults: defaults_of::<Settings>,
    check: |settings| Settings::checked(settings).map(drop),
};
