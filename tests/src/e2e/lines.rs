//! What an engine says, with the numbers of GPT-2: lines for a [`Puppet`](super::Puppet).

use nucleus_session::{
    DeviceKind, DevicePreference, DeviceReason, DeviceReport, Keeping, KeptModel, LoadPlan, Loading, ModelInfo,
    ModelSource, Report, Request, SourceError, Vocabulary, VocabularyError, WeightFormat,
};

/// The Hugging Face id of GPT-2.
pub const GPT2: &str = "openai-community/gpt2";

/// Bytes of its weights.
pub const TOTAL: u64 = 548_105_171;

/// The request for a model.
///
/// # Errors
/// When the text names none.
pub fn load(text: &str, device: DevicePreference) -> Result<Request, SourceError> {
    Ok(Request::Load { source: ModelSource::parse(text)?, device, weights: None })
}

/// A graphics processor was chosen.
#[must_use]
pub fn gpu() -> Report {
    device(DeviceKind::WebGpu, "acme rdna-9", DeviceReason::Adapter)
}

/// The CPU was chosen, because it was asked for.
#[must_use]
pub fn cpu() -> Report {
    device(DeviceKind::Cpu, "", DeviceReason::ForcedCpu)
}

fn device(kind: DeviceKind, adapter: &str, reason: DeviceReason) -> Report {
    Report::Device(DeviceReport { kind, adapter: adapter.into(), software: false, reason })
}

/// The plan, which waits for an answer.
#[must_use]
pub fn plan() -> Report {
    Report::Plan(LoadPlan {
        name: "gpt2".into(),
        parameters: 124_439_808,
        stored: "F32".into(),
        weights: WeightFormat::F32,
        download: TOTAL,
        files: TOTAL,
        device_memory: 572_000_000,
        largest_tensor: 154_389_504,
        largest_binding: 134_217_728,
        room_to_keep: Some(12_000_000_000),
        waits: true,
    })
}

/// A model is ready to write.
///
/// # Errors
/// None that could happen.
pub fn ready(name: &str, keeping: Keeping) -> Result<Report, VocabularyError> {
    let model = ModelInfo {
        name: name.into(),
        n_vocab: 2,
        n_ctx: 1024,
        n_layer: 12,
        n_head: 12,
        n_embd: 768,
        parameters: 124_439_808,
        end_of_text: None,
        weights: WeightFormat::F32,
        device_memory: 572_000_000,
        keeping,
    };
    Ok(Report::Ready { model, vocabulary: Vocabulary::new(b" a b".to_vec(), vec![2, 4])? })
}

/// So much of the weights has come, all of it over the network.
#[must_use]
pub fn weights(done: u64) -> Report {
    Report::Loading(Loading::Weights { done, total: TOTAL, fetched: TOTAL })
}

/// A model that is kept: all of it, or a part of GPT-2's bytes.
///
/// # Errors
/// When the text names none.
pub fn kept(text: &str, bytes: u64, complete: bool) -> Result<KeptModel, SourceError> {
    Ok(KeptModel { source: ModelSource::parse(text)?, bytes, total: Some(TOTAL), complete })
}
