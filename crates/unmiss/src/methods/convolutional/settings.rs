//! The settings, what each may be, and the course of training that follows from them.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::nets::{Architecture, BatchNorm, Down, Net};
use crate::data::images::Size;
use crate::error::{Error, Result};
use crate::methods::{dmfa, neighbours, parse};
use crate::missing::Region;
use crate::nn::optimizer::Optimizer;
use crate::nn::schedule::Schedule;
use crate::nn::train::TrainSettings;

/// Visits of images in all that the usual number of epochs aims at.
const VISITS: usize = 500_000;
/// Images that `knn` asks, at most: so many as in the paper on MisConv.
const DONORS: usize = 5_000;

/// The settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// What becomes of pixels that are not known.
    pub missing: Missing,
    /// The most alike images that `knn` fills holes from.
    pub neighbours: usize,
    /// Convolutions, from the first on, that `sn-conv` normalises.
    pub sn_depth: usize,
    /// The network, as far as the next settings do not say otherwise.
    pub net: Net,
    /// Filters of the convolutions, block by block.
    pub filters: Option<Vec<Vec<usize>>>,
    /// How images are made smaller.
    pub down: Option<Down>,
    /// Where batch norm stands.
    pub batch_norm: Option<BatchNorm>,
    /// Units of the dense layers.
    pub hidden: Option<Vec<usize>>,
    /// Share of the units before each dense layer that is left out at a step.
    pub dropout: Option<f64>,
    /// Share of the numbers between convolutions that is left out at a step.
    pub convolution_dropout: Option<f64>,
    /// Pixels by which an image is moved in training, at most.
    pub shift: usize,
    /// Whether half of the images in training are mirrored.
    pub flip: bool,
    /// What more is hidden at half of the visits in training.
    pub hide: Option<Hide>,
    /// Networks whose answers are averaged.
    pub networks: usize,
    /// Learning rate at its highest.
    pub rate: f64,
    /// Weight decay.
    pub weight_decay: f64,
    /// Passes over the images; none: by their number.
    pub epochs: Option<usize>,
    /// Images in a batch; none: by their number.
    pub batch: Option<usize>,
    /// Epochs without a better validation score after which training ends; 0: never.
    pub patience: usize,
    /// Passes over the images by which the density is learned; none: by their number.
    pub density_epochs: Option<usize>,
}

/// What becomes of a pixel that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// 0.
    Zero,
    /// The mean of that pixel over the training images.
    Mean,
    /// What the most alike training images have there.
    Knn,
    /// The mean of the density that `dmfa` learns first.
    DmfaImpute,
    /// 0, and the mask as further channels.
    MaskChannel,
    /// Partial convolutions.
    PartialConv,
    /// Sparsity-normalised convolutions.
    SnConv,
    /// The expected activation under a density of what is missing.
    Misconv,
}

impl Missing {
    /// Whether a density is learned first.
    pub fn needs_density(self) -> bool {
        matches!(self, Self::DmfaImpute | Self::Misconv)
    }
}

/// What more is hidden of an image in training.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Hide {
    /// What is missing of another training image.
    Others,
    /// A region that is drawn anew at every visit.
    Region(Region),
}

impl TryFrom<String> for Hide {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        match text.as_str() {
            "others" => Ok(Self::Others),
            region => Region::from_str(region)
                .map(Self::Region)
                .map_err(|_| "expected others or a region such as square:0.25 or noise:0.3".to_owned()),
        }
    }
}

impl From<Hide> for String {
    fn from(hide: Hide) -> Self {
        match hide {
            Hide::Others => "others".into(),
            Hide::Region(region) => region.to_string(),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            missing: Missing::MaskChannel,
            neighbours: 10,
            sn_depth: 1,
            net: Net::Small,
            filters: None,
            down: None,
            batch_norm: None,
            hidden: None,
            dropout: None,
            convolution_dropout: None,
            shift: 0,
            flip: false,
            hide: None,
            networks: 1,
            rate: 1e-3,
            weight_decay: 1e-4,
            epochs: None,
            batch: None,
            patience: 8,
            density_epochs: None,
        }
    }
}

impl Settings {
    /// Settings whose every value can be used.
    ///
    /// # Errors
    /// When one can't.
    pub fn checked(settings: &Value) -> Result<Self> {
        let settings: Self = parse(settings)?;
        let sound = |blocks: &Vec<Vec<usize>>| {
            (1..=8).contains(&blocks.len())
                && blocks.iter().all(|block| (1..=16).contains(&block.len()))
                && blocks.iter().flatten().all(|filters| (1..=1024).contains(filters))
        };
        if settings.filters.as_ref().is_some_and(|blocks| !sound(blocks)) {
            let what = "there are 1 to 8 blocks of 1 to 16 convolutions of 1 to 1024 filters each";
            return Err(Error::setting("filters", what).with_hint("write for example [[32], [64, 64]]"));
        }
        let unfit =
            |hidden: &Vec<usize>| hidden.iter().any(|units| !(1..=8192).contains(units)) || hidden.len() > 32;
        if settings.hidden.as_ref().is_some_and(unfit) {
            return Err(Error::setting("hidden", "layers need 1 to 8192 units each, 32 layers at most"));
        }
        let shares = [("dropout", settings.dropout), ("convolution-dropout", settings.convolution_dropout)];
        for (name, share) in shares {
            if let Some(share) = share.filter(|share| !(0.0..0.95).contains(share)) {
                return Err(Error::setting(name, format!("{share} is not between 0 and 0.95")));
            }
        }
        let counts = [
            ("neighbours", settings.neighbours, 1000),
            ("sn-depth", settings.sn_depth, usize::MAX),
            ("networks", settings.networks, 100),
        ];
        for (name, count, most) in counts {
            if !(1..=most).contains(&count) {
                let range =
                    if most == usize::MAX { "1 or more".into() } else { format!("between 1 and {most}") };
                return Err(Error::setting(name, format!("{count} is not {range}")));
            }
        }
        if settings.shift > 64 {
            return Err(Error::setting("shift", format!("{} is more than 64 pixels", settings.shift)));
        }
        if settings.batch == Some(0) {
            return Err(Error::setting("batch", "0 is not above 0"));
        }
        settings.plan(1).check()?;
        if settings.density_epochs == Some(0) {
            return Err(Error::setting("density-epochs", "at least one epoch is needed"));
        }
        Ok(settings)
    }

    /// The network for images of a size: what `net` stands for, changed by what is set beside it.
    pub fn architecture(&self, size: Size) -> Architecture {
        let usual = self.net.architecture(size);
        Architecture {
            blocks: self.filters.clone().unwrap_or(usual.blocks),
            down: self.down.unwrap_or(usual.down),
            batch_norm: self.batch_norm.unwrap_or(usual.batch_norm),
            hidden: self.hidden.clone().unwrap_or(usual.hidden),
            dropout: self.dropout.unwrap_or(usual.dropout),
            convolution_dropout: self.convolution_dropout.unwrap_or(usual.convolution_dropout),
        }
    }

    /// How the density is learned.
    pub fn density(&self) -> dmfa::Settings {
        dmfa::Settings { epochs: self.density_epochs, ..dmfa::Settings::default() }
    }

    /// Whom `knn` asks.
    pub fn alike(&self) -> neighbours::Settings {
        neighbours::Settings { k: self.neighbours, donors: DONORS }
    }

    /// The course of training on so many images.
    pub fn plan(&self, images: usize) -> TrainSettings {
        let batch = self.batch.unwrap_or(match images {
            0..500 => 16,
            500..5_000 => 32,
            _ => 64,
        });
        TrainSettings {
            epochs: self.epochs.unwrap_or_else(|| (VISITS / images.max(1)).clamp(4, 60)),
            batch,
            optimizer: Optimizer::adam_w(),
            rate: self.rate,
            schedule: Schedule::Warmup { share: 0.05 },
            weight_decay: self.weight_decay,
            patience: (self.patience > 0).then_some(self.patience),
            ..TrainSettings::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_hidden_in_training_is_read_from_words() {
        let hide = |text: &str| Settings::checked(&json!({ "hide": text })).map(|settings| settings.hide);
        assert_eq!(hide("others").unwrap(), Some(Hide::Others));
        assert_eq!(hide("noise:0.3").unwrap(), Some(Hide::Region(Region::Noise(0.3))));
        let written = serde_json::to_value(Hide::Region(Region::Square(0.25))).unwrap();
        assert_eq!(written, json!("square:0.25"));
        let error = hide("nose").unwrap_err().to_string();
        assert!(error.contains("`hide`") && error.contains("it takes others or a region"), "{error}");
    }

    #[test]
    fn what_is_set_beside_a_net_changes_it() {
        let size = Size { channels: 3, height: 32, width: 32 };
        let settings = json!({ "net": "vgg-16", "hidden": [7], "batch-norm": "none" });
        let settings = Settings::checked(&settings).unwrap();
        let architecture = settings.architecture(size);
        assert_eq!((architecture.blocks.len(), architecture.down), (5, Down::MaxPool));
        assert_eq!((architecture.hidden.as_slice(), architecture.batch_norm), (&[7][..], BatchNorm::None));
        for wrong in [json!({ "sn-depth": 0 }), json!({ "networks": 101 }), json!({ "dropout": 0.99 })] {
            assert!(Settings::checked(&wrong).is_err(), "{wrong}");
        }
    }
}
