//! What can go wrong in the engine, as it crosses to the page.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::protocol::RunId;

/// Why the engine could not do what it was asked.
///
/// The text of each is for the reader: what happened, and what to do. Messages of lower layers are
/// carried as text, since their types end at the worker's border.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Error)]
pub enum Failure {
    /// No answer, or an answer other than success.
    #[error("{address} could not be fetched ({}). Check the connection and the address, then load the model again.", status_words(*.status))]
    Fetch {
        /// The file.
        address: String,
        /// The HTTP status; `None` when no answer came at all.
        status: Option<u16>,
    },
    /// The transfer ended early, or the file is longer than announced.
    #[error(
        "{address} came with {received} bytes instead of {expected}. Load the model again; if it stays so, the file on the server is damaged."
    )]
    Incomplete {
        /// The file.
        address: String,
        /// Bytes that came.
        received: u64,
        /// Bytes that were announced.
        expected: u64,
    },
    /// The answer is something else than the file that was asked for.
    #[error("{address} is not {expected} but {found}. Put the real file there, then load the model again.")]
    WrongFile {
        /// The file.
        address: String,
        /// What was expected there.
        expected: Expected,
        /// What was found instead.
        found: Found,
    },
    /// `config.json` is not that of a model which this page can run.
    #[error("{address} does not describe a model that this page can run: {message}.")]
    Config {
        /// The file.
        address: String,
        /// What is wrong, lower case, no full stop.
        message: String,
    },
    /// The tokenizer's files cannot be used.
    #[error("{address} is not a tokenizer that this page can use: {message}.")]
    Tokenizer {
        /// The file.
        address: String,
        /// What is wrong, lower case, no full stop.
        message: String,
    },
    /// The weights' file is broken or does not fit the configuration.
    #[error("{address} cannot be used as the weights: {message}.")]
    Checkpoint {
        /// The file.
        address: String,
        /// What is wrong, lower case, no full stop.
        message: String,
    },
    /// The start-up self-test gave other logits than the known ones.
    #[error(
        "The self-test failed: on this device a tiny built-in model gave a logit that is {difference:.2e} away from the known one (at most {tolerance:.0e} is allowed). Its results could not be trusted, so nothing was loaded. Add device=cpu to the address to run on the CPU."
    )]
    SelfTest {
        /// The largest difference found; NaN when a logit was not finite.
        difference: f64,
        /// The largest that is allowed.
        tolerance: f64,
    },
    /// The graphics device went away.
    #[error(
        "The graphics device was lost ({message}). The text so far, the prompt and the settings are kept: press Generate once the model is back."
    )]
    DeviceLost {
        /// What the browser said.
        message: String,
    },
    /// The graphics device refused a command, which is a bug of this page or of the browser: what it computed is not to be trusted.
    #[error(
        "The graphics device refused a command ({message}), so its results could not be trusted. The text so far, the prompt and the settings are kept: press Generate once the model is back."
    )]
    DeviceError {
        /// What the browser said.
        message: String,
    },
    /// WebAssembly trapped, or the worker died.
    #[error(
        "The engine stopped working ({message}). The text so far, the prompt and the settings are kept: press Generate once the model is back."
    )]
    Trap {
        /// What the browser said.
        message: String,
    },
    /// The model does not fit into the memory there is.
    #[error("There is not enough memory for this model ({message}). Close other tabs, or choose a smaller model.")]
    OutOfMemory {
        /// What was asked for.
        message: String,
    },
    /// A generation was asked for before a model was loaded.
    #[error("No model is loaded yet. Wait until it is, then press Generate.")]
    NoModel,
    /// The prompt has no token.
    #[error("The prompt is empty, and the model can only continue a text. Type at least one character.")]
    EmptyPrompt,
    /// Another run is still going on.
    #[error("Run {running} is still going on. Stop it first.")]
    Busy {
        /// The run in question.
        running: RunId,
    },
    /// The model gave logits from which nothing can be drawn.
    #[error(
        "The model's output for token {index} cannot be used: {message}. The device may be faulty: add device=cpu to the address to compare."
    )]
    Logits {
        /// Which generated token, from 0.
        index: usize,
        /// What is wrong, lower case, no full stop.
        message: String,
    },
    /// The computation failed in another way.
    #[error("The model could not go on: {message}. Press Generate to try again.")]
    Model {
        /// What is wrong, lower case, no full stop.
        message: String,
    },
    /// A message between page and worker could not be read.
    #[error(
        "Page and engine do not understand each other ({message}). Reload the page without its cache: the two are from different versions."
    )]
    Protocol {
        /// What is wrong, lower case, no full stop.
        message: String,
    },
}

/// What a file should have been.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
pub enum Expected {
    /// `config.json` or `tokenizer.json`.
    #[error("JSON")]
    Json,
    /// `model.safetensors`.
    #[error("a safetensors file")]
    Safetensors,
}

/// What a file was instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Error)]
pub enum Found {
    /// The few lines of text that Git LFS leaves where a large file was not downloaded.
    #[error("a Git LFS pointer")]
    LfsPointer,
    /// A web page, as servers send for an address they do not know.
    #[error("an HTML page")]
    Html,
    /// Nothing.
    #[error("an empty file")]
    Empty,
    /// None of these.
    #[error("something else")]
    Other,
}

impl Failure {
    /// Whether the worker is of no use after this and must be replaced.
    #[must_use]
    pub fn ends_the_engine(&self) -> bool {
        matches!(
            self,
            Self::DeviceLost { .. }
                | Self::DeviceError { .. }
                | Self::Trap { .. }
                | Self::OutOfMemory { .. }
                | Self::Protocol { .. }
        )
    }

    /// Whether a new worker may do better without the reader changing anything.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::DeviceLost { .. } | Self::DeviceError { .. } | Self::Trap { .. })
    }

    /// Whether another device may do better: the CPU is offered after it.
    #[must_use]
    pub fn may_be_the_device(&self) -> bool {
        self.may_pass() || matches!(self, Self::OutOfMemory { .. } | Self::SelfTest { .. } | Self::Logits { .. })
    }
}

fn status_words(status: Option<u16>) -> String {
    status.map_or_else(|| "no answer".into(), |status| format!("status {status}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_names_the_file_and_what_came_instead() {
        let address = "models/tales/model.safetensors".to_string();
        let gone = Failure::Fetch { address: address.clone(), status: Some(404) }.to_string();
        assert!(gone.contains(&address) && gone.contains("status 404"), "{gone}");
        let silent = Failure::Fetch { address: address.clone(), status: None }.to_string();
        assert!(silent.contains("no answer"), "{silent}");
        let pointer = Failure::WrongFile { address, expected: Expected::Safetensors, found: Found::LfsPointer };
        assert!(pointer.to_string().contains("is not a safetensors file but a Git LFS pointer"), "{pointer}");
    }

    #[test]
    fn only_what_breaks_the_worker_ends_it() {
        assert!(Failure::Trap { message: String::new() }.ends_the_engine());
        assert!(Failure::DeviceLost { message: String::new() }.ends_the_engine());
        assert!(!Failure::EmptyPrompt.ends_the_engine());
        assert!(!Failure::Fetch { address: String::new(), status: None }.ends_the_engine());
    }

    #[test]
    fn the_cpu_is_offered_only_where_the_device_may_be_at_fault() {
        assert!(Failure::OutOfMemory { message: String::new() }.may_be_the_device());
        assert!(Failure::DeviceLost { message: String::new() }.may_be_the_device());
        assert!(!Failure::Fetch { address: String::new(), status: Some(404) }.may_be_the_device());
        assert!(!Failure::EmptyPrompt.may_be_the_device());
    }

    #[test]
    fn a_restart_is_tried_only_where_it_can_help() {
        assert!(Failure::DeviceLost { message: String::new() }.may_pass());
        assert!(Failure::DeviceError { message: String::new() }.may_pass());
        assert!(!Failure::OutOfMemory { message: String::new() }.may_pass());
        assert!(!Failure::SelfTest { difference: 1.0, tolerance: 1e-3 }.may_pass());
    }
}
