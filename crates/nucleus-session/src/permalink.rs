//! The page's address: a link reproduces a run.
//!
//! `?model=tales&prompt=Once%20upon&temperature=0.8&top_k=40&top_p=0.9&seed=42&new=40&step=7`
//!
//! Values of settings are kept as text here, since a field shows what the address said even when it
//! is no good value. Keys that mean nothing are not kept.

use std::collections::{BTreeMap, BTreeSet};

use nucleus_sampler::TokenId;
use thiserror::Error;

use crate::brief::brief;
use crate::check::Check;
use crate::device::DevicePreference;
use crate::link_field::LinkField;
use crate::percent;
use crate::plan::WeightFormat;
use crate::source::ModelSource;
use crate::strategy::{OptionKey, Options, StrategyKind};

/// What an address says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// `model`: which model. Files from a disk have no address.
    pub model: Option<ModelSource>,
    /// `weights`: how the weights are to be held.
    pub weights: Option<WeightFormat>,
    /// `recording`: a recorded run to show instead of one to be made.
    pub recording: Option<String>,
    /// `prompt`: the prompt as typed.
    pub prompt: Option<String>,
    /// `special=1`: `<|endoftext|>` in the prompt means the token.
    pub special_tokens: bool,
    /// `temperature`, as text.
    pub temperature: Option<String>,
    /// `top_k`, as text.
    pub top_k: Option<String>,
    /// `top_p`, as text.
    pub top_p: Option<String>,
    /// `penalty`, as text: the repetition penalty. A link without it means that it is off.
    pub repetition_penalty: Option<String>,
    /// `seed`, as text.
    pub seed: Option<String>,
    /// `new`, as text: how many tokens.
    pub new_tokens: Option<String>,
    /// `step`: which generated token is in focus, from 0.
    pub step: Option<usize>,
    /// `device`: where to run.
    pub device: Option<DevicePreference>,
    /// `check`: the tokens of the run that the link was taken from.
    pub check: Option<Check>,
    /// `force=12:345,20:7`: tokens that are taken whatever is drawn, by step from 0.
    pub forced: BTreeMap<usize, TokenId>,
    /// `strategy`: how the next tokens are decided.
    pub strategy: StrategyKind,
    /// The fields of strategies, each under its own key, as text.
    pub options: Options,
    /// `without=prompt,schema`: fields that are needed, and whose text is too long for a link.
    pub left_out: Vec<LinkField>,
}

/// What an address says and cannot mean.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// The bytes after decoding are no UTF-8.
    #[error("{key} in the address is not a text (its bytes are not UTF-8), and was left out")]
    NotUtf8 {
        /// The key.
        key: &'static str,
    },
    /// A value that its key cannot have.
    #[error("{key} in the address is \u{201c}{text}\u{201d}, but must be {must}; it was left out")]
    Value {
        /// The key.
        key: &'static str,
        /// The value, cut where it is long.
        text: String,
        /// What it must be.
        must: &'static str,
    },
    /// A text that was too long for the link.
    #[error(
        "the link does not hold \u{201c}{}\u{201d}: the text was too long for it; put the text into that field, then press \
         Generate",
        .0.label()
    )]
    LeftOut(LinkField),
    /// A step that is given two tokens.
    #[error(
        "force in the address gives step {step} two tokens, {first} and {second}, but a step can have one; force was left out: \
         name each step once, such as {step}:{first}"
    )]
    ForcedTwice {
        /// The step, from 0.
        step: usize,
        /// The token that is named first.
        first: TokenId,
        /// The other one.
        second: TokenId,
    },
}

const KEYS: [&str; 17] = [
    "model",
    "weights",
    "recording",
    "prompt",
    "special",
    "temperature",
    "top_k",
    "top_p",
    "penalty",
    "seed",
    "new",
    "step",
    "device",
    "check",
    "strategy",
    "force",
    "without",
];

/// The key that the address has, if it means something.
fn known(key: &str) -> Option<&'static str> {
    KEYS.into_iter().find(|known| *known == key).or_else(|| OptionKey::parse(key).map(OptionKey::word))
}

impl Link {
    /// Reads a query, with or without its `?`. Of a key that comes twice the first counts; a model, a form of the weights or a
    /// device that is empty is none.
    ///
    /// What cannot be meant is left out of the link and returned beside it. The check is left out then too: without one of its
    /// values a link leads to another run.
    #[must_use]
    pub fn parse(query: &str) -> (Self, Vec<LinkError>) {
        let mut link = Self::default();
        let mut errors = Vec::new();
        let mut seen = BTreeSet::new();
        for pair in query.strip_prefix('?').unwrap_or(query).split('&') {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let key = percent::decode(key);
            let Some(known) = key.as_deref().and_then(known) else {
                continue;
            };
            if !seen.insert(known) {
                continue;
            }
            let taken = percent::decode(value)
                .ok_or(LinkError::NotUtf8 { key: known })
                .and_then(|value| link.take(known, value));
            errors.extend(taken.err());
        }
        errors.extend(link.left_out.iter().copied().map(LinkError::LeftOut));
        if !errors.is_empty() {
            link.check = None;
        }
        (link, errors)
    }

    /// Whether it has all that something can be made of: a prompt to continue, unless its strategy brings its own.
    #[must_use]
    pub fn asks_for_a_run(&self) -> bool {
        let has_prompt = self.prompt.as_ref().is_some_and(|prompt| !prompt.is_empty());
        (has_prompt || !self.strategy.reads_prompt()) && self.left_out.is_empty()
    }

    /// Whether its run continues a prompt: its own, or one that it had to leave out.
    pub(crate) fn is_of(&self, prompt: &str) -> bool {
        self.left_out.contains(&LinkField::Prompt) || self.prompt.as_deref() == Some(prompt)
    }

    fn take(&mut self, key: &'static str, text: String) -> Result<(), LinkError> {
        let refuse = |must| Err(LinkError::Value { key, text: brief(&text), must });
        match key {
            "model" | "weights" | "device" if text.is_empty() => {}
            "recording" => self.recording = Some(text),
            "prompt" => self.prompt = Some(text),
            "temperature" => self.temperature = Some(text),
            "top_k" => self.top_k = Some(text),
            "top_p" => self.top_p = Some(text),
            "penalty" => self.repetition_penalty = Some(text),
            "seed" => self.seed = Some(text),
            "new" => self.new_tokens = Some(text),
            "special" => match text.as_str() {
                "0" => self.special_tokens = false,
                "1" => self.special_tokens = true,
                _ => return refuse("0 or 1"),
            },
            "model" => match ModelSource::parse(&text) {
                Ok(source) => self.model = Some(source),
                Err(_) => return refuse(ModelSource::MUST),
            },
            "weights" => match WeightFormat::parse(&text) {
                Some(weights) => self.weights = Some(weights),
                None => return refuse("f32, f16 or int8"),
            },
            "step" => match text.parse() {
                Ok(step) => self.step = Some(step),
                Err(_) => return refuse("a whole number, 0 for the first generated token"),
            },
            "device" => match DevicePreference::parse(&text) {
                Some(device) => self.device = Some(device),
                None => return refuse("cpu, webgpu or auto"),
            },
            "check" => match Check::parse(&text) {
                Some(check) => self.check = Some(check),
                None => return refuse("a number of tokens, a hyphen and eight hexadecimal digits"),
            },
            "strategy" => match StrategyKind::parse(&text) {
                Some(kind) => self.strategy = kind,
                None => return refuse("sample, batch, slots, beam, vote or bigram"),
            },
            "force" => match forced(&text) {
                Some(pairs) => self.forced = one_for_each_step(&pairs)?,
                None => return refuse("step:token pairs such as 12:345,20:7"),
            },
            "without" if text.is_empty() => {}
            "without" => match text.split(',').map(LinkField::parse).collect() {
                Some(fields) => self.left_out = fields,
                None => return refuse("keys of fields such as prompt,schema"),
            },
            option => self.options.extend(OptionKey::parse(option).map(|key| (key, text))),
        }
        Ok(())
    }

    /// The query, `?` included, that [`parse`](Self::parse) reads as this link.
    #[must_use]
    pub fn write(&self) -> String {
        let mut query = String::new();
        let mut put = |key: &str, value: Option<&str>| {
            if let Some(value) = value {
                query.push(if query.is_empty() { '?' } else { '&' });
                query.push_str(key);
                query.push('=');
                percent::encode_into(&mut query, value);
            }
        };
        put("model", self.model.as_ref().and_then(ModelSource::text));
        put("weights", self.weights.map(WeightFormat::word));
        put("recording", self.recording.as_deref());
        put("prompt", self.prompt.as_deref());
        put("special", self.special_tokens.then_some("1"));
        put("temperature", self.temperature.as_deref());
        put("top_k", self.top_k.as_deref());
        put("top_p", self.top_p.as_deref());
        put("penalty", self.repetition_penalty.as_deref());
        put("seed", self.seed.as_deref());
        put("new", self.new_tokens.as_deref());
        put("step", self.step.map(|step| step.to_string()).as_deref());
        put("device", self.device.map(DevicePreference::word));
        put("check", self.check.map(|check| check.to_string()).as_deref());
        put("strategy", Some(self.strategy).filter(|kind| *kind != StrategyKind::Sample).map(StrategyKind::word));
        let forced: Vec<String> = self.forced.iter().map(|(step, token)| format!("{step}:{token}")).collect();
        put("force", Some(forced.join(",")).filter(|text| !text.is_empty()).as_deref());
        for (key, text) in self.options.iter() {
            put(key.word(), Some(text));
        }
        let left_out: Vec<&str> = self.left_out.iter().map(|field| field.word()).collect();
        put("without", Some(left_out.join(",")).filter(|text| !text.is_empty()).as_deref());
        query
    }
}

/// The pairs of a step and its token, in the order written.
fn forced(text: &str) -> Option<Vec<(usize, TokenId)>> {
    let pair = |pair: &str| {
        let (step, token) = pair.split_once(':')?;
        Some((step.parse().ok()?, TokenId(token.parse().ok()?)))
    };
    if text.is_empty() { Some(Vec::new()) } else { text.split(',').map(pair).collect() }
}

fn one_for_each_step(pairs: &[(usize, TokenId)]) -> Result<BTreeMap<usize, TokenId>, LinkError> {
    let mut forced = BTreeMap::new();
    for &(step, second) in pairs {
        if let Some(first) = forced.insert(step, second) {
            return Err(LinkError::ForcedTwice { step, first, second });
        }
    }
    Ok(forced)
}
