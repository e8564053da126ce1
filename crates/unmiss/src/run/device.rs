//! Where networks are trained and asked.

use std::str::FromStr;

use crate::error::{Error, Result};

/// What computes. The operations of networks (dense layers, fronts, convolutions, recurrent steps) with their backward
/// passes are written for memory that the processor reads, so there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
}

impl FromStr for Device {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name.to_ascii_lowercase().as_str() {
            "cpu" => Ok(Self::Cpu),
            "gpu" | "cuda" | "rocm" | "metal" | "vulkan" | "wgpu" => {
                let what = format!(
                    "`{name}` can't be used: this build has no backend for graphics cards, and its operations of \
                     networks no form but that for the processor"
                );
                Err(Error::setting("device", what).with_hint("leave it out, or say cpu"))
            }
            _ => Err(Error::setting("device", format!("there is no device `{name}`")).with_hint("say cpu")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said() {
        assert_eq!("CPU".parse::<Device>().unwrap(), Device::Cpu);
        let told = |name: &str| name.parse::<Device>().unwrap_err().to_string();
        assert!(told("gpu").contains("no backend for graphics cards"));
        assert!(told("abacus").contains("there is no device `abacus`"));
    }
}
