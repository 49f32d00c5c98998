//! One trial of one engine.

use std::path::Path;
use std::{fs, time::Instant};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::engines::{Engine, Text};
use super::machine;
use super::page::Page;

/// The prompts, and what must follow.
pub struct Prompts {
    reference: Reference,
    tales: Vec<u32>,
}

/// What Hugging Face transformers made of the same weights.
#[derive(Deserialize)]
struct Reference {
    prompt_ids: Vec<u32>,
    new_tokens: Vec<u32>,
}

impl Prompts {
    /// Reads them from the folder of the peers.
    ///
    /// # Errors
    /// When a file is missing or is not what it should be.
    pub fn read(folder: &Path) -> Result<Self> {
        let reference = json_in(&folder.join("reference-124m.json"), "/bench")?;
        let tales: Vec<u32> = json_in(&folder.join("nucleus/models/tales/reference.json"), "/window/ids")?;
        Ok(Self { reference, tales: tales.into_iter().take(32).collect() })
    }

    fn ids(&self, text: Text) -> &[u32] {
        match text {
            Text::Reference => &self.reference.prompt_ids,
            Text::Tales => &self.tales,
        }
    }

    /// Whether the tokens are Hugging Face's; `None` where that is not known.
    fn judge(&self, text: Text, tokens: &[u32]) -> Option<bool> {
        let is_known = text == Text::Reference && !tokens.is_empty();
        is_known.then(|| self.reference.new_tokens.starts_with(tokens))
    }
}

/// What was measured.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// What the page told of the loading.
    pub load: Value,
    /// From the request to the first token, the first time that the engine writes, milliseconds.
    pub cold_ttft_ms: f64,
    /// The same later.
    pub ttft_ms: f64,
    /// Without the first.
    pub tokens_per_s: f64,
    /// Processor time of the whole browser for a token that is not the first, milliseconds.
    pub cpu_ms: f64,
    /// Processor time of the whole browser for the prompt and the first token, milliseconds. Nucleus works out the prompt's
    /// log-probabilities after the last token, by another pass: that is in it too.
    pub cpu_ttft_ms: f64,
    /// See `machine::peak_mb`.
    pub peak_mb: f64,
    /// How many processors others kept busy meanwhile: above 0.25 the times by the clock mean little.
    pub other_cpu: f64,
    /// Whether the tokens are Hugging Face's.
    pub equal: Option<bool>,
}

/// What `window.bench` gives. Not every engine tells its tokens while it is measured.
#[derive(Deserialize)]
struct Run {
    ttft_ms: f64,
    decode_ms: f64,
    #[serde(default)]
    tokens: Vec<u32>,
}

/// Loads an engine in a browser of its own, lets it write once to warm up, and measures twice; a slow one once.
///
/// # Errors
/// What the engine or the browser says.
pub async fn measure(engine: &Engine, origin: &str, prompts: &Prompts) -> Result<Vec<Trial>> {
    let page = Page::open(&address(engine, origin)).await?;
    let trials = on_page(engine, &page, prompts).await;
    page.close().await.and(trials)
}

async fn on_page(engine: &Engine, page: &Page, prompts: &Prompts) -> Result<Vec<Trial>> {
    let ids = prompts.ids(engine.text);
    let load = page.ask("window.load()").await.context("while loading")?;
    let (cold, cold_cpu) = timed(page, ids, if engine.slow { 2 } else { engine.new_tokens }).await?;
    let mut trial = Trial { load, cold_ttft_ms: cold.ttft_ms, ..Trial::default() };
    if engine.slow {
        warm(engine, page, prompts, cold_cpu, &mut trial).await?;
        return Ok(vec![trial]);
    }
    let mut trials = Vec::new();
    for _ in 0..2 {
        let (_, two_cpu) = timed(page, ids, 2).await?;
        warm(engine, page, prompts, two_cpu, &mut trial).await?;
        trials.push(trial.clone());
    }
    Ok(trials)
}

/// One run and its figures. `two_cpu` is what two tokens take: taken off, so that the time per token holds nothing of the prompt's.
async fn warm(engine: &Engine, page: &Page, prompts: &Prompts, two_cpu: f64, trial: &mut Trial) -> Result<()> {
    let (ids, new_tokens) = (prompts.ids(engine.text), engine.new_tokens);
    let (start, busy) = (Instant::now(), machine::busy_ms()?);
    let (run, cpu) = timed(page, ids, new_tokens).await?;
    let elapsed = start.elapsed().as_secs_f64() * 1e3;
    let others = machine::busy_ms()? - busy - cpu;
    trial.ttft_ms = run.ttft_ms;
    trial.tokens_per_s = (new_tokens - 1) as f64 / run.decode_ms * 1e3;
    trial.cpu_ms = (cpu - two_cpu) / (new_tokens - 2) as f64;
    trial.cpu_ttft_ms = two_cpu - trial.cpu_ms;
    trial.peak_mb = machine::peak_mb(page.process())?;
    trial.other_cpu = (others / elapsed).max(0.0);
    trial.equal = prompts.judge(engine.text, &tokens(page, ids, new_tokens, run.tokens).await?);
    Ok(())
}

/// A run, and the processor time of the browser for it, milliseconds.
async fn timed(page: &Page, ids: &[u32], new_tokens: usize) -> Result<(Run, f64)> {
    let before = machine::cpu_ms(page.process())?;
    let run = page.ask(&format!("window.bench({}, {new_tokens})", json!(ids))).await.context("while writing")?;
    Ok((run, machine::cpu_ms(page.process())? - before))
}

/// The tokens of the measured run, or of another where the engine does not tell them on the way.
async fn tokens(page: &Page, ids: &[u32], new_tokens: usize, told: Vec<u32>) -> Result<Vec<u32>> {
    if told.is_empty() {
        return page.ask(&format!("window.tokens({}, {new_tokens})", json!(ids))).await.context("asked for its tokens");
    }
    Ok(told)
}

/// Milliseconds from the start of a navigation to the first token, in a browser that has all files from an earlier visit.
///
/// # Errors
/// What the engine or the browser says.
pub async fn warm_reload(engine: &Engine, origin: &str, prompts: &Prompts) -> Result<f64> {
    let address = format!("{}&cache=1", address(engine, origin));
    let page = Page::open(&address).await?;
    let measured = async {
        let first = format!("window.load().then(() => window.bench({}, 1))", json!(prompts.ids(engine.text)));
        page.ask::<Value>(&first).await?;
        page.go(&address).await?;
        page.ask(&format!("{first}.then(() => performance.now())")).await
    };
    let measured = measured.await;
    page.close().await.and(measured)
}

fn address(engine: &Engine, origin: &str) -> String {
    format!("{origin}{}", engine.address.replace("{models}", &format!("{origin}models/")))
}

fn json_in<T: serde::de::DeserializeOwned>(file: &Path, pointer: &str) -> Result<T> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut json: Value = serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))?;
    let value =
        json.pointer_mut(pointer).map(Value::take).with_context(|| format!("{} has no {pointer}", file.display()))?;
    Ok(serde_json::from_value(value)?)
}
