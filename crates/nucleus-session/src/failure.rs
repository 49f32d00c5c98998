//! What can go wrong in the engine, as it crosses to the page.

mod file;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use self::file::{Expected, Found};
use crate::protocol::RunId;

/// Why the engine could not do what it was asked.
///
/// The text of each is for the reader: what happened, and what to do. Messages of lower layers are
/// carried as text, since their types end at the worker's border.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Error)]
pub enum Failure {
    /// No answer, or an answer other than success.
    #[error("{address} could not be fetched ({}). Check the connection and the address, then load the model again.", answer_words(.address, *.status))]
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
    #[error("{address} does not describe a model that this page can run: {}", ended(.message))]
    Config {
        /// The file.
        address: String,
        /// What is wrong, lower case, no full stop.
        message: String,
    },
    /// The tokenizer's files cannot be used.
    #[error("{address} is not a tokenizer that this page can use: {}", ended(.message))]
    Tokenizer {
        /// The file.
        address: String,
        /// What is wrong, lower case, no full stop.
        message: String,
    },
    /// The weights' file is broken or does not fit the configuration.
    #[error("{address} cannot be used as the weights: {}", ended(.message))]
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
    #[error("The graphics device was lost ({message}). The text so far, the prompt and the settings are kept.")]
    DeviceLost {
        /// What the browser said.
        message: String,
    },
    /// The graphics device refused a command, which is a bug of this page or of the browser: what it computed is not to be trusted.
    #[error(
        "The graphics device refused a command ({message}), so its results could not be trusted. The text so far, the prompt and the settings are kept."
    )]
    DeviceError {
        /// What the browser said.
        message: String,
    },
    /// WebAssembly trapped, or the worker died.
    #[error("The engine stopped working ({message}). The text so far, the prompt and the settings are kept.")]
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
    /// What the text must be cannot be, or not with this vocabulary or in so few tokens.
    #[error("Not started: {message}.")]
    Constraint {
        /// What is wrong and what to do, lower case, no full stop.
        message: String,
    },
    /// The browser did not let the page read the answer of another host.
    #[error(
        "{address} is on a server that does not allow this page to read it (it sends no Access-Control-Allow-Origin). Choose another address, or download the files and choose them from this computer."
    )]
    CrossOrigin {
        /// The file.
        address: String,
    },
    /// The connection broke again and again.
    #[error(
        "The connection to {address} broke {attempts} times, the last time at {received} bytes of {expected}. {}", lost_words(*.kept)
    )]
    ConnectionLost {
        /// The file.
        address: String,
        /// Bytes that came.
        received: u64,
        /// Bytes in all.
        expected: u64,
        /// How often it was tried.
        attempts: u32,
        /// Whether what came is kept.
        kept: bool,
    },
    /// A folder has weights, but in a format that is not read.
    #[error(
        "{folder} has no model.safetensors, only {found}, which this page cannot read. Choose a model with safetensors files, or convert it."
    )]
    OtherFormat {
        /// The folder's address.
        folder: String,
        /// The name of the file that is there.
        found: String,
    },
    /// The files that the reader chose do not make a model.
    #[error("The chosen files do not make a model: {}", ended(.message))]
    Files {
        /// What is wrong and what to choose, lower case, no full stop.
        message: String,
    },
    /// A file of the reader's disk cannot be read any more.
    #[error("{name} could not be read ({message}). Choose the files again.")]
    Unreadable {
        /// The file.
        name: String,
        /// What the browser said.
        message: String,
    },
    /// The model is larger than the device allows; found out before the download.
    #[error(
        "{name} does not fit on this device: {what} takes {needed} bytes, but at most {limit} are possible. Choose a smaller model, or hold the weights in fewer bits (weights=f16 in the address)."
    )]
    TooLarge {
        /// The model.
        name: String,
        /// What is too large: the whole, or a tensor.
        what: String,
        /// Bytes that it takes.
        needed: u64,
        /// Bytes that there are.
        limit: u64,
    },
    /// The worker's script, or a module that it needs, did not come.
    #[error(
        "The engine\u{2019}s code could not be loaded from this page\u{2019}s server. Check the connection, then start the model again; if that does not help, reload the page."
    )]
    NoEngine,
    /// A message between page and worker could not be read.
    #[error(
        "Page and engine do not understand each other ({message}). Reload the page without its cache: the two are from different versions."
    )]
    Protocol {
        /// What is wrong, lower case, no full stop.
        message: String,
    },
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
                | Self::NoEngine
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
        self.may_pass()
            || matches!(
                self,
                Self::OutOfMemory { .. } | Self::TooLarge { .. } | Self::SelfTest { .. } | Self::Logits { .. }
            )
    }
}

fn answer_words(address: &str, status: Option<u16>) -> String {
    let Some(status) = status else {
        let elsewhere = address.contains("://");
        return if elsewhere {
            "no answer, or none that this page may read: the other host must send Access-Control-Allow-Origin"
        } else {
            "no answer"
        }
        .into();
    };
    let meaning = match status {
        401 | 403 => ": the server wants a login, or there is no such model",
        404 | 410 => ": there is no such file",
        429 => ": too many requests, wait a while",
        500.. => ": the server is in trouble",
        _ => "",
    };
    format!("status {status}{meaning}")
}

fn lost_words(kept: bool) -> &'static str {
    if kept {
        "What came is kept: load the model again to go on from there."
    } else {
        "Load the model again once the connection is better."
    }
}

/// A message with a full stop, unless it ends with a sign of its own.
fn ended(message: &str) -> String {
    let stop = if message.ends_with(['.', '?', '!', '\u{2026}']) { "" } else { "." };
    format!("{message}{stop}")
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
    fn a_status_has_its_meaning_beside_it() {
        for (status, word) in [(401, "login"), (404, "no such file"), (429, "too many"), (503, "trouble")] {
            let text = Failure::Fetch { address: "x".into(), status: Some(status) }.to_string();
            assert!(text.contains(&format!("status {status}")) && text.contains(word), "{text}");
        }
    }

    #[test]
    fn a_lost_connection_says_whether_what_came_is_kept() {
        let lost = |kept| Failure::ConnectionLost { address: "x".into(), received: 1, expected: 2, attempts: 5, kept };
        assert!(lost(true).to_string().contains("is kept"));
        assert!(!lost(false).to_string().contains("is kept"));
    }

    #[test]
    fn a_question_has_no_full_stop() {
        let refused = |message: &str| Failure::Checkpoint { address: "w".into(), message: message.into() }.to_string();
        assert!(refused("is config.json of another model?").ends_with("another model?"));
        assert!(refused("it was cut").ends_with("it was cut."));
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
        let too_large = Failure::TooLarge { name: "gpt2".into(), what: "the whole".into(), needed: 2, limit: 1 };
        assert!(too_large.may_be_the_device() && !too_large.may_pass());
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
