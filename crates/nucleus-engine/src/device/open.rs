//! Opening the device that was decided on.

#[cfg(any(test, target_family = "wasm"))]
use nucleus_gpt2::DeviceError;
use nucleus_gpt2::{Device, LoadOptions, Workgroups};
use nucleus_session::{DeviceKind, DevicePreference, DeviceReason, DeviceReport};
#[cfg(any(test, target_family = "wasm"))]
use nucleus_session::{Failure, Report};

use super::{decide, on_the_cpu, probe};

/// Dispatches that are sent to the device together: more than a token of the largest GPT-2 has, which is 8 a block.
#[cfg(target_family = "wasm")]
const TASKS: usize = 512;

/// A device that is open.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Where tensors go.
    pub device: Device,
    /// What it is, and why it was chosen.
    pub report: DeviceReport,
    /// The largest tensor that it holds in one piece, bytes.
    pub max_tensor_bytes: usize,
    /// The shape of kernels that it likes.
    pub workgroups: Workgroups,
}

impl Chosen {
    /// The CPU, because of `reason`.
    #[must_use]
    pub fn cpu(reason: DeviceReason) -> Self {
        Self {
            device: Device::flex(),
            report: on_the_cpu(reason),
            max_tensor_bytes: usize::MAX,
            workgroups: Workgroups::Plain,
        }
    }

    /// How weights are put on it.
    #[must_use]
    pub fn options(&self) -> LoadOptions {
        LoadOptions { max_tensor_bytes: self.max_tensor_bytes, workgroups: self.workgroups, ..LoadOptions::default() }
    }

    /// Whether a pass over a prompt may take many seconds: an adapter in software, with a model of any size.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.report.kind == DeviceKind::WebGpu && self.report.software
    }
}

/// The devices of this worker.
#[derive(Debug, Default)]
pub struct Devices {
    webgpu: Option<Device>,
}

impl Devices {
    /// Looks for a device, decides, and opens it. Where WebGPU does not open after all, the CPU takes over.
    pub async fn choose(&mut self, preference: DevicePreference) -> Chosen {
        if preference == DevicePreference::Cpu {
            return Chosen::cpu(DeviceReason::ForcedCpu);
        }
        let found = probe().await;
        let report = decide(preference, &found);
        let (DeviceKind::WebGpu, Ok(adapter)) = (report.kind, &found.adapter) else {
            return Chosen::cpu(report.reason);
        };
        match self.webgpu().await {
            Ok(device) => {
                let max_tensor_bytes = usize::try_from(adapter.max_tensor_bytes()).unwrap_or(usize::MAX);
                Chosen { device, workgroups: workgroups(&report), report, max_tensor_bytes }
            }
            Err(message) => Chosen::cpu(DeviceReason::DeviceRejected { message }),
        }
    }

    /// burn's runtime can be initialised once only, so the device is kept.
    async fn webgpu(&mut self) -> Result<Device, String> {
        match &self.webgpu {
            Some(device) => Ok(device.clone()),
            None => Ok(self.webgpu.insert(open_webgpu().await?).clone()),
        }
    }
}

/// What the page hears of an error that the device reported.
#[cfg(any(test, target_family = "wasm"))]
fn failure(error: &DeviceError) -> Failure {
    let message = error.to_string();
    match error {
        DeviceError::OutOfMemory { .. } => Failure::OutOfMemory { message },
        DeviceError::Validation { .. } | DeviceError::Internal { .. } => Failure::DeviceError { message },
    }
}

/// Software computes on the CPU, where threads that wait for each other cost much.
fn workgroups(report: &DeviceReport) -> Workgroups {
    if report.software { Workgroups::Plain } else { Workgroups::Tiled }
}

#[cfg(target_family = "wasm")]
async fn open_webgpu() -> Result<Device, String> {
    use std::sync::Arc;

    use crate::mailbox::post;

    crate::constructors::run();
    let opened = Device::wgpu_options().tasks_max(TASKS).init_with_setup_async().await;
    let (device, setup) = opened.map_err(|error| error.to_string())?;
    // In a browser this adds a listener; the runtime's own, by which reads fail from then on, stays.
    setup.device.set_device_lost_callback(|_, message| {
        post(&Report::Failed { run: None, failure: Failure::DeviceLost { message } }, None);
    });
    // In the place of the runtime's own handler, which panics: a trap would hide what the device said.
    setup.device.on_uncaptured_error(Arc::new(|error: DeviceError| {
        post(&Report::Failed { run: None, failure: failure(&error) }, None);
    }));
    Ok(device)
}

#[cfg(not(target_family = "wasm"))]
async fn open_webgpu() -> Result<Device, String> {
    Err("burn's WebGPU runtime is built for browsers only".into())
}

#[cfg(test)]
mod tests {
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    #[test]
    fn an_error_of_the_device_keeps_what_was_said_and_is_told_from_a_lack_of_memory() {
        let refused = DeviceError::Validation { source: "".into(), description: "binding 3 is missing".into() };
        assert!(matches!(failure(&refused), Failure::DeviceError { message } if message.contains("binding 3")));
        let full = DeviceError::OutOfMemory { source: "".into() };
        assert!(matches!(failure(&full), Failure::OutOfMemory { .. }));
    }
}
