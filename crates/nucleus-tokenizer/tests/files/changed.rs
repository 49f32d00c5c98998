//! The tokenizer of gpt2-tiny-random with a change in its file.

use nucleus_tokenizer::{Tokenizer, TokenizerError as Error};
use serde_json::{Value, json};

use crate::TINY;

/// The tokenizer of gpt2-tiny-random (512 ids, the special token last) after `change`.
pub fn changed(change: impl FnOnce(&mut Value)) -> Result<Tokenizer, Error> {
    let mut file: Value = serde_json::from_slice(TINY).unwrap();
    change(&mut file);
    Tokenizer::from_json(&serde_json::to_vec(&file).unwrap())
}

/// As [`changed`], with one value set, by its JSON pointer's parent and key.
pub fn with(parent: &str, key: &str, value: Value) -> Result<Tokenizer, Error> {
    changed(|file| {
        file.pointer_mut(parent).unwrap()[key] = value;
    })
}

pub fn without(parent: &str, key: &str) -> Result<Tokenizer, Error> {
    changed(|file| {
        file.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key).unwrap();
    })
}

pub fn added(id: u64, content: &str, special: bool) -> Value {
    json!({ "id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": special })
}
