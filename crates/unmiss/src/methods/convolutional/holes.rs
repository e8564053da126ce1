//! What is learned about holes before the network learns classes: a density of what is missing, or which images are
//! alike.

use super::{Missing, Settings};
use crate::encode::{ImageBatch, ImageCoder, ImageRows, Rows};
use crate::error::{Error, Result};
use crate::methods::dmfa::Density;
use crate::methods::neighbours::AlikeImages;
use crate::methods::{Imputer, Layout, Learned};
use crate::nn::{Mixture, MixtureSize};
use crate::run::Run;
use crate::store::Arrays;

/// The arrays of the density are under this.
const DENSITY: &str = "density/";
/// The arrays of the images that are asked are under this.
const ALIKE: &str = "alike/";
/// Images filled between two looks at the stop switch.
const AT_ONCE: usize = 1024;

/// What is known about holes.
pub enum Holes {
    /// The network sees them as they are.
    AsTheyAre,
    /// The first layer is given the density of what is missing.
    Described(Box<Density>),
    /// They are filled before the first layer.
    Filled(Filler),
}

/// What fills holes.
pub enum Filler {
    /// The mean of a density.
    Density(Box<Density>),
    /// The most alike training images.
    Alike(Box<AlikeImages>),
}

impl Holes {
    /// Learns what the setting `missing` needs, and gives the run that goes on from there.
    ///
    /// # Errors
    /// When the images are too large, or the run was stopped before anything was learned.
    pub fn fit(settings: &Settings, coder: &ImageCoder, rows: &ImageRows, run: &Run) -> Result<(Self, Run)> {
        let density = || Density::fit(&settings.density(), coder, rows, &run.part("density")).map(Box::new);
        let holes = match settings.missing {
            Missing::Misconv => Self::Described(density()?),
            Missing::DmfaImpute => Self::Filled(Filler::Density(density()?)),
            Missing::Knn => {
                let alike = AlikeImages::fit((coder, rows, None), settings.alike(), run.seed());
                Self::Filled(Filler::Alike(Box::new(alike)))
            }
            _ => Self::AsTheyAre,
        };
        let rest = if settings.missing.needs_density() { run.part("classes") } else { run.clone() };
        Ok((holes, rest))
    }

    /// Puts it together again from a file's arrays.
    ///
    /// # Errors
    /// When arrays are missing or have another shape.
    pub fn load(settings: &Settings, layout: Layout<'_>, arrays: &Arrays) -> Result<Self> {
        let coder = layout.images()?;
        let density =
            || Density::load(&settings.density(), coder, &arrays.with_prefix(DENSITY)).map(Box::new);
        Ok(match settings.missing {
            Missing::Misconv => Self::Described(density()?),
            Missing::DmfaImpute => Self::Filled(Filler::Density(density()?)),
            Missing::Knn => {
                // The images that are asked say nothing about classes.
                let layout = Layout { task: None, ..layout };
                let alike = AlikeImages::load(settings.alike(), layout, &arrays.with_prefix(ALIKE))?;
                Self::Filled(Filler::Alike(Box::new(alike)))
            }
            _ => Self::AsTheyAre,
        })
    }

    /// Adds its arrays to those of a file.
    pub fn save(&self, arrays: &mut Arrays) {
        match self {
            Self::AsTheyAre => {}
            Self::Described(density) | Self::Filled(Filler::Density(density)) => {
                arrays.put_all(DENSITY, density.save());
            }
            Self::Filled(Filler::Alike(alike)) => arrays.put_all(ALIKE, alike.save()),
        }
    }

    /// Images as the network sees them: filled, and whole from then on, where that is asked for. An image that is asked
    /// itself knows nothing of its own holes, so that training images are filled from others.
    ///
    /// # Errors
    /// When the run was stopped.
    pub fn filled(&self, rows: &ImageRows, run: Option<&Run>) -> Result<ImageRows> {
        let Self::Filled(filler) = self else { return Ok(rows.clone()) };
        let imputer: &dyn Imputer = match filler {
            Filler::Density(density) => density.as_ref(),
            Filler::Alike(alike) => alike.as_ref(),
        };
        let mut whole = rows.clone();
        let all: Vec<usize> = (0..rows.len()).collect();
        for some in all.chunks(AT_ONCE) {
            if let Some(run) = run {
                if run.stopped() {
                    return Err(Error::Stopped);
                }
                run.progress(some[0] as u64, rows.len() as u64, "filling holes");
            }
            let mut part = Rows::Images(rows.select(some));
            imputer.fill(&mut part, None)?;
            whole.fill_from(some, part.images()?);
        }
        Ok(whole.whole())
    }

    /// The density of what is missing of some images, where the first layer asks for it.
    pub fn mixture(&self, batch: &ImageBatch) -> Option<(Mixture<Vec<f32>>, MixtureSize)> {
        match self {
            Self::Described(density) => Some(density.mixture(batch)),
            _ => None,
        }
    }
}
