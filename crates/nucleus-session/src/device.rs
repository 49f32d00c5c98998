//! Where the model runs, and why there.

use core::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What the reader asked for with `?device=`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DevicePreference {
    /// A real graphics adapter if there is one, else the CPU.
    #[default]
    Auto,
    /// `?device=cpu`.
    Cpu,
    /// `?device=webgpu`: also an adapter that is only software.
    WebGpu,
}

impl DevicePreference {
    /// Reads the value of `?device=`; `None` for a word that means nothing.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            "cpu" => Some(Self::Cpu),
            "webgpu" => Some(Self::WebGpu),
            _ => None,
        }
    }

    /// The word that [`parse`](Self::parse) reads.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::WebGpu => "webgpu",
        }
    }
}

/// The two kinds of device that the engine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceKind {
    /// WebAssembly with SIMD, one thread.
    Cpu,
    /// WebGPU.
    WebGpu,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "CPU",
            Self::WebGpu => "WebGPU",
        })
    }
}

/// The device that was chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceReport {
    /// Where the model runs.
    pub kind: DeviceKind,
    /// What the browser calls the adapter; may be empty, browsers hide it.
    pub adapter: String,
    /// Whether the adapter computes on the CPU after all.
    pub software: bool,
    /// Why this device and not the other.
    pub reason: DeviceReason,
}

/// Why the model runs where it runs. The text of each is a whole sentence for the reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
pub enum DeviceReason {
    /// A real adapter was given.
    #[error("The model runs on the graphics processor, through WebGPU.")]
    Adapter,
    /// `?device=cpu`.
    #[error("The model runs on the CPU, because the address says device=cpu.")]
    ForcedCpu,
    /// `?device=webgpu`.
    #[error("The model runs on WebGPU, because the address says device=webgpu.")]
    ForcedWebGpu,
    /// `navigator.gpu` is missing although the page's origin is secure.
    #[error("This browser has no WebGPU (navigator.gpu is missing), so the model runs on the CPU.")]
    NoWebGpu,
    /// `navigator.gpu` is missing because the page came over plain HTTP.
    #[error(
        "Browsers offer WebGPU only on https:// and on localhost, and this page came over plain http://, so the model runs on the CPU."
    )]
    InsecureOrigin,
    /// `requestAdapter()` gave null.
    #[error(
        "The browser has WebGPU but offers no graphics adapter (requestAdapter gave null), so the model runs on the CPU."
    )]
    NoAdapter,
    /// `requestDevice()` rejected.
    #[error("The graphics adapter refused to open (requestDevice: {message}), so the model runs on the CPU.")]
    DeviceRejected {
        /// What the browser said.
        message: String,
    },
    /// The adapter is software (SwiftShader, lavapipe).
    #[error(
        "The only graphics adapter is software, which is slower than this page's own CPU path, so the model runs on the CPU. Add device=webgpu to the address to use it all the same."
    )]
    SoftwareAdapter,
    /// The adapter lacks a feature that the engine cannot do without.
    #[error("The graphics adapter lacks {feature}, which the model's WebGPU path needs, so the model runs on the CPU.")]
    MissingFeature {
        /// The feature's name in WebGPU, such as `timestamp-query`.
        feature: String,
    },
    /// A limit of the adapter is too low for the model.
    #[error(
        "The graphics adapter's limit {limit} is {value}, but the model needs {needed}, so the model runs on the CPU."
    )]
    LimitTooLow {
        /// The limit's name in WebGPU, such as `maxStorageBufferBindingSize`.
        limit: String,
        /// What the adapter has.
        value: u64,
        /// What the model needs.
        needed: u64,
    },
    /// The graphics device failed in this visit, and the page started the engine on the CPU.
    #[error(
        "The graphics processor failed {}, so the model runs on the CPU. Reload the page to try the graphics processor again.",
        times(*.failures)
    )]
    GpuFailed {
        /// How often.
        failures: u32,
    },
    /// The self-test's model gave wrong logits on the adapter, or none.
    #[error(
        "The graphics adapter failed the self-test ({message}), so its results could not be trusted and the model runs on the CPU."
    )]
    SelfTestFailed {
        /// What went wrong, with the largest difference, lower case, no full stop.
        message: String,
    },
}

fn times(n: u32) -> String {
    match n {
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{n} times"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn every_reason_for_the_cpu() -> Vec<DeviceReason> {
        vec![
            DeviceReason::NoWebGpu,
            DeviceReason::InsecureOrigin,
            DeviceReason::NoAdapter,
            DeviceReason::DeviceRejected { message: "out of luck".into() },
            DeviceReason::SoftwareAdapter,
            DeviceReason::MissingFeature { feature: "timestamp-query".into() },
            DeviceReason::LimitTooLow { limit: "maxBufferSize".into(), value: 1, needed: 2 },
            DeviceReason::SelfTestFailed { message: "a logit is 0.3 away".into() },
            DeviceReason::ForcedCpu,
            DeviceReason::GpuFailed { failures: 2 },
        ]
    }

    /// CASE 30: each way WebGPU can be missing has its own sentence, and each says who takes over.
    #[test]
    fn every_reason_for_the_cpu_has_its_own_sentence_and_says_cpu() {
        let sentences: Vec<String> = every_reason_for_the_cpu().iter().map(ToString::to_string).collect();
        for sentence in &sentences {
            assert!(sentence.contains("on the CPU") && sentence.ends_with('.'), "{sentence}");
        }
        let different: HashSet<&String> = sentences.iter().collect();
        assert_eq!(different.len(), sentences.len());
    }

    #[test]
    fn reasons_carry_what_the_browser_said() {
        let text: String = every_reason_for_the_cpu().iter().map(ToString::to_string).collect();
        for word in ["out of luck", "timestamp-query", "maxBufferSize is 1", "needs 2", "navigator.gpu", "https://"] {
            assert!(text.contains(word), "{word}");
        }
    }

    #[test]
    fn failures_are_counted_in_words() {
        for (failures, words) in [(1, "failed once"), (2, "failed twice"), (3, "failed 3 times")] {
            let text = DeviceReason::GpuFailed { failures }.to_string();
            assert!(text.contains(words), "{text}");
        }
    }

    #[test]
    fn a_preference_is_read_from_the_word_it_writes() {
        for preference in [DevicePreference::Auto, DevicePreference::Cpu, DevicePreference::WebGpu] {
            assert_eq!(DevicePreference::parse(preference.word()), Some(preference));
        }
        assert_eq!(DevicePreference::parse("gpu"), None);
    }
}
