//! Constrained output of a real model: 500 texts of `tales` at temperature 1, under schemas and regular expressions and
//! in little room and in much, all satisfy. The model is small and trained on stories, so left alone it writes no JSON.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;
use std::ops::ControlFlow;

use nucleus_decode::{
    Constraint, ConstraintState, Outcome, PastContext, Plan, StopReason, TokenTrie, generate_constrained,
};
use nucleus_gpt2::{Config, Device, Gpt2};
use nucleus_sampler::{Settings, Temperature, TokenId};
use nucleus_tests::recorder::{wait, www};
use nucleus_tokenizer::{SpecialTokens, Tokenizer};
use regex_lite::Regex;
use serde_json::Value;

struct Tales {
    model: Gpt2,
    tokenizer: Tokenizer,
    end: TokenId,
}

impl Tales {
    fn load() -> Self {
        let read = |file: &str| fs::read(www().join("models/tales").join(file)).unwrap();
        let config = Config::from_json(&read("config.json")).unwrap();
        let model = Gpt2::from_safetensors(&config, &read("model.safetensors"), &Device::flex()).unwrap();
        let tokenizer = Tokenizer::from_json(&read("tokenizer.json")).unwrap();
        let end = TokenId(tokenizer.end_of_text().unwrap());
        Self { model, tokenizer, end }
    }

    fn trie(&self) -> TokenTrie {
        let bytes = |id: usize| self.tokenizer.bytes(id as u32).unwrap();
        TokenTrie::new((0..self.tokenizer.n_vocab()).map(bytes), &[self.end])
    }

    fn run(
        &mut self,
        begun: &ConstraintState<'_>,
        seed: u64,
        settings: Settings,
        max_new_tokens: usize,
    ) -> (Outcome, Vec<u8>) {
        let prompt = self.tokenizer.encode("Once upon a time", SpecialTokens::AsText).unwrap();
        let plan = Plan {
            prompt: prompt.into_iter().map(TokenId).collect(),
            settings,
            seed,
            stream: None,
            script: nucleus_decode::Script::default(),
            max_new_tokens,
            end_of_text: Some(self.end),
            n_tokenizer: self.tokenizer.n_vocab(),
            past_context: PastContext::Stop,
        };
        let mut state = begun.clone();
        let next = async |_| ControlFlow::Continue(());
        let outcome = wait(generate_constrained(&mut self.model, &plan, &mut state, next)).unwrap();
        assert!(state.is_complete());
        let shown = outcome.tokens.iter().filter(|&&id| id != self.end);
        let text = shown.flat_map(|id| self.tokenizer.bytes(id.0).unwrap()).copied().collect();
        (outcome, text)
    }
}

const SCHEMAS: [&str; 4] = [
    r#"{"type": "object", "required": ["name", "age"], "properties": {"name": {"type": "string"},
        "age": {"type": "integer"}, "kind": {"enum": ["cat", "dog", "fox"]}, "good": {"type": "boolean"}}}"#,
    r#"{"type": "array", "minItems": 1, "items": {"type": "object", "properties":
        {"a": {"type": "number"}, "b": {"type": "null"}}}}"#,
    r#"{"type": "array", "items": {"type": "string", "maxLength": 12}, "maxItems": 4}"#,
    r#"{"type": "object", "required": ["story"], "properties": {"story": {"type": "object", "required": ["end"],
        "properties": {"begin": {"type": "string", "minLength": 3}, "end": {"type": "string"}}}}}"#,
];

/// Whether a value is of one of [`SCHEMAS`], said once more by hand.
fn is_valid(schema: usize, value: &Value) -> bool {
    let is_string = |value: &Value, least: usize| value.as_str().is_some_and(|text| text.chars().count() >= least);
    let object = |value: &Value, required: &[&str], all: &dyn Fn(&str, &Value) -> bool| {
        value.as_object().is_some_and(|members| {
            required.iter().all(|name| members.contains_key(*name))
                && members.iter().all(|(name, value)| all(name, value))
        })
    };
    match schema {
        0 => object(value, &["name", "age"], &|name, value| match name {
            "name" => value.is_string(),
            "age" => value.is_i64(),
            "kind" => ["cat", "dog", "fox"].iter().any(|kind| value == kind),
            "good" => value.is_boolean(),
            _ => false,
        }),
        1 => value.as_array().is_some_and(|items| {
            let item =
                |name: &str, value: &Value| (name == "a" && value.is_number()) || (name == "b" && value.is_null());
            !items.is_empty() && items.iter().all(|value| object(value, &[], &item))
        }),
        2 => value.as_array().is_some_and(|items| {
            let is_short = |text: &Value| text.as_str().is_some_and(|text| text.chars().count() <= 12);
            items.len() <= 4 && items.iter().all(is_short)
        }),
        _ => object(value, &["story"], &|name, story| {
            let inside = |name: &str, value: &Value| {
                (name == "begin" && is_string(value, 3)) || (name == "end" && is_string(value, 0))
            };
            name == "story" && object(story, &["end"], &inside)
        }),
    }
}

/// Cases 24 and 25: every text parses and is valid, and ends where the value closes.
#[test]
fn five_hundred_texts_parse_and_are_valid() {
    let mut tales = Tales::load();
    let trie = tales.trie();
    let constraints = SCHEMAS.map(|schema| Constraint::json_schema(schema).unwrap());
    let begun =
        constraints.each_ref().map(|constraint| ConstraintState::new(constraint, &trie, Some(tales.end)).unwrap());
    let mut closed_early = 0;
    for seed in 0..500 {
        let schema = seed as usize % SCHEMAS.len();
        let limit = [24, 32, 40][seed as usize % 3];
        let (outcome, text) = tales.run(&begun[schema], seed, Settings::default(), limit);
        let text = String::from_utf8(text).unwrap();
        let value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}: {text}"));
        assert!(is_valid(schema, &value), "seed {seed}: {text}");
        assert_eq!(outcome.reason, StopReason::Closed, "seed {seed}: {text}");
        assert!(text.ends_with(['}', ']']), "seed {seed}: {text}");
        closed_early += usize::from(outcome.tokens.len() < limit);
    }
    // Else it would be the limit alone that closes values.
    assert!(closed_early > 20, "{closed_early} texts of 500 closed before the limit");
}

#[test]
fn texts_under_a_regular_expression_match_it() {
    let mut tales = Tales::load();
    let trie = tales.trie();
    for pattern in [r"( [a-z]+){2,6}\.", "[0-9]{2}:[0-9]{2}( [ap]m)?", "( cat| dog| fox)+", r"[^\x00-\x7F]{2,3}!"] {
        let constraint = Constraint::regex(pattern).unwrap();
        let begun = ConstraintState::new(&constraint, &trie, Some(tales.end)).unwrap();
        let whole = Regex::new(&format!("^(?:{pattern})$")).unwrap();
        for seed in 0..12 {
            let (outcome, text) = tales.run(&begun, seed, Settings::default(), 16);
            let text = String::from_utf8(text).unwrap();
            assert!(whole.is_match(&text), "{pattern}, seed {seed}: {text:?}");
            let ended = [StopReason::Closed, StopReason::EndOfText, StopReason::TokenLimit];
            assert!(ended.contains(&outcome.reason));
        }
    }
}

/// At temperature 0 the seed changes nothing, under a constraint as without one.
#[test]
fn greedy_text_is_the_same_for_every_seed() {
    let mut tales = Tales::load();
    let trie = tales.trie();
    let constraint = Constraint::json_schema(SCHEMAS[0]).unwrap();
    let begun = ConstraintState::new(&constraint, &trie, Some(tales.end)).unwrap();
    let greedy = Settings { temperature: Temperature::ZERO, ..Settings::default() };
    let first = tales.run(&begun, 1, greedy, 40);
    assert_eq!(first, tales.run(&begun, 2, greedy, 40));
    assert_eq!(first.0.reason, StopReason::Closed);
}
