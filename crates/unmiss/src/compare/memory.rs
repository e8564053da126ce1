//! The most memory the program held during a piece of work, where the system tells.

/// Measures from its start on.
pub(super) struct Meter {
    /// Whether the system let the peak be set back; otherwise it is that of earlier work.
    started: bool,
}

impl Meter {
    /// Sets the peak back to what is held now.
    pub fn start() -> Self {
        // Linux: 5 sets the peak of the resident set back (proc(5)).
        let started = cfg!(target_os = "linux") && std::fs::write("/proc/self/clear_refs", "5").is_ok();
        Self { started }
    }

    /// The peak since the start, in bytes.
    pub fn peak(&self) -> Option<u64> {
        let status = self.started.then(|| std::fs::read_to_string("/proc/self/status").ok())??;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(1024 * kilobytes)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_large_vector_shows() {
        let meter = Meter::start();
        let before = meter.peak();
        let large = vec![1_u8; 64 << 20];
        assert!(large.iter().step_by(4096).all(|byte| *byte == 1));
        // A system may forbid it: then nothing is told rather than something wrong.
        if let (Some(before), Some(after)) = (before, meter.peak()) {
            assert!(after >= before + (32 << 20), "{before} {after}");
        }
    }
}
