//! Published tables and figures, re-run: one file each with its settings, the published figures, what other
//! tools were measured to give, and ours.
//!
//! A [`Bench`] is found through the list [`BENCHES`]; it takes a [`Request`] and gives a [`Report`], a plain
//! account that a program prints or writes as JSON. A report also says which of the published claims hold
//! here, which do not, and which the repetitions can't decide.

mod folder;
mod network;
mod repeat;
pub mod report;
mod request;
mod page;
mod pictures;
mod treatment;
pub mod autoimpute;
pub mod coverage;
pub mod dvae;
pub mod imputation;
pub mod intervals;
pub mod made;
pub mod misconv;
pub mod miwae;
pub mod misconv_overhead;
pub mod neumiss;
pub mod nhis_like;
pub mod physionet;
pub mod ratings;
pub mod sn_vgg;
pub mod theorems;
pub mod uci_dropout;
pub mod uci_replication;
pub mod vision;
pub mod wae;

use crate::error::{Error, Result, nearest};
pub use report::{Cell, Claim, Figure, Report, Section, Verdict};
pub use request::{Bench, Request};

/// All benches.
pub const BENCHES: &[&Bench] = &[
    &uci_replication::BENCH,
    &uci_dropout::BENCH,
    &theorems::BENCH,
    &nhis_like::BENCH,
    &imputation::BENCH,
    &miwae::BENCH,
    &autoimpute::BENCH,
    &dvae::BENCH,
    &made::BENCH,
    &coverage::BENCH,
    &intervals::BENCH,
    &neumiss::BENCH,
    &neumiss::depth::BENCH,
    &neumiss::MAR,
    &neumiss::NONLINEAR,
    &ratings::SMALL,
    &ratings::MIDDLE,
    &ratings::LARGE,
    &ratings::UNITS_SMALL,
    &ratings::UNITS_MIDDLE,
    &ratings::DOUBAN,
    &ratings::FLIXSTER,
    &ratings::YAHOO,
    &misconv::BENCH,
    &misconv_overhead::BENCH,
    &wae::BENCH,
    &sn_vgg::BENCH,
    &vision::capacity::BENCH,
    &vision::hidden::BENCH,
    &physionet::mortality::BENCH,
    &physionet::imputation::BENCH,
];

/// The bench of a name.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Bench> {
    BENCHES.iter().copied().find(|bench| bench.name == name).ok_or_else(|| {
        let names = || BENCHES.iter().map(|bench| bench.name);
        let hint = match nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the tables are: {}", names().collect::<Vec<_>>().join(", ")),
        };
        Error::setting("name", format!("there is no table `{name}`")).with_hint(hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;

    #[test]
    fn misspelt_names_get_a_hint() {
        let error = find("uci-replicaton").err().unwrap();
        assert_eq!(error.hint_text(), "did you mean `uci-replication`?");
        let request = Request { seeds: 1, only: vec!["bostn".into()], ..Request::default() };
        let error = uci_replication::BENCH.run(&request, &Run::new(0, 1).unwrap()).unwrap_err();
        assert_eq!(error.hint_text(), "did you mean `boston`?");
    }

    #[test]
    fn a_kind_of_part_that_is_not_named_stays_whole() {
        let request = Request { only: vec!["b".into()], ..Request::default() };
        assert_eq!(request.chosen(&["a", "b"], |part| (*part).to_owned()), ["b"]);
        assert_eq!(request.chosen(&["x", "y"], |part| (*part).to_owned()), ["x", "y"]);
    }

    #[test]
    fn names_of_parts_are_distinct() {
        for bench in BENCHES {
            let mut parts: Vec<String> = (bench.parts)().into_iter().flatten().collect();
            let count = parts.len();
            parts.sort_unstable();
            parts.dedup();
            assert_eq!(parts.len(), count, "{}", bench.name);
        }
    }
}
