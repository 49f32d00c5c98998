//! Where the model runs, and why there.
//!
//! [`probe()`] looks at the browser, [`decide`] is a pure function of what it found, and [`Devices`] opens what was decided:
//! burn's WebGPU runtime at most once in a worker's life, because it cannot be configured again.

mod open;
mod probe;

use nucleus_session::{DeviceKind, DevicePreference, DeviceReason, DeviceReport};

pub use open::{Chosen, Devices};
pub use probe::probe;

/// The feature without which burn's runtime (cubecl-wgpu 0.11.3, `stream.rs`) panics in a browser.
pub const FEATURE: &str = "timestamp-query";

/// The limits that burn's kernels count on, by their names in WebGPU. They are those that the specification grants to
/// every adapter (section 3.6.2, "Limits"), so that only a restricted adapter falls short.
pub const LIMITS: [(&str, u64); 7] = [
    ("maxComputeInvocationsPerWorkgroup", 256),
    ("maxComputeWorkgroupSizeX", 256),
    ("maxComputeWorkgroupStorageSize", 16_384),
    ("maxComputeWorkgroupsPerDimension", 65_535),
    ("maxStorageBuffersPerShaderStage", 8),
    (BUFFER, 256 << 20),
    (BINDING, 128 << 20),
];

const BUFFER: &str = "maxBufferSize";
const BINDING: &str = "maxStorageBufferBindingSize";

/// Names that software adapters go by, lower case; browsers do not always mark them as fallback adapters.
const SOFTWARE: [&str; 6] = ["swiftshader", "llvmpipe", "lavapipe", "softpipe", "softgpu", "basic render"];

/// What was found in the browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Whether the page's origin is one to which browsers offer WebGPU.
    pub secure: bool,
    /// The adapter, or why there is none.
    pub adapter: Result<Adapter, NoAdapter>,
}

/// Why there is no adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAdapter {
    /// `navigator.gpu` is missing.
    NoWebGpu,
    /// `requestAdapter()` gave null.
    Null,
    /// `requestAdapter()` threw.
    Rejected(String),
}

/// What an adapter says of itself, and whether it opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// Vendor, architecture and description, as far as the browser tells.
    pub name: String,
    /// Whether the browser calls it a fallback adapter.
    pub fallback: bool,
    /// Whether it has [`FEATURE`].
    pub has_feature: bool,
    /// The values of [`LIMITS`], in their order.
    pub limits: [u64; LIMITS.len()],
    /// Whether `requestDevice()` gave a device; else what it said.
    pub opens: Result<(), String>,
}

impl Adapter {
    /// Whether it computes on the CPU after all.
    #[must_use]
    pub fn is_software(&self) -> bool {
        let name = self.name.to_lowercase();
        self.fallback || SOFTWARE.iter().any(|software| name.contains(software))
    }

    /// The largest tensor that a shader can read, bytes: it needs a buffer, and a binding to the whole of it.
    #[must_use]
    pub fn max_tensor_bytes(&self) -> u64 {
        let limits = LIMITS.iter().zip(self.limits);
        limits.filter(|((name, _), _)| [BUFFER, BINDING].contains(name)).map(|(_, value)| value).min().unwrap_or(0)
    }

    fn missing(&self) -> Option<DeviceReason> {
        if !self.has_feature {
            return Some(DeviceReason::MissingFeature { feature: FEATURE.into() });
        }
        let low = LIMITS.iter().zip(self.limits).find(|((_, needed), value)| value < needed);
        low.map(|((limit, needed), value)| DeviceReason::LimitTooLow { limit: (*limit).into(), value, needed: *needed })
    }
}

/// The device for what was found: an adapter that can do it, else the CPU with the reason.
///
/// A software adapter is slower than the CPU path, so it is taken only when `preference` is
/// [`WebGpu`](DevicePreference::WebGpu). A preference for WebGPU that cannot be had ends on the CPU too.
#[must_use]
pub fn decide(preference: DevicePreference, found: &Probe) -> DeviceReport {
    if preference == DevicePreference::Cpu {
        return on_the_cpu(DeviceReason::ForcedCpu);
    }
    let forced = preference == DevicePreference::WebGpu;
    match usable(forced, found) {
        Ok(adapter) => DeviceReport {
            kind: DeviceKind::WebGpu,
            adapter: adapter.name.clone(),
            software: adapter.is_software(),
            reason: if forced { DeviceReason::ForcedWebGpu } else { DeviceReason::Adapter },
        },
        Err(reason) => on_the_cpu(reason),
    }
}

/// The report of a model that runs on the CPU, because of `reason`.
#[must_use]
pub fn on_the_cpu(reason: DeviceReason) -> DeviceReport {
    DeviceReport { kind: DeviceKind::Cpu, adapter: String::new(), software: false, reason }
}

fn usable(forced: bool, found: &Probe) -> Result<&Adapter, DeviceReason> {
    let adapter = found.adapter.as_ref().map_err(|none| match none {
        NoAdapter::NoWebGpu if found.secure => DeviceReason::NoWebGpu,
        NoAdapter::NoWebGpu => DeviceReason::InsecureOrigin,
        NoAdapter::Null => DeviceReason::NoAdapter,
        NoAdapter::Rejected(message) => DeviceReason::DeviceRejected { message: message.clone() },
    })?;
    if adapter.is_software() && !forced {
        return Err(DeviceReason::SoftwareAdapter);
    }
    if let Some(reason) = adapter.missing() {
        return Err(reason);
    }
    match &adapter.opens {
        Ok(()) => Ok(adapter),
        Err(message) => Err(DeviceReason::DeviceRejected { message: message.clone() }),
    }
}

#[cfg(test)]
mod tests;
