//! Files from the reader's disk: which of them is what, and their bytes.

use js_sys::Uint8Array;
use nucleus_session::Failure;
use thiserror::Error;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use crate::js;

/// Other names of the same files: those of OpenAI's release.
const ALIASES: [(&str, &str); 2] = [("vocab.json", "encoder.json"), ("merges.txt", "vocab.bpe")];

/// What the files of a model may be called.
const WANTED: [&str; 6] =
    ["config.json", "tokenizer.json", "vocab.json", "merges.txt", "model.safetensors", "model.safetensors.index.json"];

/// Ends of the names of weights in formats that are not read.
const OTHERS: [&str; 7] = [".bin", ".pt", ".pth", ".gguf", ".h5", ".msgpack", ".onnx"];

/// Why files do not make a model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum FilesError {
    /// Two of one name.
    #[error("two files are called {0}: choose the files of one model")]
    Twice(String),
    /// No configuration.
    #[error("config.json is missing: choose it together with {0}")]
    NoConfig(String),
    /// No tokenizer.
    #[error("the tokenizer is missing: choose tokenizer.json too, or vocab.json and merges.txt")]
    NoTokenizer,
    /// Half a tokenizer.
    #[error("{missing} is missing, without which {found} is no tokenizer: choose both, or tokenizer.json")]
    HalfTokenizer {
        /// What is not there.
        missing: &'static str,
        /// What is.
        found: &'static str,
    },
    /// No weights.
    #[error("the weights are missing: choose model.safetensors too")]
    NoWeights,
    /// Weights in another format.
    #[error("{0} cannot be read: choose the model.safetensors of the model in its place")]
    OtherFormat(String),
    /// Files of weights, and no index that says how they belong together.
    #[error("there are {0} files of weights: choose model.safetensors.index.json too, which says what is in which")]
    NoIndex(usize),
}

/// The files of one model.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    /// The name that each goes by, and the file.
    files: Vec<(String, File)>,
}

impl Disk {
    /// Looks what is there, in any order.
    ///
    /// # Errors
    /// [`Failure::Files`] where something is missing or there twice.
    pub(crate) fn new(files: Vec<File>) -> Result<Self, Failure> {
        let names: Vec<String> = files.iter().map(File::name).collect();
        let roles = roles(&names).map_err(|error| Failure::Files { message: error.to_string() })?;
        Ok(Self { files: roles.into_iter().zip(files).filter_map(|(role, file)| Some((role?, file))).collect() })
    }

    /// The file of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&File> {
        self.files.iter().find(|(role, _)| role == name).map(|(_, file)| file)
    }
}

/// Appends bytes `at..until` of a file to `into`; less where it ends before.
///
/// # Errors
/// [`Failure::Unreadable`] when it has changed or gone since it was chosen.
pub(crate) async fn read(file: &File, at: u64, until: u64, into: &mut Vec<u8>) -> Result<(), Failure> {
    let unreadable = |error| Failure::Unreadable { name: file.name(), message: js::message(&error) };
    let part = file.slice_with_f64_and_f64(at as f64, until as f64).map_err(unreadable)?;
    let part = Uint8Array::new(&JsFuture::from(part.array_buffer()).await.map_err(unreadable)?);
    let start = into.len();
    into.resize(start + part.length() as usize, 0);
    part.copy_to(&mut into[start..]);
    Ok(())
}

/// What each file is to be called; `None` for those that a model does not need, such as a README.
fn roles(names: &[String]) -> Result<Vec<Option<String>>, FilesError> {
    let weights: Vec<&String> = names.iter().filter(|name| name.ends_with(".safetensors")).collect();
    let role = |name: &String| {
        let original = ALIASES.iter().find(|(_, alias)| alias == name).map_or(name.as_str(), |(name, _)| name);
        // One file of weights is that of the model, whatever it is called.
        let original = if weights == [name] && !has(names, INDEX) { "model.safetensors" } else { original };
        (WANTED.contains(&original) || name.ends_with(".safetensors")).then(|| original.to_owned())
    };
    let roles: Vec<Option<String>> = names.iter().map(role).collect();
    let known: Vec<&String> = roles.iter().flatten().collect();
    if let Some(twice) = known.iter().enumerate().find(|(i, name)| known[..*i].contains(name)) {
        return Err(FilesError::Twice((*twice.1).clone()));
    }
    check(names, &roles.iter().flatten().cloned().collect::<Vec<_>>())?;
    Ok(roles)
}

const INDEX: &str = "model.safetensors.index.json";

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

/// Whether everything is there. The first thing that is not is said.
fn check(names: &[String], roles: &[String]) -> Result<(), FilesError> {
    let weights = roles.iter().filter(|name| name.ends_with(".safetensors")).count();
    if weights == 0 && !has(roles, INDEX) {
        let other = names.iter().find(|name| OTHERS.iter().any(|end| name.ends_with(end)));
        return Err(other.map_or(FilesError::NoWeights, |name| FilesError::OtherFormat(name.clone())));
    }
    if weights > 1 && !has(roles, INDEX) && !has(roles, "model.safetensors") {
        return Err(FilesError::NoIndex(weights));
    }
    if !has(roles, "config.json") {
        return Err(FilesError::NoConfig(names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")));
    }
    match (has(roles, "tokenizer.json"), has(roles, "vocab.json"), has(roles, "merges.txt")) {
        (true, ..) | (_, true, true) => Ok(()),
        (_, true, false) => Err(FilesError::HalfTokenizer { missing: "merges.txt", found: "vocab.json" }),
        (_, false, true) => Err(FilesError::HalfTokenizer { missing: "vocab.json", found: "merges.txt" }),
        (_, false, false) => Err(FilesError::NoTokenizer),
    }
}

#[cfg(test)]
mod tests {
    #[cfg(target_family = "wasm")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    fn of(names: &[&str]) -> Result<Vec<String>, FilesError> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        roles(&names).map(|roles| roles.into_iter().map(Option::unwrap_or_default).collect())
    }

    #[test]
    fn a_model_is_made_of_its_files_in_any_order_with_others_passed_over() {
        let names = ["README.md", "tokenizer.json", "model.safetensors", "generation_config.json", "config.json"];
        assert_eq!(of(&names).unwrap(), ["", "tokenizer.json", "model.safetensors", "", "config.json"]);
        let names = ["gpt2-large.safetensors", "vocab.bpe", "encoder.json", "config.json", "pytorch_model.bin"];
        assert_eq!(of(&names).unwrap(), ["model.safetensors", "merges.txt", "vocab.json", "config.json", ""]);
        let shards = ["m-2.safetensors", "model.safetensors.index.json", "m-1.safetensors", "config.json"];
        assert_eq!(of(&[&shards[..], &["tokenizer.json"]].concat()).unwrap()[..3], shards[..3]);
        let one = ["m-1.safetensors", "model.safetensors.index.json", "config.json", "tokenizer.json"];
        assert_eq!(of(&one).unwrap()[0], "m-1.safetensors");
    }

    #[test]
    fn what_is_missing_is_named() {
        let all = ["config.json", "tokenizer.json", "model.safetensors"];
        let without = |name: &str| of(&all.into_iter().filter(|known| *known != name).collect::<Vec<_>>());
        assert_eq!(without("config.json"), Err(FilesError::NoConfig("tokenizer.json, model.safetensors".into())));
        assert_eq!(without("tokenizer.json"), Err(FilesError::NoTokenizer));
        assert_eq!(without("model.safetensors"), Err(FilesError::NoWeights));
        assert_eq!(
            of(&["config.json", "model.safetensors", "merges.txt"]),
            Err(FilesError::HalfTokenizer { missing: "vocab.json", found: "merges.txt" })
        );
        assert_eq!(
            of(&["config.json", "tokenizer.json", "pytorch_model.bin"]),
            Err(FilesError::OtherFormat("pytorch_model.bin".into()))
        );
    }

    #[test]
    fn what_is_there_twice_or_without_an_index_is_named() {
        assert_eq!(
            of(&["config.json", "config.json", "tokenizer.json", "model.safetensors"]),
            Err(FilesError::Twice("config.json".into()))
        );
        assert_eq!(
            of(&["config.json", "tokenizer.json", "a.safetensors", "b.safetensors"]),
            Err(FilesError::NoIndex(2))
        );
        assert_eq!(of(&[]), Err(FilesError::NoWeights));
    }
}
