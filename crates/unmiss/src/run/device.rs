//! Where networks are trained.

use std::str::FromStr;

use crate::error::{Error, Result};

#[cfg(feature = "gpu")]
pub(crate) use card::chosen as chosen_card;

/// What computes. Operations of networks and their backward passes are written for memory that the processor reads; a
/// graphics card takes over the large matrix products of training, which is most of the work of wide networks. What a
/// model answers is computed by the processor in any case, so that a row's answer depends on that row alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// A graphics card, through Vulkan, Metal or DirectX 12.
    #[cfg(feature = "gpu")]
    Gpu,
}

impl Device {
    /// From now on, networks of this process are trained here. The first choice holds.
    pub fn choose(self) -> Result<()> {
        match self {
            Self::Cpu => Ok(()),
            #[cfg(feature = "gpu")]
            Self::Gpu => card::choose(),
        }
    }
}

/// How programs and people call graphics cards.
const CARDS: [&str; 7] = ["gpu", "cuda", "rocm", "metal", "vulkan", "webgpu", "wgpu"];

impl FromStr for Device {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name.to_ascii_lowercase().as_str() {
            "cpu" => Ok(Self::Cpu),
            #[cfg(feature = "gpu")]
            "gpu" => Ok(Self::Gpu),
            #[cfg(not(feature = "gpu"))]
            "gpu" => Err(Error::setting(
                "device",
                "`gpu` can't be used: this build computes on the processor alone",
            )
            .with_hint("build it with `--features gpu`, or leave the option out")),
            other if CARDS.contains(&other) => {
                Err(Error::setting("device", format!("there is no device `{name}`"))
                    .with_hint("say gpu, or cpu"))
            }
            _ => Err(Error::setting("device", format!("there is no device `{name}`")).with_hint("say cpu")),
        }
    }
}

#[cfg(feature = "gpu")]
mod card {
    use std::sync::OnceLock;

    use burn::tensor::{Device, DeviceType};

    use crate::error::{Error, Result};

    static CHOSEN: OnceLock<Device> = OnceLock::new();

    /// Takes the first card that there is.
    pub(super) fn choose() -> Result<()> {
        // Drivers that are broken panic below Burn: the same as none.
        let found = std::panic::catch_unwind(|| Device::enumerate(DeviceType::Wgpu).into_iter().next());
        let Some(device) = found.ok().flatten() else {
            return Err(Error::setting(
                "device",
                "no graphics card was found, or none that a driver answers for",
            )
            .with_hint(
                "install the card's driver for Vulkan, Metal or DirectX 12, or leave the option out",
            ));
        };
        CHOSEN.get_or_init(|| device);
        Ok(())
    }

    /// The card that large products go to, if one was chosen.
    pub(crate) fn chosen() -> Option<&'static Device> {
        CHOSEN.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said() {
        assert_eq!("CPU".parse::<Device>().unwrap(), Device::Cpu);
        assert!(Device::Cpu.choose().is_ok());
        let told = |name: &str| name.parse::<Device>().unwrap_err().to_string();
        #[cfg(not(feature = "gpu"))]
        assert!(told("gpu").contains("this build computes on the processor alone"));
        assert!(told("cuda").contains("there is no device `cuda`"));
        assert!(told("abacus").contains("there is no device `abacus`"));
    }
}
