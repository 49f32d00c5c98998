//! From the words of an address to a worker with a model.

use js_sys::{Object, Reflect};
use nucleus_session::{
    DeviceKind, DevicePreference, DeviceReport, Loading, ModelInfo, ModelSource, Report, Request, Vocabulary,
    WeightFormat,
};
use wasm_bindgen::prelude::JsValue;

use crate::link::{Link, now};
use crate::{error, object};

/// A worker with a model.
pub struct Loaded {
    pub link: Link,
    pub vocabulary: Vocabulary,
}

/// Loads, agrees to any download, and measures each stage.
pub async fn load(model: &str, device: &str, weights: Option<&str>) -> Result<(Loaded, JsValue), JsValue> {
    let (source, device, weights) = words(model, device, weights)?;
    let start = now();
    let link = Link::start()?;
    link.send(&Request::Load { source, device, weights })?;
    let mut stages = Stages { all: Object::new(), running: "starting", since: start };
    let mut chosen = None;
    loop {
        let (heard, report) = link.next().await?;
        match report {
            Report::Loading(stage) => stages.enter(name(&stage), heard)?,
            Report::Plan(plan) if plan.waits => link.send(&Request::Download)?,
            Report::Device(device) => chosen = Some(device),
            Report::Ready { model, vocabulary } => {
                stages.enter("ready", heard)?;
                let chosen = chosen.ok_or_else(|| error("the engine named no device"))?;
                expect(&chosen, &model, device, weights)?;
                let facts = facts(heard - start, &chosen, &model, stages.all)?;
                return Ok((Loaded { link, vocabulary }, facts));
            }
            _ => {}
        }
    }
}

fn words(
    model: &str,
    device: &str,
    weights: Option<&str>,
) -> Result<(ModelSource, DevicePreference, Option<WeightFormat>), JsValue> {
    let unknown = |word: &str| error(format!("`{word}` means nothing"));
    let weights = weights.map(|word| WeightFormat::parse(word).ok_or_else(|| unknown(word))).transpose()?;
    let device = DevicePreference::parse(device).ok_or_else(|| unknown(device))?;
    Ok((ModelSource::parse(model).map_err(error)?, device, weights))
}

/// The engine may take another device or another format, which a reader is told; what is measured must be what was asked for.
fn expect(
    chosen: &DeviceReport,
    model: &ModelInfo,
    device: DevicePreference,
    weights: Option<WeightFormat>,
) -> Result<(), JsValue> {
    let asked = match device {
        DevicePreference::Auto => chosen.kind,
        DevicePreference::Cpu => DeviceKind::Cpu,
        DevicePreference::WebGpu => DeviceKind::WebGpu,
    };
    if chosen.kind != asked {
        return Err(error(&chosen.reason));
    }
    match weights {
        Some(asked) if asked != model.weights => Err(error(format!("the weights are held as {}", model.weights))),
        _ => Ok(()),
    }
}

fn facts(load_ms: f64, chosen: &DeviceReport, model: &ModelInfo, stages: Object) -> Result<JsValue, JsValue> {
    object([
        ("load_ms", load_ms.into()),
        ("device", chosen.kind.to_string().into()),
        ("reason", chosen.reason.to_string().into()),
        ("weights", model.weights.word().into()),
        ("device_memory", (model.device_memory as f64).into()),
        ("stages", stages.into()),
    ])
}

/// How long each stage of loading took.
struct Stages {
    all: Object,
    running: &'static str,
    since: f64,
}

impl Stages {
    /// The running stage ends where another begins; one that comes twice adds up.
    fn enter(&mut self, next: &'static str, heard: f64) -> Result<(), JsValue> {
        if next != self.running {
            let name = JsValue::from(self.running);
            let before = Reflect::get(&self.all, &name)?.as_f64().unwrap_or(0.0);
            Reflect::set(&self.all, &name, &(before + heard - self.since).into())?;
            (self.running, self.since) = (next, heard);
        }
        Ok(())
    }
}

fn name(stage: &Loading) -> &'static str {
    match stage {
        Loading::Starting => "starting",
        Loading::ChoosingDevice => "device",
        Loading::SelfTest => "self_test",
        Loading::Config => "config",
        Loading::Tokenizer => "tokenizer",
        Loading::Weights { .. } | Loading::Reconnecting { .. } | Loading::StartingOver { .. } => "weights",
        Loading::Building => "building",
    }
}
