//! Does a better bound mean a better classifier? (Table 3 of the thesis: 70 % of the pixels missing, a perceptron on
//! what three autoencoders of different quality fill in.) Ours are the usual one, one of a latent of two numbers and
//! one that learned for a single epoch; their losses are the bounds on clean images set aside, as those of the thesis.

use std::collections::BTreeMap;

use super::{Stage, VAE_MLP};
use crate::bench::report::Row;
use crate::bench::{Cell, Claim, Figure, Section};
use crate::data::images::Images;
use crate::error::Result;
use crate::missing::Region;
use crate::run::Run;

/// The part of the bench.
pub const NAME: &str = "elbo";
const REGION: Region = Region::Pixels(0.7);

/// An autoencoder, and a published one in its place: loss (-ELBO in nats) and accuracy.
struct Autoencoder {
    name: &'static str,
    settings: &'static [(&'static str, &'static str)],
    published: (f64, f64),
}

const AUTOENCODERS: [Autoencoder; 3] = [
    Autoencoder { name: "usual", settings: &[], published: (150.7, 0.7129) },
    Autoencoder { name: "latent of two numbers", settings: &[("latent", "2")], published: (174.3, 0.4629) },
    Autoencoder { name: "one epoch", settings: &[("epochs", "1")], published: (205.8, 0.1134) },
];

/// How many trainings there are.
pub const COUNT: usize = AUTOENCODERS.len();

/// Losses and accuracies of each autoencoder, seed by seed.
#[derive(Default)]
pub struct Found(BTreeMap<usize, [Vec<f64>; 2]>);

impl Found {
    /// Trains one of the autoencoders and a perceptron on what it fills in.
    ///
    /// # Errors
    /// When nothing can be learned, or the run was stopped.
    pub fn measure(
        &mut self,
        place: usize,
        images: &[Images; 2],
        smaller: &[(&str, &str)],
        run: &Run,
    ) -> Result<()> {
        let mut stage = Stage::new(images, &REGION, smaller, run);
        stage.autoencoder = AUTOENCODERS[place].settings;
        let answers = stage.answers(VAE_MLP)?;
        let [losses, accuracies] = self.0.entry(place).or_default();
        losses.extend(stage.bound().map(|bound| -bound));
        accuracies.push(stage.accuracy(&answers));
        Ok(())
    }

    /// The table, once anything was measured.
    pub fn section(&self) -> Option<Section> {
        let row = |place: usize| {
            let Autoencoder { name, published: (loss, accuracy), .. } = &AUTOENCODERS[place];
            let [losses, accuracies] = self.0.get(&place).cloned().unwrap_or_default();
            let given = [*loss, *accuracy].map(|figure| Cell::Figure(Figure::given(figure, None)));
            let own = [losses, accuracies].map(|values| Cell::from(Figure::of(&values, 0.0)));
            Row { name: (*name).to_owned(), cells: given.into_iter().chain(own).collect() }
        };
        (!self.0.is_empty()).then(|| Section {
            title: format!("{REGION}: the bound of the autoencoder and the accuracy of VAE+MLP"),
            columns: ["thesis: loss", "accuracy", "ours: loss", "accuracy"].map(str::to_owned).to_vec(),
            digits: 4,
            rows: (0..COUNT).map(row).collect(),
        })
    }

    /// A lower loss means a higher accuracy.
    pub fn claims(&self) -> Vec<Claim> {
        let accuracies = |place: usize| self.0.get(&place).map(|[_, accuracies]| accuracies.as_slice());
        let claim = |other: usize| {
            let other_name = AUTOENCODERS[other].name;
            let words = format!(
                "{REGION}: VAE+MLP is right more often with the usual autoencoder than with {other_name}"
            );
            Claim::higher(words, accuracies(0)?, accuracies(other)?, 0.0)
        };
        (1..COUNT).filter_map(claim).collect()
    }
}
